// What broken fields of a ledger may be mended to, for the oracle: all of it,
// as far as a rule can tell the difference, by trying.
//
// A field that is good has one value.  One that is broken has any good value; in
// a list, each item that is broken is any good one, or none at all.
'use strict';

const { ATTEMPTS, HISTORY, APPROVALS, STATUSES, isBlank } =
	require('./ledger_shape.cjs');

const MANY = 4000; // mends, beyond which nothing is said
const COUNTS = [...Array(HISTORY + 1).keys()]; // that an attempt may be

// All ways to take one of each list.
function product(lists) {
	let all = [[]];

	for (const list of lists) {
		if (all.length * list.length > MANY)
			return null;
		all = all.flatMap((head) => list.map((one) => [...head, one]));
	}
	return all;
}

const NONE = Symbol('no item');

// `any` is what an item may be, `whole` what the list may be when it is lost.
function lists(field, any, whole, of = (item) => item.value) {
	if (!field.ok)
		return whole;
	const all = product(field.value.map((item) =>
		(item.ok ? [of(item)] : [NONE, ...any])));
	return all?.map((list) => list.filter((item) => item !== NONE)) ?? null;
}

const word = (field, all) => (field.ok ? [field.value] : all);

// Histories; null when there are too many of them.
const histories = (n) => lists(n.status_history, STATUSES, null);

// How often a history is RUNNING.
function starts(n) {
	if (!n.status_history.ok)
		return COUNTS;
	const is = (h) => h.ok && h.value === 'RUNNING';
	const least = n.status_history.value.filter(is).length;
	const broken = n.status_history.value.filter((h) => !h.ok).length;
	return [...Array(broken + 1).keys()].map((k) => least + k);
}

const attempts = (n) => word(n.attempt, COUNTS);
const bounds = (n) => word(n.max_attempts, [1, 2, ATTEMPTS - 1, ATTEMPTS]);
const statuses = (n) => word(n.status, STATUSES);

// Whether an approval is wanted and not given.
function opens(n) {
	const all = new Set();

	for (const approval of word(n.approval, APPROVALS)) {
		for (const access of word(n.access, ['read-only', 'destructive'])) {
			all.add(approval === 'required' || approval === 'denied' ||
				approval === 'not-required' &&
				['external-write', 'destructive'].includes(access));
		}
	}
	return [...all];
}

// Whether there is the evidence that is wanted.  A blank one is none.
function proofs(n) {
	const all = new Set();
	const items = n.evidence.ok ? n.evidence.value : [];
	const has = items.some((e) => e.ok && !isBlank(e.value));
	const might = !n.evidence.ok || items.some((e) => !e.ok);

	for (const required of word(n.evidence_required, [true, false])) {
		for (const proven of has ? [true] : might ? [true, false] : [false])
			all.add(proven || !required);
	}
	return [...all];
}

// Whether no attempt is left.
function ends(n) {
	const all = new Set();

	for (const attempt of word(n.attempt, [0, HISTORY])) {
		for (const max of bounds(n))
			all.add(attempt >= max);
	}
	return [...all];
}

// Of a whole node what its run asks for: the status, whether its own duty is
// met (`is`), and whether a broken dependency holds it (`held`).
function wholes(n, deps) {
	const lost = deps.some((d) => d.to === undefined);
	const all = [];

	for (const status of n === null ? STATUSES : statuses(n)) {
		const is = n === null ? [true, false] :
			status === 'PASSED' ? proofs(n) :
				status === 'FAILED' ? ends(n) :
					status === 'PENDING' ? opens(n) : [true];
		for (const one of is) {
			for (const held of status === 'PENDING' && lost ?
				[true, false] : [false])
				all.push({ status, is: one, held });
		}
	}
	return all;
}

module.exports = { attempts, bounds, histories, opens, product, proofs, starts,
	statuses, wholes };

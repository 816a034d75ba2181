// The oracle: what a ledger checkpoint breaks, judged from the specification
// alone and slowly.
//
// judge(bytes, strict) gives { json, must, some, may }.  A key is
// "V word node" or "N word node": a violation or a note, the rule's family, the
// node's number, `-` for what is about the whole.  Every key of `must` has to be
// found, of each list in `some` at least one, and nothing besides these and
// `may`, which has what the rules leave open.  What is broken in its own shape
// is mended in all ways there are (ledger_mend.cjs): a rule among fields must be
// told when each mend breaks it, and else it must not.  `open` says that nothing
// can be said of any node.  `json` is false where the bytes are no JSON, and null
// where refusing them so, or by a violation, is both right.
'use strict';

const { read, NotJson } = require('./json_tree.cjs');
const shape = require('./ledger_shape.cjs');

const mend = require('./ledger_mend.cjs');

const { Findings } = shape;

const DEPTH = 32;
const FINAL = shape.RUN_STATUSES.slice(2);

// A node's steps, from => to.
const STEPS = {
	PENDING: ['READY', 'NEEDS_APPROVAL', 'SKIPPED', 'BLOCKED'],
	READY: ['SKIPPED', 'BLOCKED', 'RUNNING'],
	RUNNING: ['BLOCKED', 'PASSED', 'FAILED', 'READY', 'NEEDS_APPROVAL'],
	NEEDS_APPROVAL: ['PENDING', 'BLOCKED', 'SKIPPED'],
	BLOCKED: ['PENDING', 'SKIPPED'],
	FAILED: ['READY'],
	PASSED: [],
	SKIPPED: [],
};

const isDone = (status) => status === 'PASSED' || status === 'SKIPPED';
const isGated = (status) => ['READY', 'RUNNING', 'PASSED'].includes(status);

// The texts of ids are compared even where they are no good ids; of two, it is
// the first.
function judgeIds(nodes, f) {
	const first = new Map();

	nodes.forEach((n, i) => {
		const id = n?.id.value;
		if (id === undefined)
			return;
		const folded = id.toLowerCase();
		const earlier = first.get(folded);
		if (earlier === undefined) {
			first.set(folded, { i, exact: new Set([id]) });
			return;
		}
		if (earlier.exact.has(id))
			f.violation('duplicate_id', i);
		else
			f.perhaps(`V duplicate_id ${i}`);
		earlier.exact.add(id);
	});
}

// For every node its dependencies: { to: number } where it is certain which node
// is meant, else {}.
function judgeDependencies(nodes, f) {
	const by = new Map();

	nodes.forEach((n, i) => {
		const id = n?.id.value;
		if (id !== undefined)
			by.set(id, by.has(id) ? { many: true } :
				{ i, ok: n.id.ok });
	});
	return nodes.map((n, i) => {
		if (n === null || !n.depends_on.ok) {
			f.perhaps(...n?.depends_on.twice ?
				[`V duplicate_dependency ${i}`] : []);
			return [{}];
		}
		const seen = new Set();
		return n.depends_on.value.map((d) => {
			if (!d.ok)
				return {};
			if (seen.has(d.value))
				f.violation('duplicate_dependency', i);
			seen.add(d.value);
			const hit = by.get(d.value);
			if (hit === undefined)
				f.violation('unknown_dependency', i);
			return hit === undefined || hit.many || !hit.ok ? {} :
				{ to: hit.i };
		});
	});
}

// Groups of nodes that all reach each other, by reachability from each.  One
// path is told of each group, and every node that depends on itself.
function judgeCycles(deps, f) {
	const next = deps.map((list, i) => list.map((d) => d.to)
		.filter((to) => to !== undefined && to !== i));
	const reach = next.map((_, i) => {
		const seen = new Set();
		const todo = [i];
		while (todo.length > 0) {
			for (const to of next[todo.pop()]) {
				if (!seen.has(to)) {
					seen.add(to);
					todo.push(to);
				}
			}
		}
		return seen;
	});
	const told = new Set();

	reach.forEach((from, i) => {
		if (deps[i].some((d) => d.to === i))
			f.violation('cycle', i);
		if (!from.has(i) || told.has(i))
			return;
		const group = [...from].filter((j) => reach[j].has(i));
		group.forEach((j) => told.add(j));
		f.add(group.map((j) => `V cycle ${j}`));
		f.perhaps(...group.map((j) => `V cycle ${j}`));
	});
}

function judgeHistory(n, i, f, strict) {
	const list = n.status_history;
	const all = mend.histories(n);
	const step = `${strict ? 'V' : 'N'} step ${i}`;

	if (all === null) {
		if (list.ok)
			f.perhaps(`V history_start ${i}`, `V history_end ${i}`, step);
		return;
	}
	if (all.every((h) => h.length > 0 && h[0] !== 'PENDING'))
		f.violation('history_start', i);
	if (all.every((h) => mend.statuses(n).every((s) =>
		h.length > 0 && h.at(-1) !== s)))
		f.violation('history_end', i);
	if (all.every((h) => h.some((to, k) => k > 0 && !STEPS[h[k - 1]].includes(to))))
		f.add([step]);
}

function judgeAttempts(n, i, f) {
	const starts = new Set(mend.starts(n));
	const attempts = mend.attempts(n);
	const most = Math.max(...mend.bounds(n));

	if (!attempts.some((a) => starts.has(a)))
		f.violation('attempt', i);
	if (Math.min(...attempts) > most || Math.min(...starts) > most)
		f.violation('max_attempts', i);
}

function judgeGates(nodes, n, i, deps, f) {
	const all = (list, is) => list.every((one) => one === is);

	if (!n.status.ok)
		return;
	const status = n.status.value;
	if (status === 'PASSED' && all(mend.proofs(n), false))
		f.violation('evidence', i);
	if (isGated(status)) {
		if (deps[i].some(({ to }) => to !== undefined &&
			!mend.statuses(nodes[to]).some(isDone)))
			f.violation('dependency_gate', i);
		if (all(mend.opens(n), true))
			f.violation('approval_gate', i);
	}
	if (status === 'NEEDS_APPROVAL' && n.approval.ok &&
		n.approval.value !== 'required')
		f.violation('needs_approval', i);
}

// The run.

// What nodes of which all is known earn together: MOVES where something can
// still move, NOTHING where nothing final holds.
function earned(whole, deps) {
	const has = (status, is = true) =>
		whole.some((n) => n.status === status && n.is === is);
	const free = (n, i) => n.status === 'PENDING' && !n.held &&
		deps[i].every(({ to }) => to === undefined || isDone(whole[to].status));
	const ready = whole.filter(free);

	if (has('READY') || has('RUNNING') || ready.some((n) => !n.is))
		return 'MOVES';
	if (has('PASSED') && whole.every((n) => isDone(n.status) && n.is))
		return 'COMPLETE';
	if (has('NEEDS_APPROVAL') || ready.length > 0)
		return 'NEEDS_APPROVAL';
	if (has('FAILED'))
		return 'FAILED';
	return has('BLOCKED') ? 'BLOCKED' : 'NOTHING';
}

// What is to be said of a claim; that a claim isn't earned is true as well where
// something moves.
function sayings(claim, is, whole) {
	if (!FINAL.includes(claim))
		return claim === 'RUNNING' && FINAL.includes(is) ? ['N unclaimed -'] : [];
	if (claim === is)
		return [];
	if (is === 'MOVES')
		return ['V run_moves -', 'V run_unearned -'];
	// Both of them hold, and the order decides.
	if (claim === 'BLOCKED' && is === 'NEEDS_APPROVAL' &&
		whole.some((n) => n.status === 'BLOCKED'))
		return ['N order -'];
	return ['V run_unearned -'];
}

function judgeRun(top, nodes, deps, f) {
	const all = mend.product(nodes.map((n, i) => mend.wholes(n, deps[i])));
	let said = null;
	let is = null;

	if (!top.status.ok)
		return is;
	if (all === null) {
		f.perhaps('V run_moves -', 'V run_unearned -', 'N unclaimed -',
			'N order -');
		return is;
	}
	for (const whole of all) {
		is = earned(whole, deps);
		const now = sayings(top.status.value, is, whole);
		said = said === null ? now : said.filter((key) => now.includes(key));
	}
	if (said.length > 0)
		f.add([said[0]]);
	return is;
}

function judgeTree(root, strict, f) {
	const top = shape.readObject(root, f, '-', shape.TOP_FIELDS);
	let is = null;

	if (top === null)
		return is;
	if (!top.nodes.ok) {
		f.open = true;
		return is;
	}
	const nodes = top.nodes.value;
	judgeIds(nodes, f);
	const deps = judgeDependencies(nodes, f);
	judgeCycles(deps, f);
	nodes.forEach((n, i) => {
		if (n === null)
			return;
		judgeHistory(n, i, f, strict);
		judgeAttempts(n, i, f);
		judgeGates(nodes, n, i, deps, f);
	});
	return judgeRun(top, nodes, deps, f);
}

// `earned` beside the findings: what the nodes earn, for who makes documents.
function judge(bytes, strict) {
	const f = new Findings();
	let doc;

	try {
		doc = read(bytes);
	} catch (e) {
		if (!(e instanceof NotJson))
			throw e;
		// It may have been too deep before it was wrong.
		return { json: e.depth > DEPTH ? null : false, must: f.must,
			some: [], may: f.may };
	}
	const is = judgeTree(doc.root, strict, f);
	if (doc.depth > DEPTH)
		f.some.push(['V range -', 'V depth -']);
	return { json: doc.lone || doc.depth > DEPTH ? null : true, must: f.must,
		some: f.some, may: f.may, open: f.open === true, earned: is, doc };
}

module.exports = { judge };

// Random ledgers that break no rule: nodes that walked, step by step, what a
// node may walk.
'use strict';

const { KINDS, ROLES } = require('./ledger_shape.cjs');

// sfc32: small, quick, and the same everywhere.
function generator(seed, stream) {
	let a = seed | 0;
	let b = stream | 0;
	let c = 0x9e3779b9;
	let d = 1;
	function next() {
		const t = (((a + b) | 0) + d) | 0;
		d = (d + 1) | 0;
		a = b ^ (b >>> 9);
		b = (c + (c << 3)) | 0;
		c = ((c << 21) | (c >>> 11)) + t | 0;
		return t >>> 0;
	}
	for (let i = 0; i < 12; i++)
		next();
	const below = (n) => Math.floor(next() / 4294967296 * n);
	return {
		below,
		one: (n) => below(n) === 0,
		pick: (list) => list[below(list.length)],
		shuffle(list) {
			for (let i = list.length - 1; i > 0; i--) {
				const j = below(i + 1);
				[list[i], list[j]] = [list[j], list[i]];
			}
			return list;
		},
	};
}

const LETTERS = ['a', 'Z', '0', ' ', '"', '\\', '/', '<', '&', '\u00e9', '\u00df',
	'\u0130', '\u4e2d', '\u2028', '\u200b', '\ufeff', '\ufffd', '\ufffe',
	'\u0301', '\ud83d\ude00', '\udbff\udfff', '\'', '`', '$', '%', '{', '}'];

function text(r, max) {
	let s = r.pick(['x', 'Look at ', '\u00dcber ', '\u4e2d']);
	for (let n = r.below(max); n > 0; n--)
		s += r.one(3) ? r.pick(LETTERS) : r.pick(['a ', 'of', 'the ', '-']);
	return s;
}

function id(r, taken) {
	for (;;) {
		let s = r.pick(['a', 'n', 'scope', 'x0', '0', 'verify', 'con', 'lock',
			'z'.repeat(1 + r.below(20))]) + r.below(100);
		for (let n = r.below(3); n > 0; n--)
			s += r.pick(['.', '-', '_']) + r.pick(['b', '7', 'lock1', 'e']);
		if (r.one(200))
			s = s.padEnd(128, 'q');
		if (!taken.has(s)) {
			taken.add(s);
			return s;
		}
	}
}

const isDone = (n) => n.status === 'PASSED' || n.status === 'SKIPPED';
const isFree = (n) => n.deps.every(isDone);
const isWanted = (n) => n.approval === 'required' || n.approval === 'denied' ||
	(['external-write', 'destructive'].includes(n.access) &&
		n.approval !== 'granted');

// From each status: [to, when, what it brings], one row a step.
const always = () => true;
const free = (n) => isFree(n) && !isWanted(n);
const MOVES = {
	PENDING: [
		['READY', free],
		['NEEDS_APPROVAL', (n) => isFree(n) && isWanted(n),
			(n) => { n.approval = 'required'; }],
		['SKIPPED', (n, r) => r.one(8)],
		['BLOCKED', (n, r) => r.one(8)],
	],
	READY: [
		['RUNNING', (n) => n.attempt < n.max,
			(n) => { n.attempt++; }],
		['SKIPPED', (n, r) => r.one(8)],
		['BLOCKED', (n, r) => r.one(8)],
	],
	RUNNING: [
		['PASSED', always, (n, r) => prove(n, r)],
		['FAILED', (n, r) => r.one(2)],
		['READY', (n, r) => r.one(2)],
		['BLOCKED', (n, r) => r.one(4)],
		['NEEDS_APPROVAL', (n, r) => r.one(4),
			(n) => { n.approval = 'required'; }],
	],
	NEEDS_APPROVAL: [
		['PENDING', always, (n) => { n.approval = 'granted'; n.max++; }],
		['BLOCKED', (n, r) => r.one(3), (n) => { n.approval = 'denied'; }],
		['SKIPPED', (n, r) => r.one(6)],
	],
	BLOCKED: [
		['PENDING', always],
		['SKIPPED', (n, r) => r.one(4)],
	],
	FAILED: [
		['READY', (n) => isFree(n) && !isWanted(n), (n, r, all) => {
			n.max = Math.max(n.max, n.attempt + 1);
			const repair = all.find((o) => o.kind === 'repair' &&
				o.status === 'PASSED' && !n.deps.includes(o) &&
				!leads(o, n));
			if (repair !== undefined)
				n.deps.push(repair);
		}],
	],
	PASSED: [],
	SKIPPED: [],
};

function leads(from, to) {
	const todo = [from];
	for (const seen = new Set(); todo.length > 0;) {
		const n = todo.pop();
		if (n === to)
			return true;
		if (!seen.has(n)) {
			seen.add(n);
			todo.push(...n.deps);
		}
	}
	return false;
}

function prove(n, r) {
	if (!n.required && r.one(2))
		return;
	do {
		n.evidence.push(r.pick(['file:src/a.c', 'commit:0123456', 'url:x',
			`sha256:${'0'.repeat(64)}`, text(r, 10)]));
	} while (r.one(3));
}

function node(r, taken, before) {
	const access = r.pick(['read-only', 'read-only', 'workspace-write',
		'workspace-write', 'external-write', 'destructive']);
	const deps = new Set();
	for (let n = r.below(4); n > 0 && before.length > 0; n--)
		deps.add(r.pick(before));
	return {
		id: id(r, taken),
		title: text(r, 12),
		kind: r.pick(KINDS),
		role: r.pick(ROLES),
		access,
		status: 'PENDING',
		history: ['PENDING'],
		deps: [...deps],
		output: text(r, 20),
		required: !r.one(4),
		evidence: [],
		attempt: 0,
		max: 1 + r.below(3),
		approval: r.pick(['not-required', 'not-required', 'not-required',
			'required', 'granted']),
	};
}

function step(n, r, all) {
	const rows = MOVES[n.status].filter(([, when]) => when(n, r));
	if (rows.length === 0 || n.history.length > 60)
		return;
	const [to, , then] = r.pick(rows);
	then?.(n, r, all);
	n.status = to;
	n.history.push(to);
}

const isAt = (n, goal) => n.status === goal &&
	(goal !== 'FAILED' || n.attempt >= n.max);

// How a run ends up: nothing done yet, at rest, or somewhere on the way.
function nodes(r) {
	const count = r.one(20) ? 0 : r.one(3) ? 1 + r.below(4) : 1 + r.below(40);
	const taken = new Set();
	const all = [];

	for (let i = 0; i < count; i++)
		all.push(node(r, taken, all));
	const steps = r.pick([0, count * 2, count * 5, count * 12, count * 30]);
	for (let k = 0; k < steps; k++)
		step(r.pick(all), r, all);
	// Straight to an end, so that runs at rest are as common as others.
	const goals = r.pick([[], ['PASSED'], ['PASSED', 'PASSED', 'SKIPPED'],
		['PASSED', 'FAILED', 'BLOCKED', 'NEEDS_APPROVAL'],
		['SKIPPED', r.pick(['FAILED', 'BLOCKED', 'NEEDS_APPROVAL'])]]);
	for (const n of goals.length > 0 ? all : []) {
		const goal = r.pick(goals);
		for (let k = 0; k < 30 && !isDone(n) && !isAt(n, goal); k++)
			step(n, r, all);
	}
	if (r.one(2))
		r.shuffle(all);
	return all;
}

module.exports = { generator, nodes, text };

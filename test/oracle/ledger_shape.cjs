// The shape of a ledger checkpoint, for the oracle: every field read by its type
// and bounds, from the specification alone.
//
// A value that is read is { ok: true, value }; { ok: false } is one that can't be
// reasoned with, since it is missing, broken or stands twice.
'use strict';

const KINDS = ['scope', 'explore', 'execute', 'verify', 'review', 'synthesize',
	'approve', 'monitor', 'repair'];
const ROLES = ['main', 'explorer', 'worker', 'reviewer', 'tool', 'human'];
const ACCESSES = ['read-only', 'workspace-write', 'external-write', 'destructive'];
const APPROVALS = ['not-required', 'required', 'granted', 'denied'];
const STATUSES = ['PENDING', 'READY', 'RUNNING', 'PASSED', 'FAILED', 'BLOCKED',
	'NEEDS_APPROVAL', 'SKIPPED'];
const RUN_STATUSES = ['PLANNING', 'RUNNING', 'COMPLETE', 'NEEDS_APPROVAL',
	'FAILED', 'BLOCKED'];

const NODES = 1000000;
const HISTORY = 4096;
const EVIDENCE = 256;
const EVIDENCE_BYTES = 4096;
const TEXT_BYTES = 16384;
const TITLE_POINTS = 4096;
const ATTEMPTS = 1000;

const ID = /^[A-Za-z0-9]+(?:[._-][A-Za-z0-9]+)*$/;
const isId = (s) => ID.test(s) && s.length <= 128 && !s.toLowerCase().endsWith('.lock');
const isNodeId = (s) => isId(s) && s === s.toLowerCase();
const isBlank = (s) => /^[ \t\r\n]*$/.test(s);

// A value that can be reasoned with, and one that can't.
const known = (value) => ({ ok: true, value });
const UNKNOWN = { ok: false };

class Findings {
	constructor() {
		this.must = new Set();
		this.some = [];
		this.may = new Set();
		this.quiet = 0; // deep in what may or may not be looked at
	}

	violation(word, node = '-') {
		this.add([`V ${word} ${node}`]);
	}

	// One of several words would do.
	either(words, node = '-') {
		this.add(words.map((w) => `V ${w} ${node}`));
	}

	note(word, node = '-') {
		this.add([`N ${word} ${node}`]);
	}

	add(keys) {
		if (this.quiet > 0)
			keys.forEach((k) => this.may.add(k));
		else if (keys.length === 1)
			this.must.add(keys[0]);
		else
			this.some.push(keys);
	}

	perhaps(...keys) {
		keys.forEach((k) => this.may.add(k));
	}
}

// The shape.

function readText(v, f, at, bounds) {
	if (v.t !== 'text') {
		f.violation('type', at);
		return UNKNOWN;
	}
	const s = v.text;
	let ok = true;
	// Which of them stands first in a text with both is nobody's rule.
	if (isBlank(s))
		f.either(['control', 'blank', 'range'], at);
	else if (/[\u0000-\u001f\u007f]/.test(s)) {
		f.violation('control', at);
		ok = false;
	}
	const size = bounds.points ? [...s].length : Buffer.byteLength(s);
	if (size > bounds.max) {
		f.violation('range', at);
		ok = false;
	}
	return { ok, value: s };
}

function readWord(v, f, at, words) {
	if (v.t !== 'text') {
		f.violation('type', at);
		return UNKNOWN;
	}
	if (!words.includes(v.text)) {
		f.violation('word', at);
		return UNKNOWN;
	}
	return known(v.text);
}

function readCount(v, f, at, { min, max = Infinity, kin = [] }) {
	if (v.t !== 'number') {
		f.violation('type', at);
		return UNKNOWN;
	}
	if (!/^-?[0-9]+$/.test(v.raw)) {
		f.violation('type', at);
		return UNKNOWN;
	}
	const n = Number(v.raw);
	if (!Number.isSafeInteger(n)) {
		f.either(['range', 'type'], at);
		return UNKNOWN;
	}
	if (n < min || n > max) {
		f.either(['range', ...kin], at);
		return UNKNOWN;
	}
	return known(n);
}

function readList(v, f, at, { min = 0, max }, one) {
	if (v.t !== 'list') {
		f.violation('type', at);
		return UNKNOWN;
	}
	if (v.items.length > max || v.items.length < min) {
		// Whether items beyond the bound are looked at isn't said.
		f.violation('range', at);
		f.quiet++;
		v.items.forEach((item, i) => one(item, i));
		f.quiet--;
		return UNKNOWN;
	}
	return known(v.items.map((item, i) => one(item, i)));
}

const FLAG = (v, f, at) => {
	if (v.t !== 'true' && v.t !== 'false') {
		f.violation('type', at);
		return UNKNOWN;
	}
	return known(v.t === 'true');
};

const TEXT = (v, f, at) => readText(v, f, at, { max: TEXT_BYTES });
const TITLE = (v, f, at) =>
	readText(v, f, at, { max: TITLE_POINTS, points: true });
const WORD = (words) => (v, f, at) => readWord(v, f, at, words);

const NO_ID = ['id', 'range', 'blank', 'control'];

function readId(is) {
	return (v, f, at) => {
		if (v.t !== 'text') {
			f.violation('type', at);
			return UNKNOWN;
		}
		if (is(v.text))
			return known(v.text);
		f.either(NO_ID, at);
		return { ok: false, value: v.text };
	};
}

const NODE_FIELDS = {
	id: readId(isNodeId),
	title: TITLE,
	kind: WORD(KINDS),
	role: WORD(ROLES),
	access: WORD(ACCESSES),
	status: WORD(STATUSES),
	status_history: (v, f, at) =>
		readList(v, f, at, { min: 1, max: HISTORY }, (item) => readWord(item, f, at, STATUSES)),
	depends_on: (v, f, at) => readList(v, f, at, { max: NODES }, (item) => {
		if (item.t !== 'text') {
			f.violation('type', at);
			return UNKNOWN;
		}
		if (isNodeId(item.text))
			return known(item.text);
		f.either(NO_ID, at);
		return UNKNOWN;
	}),
	expected_output: TEXT,
	evidence_required: FLAG,
	evidence: (v, f, at) => readList(v, f, at, { max: EVIDENCE },
		(item) => readText(item, f, at, { max: EVIDENCE_BYTES })),
	attempt: (v, f, at) => readCount(v, f, at, { min: 0, max: HISTORY }),
	max_attempts: (v, f, at) => readCount(v, f, at, { min: 1, max: ATTEMPTS }),
	approval: WORD(APPROVALS),
};

const TOP_FIELDS = {
	schema_version: (v, f, at) =>
		readCount(v, f, at, { min: 1, max: 1, kin: ['word'] }),
	run_id: readId(isId),
	task: TEXT,
	status: WORD(RUN_STATUSES),
	nodes: (v, f) => readList(v, f, '-', { max: NODES }, readNode(f)),
};

// An object's fields by name, each known or not; null when it is none.
function readObject(v, f, at, fields) {
	if (v.t !== 'object') {
		f.violation('type', at);
		return null;
	}
	const all = new Map(Object.keys(fields).map((key) => [key, []]));
	for (const { key, value } of v.members) {
		if (all.has(key))
			all.get(key).push(value);
		else
			f.violation('unknown', at);
	}
	const strange = v.members.map((m) => m.key).filter((key) => !all.has(key));
	if (new Set(strange).size !== strange.length)
		f.violation('duplicate_key', at);
	const got = {};
	for (const [key, values] of all) {
		got[key] = UNKNOWN;
		if (values.length === 0) {
			f.violation('missing', at);
		} else if (values.length === 1) {
			got[key] = fields[key](values[0], f, at);
		} else {
			// Either of them may be the one that is read.
			f.violation('duplicate_key', at);
			f.quiet++;
			values.forEach((one) => fields[key](one, f, at));
			f.quiet--;
			got[key] = { ok: false, twice: true, value: values[0].text };
		}
	}
	return got;
}

const readNode = (f) => (v, i) => readObject(v, f, i, NODE_FIELDS);

module.exports = { Findings, ATTEMPTS, HISTORY, KINDS, ROLES, ACCESSES,
	APPROVALS, STATUSES, RUN_STATUSES, TOP_FIELDS, isBlank, readObject };

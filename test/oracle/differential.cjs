// `pawl ledger check` against the oracle: documents made from a seed are judged
// by both, and must be judged alike: whether it is JSON, every violation and
// note by its rule and node, and that each is told at its place.
//
//	differential.cjs PAWL [COUNT [SEED [FIRST]]]
//
// One document alone, with all that is said of it: COUNT 1, FIRST its number.
'use strict';

const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { judge } = require('./ledger_oracle.cjs');
const { document } = require('./ledger_random.cjs');

const BATCH = 250;
const [pawl, countText = '5000', seedText = '1', firstText = '0'] =
	process.argv.slice(2);
const count = Number(countText);
const seed = Number(seedText);
const first = Number(firstText);

// The program's words for the oracle's families.
const WORDS = {
	unknown: 'unknown_field',
	missing: 'missing_field',
	duplicate_key: 'duplicate_field',
	type: 'wrong_type',
	range: 'out_of_bounds',
	word: 'invalid_value',
	blank: 'invalid_value',
	control: 'invalid_value',
	id: 'invalid_value',
	duplicate_id: 'duplicate_id',
	duplicate_dependency: 'duplicate_value',
	unknown_dependency: 'unknown_dependency',
	cycle: 'dependency_cycle',
	history_start: 'history_start',
	history_end: 'history_end',
	attempt: 'attempt_count',
	max_attempts: 'attempt_limit',
	evidence: 'evidence_missing',
	dependency_gate: 'dependency_open',
	approval_gate: 'approval_open',
	needs_approval: 'approval_word',
	run_moves: 'run_moves',
	run_unearned: 'run_unearned',
	step: 'unknown_step',
	unclaimed: 'run_unclaimed',
	order: 'run_order',
	depth: 'out_of_bounds',
};

function say(key) {
	const [kind, word, node] = key.split(' ');
	return `${kind} ${WORDS[word]} ${node}`;
}

// What the program says of a file: its keys, or null where it read none.
function keysOf(answer) {
	if (answer.error !== undefined)
		return null;
	const key = (kind) => (one) => {
		const at = /^\/nodes\/(\d+)(?:\/|$)/.exec(one.path);
		return `${kind} ${one.code} ${at === null ? '-' : at[1]}`;
	};
	return [...answer.violations.map(key('V')), ...answer.notes.map(key('N'))];
}

// What differs, a line each.
function compare(want, keys, code) {
	const bad = [];

	if (keys === null) {
		if (want.json === true ||
			!(code === 'not_json' || want.json === null && code === 'limit'))
			bad.push(`refused as '${code}'`);
		return bad;
	}
	if (want.json === false)
		return ['it is not JSON'];
	const got = new Set(keys);
	const must = [...want.must].map(say);
	const some = want.some.map((list) => list.map(say));
	const may = new Set([...must, ...some.flat(), ...[...want.may].map(say)]);
	for (const key of must) {
		if (!got.has(key))
			bad.push(`missing: ${key}`);
	}
	for (const list of some) {
		if (!list.some((key) => got.has(key)))
			bad.push(`missing: ${list.join(' or ')}`);
	}
	for (const key of got) {
		if (!may.has(key) && !want.open)
			bad.push(`too much: ${key}`);
	}
	return bad;
}

// The bytes at which a finding may be told: the value that its pointer names,
// that member's key, and whatever holds it.  Keys that stand twice: either.
function placesOf(doc, pointer) {
	let at = [doc.root];
	let places = [doc.root.at];

	for (const part of pointer.split('/').slice(1)) {
		const name = part.replace(/~1/g, '/').replace(/~0/g, '~');
		const next = [];
		const keys = [];
		for (const v of at) {
			for (const m of v.t === 'object' ? v.members : []) {
				if (m.key === name) {
					next.push(m.value);
					keys.push(m.at);
				}
			}
			if (v.t === 'list' && v.items[Number(name)] !== undefined)
				next.push(v.items[Number(name)]);
		}
		places = [...at.map((v) => v.at), ...keys, ...next.map((v) => v.at)];
		at = next;
	}
	return places.map((i) => Buffer.byteLength(doc.text.slice(0, i)));
}

function comparePlaces(doc, bytes, findings) {
	const bad = [];

	for (const one of findings) {
		// A byte order mark takes no column.
		let start = doc.text[0] === '\ufeff' && one.line === 1 ? 3 : 0;
		for (let line = 1; line < one.line; line++)
			start = bytes.indexOf(10, start) + 1;
		const at = start + one.column - 1;
		if (!placesOf(doc, one.path).includes(at))
			bad.push(`${one.code} at ${one.line}:${one.column} isn't ` +
				`where ${one.path} stands`);
		const i = /^\/nodes\/(\d+)/.exec(one.path)?.[1];
		const node = doc.root.members?.filter((m) => m.key === 'nodes')
			.map((m) => m.value.items?.[i]).filter((v) => v);
		const ids = (node ?? []).flatMap((v) => v.members ?? [])
			.filter((m) => m.key === 'id').map((m) => m.value.text ?? null);
		if (one.node !== null && !ids.includes(one.node))
			bad.push(`${one.code} names node '${one.node}' for ${one.path}`);
		if (one.node === null && node?.length === 1 && ids.length === 1 &&
			ids[0])
			bad.push(`${one.code} names no node for ${one.path}`);
		if (one.message === '')
			bad.push(`${one.code} says nothing`);
	}
	return bad;
}

// The program's answers about files, in their order.
function ask(files, strict) {
	const run = spawnSync(pawl, ['ledger', 'check', '--json',
		...(strict ? ['--strict'] : []), '--', ...files],
	{ encoding: 'utf8', maxBuffer: 1 << 30 });
	if (run.status !== 0 && run.status !== 1)
		throw new Error(`ended with ${run.status ?? run.signal}: ${run.stderr}`);
	const doc = JSON.parse(run.stdout);
	if (doc.ok !== (run.status === 0) || doc.command !== 'ledger check')
		throw new Error(`'ok' is ${doc.ok}, the status ${run.status}`);
	if (doc.result === undefined)
		return [{ error: doc.error }];
	const answers = doc.result.files ?? [doc.result];
	if (answers.length !== files.length)
		throw new Error(`${answers.length} answers for ${files.length} files`);
	const isBad = (a) => a.error !== undefined || a.violations.length > 0;
	if (answers.some(isBad) === doc.ok)
		throw new Error(`'ok' is ${doc.ok}, against its own findings`);
	return answers;
}

const tally = { good: 0, bad: 0, no: 0 };
const seen = new Map();
const kinds = new Map(); // of what differs, and how often
let differing = 0;

function look(doc, number, answer) {
	const want = judge(doc.bytes, doc.strict);
	const keys = keysOf(answer);
	const bad = compare(want, keys, answer.error?.code);

	if (keys !== null && want.json !== false)
		bad.push(...comparePlaces(want.doc, doc.bytes,
			[...answer.violations, ...answer.notes]));
	tally[keys === null ? 'no' : answer.violations.length > 0 ? 'bad' : 'good']++;
	for (const key of new Set([...want.must, ...want.some.map((l) => l[0])]
		.map((k) => k.split(' ').slice(0, 2).join(' '))))
		seen.set(key, (seen.get(key) ?? 0) + 1);
	if (count === 1) {
		console.log(`# must ${[...want.must].map(say).join(', ')}`);
		console.log(JSON.stringify(answer, null, 1).replace(/^/gm, '# '));
	}
	if (bad.length === 0)
		return;
	bad.map((line) => line.replace(/[0-9]+/g, 'N')).forEach((line) =>
		kinds.set(line, (kinds.get(line) ?? 0) + 1));
	if (differing++ >= 10)
		return;
	console.log(`# document ${number} of seed ${seed}` +
		`${doc.strict ? ', --strict' : ''}, after ${doc.faults.join(', ') || 'no fault'}`);
	bad.slice(0, 10).forEach((line) => console.log(`#   ${line}`));
	if (doc.bytes.length < 4000)
		console.log(`#   ${doc.bytes.toString().replace(/\s+/g, ' ')}`);
}

function batch(dir, from, to) {
	const docs = [];

	for (let i = from; i < to; i++)
		docs.push({ number: i, file: path.join(dir, `${i}.json`),
			...document(seed, i) });
	for (const strict of [false, true]) {
		const some = docs.filter((d) => d.strict === strict);
		some.forEach((d) => fs.writeFileSync(d.file, d.bytes));
		if (some.length === 0)
			continue;
		ask(some.map((d) => d.file), strict).forEach((answer, i) =>
			look(some[i], some[i].number, answer));
		// One file is answered as it is among others.
		look(some[0], some[0].number, ask([some[0].file], strict)[0]);
		some.forEach((d) => fs.unlinkSync(d.file));
	}
}

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'pawloracle.'));
try {
	for (let i = first; i < first + count; i += BATCH)
		batch(dir, i, Math.min(first + count, i + BATCH));
} finally {
	fs.rmSync(dir, { recursive: true });
}
// Every family was shown, or the documents say too little.
const shown = Object.keys(WORDS).filter((w) => !['depth', 'blank'].includes(w))
	.filter((w) => !seen.has(`V ${w}`) && !seen.has(`N ${w}`));
const whole = count < 5000 || shown.length === 0;
if (!whole)
	console.log(`# no document broke ${shown.join(', ')}`);
[...kinds].sort((a, b) => b[1] - a[1]).slice(0, 20).forEach(([line, n]) =>
	console.log(`# ${n} times ${line}`));
console.log(`1..1\n${differing > 0 || !whole ? 'not ok' : 'ok'} 1 - ${count} ledgers, ` +
	`${tally.good} good, ${tally.bad} bad, ${tally.no} not JSON, are judged as by ` +
	`the oracle (seed ${seed})${differing > 0 ? `, but ${differing}` : ''}`);
process.exitCode = differing > 0 || !whole ? 1 : 0;

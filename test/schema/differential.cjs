// A published schema against the table that reads its documents: some made from
// a seed are judged by ajv and by the judge, and must be judged alike.  Usage:
// differential.cjs KIND SCHEMA JUDGE [COUNT [SEED]]
//
// Skipped (77) where ajv is not installed.  Not generated, since no schema can
// say them: duplicate keys, and texts whose bytes and code points lie on two
// sides of a limit.
'use strict';

const { spawnSync } = require('node:child_process');
const fs = require('node:fs');

let Ajv;
try {
	Ajv = require('ajv/dist/2020');
} catch {
	console.log('1..0 # SKIP no ajv');
	process.exit(77);
}

const [kind, schemaFile, judge, countText = '20000', seedText = '1'] =
	process.argv.slice(2);
let state = BigInt(seedText);

// splitmix64, as src/base/rand.c
function below(n) {
	const mask = (1n << 64n) - 1n;
	state = (state + 0x9e3779b97f4a7c15n) & mask;
	let z = state;
	z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & mask;
	z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & mask;
	return Number((z ^ (z >> 31n)) % BigInt(n));
}

const pick = (list) => list[below(list.length)];
const commit = '0123456789abcdef0123456789abcdef01234567';
const texts = ['', ' ', '\n', '\t\r', 'x', 'Did it.\nAll.', 'a\u0001b',
	'a\u007fb', '\u0000', '\u00a0', '\u3000', '\ud83d\ude00', 'A', 'A@1',
	'reported', 'x'.repeat(128), 'x'.repeat(129), 'x'.repeat(139),
	'x'.repeat(140), 'x'.repeat(4096), 'x'.repeat(4097),
	'x'.repeat(8192), 'x'.repeat(8193), 'x'.repeat(16384),
	'x'.repeat(16385)];
const paths = ['a', 'src/a.c', '.', '..', '...', '.a', '..a', './a', 'a/.',
	'a/..', 'a/../b', 'a/.../b', '/a', 'a/', 'a//b', 'a/.b/..c', '',
	'a b', 'a\\b', 'a\nb', '\u00e4/\ud83d\ude00', '.git/config', '-rf',
	'a:b', '~'];
const refs = [...paths.map((p) => `file:${p}`), ...paths,
	`commit:${commit}`, `commit:${commit}0`, `commit:${commit.slice(1)}`,
	`commit:${commit}${commit.slice(16)}`, `commit:${commit}\n`,
	`commit:${commit.toUpperCase()}`, 'commit:', 'file', 'url:x', 'FILE:a'];
const others = [null, true, false, 0, -1, 1.5, 1e300, [], {}, [1], { a: 1 },
	'reported'];

const list = (from, max) =>
	Array.from({ length: below(max) }, () => pick(from));
const scalars = () => Object.fromEntries(Array.from(
	{ length: below(20) === 0 ? 63 + below(4) : below(4) },
	(_, i) => [below(8) === 0 ? pick(texts) : `k${i}`,
		below(8) === 0 ? pick(others) : pick([1, 'x', true, null, 2.5,
			pick(texts)])]));

// Mostly good, so that a single fault decides.
function report() {
	const doc = {
		task_id: 'A',
		attempt_id: 'A@1',
		outcome: 'reported',
		summary: 'Did it.',
		files_changed: list(['a', 'b/c', '.d'], 2),
		checks_run: ['make test'],
	};
	const changes = below(3);
	for (let i = 0; i < changes; i++) {
		switch (below(12)) {
		case 0: delete doc[pick(Object.keys(doc))]; break;
		case 1: doc[pick(Object.keys(doc))] = pick(others); break;
		case 2: doc[pick(['extra', 'Summary', 'synthesized', ''])] = 1;
			break;
		case 3: doc.summary = pick(texts); break;
		case 4: doc[pick(['task_id', 'attempt_id'])] = pick(texts);
			break;
		case 5: doc.files_changed = list(paths, 4); break;
		case 6: doc.checks_run = list(texts, 3); break;
		case 7: doc.evidence_refs = list(refs, 3); break;
		case 8: doc.questions = below(8) === 0
			? Array(255 + below(3)).fill('Why?') : list(texts, 3);
			break;
		case 9: doc.external_refs = scalars(); break;
		case 10: doc.files_changed = [pick(paths)]; break;
		case 11: doc.outcome = pick(texts); break;
		}
	}
	return below(50) === 0 ? pick(others) : doc;
}

const schema = JSON.parse(fs.readFileSync(schemaFile, 'utf8'));
const validate = new Ajv({ strict: true, strictTypes: false,
	strictRequired: false, allErrors: false })
	.compile(schema);
const make = kind === 'ledger' ? require('./ledger.cjs')(below, pick)
	: kind === 'result' ? report
	: require('./documents.cjs')(below, pick, schema);
const docs = Array.from({ length: Number(countText) }, () => make());
const run = spawnSync(judge, [kind], {
	input: docs.map((d) => JSON.stringify(d)).join('\n') + '\n',
	encoding: 'utf8',
	maxBuffer: 1 << 28,
});
if (run.status !== 0)
	throw new Error(`judge ended with ${run.status}: ${run.stderr}`);
const verdicts = run.stdout.trim().split('\n');
let good = 0;
let bad = 0;
docs.forEach((doc, i) => {
	const byAjv = validate(doc);
	good += byAjv;
	if (byAjv === (verdicts[i] === '1'))
		return;
	if (bad++ < 10)
		console.log(`# schema says ${byAjv}, table says ` +
			`${verdicts[i] === '1'}: ${JSON.stringify(doc).slice(0, 400)}` +
			` ${JSON.stringify(validate.errors)}`);
});
if (verdicts.length !== docs.length || good === 0 || good === docs.length)
	bad++;
console.log(`1..1\n${bad ? 'not ok' : 'ok'} 1 - ${docs.length} documents (${kind}), ` +
	`${good} of them good, are judged alike (seed ${seedText})`);
process.exitCode = bad ? 1 : 0;

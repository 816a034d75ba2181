// One random document from a seed: a ledger that keeps the rules, with none to
// three faults in it, and spelt in one of the many ways that JSON allows.
//
// The tree has objects as lists of [key, value], so that a key can stand twice,
// and Raw for tokens that JavaScript would spell otherwise.
'use strict';

const { judge } = require('./ledger_oracle.cjs');
const { KINDS, ROLES, ACCESSES, APPROVALS, STATUSES, RUN_STATUSES } =
	require('./ledger_shape.cjs');
const walk = require('./ledger_walk.cjs');

class Raw {
	constructor(token) {
		this.token = token;
	}
}

class Members extends Array {
	get(key) {
		return this.find(([k]) => k === key)[1];
	}

	set(key, value) {
		const hit = this.find(([k]) => k === key);
		if (hit !== undefined)
			hit[1] = value;
	}

	drop(key) {
		const i = this.findIndex(([k]) => k === key);
		if (i >= 0)
			this.splice(i, 1);
	}
}

const members = (o) => Members.from(Object.entries(o));

function tree(r, nodes, status) {
	return members({
		schema_version: 1,
		run_id: r.pick(['graph-20260719-example', 'r-20261130-K3x7qa', 'A', '0.1']),
		task: walk.text(r, 20),
		status,
		nodes: nodes.map((n) => members({
			id: n.id,
			title: n.title,
			kind: n.kind,
			role: n.role,
			access: n.access,
			status: n.status,
			status_history: n.history,
			depends_on: n.deps.map((d) => d.id),
			expected_output: n.output,
			evidence_required: n.required,
			evidence: n.evidence,
			attempt: n.attempt,
			max_attempts: n.max,
			approval: n.approval,
		})),
	});
}

// Spelling.

const HEX = (r, c) => {
	const h = c.charCodeAt(0).toString(16).padStart(4, '0');
	return `\\u${r.one(2) ? h.toUpperCase() : h}`;
};

function spellText(r, s, fancy) {
	const plain = JSON.stringify(s);
	if (fancy === 0 || !r.one(fancy))
		return plain;
	let out = '"';
	for (const c of plain.slice(1, -1).match(/\\u....|\\.|[^\\]/gsu) ?? []) {
		if (c === '/' && r.one(2))
			out += '\\/';
		else if (c.length > 1 && c[0] === '\\')
			out += c;
		else if (r.one(4))
			out += [...Array(c.length).keys()].map((k) =>
				HEX(r, c[k])).join('');
		else
			out += c;
	}
	return `${out}"`;
}

function spell(r, style) {
	const gap = () => (style.gaps && r.one(3) ?
		r.pick([' ', '\n', '\t', '\r\n', '  \n\t']) : '');
	const list = (open, items, close) =>
		`${open}${gap()}${items.join(`${gap()},${gap()}`)}${gap()}${close}`;
	const say = (v) => {
		if (v instanceof Raw)
			return v.token;
		if (v instanceof Members)
			return list('{', v.map(([k, one]) => `${spellText(r, k,
				style.fancy)}${gap()}:${gap()}${say(one)}`), '}');
		if (Array.isArray(v))
			return list('[', v.map(say), ']');
		return typeof v === 'string' ? spellText(r, v, style.fancy) :
			JSON.stringify(v);
	};
	return say;
}

// Faults.  Each takes the tree and changes one thing; whether that breaks a
// rule, and which, is for the oracle to say.

const OTHERS = () => [null, true, false, 0, 1, -1, new Raw('1.0'), new Raw('1e0'),
	new Raw('1.5'), new Raw('12345678901234567890'), '', 'x', '1', [], [[]],
	members({}), members({ a: 1 }), ['x'], [1]];
const NEAR = ['pending', 'Ready', 'done', 'completed', 'closed', 'kept', 'verified',
	'PASS', 'RUNNING ', ' RUNNING', 'not_required', 'notrequired', 'read_only',
	'readonly', '', 'x', 'PENDING\u0000', 'exec', 'human-', 'COMPLETED'];
const BAD_TEXTS = ['', ' ', '   ', '\t', '\n', ' \r\n', 'a\u0000b', 'a\u0001b',
	'a\u007fb', 'a\nb', 'a\tb', '\u001b[31mred', '\u0000', '\u00a0', '\u3000',
	'a\u0085b', 'a\u009bb'];
const BAD_IDS = ['', ' ', 'A', 'a b', '../x', '..', '.', 'a/b', 'a\\b', '/etc/x', '-rf',
	'a..b', 'a-', '_a', 'a.lock', 'x.y.lock', 'a\nb', 'a\u0000', 'a@1', 'a~1', 'a!1',
	'\u00e9', 'a\u0301', 'q'.repeat(129), 'q'.repeat(10000), 'CON', 'a--b', 'a.-b',
	'\u212a', 'a\u200b', 'lock.', '%2e'];
const TEXT_FIELDS = ['title', 'expected_output'];
const LISTS = ['status_history', 'depends_on', 'evidence'];
const sizes = (max) => [max - 1, max, max + 1];

function longText(r, max) {
	const n = r.pick(sizes(max));
	const c = r.pick(['x', '\u00e9', '\u4e2d', '\ud83d\ude00']);
	return r.one(2) ? 'y'.repeat(n) :
		c.repeat(Math.floor(n / Buffer.byteLength(c))).padEnd(n / 4, 'z');
}

const FAULTS = {
	drop_field: (r, top, n) => r.one(4) ?
		top.drop(r.pick(top)[0]) : n?.length && n.drop(r.pick(n)[0]),
	strange_field: (r, top, n) => (r.one(4) ? top : n ?? top).splice(r.below(4), 0,
		[r.pick(['extra', 'Title', 'paths', '', 'id ', '__proto__', 'title\u0000',
			'status_histroy', 'constructor']), r.pick(OTHERS())]),
	twice: (r, top, n) => {
		const o = r.one(4) ? top : n ?? top;
		const [key, value] = r.pick(o);
		o.splice(r.below(o.length + 1), 0,
			[key, r.one(2) ? value : r.pick(OTHERS())]);
	},
	other_type: (r, top, n) => {
		const o = r.one(6) ? top : n ?? top;
		o.set(r.pick(o)[0], r.pick(OTHERS()));
	},
	other_item: (r, top, n) => {
		const list = n?.get(r.pick(LISTS));
		if (Array.isArray(list))
			list.splice(r.below(list.length + 1), 0, r.pick(OTHERS()));
	},
	strange_node: (r, top) => {
		const nodes = top.get('nodes');
		nodes.splice(r.below(nodes.length + 1), 0, r.pick(OTHERS()));
	},
	version: (r, top) => top.set('schema_version',
		r.pick([0, 2, -1, '1', new Raw('1.0'), null, 4294967297])),
	word: (r, top, n) => n?.set(r.pick(['kind', 'role', 'access', 'status',
		'approval']), r.pick(NEAR)),
	history_word: (r, top, n) => {
		const list = n?.get('status_history');
		if (list?.length)
			list[r.below(list.length)] = r.pick(NEAR);
	},
	run_word: (r, top) => top.set('status', r.pick(NEAR)),
	text: (r, top, n) => r.one(5) ? top.set('task', r.pick(BAD_TEXTS)) :
		n?.set(r.pick(TEXT_FIELDS), r.pick(BAD_TEXTS)),
	evidence_text: (r, top, n) => n?.get('evidence').push(r.pick(BAD_TEXTS)),
	long_title: (r, top, n) => n?.set('title', r.one(2) ?
		r.pick(['x', '\ud83d\ude00']).repeat(r.pick(sizes(4096))) :
		longText(r, 16384)),
	long_text: (r, top, n) => r.one(5) ? top.set('task', longText(r, 16384)) :
		n?.set('expected_output', longText(r, 16384)),
	long_evidence: (r, top, n) => n?.get('evidence').push(longText(r, 4096)),
	much_evidence: (r, top, n) => n?.set('evidence',
		Array(r.pick(sizes(256))).fill('e')),
	long_history: (r, top, n) => {
		const list = n?.get('status_history');
		if (!list?.length)
			return;
		const more = r.pick(sizes(4096)) - list.length;
		const turn = ['PENDING', 'BLOCKED'];
		list.unshift(...Array.from({ length: more },
			(_, k) => turn[k % 2]));
	},
	id: (r, top, n) => n?.set('id', r.pick(BAD_IDS)),
	run_id: (r, top) => top.set('run_id', r.pick(BAD_IDS)),
	same_id: (r, top, n, nodes) => n?.set('id', r.pick(nodes).get('id')),
	case_id: (r, top, n, nodes) =>
		n?.set('id', String(r.pick(nodes).get('id')).toUpperCase()),
	same_dependency: (r, top, n) => {
		const list = n?.get('depends_on');
		if (list?.length)
			list.splice(r.below(list.length + 1), 0, r.pick(list));
	},
	strange_dependency: (r, top, n) => n?.get('depends_on').push(
		r.pick([...BAD_IDS, 'nobody', 'nobody.2'])),
	self_dependency: (r, top, n) => n?.get('depends_on').push(n.get('id')),
	any_dependency: (r, top, n, nodes) => {
		const other = r.pick(nodes)?.get('id');
		if (n !== undefined && !n.get('depends_on').includes(other))
			n.get('depends_on').push(other);
	},
	cycle: (r, top, n, nodes) => {
		const ring = r.shuffle([...nodes]).slice(0, 2 + r.below(4));
		ring.forEach((one, k) => {
			const next = ring[(k + 1) % ring.length].get('id');
			if (!one.get('depends_on').includes(next))
				one.get('depends_on').push(next);
		});
	},
	no_dependency: (r, top, n) => n?.get('depends_on').splice(0, 1),
	history_start: (r, top, n) => n?.get('status_history').splice(0,
		1, ...r.pick([[], ['READY'], ['PASSED', 'PENDING']])),
	history_end: (r, top, n) => n?.get('status_history').push(r.pick(STATUSES)),
	history_cut: (r, top, n) => n?.get('status_history').splice(
		-1 - r.below(2)),
	history_none: (r, top, n) => n?.set('status_history', []),
	step: (r, top, n) => {
		const list = n?.get('status_history');
		if (list?.length > 1)
			list.splice(1 + r.below(list.length - 1), r.below(2),
				r.pick(STATUSES.filter((s) => s !== 'RUNNING')));
	},
	jump: (r, top, n) => {
		const to = r.pick(STATUSES);
		n?.set('status', to);
		n?.get('status_history').push(to);
		if (to === 'RUNNING' && !r.one(3))
			n?.set('attempt', n.get('attempt') + 1);
	},
	status: (r, top, n) => n?.set('status', r.pick(STATUSES)),
	attempt: (r, top, n) => n?.set('attempt', r.pick([-1, 0, 1, 2, 3, 1000, 1001,
		new Raw('0.0'), new Raw('1E0'), new Raw('9007199254740993')])),
	max_attempts: (r, top, n) => n?.set('max_attempts',
		r.pick([-1, 0, 1, 1, 1, 999, 1000, 1001, new Raw('2.0')])),
	no_evidence: (r, top, n) => n?.set('evidence', r.pick([[], [], [' '], ['\t', ''],
		['\u00a0']])),
	evidence_required: (r, top, n) => n?.set('evidence_required',
		r.pick([true, true, false])),
	approval: (r, top, n) => n?.set('approval', r.pick(APPROVALS)),
	access: (r, top, n) => n?.set('access', r.pick(ACCESSES)),
	run_status: (r, top) => top.set('status', r.pick(RUN_STATUSES)),
	role: (r, top, n) => n?.set('role', r.pick(ROLES)),
	kind: (r, top, n) => n?.set('kind', r.pick(KINDS)),
	deep: (r, top, n) => {
		const depth = r.pick([20, 40, 100]);
		(n ?? top).push(['deep', new Raw('['.repeat(depth) + ']'.repeat(depth))]);
	},
	lone_surrogate: (r, top, n) => n?.set('title',
		new Raw(r.pick(['"a\\ud83d"', '"\\udc00"', '"\\ud83d\\ud83d"',
			'"\\ude00\\ud83d"']))),
	token: (r, top, n) => n?.set(r.pick(['attempt', 'evidence_required', 'title']),
		new Raw(r.pick(['01', '1.', '.5', '+1', '1e', 'NaN', '-', '0x1', 'True',
			'nul', '\'x\'', '"a', '"\\x"', '"\\u12"', '"a\tb"', '', '[1,]', '{,}',
			'{"a"}', '[1 2]', '//', 'Infinity']))),
};
// Those that few documents show are tried more often.
const NAMES = [...Object.keys(FAULTS), ...Array(4).fill(['run_status', 'max_attempts',
	'approval', 'access', 'status', 'jump', 'no_evidence', 'step']).flat()];

// Faults of the bytes.
const BREAKS = {
	cut: (r, b) => b.subarray(0, r.below(b.length)),
	nul: (r, b) => Buffer.concat([b, Buffer.alloc(1 + r.below(3))]),
	two_boms: (r, b) => Buffer.concat([Buffer.from('\ufeff\ufeff'), b]),
	utf16: (r, b) => Buffer.from(`\ufeff${b.toString()}`, 'utf16le'),
	more: (r, b) => Buffer.concat([b, Buffer.from(r.pick(['{}', 'x', ',', ']', '\ufeff']))]),
	byte: (r, b) => {
		const c = Buffer.from(b);
		c[r.below(c.length)] = r.pick([0xff, 0xc0, 0x80, 0xed, 0xf5, 0, 0x22, 0x2c]);
		return c;
	},
	overlong: (r, b) => Buffer.concat([b.subarray(0, b.length >> 1),
		Buffer.from([0xc0, 0x80]), b.subarray(b.length >> 1)]),
	root: (r) => Buffer.from(r.pick(['', ' ', '[]', '{}', 'null', '1', '"x"',
		'{"nodes":[]}', '[{}]', '\ufeff', '\ufeff{}', '{"a":1,"a":2}'])),
};

// To a node of its own, or to the one that others went to: several faults in one
// node say what the one hides of the other.
function apply(r, name, top, focus) {
	const nodes = top.find(([k]) => k === 'nodes')?.[1];
	const good = Array.isArray(nodes) ?
		nodes.filter((n) => n instanceof Members) : [];
	const n = focus !== undefined && good.length > focus ? good[focus] :
		good.length > 0 ? r.pick(good) : undefined;
	// An earlier fault may have taken what this one wants to change.
	try {
		FAULTS[name](r, top, n, good);
		return true;
	} catch (e) {
		if (e instanceof TypeError)
			return false;
		throw e;
	}
}

// { bytes, faults, strict }
function document(seed, number) {
	const r = walk.generator(seed, number);
	const nodes = walk.nodes(r);
	const style = { gaps: r.one(3), fancy: r.one(3) ? 1 + r.below(6) : 0 };
	const say = spell(r, style);
	const strict = r.one(4);
	const top = tree(r, nodes, r.pick(['PLANNING', 'RUNNING', 'RUNNING']));
	const bytes = () => Buffer.from((style.bom ? '\ufeff' : '') + say(top));

	style.bom = r.one(10);
	// What it has earned it mostly claims.
	if (!r.one(4)) {
		const { earned } = judge(bytes(), false);
		if (RUN_STATUSES.includes(earned))
			top.set('status', earned);
	}
	const faults = [];
	if (!r.one(3)) {
		const focus = r.one(2) ? r.below(nodes.length + 1) : undefined;
		for (let k = 1 + r.below(r.one(2) ? 3 : 6); k > 0; k--) {
			const name = r.pick(NAMES);
			if (apply(r, name, top, focus))
				faults.push(name);
		}
	}
	if (r.one(4)) {
		r.shuffle(top);
		for (const n of nodes.length > 0 && Array.isArray(top.find(
			([k]) => k === 'nodes')?.[1]) ? top.get('nodes') : []) {
			if (n instanceof Members)
				r.shuffle(n);
		}
	}
	let out = bytes();
	if (r.one(20)) {
		const name = r.pick(Object.keys(BREAKS));
		faults.push(name);
		out = BREAKS[name](r, out);
	}
	return { bytes: out, faults, strict };
}

module.exports = { document };

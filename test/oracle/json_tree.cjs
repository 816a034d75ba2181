// A second reader of JSON, for the oracle: what JSON.parse forgets (duplicate
// keys, how a number is spelt) decides here.
//
// read(bytes) gives a tree of
//	{ t: 'object', members: [{ key, at, value }] }, { t: 'list', items }
//	{ t: 'text', text }, { t: 'number', raw }, { t: 'true'|'false'|'null' }
// each with `at`, where in the text it begins; or throws NotJson.  `lone` of the
// answer says that an escape is half of a surrogate pair, `depth` how deep it is
// nested at most.
'use strict';

class NotJson extends Error {}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const ESCAPES = { '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n',
	r: '\r', t: '\t' };
const LONE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;
const DEPTH_MAX = 500;

class Reader {
	constructor(text) {
		this.s = text;
		this.i = 0;
		this.lone = false;
		this.deepest = 0;
	}

	fail() {
		throw new NotJson(`at ${this.i}`);
	}

	space() {
		while (' \t\r\n'.includes(this.s[this.i] ?? 'x'))
			this.i++;
	}

	match(re) {
		re.lastIndex = this.i;
		const m = re.exec(this.s);
		if (m === null)
			this.fail();
		this.i = re.lastIndex;
		return m[0];
	}

	eat(c) {
		if (this.s[this.i] !== c)
			return false;
		this.i++;
		return true;
	}

	must(c) {
		if (!this.eat(c))
			this.fail();
	}

	text() {
		let out = '';
		this.must('"');
		for (;;) {
			out += this.match(PLAIN);
			if (this.eat('"'))
				break;
			this.must('\\');
			if (this.eat('u')) {
				out += String.fromCharCode(parseInt(
					this.match(/[0-9a-fA-F]{4}/y), 16));
			} else {
				const c = ESCAPES[this.s[this.i]];
				if (c === undefined)
					this.fail();
				this.i++;
				out += c;
			}
		}
		this.lone ||= LONE.test(out);
		return out;
	}

	// What stands between two brackets, `one` by one.
	sequence(close, one) {
		this.i++;
		this.space();
		if (this.eat(close))
			return;
		do {
			this.space();
			one();
			this.space();
		} while (this.eat(','));
		this.must(close);
	}

	value(depth) {
		const at = this.i;
		return { at, ...this.bare(depth) };
	}

	bare(depth) {
		const c = this.s[this.i];

		if (c === '{' || c === '[') {
			this.deepest = Math.max(this.deepest, depth);
			if (depth > DEPTH_MAX)
				throw new NotJson('too deep for the oracle');
		}
		if (c === '{') {
			const members = [];
			this.sequence('}', () => {
				const at = this.i;
				const key = this.text();
				this.space();
				this.must(':');
				this.space();
				members.push({ key, at, value: this.value(depth + 1) });
			});
			return { t: 'object', members };
		}
		if (c === '[') {
			const items = [];
			this.sequence(']', () => items.push(this.value(depth + 1)));
			return { t: 'list', items };
		}
		if (c === '"')
			return { t: 'text', text: this.text() };
		for (const word of ['true', 'false', 'null']) {
			if (this.s.startsWith(word, this.i)) {
				this.i += word.length;
				return { t: word };
			}
		}
		return { t: 'number', raw: this.match(NUMBER) };
	}
}

function readText(text) {
	const r = new Reader(text);
	let root;

	r.eat('\ufeff');
	r.space();
	try {
		root = r.value(1);
		r.space();
		if (r.i !== text.length)
			r.fail();
	} catch (e) {
		// It may have been too deep before it was wrong.
		e.depth = r.deepest;
		throw e;
	}
	return { text, root, lone: r.lone, depth: r.deepest };
}

function read(bytes) {
	let text;

	try {
		text = utf8.decode(bytes);
	} catch {
		const wrong = new NotJson('not UTF-8');
		try {
			wrong.depth = readText(bytes.toString('latin1')
				.replace(/^\u00ef\u00bb\u00bf/, '')).depth;
		} catch (e) {
			wrong.depth = e.depth;
		}
		throw wrong;
	}
	return readText(text);
}

module.exports = { read, NotJson };

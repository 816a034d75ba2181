// Documents for any printed schema, made from the schema itself: good ones, and
// good ones with a fault or two anywhere in them.  `make` is what ajv and the
// judge then agree or don't agree about.
'use strict';

const commit = '0123456789abcdef0123456789abcdef01234567';
const texts = ['', ' ', '\n', '\t', 'x', 'Did it.\nAll.', 'a\u0001b',
	'a\u007fb', '\u0000', '\u00a0', '\u3000', '\ud83d\ude00', 'A', 'API-01',
	'A@1', 'A!1', 'q1', 'r-20261130-k3x7qa', 'a.lock', 'a..b', '-a', 'a_b.c',
	'0', commit, commit + commit.slice(16), 'F'.repeat(64), 'g'.repeat(64),
	'a'.repeat(63), 'a'.repeat(64), 'a'.repeat(65),
	'2026-11-30T11:24:23.123456Z', '2026-11-30T11:24:23Z', '2026-11-30',
	'src/a.c', 'a/..', './a', '/a', 'a//b', 'a/', '.', '..', 'a b',
	`commit:${commit}`, 'file:a', 'agent-graph-view/v1', 'minutes',
	'attempts', 'k', 'slots'];
const others = [null, true, false, 0, -1, 1, 1.5, 1e300, '', 'x', [], {}, [1],
	{ a: 1 }];

module.exports = (below, pick, schema) => {
	const fitting = new Map();

	// Texts that the node takes; its bounds are met exactly, too.
	function candidates(node) {
		if (fitting.has(node))
			return fitting.get(node);
		const rules = [node, ...(node.allOf || [])];
		const min = Math.max(0, ...rules.map((r) => r.minLength || 0));
		const max = Math.min(...rules.map((r) => r.maxLength ?? 1 << 20));
		const patterns = rules.filter((r) => r.pattern)
			.map((r) => new RegExp(r.pattern, 'u'));
		const good = [...texts, 'x'.repeat(min), 'x'.repeat(max)]
			.filter((t) => [...t].length >= min &&
				[...t].length <= max && patterns.every((p) => p.test(t)));
		if (good.length === 0)
			throw new Error(`no text for ${JSON.stringify(node)}`);
		fitting.set(node, good);
		return good;
	}

	function object(node) {
		const doc = {};
		const required = node.required || [];
		for (const [name, part] of Object.entries(node.properties || {})) {
			if (required.includes(name) || below(2) === 0)
				doc[name] = value(part);
		}
		return doc;
	}

	function array(node) {
		const least = node.minItems || 0;
		const most = Math.min(node.maxItems ?? 4, least + 3);
		const length = least + below(most - least + 1);
		const items = [];
		for (let tries = 0; items.length < length && tries < 50; tries++) {
			const item = value(node.items);
			if (!node.uniqueItems || !items.includes(item))
				items.push(item);
		}
		return items;
	}

	// What a double can't hold exactly isn't what pawl reads.
	function integer(node) {
		const min = node.minimum ?? 0;
		const max = Math.min(node.maximum ?? 9, Number.MAX_SAFE_INTEGER);
		return pick([min, Math.min(min + 1, max), max]);
	}

	function value(node) {
		if ('const' in node)
			return node.const;
		if (node.enum)
			return pick(node.enum);
		const type = Array.isArray(node.type) ? pick(node.type) : node.type;
		switch (type) {
		case 'object': return object(node);
		case 'array': return array(node);
		case 'string': return pick(candidates(node));
		case 'boolean': return below(2) === 0;
		case 'null': return null;
		case 'integer': return integer(node);
		default: throw new Error(`what is ${JSON.stringify(node)}?`);
		}
	}

	// Every place in a document: [holder, key].
	function places(holder, found) {
		for (const key of Object.keys(holder)) {
			found.push([holder, key]);
			if (holder[key] !== null && typeof holder[key] === 'object')
				places(holder[key], found);
		}
		return found;
	}

	function fault(doc) {
		const all = places(doc, []);
		if (all.length === 0)
			return;
		const [holder, key] = pick(all);
		switch (below(6)) {
		case 0:
			if (Array.isArray(holder))
				holder.splice(Number(key), 1);
			else
				delete holder[key];
			break;
		case 1: holder[key] = structuredClone(pick(others)); break;
		case 2: holder[key] = pick(texts); break;
		case 3:
			if (Array.isArray(holder))
				holder.push(holder[key]);
			else
				holder[pick(['extra', key + 's', 'Run', ''])] = 1;
			break;
		case 4:
			if (typeof holder[key] === 'number')
				holder[key] += pick([-1, 1, 0.5]);
			else if (typeof holder[key] === 'string')
				holder[key] += 'x';
			else if (Array.isArray(holder[key]))
				holder[key] = Array(65 + below(200)).fill(
					holder[key][0] ?? 'x');
			break;
		case 5:
			if (typeof holder[key] === 'string')
				holder[key] = 'x'.repeat(pick([64, 128, 129, 139, 140,
					4096, 4097, 8192, 8193]));
			break;
		}
	}

	return () => {
		const doc = value(schema);
		for (let i = below(3); i > 0; i--)
			fault(doc);
		return below(200) === 0 ? structuredClone(pick(others)) : doc;
	};
};

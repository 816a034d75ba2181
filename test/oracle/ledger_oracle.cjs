// The oracle: what a ledger checkpoint breaks, judged from the specification
// alone and slowly.
//
// judge(bytes, strict) gives { json, must, some, may }.  A key is
// "V word node" or "N word node": a violation or a note, the rule's family, the
// node's number, `-` for what is about the whole.  Every key of `must` has to be
// found, of each list in `some` at least one, and nothing besides these and
// `may`.  What a rule would say about a field whose own shape is broken stands
// in `may`, since the rules don't say which value is meant; so does what they
// leave open; `open` says that nothing can be said of any node.  `json` is false
// where the bytes are no JSON, and null where refusing them so, or by a
// violation, is both right.
'use strict';

const { read, NotJson } = require('./json_tree.cjs');
const shape = require('./ledger_shape.cjs');

const { Findings, NO_ID, isAsciiBlank, isBlank, isNodeId } = shape;

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

// Nodes that have the id of an earlier one are broken, too.
function judgeIds(nodes, f, broken) {
	const first = new Map();

	nodes.forEach((n, i) => {
		const id = n?.id.value;
		if (id === undefined)
			return;
		const folded = id.toLowerCase();
		const earlier = first.get(folded);
		if (earlier === undefined) {
			first.set(folded, { i, id, exact: new Set([id]) });
			return;
		}
		f.perhaps(`V duplicate_id ${earlier.i}`);
		if (earlier.exact.has(id)) {
			f.violation('duplicate_id', i);
			broken[i] = true;
		} else {
			f.perhaps(`V duplicate_id ${i}`);
		}
		earlier.exact.add(id);
	});
}

// For every node its dependencies: { to: number } where it is certain which node
// is meant, else {}.
function judgeDependencies(nodes, f, broken) {
	const by = new Map();
	const strange = nodes.some((n) => n === null || !n.id.ok);

	nodes.forEach((n, i) => {
		const id = n?.id.value;
		if (id !== undefined)
			by.set(id, by.has(id) ? { many: true } :
				{ i, ok: n.id.ok });
	});
	return nodes.map((n, i) => {
		if (n === null || !n.depends_on.ok) {
			f.perhaps(`V unknown_dependency ${i}`,
				`V duplicate_dependency ${i}`);
			return [{}];
		}
		const seen = new Set();
		f.quiet += broken[i];
		const list = n.depends_on.value.map((d) => {
			if (!d.ok)
				return {};
			if (seen.has(d.value))
				f.violation('duplicate_dependency', i);
			seen.add(d.value);
			const hit = by.get(d.value);
			if (hit === undefined) {
				const words = ['unknown_dependency'];
				if (!isNodeId(d.value))
					words.push(...NO_ID);
				// A node whose id can't be read may be the one.
				if (strange)
					f.perhaps(...words.map((w) => `V ${w} ${i}`));
				else
					f.either(words, i);
				return {};
			}
			if (hit.many || !hit.ok) {
				f.perhaps(`V unknown_dependency ${i}`, `V id ${i}`);
				return {};
			}
			return { to: hit.i, broken: broken[hit.i] };
		});
		f.quiet -= broken[i];
		return list;
	});
}

// Groups of nodes that all reach each other, by reachability from each; a node
// that depends on itself may be a group alone.  One path is told of each.
function judgeCycles(deps, f, broken) {
	const reach = deps.map((_, i) => {
		const seen = new Set();
		const todo = [i];
		while (todo.length > 0) {
			for (const { to } of deps[todo.pop()]) {
				if (to !== undefined && !seen.has(to)) {
					seen.add(to);
					todo.push(to);
				}
			}
		}
		return seen;
	});
	const told = new Set();

	reach.forEach((from, i) => {
		if (!from.has(i) || told.has(i))
			return;
		const group = [...from].filter((j) => reach[j].has(i));
		group.forEach((j) => told.add(j));
		if (!group.some((j) => broken[j]))
			f.add(group.map((j) => `V cycle ${j}`));
		// Uncertain edges may tie it to other nodes; a node on two
		// cycles may be told twice.
		f.perhaps(...group.map((j) => `V cycle ${j}`));
	});
	if (deps.some((list) => list.some((d) => d.to === undefined)))
		f.perhaps(...deps.map((_, i) => `V cycle ${i}`));
}

function judgeHistory(n, i, f, strict) {
	const step = (key) => (strict ? `V ${key}` : `N ${key}`);

	if (!n.status_history.ok || n.status_history.value.some((h) => !h.ok)) {
		f.perhaps(`V history_start ${i}`, `V history_end ${i}`,
			`V attempt ${i}`, `V max_attempts ${i}`, step(`step ${i}`));
		return null;
	}
	const history = n.status_history.value.map((h) => h.value);
	if (history.length === 0) {
		f.either(['history_start', 'history_end', 'range'], i);
		f.perhaps(`V history_start ${i}`, `V history_end ${i}`);
		return null;
	}
	if (history[0] !== 'PENDING')
		f.violation('history_start', i);
	if (!n.status.ok)
		f.perhaps(`V history_end ${i}`);
	else if (history.at(-1) !== n.status.value)
		f.violation('history_end', i);
	for (let k = 1; k < history.length; k++) {
		if (!STEPS[history[k - 1]].includes(history[k]))
			f.add([step(`step ${i}`)]);
	}
	return history.filter((h) => h === 'RUNNING').length;
}

function judgeAttempts(n, i, f, runs) {
	if (runs === null || !n.attempt.ok) {
		f.perhaps(`V attempt ${i}`, `V max_attempts ${i}`);
		return;
	}
	const attempt = n.attempt.value;
	if (attempt > shape.ATTEMPTS)
		f.perhaps(`V range ${i}`);
	if (attempt !== runs)
		f.violation('attempt', i);
	if (!n.max_attempts.ok)
		f.perhaps(`V max_attempts ${i}`);
	else if (attempt > n.max_attempts.value && runs > n.max_attempts.value)
		f.violation('max_attempts', i);
	else if (attempt > n.max_attempts.value || runs > n.max_attempts.value)
		f.perhaps(`V max_attempts ${i}`);
}

// true, false, or null where it can't be said.
function isProven(n) {
	if (!n.evidence_required.ok || !n.evidence.ok)
		return n.evidence_required.ok && !n.evidence_required.value ? true : null;
	if (!n.evidence_required.value)
		return true;
	const items = n.evidence.value;
	if (items.some((e) => e.ok && !isBlank(e.value)))
		return true;
	// White space outside ASCII is blank to some.
	return items.some((e) => !e.ok || !isAsciiBlank(e.value)) ? null : false;
}

function isApprovalOpen(n) {
	if (!n.approval.ok)
		return null;
	if (['required', 'denied'].includes(n.approval.value))
		return true;
	if (n.approval.value === 'granted')
		return false;
	return n.access.ok ?
		['external-write', 'destructive'].includes(n.access.value) : null;
}

function judgeGates(nodes, n, i, deps, f) {
	const say = (word, broken) => {
		if (broken === null)
			f.perhaps(`V ${word} ${i}`);
		else if (broken)
			f.violation(word, i);
	};

	if (!n.status.ok) {
		f.perhaps(...['evidence', 'dependency_gate', 'approval_gate',
			'needs_approval'].map((w) => `V ${w} ${i}`));
		return;
	}
	const status = n.status.value;
	if (status === 'PASSED') {
		const proven = isProven(n);
		say('evidence', proven === null ? null : !proven);
	}
	if (isGated(status)) {
		const free = isFree(nodes, deps[i], i);
		say('dependency_gate', free === null ? null : !free);
		say('approval_gate', isApprovalOpen(n));
	}
	if (status === 'NEEDS_APPROVAL')
		say('needs_approval', n.approval.ok ?
			n.approval.value !== 'required' : null);
}

// Is everything that it depends on done?  A node that needs itself is told so.
function isFree(nodes, list, self) {
	let sure = true;

	for (const { to, broken } of list) {
		if (to === undefined || to === self || broken)
			sure = false;
		else if (!isDone(nodes[to].status.value))
			return false;
	}
	return sure ? true : null;
}

// The run.

// What the nodes together earn: one word, or null where it can't be said;
// MOVES where something can still move, NOTHING where nothing final holds.
function earned(nodes, deps) {
	if (nodes.some((n) => n === null || !n.status.ok))
		return null;
	const status = nodes.map((n) => n.status.value);
	const free = nodes.map((_, i) => isFree(nodes, deps[i], i));
	const open = nodes.map(isApprovalOpen);

	if (status.includes('READY') || status.includes('RUNNING'))
		return 'MOVES';
	const pending = nodes.map((_, i) => i).filter((i) => status[i] === 'PENDING');
	if (pending.some((i) => free[i] && open[i] === false))
		return 'MOVES';
	if (pending.some((i) => free[i] === null && open[i] !== true ||
		free[i] && open[i] === null))
		return null;
	if (status.length > 0 && status.every(isDone) && status.includes('PASSED')) {
		const proven = nodes.map((n, i) =>
			(status[i] === 'PASSED' ? isProven(n) : true));
		if (proven.includes(null) && !proven.includes(false))
			return null;
		return proven.includes(false) ? 'NOTHING' : 'COMPLETE';
	}
	if (status.includes('NEEDS_APPROVAL') || pending.some((i) => free[i]))
		return 'NEEDS_APPROVAL';
	if (pending.some((i) => free[i] === null))
		return null;
	const failed = nodes.filter((n, i) => status[i] === 'FAILED');
	if (failed.some((n) => n.attempt.ok && n.max_attempts.ok &&
		n.attempt.value >= n.max_attempts.value))
		return 'FAILED';
	if (failed.some((n) => !n.attempt.ok || !n.max_attempts.ok))
		return null;
	return status.includes('BLOCKED') ? 'BLOCKED' : 'NOTHING';
}

function judgeRun(top, nodes, deps, f) {
	const is = nodes === null ? null : earned(nodes, deps);

	if (is === null || !top.status.ok) {
		f.perhaps('V run_moves -', 'V run_unearned -', 'N unclaimed -',
			'N order -');
		return is;
	}
	const claim = top.status.value;
	if (FINAL.includes(claim)) {
		// Both of them hold, and the order decides.
		if (claim === 'BLOCKED' && is === 'NEEDS_APPROVAL' &&
			nodes.some((n) => n.status.value === 'BLOCKED')) {
			f.note('order');
		} else if (is === 'MOVES') {
			f.violation('run_moves');
			f.perhaps('V run_unearned -');
		} else if (claim !== is) {
			f.violation('run_unearned');
		}
	} else if (FINAL.includes(is)) {
		if (claim === 'RUNNING')
			f.note('unclaimed');
		else
			f.perhaps('N unclaimed -');
	} else if (nodes.length === 0) {
		f.perhaps('N unclaimed -');
	}
	return is;
}

// A node with a broken field in which a rule is interested.  No rule has to be
// applied to it, and none to the run as a whole, before it is mended.
function isBroken(n) {
	const whole = (list) => list.ok && list.value.every((item) => item.ok);

	return n === null || !whole(n.status_history) || !whole(n.depends_on) ||
		!n.depends_on.value.every((d) => isNodeId(d.value)) ||
		n.status_history.value.length === 0 || n.lacks === true ||
		['access', 'status', 'evidence', 'evidence_required', 'attempt',
			'max_attempts', 'approval'].some((key) => !n[key].ok);
}

function judgeTree(root, strict, f) {
	const top = shape.readObject(root, f, '-', shape.TOP_FIELDS);
	let is = null;

	if (top === null)
		return is;
	if (top.nodes.ok) {
		const nodes = top.nodes.value;
		const broken = nodes.map(isBroken);
		judgeIds(nodes, f, broken);
		const deps = judgeDependencies(nodes, f, broken);
		const aside = !broken.includes(true) &&
			nodes.every((n) => n.id.ok) &&
			deps.flat().every((d) => d.to !== undefined) ? 0 : 1;
		judgeCycles(deps, f, broken);
		nodes.forEach((n, i) => {
			if (n === null)
				return;
			f.quiet += broken[i];
			judgeAttempts(n, i, f, judgeHistory(n, i, f, strict));
			judgeGates(nodes, n, i, deps, f);
			f.quiet -= broken[i];
		});
		f.quiet += aside;
		is = judgeRun(top, nodes, deps, f);
		f.quiet -= aside;
	} else {
		judgeRun(top, null, null, f);
		f.open = true;
	}
	return is;
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

// Ledger checkpoints from a seed, mostly of a good shape.
'use strict';

const statuses = ['PENDING', 'READY', 'RUNNING', 'PASSED', 'FAILED', 'BLOCKED',
	'NEEDS_APPROVAL', 'SKIPPED'];
const runStatuses = ['PLANNING', 'RUNNING', 'COMPLETE', 'NEEDS_APPROVAL',
	'FAILED', 'BLOCKED'];
const kinds = ['scope', 'explore', 'execute', 'verify', 'review', 'synthesize',
	'approve', 'monitor', 'repair'];
const roles = ['main', 'explorer', 'worker', 'reviewer', 'tool', 'human'];
const access = ['read-only', 'workspace-write', 'external-write', 'destructive'];
const approvals = ['not-required', 'required', 'granted', 'denied'];
const words = [...statuses, ...runStatuses, ...kinds, ...roles, ...access,
	...approvals, '', 'done', 'pending', 'PASSED ', 'x'];
const texts = ['', ' ', '\n', '\t\r', 'x', 'Did it.\nAll.', 'a\u0001b',
	'a\u007fb', '\u0000', '\u00a0', '\u3000', '\ud83d\ude00', ' x',
	'x'.repeat(4096), 'x'.repeat(4097), 'x'.repeat(16384),
	'x'.repeat(16385)];
const ids = ['a', 'a-1', 'a.b_c-d', '0', 'a--b', '-a', 'a-', 'a.', '.a', '',
	'A', 'aB', 'a b', 'a/b', '..', '../x', 'a.lock', 'a.lockb', 'lock',
	'a-lock', '\u00e4', 'a\n', 'a\u0000', 'x'.repeat(128),
	'x'.repeat(129), 'a.LOCK'];
const others = [null, true, false, 0, -1, 1.5, 1e300, '1', [], {}, [1],
	{ a: 1 }, 'RUNNING', ['PENDING']];
const counts = [0, 1, 2, 999, 1000, 1001, 4096, 4097, -1, 1.5, 2 ** 53, '1',
	null];
const lengths = [0, 1, 255, 256, 257, 4095, 4096, 4097];

module.exports = (below, pick) => {
	const list = (from, max) =>
		Array.from({ length: below(max) }, () => pick(from));
	const node = (id) => ({
		id,
		title: 'Do it',
		kind: pick(kinds),
		role: pick(roles),
		access: pick(access),
		status: pick(statuses),
		status_history: [pick(statuses), ...list(statuses, 3)],
		depends_on: [],
		expected_output: 'A list',
		evidence_required: below(2) === 0,
		evidence: list(['x', 'check:a', 'file:a'], 3),
		attempt: below(3),
		max_attempts: 1 + below(3),
		approval: pick(approvals),
	});

	function spoil(n) {
		switch (below(13)) {
		case 0: delete n[pick(Object.keys(n))]; break;
		case 1: n[pick(Object.keys(n))] = pick(others); break;
		case 2: n[pick(['extra', 'Title', 'note', ''])] = 1; break;
		case 3: n.title = pick(texts); break;
		case 4: n.expected_output = pick(texts); break;
		case 5: n.id = pick(ids); break;
		case 6: n.depends_on = list(ids, 4); break;
		case 7: n[pick(['kind', 'role', 'access', 'status',
			'approval'])] = pick(words); break;
		case 8: n.status_history = list(words, 3); break;
		case 9: n.evidence = list(texts, 3); break;
		case 10: n[pick(['attempt', 'max_attempts'])] = pick(counts);
			break;
		case 11: n.evidence = Array(pick(lengths)).fill('x'); break;
		case 12: n.status_history =
			Array(pick(lengths)).fill('PENDING'); break;
		}
	}

	return () => {
		const doc = {
			schema_version: 1,
			run_id: 'r-1',
			task: 'A task',
			status: pick(runStatuses),
			nodes: Array.from({ length: below(4) },
				(_, i) => node(`n${i}`)),
		};
		for (let i = below(3); i > 0; i--) {
			if (doc.nodes.length > 0 && below(4) > 0) {
				spoil(pick(doc.nodes));
				continue;
			}
			switch (below(7)) {
			case 0: delete doc[pick(Object.keys(doc))]; break;
			case 1: doc[pick(Object.keys(doc))] = pick(others);
				break;
			case 2: doc[pick(['extra', 'version', ''])] = 1; break;
			case 3: doc.run_id = pick(ids); break;
			case 4: doc.task = pick(texts); break;
			case 5: doc.status = pick(words); break;
			case 6: doc.schema_version = pick(counts); break;
			}
			if (!Array.isArray(doc.nodes) || doc.nodes.some(
				(n) => n === null || typeof n !== 'object'))
				break;
		}
		return below(50) === 0 ? pick(others) : doc;
	};
};

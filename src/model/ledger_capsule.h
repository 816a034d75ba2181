/*
 * ledger_capsule: a ledger as a few lines of text, for where no file may be.
 *
 *	pawl-ledger 1 graph-20260719-example RUNNING 2
 *	task|Audit the project against its plan
 *	scope|d|Smr1||Resolve audit scope|Bounded target|User request
 *	audit|r|Vrr|1|Audit each module|A finding a module, with its line
 *	end f7afca38aba09790 LQDH
 *
 * It goes into a task's text, a comment or a chat, and comes back from there:
 * what stands before its first line and behind its last is passed over, and so
 * are blanks and `>` before and blanks behind a line, so that it may be
 * indented or quoted.  No line holds a backquote, a control character or one
 * that is invisible.
 *
 * A line a node, in the ledger's order; nodes are referred to by number, from
 * 1.  Fields, separated by `|`:
 *
 *	id
 *	walk        its history: one small letter is the usual walk to that
 *	            status (p r u d f b a s: PENDING, READY, RUNNING, PASSED,
 *	            FAILED, BLOCKED, NEEDS_APPROVAL, SKIPPED); else a capital
 *	            letter a status, and 3(RU) for RURURU
 *	contract    three letters: kind (Scope eXplore Execute Verify Review
 *	            sYnthesize Approve Monitor Fix, which is repair), role (main
 *	            explorer worker reviewer tool human), access (read-only
 *	            workspace-write external-write destructive); `-` when no
 *	            evidence is required; q g n when approval is required,
 *	            granted, denied; max_attempts, unless it is 2
 *	depends_on  1,3-5
 *	title
 *	expected_output
 *	evidence    a field each
 *
 * Status and attempt are not written: the walk says them.  In texts `%7c` is
 * the byte 7c: so are `|`, `%`, `` ` ``, U+2026, what is invisible, and blanks
 * that an editor would lose.  A bare U+2026 at the end of a text is no part of
 * it: the rest was left out there.  As last evidence, U+2026 and `+4` say that
 * four more were left out.  A second line `left out|...` says it for people.
 *
 * The last line has the first 16 digits of the SHA-256 of the lines before it,
 * each with an LF, and a character for each of them (six bits of its hash), so
 * that a change is found where it is.
 *
 * What doesn't fit is shortened in a fixed order: evidence beyond the first and
 * long texts of nodes that are done, then expected outputs, titles and the
 * task; see `steps` in ledger_capsule.c.  Statuses, histories, ids, contracts
 * and edges are never left out, and a node that has evidence keeps some: a
 * ledger that comes back claims nothing that the first one didn't.
 */
#ifndef PAWL_MODEL_LEDGER_CAPSULE_H
#define PAWL_MODEL_LEDGER_CAPSULE_H

#include "base/buf.h"
#include "base/err.h"
#include "model/ledger.h"

/* What a capsule holds only in part. */
struct ledger_capsule_loss {
	uint32_t titles;   /* cut short */
	uint32_t expected; /* expected outputs, likewise */
	uint32_t evidence; /* texts, likewise */
	uint64_t items;    /* evidence left out whole */
	bool task;         /* cut short */
};

bool is_ledger_capsule_lossy(const struct ledger_capsule_loss *loss);

/* "2 titles and 7 evidence items"; must be lossy. */
void ledger_capsule_loss_text(
	const struct ledger_capsule_loss *loss, struct buf *out);

/* The bytes that a capsule of so many nodes may take. */
size_t ledger_capsule_room(uint32_t count);

/*
 * Add the capsule of a ledger that has no violation, in at most `max` bytes;
 * 0 leaves nothing out.
 *
 * Errors: ERR_LIMIT when even its shortest form is longer, or when it has more
 * than BOUND_CAPSULE_NODES nodes or BOUND_CAPSULE_EDGES dependencies.
 */
PAWL_MUST_CHECK enum pawl_rc ledger_capsule_write(const struct ledger *l,
	size_t max, struct buf *out, struct ledger_capsule_loss *ret_loss,
	struct pawl_err *err);

/*
 * Find the first capsule in `text` and add its nodes to `l`, which is empty;
 * what it holds are copies.  A text that was cut ends with U+2026.
 *
 * Errors: ERR_INVALID_DOCUMENT, with the line; ERR_NEWER_FORMAT; ERR_LIMIT.
 * `l` holds anything then, and is to be released.
 */
PAWL_MUST_CHECK enum pawl_rc ledger_capsule_read(struct str text,
	struct ledger *l, struct ledger_capsule_loss *ret_loss,
	struct pawl_err *err);

#endif

/*
 * ledger_doc: checkpoints for tests, written from what differs in them.
 *
 * A member that isn't given is that of a good node that is PENDING; each is the
 * JSON of its value.
 */
#ifndef PAWL_TEST_LEDGER_DOC_H
#define PAWL_TEST_LEDGER_DOC_H

#include <stdio.h>

#include "model/ledger_read.h"

struct node_doc {
	const char *id; /* without quotes; NULL ends the nodes */
	const char *title, *kind, *role, *access, *status, *history, *depends;
	const char *output, *required, *evidence, *attempt, *max, *approval;
	const char *more; /* members behind them, with a comma in front */
};

struct doc {
	const char *status;  /* RUNNING */
	const char *version; /* 1 */
	const char *run_id, *task;
	const char *nodes; /* instead of `node` */
	const char *more;
	struct node_doc node[4];
};

static inline const char *
doc_or(const char *given, const char *usual)
{
	return given != NULL ? given : usual;
}

static inline void
doc_node(const struct node_doc *n, struct buf *out)
{
	const char *status = doc_or(n->status, "\"PENDING\"");
	char history[200];

	(void)snprintf(history, sizeof(history), "[%s]", status);
	buf_addf(out, "{\"id\":\"%s\",\"title\":%s,\"kind\":%s,\"role\":%s,",
		n->id, doc_or(n->title, "\"Do it\""),
		doc_or(n->kind, "\"execute\""), doc_or(n->role, "\"worker\""));
	buf_addf(out, "\"access\":%s,\"status\":%s,\"status_history\":%s,",
		doc_or(n->access, "\"read-only\""), status,
		doc_or(n->history, history));
	buf_addf(out,
		"\"depends_on\":%s,\"expected_output\":%s,"
		"\"evidence_required\":%s,\"evidence\":%s,",
		doc_or(n->depends, "[]"), doc_or(n->output, "\"A list\""),
		doc_or(n->required, "true"), doc_or(n->evidence, "[]"));
	buf_addf(out, "\"attempt\":%s,\"max_attempts\":%s,\"approval\":%s%s}",
		doc_or(n->attempt, "0"), doc_or(n->max, "2"),
		doc_or(n->approval, "\"not-required\""), doc_or(n->more, ""));
}

static inline void
doc_text(const struct doc *d, struct buf *out)
{
	buf_addf(out, "{\"schema_version\":%s,\"run_id\":%s,\"task\":%s,",
		doc_or(d->version, "1"), doc_or(d->run_id, "\"r-1\""),
		doc_or(d->task, "\"A task\""));
	buf_addf(out,
		"\"status\":%s,\"nodes\":", doc_or(d->status, "\"RUNNING\""));
	if (d->nodes != NULL) {
		buf_addf(out, "%s%s}", d->nodes, doc_or(d->more, ""));
		return;
	}
	buf_addc(out, '[');
	for (size_t i = 0; i < 4 && d->node[i].id != NULL; i++) {
		if (i > 0)
			buf_addc(out, ',');
		doc_node(&d->node[i], out);
	}
	buf_addf(out, "]%s}", doc_or(d->more, ""));
}

/* A document that was read. */
struct doc_read {
	struct buf text;
	struct arena mem;
	struct ledger l;
	struct ledger_findings f;
	struct pawl_err err;
	enum pawl_rc rc;
};

static inline void
doc_read_text(struct doc_read *r, bool strict)
{
	r->rc = ledger_read(
		&r->mem, buf_str(&r->text), strict, &r->l, &r->f, &r->err);
}

static inline void
doc_read(struct doc_read *r, const struct doc *d, bool strict)
{
	*r = (struct doc_read){ .rc = PAWL_OK };
	doc_text(d, &r->text);
	doc_read_text(r, strict);
}

static inline void
doc_release(struct doc_read *r)
{
	if (r->rc == PAWL_OK) {
		ledger_findings_release(&r->f);
		ledger_release(&r->l);
	}
	buf_release(&r->text);
	arena_reset(&r->mem);
}

#endif

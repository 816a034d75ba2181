/*
 * planview: what `pawl plan LIST` shows.
 *
 * Pure: a plan and what was found in its list go in, text or JSON comes out.
 * Text is for people: names are shown with control characters made visible, and
 * long parts are cut with a count of what is left.  JSON is one value, whole
 * but for clashes and findings, which are bounded where they are made.
 */
#ifndef PAWL_MODEL_PLANVIEW_H
#define PAWL_MODEL_PLANVIEW_H

#include "model/tasks.h"
#include "model/waves.h"
#include "text/json.h"

struct planview {
	const struct plan *plan;
	struct waves waves;
	uint32_t *critical; /* one longest chain, from its start */
	uint32_t critical_count;
};

void planview_init(struct planview *v, const struct plan *p);
void planview_release(struct planview *v);

/*
 * For people: verdict, waves, critical path, clashes, gates that can't pass or
 * wait for a human, warnings.  `list` is the name to show before a place.
 */
void planview_text(const struct planview *v, const struct tasks_report *report,
	struct str list, struct buf *out);

/*
 * As JSON: {"tasks","edges","waves":[[ID]],"critical_path":[ID],
 * "execution","conflicts":[{wave,node,path,other,other_path}],
 * "conflicts_dropped"?,"gates":[{node,line,reason}],"warnings":[finding]}.
 */
void planview_json(const struct planview *v, const struct tasks_report *report,
	struct json_writer *w);

/* What was found in a list, "LIST:LINE:COLUMN: message" with hints. */
void planview_findings_text(
	const struct findings *f, struct str list, struct buf *out);

/* An array of {line,column,code,message,hint?}. */
void planview_findings_json(const struct findings *f, struct json_writer *w);

#endif

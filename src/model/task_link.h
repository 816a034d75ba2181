/*
 * task_link: from tasks and names to a plan and its graph.
 */
#ifndef PAWL_MODEL_TASK_LINK_H
#define PAWL_MODEL_TASK_LINK_H

#include "model/task_field.h"

/*
 * Move what was read into `*ret_plan`: the table of ids, dependencies by
 * number, dependants, order, path lengths.  Ids that stand twice, unknown and
 * own ones among the dependencies, and cycles become findings; what they say is
 * then left out of the plan, and a plan with findings is only good for release.
 */
void task_link(struct tasks_reader *r, struct plan *ret_plan);

#endif

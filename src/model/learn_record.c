#include "model/learn_record.h"

#include "base/sha256.h"
#include "model/contract.h"
#include "model/progress.h"
#include "text/utf8.h"

static struct str
text_of(struct str s)
{
	return s.len > 0 ? utf8_cut(s, LEARN_TEXT) : (struct str){ 0 };
}

static struct str
check_digest(const struct state *s, uint32_t node, struct arena *mem)
{
	struct contract_view v = contract_of(s, node);
	char hex[SHA256_HEX + 1];

	sha256_hex(contract_check(&v, mem), hex);
	return arena_copy(mem, str_from(hex));
}

static void
evidence_add(struct learn_task *t, uint32_t kind, struct str attempt,
	struct str sha256)
{
	if (sha256.len == 0 || t->evidence_count >= LEARN_LIST)
		return;
	t->evidence[t->evidence_count++] = (struct learn_evidence){
		.kind = kind, .attempt = attempt, .sha256 = sha256
	};
}

/* What one attempt says of its task. */
static void
attempt_add(const struct state *s, uint32_t attempt, struct arena *mem,
	struct learn_task *t, struct str *hypotheses)
{
	const struct attempt *a = &s->attempts.items[attempt];
	struct str id = state_attempt_id(s, attempt, mem);

	if (a->hypothesis.len > 0 && t->hypotheses_count < LEARN_LIST)
		hypotheses[t->hypotheses_count++] = text_of(a->hypothesis);
	t->checks += a->checks;
	if (a->check_1 != 0)
		t->check_ended = text_of(s->checks.items[a->check_1 - 1].ended);
	evidence_add(t, 0, id, a->report_sha256);
	evidence_add(t, 1, id, a->capsule_sha256);
	evidence_add(t, 2, id, a->artifact);
}

static void
lifecycle_fill(const struct state *s, uint32_t node, struct arena *mem,
	struct learn_task *t)
{
	uint32_t count, shown;
	const uint8_t *history = state_history(s, node, mem, &count);
	enum node_status *lifecycle;

	shown = count < LEARN_LIFECYCLE ? count : LEARN_LIFECYCLE;
	lifecycle = arena_array(mem, shown, enum node_status);
	for (uint32_t i = 0; i < shown; i++)
		lifecycle[i] = history[i];
	t->lifecycle = lifecycle;
	t->lifecycle_count = shown;
	t->lifecycle_left_out = (int64_t)count - shown;
}

static void
tasks_fill(const struct state *s, struct arena *mem, struct learn_record *r)
{
	uint32_t shown =
		s->plan->count < LEARN_TASKS ? s->plan->count : LEARN_TASKS;
	struct str *hypotheses =
		arena_array(mem, (size_t)shown * LEARN_LIST, struct str);
	const struct check *c;

	r->tasks = arena_array(mem, shown, struct learn_task);
	r->tasks_count = shown;
	r->tasks_left_out = (int64_t)s->plan->count - shown;
	for (uint32_t i = 0; i < shown; i++) {
		const struct node_state *n = &s->nodes[i];
		struct learn_task *t = &r->tasks[i];

		t->id = plan_id(s->plan, i);
		t->title = text_of(plan_title(s->plan, i));
		t->check_sha256 = check_digest(s, i, mem);
		t->status = n->status;
		t->attempts = n->attempts;
		t->rejects = n->rejects;
		t->hypotheses = &hypotheses[(size_t)i * LEARN_LIST];
		t->evidence =
			arena_array(mem, LEARN_LIST, struct learn_evidence);
		lifecycle_fill(s, i, mem, t);
	}
	for (uint32_t i = 0; i < s->attempts.count; i++) {
		uint32_t node = s->attempts.items[i].node;

		if (node < shown)
			attempt_add(s, i, mem, &r->tasks[node],
				&hypotheses[(size_t)node * LEARN_LIST]);
	}
	VEC_EACH (c, &s->checks) {
		uint32_t node = s->attempts.items[c->attempt].node;

		if (node < shown)
			r->tasks[node].check_ms += (int64_t)c->duration_ms;
	}
}

static const struct learn_telemetry *
telemetry_make(const struct state *s, struct arena *mem)
{
	struct learn_telemetry *t = arena_new(mem, struct learn_telemetry);
	struct progress_walls walls;
	const struct attempt *a;

	progress_walls(s, &walls);
	*t = (struct learn_telemetry){
		.attempts = (int64_t)s->attempts.count,
		.implementation_ms = (int64_t)walls.implementation_ms,
		.waiting_ms = (int64_t)walls.waiting_ms,
		.check_ms = (int64_t)walls.check_ms,
		.audit_ms = (int64_t)walls.audit_ms,
		.coordination_overhead = (int64_t)s->seq,
		.provider_usage = STR("unavailable"),
		.provider_cache = STR("unavailable"),
	};
	VEC_EACH (a, &s->attempts) {
		t->rework += a->status == ATTEMPT_REJECTED;
		t->ends_without_verdict += a->status == ATTEMPT_LOST ||
			a->status == ATTEMPT_INTERRUPTED ||
			a->status == ATTEMPT_WORKSPACE_LOST ||
			a->status == ATTEMPT_QUARANTINED ||
			a->status == ATTEMPT_START_FAILED;
	}
	return t;
}

void
learn_record_make(const struct state *s, struct arena *mem,
	struct learn_record *ret_record)
{
	*ret_record = (struct learn_record){
		.schema_version = 1,
		.shadow_only = true,
		.run = s->run.run,
		.change = s->run.list_sha256,
		.base = text_of(s->run.base),
		.outcome = s->outcome,
		.seq = (int64_t)s->seq,
		.generation = (int64_t)s->gen,
		.telemetry = telemetry_make(s, mem),
	};
	tasks_fill(s, mem, ret_record);
}

const struct learn_task *
learn_record_task(const struct learn_record *r, struct str id)
{
	for (uint32_t i = 0; i < r->tasks_count; i++) {
		if (str_eq(r->tasks[i].id, id))
			return &r->tasks[i];
	}
	return NULL;
}

static void
counts_json(struct json_writer *w, const struct learn_record *r)
{
	const struct learn_telemetry *t = r->telemetry;
	uint64_t passed = 0, failed = 0;

	for (uint32_t i = 0; i < r->tasks_count; i++) {
		passed += r->tasks[i].status == NODE_PASSED;
		failed += r->tasks[i].status == NODE_FAILED;
	}
	json_open(w, '{');
	json_pair_str(w, STR("run"), r->run);
	json_pair_str(w, STR("outcome"), r->outcome);
	json_pair_u64(w, STR("tasks"), r->tasks_count);
	json_pair_u64(w, STR("passed"), passed);
	json_pair_u64(w, STR("failed"), failed);
	json_pair_u64(w, STR("attempts"), (uint64_t)t->attempts);
	json_pair_u64(w, STR("rework"), (uint64_t)t->rework);
	json_pair_u64(w, STR("ends_without_verdict"),
		(uint64_t)t->ends_without_verdict);
	json_pair_u64(
		w, STR("implementation_ms"), (uint64_t)t->implementation_ms);
	json_pair_u64(w, STR("waiting_ms"), (uint64_t)t->waiting_ms);
	json_pair_u64(w, STR("check_ms"), (uint64_t)t->check_ms);
	json_pair_u64(w, STR("audit_ms"), (uint64_t)t->audit_ms);
	json_pair_u64(w, STR("coordination_overhead"),
		(uint64_t)t->coordination_overhead);
	json_pair_str(w, STR("provider_usage"), t->provider_usage);
	json_close(w, '}');
}

enum pawl_rc
learn_record_compare(const struct learn_record *off,
	const struct learn_record *on, struct json_writer *w,
	struct pawl_err *err)
{
	if (off->tasks_count + (uint64_t)off->tasks_left_out !=
		on->tasks_count + (uint64_t)on->tasks_left_out)
		return pawl_fail(err, ERR_INVALID_ARGUMENT,
			"the two runs haven't the same tasks: %u and %u",
			off->tasks_count, on->tasks_count);
	for (uint32_t i = 0; i < off->tasks_count; i++) {
		const struct learn_task *a = &off->tasks[i];
		const struct learn_task *b = learn_record_task(on, a->id);

		if (b == NULL || !str_eq(a->check_sha256, b->check_sha256)) {
			return pawl_fail(err, ERR_INVALID_ARGUMENT,
				"task '" STR_FMT
				"' hasn't the same check in both runs",
				STR_ARG(a->id));
		}
	}
	json_open(w, '{');
	json_key(w, STR("off"));
	counts_json(w, off);
	json_key(w, STR("on"));
	counts_json(w, on);
	json_close(w, '}');
	return PAWL_OK;
}

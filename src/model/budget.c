#include "model/budget.h"

#include "base/num.h"

#define WORD(name, word) [name] = (word),
const char *const budget_resource_words[] = { BUDGET_RESOURCE_MAP(WORD) NULL };
const char *const budget_class_words[] = {
	[BUDGET_HARD] = "hard", [BUDGET_ADVISORY] = "advisory", NULL
};

static const struct {
	enum budget_resource resource;
	struct str unit;
	uint64_t scale;
} units[] = {
	{ BUDGET_ATTEMPTS, { "attempts", 8 }, 1 },
	{ BUDGET_WORKERS, { "slots", 5 }, 1 },
	{ BUDGET_WORKERS, { "workers", 7 }, 1 },
	{ BUDGET_WALL_TIME, { "ms", 2 }, 1 },
	{ BUDGET_WALL_TIME, { "seconds", 7 }, 1000 },
	{ BUDGET_WALL_TIME, { "minutes", 7 }, 60 * 1000 },
	{ BUDGET_WALL_TIME, { "hours", 5 }, 3600 * 1000 },
};

bool
is_budget_measured(enum budget_resource resource)
{
	return resource == BUDGET_ATTEMPTS || resource == BUDGET_WORKERS ||
		resource == BUDGET_WALL_TIME;
}

bool
budget_unit(enum budget_resource resource, struct str unit, uint64_t *ret_scale)
{
	if (!is_budget_measured(resource)) {
		*ret_scale = 1;
		return unit.len > 0;
	}
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (units[i].resource == resource &&
			str_eq(units[i].unit, unit)) {
			*ret_scale = units[i].scale;
			return true;
		}
	}
	return false;
}

struct str
budget_line(const struct budget_limit *limit, struct arena *mem)
{
	return arena_format(mem, "%s %s %llu " STR_FMT,
		budget_class_words[limit->hardness],
		budget_resource_words[limit->resource],
		(unsigned long long)limit->value, STR_ARG(limit->unit));
}

/* The index of a word; false when the list has none such. */
static bool
word_find(const char *const *words, struct str word, uint32_t *ret_index)
{
	for (uint32_t i = 0; words[i] != NULL; i++) {
		if (str_eq(str_from(words[i]), word)) {
			*ret_index = i;
			return true;
		}
	}
	return false;
}

bool
budget_limit_read(struct str line, struct budget_limit *ret_limit)
{
	struct str hardness = str_cut(&line, ' ');
	struct str resource = str_cut(&line, ' ');
	struct str value = str_cut(&line, ' ');
	struct budget_limit l = { .unit = line };
	uint64_t scale;
	uint32_t at;

	if (!word_find(budget_class_words, hardness, &at))
		return false;
	l.hardness = (enum budget_class)at;
	if (!word_find(budget_resource_words, resource, &at))
		return false;
	l.resource = (enum budget_resource)at;
	if (!num_digits(value, &l.value) || l.value > INT64_MAX ||
		!budget_unit(l.resource, line, &scale))
		return false;
	l.amount = l.value > UINT64_MAX / scale ? UINT64_MAX : l.value * scale;
	*ret_limit = l;
	return true;
}

bool
budget_limits_read(
	const struct str *lines, uint32_t count, struct budget *ret_budget)
{
	struct budget b = { .count = 0 };

	if (count > BUDGET_LIMITS_MAX)
		return false;
	for (; b.count < count; b.count++) {
		if (!budget_limit_read(lines[b.count], &b.limits[b.count]))
			return false;
	}
	*ret_budget = b;
	return true;
}

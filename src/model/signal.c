#include "model/signal.h"

#include "base/die.h"

const char *const signal_flag_words[] = { "false", "true", NULL };
const char *const signal_cohesion_words[] = { "cohesive", "mixed",
	"independent", NULL };
const char *const signal_uncertainty_words[] = { "known", "material", NULL };
const char *const signal_reversibility_words[] = { "reversible", "costly",
	"irreversible", NULL };
const char *const signal_radius_words[] = { "local", "multi_surface",
	"external", NULL };
const char *const signal_oracle_words[] = { "declared", "strong", "weak",
	"absent", NULL };
const char *const signal_pressure_words[] = { "low", "medium", "high", NULL };
const char *const signal_effect_words[] = { "none", "reversible",
	"irreversible", NULL };

static const struct {
	const char *word;
	const char *const *values;
} signals[SIGNAL_COUNT] = {
#define ROW(name, word, values) [name] = { word, values },
	SIGNAL_MAP(ROW)
};

static const char *const refused[] = { "agent", "canvas", "model", "model_name",
	"provider", "worker_count", "workers", NULL };

struct str
signal_word(enum signal signal)
{
	assert(signal < SIGNAL_COUNT);
	return str_from(signals[signal].word);
}

const char *const *
signal_values(enum signal signal)
{
	assert(signal < SIGNAL_COUNT);
	return signals[signal].values;
}

bool
signal_find(struct str name, enum signal *ret_signal)
{
	for (size_t i = 0; i < SIGNAL_COUNT; i++) {
		if (str_eq(str_from(signals[i].word), name)) {
			*ret_signal = (enum signal)i;
			return true;
		}
	}
	return false;
}

bool
signal_value_find(enum signal signal, struct str word, uint32_t *ret_value)
{
	const char *const *values = signal_values(signal);

	for (uint32_t i = 0; values[i] != NULL; i++) {
		if (str_eq(str_from(values[i]), word)) {
			*ret_value = i;
			return true;
		}
	}
	return false;
}

bool
is_signal_refused(struct str name)
{
	for (size_t i = 0; refused[i] != NULL; i++) {
		if (str_eq(str_from(refused[i]), name))
			return true;
	}
	return false;
}

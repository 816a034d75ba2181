/*
 * driver_rules: what the files of the kit's rules share.
 *
 * Files: driver_rules.c (the table, the conversation, how attempts start),
 * driver_rules_run.c (from there to their end).
 */
#ifndef PAWL_ENGINE_DRIVER_RULES_H
#define PAWL_ENGINE_DRIVER_RULES_H

#include "engine/driver_kit.h"

/* Workers, for sh; each says first that it ran. */
#define KIT_RAN "cat >/dev/null; echo ran >>ran; "
#define KIT_QUICK KIT_RAN "exit 0"
#define KIT_LONG KIT_RAN "echo $$ >worker; sleep 60 & echo $! >child; wait"

enum { KIT_SETTLE_MS = 300 };

bool rule_is_word(struct str word, const char *want);

bool rule_says_nothing_new(struct driver_kit *k);
bool rule_shows_signs_of_life(struct driver_kit *k);
bool rule_tells_how_it_ended(struct driver_kit *k);
bool rule_ends_it_at_its_deadline(struct driver_kit *k);
bool rule_brings_results(struct driver_kit *k);
bool rule_releases_what_runs(struct driver_kit *k);
bool rule_releases_again(struct driver_kit *k);
bool rule_releases_what_never_began(struct driver_kit *k);
bool rule_leaves_alone_what_isnt_its_own(struct driver_kit *k);
bool rule_leaves_no_descendants(struct driver_kit *k);
bool rule_sends_once(struct driver_kit *k);
bool rule_proves_absence(struct driver_kit *k);
bool rule_doesnt_prove_what_it_doesnt_know(struct driver_kit *k);
bool rule_lets_workers_live_on_at_its_end(struct driver_kit *k);
bool rule_lets_workers_live_on_when_killed(struct driver_kit *k);

#endif

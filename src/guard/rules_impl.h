/* SPDX-License-Identifier: Apache-2.0 */
/* guard/ only: the compiled rules. */
#pragma once

#include "guard/limits.h"
#include "guard/rules.h"

enum guard_scope { SCOPE_SESSION, SCOPE_WORKSPACE, SCOPE_USER, SCOPE_N };

struct crule {
	const struct guard_rule *rule;
	struct limits *limits;	       /* NULL: none */
	struct shell_pattern *command; /* rules about commands */
	enum guard_scope scope;
	size_t weight;	 /* of command */
	char first;	 /* of a pattern that is held against a whole line, 0: any */
	uint16_t bucket; /* of the first word, plus one; 0: that is not fixed */
	uint64_t needs;	 /* bits of words that a certain command must hold, see word_bit() */
};

/* Indices of rules. */
struct rule_list {
	uint32_t *v;
	size_t n;
};

#define RULE_BUCKETS 1024 /* by the first word of a command */

struct guard_rules {
	struct crule *v;
	size_t n;
	struct rule_list effects[EFFECT_N]; /* strongest scope first */
	struct rule_list words[RULE_BUCKETS];
	struct rule_list advice;	 /* those that decide nothing */
	struct rule_list whole;		 /* patterns that are held against a whole line */
	struct rule_list any_word;	 /* about commands whose first word is not fixed */
	bool commands;			 /* there are rules about commands */
	struct shell_pattern **excluded; /* C6 */
	struct origin *excluded_from;
	size_t n_excluded;
	enum guard_template template;
	struct {
		enum decision decision;
		const char *row;
		struct origin origin;
	} defaults[EFFECT_N];
	struct guard_opinion modes[MODE_ORCHESTRATE + 1][EFFECT_N];
};

/* A rule that has its say now: not over, not advisory. */
bool rule_counts(const struct crule *c, int64_t now);

/* Does it only tighten? */
static inline bool rule_is_floor(const struct guard_rule *r)
{
	return r->tightens || (r->anywhere && r->decision != VERDICT_ALLOW);
}

/* The rule's word, as it fits. floor: it only tightens. */
struct guard_opinion rule_opinion(const struct crule *c, bool floor, enum guard_fit fit);
/* The bit of a word: what a rule fixes behind its first word is looked for in a command's words by
 * bits alone, which passes most rules over. */
uint64_t word_bit(const char *word, size_t len);

/* Of the first word of a command. */
unsigned rule_bucket(const char *word, size_t len);

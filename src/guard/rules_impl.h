/* SPDX-License-Identifier: Apache-2.0 */
/* guard/ only: the compiled rules. */
#pragma once

#include "guard/index.h"
#include "guard/limits.h"
#include "guard/rules.h"

enum guard_scope { SCOPE_SESSION, SCOPE_WORKSPACE, SCOPE_USER, SCOPE_N };

struct crule {
	const struct guard_rule *rule;
	struct limits *limits;	       /* NULL: none */
	struct shell_pattern *command; /* rules about commands */
	enum guard_scope scope;
	size_t weight; /* of command */
};

/* Indices of rules. */
struct rule_list {
	uint32_t *v;
	size_t n;
};

struct guard_rules {
	struct crule *v;
	size_t n;
	struct rule_list effects[EFFECT_N]; /* strongest scope first */
	/* About commands: found by any word of one that is certain, else by its first word. */
	struct rule_index commands, first;
	struct rule_index whole;	 /* patterns that are held against a whole line */
	struct rule_index advice;	 /* those that decide nothing */
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

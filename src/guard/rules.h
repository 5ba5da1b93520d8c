/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of a policy, compiled for asking: the resolver's pure half. The same functions
 * answer before a command runs, "berm check" and what-if. */
#pragma once

#include "guard/facts.h"
#include "guard/verdict.h"

struct guard_rules;

/* Compiles. The policy's rules must live as long as the result. base, home: what relative
 * paths and "~/" of limits start from. Errors name the rule's origin. */
int guard_rules_new(const struct guard_policy *g, const char *base, const char *home,
		    struct guard_rules **ret, struct berm_err *err);
void guard_rules_free(struct guard_rules *r);

/* One effect. In this order:
 *  1. rules that are over, and advisory ones, decide nothing;
 *  2. scopes: session (command line), workspace (local, project), user. In the first that has a
 *     rule for the effect, one with limits goes before one without, the strictest of equals;
 *     a limit that the facts do not answer makes an ask of what weaker scopes allow;
 *  3. else data/guard-defaults;
 *  4. then, stricter only: the mode, managed rules, rules of files that are not trusted, and
 *     "anywhere" ones. */
void guard_resolve_effect(const struct guard_rules *r, enum effect e, const struct guard_facts *f,
			  enum mode mode, int64_t now, struct guard_opinion *ret);

/* The rules about commands, on one part of a line: the first scope with a match, in it the longest
 * prefix, the strictest of equals; then, stricter only, the rules that only tighten. false: no
 * rule has an opinion. line: the text that the part is of, NULL none; rules with a
 * pattern that deny or ask are held against the whole as well. */
bool guard_resolve_command(const struct guard_rules *r, const struct shell_part *part, int64_t now,
			   struct guard_opinion *ret);
bool guard_resolve_whole(const struct guard_rules *r, const char *line, int64_t now,
			 struct guard_opinion *ret);

/* Rules that decided nothing but want to be recorded: the first advisory one that fits. NULL
 * none. */
const struct guard_rule *guard_advice(const struct guard_rules *r, effects_t effects,
				      const struct guard_facts *f, int64_t now);

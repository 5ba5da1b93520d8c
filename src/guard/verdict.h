/* SPDX-License-Identifier: Apache-2.0 */
/* What a question to the guard is answered with: a decision, and who says so. */
#pragma once

#include "policy/guard.h"

enum guard_source {
	GUARD_FROM_DEFAULT,	/* data/guard-defaults */
	GUARD_FROM_RULE,	/* a rule of the session, the workspace or the user */
	GUARD_FROM_FLOOR,	/* a rule that only tightens: managed, untrusted, "anywhere" */
	GUARD_FROM_MODE,	/* data/guard-modes, data/commands-readonly */
	GUARD_FROM_LIST,	/* data/commands-deny, data/commands-ask */
	GUARD_FROM_DOUBT,	/* what cannot be read, or could be something that is denied */
	GUARD_FROM_AUTO,	/* runs in the sandbox, and no rule speaks against it */
	GUARD_FROM_UNSANDBOXED, /* would run outside, and no rule allows it */
	GUARD_FROM_OVERRIDE,	/* the call asked to run outside */
	GUARD_FROM_AUTONOMY,	/* the dial changed an ask */
	GUARD_FROM_NOBODY,	/* an ask that nobody can answer */
};

struct guard_opinion {
	enum decision decision;
	enum guard_source source;
	const struct guard_rule *rule; /* NULL: none */
	const char *row;	       /* of a list in data/, NULL none */
	struct origin origin;	       /* of rule or row; file NULL: none */
	const char *reason;	       /* static text, never NULL */
};

/* Bigger is stricter. */
static inline int decision_rank(enum decision d)
{
	return d == VERDICT_DENY ? 2 : d == VERDICT_ASK;
}

/* Puts b in a's place when it is stricter. */
static inline void opinion_tighten(struct guard_opinion *a, const struct guard_opinion *b)
{
	if (decision_rank(b->decision) > decision_rank(a->decision))
		*a = *b;
}

/* "rule", "mode", ... for programs. */
const char *guard_source_name(enum guard_source s);

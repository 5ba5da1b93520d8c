/* SPDX-License-Identifier: Apache-2.0 */
/* The guard where programs really start: what a script, make or eval hid from the line's
 * reader is an argument list here. Only rules that somebody wrote count, and only those that
 * deny or ask: what lists and defaults would say of a line that a person sees is no reason to
 * stop a build's `dd`. Pure. */
#pragma once

#include "guard/extract.h"
#include "guard/rules.h"

/* Is there any rule that could say something? Cheap; safe between vfork and exec. */
bool guard_at_exec_wanted(const struct guard_policy *g);

struct guard_exec {
	const char *const *argv; /* argv[0] is the program as it is called, by its path */
	size_t n;
	bool more; /* there are arguments that were not looked at */
	struct guard_place place;
	enum mode mode;
	int64_t now; /* seconds since 1970 */
};

/* Judges. ret->decision is VERDICT_ALLOW when no such rule speaks. Returns 0 or -ENOMEM. */
int guard_at_exec(const struct guard_rules *r, const struct guard_policy *g,
		  const struct guard_exec *x, struct guard_opinion *ret, struct berm_err *err);

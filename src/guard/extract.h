/* SPDX-License-Identifier: Apache-2.0 */
/* What a command's words say about paths, branches and hosts: the facts that limits of rules are
 * held against. What is not certain is left open ("more"), never guessed. */
#pragma once

#include "base/str.h"
#include "guard/facts.h"

/* Where a command runs. Everything is borrowed. */
struct guard_place {
	const char *cwd;	  /* absolute */
	const char *home;	  /* of the user */
	const char *const *roots; /* the writable roots, canonical */
	size_t n_roots;
};

struct guard_extract {
	struct guard_facts facts; /* points into the rest */
	struct strv paths, refs;
	struct guard_host *hosts;
	size_t n_hosts;
	bool writes_outside; /* a redirection surely writes outside the roots */
};

/* moved: an earlier part of the line may have changed the directory. Returns 0 or -ENOMEM. */
int guard_extract(const struct shell_part *part, const struct guard_place *place, bool moved,
		  struct guard_extract *ret);
void guard_extract_free(struct guard_extract *e);
#define _cleanup_extract_ _cleanup_(guard_extract_free)

/* Does the part change the directory of those that follow? */
bool guard_moves(const struct shell_part *part);

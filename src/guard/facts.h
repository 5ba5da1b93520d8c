/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of an action's arguments: the values that a rule's limits are held against.
 * "more" says that there may be others than those listed; a facet of which nothing is known
 * has no values and more. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/host.h"
#include "shell/shell.h"

struct guard_names {
	const char *const *v;
	size_t n;
	bool more;
};

struct guard_host {
	struct host host;
	uint16_t port;
};

struct guard_facts {
	struct guard_names paths; /* absolute, normalised */
	struct guard_names refs;  /* short: "main", "feature/x" */
	const struct guard_host *hosts;
	size_t n_hosts;
	bool more_hosts;
	const struct shell_part *command; /* NULL: the action is no command */
	int64_t count, cents;		  /* -1: not known */
};

/* Nothing is known. */
#define GUARD_FACTS_NONE                           \
	((struct guard_facts){ .paths.more = true, \
			       .refs.more = true,  \
			       .more_hosts = true, \
			       .count = -1,        \
			       .cents = -1 })

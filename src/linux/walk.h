/* SPDX-License-Identifier: Apache-2.0 */
/* The processes below one, from the host's /proc/PID/task/TID/children (proc(5)), so that the cost
 * depends on these alone. What is read there the sandbox may change meanwhile. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct walk {
	int32_t *pids; /* freed by the caller */
	size_t n, cap;
};

/* Adds the children of a thread: an entry of the directory /proc/PID/task. Those of one that is
 * gone are none. 0 or a negative errno (-E2BIG: there are too many). */
int walk_add_children(struct walk *k, int tasks, const char *thread);

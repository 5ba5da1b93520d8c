/* SPDX-License-Identifier: Apache-2.0 */
/* Names to addresses, as the host sees them: getaddrinfo(3) in a few threads that are made
 * when there is work, one question for all who ask at once, answers kept for seconds. */
#pragma once

#include "egress/broker.h"
#include "policy/host.h"

#define RESOLVED_MAX 16

struct resolved {
	int err; /* 0, or a negative errno: -ENOENT no such name, -EAGAIN no answer */
	unsigned n;
	struct ip_addr ip[RESOLVED_MAX];
};

/* Embedded in who waits. */
struct lookup {
	struct lookup *prev, *next; /* NULL: does not wait */
	/* r is valid during the call only. */
	void (*resolved)(struct lookup *l, const struct resolved *r);
};

/* Must come before the confinement. Returns 0 or a negative errno. */
int resolver_init(struct broker *b);

/* 0: *ret holds the answer until the loop's next turn; -EINPROGRESS: l->resolved is called
 * later; another negative errno. */
int resolve(struct broker *b, struct lookup *l, const char *name, const struct resolved **ret);
/* Waits no longer. */
void resolve_leave(struct lookup *l);

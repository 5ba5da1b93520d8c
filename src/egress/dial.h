/* SPDX-License-Identifier: Apache-2.0 */
/* Connects to the first of several addresses that answers (RFC 8305): a new one is tried
 * when the last failed, or has not answered for a quarter of a second. */
#pragma once

#include "egress/broker.h"
#include "egress/resolve.h"

#define DIAL_TRIES 4

struct dial_try {
	struct watch watch;
	struct dial *dial;
	uint8_t index;
};

struct dial {
	struct dead dead;
	struct broker *b;
	void *owner;
	struct timer timer;
	struct dial_try tries[DIAL_TRIES];
	struct ip_addr ip[RESOLVED_MAX];
	uint8_t n, at;
	bool has_given; /* given is used instead of a new socket (one address only); taken */
	uint16_t port;
	int given;
	int err;	/* the first failure */
	uint64_t until; /* gives up */
	/* err 0: the connection is d->tries[i].watch, in the loop. Called once; never from
	 * dial_start(). */
	void (*done)(struct dial *d, int err, struct dial_try *t);
};

/* b, ip, n, port and done are set. Returns 0 or a negative errno (-EMFILE, ...). */
int dial_start(struct dial *d);
/* Closes what is open. */
void dial_stop(struct dial *d);
/* The connection goes on to another watch, whose "on" is set; events come anew. Returns 0 or
 * a negative errno. */
int dial_move(struct loop *l, struct watch *from, struct watch *to);

/* SPDX-License-Identifier: Apache-2.0 */
/* Two sockets and the bytes between them: half-close kept, resets passed on, nothing held
 * longer than it must be. What the client says first is judged (first.h) where the rule
 * was about a name. */
#pragma once

#include "egress/aim.h"
#include "egress/loop.h"

struct http;
struct conn;

struct relay_args {
	int client;	   /* taken */
	struct watch *up;  /* in the loop; taken */
	struct aim *aim;   /* a reference of its own is made */
	bool check;	   /* the client's first flight is judged */
	struct http *http; /* taken: an accepted request of a proxy's client; check is true */
	const void *reply; /* goes to the client first */
	size_t reply_len;
	const void *ready; /* goes to the server first: judged */
	size_t ready_len;
	const void *held; /* what the client said already, not judged */
	size_t held_len;
};

/* Makes the list. Returns 0 or -ENOMEM. */
int relay_init(struct broker *b);

/* Takes what it is given also when it fails; a failure resets the client. */
int relay_start(struct broker *b, const struct relay_args *args);

/* How many are open. */
unsigned relay_count(const struct broker *b);
/* Ends all that are open; for the end of the session. */
void relay_end_all(struct broker *b);
/* The rules changed: with config->cut, what they refuse now is closed. */
void relay_rejudge(struct broker *b);

/* Closes so that the other side gets a reset. */
void close_reset(int fd);

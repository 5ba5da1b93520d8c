/* SPDX-License-Identifier: Apache-2.0 */
/* Messages that wait for a SEQPACKET socket whose reader is slow (a warden that is
 * stopped with its terminal, a broker under load). The steward never blocks; what does
 * not fit is lost and counted, and answers come before reports. */
#pragma once

#include <poll.h>
#include <stddef.h>
#include <sys/types.h>

#define OUTBOX_MAX (256u * 1024u) /* bytes that wait at most, of one socket */

struct outbox_msg {
	struct outbox_msg *next;
	int fd; /* goes with it, -1 none; owned */
	size_t len;
	char data[];
};

struct outbox {
	int sock; /* not owned */
	struct outbox_msg *first, **last;
	size_t bytes;
	unsigned long lost;
	int broken; /* negative errno: the reader is gone */
};

/* Nothing waits. */
void outbox_init(struct outbox *o, int sock);
void outbox_free(struct outbox *o);

/* Sends now or later. fd (-1: none) is taken over. must: also beyond the limit, for answers
 * that somebody waits for. Returns 0, or a negative errno when it is lost. */
int outbox_send(struct outbox *o, const void *data, size_t len, int fd, int must);

/* Sends what can be sent without waiting. */
void outbox_flush(struct outbox *o);

/* The events to poll the socket for, beside POLLIN. */
static inline short outbox_events(const struct outbox *o)
{
	return o->first && !o->broken ? POLLOUT : 0;
}

/* One SEQPACKET message with at most one descriptor, without waiting. 0 or negative errno. */
int outbox_send_now(int sock, const void *data, size_t len, int fd);

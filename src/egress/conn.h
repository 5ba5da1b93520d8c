/* SPDX-License-Identifier: Apache-2.0 */
/* One relayed connection, as relay.c, pump.c and first.c see it. */
#pragma once

#include "egress/relay.h"

struct first;

/* One of the two sockets. */
struct end {
	struct watch watch;
	bool in, out; /* readiness that is not used up */
	bool hup;     /* the peer has ended or reset: read until that shows */
};

struct pipe_pair {
	struct pipe_pair *next;
	int fd[2];
};

/* One of the two directions. */
struct way {
	struct pipe_pair *pipe; /* only while bytes are in it */
	uint32_t in_pipe;
	uint32_t off, len; /* of the stash */
	uint32_t size;	   /* as it was allocated */
	uint8_t *stash;	   /* bytes that the receiver did not take */
	uint64_t bytes;
	uint32_t own; /* of them, so many are ours */
	bool bulk;    /* much is coming: splice */
	bool eof;     /* the sender has ended */
	bool ended;   /* the receiver knows */
	bool broken;  /* the receiver takes nothing any more: what comes is thrown away */
};

struct conn {
	struct dead dead;
	struct broker *b;
	struct conn *prev, *next;
	struct later again;
	struct timer timer; /* of the first flight */
	struct end client, up;
	struct way to_up, to_client;
	struct aim *aim;
	struct first *first; /* NULL: what the client says goes on unread */
	uint64_t start;
	bool one_answer; /* the end of the server's answer is the end */
	bool gone;
};

enum pump_result {
	PUMP_WAIT,  /* for readiness */
	PUMP_MORE,  /* others first */
	PUMP_ENDED, /* this direction is over */
	PUMP_RESET, /* the sender was reset, or went wrong */
};

/* The pool of pipes and the buffer that everybody reads into. */
#define PUMP_BUF 65536u
extern uint8_t pump_buf[PUMP_BUF];

/* Moves what can be moved. */
enum pump_result pump(struct conn *k, struct way *w, struct end *from, struct end *to);
/* Sends, and keeps what the receiver does not take. Returns 0 or -ENOMEM. */
int pump_send(struct way *w, struct end *to, const void *data, size_t len);
/* What was kept goes first. PUMP_ENDED: nothing is kept. */
enum pump_result pump_flush(struct way *w, struct end *to);
/* One recv(2) that keeps the books. As recv(2); -EAGAIN when nothing is there. */
ssize_t pump_recv(struct end *from, void *dst, size_t size);
/* Gives back what a direction holds. */
void pump_drop(struct way *w);

/* Refuses what the client said: text goes to it (NULL: a reset), the event is told. */
void conn_refuse(struct conn *k, const char *reason, const void *text, size_t len);
/* Both sides are reset. */
void conn_abort(struct conn *k);

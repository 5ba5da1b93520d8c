/* SPDX-License-Identifier: Apache-2.0 */
/* A terminal that outlives who looks at it: one command's terminal, its last output, and any
 * number of viewers that come and go.
 *
 * Each viewer reads the ring at its own pace: one that never reads holds up nobody, and begins
 * anew where the ring has gone past it. What a viewer gets has passed the filter of terminals, its
 * own one. Questions to the terminal reach one viewer alone, the one that typed last (else several
 * would answer), and nobody in what is only replayed.
 *
 * The size is the smallest of all viewers that may type, in rows and in columns: what is written
 * fits everywhere. Without viewers it stays as it was.
 *
 * Viewers are of the terminal's own user; still every message is looked at. */
#pragma once

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PTY_MAGIC 0x31595450u
#define PTY_DATA_MAX 4096 /* of input, in one message */
#define PTY_VIEWERS 32
#define PTY_POLLS (PTY_VIEWERS + 1)

enum pty_type {
	PTY_ATTACH = 1,	 /* first: rows, columns; flags: 1 only looks */
	PTY_INPUT,	 /* bytes */
	PTY_RESIZE,	 /* rows, columns */
	PTY_OUTPUT = 64, /* bytes */
	PTY_EXITED,	 /* a: the status for the shell; the last message */
};

/* One message of a SOCK_SEQPACKET socket; bytes follow. */
struct pty_msg {
	uint32_t magic;
	uint32_t type;
	int32_t a, b;
	uint32_t flags;
};

struct pty_hub;

/* master: the terminal's, which becomes the hub's. filtered: viewers do not get what the filter
 * leaves out. awaited: the first viewer is on its way already; it sees all from the beginning, as
 * if it had been there, with questions and on the screen as it is. NULL: no memory. */
struct pty_hub *pty_hub_new(int master, size_t scrollback, bool filtered, bool awaited);
void pty_hub_free(struct pty_hub *h);

/* A viewer's socket, which becomes the hub's. -EBUSY: there are too many. */
int pty_hub_add(struct pty_hub *h, int fd);

/* How many viewers have said PTY_ATTACH. */
size_t pty_hub_viewers(const struct pty_hub *h);

/* Up to PTY_POLLS entries; returns how many. */
size_t pty_hub_poll(const struct pty_hub *h, struct pollfd *p);
/* Milliseconds after which pty_hub_ready() is to be called all the same, -1 never: nobody may have
 * the command's side of the terminal open, which polls as an end and can be over at any time. */
int pty_hub_timeout(const struct pty_hub *h);
void pty_hub_ready(struct pty_hub *h, const struct pollfd *p, size_t n);

/* The command has ended: what it wrote is taken in, and viewers are told when they have it. */
void pty_hub_exited(struct pty_hub *h, int status);

/* After that: nobody is left who would still read. */
bool pty_hub_done(const struct pty_hub *h);

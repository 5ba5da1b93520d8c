/* SPDX-License-Identifier: Apache-2.0 */
/* One client that speaks JSON lines, over a pair of descriptors or a socket. */
#pragma once

#include <poll.h>
#include <stdbool.h>

#include "session/client_proto.h"

#define CLIENT_TX_MAX (1024u * 1024u)

struct line_client {
	int in, out; /* -1: none. May be the same */
	bool dead;   /* at its end, or it broke the protocol: it answers nothing any more */
	struct buf rx, tx;
	size_t sent;
};

/* Takes the descriptors over. */
void line_client_init(struct line_client *c, int in, int out);
/* Closes the descriptors. */
void line_client_free(struct line_client *c);

/* Sends the question; that it is over. */
void line_client_show(struct line_client *c, const struct ask *q);
void line_client_cancel(struct line_client *c, uint32_t id);

/* Fills up to 2 entries. */
size_t line_client_poll(const struct line_client *c, struct pollfd *p);
void line_client_write(struct line_client *c);

/* Reads what is there and calls answer() for each answer. */
void line_client_read(struct line_client *c,
		      void (*answer)(void *ctx, const struct client_msg *m, const char *line,
				     size_t len),
		      void *ctx);

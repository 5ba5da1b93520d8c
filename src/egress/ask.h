/* SPDX-License-Identifier: Apache-2.0 */
/* Questions to a person, through the steward: one for each (host, port), however many
 * connections wait for it; and the answers of the session. */
#pragma once

#include "egress/broker.h"
#include "egress/proto.h"
#include "egress/tuple.h"

struct asker;
struct ask;

/* Embedded in who waits. */
struct asker {
	struct asker *prev, *next;
	struct ask *ask; /* NULL: does not wait */
	/* d: VERDICT_ASK when nobody answered; reason: static text for a refusal. */
	void (*answered)(struct asker *w, enum decision d, const char *reason);
};

/* Makes the table. Returns 0 or -ENOMEM. */
int asks_init(struct broker *b);

/* What was answered for the rest of the session: 1 yes, -1 no, 0 nothing. */
int asks_known(struct broker *b, const struct host *h, uint16_t port);

/* w->answered is called later, once. Returns 0, -ENOMEM, or -ENOBUFS when too many wait. t NULL:
 * nobody's socket is known. */
int asks_wait(struct broker *b, struct asker *w, const struct host *h, uint16_t port,
	      enum eg_how how, const struct tuple *t);
/* Waits no longer. */
void asks_leave(struct broker *b, struct asker *w);

/* EG_ANSWER. */
void asks_answer(struct broker *b, uint32_t id, enum decision d, bool session);
/* The rules changed: questions that they answer now are answered. */
void asks_rejudge(struct broker *b);

/* SPDX-License-Identifier: Apache-2.0 */
/* Where connections go, and what came of them. Alike ones (host, port, way, decision, rule,
 * errno) of one second share an aim: who asked is looked up once for them, and they
 * are told together. */
#pragma once

#include "egress/broker.h"
#include "egress/proto.h"
#include "egress/tuple.h"

/* Embedded in who waits for what is known of the command's process. */
struct aim_waiter {
	struct aim_waiter *prev, *next; /* NULL: does not wait */
	void (*known)(struct aim_waiter *w);
};

struct aim {
	struct dead dead;
	struct broker *b;
	struct aim *hnext;
	struct aim *next, **link; /* of all */
	struct timer flush;
	struct timer who_limit;
	struct aim_waiter waiting; /* head of a ring */
	uint64_t born;
	uint32_t hash, refs;
	bool listed;
	bool is_ip;
	bool by_address; /* an address rule or an answer about an address let it through: what is
			  * said inside (SNI, Host) names nothing that was judged */
	bool answered;	 /* a person's answer */
	uint8_t who;	 /* enum aim_who */
	uint8_t how;	 /* enum eg_how */
	uint8_t decision;
	uint16_t port;
	int32_t rule;
	int32_t err;
	uint32_t id, inode;
	int32_t pid;
	char *exe;
	const char *reason; /* static text */
	/* not told yet */
	uint32_t count, ms;
	uint64_t up, down;
	struct ip_addr addr; /* the one dialled last */
	bool has_addr;
	char name[];
};

enum aim_who { AIM_WHO_NONE, AIM_WHO_ASKED, AIM_WHO_KNOWN, AIM_WHO_LOST };

/* Makes the table. Returns 0 or -ENOMEM. */
int aims_init(struct broker *b);

/* Finds or makes; one reference is the caller's. NULL: no memory. */
struct aim *aim_get(struct broker *b, const struct aim *like, const struct host *h);
struct aim *aim_ref(struct aim *a);
void aim_unref(struct aim *a);

/* Asks who owns the command's end, unless it was asked already; proto: IPPROTO_TCP or _UDP. */
void aim_ask_who(struct aim *a, const struct tuple *t, int proto);
/* A refusal is held back until the steward has looked at the process, which may be gone right
 * after it: w->known is called then, or a moment later at the latest. false: nothing to wait
 * for. */
bool aim_wait_who(struct aim *a, struct aim_waiter *w);
/* Waits no longer. */
void aim_leave_who(struct aim_waiter *w);
/* EG_WHO_IS. */
void aims_who_is(struct broker *b, uint32_t id, int32_t pid, const char *exe, size_t len);

/* One connection was refused, or has ended. */
void aim_count(struct aim *a, uint32_t ms, uint64_t up, uint64_t down);
/* One that went wrong with another errno or reason than the aim's. */
void aim_count_err(struct aim *a, enum decision d, int err, const char *reason);

/* The rules changed: finds those that are meant among the new ones. */
void aims_rejudge(struct broker *b);

/* Tells all that is not told yet. */
void aims_flush_all(struct broker *b);

/* host as judged. */
void aim_host(const struct aim *a, struct host *ret);

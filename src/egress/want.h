/* SPDX-License-Identifier: Apache-2.0 */
/* Somebody inside wants to connect: judged, asked about, resolved, guarded and dialled. The
 * gate, the lower rungs and both proxies all come through here. */
#pragma once

#include "egress/aim.h"
#include "egress/ask.h"
#include "egress/dial.h"
#include "egress/resolve.h"

struct tunnel; /* tunnel.c: through the corporate proxy */

struct want {
	struct broker *b;
	struct host host;
	struct tuple tuple; /* of the command's own socket */
	uint16_t port;
	uint8_t how; /* enum eg_how */
	bool answered;
	struct aim *aim;    /* set from the first judgement on; a reference */
	const char *reason; /* of a failure, static text, or NULL */
	struct asker asker;
	struct lookup lookup;
	struct dial *dial;
	struct tunnel *tunnel;
	struct watch up; /* done: the connection, in the loop; nobody listens to it yet */
	/* err 0, or a negative errno: -EACCES refused by the rules (told already). Called once,
	 * perhaps from want_start(). */
	void (*done)(struct want *w, int err);
};

/* b, host, tuple, port, how and done are set, the rest is zeros. */
void want_start(struct want *w);
/* Gives up; releases what it holds (also after done). */
void want_stop(struct want *w);

/* Which host is meant by an address inside: a synthetic one stands for its name. false: one that
 * no name was given. */
bool want_host(struct broker *b, const struct ip_addr *ip, struct host *ret);

/* Only the judgement, for DNS: VERDICT_ALLOW also for what would be asked about. Tells denials;
 * *ret_aim is one's aim, a reference, or NULL. *ret_reason is static text. */
enum decision want_judge_name(struct broker *b, const struct host *h, const struct tuple *t,
			      int proto, const char **ret_reason, struct aim **ret_aim);

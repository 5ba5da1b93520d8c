/* SPDX-License-Identifier: Apache-2.0 */
/* The steward's files among themselves. */
#pragma once

#include <poll.h>
#include <sys/types.h>

#include "egress/proto.h"
#include "linux/record.h"
#include "plan/net_kit.h"
#include "policy/net.h"
#include "session/approver.h"
#include "session/ask.h"
#include "session/control.h"
#include "session/internal.h"
#include "session/outbox.h"
#include "session/settings_watch.h"
#include "session/who.h"

struct steward {
	struct session *s;
	const struct spec *spec;
	struct net_kit *kit;

	int warden;
	struct outbox to_warden;
	bool ending; /* the session is over: what is left is told until end_ms */
	long long end_ms;

	/* The broker: not started, running, or gone for good. */
	int broker; /* -1 unless it runs */
	pid_t broker_pid;
	struct outbox to_broker;
	bool broker_gone;

	/* What is in force, and what was before it: rule numbers of either may come in. */
	const struct net_policy *policy, *before;
	struct spec *policy_owner, *before_owner; /* NULL: the session's own spec */

	struct ask_queue asks;
	struct approvers approvers;
	struct settings_watch watch;
	/* When it begins, 0: it has. The end of a watch waits for the kernel's readers, ten
	 * milliseconds and more, which a short command should not pay for. */
	long long watch_at;
	struct control control;
	struct who who;
};

/* ---- what the warden is told (steward_tell.c) ------------------------------- */

/* A struct net_record without its texts. */
struct tell {
	enum rec_type type;
	int pid, err, op;
	enum decision decision;
	bool answered;
	unsigned how, count, ms;
	uint64_t up, down;
	uint16_t port;
	/* NULL: "". In the order of struct net_record. */
	const char *host, *addr, *exe, *rule, *origin, *reason, *grant;
};
void tell_warden(struct steward *st, const struct tell *t);
void tell_degraded(struct steward *st, const char *what, const char *reason);
/* To the supervisor: the answer to its question. */
void tell_answer(struct steward *st, uint32_t id, const struct ask_answer *a);
/* "file:line" or "file" */
void origin_of(const struct origin *o, char *dst, size_t size);

/* ---- the broker (broker.c, steward_egress.c) --------------------------------- */

/* Starts it and sends the kit and the policy. The kit is closed here: only the broker has
 * it then. 0 or a negative errno. */
int broker_start(struct steward *st);
/* Sends the policy in force; 0 or a negative errno. */
int broker_config(struct steward *st);
/* Reads what it says. */
void broker_ready(struct steward *st);
void broker_answer(struct steward *st, uint32_t id, const struct ask_answer *a);
void broker_stop(struct steward *st);
/* It is gone: says so. */
void broker_lost(struct steward *st, const char *why);

/* ---- questions (steward_ask.c) ------------------------------------------------ */

/* what->waiter is answered, now or later. */
void steward_ask(struct steward *st, const struct ask_new *what);
void steward_unask(struct steward *st, enum ask_kind kind, uint32_t waiter);
/* There is no broker any more that could wait for an answer. */
void steward_unask_hosts(struct steward *st);
/* REC_ASK of the supervisor, lengths checked. */
void steward_file_ask(struct steward *st, const struct record *rec);
/* Time limits. */
void steward_ask_tick(struct steward *st, long long now_ms);
/* An approver has answered question id. */
void steward_answered(void *ctx, uint32_t id, const struct ask_answer *a);

/* ---- live policy (steward_policy.c) ------------------------------------------- */

/* Watches every file that rules come from. */
void policy_watch_start(struct steward *st);
/* Reads the settings again and tells the broker. */
void policy_reload(struct steward *st);
/* Reads what the control descriptor says. */
void policy_control_ready(struct steward *st);
/* Writes a lasting answer; false: it could not be (and the event says so). */
bool policy_write_answer(struct steward *st, const struct ask *a, const struct ask_answer *answer);

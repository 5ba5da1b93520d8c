/* SPDX-License-Identifier: Apache-2.0 */
/* Questions that wait for an answer (SPEC N7, G2, F10): may this host be connected to,
 * may this file be used? Alike ones are one question; the first answer wins; without one
 * it is a deny when the time is over. Pure: no descriptor, no clock of its own. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "policy/spec.h"

#define ASK_MAX 256	     /* different questions open at once */
#define ASK_WAITERS_MAX 4096 /* of one question */
#define ASK_KEPT_MAX 1024    /* answers that are remembered */
#define ASK_QUIET_MS 60000   /* a refusal answers the same question for so long */
#define ASK_COMMAND_MAX 512

enum ask_kind { ASK_NET, ASK_FILE };

/* How long an answer holds. */
enum ask_hold {
	HOLD_ONCE,
	HOLD_SESSION,
	HOLD_LOCAL, /* this workspace's local settings, and the session */
	HOLD_USER,  /* the user's settings, and the session */
};

struct ask {
	uint32_t id; /* ours: 1, 2, ... */
	enum ask_kind kind;
	int op;	      /* ASK_FILE: enum file_op */
	char *target; /* host, or path */
	uint16_t port;
	int pid;       /* of the host's numbering, 0 unknown */
	char *exe;     /* may be "" */
	char *command; /* the command line as it is shown: escaped, secrets masked; may be "" */
	char *rule, *origin, *reason;
	bool once;	   /* as in struct ask_new */
	uint32_t *waiters; /* ids of those that asked */
	size_t n_waiters;
	long long began_ms, end_ms;
};

struct ask_answer {
	enum decision decision; /* VERDICT_ALLOW or VERDICT_DENY */
	enum ask_hold hold;
	const char *by; /* who answered: "tty", "stdio", "nobody", "time", ... */
	bool answered;	/* false: nobody could be asked or nobody answered */
};

struct ask_kept {
	enum ask_kind kind;
	int op;
	char *target;
	uint16_t port;
	struct ask_answer answer;
	long long until_ms; /* 0: as long as the session */
};

struct ask_queue {
	struct ask *open[ASK_MAX];
	size_t n_open;
	struct ask_kept *kept;
	size_t n_kept, next_kept;
	uint32_t last_id;
};

/* What somebody asks. Everything is borrowed and copied. */
struct ask_new {
	enum ask_kind kind;
	int op;
	const char *target;
	uint16_t port;
	int pid;
	const char *exe, *command, *rule, *origin, *reason;
	bool once; /* whatever is answered, it holds for what asks only */
	uint32_t waiter;
};

void ask_queue_free(struct ask_queue *q);

/* An answer that holds already; NULL: none. */
const struct ask_answer *ask_known(const struct ask_queue *q, const struct ask_new *what,
				   long long now_ms);

/* The open question like this one, with the waiter added to it (*ret_new false), or a new one
 * (true). NULL: too many, or out of memory: it is to be denied. */
struct ask *ask_add(struct ask_queue *q, const struct ask_new *what, long long now_ms,
		    long long wait_ms, bool *ret_new);

/* By id; NULL: it is not open (any more). */
struct ask *ask_find(const struct ask_queue *q, uint32_t id);

/* A waiter does not wait any more. Returns its question when that has none left (the
 * caller tells the approvers and then closes it), else NULL. */
struct ask *ask_leave(struct ask_queue *q, enum ask_kind kind, uint32_t waiter);

/* The open question whose time is over, NULL none. */
struct ask *ask_overdue(const struct ask_queue *q, long long now_ms);
/* Milliseconds until then, -1: there is no open question. */
int ask_timeout(const struct ask_queue *q, long long now_ms);

/* Remembers the answer as long as it holds, takes the question out and frees it; its
 * waiters were told by the caller. */
void ask_close(struct ask_queue *q, struct ask *a, const struct ask_answer *answer,
	       long long now_ms);

/* The last answer to a question about this, also one that held once. NULL: none known. */
const struct ask_answer *ask_last(const struct ask_queue *q, enum ask_kind kind, int op,
				  const char *target, uint16_t port);

/* As events say it. */
const char *ask_hold_name(enum ask_hold h);

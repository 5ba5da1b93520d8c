/* SPDX-License-Identifier: Apache-2.0 */
/* Who may answer (SPEC G6): a person at the terminal, a client over a descriptor or a
 * socket, a leader through a mailbox. What they need is opened before the command runs;
 * they live in the steward. Several may be asked at once: the first answer wins, and who
 * is lost is not asked any more. */
#pragma once

#include <poll.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"
#include "policy/spec.h"
#include "session/ask.h"

#define APPROVERS_MAX 4
#define APPROVER_FDS_MAX 24

enum approver_kind { APPROVER_TTY, APPROVER_CLIENT, APPROVER_SOCKET, APPROVER_MAILBOX };

struct approver_setup {
	enum approver_kind kind;
	const char *name; /* for events: "tty", "stdio", "fd", "socket", "mailbox" */
	int in, out;	  /* may be the same; -1 none */
	char *path;	  /* of a socket (removed at the end) or mailbox */
	const char *session;
};

struct approver_setups {
	struct approver_setup v[APPROVERS_MAX];
	size_t n;
};

/* Opens what spec->approver names: "auto", "none", or a list of tty, stdio, fd:N, mailbox:DIR,
 * socket:PATH with commas between. A place that the command could reach is refused. 0 or a
 * negative errno; on failure nothing stays open. */
int approver_setups_open(struct approver_setups *a, const struct spec *spec, struct berm_err *err);
/* Closes the descriptors; ended: also removes what was made on disk. */
void approver_setups_close(struct approver_setups *a, bool ended);

/* ---- in the steward ------------------------------------------------------------ */

struct approvers;
struct approver;

struct approver_ops {
	/* Asks. false: nobody is there. */
	bool (*show)(struct approver *a, const struct ask *q);
	/* The question is answered, or nobody waits any more. */
	void (*forget)(struct approver *a, const struct ask *q);
	bool (*present)(const struct approver *a);
	size_t (*poll)(const struct approver *a, struct pollfd *p, size_t max);
	void (*ready)(struct approver *a, const struct pollfd *p, size_t n);
	int (*timeout)(const struct approver *a, long long now_ms); /* may be NULL */
	void (*tick)(struct approver *a, long long now_ms);	    /* may be NULL */
	void (*terminal)(struct approver *a, bool given);	    /* may be NULL */
	void (*close)(struct approver *a);			    /* the session is over */
};

struct approver {
	const struct approver_ops *ops;
	const char *name;
	struct approvers *set;
	size_t n_polled;
};

struct approvers {
	struct approver *v[APPROVERS_MAX];
	size_t n;
	void (*answered)(void *ctx, uint32_t id, const struct ask_answer *a);
	/* Asks the warden for the terminal (1) or gives it back (3). */
	void (*terminal)(void *ctx, unsigned what);
	void *ctx;
};

/* Makes them from what was opened; set->n is 0 when nobody is to be asked. */
void approvers_start(struct approvers *set, const struct approver_setups *from,
		     void (*answered)(void *ctx, uint32_t id, const struct ask_answer *a),
		     void (*terminal)(void *ctx, unsigned what), void *ctx);

/* false: there is nobody to ask. */
bool approvers_show(struct approvers *set, const struct ask *q);
void approvers_forget(struct approvers *set, const struct ask *q);
bool approvers_present(const struct approvers *set);
size_t approvers_poll(struct approvers *set, struct pollfd *p, size_t max);
void approvers_ready(struct approvers *set, const struct pollfd *p, size_t n);
int approvers_timeout(const struct approvers *set, long long now_ms);
void approvers_tick(struct approvers *set, long long now_ms);
void approvers_terminal(struct approvers *set, bool given);
void approvers_close(struct approvers *set);

/* For the implementations: the first answer to question id. */
void approver_answers(struct approver *a, uint32_t id, enum decision decision, enum ask_hold hold);

/* NULL: out of memory. in and out stay the setup's. */
struct approver *approver_tty_new(const struct approver_setup *s);
struct approver *approver_client_new(const struct approver_setup *s);
struct approver *approver_socket_new(const struct approver_setup *s);
struct approver *approver_mailbox_new(const struct approver_setup *s);

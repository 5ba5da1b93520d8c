/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of this folder only. */
#pragma once

#include "guard/audit.h"
#include "policy/resolve.h"
#include "session/approver.h"
#include "session/dedup.h"
#include "session/inside.h"
#include "session/refused.h"
#include "session/session.h"
#include "session/sink.h"

struct session {
	const struct spec *spec;
	struct sink sink;
	struct dedup dedup;
	bool dedup_ready; /* made by the first denial: most runs have none */
	uint64_t seq;
	uint64_t dropped; /* records that the supervisor could not send */
	uint64_t dropped_told;
	long long started_ms;
	const char *tier; /* NULL before it is known */
	const struct strv *lacks;
	int landlock_abi;
	const struct limits *limits; /* NULL: nobody has said */

	uint64_t left_out[TERM_KINDS]; /* by the terminal's filter */

	struct refused refused; /* hosts, for the summary */
	struct approver_setups approvers;
	const struct policy_input *input; /* to read the settings again; NULL: they are not */
	int broker;			  /* O_PATH on berm-egress, -1: it is not there */
	inside_run_fn *inside;		  /* NULL: no sandboxes inside (session/inside.h) */
	void *inside_ctx;
	bool nested; /* this is one */
	int control; /* --control's descriptor, -1 none */
	struct audit audit;
	bool audit_failed;	      /* and told */
	char last_policy_error[1024]; /* of the steward: told once */
};

/* Adds what limits are in force, and by what, to a line. */
void session_limits_member(const struct session *s, struct buf *b);

/* Is there an audit log that decisions are to be written to? */
bool session_audits(const struct session *s);

/* Adds an ended event line to it. A failure is told, once. */
void session_audit(struct session *s, const struct buf *line);

/* Opens the broker's program where this build or installation has it; -1. */
int broker_find(void);

/* An event line is begun with t, session, seq and event, and ended and sent. */
void session_line_begin(struct session *s, struct buf *b, const char *event);
void session_line_end(struct session *s, struct buf *b);

/* Ends and sends a line about a decision, to the events and to the audit log. */
void session_decision_end(struct session *s, struct buf *b);

/* Milliseconds of a clock that only goes forward. */
long long session_now_ms(void);

/* Texts of a denial. rule: what denied it; origin: where that was written;
 * grant: the smallest option that allows it, "" when there is none. */
struct denial_text {
	const char *action, *target, *syscall, *rule;
	char origin[1024];
	char grant[8192];
};

/* Fills ret, which points into d and the spec. Whatever numbers d holds, only what is
 * in range is looked up. */
void session_denial_text(const struct session *s, const struct denial *d, struct denial_text *ret);

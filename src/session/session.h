/* SPDX-License-Identifier: Apache-2.0 */
/* One session as its watchers see it: the event lines (SPEC S5, S6; documented in
 * docs/events.md) and the summary after the run. Everything that comes from the
 * sandbox is a fixed record whose lengths were checked by linux/. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "linux/record.h"
#include "linux/term_filter.h"
#include "policy/resolve.h"
#include "policy/spec.h"

struct session;

/* The spec must outlive the session. */
struct session *session_new(const struct spec *spec);
void session_free(struct session *s);

/* Turns event lines on, to what --events names (session/sink.h). */
int session_open_events(struct session *s, const char *target, struct berm_err *err);

/* The descriptor that event lines go to, -1 when there is none. */
int session_events_fd(const struct session *s);

/* Opens what the steward will need: the broker's program, and who may answer questions
 * (session/approver.h). in: what the spec was resolved from, for reading the settings
 * again; it must outlive the session. */
int session_open_network(struct session *s, const struct policy_input *in, struct berm_err *err);

/* Opens what --control names (session/control.h). */
int session_open_control(struct session *s, const char *target, struct berm_err *err);

/* "off", "allow", "open" */
const char *session_network_name(enum net_mode m);

/* Standard input and output are an approver's now: what was begun with them before must begin
 * anew. */
bool session_took_stdio(const struct session *s);

/* Opens the audit log, before this process can open nothing more. A failure is told. */
void session_open_audit(struct session *s);

/* Can somebody be asked? */
bool session_has_approver(const struct session *s);

/* Facts that are known before the start: backend ("native", "none"). */
void session_starting(struct session *s, const char *backend);

/* The tier that is in force, what the host lacks for a better one, and Landlock's ABI: for the
 * "ready" line. tier and lacks must outlive the session. */
void session_tier(struct session *s, const char *tier, const struct strv *lacks, int landlock_abi);

/* Something holds less than was asked for; what: which layer, detail: why. */
void session_degraded(struct session *s, const char *what, const char *detail);

/* The command was executed (pid: of the host); was stopped or went on (Ctrl-Z, fg). */
void session_ready(struct session *s, int pid);
void session_suspended(struct session *s, bool suspended);

struct limits; /* linux/limits_held.h */

/* By what the limits are held, for the "ready" line. Must outlive the session's last call. */
void session_limits(struct session *s, const struct limits *limits);

/* The end is brought about by a limit, or (LIMIT_COUNT) by somebody who wanted it. */
void session_killed(struct session *s, enum limit_kind why);

/* The same in words, with what would allow more; into dst. */
void session_limit_sentence(const struct spec *s, enum limit_kind why, char *dst, size_t size);

/* One record from the supervisor. */
void session_record(struct session *s, const struct record *rec);

/* One record about the network, a question or the policy, from the steward; its lengths were
 * checked, nothing else. */
void session_net_record(struct session *s, const struct net_record *rec);

/* What the filter left out of what the command wrote to its terminal: TERM_KINDS numbers. */
void session_terminal(struct session *s, const uint64_t *left_out);

/* Tells what has waited long enough; called now and then. */
void session_tick(struct session *s);

struct session_end {
	int status;	   /* exit status for the shell */
	int signal;	   /* 0: it exited by itself */
	const char *error; /* why the command did not run, NULL when it did */
};

/* The last event. Writes out what waits, for at most two seconds. */
void session_end(struct session *s, const struct session_end *what);

/* Prints what was denied, at most ten lines, to stderr. Nothing when nothing was. */
void session_summary(const struct session *s);

/* Writes out what waits without an end: the process is about to be replaced. */
void session_flush(struct session *s);

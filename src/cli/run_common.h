/* SPDX-License-Identifier: Apache-2.0 */
/* What berm run and berm start share (verb_run.c). */
#pragma once

#include "cli/run_opts.h"
#include "linux/launch.h"
#include "linux/limits_held.h"
#include "session/session.h"

static inline void cleanup_session_(struct session **s)
{
	session_free(*s);
}

/* One run in the sandbox, as the launch's callbacks know it. */
struct native_run {
	const struct run_opts *o;
	const struct spec *spec;
	struct session *session;
	struct strv lacks;
	struct limits limits;
};

/* What weakens the sandbox is said before anything is started. */
void run_print_notes(const struct run_opts *o, const struct spec *spec);

/* Decides by what the limits are held; what is held by less than the kernel is told.
 * Ends by limits_done(). */
int run_limits(struct native_run *run, bool warm, struct berm_err *err);

/* What is done with the launch's reports: they are the session's. */
void run_ops(struct native_run *run, struct launch_ops *ret);

/* Opens what the network and the questions need. Asks are denies where nobody can answer: spec
 * says so afterwards. */
int run_open_network(struct session *session, struct spec *spec, const struct policy_input *in,
		     const char *control, struct berm_err *err);

/* The command could not be executed: says so. */
void run_not_executed(const char *name, int exec_errno);

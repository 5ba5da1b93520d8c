/* SPDX-License-Identifier: Apache-2.0 */
/* Runs one command inside the wall and waits for its end. */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "linux/record.h"
#include "plan/plan.h"
#include "policy/spec.h"

enum launch_state {
	LAUNCH_READY,	  /* the command was executed */
	LAUNCH_SUSPENDED, /* stopped (Ctrl-Z) */
	LAUNCH_RESUMED,
};

struct launch_ops {
	void *ctx;
	/* A violation from the supervisor. rec->h's lengths have been checked against
	 * the text; the texts follow each other in rec->text: target, exe, reason. */
	void (*on_record)(void *ctx, const struct record *rec);
	void (*on_state)(void *ctx, enum launch_state state, int pid);
	/* Called now and then (at least once a second while the command runs). May be NULL. */
	void (*on_tick)(void *ctx);
	int keep_fd; /* a descriptor that on_record writes to, -1 none */
};

struct launch_result {
	int status;	   /* exit status for the shell: 0-255, 128+n for a signal */
	int signal;	   /* signal that killed the command, 0 none */
	bool not_executed; /* the command was not found (status 127) or not executable (126) */
	int exec_errno;
	bool lost; /* no status came: a part of the sandbox died, and the command with it */
};

/* Starts spec->argv as the plan says and returns when nothing of the session is
 * left. 0: ret is filled. Negative: the command was never started; err says
 * which step failed, on what, why and what to do (-EOPNOTSUPP: this host gives
 * nobody such a sandbox). Must be called from a
 * single-threaded process. */
int launch_run(const struct spec *spec, const struct plan *plan, const struct launch_ops *ops,
	       struct launch_result *ret, struct berm_err *err);

/* SPDX-License-Identifier: Apache-2.0 */
/* Runs one command inside the wall and waits for its end. */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "linux/record.h"
#include "linux/term_filter.h"
#include "plan/net_kit.h"
#include "plan/plan.h"
#include "policy/spec.h"

struct limits; /* linux/limits_held.h */

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
	/* The command runs, and after this call nothing can be opened for writing. May be NULL. */
	void (*on_running)(void *ctx);
	int keep_fd; /* a descriptor that on_record writes to, -1 none */
	int owner;   /* the run is killed at its end of file; above 2, or 0: none */

	/* Runs in the steward, a fork of the caller's process as it was at launch_run() (so ctx
	 * and the heap are there, as a copy), when a packet wants out or the warden sent the
	 * first message (a question about a file). The message is not read yet. The process is
	 * in the caller's session and process group, all but fatal signals are blocked,
	 * every descriptor but 0-2, the kit's, warden_fd and what the caller had open
	 * is closed; 0 and 1 are /dev/null unless steward_stdio. Must not return. What it
	 * must tell goes to warden_fd (seqpacket, struct record and struct net_record); from there
	 * come REC_ASK, REC_UNASK, REC_TERMINAL and at last REC_END: then it has
	 * STEWARD_PATIENCE_MS to tell the rest and exit. When it exits, or closes the kit, the
	 * network is closed. NULL: nothing goes out, the first try closes the network. */
	void (*steward)(void *ctx, struct net_kit *kit, int warden_fd);
	bool steward_stdio;
	/* REC_NET, REC_ASKED, REC_ANSWERED, REC_POLICY of the steward: lengths are checked, nothing
	 * else. May be NULL. */
	void (*on_net)(void *ctx, const struct net_record *rec);
	/* The set-up is done, the command is about to run: without what (enum host_lack of
	 * plan/tier.h), and Landlock's ABI. Before LAUNCH_READY. May be NULL. */
	void (*on_tier)(void *ctx, unsigned lacks, int landlock_abi);
	/* By what the limits are held (linux/limits_held.h); NULL: only those that the kernel holds
	 * for each process. */
	const struct limits *limits;
	/* The end is being brought about: a limit was reached, or (LIMIT_COUNT) somebody wanted
	 * it who did not leave it to the command. Once. May be NULL. */
	void (*on_killed)(void *ctx, enum limit_kind why);
	/* Something holds less than planned; what: which part ("network", "tier", ...). May be
	 * NULL. */
	void (*on_degraded)(void *ctx, const char *what, const char *reason);
};

#define STEWARD_PATIENCE_MS 2000

/* The status of a command whose time was over, as timeout(1) has it. */
#define LAUNCH_TIMEOUT 124

struct launch_result {
	int status;	   /* exit status for the shell: 0-255, 128+n for a signal */
	int signal;	   /* signal that killed the command, 0 none */
	bool not_executed; /* the command was not found (status 127) or not executable (126) */
	int exec_errno;
	bool killed; /* by berm: see on_killed. Status 124 for LIMIT_TIME */
	enum limit_kind killed_by;
	bool lost; /* no status came: a part of the sandbox died, and the command with it */
	uint64_t left_out[TERM_KINDS]; /* of what it wrote to its terminal */
};

/* For tests: takes the host to refuse these (enum host_lack), and to have no newer Landlock than
 * this (-1: whatever it has). Before anything is begun. */
void launch_cap(unsigned lacks, int landlock_abi);

/* A session without a command of its own: what it runs is asked for at a socket
 * (linux/warm_proto.h). It ends by WARM_STOP, SIGTERM, or with its owner. */
struct launch_warm {
	int listen; /* SOCK_SEQPACKET, listening, non-blocking */
	int owner;  /* pidfd; -1: the session is kept */
	int32_t owner_pid;
};

/* Makes the run of this process a warm session; before launch_early(). warm is borrowed. */
void launch_set_warm(const struct launch_warm *warm);

struct cgroup; /* linux/cgroup.h */

/* What is begun from now on is begun inside this control group; NULL: in ours. Borrowed. */
void launch_set_cgroup(const struct cgroup *group);

/* Begins what needs no policy: the namespaces are made while the caller reads it. Needs an
 * open arena (base/arena.h), and everything that spec and plan will point to in it;
 * otherwise nothing happens, and launch_run() begins by itself. */
void launch_early(void);

/* Ends what launch_early() has begun: there will be no launch_run(), or one that begins anew. */
void launch_drop(void);

/* In a fork of a steward, which is to make a launch of its own: nothing of the one that it belonged
 * to is touched, and what the host was found to lack stays known. */
void launch_forget(void);

/* Starts spec->argv as the plan says and returns when nothing of the session is
 * left. Where the host refuses a part that the plan can be held without, it begins again
 * without that part. 0: ret is filled. Negative: the command was never started; err says
 * which step failed, on what, why and what to do (-EOPNOTSUPP: this host gives
 * nobody such a sandbox). Must be called from a
 * single-threaded process. */
int launch_run(const struct spec *spec, const struct plan *plan, const struct launch_ops *ops,
	       struct launch_result *ret, struct berm_err *err);

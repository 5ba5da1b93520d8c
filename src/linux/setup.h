/* SPDX-License-Identifier: Apache-2.0 */
/* Inside linux/: what the processes of one run share.
 *
 * Three forks of one image. The warden (host) clones the supervisor into new
 * user, mount, ipc, uts and cgroup namespaces; the supervisor clones init
 * into a new pid namespace; init makes the network namespace while the supervisor
 * mounts (they run side by side), enters the inner user namespace and forks the
 * command. No heap is used after the first fork: everything was made before.
 *
 * Each set-up failure sends one fixed record up the fail pipe, and the command's
 * child sends one when all is done and only its exec is left. The pipe's write end
 * closes on that exec: end of file after that record, and no other, means that the
 * command runs and that every step was done. End of file alone means that the
 * sandbox died before. */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "linux/launch.h"
#include "linux/warm_proto.h"
#include "plan/tier.h"

enum stage {
	STAGE_NONE,
	STAGE_CLONE, /* the outer namespaces */
	STAGE_IDMAP,
	STAGE_PRIVATE_TREE,
	STAGE_ROOT,	  /* the new root's tmpfs */
	STAGE_DISK,	  /* how much may lie there */
	STAGE_STEP,	  /* a step of the plan, index says which */
	STAGE_INIT,	  /* the pid namespace */
	STAGE_FRESH_PROC, /* a procfs of the new pid namespace */
	STAGE_PROC,
	STAGE_NETNS,
	STAGE_NETWORK,	 /* the warden: the kit; index: enum kit_part */
	STAGE_HOST_PORT, /* index: position in spec->network.host_ports */
	STAGE_PUBLISH,	 /* index: position in spec->network.publish */
	STAGE_PIVOT,
	STAGE_USERNS, /* the inner user namespace */
	STAGE_USERNS_LIMIT,
	STAGE_CAPS,
	STAGE_KEYRING,
	STAGE_RLIMIT,	/* index: enum limit_kind */
	STAGE_LANDLOCK, /* index: position in plan->trees, -1 the rule set itself */
	STAGE_SECCOMP,
	STAGE_LISTENER,
	STAGE_TREES,   /* the supervisor cannot open a tree, index says which */
	STAGE_CONFINE, /* the supervisor's own filter */
	STAGE_LOOK,    /* without namespaces: the command's memory is closed to the supervisor */
	STAGE_TERMINAL,
	STAGE_WORKDIR,
	STAGE_FORK,
	STAGE_EXEC,
	STAGE_SYNC, /* supervisor and init cannot talk to each other */
	STAGE_GO,   /* no failure: every step is done, exec comes next */
	STAGE_COUNT,
};

struct fail_record {
	uint32_t magic;
	uint32_t stage;
	int32_t err; /* positive errno */
	int32_t index;
};
#define FAIL_MAGIC 0x4c494146u

/* Warden <-> init, one per SEQPACKET message. */
enum ctl_type {
	CTL_SIGNAL = 1, /* to init: value = signal for the command */
	CTL_CONT,	/* to init: continue the stopped command */
	CTL_STOPPED,	/* from init: value = signal */
	CTL_EXITED,	/* from init: value = wait status */
	CTL_PTY,	/* from init: carries the terminal's master descriptor */
	CTL_PLANNED,	/* to init: the plan is there */
	/* Of a warm session, whose commands have a slot each. */
	CTL_EXEC,    /* to init: struct ctl_exec, with the descriptors of WARM_EXEC */
	CTL_STARTED, /* from init: value 0, with the terminal's master when there is one; or a
		      * positive errno, detail an enum warm_why */
	CTL_KILL,    /* to init: the slot's process group */
	CTL_TERM,    /* to init: everybody is asked to end */
	CTL_STOP,    /* to init: everybody is stopped */
	CTL_DONE,    /* from init: CTL_STOP was done */
	CTL_EMPTY,   /* from init, after CTL_TERM: nobody is left */
};

struct ctl_msg {
	uint32_t type;
	int32_t value;
	int32_t slot;
	int32_t detail;
};

struct ctl_exec {
	struct ctl_msg m;
	struct warm_exec x;
};

/* A process of the agent's, between fork and exec. */
struct job {
	char *const *argv;
	char *const *envp;
	const char *workdir;
	const char *dir;		/* from there, NULL none */
	const int *stdio;		/* to become 0, 1 and 2; NULL: as they are */
	bool tty[3];			/* those of them that are the terminal */
	int slave;			/* the session's terminal, -1 none */
	const struct warm_modes *modes; /* a terminal of its own with these; NULL none */
	int report; /* a child with an image of its own: its end of the socket */
};

/* Why a job's process did not become its command. */
struct job_report {
	uint32_t why; /* enum warm_why */
	int32_t err;  /* positive errno, 0: this brings the terminal's master */
};

/* Supervisor -> init over sync: the pivot is done, the old root is away, all is ready. */
#define SYNC_MESSAGES 3

/* One page that the processes share. */
struct launch_shared {
	pid_t init_pid;	  /* as the host counts; 0 until init exists */
	pid_t guard_pid;  /* without namespaces; 0 none */
	uint32_t network; /* enum net_state, of a network that waits (net_waits()) */
};

/* What the policy comes to, for the processes that were started before it was read. */
struct late {
	const struct spec *spec;
	const struct plan *plan;
};

struct launch {
	const struct spec *spec; /* NULL before the plan is there */
	const struct plan *plan;
	const struct late *late;  /* NULL: spec and plan were there from the beginning */
	const struct plan *fixed; /* with late: what can be mounted before (plan_fixed()) */
	struct launch_shared *shared;
	uid_t uid;
	gid_t gid;
	mode_t umask;
	sigset_t sigmask;    /* the caller's, restored for the command */
	struct rlimit files; /* steward: the caller's RLIMIT_NOFILE; its own is as high as can be */

	int fail[2];   /* pipe, [1] in the children */
	int ctl[2];    /* seqpacket: [0] warden, [1] init */
	int events[2]; /* seqpacket: [0] warden, [1] supervisor */
	int sync[2];   /* stream: [0] supervisor, [1] init */
	int net[2];    /* seqpacket: [0] warden, [1] steward */
	int kit[2];    /* seqpacket: [0] warden, then steward, [1] init; -1: the network is closed
			  altogether */

	bool tty[3]; /* stdio that gets the session's own terminal */
	bool use_pty;
	bool trap_exec;
	uint64_t exec_pass; /* the secret that lets the command's own exec pass untrapped
			     * (linux/seccomp.h), 0 none; init forgets it with that exec */
	bool not_passed;    /* that exec is the supervisor's to judge */
	const struct launch_warm *warm; /* NULL: a run of one command */
	struct job_report job_report;	/* init: of the child that runs in its image */
	int heard;	  /* init: messages of the supervisor's that it took from sync */
	int landlock_abi; /* 0 none */
	unsigned without; /* enum host_lack: what this host has refused already */
	unsigned capped;  /* tests: what it is taken to refuse */
	int outer_proc;	  /* init, where a fresh /proc is refused: the one outside; else -1 */
	int rules;	  /* init, without namespaces: the command's domain; else -1 */
	pid_t guard;	  /* init, without namespaces: see flat.c; else 0 */
};

/* Reports a set-up failure and exits; for the children only. */
void setup_fail(const struct launch *l, enum stage stage, int err, int index) _noreturn_;

/* The same after a failed fd_send() or fd_recv() between the children; silent when
 * the other side is gone, which has said why. */
void setup_lost(const struct launch *l, int err) _noreturn_;

/* Tells the warden that nothing but the exec is left. */
void setup_go(const struct launch *l);

/* Both wait for the plan, when it was not there yet; nothing of the warden's: exits. */
void setup_wait_plan_supervisor(struct launch *l);
void setup_wait_plan_init(struct launch *l);

void supervise(struct launch *l) _noreturn_; /* the supervisor's life */
void init_main(struct launch *l) _noreturn_; /* init's life */
/* init.c, for flat.c */
void init_build_filter(struct launch *l);
void init_filter_calls(struct launch *l);
void init_set_limits(const struct launch *l);
/* A job's process, up to exec. shared: it runs in init's own image (vfork), and ends
 * with l->not_passed when the program is for the supervisor to judge. */
void exec_job(struct launch *l, const struct job *j, bool shared) _noreturn_;
/* The one function that starts a process of the agent's. Returns its pid, or a negative errno;
 * of a warm session, also when it ended before its exec: l->job_report then says why, or, when
 * it has an image of its own (*ret_report not -1), will say so by that socket: end of file means
 * that the command runs. */
pid_t spawn_job(struct launch *l, struct job *j, int *ret_report);
/* Init's life in a warm session, once everything is set up. */
void warm_init(struct launch *l) _noreturn_;
/* Until the supervisor is ready to answer. */
void wait_for_supervisor(struct launch *l);

/* mount.c; all return 0 or a negative errno. */
int mount_new_root(int *ret_root);
/* How much may lie in it, and so in all private places but the home. */
int mount_root_limit(int root, uint64_t bytes);
int mount_steps(const struct plan *p, size_t from, int root, int *ret_index);
int mount_proc(void);	    /* a detached procfs of this pid namespace */
int mount_outer_proc(void); /* a detached copy of what is at /proc, all of it read-only */
/* Covers the directories of berm's own processes in it: "self" must lead nowhere for who
 * resolves a path in the command's place (supervisor/resolve.c). */
int mount_cover_own(int root, const pid_t *pids, size_t n);
int mount_attach_proc(int root, int proc);
int mount_proc_readonly(int root);
int mount_enter(int root); /* read-only root, pivot: every process of the tree is inside */
int mount_leave_old(void); /* the old root goes */

/* userns.c */
/* proc: a procfs that knows the calling process, -1 for what is at /proc. */
int userns_map(int proc, uid_t uid, gid_t gid);
int userns_limit(bool inner); /* one more level below this one, or none */
int caps_drop(uint64_t keep); /* keep: mask of capabilities that stay */
int caps_drop_bounding(void);

/* net.c */
int net_loopback_up(void);
/* Opens /proc/sys of a procfs that is not attached yet: later it is read-only. */
int net_open_sysctl(int proc);
/* What the namespace's owner can set and nobody else, after unshare(CLONE_NEWNET); ask_seconds: a
 * connection may wait as long for an answer. */
void net_tune(int sysctl, unsigned ask_seconds);

/* landlock.c */
int landlock_abi(void);
#define LANDLOCK_FLAT_ABI 6 /* scopes: below, a session without namespaces is not held */
/* The set of rules, to be made inside the new root. Returns a descriptor. */
int landlock_rules(const struct launch *l, int *ret_index);
/* The same without namespaces: of the command, or of the supervisor, which makes what the command
 * may not. */
int landlock_flat_rules(const struct launch *l, bool supervisor, int *ret_index);
/* No rule on files: nobody outside can be signalled or reached by an abstract socket. */
int landlock_scope(void);
int landlock_confine(int ruleset);

/* flat.c: a session without namespaces; see there. */
void flat_supervise(struct launch *l);	/* up to init's clone: the supervisor's domain */
void flat_init(struct launch *l);	/* init: its domain, its guard, no rights */
void flat_command(struct launch *l);	/* the command's process: its domain and filter */
void flat_wait(const struct launch *l); /* the supervisor: until init has ended the rest */
void flat_end(void);			/* init: kills what is left of the session */

/* exec.c: the command's standard terminal, made in init. */
#define PTY_INSIDE "/dev/pts/ptmx"
#define PTY_HOST "/dev/ptmx" /* without namespaces */
int pty_open(const char *ptmx, int *ret_master, int *ret_slave);
/* Best effort. */
void pty_set_modes(int master, const struct warm_modes *m);

/* failure.c: the sentence and the fix for a failed set-up step. */
int failure_explain(const struct launch *l, const struct fail_record *f, struct berm_err *err);
/* What the host lacks, when the failure says so (enum host_lack); 0: it says something else. */
unsigned failure_lack(const struct fail_record *f);

/* Is there a supervisor? Exec rules are in every policy, so it is missing only where it could not
 * hold what it holds elsewhere, and the plan was found to need nothing of that (tier_check()). */
static inline bool supervised(const struct launch *l)
{
	return !(l->without & (LACK_LANDLOCK | LACK_LISTENER));
}

/* Does the session do without namespaces (tier landlock)? */
static inline bool flat(const struct launch *l)
{
	return tier_flat(l->without);
}

/* Is the network made ready only when somebody needs it? Not where a port of the host's may be
 * taken, which is to be known before anything runs, nor in tests of its rungs. */
static inline bool net_waits(const struct launch *l)
{
	const struct net_spec *n = &l->spec->network;

	return supervised(l) && !flat(l) && !n->rung_cap && !n->n_host_ports && !n->n_publish;
}

/* tests: is the host taken to refuse this? */
static inline bool capped(const struct launch *l, enum host_lack what)
{
	return l->capped & what;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Starts one run. There is one function here that starts an agent's process; what it
 * needs is made before the first fork, or lies in the arena (base/arena.h) that the
 * processes wait for. */
#include "linux/launch.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "base/arena.h"
#include "base/fd.h"
#include "linux/cgroup.h"
#include "linux/kern.h"
#include "linux/output.h"
#include "linux/seccomp.h"
#include "linux/steward.h"
#include "linux/warm.h"

/* The command's namespaces but those that init makes for itself (pid, net). */
#define OUTER_NAMESPACES \
	(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP)

static const int warden_signals[] = { SIGHUP,  SIGINT,	SIGQUIT, SIGTERM, SIGUSR1,
				      SIGUSR2, SIGTSTP, SIGCONT, SIGWINCH };

static int make_channels(struct launch *l)
{
	l->shared = mmap(NULL, sizeof(*l->shared), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (l->shared == MAP_FAILED)
		return -errno;
	if (pipe2(l->fail, O_CLOEXEC) < 0 ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, l->ctl) < 0 ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, l->events) < 0 ||
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, l->sync) < 0)
		return -errno;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, l->net) < 0 ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, l->kit) < 0)
		return -errno;
	return 0;
}

/* A directory as a standard descriptor is a door into the host's tree: openat()
 * from it reaches whatever lies around it. */
static int refuse_directories(struct berm_err *err)
{
	static const char *const names[] = { "input", "output", "error" };
	struct stat st;

	for (int fd = 0; fd < 3; fd++) {
		if (fstat(fd, &st) < 0 || !S_ISDIR(st.st_mode))
			continue;
		err_set(err, -EISDIR, "standard %s is a directory: it would open the host's files",
			names[fd]);
		err_fix(err, "redirect it from or to a file, a pipe or /dev/null");
		return -EISDIR;
	}
	return 0;
}

/* What this host has refused so far, and for tests what it is taken to refuse. */
static unsigned without, test_cap;
static int test_abi = -1;

void launch_cap(unsigned lacks, int landlock_abi)
{
	test_cap |= lacks;
	if (landlock_abi >= 0)
		test_abi = landlock_abi;
}

static int usable_abi(void)
{
	int abi = test_cap & LACK_LANDLOCK ? -ENOSYS : landlock_abi();

	return test_abi >= 0 && abi > test_abi ? test_abi : abi;
}

static const struct launch_warm *asked_warm;

void launch_set_warm(const struct launch_warm *warm)
{
	asked_warm = warm;
}

static const struct cgroup *asked_cgroup;

void launch_set_cgroup(const struct cgroup *group)
{
	asked_cgroup = group;
}

static void fill_launch(struct launch *l, const struct late *known, const struct late *late)
{
	*l = (struct launch){
		.spec = known->spec,
		.plan = known->plan,
		.late = late,
		.fixed = late ? known->plan : NULL,
		.uid = geteuid(),
		.gid = getegid(),
		.fail = { -1, -1 },
		.ctl = { -1, -1 },
		.events = { -1, -1 },
		.sync = { -1, -1 },
		.net = { -1, -1 },
		.kit = { -1, -1 },
		.trap_exec = true,
		.landlock_abi = usable_abi(),
		.without = without,
		.capped = test_cap,
		.outer_proc = -1,
		.rules = -1,
		.warm = asked_warm,
	};
	if (getrandom(&l->exec_pass, sizeof(l->exec_pass), 0) != sizeof(l->exec_pass))
		l->exec_pass = 0;
	l->umask = umask(0);
	(void)umask(l->umask);
	/* A warm session has no terminal of its own: some of its commands have. */
	for (int fd = 0; fd < 3 && !l->warm; fd++) {
		l->tty[fd] = isatty(fd);
		l->use_pty |= l->tty[fd];
	}
}

static int watch_signals(int *ret_fd)
{
	sigset_t all, watched;
	int fd;

	(void)sigfillset(&all);
	(void)sigemptyset(&watched);
	for (size_t i = 0; i < ARRAY_SIZE(warden_signals); i++)
		(void)sigaddset(&watched, warden_signals[i]);
	fd = signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		return -errno;
	/* Our own faults must still kill us. */
	(void)sigdelset(&all, SIGSEGV);
	(void)sigdelset(&all, SIGBUS);
	(void)sigdelset(&all, SIGABRT);
	(void)sigdelset(&all, SIGSYS);
	if (sigprocmask(SIG_SETMASK, &all, NULL) < 0) {
		close_quietly(fd);
		return -errno;
	}
	*ret_fd = fd;
	return 0;
}

static int start_supervisor(struct launch *l, int *ret_pidfd, pid_t *ret_pid)
{
	int pidfd = -1;
	long pid;

	if (capped(l, LACK_USERNS) && !flat(l))
		return -EPERM;
	pid = syscall(SYS_clone, (flat(l) ? 0 : OUTER_NAMESPACES) | CLONE_PIDFD | SIGCHLD, NULL,
		      &pidfd, NULL, NULL);
	if (pid < 0)
		return -errno;
	if (pid == 0) {
		(void)close(l->fail[0]);
		(void)close(l->ctl[0]);
		(void)close(l->events[0]);
		close_quietly(l->net[0]);
		close_quietly(l->net[1]);
		close_quietly(l->kit[0]);
		warm_close_fds(l->warm);
		supervise(l);
	}
	*ret_pidfd = pidfd;
	*ret_pid = (pid_t)pid;
	return 0;
}

static void close_pair(int pair[2])
{
	close_quietly(pair[0]);
	close_quietly(pair[1]);
	pair[0] = pair[1] = -1;
}

/* The warden keeps only what it uses; the steward's ends until there is one. */
static void settle(struct launch *l)
{
	if (flat(l) || l->spec->network.rung_cap == NET_RUNG_CLOSED) {
		close_pair(l->net);
		close_quietly(l->kit[0]);
		l->kit[0] = -1;
	}
	close_quietly(l->fail[1]);
	close_quietly(l->ctl[1]);
	close_quietly(l->events[1]);
	close_quietly(l->sync[0]);
	close_quietly(l->sync[1]);
	close_quietly(l->kit[1]);
	l->fail[1] = l->ctl[1] = l->events[1] = l->sync[0] = l->sync[1] = l->kit[1] = -1;
	(void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

/* The one run of this process. */
static struct launch the_launch;

static void fill_result(const struct warden *w, struct launch_result *ret)
{
	*ret = (struct launch_result){ 0 };
	memcpy(ret->left_out, w->left_out, sizeof(ret->left_out));
	if (w->l->warm)
		return;
	if (w->failed) {
		ret->not_executed = true;
		ret->exec_errno = w->fail.err;
		ret->status = w->fail.err == ENOENT || w->fail.err == ENOTDIR ? 127 : 126;
	} else if (w->exited && WIFEXITED(w->status)) {
		ret->status = WEXITSTATUS(w->status);
	} else {
		/* No status: some part of the session was killed, and all of it with it. */
		ret->lost = !w->exited;
		ret->signal = w->exited ? WTERMSIG(w->status) : SIGKILL;
		ret->status = 128 + ret->signal;
	}
	ret->killed = w->killed;
	ret->killed_by = w->killed_by;
	ret->lost &= !w->killed;
	if (w->killed && w->killed_by == LIMIT_TIME) {
		ret->signal = 0;
		ret->status = LAUNCH_TIMEOUT;
	}
}

static int conclude(struct warden *w, struct launch_result *ret, struct berm_err *err)
{
	if (w->failed && w->fail.stage != STAGE_EXEC)
		return failure_explain(w->l, &w->fail, err);
	if (!w->failed && !w->going)
		return err_set(err, -EPROTO, "the sandbox died while it was being set up");
	fill_result(w, ret);
	return 0;
}

static void close_channels(struct launch *l)
{
	int *const all[] = { l->fail, l->ctl, l->events, l->sync, l->net, l->kit };

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		close_pair(all[i]);
	steward_drop();
}

static struct warden the_warden;
static struct rlimit old_core;
static bool begun;
static sigset_t callers_mask;
static bool mask_known;

static int clone_failed(struct launch *l, int r, struct berm_err *err)
{
	the_warden.fail = (struct fail_record){ FAIL_MAGIC, STAGE_CLONE, -r, -1 };
	the_warden.failed = true;
	return failure_explain(l, &the_warden.fail, err);
}

/* The namespaces of an attempt before count against the user's limits until the kernel has
 * taken them apart, beside us; of that nobody hears. */
static int start_patiently(struct warden *w)
{
	const struct timespec brief = { .tv_nsec = 1000000 };
	struct launch *l = w->l;
	sigset_t all;
	int r, tries = 0;

	/* A later attempt must not take ours for the caller's. */
	if (!mask_known && sigprocmask(SIG_SETMASK, NULL, &callers_mask) < 0)
		return -errno;
	mask_known = true;
	l->sigmask = callers_mask;
	(void)sigfillset(&all);
	for (;;) {
		(void)sigprocmask(SIG_SETMASK, &all, NULL);
		r = start_supervisor(l, &w->child, &w->child_pid);
		(void)sigprocmask(SIG_SETMASK, &l->sigmask, NULL);
		if (r != -ENOSPC || !l->without || tries++ == 1000)
			return r;
		(void)nanosleep(&brief, NULL);
	}
}

/* Up to the supervisor's clone. Signals are blocked over it alone: who waits for a policy
 * that does not come can still be interrupted. */
static int begin(const struct late *known, const struct late *late, struct berm_err *err)
{
	struct rlimit core = { 0, 0 };
	struct launch *l = &the_launch;
	struct warden *w = &the_warden;
	int r;

	r = fd_open_stdio();
	if (r < 0)
		return err_errno(err, r, "cannot open /dev/null");
	r = refuse_directories(err);
	if (r < 0)
		return r;
	fill_launch(l, known, late);
	*w = (struct warden){ .l = l, .signals = -1, .child = -1, .confine = warden_confine };
	/* Closed also when it was not come to. */
	w->term.master = w->term.in = w->term.out = w->term.ctl = w->term.keeper = -1;
	/* Inherited descriptors stay ours: the command gets 0, 1 and 2. */
	if (syscall(SYS_close_range, 3u, ~0u, CLOSE_RANGE_CLOEXEC) < 0) {
		r = err_errno(err, -errno, "cannot keep open files from the command");
		err_fix(err, "berm needs close_range(2) of Linux 5.11");
		return r;
	}
	(void)getrlimit(RLIMIT_CORE, &old_core);
	(void)setrlimit(RLIMIT_CORE, &core);
	/* Should the supervisor be killed, its children come to us to be reaped. */
	(void)prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	begun = true;
	r = make_channels(l);
	if (r < 0) {
		err_errno(err, r, "cannot prepare the sandbox");
		goto failed;
	}
	r = asked_cgroup ? cgroup_enter(asked_cgroup) : 0;
	if (r < 0) {
		err_errno(err, r, "cannot enter the sandbox's control group");
		goto failed;
	}
	r = output_open();
	if (r < 0) {
		err_errno(err, r, "cannot pass the command's output on");
		goto failed;
	}
	r = start_patiently(w);
	if (output_restore() < 0 && r >= 0) {
		r = err_errno(err, -errno, "cannot take the standard output back");
		goto failed;
	}
	/* Nobody of ours may be counted, or be killed, with the command. */
	if (asked_cgroup && cgroup_leave(asked_cgroup) < 0 && r >= 0) {
		r = err_errno(err, -errno, "cannot leave the sandbox's control group");
		goto failed;
	}
	if (r >= 0)
		return 0;
	r = clone_failed(l, r, err);
failed:
	launch_drop();
	return r;
}

void launch_early(void)
{
	struct berm_err ignored = { 0 };
	struct late *late = arena_whole() ? calloc(1, sizeof(*late)) : NULL;
	const struct plan *fixed = late ? plan_fixed() : NULL;

	/* What fails here is tried again, and told, when it is known that there is a run. */
	if (fixed && arena_whole())
		(void)begin(&(struct late){ .plan = fixed }, late, &ignored);
}

static void reap(pid_t pid)
{
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

void launch_drop(void)
{
	struct launch *l = &the_launch;
	struct warden *w = &the_warden;

	if (!begun)
		return;
	begun = false;
	/* Whoever is forked later has memory of its own again. */
	if (arena_close() < 0) {
		(void)fputs("berm: cannot map memory\n", stderr);
		_exit(125);
	}
	close_channels(l);
	if (w->child >= 0) {
		(void)syscall(SYS_pidfd_send_signal, w->child, SIGKILL, NULL, 0);
		reap(w->child_pid);
		/* A killed supervisor leaves it to us; it dies with it. */
		reap(l->shared->init_pid);
	}
	close_quietly(w->child);
	(void)prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
	(void)setrlimit(RLIMIT_CORE, &old_core);
}

void launch_forget(void)
{
	begun = false;
	asked_warm = NULL;
	steward_forget();
	/* The steward's own are more; the command gets the caller's. */
	if (the_launch.files.rlim_max)
		(void)setrlimit(RLIMIT_NOFILE, &the_launch.files);
	(void)prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
}

/* Those who were started before are told. */
static int publish(struct launch *l, const struct late *known)
{
	struct late *late = (struct late *)(uintptr_t)l->late;
	struct ctl_msg m = { .type = CTL_PLANNED };
	char c = 0;

	if (!late)
		return 0;
	l->spec = known->spec;
	l->plan = known->plan;
	*late = *known;
	arena_publish();
	if (send(l->events[0], &c, 1, MSG_NOSIGNAL) < 0 ||
	    send(l->ctl[0], &m, sizeof(m), MSG_NOSIGNAL) < 0)
		/* They have ended, and the loop hears why. */
		return errno == EPIPE || errno == ECONNRESET ? 0 : -errno;
	return 0;
}

static int go_on(struct launch *l, const struct late *known, struct berm_err *err)
{
	struct warden *w = &the_warden;
	int r = publish(l, known);

	if (r >= 0)
		r = watch_signals(&w->signals);
	if (r >= 0)
		r = terminal_init(&w->term, l->tty, l->spec->terminal_filter);
	if (r >= 0)
		r = terminal_keep(&w->term);
	return r < 0 ? err_errno(err, r, "cannot prepare the sandbox") : 0;
}

static int attempt(const struct late *known, const struct launch_ops *ops,
		   struct launch_result *ret, struct berm_err *err)
{
	struct launch *l = &the_launch;
	struct warden *w = &the_warden;
	int r;

	/* Not all of it lies where those who were started before can see it. */
	if (begun && !arena_whole())
		launch_drop();
	/* Nobody who is forked from here on shares memory with us that both can write. */
	r = begun ? 0 : arena_close();
	if (r < 0)
		return err_errno(err, r, "cannot prepare the sandbox");
	r = begun ? 0 : begin(known, NULL, err);
	if (r < 0)
		return r;
	w->ops = ops;
	w->result = ret;
	if (l->warm)
		warm_open(w, l->warm);
	r = go_on(l, known, err);
	if (r >= 0) {
		settle(l);
		r = warden_loop(w, err);
		if (r >= 0)
			r = conclude(w, ret, err);
		begun = false;
	}
	terminal_close(&w->term);
	output_close();
	close_quietly(w->signals);
	(void)sigprocmask(SIG_SETMASK, &l->sigmask, NULL);
	if (begun)
		launch_drop();
	close_channels(l);
	close_quietly(w->child);
	return r;
}

/* Without namespaces another plan is needed. Keeps what the failed step said to do. */
static int replan(struct late *known, struct berm_err *err)
{
	static struct plan *made;
	char fix[sizeof(err->fix)];
	int r = 0;

	memcpy(fix, err->fix, sizeof(fix));
	if (asked_warm)
		r = err_set(
			err, -EOPNOTSUPP,
			"no namespaces on this host (tier %s), which cannot hold a warm session",
			tier_info(TIER_LANDLOCK)->name);
	if (r >= 0 && !made)
		r = plan_flat(known->spec, &made, err);
	if (r < 0) {
		if (!err->fix[0])
			err_fix(err, "%s", fix);
		return r;
	}
	known->plan = made;
	return 0;
}

/* What else could be done on a host that gives no namespaces, where it could. */
static void offer_flat(const struct spec *s, struct berm_err *err)
{
	char fix[sizeof(err->fix)];

	if (asked_warm || s->learn || usable_abi() < LANDLOCK_FLAT_ABI)
		return;
	memcpy(fix, err->fix, sizeof(fix));
	err_fix(err, "%s%sor take a weaker sandbox knowingly: " TIER_OPTION, fix,
		fix[0] ? "; " : "");
}

/* The host refused a part. Can the plan be held without it? Then this process is made as it
 * was before the attempt, of which nothing is left. */
static int fall(struct late *known, const struct launch_ops *ops, unsigned lack,
		struct berm_err *err)
{
	const struct lack_info *info = lack_info((unsigned)__builtin_ctz(lack));
	int cause = the_warden.fail.err, r;
	char reason[1024];

	/* Of a host that can do nothing the failed step has said more. */
	if (tier_of(without | lack) == TIER_NONE)
		return err->code;
	if (tier_flat(lack) && !known->spec->tier_landlock) {
		offer_flat(known->spec, err);
		return err->code;
	}
	r = tier_check(known->spec, known->plan, without | lack, err);
	if (r >= 0 && tier_flat(lack))
		r = replan(known, err);
	if (r < 0)
		return r;
	without |= lack;
	(void)snprintf(reason, sizeof(reason), "%s: %s (%s); %s", tier_info(tier_of(without))->name,
		       info->missing, strerror(cause), info->lost);
	*err = (struct berm_err){ 0 };
	if (ops->on_degraded)
		ops->on_degraded(ops->ctx, "tier", reason);
	if (ops->on_degraded && tier_flat(lack))
		ops->on_degraded(ops->ctx, "network",
				 "closed: no network namespace, so nothing of it can be judged");
	(void)setrlimit(RLIMIT_CORE, &old_core);
	(void)prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
	(void)prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
	return 0;
}

int launch_run(const struct spec *spec, const struct plan *plan, const struct launch_ops *ops,
	       struct launch_result *ret, struct berm_err *err)
{
	struct late known = { spec, plan };

	for (;;) {
		struct warden *w = &the_warden;
		unsigned lack;
		int r = attempt(&known, ops, ret, err);

		lack = r < 0 && w->failed && !w->ready ? failure_lack(&w->fail) & ~without : 0;
		if (!lack)
			return r;
		r = fall(&known, ops, lack, err);
		if (r < 0)
			return r;
	}
}

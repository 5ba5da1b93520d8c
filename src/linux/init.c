/* SPDX-License-Identifier: Apache-2.0 */
/* Pid 1 of the sandbox: enters the inner user namespace, closes the doors, forks
 * the command, then reaps, forwards signals and reports how the command ended.
 * It runs under the command's own filter and Landlock domain and has no right
 * that the command has not; non-dumpable, so that the command cannot borrow it. */
#include <fcntl.h>
#include <linux/keyctl.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/fd.h"
#include "linux/kern.h"
#include "linux/kit.h"
#include "linux/seccomp.h"
#include "linux/setup.h"
#include "policy/limits.h"

static void send_ctl(const struct launch *l, enum ctl_type type, int value)
{
	struct ctl_msg m = { .type = type, .value = value };

	/* A warden that is gone takes everything with it anyway. */
	while (send(l->ctl[1], &m, sizeof(m), MSG_NOSIGNAL) < 0 && errno == EINTR)
		;
}

static void make_network(struct launch *l, int sysctl)
{
	int fds[KIT_MAX], r;

	if (unshare(CLONE_NEWNET) < 0)
		setup_fail(l, STAGE_NETNS, errno, -1);
	setup_wait_plan_init(l);
	if (l->spec->network.rung_cap == NET_RUNG_CLOSED) {
		close_quietly(l->kit[1]);
		l->kit[1] = -1;
		r = net_loopback_up();
		if (r < 0)
			setup_fail(l, STAGE_NETNS, r, -1);
		return;
	}
	net_tune(sysctl, l->spec->network.ask_seconds);
	r = kit_make(&l->spec->network, fds);
	if (r < 0)
		setup_fail(l, STAGE_NETNS, r, -1);
	r = kit_send(l->kit[1], fds);
	if (r < 0)
		setup_lost(l, r);
}

static struct seccomp_prog filter;

/* The command's filter, before there is any waiting to do. */
void init_build_filter(struct launch *l)
{
	struct seccomp_opts o = { .arch = seccomp_native(),
				  .trap_writes = supervised(l),
				  .trap_reads = supervised(l) &&
						(l->spec->read_deny || l->spec->learn || flat(l)),
				  .trap_net = net_waits(l),
				  .observe = supervised(l) && l->spec->learn,
				  .trap_exec = supervised(l) && l->trap_exec,
				  .exec_pass = l->exec_pass,
				  .flat = flat(l),
				  .noexec_memfd = l->spec->exec_deny_writable,
				  .report = supervised(l) };
	int r;

	/* The command's own program may be what is not shown. */
	if (l->spec->learn)
		l->exec_pass = o.exec_pass = 0;
	r = seccomp_build(&o, &filter);
	if (r < 0)
		setup_fail(l, STAGE_SECCOMP, r, -1);
}

/* Made while the host's /proc is still there: the kernel grants a new one only
 * to those who already see one whole (mount_too_revealing, fs/namespace.c). The others get
 * what they see, read-only; this process writes its own entries through l->outer_proc. */
static int make_proc(struct launch *l)
{
	int proc;

	l->outer_proc = -1;
	if (!(l->without & LACK_PROC)) {
		proc = capped(l, LACK_PROC) ? -EPERM : mount_proc();
		if (proc < 0)
			setup_fail(l, STAGE_FRESH_PROC, proc, -1);
		return proc;
	}
	proc = mount_outer_proc();
	if (proc < 0)
		setup_fail(l, STAGE_PROC, proc, -1);
	l->outer_proc = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (l->outer_proc < 0)
		setup_fail(l, STAGE_PROC, errno, -1);
	return proc;
}

/* Runs beside the supervisor's mounting: the network namespace is the slowest
 * single step of the set-up. */
static void enter_root(struct launch *l)
{
	int proc = make_proc(l), sysctl, r;

	sysctl = net_open_sysctl(l->outer_proc >= 0 ? l->outer_proc : proc);
	if (sysctl < 0)
		setup_fail(l, STAGE_PROC, sysctl, -1);
	r = fd_send(l->sync[1], &proc, 1);
	if (r < 0)
		setup_lost(l, r);
	close_quietly(proc);
	make_network(l, sysctl);
	close_quietly(sysctl);
	init_build_filter(l);
	/* The pivot, done by the supervisor, has moved this process as well. */
	r = fd_recv(l->sync[1], NULL, 0);
	if (r < 0)
		setup_lost(l, r);
	l->heard++;
	if (chdir("/") < 0)
		setup_fail(l, STAGE_PIVOT, errno, -1);
}

/* That of processes counts those of the inner user namespace alone (kernel/ucount.c, Linux 5.14),
 * so it is set in there. */
static void set_limit(const struct launch *l, enum limit_kind k)
{
	const struct limit *said = &l->spec->limits[k];
	struct rlimit lim = { said->value, said->value }, now;

	/* What nobody asked for only lowers. */
	if (said->by == LIMIT_BUILTIN) {
		if (syscall(SYS_prlimit64, 0, limit_resource(k), NULL, &now) < 0)
			setup_fail(l, STAGE_RLIMIT, errno, (int)k);
		if (now.rlim_max <= said->value)
			return;
		if (now.rlim_cur < said->value)
			lim.rlim_cur = now.rlim_cur;
	}
	/* By number: glibc types the first argument as an enum, musl as an int. */
	if (syscall(SYS_prlimit64, 0, limit_resource(k), &lim, NULL) < 0)
		setup_fail(l, STAGE_RLIMIT, errno, (int)k);
}

void init_set_limits(const struct launch *l)
{
	struct rlimit none = { 0, 0 };

	/* A core dump is a file that the kernel creates past the supervisor. */
	if (setrlimit(RLIMIT_CORE, &none) < 0)
		setup_fail(l, STAGE_RLIMIT, errno, -1);
	for (enum limit_kind k = 0; k < LIMIT_COUNT; k++)
		if (spec_limited(l->spec, k) && limit_resource(k) >= 0 &&
		    limits_held(l->without, k))
			set_limit(l, k);
}

/* Until the old root is taken away this process does not stand at the root of its
 * mount namespace and may not make a user namespace (current_chrooted,
 * kernel/user_namespace.c). It is away a little before the supervisor can say so. */
static void enter_inner_userns(struct launch *l)
{
	struct pollfd p = { .fd = l->sync[1], .events = POLLIN };
	struct timespec brief = { .tv_nsec = 20000 };
	bool away = false;
	int r;

	if (l->without & LACK_INNER)
		return;
	if (capped(l, LACK_INNER))
		setup_fail(l, STAGE_USERNS, ENOSPC, -1);
	while (unshare(CLONE_NEWUSER) < 0) {
		if (errno != EPERM || away)
			setup_fail(l, STAGE_USERNS, errno, -1);
		if (ppoll(&p, 1, &brief, NULL) <= 0)
			continue;
		r = fd_recv(l->sync[1], NULL, 0);
		if (r < 0)
			setup_lost(l, r);
		l->heard++;
		away = true;
	}
	r = userns_map(l->outer_proc, l->uid, l->gid);
	close_quietly(l->outer_proc);
	if (r < 0)
		setup_fail(l, STAGE_USERNS, r, -1);
}

static int make_rules(struct launch *l)
{
	int index, rules;

	if (l->without & LACK_LANDLOCK)
		return -1;
	rules = landlock_rules(l, &index);
	if (rules < 0)
		setup_fail(l, STAGE_LANDLOCK, rules, index);
	return rules;
}

static void drop_rights(struct launch *l)
{
	/* Made while the old root is on its way out, which the next step waits for. */
	int rules = make_rules(l), r;

	enter_inner_userns(l);
	r = caps_drop_bounding();
	if (r >= 0)
		r = caps_drop(0);
	if (r < 0)
		setup_fail(l, STAGE_CAPS, r, -1);
	/* A session keyring of its own; where keys are compiled out there is none to hide. */
	if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) < 0 && errno != ENOSYS)
		setup_fail(l, STAGE_KEYRING, errno, -1);
	init_set_limits(l);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
		setup_fail(l, STAGE_CAPS, errno, -1);
	/* Changed credentials clear the request (credentials change, kernel/cred.c). */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0)
		setup_fail(l, STAGE_INIT, errno, -1);
	r = rules < 0 ? 0 : landlock_confine(rules);
	if (r < 0)
		setup_fail(l, STAGE_LANDLOCK, r, -1);
	close_quietly(rules);
}

void init_filter_calls(struct launch *l)
{
	int listener = -1, r;

	r = supervised(l) && capped(l, LACK_LISTENER)
		    ? -EBUSY
		    : seccomp_load(&filter, supervised(l), &listener);
	if (r < 0)
		setup_fail(l, STAGE_SECCOMP, r, -1);
	if (!supervised(l))
		return;
	r = fd_send(l->sync[1], &listener, 1);
	if (r < 0)
		setup_lost(l, r);
	close_quietly(listener);
	/* It holds exec_pass. */
	filter.len = 0;
	explicit_bzero(filter.insn, sizeof(filter.insn));
}

/* The warden has worked on it beside all of the above: it is seldom waited for. */
static void wait_for_network(struct launch *l)
{
	int r = l->kit[1] < 0 || net_waits(l) ? 0 : kit_wait(l->kit[1]);

	if (r < 0)
		setup_lost(l, r);
}

static int open_terminal(struct launch *l)
{
	int master, slave, r;
	struct {
		union {
			struct cmsghdr hdr;
			char buf[CMSG_SPACE(sizeof(int))];
		};
	} ctl = { 0 };
	struct ctl_msg m = { .type = CTL_PTY };
	struct iovec iov = { .iov_base = &m, .iov_len = sizeof(m) };
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = ctl.buf,
			      .msg_controllen = sizeof(ctl.buf) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);

	r = pty_open(flat(l) ? PTY_HOST : PTY_INSIDE, &master, &slave);
	if (r < 0)
		setup_fail(l, STAGE_TERMINAL, r, -1);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &master, sizeof(int));
	if (sendmsg(l->ctl[1], &msg, MSG_NOSIGNAL) < 0)
		setup_fail(l, STAGE_TERMINAL, errno, -1);
	close_quietly(master);
	/* The warden sets size and modes before the command can look at them. */
	if (recv(l->ctl[1], &m, sizeof(m), 0) != sizeof(m))
		_exit(125);
	if (ioctl(slave, TIOCSCTTY, 0) < 0)
		setup_fail(l, STAGE_TERMINAL, errno, -1);
	return slave;
}

static void report_stop(struct launch *l, pid_t command)
{
	siginfo_t si = { 0 };

	if (waitid(P_PID, (id_t)command, &si, WSTOPPED | WNOHANG) == 0 && si.si_pid == command)
		send_ctl(l, CTL_STOPPED, si.si_status);
}

/* The end of init is that of the session: by the pid namespace, or by hand. */
_noreturn_ static void leave(const struct launch *l, int status)
{
	if (flat(l))
		flat_end();
	_exit(status);
}

/* Reaps what has ended. Ends init, and with it the session, when the command has. */
static void reap(struct launch *l, pid_t command)
{
	int status;
	pid_t pid;

	report_stop(l, command);
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid == command) {
			send_ctl(l, CTL_EXITED, status);
			leave(l, 0);
		}
		if (pid == l->guard)
			leave(l, 125);
	}
}

static void handle_ctl(struct launch *l, pid_t command)
{
	struct ctl_msg m;
	ssize_t n = recv(l->ctl[1], &m, sizeof(m), MSG_DONTWAIT);

	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
		leave(l, 125); /* no warden, no session */
	if (n != sizeof(m))
		return;
	if (m.type == CTL_CONT)
		(void)kill(-command, SIGCONT);
	if (m.type == CTL_TERM)
		(void)kill(-1, SIGTERM);
	if (m.type != CTL_SIGNAL)
		return;
	switch (m.value) {
	case SIGINT:
	case SIGQUIT:
	case SIGHUP:
	case SIGTSTP:
		/* What a terminal would send to the foreground group. */
		(void)kill(-command, m.value);
		break;
	default:
		(void)kill(command, m.value);
	}
}

static void reap_loop(struct launch *l, pid_t command)
{
	sigset_t chld;
	struct pollfd p[3];

	(void)sigemptyset(&chld);
	(void)sigaddset(&chld, SIGCHLD);
	p[0] = (struct pollfd){ .fd = signalfd(-1, &chld, SFD_CLOEXEC | SFD_NONBLOCK),
				.events = POLLIN };
	p[1] = (struct pollfd){ .fd = l->ctl[1], .events = POLLIN };
	p[2] = (struct pollfd){ .fd = l->kit[1], .events = POLLIN };
	if (p[0].fd < 0)
		setup_fail(l, STAGE_INIT, errno, -1);
	close_quietly(l->fail[1]);
	for (;;) {
		struct signalfd_siginfo si;

		/* Before each sleep: a child that ended before the descriptor was there. */
		reap(l, command);
		if (poll(p, ARRAY_SIZE(p), -1) < 0 && errno != EINTR)
			leave(l, 125);
		while (read(p[0].fd, &si, sizeof(si)) > 0)
			;
		if (p[1].revents)
			handle_ctl(l, command);
		if (p[2].revents && !kit_refill(p[2].fd)) {
			/* Nothing goes out any more; the session goes on. */
			close_quietly(p[2].fd);
			p[2].fd = -1;
		}
	}
}

static pid_t start_command(struct launch *l, int slave)
{
	struct job j = { .argv = l->spec->argv,
			 .envp = l->plan->flat ? l->plan->envp : l->spec->envp,
			 .workdir = l->spec->workdir,
			 .tty = { l->tty[0], l->tty[1], l->tty[2] },
			 .slave = slave,
			 .report = -1 };
	int ignored;
	pid_t pid = spawn_job(l, &j, &ignored);

	if (pid < 0)
		setup_fail(l, STAGE_FORK, -pid, -1);
	return pid;
}

void init_main(struct launch *l)
{
	int slave = -1;
	pid_t command;
	sigset_t all;

	(void)sigfillset(&all);
	if (sigprocmask(SIG_SETMASK, &all, NULL) < 0 ||
	    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0)
		setup_fail(l, STAGE_INIT, errno, -1);
	/* Leader of the session that the command's process group belongs to: with a
	 * parent in the same session the group is not orphaned, so Ctrl-Z works. */
	if (setsid() < 0)
		setup_fail(l, STAGE_INIT, errno, -1);
	if (flat(l)) {
		flat_init(l);
	} else {
		enter_root(l);
		drop_rights(l);
	}
	if (l->use_pty) {
		/* The warden, which readies it, answers about the terminal afterwards. */
		wait_for_network(l);
		slave = open_terminal(l);
	}
	if (!flat(l))
		init_filter_calls(l);
	if (!l->use_pty)
		wait_for_network(l);
	if (l->warm)
		warm_init(l);
	command = start_command(l, slave);
	close_quietly(slave);
	close_quietly(l->sync[1]);
	for (int fd = 0; fd < 3; fd++)
		close_quietly(fd);
	reap_loop(l, command);
	_exit(125);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The filter loaded into real processes: each refused call is really made, by
 * root (when the test runs as root) and by an ordinary user. The arguments are
 * such that a call that got through would fail with another errno, and would do
 * no harm. */
#include <asm/ioctls.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/netlink.h>
#include <poll.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "linux/kern.h"
#include "linux/seccomp_table.h"

#define NOBODY 65534
#define DONE 0
#define BAD(n) (100 + (n)) /* exit status of the child: which case went wrong */
#define P(x) ((long)(uintptr_t)(x))

struct live_case {
	long nr;
	long args[4];
	int err; /* 0: must succeed */
};

static const struct live_case cases[] = {
	{ SYS_bpf, { -1 }, EPERM },
	{ SYS_perf_event_open, { 0 }, EPERM },
	{ SYS_userfaultfd, { -1 }, EPERM },
	{ SYS_keyctl, { -1 }, EPERM },
	{ SYS_add_key, { 0 }, EPERM },
	{ SYS_request_key, { 0 }, EPERM },
	{ SYS_kexec_load, { 0, 0, 0, -1 }, EPERM },
	{ SYS_mount, { 0, P("/nonexistent"), 0 }, EPERM },
	{ SYS_umount2, { P("/nonexistent"), 0 }, EPERM },
	{ SYS_pivot_root, { 0, 0 }, EPERM },
	{ SYS_move_mount, { -1, 0, -1, 0 }, EPERM },
	{ SYS_open_tree, { -1, P("/"), -1 }, EPERM },
	{ NR_OPEN_TREE_ATTR, { -1, P("/"), -1 }, EPERM },
	{ SYS_fsopen, { P("nonexistent"), -1 }, EPERM },
	{ SYS_fsconfig, { -1 }, EPERM },
	{ SYS_fsmount, { -1 }, EPERM },
	{ SYS_fspick, { -1, P("/"), -1 }, EPERM },
	{ SYS_mount_setattr, { -1, P("/"), -1 }, EPERM },
	{ SYS_chroot, { P("/nonexistent") }, EPERM },
	{ SYS_setns, { -1 }, EPERM },
	{ SYS_open_by_handle_at, { -1, 0, 0 }, EPERM },
	{ SYS_acct, { P("/nonexistent") }, EPERM },
	{ SYS_swapon, { P("/nonexistent"), 0 }, EPERM },
	{ SYS_swapoff, { P("/nonexistent") }, EPERM },
	{ SYS_quotactl, { -1 }, EPERM },
	{ SYS_reboot, { 1, 2, 3 }, EPERM },
	{ SYS_init_module, { 0, 0, 0 }, EPERM },
	{ SYS_finit_module, { -1 }, EPERM },
	{ SYS_delete_module, { 0 }, EPERM },
	{ SYS_settimeofday, { 1, 1 }, EPERM },
	{ SYS_clock_settime, { -1 }, EPERM },
	{ SYS_fanotify_init, { -1 }, EPERM },
	{ SYS_syslog, { 99 }, EPERM },
	{ SYS_sethostname, { 0, -1 }, EPERM },
	{ SYS_unshare, { CLONE_NEWUSER }, EPERM },
	{ SYS_unshare, { CLONE_NEWNS }, EPERM },
	{ SYS_unshare, { CLONE_NEWNET | CLONE_FS }, EPERM },
	{ SYS_clone, { CLONE_NEWUSER | SIGCHLD }, EPERM },
	{ SYS_clone, { CLONE_NEWPID | SIGCHLD }, EPERM },
	{ SYS_clone3, { 0, 0 }, ENOSYS },
	{ 425 /* io_uring_setup */, { 1, 0 }, ENOSYS },
	{ 426 /* io_uring_enter */, { -1 }, ENOSYS },
	{ 427 /* io_uring_register */, { -1 }, ENOSYS },
	{ SC_NR_LAST + 1, { 0 }, ENOSYS },
	{ 1023, { 0 }, ENOSYS },
	{ SYS_personality, { READ_IMPLIES_EXEC }, EPERM },
	{ SYS_personality, { 0xffffffff }, 0 },
	{ SYS_personality, { ADDR_NO_RANDOMIZE }, 0 },
	{ SYS_socket, { AF_VSOCK, SOCK_STREAM }, EAFNOSUPPORT },
	{ SYS_socket, { AF_ALG, SOCK_SEQPACKET }, EAFNOSUPPORT },
	{ SYS_socket, { AF_PACKET, SOCK_RAW }, EAFNOSUPPORT },
	{ SYS_socket, { AF_UNIX, SOCK_DGRAM }, EPERM },
	{ SYS_socketpair, { AF_UNIX, SOCK_DGRAM }, EPERM },
	{ SYS_socket, { AF_NETLINK, SOCK_RAW, NETLINK_NETFILTER }, EPROTONOSUPPORT },
	{ SYS_socket, { AF_INET, SOCK_STREAM, 262 /* MPTCP */ }, EPROTONOSUPPORT },
	{ SYS_socket, { AF_UNIX, SOCK_STREAM }, 0 },
	{ SYS_socket, { AF_UNIX, SOCK_SEQPACKET }, 0 },
	{ SYS_socket, { AF_INET, SOCK_STREAM }, 0 },
	{ SYS_socket, { AF_INET6, SOCK_DGRAM }, 0 },
	{ SYS_socket, { AF_NETLINK, SOCK_RAW, NETLINK_ROUTE }, 0 },
	{ SYS_fcntl, { -1, F_SETLEASE, F_WRLCK }, EPERM },
	{ SYS_fcntl, { -1, F_GETLEASE }, EBADF }, /* through the filter */
	{ SYS_ioctl, { -1, TIOCSTI }, EPERM },
	{ SYS_ioctl, { -1, (long)(0xffffffff00000000UL | TIOCSTI) }, EPERM },
	{ SYS_ioctl, { -1, TIOCLINUX }, EPERM },
	{ SYS_ioctl, { -1, 0x5000940e /* BTRFS_IOC_SUBVOL_CREATE */ }, EPERM },
	{ SYS_ioctl, { -1, (long)FS_IOC_SETFLAGS }, ENOTTY },
	{ SYS_ioctl, { -1, TCGETS }, EBADF }, /* through the filter */
	{ SYS_ioctl, { -1, FICLONE }, EBADF },
	{ SYS_getppid, { 0 }, 0 },
	{ SYS_mkdirat, { AT_FDCWD, P("/nonexistent/x"), 0 }, ENOENT },
#if defined(__x86_64__)
	{ SYS_iopl, { 99 }, EPERM },
	{ SYS_ioperm, { -1, -1, -1 }, EPERM },
	{ SYS_modify_ldt, { 0 }, ENOSYS },
	{ SYS_uselib, { 0 }, ENOSYS },
	{ SYS__sysctl, { 0 }, ENOSYS },
	{ 0x40000000 | SYS_getpid, { 0 }, ENOSYS },
	{ 0x40000000 | SYS_openat, { AT_FDCWD, P("/"), O_RDONLY }, ENOSYS },
	{ 0x40000000 | 520 /* x32 execve */, { 0 }, ENOSYS },
#endif
};

static void drop_to(uid_t uid)
{
	if (uid != geteuid() && (setgid(uid) || setuid(uid)))
		_exit(99);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		_exit(98);
}

static void load(const struct seccomp_opts *o, bool listener, int *ret_listener)
{
	struct seccomp_prog p;

	if (seccomp_build(o, &p) || seccomp_load(&p, listener, ret_listener))
		_exit(97);
}

static int status_of(pid_t pid)
{
	int status = 0;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static int try_cases(uid_t uid)
{
	const struct seccomp_opts o = { .arch = seccomp_native() };

	drop_to(uid);
	load(&o, false, NULL);
	for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct live_case *c = &cases[i];
		long r;

		errno = 0;
		r = syscall(c->nr, c->args[0], c->args[1], c->args[2], c->args[3], 0, 0);
		/* A clone that got through must not run the rest twice. */
		if (c->nr == SYS_clone && r == 0)
			_exit(96);
		if ((c->err == 0) != (r >= 0) || (c->err && errno != c->err))
			return BAD(i);
	}
	return DONE;
}

static void check_status(int status, const char *who)
{
	if (WIFEXITED(status) && WEXITSTATUS(status) >= BAD(0))
		fail_msg("%s: case %d", who, WEXITSTATUS(status) - BAD(0));
	if (status)
		fail_msg("%s: status %x", who, (unsigned)status);
}

/* Runs fn in a child as the ordinary user, and as root when we are root. */
static void as_each_user(int (*fn)(uid_t uid))
{
	const uid_t uids[] = { geteuid() ? geteuid() : NOBODY, 0 };

	for (unsigned i = 0; i < (geteuid() ? 1 : 2); i++) {
		pid_t pid = fork();

		assert_true(pid >= 0);
		if (pid == 0)
			_exit(fn(uids[i]));
		check_status(status_of(pid), uids[i] ? "user" : "root");
	}
}

static void test_refused_calls(void **state)
{
	(void)state;
	as_each_user(try_cases);
}

/* ---- the i386 door ------------------------------------------------------ */

#if defined(__x86_64__)
/* Numbers of the 32-bit table. */
static long int80(long nr, long a)
{
	long r;

	__asm__ volatile("int $0x80"
			 : "=a"(r)
			 : "a"(nr), "b"(a), "c"(0), "d"(0)
			 : "memory", "r8", "r9", "r10", "r11");
	return r;
}

static int try_int80(uid_t uid)
{
	const struct seccomp_opts o = { .arch = seccomp_native() };
	static const int calls[] = { 2 /* fork */,
				     5 /* open */,
				     11 /* execve */,
				     20 /* getpid */,
				     39 /* mkdir */,
				     102 /* socketcall */,
				     359 /* socket */ };

	drop_to(uid);
	load(&o, false, NULL);
	for (unsigned i = 0; i < ARRAY_SIZE(calls); i++)
		if (int80(calls[i], 0) != -ENOSYS)
			return BAD(i);
	(void)int80(252 /* exit_group */, DONE);
	return BAD(50); /* it must be able to end */
}

static bool has_i386(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		(void)signal(SIGSEGV, SIG_DFL);
		_exit(int80(20, 0) == getpid() ? DONE : 1);
	}
	return status_of(pid) == 0;
}

static void test_int80(void **state)
{
	(void)state;
	if (!has_i386()) {
		print_message("this kernel has no i386 entry: nothing to refuse\n");
		skip();
	}
	as_each_user(try_int80);
}
#endif

/* ---- the listener ------------------------------------------------------- */

struct listening {
	pid_t pid;
	int fd;
};

/* A child that loads the filter with a listener, hands it over through a shared
 * descriptor table and then runs fn. */
static struct listening start(const struct seccomp_opts *o, int (*fn)(void))
{
	struct listening l = { .fd = -1 };
	int pair[2], fd = -1, pidfd;
	char go = 0;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	l.pid = fork();
	assert_true(l.pid >= 0);
	if (l.pid == 0) {
		(void)prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
		drop_to(geteuid());
		load(o, true, &fd);
		if (write(pair[1], &fd, sizeof(fd)) != sizeof(fd) || read(pair[1], &go, 1) != 1 ||
		    close(fd))
			_exit(95);
		_exit(fn());
	}
	assert_int_equal(read(pair[0], &fd, sizeof(fd)), sizeof(fd));
	pidfd = (int)syscall(SYS_pidfd_open, l.pid, 0);
	assert_true(pidfd >= 0);
	l.fd = (int)syscall(SYS_pidfd_getfd, pidfd, fd, 0);
	assert_true(l.fd >= 0);
	assert_int_equal(write(pair[0], "g", 1), 1);
	(void)close(pidfd);
	(void)close(pair[0]);
	(void)close(pair[1]);
	return l;
}

/* Answers until the child is gone; counts what it saw. */
static int serve(const struct listening *l, const int *expected, unsigned n)
{
	unsigned seen = 0;

	for (;;) {
		struct pollfd p = { .fd = l->fd, .events = POLLIN };
		struct seccomp_notif req = { 0 };
		struct seccomp_notif_resp resp = { 0 };

		assert_true(poll(&p, 1, 5000) == 1);
		if (p.revents & POLLHUP)
			break;
		assert_int_equal(ioctl(l->fd, SECCOMP_IOCTL_NOTIF_RECV, &req), 0);
		assert_true(seen < n);
		assert_int_equal(req.data.nr, expected[seen++]);
		resp.id = req.id;
		resp.error = -(seccomp_denial(&req.data) ? seccomp_denial(&req.data) : EDOM);
		assert_int_equal(ioctl(l->fd, SECCOMP_IOCTL_NOTIF_SEND, &resp), 0);
	}
	assert_int_equal(seen, n);
	(void)close(l->fd);
	return status_of(l->pid);
}

static bool gives(long r, int err)
{
	return r == -1 && errno == err;
}

static int trapped_calls(void)
{
	struct sock_filter ret_allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct seccomp_prog again = { .len = 1 };
	int fd, second = -1;

	if (!gives(syscall(SYS_mkdirat, AT_FDCWD, "/nonexistent/x", 0), EDOM))
		return BAD(0);
	if (!gives(syscall(SYS_openat, AT_FDCWD, "/nonexistent", O_WRONLY, 0), EDOM))
		return BAD(1);
	fd = open("/", O_RDONLY | O_CLOEXEC); /* not trapped */
	if (fd < 0)
		return BAD(2);
	if (!gives(syscall(SYS_mount, 0, 0, 0, 0, 0), EPERM)) /* reported */
		return BAD(3);
	if (!gives(syscall(SYS_socket, AF_VSOCK, SOCK_STREAM, 0), EAFNOSUPPORT))
		return BAD(4);
	if (!gives(syscall(SYS_clone3, 0, 0), ENOSYS)) /* not reported */
		return BAD(5);
	/* No second listener under the first; a filter of its own it may have. */
	again.insn[0] = ret_allow;
	if (seccomp_load(&again, true, &second) != -EBUSY || second != -1)
		return BAD(6);
	if (seccomp_load(&again, false, NULL) != 0)
		return BAD(7);
	return DONE;
}

static void test_listener(void **state)
{
	static const int expected[] = { SYS_mkdirat, SYS_openat, SYS_mount, SYS_socket };
	const struct seccomp_opts o = { .arch = seccomp_native(),
					.trap_writes = true,
					.report = true };
	struct listening l = start(&o, trapped_calls);

	(void)state;
	check_status(serve(&l, expected, ARRAY_SIZE(expected)), "child");
}

static int exec_true(void)
{
	char *const argv[] = { (char *)(uintptr_t) "true", NULL };
	int fd;

	/* It goes on reading after the supervisor is gone, and cannot write. */
	if (!gives(execve("/bin/true", argv, NULL), ENOSYS))
		return BAD(0);
	fd = open("/etc/passwd", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return BAD(1);
	if (!gives(open("/dev/null", O_WRONLY | O_CLOEXEC), ENOSYS))
		return BAD(2);
	return DONE;
}

/* A supervisor that dies leaves the calls it served refused. */
static void test_dead_listener(void **state)
{
	const struct seccomp_opts o = { .arch = seccomp_native(),
					.trap_writes = true,
					.trap_exec = true };
	struct listening l = start(&o, exec_true);

	(void)state;
	(void)close(l.fd);
	check_status(status_of(l.pid), "child");
}

static int without_nnp(uid_t uid)
{
	const struct seccomp_opts o = { .arch = seccomp_native() };
	struct seccomp_prog p;
	int fd = -7;

	if (uid == 0)
		return DONE; /* root may */
	if (uid != geteuid() && (setgid(uid) || setuid(uid)))
		return BAD(0);
	if (seccomp_build(&o, &p) || seccomp_load(&p, true, &fd) != -EACCES || fd != -7)
		return BAD(1);
	return DONE;
}

static void test_needs_no_new_privs(void **state)
{
	(void)state;
	as_each_user(without_nnp);
}

/* ---- tracers ------------------------------------------------------------ */

/* A tracer that turns a harmless call into a refused one is filtered again. */
static int tracee(uid_t uid)
{
	const struct seccomp_opts o = { .arch = seccomp_native() };

	drop_to(uid);
	load(&o, false, NULL);
	if (ptrace(PTRACE_TRACEME, 0, 0, 0))
		return BAD(0);
	(void)raise(SIGSTOP);
	return gives(syscall(SYS_getppid), EPERM) ? DONE : BAD(1);
}

#if defined(__x86_64__)
static void test_tracer_rewrites(void **state)
{
	struct user_regs_struct regs;
	bool changed = false;
	pid_t pid = fork();
	int status = 0;

	(void)state;
	assert_true(pid >= 0);
	if (pid == 0)
		_exit(tracee(geteuid()));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSTOPPED(status));
	assert_int_equal(
		ptrace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL), 0);
	while (ptrace(PTRACE_SYSCALL, pid, 0, 0) == 0 && waitpid(pid, &status, 0) == pid &&
	       WIFSTOPPED(status)) {
		if (WSTOPSIG(status) != (SIGTRAP | 0x80) || ptrace(PTRACE_GETREGS, pid, 0, &regs) ||
		    regs.orig_rax != SYS_getppid)
			continue;
		regs.orig_rax = SYS_mount;
		assert_int_equal(ptrace(PTRACE_SETREGS, pid, 0, &regs), 0);
		changed = true;
	}
	assert_true(changed);
	check_status(status, "tracee");
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refused_calls),
#if defined(__x86_64__)
		cmocka_unit_test(test_int80),
		cmocka_unit_test(test_tracer_rewrites),
#endif
		cmocka_unit_test(test_listener),
		cmocka_unit_test(test_dead_listener),
		cmocka_unit_test(test_needs_no_new_privs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Filters of berm's own processes, once they are set up: lists of what each
 * needs, so that hostile input that takes one over finds no exec, no socket, no
 * ptrace and no new namespace.
 *
 * An unknown call kills the git helper, which only computes; its death is a
 * refusal. The supervisor and the warden get ENOSYS: a libc that tries a newer
 * call first falls back to an older one, and a trapped call is then refused
 * instead of ending the session. clone3 hides its flags in memory and is ENOSYS
 * everywhere. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "linux/seccomp_asm.h"
#include "linux/seccomp_table.h"

#define ID(name) SC_ID_##name

/* clang-format off */

/* What any C program needs between main and exit. mmap, mprotect: no PROT_EXEC. */
static const uint16_t base_calls[] = {
	ID(read), ID(write), ID(writev), ID(close), ID(munmap), ID(mremap), ID(brk), ID(madvise),
	ID(futex), ID(rt_sigaction), ID(rt_sigprocmask), ID(rt_sigreturn), ID(sigaltstack),
	ID(restart_syscall), ID(exit), ID(exit_group), ID(getpid), ID(gettid), ID(tgkill), ID(tkill),
	ID(clock_gettime), ID(clock_nanosleep), ID(nanosleep), ID(getrandom), ID(sched_yield),
	ID(poll), ID(ppoll), ID(recvmsg), ID(sendmsg), ID(recvfrom), ID(sendto),
};

/* Reads the command's memory and /proc entries, makes and changes files by
 * descriptor, and answers the listener. */
static const uint16_t supervisor_calls[] = {
	/* threads */
	ID(set_robust_list), ID(rseq), ID(sched_setaffinity), ID(sched_getaffinity), ID(getcpu),
	ID(membarrier), ID(umask), ID(eventfd2), ID(pipe2), ID(dup2),
	/* looking; the old forms are what musl makes of paths without a directory */
	ID(open), ID(stat), ID(lstat),
	ID(openat), ID(openat2), ID(pread64), ID(lseek), ID(getdents64), ID(readlinkat),
	ID(statx), ID(newfstatat), ID(fstat), ID(fstatfs), ID(statfs), ID(faccessat),
	ID(faccessat2), ID(process_vm_readv), ID(fcntl), ID(dup), ID(dup3), ID(flock),
	ID(fgetxattr), ID(getxattr), ID(flistxattr), ID(listxattr), ID(getuid), ID(geteuid),
	ID(getgid), ID(getegid), ID(getgroups), ID(pidfd_open), ID(pidfd_getfd), ID(fchdir),
	ID(close_range), ID(uname), ID(wait4), ID(waitid),
	/* doing */
	ID(mkdirat), ID(mknodat), ID(symlinkat), ID(linkat), ID(renameat), ID(renameat2),
	ID(unlinkat), ID(ftruncate), ID(fchmod), ID(fchmodat), ID(fchmodat2), ID(fchown),
	ID(fchownat), ID(utimensat), ID(setxattr), ID(lsetxattr), ID(fsetxattr), ID(setxattrat),
	ID(removexattr), ID(lremovexattr), ID(fremovexattr), ID(removexattrat), ID(file_setattr),
	ID(file_getattr), ID(pwrite64), ID(fsync), ID(fdatasync), ID(fallocate), ID(bind),
	/* git's files: stand-ins, and a helper that confines itself further */
	ID(memfd_create), ID(inotify_init1), ID(inotify_add_watch), ID(inotify_rm_watch),
	ID(seccomp),
};

/* Relays the terminal, waits for the end, writes events to open descriptors and
 * clears the session's directories away. */
static const uint16_t warden_calls[] = {
	ID(pread64), ID(pwrite64), ID(lseek), ID(fstat), ID(newfstatat), ID(statx),
	ID(readlinkat), ID(getdents64), ID(unlinkat), ID(fcntl), ID(dup), ID(dup3), ID(flock),
	ID(fsync), ID(fdatasync), ID(ftruncate), ID(wait4), ID(waitid), ID(kill),
	ID(pidfd_send_signal), ID(pidfd_open), ID(getppid), ID(getpgid), ID(getpgrp), ID(getsid),
	ID(setpgid), ID(getuid), ID(geteuid), ID(getgid), ID(getegid), ID(pipe2), ID(eventfd2),
	ID(signalfd4), ID(timerfd_create), ID(timerfd_settime), ID(epoll_create1), ID(epoll_ctl),
	ID(epoll_wait), ID(epoll_pwait), ID(rt_sigtimedwait), ID(rt_sigsuspend),
	ID(rt_sigpending), ID(setitimer), ID(shutdown), ID(splice), ID(uname), ID(umask),
	ID(getrlimit), ID(prlimit64), ID(getrusage), ID(close_range),
};

/* Of a warm session also: its socket, which listened before. */
static const uint16_t session_calls[] = { ID(accept4), ID(getsockopt) };

/* clang-format on */

struct role {
	const uint16_t *calls;
	size_t n;
	uint32_t fallback;
	const uint16_t *more;
	size_t n_more;
};

static const struct role roles[] = {
	[SECCOMP_ROLE_SUPERVISOR] = { supervisor_calls, ARRAY_SIZE(supervisor_calls),
				      SC_RET_ERRNO(ENOSYS) },
	[SECCOMP_ROLE_GIT_HELPER] = { NULL, 0, SECCOMP_RET_KILL_PROCESS },
	[SECCOMP_ROLE_WARDEN] = { warden_calls, ARRAY_SIZE(warden_calls), SC_RET_ERRNO(ENOSYS) },
	[SECCOMP_ROLE_SESSION] = { warden_calls, ARRAY_SIZE(warden_calls), SC_RET_ERRNO(ENOSYS),
				   session_calls, ARRAY_SIZE(session_calls) },
};

struct table {
	enum seccomp_arch arch;
	bpf_label of[SC_NR_LAST + 2];
};

static void set(struct table *t, enum sc_id id, bpf_label to)
{
	int nr = sc_rows[id].nr[t->arch];

	if (nr >= 0)
		t->of[nr] = to;
}

static void set_all(struct table *t, const uint16_t *ids, size_t n, bpf_label to)
{
	for (size_t i = 0; i < n; i++)
		set(t, ids[i], to);
}

static void set_memory(struct bpf_gen *g, struct table *t, bpf_label allow, bpf_label refuse)
{
	bpf_label next = bpf_load(g, SC_OFF_LO(2), bpf_jset(g, PROT_EXEC, refuse, allow));

	set(t, SC_ID_mmap, next);
	set(t, SC_ID_mprotect, next);
}

/* Threads and one kind of fork, private cwd and umask for each, and the listener's own ioctls
 * (magic '!'). Times and owners are changed by descriptor through utimensat and
 * fchownat with AT_EMPTY_PATH or by name, so those stay open. */
static void set_supervisor(struct bpf_gen *g, struct table *t, bpf_label allow, bpf_label refuse)
{
	bpf_label next;

	next = bpf_jset(g, CLONE_THREAD, allow, refuse);
	next = bpf_jset(g, SC_CLONE_NEW, refuse, next);
	/* A plain fork, for the git helper: it can exec as little as we can. */
	next = bpf_jeq(g, SIGCHLD, allow, next);
	set(t, SC_ID_clone, bpf_load(g, SC_OFF_LO(0), next));
	set(t, SC_ID_clone3, bpf_ret(g, SC_RET_ERRNO(ENOSYS)));
	next = bpf_jset(g, ~(uint32_t)(CLONE_FS | CLONE_FILES), refuse, allow);
	set(t, SC_ID_unshare, bpf_load(g, SC_OFF_LO(0), next));
	next = bpf_and(g, 0xff00, bpf_jeq(g, (uint32_t)'!' << 8, allow, refuse));
	set(t, SC_ID_ioctl, bpf_load(g, SC_OFF_LO(1), next));
	next = bpf_jeq(g, PR_SET_PDEATHSIG, allow, refuse);
	next = bpf_jeq(g, PR_SET_NAME, allow, next);
	set(t, SC_ID_prctl, bpf_load(g, SC_OFF_LO(0), next));
}

/* Opens to read only; terminal ioctls without those that type into it. */
static void set_warden(struct bpf_gen *g, struct table *t, bpf_label allow, bpf_label refuse)
{
	bpf_label next;

	next = bpf_jset(g, O_ACCMODE | O_CREAT | O_TRUNC | SC_TMPFILE, refuse, allow);
	set(t, SC_ID_openat, bpf_load(g, SC_OFF_LO(2), next));
	next = allow;
	for (size_t i = 0; i < ARRAY_SIZE(sc_ioctls[0].cmd) && sc_ioctls[0].cmd[i]; i++)
		next = bpf_jeq(g, sc_ioctls[0].cmd[i], refuse, next);
	next = bpf_load(g, SC_OFF_LO(1), next);
	next = bpf_and(g, 0xff00, bpf_jeq(g, sc_ioctls[0].magic, next, refuse));
	set(t, SC_ID_ioctl, bpf_load(g, SC_OFF_LO(1), next));
}

int seccomp_build_own(enum seccomp_role role, enum seccomp_arch arch, struct seccomp_prog *ret)
{
	const struct role *r = &roles[role];
	struct table t = { .arch = arch };
	struct bpf_gen g = { 0 };
	bpf_label allow, refuse, next;

	allow = bpf_ret(&g, SECCOMP_RET_ALLOW);
	refuse = bpf_ret(&g, r->fallback);
	for (size_t nr = 0; nr < ARRAY_SIZE(t.of); nr++)
		t.of[nr] = refuse;
	set_all(&t, base_calls, ARRAY_SIZE(base_calls), allow);
	set_all(&t, r->calls, r->n, allow);
	set_all(&t, r->more, r->n_more, allow);
	set_memory(&g, &t, allow, refuse);
	if (role == SECCOMP_ROLE_SUPERVISOR)
		set_supervisor(&g, &t, allow, refuse);
	else if (role == SECCOMP_ROLE_WARDEN || role == SECCOMP_ROLE_SESSION)
		set_warden(&g, &t, allow, refuse);

	next = bpf_dispatch(&g, t.of, ARRAY_SIZE(t.of));
	/* The supervisor's hottest call that its arguments decide. */
	next = bpf_jeq(&g, (uint32_t)sc_rows[SC_ID_ioctl].nr[arch],
		       t.of[sc_rows[SC_ID_ioctl].nr[arch]], next);
	next = bpf_load(&g, SC_OFF_NR, next);
	next = bpf_jeq(&g, sc_abis[arch].native, next, bpf_ret(&g, SECCOMP_RET_KILL_PROCESS));
	return bpf_finish(&g, bpf_load(&g, SC_OFF_ARCH, next), ret);
}

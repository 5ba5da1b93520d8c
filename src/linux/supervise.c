/* SPDX-License-Identifier: Apache-2.0 */
/* The supervisor's life before it serves: namespaces, mounts, then waiting for
 * init to hand over the listener. Runs in a fork of the warden: no heap. */
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/arena.h"
#include "base/fd.h"
#include "linux/kern.h"
#include "linux/output.h"
#include "linux/setup.h"
#include "linux/statx.h"
#include "linux/supervisor.h"

#define TREES_MAX 256

static pid_t init_pid;

static bool tell(const struct launch *l, enum stage stage, int err, int index)
{
	struct fail_record f = {
		.magic = FAIL_MAGIC, .stage = stage, .err = err < 0 ? -err : err, .index = index
	};

	/* A pipe takes a record this small at once and whole (pipe(7), PIPE_BUF). */
	while (write(l->fail[1], &f, sizeof(f)) < 0)
		if (errno != EINTR)
			return false;
	return true;
}

void setup_fail(const struct launch *l, enum stage stage, int err, int index)
{
	(void)tell(l, stage, err, index);
	_exit(125);
}

void setup_lost(const struct launch *l, int err)
{
	if (err != -EPIPE && err != -ECONNRESET)
		(void)tell(l, STAGE_SYNC, err, -1);
	_exit(125);
}

void setup_go(const struct launch *l)
{
	/* What the warden does not know of must not run. */
	if (!tell(l, STAGE_GO, 0, -1))
		_exit(125);
}

static void take_plan(struct launch *l)
{
	l->spec = l->late->spec;
	l->plan = l->late->plan;
}

void setup_wait_plan_supervisor(struct launch *l)
{
	char c;

	if (!l->late)
		return;
	if (recv(l->events[1], &c, 1, 0) != 1)
		_exit(125); /* the policy allows no run, and the warden has said why */
	take_plan(l);
}

void setup_wait_plan_init(struct launch *l)
{
	struct ctl_msg m;

	if (!l->late)
		return;
	if (recv(l->ctl[1], &m, sizeof(m), 0) != sizeof(m) || m.type != CTL_PLANNED)
		_exit(125);
	take_plan(l);
}

/* Init is gone, and with it every process of its pid namespace: the kernel
 * reaps them all before init's parent hears of it (pid_namespaces(7)). */
static void on_child(int sig)
{
	int saved = errno;

	(void)sig;
	if (waitpid(init_pid, NULL, WNOHANG) == init_pid && !supervisor_end())
		_exit(0);
	errno = saved;
}

static bool warden_gone(const struct launch *l)
{
	char c;
	ssize_t n = recv(l->events[1], &c, 1, MSG_PEEK | MSG_DONTWAIT);

	if (n < 0 && errno != EAGAIN)
		setup_lost(l, -errno);
	return n == 0;
}

static void die_with_warden(const struct launch *l)
{
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0)
		setup_fail(l, STAGE_CLONE, errno, -1);
	/* It may have died before the request was in place. */
	if (warden_gone(l))
		_exit(125);
}

static void clone_init(struct launch *l)
{
	long pid =
		syscall(SYS_clone, (flat(l) ? 0 : CLONE_NEWPID) | SIGCHLD, NULL, NULL, NULL, NULL);

	if (pid < 0)
		setup_fail(l, STAGE_INIT, errno, -1);
	if (pid == 0) {
		(void)close(l->sync[0]);
		(void)close(l->events[1]);
		init_main(l);
	}
	init_pid = (pid_t)pid;
	l->shared->init_pid = init_pid;
	(void)close(l->sync[1]);
	l->sync[1] = -1;
	(void)close(l->ctl[1]);
	l->ctl[1] = -1;
	close_quietly(l->kit[1]);
	l->kit[1] = -1;
}

static enum sup_root_kind root_kind(enum tree_kind kind)
{
	return kind == TREE_GOVERNED ? SUP_GOVERNED : SUP_FREE;
}

static size_t open_trees(const struct launch *l, struct sup_root *roots)
{
	size_t n = 0;

	for (size_t i = 0; i < l->plan->n_trees; i++) {
		const struct tree *t = &l->plan->trees[i];
		struct statx sx;
		int fd;

		if (!t->is_mount || (t->kind != TREE_GOVERNED && t->kind != TREE_FREE))
			continue;
		if (n == TREES_MAX)
			setup_fail(l, STAGE_TREES, E2BIG, (int)i);
		fd = open(t->path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0 || sys_statx(fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &sx) < 0)
			setup_fail(l, STAGE_TREES, errno, (int)i);
		if (!(sx.stx_mask & STATX_MNT_ID))
			setup_fail(l, STAGE_TREES, EOPNOTSUPP, (int)i);
		roots[n++] = (struct sup_root){ .fd = fd,
						.mnt_id = sx.stx_mnt_id,
						.path = t->path,
						.is_file = t->is_file,
						.kind = root_kind(t->kind) };
	}
	return n;
}

/* Nothing of the caller's may stay open in a process that outlives the command's
 * own copies: a reader of its output waits for end of file. */
static void drop_stdio(const struct launch *l)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0)
		setup_fail(l, STAGE_CONFINE, errno, -1);
	for (int fd = 0; fd < 3; fd++)
		if (dup2(null, fd) < 0)
			setup_fail(l, STAGE_CONFINE, errno, -1);
	close_quietly(null);
}

/* Everything that can be done before the listener is there, while init is still
 * making the network namespace. */
static struct supervisor *prepare(struct launch *l, int host_proc)
{
	static struct sup_root roots[TREES_MAX];
	static struct supervisor s;
	struct rlimit files;

	s = (struct supervisor){ .spec = l->spec,
				 .listener = -1,
				 .host_proc = host_proc,
				 .events = l->events[1],
				 .network = &l->shared->network,
				 .roots = roots,
				 .outer_proc = flat(l) || l->without & LACK_PROC,
				 .flat = flat(l),
				 .shown = &l->plan->shown,
				 .hidden = &l->plan->hidden,
				 .init_pid = init_pid,
				 .guard_pid = &l->shared->guard_pid,
				 .init_umask = (int)l->umask };
	s.n_roots = open_trees(l, roots);
	/* Its descriptor cache must not depend on the caller's soft limit. */
	if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < files.rlim_max) {
		files.rlim_cur = files.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &files);
	}
	return &s;
}

/* Taking the session's mounts apart waits for the kernel's readers, 0.3 ms in which nobody
 * needs this process any more, but whoever waits for the session does. So the last reference
 * to the mount namespace is not this process's: it lies in a socket that only
 * refers to itself, which the kernel's collector of such sockets (net/unix/garbage.c)
 * takes apart beside us once this process has closed its ends. Best effort: without
 * it the end takes longer. */
static void leave_mounts_to_collector(int host_proc)
{
	struct {
		union {
			struct cmsghdr hdr;
			char buf[CMSG_SPACE(2 * sizeof(int))];
		};
	} ctl = { 0 };
	char c = 0;
	struct iovec iov = { .iov_base = &c, .iov_len = 1 };
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = ctl.buf,
			      .msg_controllen = sizeof(ctl.buf) };
	struct cmsghdr *cm = CMSG_FIRSTHDR(&msg);
	int ends[2], fds[2];

	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends) < 0)
		return;
	fds[0] = ends[1];
	fds[1] = openat(host_proc, "self/ns/mnt", O_RDONLY | O_CLOEXEC);
	if (fds[1] < 0)
		return;
	cm->cmsg_level = SOL_SOCKET;
	cm->cmsg_type = SCM_RIGHTS;
	cm->cmsg_len = CMSG_LEN(sizeof(fds));
	memcpy(CMSG_DATA(cm), fds, sizeof(fds));
	(void)sendmsg(ends[0], &msg, MSG_NOSIGNAL | MSG_DONTWAIT);
	(void)close(fds[1]);
}

static void serve(struct launch *l, struct supervisor *s)
{
	int r;

	if (!flat(l) && (caps_drop_bounding() < 0 || caps_drop(1ull << CAP_SYS_PTRACE) < 0))
		setup_fail(l, STAGE_CAPS, errno, -1);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
		setup_fail(l, STAGE_CONFINE, errno, -1);
	die_with_warden(l);
	r = supervisor_prepare(s);
	if (r < 0)
		setup_fail(l, STAGE_CONFINE, r, -1);
	r = fd_recv(l->sync[0], &s->listener, 1);
	if (r < 0)
		setup_fail(l, STAGE_LISTENER, r, -1);
	r = fd_send(l->sync[0], NULL, 0);
	if (r < 0)
		setup_lost(l, r);
	close_quietly(l->fail[1]);
	/* No one is left to serve: init is as good as gone, and the warden reaps it
	 * (subreaper). The mounts go away with this process, meanwhile. */
	if (supervisor_run(s) == 0) {
		if (flat(l))
			flat_wait(l);
		_exit(0);
	}
	/* It cannot serve any more: the session ends closed. Init is reaped here:
	 * not every host's pid 1 reaps what is left to it. By tgkill(2), which this
	 * process's own filter has. */
	if (syscall(SYS_tgkill, init_pid, init_pid, SIGKILL) == 0)
		while (waitpid(init_pid, NULL, 0) < 0 && errno == EINTR)
			;
	_exit(125); /* init's PDEATHSIG, whatever became of the above */
}

/* Nothing is written by the command in this run: there is only init to wait for. */
static void wait_for_init(struct launch *l)
{
	close_quietly(l->fail[1]);
	while (waitpid(init_pid, NULL, 0) < 0 && errno == EINTR)
		;
	_exit(0);
}

/* The outer /proc knows this process and init. */
static int cover_own(int root)
{
	const pid_t own[] = { getpid(), init_pid };
	char self[16];
	ssize_t n = readlink("/proc/self", self, sizeof(self) - 1);

	if (n < 0)
		return -errno;
	self[n] = '\0';
	/* Of another pid namespace's numbers nothing could be said. */
	if (strtol(self, NULL, 10) != getpid())
		return -EXDEV;
	return mount_cover_own(root, own, ARRAY_SIZE(own));
}

/* What nobody asked for is what the kernel gives a tmpfs. */
static void limit_disk(const struct launch *l, int root)
{
	int r = 0;

	if (l->spec->limits[LIMIT_DISK].by == LIMIT_SAID && spec_limited(l->spec, LIMIT_DISK))
		r = mount_root_limit(root, l->spec->limits[LIMIT_DISK].value);
	if (r < 0)
		setup_fail(l, STAGE_DISK, r, -1);
}

static void build_view(struct launch *l, int root)
{
	int index = -1, proc, r = 0;
	size_t done = 0;

	(void)umask(0); /* modes of the places are as planned */
	if (l->late) {
		r = mount_steps(l->fixed, 0, root, &index);
		/* The plan begins with the same steps: the index holds for both. */
		setup_wait_plan_supervisor(l);
		done = l->plan->n_fixed;
	}
	if (r >= 0)
		r = mount_steps(l->plan, done, root, &index);
	if (r < 0)
		setup_fail(l, STAGE_STEP, r, index);
	limit_disk(l, root);
	(void)umask(l->umask);
	r = fd_recv(l->sync[0], &proc, 1);
	if (r < 0)
		setup_lost(l, r);
	r = mount_attach_proc(root, proc);
	if (r >= 0)
		r = mount_proc_readonly(root);
	if (r >= 0 && l->without & LACK_PROC)
		r = cover_own(root);
	if (r < 0)
		setup_fail(l, STAGE_PROC, r, -1);
	close_quietly(proc);
	r = mount_enter(root);
	if (r < 0)
		setup_fail(l, STAGE_PIVOT, r, -1);
}

/* Taking the old root away waits for the kernel's readers (an RCU grace period):
 * init goes on meanwhile. The command cannot run before it is gone, since
 * its exec is answered by this process; without a supervisor init waits. */
static void leave_old_root(struct launch *l)
{
	bool serves = supervised(l) && l->trap_exec;
	int r;

	r = serves ? fd_send(l->sync[0], NULL, 0) : 0;
	if (r < 0)
		setup_lost(l, r);
	r = mount_leave_old();
	if (r < 0)
		setup_fail(l, STAGE_PIVOT, r, -1);
	r = serves ? 0 : fd_send(l->sync[0], NULL, 0);
	if (r < 0)
		setup_lost(l, r);
	r = fd_send(l->sync[0], NULL, 0);
	if (r < 0)
		setup_lost(l, r);
}

static void watch_init(struct launch *l)
{
	struct sigaction act = { .sa_handler = on_child, .sa_flags = SA_RESTART };
	sigset_t none;

	(void)sigemptyset(&none);
	if (sigaction(SIGCHLD, &act, NULL) < 0 || sigprocmask(SIG_SETMASK, &none, NULL) < 0)
		setup_fail(l, STAGE_CONFINE, errno, -1);
	on_child(SIGCHLD);
}

static void limit_userns(const struct launch *l)
{
	int r;

	if (l->without & LACK_LIMIT)
		return;
	r = capped(l, LACK_LIMIT) ? -EROFS : userns_limit(!(l->without & LACK_INNER));
	if (r < 0)
		setup_fail(l, STAGE_USERNS_LIMIT, r, -1);
}

static int open_host_proc(const struct launch *l)
{
	int fd = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		setup_fail(l, STAGE_PROC, errno, -1);
	return fd;
}

_noreturn_ static void supervise_flat(struct launch *l)
{
	int host_proc = open_host_proc(l);

	flat_supervise(l);
	clone_init(l);
	drop_stdio(l);
	watch_init(l);
	serve(l, prepare(l, host_proc));
	_exit(125);
}

void supervise(struct launch *l)
{
	struct supervisor *s;
	int host_proc, root, r;

	die_with_warden(l);
	/* And so for init: whoever writes hears it when nobody reads any more. */
	output_close();
	r = l->late ? arena_reader() : 0;
	if (r < 0)
		setup_fail(l, STAGE_SYNC, r, -1);
	(void)setsid(); /* the terminal's signals are for the command */
	if (flat(l))
		supervise_flat(l);
	r = userns_map(-1, l->uid, l->gid);
	if (r < 0)
		setup_fail(l, STAGE_IDMAP, r, -1);
	host_proc = open_host_proc(l);
	limit_userns(l);
	r = capped(l, LACK_MOUNTS) ? -EPERM : mount_new_root(&root);
	if (r < 0)
		setup_fail(l, STAGE_ROOT, r, -1);
	clone_init(l);
	drop_stdio(l);
	build_view(l, root);
	close_quietly(root);
	leave_old_root(l);
	watch_init(l);
	if (!supervised(l))
		wait_for_init(l);
	s = prepare(l, host_proc);
	leave_mounts_to_collector(host_proc);
	serve(l, s);
	_exit(125);
}

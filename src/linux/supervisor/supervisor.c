/* SPDX-License-Identifier: Apache-2.0 */
/* Theory of operation
 *
 * The command's filter stops every call that would change a name, a file or its
 * attributes and asks here. Landlock, inherited by the command, grants none
 * of these rights inside the governed trees, so the answer "continue" can at worst lead
 * to EACCES and is safe for whatever is not governed: whoever swaps the path between our
 * look and the kernel's own gains nothing. What is governed is therefore never continued:
 * the supervisor makes the call itself, on descriptors it has judged, and hands the
 * result over.
 *
 * One request:
 *  1. RECV; the path is copied once (target.c).
 *  2. The parent directory is opened (resolve.c); what was opened is asked for its mount
 *     and its name.
 *  3. The policy is asked about name + operation (judge.c); git's files are judged by
 *     what is in them (git*.c).
 *  4. The notification is checked to be still waiting: only then was it the caller's
 *     memory and the caller's directory that we saw.
 *  5. The call is made on (directory, name), never following a symlink: a final symlink
 *     is followed by us, each step judged anew.
 *  6. A descriptor is added to the command, our copy closed, and only then the call
 *     answered: in one step the command could exec a file that we still hold
 *     open for writing (ETXTBSY), or find its lock still held.
 *
 * "Continue" is not safe for three things, which are done or refused here wherever they
 * lead: metadata, which Landlock does not know (chmod, chown, utimens, setxattr);
 * truncation, which it is not told to refuse (../landlock.c); and, while a rule hides
 * something from reading, every open without write access (read.c).
 *
 * Names inside the governed trees are changed by nobody but us (the host's own processes
 * aside). sup->names makes that hold between our own threads: one step holds it
 * shared, what consists of several steps exclusively.
 *
 * Its own filter's list is in ../seccomp_own.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>

#include "linux/kern.h"
#include "linux/seccomp.h"
#include "linux/seccomp_table.h"
#include "linux/supervisor/git.h"

#ifdef __NR_open
#define LEGACY(x) x
#else
#define LEGACY(x)
#endif

#define NR_LAST NR_FILE_SETATTR

static handler_fn *const handlers[NR_LAST + 1] = {
	[__NR_openat] = sys_openat,
	[__NR_openat2] = sys_openat2,
	[__NR_mkdirat] = sys_mkdirat,
	[__NR_mknodat] = sys_mknodat,
	[__NR_symlinkat] = sys_symlinkat,
	[__NR_unlinkat] = sys_unlinkat,
	[__NR_linkat] = sys_linkat,
	[__NR_renameat] = sys_renameat,
	[__NR_renameat2] = sys_renameat2,
	[__NR_truncate] = sys_truncate,
	[__NR_bind] = sys_bind,
	[__NR_close] = sys_close,
	[__NR_umask] = sys_umask,
	[__NR_execve] = sys_execve,
	[__NR_execveat] = sys_execveat,
	[__NR_fchmod] = sys_fchmod,
	[__NR_fchmodat] = sys_fchmodat,
	[NR_FCHMODAT2] = sys_fchmodat2,
	[__NR_fchown] = sys_fchown,
	[__NR_fchownat] = sys_fchownat,
	[__NR_utimensat] = sys_utimensat,
	[__NR_setxattr] = sys_setxattr,
	[__NR_lsetxattr] = sys_lsetxattr,
	[__NR_fsetxattr] = sys_fsetxattr,
	[NR_SETXATTRAT] = sys_setxattrat,
	[__NR_removexattr] = sys_removexattr,
	[__NR_lremovexattr] = sys_lremovexattr,
	[__NR_fremovexattr] = sys_fremovexattr,
	[NR_REMOVEXATTRAT] = sys_removexattrat,
	[__NR_newfstatat] = sys_newfstatat,
	[__NR_statx] = sys_look_statx,
	[__NR_statfs] = sys_statfs,
	[__NR_faccessat] = sys_faccessat,
	[NR_FACCESSAT2] = sys_faccessat2,
	[__NR_readlinkat] = sys_readlinkat,
	[__NR_getxattr] = sys_getxattr,
	[__NR_lgetxattr] = sys_lgetxattr,
	[__NR_listxattr] = sys_listxattr,
	[__NR_llistxattr] = sys_llistxattr,
	[__NR_chdir] = sys_chdir,
	[__NR_inotify_add_watch] = sys_inotify_add_watch,
#ifdef __NR_open
	[__NR_open] = sys_open,
	[__NR_stat] = sys_stat,
	[__NR_lstat] = sys_lstat,
	[__NR_access] = sys_access,
	[__NR_readlink] = sys_readlink,
	[__NR_creat] = sys_creat,
	[__NR_mkdir] = sys_mkdir,
	[__NR_mknod] = sys_mknod,
	[__NR_symlink] = sys_symlink,
	[__NR_unlink] = sys_unlink,
	[__NR_rmdir] = sys_rmdir,
	[__NR_link] = sys_link,
	[__NR_rename] = sys_rename,
	[__NR_chmod] = sys_chmod,
	[__NR_chown] = sys_chown,
	[__NR_lchown] = sys_lchown,
	[__NR_utime] = sys_utime,
	[__NR_utimes] = sys_utimes,
	[__NR_futimesat] = sys_futimesat,
#endif
};

static volatile sig_atomic_t serving, ending;

void request_answer(struct request *r, int result)
{
	struct seccomp_notif_resp *resp = r->w->resp;

	memset(resp, 0, r->sup->resp_size);
	resp->id = r->id;
	if (result == SUP_FD)
		result = request_give(r);
	else if (result == SUP_VALUE)
		result = r->value;
	else if (result == SUP_CONTINUE)
		resp->flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
	if (resp->flags == 0) {
		if (result < 0)
			resp->error = result;
		else
			resp->val = result;
	}
	/* EINTR: the kernel takes its lock interruptibly (seccomp_notify_send), whatever
	 * SA_RESTART says. ENOENT: the caller is gone. Anything else would leave the
	 * caller waiting for ever: the session ends. (When it is ending there is no caller and
	 * no listener any more.) */
	while (ioctl(r->sup->listener, SECCOMP_IOCTL_NOTIF_SEND, resp) < 0) {
		if (errno == ENOENT || ending)
			break;
		if (errno != EINTR)
			_exit(125);
	}
}

/* The filter hands over what it refuses, so that it can be reported. */
static int refused_call(struct request *r)
{
	int err = seccomp_denial(&r->w->notif->data);

	if (!err)
		return -ENOSYS;
	return report_denial(r, (enum file_op) - 1, seccomp_name(r->nr), NULL,
			     "this system call is not open to the command", err);
}

/* A call of the filter's SC_LOOK. */
static bool only_looks(const struct request *r)
{
	const struct sc_row *row = sc_find(seccomp_native(), r->nr);

	return row && row->class == SC_LOOK;
}

int request_run(struct request *r)
{
	struct sup *s = r->sup;
	handler_fn *fn = r->nr >= 0 && r->nr <= NR_LAST ? handlers[r->nr] : NULL;
	int result;

	if (!fn)
		return seccomp_opens_net(&r->w->notif->data) ? network_open(r) : refused_call(r);
	/* Learning needs a view that mounts make, and looking at it is the kernel's. */
	if (s->spec->learn && only_looks(r))
		fn = sys_look;
	r->exclusive = false;
	pthread_rwlock_rdlock(&s->names);
	result = fn(r);
	pthread_rwlock_unlock(&s->names);
	if (result == SUP_AGAIN) {
		r->exclusive = true;
		pthread_rwlock_wrlock(&s->names);
		result = fn(r);
		pthread_rwlock_unlock(&s->names);
	}
	if (s->spec->learn)
		learn_note(r, result);
	return result == SUP_AGAIN ? -EACCES : result;
}

/* While bytes of git's are on their way, their events are waited for as well. */
static void wait_for_work(struct worker *w)
{
	struct pollfd p[] = { { .fd = w->sup->listener, .events = POLLIN },
			      { .fd = git_events(w->sup), .events = POLLIN } };

	while (p[1].fd >= 0 && poll(p, 2, -1) > 0 && !p[0].revents) {
		git_settle(w->sup, w);
		p[1].fd = git_events(w->sup);
	}
}

int serve_one(struct worker *w, struct request *r)
{
	struct sup *s = w->sup;
	int result;

	wait_for_work(w);
	memset(w->notif, 0, s->notif_size);
	if (ioctl(s->listener, SECCOMP_IOCTL_NOTIF_RECV, w->notif) < 0) {
		struct pollfd p = { .fd = s->listener, .events = POLLIN };

		/* ENOENT: killed before we came to it. */
		if (errno != ENOENT && errno != EINTR)
			return -errno;
		if (poll(&p, 1, 0) == 1 && p.revents & (POLLHUP | POLLERR))
			return -EPIPE;
		return 0;
	}
	r->id = w->notif->id;
	r->tid = (pid_t)w->notif->pid;
	r->nr = w->notif->data.nr;
	for (size_t i = 0; i < ARRAY_SIZE(r->arg); i++)
		r->arg[i] = w->notif->data.args[i];
	r->fd = -1;
	r->number = 0;
	r->opens = false;
	r->held = NULL;
	r->git_begin = 0;
	git_settle(s, w);
	/* pid 0: a process of another pid namespace, whose memory we cannot find. */
	result = r->tid > 0 ? request_run(r) : -EACCES;
	if (result != SUP_LATER)
		request_answer(r, result);
	return 0;
}

int worker_init(struct worker *w, struct sup *s)
{
	w->sup = s;
	for (size_t i = 0; i < TASK_CACHE; i++)
		w->tasks[i].proc = -1;
	for (size_t i = 0; i < KNOWN_DIRS; i++)
		w->dirs[i].fd = -1;
	w->notif = calloc(1, s->notif_size);
	w->resp = calloc(1, s->resp_size);
	if (!w->notif || !w->resp)
		return -ENOMEM;
	/* umask and working directory are this thread's alone. host_proc is the working
	 * directory: calls that take no directory descriptor reach self/fd/N. Container engines
	 * refuse unshare(2) whatever it is for: then there is this one worker, whose are those of
	 * the process (the threads of helper.c look at neither). */
	if (unshare(CLONE_FS) < 0 && (errno != EPERM || !w->alone))
		return -errno;
	if (fchdir(s->host_proc) < 0)
		return -errno;
	w->umask = umask(022);
	(void)umask(w->umask);
	return 0;
}

static int confine(void)
{
	static struct seccomp_prog prog;
	int ignored, err = seccomp_build_own(SECCOMP_ROLE_SUPERVISOR, seccomp_native(), &prog);

	return err ? err : seccomp_load(&prog, false, &ignored);
}

static int sup_init(struct sup *s, const struct supervisor *in)
{
	struct seccomp_notif_sizes sizes;
	struct rlimit files;

	*s = (struct sup){ .in = in,
			   .spec = in->spec,
			   .listener = -1,
			   .host_proc = in->host_proc,
			   .umask_gen = 1 };
	(void)clock_gettime(CLOCK_REALTIME_COARSE, &s->begin);
	if (syscall(__NR_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &sizes) < 0)
		return -errno;
	/* A newer kernel may write more than this program knows of. */
	s->notif_size = sizes.seccomp_notif > sizeof(struct seccomp_notif)
				? sizes.seccomp_notif
				: sizeof(struct seccomp_notif);
	s->resp_size = sizes.seccomp_notif_resp > sizeof(struct seccomp_notif_resp)
			       ? sizes.seccomp_notif_resp
			       : sizeof(struct seccomp_notif_resp);
	s->self_fd = openat(s->host_proc, "self/fd", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (s->self_fd < 0)
		return -errno;
	for (size_t i = 0; i < in->n_roots; i++)
		s->n_file_roots += in->roots[i].is_file;
	if (pthread_rwlock_init(&s->names, NULL) || pthread_mutex_init(&s->umask_lock, NULL))
		return -ENOMEM;
	if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
		files.rlim_cur = files.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &files);
	}
	/* Whatever size limit we inherited is not ours to die of. */
	(void)signal(SIGXFSZ, SIG_IGN);
	(void)signal(SIGPIPE, SIG_IGN);
	return git_init(s);
}

static struct sup sup;
static struct worker first;

int supervisor_prepare(struct supervisor *in)
{
	int err = sup_init(&sup, in);

	first.alone = true;
	if (!err)
		err = worker_init(&first, &sup);
	return err ? err : confine();
}

bool supervisor_end(void)
{
	if (!serving)
		return false;
	ending = 1;
	/* Whether RECV waits now or is about to: it finds no listener any more. */
	(void)dup2(sup.self_fd, sup.listener);
	return true;
}

int supervisor_run(struct supervisor *in)
{
	static struct request r;
	int err;

	sup.listener = in->listener;
	/* Lets the pair of caller and supervisor stay on one CPU (Linux 6.6; slower without). */
	(void)ioctl(sup.listener, SECCOMP_IOCTL_NOTIF_SET_FLAGS,
		    SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP);
	r.sup = &sup;
	r.w = &first;
	serving = 1;
	do {
		err = serve_one(&first, &r);
		crew_look(&sup);
	} while (!err && !ending);
	git_finish(&sup, &first);
	report_flush(&sup);
	return ending || err == -EPIPE ? 0 : err;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The command's own process between fork and exec. */
#include <fcntl.h>
#include <limits.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <termios.h>

#include "base/fd.h"
#include "guard/at_exec.h"
#include "linux/setup.h"

int pty_open(const char *ptmx, int *ret_master, int *ret_slave)
{
	_cleanup_close_ int master = open(ptmx, O_RDWR | O_NOCTTY | O_CLOEXEC);
	int slave, unlock = 0;

	if (master < 0)
		return -errno;
	if (ioctl(master, TIOCSPTLCK, &unlock) < 0)
		return -errno;
	/* By descriptor, not by name: Linux 4.13, ioctl_tty(2). */
	slave = ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (slave < 0)
		return -errno;
	*ret_master = take_fd(&master);
	*ret_slave = slave;
	return 0;
}

/* May this program be started, as the supervisor would judge it (supervisor/exec.c)? */
static bool exec_allowed(const struct spec *s, int fd)
{
	char link[32], real[PATH_MAX];
	struct file_query q = { .op = OP_EXEC, .type = FT_REG, .path = real };
	struct verdict v;
	ssize_t n;

	if (guard_at_exec_wanted(&s->guard))
		return false;
	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, real, sizeof(real) - 1);
	if (n <= 0)
		return false;
	real[n] = '\0';
	spec_judge(s, &q, &v);
	return v.decision == VERDICT_ALLOW;
}

/* Returns a positive errno. */
static int exec_file(struct launch *l, const struct job *j, const char *path, char *const *argv,
		     bool shared)
{
	_cleanup_close_ int fd = -1;

	if (!shared) {
		(void)execve(path, argv, j->envp);
		return errno;
	}
	fd = open(path, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return errno;
	/* The supervisor cannot read the path from here, and it tells of a denial. */
	if (!exec_allowed(l->spec, fd)) {
		l->not_passed = true;
		_exit(125);
	}
	(void)syscall(SYS_execveat, AT_FDCWD, path, argv, j->envp, 0, l->exec_pass);
	return errno;
}

/* As execvp(3): a script without "#!" goes to the shell. */
static int exec_one(struct launch *l, const struct job *j, const char *path, bool shared)
{
	static char shell[] = "/bin/sh";
	char *sh[130], copy[4096];
	size_t n = 0;
	int err;

	err = exec_file(l, j, path, j->argv, shared);
	if (err != ENOEXEC)
		return err;
	while (j->argv[n])
		n++;
	if (n + 2 > ARRAY_SIZE(sh))
		return E2BIG;
	if (strlen(path) >= sizeof(copy))
		return ENAMETOOLONG;
	sh[0] = j->argv[0];
	memcpy(&sh[1], j->argv, (n + 1) * sizeof(sh[0]));
	memcpy(copy, path, strlen(path) + 1);
	sh[0] = shell;
	sh[1] = copy;
	return exec_file(l, j, shell, sh, shared);
}

static const char *env_path(const struct job *j)
{
	for (char *const *e = j->envp; *e; e++)
		if (strncmp(*e, "PATH=", 5) == 0)
			return *e + 5;
	return "/usr/local/bin:/usr/bin:/bin";
}

static int exec_search(struct launch *l, const struct job *j, bool shared)
{
	const char *name = j->argv[0], *dir = env_path(j);
	size_t len = strlen(name);
	int best = ENOENT;
	char path[4096];

	if (strchr(name, '/'))
		return exec_one(l, j, name, shared);
	if (!len)
		return ENOENT;
	for (;; dir++) {
		size_t n = strcspn(dir, ":");
		int err;

		if (n && n + len + 2 <= sizeof(path)) {
			memcpy(path, dir, n);
			path[n] = '/';
			memcpy(path + n + 1, name, len + 1);
			err = exec_one(l, j, path, shared);
			/* execvp(3): EACCES is remembered, the search goes on. */
			if (err == EACCES)
				best = EACCES;
			else if (err != ENOENT && err != ENOTDIR)
				return err;
		}
		dir += n;
		if (!*dir)
			return best;
	}
}

/* The last message of the supervisor's: it is ready to answer. Before it the old root may
 * still be there, and a step of its own may still fail. */
void wait_for_supervisor(struct launch *l)
{
	while (supervised(l) && l->heard < SYNC_MESSAGES) {
		int r = fd_recv(l->sync[1], NULL, 0);

		if (r < 0)
			setup_lost(l, r);
		l->heard++;
	}
}

/* A failure of a run's only command is one of set-up. */
static void fail(struct launch *l, const struct job *j, enum stage stage, enum warm_why why,
		 int err, bool shared) _noreturn_;

static void fail(struct launch *l, const struct job *j, enum stage stage, enum warm_why why,
		 int err, bool shared)
{
	struct job_report rep = { .why = why, .err = err };

	if (!l->warm)
		setup_fail(l, stage, err, -1);
	if (shared)
		l->job_report = rep;
	else
		(void)send(j->report, &rep, sizeof(rep), MSG_NOSIGNAL);
	_exit(125);
}

_Static_assert(sizeof(((struct warm_modes *)0)->cc) <= sizeof(((struct termios *)0)->c_cc),
	       "special characters");

void pty_set_modes(int master, const struct warm_modes *m)
{
	struct termios t;
	struct winsize size = { .ws_row = m->rows, .ws_col = m->cols };

	if (ioctl(master, TIOCSWINSZ, &size) < 0 || tcgetattr(master, &t) < 0)
		return;
	t.c_iflag = m->iflag;
	t.c_oflag = m->oflag;
	t.c_lflag = m->lflag;
	for (size_t i = 0; i < ARRAY_SIZE(m->cc); i++)
		t.c_cc[i] = m->cc[i];
	(void)tcsetattr(master, TCSANOW, &t);
}

/* A terminal of the job's own, in a session of its own: the other end goes to who asked. */
static int open_terminal(const struct job *j, int *ret_slave)
{
	_cleanup_close_ int master = -1;
	union {
		struct cmsghdr hdr;
		char buf[CMSG_SPACE(sizeof(int))];
	} ctl = { 0 };
	struct job_report rep = { 0 };
	struct iovec iov = { .iov_base = &rep, .iov_len = sizeof(rep) };
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = ctl.buf,
			      .msg_controllen = sizeof(ctl.buf) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
	int slave, r;

	r = pty_open(PTY_INSIDE, &master, &slave);
	if (r < 0)
		return r;
	pty_set_modes(master, j->modes);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &master, sizeof(int));
	if (setsid() < 0 || ioctl(slave, TIOCSCTTY, 0) < 0 ||
	    sendmsg(j->report, &msg, MSG_NOSIGNAL) < 0) {
		close_quietly(slave);
		return -errno;
	}
	*ret_slave = slave;
	return 0;
}

/* terminal: those that are slave, else those that are not. */
static int set_stdio(const struct job *j, bool terminal, int slave)
{
	for (int fd = 0; fd < 3; fd++) {
		int from = terminal ? slave : j->stdio ? j->stdio[fd] : fd;

		if (j->tty[fd] == terminal && from != fd && dup2(from, fd) < 0)
			return -errno;
	}
	return 0;
}

/* The supervisor reads paths from our memory: this image belongs to a user namespace above
 * its own, and only a dumpable one is open to it. Init's own image never is: the command
 * could look into it. In a warm session there are commands that can look into this one as
 * well: nothing of init's may be in their reach. */
static int leave_init(struct launch *l, const struct job *j)
{
	if (l->warm) {
		l->exec_pass = 0;
		if (munmap(l->shared, sizeof(*l->shared)) < 0)
			return -errno;
		if (j->report > 3 && syscall(SYS_close_range, 3u, (unsigned)j->report - 1, 0) < 0)
			return -errno;
		if (fd_close_from((unsigned)j->report + 1) < 0)
			return -errno;
	}
	return prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) < 0 ? -errno : 0;
}

void exec_job(struct launch *l, const struct job *j, bool shared)
{
	int slave = j->slave, r;

	if (!j->modes)
		(void)setpgid(0, 0);
	/* SIGTTOU is blocked here, so that this works from the background. */
	if (slave >= 0 && tcsetpgrp(slave, getpid()) < 0)
		fail(l, j, STAGE_TERMINAL, WARM_WHY_TERMINAL, errno, shared);
	r = set_stdio(j, false, -1);
	if (r < 0)
		fail(l, j, STAGE_TERMINAL, WARM_WHY_TERMINAL, -r, shared);
	r = shared ? 0 : leave_init(l, j);
	if (r < 0)
		fail(l, j, STAGE_EXEC, WARM_WHY_EXEC, -r, shared);
	r = j->modes ? open_terminal(j, &slave) : 0;
	if (r >= 0)
		r = set_stdio(j, true, slave);
	if (r < 0)
		fail(l, j, STAGE_TERMINAL, WARM_WHY_TERMINAL, -r, shared);
	if (chdir(j->workdir) < 0 || (j->dir && chdir(j->dir) < 0))
		fail(l, j, STAGE_WORKDIR, WARM_WHY_WORKDIR, errno, shared);
	/* The umask is the caller's: init was cloned before the supervisor changed its own. So
	 * are the signals' actions; only a handler would have to go, and init has none. */
	(void)sigprocmask(SIG_SETMASK, &l->sigmask, NULL);
	if (flat(l))
		flat_command(l);
	wait_for_supervisor(l);
	if (!l->warm)
		setup_go(l);
	fail(l, j, STAGE_EXEC, WARM_WHY_EXEC, exec_search(l, j, shared), shared);
}

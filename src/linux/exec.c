/* SPDX-License-Identifier: Apache-2.0 */
/* The command's own process between fork and exec. */
#include <fcntl.h>
#include <limits.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "base/fd.h"
#include "linux/setup.h"

int pty_open(int *ret_master, int *ret_slave)
{
	_cleanup_close_ int master = open("/dev/pts/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC);
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

	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, real, sizeof(real) - 1);
	if (n <= 0)
		return false;
	real[n] = '\0';
	spec_judge(s, &q, &v);
	return v.decision == VERDICT_ALLOW;
}

/* Returns a positive errno. */
static int exec_file(struct launch *l, const char *path, char *const *argv, bool shared)
{
	const struct spec *s = l->spec;
	_cleanup_close_ int fd = -1;

	if (!shared) {
		(void)execve(path, argv, s->envp);
		return errno;
	}
	fd = open(path, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return errno;
	/* The supervisor cannot read the path from here, and it tells of a denial. */
	if (!exec_allowed(s, fd)) {
		l->not_passed = true;
		_exit(125);
	}
	(void)syscall(SYS_execveat, AT_FDCWD, path, argv, s->envp, 0, l->exec_pass);
	return errno;
}

/* As execvp(3): a script without "#!" goes to the shell. */
static int exec_one(struct launch *l, const char *path, bool shared)
{
	const struct spec *s = l->spec;
	static char shell[] = "/bin/sh";
	char *sh[130], copy[4096];
	size_t n = 0;
	int err;

	err = exec_file(l, path, s->argv, shared);
	if (err != ENOEXEC)
		return err;
	while (s->argv[n])
		n++;
	if (n + 2 > ARRAY_SIZE(sh))
		return E2BIG;
	if (strlen(path) >= sizeof(copy))
		return ENAMETOOLONG;
	sh[0] = s->argv[0];
	memcpy(&sh[1], s->argv, (n + 1) * sizeof(sh[0]));
	memcpy(copy, path, strlen(path) + 1);
	sh[0] = shell;
	sh[1] = copy;
	return exec_file(l, shell, sh, shared);
}

static const char *env_path(const struct spec *s)
{
	for (char **e = s->envp; *e; e++)
		if (strncmp(*e, "PATH=", 5) == 0)
			return *e + 5;
	return "/usr/local/bin:/usr/bin:/bin";
}

static int exec_search(struct launch *l, bool shared)
{
	const struct spec *s = l->spec;
	const char *name = s->argv[0], *dir = env_path(s);
	size_t len = strlen(name);
	int best = ENOENT;
	char path[4096];

	if (strchr(name, '/'))
		return exec_one(l, name, shared);
	if (!len)
		return ENOENT;
	for (;; dir++) {
		size_t n = strcspn(dir, ":");
		int err;

		if (n && n + len + 2 <= sizeof(path)) {
			memcpy(path, dir, n);
			path[n] = '/';
			memcpy(path + n + 1, name, len + 1);
			err = exec_one(l, path, shared);
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
static void wait_for_supervisor(struct launch *l)
{
	while (supervised(l) && l->heard < SYNC_MESSAGES) {
		int r = fd_recv(l->sync[1], NULL, 0);

		if (r < 0)
			setup_lost(l, r);
		l->heard++;
	}
}

void exec_command(struct launch *l, int slave, bool shared)
{
	(void)setpgid(0, 0);
	if (slave >= 0) {
		/* SIGTTOU is blocked here, so that this works from the background. */
		if (tcsetpgrp(slave, getpid()) < 0)
			setup_fail(l, STAGE_TERMINAL, errno, -1);
		for (int fd = 0; fd < 3; fd++)
			if (l->tty[fd] && dup2(slave, fd) < 0)
				setup_fail(l, STAGE_TERMINAL, errno, -1);
	}
	if (chdir(l->spec->workdir) < 0)
		setup_fail(l, STAGE_WORKDIR, errno, -1);
	/* The umask is the caller's: init was cloned before the supervisor changed its own. So
	 * are the signals' actions; only a handler would have to go, and init has none. */
	(void)sigprocmask(SIG_SETMASK, &l->sigmask, NULL);
	/* The supervisor reads the path of the exec from our memory: this image belongs to a
	 * user namespace above its own, and only a dumpable one is open to it. Init's own
	 * image never is: the command could look into it. */
	if (!shared && prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) < 0)
		setup_fail(l, STAGE_EXEC, errno, -1);
	wait_for_supervisor(l);
	setup_go(l);
	setup_fail(l, STAGE_EXEC, exec_search(l, shared), -1);
}

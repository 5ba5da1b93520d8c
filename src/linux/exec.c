/* SPDX-License-Identifier: Apache-2.0 */
/* The command's own process between fork and exec. */
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>

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

static void restore_signals(const struct launch *l)
{
	struct sigaction act;

	/* Ignored stays ignored (nohup); a handler of ours must not. */
	for (int sig = 1; sig < NSIG; sig++) {
		if (sigaction(sig, NULL, &act) < 0 || act.sa_handler == SIG_IGN ||
		    act.sa_handler == SIG_DFL)
			continue;
		act = (struct sigaction){ .sa_handler = SIG_DFL };
		(void)sigaction(sig, &act, NULL);
	}
	(void)sigprocmask(SIG_SETMASK, &l->sigmask, NULL);
}

/* As execvp(3): a script without "#!" goes to the shell. */
static int exec_one(const struct spec *s, const char *path)
{
	char *sh[130];
	size_t n = 0;

	(void)execve(path, s->argv, s->envp);
	if (errno != ENOEXEC)
		return errno;
	while (s->argv[n])
		n++;
	if (n + 2 > ARRAY_SIZE(sh))
		return E2BIG;
	sh[0] = s->argv[0];
	memcpy(&sh[1], s->argv, (n + 1) * sizeof(sh[0]));
	{
		static char shell[] = "/bin/sh";
		char copy[4096];

		if (strlen(path) >= sizeof(copy))
			return ENAMETOOLONG;
		memcpy(copy, path, strlen(path) + 1);
		sh[0] = shell;
		sh[1] = copy;
		(void)execve(shell, sh, s->envp);
	}
	return errno;
}

static const char *env_path(const struct spec *s)
{
	for (char **e = s->envp; *e; e++)
		if (strncmp(*e, "PATH=", 5) == 0)
			return *e + 5;
	return "/usr/local/bin:/usr/bin:/bin";
}

static int exec_search(const struct spec *s)
{
	const char *name = s->argv[0], *dir = env_path(s);
	size_t len = strlen(name);
	int best = ENOENT;
	char path[4096];

	if (strchr(name, '/'))
		return exec_one(s, name);
	if (!len)
		return ENOENT;
	for (;; dir++) {
		size_t n = strcspn(dir, ":");
		int err;

		if (n && n + len + 2 <= sizeof(path)) {
			memcpy(path, dir, n);
			path[n] = '/';
			memcpy(path + n + 1, name, len + 1);
			err = exec_one(s, path);
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

void exec_command(struct launch *l, int slave)
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
	/* The umask is the caller's: init was cloned before the supervisor changed its own. */
	restore_signals(l);
	/* The supervisor reads the path of the exec from our memory: this image belongs to a
	 * user namespace above its own, and only a dumpable one is open to it. */
	if (prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) < 0)
		setup_fail(l, STAGE_EXEC, errno, -1);
	setup_go(l);
	setup_fail(l, STAGE_EXEC, exec_search(l->spec), -1);
}

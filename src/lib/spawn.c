/* SPDX-License-Identifier: Apache-2.0 */
/* Starting berm: posix_spawn, which shares nothing of the caller's with the child but what is
 * named here. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/impl.h"

/* Above every descriptor that the child gets. */
#define LOWEST 16

int lib_error(struct berm_error *error, int r, const char *fmt, ...)
{
	va_list ap;

	if (!error)
		return r;
	va_start(ap, fmt);
	(void)vsnprintf(error->message, sizeof(error->message), fmt, ap);
	va_end(ap);
	return r;
}

static int move_up(int *fd)
{
	int up = fcntl(*fd, F_DUPFD_CLOEXEC, LOWEST);

	if (up < 0)
		return -errno;
	(void)close(*fd);
	*fd = up;
	return 0;
}

int lib_pair(int ret_fds[2])
{
	int fds[2], r;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0)
		return -errno;
	r = move_up(&fds[0]);
	if (r >= 0)
		r = move_up(&fds[1]);
	if (r >= 0 && fcntl(fds[0], F_SETFL, O_RDWR | O_NONBLOCK) < 0)
		r = -errno;
	if (r < 0) {
		(void)close(fds[0]);
		(void)close(fds[1]);
		return r;
	}
	ret_fds[0] = fds[0];
	ret_fds[1] = fds[1];
	return 0;
}

/* The caller's descriptors may be any, also those that the child needs: copies first. */
static int set_files(posix_spawn_file_actions_t *actions, const struct lib_spawn *s,
		     int copies[static 8])
{
	int r = 0;

	for (size_t i = 0; i < s->n_fds && r == 0; i++) {
		if (s->fds[i] < 0) {
			r = -posix_spawn_file_actions_addopen(actions, (int)i, "/dev/null", O_RDWR,
							      0);
			continue;
		}
		copies[i] = fcntl(s->fds[i], F_DUPFD_CLOEXEC, LOWEST);
		if (copies[i] < 0)
			return -errno;
		r = -posix_spawn_file_actions_adddup2(actions, copies[i], (int)i);
	}
	if (r == 0)
		r = -posix_spawn_file_actions_addclosefrom_np(actions, (int)s->n_fds);
	if (r == 0 && s->directory)
		r = -posix_spawn_file_actions_addchdir_np(actions, s->directory);
	return r;
}

/* Signals as a program expects them at its start, whatever the caller ignores and blocks. */
static int set_signals(posix_spawnattr_t *attr)
{
	sigset_t none, all;
	int r;

	(void)sigemptyset(&none);
	(void)sigfillset(&all);
	(void)sigdelset(&all, SIGKILL);
	(void)sigdelset(&all, SIGSTOP);
	r = posix_spawnattr_setsigmask(attr, &none);
	if (r == 0)
		r = posix_spawnattr_setsigdefault(attr, &all);
	if (r == 0)
		r = posix_spawnattr_setflags(attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	return -r;
}

pid_t lib_spawn(const struct lib_spawn *s, struct berm_error *error)
{
	const char *program = s->program ? s->program : LIBBERM_PROGRAM;
	int copies[8] = { -1, -1, -1, -1, -1, -1, -1, -1 };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	pid_t pid = -1;
	int r;

	r = -posix_spawn_file_actions_init(&actions);
	if (r < 0)
		return lib_error(error, r, "out of memory");
	r = -posix_spawnattr_init(&attr);
	if (r < 0) {
		(void)posix_spawn_file_actions_destroy(&actions);
		return lib_error(error, r, "out of memory");
	}
	r = set_files(&actions, s, copies);
	if (r == 0)
		r = set_signals(&attr);
	if (r == 0)
		r = -posix_spawn(&pid, program, &actions, &attr, s->argv,
				 s->environment ? (char *const *)(uintptr_t)s->environment
						: environ);
	for (size_t i = 0; i < 8; i++)
		if (copies[i] >= 0)
			(void)close(copies[i]);
	(void)posix_spawnattr_destroy(&attr);
	(void)posix_spawn_file_actions_destroy(&actions);
	if (r < 0)
		return lib_error(error, r, "cannot start %s%s%s: %s", program,
				 s->directory ? " in " : "", s->directory ? s->directory : "",
				 strerror(-r));
	return pid;
}

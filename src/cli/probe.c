/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/probe.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/fd.h"
#include "linux/launch.h"

static void no_record(void *ctx, const struct record *rec)
{
	(void)ctx;
	(void)rec;
}

static void no_state(void *ctx, enum launch_state state, int pid)
{
	(void)ctx;
	(void)state;
	(void)pid;
}

/* Tells the outcome through fd: nothing when it works, else the error. */
_noreturn_ static void try_it(const struct spec *spec, const struct plan *plan, int fd)
{
	static char name[] = "true", *argv[] = { name, NULL };
	struct launch_ops ops = { .on_record = no_record, .on_state = no_state, .keep_fd = fd };
	struct launch_result res;
	struct berm_err err = { 0 };
	struct spec trial;
	int null;

	if (arena_copy() < 0)
		_exit(0);
	trial = *spec;
	null = open("/dev/null", O_RDWR | O_CLOEXEC);

	trial.argv = argv;
	for (int i = 0; null >= 0 && i < 3; i++)
		(void)dup2(null, i);
	if (launch_run(&trial, plan, &ops, &res, &err) < 0)
		(void)fd_write_all(fd, &err, sizeof(err));
	_exit(0);
}

int probe_sandbox(const struct spec *spec, const struct plan *plan, struct berm_err *err)
{
	_cleanup_close_ int in = -1, out = -1;
	struct berm_err told;
	size_t got = 0;
	int fds[2];
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return err_errno(err, -errno, "cannot try the sandbox");
	in = fds[0];
	out = fds[1];
	pid = fork();
	if (pid < 0)
		return err_errno(err, -errno, "cannot try the sandbox");
	if (pid == 0)
		try_it(spec, plan, out);
	close_quietly(take_fd(&out));
	while (got < sizeof(told)) {
		ssize_t n = read(in, (char *)&told + got, sizeof(told) - got);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		got += (size_t)n;
	}
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	if (got < sizeof(told))
		return 0; /* it works, or the real start will tell what does not */
	*err = told;
	return told.code < 0 ? told.code : -EPROTO;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* berm's other verbs, as a program calls them. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/impl.h"

#define OUTPUT_MAX (16u << 20)

static int read_all(int fd, char **ret)
{
	size_t n = 0, cap = 0;
	char *data = NULL;

	for (;;) {
		ssize_t got;

		if (n + 1 >= cap) {
			char *more = cap < OUTPUT_MAX ? realloc(data, cap ? 2 * cap : 8192) : NULL;

			if (!more) {
				free(data);
				return cap < OUTPUT_MAX ? -ENOMEM : -EFBIG;
			}
			data = more;
			cap = cap ? 2 * cap : 8192;
		}
		got = recv(fd, data + n, cap - n - 1, 0);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		n += (size_t)got;
	}
	data[n] = '\0';
	*ret = data;
	return 0;
}

int berm_query(const char *program, const char *const *arguments, char **ret_output,
	       int *ret_status, struct berm_error *error)
{
	struct lib_spawn s = { .program = program, .n_fds = 3 };
	int fds[2], status = 0, r;
	char **argv, *output = NULL;
	size_t n = 0;
	pid_t pid;

	while (arguments && arguments[n])
		n++;
	argv = calloc(n + 2, sizeof(*argv));
	if (!argv)
		return lib_error(error, -ENOMEM, "out of memory");
	argv[0] = (char *)(uintptr_t) "berm";
	for (size_t i = 0; i < n; i++)
		argv[i + 1] = (char *)(uintptr_t)arguments[i];
	r = lib_pair(fds);
	if (r < 0) {
		free(argv);
		return lib_error(error, r, "cannot start berm: %s", strerror(-r));
	}
	s.argv = argv;
	s.fds[0] = -1;
	s.fds[1] = fds[1];
	s.fds[2] = STDERR_FILENO;
	pid = lib_spawn(&s, error);
	free(argv);
	(void)close(fds[1]);
	if (pid < 0) {
		(void)close(fds[0]);
		return pid;
	}
	(void)fcntl(fds[0], F_SETFL, O_RDWR);
	r = read_all(fds[0], &output);
	(void)close(fds[0]);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR) {
			r = r < 0 ? r : -errno;
			break;
		}
	if (r < 0) {
		free(output);
		return lib_error(error, r, "cannot read what berm prints: %s", strerror(-r));
	}
	*ret_output = output;
	*ret_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	return 0;
}

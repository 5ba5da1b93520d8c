/* SPDX-License-Identifier: Apache-2.0 */
/* warm SESSION N COMMAND...: N times each, in turns, plain vfork() and execve() of the command and
 * the same in a warm session over one connection. Prints the medians, the minima, and their
 * ratios. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "session/warm.h"

static double now(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static int plain(char **command)
{
	pid_t pid = vfork();
	int status;

	if (pid == 0) {
		(void)execv(command[0], command);
		_exit(127);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid ? status : -1;
}

int main(int argc, char **argv)
{
	struct berm_err err = { 0 };
	struct warm_result res;
	int folder, fd, n, null, out;
	double *t[2];

	if (argc < 4 || (n = (int)strtol(argv[2], NULL, 10)) < 1) {
		(void)fputs("usage: warm SESSION N COMMAND...\n", stderr);
		return 2;
	}
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	out = dup(1);
	(void)dup2(null, 0);
	(void)dup2(null, 1);
	if (warm_folder(false, &folder, &err) < 0 || warm_connect(folder, argv[1], &fd, &err) < 0) {
		err_print(&err);
		return 1;
	}
	for (int k = 0; k < 2; k++)
		t[k] = calloc((size_t)n, sizeof(double));
	for (int i = 0; i < n; i++) {
		struct warm_command c = { .session = argv[1], .argv = argv + 3 };
		double a = now(), b;

		if (plain(argv + 3) != 0)
			return 1;
		b = now();
		if (warm_run(fd, &c, &res, &err) < 0 || res.status) {
			err_print(&err);
			return 1;
		}
		t[0][i] = b - a;
		t[1][i] = now() - b;
	}
	for (int k = 0; k < 2; k++)
		qsort(t[k], (size_t)n, sizeof(double), compare);
	(void)dprintf(out, "plain %.3f ms (least %.3f), warm %.3f (%.3f), ratio %.2f (%.2f)\n",
		      t[0][n / 2], t[0][0], t[1][n / 2], t[1][0], t[1][n / 2] / t[0][n / 2],
		      t[1][0] / t[0][0]);
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* micro open FILE N | create DIR N | start N COMMAND [ARG]...: small things done
 * N times; prints the microseconds each took, the median where single ones can be
 * told apart. */
#include <err.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The median of batches of 100, so that the clock is not what is measured. */
static double open_close(const char *file, long n)
{
	double each[1000];
	size_t batches = 0;

	for (; batches < 1000 && (long)batches * 100 < n; batches++) {
		double begin = now();

		for (int i = 0; i < 100; i++) {
			int fd = open(file, O_RDONLY | O_CLOEXEC);

			if (fd < 0 || close(fd) < 0)
				err(1, "%s", file);
		}
		each[batches] = (now() - begin) / 100;
	}
	qsort(each, batches, sizeof(each[0]), compare);
	return each[batches / 2];
}

static double create(const char *dir, long n)
{
	char path[4096];
	double begin = now();

	for (long i = 0; i < n; i++) {
		int fd;

		(void)snprintf(path, sizeof(path), "%s/f%ld", dir, i);
		fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
		if (fd < 0 || write(fd, "0123456789abcdef", 16) != 16 || close(fd) < 0)
			err(1, "%s", path);
	}
	return (now() - begin) / (double)n;
}

static double start(long n, char **argv)
{
	double total = 0;

	for (long i = 0; i < n; i++) {
		double begin = now();
		int status;
		pid_t pid;

		if (posix_spawn(&pid, argv[0], NULL, NULL, argv, environ) != 0 ||
		    waitpid(pid, &status, 0) != pid || status != 0)
			errx(1, "%s failed", argv[0]);
		total += now() - begin;
	}
	return total / (double)n;
}

int main(int argc, char **argv)
{
	double result;

	if (argc == 4 && strcmp(argv[1], "open") == 0)
		result = open_close(argv[2], strtol(argv[3], NULL, 10));
	else if (argc == 4 && strcmp(argv[1], "create") == 0)
		result = create(argv[2], strtol(argv[3], NULL, 10));
	else if (argc >= 4 && strcmp(argv[1], "start") == 0)
		result = start(strtol(argv[2], NULL, 10), argv + 3);
	else
		errx(2, "usage: micro open FILE N | create DIR N | start N COMMAND [ARG]...");
	return printf("%.3f\n", result) < 0;
}

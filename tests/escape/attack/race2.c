/* SPDX-License-Identifier: Apache-2.0 */
/* Races of content, of signals and of death. */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attack.h"

#define CREATE (O_WRONLY | O_CREAT)

static const char *target;
static volatile char path[256];
static const char *harmless;

static void close_fd(long fd)
{
	if (fd >= 0)
		close((int)fd);
}

/* The caller dies in the middle of the call; its tid may be another's next. */
static long c_killed(const char *p)
{
	const char *ms = getenv("RACE_MS");
	long long end = now_ms() + (ms ? atoi(ms) : 500);

	while (now_ms() < end) {
		pid_t pid = fork();

		if (pid < 0)
			return -1;
		if (!pid)
			for (;;)
				close_fd(open(p, CREATE, 0644));
		for (volatile int i = 0; i < (int)(pid % 64) * 200; i++)
			;
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	return 0;
}

/* Signals hit the call while it is being decided. */
static void on_alarm(int sig)
{
	(void)sig;
}

static void swap_nothing(void)
{
	while (!race_over())
		sched_yield();
}

static void round_target(void)
{
	close_fd(open(target, CREATE, 0644));
}

static long c_signals(const char *p)
{
	struct sigaction sa = { .sa_handler = on_alarm };
	struct itimerval it = { { 0, 70 }, { 0, 70 } };

	target = p;
	sigaction(SIGALRM, &sa, NULL);
	setitimer(ITIMER_REAL, &it, NULL);
	return race_for(swap_nothing, round_target);
}

/* A descriptor and a mapping of the file that becomes the target by rename: the
 * bytes change after they were looked at. The bad bytes come from stdin. */
static long c_content(const char *p)
{
	static const char good[] = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n";
	static char bad[4096];
	ssize_t n = read(0, bad, sizeof(bad) - 1);
	char *map;

	if (n <= 0)
		return -1;
	for (int i = 0; i < 200; i++) {
		int fd = open("aux.cfg", O_RDWR | O_CREAT | O_TRUNC, 0644);

		if (fd < 0 || write(fd, good, sizeof(good) - 1) < 0 || ftruncate(fd, n) < 0)
			return -1;
		map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		memset(map + sizeof(good) - 1, '\n', (size_t)n - sizeof(good) + 1);
		rename("aux.cfg", p);
		memcpy(map, bad, (size_t)n);
		pwrite(fd, bad, (size_t)n, 0);
		munmap(map, 4096);
		close(fd);
	}
	return 0;
}

static char *flip_map;
static char bad_bytes[4096], good_bytes[4096];
static ssize_t bad_len;

static void swap_content(void)
{
	while (!race_over()) {
		memcpy(flip_map, good_bytes, (size_t)bad_len);
		memcpy(flip_map, bad_bytes, (size_t)bad_len);
	}
}

static void round_content(void)
{
	if (link("aux.cfg", "aux.cfg2") < 0)
		return;
	rename("aux.cfg2", target);
}

static long c_content_flip(const char *p)
{
	int fd = open("aux.cfg", O_RDWR | O_CREAT | O_TRUNC, 0644);

	target = p;
	bad_len = read(0, bad_bytes, sizeof(bad_bytes) - 1);
	memset(good_bytes, '\n', sizeof(good_bytes));
	memcpy(good_bytes, "[core]\n\trepositoryformatversion = 0\n", 36);
	if (bad_len <= 0 || ftruncate(fd, bad_len) < 0)
		return -1;
	flip_map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	memcpy(flip_map, good_bytes, (size_t)bad_len);
	return race_for(swap_content, round_content);
}

/* Reading: a name that may be read and one that may not. */
static void swap_read(void)
{
	while (!race_over())
		for (const char *s = harmless;; s = target) {
			for (size_t i = 0; i <= strlen(s); i++)
				path[i] = s[i];
			if (s == target)
				break;
		}
}

static void round_read(void)
{
	int fd = open((const char *)path, O_RDONLY);

	if (fd >= 0) {
		dump_fd(fd);
		close(fd);
	}
}

static long c_read(const char *p)
{
	harmless = aux_file();
	target = p;
	return race_for(swap_read, round_read);
}

const struct form race2_forms[] = {
	{ "killed-caller", c_killed },
	{ "signals", c_signals },
	{ "content-after-rename", c_content },
	{ "content-flip", c_content_flip },
	{ "path-read", c_read },
	{ NULL, NULL },
};

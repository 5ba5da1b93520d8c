/* SPDX-License-Identifier: Apache-2.0 */
#include "session/who.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <time.h>

#include "base/redact.h"
#include "base/str.h"

#define WHO_BUDGET_US 300000 /* for looking, of each second */

struct who_list {
	pid_t pid[WHO_PROCESSES_MAX];
	size_t n;
};

static ssize_t link_text(int dir, const char *path, char *dst, size_t size)
{
	ssize_t n = readlinkat(dir, path, dst, size - 1);

	dst[n > 0 ? n : 0] = '\0';
	return n;
}

void who_init(struct who *w, pid_t init)
{
	*w = (struct who){ .proc = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC), .init = init };
}

static bool is_number(const char *s)
{
	if (!*s)
		return false;
	for (; *s; s++)
		if (*s < '0' || *s > '9')
			return false;
	return true;
}

static int open_process(const struct who *w, pid_t pid)
{
	char name[16];

	(void)snprintf(name, sizeof(name), "%d", pid);
	return openat(w->proc, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* 0: it is gone. /proc/PID/stat is open to everybody. */
static pid_t parent_of(int dir)
{
	_cleanup_close_ int fd = openat(dir, "stat", O_RDONLY | O_CLOEXEC);
	char text[512];
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	const char *p;

	if (n <= 0)
		return 0;
	text[n] = '\0';
	p = strrchr(text, ')'); /* the name before it may hold anything */
	return p && strlen(p) > 4 ? (pid_t)strtol(p + 4, NULL, 10) : 0;
}

/* A descriptor on its /proc directory, which stays with this very process; -1: it is gone, or
 * none of the sandbox's. */
static int open_member(const struct who *w, pid_t pid)
{
	_cleanup_close_ int dir = -1;
	pid_t above;

	if (w->proc < 0 || w->init <= 1 || pid <= 1)
		return -1;
	dir = open_process(w, pid);
	above = dir < 0 ? 0 : parent_of(dir);
	for (unsigned i = 0; above > 1 && above != w->init && i < WHO_DEPTH_MAX; i++) {
		_cleanup_close_ int up = open_process(w, above);

		above = up < 0 ? 0 : parent_of(up);
	}
	return above == w->init ? take_fd(&dir) : -1;
}

/* Does the process of this /proc directory have the socket? */
static bool has_socket(int dir, const char *want, unsigned *left)
{
	int fd = openat(dir, "fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_cleanup_closedir_ DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;
	char text[64];

	if (!d) {
		close_quietly(fd);
		return false;
	}
	while (*left && (e = readdir(d))) {
		if (!is_number(e->d_name))
			continue;
		--*left;
		if (link_text(dirfd(d), e->d_name, text, sizeof(text)) > 0 && streq(text, want))
			return true;
	}
	return false;
}

static bool process_has(const struct who *w, pid_t pid, const char *want, unsigned *fds)
{
	_cleanup_close_ int dir = open_member(w, pid);

	return dir >= 0 && has_socket(dir, want, fds);
}

/* Appends the children of one thread: "12 34 ". false: the kernel does not tell them. */
static bool add_children(const struct who *w, pid_t pid, const char *tid, struct who_list *l)
{
	char path[64], text[8192], *p = text, *end;
	_cleanup_close_ int fd = -1;
	ssize_t n;

	(void)snprintf(path, sizeof(path), "%d/task/%s/children", pid, tid);
	fd = openat(w->proc, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno != ENOENT || l->n > 1;
	n = read(fd, text, sizeof(text) - 1);
	text[n > 0 ? n : 0] = '\0';
	while (l->n < WHO_PROCESSES_MAX) {
		long child = strtol(p, &end, 10);

		if (end == p)
			break;
		l->pid[l->n++] = (pid_t)child;
		p = end;
	}
	return true;
}

/* Init and what descends from it, from the top; false: the kernel does not tell
 * (CONFIG_PROC_CHILDREN). */
static bool list_family(const struct who *w, struct who_list *l)
{
	l->pid[0] = w->init;
	l->n = 1;
	for (size_t i = 0; i < l->n; i++) {
		_cleanup_closedir_ DIR *d = NULL;
		struct dirent *e;
		char path[32];
		int fd;

		(void)snprintf(path, sizeof(path), "%d/task", l->pid[i]);
		fd = openat(w->proc, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		d = fd < 0 ? NULL : fdopendir(fd);
		if (!d)
			close_quietly(fd);
		while (d && (e = readdir(d)))
			if (is_number(e->d_name) && !add_children(w, l->pid[i], e->d_name, l))
				return false;
	}
	return true;
}

/* Every process of the host that can be seen. */
static void list_all(const struct who *w, struct who_list *l)
{
	int fd = openat(w->proc, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_cleanup_closedir_ DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;

	l->n = 0;
	if (!d)
		close_quietly(fd);
	while (d && l->n < WHO_PROCESSES_MAX && (e = readdir(d)))
		if (is_number(e->d_name))
			l->pid[l->n++] = (pid_t)strtol(e->d_name, NULL, 10);
}

static long long now_us(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return (long long)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

/* A storm of refusals must not keep the steward from its answers. */
static bool may_look(struct who *w, long long now)
{
	if (now - w->window_us >= 1000000) {
		w->window_us = now;
		w->spent_us = 0;
	}
	return w->spent_us < WHO_BUDGET_US;
}

pid_t who_has_socket(struct who *w, uint32_t inode)
{
	static struct who_list family;
	unsigned fds = WHO_FDS_MAX;
	long long begin = now_us();
	pid_t found = 0;
	char want[64];

	if (!inode || w->proc < 0 || w->init <= 1 || !may_look(w, begin))
		return 0;
	(void)snprintf(want, sizeof(want), "socket:[%u]", inode);
	if (!list_family(w, &family))
		list_all(w, &family);
	/* The youngest first: who connects was mostly started for it. */
	for (size_t i = family.n; i-- > 0 && !found && fds;)
		if (process_has(w, family.pid[i], want, &fds))
			found = family.pid[i];
	w->spent_us += now_us() - begin;
	return found;
}

void who_exe(const struct who *w, pid_t pid, char *dst, size_t size)
{
	_cleanup_close_ int dir = open_member(w, pid);
	char path[PATH_MAX];
	ssize_t n;

	dst[0] = '\0';
	if (dir < 0)
		return;
	n = link_text(dir, "exe", path, sizeof(path));
	if (n > 0)
		str_escape(dst, size, path, (size_t)n);
}

void who_command(const struct who *w, pid_t pid, char *dst, size_t size)
{
	_cleanup_close_ int dir = open_member(w, pid);
	_cleanup_close_ int fd = dir < 0 ? -1 : openat(dir, "cmdline", O_RDONLY | O_CLOEXEC);
	char words[REDACT_WORDS_MAX];
	ssize_t n = fd < 0 ? -1 : read(fd, words, sizeof(words));

	dst[0] = '\0';
	if (n > 0)
		redact_words(words, (size_t)n, dst, size);
}

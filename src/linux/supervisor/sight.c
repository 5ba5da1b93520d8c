/* SPDX-License-Identifier: Apache-2.0 */
/* Without namespaces the command's view is the host's own tree; what of it is to be seen is
 * said here, of the real path of what was opened. The wall behind it is Landlock. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "base/str.h"
#include "linux/supervisor/sup.h"

#define ANCESTORS_MAX 4096

/* Of all the processes of the host, or of the user's secrets. */
static const char *const proc_hidden[] = { "keys", "key-users",	 "sysvipc",  "net",   "kcore",
					   "kmsg", "timer_list", "slabinfo", "iomem", "kallsyms" };

/* 0: there is none. */
static pid_t parent_of(const struct sup *s, pid_t pid)
{
	_cleanup_close_ int fd = -1;
	char name[32], text[512], *p;
	ssize_t n;

	(void)snprintf(name, sizeof(name), "%d/stat", (int)pid);
	fd = openat(s->host_proc, name, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (n <= 0)
		return 0;
	text[n] = '\0';
	/* The name may hold anything, and ends at the last ")": then state and parent. */
	p = strrchr(text, ')');
	return p && strlen(p) > 4 ? (pid_t)strtol(p + 4, NULL, 10) : 0;
}

/* A process of the command's: below init, which is a subreaper. */
static bool in_session(const struct sup *s, pid_t pid)
{
	if (pid == s->in->init_pid || pid == *s->in->guard_pid)
		return false;
	for (unsigned i = 0; pid > 1 && i < ANCESTORS_MAX; i++) {
		pid = parent_of(s, pid);
		if (pid == s->in->init_pid)
			return true;
	}
	return false;
}

/* rest: what follows "/proc/". */
static enum sight sight_of_proc(const struct sup *s, const char *rest)
{
	size_t len = strcspn(rest, "/");
	const char *below = rest + len + (rest[len] == '/');

	if (*rest >= '0' && *rest <= '9') {
		if (str_starts(below, "task/")) /* the same again for each thread */
			below += strcspn(below + 5, "/") + 5;
		below += *below == '/';
		if (str_starts(below, "net") && (!below[3] || below[3] == '/'))
			return SIGHT_NONE;
		return in_session(s, (pid_t)strtol(rest, NULL, 10)) ? SIGHT_SHOWN : SIGHT_NONE;
	}
	for (size_t i = 0; i < ARRAY_SIZE(proc_hidden); i++)
		if (strlen(proc_hidden[i]) == len && strncmp(rest, proc_hidden[i], len) == 0)
			return SIGHT_NONE;
	return SIGHT_SHOWN;
}

/* Length of the longest path that holds this one. */
static size_t longest(const struct strv *list, const char *path)
{
	size_t best = 0;

	for (size_t i = 0; i < list->n; i++) {
		size_t len = strlen(list->v[i]);

		if (len > best && path_within(path, list->v[i]))
			best = len;
	}
	return best;
}

enum sight sight_of_path(const struct sup *s, const char *path)
{
	const struct strv *shown = s->in->shown;
	size_t seen = longest(shown, path);

	if (streq(path, "/proc"))
		return SIGHT_SHOWN;
	if (str_starts(path, "/proc/"))
		return sight_of_proc(s, path + strlen("/proc/"));
	/* What a terminal is called is looked up there. */
	if (path_within(path, "/dev/pts"))
		return SIGHT_WAY;
	if (seen && seen > longest(s->in->hidden, path))
		return SIGHT_SHOWN;
	for (size_t i = 0; i < shown->n; i++)
		if (path_within(shown->v[i], path))
			return SIGHT_WAY;
	return SIGHT_NONE;
}

enum sight sight_of(const struct sup *s, int fd)
{
	char path[PATH_MAX];
	ssize_t n = real_path(s, fd, path);

	if (n == -ENOENT)
		return SIGHT_SHOWN;
	return n < 0 ? SIGHT_NONE : sight_of_path(s, path);
}

int sight_refused(const struct sup *s, int fd, bool content)
{
	switch (sight_of(s, fd)) {
	case SIGHT_SHOWN:
		return 0;
	case SIGHT_WAY:
		return content ? -EACCES : 0;
	default:
		return -ENOENT;
	}
}

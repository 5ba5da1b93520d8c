/* SPDX-License-Identifier: Apache-2.0 */
/* Directories so deep that their path is longer than the kernel tells (PATH_MAX). Programs
 * make and remove such trees by relative steps. The path is put together on the way up and
 * judged in pieces: each rule that names something by its place sees the beginning, each
 * that names it by its last components sees the end. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "linux/supervisor/sup.h"

#define DEEP_MAX 65536u
#define ENTRIES_MAX 65536u
#define ROOT_MAX 1024u
#define WINDOW 2700u  /* bytes that are judged at once, behind the root's own path */
#define OVERLAP 1000u /* of one piece with the next */

/* The name of `child` in its parent, put in front of `at`. Returns the new beginning or
 * NULL. */
static char *prepend_name(int parent, int child, char *begin, char *at)
{
	int fd = openat(parent, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_cleanup_closedir_ DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct stat want, st;
	unsigned n = 0;
	struct dirent *e;

	if (!dir) {
		close_quietly(fd);
		return NULL;
	}
	if (fstat(child, &want) < 0)
		return NULL;
	while ((e = readdir(dir)) && n++ < ENTRIES_MAX) {
		size_t len = strlen(e->d_name);

		if (streq(e->d_name, ".") || streq(e->d_name, "..") ||
		    fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
		    st.st_ino != want.st_ino || st.st_dev != want.st_dev)
			continue;
		if ((size_t)(at - begin) <= len + 1)
			return NULL;
		at -= len;
		memcpy(at, e->d_name, len);
		*--at = '/';
		return at;
	}
	return NULL;
}

int deep_path(const struct sup *s, const struct sup_root *root, int dir, const char *name,
	      char **ret)
{
	_cleanup_free_ char *buf = malloc(DEEP_MAX);
	_cleanup_close_ int at_dir = fcntl(dir, F_DUPFD_CLOEXEC, 3);
	size_t len = strcspn(name, "/");
	char head[PATH_MAX], *at;
	ssize_t n;

	/* A piece, a root before it and a name cut in two stay below PATH_MAX. */
	if (strlen(root->path) > ROOT_MAX)
		return -ENAMETOOLONG;
	if (!buf || at_dir < 0)
		return -ENOMEM;
	at = buf + DEEP_MAX - len - 2;
	*at = '/';
	memcpy(at + 1, name, len);
	at[len + 1] = '\0';
	while ((n = real_path(s, at_dir, head)) == -ENAMETOOLONG) {
		_cleanup_close_ int parent = openat(at_dir, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);

		at = parent < 0 ? NULL : prepend_name(parent, at_dir, buf, at);
		if (!at)
			return -ENAMETOOLONG;
		close_quietly(at_dir);
		at_dir = take_fd(&parent);
	}
	if (n < 0)
		return (int)n;
	if ((size_t)(at - buf) <= (size_t)n)
		return -ENAMETOOLONG;
	memmove(buf + n, at, strlen(at) + 1);
	memcpy(buf, head, (size_t)n);
	*ret = take_ptr(buf);
	return 0;
}

size_t deep_piece(const struct sup_root *root, const char *full, size_t from, char *dst)
{
	size_t top = strlen(root->path), len = strlen(full), end = from + WINDOW;

	memcpy(dst, root->path, top);
	if (from < top)
		from = top;
	/* Whole components: it begins with a slash, and ends before one. */
	while (from > top && full[from] != '/')
		from--;
	if (end >= len)
		end = len;
	while (end < len && full[end] != '/')
		end--;
	memcpy(dst + top, full + from, end - from);
	dst[top + end - from] = '\0';
	return end < len ? end - OVERLAP : 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A file with several names may be a protected one under a harmless name. Inside the
 * sandbox no such name can be made; one that was there before is found here. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "linux/supervisor/meta.h"

#define HOOKS_MAX 128

static bool same_file(int dir, const char *path, const struct stat *st)
{
	struct stat other;

	return fstatat(dir, path, &other, AT_SYMLINK_NOFOLLOW) == 0 && other.st_dev == st->st_dev &&
	       other.st_ino == st->st_ino;
}

static bool is_hook(int root, const struct stat *st)
{
	int fd = openat(root, ".git/hooks", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	_cleanup_closedir_ DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	unsigned n = 0;
	struct dirent *e;

	if (!dir)
		close_quietly(fd);
	while (dir && (e = readdir(dir)) && n++ < HOOKS_MAX)
		if (e->d_ino == st->st_ino && same_file(dirfd(dir), e->d_name, st))
			return true;
	return n >= HOOKS_MAX;
}

int alias_refused(struct request *r, const char *path, const struct stat *st)
{
	const struct supervisor *in = r->sup->in;

	for (size_t i = 0; i < in->n_roots; i++) {
		const struct sup_root *root = &in->roots[i];

		if (root->kind == SUP_FREE || root->is_file)
			continue;
		if (same_file(root->fd, ".git/config", st) || is_hook(root->fd, st))
			return report_denial(r, OP_WRITE, path, NULL,
					     "another name of a file of git's", EACCES);
	}
	return 0;
}

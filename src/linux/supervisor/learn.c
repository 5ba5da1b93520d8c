/* SPDX-License-Identifier: Apache-2.0 */
/* berm learn: tells what the command looked for and the view does not show. Nothing is
 * decided here: the calls go on as they would in any run, the kernel answers them, and
 * what is read of the command's memory a second time may be another text by then. */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/vfs.h>

#include "base/path.h"
#include "linux/kern.h"
#include "linux/record.h"
#include "linux/supervisor/open.h"

/* Where a call's path is: the numbers of its arguments, dir -1: the working directory. */
struct looked {
	int nr;
	int8_t dir, path;
	enum file_op op;
};

static const struct looked calls[] = {
	{ __NR_openat, 0, 1, OP_READ },	     { __NR_openat2, 0, 1, OP_READ },
	{ __NR_newfstatat, 0, 1, OP_READ },  { __NR_statx, 0, 1, OP_READ },
	{ __NR_faccessat, 0, 1, OP_READ },   { NR_FACCESSAT2, 0, 1, OP_READ },
	{ __NR_readlinkat, 0, 1, OP_READ },  { __NR_chdir, -1, 0, OP_READ },
	{ __NR_execve, -1, 0, OP_EXEC },     { __NR_execveat, 0, 1, OP_EXEC },
	{ __NR_mkdirat, 0, 1, OP_CREATE },   { __NR_symlinkat, 1, 2, OP_CREATE },
	{ __NR_linkat, 2, 3, OP_CREATE },    { __NR_renameat, 2, 3, OP_CREATE },
	{ __NR_renameat2, 2, 3, OP_CREATE },
#ifdef __NR_open
	{ __NR_open, -1, 0, OP_READ },	     { __NR_creat, -1, 0, OP_CREATE },
	{ __NR_stat, -1, 0, OP_READ },	     { __NR_lstat, -1, 0, OP_READ },
	{ __NR_access, -1, 0, OP_READ },     { __NR_readlink, -1, 0, OP_READ },
	{ __NR_mkdir, -1, 0, OP_CREATE },    { __NR_symlink, -1, 1, OP_CREATE },
	{ __NR_link, -1, 1, OP_CREATE },     { __NR_rename, -1, 1, OP_CREATE },
#endif
};

static const struct looked *find(int nr)
{
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		if (calls[i].nr == nr)
			return &calls[i];
	return NULL;
}

static enum file_op op_of(const struct request *r, const struct looked *c)
{
	int flags = 0;

	if (r->nr == __NR_openat)
		flags = (int)r->arg[2];
#ifdef __NR_open
	if (r->nr == __NR_open)
		flags = (int)r->arg[1];
#endif
	if (flags & O_CREAT)
		return OP_CREATE;
	return (flags & O_ACCMODE) == O_RDONLY ? c->op : OP_WRITE;
}

/* The path from the root, as the command spelled it. */
static int absolute(struct request *r, const struct start *from, const char *path,
		    char dst[PATH_MAX])
{
	_cleanup_close_ int dir = -1;
	ssize_t n = 0;

	if (path[0] != '/') {
		dir = open_start(r, from, "", O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (dir < 0)
			return dir;
		n = real_path(r->sup, dir, dst);
		if (n < 0)
			return (int)n;
		if (n + strlen(path) + 2 > PATH_MAX)
			return -ENAMETOOLONG;
		dst[n++] = '/';
	}
	memcpy(dst + n, path, strlen(path) + 1);
	return 0;
}

/* A place of the sandbox's own stands where the host may have more: its tmpfs, and the
 * private home. Everywhere else the host shows the same. */
static bool is_stand_in(const struct sup *s, int dir)
{
	const struct sup_root *root = root_of_fd(s, dir);
	char path[PATH_MAX];
	struct statfs fs;

	if ((root && root->kind == SUP_GOVERNED) || fstatfs(dir, &fs) < 0)
		return false;
	return fs.f_type == TMPFS_MAGIC ||
	       (s->spec->home == HOME_PRIVATE && real_path(s, dir, path) > 0 &&
		path_within(path, s->spec->home_path));
}

/* Puts what the link `fd` at `len` bytes of path says in its place. */
static int put_link(struct request *r, int fd, char path[PATH_MAX], size_t len)
{
	char target[PATH_MAX], rest[PATH_MAX];
	ssize_t n = readlinkat(fd, "", target, sizeof(target) - 1);
	size_t before = 0;

	if (n <= 0)
		return -ENOENT;
	target[n] = '\0';
	memcpy(rest, path + len, strlen(path + len) + 1);
	if (target[0] != '/') {
		/* From the link's own directory. */
		ssize_t dir = real_path(r->sup, fd, path);

		if (dir < 0)
			return (int)dir;
		before = (size_t)(path_base(path) - path);
	}
	if (before + (size_t)n + strlen(rest) >= PATH_MAX)
		return -ENAMETOOLONG;
	memcpy(path + before, target, (size_t)n);
	memcpy(path + before + n, rest, strlen(rest) + 1);
	return 0;
}

#define LINKS_MAX 40

/* Is path, which leads nowhere, missing because of the view? Then it becomes the real name of
 * what is missing. */
static bool is_hidden(struct request *r, char path[PATH_MAX])
{
	const struct start at = START_AT(AT_FDCWD);

	for (unsigned links = 0; links < LINKS_MAX; links++) {
		_cleanup_close_ int fd = -1, link = -1;
		char head[PATH_MAX], rest[PATH_MAX];
		size_t len = strlen(path);
		ssize_t n;

		memcpy(head, path, len + 1);
		/* The longest part that is there. */
		for (;;) {
			fd = open_start(r, &at, len ? head : "/", O_PATH | O_CLOEXEC);
			if (fd < 0 && len)
				link = open_start(r, &at, head, O_PATH | O_NOFOLLOW | O_CLOEXEC);
			if (fd >= 0 || link >= 0 || !len)
				break;
			while (len && head[len - 1] != '/')
				len--;
			while (len && head[len - 1] == '/')
				len--;
			head[len] = '\0';
		}
		if (link >= 0) {
			if (put_link(r, link, path, len) < 0)
				return false;
			continue;
		}
		if (fd < 0 || !is_stand_in(r->sup, fd))
			return false;
		memcpy(rest, path + len, strlen(path + len) + 1);
		n = real_path(r->sup, fd, head);
		if (n == 1)
			n = 0;
		if (n < 0 || n + strlen(rest) >= PATH_MAX)
			return false;
		memcpy(path, head, (size_t)n);
		memcpy(path + n, rest, strlen(rest) + 1);
		return true;
	}
	return false;
}

int sys_look(struct request *r)
{
	(void)r;
	return SUP_CONTINUE;
}

void learn_note(struct request *r, int result)
{
	const struct looked *c = find(r->nr);
	char path[PATH_MAX], whole[PATH_MAX];
	struct start from;
	int fd;

	if (!c || (result != SUP_CONTINUE && result != -ENOENT) ||
	    target_string(r, r->arg[c->path], path) <= 0)
		return;
	from = START_AT(c->dir < 0 ? (uint64_t)AT_FDCWD : r->arg[c->dir]);
	fd = open_start(r, &from, path, O_PATH | O_CLOEXEC);
	if (fd != -ENOENT) {
		close_quietly(fd);
		return;
	}
	if (absolute(r, &from, path, whole) < 0)
		return;
	/* "self" leads elsewhere for us than for the command. */
	if (path_within(whole, "/proc"))
		return;
	if (is_hidden(r, whole) && target_alive(r) == 0)
		(void)report_denial(r, op_of(r, c), whole, NULL, LEARN_NOT_SHOWN, ENOENT);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A path walked component by component, for what the kernel cannot walk in our place:
 * /proc/self and /proc/thread-self mean the caller, not us (we are in no process of that
 * /proc), and its cwd, root, exe and fd links are taken from the caller's own directory in
 * the host's /proc. Another process's links of that kind are followed where the caller
 * could: not where that process is not dumpable (its entries are root's then), and never
 * init's. Only opens for reading come here, and few of them. */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/vfs.h>

#include "base/str.h"
#include "linux/supervisor/open.h"

#define LINKS_MAX 40

enum where { ELSEWHERE, PROC_ROOT, PROC_SELF, PROC_SELF_FD };

struct walk {
	struct request *r;
	int dir; /* O_PATH, owned */
	enum where where;
	unsigned links;
	char rest[2 * PATH_MAX]; /* what is still to be walked */
};

static void walk_close(struct walk *w)
{
	close_quietly(w->dir);
}

/* Where a directory lies in /proc, as far as it is not known by how it was reached. */
static enum where locate(int dir)
{
	struct statfs fs;
	struct stat st;

	/* The root of a procfs is inode 1 (PROC_ROOT_INO). */
	if (fstatfs(dir, &fs) < 0 || fs.f_type != PROC_SUPER_MAGIC || fstat(dir, &st) < 0)
		return ELSEWHERE;
	return st.st_ino == 1 ? PROC_ROOT : ELSEWHERE;
}

static int move_to(struct walk *w, int fd, enum where where)
{
	if (fd < 0)
		return -errno;
	close_quietly(w->dir);
	w->dir = fd;
	w->where = where;
	return 0;
}

/* Puts a symlink's text in front of the rest. */
static int put_in_front(struct walk *w, const char *target, size_t len)
{
	size_t left = strlen(w->rest);

	if (++w->links > LINKS_MAX)
		return -ELOOP;
	if (len + left + 2 > sizeof(w->rest))
		return -ENAMETOOLONG;
	memmove(w->rest + len + 1, w->rest, left + 1);
	memcpy(w->rest, target, len);
	w->rest[len] = '/';
	if (target[0] == '/')
		return move_to(w, openat(AT_FDCWD, "/", O_PATH | O_DIRECTORY | O_CLOEXEC),
			       ELSEWHERE);
	return 0;
}

/* The caller's own entries. Returns 1 when comp is none of them. */
static int step_proc(struct walk *w, const char *comp)
{
	int err = -ESRCH;
	struct task *t = target_task(w->r, &err);
	char name[64];
	pid_t tgid, tid;

	if (!t)
		return err;
	if (w->where == PROC_ROOT) {
		err = target_inner_pids(w->r, &tgid, &tid);
		if (err)
			return err;
		(void)snprintf(name, sizeof(name), "%d", (int)tgid);
		if (streq(comp, "thread-self"))
			(void)snprintf(name, sizeof(name), "%d/task/%d", (int)tgid, (int)tid);
		else if (!streq(comp, "self") && !streq(comp, name))
			return 1;
		return move_to(w, openat(w->dir, name, O_PATH | O_DIRECTORY | O_CLOEXEC),
			       PROC_SELF);
	}
	if (w->where == PROC_SELF && streq(comp, "fd"))
		return move_to(w, openat(w->dir, comp, O_PATH | O_DIRECTORY | O_CLOEXEC),
			       PROC_SELF_FD);
	if (w->where == PROC_SELF &&
	    (streq(comp, "cwd") || streq(comp, "root") || streq(comp, "exe")))
		return move_to(w, openat(t->proc, comp, O_PATH | O_CLOEXEC), ELSEWHERE);
	if (w->where == PROC_SELF_FD && strspn(comp, "0123456789") == strlen(comp)) {
		(void)snprintf(name, sizeof(name), "fd/%.20s", comp);
		return move_to(w, openat(t->proc, name, O_PATH | O_CLOEXEC), ELSEWHERE);
	}
	return 1;
}

/* A link in another process's directory, which the kernel resolves with our rights. */
static int step_magic(struct walk *w, int link, const char *comp)
{
	char path[PATH_MAX];
	struct stat st;

	if (fstat(link, &st) < 0 || real_path(w->r->sup, w->dir, path) < 0)
		return -EACCES;
	if (st.st_uid != geteuid() || streq(path, "/proc/1") || str_starts(path, "/proc/1/"))
		return -EACCES;
	if (w->r->sup->in->flat && sight_of_path(w->r->sup, path) != SIGHT_SHOWN)
		return -ENOENT;
	return move_to(w, openat(w->dir, comp, O_PATH | O_CLOEXEC), ELSEWHERE);
}

static int step_link(struct walk *w, int link, const char *comp)
{
	char target[PATH_MAX];
	struct statfs fs;
	ssize_t n;

	if (fstatfs(link, &fs) < 0)
		return -errno;
	/* /proc/mounts and /proc/net are links like others, those in a process's directory
	 * are not. */
	if (fs.f_type == PROC_SUPER_MAGIC && w->where != PROC_ROOT)
		return step_magic(w, link, comp);
	n = readlinkat(w->dir, comp, target, sizeof(target));
	if (n < 0)
		return -errno;
	if (n == 0 || (size_t)n >= sizeof(target))
		return n ? -ENAMETOOLONG : -ENOENT;
	return put_in_front(w, target, (size_t)n);
}

static int step(struct walk *w, const char *comp, bool follow)
{
	_cleanup_close_ int fd = -1;
	struct stat st;
	int err;

	if (streq(comp, "."))
		return 0;
	if (streq(comp, ".."))
		return move_to(w, openat(w->dir, comp, O_PATH | O_DIRECTORY | O_CLOEXEC),
			       ELSEWHERE);
	if (w->where == ELSEWHERE)
		w->where = locate(w->dir);
	if (w->where != ELSEWHERE && follow) {
		err = step_proc(w, comp);
		if (err <= 0)
			return err;
	}
	fd = openat(w->dir, comp, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if (S_ISLNK(st.st_mode) && follow)
		return step_link(w, fd, comp);
	return move_to(w, take_fd(&fd), ELSEWHERE);
}

int walk_path(struct request *r, const struct start *from, const char *path, bool follow,
	      int *ret_fd)
{
	_cleanup_(walk_close) struct walk w = { .r = r, .dir = -1 };
	size_t n = strlen(path);
	bool slash = n && path[n - 1] == '/';

	if (!n)
		return -ENOENT;
	memcpy(w.rest, path, n + 1);
	w.dir = open_start(r, from, path[0] == '/' ? "/" : "", O_PATH | O_CLOEXEC);
	if (w.dir < 0)
		return w.dir;
	for (;;) {
		size_t skip = strspn(w.rest, "/"), len = strcspn(w.rest + skip, "/");
		char comp[NAME_MAX + 1];
		bool last;
		int err;

		if (!len)
			break;
		if (len > NAME_MAX)
			return -ENAMETOOLONG;
		memcpy(comp, w.rest + skip, len);
		comp[len] = '\0';
		memmove(w.rest, w.rest + skip + len, strlen(w.rest + skip + len) + 1);
		last = !w.rest[strspn(w.rest, "/")];
		err = step(&w, comp, follow || slash || !last);
		if (err)
			return err;
	}
	*ret_fd = take_fd(&w.dir);
	return 0;
}

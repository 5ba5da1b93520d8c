/* SPDX-License-Identifier: Apache-2.0 */
/* Opens for reading, while a rule hides something inside a writable root (spec->read_deny).
 *
 * Landlock grants the command every read, so "continue" would be a hole here: the path
 * could be swapped for a secret's between our look and the kernel's. Therefore no
 * open for reading is ever continued, wherever it leads: the supervisor opens it, asks what
 * it is that was opened, and hands the descriptor over. An open for writing may be
 * continued still: its flags are in a register and Landlock refuses it in governed trees.
 *
 * Two things are not the same for us as for the command. /proc/self: the supervisor is no
 * member of the pid namespace, so the command's own number there is put in its place.
 * And CAP_SYS_PTRACE: what /proc shows of init, which is not dumpable, would open to us;
 * it stays closed. */
#include <errno.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#include "base/path.h"
#include "base/str.h"
#include "linux/supervisor/open.h"

/* Reads a small file of the caller's /proc directory. */
static int task_text(struct request *r, const char *name, char *dst, size_t size)
{
	_cleanup_close_ int fd = -1;
	int err = -ESRCH;
	const struct task *t = target_task(r, &err);
	ssize_t n;

	if (!t)
		return err;
	fd = openat(t->proc, name, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		/* A kept entry may be that of a thread that has died. */
		target_forget(r);
		t = target_task(r, &err);
		if (!t)
			return err;
		fd = openat(t->proc, name, O_RDONLY | O_CLOEXEC);
	}
	n = fd < 0 ? -1 : read(fd, dst, size - 1);
	if (n < 0)
		return -ESRCH;
	dst[n] = '\0';
	return 0;
}

/* The caller's controlling terminal in the sandbox's devpts, proc_pid_stat(5). */
static int own_terminal(struct request *r, char *path)
{
	char stat[1024];
	const char *p;
	unsigned nr, major, minor;
	int err = task_text(r, "stat", stat, sizeof(stat));

	if (err)
		return err;
	p = strrchr(stat, ')');
	if (!p)
		return -ENXIO;
	/* state ppid pgrp session tty_nr */
	for (int field = 0; field < 5; field++) {
		p = strchr(p + 1, ' ');
		if (!p)
			return -ENXIO;
	}
	nr = (unsigned)strtoul(p + 1, NULL, 10);
	major = nr >> 8 & 0xfff;
	minor = (nr & 0xff) | (nr >> 12 & 0xfff00);
	/* Unix98 slaves: Documentation/admin-guide/devices.txt. */
	if (major < 136 || major > 143)
		return -ENXIO;
	(void)snprintf(path, PATH_MAX, "/dev/pts/%u", (major - 136) * 256 + minor);
	return 0;
}

/* A symlink somewhere on the way? Then "not there" may be said of /proc/self, which
 * is not there for us. */
static bool through_link(struct request *r, const struct start *from, const char *path)
{
	struct start strict = *from;
	int fd;

	strict.resolve = RESOLVE_NO_SYMLINKS;
	fd = open_start(r, &strict, path, O_PATH | O_CLOEXEC);
	close_quietly(fd);
	return fd == -ELOOP;
}

static bool in_proc(int fd)
{
	struct statfs fs;

	return fstatfs(fd, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC;
}

/* The kernel walks most paths; what leads into a process's directory is walked by us. Where we are
 * known in the view's /proc, "self" has led the kernel to ourselves. */
int read_find(struct request *r, const struct start *from, const char *path, bool follow,
	      struct object *obj)
{
	int flags = O_PATH | O_CLOEXEC | (follow ? 0 : O_NOFOLLOW), err;
	int number = follow && !from->resolve ? magic_fd(path) : -1;
	struct start plain = *from;
	bool again;

	if (number >= 0)
		return object_of_fd(r, number, obj);
	if (!*path)
		return -ENOENT;
	plain.resolve |= RESOLVE_NO_MAGICLINKS;
	obj->fd = str_starts(path, "/proc/") && !from->resolve ? -ELOOP
							       : open_start(r, &plain, path, flags);
	again = r->sup->in->flat && obj->fd >= 0 && in_proc(obj->fd);
	if (again && from->resolve)
		return -EACCES;
	if (again)
		object_close(obj);
	if (!from->resolve &&
	    (again || obj->fd == -ELOOP || (obj->fd == -ENOENT && through_link(r, from, path)))) {
		err = walk_path(r, from, path, follow, &obj->fd);
		if (err)
			return err;
	}
	return obj->fd < 0 ? obj->fd : object_fill(r, obj);
}

/* Some files in a process's directory would tell more to us than to the caller: those of
 * one that is not dumpable (they are root's then), and init's. */
static bool tells_too_much(struct request *r, const struct object *obj)
{
	static const char *const open_to_all[] = { "stat",    "status", "cmdline", "comm",
						   "statm",   "cgroup", "limits",  "task",
						   "uid_map", "gid_map" };
	char path[PATH_MAX];
	const char *base;

	if (obj->root || !in_proc(obj->fd))
		return false;
	if (real_path(r->sup, obj->fd, path) < 0)
		return true;
	base = path + strlen("/proc/");
	if (*base < '0' || *base > '9')
		return false;
	if (obj->st.st_uid == geteuid() && !str_starts(path, "/proc/1/"))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(open_to_all); i++)
		if (streq(path_base(path), open_to_all[i]))
			return false;
	return !S_ISDIR(obj->st.st_mode);
}

int open_reading(struct request *r, struct start from, char *path, const struct opening *o)
{
	_cleanup_object_ struct object obj = { .fd = -1 };
	int flags = o->flags & ~(O_CREAT | O_EXCL | O_TRUNC | O_NOFOLLOW);
	bool own_tty = streq(path, "/dev/tty");
	int err, fd;

	if (own_tty) {
		err = own_terminal(r, path);
		if (err)
			return err;
	}
	err = read_find(r, &from, path, !(o->flags & O_NOFOLLOW), &obj);
	if (err)
		return err;
	if (r->sup->in->flat && !own_tty) {
		err = sight_refused(r->sup, obj.fd, true);
		if (err)
			return err;
	}
	if (S_ISLNK(obj.st.st_mode))
		return -ELOOP;
	err = judge_object(r, OP_READ, &obj);
	if (!err && obj.root && obj.root->kind == SUP_GOVERNED && S_ISREG(obj.st.st_mode) &&
	    obj.st.st_nlink > !obj.unnamed)
		err = alias_hidden(r, obj.path, &obj.st);
	if (err)
		return err;
	if (tells_too_much(r, &obj))
		return -EACCES;
	err = target_alive(r);
	if (err)
		return err;
	if (S_ISFIFO(obj.st.st_mode) && !(flags & O_NONBLOCK))
		return helper_open(r, take_fd(&obj.fd), flags);
	fd = openat(r->sup->host_proc, fd_name(obj.fd).text,
		    flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0 && errno == EAGAIN && !(flags & O_NONBLOCK)) /* a lease: the kernel would wait */
		return helper_open(r, take_fd(&obj.fd), flags);
	if (fd < 0)
		return -errno;
	if (!(flags & O_NONBLOCK) && fcntl(fd, F_SETFL, flags & OPEN_SETFL_FLAGS) < 0) {
		close_quietly(fd);
		return -errno;
	}
	r->fd = fd;
	r->cloexec = o->flags & O_CLOEXEC;
	return SUP_FD;
}

/* O_RDONLY|O_CREAT of a file that is not there (a lock file), in a tree of no rules. */
static int make(struct request *r, const struct start *from, char *path, const struct opening *o)
{
	_cleanup_object_ struct object dir = { .fd = -1 };
	char *base = strrchr(path, '/');
	int err;

	if (base && !base[1])
		return -EISDIR;
	if (!base) {
		err = object_find(r, from, ".", true, &dir);
		base = path;
	} else {
		*base++ = '\0';
		err = object_find(r, from, *path ? path : "/", true, &dir);
	}
	if (err)
		return err;
	if (dir.root && dir.root->kind == SUP_GOVERNED)
		return -EACCES;
	err = target_umask(r);
	if (!err)
		err = target_alive(r);
	if (err)
		return err;
	r->fd = openat(dir.fd, base, O_RDONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, o->mode);
	r->cloexec = o->flags & O_CLOEXEC;
	return r->fd < 0 ? -errno : SUP_FD;
}

int open_making(struct request *r, struct start from, char *path, const struct opening *o)
{
	char copy[PATH_MAX];
	int err;

	if (o->flags & O_TRUNC || (o->flags & O_TMPFILE) == O_TMPFILE)
		return -EACCES;
	memcpy(copy, path, strlen(path) + 1);
	err = o->flags & O_EXCL ? -ENOENT : open_reading(r, from, copy, o);
	return err == -ENOENT ? make(r, &from, path, o) : err;
}

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
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#include "base/path.h"
#include "base/str.h"
#include "linux/supervisor/open.h"

#define FOLLOW_MAX 40

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

/* The last number of a line of /proc/PID/status: the id in the innermost namespace. */
static long inner_id(const char *status, const char *key)
{
	const char *line = strstr(status, key), *end;

	if (!line)
		return -1;
	line++;
	end = line + strcspn(line, "\n");
	while (end[-1] >= '0' && end[-1] <= '9')
		end--;
	return strtol(end, NULL, 10);
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

/* Puts text in place of the first len bytes of path. */
static int replace_head(char *path, size_t len, const char *text)
{
	size_t n = strlen(text), rest = strlen(path + len);

	if (n + rest >= PATH_MAX)
		return -ENAMETOOLONG;
	memmove(path + n, path + len, rest + 1);
	memcpy(path, text, n);
	return 0;
}

/* Names that mean "whoever asks". */
static int own_names(struct request *r, char *path)
{
	static const struct {
		const char *name, *below;
		bool thread;
	} own[] = {
		{ "/proc/self", "", false },	      { "/proc/thread-self", "", true },
		{ "/proc/mounts", "/mounts", false }, { "/proc/net", "/net", false },
		{ "/dev/fd", "/fd", false },	      { "/dev/stdin", "/fd/0", false },
		{ "/dev/stdout", "/fd/1", false },    { "/dev/stderr", "/fd/2", false },
	};
	char status[4096], text[96];
	int err;

	if (streq(path, "/dev/tty"))
		return own_terminal(r, path);
	for (size_t i = 0; i < ARRAY_SIZE(own); i++) {
		size_t n = strlen(own[i].name);
		long pid, tid;

		if (!str_starts(path, own[i].name) || (path[n] && path[n] != '/'))
			continue;
		err = task_text(r, "status", status, sizeof(status));
		if (err)
			return err;
		pid = inner_id(status, "\nNStgid:");
		tid = inner_id(status, "\nNSpid:");
		if (pid <= 0 || tid <= 0)
			return -ESRCH;
		if (own[i].thread)
			(void)snprintf(text, sizeof(text), "/proc/%ld/task/%ld", pid, tid);
		else
			(void)snprintf(text, sizeof(text), "/proc/%ld%s", pid, own[i].below);
		return replace_head(path, n, text);
	}
	return 0;
}

/* /etc/mtab says "../proc/self/mounts": own_names() knows absolute spellings. Only what
 * leads into /proc is rewritten; there no ".." passes through another symlink. */
static int plain_proc(char *path)
{
	_cleanup_free_ char *plain = NULL;

	if (path[0] != '/' || !strstr(path, "/.."))
		return 0;
	plain = path_join("/", path);
	if (!plain)
		return -ENOMEM;
	if (str_starts(plain, "/proc/") && strlen(plain) < PATH_MAX)
		memcpy(path, plain, strlen(plain) + 1);
	return 0;
}

/* What a symlink says, in the place of its name. */
static int link_text(const struct object *link, struct start *from, char *path)
{
	char target[PATH_MAX];
	ssize_t n = readlinkat(link->fd, "", target, sizeof(target) - 1);
	const char *base = strrchr(path, '/');
	size_t before = base ? (size_t)(base - path) + 1 : 0;

	if (n < 0)
		return -errno;
	target[n] = '\0';
	if (target[0] == '/') {
		*from = START_AT(AT_FDCWD);
		before = 0;
	}
	if (before + (size_t)n >= PATH_MAX)
		return -ENAMETOOLONG;
	memcpy(path + before, target, (size_t)n + 1);
	return plain_proc(path);
}

/* Opens what the path names, O_PATH. A link to /proc/self leads nowhere for us: then its
 * text is followed by hand. */
static int find(struct request *r, struct start from, char *path, bool follow, struct object *obj)
{
	for (unsigned i = 0; i < FOLLOW_MAX; i++) {
		_cleanup_object_ struct object link = { .fd = -1 };
		int err = from.resolve ? 0 : own_names(r, path);

		if (err)
			return err;
		err = object_find(r, &from, path, follow, obj);
		if (err != -ENOENT || !follow || from.resolve)
			return err;
		if (object_find(r, &from, path, false, &link) || !S_ISLNK(link.st.st_mode))
			return err;
		err = link_text(&link, &from, path);
		if (err)
			return err;
	}
	return -ELOOP;
}

/* /proc/1 belongs to init: only what everybody may see of it. */
static bool init_only(struct request *r, const struct object *obj)
{
	static const char *const open_to_all[] = { "stat",    "status", "cmdline", "comm",
						   "statm",   "cgroup", "limits",  "task",
						   "uid_map", "gid_map" };
	char path[PATH_MAX];
	struct statfs fs;

	if (obj->root || fstatfs(obj->fd, &fs) < 0 || fs.f_type != PROC_SUPER_MAGIC)
		return false;
	if (real_path(r->sup, obj->fd, path) < 0)
		return true;
	if (!str_starts(path, "/proc/1/"))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(open_to_all); i++)
		if (streq(path + strlen("/proc/1/"), open_to_all[i]))
			return false;
	return true;
}

int open_reading(struct request *r, struct start from, char *path, const struct opening *o)
{
	_cleanup_object_ struct object obj = { .fd = -1 };
	int flags = o->flags & ~(O_CREAT | O_EXCL | O_TRUNC | O_NOFOLLOW);
	int err = find(r, from, path, !(o->flags & O_NOFOLLOW), &obj), fd;

	if (err)
		return err;
	err = judge_object(r, OP_READ, &obj);
	if (err)
		return err;
	if (init_only(r, &obj))
		return -EACCES;
	err = target_alive(r);
	if (err)
		return err;
	if (S_ISFIFO(obj.st.st_mode) && !(flags & O_NONBLOCK))
		return helper_open(r, take_fd(&obj.fd), flags);
	fd = openat(r->sup->host_proc, fd_name(obj.fd).text,
		    flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
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

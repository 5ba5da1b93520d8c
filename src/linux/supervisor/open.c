/* SPDX-License-Identifier: Apache-2.0 */
/* open, openat, creat, openat2, truncate.
 *
 * A file that may exist and one that may not are two calls here: "create, and it must
 * not exist" and "open what is there". So each judgement is asked only when its case is
 * there, a fresh file is not truncated (ext4 takes O_TRUNC of a fresh file for a
 * replacement and flushes it at close), and an existing one is looked at before it loses
 * its content. */
#include "linux/supervisor/open.h"

#include <errno.h>
#include <linux/openat2.h>
#include <string.h>

#include "base/str.h"

#define FOLLOW_MAX 40

#define TMPFILE_BIT (O_TMPFILE & ~O_DIRECTORY)
/* The kernel's own O_LARGEFILE: libc says 0 where every file is large. */
#define KERNEL_LARGEFILE 0100000
/* What open(2) takes notice of; it ignores the rest, openat2 refuses it. */
#define OPEN_FLAGS_KNOWN                                                                          \
	(O_ACCMODE | O_CREAT | O_EXCL | O_NOCTTY | O_TRUNC | O_APPEND | O_NONBLOCK | O_SYNC |     \
	 O_DSYNC | O_ASYNC | O_DIRECT | KERNEL_LARGEFILE | O_DIRECTORY | O_NOFOLLOW | O_NOATIME | \
	 O_CLOEXEC | O_PATH | O_TMPFILE)
#define RESOLVE_KNOWN                                                                      \
	(RESOLVE_NO_XDEV | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH | \
	 RESOLVE_IN_ROOT | RESOLVE_CACHED)

static bool changes(int flags)
{
	return flags & (O_ACCMODE | O_CREAT | O_TRUNC | TMPFILE_BIT);
}

/* Combinations that the kernel refuses; it gives the errno. (One before 6.4, which lets
 * O_CREAT|O_DIRECTORY pass, is stopped by Landlock.) */
static bool is_nonsense(int flags)
{
	return (flags & O_DIRECTORY && !(flags & TMPFILE_BIT)) ||
	       (flags & TMPFILE_BIT && (flags & O_TMPFILE) != O_TMPFILE) ||
	       (flags & TMPFILE_BIT && (flags & O_ACCMODE) == O_RDONLY);
}

static int open_truncate(struct request *r, const struct opening *o, int fd)
{
	struct fd_name name = fd_name(fd);
	_cleanup_close_ int writer = -1;

	if ((o->flags & O_ACCMODE) == O_WRONLY || (o->flags & O_ACCMODE) == O_RDWR)
		return ftruncate(fd, 0) < 0 ? -errno : 0;
	/* O_RDONLY|O_TRUNC truncates too, with write permission. */
	writer = openat(r->sup->host_proc, name.text, O_WRONLY | O_CLOEXEC);
	return writer < 0 || ftruncate(writer, 0) < 0 ? -errno : 0;
}

/* An existing file has been opened without blocking and without O_TRUNC: looks at what it
 * is and makes the descriptor what the command asked for. Takes fd over. unnamed: the
 * name it was opened by is gone. */
static int open_finish(struct request *r, const struct opening *o, const char *path, bool unnamed,
		       int fd)
{
	_cleanup_close_ int owned = fd;
	struct stat st;
	int err;

	if (fstat(fd, &st) < 0)
		return -errno;
	if (S_ISDIR(st.st_mode) && o->flags & (O_CREAT | O_TRUNC))
		return -EISDIR;
	if (st.st_nlink > !unnamed && S_ISREG(st.st_mode) && open_writes(o)) {
		err = alias_refused(r, path, &st);
		if (err)
			return err;
	}
	if (S_ISFIFO(st.st_mode) && !(o->flags & O_NONBLOCK) && (o->flags & O_ACCMODE) == O_RDONLY)
		return helper_open(r, take_fd(&owned), o->flags & ~(O_CREAT | O_TRUNC));
	if (o->flags & O_TRUNC && S_ISREG(st.st_mode)) {
		err = open_truncate(r, o, fd);
		if (err)
			return err;
	}
	if (!(o->flags & O_NONBLOCK) && fcntl(fd, F_SETFL, o->flags & OPEN_SETFL_FLAGS) < 0)
		return -errno;
	r->fd = take_fd(&owned);
	r->cloexec = o->flags & O_CLOEXEC;
	return SUP_FD;
}

/* Makes the file. -EEXIST when it is there already. */
static int open_create(struct request *r, const struct opening *o, struct place *p)
{
	struct verdict v;
	enum git_role role;
	int err = judge_quiet(r, OP_CREATE, p, FT_REG, NULL, &v);

	if (err < 0 && v.decision != VERDICT_ALLOW)
		return place_type(p, NULL) != FT_NONE
			       ? -EEXIST
			       : report_denial(r, OP_CREATE, p->path, &v, NULL, -err);
	if (!err)
		err = judge_role(r, p, FT_REG, &role);
	if (err)
		return err;
	if (role != GIT_NONE)
		return git_open_new(r, o, p, role);
	err = target_umask(r);
	if (!err)
		err = target_alive(r);
	if (err)
		return err;
	r->fd = openat(p->dir, p->name,
		       (o->flags & ~O_TRUNC) | O_CREAT | O_EXCL | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC,
		       o->mode);
	r->cloexec = o->flags & O_CLOEXEC;
	return r->fd < 0 ? -errno : SUP_FD;
}

/* May what is there be opened? From a denial follows what the kernel would have said
 * before it came to that. */
static int judge_existing(struct request *r, const struct opening *o, struct place *p)
{
	struct verdict v;
	int err;

	if (!open_writes(o))
		return 0;
	err = judge_quiet(r, OP_WRITE, p, FT_REG, NULL, &v);
	if (err >= 0 || v.decision == VERDICT_ALLOW)
		return err;
	switch (place_type(p, NULL)) {
	case FT_NONE:
		return -ENOENT;
	case FT_SYMLINK:
		/* Through a protected name not even another file is written: what is read by
		 * that name would change. */
		if (o->flags & O_NOFOLLOW)
			return -ELOOP;
		return report_denial(r, OP_WRITE, p->path, &v, NULL, -err);
	case FT_DIR:
		return -EISDIR;
	default:
		return report_denial(r, OP_WRITE, p->path, &v, NULL, -err);
	}
}

/* The kernel would wait: for a FIFO's other end, or for a lease to be given back. */
static int open_waiting(struct request *r, const struct opening *o, struct place *p, int err)
{
	struct stat st;
	enum file_type t = place_type(p, &st);
	int fd;

	if (t != FT_REG && !(t == FT_OTHER && S_ISFIFO(st.st_mode)))
		return err;
	fd = openat(p->dir, p->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : helper_open(r, fd, o->flags & ~(O_CREAT | O_NOFOLLOW));
}

static int open_existing(struct request *r, const struct opening *o, struct place *p)
{
	enum git_role role = GIT_NONE;
	int err, fd;

	err = judge_existing(r, o, p);
	if (!err && open_writes(o))
		err = judge_role(r, p, FT_REG, &role);
	if (err)
		return err;
	if (role != GIT_NONE) {
		err = git_open_existing(r, o, p, role);
		if (err != SUP_CONTINUE)
			return err;
	}
	err = target_alive(r);
	if (err)
		return err;
	fd = openat(p->dir, p->name,
		    (o->flags & ~(O_CREAT | O_EXCL | O_TRUNC)) | O_NOFOLLOW | O_NONBLOCK |
			    O_NOCTTY | O_CLOEXEC);
	if (fd >= 0)
		return open_finish(r, o, p->path, false, fd);
	err = -errno;
	if ((err == -ENXIO || err == -EAGAIN) && !(o->flags & O_NONBLOCK))
		return open_waiting(r, o, p, err);
	return err;
}

/* What the kernel says to an open of a directory, where it cannot be left to it. */
static int directory_errno(const struct opening *o, struct place *p)
{
	struct stat st;

	if (fstatat(p->dir, p->last == LAST_ROOT ? "." : p->name, &st, 0) < 0 &&
	    (errno == EACCES || p->last != LAST_NORM || !(o->flags & O_CREAT)))
		return -errno;
	if (o->flags & O_CREAT)
		return o->flags & O_EXCL && p->last != LAST_NORM ? -EEXIST : -EISDIR;
	return S_ISDIR(st.st_mode) ? -EISDIR : -ENOTDIR;
}

/* One place, its last component not followed. -ELOOP: it is a symlink. */
static int open_place(struct request *r, const struct opening *o, struct place *p)
{
	bool create = o->flags & O_CREAT;
	int err;

	/* A directory cannot be opened for writing, nor can a file with a slash behind: the
	 * kernel only tells what is wrong. */
	if (p->last != LAST_NORM || p->slash) {
		r->walk_err = directory_errno(o, p);
		return SUP_CONTINUE;
	}
	/* O_TRUNC is mostly meant for what is not there yet, plain writing for what is. */
	if (create && o->flags & (O_EXCL | O_TRUNC)) {
		err = open_create(r, o, p);
		if (err != -EEXIST || o->flags & O_EXCL)
			return err;
	}
	err = open_existing(r, o, p);
	if (err == -ENOENT && create)
		err = open_create(r, o, p);
	return err;
}

/* An unnamed file: its name is judged when it is linked. */
static int open_tmpfile(struct request *r, const struct start *from, const char *path,
			const struct opening *o)
{
	_cleanup_object_ struct object dir = { .fd = -1 };
	int err = object_find(r, from, path, !(o->flags & O_NOFOLLOW), &dir);

	r->walk_err = err;
	if (err || !dir.root)
		return SUP_CONTINUE;
	err = target_umask(r);
	if (!err)
		err = target_alive(r);
	if (err)
		return err;
	r->fd = openat(dir.fd, ".", (o->flags & ~O_NOFOLLOW) | O_CLOEXEC, o->mode);
	r->cloexec = o->flags & O_CLOEXEC;
	return r->fd < 0 ? -errno : SUP_FD;
}

/* Opens again what a descriptor of the command, or a file mounted alone, is. */
static int open_object(struct request *r, const struct opening *o, const struct object *obj)
{
	enum git_role role = GIT_NONE;
	int err, fd;

	if (!obj->root)
		return SUP_CONTINUE;
	if (o->flags & O_CREAT && o->flags & O_EXCL)
		return -EEXIST;
	err = open_writes(o) ? judge_object(r, OP_WRITE, obj) : 0;
	if (!err && open_writes(o))
		err = judge_object_role(r, obj, &role);
	if (err)
		return err;
	if (role != GIT_NONE)
		return report_denial(r, OP_WRITE, obj->path, NULL,
				     "git's file must be opened by its name", EACCES);
	err = target_alive(r);
	if (err)
		return err;
	if (S_ISFIFO(obj->st.st_mode)) {
		fd = fcntl(obj->fd, F_DUPFD_CLOEXEC, 3);
		return fd < 0 ? -errno : helper_open(r, fd, o->flags & ~(O_CREAT | O_NOFOLLOW));
	}
	fd = openat(r->sup->host_proc, fd_name(obj->fd).text,
		    (o->flags & ~(O_CREAT | O_TRUNC | O_NOFOLLOW)) | O_NONBLOCK | O_NOCTTY |
			    O_CLOEXEC);
	return fd < 0 ? -errno : open_finish(r, o, obj->path, obj->unnamed, fd);
}

/* A single file was granted: it is a mount of its own in a directory that is not ours. */
static int open_file_root(struct request *r, const struct opening *o, struct place *p)
{
	_cleanup_object_ struct object obj = { .fd = -1 };
	struct start from = { .fd = p->dir };

	if (!r->sup->n_file_roots || p->last != LAST_NORM || p->slash)
		return SUP_CONTINUE;
	if (object_find(r, &from, p->name, false, &obj) || !obj.root || !obj.root->is_file)
		return SUP_CONTINUE;
	return open_object(r, o, &obj);
}

/* A symlink stopped us: makes the next step of what it says. */
static int follow_link(struct place *p, struct start *from, struct place *prev, char *path)
{
	char target[PATH_MAX];
	ssize_t n = readlinkat(p->dir, p->name, target, sizeof(target) - 1);
	const char *base = strrchr(path, '/');
	size_t before = base ? (size_t)(base - path) + 1 : 0;

	if (n < 0)
		return -errno;
	target[n] = '\0';
	if (!from->resolve) {
		/* The next step begins in this one's directory, which must stay open. */
		place_close(prev);
		prev->dir = take_fd(&p->dir);
		prev->known = take_ptr(p->known);
		*from = (struct start){ .fd = prev->dir };
		memcpy(path, target, (size_t)n + 1);
		return 0;
	}
	/* openat2's limits are counted from where it began: the link's text goes where its
	 * name was. */
	if (from->resolve & RESOLVE_NO_SYMLINKS)
		return -ELOOP;
	if (target[0] == '/')
		before = 0;
	if (before + (size_t)n >= PATH_MAX)
		return -ENAMETOOLONG;
	memcpy(path + before, target, (size_t)n + 1);
	return 0;
}

int open_path(struct request *r, struct start from, char *path, const struct opening *o)
{
	_cleanup_place_ struct place prev = { .dir = -1 };

	place_init(&prev);
	if ((o->flags & O_TMPFILE) == O_TMPFILE)
		return open_tmpfile(r, &from, path, o);
	for (unsigned i = 0; i < FOLLOW_MAX; i++) {
		_cleanup_place_ struct place p = { .dir = -1 };
		int err;

		place_init(&p);
		if (!from.resolve && !(o->flags & O_NOFOLLOW) && magic_fd(path) >= 0) {
			_cleanup_object_ struct object obj = { .fd = -1 };

			if (object_find(r, &START_AT(AT_FDCWD), path, true, &obj))
				return SUP_CONTINUE;
			return open_object(r, o, &obj);
		}
		r->walk_err = place_find(r, &from, path, &p);
		if (r->walk_err)
			return SUP_CONTINUE; /* the kernel names the error */
		if (!p.root) {
			err = open_file_root(r, o, &p);
			r->opens = true;
			if (err == SUP_CONTINUE && open_writes(o))
				outside_note(r, o->flags & O_CREAT ? OP_CREATE : OP_WRITE, &from,
					     &p, path);
			return err;
		}
		err = open_place(r, o, &p);
		if (err != -ELOOP || o->flags & O_NOFOLLOW)
			return err;
		err = follow_link(&p, &from, &prev, path);
		if (err)
			return err;
	}
	return -ELOOP;
}

/* Opened for reading and writing by every shell, and never governed. */
static bool plain_device(const char *path)
{
	return str_starts(path, "/dev/") &&
	       (streq(path, "/dev/null") || streq(path, "/dev/tty") || streq(path, "/dev/ptmx") ||
		str_starts(path, "/dev/pts/"));
}

/* An open without write access, while a rule hides something: see read.c. */
static bool reads_trapped(const struct request *r, const struct opening *o)
{
	return r->sup->spec->read_deny && (o->flags & O_ACCMODE) == O_RDONLY;
}

static int open_trapped(struct request *r, struct start from, uint64_t addr,
			const struct opening *o)
{
	char path[PATH_MAX];
	ssize_t n = target_string(r, addr, path);
	int err;

	if (n < 0)
		return (int)n;
	if (!changes(o->flags))
		return open_reading(r, from, path, o);
	if (is_nonsense(o->flags))
		return -EINVAL;
	memcpy(r->path, path, (size_t)n + 1);
	err = open_path(r, from, r->path, o);
	return err == SUP_CONTINUE ? open_making(r, from, path, o) : err;
}

/* Landlock does not handle truncation here (it would cost every open of the command a
 * walk to the root, see ../landlock.c), so what can empty a file without write access must
 * not be continued: the path could be swapped. POSIX gives O_RDONLY|O_TRUNC no meaning. */
static bool empties_unseen(int flags)
{
	int mode = flags & O_ACCMODE;

	return flags & O_TRUNC && mode != O_WRONLY && mode != O_RDWR;
}

/* No set-user-id program is left behind, in a private place neither (the private home is
 * a directory of the host): here the bits are left out, as by a umask. */
#define OPEN_MODES 01777

static bool makes_setid(int flags, mode_t mode)
{
	return flags & (O_CREAT | TMPFILE_BIT) && mode & 06000;
}

/* Refused by the flags alone, before the path is looked at. */
static bool is_invalid(int flags)
{
	return is_nonsense(flags) && (!(flags & O_DIRECTORY) || flags & (O_CREAT | TMPFILE_BIT));
}

/* What the kernel says to the rest of those, where it cannot be left to it. */
static int open_nonsense(struct request *r, struct start from, const char *path,
			 const struct opening *o)
{
	_cleanup_object_ struct object obj = { .fd = -1 };
	int err;

	err = object_find(r, &from, path, !(o->flags & O_NOFOLLOW), &obj);
	if (err)
		return err;
	return S_ISDIR(obj.st.st_mode) ? -EISDIR : -ENOTDIR;
}

/* open_path() stopped at r->walk_err. The kernel would have looked at the directories on
 * the way before the length of the last name, and at openat2's limits all along. */
static int walk_errno(struct request *r, struct start from, const char *path,
		      const struct opening *o)
{
	_cleanup_object_ struct object obj = { .fd = -1 };
	int err;

	if (r->walk_err != -ENAMETOOLONG && !from.resolve)
		return r->walk_err;
	err = object_find(r, &from, path, !(o->flags & O_NOFOLLOW), &obj);
	return err == -EXDEV || (err && r->walk_err == -ENAMETOOLONG) ? err : r->walk_err;
}

static int open_call(struct request *r, int dirfd, uint64_t path, int flags, mode_t mode)
{
	struct opening o = { .flags = flags & OPEN_FLAGS_KNOWN, .mode = mode & OPEN_MODES };
	ssize_t n;
	int err;

	if (o.flags & O_PATH)
		return SUP_CONTINUE;
	if (reads_trapped(r, &o))
		return open_trapped(r, START_AT(dirfd), path, &o);
	if (!changes(o.flags))
		return SUP_CONTINUE;
	if (is_nonsense(o.flags) && !empties_unseen(o.flags))
		return SUP_CONTINUE;
	if (is_invalid(o.flags))
		return -EINVAL;
	n = target_string(r, path, r->path);
	if (n < 0)
		return (int)n;
	if (plain_device(r->path))
		return empties_unseen(o.flags) ? -EACCES : SUP_CONTINUE;
	if (is_nonsense(o.flags))
		return open_nonsense(r, START_AT(dirfd), r->path, &o);
	r->walk_err = 0;
	err = open_path(r, START_AT(dirfd), r->path, &o);
	if (err != SUP_CONTINUE || !(empties_unseen(o.flags) || makes_setid(o.flags, mode)))
		return err;
	if (r->walk_err)
		return walk_errno(r, START_AT(dirfd), r->path, &o);
	return empties_unseen(o.flags) ? -EACCES : -EPERM;
}

int sys_openat(struct request *r)
{
	return open_call(r, (int)r->arg[0], r->arg[1], (int)r->arg[2], (mode_t)r->arg[3]);
}

int sys_open(struct request *r)
{
	return open_call(r, AT_FDCWD, r->arg[0], (int)r->arg[1], (mode_t)r->arg[2]);
}

int sys_creat(struct request *r)
{
	return open_call(r, AT_FDCWD, r->arg[0], O_CREAT | O_WRONLY | O_TRUNC, (mode_t)r->arg[1]);
}

/* Its flags lie in memory: a second look at them could find others. So nothing of it is
 * continued. Reads are done here; what is not ours to make is ENOSYS, upon which callers
 * fall back to openat(2), whose flags are in a register. */
int sys_openat2(struct request *r)
{
	struct open_how how = { 0 };
	struct start from = START_AT(r->arg[0]);
	struct opening o;
	ssize_t n;
	int err;

	if (r->arg[3] < sizeof(how))
		return -EINVAL;
	if (r->arg[3] > sizeof(how))
		return -E2BIG;
	if (target_read(r, r->arg[2], &how, sizeof(how)))
		return -EFAULT;
	o = (struct opening){ .flags = (int)how.flags, .mode = (mode_t)how.mode & OPEN_MODES };
	if (how.flags & ~(uint64_t)OPEN_FLAGS_KNOWN || how.mode & ~(uint64_t)07777 ||
	    how.resolve & ~(uint64_t)RESOLVE_KNOWN ||
	    (how.mode && !(how.flags & (O_CREAT | TMPFILE_BIT))) ||
	    ((how.resolve & RESOLVE_BENEATH) && (how.resolve & RESOLVE_IN_ROOT)))
		return -EINVAL;
	if (changes(o.flags) && is_invalid(o.flags))
		return -EINVAL;
	/* An O_PATH descriptor cannot be handed over (seccomp_unotify(2)). */
	if (how.flags & O_PATH)
		return -ENOSYS;
	n = target_string(r, r->arg[1], r->path);
	if (n < 0)
		return (int)n;
	/* A walk that must not wait is one that the caller is ready to do again. */
	if (how.resolve & RESOLVE_CACHED)
		return -EAGAIN;
	from.resolve = how.resolve;
	if (changes(o.flags) && is_nonsense(o.flags))
		return open_nonsense(r, from, r->path, &o);
	if (!changes(o.flags))
		return open_reading(r, from, r->path, &o);
	r->walk_err = 0;
	err = open_path(r, from, r->path, &o);
	if (err == SUP_CONTINUE)
		return r->walk_err ? walk_errno(r, from, r->path, &o) : -ENOSYS;
	return err;
}

/* Done here wherever it leads, for the same reason as empties_unseen(). */
int sys_truncate(struct request *r)
{
	_cleanup_object_ struct object obj = { .fd = -1 };
	_cleanup_close_ int fd = -1;
	enum git_role role = GIT_NONE;
	ssize_t n = target_string(r, r->arg[0], r->path);
	int err;

	if (n < 0)
		return (int)n;
	if ((int64_t)r->arg[1] < 0)
		return -EINVAL;
	err = object_find(r, &START_AT(AT_FDCWD), r->path, true, &obj);
	if (err)
		return err;
	if (!S_ISREG(obj.st.st_mode))
		return S_ISDIR(obj.st.st_mode) ? -EISDIR : -EINVAL;
	err = judge_object(r, OP_WRITE, &obj);
	if (!err)
		err = judge_object_role(r, &obj, &role);
	if (!err && obj.root && obj.st.st_nlink > 1)
		err = alias_refused(r, obj.path, &obj.st);
	if (err)
		return err;
	if (role != GIT_NONE)
		return report_denial(r, OP_WRITE, obj.path, NULL, "git's file is not cut", EACCES);
	err = target_alive(r);
	if (err)
		return err;
	fd = openat(r->sup->host_proc, fd_name(obj.fd).text, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	return fd < 0 || ftruncate(fd, (off_t)r->arg[1]) < 0 ? -errno : 0;
}

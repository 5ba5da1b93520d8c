/* SPDX-License-Identifier: Apache-2.0 */
/* Opening a path for change, a step at a time (the calls are in open_calls.c).
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

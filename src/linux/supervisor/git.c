/* SPDX-License-Identifier: Apache-2.0 */
/* Git's files: what may be made, moved and removed, and putting judged bytes in place.
 *
 * A file that arrives under a judged name by rename or link is never the inode that
 * was offered: a descriptor or a mapping of that one could change it after the look. Its
 * bytes are copied once, judged, and put into a fresh inode that only we have ever
 * been able to write. */
#include "linux/supervisor/git.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>

#include "base/path.h"
#include "base/str.h"

int git_may_create(struct request *r, struct place *p, enum file_type type, enum git_role *ret_role)
{
	enum git_role role;
	int err = judge_role(r, p, type, &role);

	*ret_role = GIT_NONE;
	if (err || role == GIT_NONE)
		return err;
	if (git_judged(role) && type == FT_REG) {
		*ret_role = role;
		return role == GIT_POINTER ? git_may_found(r, p) : 0;
	}
	if (role == GIT_DOTGIT && type == FT_DIR)
		return git_may_found(r, p);
	if (role == GIT_DIRPART && type == FT_DIR)
		return 0;
	if (type == FT_SYMLINK && judge_git_symlink(r, p, r->path2))
		return 0;
	if (place_type(p, NULL) != FT_NONE)
		return -EEXIST;
	return report_denial(r, OP_CREATE, p->path, NULL, git_role_reason(role), EACCES);
}

static bool must_stay(const struct place *p, enum git_role role)
{
	return role != GIT_NONE && role != GIT_MARKER && git_keeps(p->root->path, p->path);
}

int git_may_delete(struct request *r, struct place *p, enum file_type type)
{
	enum git_role role;
	int err = judge_role(r, p, type, &role);

	if (err || !must_stay(p, role))
		return err;
	if (place_type(p, NULL) == FT_NONE)
		return -ENOENT;
	return report_denial(r, OP_DELETE, p->path, NULL, "part of the workspace's own repository",
			     EACCES);
}

int git_may_rename(struct request *r, struct place *from, struct place *to, enum file_type type,
		   enum git_role *ret_role)
{
	enum git_role role;
	int err;

	*ret_role = GIT_NONE;
	err = judge_role(r, from, type, &role);
	if (err)
		return err;
	if (must_stay(from, role))
		return report_denial(r, OP_RENAME_FROM, from->path, NULL,
				     "part of the workspace's own repository", EACCES);
	err = judge_role(r, to, type, &role);
	if (err)
		return err;
	if (!judge_git_rename(r, from, to, type))
		return report_denial(r, OP_RENAME_TO, to->path, NULL, git_role_reason(role),
				     EACCES);
	if (!git_judged(role))
		return 0;
	if (type != FT_REG)
		return report_denial(r, OP_RENAME_TO, to->path, NULL, git_role_reason(role),
				     EACCES);
	*ret_role = role;
	return role == GIT_POINTER ? git_may_found(r, to) : 0;
}

/* The bytes in place at p now. What cannot be read vouches for nothing. */
static void read_old(const struct place *p, enum git_role role, struct git_bytes *old)
{
	_cleanup_close_ int fd =
		openat(p->dir, p->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	*old = (struct git_bytes){ .data = NULL };
	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || git_read_old(fd, role, old))
		old->data = NULL;
}

int git_write(int fd, const struct git_bytes *b)
{
	size_t done = 0;

	while (done < b->len) {
		ssize_t n = pwrite(fd, b->data + done, b->len - done, (off_t)done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		done += (size_t)n;
	}
	return 0;
}

/* An inode of our own with the bytes, and the other one's mode, group and times. */
static int fill(int fd, const struct git_bytes *b, const struct stat *like)
{
	const struct timespec times[2] = { like->st_atim, like->st_mtim };
	int err = git_write(fd, b);

	if (err)
		return err;
	/* Only a group we are in can be kept, as with chgrp. */
	(void)!fchown(fd, (uid_t)-1, like->st_gid);
	if (fchmod(fd, like->st_mode & 07777) < 0 || futimens(fd, times) < 0)
		return -errno;
	return 0;
}

static int link_fresh(struct request *r, int fd, int dir, const char *name)
{
	return linkat(r->sup->host_proc, fd_name(fd).text, dir, name, AT_SYMLINK_FOLLOW) < 0
		       ? -errno
		       : 0;
}

/* A fresh inode at (dir, name), instead of what is there when replace is set. Where
 * there are no unnamed files it is made under that very name. */
static int put_fresh(struct request *r, int dir, const char *name, const struct git_bytes *b,
		     const struct stat *like, bool replace)
{
	_cleanup_close_ int fd = openat(dir, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	int err;

	if (fd >= 0) {
		err = fill(fd, b, like);
		if (err)
			return err;
		if (replace && unlinkat(dir, name, 0) < 0)
			return -errno;
		return link_fresh(r, fd, dir, name);
	}
	if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)
		return -errno;
	if (replace && unlinkat(dir, name, 0) < 0)
		return -errno;
	fd = openat(dir, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	return fd < 0 ? -errno : fill(fd, b, like);
}

/* Reads what `fd` holds and judges it for p. */
static int judge_bytes(struct request *r, int fd, struct place *p, enum git_role role,
		       struct git_bytes *ret, struct stat *ret_st)
{
	char reason[GIT_REASON_MAX] = "";
	struct git_bytes old;
	int err;

	if (fd < 0 || fstat(fd, ret_st) < 0)
		return -errno;
	if (!S_ISREG(ret_st->st_mode))
		return -EACCES;
	err = git_read(fd, role, ret);
	if (err == -EFBIG)
		return report_denial(r, OP_RENAME_TO, p->path, NULL, "too large to be judged",
				     EACCES);
	if (err)
		return err;
	read_old(p, role, &old);
	if (git_judge(role, p->path, p->root->path, &old, ret, reason))
		return report_denial(r, OP_RENAME_TO, p->path, NULL, reason, EACCES);
	return target_alive(r);
}

/* An index is large and renamed into place by nearly every command. When nobody has it
 * open for writing (only then a read lease is granted) and no other name leads to it,
 * nobody can change it any more: the inode itself may go there. */
static bool is_settled(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && st.st_nlink == 1 && fcntl(fd, F_SETLEASE, F_RDLCK) == 0;
}

int git_install_rename(struct request *r, struct place *from, struct place *to, enum git_role role)
{
	_cleanup_close_ int fd =
		openat(from->dir, from->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	bool settled = role == GIT_INDEX && fd >= 0 && is_settled(fd);
	struct git_bytes bytes;
	struct stat st;
	int err = judge_bytes(r, fd, to, role, &bytes, &st);

	if (!err && !settled)
		err = put_fresh(r, from->dir, from->name, &bytes, &st, true);
	if (!err && renameat(from->dir, from->name, to->dir, to->name) < 0)
		err = -errno;
	git_read_done();
	return err;
}

int git_install_link(struct request *r, const struct object *from, struct place *to,
		     enum git_role role)
{
	_cleanup_close_ int fd = openat(r->sup->host_proc, fd_name(from->fd).text,
					O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct git_bytes bytes;
	struct stat st;
	int err;

	if (place_type(to, NULL) != FT_NONE)
		return -EEXIST;
	err = judge_bytes(r, fd, to, role, &bytes, &st);
	if (!err)
		err = put_fresh(r, to->dir, to->name, &bytes, &st, false);
	git_read_done();
	return err;
}

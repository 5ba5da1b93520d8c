/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that only look, where Landlock alone hides what is not in the view: it knows none of
 * them. The supervisor looks in the command's place, at what it has opened and found to be in the
 * view, and writes the answer into the command's memory.
 *
 * Two calls change something of the caller's that only the kernel can: its working directory, and
 * an O_PATH descriptor. These go on after a look, so that a path which is swapped
 * meanwhile tells that there is something, and with it sizes and dates; never a content. */
#include <errno.h>
#include <fcntl.h>
#include <linux/limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/xattr.h>

#include "base/str.h"
#include "linux/supervisor/open.h"

/* What the arguments name, if it is to be seen. empty: "" is the descriptor itself. */
static int find(struct request *r, int dirfd, uint64_t path, bool follow, bool empty,
		struct object *o)
{
	ssize_t n = target_string(r, path, r->path);
	int err;

	o->fd = -1;
	if (n < 0)
		return (int)n;
	if (!n && !empty)
		return -ENOENT;
	if (!n && dirfd != AT_FDCWD)
		return object_of_fd(r, dirfd, o);
	err = n ? read_find(r, &START_AT(dirfd), r->path, follow, o)
		: object_find(r, &START_AT(AT_FDCWD), ".", true, o);
	if (err)
		return err;
	/* The command's own descriptor, by a name of it: as fstat(2) would. */
	if (follow && magic_fd(r->path) >= 0)
		return 0;
	return sight_refused(r->sup, o->fd, false);
}

static int give(struct request *r, uint64_t addr, const void *answer, size_t len)
{
	return target_write(r, addr, answer, len);
}

static int give_value(struct request *r, int err, ssize_t value)
{
	r->value = (int)value;
	return err ? err : SUP_VALUE;
}

int look_first(struct request *r, int dirfd, uint64_t path, bool follow)
{
	_cleanup_object_ struct object o = { .fd = -1 };
	int err = find(r, dirfd, path, follow, false, &o);

	return err ? err : SUP_CONTINUE;
}

int sys_chdir(struct request *r)
{
	return look_first(r, AT_FDCWD, r->arg[0], true);
}

/* ---- stat ------------------------------------------------------------------------ */

/* By number: what the C library fills may differ from what the kernel does. */
static int give_stat(struct request *r, int dirfd, uint64_t path, uint64_t buf, int flags)
{
	_cleanup_object_ struct object o = { .fd = -1 };
	struct stat st;
	int err;

	if (flags & ~(AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | AT_EMPTY_PATH))
		return -EINVAL;
	err = find(r, dirfd, path, !(flags & AT_SYMLINK_NOFOLLOW), flags & AT_EMPTY_PATH, &o);
	if (err)
		return err;
	if (syscall(__NR_newfstatat, o.fd, "", &st, AT_EMPTY_PATH) < 0)
		return -errno;
	return give(r, buf, &st, sizeof(st));
}

int sys_stat(struct request *r)
{
	return give_stat(r, AT_FDCWD, r->arg[0], r->arg[1], 0);
}

int sys_lstat(struct request *r)
{
	return give_stat(r, AT_FDCWD, r->arg[0], r->arg[1], AT_SYMLINK_NOFOLLOW);
}

int sys_newfstatat(struct request *r)
{
	return give_stat(r, (int)r->arg[0], r->arg[1], r->arg[2], (int)r->arg[3]);
}

int sys_look_statx(struct request *r)
{
	_cleanup_object_ struct object o = { .fd = -1 };
	const int sync = AT_STATX_FORCE_SYNC | AT_STATX_DONT_SYNC;
	int flags = (int)r->arg[2], err;
	struct statx stx;

	if (flags & ~(AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | AT_EMPTY_PATH | sync) ||
	    (flags & sync) == sync)
		return -EINVAL;
	/* Since Linux 6.11 no path at all is the descriptor's, too. */
	if (!r->arg[1] && flags & AT_EMPTY_PATH)
		err = object_of_fd(r, (int)r->arg[0], &o);
	else
		err = find(r, (int)r->arg[0], r->arg[1], !(flags & AT_SYMLINK_NOFOLLOW),
			   flags & AT_EMPTY_PATH, &o);
	if (err)
		return err;
	if (syscall(__NR_statx, o.fd, "", (flags & sync) | AT_EMPTY_PATH, (unsigned)r->arg[3],
		    &stx) < 0)
		return -errno;
	return give(r, r->arg[4], &stx, sizeof(stx));
}

int sys_statfs(struct request *r)
{
	_cleanup_object_ struct object o = { .fd = -1 };
	struct statfs fs;
	int err = find(r, AT_FDCWD, r->arg[0], true, false, &o);

	if (err)
		return err;
	if (syscall(__NR_fstatfs, o.fd, &fs) < 0)
		return -errno;
	return give(r, r->arg[1], &fs, sizeof(fs));
}

/* ---- access ---------------------------------------------------------------------- */

/* We are the same user with as few capabilities. What no rule lets be changed is read-only. */
static int check_access(struct request *r, int dirfd, uint64_t path, int mode, int flags)
{
	_cleanup_object_ struct object o = { .fd = -1 };
	int err;

	if (mode & ~(R_OK | W_OK | X_OK) ||
	    flags & ~(AT_EACCESS | AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH))
		return -EINVAL;
	err = find(r, dirfd, path, !(flags & AT_SYMLINK_NOFOLLOW), flags & AT_EMPTY_PATH, &o);
	if (!err && syscall(__NR_faccessat2, o.fd, "", mode, AT_EMPTY_PATH | AT_EACCESS) < 0)
		err = -errno;
	if (!err && mode & W_OK && !o.root && (S_ISREG(o.st.st_mode) || S_ISDIR(o.st.st_mode)))
		err = -EROFS;
	return err ? err : target_alive(r);
}

int sys_access(struct request *r)
{
	return check_access(r, AT_FDCWD, r->arg[0], (int)r->arg[1], 0);
}

int sys_faccessat(struct request *r)
{
	return check_access(r, (int)r->arg[0], r->arg[1], (int)r->arg[2], 0);
}

int sys_faccessat2(struct request *r)
{
	return check_access(r, (int)r->arg[0], r->arg[1], (int)r->arg[2], (int)r->arg[3]);
}

/* ---- links ----------------------------------------------------------------------- */

/* The two links of /proc that mean whoever reads them. Length, 0: it is none of them. */
static int own_link(struct request *r, int fd, char *dst)
{
	pid_t tgid, tid;
	int err;

	if (real_path(r->sup, fd, dst) < 0)
		return 0;
	if (!streq(dst, "/proc/self") && !streq(dst, "/proc/thread-self"))
		return 0;
	err = target_inner_pids(r, &tgid, &tid);
	if (err)
		return err;
	return streq(dst, "/proc/self")
		       ? snprintf(dst, PATH_MAX, "%d", (int)tgid)
		       : snprintf(dst, PATH_MAX, "%d/task/%d", (int)tgid, (int)tid);
}

static int give_link(struct request *r, int dirfd, uint64_t path, uint64_t buf, int size)
{
	_cleanup_object_ struct object o = { .fd = -1 };
	char text[PATH_MAX];
	ssize_t n;
	int err;

	if (size <= 0)
		return -EINVAL;
	err = find(r, dirfd, path, false, true, &o);
	if (err)
		return err;
	if (!S_ISLNK(o.st.st_mode))
		return *r->path ? -EINVAL : -ENOENT;
	n = own_link(r, o.fd, text);
	if (n < 0)
		return (int)n;
	if (n == 0)
		n = readlinkat(o.fd, "", text, sizeof(text));
	if (n < 0)
		return -errno;
	if (n > size)
		n = size;
	return give_value(r, give(r, buf, text, (size_t)n), n);
}

int sys_readlink(struct request *r)
{
	return give_link(r, AT_FDCWD, r->arg[0], r->arg[1], (int)r->arg[2]);
}

int sys_readlinkat(struct request *r)
{
	return give_link(r, (int)r->arg[0], r->arg[1], r->arg[2], (int)r->arg[3]);
}

/* ---- extended attributes --------------------------------------------------------- */

/* name 0: the list of them. The working directory is host_proc, see xattr.c. */
static int give_attribute(struct request *r, uint64_t name, uint64_t buf, uint64_t size,
			  bool follow)
{
	_cleanup_object_ struct object o = { .fd = -1 };
	_cleanup_free_ char *value = NULL;
	char attr[PATH_MAX];
	ssize_t n;
	int err = find(r, AT_FDCWD, r->arg[0], follow, false, &o);

	if (err)
		return err;
	if (size > XATTR_SIZE_MAX)
		size = XATTR_SIZE_MAX;
	value = malloc((size_t)size + 1);
	if (!value)
		return -ENOMEM;
	if (name) {
		n = target_string(r, name, attr);
		if (n < 0 || n == 0 || n > XATTR_NAME_MAX)
			return n == -EFAULT ? -EFAULT : -ERANGE;
		n = getxattr(fd_name(o.fd).text, attr, value, (size_t)size);
	} else {
		n = listxattr(fd_name(o.fd).text, value, (size_t)size);
	}
	if (n < 0)
		return -errno;
	err = size && n ? give(r, buf, value, (size_t)n) : target_alive(r);
	return give_value(r, err, n);
}

int sys_getxattr(struct request *r)
{
	return give_attribute(r, r->arg[1], r->arg[2], r->arg[3], true);
}

int sys_lgetxattr(struct request *r)
{
	return give_attribute(r, r->arg[1], r->arg[2], r->arg[3], false);
}

int sys_listxattr(struct request *r)
{
	return give_attribute(r, 0, r->arg[1], r->arg[2], true);
}

int sys_llistxattr(struct request *r)
{
	return give_attribute(r, 0, r->arg[1], r->arg[2], false);
}

/* ---- watching -------------------------------------------------------------------- */

/* On the command's own queue, of what was found. */
int sys_inotify_add_watch(struct request *r)
{
	_cleanup_object_ struct object o = { .fd = -1 };
	_cleanup_close_ int queue = -1;
	uint32_t mask = (uint32_t)r->arg[2];
	int err = find(r, AT_FDCWD, r->arg[1], !(mask & IN_DONT_FOLLOW), false, &o), n;

	if (!err)
		err = sight_refused(r->sup, o.fd, true);
	if (!err)
		err = judge_object(r, OP_READ, &o);
	if (err)
		return err;
	queue = target_fd(r, (int)r->arg[0]);
	if (queue < 0)
		return queue;
	err = target_alive(r);
	if (err)
		return err;
	n = inotify_add_watch(queue, fd_name(o.fd).text, mask & ~(uint32_t)IN_DONT_FOLLOW);
	return n < 0 ? -errno : give_value(r, 0, n);
}

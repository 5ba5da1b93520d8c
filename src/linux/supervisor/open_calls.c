/* SPDX-License-Identifier: Apache-2.0 */
/* The calls that open: what is in their arguments, and which of them may be left to the
 * kernel. */
#include <errno.h>
#include <linux/openat2.h>
#include <string.h>

#include "base/str.h"
#include "linux/supervisor/open.h"

#define TMPFILE_BIT (O_TMPFILE & ~O_DIRECTORY)
/* Access mode 3, open(2); O_ACCMODE is more than that in musl. */
#define NO_ACCESS (O_WRONLY | O_RDWR)
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
	return (r->sup->spec->read_deny || r->sup->in->flat) && (o->flags & O_ACCMODE) == O_RDONLY;
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

/* Access mode 3 asks for no right that Landlock judges, and what is opened so can be looked at:
 * where Landlock is what hides it, the path could be swapped as well. */
static bool must_not_continue(const struct request *r, int flags)
{
	return empties_unseen(flags) || (r->sup->in->flat && (flags & NO_ACCESS) == NO_ACCESS);
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

	/* Cannot be handed over, see sys_openat2(). Whatever the kernel finds there, nothing can
	 * be done with it but look. */
	if (o.flags & O_PATH)
		return r->sup->in->flat ? look_first(r, dirfd, path, !(flags & O_NOFOLLOW))
					: SUP_CONTINUE;
	if (reads_trapped(r, &o))
		return open_trapped(r, START_AT(dirfd), path, &o);
	if (!changes(o.flags))
		return SUP_CONTINUE;
	if (is_nonsense(o.flags) && !empties_unseen(o.flags))
		return doorbell_rings(flags) ? doorbell(r, dirfd) : SUP_CONTINUE;
	if (is_invalid(o.flags))
		return -EINVAL;
	n = target_string(r, path, r->path);
	if (n < 0)
		return (int)n;
	if (plain_device(r->path))
		return must_not_continue(r, o.flags) ? -EACCES : SUP_CONTINUE;
	if (is_nonsense(o.flags))
		return open_nonsense(r, START_AT(dirfd), r->path, &o);
	r->walk_err = 0;
	err = open_path(r, START_AT(dirfd), r->path, &o);
	if (err != SUP_CONTINUE || !(must_not_continue(r, o.flags) || makes_setid(o.flags, mode)))
		return err;
	if (r->walk_err)
		return walk_errno(r, START_AT(dirfd), r->path, &o);
	return must_not_continue(r, o.flags) ? -EACCES : -EPERM;
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
	if (r->sup->in->flat && !obj.root)
		return sight_refused(r->sup, obj.fd, false) ? -ENOENT : -EACCES;
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

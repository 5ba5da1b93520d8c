/* SPDX-License-Identifier: Apache-2.0 */
/* Metadata: chmod, chown and times, by path and by descriptor. Landlock knows none of
 * them, so "continue" would not be safe here: the object is opened once, judged, and
 * changed through that very descriptor, wherever it lies. What we cannot find fails. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/time.h>
#include <utime.h>

#include "linux/supervisor/git.h"
#include "linux/supervisor/meta.h"

static int find_object(struct request *r, int dirfd, uint64_t path, int flags, struct object *o)
{
	bool follow = !(flags & AT_SYMLINK_NOFOLLOW);
	ssize_t n;

	o->fd = -1;
	if (flags & ~(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH))
		return -EINVAL;
	n = target_string(r, path, r->path);
	if (n < 0)
		return (int)n;
	if (n > 0)
		return object_find(r, &START_AT(dirfd), r->path, follow, o);
	if (!(flags & AT_EMPTY_PATH))
		return -ENOENT;
	if (dirfd == AT_FDCWD)
		return object_find(r, &START_AT(AT_FDCWD), ".", true, o);
	return object_of_fd(r, dirfd, o);
}

int meta_object(struct request *r, int dirfd, uint64_t path, int flags, struct object *o)
{
	int err = find_object(r, dirfd, path, flags, o);

	if (!err && r->sup->in->flat && !o->root)
		err = sight_refused(r->sup, o->fd, false);
	return err;
}

int meta_allowed(struct request *r, const struct object *o)
{
	enum git_role role;
	int err;

	/* A descriptor of the host's, handed in as standard input or output. */
	if (!o->root && !in_view(r->sup, o->fd))
		return report_denial(r, OP_META, "a file outside the sandbox", NULL,
				     "its metadata is not the command's to change", EPERM);
	err = judge_object(r, OP_META, o);
	if (!err && o->root && o->unnamed && o->st.st_nlink > 0)
		err = alias_refused(r, o->path, &o->st);
	if (!err)
		err = judge_object_role(r, o, &role);
	if (err)
		return err;
	/* One that git does not run must not become one that it runs, nor the reverse. */
	if (role == GIT_HOOK)
		return report_denial(r, OP_META, o->path, NULL, git_role_reason(role), EACCES);
	return target_alive(r);
}

static bool sets_id(mode_t mode, mode_t type)
{
	return mode & S_ISUID || (mode & S_ISGID && !S_ISDIR(type));
}

static int change_mode(struct request *r, const struct object *o, mode_t mode)
{
	int err;

	mode &= 07777;
	/* Whoever runs it later, outside, would run it with this user's rights. */
	if (sets_id(mode, o->st.st_mode) && !sets_id(o->st.st_mode, o->st.st_mode))
		return report_denial(r, OP_META, o->root ? o->path : "a private file", NULL,
				     "no set-user-id program is left behind", EPERM);
	/* "chmod -R" comes by what is protected too, and mostly changes nothing there. */
	err = (o->st.st_mode & 07777) == mode && !S_ISLNK(o->st.st_mode) ? target_alive(r)
									 : meta_allowed(r, o);
	if (err)
		return err;
	if (S_ISLNK(o->st.st_mode))
		return -EOPNOTSUPP;
	return fchmodat(r->sup->host_proc, fd_name(o->fd).text, mode, 0) < 0 ? -errno : 0;
}

static int chmod_path(struct request *r, int dirfd, uint64_t path, mode_t mode, int flags)
{
	_cleanup_object_ struct object o = { .fd = -1 };
	int err = meta_object(r, dirfd, path, flags, &o);

	return err ? err : change_mode(r, &o, mode);
}

int sys_chmod(struct request *r)
{
	return chmod_path(r, AT_FDCWD, r->arg[0], (mode_t)r->arg[1], 0);
}

int sys_fchmodat(struct request *r)
{
	return chmod_path(r, (int)r->arg[0], r->arg[1], (mode_t)r->arg[2], 0);
}

int sys_fchmodat2(struct request *r)
{
	return chmod_path(r, (int)r->arg[0], r->arg[1], (mode_t)r->arg[2], (int)r->arg[3]);
}

int sys_fchmod(struct request *r)
{
	_cleanup_object_ struct object o = { .fd = -1 };
	int err = object_of_open_fd(r, (int)r->arg[0], &o);

	return err ? err : change_mode(r, &o, (mode_t)r->arg[1]);
}

static int change_owner(struct request *r, const struct object *o, uint64_t uid, uint64_t gid)
{
	int err = meta_allowed(r, o);

	if (err)
		return err;
	return fchownat(o->fd, "", (uid_t)uid, (gid_t)gid, AT_EMPTY_PATH) < 0 ? -errno : 0;
}

static int chown_path(struct request *r, int dirfd, uint64_t path, uint64_t uid, uint64_t gid,
		      int flags)
{
	_cleanup_object_ struct object o = { .fd = -1 };
	int err = meta_object(r, dirfd, path, flags, &o);

	return err ? err : change_owner(r, &o, uid, gid);
}

int sys_chown(struct request *r)
{
	return chown_path(r, AT_FDCWD, r->arg[0], r->arg[1], r->arg[2], 0);
}

int sys_lchown(struct request *r)
{
	return chown_path(r, AT_FDCWD, r->arg[0], r->arg[1], r->arg[2], AT_SYMLINK_NOFOLLOW);
}

int sys_fchownat(struct request *r)
{
	return chown_path(r, (int)r->arg[0], r->arg[1], r->arg[2], r->arg[3], (int)r->arg[4]);
}

int sys_fchown(struct request *r)
{
	_cleanup_object_ struct object o = { .fd = -1 };
	int err = object_of_open_fd(r, (int)r->arg[0], &o);

	return err ? err : change_owner(r, &o, r->arg[1], r->arg[2]);
}

/* ---- times ---------------------------------------------------------------------- */

/* path 0: the open file itself. It comes here only where a mount does not say what may be changed
 * of a file that was opened for reading. */
static int set_times(struct request *r, int dirfd, uint64_t path, const struct timespec *ts,
		     int flags)
{
	_cleanup_object_ struct object o = { .fd = -1 };
	int err = path ? meta_object(r, dirfd, path, flags, &o) : object_of_open_fd(r, dirfd, &o);

	if (!err)
		err = meta_allowed(r, &o);
	if (err)
		return err;
	if (S_ISLNK(o.st.st_mode))
		return utimensat(o.fd, "", ts, AT_EMPTY_PATH) < 0 ? -errno : 0;
	return utimensat(r->sup->host_proc, fd_name(o.fd).text, ts, 0) < 0 ? -errno : 0;
}

int sys_utimensat(struct request *r)
{
	struct timespec ts[2];
	int dirfd = (int)r->arg[0];

	if (r->arg[2] && target_read(r, r->arg[2], ts, sizeof(ts)))
		return -EFAULT;
	/* Nothing is to be changed: not even looked up. */
	if (r->arg[2] && ts[0].tv_nsec == UTIME_OMIT && ts[1].tv_nsec == UTIME_OMIT)
		return 0;
	return set_times(r, dirfd, r->arg[1], r->arg[2] ? ts : NULL, (int)r->arg[3]);
}

static int set_timevals(struct request *r, int dirfd, uint64_t path, uint64_t times)
{
	struct timeval tv[2];
	struct timespec ts[2];

	if (!times)
		return set_times(r, dirfd, path, NULL, 0);
	if (target_read(r, times, tv, sizeof(tv)))
		return -EFAULT;
	for (size_t i = 0; i < 2; i++) {
		if (tv[i].tv_usec < 0 || tv[i].tv_usec >= 1000000)
			return -EINVAL;
		ts[i] = (struct timespec){ .tv_sec = tv[i].tv_sec,
					   .tv_nsec = tv[i].tv_usec * 1000 };
	}
	return set_times(r, dirfd, path, ts, 0);
}

int sys_utimes(struct request *r)
{
	return set_timevals(r, AT_FDCWD, r->arg[0], r->arg[1]);
}

int sys_futimesat(struct request *r)
{
	if (!r->arg[1] &&
	    !r->sup->in->flat) /* the descriptor itself: what the command holds open */
		return SUP_CONTINUE;
	return set_timevals(r, (int)r->arg[0], r->arg[1], r->arg[2]);
}

int sys_utime(struct request *r)
{
	struct utimbuf times;
	struct timespec ts[2] = { 0 };

	if (!r->arg[1])
		return set_times(r, AT_FDCWD, r->arg[0], NULL, 0);
	if (target_read(r, r->arg[1], &times, sizeof(times)))
		return -EFAULT;
	ts[0].tv_sec = times.actime;
	ts[1].tv_sec = times.modtime;
	return set_times(r, AT_FDCWD, r->arg[0], ts, 0);
}

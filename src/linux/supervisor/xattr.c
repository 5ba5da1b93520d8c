/* SPDX-License-Identifier: Apache-2.0 */
/* Extended attributes, changed like other metadata (meta.c). */
#include <errno.h>
#include <fcntl.h>
#include <linux/limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>

#include "base/str.h"
#include "linux/supervisor/meta.h"

struct attribute {
	char name[PATH_MAX];
	void *value; /* NULL: it is removed */
	size_t size;
	int flags;
};

static void attribute_free(struct attribute *a)
{
	free(a->value);
}

static int read_name(struct request *r, uint64_t addr, struct attribute *a)
{
	ssize_t n = target_string(r, addr, a->name);

	if (n < 0)
		return n == -ENAMETOOLONG ? -ERANGE : (int)n;
	return n == 0 || n > XATTR_NAME_MAX ? -ERANGE : 0;
}

static int read_value(struct request *r, uint64_t value, uint64_t size, uint64_t flags,
		      struct attribute *a)
{
	if (flags & ~(uint64_t)(XATTR_CREATE | XATTR_REPLACE))
		return -EINVAL;
	if (size > XATTR_SIZE_MAX)
		return -E2BIG;
	a->flags = (int)flags;
	a->size = (size_t)size;
	a->value = malloc(a->size + 1);
	if (!a->value)
		return -ENOMEM;
	return target_read(r, value, a->value, a->size);
}

static int apply(struct request *r, const struct object *o, const struct attribute *a)
{
	struct fd_name name = fd_name(o->fd);
	int err = meta_allowed(r, o), n;

	if (err)
		return err;
	/* No attribute that is open to a user exists on a symlink. */
	if (S_ISLNK(o->st.st_mode))
		return str_starts(a->name, "system.") ? -EOPNOTSUPP : -EPERM;
	/* The working directory is host_proc: these calls know no directory descriptor. */
	n = a->value ? setxattr(name.text, a->name, a->value, a->size, a->flags)
		     : removexattr(name.text, a->name);
	return n < 0 ? -errno : 0;
}

static int by_path(struct request *r, int dirfd, uint64_t path, int flags,
		   const struct attribute *a)
{
	_cleanup_object_ struct object o = { .fd = -1 };
	int err = meta_object(r, dirfd, path, flags, &o);

	return err ? err : apply(r, &o, a);
}

static int by_fd(struct request *r, int number, const struct attribute *a)
{
	_cleanup_object_ struct object o = { .fd = -1 };
	int err = object_of_open_fd(r, number, &o);

	return err ? err : apply(r, &o, a);
}

static int set_call(struct request *r, struct attribute *a)
{
	int err = read_name(r, r->arg[1], a);

	return err ? err : read_value(r, r->arg[2], r->arg[3], r->arg[4], a);
}

int sys_setxattr(struct request *r)
{
	_cleanup_(attribute_free) struct attribute a = { .value = NULL };
	int err = set_call(r, &a);

	return err ? err : by_path(r, AT_FDCWD, r->arg[0], 0, &a);
}

int sys_lsetxattr(struct request *r)
{
	_cleanup_(attribute_free) struct attribute a = { .value = NULL };
	int err = set_call(r, &a);

	return err ? err : by_path(r, AT_FDCWD, r->arg[0], AT_SYMLINK_NOFOLLOW, &a);
}

int sys_fsetxattr(struct request *r)
{
	_cleanup_(attribute_free) struct attribute a = { .value = NULL };
	int err = set_call(r, &a);

	return err ? err : by_fd(r, (int)r->arg[0], &a);
}

int sys_setxattrat(struct request *r)
{
	_cleanup_(attribute_free) struct attribute a = { .value = NULL };
	struct {
		uint64_t value;
		uint32_t size;
		uint32_t flags;
	} args; /* struct xattr_args, Linux 6.13 */
	int err;

	if (r->arg[5] != sizeof(args))
		return r->arg[5] < sizeof(args) ? -EINVAL : -E2BIG;
	if (target_read(r, r->arg[4], &args, sizeof(args)))
		return -EFAULT;
	err = read_name(r, r->arg[3], &a);
	if (!err)
		err = read_value(r, args.value, args.size, args.flags, &a);
	return err ? err : by_path(r, (int)r->arg[0], r->arg[1], (int)r->arg[2], &a);
}

static int remove_by_path(struct request *r, int dirfd, uint64_t path, int flags, uint64_t name)
{
	struct attribute a = { .value = NULL };
	int err = read_name(r, name, &a);

	return err ? err : by_path(r, dirfd, path, flags, &a);
}

int sys_removexattr(struct request *r)
{
	return remove_by_path(r, AT_FDCWD, r->arg[0], 0, r->arg[1]);
}

int sys_lremovexattr(struct request *r)
{
	return remove_by_path(r, AT_FDCWD, r->arg[0], AT_SYMLINK_NOFOLLOW, r->arg[1]);
}

int sys_fremovexattr(struct request *r)
{
	struct attribute a = { .value = NULL };
	int err = read_name(r, r->arg[1], &a);

	return err ? err : by_fd(r, (int)r->arg[0], &a);
}

int sys_removexattrat(struct request *r)
{
	return remove_by_path(r, (int)r->arg[0], r->arg[1], (int)r->arg[2], r->arg[3]);
}

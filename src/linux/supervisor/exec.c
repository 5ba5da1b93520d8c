/* SPDX-License-Identifier: Apache-2.0 */
/* execve and execveat, trapped only while a rule about programs is in force. The kernel
 * reads the path again: these rules keep a program from being started by its name. What
 * must hold against a race is a mount without exec permission. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/str.h"
#include "linux/supervisor/sup.h"

/* By the name it is called by, and by the one it has: a link could say anything. */
static int may_start(struct request *r, const char *path, const char *real, uint64_t argv)
{
	const char *called = strrchr(path, '/'), *name = strrchr(real, '/');
	int err = exec_guard(r, path, argv);

	if (!err && !streq(called ? called + 1 : path, name ? name + 1 : real))
		err = exec_guard(r, real, argv);
	return err ? err : SUP_CONTINUE;
}

static int judge_exec(struct request *r, int dirfd, uint64_t path, uint64_t argv, int flags)
{
	_cleanup_object_ struct object o = { .fd = -1 };
	ssize_t n = target_string(r, path, r->path);
	struct verdict v;
	struct file_query q = { .op = OP_EXEC, .type = FT_REG };
	char real[PATH_MAX];
	int err;

	if (n < 0)
		return (int)n;
	if (n == 0 && flags & AT_EMPTY_PATH && dirfd != AT_FDCWD)
		err = object_of_fd(r, dirfd, &o);
	else
		err = object_find(r, &START_AT(dirfd), r->path, !(flags & AT_SYMLINK_NOFOLLOW), &o);
	if (!err && r->sup->in->flat && sight_of(r->sup, o.fd) == SIGHT_NONE)
		return -ENOENT;
	if (err || real_path(r->sup, o.fd, real) < 0)
		return SUP_CONTINUE;
	q.path = real;
	spec_judge(r->sup->spec, &q, &v);
	if (v.decision == VERDICT_ALLOW ||
	    (v.decision == VERDICT_ASK && ask_granted(r, OP_EXEC, real)))
		return may_start(r, n ? r->path : real, real, argv);
	return report_denial(r, OP_EXEC, real, &v, NULL, v.err > 0 ? v.err : EACCES);
}

int sys_execve(struct request *r)
{
	return judge_exec(r, AT_FDCWD, r->arg[0], r->arg[1], 0);
}

int sys_execveat(struct request *r)
{
	return judge_exec(r, (int)r->arg[0], r->arg[1], r->arg[2], (int)r->arg[4]);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* rename, renameat, renameat2. Several judgements that must belong together: the names
 * are always held exclusively. */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

#include "linux/supervisor/sup.h"

#define FLAGS_KNOWN (RENAME_NOREPLACE | RENAME_EXCHANGE | RENAME_WHITEOUT)

struct move {
	struct place from, to;
	enum file_type from_type, to_type;
	unsigned flags;
};

static void move_close(struct move *m)
{
	place_close(&m->from);
	place_close(&m->to);
}

/* One side leaves, the other arrives. */
static int judge_way(struct request *r, struct place *from, struct place *to, enum file_type type)
{
	int err = judge_place(r, OP_RENAME_FROM, from, type, to->path);

	return err ? err : judge_place(r, OP_RENAME_TO, to, type, from->path);
}

static int do_rename(struct request *r, struct move *m)
{
	int err = syscall(__NR_renameat2, m->from.dir, place_name_slash(&m->from), m->to.dir,
			  place_name_slash(&m->to), m->flags) < 0
			  ? -errno
			  : 0;

	/* Also when it failed: nothing depends on this being exact. */
	if (m->from_type == FT_DIR || m->to_type == FT_DIR)
		atomic_fetch_add(&r->sup->moves, 1);
	return err;
}

static int rename_places(struct request *r, struct move *m)
{
	enum git_role role = GIT_NONE, back = GIT_NONE;
	int err;

	err = place_path(r, &m->from);
	if (!err)
		err = place_path(r, &m->to);
	if (!err)
		err = judge_way(r, &m->from, &m->to, m->from_type);
	if (!err)
		err = git_may_rename(r, &m->from, &m->to, m->from_type, &role);
	if (!err && m->flags & RENAME_EXCHANGE) {
		err = judge_way(r, &m->to, &m->from, m->to_type);
		if (!err)
			err = git_may_rename(r, &m->to, &m->from, m->to_type, &back);
	}
	if (!err)
		err = target_alive(r);
	if (err)
		return err;
	if (role == GIT_NONE && back == GIT_NONE)
		return do_rename(r, m);
	/* Two contents to judge at once: nothing does that. */
	if (m->flags & RENAME_EXCHANGE)
		return report_denial(r, OP_RENAME_TO, m->to.path, NULL,
				     "an exchange with git's file", EACCES);
	if (m->flags & RENAME_NOREPLACE && m->to_type != FT_NONE)
		return -EEXIST;
	if (m->from.slash || m->to.slash)
		return -ENOTDIR;
	return git_install_rename(r, &m->from, &m->to, role);
}

static int move_name(struct request *r, int from, uint64_t from_path, int to, uint64_t to_path,
		     unsigned flags)
{
	_cleanup_(move_close) struct move m = { .flags = flags };
	ssize_t n;
	int err;

	place_init(&m.from);
	place_init(&m.to);
	if (!r->exclusive)
		return SUP_AGAIN;
	if (flags & ~(unsigned)FLAGS_KNOWN)
		return -EINVAL;
	if (flags & RENAME_EXCHANGE && flags & (RENAME_NOREPLACE | RENAME_WHITEOUT))
		return -EINVAL;
	if (flags & RENAME_WHITEOUT)
		return -EPERM;
	n = target_string(r, from_path, r->path2);
	if (n < 0)
		return (int)n;
	if (place_find(r, &START_AT(from), r->path2, &m.from))
		return SUP_CONTINUE;
	err = names_find(r, OP_RENAME_TO, to, to_path, &m.to);
	if (err)
		return err;
	if (m.from.root != m.to.root)
		return -EXDEV;
	m.from_type = place_type(&m.from, NULL);
	m.to_type = place_type(&m.to, NULL);
	/* Cases in which the kernel refuses, and knows the right errno. */
	if (m.from.last != LAST_NORM || m.to.last != LAST_NORM || m.from_type == FT_NONE ||
	    (flags & RENAME_EXCHANGE && m.to_type == FT_NONE) ||
	    (flags & RENAME_NOREPLACE && m.to_type != FT_NONE)) {
		err = target_alive(r);
		return err ? err : do_rename(r, &m);
	}
	return rename_places(r, &m);
}

int sys_renameat2(struct request *r)
{
	return move_name(r, (int)r->arg[0], r->arg[1], (int)r->arg[2], r->arg[3],
			 (unsigned)r->arg[4]);
}

int sys_renameat(struct request *r)
{
	return move_name(r, (int)r->arg[0], r->arg[1], (int)r->arg[2], r->arg[3], 0);
}

int sys_rename(struct request *r)
{
	return move_name(r, AT_FDCWD, r->arg[0], AT_FDCWD, r->arg[1], 0);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Names that appear and vanish one at a time: mkdir, mknod, symlink, unlink, rmdir. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/path.h"
#include "policy/private_home.h"
#include "linux/supervisor/sup.h"

int names_find(struct request *r, enum file_op op, int dirfd, uint64_t path, struct place *p)
{
	ssize_t n;
	int err;

	place_init(p);
	n = target_string(r, path, r->path);
	if (n < 0)
		return (int)n;
	/* What we cannot find the kernel will not find either, and it names the error; what is
	 * not ours to govern is done by it. But a directory that is not there may be made
	 * before the kernel looks, by another thread: Landlock would refuse what is allowed. */
	err = place_find(r, &START_AT(dirfd), r->path, p);
	if (err)
		return err == -ENOENT ? err : SUP_CONTINUE;
	if (p->root)
		return 0;
	outside_note(r, op, &START_AT(dirfd), p, r->path);
	return SUP_CONTINUE;
}

int names_may_create(struct request *r, struct place *p, enum file_type type,
		     enum git_role *ret_role)
{
	enum git_role role = GIT_NONE;
	struct verdict v;
	int err;

	/* "." , ".." and "/" exist: the kernel says so. */
	if (p->last != LAST_NORM)
		return target_alive(r);
	err = judge_quiet(r, OP_CREATE, p, type, NULL, &v);
	if (err < 0 && v.decision != VERDICT_ALLOW)
		return place_type(p, NULL) != FT_NONE
			       ? -EEXIST
			       : report_denial(r, OP_CREATE, p->path, &v, NULL, -err);
	if (!err)
		err = git_may_create(r, p, type, &role);
	if (ret_role)
		*ret_role = role;
	if (!err)
		err = target_umask(r);
	return err ? err : target_alive(r);
}

static int make_dir(struct request *r, int dirfd, uint64_t path, mode_t mode)
{
	_cleanup_place_ struct place p = { .dir = -1 };
	int err = names_find(r, OP_CREATE, dirfd, path, &p);

	if (!err)
		err = names_may_create(r, &p, FT_DIR, NULL);
	if (err)
		return err;
	return mkdirat(p.dir, place_name_slash(&p), mode) < 0 ? -errno : 0;
}

static int make_node(struct request *r, int dirfd, uint64_t path, mode_t mode)
{
	_cleanup_place_ struct place p = { .dir = -1 };
	enum file_type type = S_ISREG(mode) || !(mode & S_IFMT) ? FT_REG : FT_OTHER;
	int err;

	if (S_ISCHR(mode) || S_ISBLK(mode))
		return -EPERM;
	err = names_find(r, OP_CREATE, dirfd, path, &p);
	if (!err)
		err = names_may_create(r, &p, type, NULL);
	if (err)
		return err == SUP_CONTINUE && mode & 06000 ? -EPERM : err;
	/* No set-user-id program is left behind. */
	return mknodat(p.dir, place_name_slash(&p), mode & ~(mode_t)06000, 0) < 0 ? -errno : 0;
}

/* The private home is written freely, and on the host it lies in berm's state folder: a link
 * to there, or to a directory above it, would lead the host's tools (git first of all) to
 * what no rule has judged. Other links, "..", /proc/self/root and a later move of this one
 * can make any text lead anywhere; but not into a private home without its name in it. */
static bool leads_to_state(const struct spec *spec, struct place *p, const char *target)
{
	_cleanup_free_ char *text = NULL;
	char parent[PATH_MAX + NAME_MAX + 2];
	const char *base = strrchr(p->path, '/'), *state = spec->state_dir;

	if (!state || !base)
		return false;
	if (names_private_home(target, spec->home_source ? path_base(spec->home_source) : NULL))
		return true;
	memcpy(parent, p->path, (size_t)(base - p->path));
	parent[base - p->path] = '\0';
	text = path_join(parent, target);
	return !text || path_within(text, state) || path_within(state, text);
}

static int symlink_allowed(struct request *r, struct place *p, const char *target)
{
	int err;

	if (p->root && p->root->kind != SUP_GOVERNED)
		return 0;
	err = place_path(r, p);
	if (err || !leads_to_state(r->sup->spec, p, target))
		return err;
	return report_denial(r, OP_CREATE, p->path, NULL,
			     "a link that leads the host to the private home", EACCES);
}

static int make_symlink(struct request *r, uint64_t target, int dirfd, uint64_t path)
{
	_cleanup_place_ struct place p = { .dir = -1 };
	ssize_t n = target_string(r, target, r->path2);
	int err;

	if (n < 0)
		return (int)n;
	if (n == 0)
		return -ENOENT;
	err = names_find(r, OP_CREATE, dirfd, path, &p);
	if (!err)
		err = symlink_allowed(r, &p, r->path2);
	if (!err)
		err = names_may_create(r, &p, FT_SYMLINK, NULL);
	if (err)
		return err;
	return symlinkat(r->path2, p.dir, place_name_slash(&p)) < 0 ? -errno : 0;
}

/* rmdir of a directory that holds something fails whatever the rules say. Tools try it
 * ("git stash" on .git itself): that is no denial to tell anybody of. */
static bool holds_something(const struct place *p)
{
	_cleanup_closedir_ DIR *dir = NULL;
	int fd = openat(p->dir, p->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	unsigned n = 0;

	dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir)
		close_quietly(fd);
	while (dir && n <= 2 && readdir(dir))
		n++;
	return n > 2;
}

/* The type is only looked at once a rule has said no: most deletions are allowed
 * whatever it is. */
static int may_delete(struct request *r, struct place *p, int flags)
{
	enum file_type guess = flags & AT_REMOVEDIR ? FT_DIR : FT_REG, type;
	struct verdict v;
	int err;

	if (guess == FT_DIR && holds_something(p))
		return -ENOTEMPTY;
	err = judge_quiet(r, OP_DELETE, p, guess, NULL, &v);
	if (err < 0 && v.decision != VERDICT_ALLOW) {
		type = place_type(p, NULL);
		if (type == FT_NONE)
			return -ENOENT;
		if (guess == FT_DIR && type != FT_DIR)
			return -ENOTDIR;
		if (guess != FT_DIR && type == FT_DIR)
			return -EISDIR;
		return report_denial(r, OP_DELETE, p->path, &v, NULL, -err);
	}
	return err ? err : git_may_delete(r, p, guess);
}

static int delete_name(struct request *r, int dirfd, uint64_t path, int flags)
{
	_cleanup_place_ struct place p = { .dir = -1 };
	int err;

	if (flags & ~AT_REMOVEDIR)
		return -EINVAL;
	err = names_find(r, OP_DELETE, dirfd, path, &p);
	if (!err && p.last == LAST_NORM)
		err = may_delete(r, &p, flags);
	if (!err)
		err = target_alive(r);
	if (err)
		return err;
	return unlinkat(p.dir, place_name_slash(&p), flags) < 0 ? -errno : 0;
}

int sys_mkdirat(struct request *r)
{
	return make_dir(r, (int)r->arg[0], r->arg[1], (mode_t)r->arg[2]);
}

int sys_mkdir(struct request *r)
{
	return make_dir(r, AT_FDCWD, r->arg[0], (mode_t)r->arg[1]);
}

int sys_mknodat(struct request *r)
{
	return make_node(r, (int)r->arg[0], r->arg[1], (mode_t)r->arg[2]);
}

int sys_mknod(struct request *r)
{
	return make_node(r, AT_FDCWD, r->arg[0], (mode_t)r->arg[1]);
}

int sys_symlinkat(struct request *r)
{
	return make_symlink(r, r->arg[0], (int)r->arg[1], r->arg[2]);
}

int sys_symlink(struct request *r)
{
	return make_symlink(r, r->arg[0], AT_FDCWD, r->arg[1]);
}

int sys_unlinkat(struct request *r)
{
	return delete_name(r, (int)r->arg[0], r->arg[1], (int)r->arg[2]);
}

int sys_unlink(struct request *r)
{
	return delete_name(r, AT_FDCWD, r->arg[0], 0);
}

int sys_rmdir(struct request *r)
{
	return delete_name(r, AT_FDCWD, r->arg[0], AT_REMOVEDIR);
}

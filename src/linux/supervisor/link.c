/* SPDX-License-Identifier: Apache-2.0 */
/* link and linkat: a second name for what has one, or the first for an O_TMPFILE. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "linux/supervisor/sup.h"

/* What is to be linked: an object, and where a name led to it, the place. */
struct source {
	struct object obj;
	struct place place;
	bool by_name;
};

static void source_close(struct source *s)
{
	object_close(&s->obj);
	place_close(&s->place);
}

static int source_find(struct request *r, int dirfd, uint64_t path, int flags, struct source *s)
{
	bool follow = flags & AT_SYMLINK_FOLLOW;
	ssize_t n = target_string(r, path, r->path2);
	int err;

	if (n < 0)
		return (int)n;
	if (!*r->path2 && flags & AT_EMPTY_PATH)
		return dirfd == AT_FDCWD ? SUP_CONTINUE : object_of_fd(r, dirfd, &s->obj);
	if (object_find(r, &START_AT(dirfd), r->path2, follow, &s->obj))
		return SUP_CONTINUE;
	if (follow)
		return 0;
	err = place_find(r, &START_AT(dirfd), r->path2, &s->place);
	if (err)
		return SUP_CONTINUE;
	s->by_name = s->place.last == LAST_NORM;
	return 0;
}

/* No alias may be made of what is protected: it would be written through the other name. */
static int source_allowed(struct request *r, struct source *s)
{
	enum git_role role;
	int err;

	if (s->obj.st.st_nlink > 1 || (s->obj.unnamed && s->obj.st.st_nlink > 0)) {
		err = alias_refused(r, s->obj.path, &s->obj.st);
		if (err)
			return err;
	}
	err = judge_object(r, OP_LINK_FROM, &s->obj);
	if (!err)
		err = judge_object_role(r, &s->obj, &role);
	if (err)
		return err;
	if (role != GIT_NONE && role != GIT_MARKER)
		return report_denial(r, OP_LINK_FROM, s->obj.path, NULL,
				     "a second name for git's file", EACCES);
	return 0;
}

static int link_object(struct request *r, struct source *s, struct place *to)
{
	int err;

	if (s->by_name)
		err = linkat(s->place.dir, s->place.name, to->dir, place_name_slash(to), 0);
	else
		err = linkat(r->sup->host_proc, fd_name(s->obj.fd).text, to->dir,
			     place_name_slash(to), AT_SYMLINK_FOLLOW);
	return err < 0 ? -errno : 0;
}

static int link_places(struct request *r, struct source *s, struct place *to)
{
	enum file_type type = type_of_mode(s->obj.st.st_mode);
	enum git_role role = GIT_NONE;
	int err;

	if (to->last != LAST_NORM)
		return link_object(r, s, to);
	/* The name may lead elsewhere by now. Where the roots are mounts the kernel would refuse
	 * what then is a link from one into the other. */
	if (s->obj.root != to->root || (s->by_name && s->place.root != to->root))
		return place_type(to, NULL) != FT_NONE ? -EEXIST : -EXDEV;
	if (type == FT_DIR) /* never linked: the kernel says why not */
		return link_object(r, s, to);
	err = source_allowed(r, s);
	if (!err)
		err = names_may_create(r, to, type, &role);
	if (err)
		return err;
	if (role != GIT_NONE)
		return git_install_link(r, &s->obj, to, role);
	return link_object(r, s, to);
}

/* What is ours cannot be linked to where it is not, and the kernel would not take a
 * descriptor that we opened for one of the command's own (linkat(2), AT_EMPTY_PATH). */
static int linked_elsewhere(struct request *r, int dirfd, struct place *to)
{
	int err;

	place_close(to);
	err = place_find(r, &START_AT(dirfd), r->path, to);
	if (err)
		return err;
	return to->last != LAST_NORM || place_type(to, NULL) != FT_NONE ? -EEXIST : -EXDEV;
}

static int make_link(struct request *r, int from, uint64_t from_path, int dirfd, uint64_t path,
		     int flags)
{
	_cleanup_(source_close) struct source src = { .obj = { .fd = -1 }, .place = { .dir = -1 } };
	_cleanup_place_ struct place to = { .dir = -1 };
	int err;

	place_init(&to);
	if (flags & ~(AT_SYMLINK_FOLLOW | AT_EMPTY_PATH))
		return -EINVAL;
	err = source_find(r, from, from_path, flags, &src);
	if (!err)
		err = names_find(r, OP_CREATE, dirfd, path, &to);
	if (err == SUP_CONTINUE && src.obj.root)
		return linked_elsewhere(r, dirfd, &to);
	if (err)
		return err;
	return link_places(r, &src, &to);
}

int sys_linkat(struct request *r)
{
	return make_link(r, (int)r->arg[0], r->arg[1], (int)r->arg[2], r->arg[3], (int)r->arg[4]);
}

int sys_link(struct request *r)
{
	return make_link(r, AT_FDCWD, r->arg[0], AT_FDCWD, r->arg[1], 0);
}

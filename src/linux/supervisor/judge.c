/* SPDX-License-Identifier: Apache-2.0 */
/* Asks the policy, with facts read from the descriptor of the very directory the call
 * will be made in. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "linux/supervisor/git.h"

/* Levels that entry_above() climbs at most: PATH_MAX / 2 would be all there can be. */
#define UP_MAX 64u

struct facts_ctx {
	struct request *r;
	int dir;		 /* the directory; -1: to be opened when it is asked for */
	const struct object *of; /* with dir == -1: the object in it */
	bool repository;	 /* answer as if ".git" were `up` levels above */
	unsigned up;
};

static bool pretended(const struct facts_ctx *f, unsigned up, const char *name)
{
	return f->repository && f->up == up && streq(name, ".git");
}

/* The directory of an object, by name: only facts hang on it, and nobody but us changes
 * names here. */
static int facts_dir(struct facts_ctx *f)
{
	char parent[PATH_MAX];
	const char *base;

	f->r->asked_facts = true;
	if (f->dir < 0 && f->of) {
		base = strrchr(f->of->path, '/') + 1;
		memcpy(parent, f->of->path, (size_t)(base - f->of->path));
		parent[base - f->of->path] = '\0';
		f->dir = open(parent, O_PATH | O_DIRECTORY | O_CLOEXEC);
	}
	return f->dir;
}

static void facts_done(struct facts_ctx *f)
{
	if (f->of)
		close_quietly(f->dir);
}

#define _cleanup_facts_ _cleanup_(facts_done)

static enum file_type type_at(int dir, const char *name)
{
	struct stat st;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return FT_NONE;
	return type_of_mode(st.st_mode);
}

static bool plain_name(const char *name)
{
	return *name && !strchr(name, '/') && strlen(name) <= NAME_MAX;
}

static enum file_type fact_entry(void *ctx, const char *name)
{
	if (pretended(ctx, 0, name))
		return FT_DIR;
	return plain_name(name) ? type_at(facts_dir(ctx), name) : FT_NONE;
}

static enum file_type fact_above(void *ctx, unsigned up, const char *name)
{
	int dir = facts_dir(ctx);
	char path[UP_MAX * 3 + NAME_MAX + 1];
	size_t n = 0;

	if (pretended(ctx, up, name))
		return FT_DIR;
	if (up > UP_MAX || !plain_name(name))
		return FT_NONE;
	for (unsigned i = 0; i < up; i++, n += 3)
		memcpy(path + n, "../", 3);
	memcpy(path + n, name, strlen(name) + 1);
	return type_at(dir, path);
}

static enum file_type fact_below(void *ctx, const char *dir, const char *name)
{
	_cleanup_close_ int fd = -1;
	int parent = facts_dir(ctx);

	if (!plain_name(name) || !plain_name(dir))
		return FT_NONE;
	fd = openat(parent, dir, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? FT_NONE : type_at(fd, name);
}

#define FACTS(context)                                                                     \
	{                                                                                  \
		.entry = fact_entry, .entry_above = fact_above, .entry_below = fact_below, \
		.ctx = (context)                                                           \
	}

/* A path of several pieces: all of them must be allowed. */
static void judge_pieces(struct request *r, const struct place *p, struct file_query q,
			 struct verdict *ret)
{
	char piece[2 * PATH_MAX];
	size_t next = 0;

	q.path = piece;
	do {
		next = deep_piece(p->root, p->deep, next, piece);
		spec_judge(r->sup->spec, &q, ret);
	} while (next && ret->decision == VERDICT_ALLOW);
}

int judge_quiet(struct request *r, enum file_op op, struct place *p, enum file_type type,
		const char *other, struct verdict *ret)
{
	struct facts_ctx ctx = { .r = r, .dir = p->dir };
	const struct dir_facts facts = FACTS(&ctx);
	struct file_query q = {
		.op = op, .path = p->path, .type = type, .facts = &facts, .other = other
	};
	int err;

	*ret = (struct verdict){ .decision = VERDICT_ALLOW, .reason = "" };
	if (p->root->kind == SUP_FREE)
		return 0;
	err = place_path(r, p);
	if (err)
		return err;
	r->asked_facts = false;
	spec_judge(r->sup->spec, &q, ret);
	if (p->deep && ret->decision == VERDICT_ALLOW)
		judge_pieces(r, p, q, ret);
	if (r->asked_facts && !r->exclusive)
		return SUP_AGAIN;
	checkout_judge(r, op, type, ret);
	if (ret->decision == VERDICT_ASK && ask_granted(r, op, p->path))
		ret->decision = VERDICT_ALLOW;
	if (ret->decision == VERDICT_ALLOW)
		return 0;
	return ret->err > 0 ? -ret->err : -EACCES;
}

int judge_place(struct request *r, enum file_op op, struct place *p, enum file_type type,
		const char *other)
{
	struct verdict v;
	int err = judge_quiet(r, op, p, type, other, &v);

	if (err < 0 && v.decision != VERDICT_ALLOW)
		return report_denial(r, op, p->path, &v, NULL, -err);
	return err;
}

int judge_object(struct request *r, enum file_op op, const struct object *o)
{
	_cleanup_facts_ struct facts_ctx ctx = { .r = r, .dir = -1, .of = o };
	const struct dir_facts facts = FACTS(&ctx);
	struct verdict v = { .decision = VERDICT_ALLOW };
	struct file_query q = {
		.op = op, .path = o->path, .type = type_of_mode(o->st.st_mode), .facts = &facts
	};

	if (!o->root || o->unnamed || o->root->kind == SUP_FREE)
		return 0;
	r->asked_facts = false;
	spec_judge(r->sup->spec, &q, &v);
	if (r->asked_facts && !r->exclusive)
		return SUP_AGAIN;
	checkout_judge(r, op, q.type, &v);
	if (v.decision == VERDICT_ALLOW ||
	    (v.decision == VERDICT_ASK && ask_granted(r, op, o->path)))
		return 0;
	return report_denial(r, op, o->path, &v, NULL, v.err > 0 ? v.err : EACCES);
}

/* git_role() and git_is_index(), without what the policy lifted. */
static enum git_role role_in_force(const struct spec *s, const char *path, enum file_type type,
				   const struct dir_facts *facts)
{
	enum git_role role = git_role(path, type, facts);

	if (git_role_lifted(s, role))
		return GIT_NONE;
	/* An index can bring both hooks and configuration into place. */
	if (role == GIT_NONE && git_is_index(path, facts) &&
	    !(git_role_lifted(s, GIT_HOOK) && git_role_lifted(s, GIT_CONFIG)))
		return GIT_INDEX;
	return role;
}

int judge_object_role(struct request *r, const struct object *o, enum git_role *ret)
{
	_cleanup_facts_ struct facts_ctx ctx = { .r = r, .dir = -1, .of = o };
	const struct dir_facts facts = FACTS(&ctx);
	enum git_role role;

	*ret = GIT_NONE;
	if (!o->root || o->unnamed || o->root->kind == SUP_FREE)
		return 0;
	r->asked_facts = false;
	role = role_in_force(r->sup->spec, o->path, type_of_mode(o->st.st_mode), &facts);
	if ((role != GIT_NONE || r->asked_facts) && !r->exclusive)
		return SUP_AGAIN;
	*ret = role;
	return 0;
}

int judge_role(struct request *r, struct place *p, enum file_type type, enum git_role *ret)
{
	struct facts_ctx ctx = { .r = r, .dir = p->dir };
	const struct dir_facts facts = FACTS(&ctx);
	enum git_role role;
	int err;

	*ret = GIT_NONE;
	if (p->root->kind == SUP_FREE)
		return 0;
	err = place_path(r, p);
	if (err)
		return err;
	r->asked_facts = false;
	role = role_in_force(r->sup->spec, p->path, type, &facts);
	if ((role != GIT_NONE || r->asked_facts) && !r->exclusive)
		return SUP_AGAIN;
	*ret = role;
	return 0;
}

bool judge_git_rename(struct request *r, struct place *from, struct place *to, enum file_type type)
{
	struct facts_ctx a = { .r = r, .dir = from->dir }, b = { .r = r, .dir = to->dir };
	const struct dir_facts from_facts = FACTS(&a), to_facts = FACTS(&b);
	const struct spec *spec = r->sup->spec;

	/* A regular file is what its new name makes of it; a directory may hold both kinds. */
	if (type == FT_REG ? git_role_lifted(spec, git_role(to->path, type, &to_facts))
			   : git_role_lifted(spec, GIT_HOOK) && git_role_lifted(spec, GIT_CONFIG))
		return true;
	return git_rename_ok(from->path, &from_facts, to->path, &to_facts, type);
}

bool judge_git_symlink(struct request *r, struct place *p, const char *target)
{
	struct facts_ctx ctx = { .r = r, .dir = p->dir };
	const struct dir_facts facts = FACTS(&ctx);

	return git_symlink_ok(p->path, target, &facts);
}

bool judge_as_repository(struct request *r, enum file_op op, struct place *p, enum file_type type,
			 unsigned up)
{
	struct facts_ctx ctx = { .r = r, .dir = p->dir, .repository = true, .up = up };
	const struct dir_facts facts = FACTS(&ctx);
	struct file_query q = { .op = op, .path = p->path, .type = type, .facts = &facts };
	struct verdict v = { .decision = VERDICT_ALLOW };

	if (p->root->kind == SUP_FREE)
		return true;
	if (place_path(r, p))
		return false;
	spec_judge(r->sup->spec, &q, &v);
	return v.decision == VERDICT_ALLOW;
}

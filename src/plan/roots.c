/* SPDX-License-Identifier: Apache-2.0 */
/* Writable roots, readable trees, and what covers the rest. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/path.h"
#include "plan/build.h"
#include "policy/pattern.h"

/* A root inside another one with the same rights needs no mount of its own:
 * writable roots carry no inner mounts. */
static bool covered(const struct spec *s, size_t i)
{
	for (size_t j = 0; j < s->n_roots; j++)
		if (j != i && s->roots[j].read_only == s->roots[i].read_only &&
		    path_within(s->roots[i].path, s->roots[j].path) &&
		    (j < i || !streq(s->roots[i].path, s->roots[j].path)))
			return true;
	return false;
}

/* The kernel opens or closes execution for a whole mount, and a writable root
 * carries no inner mounts: a grant for a part of it could not be held. */
static int root_exec(struct plan_build *b, const struct writable_root *root, unsigned *flags)
{
	const struct spec *s = b->spec;

	if (!s->exec_deny_writable)
		return 0;
	for (size_t i = 0; i < s->n_rules; i++) {
		const struct rule *rule = s->rules[i];
		_cleanup_free_ char *dir = NULL;

		if (rule->exec != EXEC_ALLOW || pattern_is_relative(rule->pat))
			continue;
		if (pattern_match(rule->pat, root->path))
			return 0;
		dir = pattern_literal_dir(rule->pat);
		if (!dir)
			return err_set(b->err, -ENOMEM, "out of memory");
		if (!path_within(dir, root->path))
			continue;
		err_set(b->err, -EOPNOTSUPP,
			"rule \"%s\" (%s:%u) cannot be held: programs of %s run all or not at all",
			rule->text, rule->origin.file, rule->origin.line, root->path);
		err_fix(b->err, "make %s a writable root of its own (-w), or allow %s as a whole",
			dir, root->path);
		return b->err ? b->err->code : -EOPNOTSUPP;
	}
	*flags |= STEP_NOEXEC;
	return 0;
}

int plan_root(struct plan_build *b, const struct writable_root *root)
{
	const struct spec *s = b->spec;
	unsigned flags = STEP_REC | STEP_SAME;
	struct step *step;
	struct tree *t;
	struct stat st;
	int r;

	if (lstat(root->path, &st) < 0)
		return err_errno(b->err, -errno, "cannot open %s", root->path);
	plan_mkdirs(b, root->path, root->is_file);
	if (root->read_only)
		flags |= STEP_RO;
	r = root_exec(b, root, &flags);
	if (r < 0)
		return r;
	if (S_ISCHR(st.st_mode))
		flags |= STEP_DEVICE;
	step = plan_step(b, root->read_only ? STEP_BIND : plan_bind_op(s, st.st_mode), root->path,
			 root->path, flags, 0);
	if (step) {
		step->dev = st.st_dev;
		step->ino = st.st_ino;
	}
	/* What may be read of it is judged as elsewhere; its mount refuses the rest. */
	if (root->read_only && !s->read_deny)
		return 0;
	t = plan_tree(b, S_ISCHR(st.st_mode) ? TREE_WRITE : TREE_GOVERNED, root->path, true);
	if (t)
		t->is_file = root->is_file;
	return 0;
}

int plan_read(struct plan_build *b, const struct readable_tree *t)
{
	struct stat st;

	if (stat(t->source, &st) < 0)
		return errno == ENOENT ? 0 : err_errno(b->err, -errno, "cannot show %s", t->source);
	plan_mkdirs(b, t->path, !S_ISDIR(st.st_mode));
	plan_step(b, STEP_BIND, t->source, t->path, STEP_RO | STEP_REC | STEP_OPTIONAL, 0);
	return 0;
}

int plan_roots(struct plan_build *b)
{
	const struct spec *s = b->spec;
	int r = 0;

	for (size_t i = 0; r >= 0 && i < s->n_reads; i++)
		r = plan_point(b, POINT_READ, s->reads[i].path, &s->reads[i]);
	for (size_t i = 0; r >= 0 && i < s->n_roots; i++)
		if (!covered(s, i))
			r = plan_point(b, POINT_ROOT, s->roots[i].path, &s->roots[i]);
	return r;
}

bool plan_shown(const struct plan *p, const char *path)
{
	for (size_t i = 0; i < p->n_steps; i++) {
		const struct step *s = &p->steps[i];

		if ((s->op == STEP_BIND || s->op == STEP_OVERLAY) && streq(s->src, s->dst) &&
		    path_within(path, s->dst))
			return true;
	}
	return false;
}

/* A readable tree may be seen under another name than its own. */
static bool in_reads(const struct spec *s, const char *path)
{
	for (size_t i = 0; i < s->n_reads; i++)
		if (path_within(path, s->reads[i].path))
			return true;
	return false;
}

/* What the user cannot read needs no cover: the command is the same user with fewer rights. A
 * mask costs about 20 us of every start. */
bool plan_coverable(const char *path, struct stat *ret)
{
	return lstat(path, ret) == 0 && !S_ISLNK(ret->st_mode) &&
	       faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) == 0;
}

static void mask(struct plan_build *b, const char *path)
{
	struct stat st;

	if ((!plan_shown(b->plan, path) && !in_reads(b->spec, path)) || !plan_coverable(path, &st))
		return;
	plan_step(b, STEP_MASK, NULL, path, STEP_OPTIONAL, S_ISDIR(st.st_mode) ? S_IFDIR : S_IFREG);
}

static bool in_root(const struct spec *s, const char *path)
{
	for (size_t i = 0; i < s->n_roots; i++)
		if (path_within(path, s->roots[i].path))
			return true;
	return false;
}

/* A program that somebody's own rule forbids, outside the writable roots: not even
 * its bytes are there, so that neither ld.so nor a copy gets round the rule. */
int plan_forbidden_programs(const struct spec *s, struct strv *paths, struct berm_err *err)
{
	for (size_t i = 0; i < s->n_rules; i++) {
		const struct rule *rule = s->rules[i];
		_cleanup_free_ char *path = NULL;

		if (rule->exec != EXEC_DENY || rule->layer == LAYER_BUILTIN ||
		    pattern_is_relative(rule->pat) || !pattern_is_literal(rule->pat))
			continue;
		path = pattern_literal_dir(rule->pat);
		if (!path || (!in_root(s, path) && strv_add(paths, path) < 0))
			return err_set(err, -ENOMEM, "out of memory");
	}
	return 0;
}

int plan_masks(struct plan_build *b)
{
	_cleanup_strv_ struct strv programs = { 0 };
	int r = plan_forbidden_programs(b->spec, &programs, b->err);

	if (r < 0)
		return r;
	for (size_t i = 0; i < b->spec->hidden.n; i++)
		mask(b, b->spec->hidden.v[i]);
	for (size_t i = 0; i < programs.n; i++)
		mask(b, programs.v[i]);
	return 0;
}

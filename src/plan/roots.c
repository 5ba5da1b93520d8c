/* SPDX-License-Identifier: Apache-2.0 */
/* Writable roots, readable trees, and what covers the rest.
 *
 * An ancestor of a workspace that lies in a private place could be renamed from
 * inside: the workspace's path, on which rules are judged, would change.
 * Each such ancestor is therefore bound over itself: a mount point cannot be
 * renamed (EBUSY), whoever tries. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/path.h"
#include "plan/build.h"

/* The private tree that path lies in, or NULL. */
static const struct tree *private_above(const struct plan *p, const char *path)
{
	const struct tree *best = NULL;

	for (size_t i = 0; i < p->n_trees; i++) {
		const struct tree *t = &p->trees[i];

		if (t->kind == TREE_FREE && t->is_mount && !streq(t->path, path) &&
		    path_within(path, t->path) && (!best || strlen(t->path) > strlen(best->path)))
			best = t;
	}
	return best;
}

static bool pinned(const struct plan *p, const char *path)
{
	for (size_t i = 0; i < p->n_trees; i++)
		if (p->trees[i].is_mount && streq(p->trees[i].path, path))
			return true;
	return false;
}

static void pin_ancestors(struct plan_build *b, const char *path)
{
	const struct tree *top = private_above(b->plan, path);
	_cleanup_free_ char *part = strdup(path);
	size_t from;

	if (!part || b->failed) {
		b->failed = true;
		return;
	}
	if (!top)
		return;
	from = strlen(top->path);
	for (char *slash = strchr(part + from + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (!pinned(b->plan, part)) {
			plan_step(b, STEP_PIN, NULL, part, 0, 0);
			plan_tree(b, TREE_FREE, part, true);
		}
		*slash = '/';
	}
}

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

static int one_root(struct plan_build *b, const struct writable_root *root)
{
	const struct spec *s = b->spec;
	unsigned flags = STEP_REC | STEP_SAME;
	struct step *step;
	struct tree *t;
	struct stat st;

	if (lstat(root->path, &st) < 0)
		return err_errno(b->err, -errno, "cannot open %s", root->path);
	plan_mkdirs(b, root->path, root->is_file);
	pin_ancestors(b, root->path);
	if (root->read_only)
		flags |= STEP_RO;
	if (s->exec_deny_writable)
		flags |= STEP_NOEXEC;
	if (S_ISCHR(st.st_mode))
		flags |= STEP_DEVICE;
	step = plan_step(b, STEP_BIND, root->path, root->path, flags, 0);
	if (step) {
		step->dev = st.st_dev;
		step->ino = st.st_ino;
	}
	if (root->read_only)
		return 0;
	t = plan_tree(b, S_ISCHR(st.st_mode) ? TREE_WRITE : TREE_GOVERNED, root->path, true);
	if (t)
		t->is_file = root->is_file;
	return 0;
}

static int compare_depth(const void *a, const void *b)
{
	const struct writable_root *const *x = a, *const *y = b;

	return strcmp((*x)->path, (*y)->path);
}

static int one_read(struct plan_build *b, const struct readable_tree *t)
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
	_cleanup_free_ const struct writable_root **order = calloc(s->n_roots + 1, sizeof(*order));
	size_t n = 0;
	int r = 0;

	if (!order)
		return err_set(b->err, -ENOMEM, "out of memory");
	for (size_t i = 0; r >= 0 && i < s->n_reads; i++)
		r = one_read(b, &s->reads[i]);
	for (size_t i = 0; i < s->n_roots; i++)
		if (!covered(s, i))
			order[n++] = &s->roots[i];
	/* In path order a directory comes before what it contains. */
	qsort(order, n, sizeof(*order), compare_depth);
	for (size_t i = 0; r >= 0 && i < n; i++)
		r = one_root(b, order[i]);
	return r;
}

bool plan_shown(const struct plan *p, const char *path)
{
	for (size_t i = 0; i < p->n_steps; i++) {
		const struct step *s = &p->steps[i];

		if (s->op == STEP_BIND && streq(s->src, s->dst) && path_within(path, s->dst))
			return true;
	}
	return false;
}

int plan_masks(struct plan_build *b)
{
	const struct spec *s = b->spec;

	for (size_t i = 0; i < s->hidden.n; i++) {
		const char *path = s->hidden.v[i];
		struct stat st;

		/* What the user cannot read needs no cover: the command is the same user
		 * with fewer rights. A mask costs about 20 us of every start. */
		if (lstat(path, &st) < 0 || S_ISLNK(st.st_mode) || !plan_shown(b->plan, path) ||
		    faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) < 0)
			continue;
		plan_step(b, STEP_MASK, NULL, path, 0, S_ISDIR(st.st_mode) ? S_IFDIR : S_IFREG);
	}
	return 0;
}

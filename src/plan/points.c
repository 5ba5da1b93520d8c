/* SPDX-License-Identifier: Apache-2.0 */
/* Mount points in path order. A mount covers what was mounted below its place
 * before, so a directory's mount must come before those inside it, whatever
 * brought them: a private place, the home, a readable tree, a workspace.
 *
 * An ancestor of a workspace that lies in a private place could be renamed from
 * inside: the workspace's path, on which rules are judged, would change.
 * Each such ancestor is therefore bound over itself: a mount point cannot be
 * renamed (EBUSY), whoever tries. */
#include <stdlib.h>

#include "base/path.h"
#include "plan/build.h"

static int compare_path(const void *a, const void *b)
{
	const struct plan_point *x = a, *y = b;

	return strcmp(x->path, y->path);
}

int plan_point(struct plan_build *b, enum point_kind kind, const char *path, const void *data)
{
	struct plan_point *p;

	for (size_t i = 0; i < b->n_points; i++)
		if (kind == POINT_PIN && streq(b->points[i].path, path))
			return 0;
	p = reallocarray(b->points, b->n_points + 1, sizeof(*p));
	if (!p)
		return err_set(b->err, -ENOMEM, "out of memory");
	b->points = p;
	p = &p[b->n_points];
	*p = (struct plan_point){ .kind = kind, .data = data, .path = strdup(path) };
	if (!p->path)
		return err_set(b->err, -ENOMEM, "out of memory");
	b->n_points++;
	return 0;
}

/* The deepest point that path lies in (readable trees and pins apart: they say
 * nothing about who owns the directory above a workspace). */
static const struct plan_point *point_above(const struct plan_build *b, const char *path)
{
	const struct plan_point *best = NULL;

	for (size_t i = 0; i < b->n_points; i++) {
		const struct plan_point *p = &b->points[i];

		if (p->kind != POINT_PIN && p->kind != POINT_READ && p->kind != POINT_SOCKET &&
		    !streq(p->path, path) && path_within(path, p->path) &&
		    (!best || strlen(p->path) > strlen(best->path)))
			best = p;
	}
	return best;
}

static int pin_ancestors(struct plan_build *b, const char *path)
{
	const struct plan_point *top = point_above(b, path);
	_cleanup_free_ char *part = strdup(path);
	size_t from;
	int r = 0;

	if (!part)
		return err_set(b->err, -ENOMEM, "out of memory");
	/* In a tree of the host the ancestors are read-only: nothing to pin. */
	if (!top || (top->kind != POINT_PRIVATE && top->kind != POINT_HOME))
		return 0;
	from = strlen(top->path);
	for (char *slash = strchr(part + from + 1, '/'); r >= 0 && slash;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		r = plan_point(b, POINT_PIN, part, NULL);
		*slash = '/';
	}
	return r;
}

static int emit_point(struct plan_build *b, const struct plan_point *p)
{
	switch (p->kind) {
	case POINT_PRIVATE:
		plan_mkdirs(b, p->path, false);
		plan_step(b, STEP_PIN, NULL, p->path, plan_exec_flag(b), 0);
		plan_private(b, p->path);
		return 0;
	case POINT_HOME:
	case POINT_HOME_HOST:
		return plan_home_bind(b);
	case POINT_READ:
		return plan_read(b, p->data);
	case POINT_SOCKET:
		return plan_socket(b, p->path);
	case POINT_PIN:
		plan_mkdirs(b, p->path, false);
		plan_step(b, STEP_PIN, NULL, p->path, plan_exec_flag(b), 0);
		plan_tree(b, TREE_FREE, p->path, true);
		return 0;
	case POINT_ROOT:
		return plan_root(b, p->data);
	}
	return -EINVAL;
}

int plan_points(struct plan_build *b)
{
	size_t n = b->n_points;
	int r = 0;

	for (size_t i = 0; r >= 0 && i < n; i++)
		if (b->points[i].kind == POINT_ROOT)
			r = pin_ancestors(b, b->points[i].path);
	if (b->n_points)
		qsort(b->points, b->n_points, sizeof(*b->points), compare_path);
	for (size_t i = 0; r >= 0 && i < b->n_points; i++)
		r = emit_point(b, &b->points[i]);
	return r;
}

void plan_points_free(struct plan_build *b)
{
	for (size_t i = 0; i < b->n_points; i++)
		free(b->points[i].path);
	free(b->points);
}

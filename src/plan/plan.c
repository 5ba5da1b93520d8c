/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/plan.h"

#include "base/path.h"
#include "plan/build.h"

struct step *plan_step(struct plan_build *b, enum step_op op, const char *src, const char *dst,
		       unsigned flags, mode_t mode)
{
	struct plan *p = b->plan;
	struct step *s;

	if (b->failed)
		return NULL;
	if (p->n_steps == b->steps_cap) {
		size_t cap = b->steps_cap ? b->steps_cap * 2 : 64;

		s = reallocarray(p->steps, cap, sizeof(*s));
		if (!s)
			goto fail;
		p->steps = s;
		b->steps_cap = cap;
	}
	s = &p->steps[p->n_steps];
	*s = (struct step){ .op = op, .flags = flags, .mode = mode };
	s->dst = strdup(dst);
	s->src = src ? strdup(src) : NULL;
	p->n_steps++;
	if (s->dst && (s->src || !src))
		return s;
fail:
	b->failed = true;
	return NULL;
}

struct tree *plan_tree(struct plan_build *b, enum tree_kind kind, const char *path, bool is_mount)
{
	struct plan *p = b->plan;
	struct tree *t;

	if (b->failed)
		return NULL;
	if (p->n_trees == b->trees_cap) {
		size_t cap = b->trees_cap ? b->trees_cap * 2 : 32;

		t = reallocarray(p->trees, cap, sizeof(*t));
		if (!t)
			goto fail;
		p->trees = t;
		b->trees_cap = cap;
	}
	t = &p->trees[p->n_trees];
	*t = (struct tree){ .kind = kind, .is_mount = is_mount, .path = strdup(path) };
	if (!t->path)
		goto fail;
	p->n_trees++;
	return t;
fail:
	b->failed = true;
	return NULL;
}

static bool has_step_for(const struct plan *p, const char *dst)
{
	for (size_t i = p->n_steps; i-- > 0;)
		if (streq(p->steps[i].dst, dst))
			return true;
	return false;
}

void plan_mkdirs(struct plan_build *b, const char *path, bool is_file)
{
	_cleanup_free_ char *part = strdup(path);

	if (!part) {
		b->failed = true;
		return;
	}
	for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (!has_step_for(b->plan, part))
			plan_step(b, STEP_DIR, NULL, part, 0, 0755);
		*slash = '/';
	}
	if (!has_step_for(b->plan, part))
		plan_step(b, is_file ? STEP_FILE : STEP_DIR, NULL, part, 0, is_file ? 0644 : 0755);
}

bool plan_root_below(const struct spec *s, const char *dir)
{
	for (size_t i = 0; i < s->n_roots; i++)
		if (path_within(s->roots[i].path, dir) && !streq(s->roots[i].path, dir))
			return true;
	return false;
}

enum step_op plan_bind_op(const struct spec *s, mode_t mode)
{
	if (!s->overlay)
		return STEP_BIND;
	return S_ISDIR(mode) ? STEP_OVERLAY : S_ISREG(mode) ? STEP_COPY : STEP_BIND;
}

unsigned plan_exec_flag(const struct plan_build *b)
{
	return b->spec->exec_deny_writable ? STEP_NOEXEC : 0;
}

void plan_private(struct plan_build *b, const char *path)
{
	plan_tree(b, plan_root_below(b->spec, path) ? TREE_FREE : TREE_NATIVE, path, true);
}

int plan_build(const struct spec *spec, struct plan **ret, struct berm_err *err)
{
	struct plan_build b = { .spec = spec, .err = err };
	int r;

	b.plan = calloc(1, sizeof(*b.plan));
	if (!b.plan)
		return err_set(err, -ENOMEM, "out of memory");
	r = plan_view(&b);
	if (r >= 0)
		r = plan_home(&b);
	if (r >= 0)
		r = plan_roots(&b);
	if (r >= 0)
		r = plan_socket_points(&b);
	if (r >= 0)
		r = plan_points(&b);
	if (r >= 0)
		r = plan_masks(&b);
	if (r >= 0)
		r = plan_sockets(&b);
	if (r >= 0)
		r = plan_hosts(&b);
	if (r >= 0 && b.failed)
		r = err_set(err, -ENOMEM, "out of memory");
	plan_points_free(&b);
	if (r < 0) {
		plan_free(b.plan);
		return r;
	}
	*ret = b.plan;
	return 0;
}

struct plan *plan_fixed(void)
{
	struct plan_build b = { .plan = calloc(1, sizeof(*b.plan)) };

	if (!b.plan)
		return NULL;
	plan_view_fixed(&b);
	if (!b.failed)
		return b.plan;
	plan_free(b.plan);
	return NULL;
}

void plan_free(struct plan *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->n_steps; i++) {
		free(p->steps[i].src);
		free(p->steps[i].dst);
	}
	for (size_t i = 0; i < p->n_trees; i++)
		free(p->trees[i].path);
	for (size_t i = 0; p->envp && p->envp[i]; i++)
		free(p->envp[i]);
	free(p->envp);
	strv_free(&p->shown);
	strv_free(&p->hidden);
	free(p->steps);
	free(p->trees);
	free(p);
}

const char *tree_kind_name(enum tree_kind k)
{
	static const char *const names[] = {
		[TREE_GOVERNED] = "governed", [TREE_FREE] = "free", [TREE_NATIVE] = "native",
		[TREE_WRITE] = "write",	      [TREE_READ] = "read",
	};

	return names[k];
}

void plan_describe(const struct plan *p, size_t i, char *dst, size_t size)
{
	const struct step *s = &p->steps[i];
	const char *ro = s->flags & STEP_RO ? "read-only" : "writable";

	switch (s->op) {
	case STEP_DIR:
		(void)snprintf(dst, size, "make directory %s", s->dst);
		break;
	case STEP_FILE:
		(void)snprintf(dst, size, "make file %s", s->dst);
		break;
	case STEP_SYMLINK:
		(void)snprintf(dst, size, "make symlink %s -> %s", s->dst, s->src);
		break;
	case STEP_BIND:
		if (streq(s->src, s->dst))
			(void)snprintf(dst, size, "show %s %s%s", s->dst, ro,
				       s->flags & STEP_NOEXEC ? ", nothing executable" : "");
		else
			(void)snprintf(dst, size, "show %s at %s %s", s->src, s->dst, ro);
		break;
	case STEP_DEVPTS:
		(void)snprintf(dst, size, "private terminals at %s", s->dst);
		break;
	case STEP_MQUEUE:
		(void)snprintf(dst, size, "private message queues at %s", s->dst);
		break;
	case STEP_PIN:
		(void)snprintf(dst, size, "private place %s", s->dst);
		break;
	case STEP_MASK:
		(void)snprintf(dst, size, "hide %s", s->dst);
		break;
	case STEP_OVERLAY:
	case STEP_COPY:
		(void)snprintf(dst, size, "show a private copy of %s at %s", s->src, s->dst);
		break;
	case STEP_TEXT:
		(void)snprintf(dst, size, "show a %s of the sandbox's own", s->dst);
		break;
	}
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What was learned, in the words of a settings file, and the difference that makes. */
#include "cli/learn.h"

#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "cli/local_write.h"
#include "policy/json.h"
#include "policy/layers.h"
#include "policy/pattern.h"

#define TEXT_MAX (2u * JSON_FILE_MAX)

/* The changes, and the texts that they point to. */
struct changes {
	struct jsonc_change *v;
	size_t n;
	struct strv texts;
	bool tabs; /* the file is indented by them */
};

static void changes_free(struct changes *c)
{
	free(c->v);
	strv_free(&c->texts);
}

/* As a person would write the path: from the project, from the home, or whole. */
static char *key_of(const struct spec *s, const char *path)
{
	const char *root = s->roots[0].path;

	if (path_within(path, root) && !streq(path, root))
		return pattern_escape(path + strlen(root) + 1);
	if (path_within(path, s->user_home) && !streq(path, s->user_home)) {
		_cleanup_free_ char *rest = pattern_escape(path + strlen(s->user_home));

		return rest ? str_printf("~%s", rest) : NULL;
	}
	return pattern_escape(path);
}

static int add(struct changes *c, const struct jsonc_change *what)
{
	struct jsonc_change *v = reallocarray(c->v, c->n + 1, sizeof(*v));

	if (!v)
		return -ENOMEM;
	c->v = v;
	v[c->n++] = *what;
	return 0;
}

/* An empty object or list over two lines, so that what is put into it has lines of its own. */
static int add_container(struct changes *c, const char *above, const char *name, bool list)
{
	static const char *const empty[2][2][2] = {
		{ { "{\n  }", "[\n  ]" }, { "{\n    }", "[\n    ]" } },
		{ { "{\n\t}", "[\n\t]" }, { "{\n\t\t}", "[\n\t\t]" } },
	};
	struct jsonc_change made = { .path = { above }, .name = name, .unless_there = true };

	made.json = empty[c->tabs][above != NULL][list];
	return add(c, &made);
}

static int add_want(struct changes *c, const struct spec *s, const struct want *w)
{
	_cleanup_free_ char *key = w->kind == WANT_HOST ? strdup(w->value) : key_of(s, w->value);
	struct jsonc_change made = { .note = w->why };
	int r = 0;

	if (!key || strv_add(&c->texts, key) < 0)
		return -ENOMEM;
	made.name = c->texts.v[c->texts.n - 1];
	switch (w->kind) {
	case WANT_READ:
	case WANT_WRITE:
		made.path[0] = "files";
		made.value = w->kind == WANT_READ ? "read" : "write";
		r = add_container(c, NULL, "files", false);
		break;
	case WANT_EXEC:
		made.path[0] = "exec";
		made.path[1] = "rules";
		made.value = "allow";
		r = add_container(c, NULL, "exec", false);
		if (r >= 0)
			r = add_container(c, "exec", "rules", false);
		break;
	case WANT_HOST:
		made.path[0] = "network";
		made.path[1] = "allow";
		made.value = made.name;
		made.name = NULL;
		r = add_container(c, NULL, "network", false);
		if (r >= 0)
			r = add_container(c, "network", "allow", true);
		break;
	}
	return r < 0 ? r : add(c, &made);
}

/* old: the file's text. */
static int make_changes(const struct spec *s, const struct learned *l, const char *old,
			struct changes *ret, struct berm_err *err)
{
	int r = 0;

	ret->tabs = strstr(old, "\n\t");
	for (size_t i = 0; r >= 0 && i < l->n_wants; i++)
		if (l->wants[i].state != WANT_DROPPED)
			r = add_want(ret, s, &l->wants[i]);
	return r < 0 ? err_set(err, r, "out of memory") : 0;
}

/* "" when there is none. */
static int read_old(const struct spec *s, char **ret, struct berm_err *err)
{
	size_t len;
	int r = project_read(s->roots[0].path, LOCAL_FILE, ret, &len, err);

	if (r != -ENOENT)
		return r;
	*ret = strdup("");
	return *ret ? 0 : err_set(err, -ENOMEM, "out of memory");
}

int learn_texts(const struct spec *spec, const struct learned *l, char **ret_old, char **ret_new,
		struct berm_err *err)
{
	_cleanup_(changes_free) struct changes c = { 0 };
	_cleanup_free_ char *old = NULL, *now = NULL;
	int r = read_old(spec, &old, err);

	if (r >= 0)
		r = make_changes(spec, l, old, &c, err);
	if (r < 0)
		return r;
	now = strdup(old);
	for (size_t i = 0; now && i < c.n; i++) {
		_cleanup_buf_ struct buf out = BUF_INIT(TEXT_MAX);

		r = jsonc_edit(LOCAL_FILE, now, strlen(now), &c.v[i], &out, err);
		if (r < 0)
			return r;
		free(now);
		now = out.data ? take_ptr(out.data) : strdup("");
	}
	if (!now)
		return err_set(err, -ENOMEM, "out of memory");
	*ret_old = take_ptr(old);
	*ret_new = take_ptr(now);
	return 0;
}

int learn_write(const struct run_opts *o, const struct spec *spec, const struct learned *l,
		struct berm_err *err)
{
	_cleanup_(changes_free) struct changes c = { 0 };
	_cleanup_free_ char *old = NULL;
	struct policy_input in;
	int r = read_old(spec, &old, err);

	if (r >= 0)
		r = make_changes(spec, l, old, &c, err);
	if (r < 0)
		return r;
	run_opts_input(o, NULL, &in);
	in.pretend = false;
	return local_write(&in, spec->roots[0].path, c.v, c.n, err);
}

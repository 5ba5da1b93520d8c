/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/judge.h"

#include <string.h>
#include <sys/stat.h>

#include "base/path.h"
#include "policy/git.h"
#include "policy/secret.h"

static void deny(struct verdict *v, int err, const char *reason)
{
	*v = (struct verdict){ .decision = VERDICT_DENY, .err = err, .reason = reason };
}

/* ---- private places ----------------------------------------------------- */

static bool is_private(const struct spec *spec, const char *path)
{
	struct file_query q = { .op = OP_READ, .path = path, .type = FT_DIR };
	struct verdict v;

	spec_judge(spec, &q, &v);
	return v.decision == VERDICT_ALLOW && streq(v.reason, VERDICT_PRIVATE);
}

static char *parent_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
}

/* Will path, which lies in a private place, be there when the command starts? The
 * private home is kept between runs and can be looked at; the other places begin
 * empty, so that only their tops are there. */
static bool will_exist(const struct spec *spec, const char *path)
{
	_cleanup_free_ char *real = NULL, *parent = NULL;
	struct stat st;

	if (spec->home == HOME_PRIVATE && path_within(path, spec->home_path)) {
		real = str_printf("%s%s", spec->home_source, path + strlen(spec->home_path));
		return streq(path, spec->home_path) || (real && lstat(real, &st) == 0);
	}
	if (streq(path, spec->home_path) || streq(path, "/var/tmp"))
		return true;
	parent = parent_of(path);
	return parent && !is_private(spec, parent);
}

static void judge_private(const struct spec *spec, const struct target *t, struct verdict *v)
{
	bool makes = t->op == OP_CREATE || t->op == OP_WRITE;
	_cleanup_free_ char *parent = parent_of(t->path);
	struct data_entry secret;

	if (t->type != FT_NONE && !makes && secret_place(spec, t->path, &secret))
		deny(v, ENOENT, "a secret of yours (data/secret-paths): it is not there");
	else if (will_exist(spec, t->path))
		v->reason = "in a private place: it is not the host's file of this name";
	else if (makes && parent && (will_exist(spec, parent) || !is_private(spec, parent)))
		v->reason = "made in a private place: it is not the host's file of this name";
	else if (makes)
		deny(v, ENOENT, "a private place is here instead, and its folder is not in it");
	else
		deny(v, ENOENT, "a private place is here instead, and it is not in it");
}

/* ---- git ---------------------------------------------------------------- */

static const struct writable_root *root_of(const struct spec *spec, const char *path)
{
	for (size_t i = 0; i < spec->n_roots; i++)
		if (path_within(path, spec->roots[i].path))
			return &spec->roots[i];
	return NULL;
}

/* As the supervisor treats the role (linux/supervisor/git.c). */
static void judge_git(const struct spec *spec, const struct writable_root *root,
		      const struct target *t, struct verdict *v)
{
	enum git_role role = git_role(t->path, t->type, &t->facts);

	if (role == GIT_NONE || git_role_lifted(spec, role))
		return;
	if (t->op == OP_DELETE) {
		if (role != GIT_MARKER && git_keeps(root->path, t->path))
			deny(v, EACCES, "part of the workspace's own repository");
	} else if (role == GIT_HOOK || role == GIT_MARKER) {
		deny(v, EACCES, git_role_reason(role));
	} else if (git_role_has_content(role) && t->type != FT_REG) {
		deny(v, EACCES, git_role_reason(role));
	} else if (git_role_has_content(role)) {
		v->reason = "a file of git's: allowed while nothing in it makes git run something";
	}
}

void cli_judge(const struct spec *spec, const struct target *t, struct verdict *ret)
{
	struct file_query q = target_query(t);
	const struct writable_root *root = root_of(spec, t->path);

	spec_judge(spec, &q, ret);
	if (ret->decision != VERDICT_ALLOW)
		return;
	if (streq(ret->reason, VERDICT_PRIVATE))
		judge_private(spec, t, ret);
	else if (root && (t->op == OP_CREATE || t->op == OP_WRITE || t->op == OP_DELETE))
		judge_git(spec, root, t, ret);
}

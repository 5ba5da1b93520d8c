/* SPDX-License-Identifier: Apache-2.0 */
#include "policy/rules.h"

#include <string.h>

#include "base/path.h"
#include "base/str.h"
#include "policy/git.h"
#include "policy/secret.h"

/* Nothing on the command line is stronger than a rule there about this very path. */
static bool is_final(const struct rule *r, const char *path)
{
	return r->layer == LAYER_MANAGED || (r->layer == LAYER_CLI && pattern_is_literal(r->pat) &&
					     pattern_literal_len(r->pat) >= strlen(path));
}

/* What is granted outside the writable roots must exist; of what is made or removed,
 * the directory. */
static bool can_exist(const struct file_query *q, bool parent)
{
	if (!parent)
		return q->type != FT_NONE;
	return !q->facts || q->facts->entry(q->facts->ctx, ".") == FT_DIR;
}

/* A denial without a rule, of what the rules allow, is git's: judged by content or
 * place, and opened by name only. */
static bool is_gits(const struct spec *s, const struct file_query *q, const struct verdict *v)
{
	struct verdict by_rule;

	if (v->decision == VERDICT_ALLOW || v->rule || !spec_root_of(s, q->path))
		return false;
	spec_judge(s, q, &by_rule);
	return by_rule.decision == VERDICT_ALLOW;
}

static const char *git_grant(const struct file_query *q)
{
	switch (git_role(q->path, q->type, q->facts)) {
	case GIT_NONE:
	case GIT_DOTGIT:
		return "";
	case GIT_HOOK:
		return "--unprotect git-hooks";
	default:
		return "--unprotect git-config";
	}
}

/* What kind of option would open it, and for which path. */
static const char *option_for(const struct spec *s, const struct file_query *q,
			      const struct verdict *v, bool *ret_parent)
{
	const struct rule *r = v->rule;
	const struct writable_root *root = spec_root_of(s, q->path);
	struct data_entry ignored;

	*ret_parent = false;
	if (v->decision == VERDICT_ALLOW || v->err == EBUSY || v->err == EXDEV ||
	    v->err == ENAMETOOLONG)
		return NULL;
	if (!r && root && root->read_only && q->op != OP_READ && q->op != OP_EXEC)
		return NULL; /* the mode, not a path */
	if (is_gits(s, q, v) || (r && is_final(r, q->path)))
		return NULL;
	if (r && (r->flags & RULE_MANDATORY))
		return r->protects ? "--unprotect" : NULL;
	/* A name that comes or goes outside needs its directory to be writable. */
	*ret_parent = !root && q->op != OP_WRITE && q->op != OP_META && q->op != OP_READ &&
		      q->op != OP_EXEC;
	if (!root && (!can_exist(q, *ret_parent) || secret_place(s, q->path, &ignored)))
		return NULL;
	if (q->op == OP_EXEC)
		return v->err == ENOENT ? "--allow-read" : "--allow-exec";
	return q->op == OP_READ ? "--allow-read" : "--allow-write";
}

static char *path_for(const struct file_query *q, bool parent)
{
	_cleanup_free_ char *dir = NULL;
	size_t n = (size_t)(path_base(q->path) - q->path);

	if (!parent)
		return pattern_escape(q->path);
	if (n <= 1)
		return NULL; /* "/" is never granted */
	dir = strndup(q->path, n - 1);
	return dir ? pattern_escape(dir) : NULL;
}

void spec_grant_value(const struct spec *s, const struct file_query *q, const struct verdict *v,
		      char *dst, size_t size)
{
	_cleanup_free_ char *path = NULL;
	bool parent;

	if (!size)
		return;
	dst[0] = '\0';
	if (!option_for(s, q, v, &parent))
		return;
	path = path_for(q, parent);
	if (path && strlen(path) < size)
		memcpy(dst, path, strlen(path) + 1);
}

static bool shell_plain(const char *s)
{
	return s[strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
			   "_-./:@%+=,")] == '\0';
}

/* 'text', with each ' as '\'' */
static int shell_quote(struct buf *b, const char *s)
{
	if (*s && shell_plain(s))
		return buf_adds(b, s);
	buf_adds(b, "'");
	for (; *s; s++) {
		if (*s == '\'')
			buf_adds(b, "'\\''");
		else
			buf_add(b, s, 1);
	}
	return buf_adds(b, "'");
}

void spec_grant(const struct spec *s, const struct file_query *q, const struct verdict *v,
		char *dst, size_t size)
{
	_cleanup_buf_ struct buf b = BUF_INIT(8 * PATTERN_MAX);
	_cleanup_free_ char *path = NULL;
	const char *option;
	bool parent;

	if (!size)
		return;
	dst[0] = '\0';
	if (is_gits(s, q, v)) {
		(void)snprintf(dst, size, "%s", git_grant(q));
		return;
	}
	option = option_for(s, q, v, &parent);
	if (!option) {
		const struct writable_root *root = spec_root_of(s, q->path);

		/* protected_paths make a root read-only in every mode: nothing helps there */
		if (v->err == EROFS && !v->rule && root && s->mode != MODE_CHAT)
			(void)snprintf(dst, size, "--mode chat");
		return;
	}
	path = path_for(q, parent);
	if (!path)
		return;
	buf_addf(&b, "%s ", option);
	/* A cut-off option would open something else: better none. */
	if (shell_quote(&b, path) == 0 && b.len < size)
		memcpy(dst, b.data, b.len + 1);
}

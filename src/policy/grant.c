/* SPDX-License-Identifier: Apache-2.0 */
#include "policy/rules.h"

#include <string.h>

#include "base/str.h"
#include "policy/git.h"

/* The path as a pattern that matches only itself, and as one shell word. */
static void add_word(struct buf *b, const char *path)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_@%+=:,./-";
	bool quoted = strspn(path, plain) != strlen(path);

	(void)buf_adds(b, quoted ? "'" : "");
	for (const char *p = path; *p; p++) {
		if (strchr("*?[]{}\\", *p) || (*p == ',' && quoted))
			(void)buf_adds(b, "\\");
		if (*p == '\'')
			(void)buf_adds(b, "'\\''");
		else
			(void)buf_add(b, p, 1);
	}
	(void)buf_adds(b, quoted ? "'" : "");
}

/* A denial without a rule of what the rules allow is git's: judged by content or
 * place, and opened by name only. */
static bool is_gits(const struct spec *s, const struct file_query *q, const struct verdict *v)
{
	struct verdict by_rule;

	if (v->rule || !spec_root_of(s, q->path))
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

static const char *option_for(enum file_op op)
{
	switch (op) {
	case OP_EXEC:
		return "--allow-exec ";
	case OP_READ:
		return "--allow-read ";
	default:
		return "--allow-write ";
	}
}

/* What is granted outside the writable roots must exist; a name to be made or removed
 * needs its directory. Nothing when it cannot be granted. What is not shown must be
 * before it can be executed. */
static void outside_grant(struct buf *b, const struct file_query *q)
{
	_cleanup_free_ char *parent = NULL;
	const char *base;

	if (q->type == FT_NONE)
		return;
	if (q->op == OP_READ || q->op == OP_WRITE || q->op == OP_META || q->op == OP_EXEC) {
		(void)buf_adds(b, option_for(q->op == OP_EXEC ? OP_READ : q->op));
		add_word(b, q->path);
		return;
	}
	if (q->facts && q->facts->entry(q->facts->ctx, ".") != FT_DIR)
		return;
	base = strrchr(q->path, '/');
	parent = base ? strndup(q->path, (size_t)(base - q->path)) : NULL;
	if (!parent || !parent[0])
		return;
	(void)buf_adds(b, option_for(q->op));
	add_word(b, parent);
}

/* Nothing on the command line is stronger than a rule there about this very path. */
static bool is_final(const struct rule *r, const char *path)
{
	return r->layer == LAYER_MANAGED || (r->layer == LAYER_CLI && pattern_is_literal(r->pat) &&
					     pattern_literal_len(r->pat) >= strlen(path));
}

static void add_grant(struct buf *b, const struct spec *s, const struct file_query *q,
		      const struct verdict *v)
{
	const struct writable_root *root = spec_root_of(s, q->path);

	if (v->rule && is_final(v->rule, q->path))
		return;
	if (v->rule && (v->rule->flags & RULE_MANDATORY)) {
		if (v->rule->protects)
			(void)buf_addf(b, "--unprotect %s", v->rule->protects);
	} else if (!v->rule && root && root->read_only && v->err == EROFS) {
		(void)buf_adds(b, root->kind == ROOT_WORKSPACE ? "--mode chat" : "");
	} else if (is_gits(s, q, v)) {
		(void)buf_adds(b, git_grant(q));
	} else if (!root && (q->op != OP_EXEC || v->err == ENOENT)) {
		outside_grant(b, q);
	} else {
		(void)buf_adds(b, option_for(q->op));
		add_word(b, q->path);
	}
}

void spec_grant(const struct spec *s, const struct file_query *q, const struct verdict *v,
		char *dst, size_t size)
{
	_cleanup_buf_ struct buf b = BUF_INIT(64u << 10);

	if (size)
		dst[0] = '\0';
	if (!size || v->decision == VERDICT_ALLOW)
		return;
	if (v->err == EBUSY || v->err == EXDEV || v->err == ENAMETOOLONG)
		return;
	add_grant(&b, s, q, v);
	/* Half an option would be another one. */
	if (!b.failed && b.data && b.len < size)
		memcpy(dst, b.data, b.len + 1);
}

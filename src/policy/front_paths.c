/* SPDX-License-Identifier: Apache-2.0 */
/* The two dialects of paths (SPEC C3). In a sandbox block "/p" and "//p" are absolute, "p" and
 * "./p" begin at the settings' root. In a permission rule "//p" is absolute, "/p" begins at the
 * settings' root, "./p" and "a/b" where the agent works, and a bare name is meant at any depth,
 * as in .gitignore. "~/" is the home in both. Neither knows braces. */
#include <string.h>

#include "base/path.h"
#include "base/str.h"
#include "policy/front_impl.h"
#include "policy/pattern.h"

/* Characters that berm's patterns give a meaning and these dialects do not. */
static int add_escaped(struct buf *b, const char *text, bool keep_backslash)
{
	for (; *text; text++) {
		if (*text == '\\' && keep_backslash && text[1]) {
			(void)buf_add(b, text++, 2);
			continue;
		}
		if (strchr("{}\\", *text))
			(void)buf_add(b, "\\", 1);
		(void)buf_add(b, text, 1);
	}
	return b->failed ? -ENOMEM : 0;
}

static char *below(const char *dir, const char *rest, bool keep_backslash)
{
	_cleanup_buf_ struct buf b = BUF_INIT(8u * PATTERN_MAX);
	_cleanup_free_ char *head = pattern_escape(dir);

	if (!head)
		return NULL;
	while (*rest == '/')
		rest++;
	while (rest[0] == '.' && rest[1] == '/')
		for (rest += 2; *rest == '/';)
			rest++;
	if (streq(rest, "."))
		rest = "";
	(void)buf_adds(&b, streq(head, "/") ? "" : head);
	(void)buf_adds(&b, *rest || !b.len ? "/" : "");
	if (add_escaped(&b, rest, keep_backslash) < 0)
		return NULL;
	return take_ptr(b.data);
}

static char *plain(const char *before, const char *text, bool keep_backslash)
{
	_cleanup_buf_ struct buf b = BUF_INIT(8u * PATTERN_MAX);

	(void)buf_adds(&b, before);
	if (add_escaped(&b, text, keep_backslash) < 0 || b.failed)
		return NULL;
	return take_ptr(b.data);
}

static bool is_home(const char *text)
{
	return text[0] == '~' && (text[1] == '/' || !text[1]);
}

char *front_sandbox_pattern(const struct front *f, const char *text, bool literal)
{
	_cleanup_free_ char *path = NULL;

	if (literal) {
		path = is_home(text) ? path_join(f->at->home, text + 1 + (text[1] == '/'))
				     : path_join(f->at->root, text);
		return path ? pattern_escape(path) : NULL;
	}
	if (is_home(text))
		return plain("~/", text + 1 + strspn(text + 1, "/"), false);
	if (text[0] == '/')
		return plain("/", text + strspn(text, "/"), false);
	return below(f->at->root, text, false);
}

char *front_permission_pattern(const struct front *f, const char *text)
{
	const char *slash = strchr(text, '/');

	if (is_home(text))
		return plain("~/", text + 1 + strspn(text + 1, "/"), true);
	if (str_starts(text, "//"))
		return plain("/", text + strspn(text, "/"), true);
	if (text[0] == '/')
		return below(f->at->root, text, true);
	if (str_starts(text, "./"))
		return plain("", text + 2 + strspn(text + 2, "/"), true);
	/* A slash that only ends it does not count. */
	if (!slash || !slash[strspn(slash, "/")])
		return plain("**/", text, true);
	return plain("", text, true);
}

bool front_covers(const struct front *f, const char *pattern, const char *path)
{
	struct berm_err err = { 0 };
	struct pattern *pat = NULL;
	bool hit;

	if (pattern_new(pattern, f->at->root, f->at->home, 0, &pat, &err) < 0)
		return false;
	hit = pattern_match(pat, path);
	pattern_free(pat);
	return hit;
}

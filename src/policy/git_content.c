/* SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/path.h"
#include "base/str.h"
#include "policy/git_config.h"
#include "policy/git_content.h"
#include "policy/git_keys.h"
#include "policy/git_path.h"

/* More entries off the list than this are not compared with the old ones one by one. */
#define UNLISTED_MAX 256

bool git_refuse(const struct git_why *why, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (why->size > 0)
		str_escape(why->dst, why->size, text, strlen(text));
	return false;
}

bool git_in_roots(const struct git_content *c, const char *path)
{
	if (c->root && path_within(path, c->root))
		return true;
	for (size_t i = 0; i < c->n_roots; i++)
		if (path_within(path, c->roots[i]))
			return true;
	return false;
}

bool git_dir_of(const char *path, char *dst, size_t size)
{
	const char *slash = strrchr(path, '/');
	size_t len = slash ? (size_t)(slash - path) : 0;

	if (!slash || path[0] != '/' || len + 2 > size)
		return false;
	if (len == 0)
		len = 1;
	memcpy(dst, path, len);
	dst[len] = '\0';
	return true;
}

static enum git_config_next next_of(struct git_config_reader *r, const char *key)
{
	for (;;) {
		enum git_config_next next = git_config_next(r);

		if (next != GIT_CONFIG_ENTRY || streq(r->key, key))
			return next;
	}
}

/* Every value of the key, in order, must be what it was: the last one wins, some
 * are lists, and dropping one of several can bring another one to life. */
static bool values_unchanged(const struct git_content *c, const char *key)
{
	struct git_config_reader new, old;

	if (!c->old)
		return false;
	git_config_init(&new, c->bytes, c->len);
	git_config_init(&old, c->old, c->old_len);
	for (;;) {
		enum git_config_next a = next_of(&new, key), b = next_of(&old, key);

		if (a != b || a == GIT_CONFIG_BAD)
			return false;
		if (a == GIT_CONFIG_END)
			return true;
		if (new.has_value != old.has_value || new.value_len != old.value_len ||
		    memcmp(new.value, old.value, new.value_len) != 0)
			return false;
	}
}

/* core.worktree, as git writes it for a submodule: where a later checkout puts
 * files. A place outside the roots or inside a git directory would be written by the
 * user's git, with the user's rights. */
static bool worktree_ok(const struct git_content *c, const char *value)
{
	char dir[PATH_MAX], target[PATH_MAX];

	if (value[0] == '/' || !git_dir_of(c->path, dir, sizeof(dir)) ||
	    git_place(dir) != PLACE_MODULE ||
	    !git_resolve(dir, value, strlen(value), target, sizeof(target)))
		return false;
	return git_place(target) == PLACE_OUTSIDE && git_in_roots(c, target);
}

static bool entry_ok(const struct git_content *c, const struct git_config_reader *r)
{
	const char *value = r->has_value ? r->value : NULL;
	const char *sub;
	size_t sub_len;
	enum git_key_kind kind = git_key_kind(r->key, &sub, &sub_len);

	if (sub_len > 0 && !git_sub_ok(sub, sub_len))
		return false;
	if (kind == KEY_WORKTREE)
		return value && worktree_ok(c, value);
	return git_value_ok(kind, value);
}

static bool refuse_entry(const struct git_why *why, const struct git_config_reader *r)
{
	const char *sub;
	size_t sub_len;

	if (git_key_kind(r->key, &sub, &sub_len) == KEY_UNKNOWN)
		return git_refuse(why, "%.200s on line %u %s", r->key, r->entry_line,
				  git_key_danger(r->key));
	return git_refuse(why, "%.200s on line %u has a value that is not allowed", r->key,
			  r->entry_line);
}

/* Both are an error to some git and something else to another. */
static bool bytes_ok(const struct git_content *c, const struct git_why *why)
{
	const char *p = c->bytes, *end = c->bytes + c->len;

	if (memchr(p, '\0', c->len))
		return git_refuse(why, "the file holds a NUL byte");
	while ((p = memchr(p, '\r', (size_t)(end - p)))) {
		p++;
		if (p == end || *p != '\n')
			return git_refuse(why, "the file holds a carriage return in a line");
	}
	return true;
}

bool git_judge_config(const struct git_content *c, const struct git_why *why)
{
	struct git_config_reader r;
	unsigned unlisted = 0;

	if (!bytes_ok(c, why))
		return false;
	git_config_init(&r, c->bytes, c->len);
	for (;;) {
		switch (git_config_next(&r)) {
		case GIT_CONFIG_END:
			return true;
		case GIT_CONFIG_BAD:
			return git_refuse(why, "line %u is not a line of a git configuration",
					  r.entry_line);
		case GIT_CONFIG_ENTRY:
			break;
		}
		if (entry_ok(c, &r))
			continue;
		if (++unlisted > UNLISTED_MAX)
			return git_refuse(why, "too many keys that are not on the list");
		if (!values_unchanged(c, r.key))
			return refuse_entry(why, &r);
	}
}

/* A submodule's name becomes a path below .git/modules. */
static bool module_name_ok(const char *name, size_t len)
{
	const char *end = name + len;

	if (!git_sub_ok(name, len) || name[0] == '/' || memchr(name, '\\', len))
		return false;
	while (name <= end) {
		const char *slash = memchr(name, '/', (size_t)(end - name));
		size_t n = (size_t)((slash ? slash : end) - name);

		if ((n == 2 && memcmp(name, "..", 2) == 0) || git_name(name, n) == NAME_DOTGIT)
			return false;
		name += n + 1;
	}
	return true;
}

static bool module_entry_ok(const struct git_config_reader *r)
{
	const char *name = strrchr(r->key, '.') + 1;
	const char *sub;
	size_t sub_len;

	(void)git_key_kind(r->key, &sub, &sub_len);
	if (!str_starts(r->key, "submodule.") || sub_len == 0 || !module_name_ok(sub, sub_len))
		return false;
	if (!r->has_value)
		return streq(name, "shallow") || streq(name, "fetchrecursesubmodules");
	if (streq(name, "path"))
		return module_name_ok(r->value, r->value_len);
	if (streq(name, "url"))
		return git_value_ok(KEY_URL, r->value);
	if (streq(name, "update"))
		return git_value_ok(KEY_UPDATE, r->value);
	if (streq(name, "branch"))
		return git_value_ok(KEY_REF, r->value);
	/* ignore, shallow, ..., and what other tools keep there; git reads no more. */
	return git_value_ok(KEY_TEXT, r->value);
}

bool git_judge_modules(const struct git_content *c, const struct git_why *why)
{
	struct git_config_reader r;

	if (!bytes_ok(c, why))
		return false;
	git_config_init(&r, c->bytes, c->len);
	for (;;) {
		switch (git_config_next(&r)) {
		case GIT_CONFIG_END:
			return true;
		case GIT_CONFIG_BAD:
			return git_refuse(why, "line %u is not a line of a git configuration",
					  r.entry_line);
		case GIT_CONFIG_ENTRY:
			break;
		}
		if (!module_entry_ok(&r))
			return git_refuse(why, "%.200s on line %u is not allowed in .gitmodules",
					  r.key, r.entry_line);
	}
}

bool git_content_ok(const struct git_content *c, char *reason, size_t size)
{
	const struct git_why why = { reason, size };
	struct git_content known;

	if (size > 0)
		reason[0] = '\0';
	if (!c->bytes) {
		known = *c;
		known.bytes = "";
		known.len = 0;
		c = &known;
	}
	if (c->len > GIT_CONTENT_MAX)
		return git_refuse(&why, "larger than the %u KiB that are looked at",
				  GIT_CONTENT_MAX / 1024);
	if (c->role != GIT_HOOK && c->old && c->old_len == c->len &&
	    memcmp(c->old, c->bytes, c->len) == 0)
		return true;
	switch (c->role) {
	case GIT_NONE:
		return true;
	case GIT_CONFIG:
		return git_judge_config(c, &why);
	case GIT_MODULES:
		return git_judge_modules(c, &why);
	case GIT_POINTER:
		return git_judge_pointer(c, &why);
	case GIT_COMMONDIR:
		return git_judge_commondir(c, &why);
	case GIT_ALTERNATES:
		return git_judge_alternates(c, &why);
	case GIT_ATTRIBUTES:
		return git_judge_attributes(c, &why);
	case GIT_STATE:
		return git_judge_state(c, &why);
	case GIT_HOOK:
		return git_refuse(&why, "a hook is a program that git runs");
	case GIT_DOTGIT:
	case GIT_DIRPART:
		return git_refuse(&why, "a directory of git is replaced by a file");
	case GIT_LINK:
		return git_refuse(&why, "a link among git's files");
	case GIT_MARKER:
		return git_refuse(&why, "this would make the directory a bare repository");
	}
	return git_refuse(&why, "unknown role");
}

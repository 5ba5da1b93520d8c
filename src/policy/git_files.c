/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a git directory that are not in configuration syntax. */
#include <limits.h>
#include <string.h>

#include "base/path.h"
#include "base/str.h"
#include "policy/git_config.h"
#include "policy/git_content.h"
#include "policy/git_keys.h"
#include "policy/git_path.h"

/* Calls ok() for each line; the last one may lack its newline. */
struct lines {
	const char *p, *end;
	const char *line;
	size_t len;
	unsigned number;
};

static struct lines lines_of(const char *bytes, size_t len)
{
	return (struct lines){ .p = bytes, .end = bytes + len };
}

static bool next_line(struct lines *l)
{
	const char *nl;

	if (l->p == l->end)
		return false;
	nl = memchr(l->p, '\n', (size_t)(l->end - l->p));
	l->line = l->p;
	l->len = (size_t)((nl ? nl : l->end) - l->p);
	l->p = nl ? nl + 1 : l->end;
	l->number++;
	return true;
}

static bool has_line(const char *bytes, size_t len, const char *line, size_t line_len)
{
	struct lines l = lines_of(bytes ? bytes : "", bytes ? len : 0);

	while (next_line(&l))
		if (l.len == line_len && memcmp(l.line, line, line_len) == 0)
			return true;
	return false;
}

/* A worktree or submodule may point only to a directory that is judged as a git
 * directory because of its path, whoever makes it and whenever. */
bool git_judge_pointer(const struct git_content *c, const struct git_why *why)
{
	static const char prefix[] = "gitdir: ";
	const size_t skip = sizeof(prefix) - 1;
	char dir[PATH_MAX], target[PATH_MAX];
	enum git_place place;

	if (c->len < skip + 2 || memcmp(c->bytes, prefix, skip) != 0 ||
	    c->bytes[c->len - 1] != '\n' || memchr(c->bytes, '\n', c->len - 1) ||
	    memchr(c->bytes, '\r', c->len))
		return git_refuse(why, "not one line \"gitdir: PATH\"");
	if (!git_dir_of(c->path, dir, sizeof(dir)) ||
	    !git_resolve(dir, c->bytes + skip, c->len - skip - 1, target, sizeof(target)))
		return git_refuse(why, "a path with \"..\" in it, or too long");
	if (!git_in_roots(c, target))
		return git_refuse(why, "%.300s is outside the writable roots", target);
	place = git_place(target);
	if (place != PLACE_WORKTREE && place != PLACE_MODULE)
		return git_refuse(why, "%.300s is not in a .git/worktrees or .git/modules", target);
	return true;
}

/* Only what every linked worktree has: its main repository two levels up. */
bool git_judge_commondir(const struct git_content *c, const struct git_why *why)
{
	char dir[PATH_MAX], up[PATH_MAX];
	enum git_place place;

	if (!git_dir_of(c->path, dir, sizeof(dir)) || !git_dir_of(dir, up, sizeof(up)))
		return git_refuse(why, "path too long");
	place = git_place(dir);
	/* A bare repository has no ".git": git_role() knew it by its entries. */
	if (place != PLACE_WORKTREE &&
	    !(place == PLACE_OUTSIDE && streq(path_base(up), "worktrees")))
		return git_refuse(why, "only a linked worktree has a commondir");
	if (c->len != 6 || memcmp(c->bytes, "../..\n", 6) != 0)
		return git_refuse(why, "not \"../..\"");
	return true;
}

static bool alternate_ok(const struct git_content *c, const char *line, size_t len)
{
	char dir[PATH_MAX], objects[PATH_MAX], target[PATH_MAX], gitdir[PATH_MAX];

	if (!git_dir_of(c->path, dir, sizeof(dir)) || !git_dir_of(dir, objects, sizeof(objects)) ||
	    !git_resolve(objects, line, len, target, sizeof(target)) ||
	    !git_dir_of(target, gitdir, sizeof(gitdir)))
		return false;
	return streq(path_base(target), "objects") && git_place_is_gitdir(git_place(gitdir)) &&
	       git_in_roots(c, target);
}

bool git_judge_alternates(const struct git_content *c, const struct git_why *why)
{
	struct lines l = lines_of(c->bytes, c->len);

	if (c->len > 0 &&
	    git_name(path_base(c->path), strlen(path_base(c->path))) != NAME_ALTERNATES)
		return git_refuse(why, "http-alternates lead to other servers");
	while (next_line(&l)) {
		if (has_line(c->old, c->old_len, l.line, l.len))
			continue;
		if (l.len > 0 && (l.line[0] == '#' || l.line[0] == '"'))
			return git_refuse(why, "line %u is not a plain path", l.number);
		if (!alternate_ok(c, l.line, l.len))
			return git_refuse(why,
					  "line %u does not lead to the objects of a repository in "
					  "the writable roots",
					  l.number);
	}
	return true;
}

static bool contains(const char *line, size_t len, const char *word)
{
	return memmem(line, len, word, strlen(word)) != NULL;
}

/* Anything that could name a driver, wherever on the line and in a macro too: a
 * driver is a program of the user's configuration. */
bool git_judge_attributes(const struct git_content *c, const struct git_why *why)
{
	static const char *const drivers[] = { "filter=", "diff=", "merge=" };
	struct lines l = lines_of(c->bytes, c->len);

	if (c->len && memchr(c->bytes, '\0', c->len))
		return git_refuse(why, "the file holds a NUL byte");
	while (next_line(&l)) {
		if ((l.len > 0 && l.line[0] == '#') || has_line(c->old, c->old_len, l.line, l.len))
			continue;
		for (size_t i = 0; i < ARRAY_SIZE(drivers); i++)
			if (contains(l.line, l.len, drivers[i]))
				return git_refuse(why, "\"%s\" on line %u may run a program",
						  drivers[i], l.number);
	}
	return true;
}

/* "exec CMD" or "x CMD", the only instruction that runs something. */
static bool is_exec(const char *line, size_t len)
{
	size_t i = 0, n;

	while (i < len && (line[i] == ' ' || line[i] == '\t'))
		i++;
	for (n = 0; i + n < len && !strchr(" \t\r", line[i + n]); n++)
		;
	return (n == 1 && line[i] == 'x') || (n == 4 && memcmp(line + i, "exec", 4) == 0);
}

static bool judge_todo(const struct git_content *c, const struct git_why *why)
{
	struct lines l = lines_of(c->bytes, c->len);

	if (c->len && memchr(c->bytes, '\0', c->len))
		return git_refuse(why, "the file holds a NUL byte");
	while (next_line(&l))
		if (is_exec(l.line, l.len))
			return git_refuse(why, "\"exec\" on line %u runs a program", l.number);
	return true;
}

/* An unknown strategy is a program "git-merge-STRATEGY", and slashes are not refused. */
static bool strategy_ok(const char *s, size_t len)
{
	static const char *const known[] = { "recursive", "ort",  "resolve",
					     "octopus",	  "ours", "subtree" };

	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (strlen(known[i]) == len && memcmp(known[i], s, len) == 0)
			return true;
	return false;
}

static bool judge_strategy(const struct git_content *c, const struct git_why *why)
{
	size_t len = c->len;

	while (len > 0 && (c->bytes[len - 1] == '\n' || c->bytes[len - 1] == '\r'))
		len--;
	if (len > 0 && !strategy_ok(c->bytes, len))
		return git_refuse(why, "not one of git's own merge strategies");
	return true;
}

static bool judge_opts(const struct git_content *c, const struct git_why *why)
{
	struct git_config_reader r;

	if (memchr(c->bytes, '\0', c->len))
		return git_refuse(why, "the file holds a NUL byte");
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
		if (!str_starts(r.key, "options."))
			return git_refuse(why, "%.200s on line %u is not an option of a sequence",
					  r.key, r.entry_line);
		if (streq(r.key, "options.strategy") &&
		    (!r.has_value || !strategy_ok(r.value, r.value_len)))
			return git_refuse(why, "line %u: not one of git's own merge strategies",
					  r.entry_line);
	}
}

/* A path of the worktree that git may write to. */
static bool work_path_ok(const char *path, size_t len)
{
	const char *end = path + len;

	if (len == 0 || path[0] == '/')
		return false;
	while (path <= end) {
		const char *slash = memchr(path, '/', (size_t)(end - path));
		size_t n = (size_t)((slash ? slash : end) - path);

		if ((n == 2 && memcmp(path, "..", 2) == 0) || git_name(path, n) == NAME_DOTGIT)
			return false;
		path += n + 1;
	}
	return true;
}

/* ID[.N] TAB PATH NUL ... */
static bool judge_merge_rr(const struct git_content *c, const struct git_why *why)
{
	const char *p = c->bytes, *end = c->bytes + c->len;

	while (p < end) {
		const char *nul = memchr(p, '\0', (size_t)(end - p));
		const char *tab = nul ? memchr(p, '\t', (size_t)(nul - p)) : NULL;

		if (!tab || !work_path_ok(tab + 1, (size_t)(nul - tab - 1)))
			return git_refuse(why, "a path that does not belong to the worktree");
		p = nul + 1;
	}
	return true;
}

/* remotes/ and branches/, where a name is the user's: it may be "todo". */
static bool is_legacy(const char *path)
{
	char dir[PATH_MAX];
	enum git_place place;
	enum git_name name;

	if (!git_dir_of(path, dir, sizeof(dir)))
		return true;
	place = git_place(dir);
	name = git_name(path_base(dir), strlen(path_base(dir)));
	return place == PLACE_LEGACY ||
	       (place == PLACE_OUTSIDE && (name == NAME_REMOTES || name == NAME_BRANCHES));
}

bool git_judge_state(const struct git_content *c, const struct git_why *why)
{
	const char *base = path_base(c->path);

	switch (is_legacy(c->path) ? NAME_OTHER : git_name(base, strlen(base))) {
	case NAME_TODO:
		return judge_todo(c, why);
	case NAME_STRATEGY:
		return judge_strategy(c, why);
	case NAME_OPTS:
		return judge_opts(c, why);
	case NAME_MERGE_RR:
		return judge_merge_rr(c, why);
	default:
		return git_refuse(why, "no git of today writes remotes/ and branches/");
	}
}

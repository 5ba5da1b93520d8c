/* SPDX-License-Identifier: Apache-2.0 */
/* Which paths play a role for some git, and which renames may happen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <limits.h>

#include "policy/git.h"
#include "policy/git_path.h"

/* A file system as a list of absolute paths; "dir" is the parent of the judged path. */
struct world {
	const char *const *paths; /* NULL-terminated */
	char dir[PATH_MAX];
	unsigned asked;
};

static enum file_type entry_above(void *ctx, unsigned up, const char *name)
{
	struct world *w = ctx;
	char path[PATH_MAX * 2];
	size_t len = strlen(w->dir);

	w->asked++;
	for (; up > 0; up--) {
		while (len > 0 && w->dir[len - 1] != '/')
			len--;
		if (len == 0)
			return FT_NONE;
		len--;
	}
	(void)snprintf(path, sizeof(path), "%.*s/%s", (int)len, w->dir, name);
	for (const char *const *p = w->paths; *p; p++)
		if (streq(*p, path))
			return FT_REG;
	return FT_NONE;
}

static enum file_type entry(void *ctx, const char *name)
{
	return entry_above(ctx, 0, name);
}

static enum file_type entry_below(void *ctx, const char *dir, const char *name)
{
	(void)ctx;
	(void)dir;
	(void)name;
	return FT_NONE;
}

static struct dir_facts facts_of(struct world *w, const char *const *paths, const char *path)
{
	const char *slash = strrchr(path, '/');

	w->paths = paths;
	w->asked = 0;
	(void)snprintf(w->dir, sizeof(w->dir), "%.*s", (int)(slash - path), path);
	return (struct dir_facts){ entry, entry_above, entry_below, w };
}

static enum git_role role_in(const char *const *paths, const char *path, enum file_type type)
{
	struct world w;
	struct dir_facts f = facts_of(&w, paths, path);

	return git_role(path, type, &f);
}

struct row {
	const char *path;
	enum file_type type;
	enum git_role role;
};

static void check(const struct row *rows, size_t n, const char *const *paths)
{
	for (size_t i = 0; i < n; i++) {
		enum git_role got = role_in(paths, rows[i].path, rows[i].type);

		if (got != rows[i].role)
			fail_msg("%s (type %d): role %d, wanted %d", rows[i].path, rows[i].type,
				 got, rows[i].role);
	}
}

static const char *const nothing[] = { NULL };

static const struct row by_path[] = {
	{ "/w/.git", FT_DIR, GIT_DOTGIT },
	{ "/w/.git", FT_REG, GIT_POINTER },
	{ "/w/.git", FT_NONE, GIT_POINTER },
	{ "/w/.git", FT_SYMLINK, GIT_POINTER },
	{ "/w/.git", FT_OTHER, GIT_POINTER },
	{ "/w/a/b/.git", FT_DIR, GIT_DOTGIT },
	{ "/w/.gitmodules", FT_REG, GIT_MODULES },
	{ "/w/a/.gitmodules", FT_SYMLINK, GIT_MODULES },
	{ "/w/.git/config", FT_REG, GIT_CONFIG },
	{ "/w/.git/config", FT_SYMLINK, GIT_CONFIG },
	{ "/w/.git/config", FT_DIR, GIT_CONFIG },
	{ "/w/.git/config.worktree", FT_REG, GIT_CONFIG },
	{ "/w/.git/commondir", FT_REG, GIT_COMMONDIR },
	{ "/w/.git/info/attributes", FT_REG, GIT_ATTRIBUTES },
	{ "/w/.git/objects/info/alternates", FT_REG, GIT_ALTERNATES },
	{ "/w/.git/objects/info/http-alternates", FT_REG, GIT_ALTERNATES },
	{ "/w/.git/hooks/pre-commit", FT_REG, GIT_HOOK },
	{ "/w/.git/hooks/pre-commit", FT_SYMLINK, GIT_HOOK },
	{ "/w/.git/hooks/sub", FT_DIR, GIT_HOOK },
	{ "/w/.git/hooks/sub/x", FT_REG, GIT_HOOK },
	{ "/w/.git/hooks/x.sample", FT_SYMLINK, GIT_HOOK },
	{ "/w/.git/hooks/x.sample", FT_DIR, GIT_HOOK },
	{ "/w/.git/hooks/.git", FT_DIR, GIT_DOTGIT },
	{ "/w/.git/hooks", FT_DIR, GIT_DIRPART },
	{ "/w/.git/hooks", FT_SYMLINK, GIT_DIRPART },
	{ "/w/.git/info", FT_DIR, GIT_DIRPART },
	{ "/w/.git/objects", FT_SYMLINK, GIT_DIRPART },
	{ "/w/.git/objects/info", FT_DIR, GIT_DIRPART },
	{ "/w/.git/modules", FT_DIR, GIT_DIRPART },
	{ "/w/.git/worktrees", FT_DIR, GIT_DIRPART },
	{ "/w/.git/modules/a", FT_DIR, GIT_DIRPART },
	{ "/w/.git/modules/a", FT_SYMLINK, GIT_DIRPART },
	{ "/w/.git/modules/a/b", FT_DIR, GIT_DIRPART },
	{ "/w/.git/modules/a/config", FT_REG, GIT_CONFIG },
	{ "/w/.git/modules/a/b/c/config", FT_REG, GIT_CONFIG },
	{ "/w/.git/modules/config/config", FT_REG, GIT_CONFIG },
	{ "/w/.git/modules/config", FT_DIR, GIT_DIRPART },
	{ "/w/.git/modules/a/config", FT_DIR, GIT_DIRPART },
	{ "/w/.git/modules/a/commondir", FT_DIR, GIT_DIRPART },
	{ "/w/.git/modules/a/MERGE_RR", FT_DIR, GIT_DIRPART },
	{ "/w/.git/modules/hooks/config", FT_REG, GIT_CONFIG },
	{ "/w/.git/modules/a/hooks/x", FT_REG, GIT_HOOK },
	{ "/w/.git/modules/a/commondir", FT_REG, GIT_COMMONDIR },
	{ "/w/.git/modules/a/info/attributes", FT_REG, GIT_ATTRIBUTES },
	{ "/w/.git/modules/a/objects/info/alternates", FT_REG, GIT_ALTERNATES },
	{ "/w/.git/modules/a/modules/b/config", FT_REG, GIT_CONFIG },
	{ "/w/.git/modules/a/worktrees/t/config.worktree", FT_REG, GIT_CONFIG },
	{ "/w/.git/worktrees/t", FT_DIR, GIT_DIRPART },
	{ "/w/.git/worktrees/t/config", FT_REG, GIT_CONFIG },
	{ "/w/.git/worktrees/t/config.worktree", FT_REG, GIT_CONFIG },
	{ "/w/.git/worktrees/t/commondir", FT_REG, GIT_COMMONDIR },
	{ "/w/.git/worktrees/t/hooks/x", FT_REG, GIT_HOOK },
	{ "/w/.git/worktrees/t/modules/m/config", FT_REG, GIT_CONFIG },
	{ "/w/.git/worktrees/config/HEAD", FT_REG, GIT_NONE },
	{ "/w/.git/rebase-merge", FT_DIR, GIT_DIRPART },
	{ "/w/.git/rebase-merge/git-rebase-todo", FT_REG, GIT_STATE },
	{ "/w/.git/rebase-merge/strategy", FT_REG, GIT_STATE },
	{ "/w/.git/rebase-apply/strategy", FT_REG, GIT_STATE },
	{ "/w/.git/sequencer/todo", FT_REG, GIT_STATE },
	{ "/w/.git/sequencer/opts", FT_REG, GIT_STATE },
	{ "/w/.git/worktrees/t/rebase-merge/git-rebase-todo", FT_REG, GIT_STATE },
	{ "/w/.git/MERGE_RR", FT_REG, GIT_STATE },
	{ "/w/.git/remotes/origin", FT_REG, GIT_STATE },
	{ "/w/.git/branches/a/b", FT_REG, GIT_STATE },
	{ "/w/.git/branches", FT_DIR, GIT_DIRPART },
	/* A repository anywhere, in refs too. */
	{ "/w/.git/refs/heads/.git/config", FT_REG, GIT_CONFIG },
	{ "/w/.git/refs/.git/hooks/x", FT_REG, GIT_HOOK },
	/* Other spellings of the same names. */
	{ "/w/.GIT/Config", FT_REG, GIT_CONFIG },
	{ "/w/.Git/HOOKS/Pre-Commit", FT_REG, GIT_HOOK },
	{ "/w/git~1/config", FT_REG, GIT_CONFIG },
	{ "/w/GIT~1", FT_DIR, GIT_DOTGIT },
	{ "/w/.git /config", FT_REG, GIT_CONFIG },
	{ "/w/.git./config", FT_REG, GIT_CONFIG },
	{ "/w/.git. . ./config", FT_REG, GIT_CONFIG },
	{ "/w/.git::$INDEX_ALLOCATION/config", FT_REG, GIT_CONFIG },
	{ "/w/.git/config.", FT_REG, GIT_CONFIG },
	{ "/w/.git/config::$DATA", FT_REG, GIT_CONFIG },
	{ "/w/.git/hooks. /x", FT_REG, GIT_HOOK },
	{ "/w/.g\xe2\x80\x8cit/config", FT_REG, GIT_CONFIG },
	{ "/w/\xef\xbb\xbf.git/config", FT_REG, GIT_CONFIG },
	{ "/w/.git\xe2\x80\x8e", FT_DIR, GIT_DOTGIT },
	{ "/w/.gi\xc2\xadt/config", FT_REG, GIT_CONFIG },
	{ "/w/.git/con\xe2\x81\xaa"
	  "fig",
	  FT_REG, GIT_CONFIG },
	{ "/w/.git/hoo\xe2\x84\xaa\xc5\xbf/x", FT_REG, GIT_HOOK },
	{ "/w/.gitmodule\xc5\xbf", FT_REG, GIT_MODULES },
	{ "/w/.GITMODULES ", FT_REG, GIT_MODULES },
	{ "/w/GITMOD~1", FT_REG, GIT_MODULES },
	/* Git's own work, and names that only look alike. */
	{ "/w/.git/HEAD", FT_REG, GIT_NONE },
	{ "/w/.git/config.lock", FT_REG, GIT_NONE },
	{ "/w/.git/index", FT_REG, GIT_NONE },
	{ "/w/.git/description", FT_REG, GIT_NONE },
	{ "/w/.git/hooks/pre-commit.sample", FT_REG, GIT_NONE },
	{ "/w/.git/info/exclude", FT_REG, GIT_NONE },
	{ "/w/.git/info/sparse-checkout", FT_REG, GIT_NONE },
	{ "/w/.git/refs", FT_DIR, GIT_NONE },
	{ "/w/.git/refs/heads/config", FT_REG, GIT_NONE },
	{ "/w/.git/refs/heads/hooks/x", FT_REG, GIT_NONE },
	{ "/w/.git/refs/heads/hooks", FT_DIR, GIT_NONE },
	{ "/w/.git/refs/heads/info/attributes", FT_REG, GIT_NONE },
	{ "/w/.git/refs/remotes/origin/HEAD", FT_REG, GIT_NONE },
	{ "/w/.git/refs/heads/modules/a/config", FT_REG, GIT_NONE },
	{ "/w/.git/logs/refs/heads/config", FT_REG, GIT_NONE },
	{ "/w/.git/logs/HEAD", FT_REG, GIT_NONE },
	{ "/w/.git/logs/refs", FT_DIR, GIT_NONE },
	{ "/w/.git/objects/ab/cdef", FT_REG, GIT_NONE },
	{ "/w/.git/objects/pack/pack-1.pack", FT_REG, GIT_NONE },
	{ "/w/.git/objects/info/commit-graph", FT_REG, GIT_NONE },
	{ "/w/.git/modules/a/refs/heads/config", FT_REG, GIT_NONE },
	{ "/w/.git/modules/a/refs/heads/hooks/x", FT_REG, GIT_NONE },
	{ "/w/.git/modules/a/logs/refs/heads/hooks/x", FT_REG, GIT_NONE },
	{ "/w/.git/modules/a/HEAD", FT_REG, GIT_NONE },
	{ "/w/.git/worktrees/t/HEAD", FT_REG, GIT_NONE },
	{ "/w/.git/worktrees/t/gitdir", FT_REG, GIT_NONE },
	{ "/w/.git/rebase-merge/done", FT_REG, GIT_NONE },
	{ "/w/.git/rebase-merge/author-script", FT_REG, GIT_NONE },
	{ "/w/.git/lfs/objects/ab/cd/x", FT_REG, GIT_NONE },
	{ "/w/.gitignore", FT_REG, GIT_NONE },
	{ "/w/.gitattributes", FT_REG, GIT_NONE },
	{ "/w/.github/config", FT_REG, GIT_NONE },
	{ "/w/.gitx/config", FT_REG, GIT_NONE },
	{ "/w/x.git/config", FT_REG, GIT_NONE },
	{ "/w/git~2/config", FT_REG, GIT_NONE },
	{ "/w/config", FT_REG, GIT_NONE },
	{ "/w/hooks/pre-commit", FT_REG, GIT_NONE },
	{ "/w/src/hooks", FT_DIR, GIT_NONE },
	{ "/w/modules/a", FT_DIR, GIT_NONE },
	{ "/w/HEAD", FT_REG, GIT_NONE },
	{ "/w/objects", FT_DIR, GIT_NONE },
	{ "/w/.git\xff/config", FT_REG, GIT_NONE },
	{ "/w/.git\xe2\x80/config", FT_REG, GIT_NONE },
	{ "/.git", FT_DIR, GIT_DOTGIT },
	{ "/config", FT_REG, GIT_NONE },
	{ "/", FT_DIR, GIT_NONE },
};

static void test_by_path(void **state)
{
	(void)state;
	check(by_path, ARRAY_SIZE(by_path), nothing);
}

/* A bare repository the user has in the workspace, and one of its worktrees. */
static const char *const bare[] = {
	"/w/o/HEAD",
	"/w/o/objects",
	"/w/o/refs",
	"/w/o/worktrees",
	"/w/o/worktrees/t/HEAD",
	"/w/o/worktrees/t/commondir",
	NULL,
};

static const struct row in_bare[] = {
	{ "/w/o/config", FT_REG, GIT_CONFIG },
	{ "/w/o/CONFIG", FT_REG, GIT_CONFIG },
	{ "/w/o/commondir", FT_REG, GIT_COMMONDIR },
	{ "/w/o/hooks/post-receive", FT_REG, GIT_HOOK },
	{ "/w/o/hooks/post-receive.sample", FT_REG, GIT_NONE },
	{ "/w/o/hooks", FT_SYMLINK, GIT_DIRPART },
	{ "/w/o/packed-refs", FT_SYMLINK, GIT_LINK },
	{ "/w/o/logs/HEAD", FT_SYMLINK, GIT_LINK },
	{ "/w/o/logs/refs/heads/main", FT_SYMLINK, GIT_LINK },
	{ "/w/o/worktrees/t/COMMIT_EDITMSG", FT_SYMLINK, GIT_LINK },
	{ "/w/x/logs", FT_SYMLINK, GIT_NONE },
	{ "/w/o/info/attributes", FT_REG, GIT_ATTRIBUTES },
	{ "/w/o/objects/info/alternates", FT_REG, GIT_ALTERNATES },
	{ "/w/o/modules/m/config", FT_REG, GIT_CONFIG },
	{ "/w/o/modules/m/objects/info/alternates", FT_REG, GIT_ALTERNATES },
	{ "/w/o/worktrees/t/config.worktree", FT_REG, GIT_CONFIG },
	{ "/w/o/worktrees/t/commondir", FT_REG, GIT_COMMONDIR },
	{ "/w/o/worktrees/n/commondir", FT_REG, GIT_COMMONDIR },
	{ "/w/o/worktrees/n/hooks/x", FT_REG, GIT_HOOK },
	{ "/w/o/worktrees/n/modules/m/objects/info/alternates", FT_REG, GIT_ALTERNATES },
	{ "/w/o/HEAD", FT_REG, GIT_NONE },
	{ "/w/o/refs/heads/config", FT_REG, GIT_NONE },
	{ "/w/o/refs/heads/hooks/x", FT_REG, GIT_NONE },
	{ "/w/o/objects/ab/cd", FT_REG, GIT_NONE },
	{ "/w/o/worktrees/n/HEAD", FT_REG, GIT_NONE },
	{ "/w/config", FT_REG, GIT_NONE },
};

static void test_in_bare(void **state)
{
	(void)state;
	check(in_bare, ARRAY_SIZE(in_bare), bare);
}

static void expect(const char *const *paths, const char *path, enum file_type type,
		   enum git_role role)
{
	const struct row row = { path, type, role };

	check(&row, 1, paths);
}

/* Whatever comes last completes a bare repository. */
static void test_markers(void **state)
{
	static const char *const no_head[] = { "/w/b/objects", "/w/b/refs", NULL };
	static const char *const no_refs[] = { "/w/b/objects", "/w/b/HEAD", NULL };
	static const char *const no_objects[] = { "/w/b/refs", "/w/b/HEAD", NULL };
	static const char *const head[] = { "/w/b/HEAD", NULL };
	static const char *const common[] = { "/w/b/commondir", NULL };
	static const char *const main_of_worktrees[] = { "/w/b/objects", "/w/b/worktrees", NULL };
	static const char *const in_refs[] = { "/w/.git/refs/b/objects", "/w/.git/refs/b/refs",
					       NULL };
	static const enum file_type types[] = { FT_REG, FT_DIR, FT_SYMLINK, FT_OTHER };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		expect(no_head, "/w/b/HEAD", types[i], GIT_MARKER);
		expect(no_refs, "/w/b/refs", types[i], GIT_MARKER);
		expect(no_objects, "/w/b/objects", types[i], GIT_MARKER);
		expect(head, "/w/b/commondir", types[i], GIT_MARKER);
		expect(common, "/w/b/HEAD", types[i], GIT_MARKER);
		expect(in_refs, "/w/.git/refs/b/HEAD", types[i], GIT_MARKER);
	}
	expect(no_head, "/w/b/head", FT_REG, GIT_MARKER);
	expect(main_of_worktrees, "/w/b/refs", FT_DIR, GIT_MARKER);
	expect(no_head, "/w/b/worktrees", FT_DIR, GIT_MARKER);
	expect(no_refs, "/w/b/config", FT_REG, GIT_NONE);
	expect(no_refs, "/w/b/objects", FT_DIR, GIT_NONE);
	expect(head, "/w/b/refs", FT_DIR, GIT_NONE);
	expect(nothing, "/w/b/HEAD", FT_REG, GIT_NONE);
}

/* Ordinary paths cost no look at the disk. */
static void test_no_questions(void **state)
{
	static const char *const paths[] = {
		"/w/src/main.c",	   "/w/node_modules/x/index.js",
		"/w/src/modules/a.c",	   "/w/README",
		"/w/.git/refs/heads/main", "/w/.git/index.lock",
		"/w/.git/objects/ab/c",	   "/w/.git/modules/a/index.lock",
		"/w/build/info.txt",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		struct world w;
		struct dir_facts f = facts_of(&w, nothing, paths[i]);

		assert_int_equal(git_role(paths[i], FT_REG, &f), GIT_NONE);
		if (w.asked)
			fail_msg("%s asked %u facts", paths[i], w.asked);
	}
}

struct move {
	const char *from, *to;
	enum file_type type;
	bool ok;
};

static const struct move moves[] = {
	/* git's own */
	{ "/w/sub/.git", "/w/.git/modules/sub", FT_DIR, true },
	{ "/w/a/sub/.git", "/w/.git/modules/a/sub", FT_DIR, true },
	{ "/w/m/n/.git", "/w/.git/modules/m/modules/n", FT_DIR, true },
	{ "/w/wt", "/w/wt2", FT_DIR, true },
	{ "/w/sub", "/w/lib/sub", FT_DIR, true },
	{ "/w/.git/config.lock", "/w/.git/config", FT_REG, true },
	{ "/w/.git/refs/heads/a.lock", "/w/.git/refs/heads/a", FT_REG, true },
	{ "/w/.git/logs/refs/heads/a", "/w/.git/logs/refs/.tmp-renamed-log", FT_REG, true },
	{ "/w/.git/refs.new", "/w/.git/refs", FT_DIR, true },
	{ "/w/.git/objects/pack/tmp", "/w/.git/objects/pack/p", FT_REG, true },
	{ "/w/a", "/w/b", FT_SYMLINK, true },
	{ "/w/a", "/w/b", FT_OTHER, true },
	{ "/w/.gitmodules.lock", "/w/.gitmodules", FT_REG, true },
	/* bringing a judged place into being */
	{ "/w/evil", "/w/.git", FT_DIR, false },
	{ "/w/evil", "/w/.GIT", FT_DIR, false },
	{ "/w/a/.git", "/w/b/.git", FT_DIR, false },
	{ "/w/evil", "/w/.git/hooks", FT_DIR, false },
	{ "/w/evil", "/w/.git/modules/x", FT_DIR, false },
	{ "/w/evil", "/w/.git/modules", FT_DIR, false },
	{ "/w/evil", "/w/.git/worktrees/x", FT_DIR, false },
	{ "/w/evil", "/w/.git/info", FT_DIR, false },
	{ "/w/evil", "/w/.git/objects/info", FT_DIR, false },
	{ "/w/evil", "/w/.git/rebase-merge", FT_DIR, false },
	{ "/w/evil", "/w/.git/anything", FT_DIR, false },
	{ "/w/.git/refs/evil", "/w/.git/modules/x", FT_DIR, false },
	{ "/w/.git/refs/evil", "/w/.git/hooks", FT_DIR, false },
	{ "/w/sub/.git", "/w/.git/modules", FT_DIR, false },
	{ "/w/sub/.git", "/w/.git/modules/a/refs", FT_DIR, false },
	{ "/w/sub/.git", "/w/.git/modules/a/hooks", FT_DIR, false },
	{ "/w/sub/.git", "/w/.git/worktrees/a", FT_DIR, false },
	{ "/w/sub/git~1", "/w/.git/modules/a", FT_DIR, false },
	{ "/w/.git/refs/.git", "/w/.git/modules/a", FT_DIR, false },
	{ "/w/evil", "/w/.git/hooks/pre-commit", FT_REG, false },
	{ "/w/.git/hooks/x.sample", "/w/.git/hooks/x", FT_REG, false },
	{ "/w/l", "/w/.git", FT_SYMLINK, false },
	{ "/w/l", "/w/.git/config", FT_SYMLINK, false },
	{ "/w/l", "/w/.git/hooks", FT_SYMLINK, false },
	{ "/w/l", "/w/.gitmodules", FT_SYMLINK, false },
	{ "/w/l", "/w/.git/modules/x", FT_SYMLINK, false },
	{ "/w/f", "/w/.git/config", FT_OTHER, false },
	/* taking one away */
	{ "/w/.git", "/w/git2", FT_DIR, false },
	{ "/w/.git/hooks", "/w/.git/hooks.old", FT_DIR, false },
	{ "/w/.git/modules/a", "/w/.git/modules/b", FT_DIR, false },
	{ "/w/.git/worktrees/a", "/w/x", FT_DIR, false },
};

static void test_moves(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(moves); i++) {
		const struct move *m = &moves[i];
		struct world a, b;
		struct dir_facts from = facts_of(&a, nothing, m->from);
		struct dir_facts to = facts_of(&b, nothing, m->to);

		if (git_rename_ok(m->from, &from, m->to, &to, m->type) != m->ok ||
		    git_rename_ok(m->from, NULL, m->to, NULL, m->type) != m->ok)
			fail_msg("%s -> %s: not %d", m->from, m->to, m->ok);
	}
}

static bool move_in(const char *const *paths, const char *from, const char *to, enum file_type type)
{
	struct world a, b;
	struct dir_facts ff = facts_of(&a, paths, from), tf = facts_of(&b, paths, to);

	return git_rename_ok(from, &ff, to, &tf, type);
}

static void test_moves_by_facts(void **state)
{
	static const char *const half[] = { "/w/b/HEAD", "/w/b/objects", NULL };

	(void)state;
	assert_false(move_in(bare, "/w/evil", "/w/o/hooks", FT_DIR));
	assert_false(move_in(bare, "/w/o/hooks", "/w/x", FT_DIR));
	assert_false(move_in(bare, "/w/evil", "/w/o/hooks/update", FT_REG));
	assert_true(move_in(bare, "/w/o", "/w/p", FT_DIR));
	assert_false(move_in(half, "/w/x", "/w/b/refs", FT_DIR));
	assert_false(move_in(half, "/w/x", "/w/b/refs", FT_REG));
	assert_true(move_in(half, "/w/x", "/w/b/config", FT_REG));
}

static void test_symlinks(void **state)
{
	static const struct {
		bool ok;
		const char *path, *target;
	} rows[] = {
		{ true, "/w/a", "/anywhere" },
		{ true, "/w/.git/tAbC123", "testing" },
		{ true, "/w/.git/modules/a/tAbC123", "testing" },
		{ true, "/w/.git/HEAD", "refs/heads/main" },
		{ true, "/w/logs/HEAD", "/anywhere" },
		{ false, "/w/.git/HEAD", "refs/../config" },
		{ false, "/w/.git/HEAD", "config" },
		{ false, "/w/.git/logs", "/home" },
		{ false, "/w/.git/logs/HEAD", "/home/x/.bashrc" },
		{ false, "/w/.git/logs/refs/heads/main", "../../../../../x" },
		{ false, "/w/.git/MERGE_MSG", "config" },
		{ false, "/w/.git/COMMIT_EDITMSG", "hooks/pre-commit" },
		{ false, "/w/.git/packed-refs", "/home/x/.profile" },
		{ false, "/w/.git/worktrees/t/FETCH_HEAD", "../../config" },
		{ false, "/w/.git/modules/a/objects/x", "/home" },
		{ false, "/w/sub/.GIT/logs/HEAD", "x" },
		{ true, "/w/.git/worktrees/t/modules/a/b/tabcdef", "testing" },
		{ false, "/w/.git/modules/a/tAbC123", "refs" },
		{ false, "/w/.git/modules/a/tAbC123", "/w/evil" },
		{ false, "/w/.git/modules/a/tAbC123", "testing/" },
		{ false, "/w/.git/modules/a/module", "testing" },
		{ false, "/w/.git/modules/a/hooks", "testing" },
		{ false, "/w/.git/modules/tAbC123", "testing" },
		{ false, "/w/.git/worktrees/tAbC123", "testing" },
		{ false, "/w/.git/hooks/tAbC123", "testing" },
		{ false, "/w/.git", "testing" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (git_symlink_ok(rows[i].path, rows[i].target, NULL) != rows[i].ok)
			fail_msg("%s -> %s", rows[i].path, rows[i].target);
	assert_false(git_symlink_ok("/w/.gitmodules", "testing", NULL));
}

static void test_resolve(void **state)
{
	char got[64];
	static const struct {
		const char *path, *want;
	} rows[] = {
		{ "../.git/modules/x", "/w/.git/modules/x" },
		{ "./../../a", "/a" },
		{ "../../../a", NULL },
		{ "..", "/w" },
		{ "../..", "/" },
		{ ".", "/w/sub" },
		{ "/x//y/./z/", "/x/y/z" },
		{ "/", "/" },
		{ "a/../b", NULL },
		{ "/a/../b", NULL },
		{ "..a/b", "/w/sub/..a/b" },
		{ "", NULL },
		{ "0123456789012345678901234567890123456789012345678901234567890", NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		bool ok =
			git_resolve("/w/sub", rows[i].path, strlen(rows[i].path), got, sizeof(got));

		if (ok != (rows[i].want != NULL) || (ok && !streq(got, rows[i].want)))
			fail_msg("%s -> %s", rows[i].path, ok ? got : "refused");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_path),	 cmocka_unit_test(test_in_bare),
		cmocka_unit_test(test_markers),	 cmocka_unit_test(test_no_questions),
		cmocka_unit_test(test_moves),	 cmocka_unit_test(test_moves_by_facts),
		cmocka_unit_test(test_symlinks), cmocka_unit_test(test_resolve),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

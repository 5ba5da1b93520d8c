/* SPDX-License-Identifier: Apache-2.0 */
/* Pointers, commondir, alternates, attributes and the state of operations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "policy/git.h"

struct row {
	bool ok;
	enum git_role role;
	const char *path;
	const char *bytes;
	size_t len; /* 0: strlen */
	const char *old;
};

#define BYTES(s) .bytes = (s), .len = sizeof(s) - 1

static const char *const more_roots[] = { "/main/.git", "/other" };

static void check(const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct row *r = &rows[i];
		const struct git_content c = {
			.role = r->role,
			.path = r->path,
			.root = "/w",
			.old = r->old,
			.old_len = r->old ? strlen(r->old) : 0,
			.bytes = r->bytes,
			.len = r->len ? r->len : strlen(r->bytes),
			.roots = more_roots,
			.n_roots = ARRAY_SIZE(more_roots),
		};
		char reason[256];

		if (git_content_ok(&c, reason, sizeof(reason)) != r->ok)
			fail_msg("%s: %s: not %d: %s", r->path, r->bytes, r->ok, reason);
		if (!r->ok && reason[0] == '\0')
			fail_msg("%s: no reason", r->path);
	}
}

static void test_pointer(void **state)
{
	static const char self[] = "gitdir: .bare\n";
	static const struct row rows[] = {
		{ true, GIT_POINTER, "/w/t/.git", "gitdir: /w/super/.git/worktrees/t\n" },
		{ true, GIT_POINTER, "/w/libs/a/.git", "gitdir: ../../.git/modules/libs/a\n" },
		{ true, GIT_POINTER, "/w/a/.git", "gitdir: ../.git/modules/config\n" },
		{ true, GIT_POINTER, "/w/a/n/.git", "gitdir: ../../.git/modules/a/modules/n\n" },
		{ true, GIT_POINTER, "/w/a/.git", "gitdir: ../m/.git/worktrees/t/modules/a\n" },
		{ true, GIT_POINTER, "/w/a/.git", "gitdir: /main/.git/worktrees/t/modules/a\n" },
		{ true, GIT_POINTER, "/w/.git", "gitdir: /main/.git/worktrees/t\n" },
		{ true, GIT_POINTER, "/w/.git", self, .old = self },
		{ false, GIT_POINTER, "/w/.git", "" },
		{ false, GIT_POINTER, "/w/.git", "\n" },
		{ false, GIT_POINTER, "/w/.git", self },
		{ false, GIT_POINTER, "/w/a/.git", "gitdir: ../.git/modules/a" },
		{ false, GIT_POINTER, "/w/a/.git", "gitdir: ../.git/modules/a\r\n" },
		{ false, GIT_POINTER, "/w/a/.git", "gitdir: ../.git/modules/a\nx\n" },
		{ false, GIT_POINTER, "/w/a/.git", "gitdir: ../.git/modules/a\n\n" },
		{ false, GIT_POINTER, "/w/a/.git", "gitdir:../.git/modules/a\n" },
		{ false, GIT_POINTER, "/w/a/.git", "GITDIR: ../.git/modules/a\n" },
		{ false, GIT_POINTER, "/w/a/.git", BYTES("gitdir: ../.git/modules/a\0\n") },
		{ false, GIT_POINTER, "/w/a/.git", "gitdir: ../evil\n" },
		{ false, GIT_POINTER, "/w/a/.git", "gitdir: evil/modules/x\n" },
		{ false, GIT_POINTER, "/w/a/.git", "gitdir: ../.git\n" },
		{ false, GIT_POINTER, "/w/a/.git", "gitdir: ../.git/modules\n" },
		{ false, GIT_POINTER, "/w/a/.git", "gitdir: ../.git/worktrees\n" },
		/* what is not judged there must not be found from here */
		{ false, GIT_POINTER, "/w/a/.git", "gitdir: ../.git/refs/heads/x\n" },
		{ false, GIT_POINTER, "/w/a/.git", "gitdir: ../.git/modules/a/refs/x\n" },
		{ false, GIT_POINTER, "/w/a/.git", "gitdir: ../.git/modules/a/logs/x\n" },
		{ false, GIT_POINTER, "/w/a/.git", "gitdir: ../.git/modules/a/objects/x\n" },
		{ false, GIT_POINTER, "/w/a/.git", "gitdir: ../.git/modules/a/hooks\n" },
		{ false, GIT_POINTER, "/w/a/.git", "gitdir: ../.git/worktrees/t/refs\n" },
		{ false, GIT_POINTER, "/w/a/.git", "gitdir: ../.git/modules/../evil\n" },
		{ false, GIT_POINTER, "/w/a/.git", "gitdir: ../x/../.git/modules/a\n" },
		{ false, GIT_POINTER, "/w/a/.git", "gitdir: ../../tmp/.git/modules/a\n" },
		{ false, GIT_POINTER, "/w/a/.git", "gitdir: /tmp/.git/modules/a\n" },
		{ false, GIT_POINTER, "/w/a/.git", "gitdir: /w2/.git/modules/a\n" },
	};

	(void)state;
	check(rows, ARRAY_SIZE(rows));
}

static void test_commondir(void **state)
{
	static const struct row rows[] = {
		{ true, GIT_COMMONDIR, "/w/.git/worktrees/t/commondir", "../..\n" },
		{ true, GIT_COMMONDIR, "/w/.git/modules/a/worktrees/t/commondir", "../..\n" },
		{ true, GIT_COMMONDIR, "/w/bare/worktrees/t/commondir", "../..\n" },
		{ false, GIT_COMMONDIR, "/w/.git/worktrees/t/commondir", "" },
		{ false, GIT_COMMONDIR, "/w/.git/worktrees/t/commondir", "../.." },
		{ false, GIT_COMMONDIR, "/w/.git/worktrees/t/commondir", "../../\n" },
		{ false, GIT_COMMONDIR, "/w/.git/worktrees/t/commondir", "../../..\n" },
		{ false, GIT_COMMONDIR, "/w/.git/worktrees/t/commondir", "../../x\n" },
		{ false, GIT_COMMONDIR, "/w/.git/worktrees/t/commondir", "/w/evil\n" },
		{ false, GIT_COMMONDIR, "/w/.git/worktrees/t/commondir", BYTES("../..\0") },
		{ false, GIT_COMMONDIR, "/w/.git/commondir", "../..\n" },
		{ false, GIT_COMMONDIR, "/w/.git/modules/a/commondir", "../..\n" },
		{ false, GIT_COMMONDIR, "/w/.git/modules/worktrees/t/commondir", "../..\n" },
		{ false, GIT_COMMONDIR, "/w/bare/commondir", "../..\n" },
		{ false, GIT_COMMONDIR, "/w/x/y/commondir", "../..\n" },
	};

	(void)state;
	check(rows, ARRAY_SIZE(rows));
}

static void test_alternates(void **state)
{
	static const char at[] = "/w/b/.git/objects/info/alternates";
	static const char bare_at[] = "/w/o/objects/info/alternates";
	static const char old[] = "/srv/x.git/objects\n";
	static const struct row rows[] = {
		{ true, GIT_ALTERNATES, at, "" },
		{ true, GIT_ALTERNATES, at, "/w/a/.git/objects\n" },
		{ true, GIT_ALTERNATES, at, "/w/a/.git/objects" },
		{ true, GIT_ALTERNATES, at, "../../../a/.git/objects\n/other/.git/objects\n" },
		{ true, GIT_ALTERNATES, at, "/w/a/.git/modules/m/objects\n" },
		{ true, GIT_ALTERNATES, bare_at, "../../a/.git/objects\n" },
		{ true, GIT_ALTERNATES, at, "/srv/x.git/objects\n/w/a/.git/objects\n", .old = old },
		{ false, GIT_ALTERNATES, at, "/srv/x.git/objects\n" },
		{ false, GIT_ALTERNATES, at, "/srv/y.git/objects\n", .old = old },
		{ false, GIT_ALTERNATES, at, "/w/evil/objects\n" },
		{ false, GIT_ALTERNATES, at, "/w/a/.git/refs\n" },
		{ false, GIT_ALTERNATES, at, "/w/a/.git/refs/objects\n" },
		{ false, GIT_ALTERNATES, at, "../../../../a/.git/objects\n" },
		{ false, GIT_ALTERNATES, at, "\"/w/a/.git/objects\"\n" },
		{ false, GIT_ALTERNATES, at, "# x\n" },
		{ false, GIT_ALTERNATES, at, "\n" },
		{ false, GIT_ALTERNATES, at, "/w/a/.git/objects\n/tmp/.git/objects\n" },
		{ false, GIT_ALTERNATES, at, BYTES("/w/a/.git/objects\0\n") },
		{ true, GIT_ALTERNATES, "/w/.git/objects/info/http-alternates", "" },
		{ false, GIT_ALTERNATES, "/w/.git/objects/info/http-alternates",
		  "/w/a/.git/objects\n" },
	};

	(void)state;
	check(rows, ARRAY_SIZE(rows));
}

static void test_attributes(void **state)
{
	static const char at[] = "/w/.git/info/attributes";
	static const struct row rows[] = {
		{ true, GIT_ATTRIBUTES, at, "" },
		{ true, GIT_ATTRIBUTES, at,
		  "* text=auto eol=lf\n*.png binary\n*.x -diff !merge\n" },
		{ true, GIT_ATTRIBUTES, at,
		  "# filter=x\n*.c whitespace=tab-in-indent export-ignore" },
		{ true, GIT_ATTRIBUTES, at, "*.z filter=lfs diff=lfs -text\n*.a -text\n",
		  .old = "*.z filter=lfs diff=lfs -text\n" },
		{ false, GIT_ATTRIBUTES, at, "*.a filter=lfs\n", .old = "*.z filter=lfs\n" },
		{ false, GIT_ATTRIBUTES, at, "* filter=x\n" },
		{ false, GIT_ATTRIBUTES, at, "*.c text\n* text diff=x" },
		{ false, GIT_ATTRIBUTES, at, "*\tmerge=x\n" },
		{ false, GIT_ATTRIBUTES, at, "[attr]m filter=x\n* m\n" },
		{ false, GIT_ATTRIBUTES, at, "\"a b\" filter=x\n" },
		{ false, GIT_ATTRIBUTES, at, "  # diff=x\n" },
		{ false, GIT_ATTRIBUTES, at, BYTES("*.c text\0filter=x\n") },
	};

	(void)state;
	check(rows, ARRAY_SIZE(rows));
}

static void test_state(void **state)
{
	static const char todo[] = "/w/.git/rebase-merge/git-rebase-todo";
	static const char strategy[] = "/w/.git/rebase-merge/strategy";
	static const char opts[] = "/w/.git/sequencer/opts";
	static const char rr[] = "/w/.git/MERGE_RR";
	static const struct row rows[] = {
		{ true, GIT_STATE, todo, "" },
		{ true, GIT_STATE, todo,
		  "pick 1234 x\nfixup -C 12 exec x\n# exec x\nlabel x\nxpick\nexecute\n"
		  "merge -C 12 x # x\nbreak\n\nupdate-ref refs/heads/x\n" },
		{ true, GIT_STATE, "/w/.git/sequencer/todo", "pick 12 x\n" },
		{ false, GIT_STATE, todo, "pick 12 a\nexec make\n" },
		{ false, GIT_STATE, todo, "x make" },
		{ false, GIT_STATE, todo, " \texec\tmake\n" },
		{ false, GIT_STATE, todo, "x\r\n" },
		{ false, GIT_STATE, todo, "exec" },
		{ false, GIT_STATE, todo, BYTES("pick 12 a\0\nexec x\n") },
		{ false, GIT_STATE, todo, BYTES("pick\0x\n") },
		{ true, GIT_STATE, strategy, "" },
		{ true, GIT_STATE, strategy, "ort\n" },
		{ true, GIT_STATE, strategy, "recursive" },
		{ false, GIT_STATE, strategy, "x/evil\n" },
		{ false, GIT_STATE, strategy, "ort x\n" },
		{ false, GIT_STATE, strategy, "ort\nx\n" },
		{ false, GIT_STATE, "/w/.git/rebase-apply/strategy", "evil\n" },
		{ true, GIT_STATE, opts, "[options]\n\tedit = true\n\tstrategy = ort\n" },
		{ true, GIT_STATE, opts, "[options]\n\tstrategy-option = ours\n\tmainline = 1\n" },
		{ false, GIT_STATE, opts, "[options]\n\tstrategy = x/evil\n" },
		{ false, GIT_STATE, opts, "[Options]\n\tStrategy = x/evil\n" },
		{ false, GIT_STATE, opts, "[options]\n\tstrategy\n" },
		{ false, GIT_STATE, opts, "[core]\n\tfsmonitor = x\n" },
		{ false, GIT_STATE, opts, "[options\n" },
		{ true, GIT_STATE, rr, "" },
		{ true, GIT_STATE, rr,
		  BYTES("0123\ta/b\0"
			"456.1\tc\0") },
		{ false, GIT_STATE, rr, BYTES("0123\t.git/config\0") },
		{ false, GIT_STATE, rr,
		  BYTES("0123\ta\0"
			"456\tsub/.GIT/hooks/x\0") },
		{ false, GIT_STATE, rr, BYTES("0123\t../x\0") },
		{ false, GIT_STATE, rr, BYTES("0123\t/etc/x\0") },
		{ false, GIT_STATE, rr, "0123\ta" },
		{ false, GIT_STATE, rr, BYTES("0123\0") },
		{ false, GIT_STATE, "/w/.git/remotes/origin", "URL: /w/a\n" },
		{ false, GIT_STATE, "/w/.git/remotes/todo", "URL: ext::x\n" },
		{ false, GIT_STATE, "/w/.git/branches/a/strategy", "ort\n" },
		{ false, GIT_STATE, "/w/bare/branches/todo", "URL: /w/a\n" },
	};

	(void)state;
	check(rows, ARRAY_SIZE(rows));
}

/* Roles that have no content anyone may put there. */
static void test_never(void **state)
{
	static const struct row rows[] = {
		{ false, GIT_HOOK, "/w/.git/hooks/pre-commit", "" },
		{ false, GIT_HOOK, "/w/.git/hooks/pre-commit", "#!/bin/sh\n",
		  .old = "#!/bin/sh\n" },
		{ false, GIT_MARKER, "/w/b/HEAD", "ref: refs/heads/main\n" },
		{ false, GIT_DOTGIT, "/w/.git", "" },
		{ false, GIT_DIRPART, "/w/.git/hooks", "" },
		{ false, (enum git_role)99, "/w/x", "" },
		{ true, GIT_NONE, "/w/x", "anything" },
	};

	(void)state;
	check(rows, ARRAY_SIZE(rows));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pointer),	   cmocka_unit_test(test_commondir),
		cmocka_unit_test(test_alternates), cmocka_unit_test(test_attributes),
		cmocka_unit_test(test_state),	   cmocka_unit_test(test_never),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

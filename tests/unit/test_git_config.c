/* SPDX-License-Identifier: Apache-2.0 */
/* git's configuration files: what git writes passes, what runs a program does not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "policy/data.h"
#include "policy/git.h"
#include "policy/git_config.h"
#include "policy/git_keys.h"

#define WS "/w"

static bool judge(enum git_role role, const char *path, const char *old, const char *bytes,
		  size_t len, char *reason, size_t size)
{
	const struct git_content c = {
		.role = role,
		.path = path,
		.root = WS,
		.old = old,
		.old_len = old ? strlen(old) : 0,
		.bytes = bytes,
		.len = len,
	};

	return git_content_ok(&c, reason, size);
}

static void expect(bool ok, enum git_role role, const char *path, const char *old,
		   const char *bytes)
{
	char reason[256];

	if (judge(role, path, old, bytes, strlen(bytes), reason, sizeof(reason)) != ok)
		fail_msg("%s: %s: %s", bytes, ok ? "refused" : "allowed", reason);
	if (!ok && reason[0] == '\0')
		fail_msg("%s: no reason", bytes);
}

/* As git 2.39 left them after: init, clone --shared, submodule add, worktree add,
 * sparse-checkout set, branch --edit-description, push -u, remote add. */
#define CORE                                                                         \
	"[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n" \
	"\tlogallrefupdates = true\n"

static const char *const by_git[] = {
	"",
	CORE,
	CORE "[user]\n\tname = A B\n\temail = a@b.c\n",
	CORE "[remote \"origin\"]\n\turl = /w/a\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n"
	     "[branch \"main\"]\n\tremote = origin\n\tmerge = refs/heads/main\n",
	CORE "[submodule \"libs/a\"]\n\turl = /w/a\n\tactive = true\n"
	     "[extensions]\n\tworktreeConfig = true\n"
	     "[branch \"main\"]\n\tdescription = two\\nlines\n"
	     "[branch \"master\"]\n\tremote = ../origin.git\n\tmerge = refs/heads/main\n",
	"[core]\n\tsparseCheckout = true\n\tsparseCheckoutCone = true\n",
	"[core]\n\trepositoryformatversion = 1\n[extensions]\n\tpartialClone = origin\n"
	"[remote \"origin\"]\n\tpromisor = true\n\tpartialclonefilter = blob:none\n",
	"[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectformat = sha256\n"
	"\trefstorage = reftable\n",
	"[lfs]\n\trepositoryformatversion = 0\n",
	"[branch \"x\"]\n\tvscode-merge-base = origin/main\n\tgithub-pr-owner-number = \"o#r#1\"\n",
	"[rerere]\n\tenabled\n[pull]\n\trebase = false\n[tag]\n\tsort = -creatordate\n",
	"[core]\r\n\tbare = false\r\n",
	"[core]\r\n\tbare = fal\\\r\nse\r\n",
	"\xef\xbb\xbf[core]\n\tbare = false\n",
	"; a comment\n# [alias] x = !y\n[core] bare = false ; [alias]\n",
	"[core]fsmonitor=false\n",
	"[CORE]\n\tFileMode = FALSE",
	"[color \"diff\"]\n\tmeta = \"#ff0000 bold\"\n[color]\n\tui = auto\n",
	"[remote \"o\"]\n\turl = git@host.example:a/b.git\n\tpushurl = ssh://u@h:22/a\n"
	"\ttagOpt = --no-tags\n\tpush = +HEAD:refs/x\n",
	"[remote \"o\"]\n\turl = https://[::1]:8080/a\n\turl = [::1]:a\n\turl = file:///srv/a\n"
	"\turl = ../a\n\turl = ssh://git@[fe80::1]/a\n\turl = h-o:a/b\n",
	"[gc]\n\tauto = 0\n[versionsort]\n\tsuffix = -rc\n[core]\n\twhitespace = -blank-at-eol\n",
	"[gpg]\n\tformat = ssh\n[user]\n\tsigningkey = ~/.ssh/id.pub\n[commit]\n\tgpgsign = true\n",
	"[maintenance]\n\tauto = false\n\tstrategy = incremental\n"
	"[maintenance \"gc\"]\n\tenabled = false\n",
	"[submodule \"a\"]\n\tupdate = rebase\n\tbranch = main\n",
};

/* Each is a way to start a program from a repository's configuration, or to point a
 * git at something that does. */
static const char *const dangerous[] = {
	"[core]\n\tfsmonitor = x\n",
	"[core]\n\tfsmonitor = true\n",
	"[core]\n\tfsmonitor\n",
	"[core]fsmonitor=x",
	"[core] fsmonitor = x ; false\n",
	"[CoRe]\n\tFsMoNiToR = x\n",
	"[core]\n\tfsmonitor = \"x\"\n",
	"[core]\n\tfsmonitor = \\\n  x\n",
	"[core]\nbare = false \\\n[x\n[core]fsmonitor=x\n",
	"# \\\n[core]\nfsmonitor = x\n",
	"[user]\nname = \"[core]\"\nfsmonitor = x\n[core]fsmonitor = x\n",
	"\xef\xbb\xbf[core]\nfsmonitor = x\n",
	"[core]\r\n\tfsmonitor = x\r\n",
	"[core]\n\thooksPath = h\n",
	"[core]\n\tsshCommand = x\n",
	"[core]\n\tpager = x\n",
	"[core]\n\teditor = x\n",
	"[core]\n\taskPass = x\n",
	"[core]\n\tattributesFile = x\n",
	"[core]\n\texcludesFile = x\n",
	"[core]\n\tgitProxy = x\n",
	"[core]\n\talternateRefsCommand = x\n",
	"[core]\n\tcommentChar = x\n",
	"[core]\n\tworktree = ../../x\n",
	"[core]\n\tprotectNTFS = false\n",
	"[core]\n\tprotectHFS = false\n",
	"[core]\n\tsharedRepository = all\n",
	"[core]\n\tsharedRepository = 0666\n",
	"[core]\n\tsomethingNew = x\n",
	"[sequence]\n\teditor = x\n",
	"[alias]\n\tstatus = !x\n",
	"[alias \"x\"]\n\tcommand = !x\n",
	"[filter \"x\"]\n\tclean = x\n",
	"[filter \"x\"]\n\tprocess = x\n",
	"[filter \"x\"]\n\trequired = true\n",
	"[diff]\n\texternal = x\n",
	"[diff \"x\"]\n\ttextconv = x\n",
	"[diff \"x\"]\n\tcommand = x\n",
	"[diff]\n\ttool = ../../x\n",
	"[merge]\n\ttool = ../../x\n",
	"[merge]\n\tguitool = ../../x\n",
	"[merge \"x\"]\n\tdriver = x\n",
	"[mergetool \"x\"]\n\tcmd = x\n",
	"[difftool \"x\"]\n\tcmd = x\n",
	"[include]\n\tpath = x\n",
	"[includeIf \"gitdir:/\"]\n\tpath = x\n",
	"[credential]\n\thelper = !x\n",
	"[credential \"https://x\"]\n\thelper = x\n",
	"[gpg]\n\tprogram = x\n",
	"[gpg]\n\tformat = x\n",
	"[gpg \"ssh\"]\n\tprogram = x\n",
	"[gpg \"ssh\"]\n\tdefaultKeyCommand = x\n",
	"[url \"ext::x\"]\n\tinsteadOf = https://\n",
	"[http]\n\tproxy = x\n",
	"[http \"https://x\"]\n\tsslVerify = false\n",
	"[protocol \"ext\"]\n\tallow = always\n",
	"[protocol]\n\tallow = always\n",
	"[pager]\n\tlog = x\n",
	"[interactive]\n\tdiffFilter = x\n",
	"[init]\n\ttemplateDir = x\n",
	"[uploadpack]\n\tpackObjectsHook = x\n",
	"[gc]\n\trecentObjectsHook = x\n",
	"[hook \"x\"]\n\tcommand = x\n\tevent = pre-commit\n",
	"[trailer \"x\"]\n\tcmd = x\n",
	"[tar \"x\"]\n\tcommand = x\n",
	"[man \"x\"]\n\tcmd = x\n",
	"[browser \"x\"]\n\tcmd = x\n",
	"[web]\n\tbrowser = x\n",
	"[help]\n\tbrowser = x\n",
	"[instaweb]\n\thttpd = x\n",
	"[imap]\n\ttunnel = x\n",
	"[sendemail]\n\tsmtpServer = /x\n",
	"[guitool \"x\"]\n\tcmd = x\n",
	"[pull]\n\ttwohead = x\n",
	"[branch \"m\"]\n\tmergeOptions = -s x/y\n",
	"[rebase]\n\tinstructionFormat = %nexec x\n",
	"[commit]\n\ttemplate = x\n",
	"[submodule \"a\"]\n\tupdate = !x\n",
	"[submodule \"a\"]\n\tgitdir = x\n",
	"[submodule \"-x\"]\n\tactive = true\n",
	"[remote \"o\"]\n\tuploadpack = x\n",
	"[remote \"o\"]\n\treceivepack = x\n",
	"[remote \"o\"]\n\tvcs = x\n",
	"[remote \"o\"]\n\tproxy = x\n",
	"[remote \"--upload-pack=x\"]\n\turl = /w/a\n",
	"[remotes]\n\tx = --upload-pack=x\n",
	"[branch \"m\"]\n\tremote = --upload-pack=x\n",
	"[branch \"m\"]\n\tmerge = --upload-pack=x\n",
	"[branch \"m\"]\n\tpushRemote = -x\n",
	"[extensions]\n\tpartialClone = --upload-pack=x\n",
	"[extensions]\n\trefstorage = files:///x\n",
	"[remote \"o\"]\n\tfetch = --upload-pack=x\n",
	"[remote \"o\"]\n\ttagOpt = --upload-pack=x\n",
	"[remote \"o\"]\n\turl = /home/u/.local/state/berm/homes/w-0123456789abcdef/r.git\n",
	"[remote \"o\"]\n\turl = ../x/homes/./w-0123456789abcdef\n",
	"[remote \"o\"]\n\tpushurl = link/w-0123456789abcdef/r.git\n",
	"[remote \"o\"]\n\turl = file:///x/%68omes/w%2D0123456789abcdef/r.git\n",
	"[remote \"o\"]\n\turl = localhost:/x/homes/w-0123456789abcdef/r.git\n",
	"[branch \"o\"]\n\tremote = /s/berm/homes/w-0123456789abcdef/r.git\n",
	"[remote \"o\"]\n\turl = ext::sh -c x\n",
	"[remote \"o\"]\n\turl = fd::3\n",
	"[remote \"o\"]\n\turl = foo://x\n",
	"[remote \"o\"]\n\turl = -oProxyCommand=x:a\n",
	"[remote \"o\"]\n\turl = ssh://-oProxyCommand=x/a\n",
	"[remote \"o\"]\n\turl = ssh://u@-oProxyCommand=x/a\n",
	"[remote \"o\"]\n\turl = ssh://%2doProxyCommand=x/a\n",
	"[remote \"o\"]\n\turl = u@-oProxyCommand=x:a\n",
	"[remote \"o\"]\n\turl = h:-x\n",
	"[remote \"o\"]\n\turl = [-oProxyCommand=x]:a\n",
	"[remote \"o\"]\n\turl = https://h/%0ahost=x\n",
	"[remote \"o\"]\n\turl = \"https://h/\\nx\"\n",
	"[remote \"o\"]\n\tpushurl = ext::x\n",
	"[remote.x]\n\turl = ext::x\n",
	"[remote \"a.b\"]\n\turl = ext::x\n",
	"[filter.x]\n\tclean = x\n",
	"[remote \"o\"]\n\turl\n",
	"[user]\n\tname = \"a\\nb\"\n",
	"[core.]\n\tbare = x\n",
	"[unknown]\n\tkey = x\n",
	"[gitbutler]\n\tx = y\n",
};

/* git stops with an error at these, or is not the only one to read them. */
static const char *const malformed[] = {
	"bare = false\n",
	"[core\n",
	"[core\nbare = false\n",
	"[core]\n= x\n",
	"[core]\nbare false\n",
	"[core]\nbare_x = 1\n",
	"[core]\n1a = 1\n",
	"[core]\nbare = \"false\n",
	"[core]\nbare = \\x\n",
	"[core x]\nbare = false\n",
	"[core \"x]\nbare = false\n",
	"[core \"x\" ]\nbare = false\n",
	"[]\nbare = false\n",
	"[co re]\nbare = false\n",
	"\xef\xbb[core]\nbare = false\n",
	"[core]\nbare = false\rfsmonitor = x\n",
	"[core]\nbare = false\r",
	"\f[core]\n",
	"<<<<<<< a\n",
};

static void test_by_git(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(by_git); i++)
		expect(true, GIT_CONFIG, WS "/.git/config", NULL, by_git[i]);
}

static void test_dangerous(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(dangerous); i++) {
		expect(false, GIT_CONFIG, WS "/.git/config", NULL, dangerous[i]);
		expect(false, GIT_CONFIG, WS "/.git/config", CORE, dangerous[i]);
		expect(false, GIT_CONFIG, WS "/.git/modules/m/config", NULL, dangerous[i]);
		/* What the user has may stay as it is. */
		expect(true, GIT_CONFIG, WS "/.git/config", dangerous[i], dangerous[i]);
	}
}

static void test_malformed(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(malformed); i++)
		expect(false, GIT_CONFIG, WS "/.git/config", NULL, malformed[i]);
}

static void test_nul(void **state)
{
	static const char *const rows[] = { "[core]\nbare = false\n#", "[core]\nbare = a",
					    "[core \"", "" };
	char reason[64], bytes[64];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		size_t len = strlen(rows[i]);

		memcpy(bytes, rows[i], len);
		memcpy(bytes + len, "\0x\n", 3);
		assert_false(judge(GIT_CONFIG, "/w/.git/config", NULL, bytes, len + 3, reason,
				   sizeof(reason)));
	}
}

/* Entries off the list stay only exactly as they are: order and number count. */
static void test_old(void **state)
{
	static const char *const path = WS "/.git/config";
	static const char old[] = CORE "[alias]\n\tst = status\n[credential]\n\thelper = a\n"
				       "\thelper =\n\thelper = b\n[include]\n\tpath = ../inc\n";
	static const struct {
		bool ok;
		const char *bytes;
	} rows[] = {
		{ true, CORE "[alias]\n\tst = status\n[user]\n\tname = x\n" },
		{ true, "[alias] ST = \"status\"" },
		{ true, "[credential]\nhelper = a\nhelper =\nhelper = b\n" },
		{ true, CORE },
		{ false, "[alias]\n\tst = status\n\tst = status\n" },
		{ false, "[alias]\n\tst = !x\n" },
		{ false, "[alias]\n\tst\n" },
		{ false, "[alias]\n\tst = stat\n" },
		{ false, "[alias]\n\tst = status -s\n" },
		{ false, "[alias]\n\tSt2 = status\n" },
		{ false, "[alias \"st\"]\n\tst = status\n" },
		{ false, "[credential]\nhelper = a\n" },
		{ false, "[credential]\nhelper = a\nhelper = b\nhelper =\n" },
		{ false, "[credential]\nhelper\nhelper = b\n" },
		{ false, "[credential \"\"]\nhelper = a\nhelper =\nhelper = b\n" },
		{ false, "[credential]\nhelper = a\nhelper\nhelper = b\n" },
		{ false, "[include]\n\tpath = ../inc2\n" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		expect(rows[i].ok, GIT_CONFIG, path, old, rows[i].bytes);
	/* What is there but malformed vouches for nothing behind the error. */
	expect(false, GIT_CONFIG, path, "[alias]\nx = y\n=\n[alias]\nz = w\n", "[alias]\nz = w\n");
}

static void test_worktree(void **state)
{
	static const struct {
		bool ok;
		const char *path, *value;
	} rows[] = {
		{ true, WS "/.git/modules/a/config", "../../../a" },
		{ true, WS "/.git/modules/libs/a/config", "../../../../libs/a" },
		{ true, WS "/.git/modules/a/config.worktree", "../../../a" },
		{ true, WS "/m/.git/worktrees/t/modules/a/config", "../../../../../../t/a" },
		{ false, WS "/.git/config", "../x" },
		{ false, WS "/.git/worktrees/t/config.worktree", "../../../x" },
		{ false, WS "/.git/modules/a/config", "../../../../out" },
		{ false, WS "/.git/modules/a/config", "/w/a" },
		{ false, WS "/.git/modules/a/config", "../../hooks" },
		{ false, WS "/.git/modules/a/config", "../../../b/.git/hooks" },
		{ false, WS "/.git/modules/a/config", "../../../b/.GIT/hooks" },
		{ false, WS "/.git/modules/a/config", "../../../b/../a" },
		{ false, WS "/.git/modules/a/config", "" },
		{ false, WS "/.git/modules/a/config", "x" },
		{ false, WS "/x/config", "../x" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char bytes[256];

		(void)snprintf(bytes, sizeof(bytes), "[core]\n\tworktree = %s\n", rows[i].value);
		expect(rows[i].ok, GIT_CONFIG, rows[i].path, NULL, bytes);
	}
}

static void test_modules(void **state)
{
	static const struct {
		bool ok;
		const char *bytes;
	} rows[] = {
		{ true, "" },
		{ true, "[submodule \"libs/a\"]\n\tpath = libs/a\n\turl = ../a.git\n" },
		{ true, "[submodule \"a\"]\n\tpath = a\n\turl = https://h/a\n\tbranch = .\n"
			"\tignore = dirty\n\tshallow = true\n\tfetchRecurseSubmodules = no\n"
			"\tupdate = none\n" },
		{ true, "[submodule \"a\"]\n\tshallow\n\tgclient-condition = checkout_x\n" },
		{ true, "[submodule \"a.b\"]\n\tpath = a.b\n" },
		{ false, "[submodule \"a\"]\n\tupdate = !x\n" },
		{ false, "[submodule \"a\"]\n\tupdate = x\n" },
		{ false, "[submodule \"a\"]\n\tpath = ../a\n" },
		{ false, "[submodule \"a\"]\n\tpath = /a\n" },
		{ false, "[submodule \"a\"]\n\tpath = -a\n" },
		{ false, "[submodule \"a\"]\n\tpath = .git/hooks\n" },
		{ false, "[submodule \"a\"]\n\tpath = a/.Git/x\n" },
		{ false, "[submodule \"a\"]\n\tpath\n" },
		{ false, "[submodule \"a\"]\n\tpath = \"a\\nb\"\n" },
		{ false, "[submodule \"../a\"]\n\tpath = a\n" },
		{ false, "[submodule \"a/..\"]\n\tpath = a\n" },
		{ false, "[submodule \"a\\\\..\\\\b\"]\n\tpath = a\n" },
		{ false, "[submodule \"/a\"]\n\tpath = a\n" },
		{ false, "[submodule \"-a\"]\n\tpath = a\n" },
		{ false, "[submodule \"\"]\n\tpath = a\n" },
		{ false, "[submodule]\n\tpath = a\n" },
		{ false, "[submodule \"a\"]\n\turl = -u./x\n" },
		{ false, "[submodule \"a\"]\n\turl = ext::x\n" },
		{ false, "[submodule \"a\"]\n\tbranch = -x\n" },
		{ false, "[core]\n\tfsmonitor = x\n" },
		{ false, "[include]\n\tpath = x\n" },
		{ false, "[submodule \"a\"\n" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		expect(rows[i].ok, GIT_MODULES, WS "/.gitmodules", NULL, rows[i].bytes);
}

static char big[GIT_CONTENT_MAX + 1];

static size_t fill(const char *head, const char *unit, size_t len)
{
	size_t n = strlen(head);

	memcpy(big, head, n);
	for (size_t i = 0; n + i < len; i++)
		big[n + i] = unit[i % strlen(unit)];
	return len;
}

/* Bounds: refused, and fast. */
static void test_bounds(void **state)
{
	static const char *const path = WS "/.git/config";
	char reason[64];
	size_t len;

	(void)state;
	len = fill("", "#", GIT_CONTENT_MAX + 1);
	assert_false(judge(GIT_CONFIG, path, NULL, big, len, reason, sizeof(reason)));
	assert_true(judge(GIT_CONFIG, path, NULL, big, len - 1, reason, sizeof(reason)));
	len = fill("[core]\n", "bare\n", 7 + 5 * 40000);
	assert_true(judge(GIT_CONFIG, path, NULL, big, len, reason, sizeof(reason)));
	len = fill("[core]\n", "evil\n", 7 + 5 * 40000);
	assert_false(judge(GIT_CONFIG, path, "[core]\nevil\n", big, len, reason, sizeof(reason)));
	big[len] = '\0';
	/* Each entry is the same as in the old file, but there are too many to compare. */
	{
		static char old[sizeof(big) + 1];

		memcpy(old, big, len);
		old[len] = '#';
		assert_false(judge(GIT_CONFIG, path, old, big, len, reason, sizeof(reason)));
	}
	len = fill("[core]\nbare = ", "x", 14 + GIT_VALUE_MAX - 1);
	assert_true(judge(GIT_CONFIG, path, NULL, big, len, reason, sizeof(reason)));
	assert_false(judge(GIT_CONFIG, path, NULL, big, fill("[core]\nbare = ", "x", len + 1),
			   reason, sizeof(reason)));
	assert_false(
		judge(GIT_CONFIG, path, NULL, big, fill("[", "x", 2000), reason, sizeof(reason)));
	assert_false(judge(GIT_CONFIG, path, NULL, big, fill("[core]\n", "x", 2000), reason,
			   sizeof(reason)));
	assert_false(judge(GIT_CONFIG, path, NULL, big, fill("[branch \"", "x", 2000), reason,
			   sizeof(reason)));
}

static void test_reason(void **state)
{
	static const char bytes[] = CORE "[alias \"\x1b[2J\"]\n\n  x = !y\n";
	static const char fsmonitor[] = "[core]\n\tbare = false\n\n  fsmonitor = x\n";
	char reason[256], small[8];

	(void)state;
	assert_false(judge(GIT_CONFIG, "/w/.git/config", NULL, fsmonitor, strlen(fsmonitor), reason,
			   sizeof(reason)));
	assert_string_equal(reason, "core.fsmonitor on line 4 has a value that is not allowed");
	assert_false(judge(GIT_CONFIG, "/w/.git/config", NULL, bytes, strlen(bytes), reason,
			   sizeof(reason)));
	assert_string_equal(reason, "alias.\\x1b[2J.x on line 8 may run a program");
	assert_false(judge(GIT_CONFIG, "/w/.git/config", NULL, bytes, strlen(bytes), small,
			   sizeof(small)));
	assert_true(strlen(small) < sizeof(small));
	assert_false(judge(GIT_CONFIG, "/w/.git/config", NULL, bytes, strlen(bytes), NULL, 0));
}

/* Every row of data/git-config-keys can be found, and with a kind. */
static void test_list(void **state)
{
	const struct data_list *list = &data_git_config_keys;

	(void)state;
	assert_true(list->n > 300);
	for (size_t i = 0; i < list->n; i++) {
		char key[128];
		size_t n = 0, sub_len;
		const char *sub;

		for (const char *p = data_text(list, i); *p; p++)
			key[n++] = *p == '*' || *p == '?' ? 'q' : *p;
		key[n] = '\0';
		if (git_key_kind(key, &sub, &sub_len) == KEY_UNKNOWN)
			fail_msg("%s:%u: not found", list->file, data_at(list, i).line);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_git),	  cmocka_unit_test(test_dangerous),
		cmocka_unit_test(test_malformed), cmocka_unit_test(test_nul),
		cmocka_unit_test(test_old),	  cmocka_unit_test(test_worktree),
		cmocka_unit_test(test_modules),	  cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_reason),	  cmocka_unit_test(test_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

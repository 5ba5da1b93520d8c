/* SPDX-License-Identifier: Apache-2.0 */
/* Lists, effect classes, patterns of rules and excluded commands over lines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/str.h"
#include "shell/data.h"
#include "shell/rule.h"
#include "shell/shell.h"

static struct shell_line *parse(const char *text)
{
	struct shell_line *line = NULL;

	assert_int_equal(shell_parse(text, strlen(text), &line, NULL), 0);
	return line;
}

/* The strictest of all parts. */
static enum shell_match list_of_line(enum shell_list list, const char *text)
{
	_cleanup_shell_line_ struct shell_line *line = parse(text);
	enum shell_match best = SHELL_MISS;

	for (size_t i = 0; i < line->n_parts; i++) {
		struct shell_rule rule = { 0 };
		enum shell_match m = shell_list_match(list, &line->parts[i], &rule);

		assert_true(m == SHELL_MISS || (rule.line && rule.text));
		best = m > best ? m : best;
	}
	return best;
}

struct list_row {
	const char *line;
	enum shell_match deny, ask, readonly;
};

#define NO SHELL_MISS
#define MAY SHELL_MAYBE
#define YES SHELL_HIT

/* clang-format off */
static const struct list_row list_rows[] = {
	/* nothing */
	{ "ls -la", NO, NO, NO },
	{ "git status && git diff | head", NO, NO, NO },
	{ "make -j2 2>&1 | tee /dev/null", NO, NO, YES },
	{ "echo sudo", NO, NO, NO },
	{ "grep -r sudo .", NO, NO, NO },
	{ "echo a > /dev/null", NO, NO, NO },
	{ "cargo build --release", NO, NO, NO },
	{ "npm run build", NO, NO, NO },
	{ "git log --grep push", NO, NO, NO },
	{ "git stash list; git stash", NO, NO, YES },
	{ "for x in sudo rm; do echo $x; done", NO, NO, NO },
	{ "echo 'sudo rm -rf /'", NO, NO, NO },
	{ "# sudo", NO, NO, NO },
	{ "cat <<E\nsudo rm -rf /\nE", NO, NO, NO },
	/* privileges, in every spelling */
	{ "sudo ls", YES, NO, NO },
	{ "/usr/bin/sudo ls", YES, NO, NO },
	{ "'su'do ls", YES, NO, NO },
	{ "s\\udo ls", YES, NO, NO },
	{ "$'\\x73udo' ls", YES, NO, NO },
	{ "a=sudo; $a ls", YES, NO, NO },
	{ "su\\\ndo ls", YES, NO, NO },
	{ "{sudo,ls}", YES, NO, NO },
	{ "X=1 sudo ls", YES, NO, NO },
	{ "timeout 5 sudo ls", YES, NO, NO },
	{ "env -u A nice -n 3 sudo ls", YES, NO, NO },
	{ "command sudo ls; builtin command sudo", YES, NO, NO },
	{ "exec sudo ls", YES, NO, NO },
	{ "ls | sudo tee x", YES, NO, YES },
	{ "ls & sudo ls", YES, NO, NO },
	{ "ls\nsudo ls", YES, NO, NO },
	{ "(sudo ls)", YES, NO, NO },
	{ "{ sudo ls; }", YES, NO, NO },
	{ "if a; then sudo ls; fi", YES, NO, NO },
	{ "f() { sudo ls; }", YES, NO, NO },
	{ "echo $(sudo ls) ", YES, NO, NO },
	{ "echo \"`sudo ls`\"", YES, NO, NO },
	{ "cat <(sudo ls)", YES, NO, NO },
	{ "echo ${x:-$(sudo ls)}", YES, NO, NO },
	{ "echo $((1 + $(sudo ls)))", YES, NO, NO },
	{ "cat <<E\n$(sudo ls)\nE", YES, NO, NO },
	{ "bash -c 'sudo ls'", YES, NO, NO },
	{ "bash -c \"bash -c 'sudo ls'\"", YES, NO, NO },
	{ "sh <<E\nsudo ls\nE", YES, NO, NO },
	{ "sh <<< 'sudo ls'", YES, NO, NO },
	{ "eval 'sudo ls'", YES, NO, NO },
	{ "trap 'sudo ls' EXIT", YES, NO, NO },
	{ "xargs sudo ls", YES, NO, NO },
	{ "find . -exec sudo ls {} \\;", YES, NO, NO },
	{ "xargs -I{} sh -c 'sudo {}'", YES, NO, NO },
	{ "watch sudo ls", YES, NO, NO },
	{ "coproc sudo ls", YES, NO, NO },
	{ "! sudo ls", YES, NO, NO },
	{ "time sudo ls", YES, NO, NO },
	{ "[[ a ]] && sudo ls", YES, NO, NO },
	{ "case x in x) sudo ls;; esac", YES, NO, NO },
	{ "((sudo))", YES, NO, NO },
	{ "git bisect run sudo ls", YES, NO, YES },
	{ "$x ls", MAY, MAY, MAY },
	{ "s$x ls", MAY, MAY, MAY },
	/* disks, machine */
	{ "rm -rf /", YES, NO, YES },
	{ "rm -r -f //", YES, NO, YES },
	{ "rm --recursive --force /usr/..", YES, NO, YES },
	{ "rm --rec /*", YES, NO, YES },
	{ "rm -fR -- ~", YES, NO, YES },
	{ "rm -rf \"$HOME\"", YES, MAY, YES },
	{ "rm -rf $X", MAY, MAY, YES },
	{ "rm -rf build", NO, NO, YES },
	{ "rm -rf ./build/../node_modules", NO, NO, YES },
	{ "rm -rf .", NO, YES, YES },
	{ "rm /", NO, NO, YES },
	{ "dd if=a of=/dev/sda", YES, NO, YES },
	{ "dd if=a of=b", NO, NO, YES },
	{ "cat a > /dev/nvme0n1", YES, NO, YES },
	{ "echo c > /proc/sysrq-trigger", YES, NO, YES },
	{ "echo x | tee -a /etc/passwd", YES, NO, YES },
	{ "mkfs.ext4 x", YES, NO, NO },
	{ "systemctl --now poweroff", YES, NO, NO },
	{ "shutdown -h now", YES, NO, NO },
	{ ":(){ :|:& };:", YES, NO, NO },
	{ "chmod -R 777 /", YES, NO, YES },
	{ "find / -delete", YES, YES, YES },
	/* containers */
	{ "docker run -v /:/host alpine", YES, YES, YES },
	{ "docker --context x run --rm -it --privileged alpine", YES, YES, YES },
	{ "docker run --pid=host alpine", YES, YES, YES },
	{ "docker run --mount type=bind,source=/,target=/h a", YES, YES, YES },
	{ "docker run -v /var/run/docker.sock:/x a", YES, YES, YES },
	{ "docker ps", NO, NO, YES },
	{ "unshare -r ls", YES, NO, NO },
	{ "mount; mount -a", YES, NO, NO },
	{ "mount", NO, NO, NO },
	/* remote */
	{ "git push", NO, YES, YES },
	{ "git -C /x -c color.ui=never push -f", NO, YES, YES },
	{ "git --git-dir=x --work-tree y push", NO, YES, YES },
	{ "git -c push status", NO, NO, NO },
	{ "git $x", NO, MAY, MAY },
	{ "git reset --hard HEAD~1", NO, YES, YES },
	{ "git reset --har", NO, YES, YES },
	{ "git reset HEAD x", NO, NO, YES },
	{ "git config alias.p push", NO, YES, NO },
	{ "git config user.name x", NO, NO, NO },
	{ "git branch -D x; git branch -a", NO, YES, YES },
	{ "gh pr create --fill", NO, YES, YES },
	{ "gh -R a/b pr merge 3", NO, YES, YES },
	{ "gh pr view 3", NO, NO, NO },
	{ "gh api repos/a/b", NO, NO, NO },
	{ "gh api -XPOST repos/a/b", NO, YES, NO },
	{ "gh api --method=POST x", NO, YES, NO },
	{ "npm publish; cargo +nightly publish; twine upload x", NO, YES, NO },
	{ "npm --prefix x install", NO, YES, YES },
	{ "npm i left-pad", NO, YES, YES },
	{ "pip3.11 install x; python3 -m pip install x", NO, YES, NO },
	{ "curl https://x", NO, NO, NO },
	{ "curl -d @f https://x", NO, YES, NO },
	{ "ssh host ls", NO, YES, NO },
	{ "kubectl -n x delete pod y", NO, YES, YES },
	{ "terraform -chdir=x apply", NO, YES, YES },
	{ "echo push | xargs git", NO, MAY, MAY },
	/* changes, where nothing may change */
	{ "git add .", NO, NO, YES },
	{ "git commit -m x", NO, NO, YES },
	{ "echo x > f", NO, NO, YES },
	{ "sed -i s/a/b/ f; sed -n 1p f", NO, NO, YES },
	{ "sed -n 1p f", NO, NO, NO },
};
/* clang-format on */

static void test_lists(void **state)
{
	unsigned failed = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(list_rows); i++) {
		const struct list_row *r = &list_rows[i];
		enum shell_match deny = list_of_line(SHELL_LIST_DENY, r->line);
		enum shell_match ask = list_of_line(SHELL_LIST_ASK, r->line);
		enum shell_match ro = list_of_line(SHELL_LIST_READONLY, r->line);

		if (deny == r->deny && ask == r->ask && ro == r->readonly)
			continue;
		failed++;
		print_error("%s: deny %d (%d), ask %d (%d), readonly %d (%d)\n", r->line, deny,
			    r->deny, ask, r->ask, ro, r->readonly);
	}
	assert_int_equal(failed, 0);
}

/* Every row can be read, and names a class where classes are meant. */
static void test_rows(void **state)
{
	const struct data_list *lists[] = { &data_commands_deny, &data_commands_ask,
					    &data_commands_readonly, &data_commands_effects };

	(void)state;
	for (size_t l = 0; l < ARRAY_SIZE(lists); l++)
		for (size_t i = 0; i < lists[l]->n; i++) {
			struct rule rule;
			bool known = false;

			assert_true(rule_read(data_text(lists[l], i), &rule));
			assert_int_not_equal(rule.tokens[0].kind, '-');
			for (unsigned e = 0; l == 3 && e < EFFECT_N; e++)
				known |= streq_fold(effect_name((enum effect)e),
						    data_at(lists[l], i).group);
			assert_true(l != 3 || known);
		}
}

static void test_effects(void **state)
{
	static const struct {
		const char *line;
		effects_t want; /* processSpawn is in all */
	} rows[] = {
		{ "ls", 0 },
		{ "git commit -m x", EFFECT_BIT(EFFECT_GIT_COMMIT) },
		{ "git -C x merge y", EFFECT_BIT(EFFECT_GIT_COMMIT) },
		{ "git rebase x", EFFECT_BIT(EFFECT_GIT_COMMIT) },
		{ "git cherry-pick x", EFFECT_BIT(EFFECT_GIT_COMMIT) },
		{ "git revert x", EFFECT_BIT(EFFECT_GIT_COMMIT) },
		{ "git am x", EFFECT_BIT(EFFECT_GIT_COMMIT) },
		{ "git push", EFFECT_BIT(EFFECT_GIT_PUSH) | EFFECT_BIT(EFFECT_NETWORK_EGRESS) },
		{ "git log", 0 },
		{ "gh pr create",
		  EFFECT_BIT(EFFECT_PR_CREATE) | EFFECT_BIT(EFFECT_NETWORK_EGRESS) },
		{ "gh pr merge 1",
		  EFFECT_BIT(EFFECT_PR_PUBLISH) | EFFECT_BIT(EFFECT_NETWORK_EGRESS) },
		{ "gh pr review 1",
		  EFFECT_BIT(EFFECT_PR_PUBLISH) | EFFECT_BIT(EFFECT_NETWORK_EGRESS) },
		{ "gh issue comment 1",
		  EFFECT_BIT(EFFECT_VENDOR_SYNC_WRITE) | EFFECT_BIT(EFFECT_NETWORK_EGRESS) },
		{ "cargo add x",
		  EFFECT_BIT(EFFECT_PACKAGE_INSTALL) | EFFECT_BIT(EFFECT_NETWORK_EGRESS) },
		{ "brew install x",
		  EFFECT_BIT(EFFECT_PACKAGE_INSTALL) | EFFECT_BIT(EFFECT_NETWORK_EGRESS) },
		{ "curl x", EFFECT_BIT(EFFECT_NETWORK_EGRESS) },
		{ "wget x", EFFECT_BIT(EFFECT_NETWORK_EGRESS) },
		{ "rm x", EFFECT_BIT(EFFECT_FILE_DELETE) },
		{ "find . -delete", EFFECT_BIT(EFFECT_FILE_DELETE) },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_shell_line_ struct shell_line *line = parse(rows[i].line);
		effects_t found = shell_classify(&line->parts[0]);

		if (found != (rows[i].want | EFFECT_BIT(EFFECT_PROCESS_SPAWN)))
			fail_msg("%s: %x", rows[i].line, found);
	}
	for (unsigned e = 0; e < EFFECT_N; e++) {
		enum effect back;
		const char *name = effect_name((enum effect)e);

		assert_true(effect_parse(name, strlen(name), &back) && back == (enum effect)e);
	}
	assert_false(effect_parse("gitpush", 7, (enum effect[1]){ 0 }));
}

static void test_patterns(void **state)
{
	static const struct {
		enum shell_syntax syntax;
		const char *pattern, *line; /* its first part */
		enum shell_match restricts, permits;
	} rows[] = {
		{ SHELL_PATTERN_BERM, "git push", "git push origin", YES, YES },
		{ SHELL_PATTERN_BERM, "git push", "git pushx", NO, NO },
		{ SHELL_PATTERN_BERM, "git push", "git -C x push", YES, NO },
		{ SHELL_PATTERN_BERM, "git push", "/usr/bin/git push", YES, YES },
		{ SHELL_PATTERN_BERM, "git push", "./git push", YES, NO },
		{ SHELL_PATTERN_BERM, "git push", "/tmp/git push", YES, NO },
		{ SHELL_PATTERN_BERM, "git push", "timeout 5 git push", YES, YES },
		{ SHELL_PATTERN_BERM, "git push", "FOO=1 git push", YES, YES },
		{ SHELL_PATTERN_BERM, "git push", "LD_PRELOAD=x git push", YES, NO },
		{ SHELL_PATTERN_BERM, "git push", "git $x", MAY, NO },
		{ SHELL_PATTERN_BERM, "git push", "git push $x", YES, NO },
		{ SHELL_PATTERN_BERM, "git push", "git push *", YES, YES },
		{ SHELL_PATTERN_BERM, "git push", "$x push", MAY, NO },
		{ SHELL_PATTERN_BERM, "git push --force|-f", "git push origin -uf", YES, NO },
		{ SHELL_PATTERN_BERM, "git push --force|-f", "git push", NO, NO },
		{ SHELL_PATTERN_BERM, "timeout", "timeout 5 x", YES, NO },
		{ SHELL_PATTERN_CLAUDE, "make", "make", YES, YES },
		{ SHELL_PATTERN_CLAUDE, "make", "make all", NO, NO },
		{ SHELL_PATTERN_CLAUDE, "make", "nice make", YES, YES },
		{ SHELL_PATTERN_CLAUDE, "npm run test:*", "npm run test", YES, YES },
		{ SHELL_PATTERN_CLAUDE, "npm run test:*", "npm run test --watch", YES, YES },
		{ SHELL_PATTERN_CLAUDE, "npm run test:*", "npm run test:unit", YES, NO },
		{ SHELL_PATTERN_CLAUDE, "npm run test:*", "npm run build", NO, NO },
		{ SHELL_PATTERN_CLAUDE, "git push:*", "git --no-pager push", YES, NO },
		{ SHELL_PATTERN_CLAUDE, "git *", "git", YES, YES },
		{ SHELL_PATTERN_CLAUDE, "git *", "git log", YES, YES },
		{ SHELL_PATTERN_CLAUDE, "git *", "gitk", YES, NO },
		{ SHELL_PATTERN_CLAUDE, "git * main", "git checkout main", YES, YES },
		{ SHELL_PATTERN_CLAUDE, "git * main", "git log 'a main'", YES, NO },
		{ SHELL_PATTERN_CLAUDE, "git * main", "git log $x", MAY, NO },
		{ SHELL_PATTERN_CLAUDE, "git * main", "git log x", NO, NO },
		{ SHELL_PATTERN_CLAUDE, "echo \\*", "echo '*'", YES, YES },
		{ SHELL_PATTERN_CLAUDE, "./x.sh:*", "./x.sh a", YES, YES },
		{ SHELL_PATTERN_CLAUDE, "A=1 make", "A=1 make", YES, YES },
		{ SHELL_PATTERN_CLAUDE, "ls:*", "ls > f", YES, YES },
		{ SHELL_PATTERN_CLAUDE, "rm:*", "find . -exec rm {} +", NO, NO },
		{ SHELL_PATTERN_CLAUDE, "*", "anything at all", YES, YES },
	};
	unsigned failed = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_shell_line_ struct shell_line *line = parse(rows[i].line);
		struct shell_pattern *p = NULL;
		enum shell_match r, q;

		assert_int_equal(shell_pattern_new(rows[i].pattern, rows[i].syntax, &p, NULL), 0);
		r = shell_pattern_match(p, &line->parts[0], SHELL_RESTRICT);
		q = shell_pattern_match(p, &line->parts[0], SHELL_PERMIT);
		shell_pattern_free(p);
		if (r == rows[i].restricts && q == rows[i].permits)
			continue;
		failed++;
		print_error("%s: %s: restricts %d (%d), permits %d (%d)\n", rows[i].pattern,
			    rows[i].line, r, rows[i].restricts, q, rows[i].permits);
	}
	assert_int_equal(failed, 0);
}

static void test_pattern_errors(void **state)
{
	struct shell_pattern *p = NULL;
	struct berm_err err;
	char many[64] = "a b c d e f g h i j k l m n o p q";

	(void)state;
	assert_int_equal(shell_pattern_new("", SHELL_PATTERN_BERM, &p, &err), -EINVAL);
	assert_int_equal(shell_pattern_new("  ", SHELL_PATTERN_CLAUDE, &p, &err), -EINVAL);
	assert_int_equal(shell_pattern_new("-f", SHELL_PATTERN_BERM, &p, &err), -EINVAL);
	assert_int_equal(shell_pattern_new(many, SHELL_PATTERN_BERM, &p, &err), -EINVAL);
	assert_int_equal(shell_pattern_new("a*b:*", SHELL_PATTERN_CLAUDE, &p, &err), -EINVAL);
	assert_null(p);
}

static void test_prefix(void **state)
{
	const char *const git[] = { "git", NULL }, *const verbs[] = { "push", "pu*l", NULL };
	const char *const *const places[] = { git, verbs };
	_cleanup_shell_line_ struct shell_line *line =
		parse("git push x; git pu*l; git pull; git -C a push");
	const enum shell_match want[] = { YES, YES, NO, YES }, permits[] = { YES, NO, NO, NO };
	struct shell_pattern *p = NULL;

	(void)state;
	assert_int_equal(shell_pattern_prefix(places, 2, &p, NULL), 0);
	assert_int_equal(shell_pattern_weight(p), 2);
	assert_int_equal(line->n_parts, 4);
	for (size_t i = 0; i < 4; i++) {
		if (i != 1) /* a pattern for files: it may be */
			assert_int_equal(shell_pattern_match(p, &line->parts[i], SHELL_RESTRICT),
					 want[i]);
		assert_int_equal(shell_pattern_match(p, &line->parts[i], SHELL_PERMIT), permits[i]);
	}
	shell_pattern_free(p);
}

static void test_excluded(void **state)
{
	static const struct {
		const char *line;
		bool out;
	} rows[] = {
		{ "docker ps", true },
		{ "docker ps && make", true },
		{ "timeout 5 docker ps | make", true },
		{ "A=1 docker ps", true },
		{ "docker ps 2>&1", true },
		{ "docker ps *.c", true },
		{ "npm run test --x", true },
		{ "docker ps; curl x", false },
		{ "curl x; docker ps", false },
		{ "docker ps | sh", false },
		{ "docker ps $(curl x)", false },
		{ "docker ps `curl x`", false },
		{ "docker ps <(make)", false },
		{ "docker ps <<E\nE", false },
		{ "docker ps <<< x", false },
		{ "docker ps > f", false },
		{ "docker ps &", false },
		{ "docker ps $x", false },
		{ "$x ps", false },
		{ "./docker ps", false },
		{ "LD_PRELOAD=x docker ps", false },
		{ "PATH=. docker ps", false },
		{ "docker() { make; }; docker ps", false },
		{ "alias docker=make; docker ps", false },
		{ "a=1", false },
		{ "", false },
		{ "docker ps\ncurl x", false },
		{ "docker ps 'unterminated", false },
		{ "sudo docker ps", false },
		{ "bash -c 'docker ps'", false },
		{ "eval docker ps", false },
		{ "xargs docker ps", false },
		{ "find . -exec docker ps ';'", false },
		{ "if docker ps; then make; fi", true },
		{ "[[ -f x ]] && make", false },
		{ "docker ps # $(x)", true },
	};
	static const char *const texts[] = { "docker:*", "make", "npm run test:*", "sort" };
	struct shell_pattern *patterns[4];

	(void)state;
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(
			shell_pattern_new(texts[i], SHELL_PATTERN_CLAUDE, &patterns[i], NULL), 0);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_shell_line_ struct shell_line *line = parse(rows[i].line);
		const char *reason = NULL;

		if (shell_excluded(line, patterns, 4, &reason) != rows[i].out || !reason)
			fail_msg("%s: %s", rows[i].line, reason);
		assert_false(shell_excluded(line, NULL, 0, &reason));
	}
	for (size_t i = 0; i < 4; i++)
		shell_pattern_free(patterns[i]);
}

static void test_argv(void **state)
{
	static const char *const plain[] = { "git", "pu$h", "a b", "*" };
	static const char *const shell[] = { "timeout", "5", "bash", "-c", "sudo ls" };
	_cleanup_shell_line_ struct shell_line *a = NULL;
	_cleanup_shell_line_ struct shell_line *b = NULL;
	struct shell_rule rule;

	(void)state;
	assert_int_equal(shell_parse_argv(plain, 4, &a, NULL), 0);
	assert_int_equal(a->n_parts, 1);
	assert_int_equal(a->why, 0);
	assert_int_equal(a->parts[0].n_words, 4);
	assert_string_equal(a->parts[0].words[1].text, "pu$h");
	assert_int_equal(shell_parse_argv(shell, 5, &b, NULL), 0);
	assert_int_equal(b->n_parts, 3);
	assert_int_equal(shell_list_match(SHELL_LIST_DENY, &b->parts[1], &rule), YES);
}

/* Whatever is put in front, behind or around it, a denied command stays one. */
static void test_nothing_loosens(void **state)
{
	static const char *const around[] = {
		"%s",
		"a; %s",
		"%s; a",
		"a && %s",
		"a || %s",
		"a | %s",
		"%s | a",
		"%s & a",
		"a\n%s\nb",
		"(%s)",
		"{ %s; }",
		"if a; then %s; fi",
		"while %s; do a; done",
		"until a; do %s; done",
		"for i in a; do %s; done",
		"case a in b) %s;; esac",
		"f() { %s; }",
		"a $(%s)",
		"a \"$(%s)\"",
		"a `%s`",
		"a <(%s)",
		"a ${b:-$(%s)}",
		"a $(( $(%s) ))",
		"bash -c '%s'",
		"eval '%s'",
		"bash <<E\n%s\nE",
		"a <<E\n$(%s)\nE",
		"timeout 1 %s",
		"env A=b %s",
		"nice %s",
		"xargs %s",
		"find . -exec %s \\;",
		"! %s",
		"time %s",
		"coproc %s",
		"a=b %s",
		">a %s",
		"%s >a",
		"trap '%s' 0",
		"ssh h '%s'",
		"watch '%s'",
		"nohup %s &",
		"[[ a ]] && %s",
		"((1)) && %s",
		"a=$(%s)",
		"a=(b $(%s))",
		"exec %s",
		"command %s",
		"select i in a; do %s; done",
		"function f { %s; }",
		"git bisect run %s",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(around); i++)
		for (size_t k = 0; k < ARRAY_SIZE(around); k++) {
			const char *hole = strstr(around[i], "%s"),
				   *inner = strstr(around[k], "%s");
			_cleanup_buf_ struct buf b = BUF_INIT(4096), in = BUF_INIT(4096);
			_cleanup_shell_line_ struct shell_line *line = NULL;
			enum shell_match m;

			(void)buf_add(&in, around[k], (size_t)(inner - around[k]));
			(void)buf_adds(&in, "shutdown now");
			(void)buf_adds(&in, inner + 2);
			(void)buf_add(&b, around[i], (size_t)(hole - around[i]));
			(void)buf_add(&b, in.data, in.len);
			(void)buf_adds(&b, hole + 2);
			line = parse(b.data);
			/* Quotes inside quotes and the like make other lines of some: those are
			 * opaque, or their words hold the text. */
			m = list_of_line(SHELL_LIST_DENY, b.data);
			if (m != YES && !line->blind && !str_starts(in.data, "coproc") &&
			    !strpbrk(in.data, "'\n;&|<>(){}`!="))
				fail_msg("%s", b.data);
			if (k == 0 && m != YES)
				fail_msg("%s", b.data);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lists),		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_effects),		cmocka_unit_test(test_patterns),
		cmocka_unit_test(test_pattern_errors),	cmocka_unit_test(test_prefix),
		cmocka_unit_test(test_excluded),	cmocka_unit_test(test_argv),
		cmocka_unit_test(test_nothing_loosens),
	};

	return cmocka_run_group_tests_name("shell_rules", tests, NULL, NULL);
}

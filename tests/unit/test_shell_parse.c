/* SPDX-License-Identifier: Apache-2.0 */
/* Lines and the parts that they consist of. A row's parts are written one behind the other:
 * "git push; rm -rf /". Before a word, "?" says that it is not certain and "*" that it may be
 * several; "!" before a part that it is blind; "#" marks words of [[ ]], (( )), for and case. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/str.h"
#include "shell/data.h"
#include "shell/shell.h"

static void describe(const struct shell_line *line, struct buf *b)
{
	for (size_t i = 0; i < line->n_parts; i++) {
		const struct shell_part *p = &line->parts[i];

		(void)buf_adds(b, i ? "; " : "");
		(void)buf_adds(b, p->flags & SHELL_TEST ? "#" : "");
		(void)buf_adds(b, p->blind ? "!" : "");
		for (uint32_t k = 0; k < p->n_assigns; k++)
			(void)buf_addf(b, "%s%s%s", k ? " " : "", p->assigns[k].why ? "?" : "",
				       p->assigns[k].text);
		for (uint32_t k = 0; k < p->n_words; k++) {
			const struct shell_word *w = &p->words[k];

			(void)buf_addf(b, "%s%s%s", k || p->n_assigns ? " " : "",
				       w->many	? "*"
				       : w->why ? "?"
						: "",
				       w->len ? w->text : "''");
		}
	}
}

struct row {
	const char *line, *parts;
};

static void check_rows(const struct row *rows, size_t n)
{
	unsigned failed = 0;

	for (size_t i = 0; i < n; i++) {
		_cleanup_shell_line_ struct shell_line *line = NULL;
		_cleanup_buf_ struct buf b = BUF_INIT(1u << 20);

		assert_int_equal(shell_parse(rows[i].line, strlen(rows[i].line), &line, NULL), 0);
		(void)buf_adds(&b, "");
		describe(line, &b);
		if (streq(b.data, rows[i].parts))
			continue;
		failed++;
		print_error("%s\n  expected %s\n  found    %s\n", rows[i].line, rows[i].parts,
			    b.data);
	}
	assert_int_equal(failed, 0);
}

#define TEST_ROWS(name, ...)                                  \
	static void test_##name(void **state)                 \
	{                                                     \
		static const struct row rows[] = __VA_ARGS__; \
                                                              \
		(void)state;                                  \
		check_rows(rows, ARRAY_SIZE(rows));           \
	}

/* clang-format off */
TEST_ROWS(lists, {
	{ "", "" },
	{ "   \n\t\n", "" },
	{ "# nothing", "" },
	{ "a", "a" },
	{ "a b  c\td", "a b c d" },
	{ "a;b", "a; b" },
	{ "a & b", "a; b" },
	{ "a && b || c", "a; b; c" },
	{ "a | b |& c", "a; b; c" },
	{ "a\nb\r\nc", "a; b\r; c" },
	{ "a;\n\n;", "a; !" },
	{ "a &&\n b", "a; b" },
	{ "a |\n# why\nb", "a; b" },
	{ "a # b; c\ne", "a; e" },
	{ "a#b", "a#b" },
	{ "echo a;#b\nc", "echo a; c" },
	{ "! a", "a" },
	{ "time -p a | b", "a; b" },
	{ "time", "" },
	{ "(a; b)", "a; b" },
	{ "{ a; b; }", "a; b" },
	{ "{a; b; }", "{a; b; !" },
	{ "((a) ; b)", "a; b" },
	{ "echo }", "echo }" },
	{ "echo if then", "echo if then" },
	{ "a\\\nb c\\\n d", "ab c d" },
	{ "g\\\nit pu\\\nsh", "git push" },
	{ "i\\\nf a; then b; fi", "a; b" },
	{ "a &\\\n& b", "a; b" },
})

TEST_ROWS(quotes, {
	{ "'a b' \"c d\" e\\ f", "a b c d e f" },
	{ "g'i't \"pu\"sh", "git push" },
	{ "\\git push", "git push" },
	{ "'' \"\"", "'' ''" },
	{ "a''b", "ab" },
	{ "\"a\\\"b\\\\c\\d\\$e\\`f\"", "a\"b\\c\\d$e`f" },
	{ "\"a\\\nb\"", "ab" },
	{ "'a\\\nb'", "a\\\nb" },
	{ "$'git' $'\\x67\\x69t' $'\\147it' $'g\\151t'", "git git git git" },
	{ "$'\\u0067it' $'\\U00000067it'", "git git" },
	{ "$'a\\tb\\n'", "a\tb\n" },
	{ "$'a\\0b' c", "a c" },
	{ "$\"git\" push", "git push" },
	{ "\"$'a'\"", "$'a'" },
	{ "a$", "a$" },
	{ "\"a$\"", "a$" },
	{ "$'a\\'b; c #'", "!?$'a\\'b; c #'" },
	{ "$'\\u00e9'", "!?$'\\u00e9'" },
	{ "'a", "!; !" },
	{ "a \"b", "!a; !" },
	{ "a 'b'\\''c'", "a b'c" },
	{ "\"it's\" 'a\"b'", "it's a\"b" },
	{ "a\\", "a\\" },
})

TEST_ROWS(expansions, {
	{ "$x", "!*$x" },
	{ "git $x", "!git *$x" },
	{ "ls $x \"$x\" a\"$x\"b", "ls *$x ?$x ?a$xb" },
	{ "ls *.c a?b [ab]", "ls **.c *a?b *[ab]" },
	{ "[ -f a ]", "[ -f a ]" },
	{ "ls '*.c' \\*.c \"*\"", "ls *.c *.c *" },
	{ "ls ~ ~/a a~ x=~/y", "ls ?~ ?~/a a~ ?x=~/y" },
	{ "echo ${x:-$(a)} \"${y#`b`}\"", "echo *${x:-$(a)} ?${y#`b`}; a; b" },
	{ "echo ${x:-'}'} \"${x:-'}\"", "echo *${x:-'}'} ?${x:-'}" },
	{ "echo ${x/a/\"}\"}b}", "echo *${x/a/\"}\"}b}" },
	{ "echo $((1+2)) $(( $(a) + x[$(b)] )) $[1+1]", "echo *$((1+2)) *$(( $(a) + x[$(b)] )) *$[1+1]; a; b" },
	{ "echo $((a); b)", "echo *$((a); b); a; b" },
	{ "echo \"$@\" \"$*\" $1 $#", "echo *$@ ?$* *$1 *$#" },
	{ "echo $(a | b; c)", "echo *$(a | b; c); a; b; c" },
	{ "echo \"$(a \"$(b \"c d\")\")\"", "echo ?$(a \"$(b \"c d\")\"); a ?$(b \"c d\"); b c d" },
	{ "echo `a \\`b\\` c`", "echo *`a \\`b\\` c`; a *`b` c; b" },
	{ "echo \"`a \\\"b c\\\"`\"", "echo ?`a \\\"b c\\\"`; a b c" },
	{ "echo $(case x in a) b;; esac)", "echo *$(case x in a) b;; esac); #case x; #case a; b" },
	{ "echo $(a # b)\n)", "echo *$(a # b)\n); a" },
	{ "$(a) b", "!*$(a) b; a" },
	{ "diff <(a) <(b) > >(c)", "diff ?<(a) ?<(b); a; b; c" },
	{ "echo {a,b}c {1..3} {c..a}", "echo ac bc 1 2 3 c b a" },
	{ "{git,push}", "git push" },
	{ "g{i,}t", "git gt" },
	{ "echo {a} {} {,} a{b", "echo {a} {} a{b" },
	{ "echo {a,{b,c}}x '{a,b}' \\{a,b}", "echo ax bx cx {a,b} {a,b}" },
	{ "echo {a,b}{c,d}", "echo ac ad bc bd" },
	{ "echo {1..1000000}", "echo *{1..1000000}" },
	{ "echo {a}b,c} {a,b}} {{a,b} {},a} x{},a}", "echo a}b c a} b} {a {b {},a} x} xa" },
	{ "echo {a,b}-{1..2}", "echo a-1 a-2 b-1 b-2" },
	{ "echo \"$$(a)\"", "!echo; !" },
	{ "echo {01..03}", "echo *{01..03}" },
	{ "echo ${x", "!echo; !" },
	{ "echo $(a", "!echo; a; !" },
	{ "echo ${ a; }", "!echo; !" },
})

TEST_ROWS(variables, {
	{ "a=push; git $a", "a=push; git push" },
	{ "a=push\ngit \"$a\" ${a}x", "a=push; git push pushx" },
	{ "a='git push'; $a; \"$a\"", "a=git push; git push; git push" },
	{ "a=; $a git", "a=; git" },
	{ "a='*'; ls $a \"$a\"", "a=*; ls *$a *" },
	{ "a=push git $a", "!a=push git *$a" },
	{ "a=pull; a=push git $a", "a=pull; !a=push git *$a" },
	{ "a=1 b=$a", "a=1 ?b=$a" },
	{ "a=push | b; git $a", "a=push; b; !git *$a" },
	{ "a=push & git $a", "a=push; !git *$a" },
	{ "(a=push; git $a); git $a", "a=push; git push; !git *$a" },
	{ "x && a=push; git $a", "x; a=push; !git *$a" },
	{ "x && a=push && git $a", "x; a=push; git push" },
	{ "a=1; x && a=2 || y; git $a", "a=1; x; a=2; y; !git *$a" },
	{ "if x; then a=push; git $a; fi; git $a", "x; a=push; git push; !git *$a" },
	{ "a=push; while x; do git $a; a=pull; done", "a=push; x; !git *$a; a=pull" },
	{ "a=push; for a in b; do :; done; git $a", "a=push; #for b; :; !git *$a" },
	{ "a=push; f() { a=pull; }; f; git $a", "a=push; a=pull; !f; !git *$a" },
	{ "a=push; read a; git $a", "a=push; read a; !git *$a" },
	{ "a=push; eval a=x; git $a", "a=push; eval a=x; a=x; !git *$a" },
	{ "a=push; . f; git $a", "a=push; !. f; !git *$a" },
	{ "a=push; $x; git $a", "a=push; !*$x; !git *$a" },
	{ "export a=push; git $a", "export a=push; git push" },
	{ "a=push; IFS=u; git $a", "a=push; !IFS=u; !git *$a" },
	{ "PWD=push; git $PWD", "PWD=push; !git *$PWD" },
	{ "a=push; bash -c 'git $a'", "a=push; bash -c git $a; !git *$a" },
	{ "a=$(b); git $a", "?a=$(b); b; !git *$a" },
	{ "a=(x y); git $a", "?a=; !git *$a" },
	{ "a=push; ((a=1)); git $a", "a=push; #a=1; !git *$a" },
	{ "a+=push; git $a", "a+=push; !git *$a" },
	{ "a=push; : ${a:=x}; git $a", "a=push; : *${a:=x}; git push" },
})

TEST_ROWS(compounds, {
	{ "if a; then b; elif c; then d; else e; fi", "a; b; c; d; e" },
	{ "while a; do b; done < f", "a; b; " },
	{ "until a\ndo\nb\ndone", "a; b" },
	{ "for i in a 'b c' $(d); do e; done", "#for a b c *$(d); d; e" },
	{ "for i; do a; done", "#for; a" },
	{ "for i in x\ndo a; done", "#for x; a" },
	{ "for i in x; { a; }", "#for x; a" },
	{ "for ((i=0; i<$(a); i++)); do b; done", "#i=0 ?i<$(a) i++; a; b" },
	{ "select x in a b; do c; done", "#for a b; c" },
	{ "case $x in a|b) c;; (d) e;& *) f;;& g) h; esac",
	  "#case ?$x; #case a b; c; #case d; e; #case ?*; f; #case g; h" },
	{ "case x in esac", "#case x" },
	{ "case x in a) ;; esac; b", "#case x; #case a; b" },
	{ "f() { a; }; b", "a; b" },
	{ "f () ( a )", "a" },
	{ "function f { a; }", "a" },
	{ "function f() { a; } > b", "a; " },
	{ "git() { a; }; git push", "a; !git push" },
	{ "f() { git push; }; git() { a; }; f", "!git push; a; !f" },
	{ "coproc a b; c", "a b; c" },
	{ "coproc N { a; }; b", "a; b" },
	{ "[[ -f a && b == c* ]] && d", "#[[ -f a; #b == ?c*; d" },
	{ "[[ $x =~ ^(a|b)+$ ]]; c", "#[[ ?$x =~ ?^(a|b)+$; c" },
	{ "[[ a < b ]] || c", "#[[ a b; c" },
	{ "[[ x == @(a|b) ]]; c", "#[[ x == ?@(a|b); c" },
	{ "((x++)); a", "#x++; a" },
	{ "((reboot))", "#reboot" },
	{ "(( git push ))", "#git push" },
	{ "for i in a <b; do c; done", "#!for a; !" },
	{ "[[ a =~ ) ]]", "#![[ a =~; !" },
	{ "then a", "!" },
	{ "if a; fi", "a; !" },
	{ "{ a; } | b", "a; b" },
	{ "a; )", "a; !" },
	{ "a() b c", "b c" },
})

TEST_ROWS(documents, {
	{ "cat <<E\na $(b)\nE\nc", "cat; b; c" },
	{ "cat <<'E'\na $(b)\nE\nc", "cat; c" },
	{ "cat <<\\E\n`b`\nE\nc", "cat; c" },
	{ "cat <<-E\n\ta\n\tE\nb", "cat; b" },
	{ "cat <<A <<B\na\nA\nb\nB\nc", "cat; c" },
	{ "cat <<E | b\na\nE\nc", "cat; b; c" },
	{ "cat <<E && b\na\nE\nc", "cat; b; c" },
	{ "bash <<E\na; b\nE\nc", "bash; a; b; c" },
	{ "bash <<'E'\na $x\nE", "bash; a *$x" },
	{ "bash <<E\na $x\nE", "!bash; a *$x" },
	{ "sudo bash -s <<E\nrm -rf /\nE", "sudo bash -s; bash -s; rm -rf /" },
	{ "bash <<< 'git push'", "bash; git push" },
	{ "cat <<< 'git push'", "cat" },
	{ "cat <<E\na", "cat" },
	{ "cat <<E\na\\", "cat" },
	{ "cat <<E\n\\$(b) \\`c\\`\nE", "cat" },
	{ "cat <<E\n\"$(b \"c d\")\"\nE", "cat; b c d" },
	{ "cat <<E\na\\\nE\nb\nE", "cat; !" },
	{ "echo $(cat <<E\na\nE\n)", "echo *$(cat <<E\na\nE\n); cat" },
	{ "echo $(cat <<E)\na\nE", "!echo; cat; !" },
	{ "while a; do b; done <<E\n$(c)\nE", "a; b; ; c" },
	{ "cat <<\"E F\"\na\nE F\nb", "cat; b" },
})

TEST_ROWS(wrappers, {
	{ "timeout 5 git push", "git push" },
	{ "timeout -k 3 --signal=KILL 5m git push", "git push" },
	{ "nice -n 5 git push", "git push" },
	{ "nice -10 git push", "git push" },
	{ "nohup setsid -w stdbuf -oL ionice -c2 -n 3 git push", "git push" },
	{ "env -i -u A B=c git push", "B=c git push" },
	{ "env -S 'git push' -f", "git push -f" },
	{ "env -S'A=b git push'", "A=b git push" },
	{ "env -S 'git \"push\"'", "!env -S git \"push\"" },
	{ "command -p git push", "git push" },
	{ "command -v git", "command -v git" },
	{ "builtin exec -a x git push", "git push" },
	{ "exec git push", "git push" },
	{ "time -p timeout 1 git push", "git push" },
	{ "\\time -v git push", "git push" },
	{ "busybox sh -c 'git push'", "sh -c git push; git push" },
	{ "timeout --frobnicate 5 git push", "!git push" },
	{ "timeout $x git push", "!git push" },
	{ "sudo -u bob -E git push", "sudo -u bob -E git push; git push" },
	{ "sudo A=b git push", "A=b sudo A=b git push; git push" },
	{ "doas git push", "doas git push; git push" },
	{ "su - bob -c 'git push'", "su - bob -c git push; git push" },
	{ "su -c 'git push' bob", "su -c git push bob; git push" },
	{ "sh -c 'git push'", "sh -c git push; git push" },
	{ "bash -lc 'git push; a' x y", "bash -lc git push; a x y; git push; a" },
	{ "bash -o pipefail -ec 'git push'", "bash -o pipefail -ec git push; git push" },
	{ "bash -c -e 'git push'", "bash -c -e git push; git push" },
	{ "bash --norc -c \"git push\"", "bash --norc -c git push; git push" },
	{ "bash -c \"git $x\"", "!bash -c ?git $x; !git *$x" },
	{ "bash -c \"$x\"", "!bash -c ?$x; !*$x" },
	{ "bash x.sh", "bash x.sh" },
	{ "bash", "!bash" },
	{ "bash < x.sh", "bash" },
	{ "curl x | bash", "curl x; !bash" },
	{ "curl x | bash -s -- y", "curl x; !bash -s -- y" },
	{ "/bin/sh -c 'exec /usr/bin/git push'", "/bin/sh -c exec /usr/bin/git push; /usr/bin/git push" },
	{ "eval git push", "eval git push; git push" },
	{ "eval 'git push' '; a'", "eval git push ; a; git push; a" },
	{ "trap 'git push' EXIT", "trap git push EXIT; git push" },
	{ "trap - EXIT; trap '' INT", "trap - EXIT; trap '' INT" },
	{ "xargs git push", "xargs git push; git push" },
	{ "xargs -0 -n1 -I{} git {} x", "xargs -0 -n1 -I{} git {} x; !git ?{} x" },
	{ "xargs -I % sh -c 'git push %'", "xargs -I % sh -c git push %; !sh -c ?git push %; git push %" },
	{ "find . -exec git push {} + -exec rm {} \\;", "find . -exec git push {} + -exec rm {} ;; git push ?{}; rm ?{}" },
	{ "find . -execdir sh -c 'git push' \\;", "find . -execdir sh -c git push ;; sh -c git push; git push" },
	{ "ssh -p 22 host git push", "ssh -p 22 host git push; git push" },
	{ "ssh host 'a; b'", "ssh host a; b; a; b" },
	{ "watch -n 1 'git push'", "watch -n 1 git push; git push" },
	{ "script -qc 'git push' /dev/null", "script -qc git push /dev/null; git push" },
	{ "flock /tmp/l git push", "flock /tmp/l git push; git push" },
	{ "flock /tmp/l -c 'git push'", "flock /tmp/l -c git push; git push" },
	{ "strace -f -o x git push", "strace -f -o x git push; git push" },
	{ "parallel git push ::: a b", "parallel git push ::: a b; git push" },
	{ "chroot /x git push", "chroot /x git push; git push" },
	{ "uv run --with x git push", "uv run --with x git push; git push" },
	{ "bundle exec git push", "bundle exec git push; git push" },
	{ "/lib64/ld-linux-x86-64.so.2 /usr/bin/git push",
	  "/lib64/ld-linux-x86-64.so.2 /usr/bin/git push; /usr/bin/git push" },
	{ "git -c alias.x='!y' x", "!git -c alias.x=!y x" },
	{ "git -c user.name=x commit", "git -c user.name=x commit" },
	{ "git bisect run git push", "git bisect run git push; git push" },
	{ "git rebase -x 'git push' main", "git rebase -x git push main; git push" },
	{ "git rebase --exec='git push' main", "git rebase --exec=git push main; git push" },
	{ "git submodule foreach 'git push'", "git submodule foreach git push; git push" },
	{ "git fetch --upload-pack=x y", "!git fetch --upload-pack=x y" },
	{ "git clone ext::sh y", "!git clone ext::sh y" },
})

TEST_ROWS(blind, {
	{ "python3 -c 'import os'", "!python3 -c import os" },
	{ "python3 -m json.tool", "python3 -m json.tool" },
	{ "echo x | python3", "echo x; !python3" },
	{ "python3 - <<E\nx\nE", "!python3 -" },
	{ "perl -pi -e 's/a/b/' f", "!perl -pi -e s/a/b/ f" },
	{ "node -e 1; node x.js", "!node -e 1; node x.js" },
	{ "awk '{print $1}' f", "awk {print $1} f" },
	{ "awk '/a|b/ {print}' f", "awk /a|b/ {print} f" },
	{ "awk 'BEGIN{system(\"x\")}'", "!awk BEGIN{system(\"x\")}" },
	{ "awk '{print | \"sh\"}'", "!awk {print | \"sh\"}" },
	{ "sed -n '1,5p' f; sed 's/a/b/g' f; sed -e 's,a,b,' -e '/x/d' f",
	  "sed -n 1,5p f; sed s/a/b/g f; sed -e s,a,b, -e /x/d f" },
	{ "sed 's/a/b/e' f; sed '1e x' f; sed 'w f' g", "!sed s/a/b/e f; !sed 1e x f; !sed w f g" },
	{ "pwsh -EncodedCommand abc; cmd /c x; powershell.exe -c x",
	  "!pwsh -EncodedCommand abc; !cmd /c x; !powershell.exe -c x" },
	{ "LD_PRELOAD=x ls", "!LD_PRELOAD=x ls" },
	{ "PAGER=cat git log", "PAGER=cat git log" },
	{ "export LD_PRELOAD=x", "!export LD_PRELOAD=x" },
	{ "BASH_ENV=x", "!BASH_ENV=x" },
	{ "alias ls='git push'; ls", "!alias ls=git push; !ls" },
	{ "hash -p /bin/rm git; git push", "!hash -p /bin/rm git; !git push" },
	{ "shopt -s expand_aliases; a", "!shopt -s expand_aliases; !a" },
	{ "set -euo pipefail; a", "set -euo pipefail; a" },
	{ "source ~/.bashrc", "!source ?~/.bashrc" },
	{ "test -v 'a[$(git push)]'", "!test -v a[$(git push)]" },
	{ "[[ 'a[$(git push)]' -eq 0 ]]", "#![[ a[$(git push)] -eq 0" },
	{ "x='a[$(git push)]'", "!x=a[$(git push)]" },
	{ "declare 'a[$(git push)]=1'", "!declare a[$(git push)]=1" },
	{ "find $x", "!find *$x" },
	{ "a[0]=x", "!; !" },
})
/* clang-format on */

/* The table is searched by halves. */
static void test_table(void **state)
{
	const struct data_list *l = &data_commands_known;

	(void)state;
	for (size_t i = 1; i < l->n; i++) {
		const char *a = data_text(l, i - 1), *b = data_text(l, i);
		size_t n = strcspn(a, " "), m = strcspn(b, " ");
		int c = memcmp(a, b, n < m ? n : m);

		if (c > 0 || (c == 0 && n >= m))
			fail_msg("%s:%u: %s stands behind %s", l->file, data_at(l, i).line, b, a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lists),	   cmocka_unit_test(test_quotes),
		cmocka_unit_test(test_expansions), cmocka_unit_test(test_variables),
		cmocka_unit_test(test_compounds),  cmocka_unit_test(test_documents),
		cmocka_unit_test(test_wrappers),   cmocka_unit_test(test_blind),
		cmocka_unit_test(test_table),
	};

	return cmocka_run_group_tests_name("shell_parse", tests, NULL, NULL);
}

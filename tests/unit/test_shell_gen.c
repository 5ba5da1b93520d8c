/* SPDX-License-Identifier: Apache-2.0 */
/* Thousands of lines made from a grammar, with known answers: the commands come first, then a
 * line that holds them in some spelling and some place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/str.h"
#include "prng.h"
#include "shell/shell.h"

#define COMMANDS 256
#define WORDS 4

struct command {
	char words[WORDS][12];
	unsigned n;
};

struct gen {
	struct prng r;
	struct command commands[COMMANDS]; /* in the order in which parts are made */
	unsigned n;
	bool flat; /* no new lines, no here-documents */
	bool in_double, plain;
};

static unsigned below(struct gen *g, unsigned n)
{
	return prng_below(&g->r, n);
}

/* A value of any characters. */
static void make_value(struct gen *g, char *to)
{
	static const char chars[] = "abcgit-/.,:=+@%^ \t\n$`'\"\\;&|<>(){}[]*?#~!";
	unsigned n = 1 + below(g, 8);

	for (unsigned i = 0; i < n; i++)
		to[i] = chars[below(g, g->plain ? 12 : sizeof(chars) - 1)];
	to[n] = '\0';
}

static bool harmless(char c)
{
	return (c >= 'a' && c <= 'z') || (c && strchr("-/.,:+@%", c));
}

/* One character in one of its spellings. */
static void spell_char(struct gen *g, struct buf *b, char c)
{
	unsigned how = below(g, g->in_double ? 2 : 6);

	if (how < 2 && harmless(c))
		(void)buf_add(b, &c, 1);
	else if (how == 2 && c != '\'')
		(void)buf_addf(b, "'%c'", c);
	else if (how == 3 && c != '\'')
		(void)buf_addf(b, "$'\\x%02x'", (unsigned char)c);
	else if (how == 4 && c != '\n')
		(void)buf_addf(b, "\\%c", c);
	else
		(void)buf_addf(b, strchr("\"$`\\", c) ? "\"\\%c\"" : "\"%c\"", c);
	if (!below(g, 12) && !g->flat)
		(void)buf_adds(b, "\\\n");
}

static void spell(struct gen *g, struct buf *b, const char *value)
{
	unsigned how = below(g, 4);

	if (how == 0 && !strchr(value, '\'')) {
		(void)buf_addf(b, "'%s'", value);
	} else if (how == 1) {
		(void)buf_adds(b, "\"");
		for (const char *p = value; *p; p++)
			(void)buf_addf(b, strchr("\"$`\\", *p) ? "\\%c" : "%c", *p);
		(void)buf_adds(b, "\"");
	} else {
		for (const char *p = value; *p; p++)
			spell_char(g, b, *p);
	}
}

static void blank(struct gen *g, struct buf *b)
{
	static const char *const blanks[] = { " ", "  ", "\t", " \\\n" };

	(void)buf_adds(b, blanks[below(g, g->flat ? 3 : 4)]);
}

/* A command of certain words. Names are of no table: "q" and letters. */
static void simple(struct gen *g, struct buf *b)
{
	struct command *c = &g->commands[g->n++];

	c->n = 1 + below(g, WORDS);
	(void)snprintf(c->words[0], sizeof(c->words[0]), "q%c%c", 'a' + (int)below(g, 26),
		       'a' + (int)below(g, 26));
	spell(g, b, c->words[0]);
	for (unsigned i = 1; i < c->n; i++) {
		make_value(g, c->words[i]);
		blank(g, b);
		spell(g, b, c->words[i]);
	}
	if (!below(g, 6))
		(void)buf_adds(b, " 2>&1");
	if (!below(g, 6))
		(void)buf_adds(b, " >/dev/null");
}

static void list(struct gen *g, struct buf *b, unsigned depth);

static void wrapped(struct gen *g, struct buf *b, unsigned depth, const char *head,
		    const char *tail)
{
	(void)buf_adds(b, head);
	list(g, b, depth - 1);
	(void)buf_adds(b, tail);
}

/* A text that a shell reads: quoted once more. */
static void as_text(struct gen *g, struct buf *b, const char *head, const char *tail)
{
	_cleanup_buf_ struct buf text = BUF_INIT(1u << 16);
	bool flat = g->flat;

	simple(g, &text);
	(void)buf_adds(b, head);
	for (const char *p = text.data; *p; p++)
		if (*p == '\'')
			(void)buf_adds(b, "'\\''");
		else
			(void)buf_add(b, p, 1);
	(void)buf_adds(b, tail);
	g->flat = flat;
}

static void command(struct gen *g, struct buf *b, unsigned depth)
{
	static const struct {
		const char *head, *tail;
	} around[] = {
		{ "( ", " )" },
		{ "{ ", "; }" },
		{ "! ", "" },
		{ "time ", "" },
		{ "if ", "; then :; fi" },
		{ "if :; then ", "; fi" },
		{ "if :; then :; else ", "; fi" },
		{ "while ", "; do :; done" },
		{ "until :; do ", "; done" },
		{ "for i in a b; do ", "; done" },
		{ "for ((;;)); do ", "; done" },
		{ "select i in a; do ", "; done" },
		{ "case x in (x|y) ", ";; esac" },
		{ "fn() { ", "; }" },
		{ "function fn { ", "; }" },
		{ "[[ -f x ]] && { ", "; }" },
		{ ": $( ", " )" },
		{ ": \"$( ", " )\"" },
		{ ": ${x:-$( ", " )}" },
		{ ": \"${x#$( ", " )}\"" },
		{ ": <( ", " )" },
		{ ": $((1+$( ", " )))" },
		{ "x=$( ", " )" },
		{ "x=(a $( ", " ))" },
		{ ": >$( ", " )" },
		{ "(( $( ", " ) ))" },
	};
	unsigned how = depth ? below(g, 4) : 0;
	unsigned i = below(g, ARRAY_SIZE(around));

	if (g->n + 12 > COMMANDS)
		how = 0;
	if (how == 1 && (i == 2 || i == 3)) {
		(void)buf_adds(b, around[i].head);
		simple(g, b);
	} else if (how == 1 || how == 2) {
		wrapped(g, b, depth, around[i].head, around[i].tail);
	} else if (how == 3) {
		static const char *const heads[] = { "bash -c '", "eval '", "sh -ec '",
						     "timeout 5 sh -c '", "trap '" };
		unsigned h = below(g, ARRAY_SIZE(heads));

		as_text(g, b, heads[h], h == 4 ? "' 0" : "'");
	} else {
		simple(g, b);
	}
}

static void list(struct gen *g, struct buf *b, unsigned depth)
{
	static const char *const between[] = { ";",
					       "; ",
					       "&&",
					       " || ",
					       "|",
					       " | ",
					       " & ",
					       "&",
					       "|&",
					       "\n",
					       " # it's \" a ` $( comment\n" };
	unsigned n = 1 + below(g, 3);

	for (unsigned i = 0; i < n; i++) {
		if (i)
			(void)buf_adds(b, between[below(g, ARRAY_SIZE(between))]);
		command(g, b, depth);
	}
}

/* The part's words are the command's, whatever stands in front. */
static bool is_command(const struct shell_part *p, const struct command *c)
{
	if (p->n_words != c->n || p->why)
		return false;
	for (unsigned i = 0; i < c->n; i++)
		if (!streq(p->words[i].text, c->words[i]))
			return false;
	return true;
}

static void check(const struct gen *g, const struct buf *b, const struct shell_line *line)
{
	unsigned found = 0;

	if (line->note[0])
		fail_msg("%s\n%s", line->note, b->data);
	for (size_t i = 0; i < line->n_parts; i++) {
		const struct shell_part *p = &line->parts[i];
		const char *name = shell_program(p);

		if (found < g->n && is_command(p, &g->commands[found]))
			found++;
		else if (name && name[0] == 'q' && strlen(name) == 3)
			fail_msg("a part that is none of it: %s\n%s", name, b->data);
	}
	if (found != g->n)
		fail_msg("%s\n%u of %u commands, not found: %s", b->data, found, g->n,
			 g->commands[found].words[0]);
}

static void test_generated(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 20000; i++) {
		struct gen *g = calloc(1, sizeof(*g));
		_cleanup_buf_ struct buf b = BUF_INIT(1u << 20);
		_cleanup_shell_line_ struct shell_line *line = NULL;

		assert_non_null(g);
		g->r.state = 0x9e3779b97f4a7c15ull + i;
		g->plain = i % 4 == 0;
		for (unsigned k = 0; k < 4; k++)
			(void)below(g, 2);
		list(g, &b, 1 + i % 4);
		assert_false(b.failed);
		assert_int_equal(shell_parse(b.data, b.len, &line, NULL), 0);
		check(g, &b, line);
		free(g);
	}
}

/* Any bytes: a line is always the result, and says when it was not understood. */
static void test_garbage(void **state)
{
	static const char *const pieces[] = {
		"'",	 "\"",	  "`",	  "$(",	   "${",  "$((", "((", "))",  ")",   "}",     "{",
		";",	 "&",	  "|",	  "<<E\n", "E\n", "<(",	 "[[", "]]",  "if ", "then ", "fi ",
		"case ", "esac",  " in ", ";;",	   "\\",  "\n",	 "#",  "$'",  "a",   "=",     "(",
		"do ",	 "done ", "for ", "f()",   "$x",  "*",	 "~",  "<<<", ">&",  "\1"
	};
	struct prng r = { 12345 };

	(void)state;
	for (unsigned i = 0; i < 20000; i++) {
		_cleanup_buf_ struct buf b = BUF_INIT(1u << 16);
		_cleanup_shell_line_ struct shell_line *line = NULL;

		for (unsigned k = prng_below(&r, 30); k; k--)
			(void)buf_adds(&b, pieces[prng_below(&r, ARRAY_SIZE(pieces))]);
		assert_int_equal(shell_parse(b.data ? b.data : "", b.len, &line, NULL), 0);
		assert_true(!line->note[0] || line->blind);
	}
}

/* Long lines: a result within the limits, and in time that grows as they do. */
static void test_long(void **state)
{
	static const char *const pieces[] = {
		"{",	 "$(",	 "a;",	  "((a) );",  "a{",	    "`\\`",  "cat <<A\n$(b)\nA\n",
		"a=[$(", "\\\n", "$((1+", "[a",	      "f(){ a; };", "x=1;",  "\"${a#",
		"a|",	 "a&&",	 "a ",	  "'a'",      "<<E ",	    "if a;", "case a in ",
		"{a,b}", "$x",	 "~",	  "$'\\x41'", "a\n",	    "<(",    "[[ a ",
		"\"$(",	 "eval "
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(pieces); i++) {
		_cleanup_buf_ struct buf b = BUF_INIT(1u << 20);
		_cleanup_shell_line_ struct shell_line *line = NULL;

		while (b.len < 200000)
			(void)buf_adds(&b, pieces[i]);
		assert_int_equal(shell_parse(b.data, b.len, &line, NULL), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_generated),
		cmocka_unit_test(test_garbage),
		cmocka_unit_test(test_long),
	};

	return cmocka_run_group_tests_name("shell_gen", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* if, while, for, case, functions, groups, [[ ]], (( )), coproc, time.
 *
 * Their own words are parts with SHELL_TEST. bash runs no program for them; a shell that knows
 * no [[ or (( does, so rules look at their words as well. */
#include <string.h>

#include "base/str.h"
#include "shell/impl.h"

static void expect(struct stream *st, const char *word)
{
	skip_lines(st);
	if (!accept_keyword(st, word))
		stream_fail(st, SHELL_WHY_SYNTAX, "a compound command without its end");
}

/* A list that may run or not. */
static void branch(struct stream *st)
{
	uint16_t outer = st->flags;
	struct var_mark mark;

	var_mark(st->r, &mark);
	st->flags |= SHELL_CONDITIONAL;
	parse_list(st);
	st->flags = outer;
	var_taint(st->r, &mark);
}

static void parse_if(struct stream *st)
{
	uint16_t outer = st->flags;
	struct var_mark mark;

	parse_list(st);
	expect(st, "then");
	branch(st);
	var_mark(st->r, &mark);
	st->flags |= SHELL_CONDITIONAL;
	while (skip_lines(st), accept_keyword(st, "elif")) {
		parse_list(st);
		expect(st, "then");
		branch(st);
	}
	if (accept_keyword(st, "else"))
		branch(st);
	st->flags = outer;
	var_taint(st->r, &mark);
	expect(st, "fi");
}

static void body_in_loop(struct stream *st, const char *end)
{
	st->loops++;
	branch(st);
	st->loops--;
	expect(st, end);
}

static void parse_while(struct stream *st)
{
	struct var_mark mark;

	var_mark(st->r, &mark);
	st->loops++;
	parse_list(st);
	st->loops--;
	var_taint(st->r, &mark);
	expect(st, "do");
	body_in_loop(st, "done");
}

/* ---- parts of words only ------------------------------------------------ */

struct words_part {
	int32_t part, outer;
	uint32_t words;
	size_t from;
};

/* first: a word that stands for the reserved word, NULL for what a shell that does not know it
 * would run. */
static struct words_part test_begin(struct stream *st, const char *first)
{
	struct shell_word *w;

	struct words_part t = { .outer = st->parent, .words = st->r->n_words, .from = st->pos };

	t.part = part_new(st, st->pos);
	if (t.part >= 0) {
		st->r->parts[t.part].flags |= SHELL_TEST;
		st->parent = t.part;
	}
	if (first && (w = word_push(st)))
		*w = (struct shell_word){ .text = first,
					  .len = (uint32_t)strlen(first),
					  .known = (uint32_t)strlen(first),
					  .off = line_off(st, t.from) };
	return t;
}

static void test_end(struct stream *st, const struct words_part *t)
{
	st->parent = t->outer;
	if (t->part < 0)
		return;
	st->r->parts[t->part].span = line_span(st, t->from, st->pos);
	(void)part_fill(st, t->part, t->words, 0, st->r->n_redirs);
}

/* Behind "((": its words as they are written. */
static void parse_arith(struct stream *st)
{
	struct wordbuf b = { .start = st->r->n_text, .in_double = true };
	struct words_part t = test_begin(st, NULL);
	struct reading *r = st->r;
	size_t from = b.start;

	arith_read(st, &b, ')', 2);
	b.hole |= b.why != 0;
	for (size_t i = b.start; i <= r->n_text && !st->fail_why; i++) {
		struct wordbuf one = b;

		if (i < r->n_text && !strchr(" \t\n;", r->text[i]))
			continue;
		if (i > from) {
			size_t end = r->n_text;

			one.start = from;
			r->n_text = i;
			(void)word_finish(st, WORD_TEST, &one, t.from);
			r->n_text = end;
		}
		from = i + 1;
	}
	r->n_text = b.start;
	test_end(st, &t);
}

static void parse_for(struct stream *st)
{
	struct words_part t;
	struct reading *r = st->r;
	struct shell_name *v;
	size_t name;

	skip_blanks(st);
	if (accept_token(st, "((")) {
		parse_arith(st);
		skip_blanks(st);
		(void)accept_token(st, ";");
	} else {
		name = st->pos;
		while (st->pos < st->end && is_name((unsigned char)st->s[st->pos]))
			st->pos++;
		v = name_find(r->vars, r->n_vars, st->s + name, st->pos - name);
		if (v)
			v->known = false;
		if (st->pos == name || cur(st) < 0 || shell_class[cur(st)] != CH_DELIM)
			stream_fail(st, SHELL_WHY_SYNTAX, "for without a name");
		t = test_begin(st, "for");
		skip_lines(st);
		if (accept_keyword(st, "in")) {
			skip_blanks(st);
			while (!st->fail_why && cur(st) >= 0 && !strchr(";\n&|()#", cur(st))) {
				if (word_read(st, WORD_ARG) < 0)
					break;
				skip_blanks(st);
			}
		}
		test_end(st, &t);
		skip_blanks(st);
		(void)accept_token(st, ";");
	}
	skip_lines(st);
	if (accept_keyword(st, "{")) {
		body_in_loop(st, "}");
		return;
	}
	expect(st, "do");
	body_in_loop(st, "done");
}

/* PATTERN|PATTERN) LIST ;; */
static void case_clause(struct stream *st)
{
	(void)accept_token(st, "(");
	do {
		skip_blanks(st);
		if (cur(st) >= 0 && strchr(";&|()<>\n", cur(st)))
			stream_fail(st, SHELL_WHY_SYNTAX, "a pattern of case is not understood");
		if (word_read(st, WORD_TEST) < 0)
			return;
		skip_blanks(st);
	} while (accept_token(st, "|"));
	if (!accept_token(st, ")"))
		stream_fail(st, SHELL_WHY_SYNTAX, "a pattern of case without )");
}

static void parse_case(struct stream *st)
{
	uint16_t outer = st->flags;
	struct words_part t;
	struct var_mark mark;
	bool last = false;

	skip_blanks(st);
	t = test_begin(st, "case");
	(void)word_read(st, WORD_TEST);
	test_end(st, &t);
	skip_lines(st);
	if (!accept_keyword(st, "in"))
		stream_fail(st, SHELL_WHY_SYNTAX, "case without in");
	var_mark(st->r, &mark);
	st->flags |= SHELL_CONDITIONAL;
	while (!st->fail_why && !last) {
		skip_lines(st);
		if (accept_keyword(st, "esac"))
			break;
		t = test_begin(st, "case");
		case_clause(st);
		test_end(st, &t);
		branch(st);
		/* Nothing of one clause is certain in the next, but ;& goes on there. */
		skip_blanks(st);
		last = !accept_token(st, ";;&") && !accept_token(st, ";;") &&
		       !accept_token(st, ";&");
		if (last)
			expect(st, "esac");
	}
	st->flags = outer;
	var_taint(st->r, &mark);
}

/* Behind "[[": words until "]]"; && and || begin a new part. */
static void parse_test(struct stream *st)
{
	struct words_part t = test_begin(st, "[[");
	enum word_mode mode = WORD_TEST;

	for (;;) {
		const struct shell_word *w;
		int c;

		skip_blanks(st);
		c = cur(st);
		if (c == '\n') {
			eat_newline(st);
		} else if (accept_token(st, "&&") || accept_token(st, "||")) {
			test_end(st, &t);
			t = test_begin(st, NULL);
		} else if (mode != WORD_REGEX && (c == '(' || c == ')')) {
			st->pos++;
		} else if ((c == '<' || c == '>') && peek_next(st) != '(') {
			st->pos++;
		} else if (c < 0 || (shell_class[c] == CH_DELIM && !strchr("<>(", c))) {
			stream_fail(st, SHELL_WHY_SYNTAX, "[[ is not understood");
		} else if (mode != WORD_REGEX && accept_keyword(st, "]]")) {
			break;
		} else if (word_read(st, mode) >= 0 && st->r->n_words > t.words) {
			w = &st->r->words[st->r->n_words - 1];
			mode = !w->why && !w->quoted && streq(w->text, "=~") ? WORD_REGEX
									     : WORD_TEST;
		}
		if (st->fail_why)
			break;
	}
	test_end(st, &t);
}

/* ---- functions and the rest --------------------------------------------- */

void parse_function(struct stream *st, const char *name, size_t len)
{
	const char *outer_func = st->func;
	uint32_t outer_len = st->func_len;
	uint16_t outer_flags = st->flags;
	uint8_t outer_origin = st->origin;
	struct var_mark mark;

	func_define(st->r, name, len);
	skip_lines(st);
	var_mark(st->r, &mark);
	st->func = shell_pool_text(st->r->pool, name, len);
	st->func_len = st->func ? (uint32_t)len : 0;
	st->flags =
		(st->flags | SHELL_CONDITIONAL) & (uint16_t) ~(SHELL_PIPED_IN | SHELL_PIPED_OUT);
	st->origin = SHELL_FUNCTION;
	st->loops++;
	parse_command(st);
	st->loops--;
	st->origin = outer_origin;
	st->flags = outer_flags;
	st->func = outer_func;
	st->func_len = outer_len;
	var_taint(st->r, &mark);
}

static void parse_function_word(struct stream *st)
{
	struct reading *r = st->r;
	uint32_t words = r->n_words;
	struct shell_word w;

	skip_blanks(st);
	if (word_read(st, WORD_ARG) != 1 || r->words[words].why) {
		r->n_words = words;
		r->redefined = true;
		stream_fail(st, SHELL_WHY_SYNTAX, "a function's name is not understood");
		return;
	}
	w = r->words[words];
	r->n_words = words;
	skip_blanks(st);
	if (accept_token(st, "(")) {
		skip_blanks(st);
		if (!accept_token(st, ")"))
			stream_fail(st, SHELL_WHY_SYNTAX, "a function is not understood");
	}
	parse_function(st, w.text, w.len);
}

static void parse_group(struct stream *st, bool subshell)
{
	uint8_t outer = st->origin;
	struct var_mark mark;

	if (!subshell) {
		parse_list(st);
		expect(st, "}");
		return;
	}
	var_mark(st->r, &mark);
	if (st->origin == SHELL_TOP)
		st->origin = SHELL_SUBSHELL;
	parse_list(st);
	skip_blanks(st);
	if (cur(st) == ')')
		st->pos++;
	else
		stream_fail(st, SHELL_WHY_SYNTAX, "a ( without its )");
	st->origin = outer;
	var_taint(st->r, &mark);
}

/* coproc [NAME] COMMAND: a name only before a compound command. */
static void parse_coproc(struct stream *st)
{
	uint32_t from = st->r->n_parts;
	struct var_mark mark;
	size_t start, word;
	char kw[10];

	skip_blanks(st);
	var_mark(st->r, &mark);
	start = word = st->pos;
	while (word < st->end && is_name((unsigned char)st->s[word]))
		word++;
	st->pos = word;
	skip_blanks(st);
	if (word > start && st->pos > word &&
	    (cur(st) == '(' || (keyword(st, kw, &word) &&
				(streq(kw, "{") || streq(kw, "if") || streq(kw, "while") ||
				 streq(kw, "for") || streq(kw, "until") || streq(kw, "case") ||
				 streq(kw, "[[") || streq(kw, "select"))))) {
		/* "if x; ..." is no name. */
		size_t behind = st->pos;

		st->pos = start;
		if (!keyword(st, kw, &word) || (!streq(kw, "if") && !streq(kw, "while") &&
						!streq(kw, "until") && !streq(kw, "time")))
			st->pos = behind;
	} else {
		st->pos = start;
	}
	parse_command(st);
	parts_flag(st->r, from, SHELL_BACKGROUND | SHELL_PIPED_IN | SHELL_PIPED_OUT);
	var_taint(st->r, &mark);
}

/* time [-p] PIPELINE. false: an option that only the program has. */
static bool parse_time(struct stream *st, size_t behind)
{
	size_t saved = st->pos;

	st->pos = behind;
	skip_blanks(st);
	while (cur(st) == '-') {
		size_t at = st->pos;
		int c;

		if (!accept_token(st, "-p") && !accept_token(st, "--"))
			st->pos = at + 1;
		c = cur(st);
		if (c >= 0 && shell_class[c] != CH_DELIM) {
			st->pos = saved;
			return false;
		}
		skip_blanks(st);
	}
	if (cur(st) >= 0 && !strchr("\n;&|)#", cur(st)))
		parse_pipeline(st);
	return true;
}

static bool parse_keyword(struct stream *st, const char *kw, size_t behind)
{
	size_t saved = st->pos;

	st->pos = behind;
	if (streq(kw, "if"))
		parse_if(st);
	else if (streq(kw, "while") || streq(kw, "until"))
		parse_while(st);
	else if (streq(kw, "for") || streq(kw, "select"))
		parse_for(st);
	else if (streq(kw, "case"))
		parse_case(st);
	else if (streq(kw, "function"))
		parse_function_word(st);
	else if (streq(kw, "[["))
		parse_test(st);
	else if (streq(kw, "{"))
		parse_group(st, false);
	else if (streq(kw, "coproc"))
		parse_coproc(st);
	else if (streq(kw, "!"))
		parse_pipeline(st);
	else {
		st->pos = saved;
		return streq(kw, "time") && parse_time(st, behind);
	}
	return true;
}

bool parse_compound(struct stream *st)
{
	int c = cur(st);
	char kw[10];
	size_t behind;

	if (c == '(') {
		st->pos++;
		if (cur(st) == '(') {
			size_t saved = st->pos++;

			if (arith_ahead(st)) {
				parse_arith(st);
				return true;
			}
			st->pos = saved;
		}
		parse_group(st, true);
		return true;
	}
	if (!strchr("iwufsc[{t!", c) || !keyword(st, kw, &behind))
		return false;
	return parse_keyword(st, kw, behind);
}

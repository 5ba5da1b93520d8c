/* SPDX-License-Identifier: Apache-2.0 */
/* Lists, pipelines, and what holds texts together. */
#include <string.h>

#include "base/str.h"
#include "shell/impl.h"

/* ---- substitutions and arithmetic --------------------------------------- */

void read_substitution(struct stream *st, enum shell_origin origin)
{
	uint8_t outer_origin = st->origin;
	bool outer_wait = st->docs_wait;
	unsigned outer_docs = st->n_docs;
	struct var_mark mark;

	if (st->depth >= SHELL_MAX_DEPTH) {
		stream_fail(st, SHELL_WHY_LIMIT, "nested too deeply");
		return;
	}
	var_mark(st->r, &mark);
	st->docs_wait |= st->n_docs > 0;
	st->origin = (uint8_t)origin;
	st->depth++;
	parse_list(st);
	skip_blanks(st);
	if (cur(st) != ')')
		stream_fail(st, SHELL_WHY_SYNTAX, "a ( without its )");
	else
		st->pos++;
	if (st->n_docs != outer_docs)
		stream_fail(st, SHELL_WHY_SYNTAX, "a here-document begins before a )");
	st->depth--;
	st->origin = outer_origin;
	st->docs_wait = outer_wait;
	var_taint(st->r, &mark);
}

/* To the quote that closes the one at i; the end when there is none. */
static size_t past_quote(const char *s, size_t i, size_t end)
{
	char q = s[i++];

	for (; i < end && s[i] != q; i++)
		if (s[i] == '\\' && q != '\'')
			i++;
	return i;
}

bool arith_ahead(struct stream *st)
{
	unsigned depth = 0;
	size_t i;

	for (i = st->pos; i < st->end; i++) {
		char c = st->s[i];

		if (c == '\\')
			i++;
		else if (c == '\'' || c == '"' || c == '`')
			i = past_quote(st->s, i, st->end);
		else if (c == '(')
			depth++;
		else if (c == ')' && depth-- == 0)
			break;
	}
	st->r->again += i - st->pos;
	if (st->r->again > 4 * (size_t)SHELL_MAX_BYTES)
		stream_fail(st, SHELL_WHY_LIMIT, "too much is nested");
	if (i + 1 < st->end && st->s[i + 1] == ')')
		return true;
	/* Then it is a subshell in a subshell, and read again. */
	if (++st->r->retries > 16)
		stream_fail(st, SHELL_WHY_LIMIT, "too many ((");
	return false;
}

void arith_read(struct stream *st, struct wordbuf *b, int close, int closes)
{
	int open = close == ')' ? '(' : '[';
	unsigned depth = 0;

	for (int c = cur(st);; c = cur(st)) {
		if (c == close && depth == 0)
			break;
		if (c == close)
			depth--;
		else if (c == open)
			depth++;
		if (c < 0 || c == '\'' || (c == '\n' && (st->n_docs || st->docs_wait))) {
			stream_fail(st, SHELL_WHY_SYNTAX, "arithmetic is not understood");
			return;
		}
		/* x=1, x++, or a name whose value is such a text. */
		st->r->vars_off |= is_name_start(c);
		if (c == '$') {
			expand_dollar(st, b, true);
		} else if (c == '`') {
			expand_backquote(st, b, true);
		} else if (c == '"') {
			st->pos++;
			expand_double(st, b);
		} else if (c == '\\') {
			st->pos += st->pos + 1 < st->end ? 2 : 1;
		} else {
			wb_byte(st, (char)c, ACT_QUOTED);
			st->pos++;
		}
	}
	for (; closes; closes--)
		if (cur(st) == close)
			st->pos++;
		else
			stream_fail(st, SHELL_WHY_SYNTAX, "arithmetic without its end");
}

/* ---- lists -------------------------------------------------------------- */

void parse_pipeline(struct stream *st)
{
	struct reading *r = st->r;
	uint32_t from = r->n_parts;
	uint16_t outer = st->flags;
	struct var_mark mark;

	var_mark(r, &mark);
	while (accept_keyword(st, "!"))
		skip_blanks(st);
	parse_command(st);
	for (;;) {
		skip_blanks(st);
		if (cur(st) != '|' || peek_next(st) == '|')
			break;
		(void)accept_token(st, "|");
		(void)accept_token(st, "&");
		parts_flag(r, from, SHELL_PIPED_OUT);
		var_taint(r, &mark);
		skip_lines(st);
		from = r->n_parts;
		st->flags |= SHELL_PIPED_IN;
		parse_command(st);
		var_taint(r, &mark);
	}
	st->flags = outer;
}

static void parse_and_or(struct stream *st)
{
	uint16_t outer = st->flags;
	struct var_mark mark;
	bool more = false;

	parse_pipeline(st);
	for (;;) {
		bool either;

		skip_blanks(st);
		either = accept_token(st, "||");
		if (!either && !accept_token(st, "&&"))
			break;
		if (!more)
			var_mark(st->r, &mark);
		else if (either)
			var_taint(st->r, &mark);
		more = true;
		skip_lines(st);
		st->flags |= SHELL_CONDITIONAL;
		parse_pipeline(st);
	}
	if (more)
		var_taint(st->r, &mark);
	st->flags = outer;
}

/* Is something at hand that ends a list, or can begin no command? */
static bool list_ends(struct stream *st)
{
	static const char *const closers[] = { "then", "do",   "done", "fi",
					       "elif", "else", "esac", "}" };
	int c = cur(st);
	char word[10];
	size_t end;

	if (c < 0 || c == ')' || c == ';' || c == '|')
		return true;
	if (c == '&')
		return peek_next(st) != '>';
	if (!strchr("tdfe}", c) || !keyword(st, word, &end))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(closers); i++)
		if (streq(word, closers[i]))
			return true;
	return false;
}

void parse_list(struct stream *st)
{
	struct reading *r = st->r;

	for (;;) {
		struct var_mark mark;
		uint32_t from;
		int c;

		skip_lines(st);
		if (list_ends(st))
			return;
		from = r->n_parts;
		var_mark(r, &mark);
		parse_and_or(st);
		skip_blanks(st);
		c = cur(st);
		if (c == '&') {
			st->pos++;
			parts_flag(r, from, SHELL_BACKGROUND);
			var_taint(r, &mark);
		} else if (c == ';') {
			int next = peek_next(st);

			if (next == ';' || next == '&')
				return;
			st->pos++;
		} else if (c == '#') {
			/* skip_lines() takes the comment. */
		} else if (c != '\n') {
			return;
		}
	}
}

void parse_command(struct stream *st)
{
	skip_blanks(st);
	if (cur(st) < 0) {
		stream_fail(st, SHELL_WHY_SYNTAX, "a command is missing");
		return;
	}
	if (st->depth >= SHELL_MAX_DEPTH) {
		stream_fail(st, SHELL_WHY_LIMIT, "nested too deeply");
		return;
	}
	st->depth++;
	if (parse_compound(st)) {
		st->depth--;
		parse_redirs(st);
		return;
	}
	st->depth--;
	parse_simple(st);
}

/* ---- texts -------------------------------------------------------------- */

void parse_stream(struct stream *st)
{
	parse_list(st);
	if (!st->fail_why && st->pos < st->end && cur(st) >= 0)
		stream_fail(st, SHELL_WHY_SYNTAX, "something there can begin no command");
	/* At the end of the text, here-documents end as well. */
	if (!st->fail_why && st->n_docs)
		heredocs_read(st);
	if (st->fail_why)
		part_opaque(st, st->pos, st->real_end, st->fail_why);
}

void parse_text(struct stream *st, const struct inner_text *t)
{
	struct reading *r = st->r;
	bool off = r->vars_off;
	struct stream in = {
		.r = r,
		.s = t->s,
		.end = t->len,
		.real_end = t->len,
		.fixed = true,
		.off = t->off,
		.span = t->span,
		.depth = (uint8_t)(st->depth + 1),
		.origin = (uint8_t)t->origin,
		.flags = t->parent >= 0
				 ? r->parts[t->parent].flags & (SHELL_PIPED_IN | SHELL_CONDITIONAL)
				 : st->flags,
		.parent = t->parent,
		.loops = st->loops,
		.func = st->func,
		.func_len = st->func_len,
	};

	r->again += t->len;
	if (in.depth > SHELL_MAX_DEPTH || r->again > 4 * (size_t)SHELL_MAX_BYTES)
		stream_fail(&in, SHELL_WHY_LIMIT, "nested too deeply");
	if (!t->same_shell)
		r->vars_off = true;
	parse_stream(&in);
	if (!t->same_shell)
		r->vars_off = off;
	if (r->oom)
		stream_fail(st, SHELL_WHY_LIMIT, "out of memory");
}

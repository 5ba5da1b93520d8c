/* SPDX-License-Identifier: Apache-2.0 */
/* Quotes and everything that begins with '$' or '`'. */
#include <string.h>

#include "base/str.h"
#include "shell/impl.h"

void expand_single(struct stream *st, struct wordbuf *b)
{
	const char *from = st->s + st->pos, *q = memchr(from, '\'', st->end - st->pos);

	if (!q) {
		stream_fail(st, SHELL_WHY_SYNTAX, "a ' without its end");
		return;
	}
	b->quoted = true;
	b->empty_quotes |= q == from;
	wb_add(st, from, (size_t)(q - from), ACT_QUOTED);
	st->pos += (size_t)(q - from) + 1;
}

/* Up to the character end (or the end of the text for -1), which is left. */
static void double_until(struct stream *st, struct wordbuf *b, int end)
{
	for (;;) {
		size_t from = st->pos, i = from;
		int c;

		for (; i < st->end; i++) {
			char at = st->s[i];

			if (at == '"' || at == '\\' || at == '$' || at == '`')
				break;
		}
		if (i > from)
			wb_add(st, st->s + from, i - from, ACT_QUOTED);
		st->pos = i;
		c = cur(st);
		if (c == end)
			return;
		if (c == '$') {
			expand_dollar(st, b, true);
		} else if (c == '`') {
			expand_backquote(st, b, true);
		} else if (c == '\\') {
			int next = st->pos + 1 < st->end ? (unsigned char)st->s[st->pos + 1] : -1;

			if ((next >= 0 && next == end) || next == '\\' || next == '$' ||
			    next == '`')
				st->pos++;
			wb_byte(st, st->s[st->pos++], ACT_QUOTED);
		} else if (c == '"') {
			wb_byte(st, '"', ACT_QUOTED);
			st->pos++;
		} else if (c < 0) {
			stream_fail(st, SHELL_WHY_SYNTAX, "a \" without its end");
			return;
		}
		/* Anything else: behind a line continuation. */
	}
}

void expand_double(struct stream *st, struct wordbuf *b)
{
	size_t start = st->r->n_text;
	bool outer = b->in_double;

	b->quoted = true;
	b->in_double = true;
	double_until(st, b, '"');
	b->in_double = outer;
	b->empty_quotes |= st->r->n_text == start;
	if (!st->fail_why)
		st->pos++;
}

void expand_document(struct stream *st, struct wordbuf *b)
{
	b->in_double = true;
	double_until(st, b, -1);
}

/* ---- $'...' ------------------------------------------------------------- */

static unsigned digits(struct stream *st, unsigned base, unsigned max)
{
	unsigned v = 0;

	for (; max && st->pos < st->end; max--, st->pos++) {
		char c = chr_lower(st->s[st->pos]);
		unsigned d = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
			     : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
						    : 99;

		if (d >= base)
			break;
		v = v * base + d;
	}
	return v;
}

/* Behind a backslash in $'...': the byte it stands for, or -1 for one that is not certain. */
static int ansi_escape(struct stream *st)
{
	static const char names[] = "abeEfnrtv\\'\"?";
	static const char values[] = "\a\b\033\033\f\n\r\t\v\\'\"?";
	char c = st->s[st->pos++];
	const char *at = c ? strchr(names, c) : NULL;
	size_t from = st->pos;
	unsigned v;

	/* Where $ is a character by itself, the quote ends here. */
	if (c == '\'')
		return -1;
	if (at)
		return (unsigned char)values[at - names];
	if (c >= '0' && c <= '7') {
		st->pos--;
		return (int)(digits(st, 8, 3) & 0xff);
	}
	if (c == 'x' || c == 'u' || c == 'U') {
		v = digits(st, 16, c == 'x' ? 2 : c == 'u' ? 4 : 8);
		return st->pos == from || (c != 'x' && v > 0x7f) ? -1 : (int)v;
	}
	if (c == 'c' && st->pos < st->end && st->s[st->pos] != '\\' && st->s[st->pos] != '\'')
		return st->s[st->pos++] & 0x1f;
	return -1;
}

/* Behind $': bash's quotes with escapes. */
static void ansi_quote(struct stream *st, struct wordbuf *b, size_t from)
{
	bool sure = true, nul = false;
	size_t start = st->r->n_text;

	b->quoted = true;
	while (st->pos < st->end && st->s[st->pos] != '\'') {
		int c = (unsigned char)st->s[st->pos++];

		if (c == '\\' && st->pos < st->end) {
			c = ansi_escape(st);
			sure &= c >= 0;
			nul |= c == 0;
		}
		/* The value ends at a NUL. */
		if (c > 0 && !nul)
			wb_byte(st, (char)c, ACT_QUOTED);
	}
	if (st->pos >= st->end) {
		stream_fail(st, SHELL_WHY_SYNTAX, "a $' without its end");
		return;
	}
	st->pos++;
	b->empty_quotes |= st->r->n_text == start;
	if (sure)
		return;
	st->r->n_text = start;
	wb_hole(st, b, from, SHELL_WHY_SYNTAX, true, false);
}

/* ---- variables ---------------------------------------------------------- */

static void add_value(struct stream *st, struct wordbuf *b, const struct shell_name *v, bool quoted,
		      size_t from)
{
	if (quoted) {
		wb_add(st, v->value, v->value_len, ACT_QUOTED);
		return;
	}
	for (uint32_t i = 0; i < v->value_len; i++)
		if (strchr("*?[\\", v->value[i])) {
			wb_hole(st, b, from, SHELL_WHY_VARIABLE, false, true);
			return;
		}
	for (uint32_t i = 0; i < v->value_len; i++) {
		char c = v->value[i];
		bool blank = c == ' ' || c == '\t' || c == '\n';

		b->split |= blank;
		wb_byte(st, c, blank ? ACT_SPLIT : ACT_QUOTED);
	}
}

/* ${...}, behind the name: operators, defaults, subscripts; whatever is in it is looked
 * through for substitutions. In double quotes a ' is a quote only behind an operator on
 * patterns. Returns whether it may be several words even in quotes. */
static bool braced_rest(struct stream *st, bool quoted, bool in_double)
{
	struct wordbuf inner = { .start = st->r->n_text, .in_double = in_double };
	int op = cur(st);
	bool pattern = op >= 0 && strchr("#%/^,", op);
	uint16_t outer = st->flags;

	/* Which of it is expanded depends on the value. */
	st->flags |= SHELL_CONDITIONAL;
	for (int c = op; c != '}'; c = cur(st)) {
		if (c < 0) {
			stream_fail(st, SHELL_WHY_SYNTAX, "a ${ without its end");
		} else if (c == '\\') {
			st->pos += st->pos + 1 < st->end ? 2 : 1;
		} else if (c == '$') {
			expand_dollar(st, &inner, quoted);
		} else if (c == '`') {
			expand_backquote(st, &inner, quoted);
		} else if (c == '"') {
			st->pos++;
			expand_double(st, &inner);
		} else if (c == '\'' && (!in_double || pattern)) {
			size_t from = st->pos++;

			expand_single(st, &inner);
			/* Not all shells agree that this is a quote. */
			for (size_t i = from + 1; in_double && i + 1 < st->pos; i++)
				if (strchr("}\"$`\\", st->s[i]))
					stream_fail(st, SHELL_WHY_SYNTAX, "a ' in \"${...}\"");
		} else {
			st->pos++;
		}
		if (st->fail_why)
			break;
	}
	st->flags = outer;
	st->r->n_text = inner.start;
	if (!st->fail_why)
		st->pos++;
	return inner.many;
}

/* Behind "${". */
static void braced(struct stream *st, struct wordbuf *b, bool quoted, size_t from)
{
	const struct shell_name *v;
	size_t start;
	int c = cur(st);
	bool plain = is_name_start(c), all = false;

	if (c == ' ' || c == '\t' || c == '\n' || c == '|') {
		stream_fail(st, SHELL_WHY_SYNTAX, "${ command; }");
		return;
	}
	if (++st->depth > SHELL_MAX_DEPTH) {
		stream_fail(st, SHELL_WHY_LIMIT, "nested too deeply");
		return;
	}
	start = st->pos;
	if (plain) {
		while (st->pos < st->end && is_name((unsigned char)st->s[st->pos]))
			st->pos++;
	} else if (c < 0 || !(is_digit(c) || strchr("#!@*?-$", c))) {
		stream_fail(st, SHELL_WHY_SYNTAX, "what is in ${} is not understood");
		return;
	} else {
		/* #name, !name, a digit, a special parameter. */
		all = c == '@' || c == '*' || c == '!';
		st->pos++;
		while (is_name(cur(st)))
			st->pos++;
	}
	c = cur(st);
	v = plain && c == '}' ? var_known(st, st->s + start, st->pos - start) : NULL;
	all |= c == '[';
	all |= braced_rest(st, quoted, b->in_double);
	st->depth--;
	if (v)
		add_value(st, b, v, quoted, from);
	else
		wb_hole(st, b, from, SHELL_WHY_VARIABLE, quoted, !quoted || all);
}

/* Behind "$[" or "$((": a number comes out. */
static void arithmetic(struct stream *st, struct wordbuf *b, bool quoted, size_t from, int close,
		       int closes)
{
	struct wordbuf inner = { .start = st->r->n_text, .in_double = true };

	arith_read(st, &inner, close, closes);
	st->r->n_text = inner.start;
	wb_hole(st, b, from, SHELL_WHY_ARITHMETIC | inner.why, quoted, false);
}

static void dollar_paren(struct stream *st, struct wordbuf *b, bool quoted, size_t from)
{
	if (cur(st) == '(') {
		size_t saved = st->pos++;

		if (arith_ahead(st)) {
			arithmetic(st, b, quoted, from, ')', 2);
			return;
		}
		st->pos = saved;
	}
	read_substitution(st, SHELL_SUBSTITUTION);
	wb_hole(st, b, from, SHELL_WHY_SUBSTITUTION, quoted, !quoted);
}

/* $name */
static void named(struct stream *st, struct wordbuf *b, bool quoted, size_t from)
{
	char name[64];
	size_t n = 0;
	const struct shell_name *v;

	for (int c = cur(st); is_name(c); c = cur(st)) {
		if (n < sizeof(name))
			name[n] = (char)c;
		n++;
		st->pos++;
	}
	v = n <= sizeof(name) ? var_known(st, name, n) : NULL;
	if (v)
		add_value(st, b, v, quoted, from);
	else
		wb_hole(st, b, from, SHELL_WHY_VARIABLE, quoted, !quoted);
}

void expand_dollar(struct stream *st, struct wordbuf *b, bool quoted)
{
	size_t from = st->pos++;
	int c = cur(st);

	if (is_name_start(c)) {
		named(st, b, quoted, from);
	} else if (c == '{') {
		st->pos++;
		braced(st, b, quoted, from);
	} else if (c == '(') {
		st->pos++;
		dollar_paren(st, b, quoted, from);
	} else if (c == '[') {
		st->pos++;
		arithmetic(st, b, quoted, from, ']', 1);
	} else if (c == '\'' && !b->in_double) {
		st->pos++;
		ansi_quote(st, b, from);
	} else if (c == '"' && !b->in_double) {
		st->pos++;
		expand_double(st, b);
	} else if (c == '$' && (peek_next(st) == '(' || peek_next(st) == '{')) {
		/* Where the end of quotes is sought, bash takes it for $( and ${. */
		stream_fail(st, SHELL_WHY_SYNTAX, "$$ before ( or {");
	} else if (is_digit(c) || (c > 0 && strchr("@*#?-$!", c))) {
		st->pos++;
		wb_hole(st, b, from, SHELL_WHY_VARIABLE, quoted, !quoted || c == '@');
	} else {
		wb_byte(st, '$', ACT_QUOTED);
	}
}

void expand_process(struct stream *st, struct wordbuf *b)
{
	size_t from = st->pos++;

	(void)accept_token(st, "(");
	read_substitution(st, SHELL_PROCESS);
	wb_hole(st, b, from, SHELL_WHY_SUBSTITUTION, true, false);
}

/* The end is the next ` without a \ before it, whatever quotes are inside. */
void expand_backquote(struct stream *st, struct wordbuf *b, bool quoted)
{
	size_t from = st->pos++, n = 0;
	char *text = NULL;
	struct var_mark mark;

	for (size_t i = st->pos;; i++, n++) {
		if (i >= st->end) {
			stream_fail(st, SHELL_WHY_SYNTAX, "a ` without its end");
			return;
		}
		if (st->s[i] == '`')
			break;
		if (st->s[i] == '\\')
			i++;
	}
	text = shell_pool_alloc(st->r->pool, 2 * n + 1);
	if (!text) {
		st->r->oom = true;
		stream_fail(st, SHELL_WHY_LIMIT, "out of memory");
		return;
	}
	for (n = 0; st->s[st->pos] != '`'; st->pos++) {
		char next = st->s[st->pos + 1];

		if (st->s[st->pos] == '\\' &&
		    (next == '`' || next == '\\' || next == '$' || (b->in_double && next == '"')))
			st->pos++;
		else if (st->s[st->pos] == '\\') {
			text[n++] = '\\';
			st->pos++;
		}
		text[n++] = st->s[st->pos];
	}
	st->pos++;
	var_mark(st->r, &mark);
	parse_text(st, &(struct inner_text){ .s = text,
					     .len = n,
					     .off = line_off(st, from),
					     .span = line_span(st, from, st->pos),
					     .origin = SHELL_SUBSTITUTION,
					     .parent = st->parent,
					     .same_shell = true });
	var_taint(st->r, &mark);
	wb_hole(st, b, from, SHELL_WHY_SUBSTITUTION, quoted, !quoted);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* One word of a command: quotes are taken off, what is certain is expanded, the rest leaves
 * holes. The order is bash's: braces, then values and substitutions, then fields, then names of
 * files. Each byte carries how it came about (enum act), so that a quoted brace is none. */
#include <string.h>

#include "base/str.h"
#include "shell/impl.h"

#define HOLE_TEXT 128

void wb_add(struct stream *st, const char *s, size_t n, enum act a)
{
	struct reading *r = st->r;

	if (r->n_text + n > r->cap_text) {
		size_t cap = r->cap_text * 2 + n + 256;
		char *text = realloc(r->text, cap);
		uint8_t *act;

		if (text)
			r->text = text;
		act = text ? realloc(r->act, cap) : NULL;
		if (!act) {
			r->oom = true;
			stream_fail(st, SHELL_WHY_LIMIT, "out of memory");
			return;
		}
		r->act = act;
		r->cap_text = cap;
	}
	memcpy(r->text + r->n_text, s, n);
	memset(r->act + r->n_text, a, n);
	r->n_text += n;
}

void wb_hole(struct stream *st, struct wordbuf *b, size_t from, uint32_t why, bool quoted,
	     bool many)
{
	/* A bounded look at what is written there: names are shown, not whole commands. */
	size_t n = st->pos - from < HOLE_TEXT ? st->pos - from : HOLE_TEXT;
	enum act a = quoted && !many ? ACT_HOLE : ACT_HOLES;

	b->why |= why;
	b->hole = true;
	b->many |= many && quoted;
	wb_add(st, n ? st->s + from : "$", n ? n : 1, a);
}

/* ---- from bytes to words ------------------------------------------------ */

/* May text[i] begin a pattern for names of files? '[' only with a ']' behind it; the last one
 * of the word is at bracket. */
static bool is_glob(const struct reading *r, size_t i, size_t bracket)
{
	char c = r->text[i];

	if (r->act[i] != ACT_PLAIN)
		return false;
	return c == '*' || c == '?' || (c == '[' && i < bracket);
}

static bool is_tilde(const struct reading *r, enum word_mode mode, size_t from, size_t i)
{
	if (r->act[i] != ACT_PLAIN || r->text[i] != '~')
		return false;
	return i == from || (mode != WORD_TEST && mode != WORD_REGEX &&
			     (r->text[i - 1] == '=' || r->text[i - 1] == ':'));
}

static void field_push(struct stream *st, enum word_mode mode, const struct wordbuf *b,
		       struct text_range f, size_t at)
{
	struct shell_word *w = word_push(st);
	struct reading *r = st->r;
	size_t known = f.to, bracket = 0;
	const char *last;

	if (!w)
		return;
	last = b->glob ? memrchr(r->text + f.from, ']', f.to - f.from) : NULL;
	if (last)
		bracket = (size_t)(last - r->text);
	*w = (struct shell_word){ .len = (uint32_t)(f.to - f.from),
				  .off = line_off(st, at),
				  .span = line_span(st, at, st->pos),
				  .quoted = b->quoted };
	for (size_t i = f.from; i < f.to; i++) {
		uint32_t why = 0;

		if (r->act[i] >= ACT_HOLE) {
			why = b->why;
			w->many |= r->act[i] == ACT_HOLES && mode != WORD_ASSIGN &&
				   mode != WORD_TEST && mode != WORD_REGEX;
		} else if (b->glob && is_glob(r, i, bracket)) {
			why = SHELL_WHY_GLOB;
			w->many |= mode == WORD_ARG || mode == WORD_TARGET;
		} else if (b->tilde && is_tilde(r, mode, f.from, i)) {
			why = SHELL_WHY_TILDE;
		}
		if (why && known == f.to)
			known = i;
		w->why |= why;
	}
	/* The first character of a bracket pattern decides for what follows only; that a file's
	 * name takes the place of all of it is why nothing is known of such a word. */
	w->known = w->why & (SHELL_WHY_GLOB | SHELL_WHY_TILDE) && w->many
			   ? 0
			   : (uint32_t)(known - f.from);
	w->text = shell_pool_text(r->pool, r->text + f.from, w->len);
	if (!w->text) {
		r->n_words--;
		r->oom = true;
		stream_fail(st, SHELL_WHY_LIMIT, "out of memory");
	}
}

/* Values that were put in unquoted are split at their blanks. */
static void fields_push(struct stream *st, enum word_mode mode, const struct wordbuf *b,
			struct text_range t, size_t at)
{
	struct reading *r = st->r;
	size_t from = t.from;

	if (!b->split) {
		/* $x alone with an empty value is no word. */
		if (t.to > t.from || b->quoted)
			field_push(st, mode, b, t, at);
		return;
	}
	for (size_t i = t.from; i <= t.to; i++) {
		if (i < t.to && r->act[i] != ACT_SPLIT)
			continue;
		if (i > from)
			field_push(st, mode, b, (struct text_range){ from, i }, at);
		from = i + 1;
	}
}

/* Expands braces where there are any; what comes out is on the text behind the word. */
static void braces_push(struct stream *st, enum word_mode mode, struct wordbuf *b, size_t at)
{
	struct reading *r = st->r;
	struct text_range ranges[BRACE_MAX], whole = { b->start, r->n_text };
	int n = brace_expand(r, b->start, r->n_text, ranges);

	if (r->oom) {
		stream_fail(st, SHELL_WHY_LIMIT, "out of memory");
		return;
	}
	if (n == 0) {
		fields_push(st, mode, b, whole, at);
		return;
	}
	if (n < 0 || mode == WORD_TARGET) {
		b->why |= SHELL_WHY_BRACES;
		memset(r->act + b->start, ACT_HOLES, whole.to - whole.from);
		r->n_text = whole.to;
		b->split = false;
		field_push(st, mode, b, whole, at);
		return;
	}
	for (int i = 0; i < n; i++)
		/* A result that is empty is no word, unless quotes make it one. */
		if (ranges[i].to > ranges[i].from || b->empty_quotes)
			fields_push(st, mode, b, ranges[i], at);
}

int word_finish(struct stream *st, enum word_mode mode, struct wordbuf *b, size_t from)
{
	struct reading *r = st->r;
	uint32_t before = r->n_words;

	/* Quotes around nothing beside blanks of a value make fields of their own. */
	if (b->split && b->empty_quotes) {
		b->why |= SHELL_WHY_VARIABLE;
		b->split = false;
		b->hole = true;
		memset(r->act + b->start, ACT_HOLES, r->n_text - b->start);
	}
	if (!r->oom) {
		if (b->brace && (mode == WORD_ARG || mode == WORD_TARGET))
			braces_push(st, mode, b, from);
		else
			fields_push(st, mode, b, (struct text_range){ b->start, r->n_text }, from);
	}
	r->n_text = b->start;
	return st->fail_why ? -1 : (int)(r->n_words - before);
}

/* ---- from characters to bytes ------------------------------------------- */

static void plain_char(struct stream *st, struct wordbuf *b, int c)
{
	b->brace |= c == '{';
	b->glob |= c == '*' || c == '?' || c == '[';
	b->tilde |= c == '~';
	wb_byte(st, (char)c, ACT_PLAIN);
	st->pos++;
}

/* "@(a|b)" in a place where patterns may have groups: to its end, as one hole. */
static bool read_group(struct stream *st, struct wordbuf *b, enum word_mode mode)
{
	size_t from = st->pos;
	unsigned depth = 0;

	do {
		int c = cur(st);

		if (c == '(')
			depth++;
		else if (c == ')')
			depth--;
		else if (c < 0 || c == '\n' || c == '`' || (c == '$' && peek_next(st) == '(') ||
			 (mode == WORD_TEST && (c == '"' || c == '\''))) {
			stream_fail(st, SHELL_WHY_SYNTAX, "a pattern's group is not understood");
			return false;
		} else if (c == '\'' || c == '"') {
			size_t start = ++st->pos;
			const char *q = memchr(st->s + start, c, st->end - start);

			if (!q || memchr(st->s + start, '$', (size_t)(q - st->s) - start) ||
			    memchr(st->s + start, '\\', (size_t)(q - st->s) - start) ||
			    memchr(st->s + start, '`', (size_t)(q - st->s) - start)) {
				stream_fail(st, SHELL_WHY_SYNTAX, "quotes in a pattern's group");
				return false;
			}
			st->pos = (size_t)(q - st->s);
		} else if (c == '\\') {
			st->pos++;
			if (cur(st) < 0)
				return false;
		}
		st->pos++;
	} while (depth);
	wb_hole(st, b, from, SHELL_WHY_GLOB, true, false);
	return true;
}

/* A character that ends words in most places. Returns true when the word goes on. */
static bool delimiter(struct stream *st, struct wordbuf *b, enum word_mode mode, int c)
{
	struct reading *r = st->r;

	if ((c == '<' || c == '>') && peek_next(st) == '(') {
		expand_process(st, b);
		return true;
	}
	if (mode == WORD_REGEX && c == '(')
		return read_group(st, b, mode);
	if (mode == WORD_REGEX && c == '|' && peek_next(st) != '|') {
		wb_byte(st, (char)c, ACT_QUOTED);
		st->pos++;
		return true;
	}
	if (mode == WORD_TEST && c == '(' && r->n_text > b->start &&
	    r->act[r->n_text - 1] == ACT_PLAIN && strchr("@?*+!", r->text[r->n_text - 1]))
		return read_group(st, b, mode);
	return false;
}

static void slow_word(struct stream *st, enum word_mode mode, struct wordbuf *b)
{
	for (int c = cur(st); c >= 0; c = cur(st)) {
		if (shell_class[c] == CH_DELIM) {
			if (!delimiter(st, b, mode, c))
				return;
			continue;
		}
		switch (c) {
		case '\'':
			st->pos++;
			expand_single(st, b);
			break;
		case '"':
			st->pos++;
			expand_double(st, b);
			break;
		case '\\':
			st->pos++;
			b->quoted = true;
			if (st->pos < st->end)
				wb_byte(st, st->s[st->pos++], ACT_QUOTED);
			else
				wb_byte(st, '\\', ACT_QUOTED);
			break;
		case '$':
			expand_dollar(st, b, mode == WORD_ASSIGN || mode == WORD_TEST);
			break;
		case '`':
			expand_backquote(st, b, mode == WORD_ASSIGN || mode == WORD_TEST);
			break;
		default:
			plain_char(st, b, c);
		}
	}
}

int word_read(struct stream *st, enum word_mode mode)
{
	struct reading *r = st->r;
	size_t from = st->pos, i = from;
	struct wordbuf b = { .start = r->n_text };

	while (i < st->end && shell_class[(unsigned char)st->s[i]] == CH_PLAIN)
		i++;
	if (i > from && (i == st->end || (shell_class[(unsigned char)st->s[i]] == CH_DELIM &&
					  st->s[i] != '<' && st->s[i] != '>' && st->s[i] != '('))) {
		struct shell_word *w = word_push(st);
		size_t len = i - from;

		if (!w)
			return -1;
		st->pos = i;
		*w = (struct shell_word){ .text = shell_pool_text(r->pool, st->s + from, len),
					  .len = (uint32_t)len,
					  .known = (uint32_t)len,
					  .off = line_off(st, from),
					  .span = line_span(st, from, i) };
		if (w->text)
			return 1;
		r->n_words--;
		r->oom = true;
		stream_fail(st, SHELL_WHY_LIMIT, "out of memory");
		return -1;
	}
	slow_word(st, mode, &b);
	if (st->pos == from)
		stream_fail(st, SHELL_WHY_SYNTAX, "a word is missing");
	return word_finish(st, mode, &b, from);
}

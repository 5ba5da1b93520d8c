/* SPDX-License-Identifier: Apache-2.0 */
/* Brace expansion, as bash does it: {a,b}, {1..4}, {a..e}, nested; what has no comma and no
 * range stays as it is. Results are appended to the text with the acts of their bytes. */
#include <string.h>

#include "shell/impl.h"

/* The '}' that closes text[open]: the first one of its level behind a comma or a range; 0 when
 * there is none. *ret_comma: there is a comma. */
static size_t closing(const struct reading *r, size_t open, size_t to, bool *ret_comma)
{
	unsigned level = 0;
	bool dots = false;

	*ret_comma = false;
	for (size_t i = open + 1; i < to; i++) {
		char c = r->text[i];

		if (r->act[i] != ACT_PLAIN)
			continue;
		if (c == '}' && !level && (*ret_comma || dots))
			return i;
		if (c == '{')
			level++;
		else if (c == '}' && level)
			level--;
		else if (c == ',' && !level)
			*ret_comma = true;
		else if (c == '.' && !level && i + 2 < to && r->text[i + 1] == '.' &&
			 !(r->text[i + 2] == '}' && r->act[i + 2] == ACT_PLAIN))
			dots = true;
	}
	return 0;
}

static bool number(const char *s, size_t n, long *ret)
{
	size_t i = n && (*s == '-' || *s == '+');
	long v = 0;

	/* Zeros in front set the width of all: left to bash. */
	if (i == n || n - i > 9 || (s[i] == '0' && n - i > 1))
		return false;
	for (; i < n; i++) {
		if (!is_digit((unsigned char)s[i]))
			return false;
		v = v * 10 + (s[i] - '0');
	}
	*ret = *s == '-' ? -v : v;
	return true;
}

struct span {
	long from, to;
	bool letters;
};

/* "1..4" or "a..e". -1: it may be one that is not understood; 0: it is none. */
static int range(const struct reading *r, size_t from, size_t to, struct span *ret)
{
	const char *s = r->text + from, *dots;
	size_t n = to - from, left, right;

	for (size_t i = from; i < to; i++)
		if (r->act[i] != ACT_PLAIN)
			return memmem(s, n, "..", 2) ? -1 : 0;
	dots = memmem(s, n, "..", 2);
	if (!dots)
		return 0;
	left = (size_t)(dots - s);
	right = n - left - 2;
	if (left == 1 && right == 1 && is_name_start(s[0]) && is_name_start(dots[2]) &&
	    s[0] != '_' && dots[2] != '_' && (s[0] >= 'a') == (dots[2] >= 'a')) {
		*ret = (struct span){ s[0], dots[2], true };
		return 1;
	}
	if (number(s, left, &ret->from) && number(dots + 2, right, &ret->to)) {
		ret->letters = false;
		return 1;
	}
	return -1;
}

struct job {
	struct reading *r;
	unsigned misses;
};

struct results {
	struct text_range v[BRACE_MAX];
	unsigned n;
};

static int expand(struct job *j, struct text_range t, struct results *ret, unsigned depth);

/* Room for n more bytes of text. */
static bool room(struct reading *r, size_t n)
{
	size_t cap = r->cap_text * 2 + n;
	char *text;
	uint8_t *act;

	if (r->n_text + n <= r->cap_text)
		return true;
	text = realloc(r->text, cap);
	if (text)
		r->text = text;
	act = text ? realloc(r->act, cap) : NULL;
	if (act) {
		r->act = act;
		r->cap_text = cap;
	}
	r->oom |= !act;
	return act != NULL;
}

static void append(struct reading *r, struct text_range t)
{
	memcpy(r->text + r->n_text, r->text + t.from, t.to - t.from);
	memcpy(r->act + r->n_text, r->act + t.from, t.to - t.from);
	r->n_text += t.to - t.from;
}

/* What stands in the braces, expanded in turn. */
static int commas(struct job *j, size_t open, size_t close, struct results *ret, unsigned depth)
{
	size_t from = open + 1;
	unsigned level = 0;

	for (size_t i = from; i <= close; i++) {
		bool plain = j->r->act[i] == ACT_PLAIN;
		char c = j->r->text[i];

		if (i < close && plain && c == '{')
			level++;
		else if (i < close && plain && c == '}' && level)
			level--;
		if (i < close && !(plain && c == ',' && level == 0))
			continue;
		if (expand(j, (struct text_range){ from, i }, ret, depth + 1) < 0)
			return -1;
		from = i + 1;
	}
	return 0;
}

static int counts(struct job *j, const struct span *s, struct results *ret)
{
	long step = s->from <= s->to ? 1 : -1;

	if ((s->to - s->from) * step >= BRACE_MAX - (long)ret->n)
		return -1;
	for (long v = s->from;; v += step) {
		char own[24];
		size_t n;

		if (s->letters)
			(void)snprintf(own, sizeof(own), "%c", (int)v);
		else
			(void)snprintf(own, sizeof(own), "%ld", v);
		n = strlen(own);
		if (!room(j->r, n))
			return -1;
		memcpy(j->r->text + j->r->n_text, own, n);
		memset(j->r->act + j->r->n_text, ACT_QUOTED, n);
		ret->v[ret->n++] = (struct text_range){ j->r->n_text, j->r->n_text + n };
		j->r->n_text += n;
		if (v == s->to)
			return 0;
	}
}

/* Each of the middle with each of the rest, behind what stands before the braces. */
static int combine(struct job *j, struct text_range head, const struct results *middle,
		   const struct results *tail, struct results *ret)
{
	struct reading *r = j->r;

	for (unsigned i = 0; i < middle->n; i++)
		for (unsigned k = 0; k < tail->n; k++) {
			struct text_range a = middle->v[i], b = tail->v[k];
			size_t from = r->n_text;

			if (ret->n == BRACE_MAX || b.to - b.from > (1u << 16) ||
			    !room(r, head.to - head.from + a.to - a.from + b.to - b.from))
				return -1;
			append(r, head);
			append(r, a);
			append(r, b);
			ret->v[ret->n++] = (struct text_range){ from, r->n_text };
		}
	return 0;
}

/* The first braces of t that are an expansion. Returns 1, 0 for none, -1 for not understood. */
static int first_braces(struct job *j, struct text_range t, size_t *ret_open, size_t *ret_close,
			bool *ret_comma, struct span *ret_span)
{
	const struct reading *r = j->r;

	for (size_t i = t.from; i < t.to; i++) {
		int is = 1;

		if (r->act[i] != ACT_PLAIN || r->text[i] != '{')
			continue;
		/* "{}" at the beginning is none. */
		if (i == t.from && i + 1 < t.to && r->text[i + 1] == '}' &&
		    r->act[i + 1] == ACT_PLAIN)
			continue;
		*ret_open = i;
		*ret_close = closing(r, i, t.to, ret_comma);
		if (*ret_close && !*ret_comma)
			is = range(r, i + 1, *ret_close, ret_span);
		if (is < 0 || (*ret_close && is))
			return is;
		/* Each costs a look at all that follows. */
		if (++j->misses > BRACE_MAX)
			return -1;
	}
	return 0;
}

static int expand(struct job *j, struct text_range t, struct results *ret, unsigned depth)
{
	struct results middle = { .n = 0 }, tail = { .n = 0 };
	size_t open = 0, close = 0;
	bool comma = false;
	struct span s;
	int is;

	if (depth > 16 || t.to - t.from > (1u << 16))
		return -1;
	is = first_braces(j, t, &open, &close, &comma, &s);
	if (is < 0)
		return -1;
	if (!is) {
		if (ret->n == BRACE_MAX)
			return -1;
		ret->v[ret->n++] = t;
		return 0;
	}
	is = comma ? commas(j, open, close, &middle, depth) : counts(j, &s, &middle);
	if (is < 0 || expand(j, (struct text_range){ close + 1, t.to }, &tail, depth + 1) < 0)
		return -1;
	return combine(j, (struct text_range){ t.from, open }, &middle, &tail, ret);
}

int brace_expand(struct reading *r, size_t from, size_t to, struct text_range ret[BRACE_MAX])
{
	struct job j = { .r = r };
	struct results all = { .n = 0 };

	if (expand(&j, (struct text_range){ from, to }, &all, 0) < 0)
		return -1;
	if (all.n == 1 && all.v[0].from == from)
		return 0;
	memcpy(ret, all.v, all.n * sizeof(ret[0]));
	return (int)all.n;
}

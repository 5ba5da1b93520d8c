/* SPDX-License-Identifier: Apache-2.0 */
/* Brace expansion, as bash does it: {a,b}, {1..4}, {a..e}, nested; what has no comma and no
 * range stays as it is. Results are appended to the text with the acts of their bytes. */
#include <string.h>

#include "shell/impl.h"

/* The '}' that closes text[open]; *ret_comma: it has a comma of its own. 0 when there is none. */
static size_t closing(const struct reading *r, size_t open, size_t to, bool *ret_comma)
{
	unsigned depth = 0;

	*ret_comma = false;
	for (size_t i = open; i < to; i++) {
		if (r->act[i] != ACT_PLAIN)
			continue;
		if (r->text[i] == '{')
			depth++;
		else if (r->text[i] == '}' && --depth == 0)
			return i;
		else if (r->text[i] == ',' && depth == 1)
			*ret_comma = true;
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
	struct text_range *ret;
	int n, misses;
};

static int expand(struct job *j, size_t from, size_t to, unsigned depth);

static void append(struct reading *r, const char *s, const uint8_t *act, size_t n)
{
	if (r->n_text + n > r->cap_text) {
		size_t cap = r->cap_text * 2 + n;
		char *text = realloc(r->text, cap);
		uint8_t *acts;

		if (text)
			r->text = text;
		acts = text ? realloc(r->act, cap) : NULL;
		if (!acts) {
			r->oom = true;
			return;
		}
		r->act = acts;
		r->cap_text = cap;
	}
	memcpy(r->text + r->n_text, s, n);
	if (act)
		memcpy(r->act + r->n_text, act, n);
	else
		memset(r->act + r->n_text, ACT_PLAIN, n);
	r->n_text += n;
}

static void append_own(struct reading *r, size_t from, size_t to)
{
	size_t n = to - from;

	/* The source may move: room first. */
	if (r->n_text + n > r->cap_text)
		append(r, "", NULL, 0);
	while (!r->oom && n) {
		char c = r->text[from];
		uint8_t a = r->act[from];

		append(r, &c, &a, 1);
		from++;
		n--;
	}
}

/* text[from..open) ALTERNATIVE text[close+1..to): built anew and expanded in turn. mid is
 * what the braces become, as a range of the text, or a text of its own. */
static int alternative(struct job *j, struct text_range head, struct text_range mid,
		       const char *own, struct text_range tail, unsigned depth)
{
	struct reading *r = j->r;
	size_t start = r->n_text;

	if (r->n_text - head.from > (1u << 16))
		return -1;
	append_own(r, head.from, head.to);
	if (own)
		append(r, own, NULL, strlen(own));
	else
		append_own(r, mid.from, mid.to);
	append_own(r, tail.from, tail.to);
	return r->oom ? -1 : expand(j, start, r->n_text, depth + 1);
}

static int commas(struct job *j, struct text_range all, size_t open, size_t close, unsigned depth)
{
	struct text_range head = { all.from, open }, tail = { close + 1, all.to };
	size_t from = open + 1;
	unsigned level = 0;

	for (size_t i = open + 1; i <= close; i++) {
		bool plain = j->r->act[i] == ACT_PLAIN;
		char c = j->r->text[i];

		if (i < close && plain && c == '{')
			level++;
		else if (i < close && plain && c == '}')
			level--;
		if (i < close && !(plain && c == ',' && level == 0))
			continue;
		if (alternative(j, head, (struct text_range){ from, i }, NULL, tail, depth) < 0)
			return -1;
		from = i + 1;
	}
	return 0;
}

static int counts(struct job *j, struct text_range all, size_t open, size_t close,
		  const struct span *s, unsigned depth)
{
	struct text_range head = { all.from, open }, tail = { close + 1, all.to };
	long step = s->from <= s->to ? 1 : -1;

	if ((s->to - s->from) * step >= BRACE_MAX)
		return -1;
	for (long v = s->from;; v += step) {
		char own[24];

		if (s->letters)
			(void)snprintf(own, sizeof(own), "%c", (int)v);
		else
			(void)snprintf(own, sizeof(own), "%ld", v);
		if (alternative(j, head, head, own, tail, depth) < 0)
			return -1;
		if (v == s->to)
			return 0;
	}
}

static int expand(struct job *j, size_t from, size_t to, unsigned depth)
{
	if (depth > 16)
		return -1;
	for (size_t i = from; i < to; i++) {
		struct span s;
		size_t close;
		bool comma;
		int is;

		if (j->r->act[i] != ACT_PLAIN || j->r->text[i] != '{')
			continue;
		close = closing(j->r, i, to, &comma);
		/* Each costs a look at all that follows. */
		if (!close && ++j->misses > BRACE_MAX)
			return -1;
		if (!close)
			continue;
		if (comma)
			return commas(j, (struct text_range){ from, to }, i, close, depth);
		is = range(j->r, i + 1, close, &s);
		if (is < 0)
			return -1;
		if (!is && ++j->misses > BRACE_MAX)
			return -1;
		if (is)
			return counts(j, (struct text_range){ from, to }, i, close, &s, depth);
	}
	if (j->n == BRACE_MAX)
		return -1;
	j->ret[j->n++] = (struct text_range){ from, to };
	return 0;
}

int brace_expand(struct reading *r, size_t from, size_t to, struct text_range ret[BRACE_MAX])
{
	struct job j = { .r = r, .ret = ret };

	if (expand(&j, from, to, 0) < 0)
		return -1;
	return j.n == 1 && ret[0].from == from ? 0 : j.n;
}

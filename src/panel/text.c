/* SPDX-License-Identifier: Apache-2.0 */
#include "panel/text.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "base/str.h"

#define CLEAN_MAX (64u << 20)
#define INDENT_MAX 24
#define ROWS_MAX 1000000u

/* The next character: its bytes, at least one; *ret_wide is 0 for what is none in this locale. */
static size_t next(const char *s, size_t len, wchar_t *ret_wide)
{
	mbstate_t state = { 0 };
	size_t n = mbrtowc(ret_wide, s, len, &state);

	if (n && n <= len)
		return n;
	*ret_wide = 0;
	return 1;
}

static void add_char(struct buf *out, const char *s, size_t n, wchar_t wide)
{
	if (wide && wcwidth(wide) >= 0) {
		(void)buf_add(out, s, n);
		return;
	}
	for (size_t i = 0; i < n; i++)
		(void)buf_addf(out, "\\x%02x", (unsigned char)s[i]);
}

char *text_clean(const char *s)
{
	size_t len = strlen(s), size = 4 * len + 8;
	_cleanup_free_ char *shown = malloc(size);
	_cleanup_buf_ struct buf out = BUF_INIT(CLEAN_MAX);

	if (!shown)
		return NULL;
	str_escape(shown, size, s, len);
	len = strlen(shown);
	(void)buf_adds(&out, "");
	for (size_t i = 0; i < len;) {
		wchar_t wide;
		size_t n = next(shown + i, len - i, &wide);

		add_char(&out, shown + i, n, wide);
		i += n;
	}
	return out.failed ? NULL : take_ptr(out.data);
}

size_t text_cut(const char *s, int columns)
{
	size_t len = strlen(s), i = 0;
	int used = 0;

	while (i < len) {
		wchar_t wide;
		size_t n = next(s + i, len - i, &wide);

		used += wide ? wcwidth(wide) : 1;
		if (used > columns)
			break;
		i += n;
	}
	return i;
}

int text_columns(const char *s, size_t len)
{
	int used = 0;

	for (size_t i = 0; i < len;) {
		wchar_t wide;

		i += next(s + i, len - i, &wide);
		used += wide ? wcwidth(wide) : 1;
	}
	return used;
}

/* ---- rows --------------------------------------------------------------- */

static void add_row(struct rows *r, int item, int indent, const char *s, size_t len)
{
	char *text;

	if (r->failed)
		return;
	if (r->n == r->cap) {
		size_t cap = r->cap ? 2 * r->cap : 32;
		struct row *v = cap > ROWS_MAX ? NULL : reallocarray(r->v, cap, sizeof(*v));

		if (!v) {
			r->failed = 1;
			return;
		}
		r->v = v;
		r->cap = cap;
	}
	text = str_printf("%*s%.*s", indent, "", (int)len, s);
	if (!text) {
		r->failed = 1;
		return;
	}
	r->v[r->n++] = (struct row){ text, item };
}

/* Where a text that is too long is broken: behind the last blank, if that lies far enough. */
static size_t break_at(const char *s, size_t fits)
{
	for (size_t i = fits; i > fits / 2; i--)
		if (s[i - 1] == ' ')
			return i;
	return fits;
}

static void add_line(struct rows *r, int columns, int item, const char *line)
{
	_cleanup_free_ char *clean = text_clean(line);
	int indent = clean ? (int)strspn(clean, " ") : 0, before = 0;
	const char *s = clean;

	if (!clean) {
		r->failed = 1;
		return;
	}
	indent += 2;
	if (indent > INDENT_MAX || indent > columns / 2)
		indent = columns / 2;
	do {
		size_t fits = text_cut(s, columns - before);

		if (!fits && *s)
			fits = 1; /* a wide character in one column: better cut than for ever */
		if (s[fits])
			fits = break_at(s, fits);
		add_row(r, item, before, s, fits);
		s += fits;
		before = indent;
	} while (*s && !r->failed);
}

void rows_add(struct rows *r, int columns, int item, const char *text)
{
	_cleanup_free_ char *copy = strdup(text);

	if (!copy || columns < 1) {
		r->failed = 1;
		return;
	}
	for (char *line = copy, *end; line; line = end) {
		end = strchr(line, '\n');
		if (end)
			*end++ = '\0';
		if (!end && !*line && line != copy)
			break; /* the text ends with a newline */
		add_line(r, columns, item, line);
	}
}

void rows_free(struct rows *r)
{
	for (size_t i = 0; i < r->n; i++)
		free(r->v[i].text);
	free(r->v);
	*r = (struct rows){ 0 };
}

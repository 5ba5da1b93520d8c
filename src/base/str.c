/* SPDX-License-Identifier: Apache-2.0 */
#include "base/str.h"

#include <stdarg.h>

bool str_ends(const char *s, const char *suffix)
{
	size_t n = strlen(s), m = strlen(suffix);

	return n >= m && memcmp(s + n - m, suffix, m) == 0;
}

bool streq_fold(const char *a, const char *b)
{
	for (; *a && *b; a++, b++)
		if (chr_lower(*a) != chr_lower(*b))
			return false;
	return *a == *b;
}

unsigned str_distance(const char *a, const char *b, unsigned max)
{
	size_t n = strlen(a), m = strlen(b);
	unsigned row[64];

	if (n > 63 || m > 63)
		return max + 1;
	for (size_t j = 0; j <= m; j++)
		row[j] = (unsigned)j;
	for (size_t i = 1; i <= n; i++) {
		unsigned diag = row[0];

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= m; j++) {
			unsigned best = diag + (a[i - 1] != b[j - 1]);

			diag = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[m] > max ? max + 1 : row[m];
}

bool chr_deceptive(uint32_t c)
{
	static const struct {
		uint32_t first, last;
	} ranges[] = {
		{ 0xad, 0xad },	    { 0x61c, 0x61c },	{ 0x115f, 0x1160 }, { 0x180e, 0x180e },
		{ 0x200b, 0x200f }, { 0x2028, 0x202e }, { 0x2060, 0x206f }, { 0x3164, 0x3164 },
		{ 0xfeff, 0xfeff }, { 0xffa0, 0xffa0 }, { 0xfff9, 0xfffb }, { 0xe0000, 0xe0fff },
	};

	for (size_t i = 0; i < ARRAY_SIZE(ranges); i++)
		if (c >= ranges[i].first && c <= ranges[i].last)
			return true;
	return false;
}

/* Length of the valid, printable UTF-8 sequence at s, 0 when there is none.
 * C1 controls (U+0080..U+009F) count as not printable. */
static size_t utf8_len(const unsigned char *s, size_t left)
{
	size_t n;
	uint32_t c;

	if (s[0] >= 0x20 && s[0] < 0x7f)
		return 1;
	if (s[0] >= 0xc2 && s[0] < 0xe0)
		n = 2, c = s[0] & 0x1fu;
	else if (s[0] >= 0xe0 && s[0] < 0xf0)
		n = 3, c = s[0] & 0x0fu;
	else if (s[0] >= 0xf0 && s[0] < 0xf5)
		n = 4, c = s[0] & 0x07u;
	else
		return 0;
	if (left < n)
		return 0;
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0u) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3fu);
	}
	if (c < 0xa0 || (n == 3 && c < 0x800) || (n == 4 && (c < 0x10000 || c > 0x10ffff)) ||
	    (c >= 0xd800 && c < 0xe000))
		return 0;
	return chr_deceptive(c) ? 0 : n;
}

void str_escape(char *dst, size_t size, const char *s, size_t len)
{
	const unsigned char *p = (const unsigned char *)s;
	size_t o = 0;

	if (size < 8) {
		if (size)
			dst[0] = '\0';
		return;
	}
	for (size_t i = 0; i < len;) {
		size_t n = utf8_len(p + i, len - i);

		if (o + 8 > size) {
			memcpy(dst + o, "...", 4);
			return;
		}
		if (n) {
			memcpy(dst + o, p + i, n);
			o += n;
			i += n;
		} else {
			(void)snprintf(dst + o, 5, "\\x%02x", p[i]);
			o += 4;
			i++;
		}
	}
	dst[o] = '\0';
}

char *str_printf(const char *fmt, ...)
{
	char *s = NULL;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&s, fmt, ap);
	va_end(ap);
	return n < 0 ? NULL : s;
}

static int buf_reserve(struct buf *b, size_t more)
{
	size_t need, cap;
	char *p;

	if (b->failed)
		return -ENOBUFS;
	if (more > b->max || b->len > b->max - more) {
		b->failed = true;
		return -ENOBUFS;
	}
	need = b->len + more + 1;
	if (need <= b->cap)
		return 0;
	cap = b->cap ? b->cap : 64;
	while (cap < need)
		cap *= 2;
	p = realloc(b->data, cap);
	if (!p) {
		b->failed = true;
		return -ENOMEM;
	}
	b->data = p;
	b->cap = cap;
	return 0;
}

int buf_add(struct buf *b, const void *data, size_t len)
{
	int r = buf_reserve(b, len);

	if (r < 0)
		return r;
	if (len)
		memcpy(b->data + b->len, data, len);
	b->len += len;
	b->data[b->len] = '\0';
	return 0;
}

int buf_adds(struct buf *b, const char *s)
{
	return buf_add(b, s, strlen(s));
}

int buf_addf(struct buf *b, const char *fmt, ...)
{
	_cleanup_free_ char *s = NULL;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&s, fmt, ap);
	va_end(ap);
	if (n < 0) {
		s = NULL;
		b->failed = true;
		return -ENOMEM;
	}
	return buf_add(b, s, (size_t)n);
}

void buf_free(struct buf *b)
{
	free(b->data);
	*b = (struct buf){ .max = b->max };
}

int strv_add(struct strv *l, const char *s)
{
	char *copy;

	if (l->n + 2 > l->cap) {
		size_t cap = l->cap ? l->cap * 2 : 8;
		char **v = reallocarray(l->v, cap, sizeof(*v));

		if (!v)
			return -ENOMEM;
		l->v = v;
		l->cap = cap;
	}
	copy = strdup(s);
	if (!copy)
		return -ENOMEM;
	l->v[l->n++] = copy;
	l->v[l->n] = NULL;
	return 0;
}

bool strv_has(const struct strv *l, const char *s)
{
	for (size_t i = 0; i < l->n; i++)
		if (streq(l->v[i], s))
			return true;
	return false;
}

void strv_free(struct strv *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->v[i]);
	free(l->v);
	*l = (struct strv){ 0 };
}

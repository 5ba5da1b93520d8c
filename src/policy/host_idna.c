/* SPDX-License-Identifier: Apache-2.0 */
/* Names in their own script, as a person writes them into a policy: to A-labels. Only for
 * letters whose IDNA mapping is themselves or their plain lower case, so that no table and
 * no version of Unicode decides what a rule means; for the rest the xn-- form is asked. */
#include "policy/host_impl.h"

#include <errno.h>
#include <string.h>

#include "base/str.h"

#define LABEL_POINTS 63

/* ---- UTF-8 -------------------------------------------------------------- */

/* One code point below 0x10000; longer ones are never certain. */
static int next_point(const char **s, uint32_t *ret)
{
	const unsigned char *p = (const unsigned char *)*s;
	uint32_t c;

	if (p[0] < 0x80) {
		*ret = p[0];
		*s += 1;
		return 0;
	}
	if (p[0] >= 0xc2 && p[0] < 0xe0 && (p[1] & 0xc0) == 0x80) {
		*ret = (uint32_t)(p[0] & 0x1f) << 6 | (p[1] & 0x3f);
		*s += 2;
		return 0;
	}
	if ((p[0] & 0xf0) != 0xe0 || (p[1] & 0xc0) != 0x80 || (p[2] & 0xc0) != 0x80)
		return -EINVAL;
	c = (uint32_t)(p[0] & 0x0f) << 12 | (uint32_t)(p[1] & 0x3f) << 6 | (p[2] & 0x3f);
	if (c < 0x800 || (c >= 0xd800 && c < 0xe000))
		return -EINVAL;
	*ret = c;
	*s += 3;
	return 0;
}

/* Latin Extended-A goes in pairs, upper case first, with a few exceptions (0x130, 0x131, 0x138,
 * 0x149, 0x178, 0x17f and the pairs that are shifted by one), which are not certain. */
static bool latin_a(uint32_t c)
{
	return (c >= 0x100 && c < 0x130) || (c >= 0x134 && c < 0x138) || (c >= 0x14a && c < 0x178);
}

/* The letter as IDNA maps it, or 0. */
static uint32_t certain(uint32_t c)
{
	if (c < 0x80)
		return (uint32_t)chr_lower((char)c);
	if (c >= 0xc0 && c <= 0xde && c != 0xd7)
		return c + 32;
	/* Sharp s and final sigma differ between IDNA 2003 and 2008. */
	if (c >= 0xe0 && c <= 0xff && c != 0xf7)
		return c;
	if (latin_a(c))
		return c | 1;
	if ((c >= 0x391 && c <= 0x3a9 && c != 0x3a2) || (c >= 0x410 && c <= 0x42f))
		return c + 32;
	if ((c >= 0x3b1 && c <= 0x3c9 && c != 0x3c2) || (c >= 0x430 && c <= 0x45f))
		return c;
	if ((c >= 0x3041 && c <= 0x3096) || (c >= 0x30a1 && c <= 0x30fa) || c == 0x30fc ||
	    (c >= 0x4e00 && c <= 0x9fa5) || (c >= 0xac00 && c <= 0xd7a3))
		return c;
	return 0;
}

/* ---- punycode (RFC 3492) ------------------------------------------------ */

static uint32_t adapt(uint32_t delta, uint32_t points, bool first)
{
	uint32_t k = 0;

	delta = first ? delta / 700 : delta / 2;
	delta += delta / points;
	for (; delta > 455; k += 36)
		delta /= 35;
	return k + 36 * delta / (delta + 38);
}

static char digit(uint32_t d)
{
	return (char)(d < 26 ? 'a' + d : '0' + (d - 26));
}

struct label {
	char text[LABEL_POINTS + 1];
	size_t len;
};

static int put(struct label *l, char c)
{
	if (l->len == LABEL_POINTS)
		return -E2BIG;
	l->text[l->len++] = c;
	return 0;
}

static int put_number(struct label *l, uint32_t q, uint32_t bias)
{
	for (uint32_t k = 36;; k += 36) {
		uint32_t t = k <= bias ? 1 : k >= bias + 26 ? 26 : k - bias;

		if (q < t)
			return put(l, digit(q));
		if (put(l, digit(t + (q - t) % (36 - t))) < 0)
			return -E2BIG;
		q = (q - t) / (36 - t);
	}
}

static uint32_t smallest_from(const uint32_t *in, size_t n, uint32_t from)
{
	uint32_t m = UINT32_MAX;

	for (size_t i = 0; i < n; i++)
		if (in[i] >= from && in[i] < m)
			m = in[i];
	return m;
}

/* With at most 63 points below 0x10000 nothing overflows. */
static int encode(const uint32_t *in, size_t n, struct label *l)
{
	uint32_t at = 128, delta = 0, bias = 72;
	size_t done = 0, basic;

	for (size_t i = 0; i < n; i++) {
		if (in[i] < 0x80) {
			if (put(l, (char)in[i]) < 0)
				return -E2BIG;
			done++;
		}
	}
	basic = done;
	if (basic && put(l, '-') < 0)
		return -E2BIG;
	while (done < n) {
		uint32_t m = smallest_from(in, n, at);

		delta += (m - at) * (uint32_t)(done + 1);
		at = m;
		for (size_t i = 0; i < n; i++) {
			delta += in[i] < at;
			if (in[i] != at)
				continue;
			if (put_number(l, delta, bias) < 0)
				return -E2BIG;
			bias = adapt(delta, (uint32_t)done + 1, done == basic);
			delta = 0;
			done++;
		}
		delta++;
		at++;
	}
	return 0;
}

/* ---- names -------------------------------------------------------------- */

static int label_to_ascii(const uint32_t *in, size_t n, bool ascii, struct label *l)
{
	l->len = 0;
	if (ascii) {
		for (size_t i = 0; i < n; i++)
			if (put(l, (char)in[i]) < 0)
				return -E2BIG;
		return 0;
	}
	/* RFC 5891 4.2.3.1 */
	if (in[0] == '-' || in[n - 1] == '-' || (n >= 4 && in[2] == '-' && in[3] == '-'))
		return -EINVAL;
	for (const char *x = "xn--"; *x; x++)
		(void)put(l, *x);
	return encode(in, n, l);
}

int host_to_ascii(const char *text, char *dst, size_t size)
{
	uint32_t in[LABEL_POINTS];
	struct label l;
	size_t n = 0, used = 0;
	bool ascii = true;

	for (;;) {
		bool end = !*text || *text == '.';
		uint32_t c;
		int r;

		if (!end) {
			if (n == LABEL_POINTS)
				return -E2BIG;
			if (next_point(&text, &c) < 0)
				return -EINVAL;
			in[n] = certain(c);
			if (!in[n])
				return -EINVAL;
			ascii = ascii && c < 0x80;
			n++;
			continue;
		}
		r = label_to_ascii(in, n, ascii, &l);
		if (r < 0)
			return r;
		if (used + l.len + 2 > size)
			return -E2BIG;
		memcpy(dst + used, l.text, l.len);
		used += l.len;
		if (!*text)
			break;
		dst[used++] = '.';
		text++;
		n = 0;
		ascii = true;
	}
	dst[used] = '\0';
	return (int)used;
}

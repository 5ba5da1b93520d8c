/* SPDX-License-Identifier: Apache-2.0 */
/* IP addresses as text, in every spelling that some program's resolver takes, and where
 * they lead (data/address-ranges). */
#include "policy/host_impl.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "policy/data.h"

/* ---- IPv4 --------------------------------------------------------------- */

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = chr_lower(c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* One number of inet_aton(3): 0x is hexadecimal, a leading 0 octal. "08" and "0x" are taken
 * by some for 8 and 0: refused. */
static int number(const char *text, size_t len, uint64_t *ret)
{
	int base = 10;
	uint64_t n = 0;

	if (len > 2 && text[0] == '0' && chr_lower(text[1]) == 'x') {
		base = 16;
		text += 2;
		len -= 2;
	} else if (len > 1 && text[0] == '0') {
		base = 8;
	}
	if (!len)
		return -EINVAL;
	for (size_t i = 0; i < len; i++) {
		int d = digit_of(text[i]);

		if (d < 0 || d >= base)
			return -EINVAL;
		n = n * (unsigned)base + (unsigned)d;
		if (n > UINT32_MAX)
			return -EINVAL;
	}
	*ret = n;
	return 0;
}

int ip4_parse(const char *text, size_t len, struct ip_addr *ret)
{
	uint64_t part[4], value = 0;
	size_t n = 0;

	for (size_t from = 0;; n++) {
		const char *dot = memchr(text + from, '.', len - from);
		size_t to = dot ? (size_t)(dot - text) : len;

		if (n == 4 || number(text + from, to - from, &part[n]) < 0)
			return -EINVAL;
		if (!dot)
			break;
		if (part[n] > 0xff)
			return -EINVAL;
		value = value << 8 | part[n];
		from = to + 1;
	}
	/* The last number fills the bytes that are left: 127.1 is 127.0.0.1. */
	if (part[n] >= 1ull << 8 * (4 - n))
		return -EINVAL;
	value = value << 8 * (4 - n) | part[n];
	*ret = (struct ip_addr){ .v6 = 0 };
	for (int i = 0; i < 4; i++)
		ret->bytes[i] = (uint8_t)(value >> (24 - 8 * i));
	return 0;
}

/* "a.b.c.d" at the end of an IPv6 address: decimal only. */
static int dotted(const char *text, size_t len, uint8_t *dst)
{
	for (int i = 0; i < 4; i++) {
		unsigned n = 0;
		size_t used = 0;

		while (used < len && text[used] >= '0' && text[used] <= '9' && used < 3)
			n = n * 10 + (unsigned)(text[used++] - '0');
		if (!used || n > 255 || (used > 1 && text[0] == '0'))
			return -EINVAL;
		dst[i] = (uint8_t)n;
		text += used;
		len -= used;
		if (i == 3)
			return len ? -EINVAL : 0;
		if (!len || *text != '.')
			return -EINVAL;
		text++;
		len--;
	}
	return -EINVAL;
}

/* ---- IPv6 --------------------------------------------------------------- */

/* The groups on one side of "::", or all. Returns the number of bytes. */
static int groups(const char *text, size_t len, uint8_t *dst)
{
	int n = 0;

	while (len) {
		const char *colon = memchr(text, ':', len);
		size_t one = colon ? (size_t)(colon - text) : len;
		unsigned value = 0;

		if (memchr(text, '.', one)) {
			if (colon || n > 12 || dotted(text, one, dst + n) < 0)
				return -EINVAL;
			return n + 4;
		}
		if (!one || one > 4 || n > 14)
			return -EINVAL;
		for (size_t i = 0; i < one; i++) {
			int d = digit_of(text[i]);

			if (d < 0)
				return -EINVAL;
			value = value << 4 | (unsigned)d;
		}
		dst[n++] = (uint8_t)(value >> 8);
		dst[n++] = (uint8_t)value;
		text += one;
		len -= one;
		if (!colon)
			break;
		if (len == 1)
			return -EINVAL; /* ends in ":" */
		text++;
		len--;
	}
	return n;
}

static const char *find_gap(const char *text, size_t len)
{
	for (size_t i = 0; i + 1 < len; i++)
		if (text[i] == ':' && text[i + 1] == ':')
			return text + i;
	return NULL;
}

int ip6_parse(const char *text, size_t len, struct ip_addr *ret)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	struct ip_addr ip = { .v6 = 1 };
	uint8_t tail[16];
	const char *gap = find_gap(text, len);
	size_t head_len = gap ? (size_t)(gap - text) : len;
	int head, n = 0;

	/* An address in dots alone is no IPv6 one, nor are they in front of a gap. */
	if (!memchr(text, ':', len) || (gap && memchr(text, '.', head_len)))
		return -EINVAL;
	head = groups(text, head_len, ip.bytes);
	if (head < 0)
		return -EINVAL;
	if (gap) {
		n = groups(gap + 2, len - head_len - 2, tail);
		if (n < 0 || head + n > 14)
			return -EINVAL;
		memcpy(ip.bytes + 16 - n, tail, (size_t)n);
	} else if (head != 16) {
		return -EINVAL;
	}
	if (memcmp(ip.bytes, mapped, sizeof(mapped)) == 0) {
		*ret = (struct ip_addr){ .v6 = 0 };
		memcpy(ret->bytes, ip.bytes + 12, 4);
		return 0;
	}
	*ret = ip;
	return 0;
}

/* ---- text --------------------------------------------------------------- */

static unsigned group_of(const struct ip_addr *ip, int i)
{
	return (unsigned)ip->bytes[2 * i] << 8 | ip->bytes[2 * i + 1];
}

/* RFC 5952: the first of the longest runs of two or more zero groups is "::". */
static int longest_run(const struct ip_addr *ip, int *ret_len)
{
	int best = -1, best_len = 1;

	for (int i = 0; i < 8; i++) {
		int n = 0;

		while (i + n < 8 && group_of(ip, i + n) == 0)
			n++;
		if (n > best_len) {
			best = i;
			best_len = n;
		}
		i += n;
	}
	*ret_len = best_len;
	return best;
}

void ip_text(const struct ip_addr *ip, char *dst, size_t size)
{
	int gap, gap_len;
	size_t at = 0;

	if (!ip->v6) {
		(void)snprintf(dst, size, "%u.%u.%u.%u", ip->bytes[0], ip->bytes[1], ip->bytes[2],
			       ip->bytes[3]);
		return;
	}
	gap = longest_run(ip, &gap_len);
	dst[0] = '\0';
	for (int i = 0; i < 8 && at < size; i++) {
		if (i == gap) {
			at += (size_t)snprintf(dst + at, size - at, "::");
			i += gap_len - 1;
			continue;
		}
		at += (size_t)snprintf(dst + at, size - at, "%s%x",
				       i && i != gap + gap_len ? ":" : "", group_of(ip, i));
	}
}

/* ---- where it leads ----------------------------------------------------- */

static bool bits_equal(const uint8_t *a, const uint8_t *b, unsigned bits)
{
	unsigned whole = bits / 8, rest = bits % 8;

	if (memcmp(a, b, whole) != 0)
		return false;
	return !rest || (a[whole] ^ b[whole]) >> (8 - rest) == 0;
}

bool ip_within(const struct ip_addr *ip, const struct ip_addr *net, unsigned prefix)
{
	return ip->v6 == net->v6 && prefix <= (ip->v6 ? 128u : 32u) &&
	       bits_equal(ip->bytes, net->bytes, prefix);
}

bool ip_has_host_bits(const struct ip_addr *net, unsigned prefix)
{
	for (unsigned bit = prefix; bit < (net->v6 ? 128u : 32u); bit++)
		if (net->bytes[bit / 8] & 0x80u >> bit % 8)
			return true;
	return false;
}

bool ip_embedded(const struct ip_addr *ip, struct ip_addr *ret)
{
	/* at: where the IPv4 address stands; flip: inverted (Teredo's client) */
	static const struct {
		uint8_t prefix[12];
		uint8_t bits, at, flip;
	} forms[] = {
		{ { 0 }, 96, 12, 0 },			      /* ::a.b.c.d */
		{ { [10] = 0xff, [11] = 0xff }, 96, 12, 0 },  /* ::ffff:a.b.c.d */
		{ { [8] = 0xff, [9] = 0xff }, 96, 12, 0 },    /* RFC 2765 */
		{ { 0x00, 0x64, 0xff, 0x9b }, 96, 12, 0 },    /* NAT64, RFC 6052 */
		{ { 0x20, 0x02 }, 16, 2, 0 },		      /* 6to4 */
		{ { 0x20, 0x01, 0x00, 0x00 }, 32, 12, 0xff }, /* Teredo */
	};
	static const uint8_t isatap[4] = { 0x00, 0x00, 0x5e, 0xfe };
	size_t at = 0;
	uint8_t flip = 0;

	if (!ip->v6)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(forms) && !at; i++) {
		if (bits_equal(ip->bytes, forms[i].prefix, forms[i].bits)) {
			at = forms[i].at;
			flip = forms[i].flip;
		}
	}
	/* RFC 5214: the "u" bit may be set. */
	if (!at && (ip->bytes[8] & 0xfd) == isatap[0] && memcmp(ip->bytes + 9, isatap + 1, 3) == 0)
		at = 12;
	if (!at)
		return false;
	*ret = (struct ip_addr){ .v6 = 0 };
	for (size_t i = 0; i < 4; i++)
		ret->bytes[i] = ip->bytes[at + i] ^ flip;
	return true;
}

static const struct data_range *range_of(const struct ip_addr *ip)
{
	for (size_t i = 0; i < data_address_ranges_n; i++) {
		const struct data_range *r = &data_address_ranges[i];

		if (r->v6 == ip->v6 && bits_equal(ip->bytes, r->bytes, r->prefix))
			return r;
	}
	return NULL;
}

const char *ip_guard(const struct ip_addr *ip)
{
	const struct data_range *r = range_of(ip), *inner;
	struct ip_addr v4;

	/* A soft range may carry an address of a hard one. */
	if ((!r || !r->hard) && ip_embedded(ip, &v4)) {
		inner = range_of(&v4);
		if (inner)
			r = inner;
	}
	return r ? r->group : NULL;
}

bool ip_guard_is_hard(const char *guard)
{
	for (size_t i = 0; i < data_address_ranges_n; i++)
		if (streq(data_address_ranges[i].group, guard))
			return data_address_ranges[i].hard;
	return true;
}

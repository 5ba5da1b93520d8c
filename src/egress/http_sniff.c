/* SPDX-License-Identifier: Apache-2.0 */
/* Tells HTTP from other protocols in which the client speaks first. Generous on purpose: blank
 * lines before the request, tabs for blanks, methods that nobody knows are read by some
 * server. What talks otherwise (SSH, SMTP, IRC, Redis, NATS, STOMP, git, databases) has no
 * "HTTP/" in its first line, or a byte that no such line has. */
#include <errno.h>
#include <string.h>

#include "egress/http.h"

/* Python's also splits at the separators of ASCII and Latin-1. */
bool http_is_blank(uint8_t c)
{
	return c == ' ' || c == '\t' || c == '\v' || c == '\f' || (c >= 0x1c && c <= 0x1f) ||
	       c == 0x85 || c == 0xa0;
}

static bool is_letter(uint8_t c)
{
	c |= 0x20;
	return (c >= 'a' && c <= 'z') || c == '_' || c == '-';
}

static bool is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

/* 1, 0, or -EAGAIN while p is only the beginning of s. Case is not looked at. */
static int begins(const uint8_t *p, size_t len, const char *s)
{
	size_t n = strlen(s);

	if (strncasecmp((const char *)p, s, len < n ? len : n) != 0)
		return 0;
	return len < n ? -EAGAIN : 1;
}

/* Does what stands behind a method of letters look like a target? */
static int target(const uint8_t *method, size_t method_len, const uint8_t *p, size_t len)
{
	if (len == 0)
		return -EAGAIN;
	if (*p == '/')
		return 1;
	if (method_len == 7 && begins(method, 7, "connect") == 1)
		return is_letter(*p) || is_digit(*p) || *p == '[';
	return begins(p, len, "http:") == 1 ? 1 : begins(p, len, "https:");
}

/* The whole first line: is there "HTTP/" in it? */
static int line(const uint8_t *p, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (p[i] == '\n')
			return 0;
		if ((p[i] < ' ' && !http_is_blank(p[i]) && p[i] != '\r') || p[i] == 0x7f)
			return 0;
		if (begins(p + i, len - i, "http/") == 1)
			return 1;
	}
	return -EAGAIN;
}

/* A line before the request that tells a server who the client is (PROXY protocol, version 1
 * and 2): behind it comes what nobody would look at. */
static int proxied(const uint8_t *p, size_t len)
{
	static const char v2[] = "\r\n\r\n\0\r\nQUIT\n";
	size_t n = len < sizeof(v2) - 1 ? len : sizeof(v2) - 1;

	if (len > 4 && memcmp(p, v2, n) == 0)
		return n == sizeof(v2) - 1 ? 1 : -EAGAIN;
	return begins(p, len, "proxy ") == 1;
}

static int sniff(const uint8_t *p, size_t len)
{
	size_t start = 0, i;
	bool letters = true;
	int r = proxied(p, len);

	if (r)
		return r;
	while (start < len && (http_is_blank(p[start]) || p[start] == '\r' || p[start] == '\n'))
		start++;
	for (i = start; i < len && p[i] > ' ' && p[i] < 0x7f; i++) {
		if (strchr("\"(),/:;<=>?@[\\]{}", p[i]))
			return 0;
		letters = letters && is_letter(p[i]);
	}
	if (i == len)
		return -EAGAIN;
	if (i == start || !http_is_blank(p[i]))
		return 0;
	if (letters) {
		size_t at = i;

		while (at < len && http_is_blank(p[at]))
			at++;
		r = target(p + start, i - start, p + at, len - at);
	}
	return r ? r : line(p + i, len - i);
}

int http_sniff(const uint8_t *data, size_t len)
{
	int r = sniff(data, len < HTTP_SNIFF_MAX ? len : HTTP_SNIFF_MAX);

	/* A first line as long as that is a URL, if anything. */
	return r == -EAGAIN && len >= HTTP_SNIFF_MAX ? 1 : r;
}

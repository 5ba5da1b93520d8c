/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json_out.h"

#include <stdint.h>

/* Decodes one UTF-8 sequence (RFC 3629: shortest form, no surrogates). Returns
 * its length, 0 when there is none. */
static size_t utf8_decode(const unsigned char *s, size_t left, uint32_t *ret_c)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t n;
	uint32_t c;

	if (s[0] < 0x80) {
		*ret_c = s[0];
		return 1;
	}
	if (s[0] >= 0xc2 && s[0] < 0xe0)
		n = 2, c = s[0] & 0x1fu;
	else if ((s[0] & 0xf0u) == 0xe0)
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
	if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return 0;
	*ret_c = c;
	return n;
}

/* Legal inside a JSON string, but able to move a cursor or to make text read as
 * another one when the line is shown: written as \uXXXX too. */
static bool must_escape(uint32_t c)
{
	return c < 0x20 || c == '"' || c == '\\' || (c >= 0x7f && c < 0xa0) ||
	       (c <= 0xffff && chr_deceptive(c));
}

bool json_quote(struct buf *b, const char *s, size_t len)
{
	const unsigned char *p = (const unsigned char *)s;
	bool clean = true;
	uint32_t c;

	(void)buf_adds(b, "\"");
	for (size_t i = 0; i < len;) {
		size_t n = utf8_decode(p + i, len - i, &c);

		if (!n) {
			(void)buf_adds(b, "\\ufffd");
			clean = false;
			i++;
			continue;
		}
		if (c == '"' || c == '\\')
			(void)buf_addf(b, "\\%c", (char)c);
		else if (c == '\n')
			(void)buf_adds(b, "\\n");
		else if (c == '\t')
			(void)buf_adds(b, "\\t");
		else if (must_escape(c))
			(void)buf_addf(b, "\\u%04x", (unsigned)c);
		else
			(void)buf_add(b, p + i, n);
		i += n;
	}
	(void)buf_adds(b, "\"");
	return clean;
}

void json_begin(struct buf *b)
{
	(void)buf_adds(b, "{");
}

void json_end(struct buf *b)
{
	(void)buf_adds(b, "}");
}

static void member(struct buf *b, const char *name)
{
	if (b->len && b->data[b->len - 1] != '{')
		(void)buf_adds(b, ",");
	(void)json_quote(b, name, strlen(name));
	(void)buf_adds(b, ":");
}

void json_member_bytes(struct buf *b, const char *name, const char *value, size_t len)
{
	char hex_name[64];

	member(b, name);
	if (json_quote(b, value, len))
		return;
	(void)snprintf(hex_name, sizeof(hex_name), "%s_hex", name);
	member(b, hex_name);
	(void)buf_adds(b, "\"");
	for (size_t i = 0; i < len; i++)
		(void)buf_addf(b, "%02x", (unsigned)(unsigned char)value[i]);
	(void)buf_adds(b, "\"");
}

void json_member_str(struct buf *b, const char *name, const char *value)
{
	json_member_bytes(b, name, value, strlen(value));
}

void json_member_int(struct buf *b, const char *name, long long value)
{
	member(b, name);
	(void)buf_addf(b, "%lld", value);
}

void json_member_bool(struct buf *b, const char *name, bool value)
{
	member(b, name);
	(void)buf_adds(b, value ? "true" : "false");
}

void json_member_strv(struct buf *b, const char *name, const struct strv *list)
{
	member(b, name);
	(void)buf_adds(b, "[");
	for (size_t i = 0; i < list->n; i++) {
		if (i)
			(void)buf_adds(b, ",");
		(void)json_quote(b, list->v[i], strlen(list->v[i]));
	}
	(void)buf_adds(b, "]");
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "policy/toml_impl.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define STRING_MAX (1u << 20)

/* ---- strings ------------------------------------------------------------- */

static int add_utf8(struct toml *t, uint32_t c, struct buf *out)
{
	char u[4];
	size_t n = 0;

	if (c == 0 || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return toml_fail(t, "an escape that is no character");
	if (c < 0x80) {
		u[n++] = (char)c;
	} else if (c < 0x800) {
		u[n++] = (char)(0xc0 | c >> 6);
		u[n++] = (char)(0x80 | (c & 0x3f));
	} else if (c < 0x10000) {
		u[n++] = (char)(0xe0 | c >> 12);
		u[n++] = (char)(0x80 | (c >> 6 & 0x3f));
		u[n++] = (char)(0x80 | (c & 0x3f));
	} else {
		u[n++] = (char)(0xf0 | c >> 18);
		u[n++] = (char)(0x80 | (c >> 12 & 0x3f));
		u[n++] = (char)(0x80 | (c >> 6 & 0x3f));
		u[n++] = (char)(0x80 | (c & 0x3f));
	}
	return buf_add(out, u, n);
}

static int hex(struct toml *t, unsigned digits, struct buf *out)
{
	uint32_t c = 0;

	for (; digits; digits--) {
		int d = toml_peek(t);

		if (d >= '0' && d <= '9')
			d -= '0';
		else if (d >= 'a' && d <= 'f')
			d -= 'a' - 10;
		else if (d >= 'A' && d <= 'F')
			d -= 'A' - 10;
		else
			return toml_fail(t, "an escape that is not hexadecimal");
		c = c << 4 | (uint32_t)d;
		t->p++;
	}
	return add_utf8(t, c, out);
}

/* A backslash at the end of a line takes the blanks and line ends that follow away. */
static int continue_line(struct toml *t)
{
	bool end = false;

	for (; t->p < t->end && strchr(" \t\r\n", *t->p) && *t->p; t->p++) {
		t->line += *t->p == '\n';
		end = end || *t->p == '\n';
	}
	return end ? 0 : toml_fail(t, "an unknown escape");
}

static int escape(struct toml *t, bool multi, struct buf *out)
{
	static const char from[] = "btnfre\"\\", to[] = "\b\t\n\f\r\033\"\\";
	int c = toml_peek(t);
	const char *at = c > 0 ? strchr(from, c) : NULL;

	if (c == 'u' || c == 'U') {
		t->p++;
		return hex(t, c == 'u' ? 4 : 8, out);
	}
	if (at && c != 'e') {
		t->p++;
		return buf_add(out, &to[at - from], 1);
	}
	if (multi && (c == ' ' || c == '\t' || c == '\n' || c == '\r'))
		return continue_line(t);
	return toml_fail(t, "an unknown escape");
}

static bool ends_with_three(const struct toml *t, char quote)
{
	return t->end - t->p >= 3 && t->p[0] == quote && t->p[1] == quote && t->p[2] == quote;
}

static int one_line(struct toml *t, char quote, struct buf *out)
{
	for (;;) {
		int c = toml_peek(t);

		if (c < 0 || c == '\n' || c == '\r')
			return toml_fail(t, "a string that does not end");
		if ((c < 0x20 && c != '\t') || c == 0x7f)
			return toml_fail(t, "a control character in a string");
		t->p++;
		if (c == quote)
			return 0;
		if (c == '\\' && quote == '"') {
			int r = escape(t, false, out);

			if (r < 0)
				return r;
		} else {
			(void)buf_add(out, t->p - 1, 1);
		}
	}
}

static int many_lines(struct toml *t, char quote, struct buf *out)
{
	t->p += 3;
	if (toml_peek(t) == '\r' && t->p + 1 < t->end && t->p[1] == '\n')
		t->p++;
	if (toml_peek(t) == '\n') {
		t->p++;
		t->line++;
	}
	for (;;) {
		int c = toml_peek(t), r;

		if (c < 0)
			return toml_fail(t, "a string that does not end");
		if (ends_with_three(t, quote)) {
			t->p += 3;
			/* Up to two more quotes belong to it. */
			for (int i = 0; i < 2 && toml_peek(t) == quote; i++, t->p++)
				(void)buf_add(out, &quote, 1);
			return 0;
		}
		if ((c < 0x20 && !strchr("\t\r\n", c)) || c == 0x7f)
			return toml_fail(t, "a control character in a string");
		t->p++;
		t->line += c == '\n';
		if (c != '\\' || quote != '"') {
			(void)buf_add(out, t->p - 1, 1);
			continue;
		}
		r = escape(t, true, out);
		if (r < 0)
			return r;
	}
}

int toml_string(struct toml *t, bool multi, struct buf *out)
{
	char quote = *t->p;
	int r;

	if (multi && ends_with_three(t, quote)) {
		r = many_lines(t, quote, out);
	} else {
		t->p++;
		r = one_line(t, quote, out);
	}
	if (r >= 0 && out->failed)
		r = toml_fail(t, "a string is too long");
	if (r >= 0 && out->data && strlen(out->data) != out->len)
		r = toml_fail(t, "a zero byte");
	return r;
}

/* ---- numbers, dates, words ------------------------------------------------ */

/* Digits with single underscores between them; the plain digits go to dst. */
static bool digits(const char *s, size_t len, int base, char *dst, size_t size)
{
	static const char all[] = "0123456789abcdef";
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		const char *at = strchr(all, chr_lower(s[i]));

		if (s[i] == '_') {
			if (i == 0 || i + 1 == len || s[i - 1] == '_')
				return false;
			continue;
		}
		if (!s[i] || !at || at - all >= base || n + 1 >= size)
			return false;
		dst[n++] = s[i];
	}
	dst[n] = '\0';
	return n > 0;
}

static json_t *integer(const char *s, size_t len)
{
	char plain[72], all[80];
	bool sign = len && (*s == '-' || *s == '+');
	size_t at = sign;
	int base = 10;
	long long v;

	if (len - at > 2 && s[at] == '0' && strchr("xob", s[at + 1]) && s[at + 1]) {
		base = s[at + 1] == 'x' ? 16 : s[at + 1] == 'o' ? 8 : 2;
		at += 2;
		if (sign)
			return NULL;
	}
	if (!digits(s + at, len - at, base, plain, sizeof(plain)) ||
	    (base == 10 && plain[0] == '0' && plain[1]))
		return NULL;
	(void)snprintf(all, sizeof(all), "%s%s", sign && *s == '-' ? "-" : "", plain);
	errno = 0;
	v = strtoll(all, NULL, base);
	return errno ? NULL : json_integer(v);
}

/* Something with the form of a float or of a date: kept as its text, nobody here computes. */
static json_t *other(const char *s, size_t len)
{
	size_t sign = len && (*s == '-' || *s == '+');
	bool number = true; /* only digits: integer() would have read it */

	if (len <= sign || len > 64)
		return NULL;
	if (len == sign + 3 && (memcmp(s + sign, "inf", 3) == 0 || memcmp(s + sign, "nan", 3) == 0))
		return json_stringn(s, len);
	if (s[sign] < '0' || s[sign] > '9')
		return NULL;
	for (size_t i = sign; i < len; i++)
		if (!s[i] || !strchr("0123456789+-.:_eETtZz ", s[i]))
			return NULL;
		else if (strchr(".:-eE", s[i]))
			number = false;
	return number ? NULL : json_stringn(s, len);
}

static int word(struct toml *t, struct json_node *n, const char *key)
{
	const char *start = t->p;
	json_t *v = NULL;
	size_t len;

	while (t->p < t->end && !strchr(",]}#\t\r\n =", *t->p) && *t->p)
		t->p++;
	len = (size_t)(t->p - start);
	/* A date and a time may have a blank between. */
	if (len == 10 && start[4] == '-' && t->end - t->p > 3 && *t->p == ' ' && t->p[1] >= '0' &&
	    t->p[1] <= '9' && t->p[3] == ':') {
		t->p++;
		while (t->p < t->end && !strchr(",]}#\t\r\n =", *t->p) && *t->p)
			t->p++;
		len = (size_t)(t->p - start);
	}
	if (len == 4 && memcmp(start, "true", 4) == 0)
		v = json_true();
	else if (len == 5 && memcmp(start, "false", 5) == 0)
		v = json_false();
	if (!v)
		v = integer(start, len);
	if (!v)
		v = other(start, len);
	if (!v)
		return toml_fail(t, len ? "this is no value (strings stand in quotes)"
					: "a value is missing");
	return toml_add(t, n, key, v, TOML_PLAIN, NULL);
}

/* ---- arrays and inline tables --------------------------------------------- */

static int array(struct toml *t, struct json_node *n, const char *key)
{
	struct json_node *list;
	int r = toml_add(t, n, key, json_array(), TOML_CLOSED, &list);

	t->p++;
	for (bool first = true; r >= 0; first = false) {
		r = toml_skip(t, true);
		if (r >= 0 && toml_peek(t) == ']')
			break;
		if (r >= 0 && !first) {
			if (toml_peek(t) != ',')
				return toml_fail(t, "\",\" or \"]\" is missing in an array");
			t->p++;
			r = toml_skip(t, true);
			if (r >= 0 && toml_peek(t) == ']')
				break;
		}
		if (r >= 0)
			r = toml_value(t, list, NULL);
	}
	t->p += r >= 0;
	return r;
}

/* All that is in an inline table is closed with it. */
static void close_all(struct json_node *n)
{
	n->tag = TOML_CLOSED;
	for (size_t i = 0; i < n->n_kids; i++)
		if (json_is_object(n->kids[i].value))
			close_all(&n->kids[i]);
}

static int inline_table(struct toml *t, struct json_node *n, const char *key)
{
	struct json_node *table;
	int r = toml_add(t, n, key, json_object(), TOML_DEFINED, &table);

	t->p++;
	if (r >= 0)
		r = toml_skip(t, false);
	if (r >= 0 && toml_peek(t) == '}') {
		t->p++;
		table->tag = TOML_CLOSED;
		return 0;
	}
	while (r >= 0) {
		r = toml_skip(t, false);
		if (r >= 0)
			r = toml_assign(t, table);
		if (r >= 0)
			r = toml_skip(t, false);
		if (r < 0)
			return r;
		if (toml_peek(t) == '}')
			break;
		if (toml_peek(t) != ',')
			return toml_fail(t, "\",\" or \"}\" is missing in an inline table");
		t->p++;
	}
	if (r < 0)
		return r;
	t->p++;
	close_all(table);
	return 0;
}

int toml_value(struct toml *t, struct json_node *n, const char *key)
{
	_cleanup_buf_ struct buf text = BUF_INIT(STRING_MAX);
	int c = toml_peek(t), r;

	if (c == '"' || c == '\'') {
		unsigned line = t->line;
		struct json_node *kid;

		r = toml_string(t, true, &text);
		if (r >= 0)
			r = toml_add(t, n, key, json_stringn(text.data ? text.data : "", text.len),
				     TOML_PLAIN, &kid);
		if (r >= 0)
			kid->line = line;
		return r;
	}
	if (c != '[' && c != '{')
		return word(t, n, key);
	if (t->depth == JSON_DEPTH_MAX)
		return toml_fail(t, "nested too deep");
	t->depth++;
	r = c == '[' ? array(t, n, key) : inline_table(t, n, key);
	t->depth--;
	return r;
}

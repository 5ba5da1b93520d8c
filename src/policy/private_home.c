/* SPDX-License-Identifier: Apache-2.0 */
#include "policy/private_home.h"

#include <stddef.h>
#include <string.h>

#include "base/str.h"

#define HASH_LEN 16u

struct component {
	const char *text;
	size_t len;
};

/* The next component, whatever slashes are around it. */
static bool next_component(const char **p, struct component *ret)
{
	*p += strspn(*p, "/");
	ret->text = *p;
	ret->len = strcspn(*p, "/");
	*p += ret->len;
	return ret->len > 0;
}

static bool is(const struct component *c, const char *text)
{
	return c->len == strlen(text) && memcmp(c->text, text, c->len) == 0;
}

static bool is_home(const struct component *c)
{
	const char *hash = c->text + c->len - HASH_LEN;

	if (c->len < HASH_LEN + 2 || hash[-1] != '-')
		return false;
	for (size_t i = 0; i < HASH_LEN; i++)
		if (!strchr("0123456789abcdef", hash[i]))
			return false;
	return true;
}

bool names_private_home(const char *path, const char *own)
{
	struct component c, before = { "", 0 };

	while (next_component(&path, &c)) {
		/* "homes/./NAME" is the same. */
		if (is(&c, "."))
			continue;
		if ((own && is(&c, own)) || (is(&before, "berm") && is(&c, "homes")) ||
		    (is(&before, "homes") && is_home(&c)))
			return true;
		before = c;
	}
	return false;
}

/* The value of two hexadecimal digits; -1 when they are none. */
static int decoded(const char *s)
{
	int value = 0;

	for (unsigned i = 0; i < 2; i++) {
		char c = chr_lower(s[i]);

		if (c >= '0' && c <= '9')
			value = value * 16 + (c - '0');
		else if (c >= 'a' && c <= 'f')
			value = value * 16 + (c - 'a' + 10);
		else
			return -1;
	}
	return value;
}

bool may_name_private_home(const char *text)
{
	char plain[4096];
	const char *p = plain;
	struct component c;
	size_t n = 0;

	for (; *text && n < sizeof(plain) - 1; n++) {
		int value = *text == '%' ? decoded(text + 1) : -1;

		plain[n] = value > 0 ? (char)value : *text;
		text += value > 0 ? 3 : 1;
	}
	plain[n] = '\0';
	if (*text)
		return true; /* too long to be looked at */
	while (next_component(&p, &c))
		if (is_home(&c))
			return true;
	return names_private_home(plain, NULL);
}

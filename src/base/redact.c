/* SPDX-License-Identifier: Apache-2.0 */
#include "base/redact.h"

#include <stdbool.h>
#include <string.h>

#include "base/str.h"

/* ASCII, for whatever a program chose to write. */
static bool contains_fold(const char *s, size_t len, const char *what)
{
	size_t n = strlen(what);

	for (size_t i = 0; i + n <= len; i++) {
		size_t k = 0;

		while (k < n && chr_lower(s[i + k]) == what[k])
			k++;
		if (k == n)
			return true;
	}
	return false;
}

static bool secret_name(const char *s, size_t len)
{
	static const char *const names[] = { "token",	    "passw",	  "secret",	"apikey",
					     "api-key",	    "api_key",	  "credential", "auth",
					     "private-key", "access-key", "access_key", "cookie",
					     "bearer" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (contains_fold(s, len, names[i]))
			return true;
	return false;
}

/* Well-known beginnings of tokens. */
static bool secret_value(const char *s, size_t len)
{
	static const char *const starts[] = { "sk-",	     "ghp_",   "gho_",	"ghs_",	 "ghu_",
					      "github_pat_", "glpat-", "xoxb-", "xoxp-", "AKIA",
					      "eyJ",	     "npm_",   "hf_",	"AIza" };

	for (size_t i = 0; i < ARRAY_SIZE(starts); i++) {
		size_t n = strlen(starts[i]);

		if (len >= n + 8 && memcmp(s, starts[i], n) == 0)
			return true;
	}
	return false;
}

/* scheme://user:password@host: where the password lies. */
static bool url_secret(const char *s, size_t len, size_t *from, size_t *to)
{
	const char *p = memmem(s, len, "://", 3), *end = s + len, *at = NULL, *colon = NULL;

	if (!p)
		return false;
	for (p += 3; p < end && *p != '/' && *p != '?' && *p != '#'; p++) {
		if (*p == '@')
			at = p;
		else if (*p == ':' && !colon)
			colon = p;
	}
	if (!at)
		return false;
	/* user alone may be a token as well */
	*from = colon && colon < at ? (size_t)(colon + 1 - s)
				    : (size_t)((const char *)memmem(s, len, "://", 3) + 3 - s);
	*to = (size_t)(at - s);
	return true;
}

static void add_escaped(struct buf *b, const char *s, size_t len)
{
	char shown[4 * 256 + 8];

	while (len) {
		size_t n = len < 256 ? len : 256;

		str_escape(shown, sizeof(shown), s, n);
		(void)buf_adds(b, shown);
		s += n;
		len -= n;
	}
}

/* The word after "--token", and the one after "-u" when it is "user:password". */
enum hide { HIDE_NOT, HIDE_NEXT, HIDE_PAIR };

static void add_word(struct buf *b, const char *s, size_t len, enum hide *hide)
{
	const char *eq = memchr(s, '=', len), *colon = memchr(s, ':', len);
	enum hide before = *hide;
	size_t from, to;

	*hide = HIDE_NOT;
	if (len && *s != '-' && (before == HIDE_NEXT || (before == HIDE_PAIR && colon))) {
		(void)buf_adds(b, "***");
	} else if (url_secret(s, len, &from, &to)) {
		add_escaped(b, s, from);
		(void)buf_adds(b, "***");
		add_escaped(b, s + to, len - to);
	} else if (eq && secret_name(s, (size_t)(eq - s))) {
		add_escaped(b, s, (size_t)(eq - s) + 1);
		(void)buf_adds(b, "***");
	} else if (colon && secret_name(s, (size_t)(colon - s))) {
		add_escaped(b, s, (size_t)(colon - s) + 1); /* "Authorization: ..." */
		(void)buf_adds(b, "***");
	} else if (secret_value(s, len)) {
		add_escaped(b, s, 4);
		(void)buf_adds(b, "***");
	} else {
		if (len > 1 && *s == '-')
			*hide = secret_name(s, len)	  ? HIDE_NEXT
				: len == 2 && s[1] == 'u' ? HIDE_PAIR
							  : HIDE_NOT;
		add_escaped(b, s, len);
	}
}

void redact_words(const char *words, size_t len, char *dst, size_t size)
{
	_cleanup_buf_ struct buf b = BUF_INIT(4 * REDACT_WORDS_MAX + 1024);
	enum hide hide = HIDE_NOT;

	if (len > REDACT_WORDS_MAX)
		len = REDACT_WORDS_MAX;
	for (size_t i = 0; i < len;) {
		size_t n = strnlen(words + i, len - i);

		if (i)
			(void)buf_adds(&b, " ");
		add_word(&b, words + i, n, &hide);
		i += n + 1;
	}
	dst[0] = '\0';
	if (b.failed || !b.len)
		return;
	/* Escaped already: cut, not escaped once more. */
	if (b.len < size)
		memcpy(dst, b.data, b.len + 1);
	else
		(void)snprintf(dst, size, "%.*s...", (int)size - 4, b.data);
}

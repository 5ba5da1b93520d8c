/* SPDX-License-Identifier: Apache-2.0 */
/* Other spellings of a name. A directory with case folding (ext4, f2fs, tmpfs) finds
 * ".env" under names with a Kelvin sign, a long s or invisible characters; vfat,
 * exfat, NTFS and CIFS drop trailing dots and spaces and know short names. A rule
 * for the plain spelling must hold for these. */
#include <string.h>

#include "policy/rules.h"

/* What is ignored or read as an ASCII letter, as UTF-8. */
static const struct {
	const char *bytes;
	char as; /* 0: ignored */
} folds[] = {
	{ "\xc2\xad", 0 },	 /* U+00AD soft hyphen */
	{ "\xc5\xbf", 's' },	 /* U+017F long s */
	{ "\xcd\x8f", 0 },	 /* U+034F combining grapheme joiner */
	{ "\xd8\x9c", 0 },	 /* U+061C Arabic letter mark */
	{ "\xe1\xa0\x8e", 0 },	 /* U+180E Mongolian vowel separator */
	{ "\xe2\x84\xaa", 'k' }, /* U+212A Kelvin sign */
	{ "\xef\xbb\xbf", 0 },	 /* U+FEFF byte order mark */
};

/* Length of the sequence at s that folds; *as as above. 0: none. */
static size_t fold_at(const unsigned char *s, char *as)
{
	for (size_t i = 0; i < sizeof(folds) / sizeof(folds[0]); i++) {
		size_t n = strlen(folds[i].bytes);

		if (strncmp((const char *)s, folds[i].bytes, n) == 0) {
			*as = folds[i].as;
			return n;
		}
	}
	*as = 0;
	/* U+200B..200F, 202A..202E, 2060..206F; U+FE00..FE0F variation selectors */
	if (s[0] == 0xe2 && s[1] == 0x80 &&
	    ((s[2] >= 0x8b && s[2] <= 0x8f) || (s[2] >= 0xaa && s[2] <= 0xae)))
		return 3;
	if (s[0] == 0xe2 && s[1] == 0x81 && s[2] >= 0xa0 && s[2] <= 0xaf)
		return 3;
	if (s[0] == 0xef && s[1] == 0xb8 && s[2] >= 0x80 && s[2] <= 0x8f)
		return 3;
	return 0;
}

static bool may_change(const char *s, bool loose)
{
	for (; *s; s++)
		if ((unsigned char)*s >= 0xc2 || (loose && (*s == '.' || *s == ' ' || *s == ':')))
			return true;
	return false;
}

/* Removes trailing dots and spaces from the component that ends at out[n]. */
static size_t trim(const char *out, size_t n, size_t start)
{
	size_t end = n;

	while (end > start && (out[end - 1] == '.' || out[end - 1] == ' '))
		end--;
	return end > start ? end : n;
}

bool spelling_plain(const char *path, size_t from, bool loose, char *out, size_t size)
{
	size_t n = 0, start = from;
	bool changed = false, stream = false;
	const char *p = path + from;

	if (!may_change(p, loose) || strlen(path) >= size)
		return false;
	memcpy(out, path, from);
	n = from;
	for (;;) {
		char as;
		size_t skip = *p ? fold_at((const unsigned char *)p, &as) : 0;

		if (*p == '/' || !*p) {
			size_t end = loose ? trim(out, n, start) : n;

			changed = changed || end != n;
			n = end;
			if (!*p)
				break;
			out[n++] = *p++;
			start = n;
			stream = false;
		} else if (skip) {
			changed = true;
			if (as && !stream)
				out[n++] = as;
			p += skip;
		} else if (loose && (stream || *p == ':')) {
			changed = stream = true;
			p++;
		} else {
			out[n++] = *p++;
		}
	}
	out[n] = '\0';
	return changed;
}

bool spelling_short(const char *path, size_t from)
{
	for (const char *p = path + from; *p;) {
		size_t len = strcspn(p, "/");
		const char *tilde = memchr(p, '~', len);

		/* At most 8 + "." + 3 characters. */
		if (tilde && len <= 12 && tilde + 1 < p + len && tilde[1] >= '0' && tilde[1] <= '9')
			return true;
		p += len;
		p += strspn(p, "/");
	}
	return false;
}

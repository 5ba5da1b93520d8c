/* SPDX-License-Identifier: Apache-2.0 */
/* A slow matcher of names to compare the real one with, and random names for both. */
#pragma once

#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "prng.h"

/* Does the pattern (a name, maybe with one star) match? Label by label from the right, as SPEC
 * N2 says it in words. */
static inline bool slow_names(const char *pattern, const char *name)
{
	const char *p = strrchr(pattern, '.'), *n = strrchr(name, '.');
	const char *pl = p ? p + 1 : pattern, *nl = n ? n + 1 : name;
	char rest_p[256] = "", rest_n[256] = "";

	if (streq(pl, "*") && !p)
		return true; /* a leading star: one label or more */
	if (!streq(pl, "*") && !streq(pl, nl))
		return false;
	if (!p || !n)
		return !p && !n;
	memcpy(rest_p, pattern, (size_t)(p - pattern));
	memcpy(rest_n, name, (size_t)(n - name));
	return slow_names(rest_p, rest_n);
}

/* dst of 64 bytes; one to five short labels, maybe one of them a star. */
static inline void random_name(struct prng *r, char *dst, bool stars)
{
	static const char *const labels[] = { "a", "b", "ab", "aa", "ba", "x-1" };
	unsigned n = 1 + prng_below(r, 5), star = stars ? prng_below(r, n + 1) : n;
	size_t at = 0;

	for (unsigned i = 0; i < n; i++)
		at += (size_t)snprintf(dst + at, 64 - at, "%s%s", i ? "." : "",
				       i == star ? "*" : labels[prng_below(r, ARRAY_SIZE(labels))]);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The one path matcher.
 *
 * A pattern is a path whose components may hold wildcards:
 *   *      any characters within one component
 *   ?      one character
 *   [a-z]  one character of a set; [!a-z] one that is not in it
 *   {a,b}  either; may span components
 *   **     as a whole component: any number of components, none too
 *   \x     x itself
 * "~/" is the user's home; a path without a leading "/" is relative to a base
 * directory, or, without one, to a place the caller names (the writable root).
 * A pattern covers what it names and everything below it, so that a final
 * "**" component or slash says nothing more and is dropped.
 *
 * Matching takes time proportional to pattern length times path length: within a
 * component and between components only the last star is ever tried again. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define PATTERN_MAX 4096    /* bytes of a pattern's text */
#define PATTERN_ALTS_MAX 64 /* alternatives after {a,b} */
#define PATH_PARTS_MAX 2048 /* components of a path of 4096 bytes */

enum pattern_flag {
	PATTERN_FOLD = 1u << 0,	 /* ASCII case does not matter */
	PATTERN_EXACT = 1u << 1, /* only what is named, not what lies below it */
};

enum pattern_prefix {
	PREFIX_NO,
	PREFIX_WILD,	/* the path's last component was matched by a wildcard */
	PREFIX_LITERAL, /* by its name */
};

struct pattern;

/* A path, split once. Components are not NUL-terminated. */
struct path_parts {
	const char *path;
	unsigned n;
	uint16_t at[PATH_PARTS_MAX], len[PATH_PARTS_MAX];
};

/* base NULL: a relative pattern stays relative. home NULL: "~/" is an error.
 * Errors say what is wrong with the text, not where it was written. */
int pattern_new(const char *text, const char *base, const char *home, unsigned flags,
		struct pattern **ret, struct berm_err *err);
void pattern_free(struct pattern *p);

/* It had no base; it names exactly one path. */
bool pattern_is_relative(const struct pattern *p);
bool pattern_is_literal(const struct pattern *p);

/* Length in bytes of the leading part without wildcards, and the number of
 * wildcards: what makes one pattern more specific than another. */
size_t pattern_literal_len(const struct pattern *p);
unsigned pattern_wildcards(const struct pattern *p);

/* The leading part without wildcards of an absolute pattern, as a path ("/" at
 * least). Caller frees. NULL when out of memory or the pattern is relative. */
char *pattern_literal_dir(const struct pattern *p);

/* false: the path is longer than 4095 bytes. */
bool path_split(const char *path, struct path_parts *ret);

/* true: the pattern names the path or an ancestor of it. Absolute patterns only. */
bool pattern_match(const struct pattern *p, const char *path);

/* Is the path a proper ancestor of something that the pattern names? After "**" an
 * ancestor is a path whose last components match the first ones that follow the
 * "**"; a directory that only "**" itself covers is none. */
enum pattern_prefix pattern_prefix(const struct pattern *p, const char *path);

/* The same for components from..to of a split path (to is excluded): a relative
 * pattern begins at component from. */
bool pattern_match_parts(const struct pattern *p, const struct path_parts *parts, unsigned from,
			 unsigned to);
enum pattern_prefix pattern_prefix_parts(const struct pattern *p, const struct path_parts *pp,
					 unsigned from, unsigned to);

/* One glob over one string, '/' is an ordinary character: for the names of
 * environment variables and the texts of ignore_violations. No braces. */
bool glob_match(const char *glob, const char *s, bool fold);

/* A pattern that means exactly this path. Caller frees. NULL when out of memory. */
char *pattern_escape(const char *path);

/* For an index: the only alternative's first component after a leading "**".
 * *ret_literal says whether it holds no wildcard; *ret_deep whether "**" came
 * first. NULL when there are several alternatives or no component. Not
 * NUL-terminated, escapes are as written. */
const char *pattern_first(const struct pattern *p, size_t *ret_len, bool *ret_literal,
			  bool *ret_deep);

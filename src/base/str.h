/* SPDX-License-Identifier: Apache-2.0 */
/* Strings: comparisons, bounded growing buffers, and escaping for terminals. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/cleanup.h"

static inline bool streq(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

static inline bool str_starts(const char *s, const char *prefix)
{
	return strncmp(s, prefix, strlen(prefix)) == 0;
}

/* Does s end with suffix? */
bool str_ends(const char *s, const char *suffix);

/* ASCII case folding only, independent of locale. */
static inline char chr_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

/* streq() after chr_lower(). */
bool streq_fold(const char *a, const char *b);

/* Number of single-character edits between a and b, at most max + 1: for "did
 * you mean". Strings longer than 63 bytes count as max + 1. */
unsigned str_distance(const char *a, const char *b, unsigned max);

/* Whether a code point can make a text read as another one: an override of direction, a line
 * end of Unicode's own, something that is not seen at all. */
bool chr_deceptive(uint32_t c);

/* Writes s with control bytes, what deceives and invalid UTF-8 as \xNN, always
 * terminated, truncated with "..." when dst is too small. */
void str_escape(char *dst, size_t size, const char *s, size_t len);

/* strdup and friends that return NULL on exhaustion; caller frees. */
char *str_printf(const char *fmt, ...) _printf_(1, 2);

/* A growing byte buffer with a hard limit stated at its birth. After a failed
 * append (limit or memory) `failed` is set and every later append is refused,
 * so that one check at the end is enough. data is always NUL-terminated once
 * anything was appended. */
struct buf {
	char *data;
	size_t len, cap, max;
	bool failed;
};

#define BUF_INIT(limit) ((struct buf){ .max = (limit) })

/* Append; 0, or -ENOBUFS past the limit, or -ENOMEM. */
int buf_add(struct buf *b, const void *data, size_t len);
int buf_adds(struct buf *b, const char *s);
int buf_addf(struct buf *b, const char *fmt, ...) _printf_(2, 3);
void buf_free(struct buf *b);
#define _cleanup_buf_ _cleanup_(buf_free)

/* A growing list of owned strings. */
struct strv {
	char **v; /* NULL-terminated once anything was added */
	size_t n, cap;
};

/* Copies s. Returns 0 or -ENOMEM. */
int strv_add(struct strv *l, const char *s);
bool strv_has(const struct strv *l, const char *s);
void strv_free(struct strv *l);
#define _cleanup_strv_ _cleanup_(strv_free)

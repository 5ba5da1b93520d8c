/* SPDX-License-Identifier: Apache-2.0 */
/* Text for a terminal: what comes from files is made harmless, and cut to columns. Depends on the
 * locale's character set and on nothing else. */
#pragma once

#include <stddef.h>

/* A copy of s of which each character can be seen as it is: control characters, what deceives and
 * what this locale cannot show are written as escapes. NULL without memory; caller frees. */
char *text_clean(const char *s);

/* How many bytes of a text that text_clean() made fit into so many columns. */
size_t text_cut(const char *s, int columns);

/* The columns that its first len bytes take. */
int text_columns(const char *s, size_t len);

/* One line of a page. */
struct row {
	char *text;
	int item; /* what is chosen with it, -1 nothing */
};

/* A page: its lines from the top. After a failed addition `failed` is set. */
struct rows {
	struct row *v;
	size_t n, cap;
	int failed;
};

/* Adds text (as it came, of one or several lines) broken at columns; what goes on in the next
 * row is indented below the line's own beginning. Every row of it is of item. */
void rows_add(struct rows *r, int columns, int item, const char *text);
void rows_free(struct rows *r);

/* SPDX-License-Identifier: Apache-2.0 */
/* A list of data/, compiled in by data/gen.py. Rows hold places in a text, not pointers: those
 * would be relocated at each start of the program, and start time is the product. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct data_row {
	uint32_t text, group; /* in data_list.text; group 0: none */
	uint32_t line;
};

struct data_list {
	const char *file; /* "data/secret-names" */
	const char *text;
	const struct data_row *rows;
	size_t n;
};

struct data_entry {
	const char *text;
	const char *group; /* the "@name" line above it, NULL none */
	unsigned line;
};

static inline const char *data_text(const struct data_list *l, size_t i)
{
	return l->text + l->rows[i].text;
}

/* Row i, below l->n. */
static inline struct data_entry data_at(const struct data_list *l, size_t i)
{
	const struct data_row *r = &l->rows[i];

	return (struct data_entry){ l->text + r->text, r->group ? l->text + r->group : NULL,
				    r->line };
}

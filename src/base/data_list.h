/* SPDX-License-Identifier: Apache-2.0 */
/* A list of data/, compiled in by data/gen.py. */
#pragma once

#include <stddef.h>

struct data_entry {
	const char *text;
	const char *group; /* the "@name" line above it, NULL none */
	unsigned line;
};

struct data_list {
	const char *file; /* "data/secret-names" */
	const struct data_entry *rows;
	size_t n;
};

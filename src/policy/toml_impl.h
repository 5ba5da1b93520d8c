/* SPDX-License-Identifier: Apache-2.0 */
/* policy/ only: between toml.c (tables and keys) and toml_value.c (values). */
#pragma once

#include "base/str.h"
#include "policy/toml.h"

struct toml {
	const char *name;
	const char *p, *end;
	unsigned line;
	unsigned depth;
	struct berm_err *err;
};

/* How a table came to be: TOML lets none be defined twice. */
enum toml_tag {
	TOML_PLAIN,	/* a value */
	TOML_IMPLIED,	/* [a.b] made a */
	TOML_DEFINED,	/* [a] */
	TOML_DOTTED,	/* a.b = 1 made a */
	TOML_CLOSED,	/* { } or [ ]: nothing is added later */
	TOML_OF_TABLES, /* [[a]] */
};

/* Sets "name:line: what". */
int toml_fail(struct toml *t, const char *what);

/* The next byte, -1 at the end. */
int toml_peek(const struct toml *t);

/* Passes blanks; with lines also line ends and comments. -EINVAL: a bad comment. */
int toml_skip(struct toml *t, bool lines);

/* A string in either kind of quotes, or (multi) in three of them. */
int toml_string(struct toml *t, bool multi, struct buf *out);

/* Adds a member (key) or an element (NULL) to n. *ret is valid until n gets another. */
int toml_add(struct toml *t, struct json_node *n, const char *key, json_t *value, enum toml_tag tag,
	     struct json_node **ret);

/* "a.b" up to the "=": the table that gets the last key. */
int toml_assign(struct toml *t, struct json_node *table);

/* A value into n, as key or as an element. */
int toml_value(struct toml *t, struct json_node *n, const char *key);

/* SPDX-License-Identifier: Apache-2.0 */
/* JSON with comments, and the line of every value: jansson decodes, and a walk over
 * the same text tells where each value stands. Duplicate keys are errors. */
#pragma once

#include <jansson.h>
#include <stddef.h>

#include "base/err.h"

#define JSON_FILE_MAX (1u << 20)
#define JSON_DEPTH_MAX 16

struct json_node {
	json_t *value;
	const char *key; /* of an object's member */
	unsigned line;	 /* where the member or value begins, from 1 */
	struct json_node *kids;
	size_t n_kids;
	unsigned tag; /* of the reader that made the tree (toml.c) */
};

struct json_doc {
	json_t *root;
	struct json_node node;
};

/* Parses text (len bytes; it is changed: comments become spaces). Errors read
 * "name:line: what". */
int json_doc_parse(const char *name, char *text, size_t len, struct json_doc **ret,
		   struct berm_err *err);
void json_doc_free(struct json_doc *d);

/* "a string", "a list", ... for messages. */
const char *json_type_name(const json_t *v);

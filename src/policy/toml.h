/* SPDX-License-Identifier: Apache-2.0 */
/* TOML 1.0 into the same tree that JSON becomes (policy/json.h), strict and bounded. Dates and
 * the numbers that JSON has no form for become strings. */
#pragma once

#include "policy/json.h"

#define TOML_KEYS_MAX 4096 /* of one table, or entries of one array */

/* Errors read "name:line: what". */
int toml_doc_parse(const char *name, const char *text, size_t len, struct json_doc **ret,
		   struct berm_err *err);

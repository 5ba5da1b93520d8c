/* SPDX-License-Identifier: Apache-2.0 */
/* guard/ only: the form of a record. */
#pragma once

#include "guard/audit.h"

#define AUDIT_TAIL_LEN (9 + 64 + 2) /* ,"hash":"..."} */

/* What the chain needs of a record. */
struct audit_link {
	uint64_t n;
	char prev[SHA256_HEX_SIZE], hash[SHA256_HEX_SIZE];
};

/* Hash that stands for "none before". */
extern const char audit_genesis[SHA256_HEX_SIZE];

/* Reads a record's line (no newline). Returns false when it is not of the form, or when its hash
 * is not that of its text. */
bool audit_parse(const char *line, size_t len, struct audit_link *ret);

/* Writes the record that follows prev. */
int audit_format(const struct audit_link *prev, const char *members, size_t len, struct buf *out);

/* "NUMBER HASH\n" of the head file, always of the same length. */
bool audit_head_parse(const char *text, size_t len, struct audit_link *ret);
void audit_head_format(const struct audit_link *l, struct buf *out);

/* The members of the record about what follows the last whole record. */
void audit_torn_members(const char *torn, size_t len, struct buf *out);
/* Is line such a record, about these bytes? */
bool audit_tells_torn(const char *line, size_t len, const char *torn, size_t torn_len);

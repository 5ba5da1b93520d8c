/* SPDX-License-Identifier: Apache-2.0 */
/* Writing one JSON object per line. The output is valid UTF-8 whatever the bytes
 * of a path are, so that every strict reader accepts it: bytes that are no UTF-8
 * become U+FFFD, and a second member NAME_hex holds the exact bytes then. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

/* Starts an object in b: what follows are members, ended by json_end(). */
void json_begin(struct buf *b);
void json_end(struct buf *b);

/* Each adds one member. A failure is remembered in b (buf.failed). */
void json_member_str(struct buf *b, const char *name, const char *value);
void json_member_bytes(struct buf *b, const char *name, const char *value, size_t len);
void json_member_int(struct buf *b, const char *name, long long value);
void json_member_bool(struct buf *b, const char *name, bool value);
void json_member_strv(struct buf *b, const char *name, const struct strv *list);

/* Adds len bytes as a quoted JSON string. Returns true when they were UTF-8 (so
 * nothing was replaced). */
bool json_quote(struct buf *b, const char *s, size_t len);

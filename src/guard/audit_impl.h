/* SPDX-License-Identifier: Apache-2.0 */
/* guard/ only: the form of a record. */
#pragma once

#include <sys/types.h>

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

/* ---- files that were put away (audit_rotate.c) -------------------------- */

#define AUDIT_OLD_DIGITS 20

/* Is it the name of one? */
bool audit_is_old(const char *name);
/* The name of the one whose newest record has this number. */
void audit_old_name(uint64_t n, char dst[64]);
/* Their names, the oldest first. */
int audit_list_old(int dirfd, struct strv *ret);
/* Puts the log away and drops the oldest files but keep. The caller holds the lock. */
int audit_put_away(const char *state_dir, const struct audit *a, unsigned keep);

/* The newest record of an open log. -EBUSY: what a killed writer left follows it. */
int audit_last(int fd, struct audit_link *ret);
/* Under the lock. */
int audit_write_head(int fd, const struct audit_link *l);
/* As audit_open(), with other limits: for tests. */
int audit_open_limits(const char *state_dir, off_t large, unsigned keep, struct audit *ret,
		      struct berm_err *err);

/* "NUMBER HASH\n" of the head file, always of the same length. */
bool audit_head_parse(const char *text, size_t len, struct audit_link *ret);
void audit_head_format(const struct audit_link *l, struct buf *out);

/* The members of the record about what follows the last whole record. */
void audit_torn_members(const char *torn, size_t len, struct buf *out);
/* Is line such a record, about these bytes? */
bool audit_tells_torn(const char *line, size_t len, const char *torn, size_t torn_len);

/* SPDX-License-Identifier: Apache-2.0 */
/* The audit log: what was decided, by which rule, and who answered (SPEC G7). One JSON object a
 * line in STATE/audit.jsonl, appended to by every run of this user.
 *
 * Each record is chained to the one before:
 *
 *   {"n":7,"prev":"<hash of record 6>",MEMBERS,"hash":"<SHA-256 of all before the comma>"}
 *
 * STATE/audit.head holds number and hash of the newest record, so that a cut end is seen too.
 * It is written after the record: a writer killed in between leaves it one behind, which is no
 * fault. One killed within a record leaves a line without an end; the next
 * writer ends it and tells of it in a record of its own ("torn", with length and hash of
 * what is there), so that the chain goes on and the damage cannot be passed off as another.
 * Where AUDIT_HEAD names a record that is not there any more, the next one is numbered and
 * chained as if it were: the gap stays to be seen.
 *
 * A log that is large is put away when it is opened the next time: its records go into a file of
 * their own, audit.<number of its newest record>.jsonl, and the chain goes on in the emptied one.
 * The newest AUDIT_KEEP of those files stay; STATE/audit.base has number and hash of the newest
 * record that was dropped, from which reading begins.
 *
 * The chain has no secret: who can write the log can make a new one that agrees with itself.
 * "berm audit verify --head HASH" holds it against a hash kept elsewhere. */
#pragma once

#include <stdint.h>

#include "base/sha256.h"
#include "base/str.h"
#include "base/err.h"

#define AUDIT_FILE "audit.jsonl"
#define AUDIT_HEAD "audit.head"
#define AUDIT_BASE "audit.base"
#define AUDIT_LARGE (8 << 20) /* bytes: put away from this size on */
#define AUDIT_KEEP 8u
#define AUDIT_LINE_MAX (144u * 1024u) /* bytes of a record with its newline */
#define AUDIT_WAIT_MS 2000	      /* for another writer */

/* The log, open for adding. */
struct audit {
	int fd, head; /* -1: not open */
};

#define AUDIT_CLOSED ((struct audit){ -1, -1 })

/* Opens the log in the state folder, and makes it where there is none. */
int audit_open(const char *state_dir, struct audit *ret, struct berm_err *err);
void audit_close(struct audit *a);

/* Adds a record: members is the text between the braces, `"t":"...","event":"..."`, one line
 * of JSON without "n", "prev" and "hash". wait_ms: for how long another writer is waited for.
 * Returns 0, -E2BIG for a record that is too long, or a negative errno; err says what. */
int audit_add(const struct audit *a, const char *members, size_t len, int wait_ms,
	      struct berm_err *err);

/* The same with opening and closing. */
int audit_append(const char *state_dir, const char *members, size_t len, int wait_ms,
		 struct berm_err *err);

/* Adds `"t":"<now>"` to members. */
void audit_time(struct buf *members);

/* ---- reading ------------------------------------------------------------ */

struct audit_record {
	uint64_t n;
	const char *line; /* without its newline */
	size_t len;
};

struct audit_fault {
	uint64_t line;	/* of the file, from 1; 0: the log as a whole */
	char file[64];	/* "audit.jsonl" */
	char what[256]; /* "the record was changed" */
};

struct audit_result {
	uint64_t records; /* that are there */
	uint64_t dropped; /* so many older ones were dropped to keep the log small */
	uint64_t torn; /* records that a killed writer left unfinished, each told of by the next */
	bool faulty;
	struct audit_fault fault; /* the first */
	char head[SHA256_HEX_SIZE];
};

/* Reads the log, all its files from the oldest on, and checks every record and the chain. each,
 * which may be NULL, gets every record that is whole, in order; it returns non-zero to stop. A
 * missing log is one without records. Returns 0 (also when faulty) or a negative errno; -EAGAIN: it
 * was put away meanwhile. */
int audit_read(const char *state_dir, int (*each)(void *ctx, const struct audit_record *r),
	       void *ctx, struct audit_result *ret, struct berm_err *err);

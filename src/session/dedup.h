/* SPDX-License-Identifier: Apache-2.0 */
/* Retry storms: a program that is refused often tries again at once, a thousand
 * times. The first refusal of a kind is told at once, the repeats as one line
 * with a count, at most once a second. The table is bounded: the kinds are
 * chosen by hostile code. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DEDUP_SLOTS 1024
#define DEDUP_TEXT_MAX (256u * 1024u) /* bytes of text held for all of them */
#define DEDUP_INTERVAL_MS 1000

/* One kind of refusal. */
struct denial {
	int op;	  /* enum file_op, -1 for a system call as such */
	int nr;	  /* system call number */
	int rule; /* index into spec->rules, -1 none */
	int err;
	int pid; /* of the latest one */
	const char *target, *exe, *reason;
	size_t target_len, exe_len, reason_len;
};

struct dedup_entry {
	struct denial d; /* texts are owned by the entry, NUL-terminated */
	uint64_t hash;
	uint64_t total;	  /* how often in all */
	uint64_t pending; /* not told yet */
	long long told_ms;
};

struct dedup {
	struct dedup_entry *entries; /* in the order of their first appearance */
	size_t n;
	uint16_t *index; /* hash table of entry numbers + 1 */
	size_t text_bytes;
	uint64_t seed;
	uint64_t overflow;	   /* refusals of kinds that found no place */
	uint64_t overflow_pending; /* not told yet */
};

/* An empty table. Returns 0 or -ENOMEM. */
int dedup_init(struct dedup *d);
void dedup_free(struct dedup *d);

/* Counts one refusal (count of them). Returns the entry, or NULL when the table
 * is full. ret_tell: whether it is to be told now (the entry's pending is then
 * what to tell; the caller calls dedup_told()). */
struct dedup_entry *dedup_add(struct dedup *d, const struct denial *what, uint64_t count,
			      long long now_ms, bool *ret_tell);
void dedup_told(struct dedup_entry *e, long long now_ms);

/* Next entry from *cursor on that has something to tell: at once when all is
 * true, else when its interval is over. NULL at the end. */
struct dedup_entry *dedup_due(struct dedup *d, size_t *cursor, long long now_ms, bool all);

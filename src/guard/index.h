/* SPDX-License-Identifier: Apache-2.0 */
/* guard/ only: rules found by a word that they fix, letter for letter, so that thousands of them
 * cost a command little more than its own bytes do.
 *
 * A rule with a key can only speak of a text that has, behind a blank, a '/' or at its beginning,
 * something that begins with the key. What is found that way may fit or not; what is not cannot. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rule_index {
	struct rule_key {
		uint32_t hash, rule, next; /* next: index plus one */
	} * keys;
	uint32_t *heads; /* of chains of keys, by hash; index plus one */
	uint64_t *any;	 /* bits of the rules without a key */
	uint64_t *all;
	size_t n_keys, n_heads, n_words; /* n_words: of any and all */
	bool empty;			 /* no rule was added */
};

#define RULE_KEY_MAX 64		/* longer words are no keys */
#define RULE_SET_MAX (1u << 14) /* of more rules than that each one is asked */

/* A set of an index's rules. */
struct rule_set {
	uint64_t bits[RULE_SET_MAX / 64];
};

/* Of a key; two may have the same. */
uint32_t rule_key_hash(const char *key, size_t len);

/* An index over some of n rules. Returns 0 or -ENOMEM. */
int rule_index_init(struct rule_index *x, size_t n);

/* key NULL: the rule fixes no word. Returns 0 or -ENOMEM. */
int rule_index_add(struct rule_index *x, uint32_t rule, const char *key, size_t len);

/* When all are in. Returns 0 or -ENOMEM. */
int rule_index_done(struct rule_index *x);

/* Begins a set: those without a key. false: there are too many rules for one. */
bool rule_set_start(const struct rule_index *x, struct rule_set *s);

/* Adds those that may speak of the text. */
void rule_set_find(const struct rule_index *x, const char *text, size_t len, struct rule_set *s);

/* The first rule of the set that is not before from, of all rules of the index when s is NULL.
 * SIZE_MAX: there is none. */
size_t rule_set_next(const struct rule_index *x, const struct rule_set *s, size_t from);

void rule_index_free(struct rule_index *x);

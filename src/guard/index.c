/* SPDX-License-Identifier: Apache-2.0 */
#include "guard/index.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define HASH_START 5381u

static inline uint32_t hash_byte(uint32_t h, char c)
{
	return h * 33 + (unsigned char)c;
}

uint32_t rule_key_hash(const char *key, size_t len)
{
	uint32_t h = HASH_START;

	for (size_t i = 0; i < len; i++)
		h = hash_byte(h, key[i]);
	return h;
}

int rule_index_init(struct rule_index *x, size_t n)
{
	*x = (struct rule_index){ .n_words = n / 64 + 1, .empty = true };
	x->any = calloc(x->n_words, sizeof(*x->any));
	x->all = calloc(x->n_words, sizeof(*x->all));
	return x->any && x->all ? 0 : -ENOMEM;
}

int rule_index_add(struct rule_index *x, uint32_t rule, const char *key, size_t len)
{
	x->empty = false;
	x->all[rule / 64] |= 1ull << (rule % 64);
	if (!key || !len || len > RULE_KEY_MAX) {
		x->any[rule / 64] |= 1ull << (rule % 64);
		return 0;
	}
	/* Grows at powers of two. */
	if ((x->n_keys & (x->n_keys - 1)) == 0) {
		size_t n = x->n_keys ? 2 * x->n_keys : 1;
		struct rule_key *keys = reallocarray(x->keys, n, sizeof(*keys));

		if (!keys)
			return -ENOMEM;
		x->keys = keys;
	}
	x->keys[x->n_keys++] = (struct rule_key){ .hash = rule_key_hash(key, len), .rule = rule };
	return 0;
}

int rule_index_done(struct rule_index *x)
{
	size_t n = 1;

	if (!x->n_keys)
		return 0;
	while (n < x->n_keys)
		n *= 2;
	x->heads = calloc(n, sizeof(*x->heads));
	if (!x->heads)
		return -ENOMEM;
	x->n_heads = n;
	for (size_t i = 0; i < x->n_keys; i++) {
		uint32_t *head = &x->heads[x->keys[i].hash & (n - 1)];

		x->keys[i].next = *head;
		*head = (uint32_t)i + 1;
	}
	return 0;
}

bool rule_set_start(const struct rule_index *x, struct rule_set *s)
{
	if (x->n_words > RULE_SET_MAX / 64)
		return false;
	memcpy(s->bits, x->any, x->n_words * sizeof(s->bits[0]));
	return true;
}

static void look_up(const struct rule_index *x, uint32_t hash, struct rule_set *s)
{
	for (uint32_t i = x->heads[hash & (x->n_heads - 1)]; i; i = x->keys[i - 1].next) {
		uint32_t rule = x->keys[i - 1].rule;
		uint64_t bit = 1ull << (rule % 64);

		if (x->keys[i - 1].hash != hash)
			continue;
		/* All of one hash came in together: a word that is said a thousand times. */
		if (s->bits[rule / 64] & bit)
			return;
		s->bits[rule / 64] |= bit;
	}
}

void rule_set_find(const struct rule_index *x, const char *text, size_t len, struct rule_set *s)
{
	/* Of the word so far, and of what is behind its last '/'. */
	uint32_t word = HASH_START, base = HASH_START;
	size_t n = 0, n_base = 0;

	for (size_t i = 0; i < len && x->n_keys; i++) {
		char c = text[i];

		if (c == ' ') {
			word = base = HASH_START;
			n = n_base = 0;
			continue;
		}
		if (n++ < RULE_KEY_MAX) {
			word = hash_byte(word, c);
			look_up(x, word, s);
		}
		if (c == '/') {
			base = HASH_START;
			n_base = 0;
			continue;
		}
		base = hash_byte(base, c);
		if (++n_base < n && n_base <= RULE_KEY_MAX)
			look_up(x, base, s);
	}
}

size_t rule_set_next(const struct rule_index *x, const struct rule_set *s, size_t from)
{
	const uint64_t *all = s ? s->bits : x->all;

	for (size_t i = from / 64; i < x->n_words; i++) {
		uint64_t bits = i == from / 64 ? all[i] & UINT64_MAX << (from % 64) : all[i];

		if (bits)
			return i * 64 + (size_t)__builtin_ctzll(bits);
	}
	return SIZE_MAX;
}

void rule_index_free(struct rule_index *x)
{
	free(x->keys);
	free(x->heads);
	free(x->any);
	free(x->all);
}

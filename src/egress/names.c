/* SPDX-License-Identifier: Apache-2.0 */
/* Two hash tables over the same records, by name and by slot. Both are keyed: who chooses
 * the names (the command) must not be able to choose their places. The slot itself comes
 * from a hash with a fixed key, so that it is mostly the same in the next session; who makes
 * names collide there gets a place a little further, found from a cursor in O(1). */
#include "egress/names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

/* KIT_NAMES4 is 198.18.0.0/15: 512 times 256 addresses, of which .0 and .255 are left out (some
 * programs take them for a network or a broadcast), and the namespace's own 198.18.0.1. */
#define SLOTS 131072u
#define TRIES 32
#define TABLE_MIN 64u

static const uint8_t net4[4] = { 198, 18, 0, 0 };
static const uint8_t net6[8] = { 0xfd, 0x62, 0x65, 0x72, 0x6d, 0x01, 0, 0 };

struct names {
	uint64_t k0, k1;
	struct name_rec **by_name, **by_slot; /* of mask + 1 places each */
	size_t mask, count;
	uint32_t cursor;
};

/* ---- SipHash-2-4 -------------------------------------------------------- */

static uint64_t rotl(uint64_t v, unsigned n)
{
	return v << n | v >> (64 - n);
}

static void sip_round(uint64_t v[4])
{
	v[0] += v[1];
	v[2] += v[3];
	v[1] = rotl(v[1], 13) ^ v[0];
	v[3] = rotl(v[3], 16) ^ v[2];
	v[0] = rotl(v[0], 32);
	v[2] += v[1];
	v[0] += v[3];
	v[1] = rotl(v[1], 17) ^ v[2];
	v[3] = rotl(v[3], 21) ^ v[0];
	v[2] = rotl(v[2], 32);
}

static uint64_t load64(const uint8_t *p, size_t n)
{
	uint64_t v = 0;

	for (size_t i = 0; i < n; i++)
		v |= (uint64_t)p[i] << (8 * i);
	return v;
}

static uint64_t sip(uint64_t k0, uint64_t k1, const void *data, size_t len)
{
	const uint8_t *p = data;
	uint64_t v[4] = { k0 ^ 0x736f6d6570736575u, k1 ^ 0x646f72616e646f6du,
			  k0 ^ 0x6c7967656e657261u, k1 ^ 0x7465646279746573u };
	size_t left = len;
	uint64_t m;

	for (; left >= 8; left -= 8, p += 8) {
		m = load64(p, 8);
		v[3] ^= m;
		sip_round(v);
		sip_round(v);
		v[0] ^= m;
	}
	m = load64(p, left) | (uint64_t)len << 56;
	v[3] ^= m;
	sip_round(v);
	sip_round(v);
	v[0] ^= m;
	v[2] ^= 0xff;
	for (int i = 0; i < 4; i++)
		sip_round(v);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

/* ---- the tables --------------------------------------------------------- */

static uint64_t slot_hash(const struct names *n, uint32_t slot)
{
	return sip(n->k1, n->k0, &slot, sizeof(slot));
}

static struct name_rec *find_slot(const struct names *n, uint32_t slot)
{
	for (size_t i = slot_hash(n, slot) & n->mask; n->by_slot[i]; i = (i + 1) & n->mask)
		if (n->by_slot[i]->slot == slot)
			return n->by_slot[i];
	return NULL;
}

static struct name_rec *find_name(const struct names *n, const char *name, uint64_t hash)
{
	for (size_t i = hash & n->mask; n->by_name[i]; i = (i + 1) & n->mask)
		if (n->by_name[i]->hash == hash && strcmp(n->by_name[i]->name, name) == 0)
			return n->by_name[i];
	return NULL;
}

static void insert(struct names *n, struct name_rec *r)
{
	size_t i = r->hash & n->mask;

	while (n->by_name[i])
		i = (i + 1) & n->mask;
	n->by_name[i] = r;
	i = slot_hash(n, r->slot) & n->mask;
	while (n->by_slot[i])
		i = (i + 1) & n->mask;
	n->by_slot[i] = r;
}

/* At most half full, so a free place always ends a search. */
static int grow(struct names *n)
{
	struct names bigger = *n;

	if (2 * (n->count + 1) <= n->mask + 1)
		return 0;
	bigger.mask = 2 * (n->mask + 1) - 1;
	bigger.by_name = calloc(bigger.mask + 1, sizeof(*bigger.by_name));
	bigger.by_slot = calloc(bigger.mask + 1, sizeof(*bigger.by_slot));
	if (!bigger.by_name || !bigger.by_slot) {
		free(bigger.by_name);
		free(bigger.by_slot);
		return -ENOMEM;
	}
	for (size_t i = 0; i <= n->mask; i++)
		if (n->by_name[i])
			insert(&bigger, n->by_name[i]);
	free(n->by_name);
	free(n->by_slot);
	*n = bigger;
	return 0;
}

static bool usable(uint32_t slot)
{
	return (slot & 255) != 0 && (slot & 255) != 255 && slot != 1;
}

static uint32_t choose_slot(struct names *n, const char *name, size_t len)
{
	uint64_t h = sip(0, 0, name, len);
	uint32_t slot = (uint32_t)h & (SLOTS - 1), step = (uint32_t)(h >> 32) | 1;

	for (int i = 0; i < TRIES; i++, slot = (slot + step) & (SLOTS - 1))
		if (usable(slot) && !find_slot(n, slot))
			return slot;
	/* NAMES_MAX is below the number of usable slots: this ends. No slot is ever given back,
	 * so over the session the cursor goes around once. */
	while (!usable(n->cursor) || find_slot(n, n->cursor))
		n->cursor = (n->cursor + 1) & (SLOTS - 1);
	return n->cursor;
}

int names_new(const uint8_t key[16], struct names **ret)
{
	struct names *n = calloc(1, sizeof(*n));

	if (!n)
		return -ENOMEM;
	n->k0 = load64(key, 8);
	n->k1 = load64(key + 8, 8);
	n->mask = TABLE_MIN - 1;
	n->by_name = calloc(TABLE_MIN, sizeof(*n->by_name));
	n->by_slot = calloc(TABLE_MIN, sizeof(*n->by_slot));
	if (!n->by_name || !n->by_slot) {
		names_free(n);
		return -ENOMEM;
	}
	*ret = n;
	return 0;
}

void names_free(struct names *n)
{
	if (!n)
		return;
	for (size_t i = 0; n->by_name && i <= n->mask; i++)
		free(n->by_name[i]);
	free(n->by_name);
	free(n->by_slot);
	free(n);
}

int names_add(struct names *n, const struct host *h, struct name_rec **ret)
{
	size_t len = strlen(h->name);
	struct name_rec *r;
	uint64_t hash;

	if (h->is_ip || len == 0 || len > HOST_MAX)
		return -EINVAL;
	hash = sip(n->k0, n->k1, h->name, len);
	r = find_name(n, h->name, hash);
	if (r) {
		*ret = r;
		return 0;
	}
	if (n->count >= NAMES_MAX)
		return -ENOSPC;
	if (grow(n) < 0)
		return -ENOMEM;
	r = calloc(1, sizeof(*r) + len + 1);
	if (!r)
		return -ENOMEM;
	r->hash = hash;
	memcpy(r->name, h->name, len + 1);
	r->slot = choose_slot(n, r->name, len);
	insert(n, r);
	n->count++;
	*ret = r;
	return 0;
}

struct name_rec *names_find(const struct names *n, const char *name)
{
	return find_name(n, name, sip(n->k0, n->k1, name, strlen(name)));
}

/* The slot that the address stands for, whether given or not. */
static bool slot_of(const struct ip_addr *ip, uint32_t *ret)
{
	const uint8_t *b = ip->bytes;

	if (ip->v6) {
		static const uint8_t none[4] = { 0 };

		if (memcmp(b, net6, 8) != 0 || memcmp(b + 8, none, 4) != 0)
			return false;
		b += 12;
	}
	if (b[0] != net4[0] || (b[1] & 0xfe) != net4[1])
		return false;
	*ret = (uint32_t)(b[1] & 1) << 16 | (uint32_t)b[2] << 8 | b[3];
	return true;
}

struct name_rec *names_by_ip(const struct names *n, const struct ip_addr *ip)
{
	uint32_t slot;

	return slot_of(ip, &slot) ? find_slot(n, slot) : NULL;
}

bool names_range(const struct ip_addr *ip)
{
	uint32_t slot;

	return ip->v6 ? memcmp(ip->bytes, net6, sizeof(net6)) == 0 : slot_of(ip, &slot);
}

void names_ip(const struct name_rec *r, bool v6, struct ip_addr *ret)
{
	uint8_t v4[4] = { net4[0], (uint8_t)(net4[1] | r->slot >> 16), (uint8_t)(r->slot >> 8),
			  (uint8_t)r->slot };

	*ret = (struct ip_addr){ .v6 = v6 };
	if (v6)
		memcpy(ret->bytes, net6, sizeof(net6));
	memcpy(ret->bytes + (v6 ? 12 : 0), v4, 4);
}

size_t names_count(const struct names *n)
{
	return n->count;
}

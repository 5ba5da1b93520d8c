/* SPDX-License-Identifier: Apache-2.0 */
#include "session/dedup.h"

#include <string.h>
#include <sys/random.h>

#include "base/cleanup.h"
#include "base/str.h"

#define INDEX_SIZE (DEDUP_SLOTS * 2) /* power of two, at most half full */

int dedup_init(struct dedup *d)
{
	*d = (struct dedup){ 0 };
	d->entries = calloc(DEDUP_SLOTS, sizeof(*d->entries));
	d->index = calloc(INDEX_SIZE, sizeof(*d->index));
	if (!d->entries || !d->index) {
		dedup_free(d);
		return -ENOMEM;
	}
	/* A fixed seed would let the command choose names that all collide. */
	if (getrandom(&d->seed, sizeof(d->seed), GRND_NONBLOCK) != sizeof(d->seed))
		d->seed = (uint64_t)(uintptr_t)d->entries;
	return 0;
}

void dedup_free(struct dedup *d)
{
	for (size_t i = 0; d->entries && i < d->n; i++)
		free((char *)(uintptr_t)d->entries[i].d.target);
	free(d->entries);
	free(d->index);
	*d = (struct dedup){ 0 };
}

static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 29;
}

static uint64_t mix_text(uint64_t h, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		h = mix(h, (unsigned char)text[i]);
	return mix(h, len);
}

static uint64_t hash_of(const struct dedup *d, const struct denial *w)
{
	uint64_t h = mix(d->seed, (uint64_t)w->op);

	h = mix(h, (uint64_t)w->rule);
	/* Of a refused system call only the number tells them apart. */
	h = mix(h, w->op < 0 ? (uint64_t)w->nr : 0);
	return mix_text(mix_text(h, w->target, w->target_len), w->exe, w->exe_len);
}

static bool same(const struct denial *a, const struct denial *b)
{
	return a->op == b->op && a->rule == b->rule && (a->op >= 0 || a->nr == b->nr) &&
	       a->target_len == b->target_len && a->exe_len == b->exe_len &&
	       memcmp(a->target, b->target, a->target_len) == 0 &&
	       memcmp(a->exe, b->exe, a->exe_len) == 0;
}

/* Copies the three texts into one block owned by the entry. */
static int keep(struct dedup *d, struct dedup_entry *e, const struct denial *w)
{
	size_t len = w->target_len + w->exe_len + w->reason_len + 3;
	char *p;

	if (len > DEDUP_TEXT_MAX - d->text_bytes)
		return -ENOSPC;
	p = malloc(len);
	if (!p)
		return -ENOMEM;
	d->text_bytes += len;
	e->d = *w;
	e->d.target = p;
	memcpy(p, w->target, w->target_len);
	p += w->target_len;
	*p++ = '\0';
	e->d.exe = p;
	memcpy(p, w->exe, w->exe_len);
	p += w->exe_len;
	*p++ = '\0';
	e->d.reason = p;
	memcpy(p, w->reason, w->reason_len);
	p[w->reason_len] = '\0';
	return 0;
}

struct dedup_entry *dedup_add(struct dedup *d, const struct denial *what, uint64_t count,
			      long long now_ms, bool *ret_tell)
{
	uint64_t h = hash_of(d, what);
	size_t slot = h & (INDEX_SIZE - 1);
	struct dedup_entry *e;

	for (; d->index[slot]; slot = (slot + 1) & (INDEX_SIZE - 1)) {
		e = &d->entries[d->index[slot] - 1];
		if (e->hash != h || !same(&e->d, what))
			continue;
		e->d.pid = what->pid;
		e->total += count;
		e->pending += count;
		*ret_tell = now_ms - e->told_ms >= DEDUP_INTERVAL_MS;
		return e;
	}
	if (d->n == DEDUP_SLOTS || keep(d, &d->entries[d->n], what) < 0) {
		d->overflow += count;
		d->overflow_pending += count;
		*ret_tell = false;
		return NULL;
	}
	e = &d->entries[d->n++];
	d->index[slot] = (uint16_t)d->n;
	e->hash = h;
	e->total = e->pending = count;
	*ret_tell = true;
	return e;
}

void dedup_told(struct dedup_entry *e, long long now_ms)
{
	e->pending = 0;
	e->told_ms = now_ms;
}

struct dedup_entry *dedup_due(struct dedup *d, size_t *cursor, long long now_ms, bool all)
{
	while (*cursor < d->n) {
		struct dedup_entry *e = &d->entries[(*cursor)++];

		if (e->pending && (all || now_ms - e->told_ms >= DEDUP_INTERVAL_MS))
			return e;
	}
	return NULL;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "shell/pool.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/huge.h"

#define CHUNK_MIN 8192
#define CHUNK_MAX HUGE_SIZE
/* From here on a huge page is cheaper than so many small ones. */
#define CHUNK_HUGE (256u << 10)

struct chunk {
	struct chunk *next;
	size_t huge; /* its size when it is of huge pages, else 0 */
	alignas(16) char data[];
};

struct shell_pool {
	struct chunk *chunks;
	char *at, *end;
	size_t next_size;
};

static int grow(struct shell_pool *p, size_t n)
{
	size_t size = p->next_size > n + 64 ? p->next_size : n + 64, huge = 0;
	struct chunk *c = NULL;

	if (size >= CHUNK_HUGE)
		c = huge_new(sizeof(*c) + n + 64, &huge);
	if (c)
		size = huge - sizeof(*c);
	else
		c = malloc(sizeof(*c) + size);
	if (!c)
		return -1;
	c->huge = huge;
	c->next = p->chunks;
	p->chunks = c;
	p->at = c->data;
	p->end = c->data + size;
	if (p->next_size < CHUNK_MAX)
		p->next_size *= 2;
	return 0;
}

struct shell_pool *shell_pool_new(size_t hint)
{
	struct shell_pool *p = calloc(1, sizeof(*p));

	if (p)
		p->next_size = hint < CHUNK_MIN ? CHUNK_MIN : hint > CHUNK_MAX ? CHUNK_MAX : hint;
	return p;
}

void shell_pool_free(struct shell_pool *p)
{
	if (!p)
		return;
	for (struct chunk *c = p->chunks, *next; c; c = next) {
		next = c->next;
		if (c->huge)
			huge_free(c, c->huge);
		else
			free(c);
	}
	free(p);
}

/* Texts need no alignment, and lie closer so. */
static void *take(struct shell_pool *p, size_t n, size_t align)
{
	size_t pad = p->at ? (size_t)(-(uintptr_t)p->at & (align - 1)) : 0;
	char *r;

	if ((size_t)(p->end - p->at) < n + pad || !p->at) {
		if (grow(p, n) < 0)
			return NULL;
		pad = 0;
	}
	r = p->at + pad;
	p->at = r + n;
	return r;
}

void *shell_pool_alloc(struct shell_pool *p, size_t n)
{
	return take(p, n, 8);
}

char *shell_pool_text(struct shell_pool *p, const char *s, size_t len)
{
	char *r = take(p, len + 1, 1);

	if (!r)
		return NULL;
	memcpy(r, s, len);
	r[len] = '\0';
	return r;
}

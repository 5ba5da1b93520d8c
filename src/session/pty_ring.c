/* SPDX-License-Identifier: Apache-2.0 */
#include "session/pty_ring.h"

#include <string.h>

#include "base/cleanup.h"

/* How far the first line's end is looked for. */
#define LOOK_AT 4096

int pty_ring_init(struct pty_ring *r, size_t size)
{
	*r = (struct pty_ring){ .size = size, .data = malloc(size) };
	return r->data ? 0 : -ENOMEM;
}

void pty_ring_free(struct pty_ring *r)
{
	free(r->data);
	*r = (struct pty_ring){ 0 };
}

void pty_ring_add(struct pty_ring *r, const void *data, size_t n)
{
	const uint8_t *p = data;

	if (n > r->size) {
		r->end += n - r->size;
		p += n - r->size;
		n = r->size;
	}
	while (n) {
		size_t at = (size_t)(r->end % r->size);
		size_t part = n < r->size - at ? n : r->size - at;

		memcpy(r->data + at, p, part);
		p += part;
		n -= part;
		r->end += part;
	}
}

uint64_t pty_ring_start(const struct pty_ring *r)
{
	return r->end > r->size ? r->end - r->size : 0;
}

size_t pty_ring_copy(const struct pty_ring *r, uint64_t from, void *to, size_t max)
{
	uint8_t *out = to;
	size_t n = 0;

	while (n < max && from < r->end) {
		size_t at = (size_t)(from % r->size);
		size_t part = r->size - at;

		if (part > r->end - from)
			part = (size_t)(r->end - from);
		if (part > max - n)
			part = max - n;
		memcpy(out + n, r->data + at, part);
		n += part;
		from += part;
	}
	return n;
}

uint64_t pty_ring_entry(const struct pty_ring *r)
{
	uint64_t start = pty_ring_start(r);
	uint8_t text[LOOK_AT];
	const uint8_t *line;
	size_t n;

	if (!start)
		return 0;
	n = pty_ring_copy(r, start, text, sizeof(text));
	line = memchr(text, '\n', n);
	return line ? start + (size_t)(line - text) + 1 : start;
}

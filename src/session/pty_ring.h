/* SPDX-License-Identifier: Apache-2.0 */
/* The last bytes that a command wrote to its terminal, for those who come later. A byte has a
 * number that stays its own: how many came before it. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct pty_ring {
	uint8_t *data;
	size_t size;
	uint64_t end; /* of the next byte */
};

/* 0 or -ENOMEM. */
int pty_ring_init(struct pty_ring *r, size_t size);
void pty_ring_free(struct pty_ring *r);

/* Adds n bytes; the oldest go. */
void pty_ring_add(struct pty_ring *r, const void *data, size_t n);

/* The oldest byte that is there. */
uint64_t pty_ring_start(const struct pty_ring *r);

/* Copies what is there from number from on, at most max bytes, into to. Returns how many; from is
 * not before the start. */
size_t pty_ring_copy(const struct pty_ring *r, uint64_t from, void *to, size_t max);

/* Where somebody who was not there before may begin: behind a line's end, so that no sequence is
 * cut in most cases; the very beginning while nothing has gone. */
uint64_t pty_ring_entry(const struct pty_ring *r);

/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers that look random and are the same in each run (xorshift64*). */
#pragma once

#include <stdint.h>

struct prng {
	uint64_t state; /* not 0 */
};

static inline unsigned prng_below(struct prng *p, unsigned n)
{
	p->state ^= p->state >> 12;
	p->state ^= p->state << 25;
	p->state ^= p->state >> 27;
	return (unsigned)((p->state * 0x2545f4914f6cdd1dull) >> 33) % n;
}

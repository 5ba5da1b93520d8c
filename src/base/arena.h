/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of the start-up. What is allocated while the arena is open lies in one region
 * that processes forked meanwhile see as well, at the same addresses: so they can set
 * themselves up beside the reading of the policy and are given it by a pointer. They can
 * only read it, and nothing they do makes it writable again.
 *
 * The release build links malloc() and its kind through the arena (arena_malloc.c); any
 * other build has none, and starts its processes when all is read. Single-threaded
 * programs only. */
#pragma once

#include <stdbool.h>

/* Once in a process: blocks of an earlier one must not be freed any more. false: there is
 * none, everything works without. */
bool arena_open(void);

/* Everything allocated since arena_open() lies in it. */
bool arena_whole(void);

/* Allocations come from the C library again. What is in the arena stays, also when it is freed. The
 * readers go on seeing what this process, and nobody else, writes there; who is forked from
 * now on has no arena until it has called arena_copy(). */
void arena_publish(void);

/* The same, but readers see nothing more of what is written, and who is forked has a copy. Costs as
 * much as the pages that are in use. Returns 0 or a negative errno: the memory is as it was. */
int arena_close(void);

/* In a process forked after arena_publish(), before it looks at anything in the arena: a copy of
 * its own. Returns 0 or a negative errno. */
int arena_copy(void);

/* In a forked process: reading is all that is left to it. Returns 0 or a negative errno. */
int arena_reader(void);

/* SPDX-License-Identifier: Apache-2.0 */
/* The listeners of the kit: what they accept goes to the gate, a proxy, a forward. When
 * descriptors run out they rest until some are free; nothing spins. */
#pragma once

#include "egress/broker.h"
#include "egress/tuple.h"

struct inlet;

/* fd is taken; t: src is who connected, dst where to. index: which of several alike. */
typedef void inlet_fn(struct broker *b, int fd, const struct tuple *t, unsigned index);

/* Takes every listener of the kit into the loop. Returns 0 or a negative errno. */
int inlets_init(struct broker *b);
/* A connection has ended. */
void inlet_fds_are_free(struct broker *b);

/* SPDX-License-Identifier: Apache-2.0 */
/* The gate: the kernel holds each SYN of the command's in a queue until the verdict and the
 * connection to the server are there. So connect(2) inside blocks while a person is asked, and
 * ends with the errno of the real one. On the lower rungs there is no queue: connections are
 * accepted first and reset when they are refused. */
#pragma once

#include "egress/broker.h"
#include "egress/tuple.h"

/* Returns 0 or a negative errno. */
int gate_init(struct broker *b);
/* One of the transparent listeners accepted fd. */
void gate_accepted(struct broker *b, int fd, const struct tuple *t, unsigned index);

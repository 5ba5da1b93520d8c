/* SPDX-License-Identifier: Apache-2.0 */
/* Name service inside, over UDP and TCP: every name that some rule lets through has its
 * synthetic address at once, a refused one does not exist. Nothing is asked of any server. */
#pragma once

#include "egress/broker.h"
#include "egress/tuple.h"

/* Returns 0 or a negative errno. */
int dns_init(struct broker *b);
/* Inlet: fd is taken. */
void dns_accepted(struct broker *b, int fd, const struct tuple *t, unsigned index);

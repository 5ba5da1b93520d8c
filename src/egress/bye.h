/* SPDX-License-Identifier: Apache-2.0 */
/* The last word to a client that is refused, so that it is read: a socket closed with unread
 * bytes is a reset, which may overtake what was said. */
#pragma once

#include "egress/broker.h"

/* Takes fd (not in the loop): says text, ends, reads what still comes for a while. */
void bye(struct broker *b, int fd, const void *text, size_t len);

/* SPDX-License-Identifier: Apache-2.0 */
/* What the client says first, and in HTTP each time, is compared with the name that was
 * judged: the name in a TLS hello, the Host of each request. What is neither goes on as it is.
 * Nothing of it reaches the server before; what the server says first is not held. */
#pragma once

#include "egress/conn.h"

/* Begins to judge; http: an accepted request of a proxy's client, taken. held: what the client
 * said already. Returns 0 or -ENOMEM (http is freed then too). */
int first_new(struct conn *k, struct http *http, const void *held, size_t len);
void first_free(struct conn *k);

/* In the place of pump() for the client's direction; ends with k->first NULL when the rest
 * need not be read, or with the connection refused (k->gone). */
enum pump_result first_to_up(struct conn *k);
/* In the place of pump() for the server's direction. */
enum pump_result first_to_client(struct conn *k);
/* The client was silent for too long in the midst of its word. */
void first_late(struct conn *k);

/* SPDX-License-Identifier: Apache-2.0 */
/* Through the corporate proxy of the host: CONNECT, and its answer. */
#pragma once

#include "egress/broker.h"
#include "policy/host.h"

struct tunnel;
struct want;

typedef void tunnel_fn(struct tunnel *t, int err, const char *reason);

/* Must this host be reached through the proxy? */
bool tunnel_wanted(struct broker *b, const struct host *h, uint16_t port);

/* done is called once, later. Returns 0 or a negative errno. */
int tunnel_start(struct broker *b, struct want *owner, const struct host *h, uint16_t port,
		 tunnel_fn *done, struct tunnel **ret);
struct want *tunnel_owner(const struct tunnel *t);
struct watch *tunnel_watch(struct tunnel *t);
void tunnel_free(struct tunnel *t);

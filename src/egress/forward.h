/* SPDX-License-Identifier: Apache-2.0 */
/* Ports that the user has forwarded: from inside to a server on the host's loopback, and from
 * the host's loopback to a server inside. */
#pragma once

#include "egress/broker.h"
#include "egress/proto.h"
#include "egress/tuple.h"

/* Returns 0 or a negative errno. */
int forward_init(struct broker *b);
/* Inlets: fd is taken. */
void forward_host_port_accepted(struct broker *b, int fd, const struct tuple *t, unsigned index);
void forward_publish_accepted(struct broker *b, int fd, const struct tuple *t, unsigned index);
/* To the user's own proxy on the host (http_proxy_port, socks_proxy_port). fd is taken. */
void forward_to_proxy(struct broker *b, int fd, const struct tuple *t, uint16_t port,
		      enum eg_how how);

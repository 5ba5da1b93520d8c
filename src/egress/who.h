/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernel says of sockets and addresses, over netlink. */
#pragma once

#include "egress/broker.h"
#include "egress/tuple.h"

/* Inode of the command's socket (t->src is its end), 0 when there is none any more. */
uint32_t who_inode(struct broker *b, const struct tuple *t, int proto);

/* Is it an address of this machine, or one that no host has (broadcast, multicast)? Also
 * true when the kernel does not answer. */
bool who_is_own(struct broker *b, const struct ip_addr *ip);

/* The host's NETLINK_ROUTE socket. Returns the descriptor or a negative errno. */
int who_route_socket(void);

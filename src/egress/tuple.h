/* SPDX-License-Identifier: Apache-2.0 */
/* Both ends of a connection as the sandbox sees it: src is the command's socket. */
#pragma once

#include <stdint.h>
#include <sys/socket.h>

#include "policy/host.h"

struct tuple {
	struct ip_addr src, dst; /* of one family; v4-mapped ones are IPv4 */
	uint16_t sport, dport;	 /* host order */
};

/* Address and port; false for another family. */
bool tuple_end(const struct sockaddr_storage *sa, struct ip_addr *ret, uint16_t *ret_port);

/* The other way; returns the length. */
socklen_t tuple_sockaddr(const struct ip_addr *ip, uint16_t port, struct sockaddr_storage *ret);

/* Same family and bytes; same ends. */
bool ip_equal(const struct ip_addr *a, const struct ip_addr *b);
bool tuple_equal(const struct tuple *a, const struct tuple *b);
/* Keyed by a secret of this process: what hashes alike cannot be chosen from outside. */
uint32_t tuple_hash(const struct tuple *t);
uint32_t bytes_hash(const void *data, size_t len);
/* Draws the key. Returns 0 or a negative errno. */
int hash_init(void);

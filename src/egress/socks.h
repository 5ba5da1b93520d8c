/* SPDX-License-Identifier: Apache-2.0 */
/* A SOCKS client's wishes: SOCKS5 (RFC 1928; without authentication, or any user and password:
 * who can reach the listener is inside) and SOCKS4, 4a. CONNECT only: BIND and UDP ASSOCIATE
 * are refused by the reply that says so. Pure, no heap.
 *
 *	step = socks_next(&s, data, len, &n);	data from the first byte not consumed on
 *	SOCKS_MORE	read more (never above SOCKS_MAX bytes are held); n is 0
 *	SOCKS_SEND	send s.reply[0 .. s.reply_len), go on
 *	SOCKS_CONNECT	s.host, s.port: judge, then send socks_reply(); the bytes after n are
 *			the client's own
 *	SOCKS_BAD	send s.reply (reply_len may be 0), close; s.why
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "policy/host.h"

#define SOCKS_MAX 520 /* the longest message: user and password */
#define SOCKS_REPLY_MAX 10

enum socks_step { SOCKS_MORE, SOCKS_SEND, SOCKS_CONNECT, SOCKS_BAD };

struct socks {
	uint8_t version; /* 4 or 5; 0 not known */
	uint8_t state;
	uint8_t reply_len;
	uint8_t reply[SOCKS_REPLY_MAX];
	uint16_t port;
	struct host host;
	const char *why; /* SOCKS_BAD: static text */
};

/* s is all zeros at the start. See above. */
enum socks_step socks_next(struct socks *s, const uint8_t *data, size_t len, size_t *n);

/* The answer to SOCKS_CONNECT: err 0 connected, -EACCES or -EPERM denied by policy,
 * -ECONNREFUSED, -EHOSTUNREACH, -ENETUNREACH, -ETIMEDOUT, others "general failure". Returns its
 * length (at most SOCKS_REPLY_MAX). */
size_t socks_reply(const struct socks *s, int err, uint8_t dst[SOCKS_REPLY_MAX]);

/* Is the first byte that of a SOCKS client? */
static inline int socks_sniff(uint8_t first)
{
	return first == 4 || first == 5;
}

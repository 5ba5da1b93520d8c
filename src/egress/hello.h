/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the name that a TLS client asks for (SNI) out of its ClientHello, byte by byte, over
 * any split into segments and records (a hello split over records is how a filter that looks
 * at the first record is walked around). Holds no more than the name. Pure, no heap.
 *
 * Feed it each byte of the client's first flight once, in order, until it answers something
 * else than HELLO_MORE. A second ClientHello may follow when the server asked for one
 * (hello_retry_asked()): servers take the name from that one, so it has to be read as well,
 * with a reader started with hello_init(h, true). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/host.h"

#define HELLO_MAX 65536 /* bytes of the flight; longer is HELLO_BAD */

enum hello_result {
	HELLO_MORE,    /* not all there */
	HELLO_NOT_TLS, /* the first byte is no handshake record's */
	HELLO_NAME,    /* host is set */
	HELLO_NO_NAME, /* a ClientHello without server_name */
	HELLO_BAD,     /* begins as TLS, but is not as a client may write it: why */
};

struct hello {
	/* The answer. */
	uint8_t result;	  /* enum hello_result; does not change once it is not HELLO_MORE */
	bool ech;	  /* encrypted_client_hello (or GREASE of it): host is the outer name */
	uint16_t version; /* legacy_version, 0 not read */
	const char *why;  /* HELLO_BAD: static text */
	struct host host;
	uint32_t fed; /* bytes looked at */

	/* How far it is. */
	bool again, sni_seen;
	uint8_t record_state, record_type, first[5];
	uint8_t state;
	uint16_t ext_type;
	uint32_t record; /* bytes left in the record */
	uint32_t hello;	 /* ... in the ClientHello */
	uint32_t field;	 /* ... in the field */
	uint32_t exts, ext;
	uint32_t acc;
	uint16_t name_len;
	char name[HOST_MAX + 2]; /* a trailing dot is one more */
};

/* again: the second hello of a handshake (a ChangeCipherSpec may come before it). */
void hello_init(struct hello *h, bool again);

/* The next bytes. What follows the hello is not looked at: h->fed stops at its end. */
enum hello_result hello_feed(struct hello *h, const uint8_t *data, size_t len);

/* The first bytes of the server's answer: 1 a HelloRetryRequest, 0 something else, -EAGAIN
 * when more than len bytes are needed (at most HELLO_RETRY_LEN). */
#define HELLO_RETRY_LEN 43
int hello_retry_asked(const uint8_t *data, size_t len);

/* The fatal alert access_denied, which clients print instead of "connection reset". */
#define HELLO_ALERT_LEN 7
void hello_alert(const struct hello *h, uint8_t dst[HELLO_ALERT_LEN]);

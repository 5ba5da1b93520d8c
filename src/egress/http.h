/* SPDX-License-Identifier: Apache-2.0 */
/* The client's side of an HTTP/1 connection, request by request: nothing of a request goes on
 * before its head is complete and judged, and exactly the bytes that belong to it go on then.
 *
 * Two readers look at every byte, a strict one of our own and llhttp, and must agree on where
 * each request ends; what servers are known to read in different ways (both Content-Length and
 * Transfer-Encoding, folded lines, bare CR or LF, blanks before a colon, ...) is refused.
 *
 * The caller holds the bytes, in one piece, from the first that was not consumed on:
 *	step = http_next(h, data, len, &n);
 *	HTTP_MORE	read more (the caller needs room for HTTP_HEAD_MAX bytes); n is 0
 *	HTTP_JUDGE	http_request(h) is a request to judge; n bytes are its head. Then either
 *			http_accept(h), and send them on (or what http_rewrite() made of them),
 *			or answer with http_build_error() and close
 *	HTTP_SEND	send n bytes on: body of the accepted request
 *	HTTP_WAIT	the request asked to leave HTTP: nothing goes on until http_switched()
 *	HTTP_OPAQUE	the connection left HTTP: all that follows may go on; n is len
 *	HTTP_H2		HTTP/2 without asking (prior knowledge); n is 0
 *	HTTP_BAD	http_why(h); answer 400 and close
 *	HTTP_DONE	HTTP_ONE_REQUEST, and it was read to its end; n is 0
 * n bytes are consumed. HTTP_MORE with len 0 between requests: nothing need be held. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "policy/host.h"

#define HTTP_HEAD_MAX 65536
#define HTTP_HEADERS_MAX 256
#define HTTP_ERROR_MAX 1024 /* no answer of http_build_error() is longer */

struct http;

enum http_form {
	HTTP_TRANSPARENT, /* to the server itself; CONNECT is refused */
	HTTP_PROXY,	  /* to us as a proxy: CONNECT and http://host/... only */
};

enum http_flags {
	HTTP_ONE_REQUEST = 1, /* only one: what follows it is not read */
};

enum http_step {
	HTTP_MORE,
	HTTP_JUDGE,
	HTTP_SEND,
	HTTP_WAIT,
	HTTP_OPAQUE,
	HTTP_H2,
	HTTP_BAD,
	HTTP_DONE,
};

struct http_request {
	bool connect;  /* CONNECT host:port. After http_accept() all is opaque */
	bool head;     /* HEAD: the answer has no body */
	bool has_host; /* false: HTTP/1.0 without Host; only the connection's name is known */
	bool has_port; /* the port was written; else port is 80 (HTTP_PROXY, CONNECT: always) */
	bool close;    /* the client wants no further request on this connection */
	bool upgrade;  /* it asks to leave HTTP (WebSocket): http_switched() is awaited */
	bool rewrite;  /* the head must not go on as it is: http_rewrite() */
	bool expect_continue;
	uint8_t minor; /* HTTP/1.minor */
	uint16_t port;
	struct host host;
	char method[24];
	char target[256]; /* to be shown: escaped, cut; without the query */
	uint32_t number;  /* of the connection, from 0 */
};

/* flags: enum http_flags. -ENOMEM. */
int http_new(enum http_form form, unsigned flags, struct http **ret);
void http_free(struct http *h);

/* See above. data begins with the first byte that was not consumed. */
enum http_step http_next(struct http *h, const uint8_t *data, size_t len, size_t *n);

/* Valid from HTTP_JUDGE on until the next head is read. */
const struct http_request *http_request(const struct http *h);

/* The head that HTTP_JUDGE told of goes on. */
void http_accept(struct http *h);

/* The n bytes of the head as the server gets them. HTTP_PROXY: origin-form, without hop-by-hop
 * headers, "Connection: close" (its one request is all there is). HTTP_TRANSPARENT: without
 * the wish to upgrade to h2c (Java's client sends it with every request; frames of HTTP/2 name
 * hosts that nobody would judge) or a second upgrade on one connection. 0 or -ENOBUFS/-ENOMEM. */
int http_rewrite(const struct http *h, const uint8_t *data, size_t n, struct buf *out);

/* After HTTP_SEND of a body whose length is known: so many of its bytes are still to come, and
 * the next of them may be sent on without being shown here (splice). http_skip() says how many
 * were. 0: show all bytes. */
uint64_t http_body_left(const struct http *h);
void http_skip(struct http *h, uint64_t n);

/* How the server answered a request that asked to leave HTTP: with 101 (then all that follows
 * is opaque) or otherwise (then HTTP goes on). Only in HTTP_WAIT or before it. */
void http_switched(struct http *h, bool yes);

/* HTTP_BAD: static text, for a person. */
const char *http_why(const struct http *h);

/* "HTTP/1.1 STATUS ..." with "berm: " and the reason as text, "X-Proxy-Error: blocked-by-berm" for
 * 403, and Connection: close. STATUS one of 400, 403, 408, 431, 502, 503, 504. dst of
 * HTTP_ERROR_MAX bytes; returns the length. */
size_t http_build_error(unsigned status, const char *reason, char *dst, size_t size);

/* To a CONNECT that was accepted. */
#define HTTP_CONNECTED "HTTP/1.1 200 Connection established\r\n\r\n"

/* Might some server take this for an HTTP request? 1 yes (also for what http_next() refuses
 * then: who could hide a request here could name any host in it), 0 no, -EAGAIN: more than len
 * bytes are needed, which never happens from HTTP_SNIFF_MAX on. */
#define HTTP_SNIFF_MAX 4096
int http_sniff(const uint8_t *data, size_t len);

/* What some reader splits a request line at. */
bool http_is_blank(uint8_t c);

/* ---- the server's answer to a CONNECT or an upgrade --------------------- */

/* All zeros at the start. Heads with a status of 1xx other than 101 are passed over. */
struct http_answer {
	int status;    /* 0 while unknown; -EBADMSG: this is no HTTP/1 */
	uint32_t head; /* status known: so many of the bytes fed are heads */
	uint32_t fed;
	uint16_t code;
	uint8_t state;
};

/* Feed the server's bytes in order, each once. Returns a->status; once it is not 0 nothing
 * more is looked at. */
int http_answer_feed(struct http_answer *a, const uint8_t *data, size_t len);

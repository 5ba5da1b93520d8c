/* SPDX-License-Identifier: Apache-2.0 */
/* What first.c and first_plain.c share. */
#pragma once

#include "egress/first.h"
#include "egress/hello.h"
#include "egress/http.h"

enum first_state {
	TLS,	    /* the hello is being read, if it is one */
	SNIFF,	    /* no TLS: HTTP? */
	LONG_WORD,  /* its first word has no end */
	LONG_LINE,  /* it had one; is there "HTTP/" in what follows on the line? */
	TLS_ANSWER, /* the server may ask for another one */
	HTTP,
	HTTP_SWITCH, /* the server may leave HTTP */
	HTTP_OVER,   /* the one request of a proxy's client was read */
};

struct first {
	enum first_state state;
	struct hello hello;
	struct http *http;
	struct http_answer answer;
	uint8_t server[HELLO_RETRY_LEN];
	uint8_t n_server;
	/* what the client said and was not judged */
	uint8_t *data;
	size_t len, cap;
	/* Of it, so much was sent on: the beginning of what might be the first line of a
	 * request. A server does nothing before the head is whole, and it is judged then; who
	 * speaks another protocol may wait for an answer to just these bytes. */
	size_t sent;
	uint8_t matched; /* LONG_LINE: bytes of "http/" */
};

enum step {
	STEP_MORE,   /* needs bytes */
	STEP_AGAIN,  /* there may be more to do with what is left */
	STEP_OPAQUE, /* nothing more to judge */
	STEP_OVER,   /* refused, or out of memory: the connection is ending */
};

/* Judged bytes go on, those that did so already excepted. */
enum step first_send(struct conn *k, const uint8_t *data, size_t n);

/* First bytes that are no TLS: HTTP for some server? n: how many of them are done with. */
enum step first_sniff(struct conn *k, const uint8_t *data, size_t len, size_t *n);
/* In LONG_WORD and LONG_LINE. */
enum step first_long_line(struct conn *k, const uint8_t *data, size_t len, size_t *n);

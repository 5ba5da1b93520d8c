/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the HTTP reader share. Internal to egress/http*.c. */
#pragma once

#include <llhttp.h>

#include "egress/http.h"

enum http_body { HTTP_NO_BODY, HTTP_LENGTH, HTTP_CHUNKED };

struct http_chunks {
	uint8_t state, digits;
	uint32_t extra; /* bytes of this chunk's extension, or of the trailer */
	uint64_t left;
};

struct http {
	enum http_form form;
	unsigned flags;
	uint8_t state;
	bool asked_switch; /* an earlier request asked to leave HTTP */
	int8_t switched;   /* -1 not known */
	enum http_body body;
	uint64_t left; /* HTTP_LENGTH */
	struct http_chunks chunks;
	size_t scanned; /* bytes of the unfinished head looked at */
	uint32_t count; /* requests accepted */
	const char *why;
	struct http_request req;

	llhttp_t second; /* the other reader */
	bool second_head, second_end;
};

/* One header line of a head that was checked, or is. */
struct http_line {
	const char *name, *value;
	size_t name_len, value_len;
	const char *raw; /* the whole line with its CRLF */
	size_t raw_len;
};

/* The next line at *pos (which begins behind the request line); false at the empty line, or
 * at one that is not well formed: *why is set then. */
bool http_next_line(const char *head, size_t len, size_t *pos, struct http_line *ret,
		    const char **why);
bool http_line_is(const struct http_line *l, const char *name);
/* Does the comma-divided list hold the token? Case is not looked at. */
bool http_list_has(const char *list, size_t len, const char *token, size_t token_len);

/* A whole head: fills h->req, h->body, h->left. NULL, or why it is refused. */
const char *http_read_head(struct http *h, const char *head, size_t len);

/* Bytes of a chunked body: how many of len belong to it; *end: its end is among them. Below
 * 0: it is not well formed. */
ssize_t http_read_chunks(struct http_chunks *c, const uint8_t *data, size_t len, bool *end);

/* The second reader: NULL when it agrees, or why not. */
const char *http_second_head(struct http *h, const char *head, size_t len);
const char *http_second_chunks(struct http *h, const uint8_t *data, size_t len, bool end);

/* SPDX-License-Identifier: Apache-2.0 */
#include "egress/http.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "egress/http_impl.h"

enum state { HEAD, JUDGED, BODY, SWITCH, OPAQUE, OVER, BAD };

#define PREFACE "PRI * HTTP/2.0\r\n"

int http_new(enum http_form form, unsigned flags, struct http **ret)
{
	struct http *h = calloc(1, sizeof(*h));

	if (!h)
		return -ENOMEM;
	h->form = form;
	h->flags = flags;
	h->switched = -1;
	*ret = h;
	return 0;
}

void http_free(struct http *h)
{
	free(h);
}

const struct http_request *http_request(const struct http *h)
{
	return &h->req;
}

const char *http_why(const struct http *h)
{
	return h->why ? h->why : "";
}

static enum http_step bad(struct http *h, const char *why)
{
	h->state = BAD;
	h->why = why;
	return HTTP_BAD;
}

/* Looks for the end of the head in what is new. 0 not there, above 0 its length, below 0 bad
 * (*why). Bytes that end or split lines for some readers only are told at once: the
 * end that they hide might never come. */
static ssize_t find_end(struct http *h, const uint8_t *p, size_t len, const char **why)
{
	size_t i = h->scanned;

	for (; i < len; i++) {
		if (p[i] > '\r')
			continue;
		if (p[i] == 0) {
			*why = "a NUL byte in a head";
			return -EBADMSG;
		}
		if (p[i] == '\r') {
			if (i + 1 == len)
				break; /* looked at again with what follows */
			if (p[i + 1] != '\n') {
				*why = "a CR without LF in a head";
				return -EBADMSG;
			}
			if (i == 0) {
				*why = "an empty line where a request belongs";
				return -EBADMSG;
			}
			i++;
			if (i >= 3 && p[i - 2] == '\n')
				return (ssize_t)i + 1;
		} else if (p[i] == '\n') {
			*why = "a LF without CR in a head";
			return -EBADMSG;
		}
	}
	h->scanned = i;
	*why = "a head that is too long";
	return i >= HTTP_HEAD_MAX ? -EBADMSG : 0;
}

static enum http_step next_head(struct http *h, const uint8_t *data, size_t len, size_t *n)
{
	size_t preface = len < sizeof(PREFACE) - 1 ? len : sizeof(PREFACE) - 1;
	const char *why = NULL;
	ssize_t end;

	if (len >= 4 && memcmp(data, PREFACE, preface) == 0)
		return preface == sizeof(PREFACE) - 1 ? HTTP_H2 : HTTP_MORE;
	end = find_end(h, data, len, &why);
	if (end == 0)
		return HTTP_MORE;
	if (end > HTTP_HEAD_MAX) {
		end = -EBADMSG;
		why = "a head that is too long";
	}
	if (end > 0)
		why = http_read_head(h, (const char *)data, (size_t)end);
	if (end < 0 || why)
		return bad(h, why);
	h->state = JUDGED;
	h->scanned = (size_t)end;
	*n = (size_t)end;
	return HTTP_JUDGE;
}

/* The request's last byte is behind us. */
static void end_request(struct http *h)
{
	h->scanned = 0;
	if (h->req.upgrade && h->switched != 0)
		h->state = h->switched > 0 ? OPAQUE : SWITCH;
	else if (h->flags & HTTP_ONE_REQUEST)
		h->state = OVER;
	else
		h->state = HEAD;
}

static enum http_step next_body(struct http *h, const uint8_t *data, size_t len, size_t *n)
{
	const char *why;
	ssize_t used;
	bool end;

	if (len == 0)
		return HTTP_MORE;
	if (h->body == HTTP_LENGTH) {
		*n = h->left < len ? (size_t)h->left : len;
		http_skip(h, *n);
		return HTTP_SEND;
	}
	used = http_read_chunks(&h->chunks, data, len, &end);
	if (used < 0)
		return bad(h, "a chunked body that is not well formed");
	why = http_second_chunks(h, data, (size_t)used, end);
	if (why)
		return bad(h, why);
	if (end)
		end_request(h);
	*n = (size_t)used;
	return HTTP_SEND;
}

enum http_step http_next(struct http *h, const uint8_t *data, size_t len, size_t *n)
{
	*n = 0;
	switch (h->state) {
	case HEAD:
		return next_head(h, data, len, n);
	case JUDGED:
		*n = h->scanned;
		return HTTP_JUDGE;
	case BODY:
		return next_body(h, data, len, n);
	case SWITCH:
		return HTTP_WAIT;
	case OPAQUE:
		*n = len;
		return HTTP_OPAQUE;
	case OVER:
		return HTTP_DONE;
	default:
		return HTTP_BAD;
	}
}

void http_accept(struct http *h)
{
	if (h->state != JUDGED)
		return;
	h->count++;
	h->scanned = 0;
	if (h->req.connect)
		h->state = OPAQUE;
	else if (h->body == HTTP_NO_BODY)
		end_request(h);
	else
		h->state = BODY;
}

uint64_t http_body_left(const struct http *h)
{
	return h->state == BODY && h->body == HTTP_LENGTH ? h->left : 0;
}

void http_skip(struct http *h, uint64_t n)
{
	if (h->state != BODY || h->body != HTTP_LENGTH)
		return;
	h->left -= n < h->left ? n : h->left;
	if (h->left == 0)
		end_request(h);
}

void http_switched(struct http *h, bool yes)
{
	h->switched = yes;
	if (h->state == SWITCH)
		end_request(h);
}

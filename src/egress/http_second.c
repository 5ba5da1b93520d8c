/* SPDX-License-Identifier: Apache-2.0 */
/* The second reader: llhttp, which many servers are made of. It is shown the same bytes, and
 * a request that it would end elsewhere, or read another way, is refused. */
#include <string.h>

#include "egress/http_impl.h"

#define DISAGREE "a request that HTTP readers read in different ways"

static int on_headers_complete(llhttp_t *p)
{
	struct http *h = p->data;

	h->second_head = true;
	/* The way out of HTTP is the caller's business, after the body. */
	if (p->method != HTTP_CONNECT)
		p->upgrade = 0;
	return 0;
}

static int on_message_complete(llhttp_t *p)
{
	struct http *h = p->data;

	h->second_end = true;
	return HPE_PAUSED;
}

static const llhttp_settings_t callbacks = {
	.on_headers_complete = on_headers_complete,
	.on_message_complete = on_message_complete,
};

static bool same_framing(const struct http *h)
{
	const llhttp_t *p = &h->second;
	bool chunked = p->flags & F_CHUNKED;
	uint64_t length = p->flags & F_CONTENT_LENGTH ? p->content_length : 0;

	if (chunked != (h->body == HTTP_CHUNKED))
		return false;
	return chunked || length == h->left;
}

const char *http_second_head(struct http *h, const char *head, size_t len)
{
	llhttp_t *p = &h->second;
	llhttp_errno_t r;

	llhttp_init(p, HTTP_REQUEST, &callbacks);
	p->data = h;
	h->second_head = h->second_end = false;

	/* The head ends with its last byte, and not before. */
	r = llhttp_execute(p, head, len - 1);
	if (r == HPE_INVALID_METHOD)
		return "a method that is not known";
	if (r != HPE_OK || h->second_head)
		return DISAGREE;
	r = llhttp_execute(p, head + len - 1, 1);
	if (!h->second_head || (r != HPE_OK && r != HPE_PAUSED && r != HPE_PAUSED_UPGRADE))
		return DISAGREE;
	if (h->second_end != (h->body == HTTP_NO_BODY))
		return DISAGREE;
	if (!streq(llhttp_method_name((llhttp_method_t)p->method), h->req.method) ||
	    p->http_major != 1 || p->http_minor != h->req.minor)
		return DISAGREE;
	/* Flags are cleared at the end of a message: then there is no body, as was seen. */
	return h->second_end || same_framing(h) ? NULL : DISAGREE;
}

const char *http_second_chunks(struct http *h, const uint8_t *data, size_t len, bool end)
{
	llhttp_t *p = &h->second;
	llhttp_errno_t r;

	if (end) {
		/* Its end is the last byte, and not before. */
		if (len > 1 &&
		    (llhttp_execute(p, (const char *)data, len - 1) != HPE_OK || h->second_end))
			return DISAGREE;
		data += len - 1;
		len = 1;
	}
	r = llhttp_execute(p, (const char *)data, len);
	if (r != (end ? HPE_PAUSED : HPE_OK) || h->second_end != end)
		return DISAGREE;
	return NULL;
}

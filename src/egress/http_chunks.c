/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "egress/http_impl.h"

#define EXTRA_MAX 8192u /* of all trailer lines, or of one chunk's extension */

enum state {
	SIZE,
	EXTENSION,
	SIZE_LF,
	DATA,
	DATA_CR,
	DATA_LF,
	TRAILER, /* at the start of a line */
	TRAILER_NAME,
	TRAILER_VALUE,
	TRAILER_LF,
	LAST_LF,
	END,
};

static int hex(uint8_t c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool visible(uint8_t c)
{
	return (c >= ' ' && c != 0x7f) || c == '\t';
}

static int size_byte(struct http_chunks *c, uint8_t b)
{
	int v = hex(b);

	if (v >= 0) {
		if (++c->digits > 15)
			return -EBADMSG;
		c->left = c->left << 4 | (unsigned)v;
		return SIZE;
	}
	if (c->digits == 0)
		return -EBADMSG;
	c->extra = 0;
	if (b == '\r')
		return SIZE_LF;
	return b == ';' ? EXTENSION : -EBADMSG;
}

static bool name_byte(uint8_t b)
{
	return b > ' ' && b < 0x7f && b != ':';
}

/* A byte that is not data: the next state, or -EBADMSG. */
static int next_state(struct http_chunks *c, uint8_t b)
{
	switch (c->state) {
	case SIZE:
		return size_byte(c, b);
	case EXTENSION:
		if (++c->extra > EXTRA_MAX)
			return -EBADMSG;
		if (b == '\r')
			return SIZE_LF;
		return visible(b) ? EXTENSION : -EBADMSG;
	case SIZE_LF:
		c->digits = 0;
		c->extra = 0;
		if (b != '\n')
			return -EBADMSG;
		return c->left ? DATA : TRAILER;
	case DATA_CR:
		return b == '\r' ? DATA_LF : -EBADMSG;
	case DATA_LF:
		return b == '\n' ? SIZE : -EBADMSG;
	case TRAILER:
		if (b == '\r')
			return LAST_LF;
		return name_byte(b) ? TRAILER_NAME : -EBADMSG;
	case TRAILER_NAME:
		if (b == ':')
			return TRAILER_VALUE;
		return name_byte(b) ? TRAILER_NAME : -EBADMSG;
	case TRAILER_VALUE:
		if (b == '\r')
			return TRAILER_LF;
		return visible(b) ? TRAILER_VALUE : -EBADMSG;
	case TRAILER_LF:
		return b == '\n' ? TRAILER : -EBADMSG;
	case LAST_LF:
		return b == '\n' ? END : -EBADMSG;
	default:
		return -EBADMSG;
	}
}

ssize_t http_read_chunks(struct http_chunks *c, const uint8_t *data, size_t len, bool *end)
{
	size_t i = 0;

	*end = false;
	while (i < len && c->state != END) {
		int next;

		if (c->state == DATA) {
			size_t n = c->left < len - i ? (size_t)c->left : len - i;

			i += n;
			c->left -= n;
			if (c->left == 0)
				c->state = DATA_CR;
			continue;
		}
		next = next_state(c, data[i++]);
		if (next < 0 || (c->state >= TRAILER && ++c->extra > EXTRA_MAX))
			return -EBADMSG;
		c->state = (uint8_t)next;
	}
	*end = c->state == END;
	return (ssize_t)i;
}

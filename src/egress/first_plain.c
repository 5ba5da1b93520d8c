/* SPDX-License-Identifier: Apache-2.0 */
/* First bytes that are no TLS. */
#include "base/str.h"
#include "egress/first_impl.h"

#define TOKEN_MAX 256u /* a first word as long as that is not held any more */

/* 1: "HTTP/" is in the line; 0: the line is over, or is no text; -EAGAIN. */
static int scan_line(struct first *f, const uint8_t *p, size_t len)
{
	static const char want[] = "http/";

	for (size_t i = 0; i < len; i++) {
		uint8_t c = (uint8_t)chr_lower((char)p[i]);

		if ((c < ' ' && !http_is_blank(c) && c != '\r') || c == 0x7f)
			return 0;
		f->matched = c == (uint8_t)want[f->matched] ? (uint8_t)(f->matched + 1)
			     : c == 'h'			    ? 1
							    : 0;
		if (f->matched == sizeof(want) - 1)
			return 1;
	}
	return -EAGAIN;
}

/* A first line that nobody would hold in one piece: it goes on while it is looked at, and if it
 * is a request's after all it does not come to its end. */
enum step first_long_line(struct conn *k, const uint8_t *data, size_t len, size_t *n)
{
	struct first *f = k->first;
	size_t i = 0;
	int r = -EAGAIN;

	while (f->state == LONG_WORD && i < len) {
		uint8_t c = data[i++];

		if (http_is_blank(c))
			f->state = LONG_LINE;
		else if (c < ' ' || c >= 0x7f || strchr("\"(),/:;<=>?@[\\]{}", c))
			return STEP_OPAQUE;
	}
	if (f->state == LONG_LINE)
		r = scan_line(f, data + i, len - i);
	if (r == 0)
		return STEP_OPAQUE;
	if (r == 1) {
		conn_refuse(k, "an HTTP request that cannot be judged", NULL, 0);
		return STEP_OVER;
	}
	*n = len;
	return first_send(k, data, len);
}

static size_t first_word(const uint8_t *data, size_t len)
{
	size_t from = 0, to;

	while (from < len && data[from] <= ' ')
		from++;
	/* What is no ASCII may be a blank: then the word ends there. */
	for (to = from; to < len && data[to] > ' ' && data[to] < 0x7f; to++)
		;
	return to - from;
}

enum step first_sniff(struct conn *k, const uint8_t *data, size_t len, size_t *n)
{
	struct first *f = k->first;
	size_t skip = 0;
	int r;

	if (first_word(data, len) > TOKEN_MAX) {
		f->state = LONG_WORD;
		/* What stands before it. */
		while (skip < len && data[skip] <= ' ')
			skip++;
		*n = skip;
		return first_send(k, data, skip);
	}
	r = http_sniff(data, len);
	if (r == -EAGAIN)
		return STEP_MORE;
	if (r == 0)
		return STEP_OPAQUE;
	if (http_new(HTTP_TRANSPARENT, 0, &f->http) < 0) {
		conn_abort(k);
		return STEP_OVER;
	}
	f->state = HTTP;
	timer_stop(&k->b->loop, &k->timer);
	return STEP_AGAIN;
}

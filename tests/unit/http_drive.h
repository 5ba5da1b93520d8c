/* SPDX-License-Identifier: Apache-2.0 */
/* Drives the HTTP reader as the broker does: bytes arrive in pieces, what was judged goes on. */
#pragma once

#include <cmocka.h>
#include <string.h>

#include "base/str.h"
#include "egress/http.h"

struct drive {
	struct http *h;
	enum http_step step; /* the last */
	struct buf sent;     /* what goes on, as it came */
	struct buf seen;     /* "METHOD host:port target;" of each request */
	size_t used;
	int switched; /* the answer to HTTP_WAIT: -1 none */
};

static inline void drive_init(struct drive *d, enum http_form form, unsigned flags)
{
	*d = (struct drive){ .sent = BUF_INIT(1 << 20), .seen = BUF_INIT(1 << 16), .switched = -1 };
	assert_int_equal(http_new(form, flags, &d->h), 0);
	(void)buf_adds(&d->sent, "");
	(void)buf_adds(&d->seen, "");
}

static inline void drive_free(struct drive *d)
{
	http_free(d->h);
	buf_free(&d->sent);
	buf_free(&d->seen);
}

static inline void drive_head(struct drive *d)
{
	const struct http_request *q = http_request(d->h);

	if (q->has_host)
		(void)buf_addf(&d->seen, "%s %s:%u %s;", q->method, q->host.name, q->port,
			       q->target);
	else
		(void)buf_addf(&d->seen, "%s - %s;", q->method, q->target);
	http_accept(d->h);
}

/* All of data, arriving chunk bytes at a time. */
static inline void drive(struct drive *d, const void *data, size_t len, size_t chunk)
{
	const uint8_t *p = data;
	size_t have = len < chunk ? len : chunk, n;

	d->used = 0;
	for (;;) {
		size_t held = have - d->used;
		_cleanup_free_ uint8_t *exact = malloc(held + 1);

		memcpy(exact, p + d->used, held);
		d->step = http_next(d->h, exact, held, &n);
		assert_true(n <= held);
		if (d->step == HTTP_JUDGE)
			drive_head(d);
		if (d->step == HTTP_JUDGE || d->step == HTTP_SEND || d->step == HTTP_OPAQUE)
			(void)buf_add(&d->sent, exact, n);
		d->used += n;
		if (d->step == HTTP_WAIT && d->switched >= 0)
			http_switched(d->h, d->switched);
		else if (d->step > HTTP_SEND && d->step != HTTP_OPAQUE)
			return;
		if (d->step == HTTP_MORE || d->used == have) {
			if (have == len && (d->step == HTTP_MORE || d->used == len))
				return;
			have = len - have < chunk ? len : have + chunk;
		}
	}
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Input: flags byte, then what a client sends. In one piece and in small ones the same requests
 * are seen and the same bytes go on; what is made of a head is again a head. */
#include <stdint.h>
#include <string.h>

#include "base/str.h"
#include "egress/http.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int ok)
{
	if (!ok)
		abort();
}

struct run {
	struct http *h;
	enum http_step step;
	struct buf sent, seen;
	size_t judged; /* bytes that were judged before the connection left HTTP */
};

static void check_rewrite(const struct http *h, enum http_form form, const uint8_t *head, size_t n)
{
	const struct http_request *q = http_request(h);
	_cleanup_buf_ struct buf out = BUF_INIT(2 * HTTP_HEAD_MAX + 1024);
	struct http *again = NULL;
	size_t used;

	if (q->connect)
		return;
	must(http_rewrite(h, head, n, &out) == 0);
	must(http_new(HTTP_TRANSPARENT, 0, &again) == 0);
	/* It may have become too long, or have one header too many; nothing else. */
	if (http_next(again, (const uint8_t *)out.data, out.len, &used) == HTTP_JUDGE) {
		must(used == out.len);
		must(http_request(again)->has_host == q->has_host);
		must(streq(http_request(again)->host.name, q->host.name));
		must(streq(http_request(again)->method, q->method));
		must(form == HTTP_TRANSPARENT || http_request(again)->close);
		must(!q->rewrite || !http_request(again)->upgrade);
	} else {
		must(streq(http_why(again), "too many headers") ||
		     streq(http_why(again), "a head that is too long"));
	}
	http_free(again);
}

static void run(struct run *r, const uint8_t *data, size_t size, unsigned flags, size_t chunk)
{
	enum http_form form = flags & 1 ? HTTP_PROXY : HTTP_TRANSPARENT;
	size_t have = size < chunk ? size : chunk, used = 0, n;

	*r = (struct run){ .sent = BUF_INIT(1 << 22), .seen = BUF_INIT(1 << 22) };
	must(http_new(form, flags & 2 ? HTTP_ONE_REQUEST : 0, &r->h) == 0);
	for (;;) {
		size_t held = have - used;

		r->step = http_next(r->h, data + used, held, &n);
		must(n <= held);
		must(r->step != HTTP_MORE || n == 0);
		must(r->step != HTTP_MORE || held <= HTTP_HEAD_MAX);
		if (r->step == HTTP_JUDGE) {
			const struct http_request *q = http_request(r->h);

			must(q->has_host || q->minor == 0);
			must(n >= 18 && memcmp(data + used + n - 4, "\r\n\r\n", 4) == 0);
			check_rewrite(r->h, form, data + used, n);
			(void)buf_addf(&r->seen, "%s %s %s %u;", q->method, q->host.name, q->target,
				       q->port);
			http_accept(r->h);
		}
		if (r->step == HTTP_JUDGE || r->step == HTTP_SEND || r->step == HTTP_OPAQUE)
			(void)buf_add(&r->sent, data + used, n);
		used += n;
		if (r->step == HTTP_WAIT)
			http_switched(r->h, flags & 4);
		else if (r->step == HTTP_H2 || r->step == HTTP_BAD || r->step == HTTP_DONE)
			break;
		if (r->step == HTTP_MORE || used == have) {
			if (have == size)
				break;
			have = size - have < chunk ? size : have + chunk;
		}
	}
	must(r->sent.len == used && (!used || memcmp(r->sent.data, data, used) == 0));
	must(r->step != HTTP_BAD || http_why(r->h)[0]);
}

static void run_free(struct run *r)
{
	http_free(r->h);
	buf_free(&r->sent);
	buf_free(&r->seen);
}

static bool same(const struct buf *a, const struct buf *b)
{
	return a->len == b->len && (!a->len || memcmp(a->data, b->data, a->len) == 0);
}

static void check_sniff(const uint8_t *data, size_t size)
{
	size_t n = size < 200 ? size : 200;
	int whole = http_sniff(data, n);

	for (size_t i = 0; i < n; i++) {
		int r = http_sniff(data, i);

		must(r == -EAGAIN || r == whole);
	}
	must(size < HTTP_SNIFF_MAX || http_sniff(data, size) != -EAGAIN);
}

static void check_answer(const uint8_t *data, size_t size)
{
	struct http_answer all = { 0 }, one = { 0 };

	(void)http_answer_feed(&all, data, size);
	for (size_t i = 0; i < size; i++)
		(void)http_answer_feed(&one, data + i, 1);
	must(all.status == one.status && all.head == one.head && all.head <= size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct run all, parts;
	unsigned flags;

	if (size < 1)
		return 0;
	flags = data[0];
	data++;
	size--;
	check_sniff(data, size);
	check_answer(data, size);
	run(&all, data, size, flags, size ? size : 1);
	run(&parts, data, size, flags, 1 + flags / 8);
	/* Where it is refused, what was good before it may have gone on in smaller pieces. */
	must(same(&all.seen, &parts.seen));
	must(all.step == HTTP_BAD ? parts.step == HTTP_BAD : same(&all.sent, &parts.sent));
	/* Only what looks like HTTP is judged as such: nothing accepted may be missed there. */
	must(!all.seen.len || http_sniff(data, size) == 1);
	run_free(&all);
	run_free(&parts);
	return 0;
}

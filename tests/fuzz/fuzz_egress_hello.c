/* SPDX-License-Identifier: Apache-2.0 */
/* Input: flags byte, then a client's first flight. The streaming reader against one that has
 * all of it, and in one piece and byte by byte. */
#include <stdint.h>
#include <string.h>

#include "base/str.h"
#include "egress/hello.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int ok)
{
	if (!ok)
		abort();
}

struct view {
	const uint8_t *p;
	size_t len;
};

/* n bytes of v, or false. */
static bool take(struct view *v, size_t n, struct view *ret)
{
	if (v->len < n)
		return false;
	*ret = (struct view){ v->p, n };
	v->p += n;
	v->len -= n;
	return true;
}

/* A vector whose length has so many bytes. */
static bool vector(struct view *v, size_t bytes, struct view *ret)
{
	struct view n;
	size_t len = 0;

	if (!take(v, bytes, &n))
		return false;
	for (size_t i = 0; i < bytes; i++)
		len = len << 8 | n.p[i];
	return take(v, len, ret);
}

/* The handshake bytes of the records, as far as they are. */
static size_t join(const uint8_t *p, size_t len, uint8_t *dst)
{
	struct view v = { p, len }, type, body;
	size_t n = 0;

	while (take(&v, 3, &type) && type.p[0] == 22 && type.p[1] == 3 && vector(&v, 2, &body)) {
		memcpy(dst + n, body.p, body.len);
		n += body.len;
	}
	return n;
}

/* 1: a hello with the name in *ret, 0: without, -1: neither. */
static int reference(const uint8_t *p, size_t len, struct view *ret)
{
	struct view v = { p, len }, type, hello, x, exts, ext, list;
	int found = 0;

	if (!take(&v, 1, &type) || type.p[0] != 1 || !vector(&v, 3, &hello))
		return -1;
	if (!take(&hello, 2, &x) || x.p[0] != 3 || !take(&hello, 32, &x) ||
	    !vector(&hello, 1, &x) || x.len > 32 || !vector(&hello, 2, &x) || x.len < 2 ||
	    x.len % 2 || !vector(&hello, 1, &x) || x.len < 1)
		return -1;
	if (hello.len == 0)
		return 0;
	if (!vector(&hello, 2, &exts) || hello.len)
		return -1;
	while (exts.len) {
		if (!take(&exts, 2, &type) || !vector(&exts, 2, &ext))
			return -1;
		if (type.p[0] || type.p[1])
			continue;
		if (found++ || !vector(&ext, 2, &list) || ext.len || !take(&list, 1, &x) ||
		    x.p[0] != 0 || !vector(&list, 2, ret) || list.len || ret->len == 0)
			return -1;
	}
	return found;
}

static void check(const struct hello *h, const uint8_t *data, size_t size)
{
	uint8_t *joined = malloc(size + 1);
	struct view name = { NULL, 0 };
	struct host host = { 0 };
	int want = reference(joined, join(data, size, joined), &name);

	if (h->result == HELLO_NAME) {
		must(want == 1 && host_parse((const char *)name.p, name.len, &host) == 0);
		must(streq(host.name, h->host.name));
	} else if (h->result == HELLO_NO_NAME) {
		must(want == 0);
	} else if (h->result == HELLO_NOT_TLS) {
		must(want < 0);
	}
	free(joined);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hello all, one;
	bool again;

	if (size < 1)
		return 0;
	again = data[0] & 1;
	data++;
	size--;
	(void)hello_retry_asked(data, size);
	hello_init(&all, again);
	(void)hello_feed(&all, data, size);
	must(all.fed <= size && all.fed <= HELLO_MAX + 1);
	must(all.result != HELLO_MORE || all.fed == size);
	must((all.result == HELLO_BAD) == (all.why != NULL));
	hello_init(&one, again);
	for (size_t i = 0; i < size; i++)
		(void)hello_feed(&one, data + i, 1);
	must(one.result == all.result && one.fed == all.fed && one.why == all.why &&
	     one.ech == all.ech && streq(one.host.name, all.host.name));
	if (!again)
		check(&all, data, all.fed);
	return 0;
}

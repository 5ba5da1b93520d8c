/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>

#include "egress/http_impl.h"

/* Headers for one hop only, which a proxy keeps (RFC 9110 7.6.1). Transfer-Encoding is one
 * too, but the body goes on as it is. */
static const char *const hop_by_hop[] = { "connection", "keep-alive", "te", "upgrade",
					  "http2-settings" };

/* Does some Connection header list this name? */
static bool listed(const char *head, size_t len, size_t pos, const struct http_line *name)
{
	struct http_line l;
	const char *why;

	while (http_next_line(head, len, &pos, &l, &why))
		if ((http_line_is(&l, "connection") || http_line_is(&l, "proxy-connection")) &&
		    http_list_has(l.value, l.value_len, name->name, name->name_len))
			return true;
	return false;
}

static bool dropped_by_proxy(const char *head, size_t len, size_t pos, const struct http_line *l)
{
	for (size_t i = 0; i < ARRAY_SIZE(hop_by_hop); i++)
		if (http_line_is(l, hop_by_hop[i]))
			return true;
	if (l->name_len > 6 && strncasecmp(l->name, "proxy-", 6) == 0)
		return true;
	return listed(head, len, pos, l);
}

/* "METHOD http://host/path HTTP/1.x" in origin-form. first: length of the line. */
static void put_origin_form(const struct http *h, const char *head, size_t first, struct buf *out)
{
	const char *target = (const char *)memchr(head, ' ', first) + 1;
	const char *end = memchr(target, ' ', first - (size_t)(target - head));
	const char *p = target + strlen("http://");

	while (p < end && *p != '/' && *p != '?')
		p++;
	(void)buf_add(out, head, (size_t)(target - head));
	if (p == end)
		(void)buf_adds(out, streq(h->req.method, "OPTIONS") ? "*" : "/");
	else if (*p == '?')
		(void)buf_adds(out, "/");
	(void)buf_add(out, p, first - (size_t)(p - head));
}

/* A Connection header without the tokens that belong to an upgrade. */
static void put_connection(const struct http_line *l, struct buf *out)
{
	bool any = false;

	for (size_t pos = 0; pos < l->value_len;) {
		const char *s = l->value + pos, *comma = memchr(s, ',', l->value_len - pos);
		size_t n = comma ? (size_t)(comma - s) : l->value_len - pos;

		pos += n + 1;
		if (http_list_has(s, n, "upgrade", 7) || http_list_has(s, n, "http2-settings", 14))
			continue;
		(void)buf_adds(out, any ? "," : "Connection: ");
		(void)buf_add(out, s, n);
		any = true;
	}
	if (any)
		(void)buf_adds(out, "\r\n");
}

int http_rewrite(const struct http *h, const uint8_t *data, size_t n, struct buf *out)
{
	const char *head = (const char *)data, *cr = memchr(head, '\r', n), *why;
	bool proxy = h->form == HTTP_PROXY, host = false;
	struct http_line l;
	size_t first, pos;

	if (!cr)
		return -EINVAL;
	first = pos = (size_t)(cr - head) + 2;
	if (proxy)
		put_origin_form(h, head, first, out);
	else
		(void)buf_add(out, head, first);
	while (http_next_line(head, n, &pos, &l, &why)) {
		if (http_line_is(&l, "host"))
			host = true;
		if (proxy ? dropped_by_proxy(head, n, first, &l)
			  : http_line_is(&l, "upgrade") || http_line_is(&l, "http2-settings"))
			continue;
		if (!proxy && http_line_is(&l, "connection"))
			put_connection(&l, out);
		else
			(void)buf_add(out, l.raw, l.raw_len);
	}
	if (proxy && !host) {
		bool v6 = h->req.host.is_ip && h->req.host.ip.v6;

		(void)buf_addf(out, "Host: %s%s%s:%u\r\n", v6 ? "[" : "", h->req.host.name,
			       v6 ? "]" : "", h->req.port);
	}
	if (proxy)
		(void)buf_adds(out, "Connection: close\r\n");
	(void)buf_adds(out, "\r\n");
	return out->failed ? -ENOBUFS : 0;
}

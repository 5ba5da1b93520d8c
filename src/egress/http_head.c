/* SPDX-License-Identifier: Apache-2.0 */
/* A request's head, strictly: RFC 9112 without any of its "a recipient MAY". */
#include <string.h>

#include "egress/http_impl.h"

/* What decides about a request, as its headers say. */
struct facts {
	unsigned hosts, lengths, encodings, headers;
	struct http_line host, length, encoding;
	bool upgrade, h2c;
};

struct target {
	const char *text;
	size_t len;
	const char *authority; /* NULL: origin-form or "*" */
	size_t authority_len;
};

static bool is_token(unsigned char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c && strchr("!#$%&'*+-.^_`|~", c));
}

bool http_line_is(const struct http_line *l, const char *name)
{
	return l->name_len == strlen(name) && strncasecmp(l->name, name, l->name_len) == 0;
}

bool http_list_has(const char *list, size_t len, const char *token, size_t token_len)
{
	for (size_t pos = 0; pos < len;) {
		const char *comma = memchr(list + pos, ',', len - pos);
		size_t end = comma ? (size_t)(comma - list) : len, next = end + 1;

		while (pos < end && (list[pos] == ' ' || list[pos] == '\t'))
			pos++;
		while (end > pos && (list[end - 1] == ' ' || list[end - 1] == '\t'))
			end--;
		if (end - pos == token_len && strncasecmp(list + pos, token, token_len) == 0)
			return true;
		pos = next;
	}
	return false;
}

bool http_next_line(const char *head, size_t len, size_t *pos, struct http_line *ret,
		    const char **why)
{
	const char *line = head + *pos, *cr = memchr(line, '\r', len - *pos), *colon;
	size_t n, end;

	*why = NULL;
	if (!cr || cr == line)
		return false;
	n = (size_t)(cr - line);
	*why = "a folded header line";
	if (line[0] == ' ' || line[0] == '\t')
		return false;
	*why = "a header line without a name and a colon";
	colon = memchr(line, ':', n);
	if (!colon || colon == line)
		return false;
	*why = "a header name with a blank or another byte that no name has";
	for (const char *p = line; p < colon; p++)
		if (!is_token((unsigned char)*p))
			return false;
	*why = "a control byte in a header";
	for (size_t i = 0; i < n; i++)
		if (((unsigned char)line[i] < ' ' && line[i] != '\t') || line[i] == 0x7f)
			return false;
	*why = NULL;
	ret->name = line;
	ret->name_len = (size_t)(colon - line);
	end = n;
	n = ret->name_len + 1;
	while (n < end && (line[n] == ' ' || line[n] == '\t'))
		n++;
	while (end > n && (line[end - 1] == ' ' || line[end - 1] == '\t'))
		end--;
	ret->value = line + n;
	ret->value_len = end - n;
	ret->raw = line;
	ret->raw_len = (size_t)(cr - line) + 2;
	*pos += ret->raw_len;
	return true;
}

/* host[:port]; port stays as it was where none is written. */
static bool read_authority(const char *s, size_t len, struct host *host, uint16_t *port, bool *has)
{
	const char *colon = memrchr(s, ':', len), *bracket = memrchr(s, ']', len);
	size_t n = len;
	unsigned v = 0;

	*has = false;
	if (colon && (!bracket || bracket < colon)) {
		n = (size_t)(colon - s);
		if (len - n - 1 == 0 || len - n - 1 > 5)
			return false;
		for (size_t i = n + 1; i < len; i++) {
			if (s[i] < '0' || s[i] > '9')
				return false;
			v = v * 10 + (unsigned)(s[i] - '0');
		}
		if (v == 0 || v > 65535)
			return false;
		*port = (uint16_t)v;
		*has = true;
	}
	return n > 0 && host_parse(s, n, host) == 0;
}

/* METHOD SP target SP HTTP/1.x CRLF. *pos: behind it. */
static const char *read_request_line(struct http *h, const char *head, size_t len, size_t *pos,
				     struct target *ret)
{
	const char *cr = memchr(head, '\r', len), *sp, *end;
	size_t n = 0;

	if (!cr || cr == head)
		return "an empty line where a request belongs";
	while (n < sizeof(h->req.method) && head + n < cr &&
	       ((head[n] >= 'A' && head[n] <= 'Z') || head[n] == '-' || head[n] == '_'))
		n++;
	if (n == 0 || n >= sizeof(h->req.method) || head[n] != ' ')
		return "a method that is none";
	memcpy(h->req.method, head, n);
	sp = head + n;
	end = memchr(sp + 1, ' ', (size_t)(cr - sp - 1));
	if (!end)
		return "HTTP/0.9, or a request line without a version";
	if (end == sp + 1)
		return "a request line with two blanks";
	if (cr - end != 9 || memcmp(end, " HTTP/1.", 8) != 0 || (end[8] != '0' && end[8] != '1'))
		return "a version that is neither HTTP/1.0 nor HTTP/1.1";
	for (const char *p = sp + 1; p < end; p++)
		if ((unsigned char)*p <= ' ' || *p == 0x7f)
			return "a control byte in the target";
	h->req.minor = (uint8_t)(end[8] - '0');
	*ret = (struct target){ .text = sp + 1, .len = (size_t)(end - sp - 1) };
	*pos = (size_t)(cr - head) + 2;
	return NULL;
}

/* http://authority[/path], into authority. */
static const char *read_absolute(struct target *t)
{
	size_t n = strlen("http://"), end;

	if (t->len >= 8 && strncasecmp(t->text, "https://", 8) == 0)
		return "https:// asked of us in the clear: CONNECT is for that";
	if (t->len <= n || strncasecmp(t->text, "http://", n) != 0)
		return "a target that is neither a path nor an http:// URL";
	/* Readers differ on where an authority with one of these ends. */
	if (memchr(t->text, '#', t->len) || memchr(t->text, '\\', t->len))
		return "a # or \\ in an http:// target";
	for (end = n; end < t->len && t->text[end] != '/' && t->text[end] != '?'; end++)
		;
	t->authority = t->text + n;
	t->authority_len = end - n;
	return memchr(t->authority, '@', t->authority_len) ? "a user in the target" : NULL;
}

static const char *read_target(struct http *h, struct target *t)
{
	struct http_request *q = &h->req;

	q->connect = streq(q->method, "CONNECT");
	q->head = streq(q->method, "HEAD");
	if (q->connect) {
		if (h->form != HTTP_PROXY)
			return "CONNECT to a server: it would be asked for a way to elsewhere";
		t->authority = t->text;
		t->authority_len = t->len;
		return NULL;
	}
	if (h->form == HTTP_PROXY)
		return t->text[0] == '/' || streq(q->method, "PRI")
			       ? "this is a proxy: it takes CONNECT and http:// URLs"
			       : read_absolute(t);
	if (t->text[0] == '/')
		return NULL;
	if (t->len == 1 && t->text[0] == '*')
		return streq(q->method, "OPTIONS") ? NULL : "the target * is for OPTIONS";
	return read_absolute(t);
}

/* Connection: what it lists is for the next hop only, and taken out by it. */
static const char *read_connection(struct http_request *q, const struct http_line *l)
{
	static const char *const kept[] = { "host", "content-length", "transfer-encoding" };

	for (size_t i = 0; i < ARRAY_SIZE(kept); i++)
		if (http_list_has(l->value, l->value_len, kept[i], strlen(kept[i])))
			return "a Connection header that takes away what the request is judged by";
	if (http_list_has(l->value, l->value_len, "close", 5))
		q->close = true;
	return NULL;
}

static const char *read_line(struct http *h, const struct http_line *l, struct facts *f)
{
	if (++f->headers > HTTP_HEADERS_MAX)
		return "too many headers";
	if (http_line_is(l, "host")) {
		f->hosts++;
		f->host = *l;
	} else if (http_line_is(l, "content-length")) {
		f->lengths++;
		f->length = *l;
	} else if (http_line_is(l, "transfer-encoding")) {
		f->encodings++;
		f->encoding = *l;
	} else if (http_line_is(l, "connection") || http_line_is(l, "proxy-connection")) {
		return read_connection(&h->req, l);
	} else if (http_line_is(l, "upgrade")) {
		f->upgrade = true;
		if (http_list_has(l->value, l->value_len, "h2c", 3))
			f->h2c = true;
	} else if (http_line_is(l, "http2-settings")) {
		f->h2c = true;
	} else if (http_line_is(l, "expect")) {
		if (http_list_has(l->value, l->value_len, "100-continue", 12))
			h->req.expect_continue = true;
	}
	return NULL;
}

static const char *read_host(struct http *h, const struct target *t, const struct facts *f)
{
	struct http_request *q = &h->req;
	struct host named;
	uint16_t port = 80;
	bool has;

	q->port = 80;
	if (f->hosts > 1)
		return "two Host headers";
	if (f->hosts == 0 && q->minor > 0)
		return "no Host header";
	if (t->authority) {
		if (!read_authority(t->authority, t->authority_len, &q->host, &q->port,
				    &q->has_port))
			return "a target whose host is none";
		if (q->connect && !q->has_port)
			return "CONNECT without a port";
		q->has_host = q->has_port = true;
	}
	if (f->hosts == 0)
		return NULL;
	if (!read_authority(f->host.value, f->host.value_len, &named, &port, &has))
		return "a Host header that is no host name";
	if (!t->authority) {
		q->host = named;
		q->port = port;
		q->has_host = true;
		q->has_port = has;
	} else if (!streq(named.name, q->host.name) || ((has || !q->connect) && port != q->port)) {
		return "a Host header that names another host than the target";
	}
	return NULL;
}

static const char *read_framing(struct http *h, const struct facts *f)
{
	const struct http_line *l = &f->length;

	h->body = HTTP_NO_BODY;
	h->left = 0;
	if (f->encodings) {
		if (f->lengths)
			return "both Content-Length and Transfer-Encoding";
		if (f->encodings > 1 || h->req.minor == 0 || f->encoding.value_len != 7 ||
		    strncasecmp(f->encoding.value, "chunked", 7) != 0)
			return "a Transfer-Encoding that is not just \"chunked\"";
		h->body = HTTP_CHUNKED;
		h->chunks = (struct http_chunks){ 0 };
	}
	if (f->lengths > 1)
		return "two Content-Length headers";
	if (f->lengths) {
		if (l->value_len == 0 || l->value_len > 18)
			return "a Content-Length that is no number";
		for (size_t i = 0; i < l->value_len; i++) {
			if (l->value[i] < '0' || l->value[i] > '9')
				return "a Content-Length that is no number";
			h->left = h->left * 10 + (unsigned)(l->value[i] - '0');
		}
		h->body = h->left ? HTTP_LENGTH : HTTP_NO_BODY;
	}
	if (h->req.connect && h->body != HTTP_NO_BODY)
		return "CONNECT with a body";
	return NULL;
}

static void show_target(struct http_request *q, const struct target *t)
{
	const char *s = t->text;
	size_t len = t->len, n;

	if (t->authority && !q->connect) {
		s = t->authority + t->authority_len;
		len -= (size_t)(s - t->text);
	}
	for (n = 0; n < len && s[n] != '?'; n++)
		;
	if (n == 0 && !q->connect)
		(void)snprintf(q->target, sizeof(q->target), "/");
	else
		str_escape(q->target, sizeof(q->target), s, n);
}

const char *http_read_head(struct http *h, const char *head, size_t len)
{
	struct http_request *q = &h->req;
	struct facts f = { 0 };
	struct target t;
	struct http_line l;
	const char *why;
	size_t pos = 0;

	*q = (struct http_request){ .number = h->count };
	why = read_request_line(h, head, len, &pos, &t);
	if (!why)
		why = read_target(h, &t);
	while (!why && http_next_line(head, len, &pos, &l, &why))
		why = read_line(h, &l, &f);
	if (!why)
		why = read_host(h, &t, &f);
	if (!why)
		why = read_framing(h, &f);
	if (!why)
		why = http_second_head(h, head, len);
	if (why)
		return why;
	/* Only on the first request is it known which answer belongs to it. */
	q->upgrade = f.upgrade && !f.h2c && q->number == 0 && h->form == HTTP_TRANSPARENT;
	q->rewrite = h->form == HTTP_PROXY ? !q->connect : f.h2c || (f.upgrade && !q->upgrade);
	show_target(q, &t);
	return NULL;
}

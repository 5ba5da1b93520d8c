/* SPDX-License-Identifier: Apache-2.0 */
#include "egress/upstream.h"

#include <stdio.h>
#include <string.h>

static int hex(char c)
{
	c = chr_lower(c);
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Percent-decodes into dst, as curl does: what is no "%" and two digits stays. The length, or
 * -EINVAL: too long, or a control byte, which could end the header's line. */
static int decode(const char *s, size_t len, char *dst, size_t size)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		int c = (unsigned char)s[i];

		if (c == '%' && i + 2 < len && hex(s[i + 1]) >= 0 && hex(s[i + 2]) >= 0) {
			c = hex(s[i + 1]) << 4 | hex(s[i + 2]);
			i += 2;
		}
		if (c < ' ' || c == 0x7f || n >= size)
			return -EINVAL;
		dst[n++] = (char)c;
	}
	return (int)n;
}

static void base64(const uint8_t *p, size_t len, char *dst)
{
	static const char set[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < len; i += 3) {
		unsigned v = (unsigned)p[i] << 16 | (i + 1 < len ? (unsigned)p[i + 1] << 8 : 0) |
			     (i + 2 < len ? p[i + 2] : 0);

		*dst++ = set[v >> 18];
		*dst++ = set[v >> 12 & 63];
		*dst++ = i + 1 < len ? set[v >> 6 & 63] : '=';
		*dst++ = i + 2 < len ? set[v & 63] : '=';
	}
	*dst = 0;
}

/* "user[:password]" of the URL. */
static int read_auth(const char *s, size_t len, struct upstream *u)
{
	/* RFC 7617: the user holds no colon; an encoded one would move the border. */
	const char *colon = memchr(s, ':', len);
	size_t user = colon ? (size_t)(colon - s) : len;
	char plain[(sizeof(u->auth) - 1) / 4 * 3];
	int n = decode(s, user, plain, sizeof(plain) - 1), m = 0;

	if (n >= 0 && memchr(plain, ':', (size_t)n))
		n = -EINVAL;
	if (n >= 0) {
		plain[n++] = ':';
		m = colon ? decode(colon + 1, len - user - 1, plain + n, sizeof(plain) - (size_t)n)
			  : 0;
	}
	if (n >= 0 && m >= 0)
		base64((const uint8_t *)plain, (size_t)n + (size_t)m, u->auth);
	explicit_bzero(plain, sizeof(plain));
	return n < 0 || m < 0 ? -EINVAL : 0;
}

static int read_port(const char *s, size_t len, uint16_t *ret)
{
	unsigned v = 0;

	if (len == 0 || len > 5)
		return -EINVAL;
	for (size_t i = 0; i < len; i++) {
		if (s[i] < '0' || s[i] > '9')
			return -EINVAL;
		v = v * 10 + (unsigned)(s[i] - '0');
	}
	if (v == 0 || v > 65535)
		return -EINVAL;
	*ret = (uint16_t)v;
	return 0;
}

/* "host", "host:port", "[v6]", "[v6]:port"; port stays as it was where none is written. */
static int read_hostport(const char *s, size_t len, struct host *host, uint16_t *port)
{
	const char *colon = memrchr(s, ':', len), *bracket = memrchr(s, ']', len);
	size_t n = len;

	if (colon && (!bracket || bracket < colon)) {
		n = (size_t)(colon - s);
		if (read_port(colon + 1, len - n - 1, port) < 0)
			return -EINVAL;
	}
	return n ? host_parse(s, n, host) : -EINVAL;
}

int upstream_parse(const char *url, struct upstream *ret, struct berm_err *err)
{
	struct upstream u = { .port = 80 };
	const char *s = url, *scheme = strstr(url, "://"), *at;
	size_t len;
	int r = 0;

	if (scheme) {
		s = scheme + 3;
		if (scheme - url != 4 || strncasecmp(url, "http", 4) != 0) {
			err_set(err, -EINVAL, "upstream proxy: only http:// proxies are spoken to");
			err_fix(err, "write http://host:port; it carries https by CONNECT");
			return -EINVAL;
		}
	}
	len = strcspn(s, "/?#");
	if (s[len] && !streq(s + len, "/"))
		return err_set(err, -EINVAL, "upstream proxy: something follows host and port");
	at = memrchr(s, '@', len);
	if (at) {
		r = read_auth(s, (size_t)(at - s), &u);
		len -= (size_t)(at + 1 - s);
		s = at + 1;
		if (r < 0)
			err_set(err, -EINVAL,
				"upstream proxy: its user or password is too long or holds a "
				"control character (or its user a colon)");
	}
	if (r == 0) {
		r = read_hostport(s, len, &u.host, &u.port);
		if (r < 0)
			err_set(err, -EINVAL, "upstream proxy: no host and port after http://");
	}
	if (r == 0)
		*ret = u;
	upstream_wipe(&u);
	return r;
}

void upstream_wipe(struct upstream *u)
{
	explicit_bzero(u->auth, sizeof(u->auth));
}

size_t upstream_connect(const struct upstream *u, const struct host *h, uint16_t port, char *dst)
{
	bool v6 = h->is_ip && h->ip.v6;
	char where[HOST_MAX + 16];
	int n;

	(void)snprintf(where, sizeof(where), "%s%s%s:%u", v6 ? "[" : "", h->name, v6 ? "]" : "",
		       port);
	n = snprintf(dst, UPSTREAM_CONNECT_MAX, "CONNECT %s HTTP/1.1\r\nHost: %s\r\n%s%s%s\r\n",
		     where, where, u->auth[0] ? "Proxy-Authorization: Basic " : "", u->auth,
		     u->auth[0] ? "\r\n" : "");
	return (size_t)n;
}

/* ---- NO_PROXY ----------------------------------------------------------- */

static bool within(const struct ip_addr *ip, const struct ip_addr *net, unsigned bits)
{
	unsigned bytes = bits / 8, rest = bits % 8;

	if (ip->v6 != net->v6 || bits > (net->v6 ? 128u : 32u) ||
	    memcmp(ip->bytes, net->bytes, bytes) != 0)
		return false;
	return rest == 0 || (ip->bytes[bytes] ^ net->bytes[bytes]) >> (8 - rest) == 0;
}

static bool cidr_has(const char *s, size_t len, const struct host *h)
{
	const char *slash = memchr(s, '/', len);
	struct host net;
	uint16_t bits = 0;

	if (!slash || host_parse(s, (size_t)(slash - s), &net) < 0 || !net.is_ip)
		return false;
	s += len;
	/* "/0" is the one prefix that is not a port as well. */
	if (s - slash == 2 && slash[1] == '0')
		bits = 0;
	else if (read_port(slash + 1, (size_t)(s - slash - 1), &bits) < 0)
		return false;
	return within(&h->ip, &net.ip, bits);
}

static bool entry_has(const char *s, size_t len, const struct host *h, uint16_t port)
{
	struct host e;
	uint16_t only = 0;
	size_t n, hn = strlen(h->name);

	if (len == 1 && s[0] == '*')
		return true;
	if (memchr(s, '/', len))
		return h->is_ip && cidr_has(s, len, h);
	if (len > 2 && s[0] == '*' && s[1] == '.') {
		s += 2;
		len -= 2;
	} else if (len > 1 && s[0] == '.') {
		s++;
		len--;
	}
	/* A bare IPv6 address has colons and no port. */
	if (host_parse(s, len, &e) < 0 && read_hostport(s, len, &e, &only) < 0)
		return false;
	if (only && only != port)
		return false;
	if (e.is_ip || h->is_ip)
		return streq(e.name, h->name);
	n = strlen(e.name);
	return hn >= n && streq(h->name + hn - n, e.name) &&
	       (hn == n || h->name[hn - n - 1] == '.');
}

static bool is_loopback(const struct host *h)
{
	static const struct ip_addr one = { .v6 = 1, .bytes = { [15] = 1 } };

	if (!h->is_ip)
		return streq(h->name, "localhost") || str_ends(h->name, ".localhost");
	return h->ip.v6 ? within(&h->ip, &one, 128) : h->ip.bytes[0] == 127;
}

bool upstream_skips(const char *no_proxy, const struct host *h, uint16_t port)
{
	if (is_loopback(h))
		return true;
	while (no_proxy && *no_proxy) {
		size_t n = strcspn(no_proxy, ", \t\r\n");

		if (n && entry_has(no_proxy, n, h, port))
			return true;
		no_proxy += n + (no_proxy[n] != 0);
	}
	return false;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns over hosts and ports (SPEC N2). What is refused here is refused in a sentence: a
 * rule that means something else than its writer thinks is worse than none. */
#include "policy/host_impl.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"

#define PATTERN_TEXT_MAX 1024 /* a name in UTF-8, with ports */

/* ---- ports -------------------------------------------------------------- */

static int port(const char **s, uint16_t *ret)
{
	unsigned n = 0;
	const char *p = *s;

	while (*p >= '0' && *p <= '9' && n <= 65535)
		n = n * 10 + (unsigned)(*p++ - '0');
	if (p == *s || n == 0 || n > 65535)
		return -EINVAL;
	*s = p;
	*ret = (uint16_t)n;
	return 0;
}

static int take_ports(const char *text, struct host_pattern *p, struct berm_err *err)
{
	const char *s = text;
	uint16_t from, to;

	if (port(&s, &from) < 0)
		goto bad;
	to = from;
	if (*s == '-') {
		s++;
		if (port(&s, &to) < 0 || to < from)
			goto bad;
	}
	if (*s)
		goto bad;
	p->port_from = from;
	p->port_to = to;
	return 0;
bad:
	err_set(err, -EINVAL, "\"%s\" is not a port", text);
	err_fix(err, "write a number from 1 to 65535, or a range: example.com:8000-8010");
	return -EINVAL;
}

/* ---- addresses ---------------------------------------------------------- */

static int take_prefix(const char *text, struct host_pattern *p, struct berm_err *err)
{
	unsigned n = 0, max = p->net.v6 ? 128 : 32;
	const char *s = text;

	while (*s >= '0' && *s <= '9' && n <= max)
		n = n * 10 + (unsigned)(*s++ - '0');
	if (s == text || *s || n > max || (text[0] == '0' && text[1])) {
		err_set(err, -EINVAL, "\"/%s\" is not the length of a prefix", text);
		err_fix(err, "write 0 to %u, as in %s/%u", max, p->text, max);
		return -EINVAL;
	}
	p->prefix = (uint8_t)n;
	p->kind = HOST_CIDR;
	if (ip_has_host_bits(&p->net, n)) {
		err_set(err, -EINVAL,
			"%s/%u is an address, not a network: bits behind the prefix are "
			"set",
			p->text, n);
		err_fix(err, "write %s for the address, or clear the bits", p->text);
		return -EINVAL;
	}
	return 0;
}

/* host: an address without its ports and brackets, maybe with a prefix. */
static int take_address(const char *host, size_t len, struct host_pattern *p, struct berm_err *err)
{
	const char *slash = memchr(host, '/', len);
	size_t addr_len = slash ? (size_t)(slash - host) : len;
	char prefix[8] = "";
	struct host h;

	if (host_parse(host, addr_len, &h) < 0 || !h.is_ip) {
		err_set(err, -EINVAL, "\"%.*s\" is neither a host nor a network", (int)len, host);
		err_fix(err,
			slash ? "write the host alone, without a path: example.com"
			      : "write an address such as 192.0.2.7, 2001:db8::7 or 10.0.0.0/8");
		return -EINVAL;
	}
	/* 010.0.0.1 is 8.0.0.1 to most programs: whoever writes a rule says which. */
	if (!h.ip.v6 && !memchr(host, ':', addr_len) &&
	    (strlen(h.name) != addr_len || memcmp(h.name, host, addr_len) != 0)) {
		err_set(err, -EINVAL, "\"%.*s\" is an unusual spelling of an address",
			(int)addr_len, host);
		err_fix(err, "write %s", h.name);
		return -EINVAL;
	}
	p->kind = HOST_EXACT;
	p->is_ip = true;
	p->net = h.ip;
	p->prefix = h.ip.v6 ? 128 : 32;
	memcpy(p->text, h.name, strlen(h.name) + 1);
	if (!slash)
		return 0;
	if ((size_t)snprintf(prefix, sizeof(prefix), "%.*s", (int)(len - addr_len - 1),
			     slash + 1) >= sizeof(prefix))
		(void)snprintf(prefix, sizeof(prefix), "...");
	return take_prefix(prefix, p, err);
}

/* ---- names -------------------------------------------------------------- */

static int bad_star(const char *host, struct berm_err *err)
{
	err_set(err, -EINVAL,
		"\"%s\": one \"*\" is possible, as the first label (any sub-domain) or alone between "
		"two dots (exactly one label)",
		host);
	err_fix(err, "write *.example.com, or api.*.example.com; for all hosts use network mode "
		     "\"open\"");
	return -EINVAL;
}

static int bad_name(const char *host, struct berm_err *err)
{
	err_set(err, -EINVAL, "\"%s\" is not the name of a host", host);
	err_fix(err, "write a name such as example.com, with letters, digits, \"-\" and \"_\"");
	return -EINVAL;
}

static int take_exact(const char *host, size_t len, struct host_pattern *p, struct berm_err *err)
{
	struct host h;

	if (host_parse(host, len, &h) < 0)
		return bad_name(host, err);
	if (h.is_ip)
		return take_address(host, len, p, err);
	p->kind = HOST_EXACT;
	memcpy(p->text, h.name, strlen(h.name) + 1);
	return 0;
}

/* A name with a star in it: each side is a name of its own. */
static int take_star(const char *host, size_t len, const char *star, struct host_pattern *p,
		     struct berm_err *err)
{
	size_t at = (size_t)(star - host);
	const char *rest = star + 1;
	size_t rest_len = len - at - 1;
	char before[HOST_MAX + 1], after[HOST_MAX + 1];
	int n;

	if (memchr(rest, '*', rest_len) || rest_len < 2 || rest[0] != '.' ||
	    (at && (at < 2 || star[-1] != '.')))
		return bad_star(host, err);
	if (rest[rest_len - 1] == '.')
		rest_len--;
	n = host_name_normalise(rest + 1, rest_len - 1, after);
	if (n < 0 || host_ends_in_number(after, (size_t)n))
		return bad_name(host, err);
	if (at && host_name_normalise(host, at - 1, before) < 0)
		return bad_name(host, err);
	if (at + 2 + (size_t)n > HOST_MAX)
		return bad_name(host, err);
	p->kind = at ? HOST_MIDDLE : HOST_SUBDOMAINS;
	p->star = (uint16_t)at;
	if (at) {
		memcpy(p->text, before, at - 1);
		memcpy(p->text + at - 1, ".*", 2);
	}
	p->text[at ? at + 1 : 0] = '.';
	memcpy(p->text + (at ? at + 2 : 1), after, (size_t)n + 1);
	return 0;
}

static int take_name(const char *text, struct host_pattern *p, bool any_allowed,
		     struct berm_err *err)
{
	char host[PATTERN_TEXT_MAX];
	const char *star;
	int n;

	if (streq(text, "*")) {
		p->kind = HOST_ANY;
		p->text[0] = '*';
		if (any_allowed)
			return 0;
		err_set(err, -EINVAL, "\"*\" would allow every host");
		err_fix(err, "use network mode \"open\" (--net open), or name the hosts");
		return -EINVAL;
	}
	n = host_to_ascii(text, host, sizeof(host));
	if (n < 0) {
		err_set(err, -EINVAL, "\"%s\" is not a name whose ASCII form is certain", text);
		err_fix(err,
			"write its ASCII form (xn--...), as a browser's address line copies it");
		return -EINVAL;
	}
	star = memchr(host, '*', (size_t)n);
	return star ? take_star(host, (size_t)n, star, p, err)
		    : take_exact(host, (size_t)n, p, err);
}

/* ---- parsing ------------------------------------------------------------ */

static int take_bracketed(const char *text, struct host_pattern *p, struct berm_err *err)
{
	const char *end = strchr(text, ']');
	int r;

	if (!end || (end[1] && end[1] != ':') || !memchr(text, ':', (size_t)(end - text))) {
		err_set(err, -EINVAL, "\"%s\": only IPv6 addresses stand in brackets", text);
		err_fix(err, "write [2001:db8::7]:443");
		return -EINVAL;
	}
	r = take_address(text + 1, (size_t)(end - text - 1), p, err);
	return r < 0 || !end[1] ? r : take_ports(end + 2, p, err);
}

static int not_a_url(const char *text, const char *scheme_end, struct berm_err *err)
{
	const char *host = scheme_end + 3;

	err_set(err, -EINVAL, "\"%s\" is a URL, not a host", text);
	err_fix(err, "write the host alone: %.*s", (int)strcspn(host, "/?#@"), host);
	return -EINVAL;
}

int host_pattern_parse(const char *text, bool any_allowed, struct host_pattern *ret,
		       struct berm_err *err)
{
	struct host_pattern p = { .kind = HOST_EXACT };
	const char *scheme = strstr(text, "://"), *colon = strchr(text, ':');
	char host[PATTERN_TEXT_MAX];
	int r;

	if (!*text || strlen(text) >= sizeof(host)) {
		err_set(err, -EINVAL, "a host of %zu bytes", strlen(text));
		err_fix(err, "write a name such as example.com");
		return -EINVAL;
	}
	if (scheme)
		return not_a_url(text, scheme, err);
	if (text[0] == '[') {
		r = take_bracketed(text, &p, err);
	} else if (colon && strchr(colon + 1, ':')) {
		r = take_address(text, strlen(text), &p, err);
	} else {
		(void)snprintf(host, sizeof(host), "%.*s",
			       (int)(colon ? colon - text : (ptrdiff_t)strlen(text)), text);
		r = strchr(host, '/') ? take_address(host, strlen(host), &p, err)
				      : take_name(host, &p, any_allowed, err);
		if (r >= 0 && colon)
			r = take_ports(colon + 1, &p, err);
	}
	if (r < 0)
		return r;
	p.len = (uint16_t)strlen(p.text);
	*ret = p;
	return 0;
}

int host_port_parse(const char *text, uint16_t default_port, struct host *ret, uint16_t *ret_port,
		    struct berm_err *err)
{
	const char *colon = strrchr(text, ':'), *s;
	struct host_pattern p;
	size_t len = strlen(text);
	bool has_port = colon && (text[0] == '[' ? colon[-1] == ']' : strchr(text, ':') == colon);
	uint16_t n = default_port;
	int r;

	/* An address in any spelling first: patterns want the usual one. */
	if (has_port) {
		s = colon + 1;
		len = (size_t)(colon - text);
		if (port(&s, &n) < 0 || *s)
			n = 0;
	}
	if (n && host_parse(text, len, ret) == 0) {
		*ret_port = n;
		return 0;
	}
	r = host_pattern_parse(text, false, &p, err);
	if (r < 0)
		return r;
	if (p.kind != HOST_EXACT || p.port_from != p.port_to) {
		err_set(err, -EINVAL, "\"%s\" stands for more than one host or port", text);
		err_fix(err, "write one host, and one port: example.com:443");
		return -EINVAL;
	}
	if (p.is_ip)
		host_from_ip(&p.net, ret);
	else if (host_parse(p.text, strlen(p.text), ret) < 0)
		return bad_name(text, err);
	*ret_port = p.port_from ? p.port_from : default_port;
	return 0;
}

void host_pattern_text(const struct host_pattern *p, char *dst, size_t size)
{
	bool brackets = p->port_from && p->net.v6 && (p->is_ip || p->kind == HOST_CIDR);
	char prefix[8] = "", ports[16] = "";

	if (p->kind == HOST_CIDR)
		(void)snprintf(prefix, sizeof(prefix), "/%u", p->prefix);
	if (p->port_from && p->port_from == p->port_to)
		(void)snprintf(ports, sizeof(ports), ":%u", p->port_from);
	else if (p->port_from)
		(void)snprintf(ports, sizeof(ports), ":%u-%u", p->port_from, p->port_to);
	(void)snprintf(dst, size, "%s%s%s%s%s%s", brackets ? "[" : "",
		       p->kind == HOST_SUBDOMAINS ? "*" : "", p->text, prefix, brackets ? "]" : "",
		       ports);
}

void host_pattern_of_list(const char *text, struct host_pattern *ret)
{
	const char *star = strchr(text, '*');
	const char *from = star == text ? text + 1 : text;

	ret->kind = !star ? HOST_EXACT : star == text ? HOST_SUBDOMAINS : HOST_MIDDLE;
	ret->star = star ? (uint16_t)(star - text) : 0;
	ret->len = (uint16_t)strnlen(from, HOST_MAX);
	memcpy(ret->text, from, ret->len);
	ret->text[ret->len] = '\0';
}

/* ---- matching ----------------------------------------------------------- */

static bool ends_with(const char *name, size_t len, const char *tail, size_t tail_len)
{
	return len > tail_len && memcmp(name + len - tail_len, tail, tail_len) == 0;
}

static bool middle_match(const struct host_pattern *p, const char *name, size_t len)
{
	size_t tail_len = p->len - p->star - 1u;

	if (len <= p->star + tail_len || memcmp(name, p->text, p->star) != 0 ||
	    !ends_with(name, len, p->text + p->star + 1, tail_len))
		return false;
	return !memchr(name + p->star, '.', len - tail_len - p->star);
}

bool host_pattern_match_len(const struct host_pattern *p, const struct host *h, size_t len,
			    uint16_t port)
{
	if (p->port_from && (port < p->port_from || port > p->port_to))
		return false;
	switch (p->kind) {
	case HOST_ANY:
		return true;
	case HOST_CIDR:
		return h->is_ip && ip_within(&h->ip, &p->net, p->prefix);
	case HOST_EXACT:
		if (p->is_ip || h->is_ip)
			return p->is_ip && h->is_ip && ip_within(&h->ip, &p->net, p->prefix);
		return len == p->len && memcmp(h->name, p->text, len) == 0;
	case HOST_SUBDOMAINS:
		return !h->is_ip && ends_with(h->name, len, p->text, p->len);
	case HOST_MIDDLE:
		return !h->is_ip && middle_match(p, h->name, len);
	}
	return false;
}

bool host_pattern_match(const struct host_pattern *p, const struct host *h, uint16_t port)
{
	return host_pattern_match_len(p, h, strlen(h->name), port);
}

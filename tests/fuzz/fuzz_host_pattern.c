/* SPDX-License-Identifier: Apache-2.0 */
/* Input: pattern, NUL, host. What must hold for every pattern and host. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "policy/host.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int ok)
{
	if (!ok)
		abort();
}

/* A host reads back as itself, and what it says of itself is so. */
static void check_host(const struct host *h)
{
	struct host again;
	struct ip_addr ip = h->ip;
	const char *guard;

	must(strlen(h->name) <= HOST_MAX);
	must(host_parse(h->name, strlen(h->name), &again) == 0);
	must(streq(again.name, h->name) && again.is_ip == h->is_ip);
	for (const char *c = h->name; *c; c++)
		must(!(*c >= 'A' && *c <= 'Z') && *c > ' ' && *c < 0x7f);
	if (!h->is_ip)
		return;
	must(memcmp(&again.ip, &ip, sizeof(ip)) == 0);
	guard = ip_guard(&ip);
	must(!guard || *guard);
}

static void check_pattern(const char *text, const struct host *h)
{
	struct host_pattern p, again, any;
	struct berm_err err = { 0 };
	char canonical[HOST_PATTERN_TEXT];
	struct host named;
	uint16_t port;

	if (host_pattern_parse(text, false, &p, &err) < 0) {
		must(err.code < 0 && err.msg[0] && err.fix[0]);
		return;
	}
	must(host_pattern_parse(text, true, &any, &err) == 0);
	must(memcmp(&p, &any, sizeof(p)) == 0);
	must(p.len == strlen(p.text) && p.len <= HOST_MAX && p.port_from <= p.port_to);
	host_pattern_text(&p, canonical, sizeof(canonical));
	must(host_pattern_parse(canonical, false, &again, &err) == 0);
	must(memcmp(&p, &again, sizeof(p)) == 0);
	if (host_port_parse(text, 443, &named, &port, &err) == 0 && p.kind == HOST_EXACT)
		must(host_pattern_match(&p, &named, port));
	if (h && host_pattern_match(&p, h, 443)) {
		must(!p.port_from || (p.port_from <= 443 && p.port_to >= 443));
		must(p.kind == HOST_CIDR || p.is_ip == h->is_ip);
		if (p.kind == HOST_EXACT)
			must(streq(p.text, h->name));
		if (p.kind == HOST_SUBDOMAINS)
			must(str_ends(h->name, p.text) && strlen(h->name) > p.len);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_free_ char *text = NULL;
	const char *host;
	size_t host_len;
	struct host h;
	bool parsed;

	if (size > 4096)
		return 0;
	text = malloc(size + 1);
	must(text != NULL);
	memcpy(text, data, size);
	text[size] = '\0';
	host = strlen(text) < size ? text + strlen(text) + 1 : text + size;
	host_len = (size_t)(text + size - host);
	parsed = host_parse(host, host_len, &h) == 0;
	if (parsed)
		check_host(&h);
	check_pattern(text, parsed ? &h : NULL);
	return 0;
}

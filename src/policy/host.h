/* SPDX-License-Identifier: Apache-2.0 */
/* Host names, addresses and the patterns over them (SPEC N2). One matcher for every
 * way out: the gate, DNS, both proxies, "berm why connect". Pure; never allocates. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define HOST_MAX 253 /* RFC 1035 2.3.4, as text without the trailing dot */

struct ip_addr {
	uint8_t v6;	   /* 0: the first 4 bytes, 1: all 16 */
	uint8_t bytes[16]; /* network order; an IPv4-mapped address is kept as IPv4 */
};

/* A normalised host: lower case, A-labels, no trailing dot; or an address. */
struct host {
	bool is_ip;
	struct ip_addr ip;
	char name[HOST_MAX + 1]; /* of an address: its canonical text (RFC 5952) */
};

/* Bytes from anywhere (hostile). Accepts names and IP literals in every spelling that some
 * resolver accepts (inet_aton(3): hex, octal, short, one number; [v6]; v4-mapped).
 * -EINVAL: neither. ret is untouched then. */
int host_parse(const char *text, size_t len, struct host *ret);

/* Address from struct sockaddr's bytes. */
void host_from_ip(const struct ip_addr *ip, struct host *ret);
/* Canonical text; dst of at least 46 bytes. */
void ip_text(const struct ip_addr *ip, char *dst, size_t size);

enum host_pattern_kind { HOST_EXACT, HOST_SUBDOMAINS, HOST_MIDDLE, HOST_CIDR, HOST_ANY };

/* What is compared first stands first: the rules of a run fill more than the nearest cache. */
struct host_pattern {
	enum host_pattern_kind kind;
	uint16_t port_from, port_to; /* 0, 0: every port; else from <= to */
	uint16_t len;		     /* of text */
	uint16_t star;		     /* HOST_MIDDLE: offset of the star */
	bool is_ip;		     /* HOST_EXACT of an address */
	uint8_t prefix;
	struct ip_addr net;	 /* HOST_CIDR and addresses */
	char text[HOST_MAX + 1]; /* normalised; HOST_SUBDOMAINS: from the dot on (".example.com") */
};

/* "example.com", "*.example.com", "a.*.b.com", "10.0.0.0/8", "[::1]:443", "host:22",
 * "host:8000-8010", "*" (only where any is allowed; err says so otherwise). err names what is
 * wrong and what to write. */
int host_pattern_parse(const char *text, bool any_allowed, struct host_pattern *ret,
		       struct berm_err *err);
/* "HOST", "HOST:PORT", "[v6]:PORT" as a person writes it, for one connection; names in their
 * own script become A-labels. err says what is wrong. */
int host_port_parse(const char *text, uint16_t default_port, struct host *ret, uint16_t *ret_port,
		    struct berm_err *err);

/* Does p cover h and port? */
bool host_pattern_match(const struct host_pattern *p, const struct host *h, uint16_t port);

/* p as text that host_pattern_parse() reads back; dst of HOST_PATTERN_TEXT bytes. */
#define HOST_PATTERN_TEXT (HOST_MAX + 24)
void host_pattern_text(const struct host_pattern *p, char *dst, size_t size);

/* What keeps an address that an allowed NAME resolved to from being dialled, NULL when
 * nothing does: "loopback", "link-local", "private", "cloud metadata", ... The list is
 * data/address-ranges. Own interface addresses are the caller's to check. */
const char *ip_guard(const struct ip_addr *ip);
/* Only the ranges that no rule can open for a name: metadata, loopback, link-local, ... (all
 * but the private ones: RFC 1918, ULA, CGNAT). */
bool ip_guard_is_hard(const char *guard);

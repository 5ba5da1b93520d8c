/* SPDX-License-Identifier: Apache-2.0 */
/* policy/ only: the parts that host names and their patterns are made of. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/host.h"

/* An IPv4 address in any spelling of inet_aton(3). -EINVAL. */
int ip4_parse(const char *text, size_t len, struct ip_addr *ret);

/* An IPv6 address without brackets and zone; mapped ones become IPv4. -EINVAL. */
int ip6_parse(const char *text, size_t len, struct ip_addr *ret);

/* Does ip lie in the first prefix bits of net? Families never mix. */
bool ip_within(const struct ip_addr *ip, const struct ip_addr *net, unsigned prefix);

/* Is a bit of net set behind the first prefix bits? */
bool ip_has_host_bits(const struct ip_addr *net, unsigned prefix);

/* The IPv4 address that an IPv6 one carries to somewhere else (IPv4-compatible, translated,
 * NAT64, 6to4, Teredo, ISATAP). An IPv4 one carries none. */
bool ip_embedded(const struct ip_addr *ip, struct ip_addr *ret);

/* Lower-cases and checks a name of LDH labels and "_", without trailing dot. dst gets
 * HOST_MAX + 1 bytes at most. Returns its length or -EINVAL. */
int host_name_normalise(const char *text, size_t len, char *dst);

/* Is the name's last label one that some resolver takes for a number? */
bool host_ends_in_number(const char *name, size_t len);

/* host_pattern_match() for who knows the length of h->name. */
bool host_pattern_match_len(const struct host_pattern *p, const struct host *h, size_t len,
			    uint16_t port);

/* host_pattern_parse() of a line of data/: a name or one with a star, normalised already, without
 * ports. ret must be zero. */
void host_pattern_of_list(const char *text, struct host_pattern *ret);

/* A name that may hold UTF-8 to A-labels (RFC 3492, RFC 5891), where no table is needed to
 * be sure: letters of Latin, Greek and Cyrillic, Han, kana, Hangul. Returns the length, or
 * -EINVAL (no UTF-8, or not sure), -E2BIG. */
int host_to_ascii(const char *text, char *dst, size_t size);

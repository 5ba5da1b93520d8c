/* SPDX-License-Identifier: Apache-2.0 */
/* DNS inside the sandbox: one hostile query is read, one answer is built. Nothing is
 * asked of any server: names have synthetic addresses (egress/names.h). Pure, no heap.
 *
 * How a query is answered:
 *	rc = dns_parse(bytes, len, &q);
 *	rc < 0		say nothing
 *	rc > 0		dns_answer() with that rcode
 *	rc == 0		dns_fixed(&q, &reply) true: that reply, whatever the policy says;
 *			q.kind DNS_REVERSE: DNS_PTR with the name of q.addr, or NXDOMAIN;
 *			q.kind DNS_HOST: judge q.host; denied: NXDOMAIN, ede DNS_EDE_BLOCKED and a
 *			text; else dns_wants(&q) says which address to put in, or NODATA.
 *
 * Only A and AAAA have data. HTTPS and SVCB have none, so there are no ECH keys and no hint
 * of QUIC; MX, SRV, TXT, NS, SOA, CNAME and ANY of an allowed name have none either: what they
 * would say is the real zone's, and asking it would be a way out for data in names. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/host.h"

#define DNS_QUERY_MAX 4096  /* longer ones are FORMERR */
#define DNS_ANSWER_MAX 1232 /* no answer is longer */
#define DNS_UDP_MIN 512	    /* room of a client without EDNS */
#define DNS_TTL 30	    /* of every record: the name keeps its address for the session */
#define DNS_NAME_WIRE_MAX 255
#define DNS_TEXT_MAX 200 /* of an EDE text; longer ones are cut */

enum dns_type {
	DNS_A = 1,
	DNS_NS = 2,
	DNS_CNAME = 5,
	DNS_SOA = 6,
	DNS_PTR = 12,
	DNS_MX = 15,
	DNS_TXT = 16,
	DNS_AAAA = 28,
	DNS_SRV = 33,
	DNS_OPT = 41,
	DNS_SVCB = 64,
	DNS_HTTPS = 65,
	DNS_IXFR = 251,
	DNS_AXFR = 252,
	DNS_ANY = 255,
};

enum dns_rcode {
	DNS_NOERROR = 0,
	DNS_FORMERR = 1,
	DNS_SERVFAIL = 2,
	DNS_NXDOMAIN = 3,
	DNS_NOTIMP = 4,
	DNS_REFUSED = 5,
	DNS_BADVERS = 16,
};

#define DNS_EDE_NONE 0xffff
#define DNS_EDE_BLOCKED 15 /* RFC 8914 */

enum dns_kind {
	DNS_HOST,    /* host is set */
	DNS_REVERSE, /* PTR of addr */
	DNS_LOCAL,   /* localhost and below it: RFC 6761 */
	DNS_ROOT,    /* "." */
	DNS_ODD,     /* no host name can be spelt so: does not exist */
};

struct dns_query {
	uint16_t id;
	uint16_t qtype, qclass;
	uint16_t udp_size; /* what the client takes over UDP, at least DNS_UDP_MIN */
	bool rd, cd, edns, dnssec_ok;
	bool other_edns; /* not version 0 */
	uint8_t opcode;
	uint8_t kind;	     /* enum dns_kind */
	struct host host;    /* DNS_HOST, normalised */
	struct ip_addr addr; /* DNS_REVERSE */
	uint16_t question_len;
	/* The question as it was spelt (case kept: DNS 0x20), with type and class; empty when it
	 * could not be read. */
	uint8_t question[DNS_NAME_WIRE_MAX + 4];
};

struct dns_reply {
	uint16_t rcode;	  /* enum dns_rcode */
	uint16_t ede;	  /* DNS_EDE_NONE, or told to clients that speak EDNS */
	const char *text; /* of ede, NULL none */
	uint16_t type;	  /* 0: no data; DNS_A, DNS_AAAA: addr; DNS_PTR: name */
	struct ip_addr addr;
	const char *name;
};

#define DNS_REPLY_INIT ((struct dns_reply){ .ede = DNS_EDE_NONE })

/* One message (over TCP without its length). 0: a query to answer; above 0: answer with this
 * rcode; negative (-EBADMSG): a response, or too short to have an id: say nothing. ret is
 * always set. */
int dns_parse(const uint8_t *msg, size_t len, struct dns_query *ret);

/* Is the answer the same under every policy? Then ret is it. */
bool dns_fixed(const struct dns_query *q, struct dns_reply *ret);

/* DNS_A, DNS_AAAA or 0: which data a DNS_HOST query is answered with. */
uint16_t dns_wants(const struct dns_query *q);

/* Writes the answer; returns its length, never 0. size at least DNS_UDP_MIN: over UDP
 * q->udp_size (but not above DNS_ANSWER_MAX), over TCP DNS_ANSWER_MAX. What does not fit is
 * left out and TC is set. */
size_t dns_answer(const struct dns_query *q, const struct dns_reply *r, uint8_t *dst, size_t size);

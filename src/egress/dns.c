/* SPDX-License-Identifier: Apache-2.0 */
#include "egress/dns.h"

#include <errno.h>
#include <string.h>

#include "base/str.h"

/* Records that a query may carry beside its question: OPT, TSIG, a cookie's neighbours. */
#define ADDITIONAL_MAX 8

struct reader {
	const uint8_t *p;
	size_t len, pos;
};

static uint16_t get16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

/* The name at the reader's place, as labels. No compression: a question has nothing before
 * it to point to. */
static int skip_name(struct reader *r)
{
	size_t start = r->pos;

	for (;;) {
		uint8_t n;

		if (r->pos >= r->len)
			return -EBADMSG;
		n = r->p[r->pos++];
		if (n == 0)
			return r->pos - start > DNS_NAME_WIRE_MAX ? -EBADMSG : 0;
		if (n > 63 || n > r->len - r->pos)
			return -EBADMSG;
		r->pos += n;
	}
}

/* Owner of an additional record: labels, or labels and a pointer, which is not followed. */
static int skip_owner(struct reader *r)
{
	size_t start = r->pos;

	for (;;) {
		uint8_t n;

		if (r->pos >= r->len || r->pos - start > DNS_NAME_WIRE_MAX)
			return -EBADMSG;
		n = r->p[r->pos++];
		if (n == 0)
			return 0;
		if ((n & 0xc0) == 0xc0) {
			if (r->pos >= r->len)
				return -EBADMSG;
			r->pos++;
			return 0;
		}
		if (n > 63 || n > r->len - r->pos)
			return -EBADMSG;
		r->pos += n;
	}
}

/* "d.c.b.a" of "d.c.b.a.in-addr.arpa". */
static bool reverse4(const char *text, size_t len, struct ip_addr *ret)
{
	uint8_t b[4];
	size_t pos = 0;

	for (int i = 3; i >= 0; i--) {
		unsigned v = 0, digits = 0;

		while (pos < len && text[pos] >= '0' && text[pos] <= '9' && digits < 4) {
			v = v * 10 + (unsigned)(text[pos++] - '0');
			digits++;
		}
		if (digits == 0 || v > 255 || (digits > 1 && text[pos - digits] == '0'))
			return false;
		if (i > 0 && (pos >= len || text[pos++] != '.'))
			return false;
		b[i] = (uint8_t)v;
	}
	if (pos != len)
		return false;
	*ret = (struct ip_addr){ 0 };
	memcpy(ret->bytes, b, 4);
	return true;
}

static int nibble(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

/* 32 nibbles, lowest first, of "....ip6.arpa". */
static bool reverse6(const char *text, size_t len, struct ip_addr *ret)
{
	static const uint8_t mapped[12] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff };
	struct ip_addr ip = { .v6 = 1 };

	if (len != 63)
		return false;
	for (unsigned i = 0; i < 32; i++) {
		int v = nibble(text[2 * i]);
		unsigned at = 31 - i;

		if (v < 0 || (i < 31 && text[2 * i + 1] != '.'))
			return false;
		ip.bytes[at / 2] |= (uint8_t)(at % 2 ? v : v << 4);
	}
	*ret = ip;
	if (memcmp(ip.bytes, mapped, sizeof(mapped)) == 0) {
		*ret = (struct ip_addr){ 0 };
		memcpy(ret->bytes, ip.bytes + 12, 4);
	}
	return true;
}

static bool ends(const char *text, size_t len, const char *suffix)
{
	size_t n = strlen(suffix);

	return len > n && memcmp(text + len - n, suffix, n) == 0;
}

/* What is asked about. text: the name, lower case, without the last dot. */
static void classify(struct dns_query *q, const char *text, size_t len)
{
	if (q->qtype == DNS_PTR && ends(text, len, ".in-addr.arpa") &&
	    reverse4(text, len - strlen(".in-addr.arpa"), &q->addr)) {
		q->kind = DNS_REVERSE;
		return;
	}
	if (q->qtype == DNS_PTR && ends(text, len, ".ip6.arpa") &&
	    reverse6(text, len - strlen(".ip6.arpa"), &q->addr)) {
		q->kind = DNS_REVERSE;
		return;
	}
	if (streq(text, "localhost") || ends(text, len, ".localhost")) {
		q->kind = DNS_LOCAL;
		return;
	}
	/* A name that is an address ("127.0.0.1", "0x7f.1") is in no zone. */
	if (host_parse(text, len, &q->host) < 0 || q->host.is_ip)
		q->kind = DNS_ODD;
}

/* The labels as text. Bytes that no host name has (a dot inside a label, a NUL, ...) make the
 * name odd, so that no two spellings on the wire are one name in the policy. */
static void read_name(struct dns_query *q, const uint8_t *wire)
{
	char text[DNS_NAME_WIRE_MAX];
	size_t len = 0;

	q->kind = DNS_HOST;
	if (wire[0] == 0) {
		q->kind = DNS_ROOT;
		return;
	}
	for (const uint8_t *p = wire; *p; p += *p + 1) {
		if (len)
			text[len++] = '.';
		for (unsigned i = 1; i <= *p; i++) {
			if (p[i] <= ' ' || p[i] >= 0x7f || strchr(".\\:[]/%@", p[i])) {
				q->kind = DNS_ODD;
				return;
			}
			text[len++] = chr_lower((char)p[i]);
		}
	}
	text[len] = 0;
	classify(q, text, len);
}

/* One additional record. */
static int read_additional(struct reader *r, struct dns_query *q)
{
	size_t owner = r->pos;
	uint16_t type, rdlen;

	if (skip_owner(r) < 0 || r->len - r->pos < 10)
		return DNS_FORMERR;
	type = get16(r->p + r->pos);
	rdlen = get16(r->p + r->pos + 8);
	if (r->len - r->pos - 10 < rdlen)
		return DNS_FORMERR;
	if (type == DNS_OPT) {
		if (q->edns || r->p[owner] != 0) /* one, of the root: RFC 6891 6.1.1 */
			return DNS_FORMERR;
		q->edns = true;
		q->udp_size = get16(r->p + r->pos + 2);
		if (q->udp_size < DNS_UDP_MIN)
			q->udp_size = DNS_UDP_MIN;
		q->dnssec_ok = r->p[r->pos + 6] & 0x80;
		if (r->p[r->pos + 5] != 0)
			q->other_edns = true; /* told once all is read */
	}
	r->pos += 10u + rdlen;
	return 0;
}

static int read_sections(struct reader *r, struct dns_query *q, const uint8_t *head)
{
	size_t start = r->pos;
	uint16_t additional = get16(head + 10);
	int rc = 0;

	if (get16(head + 4) != 1 || skip_name(r) < 0 || r->len - r->pos < 4)
		return DNS_FORMERR;
	q->qtype = get16(r->p + r->pos);
	q->qclass = get16(r->p + r->pos + 2);
	r->pos += 4;
	q->question_len = (uint16_t)(r->pos - start);
	memcpy(q->question, r->p + start, q->question_len);
	if (get16(head + 6) || get16(head + 8) || additional > ADDITIONAL_MAX)
		return DNS_FORMERR;
	for (unsigned i = 0; i < additional && rc == 0; i++)
		rc = read_additional(r, q);
	if (rc == 0 && r->pos != r->len)
		rc = DNS_FORMERR;
	return rc;
}

int dns_parse(const uint8_t *msg, size_t len, struct dns_query *ret)
{
	struct reader r = { .p = msg, .len = len, .pos = 12 };
	int rc;

	*ret = (struct dns_query){ .udp_size = DNS_UDP_MIN, .kind = DNS_ODD };
	if (len < 12 || msg[2] & 0x80)
		return -EBADMSG;
	ret->id = get16(msg);
	ret->opcode = (msg[2] >> 3) & 15;
	ret->rd = msg[2] & 1;
	ret->cd = msg[3] & 0x10;
	if (ret->opcode != 0)
		return DNS_NOTIMP;
	if (len > DNS_QUERY_MAX || msg[2] & 2) /* TC: there is more of it than was sent */
		return DNS_FORMERR;
	rc = read_sections(&r, ret, msg);
	if (rc)
		return rc;
	if (ret->other_edns)
		return DNS_BADVERS;
	/* Transfers, and what is a question only between servers. */
	if (ret->qtype == DNS_AXFR || ret->qtype == DNS_IXFR)
		return DNS_REFUSED;
	if (ret->qclass != 1 || ret->qtype == 0 || ret->qtype == DNS_OPT ||
	    (ret->qtype >= 249 && ret->qtype <= 254))
		return DNS_NOTIMP;
	read_name(ret, ret->question);
	return 0;
}

bool dns_fixed(const struct dns_query *q, struct dns_reply *ret)
{
	struct dns_reply r = DNS_REPLY_INIT;

	switch (q->kind) {
	case DNS_ROOT:
		break;
	case DNS_ODD:
		r.rcode = DNS_NXDOMAIN;
		break;
	case DNS_LOCAL:
		r.type = dns_wants(q);
		r.addr.v6 = r.type == DNS_AAAA;
		if (r.addr.v6)
			r.addr.bytes[15] = 1;
		else
			memcpy(r.addr.bytes, (const uint8_t[]){ 127, 0, 0, 1 }, 4);
		break;
	default:
		return false;
	}
	*ret = r;
	return true;
}

uint16_t dns_wants(const struct dns_query *q)
{
	return q->qtype == DNS_A || q->qtype == DNS_AAAA ? q->qtype : 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Input: room for the answer (byte), policy's answer (byte), then a DNS message. */
#include <stdint.h>
#include <string.h>

#include "base/str.h"
#include "egress/dns.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int ok)
{
	if (!ok)
		abort();
}

/* The name says what the wire said, and nothing else. */
static void check_host(const struct dns_query *q)
{
	const uint8_t *p = q->question;
	const char *s = q->host.name;

	for (; *p; p += *p + 1) {
		if (p != q->question)
			must(*s++ == '.');
		for (unsigned i = 1; i <= *p; i++)
			must(*s++ == chr_lower((char)p[i]));
	}
	must(*s == 0 && s > q->host.name && !q->host.is_ip);
}

static void check_answer(const struct dns_query *q, const struct dns_reply *r, size_t room)
{
	uint8_t out[DNS_ANSWER_MAX];
	size_t n;
	bool truncated;

	memset(out, 0xa5, sizeof(out));
	n = dns_answer(q, r, out, room);
	must(n >= 12u + q->question_len && n <= room);
	must(memcmp(out + 12, q->question, q->question_len) == 0);
	must(out[2] & 0x80 && (out[3] & 15) == (r->rcode & 15));
	must(out[5] == (q->question_len ? 1 : 0) && out[11] == q->edns);
	truncated = out[2] & 2;
	must(out[7] == (r->type && q->question_len && !truncated ? 1 : 0));
	must(!truncated || room < 700);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dns_reply r = DNS_REPLY_INIT;
	struct dns_query q;
	size_t room;
	int rc;

	if (size < 2)
		return 0;
	rc = dns_parse(data + 2, size - 2, &q);
	must(rc <= DNS_BADVERS && q.question_len <= sizeof(q.question));
	if (rc < 0)
		return 0;
	room = DNS_UDP_MIN + (size_t)data[0] * 3;
	must(q.udp_size >= DNS_UDP_MIN);
	if (rc > 0) {
		r.rcode = (uint16_t)rc;
	} else if (dns_fixed(&q, &r)) {
		must(q.kind == DNS_LOCAL || q.kind == DNS_ROOT || q.kind == DNS_ODD);
	} else if (q.kind == DNS_REVERSE) {
		r.type = DNS_PTR;
		r.name = "a-name-of.some.length.example.com";
	} else {
		must(q.kind == DNS_HOST);
		check_host(&q);
		r.type = dns_wants(&q);
		if (data[1] & 1)
			r = (struct dns_reply){ .rcode = DNS_NXDOMAIN,
						.ede = DNS_EDE_BLOCKED,
						.text = "blocked" };
	}
	check_answer(&q, &r, room > DNS_ANSWER_MAX ? DNS_ANSWER_MAX : room);
	return 0;
}

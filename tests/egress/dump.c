/* SPDX-License-Identifier: Apache-2.0 */
/* dump dns|hello|again|retry|http: shows what the broker's readers make of messages, one line for
 * each. On stdin: length (4 bytes, high first) and message, repeated. For the differential tests.
 */
#include <stdint.h>
#include <string.h>

#include "base/str.h"
#include "egress/dns.h"
#include "egress/hello.h"
#include "egress/http.h"

/* rc kind name qtype edns answer */
static void dump_dns(const uint8_t *data, size_t len)
{
	struct dns_reply r = DNS_REPLY_INIT;
	uint8_t out[DNS_ANSWER_MAX];
	struct dns_query q;
	int rc = dns_parse(data, len, &q);
	char text[64] = "-";
	size_t n = 0;

	if (rc > 0) {
		r.rcode = (uint16_t)rc;
	} else if (rc == 0 && !dns_fixed(&q, &r)) {
		if (q.kind == DNS_REVERSE) {
			r.type = DNS_PTR;
			r.name = "name.example.com";
			ip_text(&q.addr, text, sizeof(text));
		} else if (str_starts(q.host.name, "deny.")) {
			r = (struct dns_reply){ .rcode = DNS_NXDOMAIN,
						.ede = DNS_EDE_BLOCKED,
						.text = "blocked by berm" };
		} else {
			r.type = dns_wants(&q);
			r.addr = (struct ip_addr){ .v6 = r.type == DNS_AAAA, .bytes = { 198, 18 } };
		}
	}
	if (rc >= 0)
		n = dns_answer(&q, &r, out,
			       q.udp_size > DNS_ANSWER_MAX ? DNS_ANSWER_MAX : q.udp_size);
	(void)printf("%d\t%d\t%s\t%u\t%d\t", rc, q.kind,
		     rc == 0 && q.kind == DNS_HOST ? q.host.name : text, q.qtype, q.edns);
	for (size_t i = 0; i < n; i++)
		(void)printf("%02x", out[i]);
	(void)printf("\n");
}

/* result name fed; again: the second hello of a handshake */
static void dump_hello(const uint8_t *data, size_t len, bool again)
{
	static const char *const results[] = { "more", "not-tls", "name", "no-name", "bad" };
	struct hello h;

	hello_init(&h, again);
	(void)hello_feed(&h, data, len);
	(void)printf("%s\t%s\t%u\n", results[h.result], h.host.name[0] ? h.host.name : "-", h.fed);
}

/* last step, bytes used, "METHOD host number-of-body-bytes" of each request */
static void dump_http(const uint8_t *data, size_t len)
{
	static const char *const steps[] = { "more",   "judge", "send", "wait",
					     "opaque", "h2",	"bad",	"done" };
	_cleanup_buf_ struct buf seen = BUF_INIT(1 << 20);
	struct http *h = NULL;
	enum http_step step;
	size_t used = 0, n, head = 0;
	bool any = false;

	if (http_new(HTTP_TRANSPARENT, 0, &h) < 0)
		abort();
	while ((step = http_next(h, data + used, len - used, &n)) <= HTTP_SEND &&
	       step != HTTP_MORE) {
		used += n;
		if (step == HTTP_JUDGE) {
			const struct http_request *q = http_request(h);

			if (any)
				(void)buf_addf(&seen, " %zu\t", used - n - head);
			(void)buf_addf(&seen, "%s %s", q->method, q->has_host ? q->host.name : "-");
			head = used;
			any = true;
			http_accept(h);
		}
	}
	if (any)
		(void)buf_addf(&seen, " %zu", used - head);
	(void)printf("%s\t%zu\t%s\n", used == len && step == HTTP_MORE ? "all" : steps[step], used,
		     seen.data ? seen.data : "");
	http_free(h);
}

int main(int argc, char **argv)
{
	uint8_t size[4];

	if (argc != 2)
		return 2;
	while (fread(size, 1, 4, stdin) == 4) {
		size_t len = (size_t)size[0] << 24 | (size_t)size[1] << 16 | (size_t)size[2] << 8 |
			     size[3];
		_cleanup_free_ uint8_t *data = malloc(len + 1);

		if (!data || fread(data, 1, len, stdin) != len)
			return 1;
		if (streq(argv[1], "dns"))
			dump_dns(data, len);
		else if (streq(argv[1], "hello") || streq(argv[1], "again"))
			dump_hello(data, len, argv[1][0] == 'a');
		else if (streq(argv[1], "retry"))
			(void)printf("%d\n", hello_retry_asked(data, len));
		else
			dump_http(data, len);
	}
	return 0;
}

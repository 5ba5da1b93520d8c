/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/str.h"
#include "egress/dns.h"

struct msg {
	uint8_t b[DNS_QUERY_MAX + 64];
	size_t len;
};

static void add(struct msg *m, const void *data, size_t n)
{
	assert_true(m->len + n <= sizeof(m->b));
	memcpy(m->b + m->len, data, n);
	m->len += n;
}

static void add16(struct msg *m, unsigned v)
{
	add(m, (const uint8_t[]){ (uint8_t)(v >> 8), (uint8_t)v }, 2);
}

static void add_name(struct msg *m, const char *name)
{
	while (*name) {
		size_t n = strcspn(name, ".");

		add(m, &(uint8_t){ (uint8_t)n }, 1);
		add(m, name, n);
		name += n + (name[n] == '.');
	}
	add(m, "", 1);
}

static struct msg query(const char *name, unsigned type)
{
	struct msg m = { .len = 0 };

	add(&m, "\xab\xcd\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00", 12);
	add_name(&m, name);
	add16(&m, type);
	add16(&m, 1);
	return m;
}

static void add_opt(struct msg *m, unsigned size)
{
	m->b[11]++;
	add(m, "\0\0\x29", 3);
	add16(m, size);
	add(m, "\0\0\x80\0\0\0", 6);
}

static int parse(const struct msg *m, struct dns_query *q)
{
	/* A copy of just that length: a read past the end is seen by the sanitizer. */
	_cleanup_free_ uint8_t *exact = malloc(m->len ? m->len : 1);

	memcpy(exact, m->b, m->len);
	return dns_parse(exact, m->len, q);
}

/* ---- queries ------------------------------------------------------------ */

static const struct {
	const char *name;
	unsigned type;
	enum dns_kind kind;
	const char *what; /* host, or address of the reverse */
} named[] = {
	{ "example.com", DNS_A, DNS_HOST, "example.com" },
	{ "ExAmPlE.cOm", DNS_AAAA, DNS_HOST, "example.com" },
	{ "_sip._tcp.example.com", DNS_SRV, DNS_HOST, "_sip._tcp.example.com" },
	{ "xn--bcher-kva.example", DNS_HTTPS, DNS_HOST, "xn--bcher-kva.example" },
	{ "host", DNS_A, DNS_HOST, "host" },
	{ "", DNS_NS, DNS_ROOT, NULL },
	{ "localhost", DNS_A, DNS_LOCAL, NULL },
	{ "foo.LocalHost", DNS_AAAA, DNS_LOCAL, NULL },
	{ "notlocalhost", DNS_A, DNS_HOST, "notlocalhost" },
	/* Addresses are no names: nothing may be resolved to them a second time. */
	{ "127.0.0.1", DNS_A, DNS_ODD, NULL },
	{ "169.254.169.254", DNS_A, DNS_ODD, NULL },
	{ "2130706433", DNS_A, DNS_ODD, NULL },
	{ "0x7f.1", DNS_A, DNS_ODD, NULL },
	{ "a b.com", DNS_A, DNS_ODD, NULL },
	{ "a/b.com", DNS_A, DNS_ODD, NULL },
	{ "b\xfc"
	  "cher.de",
	  DNS_A, DNS_ODD, NULL },
	{ "a\\.com", DNS_A, DNS_ODD, NULL },
	{ "[::1]", DNS_A, DNS_ODD, NULL },
	{ "1.2.0.192.in-addr.arpa", DNS_PTR, DNS_REVERSE, "192.0.2.1" },
	{ "1.2.0.192.IN-ADDR.ARPA", DNS_PTR, DNS_REVERSE, "192.0.2.1" },
	{ "1.2.0.192.in-addr.arpa", DNS_A, DNS_HOST, "1.2.0.192.in-addr.arpa" },
	{ "01.2.0.192.in-addr.arpa", DNS_PTR, DNS_HOST, "01.2.0.192.in-addr.arpa" },
	{ "2.0.192.in-addr.arpa", DNS_PTR, DNS_HOST, "2.0.192.in-addr.arpa" },
	{ "255.0.0.192.in-addr.arpa", DNS_PTR, DNS_REVERSE, "192.0.0.255" },
	{ "1.2.0.192.7.in-addr.arpa", DNS_PTR, DNS_HOST, "1.2.0.192.7.in-addr.arpa" },
	{ "1.2.0.192x.in-addr.arpa", DNS_PTR, DNS_HOST, "1.2.0.192x.in-addr.arpa" },
	{ "1.2.0x192.in-addr.arpa", DNS_PTR, DNS_HOST, "1.2.0x192.in-addr.arpa" },
	{ "256.2.0.192.in-addr.arpa", DNS_PTR, DNS_HOST, "256.2.0.192.in-addr.arpa" },
	{ "b.a.9.8.7.6.5.0.4.0.0.0.3.0.0.0.2.0.0.0.1.0.0.0.0.0.0.0.1.2.3.4.ip6.arpa", DNS_PTR,
	  DNS_REVERSE, "4321:0:1:2:3:4:567:89ab" },
	{ "b.b.a.9.8.7.6.5.0.4.0.0.0.3.0.0.0.2.0.0.0.1.0.0.0.0.0.0.0.1.2.3.4.ip6.arpa", DNS_PTR,
	  DNS_HOST, "b.b.a.9.8.7.6.5.0.4.0.0.0.3.0.0.0.2.0.0.0.1.0.0.0.0.0.0.0.1.2.3.4.ip6.arpa" },
	{ "a.9.8.7.6.5.0.4.0.0.0.3.0.0.0.2.0.0.0.1.0.0.0.0.0.0.0.1.2.3.4.ip6.arpa", DNS_PTR,
	  DNS_HOST, "a.9.8.7.6.5.0.4.0.0.0.3.0.0.0.2.0.0.0.1.0.0.0.0.0.0.0.1.2.3.4.ip6.arpa" },
	{ "b.g.9.8.7.6.5.0.4.0.0.0.3.0.0.0.2.0.0.0.1.0.0.0.0.0.0.0.1.2.3.4.ip6.arpa", DNS_PTR,
	  DNS_HOST, "b.g.9.8.7.6.5.0.4.0.0.0.3.0.0.0.2.0.0.0.1.0.0.0.0.0.0.0.1.2.3.4.ip6.arpa" },
	{ "ba.a.9.8.7.6.5.0.4.0.0.0.3.0.0.0.2.0.0.0.1.0.0.0.0.0.0.0.1.2.3.4.ip6.arpa", DNS_PTR,
	  DNS_HOST, "ba.a.9.8.7.6.5.0.4.0.0.0.3.0.0.0.2.0.0.0.1.0.0.0.0.0.0.0.1.2.3.4.ip6.arpa" },
	{ "bba.9.8.7.6.5.0.4.0.0.0.3.0.0.0.2.0.0.0.1.0.0.0.0.0.0.0.1.2.3.4.ip6.arpa", DNS_PTR,
	  DNS_HOST, "bba.9.8.7.6.5.0.4.0.0.0.3.0.0.0.2.0.0.0.1.0.0.0.0.0.0.0.1.2.3.4.ip6.arpa" },
	{ "b.a.9.8.7.6.5.0.4.0.0.0.3.0.0.0.2.0.0.0.1.0.0.0.0.0.0.0.1.2.3.4.ip6.arpa", DNS_A,
	  DNS_HOST, "b.a.9.8.7.6.5.0.4.0.0.0.3.0.0.0.2.0.0.0.1.0.0.0.0.0.0.0.1.2.3.4.ip6.arpa" },
	{ "1.0.0.0.0.0.f.7.f.f.f.f.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.ip6.arpa", DNS_PTR,
	  DNS_REVERSE, "127.0.0.1" },
};

static void test_names(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(named); i++) {
		struct msg m = query(named[i].name, named[i].type);
		struct dns_query q;
		char text[64];

		print_message("# %s\n", named[i].name);
		assert_int_equal(parse(&m, &q), 0);
		assert_int_equal(q.kind, named[i].kind);
		assert_int_equal(q.qtype, named[i].type);
		assert_int_equal(q.id, 0xabcd);
		assert_true(q.rd && !q.edns);
		if (q.kind == DNS_HOST) {
			assert_string_equal(q.host.name, named[i].what);
		} else if (q.kind == DNS_REVERSE) {
			ip_text(&q.addr, text, sizeof(text));
			assert_string_equal(text, named[i].what);
		}
	}
}

/* What the wire can say and text cannot: each of these was a name for some reader. */
static void test_label_bytes(void **state)
{
	static const char *const labels[] = { "\x07"
					      "a.b.com",
					      "\x03"
					      "a\0b",
					      "\x03"
					      "a\nb",
					      "\x01 " };

	for (size_t i = 0; i < ARRAY_SIZE(labels); i++) {
		struct msg m = { .len = 0 };
		struct dns_query q;

		add(&m, "\0\1\1\0\0\1\0\0\0\0\0\0", 12);
		add(&m, labels[i], 1 + (size_t)labels[i][0]);
		add(&m, "\0", 1);
		add16(&m, DNS_A);
		add16(&m, 1);
		assert_int_equal(parse(&m, &q), 0);
		assert_int_equal(q.kind, DNS_ODD);
	}
}

static const struct {
	const char *what, *bytes;
	size_t len;
	int rc;
} raw[] = {
#define R(what, bytes, rc)                         \
	{                                          \
		what, bytes, sizeof(bytes) - 1, rc \
	}
#define Q "\1a\0\0\1\0\1"
#define H(flags, qd, an, ns, ar) "\0\7" flags "\0" qd "\0" an "\0" ns "\0" ar
	R("nothing", "", -EBADMSG),
	R("eleven bytes", "\0\7\1\0\0\1\0\0\0\0\0", -EBADMSG),
	R("a response", H("\x81\0", "\1", "\0", "\0", "\0") Q, -EBADMSG),
	R("good", H("\1\0", "\1", "\0", "\0", "\0") Q, 0),
	R("only a head", H("\1\0", "\1", "\0", "\0", "\0"), DNS_FORMERR),
	R("no question", H("\1\0", "\0", "\0", "\0", "\0"), DNS_FORMERR),
	R("two questions", H("\1\0", "\2", "\0", "\0", "\0") Q Q, DNS_FORMERR),
	R("an answer in it", H("\1\0", "\1", "\1", "\0", "\0") Q, DNS_FORMERR),
	R("an authority in it", H("\1\0", "\1", "\0", "\1", "\0") Q, DNS_FORMERR),
	R("bytes behind", H("\1\0", "\1", "\0", "\0", "\0") Q "x", DNS_FORMERR),
	R("cut in the name", H("\1\0", "\1", "\0", "\0", "\0") "\5ab", DNS_FORMERR),
	R("cut in the type", H("\1\0", "\1", "\0", "\0", "\0") "\1a\0\0\1", DNS_FORMERR),
	R("pointer", H("\1\0", "\1", "\0", "\0", "\0") "\xc0\x0c\0\1\0\1", DNS_FORMERR),
	R("label of 64", H("\1\0", "\1", "\0", "\0", "\0") "\x40\0\1\0\1", DNS_FORMERR),
	R("label type 10", H("\1\0", "\1", "\0", "\0", "\0") "\x80\0\1\0\1", DNS_FORMERR),
	R("truncated", H("\3\0", "\1", "\0", "\0", "\0") Q, DNS_FORMERR),
	R("status", H("\x11\0", "\1", "\0", "\0", "\0") Q, DNS_NOTIMP),
	R("update", H("\x29\0", "\1", "\0", "\0", "\0") Q, DNS_NOTIMP),
	R("chaos", H("\1\0", "\1", "\0", "\0", "\0") "\1a\0\0\x10\0\3", DNS_NOTIMP),
	R("transfer", H("\1\0", "\1", "\0", "\0", "\0") "\1a\0\0\xfc\0\1", DNS_REFUSED),
	R("OPT as question", H("\1\0", "\1", "\0", "\0", "\0") "\1a\0\0\x29\0\1", DNS_NOTIMP),
	R("TKEY", H("\1\0", "\1", "\0", "\0", "\0") "\1a\0\0\xf9\0\1", DNS_NOTIMP),
#define OPT(v) "\0\0\x29\x10\0\0" v "\0\0\0\0"
	R("OPT", H("\1\0", "\1", "\0", "\0", "\1") Q OPT("\0"), 0),
	R("OPT version 1", H("\1\0", "\1", "\0", "\0", "\1") Q OPT("\1"), DNS_BADVERS),
	R("two OPTs", H("\1\0", "\1", "\0", "\0", "\2") Q OPT("\0") OPT("\0"), DNS_FORMERR),
	R("OPT missing", H("\1\0", "\1", "\0", "\0", "\1") Q, DNS_FORMERR),
	R("OPT not counted", H("\1\0", "\1", "\0", "\0", "\0") Q OPT("\0"), DNS_FORMERR),
	R("OPT of a name", H("\1\0", "\1", "\0", "\0", "\1") Q "\1a" OPT("\0"), DNS_FORMERR),
	R("OPT cut", H("\1\0", "\1", "\0", "\0", "\1") Q "\0\0\x29\x10\0\0\0\0\0\0\x01",
	  DNS_FORMERR),
	R("TSIG beside", H("\1\0", "\1", "\0", "\0", "\1") Q "\1k\0\0\xfa\0\xff\0\0\0\0\0\1x", 0),
#define TSIG "\0\0\xfa\0\xff\0\0\0\0\0\0"
	R("eight additional",
	  H("\1\0", "\1", "\0", "\0", "\x08") Q TSIG TSIG TSIG TSIG TSIG TSIG TSIG TSIG, 0),
	R("owner is a pointer",
	  H("\1\0", "\1", "\0", "\0", "\1") Q "\xc0\x0c\0\xfa\0\xff\0\0\0\0\0\0", 0),
	R("owner with a pointer",
	  H("\1\0", "\1", "\0", "\0", "\1") Q "\1k\xc0\x0c\0\xfa\0\xff\0\0\0\0\0\0", 0),
	R("owner is half a pointer", H("\1\0", "\1", "\0", "\0", "\1") Q "\xc0", DNS_FORMERR),
	R("owner of label type 01", H("\1\0", "\1", "\0", "\0", "\1") Q "\x41" TSIG, DNS_FORMERR),
	R("owner cut", H("\1\0", "\1", "\0", "\0", "\1") Q "\x0bxxxxxxxxxx", DNS_FORMERR),
	R("data longer than the message",
	  H("\1\0", "\1", "\0", "\0", "\1") Q "\0\0\xfa\0\xff\0\0\0\0\0\2x", DNS_FORMERR),
	R("nine additional", H("\1\0", "\1", "\0", "\0", "\x09") Q, DNS_FORMERR),
};

static void test_raw(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(raw); i++) {
		struct msg m = { .len = 0 };
		struct dns_query q;

		print_message("# %s\n", raw[i].what);
		add(&m, raw[i].bytes, raw[i].len);
		assert_int_equal(parse(&m, &q), raw[i].rc);
	}
}

static void test_longest(void **state)
{
	static const char l63[] = "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijk";
	_cleanup_free_ char *fits = str_printf("%s.%s.%s.%.61s", l63, l63, l63, l63);
	_cleanup_free_ char *over = str_printf("%s.%s.%s.%.62s", l63, l63, l63, l63);
	struct msg m = query(fits, DNS_A);
	struct dns_query q;

	assert_int_equal(strlen(fits), HOST_MAX);
	assert_int_equal(parse(&m, &q), 0);
	assert_string_equal(q.host.name, fits);
	m = query(over, DNS_A);
	assert_int_equal(parse(&m, &q), DNS_FORMERR);

	m = query("a.example", DNS_A);
	add_opt(&m, 100);
	assert_int_equal(parse(&m, &q), 0);
	assert_int_equal(q.udp_size, DNS_UDP_MIN);
	m.len = sizeof(m.b);
	assert_int_equal(parse(&m, &q), DNS_FORMERR);
}

/* ---- answers ------------------------------------------------------------ */

static unsigned get16(const uint8_t *p)
{
	return (unsigned)(p[0] << 8 | p[1]);
}

static void test_address(void **state)
{
	struct dns_reply r = DNS_REPLY_INIT;
	uint8_t out[DNS_ANSWER_MAX];
	struct msg m = query("ExAmple.com", DNS_A);
	struct dns_query q;
	size_t n;

	parse(&m, &q);
	assert_int_equal(dns_wants(&q), DNS_A);
	r.type = DNS_A;
	memcpy(r.addr.bytes, "\xc6\x12\x05\x06", 4);
	n = dns_answer(&q, &r, out, q.udp_size);
	assert_int_equal(n, m.len + 16);
	assert_memory_equal(out, "\xab\xcd\x81\x80\0\1\0\1\0\0\0\0", 12);
	/* The question as it was spelt. */
	assert_memory_equal(out + 12, m.b + 12, m.len - 12);
	assert_memory_equal(out + m.len, "\xc0\x0c\0\1\0\1\0\0\0\x1e\0\4\xc6\x12\x05\x06", 16);

	m = query("example.com", DNS_AAAA);
	add_opt(&m, 1400);
	parse(&m, &q);
	assert_true(q.edns && q.dnssec_ok && q.udp_size == 1400);
	r.type = DNS_AAAA;
	r.addr = (struct ip_addr){ .v6 = 1, .bytes = { 0xfd, [15] = 9 } };
	n = dns_answer(&q, &r, out, q.udp_size);
	assert_int_equal(n, m.len + 28);
	assert_int_equal(get16(out + 10), 1);
	assert_memory_equal(out + n - 11, "\0\0\x29\x04\xd0\0\0\x80\0\0\0", 11);
}

static void test_pointer(void **state)
{
	struct dns_reply r = DNS_REPLY_INIT;
	uint8_t out[DNS_ANSWER_MAX];
	struct msg m = query("6.5.18.198.in-addr.arpa", DNS_PTR);
	struct dns_query q;
	size_t n;

	parse(&m, &q);
	r.type = DNS_PTR;
	r.name = "www.example.com";
	n = dns_answer(&q, &r, out, DNS_UDP_MIN);
	assert_int_equal(n, m.len + 12 + 17);
	assert_memory_equal(out + m.len + 10, "\0\x11\3www\7example\3com\0", 19);
}

static void test_blocked(void **state)
{
	struct dns_reply r = DNS_REPLY_INIT;
	uint8_t out[DNS_ANSWER_MAX];
	struct msg m = query("evil.example", DNS_A);
	struct dns_query q;
	size_t n;

	r.rcode = DNS_NXDOMAIN;
	r.ede = DNS_EDE_BLOCKED;
	r.text = "blocked by berm";
	parse(&m, &q);
	n = dns_answer(&q, &r, out, q.udp_size);
	assert_int_equal(n, m.len); /* no EDNS, no text */
	assert_int_equal(out[3] & 15, DNS_NXDOMAIN);
	assert_int_equal(get16(out + 6), 0);

	add_opt(&m, 512);
	parse(&m, &q);
	n = dns_answer(&q, &r, out, q.udp_size);
	assert_int_equal(n, m.len + 4 + 2 + 15);
	assert_memory_equal(out + m.len - 2, "\0\x15\0\x0f\0\x11\0\x0f", 8);
	assert_memory_equal(out + n - 15, "blocked by berm", 15);

	r.text = NULL;
	n = dns_answer(&q, &r, out, q.udp_size);
	assert_int_equal(n, m.len + 6);
	assert_memory_equal(out + m.len - 2, "\0\6\0\x0f\0\2\0\x0f", 8);

	/* Version of EDNS: the high bits of the code are in OPT. */
	r = DNS_REPLY_INIT;
	r.rcode = DNS_BADVERS;
	n = dns_answer(&q, &r, out, q.udp_size);
	assert_int_equal(out[3] & 15, 0);
	assert_int_equal(out[n - 6], 1);
}

static void test_text_gives_way(void **state)
{
	char text[DNS_TEXT_MAX + 100];
	struct dns_reply r = { .rcode = DNS_NXDOMAIN, .ede = DNS_EDE_BLOCKED, .text = text };
	struct msg m = query("evil.example", DNS_A);
	uint8_t out[DNS_ANSWER_MAX];
	struct dns_query q;

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = 0;
	add_opt(&m, 512);
	parse(&m, &q);
	assert_int_equal(dns_answer(&q, &r, out, 512), m.len + 6 + DNS_TEXT_MAX);
	for (size_t size = m.len; size < m.len + 40; size++) {
		size_t n = dns_answer(&q, &r, out, size);

		assert_true(n >= m.len && n <= size);
		assert_int_equal(out[2] & 2, 0);
		assert_int_equal(get16(out + m.len - 2), n - m.len);
	}
}

static void test_truncated(void **state)
{
	char name[HOST_MAX + 1];
	struct dns_reply r = { .ede = DNS_EDE_NONE, .type = DNS_PTR, .name = name };
	struct msg m = query("6.5.18.198.in-addr.arpa", DNS_PTR);
	uint8_t out[DNS_ANSWER_MAX];
	struct dns_query q;

	for (size_t i = 0; i < HOST_MAX; i++)
		name[i] = i % 50 == 49 ? '.' : 'a';
	name[HOST_MAX] = 0;
	parse(&m, &q);
	assert_int_equal(dns_answer(&q, &r, out, 200), m.len);
	assert_int_equal(out[2] & 2, 2);
	assert_int_equal(get16(out + 6), 0);
	/* The longest there is needs no TC. */
	assert_true(dns_answer(&q, &r, out, DNS_UDP_MIN) > m.len);
	assert_int_equal(out[2] & 2, 0);
}

static void test_errors_are_answered(void **state)
{
	struct dns_reply r = { .rcode = DNS_FORMERR, .ede = DNS_EDE_NONE, .type = DNS_A };
	uint8_t out[DNS_ANSWER_MAX];
	struct msg m = { .len = 0 };
	struct dns_query q;

	add(&m, "\x12\x34\x01\x10\0\2\0\0\0\0\0\0", 12);
	assert_int_equal(parse(&m, &q), DNS_FORMERR);
	assert_int_equal(dns_answer(&q, &r, out, q.udp_size), 12);
	assert_memory_equal(out, "\x12\x34\x81\x91\0\0\0\0\0\0\0\0", 12);

	m.b[2] = 0x28;
	assert_int_equal(parse(&m, &q), DNS_NOTIMP);
	r.rcode = DNS_NOTIMP;
	assert_int_equal(dns_answer(&q, &r, out, q.udp_size), 12);
	assert_int_equal(out[2], 0xa8);
}

static void test_fixed(void **state)
{
	struct dns_reply r;
	struct dns_query q;
	struct msg m = query("localhost", DNS_A);

	parse(&m, &q);
	assert_true(dns_fixed(&q, &r));
	assert_int_equal(r.type, DNS_A);
	assert_memory_equal(r.addr.bytes, "\x7f\0\0\1", 4);
	m = query("x.localhost", DNS_AAAA);
	parse(&m, &q);
	assert_true(dns_fixed(&q, &r) && r.type == DNS_AAAA && r.addr.v6 && r.addr.bytes[15] == 1);
	m = query("localhost", DNS_MX);
	parse(&m, &q);
	assert_true(dns_fixed(&q, &r) && r.type == 0 && r.rcode == 0);
	m = query("10.0.0.1", DNS_A);
	parse(&m, &q);
	assert_true(dns_fixed(&q, &r) && r.rcode == DNS_NXDOMAIN);
	m = query("", DNS_NS);
	parse(&m, &q);
	assert_true(dns_fixed(&q, &r) && r.rcode == DNS_NOERROR && r.type == 0);
	m = query("example.com", DNS_A);
	parse(&m, &q);
	assert_false(dns_fixed(&q, &r));
	m = query("1.0.0.10.in-addr.arpa", DNS_PTR);
	parse(&m, &q);
	assert_false(dns_fixed(&q, &r));
}

static void test_wants(void **state)
{
	static const uint16_t none[] = { DNS_NS,  DNS_CNAME, DNS_SOA,	DNS_MX, DNS_TXT,
					 DNS_SRV, DNS_SVCB,  DNS_HTTPS, DNS_ANY };

	for (size_t i = 0; i < ARRAY_SIZE(none); i++)
		assert_int_equal(dns_wants(&(struct dns_query){ .qtype = none[i] }), 0);
	assert_int_equal(dns_wants(&(struct dns_query){ .qtype = DNS_AAAA }), DNS_AAAA);
}

/* ---- every input up to a length ----------------------------------------- */

/* The question of an accepted query, read by the letter of RFC 1035: one name, no
 * pointer, at most 255 bytes, nothing behind but what the counts say. */
static bool reference_accepts(const uint8_t *p, size_t len)
{
	size_t i = 12, total = 0;

	while (i < len && p[i]) {
		if (p[i] > 63)
			return false;
		total += p[i] + 1u;
		i += p[i] + 1u;
	}
	return i < len && total + 1 <= 255 && i + 5 == len;
}

static void test_exhaustive(void **state)
{
	static const uint8_t alphabet[] = { 0, 1, 2, 3, 'a', '.', 0xc0, 0xff };
	enum { TAIL = 7 };
	uint8_t b[12 + TAIL] = { 0, 7, 1, 0, 0, 1 };
	size_t total = 0;

	for (size_t tail = 0; tail <= TAIL; tail++) {
		size_t combos = 1;

		for (size_t i = 0; i < tail; i++)
			combos *= ARRAY_SIZE(alphabet);
		for (size_t c = 0; c < combos; c++, total++) {
			struct dns_reply r = { .ede = DNS_EDE_NONE, .type = DNS_A };
			uint8_t out[DNS_ANSWER_MAX];
			struct dns_query q;
			size_t rest = c, n;
			int rc;

			for (size_t i = 0; i < tail; i++, rest /= ARRAY_SIZE(alphabet))
				b[12 + i] = alphabet[rest % ARRAY_SIZE(alphabet)];
			rc = dns_parse(b, 12 + tail, &q);
			if ((rc == DNS_FORMERR) == reference_accepts(b, 12 + tail))
				fail_msg("rc %d for combination %zu of %zu bytes", rc, c, tail);
			n = dns_answer(&q, &r, out, DNS_UDP_MIN);
			if (n < 12u + q.question_len || memcmp(out + 12, b + 12, q.question_len))
				fail_msg("answer of combination %zu of %zu bytes", c, tail);
		}
	}
	print_message("# %zu messages\n", total);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),	   cmocka_unit_test(test_label_bytes),
		cmocka_unit_test(test_raw),	   cmocka_unit_test(test_longest),
		cmocka_unit_test(test_address),	   cmocka_unit_test(test_pointer),
		cmocka_unit_test(test_blocked),	   cmocka_unit_test(test_text_gives_way),
		cmocka_unit_test(test_truncated),  cmocka_unit_test(test_errors_are_answered),
		cmocka_unit_test(test_fixed),	   cmocka_unit_test(test_wants),
		cmocka_unit_test(test_exhaustive),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

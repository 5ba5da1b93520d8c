/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts and addresses in every spelling, patterns over them, and a slow matcher beside. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <string.h>

#include "base/str.h"
#include "policy/data.h"
#include "policy/host_impl.h"
#include "host_slow.h"

static void parse(const char *text, struct host *h)
{
	if (host_parse(text, strlen(text), h) < 0)
		fail_msg("refused: %s", text);
}

/* ---- spellings ---------------------------------------------------------- */

static const struct {
	const char *text, *name;
	bool is_ip;
} spellings[] = {
	{ "example.com", "example.com", false },
	{ "EXAMPLE.Com.", "example.com", false },
	{ "xn--bcher-kva.de", "xn--bcher-kva.de", false },
	{ "a_b.example-1.com", "a_b.example-1.com", false },
	{ "1e100.net", "1e100.net", false },
	{ "127.0.0.1.nip.io", "127.0.0.1.nip.io", false },
	{ "localhost", "localhost", false },
	{ "0xg.com", "0xg.com", false },
	{ "127.0.0.1", "127.0.0.1", true },
	{ "127.0.0.1.", "127.0.0.1", true },
	{ "127.1", "127.0.0.1", true },
	{ "127.0.1", "127.0.0.1", true },
	{ "2130706433", "127.0.0.1", true },
	{ "0x7f000001", "127.0.0.1", true },
	{ "0X7F.1", "127.0.0.1", true },
	{ "0177.0.0.01", "127.0.0.1", true },
	{ "017700000001", "127.0.0.1", true },
	{ "0xa9.0xfe.0xa9.0xfe", "169.254.169.254", true },
	{ "2852039166", "169.254.169.254", true },
	{ "169.16689662", "169.254.169.254", true },
	{ "0", "0.0.0.0", true },
	{ "4294967295", "255.255.255.255", true },
	{ "::1", "::1", true },
	{ "[::1]", "::1", true },
	{ "[0:0:0:0:0:0:0:1]", "::1", true },
	{ "::ffff:127.0.0.1", "127.0.0.1", true },
	{ "[::FFFF:7f00:1]", "127.0.0.1", true },
	{ "0:0:0:0:0:ffff:169.254.169.254", "169.254.169.254", true },
	{ "2001:DB8::00a:0", "2001:db8::a:0", true },
	{ "::127.0.0.1", "::7f00:1", true },
	{ "64:ff9b::169.254.169.254", "64:ff9b::a9fe:a9fe", true },
};

static void test_spellings(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(spellings); i++) {
		struct host h;

		parse(spellings[i].text, &h);
		if (!streq(h.name, spellings[i].name) || h.is_ip != spellings[i].is_ip)
			fail_msg("%s: %s", spellings[i].text, h.name);
	}
}

static void test_hostile(void **state)
{
	static const char *const bad[] = {
		"",
		".",
		"..",
		".com",
		"a..b",
		"a.com..",
		"-oProxyCommand=x",
		"a b",
		"a\tb",
		"a/b",
		"a@b",
		"a:b",
		"a%00b",
		"\xc3\xbc.de",
		"a,b",
		"*",
		"*.com",
		"[example.com]",
		"[::1",
		"::1]",
		"[]",
		"[127.0.0.1]",
		"1.2.3.4.5",
		"256.0.0.1",
		"1.2.3.256",
		"1.2.65536",
		"1.16777216",
		"4294967296",
		"08.0.0.1",
		"09",
		"0x",
		"1.0x",
		"0x7g.0.0.1.0x",
		"1..2",
		"1.2.3.4 ",
		"foo.123",
		"foo.0x1f",
		":::",
		"1:2:3:4:5:6:7",
		"1:2:3:4:5:6:7:8:9",
		"1::2::3",
		"12345::",
		"::1%lo",
		"fe80::1%25eth0",
		"::1.2.3",
		"::1.2.3.256",
		"::01.2.3.4",
		"1.2.3.4::",
		":1::",
		"1:2:3:4:5:6:7:8::",
		"g::",
		"a.b.c.d.e.f.\n",
	};
	char label[80], name[300];
	struct host h = { .name = "kept" };

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		if (host_parse(bad[i], strlen(bad[i]), &h) != -EINVAL)
			fail_msg("taken: %s as %s", bad[i], h.name);
	assert_int_equal(host_parse("a\0b", 3, &h), -EINVAL);
	assert_string_equal(h.name, "kept");
	/* a label of 63 bytes, a name of 253, and one more each */
	memset(label, 'a', sizeof(label));
	assert_int_equal(host_parse(label, 63, &h), 0);
	assert_int_equal(host_parse(label, 64, &h), -EINVAL);
	for (size_t i = 0; i < sizeof(name); i++)
		name[i] = i % 50 == 49 ? '.' : 'a';
	assert_int_equal(host_parse(name, 253, &h), 0);
	assert_int_equal(strlen(h.name), 253);
	assert_int_equal(host_parse(name, 254, &h), -EINVAL);
	name[253] = '.';
	assert_int_equal(host_parse(name, 254, &h), 0);
}

/* Against the C library, on random bytes that look like addresses. */
static void test_against_libc(void **state)
{
	static const char v6[] = "0123456789aAfF:::::..", v4[] = "0012789xXafa....";
	struct prng p = { 42 };
	unsigned both = 0;

	for (unsigned i = 0; i < 400000; i++) {
		bool six = i & 1;
		const char *alphabet = six ? v6 : v4;
		char text[48];
		size_t n = 1 + prng_below(&p, six ? 20 : 14);
		struct in6_addr want6;
		struct in_addr want4;
		struct ip_addr got;
		int ok, r;

		for (size_t k = 0; k < n; k++)
			text[k] = alphabet[prng_below(&p, (unsigned)strlen(alphabet))];
		text[n] = '\0';
		ok = six ? inet_pton(AF_INET6, text, &want6) == 1 : inet_aton(text, &want4);
		r = six ? ip6_parse(text, n, &got) : ip4_parse(text, n, &got);
		if (ok != (r == 0))
			fail_msg("%s: libc %d, berm %d", text, ok, r);
		if (!ok)
			continue;
		both++;
		if (got.v6)
			assert_memory_equal(got.bytes, &want6, 16);
		else
			assert_memory_equal(
				got.bytes,
				six ? (const uint8_t *)&want6 + 12 : (const uint8_t *)&want4, 4);
	}
	assert_true(both > 5000);
}

static void test_text(void **state)
{
	struct prng p = { 7 };

	for (unsigned i = 0; i < 200000; i++) {
		struct ip_addr ip = { .v6 = i & 1 }, back;
		char got[46], want[46];

		for (int k = 0; k < (ip.v6 ? 16 : 4); k++)
			ip.bytes[k] = prng_below(&p, 3) ? 0 : (uint8_t)prng_below(&p, 256);
		if (ip.v6)
			ip.bytes[0] |= 0x20; /* else libc writes some in dots */
		ip_text(&ip, got, sizeof(got));
		assert_non_null(
			inet_ntop(ip.v6 ? AF_INET6 : AF_INET, ip.bytes, want, sizeof(want)));
		assert_string_equal(got, want);
		assert_int_equal(ip.v6 ? ip6_parse(got, strlen(got), &back)
				       : ip4_parse(got, strlen(got), &back),
				 0);
		assert_memory_equal(&back, &ip, sizeof(ip));
	}
}

/* ---- where addresses lead ----------------------------------------------- */

static const char *guard_of(const char *text)
{
	struct host h;

	parse(text, &h);
	assert_true(h.is_ip);
	return ip_guard(&h.ip);
}

static const struct {
	const char *text, *guard;
	bool hard;
} guards[] = {
	{ "169.254.169.254", "cloud metadata", true },
	{ "169.254.170.2", "cloud metadata", true },
	{ "169.254.169.253", "link local", true },
	{ "100.100.100.200", "cloud metadata", true },
	{ "168.63.129.16", "cloud metadata", true },
	{ "192.0.0.192", "cloud metadata", true },
	{ "fd00:ec2::254", "cloud metadata", true },
	{ "fd20:ce::254", "cloud metadata", true },
	{ "127.0.0.1", "loopback", true },
	{ "127.255.255.255", "loopback", true },
	{ "::1", "loopback", true },
	{ "0.0.0.0", "this host", true },
	{ "0.255.255.255", "this host", true },
	{ "::", "this host", true },
	{ "fe80::1", "link local", true },
	{ "febf::1", "link local", true },
	{ "fec0::1", "reserved", true },
	{ "224.0.0.1", "multicast", true },
	{ "239.255.255.255", "multicast", true },
	{ "240.0.0.1", "reserved", true },
	{ "255.255.255.255", "reserved", true },
	{ "ff02::1", "multicast", true },
	{ "198.18.0.1", "reserved", true },
	{ "198.19.255.255", "reserved", true },
	{ "192.0.0.1", "reserved", true },
	{ "10.0.0.1", "private", false },
	{ "172.16.0.1", "private", false },
	{ "172.31.255.255", "private", false },
	{ "192.168.1.1", "private", false },
	{ "fc00::1", "private", false },
	{ "fdff::1", "private", false },
	{ "fd62:6572:6d01::5", "reserved", true },
	{ "100.64.0.1", "carrier private", false },
	{ "100.127.255.255", "carrier private", false },
	/* an IPv4 address inside */
	{ "64:ff9b::10.0.0.1", "private", false },
	{ "64:ff9b::169.254.169.254", "cloud metadata", true },
	{ "64:ff9b::127.0.0.1", "loopback", true },
	{ "2002:7f00:1::", "loopback", true },
	{ "2002:a9fe:a9fe::1", "cloud metadata", true },
	{ "2002:c0a8:101::1", "private", false },
	{ "2001:db8::5efe:10.0.0.1", "private", false },
	{ "2001:db8::200:5efe:127.0.0.1", "loopback", true },
	{ "fd00::5efe:169.254.169.254", "cloud metadata", true },
	{ "2001:0:4136:e378::1", "reserved", true },
	{ "::10.0.0.1", "reserved", true },
	{ "::ffff:0:10.0.0.1", "reserved", true },
	/* open ones, many right beside a range */
	{ "9.255.255.255", NULL, false },
	{ "11.0.0.0", NULL, false },
	{ "1.1.1.1", NULL, false },
	{ "126.255.255.255", NULL, false },
	{ "128.0.0.0", NULL, false },
	{ "172.15.255.255", NULL, false },
	{ "172.32.0.0", NULL, false },
	{ "192.167.255.255", NULL, false },
	{ "192.169.0.0", NULL, false },
	{ "169.253.255.255", NULL, false },
	{ "169.255.0.0", NULL, false },
	{ "198.17.255.255", NULL, false },
	{ "198.20.0.0", NULL, false },
	{ "223.255.255.255", NULL, false },
	{ "100.63.255.255", NULL, false },
	{ "100.128.0.0", NULL, false },
	{ "2606:4700::1111", NULL, false },
	{ "2001:4860:4860::8888", NULL, false },
	{ "64:ff9b::8.8.8.8", NULL, false },
	{ "2002:808:808::1", NULL, false },
};

static void test_guard(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(guards); i++) {
		const char *g = guard_of(guards[i].text);

		if (!g != !guards[i].guard || (g && !streq(g, guards[i].guard)))
			fail_msg("%s: %s", guards[i].text, g ? g : "open");
		if (g)
			assert_int_equal(ip_guard_is_hard(g), guards[i].hard);
	}
}

/* Every range of the list: its first and its last address. */
static void test_ranges(void **state)
{
	for (size_t i = 0; i < data_address_ranges_n; i++) {
		const struct data_range *r = &data_address_ranges[i];
		struct ip_addr ip = { .v6 = r->v6 };

		memcpy(ip.bytes, r->bytes, 16);
		assert_false(ip_has_host_bits(&ip, r->prefix));
		assert_non_null(ip_guard(&ip));
		for (unsigned bit = r->prefix; bit < (r->v6 ? 128u : 32u); bit++)
			ip.bytes[bit / 8] |= (uint8_t)(0x80u >> bit % 8);
		assert_non_null(ip_guard(&ip));
		assert_true(ip_guard_is_hard(r->group) == r->hard);
	}
	assert_true(data_address_ranges_n > 30);
	assert_true(ip_guard_is_hard("a name that is not there"));
}

/* ---- patterns ----------------------------------------------------------- */

static const struct {
	const char *text, *canonical;
} patterns[] = {
	{ "example.com", "example.com" },
	{ "Example.COM.", "example.com" },
	{ "*.example.com", "*.example.com" },
	{ "*.example.com.:443", "*.example.com:443" },
	{ "api.*.example.com:8000-8010", "api.*.example.com:8000-8010" },
	{ "*.com", "*.com" },
	{ "host:22", "host:22" },
	{ "host:22-22", "host:22" },
	{ "10.0.0.0/8", "10.0.0.0/8" },
	{ "0.0.0.0/0", "0.0.0.0/0" },
	{ "10.0.0.0/8:443", "10.0.0.0/8:443" },
	{ "192.0.2.7:22", "192.0.2.7:22" },
	{ "::1", "::1" },
	{ "[::1]", "::1" },
	{ "[::1]:443", "[::1]:443" },
	{ "2001:db8::/32", "2001:db8::/32" },
	{ "[2001:DB8::/32]:1-65535", "[2001:db8::/32]:1-65535" },
	{ "::/0", "::/0" },
	{ "::ffff:10.0.0.1", "10.0.0.1" },
	{ "b\xc3\xbc"
	  "cher.de",
	  "xn--bcher-kva.de" },
	{ "*.M\xc3\x9cNCHEN.example:443", "*.xn--mnchen-3ya.example:443" },
	/* RFC 3492 7.1 (A), (G), (I) */
	{ "\xe4\xbb\x96\xe4\xbb\xac\xe4\xb8\xba\xe4\xbb\x80\xe4\xb9\x88\xe4\xb8\x8d\xe8\xaf\xb4\xe4\xb8"
	  "\xad\xe6\x96\x87",
	  "xn--ihqwcrb4cv8a8dqg056pqjye" },
	{ "\xe3\x81\xaa\xe3\x81\x9c\xe3\x81\xbf\xe3\x82\x93\xe3\x81\xaa\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa"
	  "\x9e\xe3\x82\x92\xe8\xa9\xb1\xe3\x81\x97\xe3\x81\xa6\xe3\x81\x8f\xe3\x82\x8c\xe3\x81\xaa\xe3"
	  "\x81\x84\xe3\x81\xae\xe3\x81\x8b",
	  "xn--n8jok5ay5dzabd5bym9f0cm5685rrjetr6pdxa" },
	{ "\xd0\xbf\xd0\xbe\xd1\x87\xd0\xb5\xd0\xbc\xd1\x83\xd0\xb6\xd0\xb5\xd0\xbe\xd0\xbd\xd0\xb8\xd0\xbd\xd0\xb5\xd0\xb3\xd0\xbe\xd0\xb2\xd0\xbe\xd1\x80\xd1\x8f\xd1\x82\xd0\xbf\xd0\xbe\xd1\x80\xd1\x83\xd1\x81\xd1\x81\xd0\xba\xd0\xb8",
	  "xn--b1abfaaepdrnnbgefbadotcwatmq2g4l" },
};

static void test_patterns(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(patterns); i++) {
		struct host_pattern p, again;
		struct berm_err err = { 0 };
		char text[HOST_PATTERN_TEXT];

		if (host_pattern_parse(patterns[i].text, false, &p, &err) < 0)
			fail_msg("%s: %s", patterns[i].text, err.msg);
		host_pattern_text(&p, text, sizeof(text));
		assert_string_equal(text, patterns[i].canonical);
		assert_int_equal(host_pattern_parse(text, false, &again, &err), 0);
		assert_memory_equal(&p, &again, sizeof(p));
	}
}

static const struct {
	const char *text, *says;
} mistakes[] = {
	{ "", "0 bytes" },
	{ "*", "--net open" },
	{ "*:443", "--net open" },
	{ "**.example.com", "*.example.com" },
	{ "*.*.example.com", "one \"*\"" },
	{ "foo*.com", "one \"*\"" },
	{ "*foo.com", "one \"*\"" },
	{ "a.*", "one \"*\"" },
	{ "a.*.", "one \"*\"" },
	{ "*.", "one \"*\"" },
	{ ".*.com", "one \"*\"" },
	{ "a.b*.com", "one \"*\"" },
	{ "*.1", "not the name" },
	{ "*.0x1f", "not the name" },
	{ "*.1.2.3.4", "not the name" },
	{ "*..com", "not the name" },
	{ "-a.com", "not the name" },
	{ "a b", "not the name" },
	{ "https://example.com/x", "write the host alone: example.com" },
	{ "example.com/x", "without a path" },
	{ "example.com:", "not a port" },
	{ "example.com:0", "not a port" },
	{ "example.com:65536", "not a port" },
	{ "example.com:9-8", "not a port" },
	{ "example.com:1-", "not a port" },
	{ "example.com:http", "not a port" },
	{ "example.com:443x", "not a port" },
	{ "10.0.0.1/8", "bits behind the prefix" },
	{ "10.0.0.0/33", "length of a prefix" },
	{ "10.0.0.0/08", "length of a prefix" },
	{ "10.0.0.0/", "length of a prefix" },
	{ "10.0.0.0/8/8", "length of a prefix" },
	{ "2001:db8::/129", "length of a prefix" },
	{ "::ffff:10.0.0.0/104", "length of a prefix" },
	{ "010.0.0.1", "write 8.0.0.1" },
	{ "127.1", "write 127.0.0.1" },
	{ "0x7f.1/32", "write 127.0.0.1" },
	{ "1.2.3.4.5", "not the name" },
	{ "[example.com]", "only IPv6" },
	{ "[::1", "only IPv6" },
	{ "[::1]x", "only IPv6" },
	{ "[1.2.3.4]", "only IPv6" },
	{ "::1:443x", "neither a host nor a network" },
	{ "stra\xc3\x9f"
	  "e.de",
	  "xn--" },
	{ "a\xcc\x88.de", "xn--" },
	{ "\xf0\x9f\x98\x80.de", "xn--" },
	{ "\xff.de", "xn--" },
	{ "\xc3", "xn--" },
	{ "ab--\xc3\xa4.de", "xn--" },
};

static void test_mistakes(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(mistakes); i++) {
		struct host_pattern p = { .len = 77 };
		struct berm_err err = { 0 };

		if (host_pattern_parse(mistakes[i].text, false, &p, &err) >= 0)
			fail_msg("taken: %s", mistakes[i].text);
		assert_int_equal(p.len, 77);
		assert_true(err.fix[0]);
		if (!strstr(err.msg, mistakes[i].says) && !strstr(err.fix, mistakes[i].says))
			fail_msg("%s: %s (%s)", mistakes[i].text, err.msg, err.fix);
	}
}

static const struct {
	const char *pattern, *host;
	unsigned port;
	bool hit;
} matches[] = {
	{ "example.com", "example.com", 443, true },
	{ "example.com", "www.example.com", 443, false },
	{ "example.com", "notexample.com", 443, false },
	{ "example.com:22", "example.com", 443, false },
	{ "example.com:440-443", "example.com", 443, true },
	{ "example.com:440-442", "example.com", 443, false },
	{ "*.example.com", "example.com", 443, false },
	{ "*.example.com", "a.example.com", 443, true },
	{ "*.example.com", "a.b.c.example.com", 443, true },
	{ "*.example.com", "aexample.com", 443, false },
	{ "*.example.com", "example.com.evil.org", 443, false },
	{ "api.*.b.com", "api.x.b.com", 443, true },
	{ "api.*.b.com", "api.x.y.b.com", 443, false },
	{ "api.*.b.com", "api.b.com", 443, false },
	{ "api.*.b.com", "xapi.x.b.com", 443, false },
	{ "a.a.*.a.a", "a.a.a.a", 443, false },
	{ "a.a.*.a.a", "a.a.a.a.a", 443, true },
	{ "10.0.0.0/8", "10.255.0.1", 443, true },
	{ "10.0.0.0/8", "0xa.1", 443, true },
	{ "10.0.0.0/8", "::ffff:10.1.2.3", 443, true },
	{ "10.0.0.0/8", "11.0.0.0", 443, false },
	{ "10.0.0.0/8", "10.com", 443, false },
	{ "0.0.0.0/0", "::1", 443, false },
	{ "::/0", "1.2.3.4", 443, false },
	{ "2001:db8::/33", "2001:db8:7fff::1", 443, true },
	{ "2001:db8::/33", "2001:db8:8000::1", 443, false },
	{ "*.com", "1.2.3.4", 443, false },
	{ "1.2.3.4", "16909060", 443, true },
};

static void test_matches(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(matches); i++) {
		struct host_pattern p;
		struct berm_err err = { 0 };
		struct host h;

		parse(matches[i].host, &h);
		assert_int_equal(host_pattern_parse(matches[i].pattern, false, &p, &err), 0);
		if (host_pattern_match(&p, &h, (uint16_t)matches[i].port) != matches[i].hit)
			fail_msg("%s, %s", matches[i].pattern, matches[i].host);
	}
}

/* ---- the slow matcher --------------------------------------------------- */

static void test_slow(void **state)
{
	struct prng r = { 11 };
	unsigned hits = 0;

	for (unsigned i = 0; i < 500000; i++) {
		char pattern[64], name[64];
		struct host_pattern p;
		struct host h;
		bool hit;

		random_name(&r, pattern, i & 1);
		random_name(&r, name, false);
		parse(name, &h);
		if (host_pattern_parse(pattern, false, &p, NULL) < 0) {
			/* only a star alone or as the last label */
			assert_true(pattern[strlen(pattern) - 1] == '*');
			continue;
		}
		hit = host_pattern_match(&p, &h, 443);
		if (hit != slow_names(pattern, name))
			fail_msg("%s, %s: %d", pattern, name, hit);
		hits += hit;
	}
	if (hits < 5000)
		fail_msg("only %u hits", hits);
}

/* ---- all short inputs ---------------------------------------------------- */

/* The n-th string over the alphabet: shorter ones first. */
static void nth(const char *alphabet, unsigned n, char *dst)
{
	unsigned base = (unsigned)strlen(alphabet), len = 0, all = 1;

	while (n >= all) {
		n -= all;
		all *= base;
		len++;
	}
	for (unsigned i = 0; i < len; i++) {
		dst[i] = alphabet[n % base];
		n /= base;
	}
	dst[len] = '\0';
}

static unsigned count(const char *alphabet, unsigned len)
{
	unsigned n = 0, all = 1;

	for (unsigned i = 0; i <= len; i++, all *= (unsigned)strlen(alphabet))
		n += all;
	return n;
}

/* Is it a name, or a pattern where stars is set? One label after the other, as N2 says it. */
static bool slow_valid(const char *text, bool stars)
{
	size_t len = strlen(text);
	unsigned seen = 0;

	if (len > 1 && text[len - 1] == '.')
		len--;
	for (size_t i = 0; i <= len;) {
		size_t n = 0;

		while (i + n < len && text[i + n] != '.')
			n++;
		if (!n)
			return false;
		if (memchr(text + i, '*', n)) {
			/* alone, the only one, and not the last */
			if (!stars || n != 1 || seen++ || i + n == len)
				return false;
		}
		i += n + 1;
	}
	return true;
}

static void drop_dot(char *name)
{
	size_t len = strlen(name);

	if (len > 1 && name[len - 1] == '.')
		name[len - 1] = '\0';
}

/* Every pattern of up to 5 bytes against every host of up to 6. */
static void test_all_short(void **state)
{
	unsigned patterns_n = count("ab.*", 5), hosts_n = count("ab.", 6), hits = 0, hosts = 0;
	static struct host all[2000];

	assert_true(hosts_n < ARRAY_SIZE(all));
	for (unsigned i = 0; i < hosts_n; i++) {
		char text[16];
		struct host h;
		bool ok;

		nth("ab.", i, text);
		ok = host_parse(text, strlen(text), &h) == 0;
		if (ok != slow_valid(text, false))
			fail_msg("host \"%s\": %d", text, ok);
		drop_dot(text);
		if (ok) {
			assert_string_equal(h.name, text);
			all[hosts++] = h;
		}
	}
	for (unsigned i = 0; i < patterns_n; i++) {
		struct host_pattern p;
		char text[16];
		bool ok;

		nth("ab.*", i, text);
		ok = host_pattern_parse(text, false, &p, NULL) >= 0;
		if (ok != slow_valid(text, true))
			fail_msg("pattern \"%s\": %d", text, ok);
		drop_dot(text);
		for (unsigned k = 0; ok && k < hosts; k++) {
			bool hit = host_pattern_match(&p, &all[k], 443);

			if (hit != slow_names(text, all[k].name))
				fail_msg("%s, %s: %d", text, all[k].name, hit);
			hits += hit;
		}
	}
	assert_true(hosts > 300 && hits > 300);
}

/* Every text of up to 7 bytes over a few that matter, against the C library. */
static void test_all_addresses(void **state)
{
	for (unsigned i = 0; i < count("01f:.", 7); i++) {
		struct in6_addr want;
		struct ip_addr got;
		char text[16];

		nth("01f:.", i, text);
		if ((inet_pton(AF_INET6, text, &want) == 1) !=
		    (ip6_parse(text, strlen(text), &got) == 0))
			fail_msg("%s", text);
	}
	for (unsigned i = 0; i < count("01x8.", 7); i++) {
		struct in_addr want;
		struct ip_addr got;
		char text[16];
		int ok;

		nth("01x8.", i, text);
		ok = inet_aton(text, &want);
		if (ok != (ip4_parse(text, strlen(text), &got) == 0))
			fail_msg("%s", text);
		if (ok)
			assert_memory_equal(got.bytes, &want, 4);
	}
}

/* The lines of data/ are compiled the short way: it gives the same. */
static void test_lists(void **state)
{
	const struct data_list *lists[64];
	size_t n = 0, lines = 0;

	for (size_t i = 0; i < data_domain_groups_n; i++)
		lists[n++] = data_domain_groups[i].list;
	lists[n++] = &data_domains_deny;
	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < lists[i]->n; j++) {
			const char *text = data_text(lists[i], j);
			struct host_pattern p, quick = { 0 };
			struct berm_err err = { 0 };

			if (host_pattern_parse(text, false, &p, &err) < 0)
				fail_msg("%s:%u: %s", lists[i]->file, data_at(lists[i], j).line,
					 err.msg);
			host_pattern_of_list(text, &quick);
			if (memcmp(&p, &quick, sizeof(p)) != 0)
				fail_msg("%s: \"%s\" is not written as it is compared",
					 lists[i]->file, text);
			lines++;
		}
	}
	assert_true(lines > 200);
}

static void test_host_port(void **state)
{
	static const struct {
		const char *text, *name;
		unsigned port;
	} good[] = {
		{ "example.com", "example.com", 443 },
		{ "Example.com:22", "example.com", 22 },
		{ "2130706433:80", "127.0.0.1", 80 },
		{ "[::1]:8080", "::1", 8080 },
		{ "::1", "::1", 443 },
		{ "1::2:3", "1::2:3", 443 },
		{ "b\xc3\xbc.de:1", "xn--b-eha.de", 1 },
	};
	static const char *const bad[] = { "*.example.com", "10.0.0.0/8", "a:1-2", "a:0", "a:", "",
					   "https://a",	    "[::1]x" };
	struct berm_err err = { 0 };
	struct host h;
	uint16_t port;

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		if (host_port_parse(good[i].text, 443, &h, &port, &err) < 0)
			fail_msg("%s: %s", good[i].text, err.msg);
		assert_string_equal(h.name, good[i].name);
		assert_int_equal(port, good[i].port);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		if (host_port_parse(bad[i], 443, &h, &port, &err) >= 0)
			fail_msg("taken: %s", bad[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spellings),    cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_against_libc), cmocka_unit_test(test_text),
		cmocka_unit_test(test_guard),	     cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_patterns),     cmocka_unit_test(test_mistakes),
		cmocka_unit_test(test_matches),	     cmocka_unit_test(test_slow),
		cmocka_unit_test(test_lists),	     cmocka_unit_test(test_host_port),
		cmocka_unit_test(test_all_short),    cmocka_unit_test(test_all_addresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

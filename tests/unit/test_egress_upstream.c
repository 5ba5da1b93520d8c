/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/str.h"
#include "egress/upstream.h"

static const struct {
	const char *url, *host;
	unsigned port;
	const char *auth; /* NULL: refused */
} urls[] = {
	{ "http://proxy.corp:3128", "proxy.corp", 3128, "" },
	{ "http://proxy.corp", "proxy.corp", 80, "" },
	{ "http://proxy.corp/", "proxy.corp", 80, "" },
	{ "HTTP://Proxy.Corp.:8080/", "proxy.corp", 8080, "" },
	{ "proxy.corp:3128", "proxy.corp", 3128, "" },
	{ "10.1.2.3:3128", "10.1.2.3", 3128, "" },
	{ "http://[fd00::1]:3128", "fd00::1", 3128, "" },
	{ "http://[fd00::1]", "fd00::1", 80, "" },
	{ "http://u:p@h:1", "h", 1, "dTpw" },
	{ "u:p@h:1", "h", 1, "dTpw" },
	{ "http://user@h:1", "h", 1, "dXNlcjo=" },
	{ "http://us%40r:p%3aw%25@h:1", "h", 1, "dXNAcjpwOncl" },
	{ "http://u:p@ss@h:1", "h", 1, "dTpwQHNz" },
	{ "http://u:100%@h:1", "h", 1, "dToxMDAl" },
	{ "http://u:%zz@h:1", "h", 1, "dToleno=" },
	{ "http://u:p%4@h:1", "h", 1, "dTpwJTQ=" },
	{ "http://u:%f9%9F@h:1", "h", 1, "dTr5nw==" },
	{ "http://u:p w@h:9", "h", 9, "dTpwIHc=" },
	{ "http://[fd00::1]:65535/", "fd00::1", 65535, "" },
	{ "http://:@h:1", "h", 1, "Og==" },
	{ "http://u:p%0d%0aX@h:1", NULL, 0, NULL },
	{ "http://u%00:p@h:1", NULL, 0, NULL },
	{ "http://u%3ax:p@h:1", NULL, 0, NULL },
	{ "https://h:1", NULL, 0, NULL },
	{ "socks5h://h:1", NULL, 0, NULL },
	{ "http://h:0", NULL, 0, NULL },
	{ "http://h:65536", NULL, 0, NULL },
	{ "http://h:", NULL, 0, NULL },
	{ "http://h:12x", NULL, 0, NULL },
	{ "http://:3128", NULL, 0, NULL },
	{ "http://", NULL, 0, NULL },
	{ "", NULL, 0, NULL },
	{ "http://h:1/path", NULL, 0, NULL },
	{ "http://h:1?x", NULL, 0, NULL },
	{ "http://a b:1", NULL, 0, NULL },
};

static void test_urls(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(urls); i++) {
		struct upstream u = { .port = 7 };
		struct berm_err err = { 0 };
		int r = upstream_parse(urls[i].url, &u, &err);

		print_message("# %s\n", urls[i].url);
		assert_int_equal(r, urls[i].auth ? 0 : -EINVAL);
		if (r < 0) {
			assert_int_equal(u.port, 7);
			assert_true(err.msg[0] && !strstr(err.msg, ":p"));
			continue;
		}
		assert_string_equal(u.host.name, urls[i].host);
		assert_int_equal(u.port, urls[i].port);
		assert_string_equal(u.auth, urls[i].auth);
		upstream_wipe(&u);
		assert_int_equal(u.auth[0], 0);
	}
}

static void test_long_secret(void **state)
{
	char url[3000] = "http://u:", dst[UPSTREAM_CONNECT_MAX];
	struct upstream u;
	struct host h = { 0 };
	int r = 0;

	memset(h.name, 'a', HOST_MAX);
	for (size_t n = 0; n < 2000 && r == 0; n++) {
		size_t at = 9 + n;

		memset(url + 9, 'p', n);
		memcpy(url + at, "@h:1", 5);
		r = upstream_parse(url, &u, NULL);
		if (r == 0) {
			size_t len = upstream_connect(&u, &h, 65535, dst);

			assert_int_equal(len, strlen(dst));
			assert_memory_equal(dst + len - 4, "\r\n\r\n", 4);
		}
	}
	assert_int_equal(r, -EINVAL);
}

static void test_connect(void **state)
{
	char dst[UPSTREAM_CONNECT_MAX];
	struct upstream u = { 0 };
	struct host h = { 0 };
	size_t len;

	assert_int_equal(upstream_parse("http://u:p@h:1", &u, NULL), 0);
	assert_int_equal(host_parse("Example.com", 11, &h), 0);
	len = upstream_connect(&u, &h, 443, dst);
	assert_int_equal(len, strlen(dst));
	assert_string_equal(dst, "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n"
				 "Proxy-Authorization: Basic dTpw\r\n\r\n");
	upstream_wipe(&u);
	assert_int_equal(host_parse("::1", 3, &h), 0);
	(void)upstream_connect(&u, &h, 22, dst);
	assert_string_equal(dst, "CONNECT [::1]:22 HTTP/1.1\r\nHost: [::1]:22\r\n\r\n");
}

static const struct {
	const char *no_proxy, *host;
	unsigned port;
	bool skips;
} rules[] = {
	{ NULL, "example.com", 80, false },
	{ "", "example.com", 80, false },
	{ "*", "example.com", 80, true },
	{ "example.com", "example.com", 80, true },
	{ "example.com", "www.example.com", 80, true },
	{ ".example.com", "www.example.com", 80, true },
	{ ".example.com", "example.com", 80, true },
	{ "*.example.com", "a.b.example.com", 80, true },
	{ "example.com", "notexample.com", 80, false },
	{ "example.com", "example.com.evil.org", 80, false },
	{ "EXAMPLE.com.", "example.COM", 80, true },
	{ "a.com,example.com", "example.com", 80, true },
	{ "a.com, example.com ,b.com", "example.com", 80, true },
	{ "a.com\texample.com", "example.com", 80, true },
	{ "a.com,,b.com", "c.com", 80, false },
	{ "example.com:8080", "example.com", 8080, true },
	{ "example.com:8080", "example.com", 80, false },
	{ "10.0.0.0/8", "10.255.1.2", 80, true },
	{ "10.0.0.0/8", "11.0.0.1", 80, false },
	{ "10.0.0.0/8", "ten.example", 80, false },
	{ "192.168.1.128/25", "192.168.1.127", 80, false },
	{ "192.168.1.128/25", "192.168.1.200", 80, true },
	{ "192.168.1.1/32", "192.168.1.1", 80, true },
	{ "0.0.0.0/0", "8.8.8.8", 80, true },
	{ "0.0.0.0/0", "2001:db8::1", 80, false },
	{ "10.0.0.0/33", "10.0.0.0", 80, false },
	{ "10.0.0.0/", "10.0.0.0", 80, false },
	{ "10.0.0.0/x", "10.0.0.0", 80, false },
	{ "2001:db8::/32", "2001:db8:1::1", 80, true },
	{ "2001:db8::/32", "2001:db9::1", 80, false },
	{ "2001:db8::1", "2001:db8::1", 80, true },
	{ "[2001:db8::1]", "2001:db8::1", 80, true },
	{ "[2001:db8::1]:443", "2001:db8::1", 443, true },
	{ "[2001:db8::1]:443", "2001:db8::1", 80, false },
	{ "8.8.8.8", "8.8.8.8", 80, true },
	{ "8.8", "18.8.8.8", 80, false },
	{ "com", "1.2.3.4", 80, false },
	{ ".", "example.com", 80, false },
	{ "*.", "example.com", 80, false },
	{ "ex*", "example.com", 80, false },
	{ NULL, "127.9.9.9", 80, true },
	{ NULL, "::1", 80, true },
	{ NULL, "localhost", 80, true },
	{ NULL, "a.localhost", 80, true },
	{ NULL, "localhost.example.com", 80, false },
};

static void test_no_proxy(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(rules); i++) {
		struct host h;

		assert_int_equal(host_parse(rules[i].host, strlen(rules[i].host), &h), 0);
		if (upstream_skips(rules[i].no_proxy, &h, (uint16_t)rules[i].port) !=
		    rules[i].skips)
			fail_msg("NO_PROXY=%s, %s:%u", rules[i].no_proxy ? rules[i].no_proxy : "-",
				 rules[i].host, rules[i].port);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_urls),
		cmocka_unit_test(test_long_secret),
		cmocka_unit_test(test_connect),
		cmocka_unit_test(test_no_proxy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

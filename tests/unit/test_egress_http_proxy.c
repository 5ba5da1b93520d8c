/* SPDX-License-Identifier: Apache-2.0 */
/* The proxy's form, what is made of heads, answers, and telling HTTP from others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>

#include "http_drive.h"

#define HOST "Host: example.com\r\n"

/* ---- what a head becomes ------------------------------------------------ */

static const struct {
	const char *what;
	enum http_form form;
	const char *in, *out; /* out NULL: it goes on as it is */
} heads[] = {
	{ "path", HTTP_PROXY, "GET http://example.com/a?b HTTP/1.1\r\n" HOST "A: b\r\n\r\n",
	  "GET /a?b HTTP/1.1\r\n" HOST "A: b\r\nConnection: close\r\n\r\n" },
	{ "no path", HTTP_PROXY, "GET http://example.com HTTP/1.1\r\n" HOST "\r\n",
	  "GET / HTTP/1.1\r\n" HOST "Connection: close\r\n\r\n" },
	{ "only a query", HTTP_PROXY, "GET http://example.com?b HTTP/1.1\r\n" HOST "\r\n",
	  "GET /?b HTTP/1.1\r\n" HOST "Connection: close\r\n\r\n" },
	{ "OPTIONS of the server", HTTP_PROXY,
	  "OPTIONS http://example.com HTTP/1.1\r\n" HOST "\r\n",
	  "OPTIONS * HTTP/1.1\r\n" HOST "Connection: close\r\n\r\n" },
	{ "Host is made up", HTTP_PROXY, "GET http://Example.com:81/ HTTP/1.0\r\n\r\n",
	  "GET / HTTP/1.0\r\nHost: example.com:81\r\nConnection: close\r\n\r\n" },
	{ "Host is made up, beside others", HTTP_PROXY,
	  "GET http://example.com/ HTTP/1.0\r\nA: b\r\nC: d\r\n\r\n",
	  "GET / HTTP/1.0\r\nA: b\r\nC: d\r\nHost: example.com:80\r\nConnection: close\r\n\r\n" },
	{ "only Connection names one hop's", HTTP_PROXY,
	  "GET http://example.com/ HTTP/1.1\r\n" HOST
	  "X: y, Z\r\nZ: 1\r\nConnection: Y\r\nY: 2\r\n\r\n",
	  "GET / HTTP/1.1\r\n" HOST "X: y, Z\r\nZ: 1\r\nConnection: close\r\n\r\n" },
	{ "of an address", HTTP_PROXY, "GET http://[::1]/ HTTP/1.0\r\n\r\n",
	  "GET / HTTP/1.0\r\nHost: [::1]:80\r\nConnection: close\r\n\r\n" },
	{ "one hop's headers", HTTP_PROXY,
	  "GET http://example.com/ HTTP/1.1\r\n" HOST "Proxy-Connection: keep-alive\r\n"
	  "Proxy-Authorization: Basic c2VjcmV0\r\nKeep-Alive: 5\r\nTE: trailers\r\n"
	  "Connection: keep-alive, X-Hop\r\nx-hop: 1\r\nX-Stay: 2\r\nUpgrade: websocket\r\n\r\n",
	  "GET / HTTP/1.1\r\n" HOST "X-Stay: 2\r\nConnection: close\r\n\r\n" },
	{ "framing stays", HTTP_PROXY,
	  "POST http://example.com/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n" HOST "\r\n",
	  "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n" HOST "Connection: close\r\n\r\n" },
	{ "as it is", HTTP_TRANSPARENT, "GET / HTTP/1.1\r\n" HOST "\r\n", NULL },
	{ "WebSocket as it is", HTTP_TRANSPARENT,
	  "GET / HTTP/1.1\r\n" HOST "Upgrade: websocket\r\nConnection: upgrade\r\n\r\n", NULL },
	{ "h2c is not asked for", HTTP_TRANSPARENT,
	  "GET / HTTP/1.1\r\nConnection: Upgrade, HTTP2-Settings\r\n" HOST
	  "HTTP2-Settings: AAEAAEAA\r\nUpgrade: h2c\r\nA: b\r\n\r\n",
	  "GET / HTTP/1.1\r\n" HOST "A: b\r\n\r\n" },
	{ "what else Connection says stays", HTTP_TRANSPARENT,
	  "GET / HTTP/1.1\r\nConnection: Upgrade, close,HTTP2-Settings\r\n" HOST
	  "Upgrade: websocket, H2C\r\n\r\n",
	  "GET / HTTP/1.1\r\nConnection:  close\r\n" HOST "\r\n" },
	{ "settings alone", HTTP_TRANSPARENT,
	  "GET / HTTP/1.1\r\n" HOST "HTTP2-Settings: AAEAAEAA\r\n\r\n",
	  "GET / HTTP/1.1\r\n" HOST "\r\n" },
};

static void test_rewrite(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(heads); i++) {
		size_t len = strlen(heads[i].in), n;
		_cleanup_buf_ struct buf out = BUF_INIT(4096);
		struct http *h = NULL, *again = NULL;

		print_message("# %s\n", heads[i].what);
		assert_int_equal(http_new(heads[i].form, 0, &h), 0);
		assert_int_equal(http_next(h, (const uint8_t *)heads[i].in, len, &n), HTTP_JUDGE);
		assert_int_equal(n, len);
		assert_int_equal(http_request(h)->rewrite, heads[i].out != NULL);
		assert_int_equal(http_rewrite(h, (const uint8_t *)heads[i].in, n, &out), 0);
		if (heads[i].out)
			assert_string_equal(out.data, heads[i].out);
		/* What comes out is again what a server reads in one way. */
		assert_int_equal(http_new(HTTP_TRANSPARENT, 0, &again), 0);
		assert_int_equal(http_next(again, (const uint8_t *)out.data, out.len, &n),
				 HTTP_JUDGE);
		assert_int_equal(n, out.len);
		assert_string_equal(http_request(again)->host.name, http_request(h)->host.name);
		http_free(h);
		http_free(again);
	}
}

static void test_rewrite_bounded(void **state)
{
	static const char in[] = "GET http://example.com/ HTTP/1.1\r\n" HOST "\r\n";
	size_t n;

	for (size_t max = 0; max < 40; max++) {
		_cleanup_buf_ struct buf out = BUF_INIT(max);
		struct http *h = NULL;

		assert_int_equal(http_new(HTTP_PROXY, 0, &h), 0);
		assert_int_equal(http_next(h, (const uint8_t *)in, sizeof(in) - 1, &n), HTTP_JUDGE);
		assert_int_equal(http_rewrite(h, (const uint8_t *)in, n, &out), -ENOBUFS);
		http_free(h);
	}
}

/* ---- as a proxy --------------------------------------------------------- */

static const struct {
	const char *what, *bytes, *seen;
	enum http_step step;
} proxied[] = {
	{ "CONNECT", "CONNECT Example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n\x16\3\1",
	  "CONNECT example.com:443 Example.com:443;", HTTP_OPAQUE },
	{ "CONNECT, Host without the port", "CONNECT example.com:443 HTTP/1.1\r\n" HOST "\r\n",
	  "CONNECT example.com:443 example.com:443;", HTTP_JUDGE },
	{ "CONNECT in HTTP/1.0", "CONNECT example.com:22 HTTP/1.0\r\n\r\n",
	  "CONNECT example.com:22 example.com:22;", HTTP_JUDGE },
	{ "CONNECT to an address",
	  "CONNECT [2001:db8::1]:443 HTTP/1.1\r\nHost: [2001:DB8::1]:443\r\n\r\n",
	  "CONNECT 2001:db8::1:443 [2001:db8::1]:443;", HTTP_JUDGE },
	{ "URL", "GET http://example.com/x?y HTTP/1.1\r\n" HOST "\r\n", "GET example.com:80 /x;",
	  HTTP_JUDGE },
	{ "CONNECT without a port", "CONNECT example.com HTTP/1.1\r\n" HOST "\r\n", "", HTTP_BAD },
	{ "CONNECT, port 0", "CONNECT example.com:0 HTTP/1.1\r\n" HOST "\r\n", "", HTTP_BAD },
	{ "CONNECT to a URL", "CONNECT http://example.com/ HTTP/1.1\r\n" HOST "\r\n", "",
	  HTTP_BAD },
	{ "CONNECT to a path", "CONNECT / HTTP/1.1\r\n" HOST "\r\n", "", HTTP_BAD },
	{ "CONNECT, other Host", "CONNECT evil.com:443 HTTP/1.1\r\n" HOST "\r\n", "", HTTP_BAD },
	{ "CONNECT, other port", "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:80\r\n\r\n",
	  "", HTTP_BAD },
	{ "CONNECT with a body",
	  "CONNECT example.com:443 HTTP/1.1\r\n" HOST "Content-Length: 3\r\n\r\nabc", "",
	  HTTP_BAD },
	{ "CONNECT with a chunked body",
	  "CONNECT example.com:443 HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n", "",
	  HTTP_BAD },
	{ "path", "GET / HTTP/1.1\r\n" HOST "\r\n", "", HTTP_BAD },
	{ "OPTIONS *", "OPTIONS * HTTP/1.1\r\n" HOST "\r\n", "", HTTP_BAD },
	{ "https", "GET https://example.com/ HTTP/1.1\r\n" HOST "\r\n", "", HTTP_BAD },
	{ "other Host", "GET http://evil.com/ HTTP/1.1\r\n" HOST "\r\n", "", HTTP_BAD },
};

static void test_proxy(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(proxied); i++) {
		size_t len = strlen(proxied[i].bytes);

		for (size_t chunk = 1; chunk <= len; chunk += 7) {
			struct drive d;

			drive_init(&d, HTTP_PROXY, 0);
			drive(&d, proxied[i].bytes, len, chunk);
			if (d.step != proxied[i].step || !streq(d.seen.data, proxied[i].seen))
				fail_msg("%s: step %d, '%s', %s", proxied[i].what, d.step,
					 d.seen.data, http_why(d.h));
			drive_free(&d);
		}
	}
}

static void test_one_request(void **state)
{
	static const char bytes[] = "POST http://example.com/ HTTP/1.1\r\n" HOST
				    "Content-Length: 2\r\n\r\nxyGET http://evil.com/ HTTP/1.1\r\n";
	struct drive d;

	drive_init(&d, HTTP_PROXY, HTTP_ONE_REQUEST);
	drive(&d, bytes, sizeof(bytes) - 1, 5);
	assert_int_equal(d.step, HTTP_DONE);
	assert_string_equal(d.seen.data, "POST example.com:80 /;");
	assert_memory_equal(d.sent.data + d.sent.len - 3, "\nxy", 3);
	drive_free(&d);
}

/* ---- a server's answers ------------------------------------------------- */

static const struct {
	const char *bytes;
	int status;
	size_t head; /* 0: all */
} answers[] = {
	{ "HTTP/1.1 200 OK\r\n\r\n", 200, 0 },
	{ "HTTP/1.0 200 Connection established\r\nA: b\r\n\r\n", 200, 0 },
	{ "HTTP/1.1 200\r\n\r\n", 200, 0 },
	{ "HTTP/1.9 200\nA: b\n\n", 200, 0 },
	{ "HTTP/1.1 407 Auth\nA: b\n\nbody", 407, 24 },
	{ "HTTP/1.1 101 Switching Protocols\r\n\r\n\x81\x01", 101, 36 },
	{ "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: x\r\n\r\nHTTP/1.1 204 No\r\n\r\n",
	  204, 0 },
	{ "HTTP/1.1 100 Continue\r\n\r\n", 0, 0 },
	{ "HTTP/1.1 200 OK\r\nA: b\r\n", 0, 0 },
	{ "", 0, 0 },
	{ "SSH-2.0-x\r\n", -EBADMSG, 0 },
	{ "HTTP/2 200\r\n\r\n", -EBADMSG, 0 },
	{ "HTTP/1.1 20\r\n\r\n", -EBADMSG, 0 },
	{ "HTTP/1.1 2000\r\n\r\n", -EBADMSG, 0 },
	{ "HTTP/1.1 099 x\r\n\r\n", -EBADMSG, 0 },
	{ "HTTP/1.1  200 x\r\n\r\n", -EBADMSG, 0 },
	{ "HTTP/1.1 200 OK\r\n\rX", -EBADMSG, 0 },
	{ "\r\nHTTP/1.1 200 OK\r\n\r\n", -EBADMSG, 0 },
};

static void test_answers(void **state)
{
	static char endless[HTTP_HEAD_MAX + 1] = "HTTP/1.1 200 ";
	struct http_answer a = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(answers); i++) {
		size_t len = strlen(answers[i].bytes);

		for (size_t chunk = 1; chunk <= len; chunk++) {
			a = (struct http_answer){ 0 };
			for (size_t at = 0; at < len; at += chunk)
				(void)http_answer_feed(&a, (const uint8_t *)answers[i].bytes + at,
						       len - at < chunk ? len - at : chunk);
			if (a.status != answers[i].status)
				fail_msg("%s: %d", answers[i].bytes, a.status);
			if (a.status > 0)
				assert_int_equal(a.head, answers[i].head ? answers[i].head : len);
		}
	}
	memset(endless + 13, 'x', sizeof(endless) - 13);
	a = (struct http_answer){ 0 };
	assert_int_equal(http_answer_feed(&a, (uint8_t *)endless, HTTP_HEAD_MAX - 1), 0);
	assert_int_equal(http_answer_feed(&a, (uint8_t *)endless, 1), -EBADMSG);
}

static void test_errors(void **state)
{
	static const unsigned codes[] = { 400, 403, 408, 431, 502, 503, 504 };
	char dst[HTTP_ERROR_MAX], reason[2000];
	struct http_answer a = { 0 };
	size_t n;

	n = http_build_error(403, "evil.com:443 is not allowed", dst, sizeof(dst));
	assert_int_equal(n, strlen(dst));
	assert_string_equal(dst, "HTTP/1.1 403 Blocked by berm: evil.com:443 is not allowed\r\n"
				 "X-Proxy-Error: blocked-by-berm\r\n"
				 "Content-Type: text/plain; charset=us-ascii\r\n"
				 "Content-Length: 34\r\n"
				 "Connection: close\r\n"
				 "\r\n"
				 "berm: evil.com:443 is not allowed\n");
	/* A reason is never able to add a header. */
	(void)http_build_error(502, "a\r\nSet-Cookie: b\r\n\r\n", dst, sizeof(dst));
	assert_null(strstr(dst, "\r\nSet-Cookie"));
	memset(reason, 'r', sizeof(reason));
	reason[sizeof(reason) - 1] = 0;
	for (size_t i = 0; i < ARRAY_SIZE(codes); i++) {
		n = http_build_error(codes[i], reason, dst, sizeof(dst));
		assert_true(n < sizeof(dst) && n == strlen(dst));
		a = (struct http_answer){ 0 };
		assert_int_equal(http_answer_feed(&a, (uint8_t *)dst, n), codes[i]);
		assert_int_equal(strtoul(strstr(dst, "Length: ") + 8, NULL, 10), n - a.head);
	}
	a = (struct http_answer){ 0 };
	n = sizeof(HTTP_CONNECTED) - 1;
	assert_int_equal(http_answer_feed(&a, (const uint8_t *)HTTP_CONNECTED, n), 200);
	assert_int_equal(a.head, n);
}

/* ---- is it HTTP? -------------------------------------------------------- */

static const struct {
	const char *bytes;
	size_t len;
	int is;
} firsts[] = {
#define R(bytes, is)                         \
	{                                    \
		bytes, sizeof(bytes) - 1, is \
	}
	R("GET / HTTP/1.1\r\n", 1),
	R("GET /", 1),
	R("POST /x", 1),
	R("OPTIONS * HTTP/1.1\r\n", 1),
	R("GET http://x/", 1),
	R("GET HTTPS://x/", 1),
	R("CONNECT example.com:443", 1),
	R("CONNECT [::1]:443", 1),
	R("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 1),
	/* What only some servers take for HTTP. */
	R("get / HTTP/1.1\r\n", 1),
	R("\r\n\r\nGET / HTTP/1.1\r\n", 1),
	R("\n GET / HTTP/1.1\r\n", 1),
	R("GET\t/ HTTP/1.1\r\n", 1),
	R("GET  / HTTP/1.1\r\n", 1),
	R("GET x HTTP/1.1\r\n", 1),
	R("GET x http/1.1\r\n", 1),
	R("F00! x HTTP/1.1\r\n", 1),
	R("F00 / HTTP/1.1\n", 1),
	R("GET \xe9 HTTP/1.1\r\n", 1),
	R("GET x y z HTTP/1.1\r\n", 1),
	R("GET\xa0x HTTP/1.1\r\n", 1),
	R("GET\x1f/ HTTP/1.1\r\n", 1),
	R("PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n", 1),
	R("\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c", 1),
	/* Others. */
	R("\r\n\r\n\0\r\nQUAT\n", 0),
	R("PROXYING\r\n", 0),
	R("SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n", 0),
	R("EHLO host.example.com\r\n", 0),
	R("HELO httpd.example.com\r\n", 0),
	R("USER anonymous\r\n", 0),
	R("NICK me\r\nUSER me 0 * :x\r\n", 0),
	R("PING\r\n", 0),
	R("*1\r\n$4\r\nPING\r\n", 0),
	R("get key\r\n", 0),
	R("CONNECT {\"verbose\":false}\r\n", 0),
	R("CONNECT\naccept-version:1.2\n\n\0", 0),
	R("0032git-upload-pack /project.git\0host=x\0", 0),
	R("a1 LOGIN me secret\r\n", 0),
	R("@RSYNCD: 31.0\n", 0),
	R("<?xml version='1.0'?>", 0),
	R("{\"id\":1}", 0),
	R("\0\0\0\x08\x04\xd2\x16\x2f", 0),
	R("\x16\3\1\0\5", 0),
	R("\5\1\0", 0),
	R("AMQP\0\0\x09\1", 0),
	R("\xff\xfb\x1f", 0),
	/* Not known yet. */
	R("", -EAGAIN),
	R("G", -EAGAIN),
	R("GET", -EAGAIN),
	R("GET ", -EAGAIN),
	R("GET h", -EAGAIN),
	R("GET http", -EAGAIN),
	R("\r\n", -EAGAIN),
	R("\r\n\r\n", -EAGAIN),
	R("\r\n\r\n\0\r\nQU", -EAGAIN),
	R("PROXY", -EAGAIN),
	R("GET x HTTP", -EAGAIN),
	R("CONNECT ", -EAGAIN),
	R("SSH-2.0-OpenSSH_9.2p1 Debian-2", -EAGAIN),
};

static void test_sniff(void **state)
{
	uint8_t line[HTTP_SNIFF_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(firsts); i++) {
		const uint8_t *p = (const uint8_t *)firsts[i].bytes;

		if (http_sniff(p, firsts[i].len) != firsts[i].is)
			fail_msg("%s: %d", firsts[i].bytes, http_sniff(p, firsts[i].len));
		/* No beginning of it says the contrary. */
		for (size_t n = 0; n < firsts[i].len; n++) {
			_cleanup_free_ uint8_t *exact = malloc(n + 1);
			int r;

			memcpy(exact, p, n);
			r = http_sniff(exact, n);
			if (r != -EAGAIN && r != firsts[i].is)
				fail_msg("%s: %d after %zu", firsts[i].bytes, r, n);
		}
	}
	memset(line, 'x', sizeof(line));
	assert_int_equal(http_sniff(line, sizeof(line) - 1), -EAGAIN);
	assert_int_equal(http_sniff(line, sizeof(line)), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rewrite), cmocka_unit_test(test_rewrite_bounded),
		cmocka_unit_test(test_proxy),	cmocka_unit_test(test_one_request),
		cmocka_unit_test(test_answers), cmocka_unit_test(test_errors),
		cmocka_unit_test(test_sniff),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

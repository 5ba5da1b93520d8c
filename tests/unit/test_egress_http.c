/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>

#include "http_drive.h"

#define HOST "Host: example.com\r\n"
#define GET "GET / HTTP/1.1\r\n" HOST "\r\n"

/* ---- what goes through -------------------------------------------------- */

static const struct {
	const char *what, *bytes, *seen;
} good[] = {
	{ "plain", GET, "GET example.com:80 /;" },
	{ "keep-alive", GET GET, "GET example.com:80 /;GET example.com:80 /;" },
	{ "other host on keep-alive is seen", GET "GET /x HTTP/1.1\r\nHost: evil.com\r\n\r\n",
	  "GET example.com:80 /;GET evil.com:80 /x;" },
	{ "case, blanks, port", "GET /a?secret HTTP/1.1\r\nhOST:\t Example.COM:8080 \t\r\n\r\n",
	  "GET example.com:8080 /a;" },
	{ "no blank behind the colon", "GET / HTTP/1.1\r\nHost:example.com\r\n\r\n",
	  "GET example.com:80 /;" },
	{ "address", "GET / HTTP/1.1\r\nHost: [::1]:81\r\n\r\n", "GET ::1:81 /;" },
	{ "strange spelling of an address", "GET / HTTP/1.1\r\nHost: 0x7f.1\r\n\r\n",
	  "GET 127.0.0.1:80 /;" },
	{ "HTTP/1.0 with Host", "GET / HTTP/1.0\r\n" HOST "\r\n", "GET example.com:80 /;" },
	{ "HTTP/1.0 without", "GET / HTTP/1.0\r\nA: b\r\n\r\n", "GET - /;" },
	{ "HTTP/1.0, no header", "GET / HTTP/1.0\r\n\r\n", "GET - /;" },
	{ "absolute", "GET http://example.com/x HTTP/1.1\r\n" HOST "\r\n",
	  "GET example.com:80 /x;" },
	{ "absolute with port",
	  "GET HTTP://EXAMPLE.com:81?q HTTP/1.1\r\nHost: example.com:81\r\n\r\n",
	  "GET example.com:81 /;" },
	{ "absolute in HTTP/1.0", "GET http://example.com HTTP/1.0\r\n\r\n",
	  "GET example.com:80 /;" },
	{ "OPTIONS *", "OPTIONS * HTTP/1.1\r\n" HOST "\r\n", "OPTIONS example.com:80 *;" },
	{ "UTF-8 in a target", "GET /\xc3\xa9 HTTP/1.1\r\n" HOST "\r\n",
	  "GET example.com:80 /\xc3\xa9;" },
	{ "header without a value", "GET / HTTP/1.1\r\nA:\r\n" HOST "\r\n",
	  "GET example.com:80 /;" },
	{ "Latin-1 in a value", "GET / HTTP/1.1\r\nA: \xe9\r\n" HOST "\r\n",
	  "GET example.com:80 /;" },
	{ "length", "POST / HTTP/1.1\r\n" HOST "Content-Length: 5\r\n\r\nGET /" GET,
	  "POST example.com:80 /;GET example.com:80 /;" },
	{ "length 0", "POST / HTTP/1.1\r\n" HOST "Content-Length: 0\r\n\r\n" GET,
	  "POST example.com:80 /;GET example.com:80 /;" },
	{ "leading zeros", "POST / HTTP/1.1\r\n" HOST "Content-Length: 0003\r\n\r\nabc" GET,
	  "POST example.com:80 /;GET example.com:80 /;" },
	{ "GET with a body", "GET / HTTP/1.1\r\n" HOST "Content-Length: 3\r\n\r\nabc" GET,
	  "GET example.com:80 /;GET example.com:80 /;" },
	{ "chunked",
	  "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n"
	  "5\r\nGET /\r\nA;x=\"y\"\r\n0123456789\r\n0\r\n\r\n" GET,
	  "POST example.com:80 /;GET example.com:80 /;" },
	{ "chunked with a trailer",
	  "POST / HTTP/1.1\r\n" HOST "TRANSFER-encoding:Chunked\r\nTrailer: x\r\n\r\n"
	  "1\r\na\r\n00\r\nX: y\r\nZ:\r\n\r\n" GET,
	  "POST example.com:80 /;GET example.com:80 /;" },
	{ "Expect",
	  "PUT / HTTP/1.1\r\n" HOST "Expect: 100-continue\r\nContent-Length: 1\r\n\r\nx" GET,
	  "PUT example.com:80 /;GET example.com:80 /;" },
	{ "close, and still more", "GET / HTTP/1.1\r\n" HOST "Connection: close\r\n\r\n" GET,
	  "GET example.com:80 /;GET example.com:80 /;" },
	{ "WebDAV", "PROPFIND /d HTTP/1.1\r\n" HOST "Depth: 1\r\n\r\n",
	  "PROPFIND example.com:80 /d;" },
	{ "M-SEARCH", "M-SEARCH * HTTP/1.1\r\n" HOST "\r\n", NULL },
};

static void test_good(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		size_t len = strlen(good[i].bytes);

		print_message("# %s\n", good[i].what);
		for (size_t chunk = 1; chunk <= len; chunk += 1 + chunk / 8) {
			struct drive d;

			drive_init(&d, HTTP_TRANSPARENT, 0);
			drive(&d, good[i].bytes, len, chunk);
			if (!good[i].seen) {
				assert_int_equal(d.step, HTTP_BAD);
				drive_free(&d);
				continue;
			}
			assert_string_equal(http_why(d.h), "");
			assert_string_equal(d.seen.data, good[i].seen);
			/* Every byte went on, as it was. */
			assert_int_equal(d.sent.len, len);
			assert_memory_equal(d.sent.data, good[i].bytes, len);
			assert_int_equal(http_next(d.h, NULL, 0, &(size_t){ 0 }), HTTP_MORE);
			drive_free(&d);
		}
	}
}

/* ---- what does not ------------------------------------------------------ */

#define POST "POST / HTTP/1.1\r\n" HOST
#define CHUNKED POST "Transfer-Encoding: chunked\r\n\r\n"

static const struct {
	const char *what, *bytes;
	size_t len;
	const char *why; /* of our own reader: the other would refuse some as well */
} refused[] = {
#define R(what, bytes, why)                         \
	{                                           \
		what, bytes, sizeof(bytes) - 1, why \
	}
	R("length and chunked", POST "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n",
	  "both Content-Length and Transfer-Encoding"),
	R("chunked and length", POST "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n",
	  "both Content-Length and Transfer-Encoding"),
	R("two lengths", POST "Content-Length: 4\r\nContent-Length: 4\r\n\r\n",
	  "two Content-Length headers"),
	R("two lengths that differ", POST "Content-Length: 4\r\nContent-Length: 5\r\n\r\n",
	  "two Content-Length headers"),
	R("list of lengths", POST "Content-Length: 4, 4\r\n\r\n",
	  "a Content-Length that is no number"),
	R("signed length", POST "Content-Length: +4\r\n\r\n", "a Content-Length that is no number"),
	R("negative length", POST "Content-Length: -1\r\n\r\n",
	  "a Content-Length that is no number"),
	R("hex length", POST "Content-Length: 0x4\r\n\r\n", "a Content-Length that is no number"),
	R("length with a blank inside", POST "Content-Length: 1 0\r\n\r\n",
	  "a Content-Length that is no number"),
	R("empty length", POST "Content-Length:\r\n\r\n", "a Content-Length that is no number"),
	R("length that overflows", POST "Content-Length: 18446744073709551617\r\n\r\n",
	  "a Content-Length that is no number"),
	R("length with vertical tab", POST "Content-Length: \v4\r\n\r\n",
	  "a control byte in a header"),
	R("blank before the colon", POST "Content-Length : 4\r\n\r\n",
	  "a header name with a blank or another byte that no name has"),
	R("tab before the colon", POST "Transfer-Encoding\t: chunked\r\n\r\n",
	  "a header name with a blank or another byte that no name has"),
	R("NUL in a name", POST "Content\0-Length: 4\r\n\r\n", "a NUL byte in a head"),
	R("encoding twice", POST "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
	  "a Transfer-Encoding that is not just \"chunked\""),
	R("encoding identity", POST "Transfer-Encoding: identity\r\n\r\n",
	  "a Transfer-Encoding that is not just \"chunked\""),
	R("encoding list", POST "Transfer-Encoding: gzip, chunked\r\n\r\n",
	  "a Transfer-Encoding that is not just \"chunked\""),
	R("chunked not last", POST "Transfer-Encoding: chunked, identity\r\n\r\n",
	  "a Transfer-Encoding that is not just \"chunked\""),
	R("encoding xchunked", POST "Transfer-Encoding: xchunked\r\n\r\n",
	  "a Transfer-Encoding that is not just \"chunked\""),
	R("encoding in quotes", POST "Transfer-Encoding: \"chunked\"\r\n\r\n",
	  "a Transfer-Encoding that is not just \"chunked\""),
	R("encoding with a parameter", POST "Transfer-Encoding: chunked;x\r\n\r\n",
	  "a Transfer-Encoding that is not just \"chunked\""),
	R("encoding with vertical tab", POST "Transfer-Encoding: \vchunked\r\n\r\n",
	  "a control byte in a header"),
	R("encoding empty", POST "Transfer-Encoding:\r\n\r\n",
	  "a Transfer-Encoding that is not just \"chunked\""),
	R("encoding in HTTP/1.0", "POST / HTTP/1.0\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n",
	  "a Transfer-Encoding that is not just \"chunked\""),
	R("folded", "GET / HTTP/1.1\r\n" HOST "A: b\r\n c\r\n\r\n", "a folded header line"),
	R("folded with a tab", "GET / HTTP/1.1\r\nHost:\r\n\texample.com\r\n\r\n",
	  "a folded header line"),
	R("folded first line", "GET / HTTP/1.1\r\n A: b\r\n" HOST "\r\n", "a folded header line"),
	R("bare LF", "GET / HTTP/1.1\nHost: example.com\n\n", "a LF without CR in a head"),
	R("bare LF in between", "GET / HTTP/1.1\r\nA: b\n" HOST "\r\n",
	  "a LF without CR in a head"),
	R("bare LF at the end", "GET / HTTP/1.1\r\n" HOST "\n", "a LF without CR in a head"),
	R("LF CR", "GET / HTTP/1.1\r\nA: b\n\r" HOST "\r\n", "a LF without CR in a head"),
	R("bare CR", "GET / HTTP/1.1\r\nA: b\rHost: evil.com\r\n" HOST "\r\n",
	  "a CR without LF in a head"),
	R("CR CR LF", "GET / HTTP/1.1\r\nA: b\r\r\n" HOST "\r\n", "a CR without LF in a head"),
	R("NUL", "GET / HTTP/1.1\r\nA: b\0c\r\n" HOST "\r\n", "a NUL byte in a head"),
	R("control byte", "GET / HTTP/1.1\r\nA: b\1c\r\n" HOST "\r\n",
	  "a control byte in a header"),
	R("DEL", "GET / HTTP/1.1\r\nA: b\x7f\r\n" HOST "\r\n", "a control byte in a header"),
	R("line without a colon", "GET / HTTP/1.1\r\nA\r\n" HOST "\r\n",
	  "a header line without a name and a colon"),
	R("line without a name", "GET / HTTP/1.1\r\n: b\r\n" HOST "\r\n",
	  "a header line without a name and a colon"),
	R("blank in a name", "GET / HTTP/1.1\r\nA B: c\r\n" HOST "\r\n",
	  "a header name with a blank or another byte that no name has"),
	R("Latin-1 in a name", "GET / HTTP/1.1\r\nH\xf6st: x\r\n" HOST "\r\n",
	  "a header name with a blank or another byte that no name has"),
	R("no Host", "GET / HTTP/1.1\r\n\r\n", "no Host header"),
	R("empty Host", "GET / HTTP/1.1\r\nHost:\r\n\r\n", "a Host header that is no host name"),
	R("two Hosts", "GET / HTTP/1.1\r\n" HOST HOST "\r\n", "two Host headers"),
	R("two Hosts in HTTP/1.0", "GET / HTTP/1.0\r\n" HOST "Host: evil.com\r\n\r\n",
	  "two Host headers"),
	R("Host list", "GET / HTTP/1.1\r\nHost: example.com, evil.com\r\n\r\n",
	  "a Host header that is no host name"),
	R("Host with two blanks", "GET / HTTP/1.1\r\nHost: example.com evil.com\r\n\r\n",
	  "a Host header that is no host name"),
	R("Host with a user", "GET / HTTP/1.1\r\nHost: example.com@evil.com\r\n\r\n",
	  "a Host header that is no host name"),
	R("Host with a path", "GET / HTTP/1.1\r\nHost: example.com/x\r\n\r\n",
	  "a Host header that is no host name"),
	R("Host with a percent", "GET / HTTP/1.1\r\nHost: example%2ecom\r\n\r\n",
	  "a Host header that is no host name"),
	R("Host with a bad port", "GET / HTTP/1.1\r\nHost: example.com:80x\r\n\r\n",
	  "a Host header that is no host name"),
	R("Host with an empty port", "GET / HTTP/1.1\r\nHost: example.com:\r\n\r\n",
	  "a Host header that is no host name"),
	R("Host with two ports", "GET / HTTP/1.1\r\nHost: evil.com:80:80\r\n\r\n",
	  "a Host header that is no host name"),
	R("Host as a URL", "GET / HTTP/1.1\r\nHost: http://example.com\r\n\r\n",
	  "a Host header that is no host name"),
	R("absolute of another host", "GET http://evil.com/ HTTP/1.1\r\n" HOST "\r\n",
	  "a Host header that names another host than the target"),
	R("absolute of another port", "GET http://example.com:81/ HTTP/1.1\r\n" HOST "\r\n",
	  "a Host header that names another host than the target"),
	R("absolute with a user", "GET http://example.com@evil.com/ HTTP/1.1\r\n" HOST "\r\n",
	  "a user in the target"),
	R("absolute with a #", "GET http://example.com#.evil.com/ HTTP/1.1\r\n" HOST "\r\n",
	  "a # or \\ in an http:// target"),
	R("absolute with a backslash",
	  "GET http://example.com\\.evil.com/ HTTP/1.1\r\n" HOST "\r\n",
	  "a # or \\ in an http:// target"),
	R("absolute without a host", "GET http:///x HTTP/1.1\r\n" HOST "\r\n",
	  "a target whose host is none"),
	R("absolute of https", "GET https://example.com/ HTTP/1.1\r\n" HOST "\r\n",
	  "https:// asked of us in the clear: CONNECT is for that"),
	R("other scheme", "GET ftp://example.com/ HTTP/1.1\r\n" HOST "\r\n",
	  "a target that is neither a path nor an http:// URL"),
	R("one slash", "GET http:/example.com/ HTTP/1.1\r\n" HOST "\r\n",
	  "a target that is neither a path nor an http:// URL"),
	R("target without a slash", "GET x HTTP/1.1\r\n" HOST "\r\n",
	  "a target that is neither a path nor an http:// URL"),
	R("GET *", "GET * HTTP/1.1\r\n" HOST "\r\n", "the target * is for OPTIONS"),
	R("CONNECT", "CONNECT evil.com:443 HTTP/1.1\r\nHost: evil.com:443\r\n\r\n",
	  "CONNECT to a server: it would be asked for a way to elsewhere"),
	R("CONNECT to the same", "CONNECT example.com:443 HTTP/1.1\r\n" HOST "\r\n",
	  "CONNECT to a server: it would be asked for a way to elsewhere"),
	R("HTTP/0.9", "GET /\r\n\r\n", "HTTP/0.9, or a request line without a version"),
	R("HTTP/0.9 with Host", "GET /\r\n" HOST "\r\n",
	  "HTTP/0.9, or a request line without a version"),
	R("HTTP/1.2", "GET / HTTP/1.2\r\n" HOST "\r\n",
	  "a version that is neither HTTP/1.0 nor HTTP/1.1"),
	R("HTTP/2.0", "GET / HTTP/2.0\r\n" HOST "\r\n",
	  "a version that is neither HTTP/1.0 nor HTTP/1.1"),
	R("HTTP/1.10", "GET / HTTP/1.10\r\n" HOST "\r\n",
	  "a version that is neither HTTP/1.0 nor HTTP/1.1"),
	R("http/1.1", "GET / http/1.1\r\n" HOST "\r\n",
	  "a version that is neither HTTP/1.0 nor HTTP/1.1"),
	R("ICE", "GET / ICE/1.0\r\n" HOST "\r\n",
	  "a version that is neither HTTP/1.0 nor HTTP/1.1"),
	R("blank line first", "\r\n" GET, "an empty line where a request belongs"),
	R("LF first", "\n" GET, "a LF without CR in a head"),
	R("blank first", " " GET, "a method that is none"),
	R("two blanks", "GET  / HTTP/1.1\r\n" HOST "\r\n", "a request line with two blanks"),
	R("two blanks behind", "GET /  HTTP/1.1\r\n" HOST "\r\n",
	  "a version that is neither HTTP/1.0 nor HTTP/1.1"),
	R("tab for a blank", "GET\t/ HTTP/1.1\r\n" HOST "\r\n", "a method that is none"),
	R("blank at the end", "GET / HTTP/1.1 \r\n" HOST "\r\n",
	  "a version that is neither HTTP/1.0 nor HTTP/1.1"),
	R("blank in the target", "GET /a b HTTP/1.1\r\n" HOST "\r\n",
	  "a version that is neither HTTP/1.0 nor HTTP/1.1"),
	R("small method", "get / HTTP/1.1\r\n" HOST "\r\n", "a method that is none"),
	R("unknown method", "FOO / HTTP/1.1\r\n" HOST "\r\n", "a method that is not known"),
	R("no method", "/ HTTP/1.1\r\n" HOST "\r\n", "a method that is none"),
	R("long method", "ABCDEFGHIJKLMNOPQRSTUVWXYZ / HTTP/1.1\r\n" HOST "\r\n",
	  "a method that is none"),
	R("an answer", "HTTP/1.1 200 OK\r\n\r\n", "a method that is none"),
	R("Connection that takes Host", "GET / HTTP/1.1\r\n" HOST "Connection: close, host\r\n\r\n",
	  "a Connection header that takes away what the request is judged by"),
	R("Connection that takes the length",
	  POST "Content-Length: 1\r\nConnection: Content-Length\r\n\r\nx",
	  "a Connection header that takes away what the request is judged by"),
	R("Connection that takes the encoding",
	  POST "Transfer-Encoding: chunked\r\nConnection: transfer-encoding\r\n\r\n0\r\n\r\n",
	  "a Connection header that takes away what the request is judged by"),
	R("chunk size empty", CHUNKED "\r\n", "a chunked body that is not well formed"),
	R("chunk size not hex", CHUNKED "g\r\n", "a chunked body that is not well formed"),
	R("chunk size 0x", CHUNKED "0x1\r\na\r\n", "a chunked body that is not well formed"),
	R("chunk size negative", CHUNKED "-1\r\n", "a chunked body that is not well formed"),
	R("chunk size that overflows", CHUNKED "10000000000000001\r\na\r\n",
	  "a chunked body that is not well formed"),
	R("blank before the size", CHUNKED " 1\r\na\r\n", "a chunked body that is not well formed"),
	R("blank behind the size", CHUNKED "1 \r\na\r\n", "a chunked body that is not well formed"),
	R("chunk with a bare LF", CHUNKED "1\na\r\n0\r\n\r\n",
	  "a chunked body that is not well formed"),
	R("chunk with CR and no LF", CHUNKED "1\rxa\r\n0\r\n\r\n",
	  "a chunked body that is not well formed"),
	R("extension with a bare LF", CHUNKED "1;a\nb\r\nX\r\n0\r\n\r\n",
	  "a chunked body that is not well formed"),
	R("extension with a bare CR", CHUNKED "1;a\rb\r\nX\r\n0\r\n\r\n",
	  "a chunked body that is not well formed"),
	R("extension with a NUL", CHUNKED "1;a\0b\r\nX\r\n0\r\n\r\n",
	  "a chunked body that is not well formed"),
	R("chunk data too long", CHUNKED "1\r\nab\r\n0\r\n\r\n",
	  "a chunked body that is not well formed"),
	R("chunk data without end", CHUNKED "1\r\na0\r\n\r\n",
	  "a chunked body that is not well formed"),
	R("chunk data ended by LF", CHUNKED "1\r\na\n0\r\n\r\n",
	  "a chunked body that is not well formed"),
	R("trailer without a colon", CHUNKED "0\r\nX\r\n\r\n",
	  "a chunked body that is not well formed"),
	R("trailer folded", CHUNKED "0\r\nX: y\r\n z\r\n\r\n",
	  "a chunked body that is not well formed"),
	R("trailer with a blank", CHUNKED "0\r\nX : y\r\n\r\n",
	  "a chunked body that is not well formed"),
	R("trailer with a bare LF", CHUNKED "0\r\nX: y\n\r\n",
	  "a chunked body that is not well formed"),
	R("end with a bare LF", CHUNKED "0\r\n\n", "a chunked body that is not well formed"),
};

static void test_refused(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		for (size_t chunk = 1; chunk <= refused[i].len; chunk += 1 + chunk / 4) {
			struct drive d;

			drive_init(&d, HTTP_TRANSPARENT, 0);
			drive(&d, refused[i].bytes, refused[i].len, chunk);
			if (d.step != HTTP_BAD || !streq(http_why(d.h), refused[i].why))
				fail_msg("%s: step %d by %zu, %s", refused[i].what, d.step, chunk,
					 http_why(d.h));
			/* And it stays so. */
			assert_int_equal(
				http_next(d.h, (const uint8_t *)GET, strlen(GET), &(size_t){ 0 }),
				HTTP_BAD);
			drive_free(&d);
		}
	}
}

/* Nothing of a head goes on before it is whole. */
static void test_held(void **state)
{
	for (size_t n = 0; n < strlen(GET); n++) {
		struct drive d;

		drive_init(&d, HTTP_TRANSPARENT, 0);
		drive(&d, GET, n, n ? n : 1);
		assert_int_equal(d.step, HTTP_MORE);
		assert_int_equal(d.sent.len, 0);
		drive_free(&d);
	}
}

static void test_long_heads(void **state)
{
	static char head[HTTP_HEAD_MAX + 64];
	struct drive d;
	size_t at = strlen(GET) - 2;

	memcpy(head, GET, at);
	memcpy(head + at, "A: ", 3);
	memset(head + at + 3, 'x', sizeof(head) - at - 3);
	memcpy(head + HTTP_HEAD_MAX - 4, "\r\n\r\n", 4);
	drive_init(&d, HTTP_TRANSPARENT, 0);
	drive(&d, head, HTTP_HEAD_MAX, 1000);
	assert_int_equal(d.step, HTTP_JUDGE);
	drive_free(&d);

	memset(head + HTTP_HEAD_MAX - 4, 'x', 4);
	memcpy(head + HTTP_HEAD_MAX - 3, "\r\n\r\n", 4);
	for (size_t chunk = 999; chunk < sizeof(head); chunk *= 9) {
		drive_init(&d, HTTP_TRANSPARENT, 0);
		drive(&d, head, HTTP_HEAD_MAX + 1, chunk);
		assert_int_equal(d.step, HTTP_BAD);
		drive_free(&d);
	}
}

static void test_many_headers(void **state)
{
	for (int extra = 0; extra < 2; extra++) {
		_cleanup_buf_ struct buf b = BUF_INIT(1 << 20);
		struct drive d;

		(void)buf_adds(&b, "GET / HTTP/1.1\r\n" HOST);
		for (int i = 0; i < HTTP_HEADERS_MAX - 1 + extra; i++)
			(void)buf_addf(&b, "H%d: x\r\n", i);
		(void)buf_adds(&b, "\r\n");
		drive_init(&d, HTTP_TRANSPARENT, 0);
		drive(&d, b.data, b.len, b.len);
		assert_int_equal(d.step, extra ? HTTP_BAD : HTTP_JUDGE);
		drive_free(&d);
	}
}

static void test_long_chunk_parts(void **state)
{
	static char extension[20000], trailer[20000];
	_cleanup_buf_ struct buf b = BUF_INIT(1 << 20);
	struct drive d;

	memset(extension, 'e', sizeof(extension) - 1);
	memset(trailer, 't', sizeof(trailer) - 1);
	(void)buf_addf(&b, CHUNKED "1;%s\r\na\r\n0\r\n\r\n", extension);
	drive_init(&d, HTTP_TRANSPARENT, 0);
	drive(&d, b.data, b.len, 100);
	assert_int_equal(d.step, HTTP_BAD);
	drive_free(&d);
	buf_free(&b);
	b = BUF_INIT(1 << 20);
	(void)buf_addf(&b, CHUNKED "0\r\nX: %s\r\n\r\n", trailer);
	drive_init(&d, HTTP_TRANSPARENT, 0);
	drive(&d, b.data, b.len, 100);
	assert_int_equal(d.step, HTTP_BAD);
	drive_free(&d);
}

/* ---- leaving HTTP ------------------------------------------------------- */

#define WEBSOCKET                                                                   \
	"GET /ws HTTP/1.1\r\n" HOST "Upgrade: websocket\r\nConnection: Upgrade\r\n" \
	"Sec-WebSocket-Key: x\r\n\r\n"

static void test_upgrade(void **state)
{
	struct drive d;

	/* What the client sends before the server agreed stays here. */
	drive_init(&d, HTTP_TRANSPARENT, 0);
	drive(&d, WEBSOCKET "\x81\x80", strlen(WEBSOCKET) + 2, 7);
	assert_int_equal(d.step, HTTP_WAIT);
	assert_int_equal(d.sent.len, strlen(WEBSOCKET));
	assert_true(http_request(d.h)->upgrade && !http_request(d.h)->rewrite);
	http_switched(d.h, true);
	drive(&d, "\x81\x80\0\n\r", 5, 2);
	assert_int_equal(d.step, HTTP_OPAQUE);
	assert_int_equal(d.sent.len, strlen(WEBSOCKET) + 5);
	drive_free(&d);

	/* Refused by the server: HTTP goes on, judged as before, and a second try is not asked. */
	drive_init(&d, HTTP_TRANSPARENT, 0);
	d.switched = 0;
	drive(&d, WEBSOCKET GET WEBSOCKET, 2 * strlen(WEBSOCKET) + strlen(GET), 50);
	assert_string_equal(d.seen.data,
			    "GET example.com:80 /ws;GET example.com:80 /;GET example.com:80 /ws;");
	assert_true(!http_request(d.h)->upgrade && http_request(d.h)->rewrite);
	drive_free(&d);

	/* Answered before the body was all there. */
	drive_init(&d, HTTP_TRANSPARENT, 0);
	drive(&d, POST "Upgrade: tcp\r\nContent-Length: 3\r\n\r\na",
	      strlen(POST "Upgrade: tcp\r\nContent-Length: 3\r\n\r\na"), 9);
	assert_int_equal(d.step, HTTP_SEND);
	http_switched(d.h, true);
	drive(&d, "bc\xff", 3, 1);
	assert_int_equal(d.step, HTTP_OPAQUE);
	drive_free(&d);
}

static void test_h2(void **state)
{
	static const char preface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
	struct drive d;

	for (size_t chunk = 1; chunk < sizeof(preface); chunk++) {
		drive_init(&d, HTTP_TRANSPARENT, 0);
		drive(&d, preface, sizeof(preface) - 1, chunk);
		assert_int_equal(d.step, HTTP_H2);
		assert_int_equal(d.sent.len, 0);
		drive_free(&d);
	}
	drive_init(&d, HTTP_TRANSPARENT, 0);
	drive(&d, GET "PRI * HTTP/2.0\r\n", strlen(GET) + 16, 11);
	assert_int_equal(d.step, HTTP_H2);
	drive_free(&d);
}

static void test_spliced_body(void **state)
{
	static const char head[] = POST "Content-Length: 10\r\n\r\n";
	struct drive d;

	drive_init(&d, HTTP_TRANSPARENT, 0);
	assert_int_equal(http_body_left(d.h), 0);
	drive(&d, head, sizeof(head) - 1, sizeof(head));
	assert_int_equal(http_body_left(d.h), 10);
	drive(&d, "ab", 2, 2);
	assert_int_equal(http_body_left(d.h), 8);
	http_skip(d.h, 7);
	assert_int_equal(http_body_left(d.h), 1);
	http_skip(d.h, 1);
	assert_int_equal(http_body_left(d.h), 0);
	drive(&d, GET, strlen(GET), 100);
	assert_string_equal(d.seen.data, "POST example.com:80 /;GET example.com:80 /;");
	drive_free(&d);
}

static void test_facts(void **state)
{
	static const char none[] = "GET / HTTP/1.0\r\nExpect: 101\r\nX: close\r\n\r\n";
	static const char escape[] = "HEAD /\x1b HTTP/1.1\r\n" HOST "\r\n";
	static const char all[] = "HEAD /x HTTP/1.1\r\nHost: a.b:81\r\nConnection: x , CLOSE\r\n"
				  "Expect: 100-Continue\r\n\r\n";
	struct drive d;
	const struct http_request *q;

	drive_init(&d, HTTP_TRANSPARENT, 0);
	drive(&d, escape, sizeof(escape) - 1, sizeof(escape));
	assert_int_equal(d.step, HTTP_BAD);
	drive_free(&d);

	drive_init(&d, HTTP_TRANSPARENT, 0);
	q = http_request(d.h);
	drive(&d, none, sizeof(none) - 1, sizeof(none));
	assert_int_equal(d.step, HTTP_JUDGE);
	assert_false(q->head || q->close || q->expect_continue || q->has_port || q->connect ||
		     q->has_host || q->upgrade || q->rewrite);
	drive_free(&d);

	drive_init(&d, HTTP_TRANSPARENT, 0);
	q = http_request(d.h);
	drive(&d, all, sizeof(all) - 1, sizeof(all));
	assert_int_equal(d.step, HTTP_JUDGE);
	assert_true(q->head && q->close && q->expect_continue && q->has_port && !q->connect);
	assert_int_equal(q->port, 81);
	assert_int_equal(q->minor, 1);
	assert_int_equal(q->number, 0);
	drive_free(&d);
}

/* ---- every sequence of these up to a length ----------------------------- */

#define LINE "GET / HTTP/1.1\r\n"
static const char *const words[] = { LINE,
				     "Host: a\r\n",
				     "Content-Length: 1\r\n",
				     "Transfer-Encoding: chunked\r\n",
				     "\r\n",
				     "x",
				     "0\r\n\r\n",
				     "1\r\nx\r\n" };

static size_t begins(const char *s, const char *with)
{
	return str_starts(s, with) ? strlen(with) : 0;
}

/* The body's end, NULL: it is not all there, or not well formed. */
static const char *skip_body(const char *s, bool length, bool chunked)
{
	if (length)
		return *s ? s + 1 : NULL;
	while (chunked) {
		if (begins(s, words[6]))
			return s + strlen(words[6]);
		if (!begins(s, "1\r\n") || !s[3] || !begins(s + 4, "\r\n"))
			return NULL;
		s += 6;
	}
	return s;
}

/* How many requests a text made of the words begins with; read from the whole of it. */
static unsigned reference(const char *s)
{
	unsigned n = 0;

	while (s && begins(s, LINE)) {
		unsigned count[3] = { 0 };

		s += strlen(LINE);
		while (!begins(s, "\r\n")) {
			size_t name = strspn(s, "x"), len = 0, i;

			for (i = 0; i < 3 && len == 0; i++)
				len = begins(s + name, words[i + 1]);
			if (len == 0)
				return n;
			if (name == 0)
				count[i - 1]++;
			s += name + len;
		}
		s += 2;
		if (count[0] != 1 || count[1] > 1 || count[2] > 1 || (count[1] && count[2]))
			return n;
		n++;
		s = skip_body(s, count[1], count[2]);
	}
	return n;
}

static unsigned requests_of(const char *text)
{
	const uint8_t *p = (const uint8_t *)text;
	size_t len = strlen(text), n;
	struct http *h = NULL;
	unsigned count = 0;
	enum http_step step;

	assert_int_equal(http_new(HTTP_TRANSPARENT, 0, &h), 0);
	while ((step = http_next(h, p, len, &n)) == HTTP_JUDGE || step == HTTP_SEND) {
		if (step == HTTP_JUDGE) {
			count++;
			http_accept(h);
		}
		p += n;
		len -= n;
	}
	http_free(h);
	return count;
}

static void test_exhaustive(void **state)
{
	size_t total = 0;
	unsigned most = 0;

	for (size_t len = 1; len <= 6; len++) {
		size_t combos = 1;

		for (size_t i = 0; i < len; i++)
			combos *= ARRAY_SIZE(words);
		for (size_t c = 0; c < combos; c++, total++) {
			char text[256] = "";
			size_t rest = c, at = 0;
			unsigned want, got;

			/* The first is always a request's line. */
			for (size_t i = 0; i <= len; i++) {
				const char *word = i ? words[rest % ARRAY_SIZE(words)] : LINE;
				size_t n = strlen(word);

				memcpy(text + at, word, n + 1);
				at += n;
				if (i)
					rest /= ARRAY_SIZE(words);
			}
			want = reference(text);
			got = requests_of(text);
			if (want != got)
				fail_msg("%u requests, want %u: %s", got, want, text);
			if (got > most)
				most = got;
		}
	}
	print_message("# %zu texts, at most %u requests\n", total, most);
	assert_int_equal(most, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),	     cmocka_unit_test(test_refused),
		cmocka_unit_test(test_held),	     cmocka_unit_test(test_long_heads),
		cmocka_unit_test(test_many_headers), cmocka_unit_test(test_long_chunk_parts),
		cmocka_unit_test(test_upgrade),	     cmocka_unit_test(test_h2),
		cmocka_unit_test(test_spliced_body), cmocka_unit_test(test_facts),
		cmocka_unit_test(test_exhaustive),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/str.h"
#include "egress/hello.h"

struct bytes {
	uint8_t b[HELLO_MAX + 4096];
	size_t len;
};

static void add(struct bytes *m, const void *data, size_t n)
{
	assert_true(m->len + n <= sizeof(m->b));
	memcpy(m->b + m->len, data, n);
	m->len += n;
}

#define ADD(m, text) add(m, text, sizeof(text) - 1)

static void add16(struct bytes *m, size_t v)
{
	add(m, (const uint8_t[]){ (uint8_t)(v >> 8), (uint8_t)v }, 2);
}

static void add_sni(struct bytes *m, const char *name, size_t n)
{
	add16(m, 0);
	add16(m, n + 5);
	add16(m, n + 3);
	ADD(m, "\0");
	add16(m, n);
	add(m, name, n);
}

#define SNI(m, name) add_sni(m, name, sizeof(name) - 1)

/* The handshake message around these extensions; NULL: a hello without any. */
static void hello_message(struct bytes *m, const struct bytes *exts)
{
	size_t n = 2 + 32 + 1 + 4 + 2 + 2 + 2 + (exts ? 2 + exts->len : 0);
	static const uint8_t random[32];

	m->len = 0;
	add(m, (const uint8_t[]){ 1, (uint8_t)(n >> 16), (uint8_t)(n >> 8), (uint8_t)n }, 4);
	ADD(m, "\3\3");
	add(m, random, sizeof(random));
	ADD(m, "\4sess\0\2\x13\1\1\0");
	if (exts) {
		add16(m, exts->len);
		add(m, exts->b, exts->len);
	}
}

/* In records of at most n bytes. */
static void records(struct bytes *m, const struct bytes *msg, size_t n)
{
	for (size_t at = 0; at < msg->len; at += n) {
		size_t part = msg->len - at < n ? msg->len - at : n;

		ADD(m, "\x16\3\1");
		add16(m, part);
		add(m, msg->b + at, part);
	}
}

static enum hello_result feed_exact(struct hello *h, const uint8_t *data, size_t len)
{
	_cleanup_free_ uint8_t *exact = malloc(len ? len : 1);

	memcpy(exact, data, len);
	return hello_feed(h, exact, len);
}

/* All at once, byte by byte, and every prefix is HELLO_MORE. */
static enum hello_result read_all(const uint8_t *data, size_t len, struct hello *ret)
{
	struct hello one;
	enum hello_result r;

	hello_init(ret, false);
	r = feed_exact(ret, data, len);
	hello_init(&one, false);
	for (size_t i = 0; i < len; i++) {
		enum hello_result step = feed_exact(&one, data + i, 1);

		if (step != HELLO_MORE) {
			assert_int_equal(i + 1, ret->fed);
			break;
		}
	}
	assert_int_equal(one.result, r);
	assert_string_equal(one.host.name, ret->host.name);
	return r;
}

static struct bytes msg, exts, wire;

static enum hello_result read_exts(struct hello *h)
{
	hello_message(&msg, &exts);
	wire.len = 0;
	records(&wire, &msg, 16384);
	return read_all(wire.b, wire.len, h);
}

static void test_name(void **state)
{
	struct hello h;

	exts.len = 0;
	ADD(&exts, "\x2a\x2a\0\0"); /* GREASE */
	SNI(&exts, "WWW.Example.COM");
	ADD(&exts, "\0\x10\0\5\0\3\2h2");
	assert_int_equal(read_exts(&h), HELLO_NAME);
	assert_string_equal(h.host.name, "www.example.com");
	assert_int_equal(h.version, 0x0303);
	assert_false(h.ech);
	assert_int_equal(h.fed, wire.len);
}

/* A filter that looks at the first record, or segment, only does not see the name. */
static void test_split_records(void **state)
{
	struct hello h;

	exts.len = 0;
	SNI(&exts, "split.example.com");
	hello_message(&msg, &exts);
	for (size_t n = 1; n <= msg.len; n++) {
		wire.len = 0;
		records(&wire, &msg, n);
		assert_int_equal(read_all(wire.b, wire.len, &h), HELLO_NAME);
		assert_string_equal(h.host.name, "split.example.com");
	}
}

static void test_without_name(void **state)
{
	struct hello h;

	exts.len = 0;
	assert_int_equal(read_exts(&h), HELLO_NO_NAME);
	ADD(&exts, "\0\x10\0\5\0\3\2h2");
	assert_int_equal(read_exts(&h), HELLO_NO_NAME);
	hello_message(&msg, NULL);
	wire.len = 0;
	records(&wire, &msg, 100);
	assert_int_equal(read_all(wire.b, wire.len, &h), HELLO_NO_NAME);
}

static void test_ech(void **state)
{
	struct hello h;

	exts.len = 0;
	SNI(&exts, "public.example");
	ADD(&exts, "\xfe\x0d\0\3abc");
	assert_int_equal(read_exts(&h), HELLO_NAME);
	assert_true(h.ech);
}

static const struct {
	const char *what, *exts;
	size_t len;
} odd_exts[] = {
#define R(what, exts)                        \
	{                                    \
		what, exts, sizeof(exts) - 1 \
	}
#define A "\0\0\0\6\0\4\0\0\1a"
	R("two server_name", A A),
	R("two names", "\0\0\0\x0a\0\x08\0\0\1a\0\0\1b"),
	R("no name in the list", "\0\0\0\2\0\0"),
	R("empty extension", "\0\0\0\0"),
	R("empty name", "\0\0\0\5\0\3\0\0\0"),
	R("unknown type", "\0\0\0\6\0\4\1\0\1a"),
	R("list shorter than the extension", "\0\0\0\7\0\4\0\0\1a\0"),
	R("list longer than the extension", "\0\0\0\6\0\5\0\0\1a"),
	R("name longer than the list", "\0\0\0\6\0\4\0\0\2a"),
	R("name shorter than the list", "\0\0\0\7\0\5\0\0\1ab"),
	R("NUL in the name", "\0\0\0\7\0\5\0\0\2a\0"),
	R("dot at the start", "\0\0\0\7\0\5\0\0\2.a"),
	R("blank in the name", "\0\0\0\x08\0\6\0\0\3a b"),
	R("slash in the name", "\0\0\0\x08\0\6\0\0\3a/b"),
	R("extension beyond the end", "\0\x10\0\4\0\3\2"),
	R("half an extension", "\0\x10\0"),
	R("a lone byte", "\0"),
#undef A
};

static void test_bad_extensions(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(odd_exts); i++) {
		struct hello h;

		print_message("# %s\n", odd_exts[i].what);
		exts.len = 0;
		add(&exts, odd_exts[i].exts, odd_exts[i].len);
		assert_int_equal(read_exts(&h), HELLO_BAD);
		assert_non_null(h.why);
	}
}

static void test_long_name(void **state)
{
	char name[300];
	struct hello h;

	for (size_t i = 0; i < sizeof(name); i++)
		name[i] = i % 50 == 49 ? '.' : 'a';
	exts.len = 0;
	add_sni(&exts, name, HOST_MAX);
	assert_int_equal(read_exts(&h), HELLO_NAME);
	exts.len = 0;
	add_sni(&exts, name, HOST_MAX + 2);
	assert_int_equal(read_exts(&h), HELLO_BAD);
	exts.len = 0;
	add_sni(&exts, name, sizeof(name));
	assert_int_equal(read_exts(&h), HELLO_BAD);
}

static const struct {
	const char *what, *bytes;
	size_t len;
	enum hello_result result;
} starts[] = {
#undef R
#define R(what, bytes, result)                         \
	{                                              \
		what, bytes, sizeof(bytes) - 1, result \
	}
	R("nothing", "", HELLO_MORE),
	R("HTTP", "GET / HTTP/1.1\r\n", HELLO_NOT_TLS),
	R("SSH", "SSH-2.0-x\r\n", HELLO_NOT_TLS),
	R("PostgreSQL", "\0\0\0\x08\x04\xd2\x16\x2f", HELLO_NOT_TLS),
	R("MySQL", "\x16\x20\0\1", HELLO_NOT_TLS),
	R("0x16 of another protocol", "\x16\xff\0\0", HELLO_NOT_TLS),
	R("version 2", "\x16\2\0\0\5", HELLO_BAD),
	R("version 4, which some take", "\x16\4\1\0\5", HELLO_BAD),
	R("alert first, which some read past", "\x15\3\1\0\2\1\0", HELLO_BAD),
	R("alert of version 0", "\x15\0\1\0\2\1\0", HELLO_BAD),
	R("ChangeCipherSpec first", "\x14\3\1\0\1\1", HELLO_BAD),
	R("application data first", "\x17\3\3\0\1x", HELLO_BAD),
	R("heartbeat first", "\x18\3\2\0\3\1\x40\0", HELLO_BAD),
	R("empty record", "\x16\3\1\0\0", HELLO_BAD),
	R("too long a record", "\x16\3\1\x40\1", HELLO_BAD),
	R("longest record", "\x16\3\1\x40\0", HELLO_MORE),
	R("ServerHello", "\x16\3\1\0\5\2", HELLO_BAD),
	R("HelloRequest", "\x16\3\1\0\4\0", HELLO_BAD),
	R("alert in between", "\x16\3\1\0\2\1\0\x15", HELLO_BAD),
	R("other version in the next record", "\x16\3\1\0\2\1\0\x16\2", HELLO_BAD),
	R("hello of no bytes", "\x16\3\1\0\4\1\0\0\0", HELLO_BAD),
	R("hello version 4", "\x16\3\1\0\x50\1\0\0\x40\4\0", HELLO_BAD),
	R("SSL 2.0 hello", "\x80\x2e\1\0\2\0\x15", HELLO_BAD),
	R("SSL 2.0 hello for TLS", "\x80\x2e\1\3\1\0\x15", HELLO_BAD),
	R("0x80 of another protocol", "\x80\x2e\2\3\1", HELLO_NOT_TLS),
	R("0x80, no version", "\x80\x2e\1\7\1", HELLO_NOT_TLS),
};

static void test_starts(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(starts); i++) {
		struct hello h;

		print_message("# %s\n", starts[i].what);
		assert_int_equal(read_all((const uint8_t *)starts[i].bytes, starts[i].len, &h),
				 starts[i].result);
	}
}

/* One byte of a good hello changed to each value: a length that is off by one anywhere is
 * noticed, and nothing is read beyond the end. */
static void test_flipped(void **state)
{
	static const size_t lengths[] = { 3, 4, 6, 7, 8, 43, 48, 49, 52, 54, 55 };
	struct hello h;

	exts.len = 0;
	SNI(&exts, "a.example");
	hello_message(&msg, &exts);
	wire.len = 0;
	records(&wire, &msg, 16384);
	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		uint8_t was = wire.b[lengths[i]];

		for (unsigned v = 0; v < 256; v++) {
			wire.b[lengths[i]] = (uint8_t)v;
			if (v == was)
				continue;
			if (read_all(wire.b, wire.len, &h) == HELLO_NAME)
				fail_msg("byte %zu as %u", lengths[i], v);
		}
		wire.b[lengths[i]] = was;
	}
	assert_int_equal(read_all(wire.b, wire.len, &h), HELLO_NAME);
}

/* Vectors that TLS bounds more narrowly than their length bytes do. */
static void test_bounds(void **state)
{
	static const struct {
		const char *what, *vectors;
		size_t len;
		enum hello_result result;
	} rows[] = {
#undef R
#define R(what, vectors, result) { what, vectors, sizeof(vectors) - 1, result }
#define L32    \
	"\x20" \
	"abcdefghijklmnopqrstuvwxyz012345"
		R("as it should be", "\0\0\2\x13\1\1\0", HELLO_NO_NAME),
		R("longest session id", L32 "\0\2\x13\1\1\0", HELLO_NO_NAME),
		R("longer session id",
		  "\x21"
		  "abcdefghijklmnopqrstuvwxyz0123456"
		  "\0\2\x13\1\1\0",
		  HELLO_BAD),
		R("no ciphers", "\0\0\0\1\0", HELLO_BAD),
		R("half a cipher", "\0\0\3\x13\1\2\1\0", HELLO_BAD),
		R("no compression", "\0\0\2\x13\1\0", HELLO_BAD),
		R("all compressions", "\0\0\2\x13\1\2\1\0", HELLO_NO_NAME),
		R("a byte behind", "\0\0\2\x13\1\1\0\0", HELLO_BAD),
#undef L32
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		static const uint8_t random[32];
		size_t n = 2 + sizeof(random) + rows[i].len;
		struct hello h;

		print_message("# %s\n", rows[i].what);
		msg.len = wire.len = 0;
		add(&msg, (const uint8_t[]){ 1, 0, 0, (uint8_t)n }, 4);
		ADD(&msg, "\3\1");
		add(&msg, random, sizeof(random));
		add(&msg, rows[i].vectors, rows[i].len);
		records(&wire, &msg, 16384);
		assert_int_equal(read_all(wire.b, wire.len, &h), rows[i].result);
	}
}

static void test_behind(void **state)
{
	struct hello h;

	exts.len = 0;
	SNI(&exts, "a.example");
	hello_message(&msg, &exts);
	/* Another message in the same record: a client has nothing to say there. */
	ADD(&msg, "\1\0\0\0");
	wire.len = 0;
	records(&wire, &msg, 16384);
	assert_int_equal(read_all(wire.b, wire.len, &h), HELLO_BAD);
	/* Early data, in records of its own, is none of our business. */
	hello_message(&msg, &exts);
	wire.len = 0;
	records(&wire, &msg, 16384);
	ADD(&wire, "\x14\3\3\0\1\1\x17\3\3\0\1x");
	assert_int_equal(read_all(wire.b, wire.len, &h), HELLO_NAME);
	assert_int_equal(h.fed, wire.len - 12);
}

static void test_bounded(void **state)
{
	struct hello h;

	/* One-byte records of a hello that never ends. */
	exts.len = 0;
	while (exts.len < 50000)
		ADD(&exts, "\x2a\x2a\0\4abcd");
	hello_message(&msg, &exts);
	wire.len = 0;
	for (size_t i = 0; wire.len + 6 < sizeof(wire.b); i++) {
		ADD(&wire, "\x16\3\1\0\1");
		add(&wire, msg.b + i, 1);
	}
	hello_init(&h, false);
	assert_int_equal(hello_feed(&h, wire.b, HELLO_MAX), HELLO_MORE);
	assert_int_equal(hello_feed(&h, wire.b + HELLO_MAX, 1), HELLO_BAD);
}

static void test_again(void **state)
{
	struct hello h;

	exts.len = 0;
	SNI(&exts, "second.example");
	hello_message(&msg, &exts);
	wire.len = 0;
	ADD(&wire, "\x14\3\3\0\1\1");
	records(&wire, &msg, 30);
	hello_init(&h, true);
	assert_int_equal(hello_feed(&h, wire.b, wire.len), HELLO_NAME);
	assert_string_equal(h.host.name, "second.example");
	/* Without ChangeCipherSpec too; not with two, nor with a strange one. */
	hello_init(&h, true);
	assert_int_equal(hello_feed(&h, wire.b + 6, wire.len - 6), HELLO_NAME);
	hello_init(&h, true);
	assert_int_equal(hello_feed(&h, (const uint8_t *)"\x14\3\3\0\1\1\x14", 7), HELLO_BAD);
	hello_init(&h, true);
	assert_int_equal(hello_feed(&h, (const uint8_t *)"\x14\3\3\0\1\2", 6), HELLO_BAD);
	hello_init(&h, true);
	assert_int_equal(hello_feed(&h, (const uint8_t *)"\x14\3\3\0\2\1\1", 7), HELLO_BAD);
}

static void test_retry(void **state)
{
	static const uint8_t retry[] = {
		0x16, 3,    3,	  0,	0x58, 2,    0,	  0,	0x54, 3,    3,
		0xcf, 0x21, 0xad, 0x74, 0xe5, 0x9a, 0x61, 0x11, 0xbe, 0x1d, 0x8c,
		0x02, 0x1e, 0x65, 0xb8, 0x91, 0xc2, 0xa2, 0x11, 0x16, 0x7a, 0xbb,
		0x8c, 0x5e, 0x07, 0x9e, 0x09, 0xe2, 0xc8, 0xa8, 0x33, 0x9c, 0x20,
	};
	uint8_t other[sizeof(retry)];

	for (size_t n = 0; n < HELLO_RETRY_LEN; n++)
		assert_int_equal(hello_retry_asked(retry, n), -EAGAIN);
	assert_int_equal(hello_retry_asked(retry, HELLO_RETRY_LEN), 1);
	assert_int_equal(hello_retry_asked(retry, sizeof(retry)), 1);
	for (size_t i = 0; i < HELLO_RETRY_LEN; i++) {
		bool fixed = i == 0 || i == 5 || i >= 11;

		memcpy(other, retry, sizeof(other));
		other[i] ^= 1;
		assert_int_equal(hello_retry_asked(other, sizeof(other)), !fixed);
		assert_int_equal(hello_retry_asked(other, i + 1), fixed ? 0 : -EAGAIN);
	}
}

static void test_alert(void **state)
{
	struct hello h = { .version = 0x0301 };
	uint8_t a[HELLO_ALERT_LEN];

	hello_alert(&h, a);
	assert_memory_equal(a, "\x15\3\1\0\2\2\x31", 7);
	h.version = 0x0303;
	hello_alert(&h, a);
	assert_memory_equal(a, "\x15\3\3\0\2\2\x31", 7);
	h.version = 0x0304;
	hello_alert(&h, a);
	assert_memory_equal(a, "\x15\3\3\0\2\2\x31", 7);
	h.version = 0;
	hello_alert(&h, a);
	assert_memory_equal(a, "\x15\3\1\0\2\2\x31", 7);
}

/* ---- every hello up to a length ----------------------------------------- */

/* The extensions by the letter of RFC 6066, recursively and from the whole: another way to
 * write the same grammar. 1: a name, 0: none, -1: bad. */
static int reference(const uint8_t *p, size_t len, char *name)
{
	int found = 0;

	while (len) {
		size_t n;

		if (len < 4)
			return -1;
		n = (size_t)(p[2] << 8 | p[3]);
		if (n > len - 4)
			return -1;
		if (p[0] == 0 && p[1] == 0) {
			const uint8_t *e = p + 4;

			if (found++ || n < 6 || (size_t)(e[0] << 8 | e[1]) != n - 2 || e[2] != 0 ||
			    (size_t)(e[3] << 8 | e[4]) != n - 5)
				return -1;
			memcpy(name, e + 5, n - 5);
			name[n - 5] = 0;
			if (strlen(name) != n - 5)
				return -1;
		}
		p += 4 + n;
		len -= 4 + n;
	}
	return found;
}

static void test_exhaustive(void **state)
{
	static const uint8_t alphabet[] = { 0, 1, 4, 6, 'a' };
	static const uint8_t head[] = { 0, 0, 0 };
	size_t total = 0;

	/* The first bytes of an extension server_name are given, the rest is everything. */
	for (size_t tail = 0; tail <= 8; tail++) {
		size_t combos = 1;

		for (size_t i = 0; i < tail; i++)
			combos *= ARRAY_SIZE(alphabet);
		for (size_t c = 0; c < combos; c++, total++) {
			char name[32] = "";
			struct hello h;
			size_t rest = c;
			int want;

			exts.len = 0;
			add(&exts, head, sizeof(head));
			for (size_t i = 0; i < tail; i++, rest /= ARRAY_SIZE(alphabet))
				add(&exts, &alphabet[rest % ARRAY_SIZE(alphabet)], 1);
			want = reference(exts.b, exts.len, name);
			hello_message(&msg, &exts);
			wire.len = 0;
			records(&wire, &msg, 16384);
			hello_init(&h, false);
			(void)hello_feed(&h, wire.b, wire.len);
			if (want > 0 && host_parse(name, strlen(name), &(struct host){ 0 }) < 0)
				want = -1;
			if (h.result != (want < 0 ? HELLO_BAD : want ? HELLO_NAME : HELLO_NO_NAME))
				fail_msg("result %d, want %d: %zu of %zu bytes", h.result, want, c,
					 tail);
			if (want > 0 && !streq(h.host.name, name))
				fail_msg("name '%s', want '%s'", h.host.name, name);
		}
	}
	print_message("# %zu hellos\n", total);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_name),	       cmocka_unit_test(test_split_records),
		cmocka_unit_test(test_without_name),   cmocka_unit_test(test_ech),
		cmocka_unit_test(test_bad_extensions), cmocka_unit_test(test_long_name),
		cmocka_unit_test(test_starts),	       cmocka_unit_test(test_flipped),
		cmocka_unit_test(test_bounds),	       cmocka_unit_test(test_behind),
		cmocka_unit_test(test_bounded),	       cmocka_unit_test(test_again),
		cmocka_unit_test(test_retry),	       cmocka_unit_test(test_alert),
		cmocka_unit_test(test_exhaustive),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

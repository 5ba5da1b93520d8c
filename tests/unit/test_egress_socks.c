/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "base/str.h"
#include "egress/socks.h"
#include "egress/ssh_note.h"

/* Runs a whole client's bytes through, chunk bytes at a time; what is sent back is gathered
 * in sent. Ends at the first step that is neither MORE nor SEND, or when all is used. */
struct run {
	struct socks s;
	enum socks_step step;
	uint8_t sent[64];
	size_t sent_len, used;
};

static void run(struct run *r, const void *bytes, size_t len, size_t chunk)
{
	const uint8_t *p = bytes;
	size_t have = 0, n;

	memset(r, 0, sizeof(*r));
	for (;;) {
		_cleanup_free_ uint8_t *exact = malloc(have - r->used + 1);

		memcpy(exact, p + r->used, have - r->used);
		r->step = socks_next(&r->s, exact, have - r->used, &n);
		assert_true(n <= have - r->used);
		r->used += n;
		memcpy(r->sent + r->sent_len, r->s.reply, r->s.reply_len);
		r->sent_len += r->s.reply_len;
		if (r->step == SOCKS_CONNECT || r->step == SOCKS_BAD)
			return;
		if (r->step == SOCKS_MORE && have == len)
			return;
		if (r->step == SOCKS_MORE)
			have = have + chunk > len ? len : have + chunk;
	}
}

static const struct {
	const char *what, *bytes;
	size_t len;
	enum socks_step step;
	const char *host;
	unsigned port;
	const char *sent;
	size_t sent_len;
} rows[] = {
#define R(what, bytes, step, host, port, sent)                                           \
	{                                                                                \
		what, bytes, sizeof(bytes) - 1, step, host, port, sent, sizeof(sent) - 1 \
	}
#define NO "\0\1\0\0\0\0\0\0"
	R("v4", "\5\1\0\5\1\0\1\x08\x08\x04\x04\1\xbb", SOCKS_CONNECT, "8.8.4.4", 443, "\5\0"),
	R("v6", "\5\1\0\5\1\0\4\x20\1\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\1\0\x16", SOCKS_CONNECT,
	  "2001:db8::1", 22, "\5\0"),
	R("v4 mapped", "\5\1\0\5\1\0\4\0\0\0\0\0\0\0\0\0\0\xff\xff\x7f\0\0\1\0\x50", SOCKS_CONNECT,
	  "127.0.0.1", 80, "\5\0"),
	R("name",
	  "\5\1\0\5\1\0\3\x0b"
	  "Example.COM\0\x50",
	  SOCKS_CONNECT, "example.com", 80, "\5\0"),
	R("address as a name",
	  "\5\1\0\5\1\0\3\6"
	  "0x7f.1\0\x50",
	  SOCKS_CONNECT, "127.0.0.1", 80, "\5\0"),
	R("both methods", "\5\2\2\0\5\1\0\1\1\2\3\4\0\1", SOCKS_CONNECT, "1.2.3.4", 1, "\5\0"),
	R("user and password", "\5\1\2\1\3bob\6secret\5\1\0\1\1\2\3\4\0\1", SOCKS_CONNECT,
	  "1.2.3.4", 1, "\5\2\1\0"),
	R("empty user and password", "\5\1\2\1\0\0\5\1\0\1\1\2\3\4\0\1", SOCKS_CONNECT, "1.2.3.4",
	  1, "\5\2\1\0"),
	R("bad auth version", "\5\1\2\5\0\0", SOCKS_BAD, "", 0, "\5\2\1\1"),
	R("only GSSAPI", "\5\1\1", SOCKS_BAD, "", 0, "\5\xff"),
	R("no methods", "\5\0", SOCKS_BAD, "", 0, "\5\xff"),
	R("BIND", "\5\1\0\5\2\0\1\1\2\3\4\0\1", SOCKS_BAD, "", 0, "\5\0\5\7" NO),
	R("UDP", "\5\1\0\5\3\0\1\0\0\0\0\0\0", SOCKS_BAD, "", 0, "\5\0\5\7" NO),
	R("command 0", "\5\1\0\5\0\0\1\0\0\0\0\0\0", SOCKS_BAD, "", 0, "\5\0\5\7" NO),
	R("kind of address", "\5\1\0\5\1\0\2\0\0\0\0\0\0", SOCKS_BAD, "", 0, "\5\0\5\x08" NO),
	R("reserved byte", "\5\1\0\5\1\1\1\0\0\0\0\0\0", SOCKS_BAD, "", 0, "\5\0\5\1" NO),
	R("version changes", "\5\1\0\4\1\0\1\0\0\0\0\0\0", SOCKS_BAD, "", 0, "\5\0\5\1" NO),
	R("empty name", "\5\1\0\5\1\0\3\0\0\x50", SOCKS_BAD, "", 0, "\5\0\5\1" NO),
	R("NUL in a name", "\5\1\0\5\1\0\3\3a\0b\0\x50", SOCKS_BAD, "", 0, "\5\0\5\1" NO),
	R("name with a line end", "\5\1\0\5\1\0\3\4a\r\nb\0\x50", SOCKS_BAD, "", 0, "\5\0\5\1" NO),
	R("unfinished",
	  "\5\1\0\5\1\0\3\x0b"
	  "example.co",
	  SOCKS_MORE, "", 0, "\5\0"),
	R("greeting unfinished", "\5\3\0\1", SOCKS_MORE, "", 0, ""),
	R("4", "\4\1\0\x50\x08\x08\x04\x04me\0", SOCKS_CONNECT, "8.8.4.4", 80, ""),
	R("4, no user", "\4\1\0\x50\x08\x08\x04\x04\0", SOCKS_CONNECT, "8.8.4.4", 80, ""),
	R("4a", "\4\1\0\x50\0\0\0\1me\0Example.com\0", SOCKS_CONNECT, "example.com", 80, ""),
	R("4 to 0.0.0.0", "\4\1\0\x50\0\0\0\0me\0", SOCKS_CONNECT, "0.0.0.0", 80, ""),
	R("4a, empty name", "\4\1\0\x50\0\0\0\1me\0\0", SOCKS_BAD, "", 0, "\0\x5b\0\0\0\0\0\0"),
	R("4 BIND", "\4\2\0\x50\x08\x08\x04\x04\0", SOCKS_BAD, "", 0, "\0\x5b\0\0\0\0\0\0"),
	R("4a unfinished", "\4\1\0\x50\0\0\0\1me\0exam", SOCKS_MORE, "", 0, ""),
	R("no SOCKS", "GET / HTTP/1.1\r\n", SOCKS_BAD, "", 0, ""),
	R("version 6", "\6\1\0", SOCKS_BAD, "", 0, ""),
};

static void test_clients(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		for (size_t chunk = 1; chunk <= rows[i].len; chunk++) {
			struct run r;

			run(&r, rows[i].bytes, rows[i].len, chunk);
			if (r.step != rows[i].step || r.sent_len != rows[i].sent_len ||
			    memcmp(r.sent, rows[i].sent, r.sent_len) != 0)
				fail_msg("%s: step %d, %zu sent, by %zu", rows[i].what, r.step,
					 r.sent_len, chunk);
			if (r.step == SOCKS_CONNECT) {
				assert_string_equal(r.s.host.name, rows[i].host);
				assert_int_equal(r.s.port, rows[i].port);
				assert_int_equal(r.used, rows[i].len);
			}
			if (r.step == SOCKS_BAD)
				assert_non_null(r.s.why);
		}
	}
}

/* What a client sends in advance stays the client's. */
static void test_behind(void **state)
{
	static const char bytes[] = "\5\1\0\5\1\0\1\1\2\3\4\0\1SSH-2.0-x\r\n";
	struct run r;

	run(&r, bytes, sizeof(bytes) - 1, sizeof(bytes));
	assert_int_equal(r.step, SOCKS_CONNECT);
	assert_int_equal(r.used, 13);
}

static void test_bounded(void **state)
{
	uint8_t bytes[1024];
	struct run r;

	memset(bytes, 'a', sizeof(bytes));
	memcpy(bytes, "\4\1\0\x50\0\0\0\1", 8);
	run(&r, bytes, sizeof(bytes), 1);
	assert_int_equal(r.step, SOCKS_BAD);
	bytes[8] = 0;
	run(&r, bytes, sizeof(bytes), 1);
	assert_int_equal(r.step, SOCKS_BAD);
	/* SOCKS_MAX bytes are enough for every message. */
	memcpy(bytes, "\5\1\2\1\xff", 5);
	bytes[260] = 0xff;
	run(&r, bytes, 3 + SOCKS_MAX, 3 + SOCKS_MAX);
	assert_int_not_equal(r.step, SOCKS_MORE);
	assert_memory_equal(r.sent, "\5\2\1\0", 4);
}

static void test_replies(void **state)
{
	static const struct {
		int err;
		uint8_t v5, v4;
	} codes[] = {
		{ 0, 0, 90 },
		{ -EACCES, 2, 91 },
		{ -EPERM, 2, 91 },
		{ -ENETUNREACH, 3, 91 },
		{ -EHOSTUNREACH, 4, 91 },
		{ -ECONNREFUSED, 5, 91 },
		{ -ETIMEDOUT, 6, 91 },
		{ -EIO, 1, 91 },
	};
	uint8_t b[SOCKS_REPLY_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(codes); i++) {
		assert_int_equal(socks_reply(&(struct socks){ .version = 5 }, codes[i].err, b), 10);
		assert_int_equal(b[0], 5);
		assert_int_equal(b[1], codes[i].v5);
		assert_memory_equal(b + 2, "\0\1\0\0\0\0\0\0", 8);
		assert_int_equal(socks_reply(&(struct socks){ .version = 4 }, codes[i].err, b), 8);
		assert_int_equal(b[0], 0);
		assert_int_equal(b[1], codes[i].v4);
	}
}

/* ---- every request up to a length --------------------------------------- */

/* RFC 1928 4, from the whole message: 1 a request, 0 more is needed, -1 refused. */
static int reference(const uint8_t *p, size_t len)
{
	size_t want;

	if (len >= 1 && p[0] != 5)
		return -1;
	if (len < 5)
		return 0;
	if (p[1] != 1 || p[2] != 0 || (p[3] != 1 && p[3] != 3 && p[3] != 4))
		return -1;
	want = p[3] == 1 ? 10 : p[3] == 4 ? 22 : 7u + p[4];
	if (len < want)
		return 0;
	return p[3] == 3 && host_parse((const char *)p + 5, p[4], &(struct host){ 0 }) < 0 ? -1 : 1;
}

static void test_exhaustive(void **state)
{
	static const uint8_t alphabet[] = { 0, 1, 3, 5, 'a' };
	size_t total = 0;

	for (size_t len = 0; len <= 9; len++) {
		size_t combos = 1;

		for (size_t i = 0; i < len; i++)
			combos *= ARRAY_SIZE(alphabet);
		for (size_t c = 0; c < combos; c++, total++) {
			uint8_t b[16];
			struct socks s = { 0 };
			size_t rest = c, n;
			int got, want;

			(void)socks_next(&s, (const uint8_t *)"\5\1\0", 3, &n);
			for (size_t i = 0; i < len; i++, rest /= ARRAY_SIZE(alphabet))
				b[i] = alphabet[rest % ARRAY_SIZE(alphabet)];
			got = socks_next(&s, b, len, &n);
			want = reference(b, len);
			if ((got == SOCKS_CONNECT) != (want == 1) || (got == SOCKS_MORE) != !want)
				fail_msg("step %d, want %d: %zu of %zu bytes", got, want, c, len);
			if (n > len || s.reply_len > SOCKS_REPLY_MAX)
				fail_msg("%zu used of %zu", n, len);
		}
	}
	print_message("# %zu requests\n", total);
}

/* ---- a note to an SSH client -------------------------------------------- */

static void test_ssh_note(void **state)
{
	char reason[600];
	uint8_t b[SSH_NOTE_MAX];

	memset(reason, 'r', sizeof(reason));
	for (size_t len = 0; len < sizeof(reason); len++) {
		size_t n, packet, text;

		reason[len] = 0;
		n = ssh_note(reason, b);
		reason[len] = 'r';
		assert_true(n <= SSH_NOTE_MAX);
		assert_memory_equal(b, "SSH-2.0-berm\r\n", 14);
		packet = (size_t)(b[16] << 8 | b[17]);
		assert_int_equal(14 + 4 + packet, n);
		assert_int_equal((packet + 4) % 8, 0);
		assert_true(b[18] >= 4);
		assert_memory_equal(b + 19, "\1\0\0\0\1", 5);
		text = (size_t)(b[26] << 8 | b[27]);
		assert_int_equal(1 + 1 + 4 + 4 + text + 4 + b[18], packet);
		assert_true(text == len || (text < len && n > SSH_NOTE_MAX - 12));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_clients),	   cmocka_unit_test(test_behind),
		cmocka_unit_test(test_bounded),	   cmocka_unit_test(test_replies),
		cmocka_unit_test(test_exhaustive), cmocka_unit_test(test_ssh_note),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Event lines are read back with a strict JSON reader: what it takes, everyone takes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <time.h>

#include "base/fd.h"
#include "session/internal.h"
#include "base/json_out.h"

static struct rule rule_env = {
	.text = (char[]){ "deny-write **"
			  "/.env" },
	.access = ACCESS_READ,
	.origin = { "built-in data/secret-names", 12 },
};
static struct rule *rules[] = { &rule_env };
static struct writable_root roots[] = { { .path = (char[]){ "/ws" } } };
static char *argv0[] = { (char[]){ "true" }, NULL };

static struct spec spec = {
	.session = "b-0123456789abcdef",
	.profile = "agent",
	.roots = roots,
	.n_roots = 1,
	.rules = rules,
	.n_rules = 1,
	.argv = argv0,
};

static void record(struct record *r, int op, int nr, int rule, const char *target, const char *exe,
		   const char *reason)
{
	*r = (struct record){ 0 };
	r->h = (struct rec_header){
		.magic = REC_MAGIC,
		.type = REC_VIOLATION,
		.pid = 4242,
		.op = op,
		.nr = nr,
		.err = EACCES,
		.rule = rule,
		.count = 1,
		.target_len = (uint16_t)strlen(target),
		.exe_len = (uint16_t)strlen(exe),
		.reason_len = (uint16_t)strlen(reason),
	};
	memcpy(r->text, target, strlen(target));
	memcpy(r->text + strlen(target), exe, strlen(exe));
	memcpy(r->text + strlen(target) + strlen(exe), reason, strlen(reason));
}

/* A session whose events go to a temporary file. */
struct fixture {
	struct session *s;
	int fd;
};

static void fixture_open(struct fixture *f)
{
	char name[] = "/tmp/berm-test-XXXXXX", target[32];
	struct berm_err err;

	f->fd = mkstemp(name);
	assert_true(f->fd >= 0);
	(void)unlink(name);
	f->s = session_new(&spec);
	assert_non_null(f->s);
	(void)snprintf(target, sizeof(target), "fd:%d", f->fd);
	assert_int_equal(session_open_events(f->s, target, &err), 0);
}

/* The events as a JSON array. */
static json_t *fixture_read(struct fixture *f)
{
	_cleanup_free_ char *data = NULL;
	json_t *all = json_array();
	size_t len;

	session_free(f->s);
	assert_true(lseek(f->fd, 0, SEEK_SET) == 0);
	assert_int_equal(fd_read_all(f->fd, 4u << 20, &data, &len), 0);
	(void)close(f->fd);
	for (char *line = data, *nl; (nl = strchr(line, '\n')); line = nl + 1) {
		json_error_t e;
		json_t *o = json_loadb(line, (size_t)(nl - line), JSON_REJECT_DUPLICATES, &e);

		if (!o)
			fail_msg("%s: %.*s", e.text, (int)(nl - line), line);
		assert_int_equal(json_array_append_new(all, o), 0);
		if (!nl[1])
			return all;
	}
	return all;
}

static const char *text(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	if (!s)
		fail_msg("no member %s", key);
	return s;
}

static long long number(const json_t *o, const char *key)
{
	assert_true(json_is_integer(json_object_get(o, key)));
	return json_integer_value(json_object_get(o, key));
}

static void test_order(void **state)
{
	static const char *const names[] = { "starting", "ready",     "suspended", "resumed",
					     "degraded", "violation", "exit" };
	struct fixture f;
	struct record r;
	char name[] = "proc", *proc[] = { name };
	const struct strv lacks = { .v = proc, .n = 1 };
	json_t *all;

	(void)state;
	fixture_open(&f);
	session_starting(f.s, "native");
	session_tier(f.s, "container", &lacks, 6);
	session_ready(f.s, 99);
	session_suspended(f.s, true);
	session_suspended(f.s, false);
	session_degraded(f.s, "landlock", "kernel without it");
	record(&r, OP_CREATE, 257, 0, "/ws/.env", "/usr/bin/bash", "protected name");
	session_record(f.s, &r);
	session_end(f.s, &(struct session_end){ .status = 3 });
	all = fixture_read(&f);
	assert_int_equal(json_array_size(all), ARRAY_SIZE(names));
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const json_t *o = json_array_get(all, i);
		struct tm tm = { 0 };
		const char *rest = strptime(text(o, "t"), "%Y-%m-%dT%H:%M:%S", &tm);

		assert_string_equal(text(o, "event"), names[i]);
		assert_int_equal(number(o, "seq"), (long long)i + 1);
		assert_string_equal(text(o, "session"), "b-0123456789abcdef");
		assert_non_null(rest);
		assert_int_equal(strlen(rest), strlen(".123Z"));
	}
	assert_string_equal(text(json_array_get(all, 0), "backend"), "native");
	assert_string_equal(text(json_array_get(all, 1), "tier"), "container");
	assert_int_equal(number(json_array_get(all, 1), "landlock_abi"), 6);
	assert_string_equal(json_string_value(json_array_get(
				    json_object_get(json_array_get(all, 1), "lacks"), 0)),
			    "proc");
	assert_int_equal(number(json_array_get(all, 1), "pid"), 99);
	assert_int_equal(number(json_array_get(all, 6), "exit_code"), 3);
	json_decref(all);
}

static void test_violation(void **state)
{
	struct fixture f;
	struct record r;
	json_t *all, *o;

	(void)state;
	fixture_open(&f);
	record(&r, OP_CREATE, 257, 0, "/ws/.env", "/usr/bin/bash", "protected name");
	session_record(f.s, &r);
	record(&r, -1, 425, -1, "", "/usr/bin/x", "io_uring is not available");
	session_record(f.s, &r);
	all = fixture_read(&f);
	o = json_array_get(all, 0);
	assert_string_equal(text(o, "event"), "violation");
	assert_string_equal(text(o, "action"), "file-create");
	assert_string_equal(text(o, "target"), "/ws/.env");
	assert_string_equal(text(o, "exe"), "/usr/bin/bash");
	assert_string_equal(text(o, "syscall"), "openat");
	assert_string_equal(text(o, "rule"), rule_env.text);
	assert_string_equal(text(o, "origin"), "built-in data/secret-names:12");
	assert_int_equal(number(o, "pid"), 4242);
	assert_int_equal(number(o, "errno"), EACCES);
	assert_int_equal(number(o, "count"), 1);
	assert_true(json_is_string(json_object_get(o, "grant")));
	o = json_array_get(all, 1);
	assert_string_equal(text(o, "action"), "syscall");
	assert_string_equal(text(o, "target"), text(o, "syscall"));
	assert_string_equal(text(o, "rule"), "io_uring is not available");
	json_decref(all);
}

/* Rule numbers and operations come from outside the session: out of range is not
 * a reason to read past a table. */
static void test_hostile_record(void **state)
{
	struct fixture f;
	struct record r;
	json_t *all;

	(void)state;
	fixture_open(&f);
	record(&r, 9999, -5, 12345, "/x", "", "");
	session_record(f.s, &r);
	record(&r, -77, 1 << 30, -9, "", "", "");
	session_record(f.s, &r);
	r.h.type = 99;
	session_record(f.s, &r);
	all = fixture_read(&f);
	assert_int_equal(json_array_size(all), 2);
	json_decref(all);
}

static void test_storm(void **state)
{
	struct fixture f;
	struct record r;
	long long sum = 0;
	json_t *all;

	(void)state;
	fixture_open(&f);
	record(&r, OP_CREATE, 257, 0, "/ws/.env", "/usr/bin/bash", "no");
	for (int i = 0; i < 5000; i++)
		session_record(f.s, &r);
	session_end(f.s, &(struct session_end){ 0 });
	all = fixture_read(&f);
	assert_in_range(json_array_size(all), 3, 6);
	assert_int_equal(number(json_array_get(all, 0), "count"), 1);
	for (size_t i = 0; i + 1 < json_array_size(all); i++)
		sum += number(json_array_get(all, i), "count");
	assert_int_equal(sum, 5000);
	json_decref(all);
}

/* More kinds than the table holds: nothing is lost from the count. */
static void test_overflow(void **state)
{
	struct fixture f;
	struct record r;
	long long sum = 0, dropped = 0;
	json_t *all;

	(void)state;
	fixture_open(&f);
	for (int i = 0; i < 3000; i++) {
		char name[64];

		(void)snprintf(name, sizeof(name), "/ws/%d.key", i);
		record(&r, OP_CREATE, 257, 0, name, "/usr/bin/bash", "no");
		session_record(f.s, &r);
	}
	r.h.type = REC_DROPPED;
	r.h.count = 7;
	session_record(f.s, &r);
	session_end(f.s, &(struct session_end){ 0 });
	all = fixture_read(&f);
	for (size_t i = 0; i < json_array_size(all); i++) {
		const json_t *o = json_array_get(all, i);

		if (streq(text(o, "event"), "violation"))
			sum += number(o, "count");
		else if (streq(text(o, "event"), "dropped"))
			dropped += number(o, "count");
	}
	assert_int_equal(sum, DEDUP_SLOTS);
	assert_int_equal(sum + dropped, 3007);
	json_decref(all);
}

static void test_long_texts(void **state)
{
	static char name[4096];
	struct fixture f;
	struct record r;
	json_t *all;

	(void)state;
	fixture_open(&f);
	memset(name, 0xff, sizeof(name) - 1);
	name[0] = '/';
	record(&r, OP_CREATE, 257, 0, name, name, "no");
	session_record(f.s, &r);
	all = fixture_read(&f);
	assert_int_equal(json_array_size(all), 1);
	assert_int_equal(strlen(text(json_array_get(all, 0), "target_hex")), 2 * strlen(name));
	assert_int_equal(strlen(text(json_array_get(all, 0), "exe_hex")), 2 * strlen(name));
	json_decref(all);
}

static void test_ignored(void **state)
{
	struct fixture f;
	struct record r;
	json_t *all;

	(void)state;
	assert_int_equal(strv_add(&spec.ignore_violations, "file-create */.env"), 0);
	fixture_open(&f);
	record(&r, OP_CREATE, 257, 0, "/ws/.env", "x", "no");
	session_record(f.s, &r);
	record(&r, OP_CREATE, 257, 0, "/ws/.env2", "x", "no");
	session_record(f.s, &r);
	all = fixture_read(&f);
	strv_free(&spec.ignore_violations);
	assert_int_equal(json_array_size(all), 1);
	assert_string_equal(text(json_array_get(all, 0), "target"), "/ws/.env2");
	json_decref(all);
}

static void quoted(const char *bytes, size_t len, const char *want, bool clean)
{
	_cleanup_buf_ struct buf b = BUF_INIT(1000);
	json_t *v;

	assert_int_equal(json_quote(&b, bytes, len), clean);
	assert_string_equal(b.data, want);
	v = json_loadb(b.data, b.len, JSON_DECODE_ANY, NULL);
	assert_non_null(v);
	json_decref(v);
}

static void test_quote(void **state)
{
	(void)state;
	quoted("a\"b\\c", 5, "\"a\\\"b\\\\c\"", true);
	quoted("\n\t\r\x1b\x7f", 5, "\"\\n\\t\\u000d\\u001b\\u007f\"", true);
	quoted("h\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", 10,
	       "\"h\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"", true);
	quoted("\xc2\x9b", 2, "\"\\u009b\"", true);
	quoted("\xe2\x80\xae", 3, "\"\\u202e\"", true);
	quoted("\xe2\x80\x8b", 3, "\"\\u200b\"", true);
	quoted("\xff", 1, "\"\\ufffd\"", false);
	quoted("\xc0\x80", 2, "\"\\ufffd\\ufffd\"", false);	       /* overlong */
	quoted("\xed\xa0\x80", 3, "\"\\ufffd\\ufffd\\ufffd\"", false); /* surrogate */
	quoted("\xf4\x90\x80\x80", 4, "\"\\ufffd\\ufffd\\ufffd\\ufffd\"", false);
	quoted("\xe2\x82", 2, "\"\\ufffd\\ufffd\"", false); /* cut off */
}

static void escaped(const char *s, const char *want)
{
	char got[64];

	str_escape(got, sizeof(got), s, strlen(s));
	assert_string_equal(got, want);
}

/* What is not seen, or turns what is seen around, is written out. */
static void test_escape(void **state)
{
	(void)state;
	escaped("h\xc3\xa9 \xe2\x82\xac", "h\xc3\xa9 \xe2\x82\xac");
	escaped("a\n\x1b\xff", "a\\x0a\\x1b\\xff");
	escaped("\xe2\x80\xae", "\\xe2\\x80\\xae");
	escaped("\xe2\x80\x8b", "\\xe2\\x80\\x8b");
	escaped("\xe2\x80\xa8", "\\xe2\\x80\\xa8");
	escaped("\xc2\xad", "\\xc2\\xad");
	escaped("\xf3\xa0\x81\x81", "\\xf3\\xa0\\x81\\x81");
}

static void test_sink_targets(void **state)
{
	struct sink s = SINK_INIT;
	struct berm_err err;
	char link_name[] = "/tmp/berm-test-XXXXXX", other[64];
	int fd;

	(void)state;
	assert_int_equal(sink_open(&s, "fd:x", &err), -EINVAL);
	assert_int_equal(sink_open(&s, "fd:", &err), -EINVAL);
	assert_int_equal(sink_open(&s, "fd:-1", &err), -EINVAL);
	assert_int_equal(sink_open(&s, "fd:99999999999999999999", &err), -EINVAL);
	assert_int_equal(sink_open(&s, "fd:1000", &err), -EBADF);
	assert_int_equal(sink_open(&s, "/nonexistent/x", &err), -ENOENT);
	assert_int_equal(sink_open(&s, "", &err), -EINVAL);
	fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	(void)snprintf(other, sizeof(other), "fd:%d", fd);
	assert_int_equal(sink_open(&s, other, &err), -EBADF);
	(void)close(fd);
	/* a link and a file with a second name are refused */
	fd = mkstemp(link_name);
	assert_true(fd >= 0);
	(void)close(fd);
	(void)snprintf(other, sizeof(other), "%s.2", link_name);
	assert_int_equal(symlink(link_name, other), 0);
	assert_int_equal(sink_open(&s, other, &err), -ELOOP);
	assert_int_equal(unlink(other), 0);
	assert_int_equal(link(link_name, other), 0);
	assert_int_equal(sink_open(&s, other, &err), -EMLINK);
	assert_int_equal(unlink(other), 0);
	assert_int_equal(sink_open(&s, link_name, &err), 0);
	assert_true(s.fd > 2);
	sink_close(&s);
	(void)unlink(link_name);
}

/* A reader that does not read stops nothing and costs a bounded amount. */
static void test_slow_reader(void **state)
{
	_cleanup_buf_ struct buf line = BUF_INIT(4096);
	struct sink s = SINK_INIT;
	char target[32], got[8192];
	size_t lines = 0, last = '\n';
	struct berm_err err;
	ssize_t n;
	int p[2];

	(void)state;
	assert_int_equal(pipe(p), 0);
	(void)snprintf(target, sizeof(target), "fd:%d", p[1]);
	assert_int_equal(sink_open(&s, target, &err), 0);
	(void)close(p[1]);
	for (int i = 0; i < 999; i++)
		(void)buf_adds(&line, "x");
	(void)buf_adds(&line, "\n");
	for (int i = 0; i < 2000; i++)
		sink_line(&s, &line);
	assert_true(s.lost > 0);
	assert_true(s.backlog.len <= SINK_BACKLOG_MAX);
	/* whole lines only come out, as many as were not lost */
	(void)fcntl(p[0], F_SETFL, O_NONBLOCK);
	while (s.sent < s.backlog.len || s.backlog.len) {
		n = read(p[0], got, sizeof(got));
		assert_true(n > 0);
		for (ssize_t i = 0; i < n; i++)
			lines += got[i] == '\n';
		last = (unsigned char)got[n - 1];
		sink_flush(&s, 0);
	}
	while ((n = read(p[0], got, sizeof(got))) > 0) {
		for (ssize_t i = 0; i < n; i++)
			lines += got[i] == '\n';
		last = (unsigned char)got[n - 1];
	}
	assert_int_equal(last, '\n');
	assert_int_equal(lines + s.lost, 2000);
	/* a reader that went away: an error, no signal */
	(void)close(p[0]);
	(void)signal(SIGPIPE, SIG_DFL);
	sink_line(&s, &line);
	assert_int_equal(s.broken, -EPIPE);
	sink_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),	       cmocka_unit_test(test_violation),
		cmocka_unit_test(test_hostile_record), cmocka_unit_test(test_storm),
		cmocka_unit_test(test_overflow),       cmocka_unit_test(test_long_texts),
		cmocka_unit_test(test_ignored),	       cmocka_unit_test(test_quote),
		cmocka_unit_test(test_escape),	       cmocka_unit_test(test_sink_targets),
		cmocka_unit_test(test_slow_reader),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Events about connections, questions and the policy, and the hosts in the summary. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <jansson.h>

#include "base/fd.h"
#include "egress/proto.h"
#include "session/internal.h"

static struct spec spec = { .session = "b-0123456789abcdef", .profile = "agent" };

struct fixture {
	struct session *s;
	int fd;
};

static int temporary(void)
{
	char name[] = "/tmp/berm-test-XXXXXX";
	int fd = mkstemp(name);

	assert_true(fd >= 0);
	(void)unlink(name);
	return fd;
}

static void fixture_open(struct fixture *f)
{
	struct berm_err err;
	char target[32];

	f->fd = temporary();
	f->s = session_new(&spec);
	assert_non_null(f->s);
	(void)snprintf(target, sizeof(target), "fd:%d", f->fd);
	assert_int_equal(session_open_events(f->s, target, &err), 0);
}

/* The last event line. */
static json_t *last(struct fixture *f)
{
	_cleanup_free_ char *data = NULL;
	json_t *o;
	char *nl;
	size_t len;

	assert_true(lseek(f->fd, 0, SEEK_SET) == 0);
	assert_int_equal(fd_read_all(f->fd, 4u << 20, &data, &len), 0);
	assert_true(len && data[len - 1] == '\n');
	data[len - 1] = '\0';
	nl = strrchr(data, '\n');
	o = json_loads(nl ? nl + 1 : data, JSON_REJECT_DUPLICATES, NULL);
	if (!o)
		fail_msg("%s", data);
	return o;
}

static struct net_record record(enum rec_type type, const char *const texts[7])
{
	struct net_record rec = { .magic = REC_MAGIC, .type = type, .count = 1, .op = -1 };
	size_t used = 0;

	for (size_t i = 0; i < 7; i++) {
		size_t n = texts[i] ? strlen(texts[i]) : 0;

		memcpy(rec.text + used, texts[i] ? texts[i] : "", n);
		rec.len[i] = (uint16_t)n;
		used += n;
	}
	return rec;
}

static void says(const json_t *o, const char *key, const char *want)
{
	const char *s = json_string_value(json_object_get(o, key));

	if (!s || !streq(s, want))
		fail_msg("%s: %s, not %s", key, s ? s : "(none)", want);
}

static void counts(const json_t *o, const char *key, long long want)
{
	assert_true(json_is_integer(json_object_get(o, key)));
	assert_int_equal(json_integer_value(json_object_get(o, key)), want);
}

static void test_allowed(void **state)
{
	struct net_record rec = record(
		REC_NET, (const char *const[7]){ "a.test", "203.0.113.7", "/usr/bin/curl",
						 "allow a.test", "f:7", "a rule allows it" });
	struct fixture f;
	json_t *o;

	(void)state;
	fixture_open(&f);
	rec.port = 443;
	rec.up = 10;
	rec.down = 1ull << 40;
	rec.ms = 30;
	rec.pid = 77;
	rec.how = EG_SOCKS_PROXY;
	session_net_record(f.s, &rec);
	o = last(&f);
	says(o, "event", "network");
	says(o, "decision", "allow");
	assert_true(json_is_false(json_object_get(o, "asked")));
	says(o, "host", "a.test");
	says(o, "address", "203.0.113.7");
	says(o, "how", "socks-proxy");
	says(o, "exe", "/usr/bin/curl");
	says(o, "rule", "allow a.test");
	says(o, "origin", "f:7");
	counts(o, "port", 443);
	counts(o, "bytes_down", 1ll << 40);
	counts(o, "pid", 77);
	assert_null(json_object_get(o, "grant"));
	json_decref(o);
	assert_int_equal(f.s->refused.n, 0);
	session_free(f.s);
	(void)close(f.fd);
}

static void test_denied(void **state)
{
	struct net_record rec =
		record(REC_NET, (const char *const[7]){ "b.test", "", "", "", "",
							"no rule names it, and nobody "
							"could be asked",
							"--allow-domain b.test:80" });
	struct fixture f;
	json_t *o;

	(void)state;
	fixture_open(&f);
	rec.decision = VERDICT_ASK;
	rec.port = 80;
	rec.err = ECONNREFUSED;
	rec.how = 99; /* whatever number it is */
	session_net_record(f.s, &rec);
	session_net_record(f.s, &rec);
	o = last(&f);
	says(o, "decision", "deny");
	assert_true(json_is_true(json_object_get(o, "asked")));
	says(o, "how", "direct");
	says(o, "grant", "--allow-domain b.test:80");
	counts(o, "errno", ECONNREFUSED);
	json_decref(o);
	assert_int_equal(f.s->refused.n, 1);
	assert_int_equal(f.s->refused.v[0].count, 2);
	session_free(f.s);
	(void)close(f.fd);
}

static void test_questions(void **state)
{
	struct net_record ask = record(REC_ASKED, (const char *const[7]){ "/w/a\xff", "cat a",
									  "/usr/bin/cat" }),
			  host = record(REC_ANSWERED, (const char *const[7]){ "a.test", "tty" });
	struct fixture f;
	json_t *o;

	(void)state;
	fixture_open(&f);
	ask.how = REC_FILE;
	ask.op = OP_READ;
	ask.count = 5;
	session_net_record(f.s, &ask);
	o = last(&f);
	says(o, "event", "ask");
	says(o, "action", "file-read");
	says(o, "target_hex", "2f772f61ff");
	says(o, "command", "cat a");
	counts(o, "id", 5);
	json_decref(o);
	host.err = HOLD_USER;
	host.answered = 1;
	host.port = 22;
	host.ms = 1500;
	session_net_record(f.s, &host);
	o = last(&f);
	says(o, "event", "answer");
	says(o, "action", "network-outbound");
	says(o, "by", "tty");
	says(o, "holds", "user settings");
	says(o, "decision", "allow");
	counts(o, "ms", 1500);
	json_decref(o);
	/* Numbers that there are not. */
	ask.op = 1000;
	session_net_record(f.s, &ask);
	host.err = 1000;
	session_net_record(f.s, &host);
	o = last(&f);
	says(o, "holds", "once");
	json_decref(o);
	session_free(f.s);
	(void)close(f.fd);
}

static void test_policy(void **state)
{
	struct net_record rec =
		record(REC_POLICY, (const char *const[7]){ [5] = "the rules about hosts changed" });
	struct fixture f;
	json_t *o;

	(void)state;
	fixture_open(&f);
	session_net_record(f.s, &rec);
	o = last(&f);
	says(o, "event", "policy");
	assert_true(json_is_true(json_object_get(o, "in_force")));
	json_decref(o);
	session_free(f.s);
	(void)close(f.fd);
}

/* ---- summary ------------------------------------------------------------------- */

/* What session_summary() prints. */
static char *summary(const struct session *s)
{
	int fd = temporary(), saved = dup(2);
	char *text = NULL;

	(void)fflush(stderr);
	assert_true(dup2(fd, 2) == 2);
	session_summary(s);
	(void)fflush(stderr);
	(void)dup2(saved, 2);
	(void)close(saved);
	assert_true(lseek(fd, 0, SEEK_SET) == 0);
	assert_int_equal(fd_read_all(fd, 1u << 20, &text, NULL), 0);
	(void)close(fd);
	return text;
}

static unsigned lines_of(const char *text)
{
	unsigned n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

static void refuse(struct session *s, const char *host, unsigned times)
{
	struct net_record rec =
		record(REC_NET, (const char *const[7]){ host, "", "", "", "f:3", "denied",
							"--allow-domain x" });

	rec.decision = VERDICT_DENY;
	rec.port = 443;
	rec.count = times;
	session_net_record(s, &rec);
}

static void deny_file(struct session *s, const char *path)
{
	struct record r = { .h = { .magic = REC_MAGIC,
				   .type = REC_VIOLATION,
				   .op = OP_WRITE,
				   .err = EACCES,
				   .rule = -1,
				   .count = 1,
				   .target_len = (uint16_t)strlen(path) } };

	memcpy(r.text, path, strlen(path));
	session_record(s, &r);
}

static void test_summary(void **state)
{
	struct session *s = session_new(&spec);
	_cleanup_free_ char *few = NULL, *many = NULL, *full = NULL;
	char name[64];

	(void)state;
	assert_non_null(s);
	refuse(s, "a\033[31m.test", 3);
	refuse(s, "2001:db8::1", 1);
	few = summary(s);
	assert_non_null(strstr(few, "4 actions were denied"));
	assert_non_null(strstr(few,
			       "network-outbound a\\x1b[31m.test:443 (3 times): denied [f:3]; to "
			       "allow: --allow-domain x"));
	assert_non_null(strstr(few, "2001:db8::1 port 443"));
	assert_int_equal(lines_of(few), 3);
	/* Files and hosts share the lines. */
	for (unsigned i = 0; i < 20; i++) {
		(void)snprintf(name, sizeof(name), "/w/f%u", i);
		deny_file(s, name);
		(void)snprintf(name, sizeof(name), "h%u.test", i);
		refuse(s, name, 1);
	}
	many = summary(s);
	assert_int_equal(lines_of(many), 10);
	assert_non_null(strstr(many, "file-write"));
	assert_non_null(strstr(many, "network-outbound"));
	assert_non_null(strstr(many, "and 34 more kinds"));
	/* However many hosts there are. */
	for (unsigned i = 0; i < 2 * REFUSED_MAX; i++) {
		(void)snprintf(name, sizeof(name), "z%u.test", i);
		refuse(s, name, 1);
	}
	assert_int_equal(s->refused.n, REFUSED_MAX);
	full = summary(s);
	assert_non_null(strstr(full, "556 actions were denied"));
	assert_int_equal(lines_of(full), 10);
	session_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_allowed),	  cmocka_unit_test(test_denied),
		cmocka_unit_test(test_questions), cmocka_unit_test(test_policy),
		cmocka_unit_test(test_summary),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

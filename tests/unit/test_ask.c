/* SPDX-License-Identifier: Apache-2.0 */
/* The queue of questions, the dialog's text and keys, command lines as they are shown. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/redact.h"
#include "session/ask.h"
#include "session/dialog.h"
#include "session/who.h"

static struct ask_new host(const char *name, uint16_t port, uint32_t waiter)
{
	return (struct ask_new){ .kind = ASK_NET,
				 .op = -1,
				 .target = name,
				 .port = port,
				 .pid = 7,
				 .exe = "/usr/bin/curl",
				 .command = "curl x",
				 .rule = "",
				 .origin = "",
				 .reason = "no rule names it",
				 .waiter = waiter };
}

static void test_merge(void **state)
{
	struct ask_queue q = { 0 };
	struct ask_new a = host("a.test", 443, 1), b = host("a.test", 443, 2),
		       c = host("a.test", 80, 3);
	struct ask *first, *second;
	bool fresh;

	(void)state;
	first = ask_add(&q, &a, 1000, 5000, &fresh);
	assert_non_null(first);
	assert_true(fresh);
	assert_ptr_equal(ask_add(&q, &b, 1500, 5000, &fresh), first);
	assert_false(fresh);
	assert_int_equal(first->n_waiters, 2);
	/* The same waiter twice is one. */
	assert_ptr_equal(ask_add(&q, &b, 1500, 5000, &fresh), first);
	assert_int_equal(first->n_waiters, 2);
	second = ask_add(&q, &c, 2000, 5000, &fresh);
	assert_true(fresh);
	assert_ptr_not_equal(second, first);
	assert_ptr_equal(ask_find(&q, second->id), second);
	assert_null(ask_find(&q, 77));
	assert_int_equal(ask_timeout(&q, 5000), 1000);
	assert_null(ask_overdue(&q, 5999));
	assert_ptr_equal(ask_overdue(&q, 6000), first);
	/* A file is another question than a host of the same name. */
	c.kind = ASK_FILE;
	c.target = "a.test";
	assert_non_null(ask_add(&q, &c, 2000, 5000, &fresh));
	assert_true(fresh);
	ask_queue_free(&q);
}

static void test_leave(void **state)
{
	struct ask_queue q = { 0 };
	struct ask_new a = host("a.test", 443, 1), b = host("a.test", 443, 2);
	struct ask *first;
	bool fresh;

	(void)state;
	first = ask_add(&q, &a, 0, 5000, &fresh);
	(void)ask_add(&q, &b, 0, 5000, &fresh);
	assert_null(ask_leave(&q, ASK_FILE, 1));
	assert_null(ask_leave(&q, ASK_NET, 1));
	assert_null(ask_leave(&q, ASK_NET, 1));
	assert_ptr_equal(ask_leave(&q, ASK_NET, 2), first);
	ask_close(&q, first, NULL, 0);
	assert_int_equal(q.n_open, 0);
	assert_int_equal(ask_timeout(&q, 0), -1);
	assert_null(ask_known(&q, &a, 0));
	ask_queue_free(&q);
}

static const struct ask_answer *after(struct ask_queue *q, const struct ask_new *what,
				      enum decision d, enum ask_hold h, long long closed,
				      long long now)
{
	struct ask_answer a = { .decision = d, .hold = h, .by = "test", .answered = true };
	bool fresh;

	ask_close(q, ask_add(q, what, closed, 1000, &fresh), &a, closed);
	return ask_known(q, what, now);
}

static void test_kept(void **state)
{
	struct ask_queue q = { 0 };
	struct ask_new once = host("once.test", 443, 1), no = host("no.test", 443, 1),
		       session = host("s.test", 443, 1);

	(void)state;
	assert_null(after(&q, &once, VERDICT_ALLOW, HOLD_ONCE, 1000, 1000));
	assert_non_null(ask_last(&q, ASK_NET, -1, "once.test", 443));
	assert_null(ask_last(&q, ASK_NET, -1, "once.test", 80));
	/* A refusal keeps a retry storm from asking, for a while. */
	assert_non_null(after(&q, &no, VERDICT_DENY, HOLD_ONCE, 1000, 1000 + ASK_QUIET_MS - 1));
	assert_null(ask_known(&q, &no, 1000 + ASK_QUIET_MS));
	assert_non_null(
		after(&q, &session, VERDICT_ALLOW, HOLD_SESSION, 1000, 1000LL * 1000 * 1000));
	assert_int_equal(ask_known(&q, &session, 5)->decision, VERDICT_ALLOW);
	ask_queue_free(&q);
}

static void test_full(void **state)
{
	struct ask_queue q = { 0 };
	char name[32];
	bool fresh;

	(void)state;
	for (unsigned i = 0; i < ASK_MAX; i++) {
		struct ask_new a = host(name, 1, i);

		(void)snprintf(name, sizeof(name), "h%u.test", i);
		assert_non_null(ask_add(&q, &a, 0, 10, &fresh));
	}
	struct ask_new more = host("more.test", 1, 9999), old = host("h0.test", 1, 9999);

	assert_null(ask_add(&q, &more, 0, 10, &fresh));
	assert_non_null(ask_add(&q, &old, 0, 10, &fresh));
	/* Many answers: the oldest are forgotten, nothing grows. */
	while (q.n_open)
		ask_close(&q, q.open[0], NULL, 0);
	for (unsigned i = 0; i < ASK_KEPT_MAX + 10; i++) {
		struct ask_new a = host(name, 1, i);

		(void)snprintf(name, sizeof(name), "k%u.test", i);
		assert_non_null(after(&q, &a, VERDICT_ALLOW, HOLD_SESSION, 0, 0));
	}
	assert_int_equal(q.n_kept, ASK_KEPT_MAX);
	assert_null(ask_last(&q, ASK_NET, -1, "k0.test", 1));
	assert_non_null(ask_last(&q, ASK_NET, -1, "k20.test", 1));
	ask_queue_free(&q);
}

/* ---- dialog -------------------------------------------------------------------- */

static void test_dialog_is_safe(void **state)
{
	struct ask q = { .id = 1,
			 .kind = ASK_FILE,
			 .op = OP_WRITE,
			 .target = (char *)(uintptr_t) "/w/a\033[2Jb\r\n\xe2\x80\xae"
						       "c",
			 .pid = 42,
			 .exe = (char *)(uintptr_t) "/usr/bin/tee",
			 .command = (char *)(uintptr_t) "tee \033]0;x\a",
			 .rule = (char *)(uintptr_t) "ask /w/*",
			 .origin = (char *)(uintptr_t) "command line",
			 .reason = (char *)(uintptr_t) "a rule says ask",
			 .end_ms = 120000 };
	_cleanup_buf_ struct buf b = BUF_INIT(65536);
	const char *p;

	(void)state;
	dialog_text(&b, &q, 3, 0);
	assert_false(b.failed);
	assert_non_null(strstr(b.data, "may /usr/bin/tee (pid 42) write /w/a\\x1b[2Jb\\x0d\\x0a"));
	assert_non_null(strstr(b.data, "tee \\x1b]0;x\\x07"));
	assert_non_null(strstr(b.data, "denied in 120 s; 3 more"));
	assert_null(strstr(b.data, "\xe2\x80\xae"));
	/* No escape sequence but our own, no line feed without its carriage return. */
	for (p = b.data; (p = strchr(p, '\033')); p++)
		assert_true(str_starts(p, "\033[0m") || str_starts(p, "\033[1m"));
	for (p = b.data; (p = strchr(p, '\n')); p++)
		assert_int_equal(p[-1], '\r');
}

static void test_dialog_keys(void **state)
{
	static const struct {
		unsigned char key;
		enum decision d;
		enum ask_hold h;
	} rows[] = {
		{ 'a', VERDICT_ALLOW, HOLD_ONCE },  { 's', VERDICT_ALLOW, HOLD_SESSION },
		{ 'l', VERDICT_ALLOW, HOLD_LOCAL }, { 'u', VERDICT_ALLOW, HOLD_USER },
		{ 'd', VERDICT_DENY, HOLD_ONCE },   { 'n', VERDICT_DENY, HOLD_LOCAL },
		{ 3, VERDICT_DENY, HOLD_ONCE },
	};
	struct ask q = { 0 };
	enum decision d;
	enum ask_hold h;
	unsigned known = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_true(dialog_key(rows[i].key, &q, &d, &h));
		assert_int_equal(d, rows[i].d);
		assert_int_equal(h, rows[i].h);
	}
	for (unsigned k = 0; k < 256; k++)
		known += dialog_key((unsigned char)k, &q, &d, &h);
	/* 'y' and Ctrl-D beside these: Enter, space and Escape answer nothing. */
	assert_int_equal(known, ARRAY_SIZE(rows) + 2);
}

/* ---- command lines --------------------------------------------------------------- */

#define WORDS(s) s, sizeof(s)

static void test_command_lines(void **state)
{
	static const struct {
		const char *words;
		size_t len;
		const char *shown;
	} rows[] = {
		{ WORDS("curl\0-s\0https://a.test/"), "curl -s https://a.test/" },
		{ WORDS("curl\0-u\0me:hunter2\0x"), "curl -u *** x" },
		{ WORDS("sort\0-u\0file"), "sort -u file" },
		{ WORDS("mkdir\0-p\0dir"), "mkdir -p dir" },
		{ WORDS("git\0clone\0https://me:tok@h/x"), "git clone https://me:***@h/x" },
		{ WORDS("git\0clone\0https://tok@h/x"), "git clone https://***@h/x" },
		{ WORDS("x\0--token\0abc\0y"), "x --token *** y" },
		{ WORDS("x\0--api-key=abc\0y"), "x --api-key=*** y" },
		{ WORDS("env\0GITHUB_TOKEN=abc\0y"), "env GITHUB_TOKEN=*** y" },
		{ WORDS("curl\0-H\0Authorization: Bearer abc"), "curl -H Authorization:***" },
		{ WORDS("x\0ghp_0123456789abcdef"), "x ghp_***" },
		{ WORDS("x\0--password\0--other\0v"), "x --password --other v" },
		{ WORDS("e\033[0mvil\0a\nb"), "e\\x1b[0mvil a\\x0ab" },
		{ "no nul", 6, "no nul" },
		{ "", 0, "" },
	};
	char shown[WHO_COMMAND_MAX], big[8192];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		redact_words(rows[i].words, rows[i].len, shown, sizeof(shown));
		assert_string_equal(shown, rows[i].shown);
	}
	memset(big, '\033', sizeof(big));
	redact_words(big, sizeof(big), shown, sizeof(shown));
	assert_true(strlen(shown) < sizeof(shown));
	assert_null(strchr(shown, '\033'));
}

/* ---- whose socket ------------------------------------------------------------------ */

/* A family: an "init" with a child that has a socket, which the test has as well. */
static void test_whose_socket(void **state)
{
	int hold[2], tell[2], sock = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct who w;
	struct stat st;
	pid_t init, child;
	char exe[WHO_EXE_MAX], own[WHO_EXE_MAX], c;

	(void)state;
	assert_true(sock >= 0 && fstat(sock, &st) == 0);
	assert_int_equal(pipe(hold), 0);
	assert_int_equal(pipe(tell), 0);
	init = fork();
	assert_true(init >= 0);
	if (init == 0) {
		(void)close(hold[1]);
		child = fork();
		if (child == 0)
			child = getpid();
		else
			(void)close(sock);
		if (child == getpid())
			(void)!write(tell[1], &child, sizeof(child));
		(void)!read(hold[0], &c, 1);
		_exit(0);
	}
	assert_int_equal(read(tell[0], &child, sizeof(child)), sizeof(child));
	who_init(&w, init);
	assert_int_equal(who_has_socket(&w, (uint32_t)st.st_ino), child);
	who_exe(&w, child, exe, sizeof(exe));
	who_exe(&w, getpid(), own, sizeof(own));
	assert_non_null(strstr(exe, "test_ask"));
	/* Who does not descend from it is none of ours: the test itself, init's own parent. */
	assert_string_equal(own, "");
	assert_int_equal(who_has_socket(&w, 1), 0);
	(void)close(hold[1]);
	assert_int_equal(waitpid(init, NULL, 0), init);
	assert_int_equal(who_has_socket(&w, (uint32_t)st.st_ino), 0);
	(void)close(hold[0]);
	(void)close(tell[0]);
	(void)close(tell[1]);
	(void)close(sock);
	(void)close(w.proc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_merge),	       cmocka_unit_test(test_leave),
		cmocka_unit_test(test_kept),	       cmocka_unit_test(test_full),
		cmocka_unit_test(test_dialog_is_safe), cmocka_unit_test(test_dialog_keys),
		cmocka_unit_test(test_command_lines),  cmocka_unit_test(test_whose_socket),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

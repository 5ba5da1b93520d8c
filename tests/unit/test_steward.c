/* SPDX-License-Identifier: Apache-2.0 */
/* Questions, reports and ends: see steward_stage.h. */
#include "steward_stage.h"

#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#define ALLOW "{\"behavior\":\"allow\"}"
#define ALLOW_SESSION \
	"{\"behavior\":\"allow\",\"updatedPermissions\":[{\"destination\":\"session\"}]}"
#define DENY "{\"behavior\":\"deny\"}"

/* ---- hosts -------------------------------------------------------------------------- */

static void test_ask(void **state)
{
	struct stage *s = *state;

	first_packet(s);
	say_ask(s, 5, "new.test", 443);
	client_hears(s, "\"host\":\"new.test\",\"port\":443");
	is_told(s, REC_ASKED);
	assert_string_equal(told_text[0], "new.test");
	client_says(s, 1, ALLOW);
	hears_answer(s, 5, VERDICT_ALLOW, EG_ONCE);
	is_told(s, REC_ANSWERED);
	assert_string_equal(told_text[1], "fd");
	assert_int_equal(told.decision, VERDICT_ALLOW);
	/* Once is once: asked again. */
	say_ask(s, 6, "new.test", 443);
	client_hears(s, "berm-2");
	client_says(s, 2, ALLOW_SESSION);
	hears_answer(s, 6, VERDICT_ALLOW, EG_SESSION);
	/* Now it is known. */
	say_ask(s, 7, "new.test", 443);
	hears_answer(s, 7, VERDICT_ALLOW, EG_SESSION);
	/* Another port is another question. */
	say_ask(s, 8, "new.test", 22);
	client_hears(s, "\"port\":22");
	client_says(s, 3, DENY);
	hears_answer(s, 8, VERDICT_DENY, EG_ONCE);
	say_ask(s, 9, "new.test", 22);
	hears_answer(s, 9, VERDICT_DENY, EG_ONCE);
}

static void test_merged_and_withdrawn(void **state)
{
	struct stage *s = *state;
	struct eg_msg m = { .type = EG_UNASK, .id = 3 };

	first_packet(s);
	say_ask(s, 1, "a.test", 443);
	client_hears(s, "a.test");
	say_ask(s, 2, "a.test", 443);
	say_ask(s, 3, "b.test", 443);
	client_hears(s, "b.test");
	say(s, &m, "", "");
	client_hears(s, "{\"type\":\"control_cancel_request\",\"request_id\":\"berm-2\"}");
	client_says(s, 2, ALLOW); /* too late */
	client_says(s, 1, ALLOW);
	hears_answer(s, 1, VERDICT_ALLOW, EG_ONCE);
	hears_answer(s, 2, VERDICT_ALLOW, EG_ONCE);
}

/* What the policy decides is not asked, whatever the broker says. */
static void test_not_asked(void **state)
{
	struct stage *s = *state;

	first_packet(s);
	say_ask(s, 1, "bad.test", 443);
	hears_answer(s, 1, VERDICT_DENY, EG_ONCE);
	say_ask(s, 2, "good.test", 443);
	hears_answer(s, 2, VERDICT_ALLOW, EG_ONCE);
}

static void test_nobody(void **state)
{
	struct stage *s = *state;
	struct eg_msg m = {
		.type = EG_CONN, .decision = VERDICT_ASK, .rule = -1, .port = 443, .count = 1
	};

	first_packet(s);
	say_ask(s, 1, "a.test", 443);
	client_hears(s, "a.test");
	(void)shutdown(s->client, SHUT_RDWR);
	hears_answer(s, 1, VERDICT_ASK, EG_ONCE);
	is_told(s, REC_ASKED);
	is_told(s, REC_ANSWERED);
	assert_string_equal(told_text[1], "nobody");
	assert_int_equal(told.answered, 0);
	say_ask(s, 2, "b.test", 443);
	hears_answer(s, 2, VERDICT_ASK, EG_ONCE);
	/* That nobody could be asked is told with the refusal, not as a question. */
	say(s, &m, "b.test", "");
	is_told(s, REC_NET);
	assert_int_equal(told.decision, VERDICT_ASK);
	assert_non_null(strstr(told_text[5], "nobody could be asked"));
}

/* A client that says what is no message has no say any more. */
static void test_malformed_client(void **state)
{
	struct stage *s = *state;

	first_packet(s);
	say_ask(s, 1, "a.test", 443);
	client_hears(s, "a.test");
	assert_true(write(s->client, "yes\n", 4) == 4);
	hears_answer(s, 1, VERDICT_ASK, EG_ONCE);
}

static void test_time(void **state)
{
	struct stage *s = *state;

	s->spec.network.ask_seconds = 1;
	first_packet(s);
	say_ask(s, 1, "a.test", 443);
	client_hears(s, "a.test");
	hears_answer(s, 1, VERDICT_ASK, EG_ONCE);
	client_hears(s, "control_cancel_request");
	is_told(s, REC_ASKED);
	is_told(s, REC_ANSWERED);
	assert_string_equal(told_text[1], "time");
}

/* ---- reports -------------------------------------------------------------------------- */

static void test_connections(void **state)
{
	struct stage *s = *state;
	struct eg_msg denied = { .type = EG_CONN,
				 .decision = VERDICT_DENY,
				 .rule = 1,
				 .port = 443,
				 .count = 3 },
		      wrong = { .type = EG_CONN, .decision = VERDICT_ALLOW, .rule = 1, .port = 80 },
		      odd = { .type = EG_CONN, .decision = 9, .rule = 1 },
		      good = { .type = EG_CONN,
			       .decision = VERDICT_ALLOW,
			       .port = 443,
			       .up = 10,
			       .down = 20,
			       .ms = 30 };

	first_packet(s);
	say(s, &denied, "bad.test", "a rule \033denies it");
	is_told(s, REC_NET);
	assert_string_equal(told_text[0], "bad.test");
	assert_string_equal(told_text[3], "deny-domain bad.test");
	assert_string_equal(told_text[4], "policy.json:7");
	assert_string_equal(told_text[5], "a rule \\x1bdenies it");
	assert_int_equal(told.count, 3);
	/* A rule that does not name the host is not shown as if it did. */
	say(s, &odd, "bad.test", "");
	say(s, &wrong, "good.test", "");
	is_told(s, REC_NET);
	assert_string_equal(told_text[0], "good.test");
	assert_string_equal(told_text[3], "");
	say(s, &good, "good.test", "");
	is_told(s, REC_NET);
	assert_string_equal(told_text[3], "allow-domain good.test");
	assert_int_equal(told.up, 10);
	assert_int_equal(told.down, 20);
}

static void test_broker_dies(void **state)
{
	struct stage *s = *state;

	first_packet(s);
	say_ask(s, 1, "a.test", 443);
	client_hears(s, "a.test");
	is_told(s, REC_ASKED);
	(void)shutdown(s->diag, SHUT_RDWR); /* ours exits with status 3 */
	client_hears(s, "control_cancel_request");
	is_told(s, REC_ANSWERED);
	assert_string_equal(told_text[1], "nobody waits");
	is_degraded(s, "the network is closed");
	/* Nobody has the sandbox's sockets any more. */
	assert_true(receive(s->packet, &told, 1) <= 0);
}

static void broken(struct stage *s, const void *data, size_t len)
{
	first_packet(s);
	assert_true(send(s->diag, data, len, 0) > 0);
	is_degraded(s, "the network is closed");
}

static void test_bad_magic(void **state)
{
	struct eg_msg m = { .magic = 1, .type = EG_ASK };

	broken(*state, &m, EG_MSG_SIZE(0));
}

static void test_bad_length(void **state)
{
	struct eg_msg m = { .magic = EG_MAGIC, .type = EG_ASK, .host_len = 60000 };

	broken(*state, &m, EG_MSG_SIZE(10));
}

static void test_too_short(void **state)
{
	struct eg_msg m = { .magic = EG_MAGIC };

	broken(*state, &m, 20);
}

static void test_no_broker(void **state)
{
	struct stage *s = *state;

	close_quietly(s->session->broker);
	s->session->broker = -1;
	start(s);
	assert_int_equal(send(s->packet, "x", 1, 0), 1);
	is_degraded(s, "the network is closed");
}

/* ---- files ------------------------------------------------------------------------------ */

static void ask_file(struct stage *s, uint32_t id, int op, const char *path)
{
	struct record rec = { .h = { .magic = REC_MAGIC,
				     .type = REC_ASK,
				     .op = op,
				     .rule = -1,
				     .count = id,
				     .target_len = (uint16_t)strlen(path) } };

	memcpy(rec.text, path, strlen(path));
	assert_true(send(s->warden, &rec, sizeof(rec.h) + strlen(path), 0) > 0);
}

static void answered(struct stage *s, uint32_t id, int err, int session)
{
	struct record rec;

	/* What is told about it comes before. */
	do
		assert_true(receive(s->warden, &rec, sizeof(rec)) > 0);
	while (rec.h.type != REC_ANSWER);
	assert_int_equal(rec.h.count, id);
	assert_int_equal(rec.h.err, err);
	assert_int_equal(rec.h.nr, session);
}

/* No broker is needed for them. */
static void test_files(void **state)
{
	struct stage *s = *state;
	struct record gone = { .h = { .magic = REC_MAGIC, .type = REC_UNASK, .count = 3 } };

	start(s);
	ask_file(s, 1, OP_WRITE, "/w/a");
	client_hears(s, "\"path\":\"/w/a\",\"operation\":\"file-write\"");
	client_says(s, 1, ALLOW_SESSION);
	answered(s, 1, 0, 1);
	ask_file(s, 2, OP_READ, "/w/a");
	client_hears(s, "file-read");
	client_says(s, 2, DENY);
	answered(s, 2, EACCES, 0);
	ask_file(s, 3, OP_READ, "/w/b");
	client_hears(s, "/w/b");
	assert_true(send(s->warden, &gone, sizeof(gone.h), 0) > 0);
	client_hears(s, "control_cancel_request");
	/* An operation that there is not. */
	ask_file(s, 4, 99, "/w/c");
	answered(s, 4, EACCES, 0);
}

static void test_end(void **state)
{
	struct stage *s = *state;
	struct rec_header end = { .magic = REC_MAGIC, .type = REC_END };
	struct eg_msg m = { .type = EG_CONN, .decision = VERDICT_ALLOW, .port = 443, .count = 1 };
	int status;

	first_packet(s);
	assert_true(send(s->warden, &end, sizeof(end), 0) > 0);
	assert_int_equal(receive(s->diag, &told, sizeof(told)), EG_MSG_SIZE(0));
	say(s, &m, "good.test", "");
	is_told(s, REC_NET);
	(void)shutdown(s->diag, SHUT_RDWR);
	assert_int_equal(waitpid(s->steward, &status, 0), s->steward);
	s->steward = 0;
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, stage_up, stage_down)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(test_ask),
		TEST(test_merged_and_withdrawn),
		TEST(test_not_asked),
		TEST(test_nobody),
		TEST(test_malformed_client),
		TEST(test_time),
		TEST(test_connections),
		TEST(test_broker_dies),
		TEST(test_bad_magic),
		TEST(test_bad_length),
		TEST(test_too_short),
		TEST(test_no_broker),
		TEST(test_files),
		TEST(test_end),
	};

	if (argc == 1 && streq(argv[0], "berm-egress"))
		stage_broker();
	(void)signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The steward between a warden, a broker and a client, all three played by this program. The
 * steward runs this very file as its broker, which passes messages through: on the
 * kit's KIT_DIAG stands the test. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "egress/proto.h"
#include "session/internal.h"
#include "session/steward.h"

#define WAIT_MS 10000

/* ---- the broker's part ---------------------------------------------------------- */

static void pass_config(int control, int to)
{
	char text[60000], data[2048];
	union {
		struct cmsghdr hdr;
		char buf[CMSG_SPACE(sizeof(int))];
	} ctl;
	struct iovec iov = { .iov_base = data, .iov_len = sizeof(data) };
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = ctl.buf,
			      .msg_controllen = sizeof(ctl.buf) };
	ssize_t n = recvmsg(control, &msg, 0);
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
	int fd = -1;

	if (n <= 0)
		_exit(0);
	(void)send(to, data, (size_t)n, 0);
	if (!c)
		return;
	memcpy(&fd, CMSG_DATA(c), sizeof(int));
	n = pread(fd, text, sizeof(text), 0);
	(void)send(to, text, n > 0 ? (size_t)n : 0, 0);
	(void)close(fd);
}

static _noreturn_ void broker(void)
{
	static struct net_kit kit;
	struct pollfd p[2] = { { .fd = 3, .events = POLLIN }, { .events = POLLIN } };
	char data[4096];
	ssize_t n;

	if (recv(3, &kit, sizeof(kit), 0) != sizeof(kit) || kit.fd[KIT_DIAG] < 4 || environ[0])
		_exit(9);
	p[1].fd = kit.fd[KIT_DIAG];
	(void)send(p[1].fd, &kit, sizeof(kit), 0);
	while (poll(p, 2, -1) > 0) {
		if (p[0].revents)
			pass_config(3, p[1].fd);
		if (!p[1].revents)
			continue;
		n = recv(p[1].fd, data, sizeof(data), 0);
		if (n <= 0)
			_exit(3);
		(void)send(3, data, (size_t)n, 0);
	}
	_exit(0);
}

/* ---- the stage ------------------------------------------------------------------- */

struct stage {
	struct spec spec;
	struct net_policy policy;
	struct net_rule rules[2];
	struct session *session;
	struct net_kit kit;
	int warden, diag, packet, client; /* our ends; -1 closed */
	int theirs[3];
	pid_t steward;
	FILE *lines; /* what the client is told */
};

static void make_pair(int type, int *ours, int *theirs)
{
	int fd[2];

	assert_int_equal(socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, fd), 0);
	*ours = fd[0];
	*theirs = fd[1];
}

static void set_rule(struct net_rule *r, const char *pattern, enum decision d, char *text)
{
	struct berm_err err = { 0 };

	assert_int_equal(host_pattern_parse(pattern, false, &r->pat, &err), 0);
	r->decision = d;
	r->text = text;
	r->layer = LAYER_USER;
	r->origin = (struct origin){ "policy.json", 7 };
}

static int set_up(void **state)
{
	static char allow[] = "allow-domain good.test", deny[] = "deny-domain bad.test";
	struct stage *s = calloc(1, sizeof(*s));
	int theirs;

	assert_non_null(s);
	*state = s;
	set_rule(&s->rules[0], "good.test", VERDICT_ALLOW, allow);
	set_rule(&s->rules[1], "bad.test", VERDICT_DENY, deny);
	s->policy = (struct net_policy){
		.mode = NET_ALLOW, .rules = s->rules, .n_rules = 2, .fallback = VERDICT_ASK
	};
	(void)snprintf(s->spec.session, sizeof(s->spec.session), "b-0");
	s->spec.net = NET_ALLOW;
	s->spec.network.policy = &s->policy;
	s->spec.network.ask_seconds = 60;
	s->session = session_new(&s->spec);
	assert_non_null(s->session);
	s->session->broker = open("/proc/self/exe", O_PATH | O_CLOEXEC);
	assert_true(s->session->broker >= 0);
	make_pair(SOCK_SEQPACKET, &s->warden, &s->theirs[0]);
	make_pair(SOCK_SEQPACKET, &s->diag, &s->theirs[1]);
	make_pair(SOCK_SEQPACKET, &s->packet, &s->theirs[2]);
	make_pair(SOCK_STREAM, &s->client, &theirs);
	for (size_t i = 0; i < KIT_MAX; i++)
		s->kit.fd[i] = -1;
	s->kit.fd[KIT_DIAG] = s->theirs[1];
	s->kit.fd[KIT_TCP4] = s->theirs[2];
	s->kit.init_pid = getpid();
	s->session->approvers.v[0] = (struct approver_setup){
		.kind = APPROVER_CLIENT, .name = "fd", .in = theirs, .out = theirs
	};
	s->session->approvers.n = 1;
	s->lines = fdopen(s->client, "r");
	assert_non_null(s->lines);
	return 0;
}

static int tear_down(void **state)
{
	struct stage *s = *state;

	if (s->steward > 0) {
		(void)kill(s->steward, SIGKILL);
		(void)waitpid(s->steward, NULL, 0);
	}
	close_quietly(s->warden);
	close_quietly(s->diag);
	close_quietly(s->packet);
	if (s->lines)
		(void)fclose(s->lines);
	session_free(s->session);
	free(s);
	return 0;
}

static void start(struct stage *s)
{
	s->steward = fork();
	assert_true(s->steward >= 0);
	if (s->steward == 0) {
		(void)close(s->warden);
		(void)close(s->diag);
		(void)close(s->packet);
		(void)close(s->client);
		session_steward(s->session, &s->kit, s->theirs[0]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(s->theirs); i++)
		(void)close(s->theirs[i]);
	approver_setups_close(&s->session->approvers, false);
}

static ssize_t receive(int fd, void *dst, size_t size)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	if (poll(&p, 1, WAIT_MS) != 1)
		fail_msg("nothing came");
	return recv(fd, dst, size, 0);
}

/* The first packet, and what the broker is told at its start. */
static void first_packet(struct stage *s)
{
	static struct net_kit kit;
	char text[60000];
	struct eg_msg m;
	ssize_t n;

	start(s);
	assert_int_equal(send(s->packet, "x", 1, 0), 1);
	assert_int_equal(receive(s->diag, &kit, sizeof(kit)), sizeof(kit));
	assert_int_equal(kit.fd[KIT_RTNL], -1);
	assert_true(kit.fd[KIT_TCP4] >= 4);
	assert_int_equal(receive(s->diag, &m, sizeof(m)), EG_MSG_SIZE(0));
	assert_int_equal(m.type, EG_CONFIG);
	n = receive(s->diag, text, sizeof(text) - 1);
	assert_true(n > 0);
	text[n] = '\0';
	assert_non_null(strstr(text, "good.test"));
}

/* The broker says. */
static void say(struct stage *s, struct eg_msg *m, const char *host, const char *reason)
{
	m->magic = EG_MAGIC;
	m->host_len = (uint16_t)strlen(host);
	m->reason_len = (uint16_t)strlen(reason);
	memcpy(m->text, host, m->host_len);
	memcpy(m->text + m->host_len, reason, m->reason_len);
	assert_true(send(s->diag, m, EG_MSG_SIZE((size_t)m->host_len + m->reason_len), 0) > 0);
}

static void say_ask(struct stage *s, uint32_t id, const char *host, uint16_t port)
{
	struct eg_msg m = { .type = EG_ASK, .id = id, .port = port };

	say(s, &m, host, "");
}

static void hears_answer(struct stage *s, uint32_t id, enum decision d, enum eg_hold hold)
{
	struct eg_msg m;

	assert_int_equal(receive(s->diag, &m, sizeof(m)), EG_MSG_SIZE(0));
	assert_int_equal(m.type, EG_ANSWER);
	assert_int_equal(m.id, id);
	assert_int_equal(m.decision, d);
	assert_int_equal(m.hold, hold);
}

static struct net_record told; /* the last one */
static char told_text[7][512];

static void is_told(struct stage *s, enum rec_type type)
{
	const char *p = told.text;

	assert_true(receive(s->warden, &told, sizeof(told)) > 0);
	assert_int_equal(told.magic, REC_MAGIC);
	assert_int_equal(told.type, type);
	for (size_t i = 0; i < ARRAY_SIZE(told_text) && type != REC_DEGRADED; i++) {
		(void)snprintf(told_text[i], sizeof(told_text[i]), "%.*s", told.len[i], p);
		p += told.len[i];
	}
}

/* The whole text of a REC_DEGRADED. */
static void is_degraded(struct stage *s, const char *part)
{
	static struct record rec;
	ssize_t n = receive(s->warden, &rec, sizeof(rec));

	assert_true(n > (ssize_t)sizeof(rec.h));
	assert_int_equal(rec.h.type, REC_DEGRADED);
	rec.text[(size_t)n - sizeof(rec.h)] = '\0';
	if (!strstr(rec.text, part))
		fail_msg("%s", rec.text);
}

static void client_hears(struct stage *s, const char *part)
{
	static char line[65536];

	assert_non_null(fgets(line, sizeof(line), s->lines));
	if (!strstr(line, part))
		fail_msg("%s", line);
}

static void client_says(struct stage *s, unsigned id, const char *inner)
{
	_cleanup_free_ char *line =
		str_printf("{\"type\":\"control_response\",\"response\":{\"subtype\":\"success\","
			   "\"request_id\":\"berm-%u\",\"response\":%s}}\n",
			   id, inner);

	assert_non_null(line);
	assert_true(write(s->client, line, strlen(line)) > 0);
}

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

	first_packet(s);
	say_ask(s, 1, "a.test", 443);
	client_hears(s, "a.test");
	(void)shutdown(s->client, SHUT_RDWR);
	hears_answer(s, 1, VERDICT_DENY, EG_ONCE);
	is_told(s, REC_ASKED);
	is_told(s, REC_ANSWERED);
	assert_string_equal(told_text[1], "nobody");
	assert_int_equal(told.answered, 0);
	say_ask(s, 2, "b.test", 443);
	hears_answer(s, 2, VERDICT_DENY, EG_ONCE);
}

/* A client that says what is no message has no say any more. */
static void test_malformed_client(void **state)
{
	struct stage *s = *state;

	first_packet(s);
	say_ask(s, 1, "a.test", 443);
	client_hears(s, "a.test");
	assert_true(write(s->client, "yes\n", 4) == 4);
	hears_answer(s, 1, VERDICT_DENY, EG_ONCE);
}

static void test_time(void **state)
{
	struct stage *s = *state;

	s->spec.network.ask_seconds = 1;
	first_packet(s);
	say_ask(s, 1, "a.test", 443);
	client_hears(s, "a.test");
	hears_answer(s, 1, VERDICT_DENY, EG_ONCE);
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
	(void)shutdown(s->diag, SHUT_RDWR); /* ours exits with status 3 */
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

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

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
		broker();
	(void)signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

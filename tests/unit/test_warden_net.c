/* SPDX-License-Identifier: Apache-2.0 */
/* The warden between supervisor and steward: what has not its exact length is not passed on,
 * and nobody waits for an answer that cannot come. */
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "linux/steward.h"

static struct fixture {
	struct launch l;
	struct warden w;
	struct launch_ops ops;
	int steward, supervisor; /* the other ends */
	unsigned n_net, n_degraded;
	struct net_record net;
	char what[64], reason[256];
} f;

static void on_net(void *ctx, const struct net_record *rec)
{
	(void)ctx;
	f.n_net++;
	f.net = *rec;
}

static void on_degraded(void *ctx, const char *what, const char *reason)
{
	(void)ctx;
	f.n_degraded++;
	(void)snprintf(f.what, sizeof(f.what), "%s", what);
	(void)snprintf(f.reason, sizeof(f.reason), "%s", reason);
}

static int setup(void **state)
{
	int net[2], events[2];

	(void)state;
	memset(&f, 0, sizeof(f));
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, net) < 0 ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, events) < 0)
		return -1;
	f.steward = net[1];
	f.supervisor = events[1];
	f.l.net[0] = net[0];
	f.l.events[0] = events[0];
	f.ops = (struct launch_ops){ .on_net = on_net, .on_degraded = on_degraded };
	f.w.l = &f.l;
	f.w.ops = &f.ops;
	f.w.term.master = -1;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	close_quietly(f.l.net[0]);
	close_quietly(f.l.events[0]);
	close_quietly(f.steward);
	close_quietly(f.supervisor);
	return 0;
}

static void from_steward(const void *data, size_t len)
{
	assert_int_equal(send(f.steward, data, len, 0), len);
	warden_net_ready(&f.w);
}

static struct record ask(enum rec_type type, uint32_t id)
{
	struct record r = { .h = { .magic = REC_MAGIC, .type = type, .count = id } };

	return r;
}

/* The next header that has come to fd; false: none. */
static bool next(int fd, struct rec_header *ret)
{
	struct record r;
	ssize_t n = recv(fd, &r, sizeof(r), MSG_DONTWAIT);

	if (n < (ssize_t)sizeof(r.h))
		return false;
	*ret = r.h;
	return true;
}

static void assert_answer(uint32_t id, int err)
{
	struct rec_header h;

	assert_true(next(f.supervisor, &h));
	assert_int_equal(h.type, REC_ANSWER);
	assert_int_equal(h.count, id);
	assert_int_equal(h.err, err);
}

static void test_network_records(void **state)
{
	static struct net_record r;
	const size_t head = offsetof(struct net_record, text);

	(void)state;
	r = (struct net_record){ .magic = REC_MAGIC, .type = REC_NET, .port = 443 };
	r.len[0] = 4;
	r.len[6] = 3;
	memcpy(r.text, "hostyes", 7);
	from_steward(&r, head + 7);
	assert_int_equal(f.n_net, 1);
	assert_memory_equal(&f.net, &r, head + 7);
	/* Every other length. */
	for (size_t len = 1; len < head + 64; len++)
		if (len != head + 7)
			from_steward(&r, len);
	assert_int_equal(f.n_net, 1);
	/* Lengths that are more than a record has room for. */
	for (size_t i = 0; i < ARRAY_SIZE(r.len); i++)
		r.len[i] = UINT16_MAX;
	from_steward(&r, sizeof(r));
	r.magic++;
	r.len[0] = 0;
	from_steward(&r, head);
	assert_int_equal(f.n_net, 1);
	assert_int_equal(f.n_degraded, 0);
}

static void test_degraded(void **state)
{
	static struct record r;

	(void)state;
	r = (struct record){
		.h = { .magic = REC_MAGIC, .type = REC_DEGRADED, .target_len = 7, .reason_len = 3 }
	};
	memcpy(r.text, "networkwhy", 10);
	for (size_t len = sizeof(r.h); len < sizeof(r.h) + 20; len++)
		if (len != sizeof(r.h) + 10)
			from_steward(&r, len);
	assert_int_equal(f.n_degraded, 0);
	from_steward(&r, sizeof(r.h) + 10);
	assert_int_equal(f.n_degraded, 1);
	assert_string_equal(f.what, "network");
	assert_string_equal(f.reason, "why");
}

static void test_questions(void **state)
{
	struct record r = ask(REC_ASK, 7);
	struct rec_header h;

	(void)state;
	warden_ask(&f.w, &r, sizeof(r.h));
	assert_true(next(f.steward, &h));
	assert_int_equal(h.type, REC_ASK);
	assert_false(next(f.supervisor, &h));
	r = ask(REC_ANSWER, 7);
	r.h.nr = 1;
	from_steward(&r, sizeof(r.h));
	assert_true(next(f.supervisor, &h));
	assert_int_equal(h.count, 7);
	assert_int_equal(h.nr, 1);
	assert_int_equal(f.w.n_asked, 0);
	/* Withdrawn. */
	r = ask(REC_ASK, 8);
	warden_ask(&f.w, &r, sizeof(r.h));
	r = ask(REC_UNASK, 8);
	warden_ask(&f.w, &r, sizeof(r.h));
	assert_int_equal(f.w.n_asked, 0);
	assert_true(next(f.steward, &h));
	assert_true(next(f.steward, &h));
	assert_int_equal(h.type, REC_UNASK);
}

static void test_too_many_questions(void **state)
{
	struct rec_header h;

	(void)state;
	for (uint32_t id = 0; id < ARRAY_SIZE(f.w.asked) + 1; id++) {
		struct record r = ask(REC_ASK, id);

		warden_ask(&f.w, &r, sizeof(r.h));
		(void)next(f.steward, &h);
	}
	assert_answer(ARRAY_SIZE(f.w.asked), EACCES);
	assert_false(next(f.supervisor, &h));
}

static void test_a_steward_that_dies(void **state)
{
	struct rec_header h;

	(void)state;
	for (uint32_t id = 1; id <= 2; id++) {
		struct record r = ask(REC_ASK, id);

		warden_ask(&f.w, &r, sizeof(r.h));
	}
	close_quietly(f.steward);
	f.steward = -1;
	warden_net_ready(&f.w);
	assert_int_equal(f.l.net[0], -1);
	assert_int_equal(f.n_degraded, 1);
	assert_answer(2, EACCES);
	assert_answer(1, EACCES);
	assert_false(next(f.supervisor, &h));
	/* Nobody is left to ask. */
	{
		struct record r = ask(REC_ASK, 3);

		warden_ask(&f.w, &r, sizeof(r.h));
	}
	assert_answer(3, EACCES);
}

static void test_a_steward_that_ends(void **state)
{
	struct record r = ask(REC_END, 0);

	(void)state;
	from_steward(&r, sizeof(r.h));
	close_quietly(f.steward);
	f.steward = -1;
	warden_net_ready(&f.w);
	assert_int_equal(f.l.net[0], -1);
	assert_int_equal(f.n_degraded, 0);
}

/* It is told, heard out and reaped; one that does not end is ended. */
static void test_the_end(void **state)
{
	(void)state;
	for (int stubborn = 0; stubborn < 2; stubborn++) {
		static struct net_record last;
		struct rec_header h;
		pid_t pid;

		assert_int_equal(setup(NULL), 0);
		last = (struct net_record){ .magic = REC_MAGIC, .type = REC_NET };
		pid = fork();
		assert_true(pid >= 0);
		if (pid == 0) {
			struct pollfd p = { .fd = f.steward, .events = POLLIN };

			(void)close(f.l.net[0]);
			(void)poll(&p, 1, -1);
			if (!next(f.steward, &h) || h.type != REC_END)
				_exit(1);
			(void)send(f.steward, &last, offsetof(struct net_record, text), 0);
			while (stubborn)
				(void)pause();
			_exit(0);
		}
		close_quietly(f.steward);
		f.steward = -1;
		f.w.steward = pid;
		warden_net_end(&f.w);
		assert_int_equal(f.n_net, 1);
		assert_int_equal(f.n_degraded, 0);
		assert_int_equal(f.w.steward, 0);
		assert_int_equal(waitpid(pid, NULL, WNOHANG), -1);
		assert_int_equal(teardown(NULL), 0);
	}
}

static void test_terminal(void **state)
{
	struct record r = ask(REC_TERMINAL, 1);
	struct rec_header h;

	(void)state;
	/* The command has none of the user's: it may be had. */
	from_steward(&r, sizeof(r.h));
	assert_true(next(f.steward, &h));
	assert_int_equal(h.type, REC_TERMINAL);
	assert_int_equal(h.count, 2);
	assert_int_equal(h.err, 0);
	r = ask(REC_TERMINAL, 3);
	from_steward(&r, sizeof(r.h));
	assert_false(next(f.steward, &h));
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(test_network_records),
		T(test_degraded),
		T(test_questions),
		T(test_too_many_questions),
		T(test_a_steward_that_dies),
		T(test_a_steward_that_ends),
		cmocka_unit_test(test_the_end),
		T(test_terminal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* One terminal, its scrollback and its viewers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "session/pty_hub.h"
#include "session/pty_ring.h"

#define RESET "\033[!p\033[?1049l\033[m\033[H\033[2J"

static void ring(void **state)
{
	struct pty_ring r;
	char text[32];

	(void)state;
	assert_int_equal(pty_ring_init(&r, 8), 0);
	assert_int_equal(pty_ring_entry(&r), 0);
	pty_ring_add(&r, "abc", 3);
	assert_int_equal(pty_ring_copy(&r, 0, text, sizeof(text)), 3);
	assert_memory_equal(text, "abc", 3);
	pty_ring_add(&r, "de\nfgh", 6);
	assert_int_equal(pty_ring_start(&r), 1);
	assert_int_equal(pty_ring_copy(&r, 1, text, sizeof(text)), 8);
	assert_memory_equal(text, "bcde\nfgh", 8);
	assert_int_equal(pty_ring_copy(&r, 7, text, 1), 1);
	assert_memory_equal(text, "g", 1);
	/* Behind the first line's end. */
	assert_int_equal(pty_ring_entry(&r), 6);
	pty_ring_add(&r, "0123456789abcdefgh", 18);
	assert_int_equal(pty_ring_copy(&r, pty_ring_start(&r), text, sizeof(text)), 8);
	assert_memory_equal(text, "abcdefgh", 8);
	assert_int_equal(pty_ring_entry(&r), pty_ring_start(&r));
	pty_ring_free(&r);
}

struct stage {
	struct pty_hub *hub;
	int slave;
};

static bool wait_first;

static void open_stage(struct stage *s, size_t scrollback)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), unlock = 0;
	struct termios modes;

	assert_true(master >= 0);
	assert_int_equal(ioctl(master, TIOCSPTLCK, &unlock), 0);
	s->slave = ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
	assert_true(s->slave >= 0);
	assert_int_equal(tcgetattr(s->slave, &modes), 0);
	cfmakeraw(&modes);
	assert_int_equal(tcsetattr(s->slave, TCSANOW, &modes), 0);
	s->hub = pty_hub_new(master, scrollback, true, wait_first);
	assert_non_null(s->hub);
}

static void close_stage(struct stage *s)
{
	pty_hub_free(s->hub);
	close_quietly(s->slave);
}

/* As long as something is to do now. */
static void spin(struct stage *s)
{
	struct pollfd p[PTY_POLLS];

	for (int i = 0; i < 1000; i++) {
		size_t n = pty_hub_poll(s->hub, p);
		int r = poll(p, n, 10);

		if (r == 0 && pty_hub_timeout(s->hub) < 0)
			return;
		pty_hub_ready(s->hub, p, r > 0 ? n : 0);
		if (r == 0)
			return;
	}
}

static void say(int fd, enum pty_type type, int a, int b, unsigned flags, const char *data)
{
	struct {
		struct pty_msg m;
		char data[PTY_DATA_MAX];
	} out = { .m = { PTY_MAGIC, type, a, b, flags } };
	size_t n = data ? strlen(data) : 0;

	if (n)
		memcpy(out.data, data, n);
	assert_int_equal(send(fd, &out, sizeof(out.m) + n, MSG_NOSIGNAL), sizeof(out.m) + n);
}

static int join(struct stage *s, int rows, int cols, unsigned flags)
{
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds),
			 0);
	assert_int_equal(pty_hub_add(s->hub, fds[0]), 0);
	say(fds[1], PTY_ATTACH, rows, cols, flags, NULL);
	spin(s);
	return fds[1];
}

/* What a viewer got. *ret_status: -1 while the command has not ended; -2: dropped. */
static char text[1 << 20];
static size_t heard;

/* More of it. Returns how much there is by now. */
static size_t listen_more(int fd, int *ret_status)
{
	struct {
		struct pty_msg m;
		char data[65536];
	} in;
	size_t n = heard;

	*ret_status = -1;
	for (;;) {
		ssize_t r = recv(fd, &in, sizeof(in), MSG_DONTWAIT);

		if (r == 0)
			*ret_status = -2;
		if (r <= 0)
			break;
		assert_true(r >= (ssize_t)sizeof(in.m) && in.m.magic == PTY_MAGIC);
		if (in.m.type == PTY_EXITED) {
			*ret_status = in.m.a;
			break;
		}
		assert_int_equal(in.m.type, PTY_OUTPUT);
		assert_true(n + (size_t)r < sizeof(text));
		memcpy(text + n, in.data, (size_t)r - sizeof(in.m));
		n += (size_t)r - sizeof(in.m);
	}
	text[n] = '\0';
	heard = n;
	return n;
}

static size_t listen_to(int fd, int *ret_status)
{
	heard = 0;
	return listen_more(fd, ret_status);
}

/* One round of the hub's. */
static void turn(struct stage *s, int timeout)
{
	struct pollfd p[PTY_POLLS];
	size_t n = pty_hub_poll(s->hub, p);
	int r = poll(p, n, timeout);

	pty_hub_ready(s->hub, p, r > 0 ? n : 0);
}

/* The kernel passes a terminal's bytes on when it comes to it: until they are there. */
static void hears(struct stage *s, int fd, const char *want)
{
	int status;

	(void)listen_to(fd, &status);
	for (int i = 0; i < 2000 && strlen(text) < strlen(want); i++) {
		turn(s, 5);
		(void)listen_more(fd, &status);
	}
	assert_string_equal(text, want);
	assert_int_equal(status, -1);
}

static void writes(struct stage *s, const char *data)
{
	assert_int_equal(write(s->slave, data, strlen(data)), strlen(data));
	spin(s);
}

/* Until the hub has taken in n bytes: somebody looks. */
static void wait_for(struct stage *s, size_t n)
{
	int v = join(s, 24, 80, 1), status;

	(void)listen_to(v, &status);
	for (int i = 0; i < 2000 && heard < n + strlen(RESET); i++) {
		turn(s, 5);
		(void)listen_more(v, &status);
	}
	assert_true(heard >= n + strlen(RESET));
	close(v);
	spin(s);
}

static void is_size(struct stage *s, int rows, int cols)
{
	struct winsize size;

	assert_int_equal(ioctl(s->slave, TIOCGWINSZ, &size), 0);
	assert_int_equal(size.ws_row, rows);
	assert_int_equal(size.ws_col, cols);
}

static void several(void **state)
{
	struct stage s;
	char in[64];
	int a, b, c, there = 0;

	(void)state;
	open_stage(&s, 4096);
	writes(&s, "before\n");
	wait_for(&s, 7);
	a = join(&s, 24, 80, 0);
	hears(&s, a, RESET "before\n");
	b = join(&s, 50, 70, 0);
	is_size(&s, 24, 70);
	hears(&s, b, RESET "before\n");
	c = join(&s, 10, 10, 1);
	is_size(&s, 24, 70);
	hears(&s, c, RESET "before\n");
	assert_int_equal(pty_hub_viewers(s.hub), 3);
	writes(&s, "all");
	hears(&s, a, "all");
	hears(&s, b, "all");
	hears(&s, c, "all");
	say(b, PTY_INPUT, 0, 0, 0, "typed");
	say(c, PTY_INPUT, 0, 0, 0, "not");
	for (int i = 0; i < 2000 && ioctl(s.slave, FIONREAD, &there) == 0 && there < 5; i++)
		turn(&s, 5);
	spin(&s);
	assert_int_equal(read(s.slave, in, sizeof(in)), 5);
	assert_memory_equal(in, "typed", 5);
	say(b, PTY_RESIZE, 20, 90, 0, NULL);
	spin(&s);
	is_size(&s, 20, 80);
	/* The smaller one goes. */
	close(b);
	spin(&s);
	is_size(&s, 24, 80);
	close(a);
	spin(&s);
	is_size(&s, 24, 80);
	assert_int_equal(pty_hub_viewers(s.hub), 1);
	close(c);
	close_stage(&s);
}

/* Only one terminal answers, and nobody's what was asked before it came. */
static void one_answers(void **state)
{
	struct stage s;
	int a, b;

	(void)state;
	open_stage(&s, 4096);
	writes(&s, "x\033[6ny\033]52;c;ZQ==\a");
	wait_for(&s, 2);
	a = join(&s, 24, 80, 0);
	hears(&s, a, RESET "xy");
	b = join(&s, 24, 80, 0);
	hears(&s, b, RESET "xy");
	writes(&s, "\033[c1\033]11;?\a");
	hears(&s, a, "\033[c1\033]11;?\a");
	hears(&s, b, "1");
	say(b, PTY_INPUT, 0, 0, 0, "k");
	spin(&s);
	writes(&s, "\033[18t2");
	hears(&s, a, "2");
	hears(&s, b, "\033[18t2");
	/* Who is left. */
	close(b);
	spin(&s);
	writes(&s, "\033[6n3");
	hears(&s, a, "\033[6n3");
	close(a);
	close_stage(&s);
}

/* Who starts a command sees it from its beginning, and answers. */
static void awaited(void **state)
{
	struct stage s;
	int a, b;

	(void)state;
	wait_first = true;
	open_stage(&s, 4096);
	wait_first = false;
	writes(&s, "x\033[6ny");
	a = join(&s, 24, 80, 0);
	hears(&s, a, "x\033[6ny");
	b = join(&s, 24, 80, 0);
	hears(&s, b, RESET "xy");
	close(a);
	close(b);
	close_stage(&s);
}

/* Megabytes to one that never reads: another one gets every byte meanwhile. */
static void never_reads(void **state)
{
	static char block[2048];
	struct stage s;
	int deaf, a, status;
	(void)state;
	open_stage(&s, 65536);
	deaf = join(&s, 24, 80, 0);
	a = join(&s, 24, 80, 0);
	hears(&s, a, RESET);
	memset(block, 'x', sizeof(block) - 1);
	block[sizeof(block) - 2] = '\n';
	heard = 0;
	for (size_t i = 1; i <= 256; i++) {
		assert_int_equal(write(s.slave, block, strlen(block)), strlen(block));
		for (int k = 0; k < 2000 && heard < i * strlen(block); k++) {
			turn(&s, 5);
			(void)listen_more(a, &status);
			assert_int_equal(status, -1);
		}
		assert_int_equal(heard, i * strlen(block));
	}
	/* It reads at last: what fits in between is lost to it, and it is told the screen anew. */
	for (int i = 0; i < 100; i++) {
		(void)listen_to(deaf, &status);
		assert_int_equal(status, -1);
		if (strstr(text + 1, RESET))
			break;
		spin(&s);
	}
	assert_non_null(strstr(text + 1, RESET));
	writes(&s, "end");
	(void)listen_to(deaf, &status);
	for (int i = 0; i < 2000 && !strstr(text, "end"); i++) {
		turn(&s, 5);
		(void)listen_more(deaf, &status);
	}
	assert_true(strlen(text) >= 3 && strcmp(text + strlen(text) - 3, "end") == 0);
	close(deaf);
	close(a);
	close_stage(&s);
}

static void the_end(void **state)
{
	struct stage s;
	int a, late, status;

	(void)state;
	open_stage(&s, 4096);
	a = join(&s, 24, 80, 0);
	hears(&s, a, RESET);
	assert_int_equal(write(s.slave, "last", 4), 4);
	close_quietly(s.slave);
	s.slave = -1;
	pty_hub_exited(s.hub, 7);
	spin(&s);
	(void)listen_to(a, &status);
	assert_string_equal(text, "last");
	assert_int_equal(status, 7);
	assert_true(pty_hub_done(s.hub));
	late = join(&s, 24, 80, 0);
	(void)listen_to(late, &status);
	assert_string_equal(text, RESET "last");
	assert_int_equal(status, 7);
	close(a);
	close(late);
	close_stage(&s);
}

/* What is no message ends its viewer, and nobody else. */
static void bad_messages(void **state)
{
	static const struct pty_msg bad[] = {
		{ 1, PTY_RESIZE, 24, 80, 0 },	      { PTY_MAGIC, 99, 0, 0, 0 },
		{ PTY_MAGIC, PTY_ATTACH, 24, 80, 0 }, { PTY_MAGIC, PTY_RESIZE, 0, 80, 0 },
		{ PTY_MAGIC, PTY_RESIZE, 24, -1, 0 }, { PTY_MAGIC, PTY_RESIZE, 24, 1 << 20, 0 },
		{ PTY_MAGIC, PTY_OUTPUT, 0, 0, 0 },
	};
	struct stage s;
	int good, fds[2], status;

	(void)state;
	open_stage(&s, 4096);
	good = join(&s, 24, 80, 0);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		int v = join(&s, 30, 90, 0);

		assert_int_equal(send(v, &bad[i], sizeof(bad[i]), MSG_NOSIGNAL), sizeof(bad[i]));
		spin(&s);
		(void)listen_to(v, &status);
		assert_int_equal(status, -2);
		close(v);
	}
	/* Short; too long; input before it is attached. */
	for (int i = 0; i < 3; i++) {
		static char junk[sizeof(struct pty_msg) + PTY_DATA_MAX + 1];
		struct pty_msg m = { PTY_MAGIC, PTY_INPUT, 0, 0, 0 };

		memcpy(junk, &m, sizeof(m));
		assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds), 0);
		assert_int_equal(pty_hub_add(s.hub, fds[0]), 0);
		assert_true(send(fds[1], junk,
				 i == 0	  ? 3
				 : i == 1 ? sizeof(junk)
					  : sizeof(m) + 1,
				 0) > 0);
		spin(&s);
		(void)listen_to(fds[1], &status);
		assert_int_equal(status, -2);
		close(fds[1]);
	}
	assert_int_equal(pty_hub_viewers(s.hub), 1);
	is_size(&s, 24, 80);
	writes(&s, "still");
	(void)listen_to(good, &status);
	for (int i = 0; i < 2000 && !strstr(text, "still"); i++) {
		turn(&s, 5);
		(void)listen_more(good, &status);
	}
	assert_true(strlen(text) > 5 && strcmp(text + strlen(text) - 5, "still") == 0);
	/* One too many. */
	for (int i = 1; i < PTY_VIEWERS; i++) {
		assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds), 0);
		assert_int_equal(pty_hub_add(s.hub, fds[0]), 0);
		close(fds[1]);
	}
	assert_int_equal(pty_hub_add(s.hub, dup(good)), -EBUSY);
	close(good);
	close_stage(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ring),		cmocka_unit_test(several),
		cmocka_unit_test(one_answers),	cmocka_unit_test(awaited),
		cmocka_unit_test(never_reads),	cmocka_unit_test(the_end),
		cmocka_unit_test(bad_messages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

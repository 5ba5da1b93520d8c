/* SPDX-License-Identifier: Apache-2.0 */
/* The dialog on the user's terminal. The warden owns that terminal while the command has one
 * of its own: it is asked for it, stops copying bytes, puts the modes back, and gives it
 * only while berm is in the foreground.
 *
 * What the user was typing for the command must not answer a question that appears in the
 * middle of it: pending input is thrown away, and a key counts only after a short
 * silence. */
#include <string.h>
#include <termios.h>

#include "session/approver.h"
#include "session/dialog.h"
#include "session/internal.h"

#define SILENCE_MS 300
#define RETRY_MS 500 /* berm is in the background, or somebody else has the terminal */
#define WRITE_MS 100 /* patience with a terminal that takes nothing (Ctrl-S) */

enum tty_state { TTY_IDLE, TTY_WAITING /* for the warden */, TTY_ASKING, TTY_LOST };

struct tty_approver {
	struct approver base;
	int fd;
	enum tty_state state;
	const struct ask *open[ASK_MAX]; /* in the order they came; the first is shown */
	size_t n_open;
	struct termios saved;
	bool raw;
	long long quiet_since_ms;
	long long retry_ms; /* 0: the warden has been asked */
};

static struct tty_approver *self(const struct approver *a)
{
	struct tty_approver *t;

	memcpy(&t, &a, sizeof(t)); /* base is the first member */
	return t;
}

static void say(struct tty_approver *t, const char *text, size_t len)
{
	while (len) {
		struct pollfd p = { .fd = t->fd, .events = POLLOUT };
		ssize_t n = write(t->fd, text, len);

		if (n > 0) {
			text += n;
			len -= (size_t)n;
		} else if (errno != EINTR && (errno != EAGAIN || poll(&p, 1, WRITE_MS) <= 0)) {
			return;
		}
	}
}

static void leave_raw(struct tty_approver *t)
{
	if (t->raw)
		(void)tcsetattr(t->fd, TCSADRAIN, &t->saved);
	t->raw = false;
}

static void lost(struct tty_approver *t)
{
	bool had = t->state == TTY_ASKING || t->state == TTY_WAITING;

	leave_raw(t);
	t->state = TTY_LOST;
	t->n_open = 0;
	if (had)
		t->base.set->terminal(t->base.set->ctx, 3);
}

static bool enter_raw(struct tty_approver *t)
{
	struct termios modes;

	if (tcgetattr(t->fd, &t->saved) < 0)
		return false;
	modes = t->saved;
	modes.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ECHONL | ISIG | IEXTEN);
	modes.c_iflag &= ~(tcflag_t)(IXON | ICRNL | INLCR | ISTRIP);
	modes.c_oflag |= OPOST;
	modes.c_cc[VMIN] = 1;
	modes.c_cc[VTIME] = 0;
	if (tcsetattr(t->fd, TCSAFLUSH, &modes) < 0)
		return false;
	t->raw = true;
	return true;
}

static void show_first(struct tty_approver *t)
{
	_cleanup_buf_ struct buf b = BUF_INIT(32u * 1024u);

	dialog_text(&b, t->open[0], t->n_open - 1, session_now_ms());
	if (!b.failed)
		say(t, b.data, b.len);
	(void)tcflush(t->fd, TCIFLUSH);
	t->quiet_since_ms = session_now_ms();
}

/* The first question is over: shows the next one, or gives the terminal back. */
static void next(struct tty_approver *t)
{
	if (t->state != TTY_ASKING)
		return;
	if (t->n_open) {
		show_first(t);
		return;
	}
	leave_raw(t);
	t->state = TTY_IDLE;
	t->base.set->terminal(t->base.set->ctx, 3);
}

static bool tty_show(struct approver *a, const struct ask *q)
{
	struct tty_approver *t = self(a);

	if (t->state == TTY_LOST || t->n_open == ASK_MAX)
		return false;
	t->open[t->n_open++] = q;
	if (t->state == TTY_IDLE) {
		t->state = TTY_WAITING;
		t->base.set->terminal(t->base.set->ctx, 1);
	}
	return true;
}

static void tty_terminal(struct approver *a, bool given)
{
	struct tty_approver *t = self(a);

	if (t->state != TTY_WAITING) {
		if (given)
			t->base.set->terminal(t->base.set->ctx, 3);
		return;
	}
	/* Without a terminal of the command's the warden knows none, and gives it always. */
	if (given && tcgetpgrp(t->fd) != getpgrp()) {
		t->base.set->terminal(t->base.set->ctx, 3);
		given = false;
	}
	if (!given) {
		t->retry_ms = session_now_ms() + RETRY_MS;
		return;
	}
	if (!t->n_open) {
		t->state = TTY_IDLE;
		t->base.set->terminal(t->base.set->ctx, 3);
		return;
	}
	if (!enter_raw(t)) {
		lost(t);
		return;
	}
	t->state = TTY_ASKING;
	show_first(t);
}

static int tty_timeout(const struct approver *a, long long now_ms)
{
	const struct tty_approver *t = self(a);

	if (!t->retry_ms)
		return -1;
	return t->retry_ms > now_ms ? (int)(t->retry_ms - now_ms) : 0;
}

static void tty_tick(struct approver *a, long long now_ms)
{
	struct tty_approver *t = self(a);

	if (!t->retry_ms || now_ms < t->retry_ms)
		return;
	t->retry_ms = 0;
	if (t->state != TTY_WAITING)
		return;
	if (t->n_open)
		t->base.set->terminal(t->base.set->ctx, 1);
	else
		t->state = TTY_IDLE;
}

static void tty_forget(struct approver *a, const struct ask *q)
{
	struct tty_approver *t = self(a);
	static const char over[] = "berm: this question is over\r\n";

	for (size_t i = 0; i < t->n_open; i++) {
		if (t->open[i] != q)
			continue;
		t->n_open--;
		memmove(&t->open[i], &t->open[i + 1], (t->n_open - i) * sizeof(t->open[0]));
		if (i == 0 && t->state == TTY_ASKING) {
			say(t, over, sizeof(over) - 1);
			next(t);
		}
		/* While the terminal is still on its way it is given back on arrival. */
		return;
	}
}

static bool tty_present(const struct approver *a)
{
	return self(a)->state != TTY_LOST;
}

static size_t tty_poll(const struct approver *a, struct pollfd *p, size_t max)
{
	const struct tty_approver *t = self(a);

	if (t->state != TTY_ASKING || !max)
		return 0;
	p[0] = (struct pollfd){ .fd = t->fd, .events = POLLIN };
	return 1;
}

static void answer_first(struct tty_approver *t, enum decision decision, enum ask_hold hold)
{
	_cleanup_buf_ struct buf b = BUF_INIT(256);
	uint32_t id = t->open[0]->id;

	(void)buf_addf(&b, "berm: %s\r\n", dialog_said(decision, hold));
	say(t, b.data, b.len);
	t->n_open--;
	memmove(&t->open[0], &t->open[1], t->n_open * sizeof(t->open[0]));
	approver_answers(&t->base, id, decision, hold);
	next(t);
}

static void tty_ready(struct approver *a, const struct pollfd *p, size_t n)
{
	struct tty_approver *t = self(a);
	long long now = session_now_ms();
	enum decision decision;
	enum ask_hold hold;
	unsigned char keys[64];
	ssize_t got;

	if (!n || !p[0].revents || t->state != TTY_ASKING)
		return;
	got = read(t->fd, keys, sizeof(keys));
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (got <= 0) {
		lost(t);
		return;
	}
	/* More than one byte at once is no key of a person's answer (an arrow, a paste). */
	if (got == 1 && now - t->quiet_since_ms >= SILENCE_MS && t->n_open &&
	    dialog_key(keys[0], t->open[0], &decision, &hold))
		answer_first(t, decision, hold);
	else
		t->quiet_since_ms = now;
}

static void tty_close(struct approver *a)
{
	struct tty_approver *t = self(a);

	if (t->state == TTY_ASKING || t->state == TTY_WAITING) {
		leave_raw(t);
		t->state = TTY_LOST;
		t->base.set->terminal(t->base.set->ctx, 3);
	}
}

static const struct approver_ops tty_ops = {
	.show = tty_show,
	.forget = tty_forget,
	.present = tty_present,
	.poll = tty_poll,
	.ready = tty_ready,
	.timeout = tty_timeout,
	.tick = tty_tick,
	.terminal = tty_terminal,
	.close = tty_close,
};

struct approver *approver_tty_new(const struct approver_setup *s)
{
	struct tty_approver *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->base.ops = &tty_ops;
	t->fd = s->in;
	return &t->base;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The command never holds the user's terminal: it gets one of its own, and the
 * warden copies bytes. So nothing can be pushed into the user's input queue
 * (TIOCSTI), and the terminal's modes are restored whatever the command did. */
#include <fcntl.h>
#include <sys/ioctl.h>

#include "linux/warden.h"

static int reopen(int fd)
{
	char path[32];

	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	/* O_NONBLOCK on the inherited description would be seen by the shell too. */
	return open(path, O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

int terminal_init(struct terminal *t, const bool tty[3])
{
	int out = tty[1] ? 1 : tty[2] ? 2 : 0;

	*t = (struct terminal){ .master = -1, .in = -1, .out = -1, .ctl = -1 };
	if (!tty[0] && !tty[1] && !tty[2])
		return 0;
	t->active = true;
	t->out = reopen(out);
	if (t->out < 0)
		return -errno;
	t->ctl = t->out;
	if (tty[0]) {
		t->in = reopen(0);
		if (t->in < 0)
			return -errno;
		t->ctl = t->in;
	}
	return tcgetattr(t->ctl, &t->saved) < 0 ? -errno : 0;
}

int terminal_attach(struct terminal *t, int master)
{
	struct termios modes = t->saved;

	t->master = master;
	/* Only output passes here: the user's terminal does the processing. */
	if (t->in < 0)
		modes.c_oflag &= ~(tcflag_t)OPOST;
	if (fcntl(master, F_SETFL, O_RDWR | O_NONBLOCK) < 0 ||
	    tcsetattr(master, TCSANOW, &modes) < 0)
		return -errno;
	terminal_resize(t);
	terminal_raw(t);
	return 0;
}

static bool in_foreground(const struct terminal *t)
{
	return tcgetpgrp(t->ctl) == getpgrp();
}

void terminal_raw(struct terminal *t)
{
	struct termios modes = t->saved;

	if (!t->active || t->raw || t->paused || t->in < 0 || !in_foreground(t))
		return;
	cfmakeraw(&modes);
	if (tcsetattr(t->ctl, TCSADRAIN, &modes) == 0)
		t->raw = true;
}

void terminal_restore(struct terminal *t)
{
	if (!t->raw)
		return;
	(void)tcsetattr(t->ctl, TCSADRAIN, &t->saved);
	t->raw = false;
}

void terminal_resize(struct terminal *t)
{
	struct winsize size;

	if (t->active && t->master >= 0 && ioctl(t->ctl, TIOCGWINSZ, &size) == 0)
		(void)ioctl(t->master, TIOCSWINSZ, &size);
}

int terminal_pause(struct terminal *t)
{
	if (!t->active || t->paused)
		return t->paused ? -EBUSY : 0;
	if (!in_foreground(t))
		return -EAGAIN;
	terminal_drain(t);
	terminal_restore(t);
	t->paused = true;
	return 0;
}

/* A size that differs for a moment: the kernel tells the foreground group of each change,
 * and only of a change. */
static void redraw(struct terminal *t)
{
	struct winsize size, other;

	if (t->master < 0 || ioctl(t->ctl, TIOCGWINSZ, &size) < 0)
		return;
	other = size;
	other.ws_row++;
	(void)ioctl(t->master, TIOCSWINSZ, &other);
	(void)ioctl(t->master, TIOCSWINSZ, &size);
}

void terminal_resume(struct terminal *t)
{
	if (!t->paused)
		return;
	t->paused = false;
	terminal_raw(t);
	redraw(t);
}

static size_t room(struct relay *r)
{
	if (r->from == r->to)
		r->from = r->to = 0;
	return sizeof(r->data) - r->to;
}

size_t terminal_poll(const struct terminal *t, struct pollfd *p)
{
	size_t n = 0;
	short events = 0;

	if (!t->active || t->master < 0 || t->paused)
		return 0;
	/* Input is only read in the foreground: the shell's otherwise. */
	if (t->in >= 0 && t->raw && t->input.from == t->input.to)
		p[n++] = (struct pollfd){ .fd = t->in, .events = POLLIN };
	if (t->output.from == t->output.to)
		events |= POLLIN;
	if (t->input.from != t->input.to)
		events |= POLLOUT;
	if (events)
		p[n++] = (struct pollfd){ .fd = t->master, .events = events };
	if (t->output.from != t->output.to)
		p[n++] = (struct pollfd){ .fd = t->out, .events = POLLOUT };
	return n;
}

/* false: the source is at its end. */
static bool fill(struct relay *r, int fd)
{
	size_t space = room(r);
	ssize_t n;

	if (!space)
		return true;
	n = read(fd, r->data + r->to, space);
	if (n > 0)
		r->to += (size_t)n;
	return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

static bool flush(struct relay *r, int fd)
{
	ssize_t n;

	if (r->from == r->to)
		return true;
	n = write(fd, r->data + r->from, r->to - r->from);
	if (n > 0)
		r->from += (size_t)n;
	return n >= 0 || errno == EAGAIN || errno == EINTR;
}

static void hang_up(struct terminal *t)
{
	/* The command's group gets SIGHUP from the kernel. */
	close_quietly(t->master);
	t->master = -1;
}

void terminal_ready(struct terminal *t, const struct pollfd *p, size_t n)
{
	for (size_t i = 0; i < n && t->master >= 0; i++) {
		if (!p[i].revents)
			continue;
		if (p[i].fd == t->in && !fill(&t->input, t->in)) {
			hang_up(t);
			return;
		}
		/* EIO: no slave is open just now; another may be opened while the
		 * session lives, so the master stays. */
		if (p[i].fd == t->master && (p[i].revents & (POLLIN | POLLHUP)))
			(void)fill(&t->output, t->master);
		if (p[i].fd == t->out && !flush(&t->output, t->out)) {
			hang_up(t);
			return;
		}
	}
	if (t->master < 0)
		return;
	(void)flush(&t->input, t->master);
	(void)flush(&t->output, t->out);
}

void terminal_drain(struct terminal *t)
{
	if (!t->active || t->master < 0)
		return;
	for (;;) {
		struct pollfd p = { .fd = t->out, .events = POLLOUT };
		size_t before;

		while (t->output.from != t->output.to) {
			/* A terminal that takes nothing for five seconds is given up. */
			if (poll(&p, 1, 5000) <= 0 || !flush(&t->output, t->out))
				return;
		}
		(void)room(&t->output);
		before = t->output.to;
		(void)fill(&t->output, t->master);
		if (t->output.to == before)
			return;
	}
}

void terminal_close(struct terminal *t)
{
	terminal_restore(t);
	close_quietly(t->master);
	close_quietly(t->in);
	close_quietly(t->out);
	*t = (struct terminal){ .master = -1, .in = -1, .out = -1, .ctl = -1 };
}

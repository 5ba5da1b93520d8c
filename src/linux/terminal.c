/* SPDX-License-Identifier: Apache-2.0 */
/* The command never holds the user's terminal: it gets one of its own, and the
 * warden copies bytes. So nothing can be pushed into the user's input queue
 * (TIOCSTI), and the terminal's modes are restored whatever the command did. What it
 * writes passes a filter (linux/term_filter.h). */
#include <fcntl.h>
#include <sys/ioctl.h>
#include <time.h>

#include "linux/output.h"
#include "linux/warden.h"

/* How long a terminal may take to answer, once, after a command that has asked it something. */
#define ANSWER_MS 250

static int64_t now_ms(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static int reopen(int fd)
{
	char path[32];

	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	/* O_NONBLOCK on the inherited description would be seen by the shell too. */
	return open(path, O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

static struct terminal_flow the_flow;
static const struct terminal none = { .master = -1, .in = -1, .out = -1, .ctl = -1, .keeper = -1 };

int terminal_init(struct terminal *t, const bool tty[3], bool filtered)
{
	int out = tty[1] ? 1 : tty[2] ? 2 : 0;

	*t = none;
	if (!tty[0] && !tty[1] && !tty[2])
		return 0;
	t->filtered = filtered;
	t->flow = &the_flow;
	t->flow->input.from = t->flow->input.to = 0;
	t->flow->output.from = t->flow->output.to = 0;
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
	if (tcgetattr(t->ctl, &t->saved) < 0)
		return -errno;
	/* A terminal says itself that it uses UTF-8, where it can. */
	term_filter_init(
		&t->flow->filter,
		!(t->saved.c_iflag & IUTF8) &&
			term_eight_bit(getenv("LC_ALL"), getenv("LC_CTYPE"), getenv("LANG")));
	return 0;
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

size_t terminal_poll(const struct terminal *t, struct pollfd *p)
{
	size_t n = 0;
	short events = 0;

	if (!t->active || t->master < 0 || t->paused)
		return 0;
	/* Input is only read in the foreground: the shell's otherwise. */
	if (t->in >= 0 && t->raw && t->flow->input.from == t->flow->input.to)
		p[n++] = (struct pollfd){ .fd = t->in, .events = POLLIN };
	if (t->flow->output.from == t->flow->output.to)
		events |= POLLIN;
	if (t->flow->input.from != t->flow->input.to)
		events |= POLLOUT;
	if (events)
		p[n++] = (struct pollfd){ .fd = t->master, .events = events };
	if (t->flow->output.from != t->flow->output.to)
		p[n++] = (struct pollfd){ .fd = t->out, .events = POLLOUT };
	return n;
}

/* Into an empty relay. Returns how many bytes were read; 0: none just now, negative: the source
 * is at its end. */
static ssize_t fill(struct relay *r, int fd, struct term_filter *filter)
{
	char raw[TERMINAL_CHUNK];
	ssize_t n;

	if (r->from != r->to)
		return 0;
	r->from = r->to = 0;
	n = read(fd, filter ? raw : r->data, sizeof(raw));
	if (n > 0)
		r->to = filter ? term_filter(filter, raw, (size_t)n, r->data) : (size_t)n;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	return n > 0 ? n : -1;
}

static ssize_t fill_output(struct terminal *t)
{
	ssize_t n = fill(&t->flow->output, t->master, t->filtered ? &t->flow->filter : NULL);

	if (n > 0)
		output_count((uint64_t)n);
	return n;
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

/* What the command has written, for a while: each round of poll() costs as much as a page of
 * text. EIO: no slave is open just now; another may be opened while the session lives, so the
 * master stays. false: the user's terminal is gone. */
static bool carry_output(struct terminal *t)
{
	for (int i = 0; i < 16; i++) {
		bool none_read = fill_output(t) <= 0;

		if (!flush(&t->flow->output, t->out))
			return false;
		if (none_read || t->flow->output.from != t->flow->output.to)
			break;
	}
	return true;
}

void terminal_ready(struct terminal *t, const struct pollfd *p, size_t n)
{
	bool gone = false;

	for (size_t i = 0; i < n && !gone; i++) {
		if (!p[i].revents)
			continue;
		if (p[i].fd == t->in)
			gone = fill(&t->flow->input, t->in, NULL) < 0;
		else if (p[i].fd == t->master && (p[i].revents & (POLLIN | POLLHUP)))
			gone = !carry_output(t);
		else if (p[i].fd == t->out)
			gone = !flush(&t->flow->output, t->out);
	}
	if (gone) {
		hang_up(t);
		return;
	}
	if (t->master >= 0)
		(void)flush(&t->flow->input, t->master);
}

/* false: a terminal that takes nothing for five seconds is given up. */
static bool flush_all(struct terminal *t)
{
	while (t->flow->output.from != t->flow->output.to) {
		struct pollfd p = { .fd = t->out, .events = POLLOUT };

		if (poll(&p, 1, 5000) <= 0 || !flush(&t->flow->output, t->out))
			return false;
	}
	return true;
}

void terminal_drain(struct terminal *t)
{
	if (!t->active || t->master < 0)
		return;
	/* Not for ever: what goes on in the background may write all the time. */
	for (int i = 0; i < 16384; i++)
		if (!flush_all(t) || fill_output(t) <= 0)
			return;
}

/* The terminal answers in order: what comes before the answer to a question of our own was meant
 * for the command. */
static void drop_answers(struct terminal *t)
{
	static const char question[] = "\033[5n", answer[] = "\033[0n";
	size_t seen = 0;

	if (!t->flow->filter.asked || !t->raw)
		return;
	t->flow->output.from = 0;
	t->flow->output.to = sizeof(question) - 1;
	memcpy(t->flow->output.data, question, t->flow->output.to);
	if (!flush_all(t))
		return;
	for (int patience = ANSWER_MS; patience > 0;) {
		struct pollfd p = { .fd = t->in, .events = POLLIN };
		int64_t since = now_ms();
		char c;

		if (poll(&p, 1, patience) <= 0 || read(t->in, &c, 1) != 1)
			return;
		patience -= (int)(now_ms() - since);
		seen = c == answer[seen] ? seen + 1 : c == answer[0];
		if (seen == sizeof(answer) - 1)
			return;
	}
}

void terminal_settle(struct terminal *t)
{
	if (!t->active || !t->filtered || t->paused)
		return;
	t->flow->output.from = 0;
	t->flow->output.to = term_filter_undo(&t->flow->filter, t->flow->output.data);
	if (flush_all(t))
		drop_answers(t);
}

void terminal_close(struct terminal *t)
{
	terminal_restore(t);
	close_quietly(t->master);
	close_quietly(t->in);
	close_quietly(t->out);
	terminal_unkeep(t);
	*t = none;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* One viewer of a terminal that others keep. The user's terminal is raw meanwhile, and is set back
 * on every way out: here, or by the keeper of linux/keeper.c when this process is killed. */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>

#include "linux/warden.h"
#include "session/pty_hub.h"
#include "session/pty_keep.h"

#define DETACH 0x1d /* Ctrl-] */

struct view {
	int fd, signals;
	bool only_look, pressed; /* the last key was DETACH */
	bool detached, ended;
	int status;
	struct terminal term;
};

static int tell(struct view *v, enum pty_type type, const void *data, size_t n)
{
	struct pty_msg m = { .magic = PTY_MAGIC, .type = type, .flags = v->only_look };
	struct iovec iov[2] = { { &m, sizeof(m) }, { (void *)(uintptr_t)data, n } };
	struct msghdr h = { .msg_iov = iov, .msg_iovlen = 2 };
	struct winsize size = { 0 };

	if (type != PTY_INPUT) {
		(void)ioctl(v->term.ctl, TIOCGWINSZ, &size);
		m.a = size.ws_row ? size.ws_row : 24;
		m.b = size.ws_col ? size.ws_col : 80;
	}
	return sendmsg(v->fd, &h, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

/* Keys; what follows Ctrl-] is for us: d detaches, Ctrl-] is itself. */
static int typed(struct view *v)
{
	uint8_t in[1024], out[sizeof(in) + 1];
	ssize_t got = read(v->term.in, in, sizeof(in));
	size_t n = 0;

	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (got <= 0) {
		v->detached = true;
		return 0;
	}
	for (ssize_t i = 0; i < got; i++) {
		if (v->pressed) {
			v->pressed = false;
			if (in[i] == 'd') {
				v->detached = true;
				return 0;
			}
			if (in[i] != DETACH)
				out[n++] = DETACH;
			out[n++] = in[i];
		} else if (in[i] == DETACH) {
			v->pressed = true;
		} else {
			out[n++] = in[i];
		}
	}
	return n && !v->only_look ? tell(v, PTY_INPUT, out, n) : 0;
}

static bool write_all(struct view *v, const uint8_t *p, size_t n)
{
	while (n) {
		struct pollfd w = { .fd = v->term.out, .events = POLLOUT };
		ssize_t r = write(v->term.out, p, n);

		if (r > 0) {
			p += r;
			n -= (size_t)r;
		} else if (errno != EINTR && (errno != EAGAIN || poll(&w, 1, -1) < 0)) {
			return false;
		}
	}
	return true;
}

/* The hub has filtered it; this filter only remembers what is to be set back. */
static int shown(struct view *v)
{
	struct {
		struct pty_msg m;
		uint8_t data[TERM_FILTER_ROOM(4096)];
	} in;
	static uint8_t unused[TERM_FILTER_ROOM(sizeof(in.data))];
	ssize_t n = recv(v->fd, &in, sizeof(in), 0);

	if (n < 0)
		return errno == EINTR || errno == EAGAIN ? 0 : -errno;
	if (n < (ssize_t)sizeof(in.m) || in.m.magic != PTY_MAGIC)
		return n == 0 ? -EPIPE : -EPROTO;
	n -= (ssize_t)sizeof(in.m);
	if (in.m.type == PTY_EXITED) {
		v->ended = true;
		v->status = in.m.a;
		return 0;
	}
	(void)term_filter(&v->term.flow->filter, in.data, (size_t)n, unused);
	return write_all(v, in.data, (size_t)n) ? 0 : -EPIPE;
}

static int heard_signal(struct view *v)
{
	struct signalfd_siginfo si;

	if (read(v->signals, &si, sizeof(si)) != sizeof(si))
		return 0;
	if (si.ssi_signo == SIGWINCH)
		return tell(v, PTY_RESIZE, NULL, 0);
	if (si.ssi_signo == SIGCONT)
		terminal_raw(&v->term);
	else
		v->detached = true;
	return 0;
}

static int look(struct view *v)
{
	int r = 0;

	while (r >= 0 && !v->detached && !v->ended) {
		struct pollfd p[] = { { .fd = v->fd, .events = POLLIN },
				      { .fd = v->term.in, .events = POLLIN },
				      { .fd = v->signals, .events = POLLIN } };

		if (poll(p, 3, -1) < 0 && errno != EINTR)
			return -errno;
		if (p[2].revents)
			r = heard_signal(v);
		if (r >= 0 && p[1].revents)
			r = typed(v);
		if (r >= 0 && p[0].revents)
			r = shown(v);
	}
	return r;
}

static int watch_signals(struct view *v)
{
	static const int watched[] = { SIGWINCH, SIGCONT, SIGTERM, SIGHUP, SIGINT, SIGQUIT };
	sigset_t set;

	(void)sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_SIZE(watched); i++)
		(void)sigaddset(&set, watched[i]);
	(void)sigprocmask(SIG_BLOCK, &set, NULL);
	v->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return v->signals < 0 ? -errno : 0;
}

int pty_view(int fd, bool only_look, bool *ret_detached, int *ret_status, struct berm_err *err)
{
	struct view v = { .fd = fd, .signals = -1, .only_look = only_look };
	bool tty[3];
	int r;

	for (int i = 0; i < 3; i++)
		tty[i] = isatty(i);
	if (!tty[0] || !tty[1]) {
		r = err_set(err, -ENOTTY, "standard input and output are no terminal");
		err_fix(err, "attach from a terminal, or use berm exec");
		return r;
	}
	r = terminal_init(&v.term, tty, true);
	if (r >= 0)
		r = terminal_keep(&v.term);
	if (r >= 0)
		r = watch_signals(&v);
	if (r >= 0) {
		terminal_raw(&v.term);
		r = tell(&v, PTY_ATTACH, NULL, 0);
	}
	if (r >= 0)
		r = look(&v);
	terminal_settle(&v.term);
	terminal_close(&v.term);
	close_quietly(v.signals);
	if (r == -EPIPE)
		return err_set(err, r, "the terminal's keeper is gone");
	if (r < 0)
		return err_errno(err, r, "lost the terminal");
	*ret_detached = v.detached;
	*ret_status = v.status;
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "session/pty_hub.h"

#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "linux/term_filter.h"
#include "session/pty_ring.h"

#define CHUNK 4096
#define INPUT_MAX 65536
#define SIDE_MAX 4096 /* rows or columns: a terminal has fewer */

struct viewer {
	int fd; /* -1: the place is free */
	bool attached, only_looks;
	int rows, cols;
	uint64_t at;	 /* the next byte of the ring that it gets */
	uint64_t replay; /* what is before was written before it came */
	bool told;	 /* that the command has ended */
	size_t from, to; /* of out */
	struct term_filter filter;
	uint8_t out[TERM_FILTER_ROOM(CHUNK)];
};

struct pty_hub {
	int master;
	bool filtered, awaited;
	struct pty_ring ring;
	struct viewer *v[PTY_VIEWERS];
	struct viewer *speaker; /* who typed last, and so answers */
	uint8_t input[INPUT_MAX];
	size_t in_from, in_to;
	bool hung; /* nobody has the other side open */
	bool exited;
	int status;
};

struct pty_hub *pty_hub_new(int master, size_t scrollback, bool filtered, bool awaited)
{
	struct pty_hub *h = calloc(1, sizeof(*h));

	if (!h)
		return NULL;
	h->master = master;
	h->filtered = filtered;
	h->awaited = awaited;
	if (pty_ring_init(&h->ring, scrollback) < 0 ||
	    fcntl(master, F_SETFL, O_RDWR | O_NONBLOCK) < 0) {
		h->master = -1;
		pty_hub_free(h);
		return NULL;
	}
	return h;
}

static void set_size(struct pty_hub *h)
{
	struct winsize size = { 0 };

	for (size_t i = 0; i < PTY_VIEWERS; i++) {
		const struct viewer *v = h->v[i];

		if (!v || !v->attached || v->only_looks || v->rows <= 0 || v->cols <= 0)
			continue;
		if (!size.ws_row || v->rows < size.ws_row)
			size.ws_row = (unsigned short)v->rows;
		if (!size.ws_col || v->cols < size.ws_col)
			size.ws_col = (unsigned short)v->cols;
	}
	if (size.ws_row && h->master >= 0)
		(void)ioctl(h->master, TIOCSWINSZ, &size);
}

/* The kernel tells the command of each change of the size: it draws its screen anew. */
static void redraw(struct pty_hub *h)
{
	struct winsize size;

	if (h->master < 0 || ioctl(h->master, TIOCGWINSZ, &size) < 0)
		return;
	size.ws_row++;
	(void)ioctl(h->master, TIOCSWINSZ, &size);
	size.ws_row--;
	(void)ioctl(h->master, TIOCSWINSZ, &size);
}

static void drop(struct pty_hub *h, size_t i)
{
	struct viewer *v = h->v[i];

	close_quietly(v->fd);
	h->v[i] = NULL;
	for (size_t k = 0; h->speaker == v && k < PTY_VIEWERS; k++)
		if (h->v[k] && h->v[k]->attached && !h->v[k]->only_looks)
			h->speaker = h->v[k];
	if (h->speaker == v)
		h->speaker = NULL;
	free(v);
	set_size(h);
}

void pty_hub_free(struct pty_hub *h)
{
	if (!h)
		return;
	for (size_t i = 0; i < PTY_VIEWERS; i++)
		if (h->v[i])
			drop(h, i);
	pty_ring_free(&h->ring);
	close_quietly(h->master);
	free(h);
}

int pty_hub_add(struct pty_hub *h, int fd)
{
	for (size_t i = 0; i < PTY_VIEWERS; i++) {
		if (h->v[i])
			continue;
		h->v[i] = calloc(1, sizeof(*h->v[i]));
		if (!h->v[i])
			break;
		h->v[i]->fd = fd;
		return 0;
	}
	close_quietly(fd);
	return -EBUSY;
}

size_t pty_hub_viewers(const struct pty_hub *h)
{
	size_t n = 0;

	for (size_t i = 0; i < PTY_VIEWERS; i++)
		n += h->v[i] && h->v[i]->attached;
	return n;
}

/* ---- out ---------------------------------------------------------------- */

/* A screen in a known state, then what is there. */
static void begin_anew(struct pty_hub *h, struct viewer *v)
{
	static const char reset[] = "\033[!p\033[?1049l\033[m\033[H\033[2J";

	term_filter_init(&v->filter, false);
	v->at = pty_ring_entry(&h->ring);
	v->replay = h->ring.end;
	v->from = 0;
	v->to = sizeof(reset) - 1;
	memcpy(v->out, reset, v->to);
}

/* The next bytes of the ring for this one, through its filter. */
static void fill(struct pty_hub *h, struct viewer *v)
{
	uint8_t raw[CHUNK];
	bool replayed;
	size_t n;

	if (v->at < pty_ring_start(&h->ring)) {
		begin_anew(h, v);
		redraw(h);
		return;
	}
	replayed = v->at < v->replay;
	n = pty_ring_copy(&h->ring, v->at, raw,
			  replayed && v->replay - v->at < CHUNK ? (size_t)(v->replay - v->at)
								: CHUNK);
	v->at += n;
	v->from = 0;
	v->filter.no_questions = replayed || v != h->speaker;
	if (h->filtered || v->filter.no_questions) {
		v->to = term_filter(&v->filter, raw, n, v->out);
	} else {
		memcpy(v->out, raw, n);
		v->to = n;
	}
}

/* false: it is gone, or wants no more. */
static bool send_one(struct viewer *v, enum pty_type type, int a, const void *data, size_t n,
		     bool *ret_full)
{
	struct pty_msg m = { .magic = PTY_MAGIC, .type = type, .a = a };
	struct iovec iov[2] = { { &m, sizeof(m) }, { (void *)(uintptr_t)data, n } };
	struct msghdr h = { .msg_iov = iov, .msg_iovlen = 2 };
	ssize_t r = sendmsg(v->fd, &h, MSG_NOSIGNAL | MSG_DONTWAIT);

	*ret_full = r < 0 && (errno == EAGAIN || errno == EINTR);
	return r >= 0 || *ret_full;
}

/* Until it has everything, or its socket is full. */
static bool serve(struct pty_hub *h, struct viewer *v)
{
	bool full = false;

	if (!v->attached)
		return true;
	/* Not for ever: others wait. */
	for (int i = 0; i < 64 && !full; i++) {
		if (v->from == v->to && v->at < h->ring.end)
			fill(h, v);
		if (v->from != v->to) {
			size_t n = v->to - v->from < CHUNK ? v->to - v->from : CHUNK;

			if (!send_one(v, PTY_OUTPUT, 0, v->out + v->from, n, &full))
				return false;
			v->from += full ? 0 : n;
		} else if (v->at >= h->ring.end) {
			break;
		}
	}
	if (h->exited && !v->told && v->from == v->to && v->at >= h->ring.end) {
		if (!send_one(v, PTY_EXITED, h->status, NULL, 0, &full))
			return false;
		v->told = !full;
	}
	return true;
}

/* What the command has written goes into the ring. */
static void take_output(struct pty_hub *h, int rounds)
{
	uint8_t raw[CHUNK];

	while (h->master >= 0 && rounds-- > 0) {
		ssize_t n = read(h->master, raw, sizeof(raw));

		h->hung = n < 0 && errno == EIO;
		if (n <= 0)
			return;
		pty_ring_add(&h->ring, raw, (size_t)n);
	}
}

/* ---- in ----------------------------------------------------------------- */

static bool sides_ok(const struct pty_msg *m)
{
	return m->a > 0 && m->a < SIDE_MAX && m->b > 0 && m->b < SIDE_MAX;
}

static bool take_input(struct pty_hub *h, struct viewer *v, const uint8_t *data, size_t n)
{
	if (!v->attached || v->only_looks)
		return v->attached;
	h->speaker = v;
	if (h->in_from == h->in_to)
		h->in_from = h->in_to = 0;
	/* Not polled for when there is no room for a message: see pty_hub_poll(). */
	if (n > sizeof(h->input) - h->in_to)
		return false;
	memcpy(h->input + h->in_to, data, n);
	h->in_to += n;
	return true;
}

/* One message. false: the viewer is to be dropped. */
static bool message(struct pty_hub *h, struct viewer *v, const struct pty_msg *m,
		    const uint8_t *data, size_t n)
{
	if (m->magic != PTY_MAGIC)
		return false;
	switch (m->type) {
	case PTY_ATTACH:
		if (v->attached || n || !sides_ok(m))
			return false;
		v->attached = true;
		v->only_looks = m->flags & 1;
		v->rows = m->a;
		v->cols = m->b;
		if (!h->speaker && !v->only_looks)
			h->speaker = v;
		set_size(h);
		if (h->awaited && !v->only_looks && !pty_ring_start(&h->ring)) {
			term_filter_init(&v->filter, false);
		} else {
			begin_anew(h, v);
			redraw(h);
		}
		h->awaited &= v->only_looks;
		return true;
	case PTY_INPUT:
		return take_input(h, v, data, n);
	case PTY_RESIZE:
		if (!v->attached || n || !sides_ok(m))
			return false;
		v->rows = m->a;
		v->cols = m->b;
		set_size(h);
		return true;
	default:
		return false;
	}
}

static bool hear(struct pty_hub *h, struct viewer *v)
{
	struct {
		struct pty_msg m;
		uint8_t data[PTY_DATA_MAX];
	} in;
	ssize_t n = recv(v->fd, &in, sizeof(in), MSG_DONTWAIT | MSG_TRUNC);

	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	if (n < (ssize_t)sizeof(in.m) || n > (ssize_t)sizeof(in))
		return false;
	return message(h, v, &in.m, in.data, (size_t)n - sizeof(in.m));
}

static void give_input(struct pty_hub *h)
{
	ssize_t n;

	if (h->in_from == h->in_to || h->master < 0)
		return;
	n = write(h->master, h->input + h->in_from, h->in_to - h->in_from);
	if (n > 0)
		h->in_from += (size_t)n;
}

/* ---- the loop ----------------------------------------------------------- */

size_t pty_hub_poll(const struct pty_hub *h, struct pollfd *p)
{
	bool room = h->in_from == h->in_to || sizeof(h->input) - h->in_to >= PTY_DATA_MAX;
	size_t n = 0;

	if (h->master >= 0 && !h->exited && !h->hung)
		p[n++] = (struct pollfd){
			.fd = h->master,
			.events = (short)(POLLIN | (h->in_from != h->in_to ? POLLOUT : 0))
		};
	for (size_t i = 0; i < PTY_VIEWERS; i++) {
		const struct viewer *v = h->v[i];
		bool more;

		if (!v)
			continue;
		more = v->attached &&
		       (v->from != v->to || v->at < h->ring.end || (h->exited && !v->told));
		p[n++] = (struct pollfd){
			.fd = v->fd, .events = (short)((room ? POLLIN : 0) | (more ? POLLOUT : 0))
		};
	}
	return n;
}

int pty_hub_timeout(const struct pty_hub *h)
{
	return h->hung && !h->exited ? 100 : -1;
}

void pty_hub_ready(struct pty_hub *h, const struct pollfd *p, size_t n)
{
	for (size_t k = 0; k < n; k++) {
		if (!p[k].revents)
			continue;
		if (p[k].fd == h->master) {
			take_output(h, 16);
			continue;
		}
		for (size_t i = 0; i < PTY_VIEWERS; i++) {
			struct viewer *v = h->v[i];
			bool heard;

			if (!v || v->fd != p[k].fd)
				continue;
			heard = !(p[k].revents & POLLIN) || hear(h, v);
			if (!heard || (p[k].revents & (POLLERR | POLLNVAL)) ||
			    (p[k].revents & (POLLIN | POLLHUP)) == POLLHUP)
				drop(h, i);
		}
	}
	if (h->hung)
		take_output(h, 16);
	give_input(h);
	for (size_t i = 0; i < PTY_VIEWERS; i++)
		if (h->v[i] && !serve(h, h->v[i]))
			drop(h, i);
}

void pty_hub_exited(struct pty_hub *h, int status)
{
	/* All its processes may not be gone: what is there counts. */
	take_output(h, 4096);
	h->exited = true;
	h->status = status;
	for (size_t i = 0; i < PTY_VIEWERS; i++)
		if (h->v[i] && !serve(h, h->v[i]))
			drop(h, i);
}

bool pty_hub_done(const struct pty_hub *h)
{
	for (size_t i = 0; i < PTY_VIEWERS; i++)
		if (h->v[i] && h->v[i]->attached && !h->v[i]->told)
			return false;
	return h->exited;
}

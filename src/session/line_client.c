/* SPDX-License-Identifier: Apache-2.0 */
#include "session/line_client.h"

#include <string.h>
#include <sys/socket.h>

#include "base/cleanup.h"

void line_client_init(struct line_client *c, int in, int out)
{
	*c = (struct line_client){ .in = in,
				   .out = out,
				   .rx = BUF_INIT(CLIENT_LINE_MAX + 4096),
				   .tx = BUF_INIT(CLIENT_TX_MAX) };
}

void line_client_free(struct line_client *c)
{
	if (c->out != c->in)
		close_quietly(c->out);
	close_quietly(c->in);
	c->in = c->out = -1;
	c->dead = true;
	buf_free(&c->rx);
	buf_free(&c->tx);
}

/* The descriptors are somebody's, and may be blocking: only what poll() says is done. */
static bool can(int fd, short what)
{
	struct pollfd p = { .fd = fd, .events = what };

	return poll(&p, 1, 0) == 1 && p.revents;
}

static ssize_t write_some(int fd, const char *data, size_t len)
{
	ssize_t n = send(fd, data, len, MSG_DONTWAIT | MSG_NOSIGNAL);

	if (n >= 0 || errno != ENOTSOCK)
		return n;
	/* A pipe that polls writable takes PIPE_BUF bytes without blocking. */
	return write(fd, data, len < 4096 ? len : 4096);
}

void line_client_write(struct line_client *c)
{
	while (!c->dead && c->sent < c->tx.len && can(c->out, POLLOUT)) {
		ssize_t n = write_some(c->out, c->tx.data + c->sent, c->tx.len - c->sent);

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (n < 0)
			c->dead = true;
		else
			c->sent += (size_t)n;
	}
	if (c->sent == c->tx.len)
		c->sent = c->tx.len = 0;
}

/* A client that does not read is lost, not waited for. */
static void queued(struct line_client *c)
{
	if (c->tx.failed)
		c->dead = true;
	line_client_write(c);
}

void line_client_show(struct line_client *c, const struct ask *q)
{
	if (c->dead)
		return;
	client_request(&c->tx, q);
	queued(c);
}

void line_client_cancel(struct line_client *c, uint32_t id)
{
	if (c->dead)
		return;
	client_cancel(&c->tx, id);
	queued(c);
}

size_t line_client_poll(const struct line_client *c, struct pollfd *p)
{
	size_t n = 0;

	if (c->dead)
		return 0;
	p[n++] = (struct pollfd){ .fd = c->in, .events = POLLIN };
	if (c->sent < c->tx.len)
		p[n++] = (struct pollfd){ .fd = c->out, .events = POLLOUT };
	return n;
}

static void take_line(struct line_client *c, const char *line, size_t len,
		      void (*answer)(void *ctx, const struct client_msg *m, const char *line,
				     size_t len),
		      void *ctx)
{
	struct client_msg m;

	if (!len)
		return;
	client_parse(line, len, &m);
	if (m.kind == CLIENT_BAD) {
		c->dead = true;
	} else if (m.kind == CLIENT_ANSWER) {
		answer(ctx, &m, line, len);
	} else if (m.kind == CLIENT_ASKS) {
		client_response(&c->tx, m.request_id, m.known);
		queued(c);
	}
}

void line_client_read(struct line_client *c,
		      void (*answer)(void *ctx, const struct client_msg *m, const char *line,
				     size_t len),
		      void *ctx)
{
	char piece[4096], *nl;

	while (!c->dead && can(c->in, POLLIN)) {
		ssize_t n = read(c->in, piece, sizeof(piece));
		size_t from = 0;

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (n <= 0 || buf_add(&c->rx, piece, (size_t)n) < 0) {
			c->dead = true;
			return;
		}
		while (!c->dead && (nl = memchr(c->rx.data + from, '\n', c->rx.len - from))) {
			size_t len = (size_t)(nl - c->rx.data) - from;

			take_line(c, c->rx.data + from, len, answer, ctx);
			from += len + 1;
		}
		memmove(c->rx.data, c->rx.data + from, c->rx.len - from);
		c->rx.len -= from;
		if (c->rx.len > CLIENT_LINE_MAX)
			c->dead = true;
	}
}

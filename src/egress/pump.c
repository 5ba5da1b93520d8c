/* SPDX-License-Identifier: Apache-2.0 */
/* Small data is copied (two calls), bulk is spliced. Pipes are taken from a pool while bytes
 * are in them only: they cost two descriptors each, and pages of a limit that is shared by
 * all of the user's programs (pipe-user-pages-soft). */
#include "egress/conn.h"

#include <fcntl.h>
#include <sys/socket.h>

#include "base/str.h"

#define PIPES_MAX 32u
#define PIPES_KEPT 4u
#define PIPE_SIZE (512u << 10)
#define BULK_MIN (16u << 10) /* a read below it: copy again */
#define KEPT_MAX (16u << 20) /* kept for receivers in all; above it portions are small */
#define PORTION_MIN 2048u
#define TURN_MAX (2u << 20) /* bytes for one connection before others have their turn */

uint8_t pump_buf[PUMP_BUF];

static struct pipe_pair *spare;
static unsigned n_pipes, n_spare;
static size_t kept; /* bytes of all stashes */

static struct pipe_pair *pipe_get(void)
{
	struct pipe_pair *p = spare;

	if (p) {
		spare = p->next;
		n_spare--;
		return p;
	}
	if (n_pipes == PIPES_MAX)
		return NULL;
	p = malloc(sizeof(*p));
	if (!p || pipe2(p->fd, O_CLOEXEC | O_NONBLOCK) < 0) {
		free(p);
		return NULL;
	}
	/* Without it (the user's limit is used up) it holds 64 KiB, which does as well. */
	(void)fcntl(p->fd[1], F_SETPIPE_SZ, (int)PIPE_SIZE);
	n_pipes++;
	return p;
}

static void pipe_close(struct pipe_pair *p)
{
	close_quietly(p->fd[0]);
	close_quietly(p->fd[1]);
	free(p);
	n_pipes--;
}

static void pipe_put(struct way *w)
{
	struct pipe_pair *p = take_ptr(w->pipe);

	if (n_spare == PIPES_KEPT) {
		pipe_close(p);
		return;
	}
	p->next = spare;
	spare = p;
	n_spare++;
}

static void drop_stash(struct way *w)
{
	kept -= w->size;
	free(take_ptr(w->stash));
	w->size = w->len = w->off = 0;
}

void pump_drop(struct way *w)
{
	/* Bytes that are in it are somebody's: no other connection may find them. */
	if (w->pipe && w->in_pipe)
		pipe_close(take_ptr(w->pipe));
	else if (w->pipe)
		pipe_put(w);
	w->in_pipe = 0;
	drop_stash(w);
}

/* The receiver is gone. What it sent before may still be readable, so that its own
 * direction decides how this ends. */
static void broken(struct way *w)
{
	w->broken = true;
	pump_drop(w);
}

static ssize_t do_send(struct way *w, struct end *to, const uint8_t *data, size_t len)
{
	ssize_t n;

	if (!to->out)
		return 0;
	n = send(to->watch.fd, data, len, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (n < 0) {
		to->out = false;
		if (errno == EAGAIN || errno == EINTR)
			return 0;
		broken(w);
		return (ssize_t)len;
	}
	if ((size_t)n < len)
		to->out = false;
	w->bytes += (uint64_t)n;
	return n;
}

int pump_send(struct way *w, struct end *to, const void *data, size_t len)
{
	const uint8_t *p = data;
	ssize_t n = 0;

	if (w->broken || len == 0)
		return 0;
	if (!w->stash) {
		n = do_send(w, to, p, len);
		if (w->broken || (size_t)n == len)
			return 0;
	}
	if (!w->stash || w->size - w->off - w->len < len - (size_t)n) {
		size_t size = w->off + w->len + len - (size_t)n;
		uint8_t *more = realloc(w->stash, size);

		if (!more)
			return -ENOMEM;
		kept += size - w->size;
		w->stash = more;
		w->size = (uint32_t)size;
	}
	memcpy(w->stash + w->off + w->len, p + n, len - (size_t)n);
	w->len += (uint32_t)(len - (size_t)n);
	return 0;
}

enum pump_result pump_flush(struct way *w, struct end *to)
{
	if (w->stash) {
		ssize_t n = do_send(w, to, w->stash + w->off, w->len);

		if (w->broken)
			return PUMP_ENDED;
		w->off += (uint32_t)n;
		w->len -= (uint32_t)n;
		if (w->len)
			return PUMP_WAIT;
		drop_stash(w);
	}
	while (w->in_pipe) {
		ssize_t n;

		if (!to->out)
			return PUMP_WAIT;
		n = splice(w->pipe->fd[0], NULL, to->watch.fd, NULL, w->in_pipe,
			   SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
		if (n > 0) {
			w->in_pipe -= (uint32_t)n;
			w->bytes += (uint64_t)n;
			continue;
		}
		to->out = false;
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return PUMP_WAIT;
		broken(w);
	}
	return PUMP_ENDED;
}

ssize_t pump_recv(struct end *from, void *dst, size_t size)
{
	ssize_t n;

	if (!from->in)
		return -EAGAIN;
	n = recv(from->watch.fd, dst, size, MSG_DONTWAIT);
	if (n < 0 && errno == EINTR)
		return -EAGAIN;
	if (n < 0) {
		from->in = false;
		return -errno;
	}
	/* Less than asked for: drained, and more will be an event of its own. The end is not. */
	if (n > 0 && (size_t)n < size && !from->hup)
		from->in = false;
	return n;
}

static ssize_t fill_pipe(struct way *w, struct end *from)
{
	ssize_t n = splice(from->watch.fd, NULL, w->pipe->fd[1], NULL, PIPE_SIZE,
			   SPLICE_F_MOVE | SPLICE_F_NONBLOCK);

	if (n < 0 && errno == EINTR)
		return -EAGAIN;
	if (n < 0) {
		from->in = false;
		return -errno;
	}
	w->in_pipe += (uint32_t)n;
	if ((size_t)n < BULK_MIN)
		w->bulk = false;
	return n;
}

/* One portion from the sender: as recv(2). */
static ssize_t take_in(struct way *w, struct end *from, struct end *to)
{
	ssize_t n;

	if (!from->in)
		return -EAGAIN;
	if (w->bulk && !w->broken && (w->pipe || (w->pipe = pipe_get())))
		return fill_pipe(w, from);
	/* Many receivers that take nothing: little is kept for each. */
	n = pump_recv(from, pump_buf, kept < KEPT_MAX ? sizeof(pump_buf) : PORTION_MIN);
	if (n <= 0)
		return n;
	w->bulk = n == sizeof(pump_buf);
	if (pump_send(w, to, pump_buf, (size_t)n) < 0)
		return -ENOMEM;
	return n;
}

/* When both directions are over, closing says it. */
static void end_receiver(struct conn *k, struct way *w, struct end *to)
{
	w->ended = true;
	if (!k->to_up.ended || !k->to_client.ended)
		(void)shutdown(to->watch.fd, SHUT_WR);
}

enum pump_result pump(struct conn *k, struct way *w, struct end *from, struct end *to)
{
	size_t moved = 0;

	if (w->ended)
		return PUMP_ENDED;
	for (;;) {
		ssize_t n;

		if (pump_flush(w, to) == PUMP_WAIT)
			return PUMP_WAIT;
		if (w->eof) {
			if (w->pipe)
				pipe_put(w);
			end_receiver(k, w, to);
			return PUMP_ENDED;
		}
		if (moved >= TURN_MAX)
			return PUMP_MORE;
		n = take_in(w, from, to);
		if (n == -EAGAIN) {
			if (w->pipe && !w->in_pipe)
				pipe_put(w);
			return PUMP_WAIT;
		}
		if (n < 0)
			return PUMP_RESET;
		if (n == 0)
			w->eof = true;
		moved += (size_t)n;
	}
}

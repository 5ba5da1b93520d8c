/* SPDX-License-Identifier: Apache-2.0 */
/* "stdio" and "fd:N": one client; "socket": a listening unix socket, and who connects there as
 * the user of this session. All of them are asked, the first answer wins. */
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>

#include "session/approver.h"
#include "session/line_client.h"

#define VIEWERS_MAX 8

struct client_approver {
	struct approver base;
	int listener; /* -1: there is one client, and it stays */
	struct line_client c[VIEWERS_MAX];
	size_t n;
	const struct ask *open[ASK_MAX]; /* shown and not answered */
	size_t n_open;
};

static struct client_approver *self(const struct approver *a)
{
	struct client_approver *c;

	memcpy(&c, &a, sizeof(c)); /* base is the first member */
	return c;
}

static void drop_dead(struct client_approver *c)
{
	for (size_t i = 0; i < c->n;) {
		if (!c->c[i].dead) {
			i++;
			continue;
		}
		line_client_free(&c->c[i]);
		c->c[i] = c->c[--c->n];
	}
}

static bool client_show(struct approver *a, const struct ask *q)
{
	struct client_approver *c = self(a);

	for (size_t i = 0; i < c->n; i++)
		line_client_show(&c->c[i], q);
	drop_dead(c);
	if (c->n && c->n_open < ASK_MAX)
		c->open[c->n_open++] = q;
	return c->n > 0;
}

static void client_forget(struct approver *a, const struct ask *q)
{
	struct client_approver *c = self(a);

	for (size_t i = 0; i < c->n_open; i++) {
		if (c->open[i] != q)
			continue;
		c->open[i] = c->open[--c->n_open];
		for (size_t k = 0; k < c->n; k++)
			line_client_cancel(&c->c[k], q->id);
		return;
	}
}

static bool client_present(const struct approver *a)
{
	return self(a)->n > 0;
}

static size_t client_poll(const struct approver *a, struct pollfd *p, size_t max)
{
	const struct client_approver *c = self(a);
	size_t n = 0;

	if (c->listener >= 0 && n < max)
		p[n++] = (struct pollfd){ .fd = c->listener, .events = POLLIN };
	for (size_t i = 0; i < c->n && n + 2 <= max; i++)
		n += line_client_poll(&c->c[i], p + n);
	return n;
}

struct reading {
	struct client_approver *a;
	struct line_client *from;
};

static void on_answer(void *ctx, const struct client_msg *m, const char *line, size_t len)
{
	const struct reading *r = ctx;
	struct client_approver *c = r->a;
	enum decision d = m->decision;
	const struct ask *q = NULL;

	for (size_t i = 0; i < c->n_open && !q; i++) {
		if (c->open[i]->id != m->id)
			continue;
		q = c->open[i];
		c->open[i] = c->open[--c->n_open];
	}
	if (!q)
		return;
	if (d == VERDICT_ALLOW && !client_fits(line, len, q))
		d = VERDICT_DENY;
	for (size_t k = 0; k < c->n; k++)
		if (&c->c[k] != r->from)
			line_client_cancel(&c->c[k], m->id);
	approver_answers(&c->base, m->id, d, d == m->decision ? m->hold : HOLD_ONCE);
}

static void take_viewer(struct client_approver *c)
{
	int fd = accept4(c->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct ucred peer;
	socklen_t len = sizeof(peer);

	if (fd < 0)
		return;
	if (c->n == VIEWERS_MAX || getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) < 0 ||
	    (peer.uid != geteuid() && peer.uid != 0)) {
		close_quietly(fd);
		return;
	}
	line_client_init(&c->c[c->n++], fd, fd);
	for (size_t i = 0; i < c->n_open; i++)
		line_client_show(&c->c[c->n - 1], c->open[i]);
}

static void client_ready(struct approver *a, const struct pollfd *p, size_t n)
{
	struct client_approver *c = self(a);

	for (size_t i = 0; i < n; i++)
		if (c->listener >= 0 && p[i].fd == c->listener && p[i].revents)
			take_viewer(c);
	for (size_t i = 0; i < c->n; i++) {
		struct reading r = { c, &c->c[i] };

		line_client_write(&c->c[i]);
		line_client_read(&c->c[i], on_answer, &r);
	}
	drop_dead(c);
}

static void client_close(struct approver *a)
{
	struct client_approver *c = self(a);

	while (c->n)
		line_client_free(&c->c[--c->n]);
	close_quietly(c->listener);
	c->listener = -1;
}

static const struct approver_ops client_ops = {
	.show = client_show,
	.forget = client_forget,
	.present = client_present,
	.poll = client_poll,
	.ready = client_ready,
	.close = client_close,
};

static struct client_approver *make(void)
{
	struct client_approver *c = calloc(1, sizeof(*c));

	if (c) {
		c->base.ops = &client_ops;
		c->listener = -1;
	}
	return c;
}

struct approver *approver_client_new(const struct approver_setup *s)
{
	struct client_approver *c = make();

	if (!c)
		return NULL;
	line_client_init(&c->c[c->n++], s->in, s->out);
	return &c->base;
}

struct approver *approver_socket_new(const struct approver_setup *s)
{
	struct client_approver *c = make();

	if (!c)
		return NULL;
	c->listener = s->in;
	return &c->base;
}

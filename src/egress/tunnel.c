/* SPDX-License-Identifier: Apache-2.0 */
#include "egress/tunnel.h"

#include <sys/socket.h>

#include "egress/dial.h"
#include "egress/http.h"
#include "egress/upstream.h"
#include "egress/want.h"
#include "egress/who.h"

#define LIMIT_MS 30000u
#define ANSWER_MAX 8192u /* bytes of the proxy's answer */

struct tunnel {
	struct dead dead;
	struct broker *b;
	struct want *owner;
	tunnel_fn *done;
	struct upstream proxy;
	struct host to;
	uint16_t port;
	struct lookup lookup;
	struct dial *dial;
	struct watch watch;
	struct timer limit;
};

bool tunnel_wanted(struct broker *b, const struct host *h, uint16_t port)
{
	const struct eg_config *c = b->config;

	return c->upstream && !upstream_skips(c->no_proxy, h, port);
}

struct want *tunnel_owner(const struct tunnel *t)
{
	return t->owner;
}

struct watch *tunnel_watch(struct tunnel *t)
{
	return &t->watch;
}

static void finish(struct tunnel *t, int err, const char *reason)
{
	timer_stop(&t->b->loop, &t->limit);
	t->done(t, err, reason);
}

static void on_limit(struct timer *w)
{
	struct tunnel *t = container_of(w, struct tunnel, limit);

	finish(t, -ETIMEDOUT, "the upstream proxy does not answer");
}

/* Looks at what is there and takes the head only: what follows is the tunnel's. Connections are
 * watched by edges: half a head does not wake again. */
static void on_answer(struct watch *w, uint32_t events)
{
	static uint8_t data[ANSWER_MAX];
	struct tunnel *t = container_of(w, struct tunnel, watch);
	struct http_answer a = { 0 };
	ssize_t n = recv(w->fd, data, sizeof(data), MSG_PEEK);
	int status;

	if (n < 0 && errno == EAGAIN)
		return;
	if (n <= 0) {
		finish(t, -ECONNREFUSED, "the upstream proxy closed the connection");
		return;
	}
	status = http_answer_feed(&a, data, (size_t)n);
	if (status == 0 && (size_t)n < sizeof(data))
		return;
	if (status < 200 || status > 299) {
		finish(t, -EHOSTUNREACH,
		       status == 407 ? "the upstream proxy wants a user and a password"
				     : "the upstream proxy refused the connection");
		return;
	}
	if (recv(w->fd, data, a.head, 0) != (ssize_t)a.head) {
		finish(t, -EIO, "the upstream proxy's answer went away");
		return;
	}
	finish(t, 0, NULL);
}

static void on_dialled(struct dial *d, int err, struct dial_try *try)
{
	struct tunnel *t = d->owner;
	char request[UPSTREAM_CONNECT_MAX];
	size_t len;

	if (err == 0) {
		t->watch.on = on_answer;
		len = upstream_connect(&t->proxy, &t->to, t->port, request);
		if (send(try->watch.fd, request, len, MSG_NOSIGNAL) != (ssize_t)len)
			err = -EIO;
		explicit_bzero(request, sizeof(request));
	}
	upstream_wipe(&t->proxy);
	if (err == 0)
		err = dial_move(&t->b->loop, &try->watch, &t->watch);
	dial_stop(d);
	loop_free(&t->b->loop, &d->dead);
	t->dial = NULL;
	if (err < 0)
		finish(t, err, "the upstream proxy cannot be reached");
}

static int dial_proxy(struct tunnel *t, const struct ip_addr *ip, unsigned n)
{
	struct dial *d = calloc(1, sizeof(*d));
	int r;

	if (!d)
		return -ENOMEM;
	d->b = t->b;
	d->owner = t;
	d->port = t->proxy.port;
	d->done = on_dialled;
	for (unsigned i = 0; i < n && i < RESOLVED_MAX; i++)
		d->ip[d->n++] = ip[i];
	t->dial = d;
	r = dial_start(d);
	if (r < 0) {
		t->dial = NULL;
		loop_free(&t->b->loop, &d->dead);
	}
	return r;
}

static void on_resolved(struct lookup *l, const struct resolved *r)
{
	struct tunnel *t = container_of(l, struct tunnel, lookup);
	int err = r->err ? r->err : dial_proxy(t, r->ip, r->n);

	if (err < 0)
		finish(t, err == -ENOENT ? -EHOSTUNREACH : err,
		       "the upstream proxy's name is not known");
}

int tunnel_start(struct broker *b, struct want *owner, const struct host *h, uint16_t port,
		 tunnel_fn *done, struct tunnel **ret)
{
	struct tunnel *t = calloc(1, sizeof(*t));
	const struct resolved *r = NULL;
	int err;

	if (!t)
		return -ENOMEM;
	*t = (struct tunnel){ .b = b, .owner = owner, .done = done, .to = *h, .port = port };
	t->watch.fd = -1;
	t->limit.on = on_limit;
	t->lookup.resolved = on_resolved;
	err = upstream_parse(b->config->upstream, &t->proxy, NULL);
	if (err == 0 && t->proxy.host.is_ip) {
		err = dial_proxy(t, &t->proxy.host.ip, 1);
	} else if (err == 0) {
		err = resolve(b, &t->lookup, t->proxy.host.name, &r);
		if (err == 0)
			err = r->err ? r->err : dial_proxy(t, r->ip, r->n);
		else if (err == -EINPROGRESS)
			err = 0;
	}
	if (err < 0) {
		tunnel_free(t);
		return err == -ENOENT ? -EHOSTUNREACH : err;
	}
	timer_start(&b->loop, &t->limit, LIMIT_MS);
	*ret = t;
	return 0;
}

void tunnel_free(struct tunnel *t)
{
	timer_stop(&t->b->loop, &t->limit);
	resolve_leave(&t->lookup);
	if (t->dial) {
		dial_stop(t->dial);
		loop_free(&t->b->loop, &t->dial->dead);
	}
	loop_close(&t->watch);
	upstream_wipe(&t->proxy);
	loop_free(&t->b->loop, &t->dead);
}

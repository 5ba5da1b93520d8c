/* SPDX-License-Identifier: Apache-2.0 */
#include "egress/dial.h"

#include <sys/socket.h>

#include "egress/tuple.h"

#define STAGGER_MS 250u
#define LIMIT_MS 30000u

static void next_try(struct dial *d);

static bool pending(const struct dial *d)
{
	for (size_t i = 0; i < DIAL_TRIES; i++)
		if (d->tries[i].watch.fd >= 0)
			return true;
	return false;
}

static void fail(struct dial *d, struct dial_try *t, int err)
{
	loop_close(&t->watch);
	if (!d->err || d->err == -ENETUNREACH || d->err == -EAFNOSUPPORT)
		d->err = err;
	if (d->at < d->n) {
		next_try(d);
		return;
	}
	if (pending(d))
		return;
	timer_stop(&d->b->loop, &d->timer);
	d->done(d, d->err, NULL);
}

static void on_try(struct watch *w, uint32_t events)
{
	struct dial_try *t = container_of(w, struct dial_try, watch);
	struct dial *d = t->dial;
	socklen_t len = sizeof(int);
	int e = 0;

	if (!(events & (EPOLLOUT | EPOLLERR | EPOLLHUP)))
		return;
	if (getsockopt(w->fd, SOL_SOCKET, SO_ERROR, &e, &len) < 0)
		e = errno;
	if (e) {
		fail(d, t, -e);
		return;
	}
	timer_stop(&d->b->loop, &d->timer);
	for (size_t i = 0; i < DIAL_TRIES; i++)
		if (&d->tries[i] != t)
			loop_close(&d->tries[i].watch);
	d->done(d, 0, t);
}

/* 0, or why this address cannot even be tried. */
static int try_one(struct dial *d, struct dial_try *t, const struct ip_addr *ip)
{
	struct sockaddr_storage sa;
	socklen_t len = tuple_sockaddr(ip, d->port, &sa);
	int fd = d->has_given ? take_fd(&d->given)
			      : socket(sa.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int r = 0;

	if (fd < 0)
		return -errno;
	t->watch = (struct watch){ .on = on_try, .fd = fd };
	if (connect(fd, (struct sockaddr *)&sa, len) < 0 && errno != EINPROGRESS)
		r = -errno;
	if (r == 0)
		r = loop_add(&d->b->loop, &t->watch);
	if (r < 0)
		loop_close(&t->watch);
	return r;
}

static struct dial_try *free_try(struct dial *d)
{
	for (size_t i = 0; i < DIAL_TRIES; i++)
		if (d->tries[i].watch.fd < 0)
			return &d->tries[i];
	return NULL;
}

/* Tries until one is under way. Ends the dial when none is. */
static void next_try(struct dial *d)
{
	while (d->at < d->n) {
		struct dial_try *t = free_try(d);
		int r;

		if (!t)
			return;
		t->index = d->at;
		r = try_one(d, t, &d->ip[d->at++]);
		if (r == 0) {
			timer_start(&d->b->loop, &d->timer, STAGGER_MS);
			return;
		}
		if (!d->err || d->err == -ENETUNREACH || d->err == -EAFNOSUPPORT)
			d->err = r;
	}
	if (pending(d))
		return;
	/* From the timer: the caller of dial_start() is not told in the midst of its call. */
	timer_start(&d->b->loop, &d->timer, 0);
}

static void on_timer(struct timer *t)
{
	struct dial *d = container_of(t, struct dial, timer);

	if (d->b->loop.now >= d->until) {
		dial_stop(d);
		d->done(d, -ETIMEDOUT, NULL);
	} else if (d->at < d->n && free_try(d)) {
		next_try(d);
	} else if (pending(d)) {
		timer_start(&d->b->loop, t, (unsigned)(d->until - d->b->loop.now));
	} else {
		d->done(d, d->err, NULL);
	}
}

int dial_start(struct dial *d)
{
	d->timer = (struct timer){ .on = on_timer };
	d->at = 0;
	d->err = 0;
	d->until = d->b->loop.now + LIMIT_MS;
	for (size_t i = 0; i < DIAL_TRIES; i++) {
		d->tries[i].watch = (struct watch){ .on = on_try, .fd = -1 };
		d->tries[i].dial = d;
	}
	next_try(d);
	if (!pending(d) &&
	    (d->err == -EMFILE || d->err == -ENFILE || d->err == -ENOBUFS || d->err == -ENOMEM)) {
		timer_stop(&d->b->loop, &d->timer);
		return d->err;
	}
	return 0;
}

void dial_stop(struct dial *d)
{
	timer_stop(&d->b->loop, &d->timer);
	for (size_t i = 0; i < DIAL_TRIES; i++)
		loop_close(&d->tries[i].watch);
}

int dial_move(struct loop *l, struct watch *from, struct watch *to)
{
	to->fd = take_fd(&from->fd);
	return loop_mod(l, to, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET);
}

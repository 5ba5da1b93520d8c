/* SPDX-License-Identifier: Apache-2.0 */
#include "egress/relay.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "egress/bye.h"
#include "egress/conn.h"
#include "egress/dial.h"
#include "egress/first.h"
#include "egress/http.h"
#include "egress/inlet.h"
#include "egress/policy_of.h"

struct relays {
	struct conn *first;
	unsigned n;
};

int relay_init(struct broker *b)
{
	b->relays = calloc(1, sizeof(*b->relays));
	return b->relays ? 0 : -ENOMEM;
}

unsigned relay_count(const struct broker *b)
{
	return b->relays->n;
}

void close_reset(int fd)
{
	struct linger l = { .l_onoff = 1 };

	(void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &l, sizeof(l));
	(void)close(fd);
}

static void on_again(struct later *l)
{
	struct conn *k = container_of(l, struct conn, again);

	if (k->gone)
		loop_free(&k->b->loop, &k->dead);
}

static void unlink_conn(struct conn *k)
{
	if (k->prev)
		k->prev->next = k->next;
	else
		k->b->relays->first = k->next;
	if (k->next)
		k->next->prev = k->prev;
	k->b->relays->n--;
}

static uint64_t theirs(const struct way *w)
{
	return w->bytes > w->own ? w->bytes - w->own : 0;
}

static void account(struct conn *k)
{
	if (k->aim)
		aim_count(k->aim, (uint32_t)(k->b->loop.now - k->start), theirs(&k->to_up),
			  theirs(&k->to_client));
	aim_unref(k->aim);
	k->aim = NULL;
}

/* Sockets are closed by the caller. */
static void conn_end(struct conn *k)
{
	struct broker *b = k->b;

	account(k);
	timer_stop(&b->loop, &k->timer);
	first_free(k);
	pump_drop(&k->to_up);
	pump_drop(&k->to_client);
	loop_close(&k->client.watch);
	loop_close(&k->up.watch);
	unlink_conn(k);
	k->gone = true;
	/* Freed when nothing of this turn can name it any more. */
	k->again.on = on_again;
	loop_later(&b->loop, &k->again);
	inlet_fds_are_free(b);
}

void conn_abort(struct conn *k)
{
	if (k->gone)
		return;
	if (k->client.watch.fd >= 0)
		close_reset(take_fd(&k->client.watch.fd));
	if (k->up.watch.fd >= 0)
		close_reset(take_fd(&k->up.watch.fd));
	conn_end(k);
}

void conn_refuse(struct conn *k, const char *reason, const void *text, size_t len)
{
	if (k->gone)
		return;
	if (reason)
		aim_count_err(k->aim, VERDICT_DENY, EACCES, reason);
	/* In the midst of bytes of the server's nothing can be said. */
	if (!text || k->to_client.stash || k->to_client.in_pipe || k->to_client.ended) {
		conn_abort(k);
		return;
	}
	bye(k->b, loop_take(&k->b->loop, &k->client.watch), text, len);
	conn_end(k);
}

static void run(struct conn *k)
{
	enum pump_result up, down;

	if (k->gone)
		return;
	down = k->first ? first_to_client(k) : pump(k, &k->to_client, &k->up, &k->client);
	if (k->gone)
		return;
	up = k->first ? first_to_up(k) : pump(k, &k->to_up, &k->client, &k->up);
	if (k->gone)
		return;
	if (up == PUMP_RESET || down == PUMP_RESET)
		conn_abort(k);
	else if (down == PUMP_ENDED && (up == PUMP_ENDED || k->one_answer || k->to_up.broken))
		conn_end(k);
	else if (up == PUMP_MORE || down == PUMP_MORE)
		loop_later(&k->b->loop, &k->again);
}

static void on_again_run(struct later *l)
{
	struct conn *k = container_of(l, struct conn, again);

	run(k);
}

static void note(struct end *e, uint32_t events)
{
	if (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR))
		e->hup = e->in = true;
	if (events & EPOLLIN)
		e->in = true;
	if (events & (EPOLLOUT | EPOLLHUP | EPOLLERR))
		e->out = true;
}

static void on_client(struct watch *w, uint32_t events)
{
	struct conn *k = container_of(w, struct conn, client.watch);

	note(&k->client, events);
	run(k);
	/* Reset while nobody reads it: the server's answer is awaited, or it takes no more. */
	if (events & EPOLLERR && !k->gone)
		conn_abort(k);
}

static void on_up(struct watch *w, uint32_t events)
{
	struct conn *k = container_of(w, struct conn, up.watch);

	note(&k->up, events);
	run(k);
}

static void on_timer(struct timer *t)
{
	struct conn *k = container_of(t, struct conn, timer);

	if (k->first)
		first_late(k);
}

static struct conn *new_conn(struct broker *b, const struct relay_args *a)
{
	struct conn *k = calloc(1, sizeof(*k));

	if (!k)
		return NULL;
	k->b = b;
	k->start = b->loop.now;
	k->aim = aim_ref(a->aim);
	k->client.watch = (struct watch){ .on = on_client, .fd = a->client };
	k->up.watch = (struct watch){ .on = on_up, .fd = -1 };
	/* A new socket can be written to; what it holds to be read is an event. */
	k->client.out = k->up.out = true;
	k->again.on = on_again_run;
	k->timer.on = on_timer;
	k->next = b->relays->first;
	if (k->next)
		k->next->prev = k;
	b->relays->first = k;
	b->relays->n++;
	return k;
}

static int join(struct conn *k, const struct relay_args *a, struct http **http)
{
	int one = 1;
	int r = dial_move(&k->b->loop, a->up, &k->up.watch);

	if (r < 0)
		return r;
	(void)setsockopt(k->up.watch.fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	r = loop_add(&k->b->loop, &k->client.watch);
	if (r < 0)
		return r;
	k->to_client.own = (uint32_t)a->reply_len;
	r = pump_send(&k->to_client, &k->client, a->reply, a->reply_len);
	if (r == 0)
		r = pump_send(&k->to_up, &k->up, a->ready, a->ready_len);
	if (r < 0)
		return r;
	if (a->check)
		return first_new(k, take_ptr(*http), a->held, a->held_len);
	return pump_send(&k->to_up, &k->up, a->held, a->held_len);
}

int relay_start(struct broker *b, const struct relay_args *a)
{
	struct conn *k = new_conn(b, a);
	struct http *http = a->http;
	int r = -ENOMEM;

	if (k)
		r = join(k, a, &http);
	http_free(http);
	if (r < 0) {
		loop_close(a->up);
		if (k)
			conn_abort(k);
		else
			close_reset(a->client);
		return r;
	}
	k->one_answer = a->http;
	/* Held bytes make no event. */
	if (k->first && a->held_len)
		run(k);
	return 0;
}

void relay_end_all(struct broker *b)
{
	while (b->relays->first)
		conn_abort(b->relays->first);
}

void relay_rejudge(struct broker *b)
{
	struct conn *next;

	if (!b->config->cut)
		return;
	for (struct conn *k = b->relays->first; k; k = next) {
		next = k->next;
		if (k->aim && !policy_still_allows(b, k->aim))
			conn_abort(k);
	}
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "egress/gate.h"

#include <netinet/in.h>
#include <linux/netlink.h>
#include <sys/socket.h>

#include "egress/nfq.h"
#include "egress/relay.h"
#include "egress/want.h"
#include "egress/who.h"

#define BUCKETS 4096u
#define FLOWS_MAX 16384u /* SYNs that wait; a later one is dropped, and comes again */
#define WATCH_MS 2000u	 /* is who waits still there? */
#define PARKED_MS 10000u /* let through, and nobody came to be accepted */
#define VERDICTS 64u	 /* sent together */
/* linux/netfilter_ipv4.h and linux/netfilter_ipv6/ip6_tables.h, which do not go together with
 * netinet/in.h */
#define ORIGINAL_DST 80

enum flow_state {
	FLOW_WAITS,    /* the SYN is held */
	FLOW_PARKED,   /* let through; the connection to the server waits to be accepted */
	FLOW_ACCEPTED, /* lower rungs: the client is connected, and waits */
};

struct flow {
	struct dead dead;
	struct flow *hnext;
	struct timer timer;
	uint32_t hash;
	uint32_t packet;
	uint8_t state; /* enum flow_state */
	int err;       /* what the verdict will be, once it is known who asked */
	struct aim_waiter waiter;
	int client; /* FLOW_ACCEPTED */
	struct want want;
};

struct gate {
	struct broker *b;
	struct watch queue;
	struct later send;
	struct flow *bucket[BUCKETS];
	unsigned n;
	size_t len;
	uint8_t verdicts[VERDICTS * NFQ_VERDICT_MAX];
};

static void send_verdicts(struct gate *g)
{
	/* The kernel sends the packets on while this call runs; it only fails when it is gone. */
	if (g->len)
		(void)send(g->queue.fd, g->verdicts, g->len, MSG_NOSIGNAL);
	g->len = 0;
}

static void on_send(struct later *l)
{
	send_verdicts(container_of(l, struct gate, send));
}

static void verdict(struct broker *b, uint32_t packet, enum nfq_verdict v, uint32_t mark)
{
	struct gate *g = b->gate;

	if (g->len > sizeof(g->verdicts) - NFQ_VERDICT_MAX)
		send_verdicts(g);
	g->len += nfq_verdict(g->verdicts + g->len, KIT_QUEUE_NUM, packet, v, mark);
	loop_later(&b->loop, &g->send);
}

static struct flow *find(struct gate *g, const struct tuple *t, uint32_t hash)
{
	struct flow *f;

	for (f = g->bucket[hash % BUCKETS]; f; f = f->hnext)
		if (f->hash == hash && tuple_equal(&f->want.tuple, t))
			return f;
	return NULL;
}

static void release(struct flow *f)
{
	struct broker *b = f->want.b;
	struct flow **p = &b->gate->bucket[f->hash % BUCKETS];

	while (*p != f)
		p = &(*p)->hnext;
	*p = f->hnext;
	b->gate->n--;
	timer_stop(&b->loop, &f->timer);
	aim_leave_who(&f->waiter);
	want_stop(&f->want);
	loop_free(&b->loop, &f->dead);
}

/* What connect(2) is to say. */
static uint32_t mark_of(int err)
{
	switch (err) {
	case -EACCES:
		return KIT_MARK_PROHIBITED;
	case -ECONNREFUSED:
	case -ECONNRESET:
		return KIT_MARK_RESET;
	default:
		return KIT_MARK_UNREACHABLE;
	}
}

static void start_relay(struct flow *f, int client)
{
	struct relay_args a = { .client = client,
				.up = &f->want.up,
				.aim = f->want.aim,
				.check = !f->want.aim->by_address };

	(void)relay_start(f->want.b, &a);
	release(f);
}

static void refuse(struct flow *f)
{
	struct broker *b = f->want.b;

	if (f->state == FLOW_ACCEPTED)
		close_reset(take_fd(&f->client));
	/* No descriptor for it now: the SYN comes again. */
	else if (f->err == -EMFILE || f->err == -ENFILE || f->err == -ENOMEM || f->err == -ENOBUFS)
		verdict(b, f->packet, NFQ_DROP, 0);
	else
		verdict(b, f->packet, NFQ_ACCEPT, mark_of(f->err));
	release(f);
}

static void on_who(struct aim_waiter *w)
{
	refuse(container_of(w, struct flow, waiter));
}

static void on_wanted(struct want *w, int err)
{
	struct flow *f = container_of(w, struct flow, want);

	if (err < 0) {
		f->err = err;
		f->waiter.known = on_who;
		if (err != -EACCES || !w->aim || !aim_wait_who(w->aim, &f->waiter))
			refuse(f);
	} else if (f->state == FLOW_ACCEPTED) {
		start_relay(f, take_fd(&f->client));
	} else {
		verdict(w->b, f->packet, NFQ_ACCEPT, 0);
		f->state = FLOW_PARKED;
		timer_start(&w->b->loop, &f->timer, PARKED_MS);
	}
}

static void on_timer(struct timer *t)
{
	struct flow *f = container_of(t, struct flow, timer);

	if (f->state == FLOW_PARKED) {
		aim_count(f->want.aim, 0, 0, 0);
		release(f);
	} else if (who_inode(f->want.b, &f->want.tuple, IPPROTO_TCP) != 0) {
		timer_start(&f->want.b->loop, t, WATCH_MS);
	} else {
		/* The socket is closed: nobody waits. */
		if (f->state == FLOW_WAITS)
			verdict(f->want.b, f->packet, NFQ_DROP, 0);
		else
			close_reset(take_fd(&f->client));
		release(f);
	}
}

/* NULL: -ENOMEM or nobody's address: *ret_err. */
static struct flow *new_flow(struct broker *b, const struct tuple *t, uint32_t hash, int *ret_err)
{
	struct flow *f = calloc(1, sizeof(*f));

	*ret_err = -ENOMEM;
	if (!f)
		return NULL;
	f->want = (struct want){
		.b = b, .tuple = *t, .port = t->dport, .how = EG_GATE, .done = on_wanted
	};
	f->want.up.fd = f->client = -1;
	if (!want_host(b, &t->dst, &f->want.host)) {
		*ret_err = -EHOSTUNREACH;
		free(f);
		return NULL;
	}
	f->timer.on = on_timer;
	f->hash = hash;
	f->hnext = b->gate->bucket[hash % BUCKETS];
	b->gate->bucket[hash % BUCKETS] = f;
	b->gate->n++;
	return f;
}

static void on_syn(struct broker *b, const struct nfq_packet *p)
{
	uint32_t hash = tuple_hash(&p->tuple);
	struct flow *f = find(b->gate, &p->tuple, hash);
	int err = -ENOBUFS;

	if (f && f->state == FLOW_PARKED) {
		verdict(b, p->id, NFQ_ACCEPT, 0);
		return;
	}
	/* Sent again, or by another socket of the same port: the newest one is held. */
	if (f) {
		verdict(b, f->packet, NFQ_DROP, 0);
		f->packet = p->id;
		return;
	}
	if (b->gate->n < FLOWS_MAX)
		f = new_flow(b, &p->tuple, hash, &err);
	if (!f) {
		if (err == -EHOSTUNREACH)
			verdict(b, p->id, NFQ_ACCEPT, KIT_MARK_UNREACHABLE);
		else
			verdict(b, p->id, NFQ_DROP, 0);
		return;
	}
	f->packet = p->id;
	timer_start(&b->loop, &f->timer, WATCH_MS);
	want_start(&f->want);
}

static void on_queue(struct watch *w, uint32_t events)
{
	struct gate *g = container_of(w, struct gate, queue);
	uint8_t msg[1024];

	for (unsigned i = 0; i < 256; i++) {
		ssize_t n = recv(w->fd, msg, sizeof(msg), MSG_DONTWAIT);
		struct nfq_packet p;

		/* ENOBUFS: some were lost, and come again. */
		if (n < 0 && errno != ENOBUFS && errno != EINTR)
			return;
		if (n < 0 || nfq_parse(msg, (size_t)n, &p) < 0)
			continue;
		if (p.is_syn)
			on_syn(g->b, &p);
		else
			verdict(g->b, p.id, NFQ_DROP, 0);
	}
}

/* Rung REDIRECT: the kernel has changed where it went to. */
static bool original_dst(int fd, struct tuple *t)
{
	struct sockaddr_storage sa = { 0 };
	socklen_t len = sizeof(sa);
	bool v6 = t->dst.v6;

	if (getsockopt(fd, v6 ? IPPROTO_IPV6 : IPPROTO_IP, ORIGINAL_DST, &sa, &len) < 0)
		return false;
	return tuple_end(&sa, &t->dst, &t->dport);
}

static void accepted_first(struct broker *b, int fd, struct tuple *t)
{
	struct flow *f = NULL;
	int err;

	if (b->kit.rung == NET_RUNG_REDIRECT && !original_dst(fd, t)) {
		close_reset(fd);
		return;
	}
	if (b->gate->n < FLOWS_MAX)
		f = new_flow(b, t, tuple_hash(t), &err);
	if (!f) {
		close_reset(fd);
		return;
	}
	f->state = FLOW_ACCEPTED;
	f->client = fd;
	timer_start(&b->loop, &f->timer, WATCH_MS);
	want_start(&f->want);
}

void gate_accepted(struct broker *b, int fd, const struct tuple *t, unsigned index)
{
	struct tuple own = *t;
	struct flow *f;

	if (b->kit.rung != NET_RUNG_GATE) {
		accepted_first(b, fd, &own);
		return;
	}
	f = find(b->gate, t, tuple_hash(t));
	if (f && f->state == FLOW_PARKED)
		start_relay(f, fd);
	else
		close_reset(fd);
}

int gate_init(struct broker *b)
{
	struct gate *g = calloc(1, sizeof(*g));
	int one = 1;

	if (!g)
		return -ENOMEM;
	b->gate = g;
	g->b = b;
	g->send.on = on_send;
	g->queue = (struct watch){ .on = on_queue, .fd = b->kit.fd[KIT_QUEUE] };
	if (g->queue.fd < 0)
		return b->kit.rung == NET_RUNG_GATE ? -EBADF : 0;
	(void)setsockopt(g->queue.fd, SOL_NETLINK, NETLINK_NO_ENOBUFS, &one, sizeof(one));
	return loop_add_in(&b->loop, &g->queue);
}

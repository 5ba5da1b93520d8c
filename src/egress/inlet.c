/* SPDX-License-Identifier: Apache-2.0 */
#include "egress/inlet.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "egress/dns_serve.h"
#include "egress/forward.h"
#include "egress/gate.h"
#include "egress/proxy.h"
#include "egress/relay.h"

#define TURN 64u     /* connections of one listener before others have their turn */
#define REST_MS 250u /* when nothing of ours gives descriptors back */
#define INLETS_MAX KIT_MAX

struct inlet {
	struct watch watch;
	struct broker *b;
	inlet_fn *accepted;
	unsigned index;
	bool rests;
};

struct inlets {
	struct broker *b;
	struct timer rest;
	unsigned n, n_rest;
	struct inlet inlet[INLETS_MAX];
};

static void rest(struct inlet *in)
{
	struct inlets *all = in->b->inlets;

	if (in->rests)
		return;
	in->rests = true;
	all->n_rest++;
	(void)loop_mod(&in->b->loop, &in->watch, 0);
	if (!timer_runs(&all->rest))
		timer_start(&in->b->loop, &all->rest, REST_MS);
}

void inlet_fds_are_free(struct broker *b)
{
	struct inlets *all = b->inlets;

	if (!all || all->n_rest == 0)
		return;
	for (unsigned i = 0; i < all->n; i++) {
		struct inlet *in = &all->inlet[i];

		if (!in->rests)
			continue;
		in->rests = false;
		(void)loop_mod(&b->loop, &in->watch, EPOLLIN);
	}
	all->n_rest = 0;
}

static void on_rest(struct timer *t)
{
	struct inlets *all = container_of(t, struct inlets, rest);

	inlet_fds_are_free(all->b);
}

static void on_inlet(struct watch *w, uint32_t events)
{
	struct inlet *in = container_of(w, struct inlet, watch);

	for (unsigned i = 0; i < TURN; i++) {
		struct sockaddr_storage peer, own;
		socklen_t peer_len = sizeof(peer), own_len = sizeof(own);
		struct tuple t;
		int fd = accept4(w->fd, (struct sockaddr *)&peer, &peer_len,
				 SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (fd < 0) {
			if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS ||
			    errno == ENOMEM)
				rest(in);
			/* Others are of one connection that is gone already. */
			if (errno != ECONNABORTED && errno != EINTR)
				return;
			continue;
		}
		if (getsockname(fd, (struct sockaddr *)&own, &own_len) < 0 ||
		    !tuple_end(&peer, &t.src, &t.sport) || !tuple_end(&own, &t.dst, &t.dport)) {
			close_reset(fd);
			continue;
		}
		in->accepted(in->b, fd, &t, in->index);
	}
}

static int add(struct broker *b, int fd, inlet_fn *accepted, unsigned index)
{
	struct inlets *all = b->inlets;
	struct inlet *in = &all->inlet[all->n];
	int one = 1;

	if (fd < 0)
		return 0;
	*in = (struct inlet){
		.watch = { .on = on_inlet, .fd = fd }, .b = b, .accepted = accepted, .index = index
	};
	all->n++;
	if (fcntl(fd, F_SETFL, O_RDWR | O_NONBLOCK) < 0)
		return -errno;
	/* What is accepted inherits it. */
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	return loop_add_in(&b->loop, &in->watch);
}

int inlets_init(struct broker *b)
{
	const struct net_kit *kit = &b->kit;
	const int *fd = kit->fd + KIT_FIXED;
	static const struct {
		enum kit_fd fd;
		inlet_fn *accepted;
	} fixed[] = {
		{ KIT_TCP4, gate_accepted },	   { KIT_TCP6, gate_accepted },
		{ KIT_DNS_TCP4, dns_accepted },	   { KIT_DNS_TCP6, dns_accepted },
		{ KIT_HTTP, proxy_http_accepted }, { KIT_SOCKS, proxy_socks_accepted },
	};
	int r = 0;

	b->inlets = calloc(1, sizeof(*b->inlets));
	if (!b->inlets)
		return -ENOMEM;
	b->inlets->b = b;
	b->inlets->rest.on = on_rest;
	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(fixed); i++)
		r = add(b, kit->fd[fixed[i].fd], fixed[i].accepted, 0);
	for (unsigned i = 0; r == 0 && i < kit->n_host_ports; i++)
		r = add(b, *fd++, forward_host_port_accepted, i);
	for (unsigned i = 0; r == 0 && i < kit->n_publish; i++)
		r = add(b, *fd++, forward_publish_accepted, i);
	for (unsigned i = 0; r == 0 && i < kit->n_ports; i++)
		r = add(b, *fd++, gate_accepted, i);
	return r;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A socket connects in the namespace that it was made in: to reach a server inside, one that
 * init made is needed. They come by the handful and are kept. */
#include "egress/proto.h"
#include "egress/forward.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "base/str.h"
#include "egress/aim.h"
#include "egress/dial.h"
#include "egress/relay.h"

#define WAITING_MAX 256u

struct forward {
	struct dead dead;
	struct forward *next; /* waits for a socket */
	struct broker *b;
	struct dial dial;
	struct aim *aim;
	int client;
};

struct forwards {
	struct broker *b;
	struct watch init;
	int pool[2 * KIT_REFILL];
	unsigned n_pool, n_waiting;
	bool asked;
	struct forward *first, **last;
};

static void release(struct forward *f)
{
	if (f->client >= 0)
		close_reset(take_fd(&f->client));
	dial_stop(&f->dial);
	aim_unref(f->aim);
	loop_free(&f->b->loop, &f->dead);
}

static void on_dialled(struct dial *d, int err, struct dial_try *t)
{
	struct forward *f = d->owner;

	if (err < 0) {
		aim_count_err(f->aim, VERDICT_ALLOW, -err, NULL);
	} else {
		struct relay_args a = { .client = take_fd(&f->client),
					.up = &t->watch,
					.aim = f->aim };

		(void)relay_start(f->b, &a);
	}
	release(f);
}

static void start(struct forward *f)
{
	int r = dial_start(&f->dial);

	if (r < 0) {
		aim_count_err(f->aim, VERDICT_ALLOW, -r, NULL);
		release(f);
	}
}

static struct forward *new_forward(struct broker *b, int fd, uint16_t port, enum eg_how how)
{
	static const struct ip_addr loopback = { .bytes = { 127, 0, 0, 1 } };
	struct forward *f = calloc(1, sizeof(*f));
	struct aim like = { .how = (uint8_t)how, .port = port, .rule = -1, .by_address = true };
	struct host h;

	if (!f) {
		close_reset(fd);
		return NULL;
	}
	host_from_ip(&loopback, &h);
	f->b = b;
	f->client = fd;
	f->dial.b = b;
	f->dial.owner = f;
	f->dial.port = port;
	f->dial.done = on_dialled;
	f->dial.n = 1;
	f->dial.ip[0] = loopback;
	for (size_t i = 0; i < DIAL_TRIES; i++)
		f->dial.tries[i].watch.fd = -1;
	f->aim = aim_get(b, &like, &h);
	if (!f->aim) {
		close_reset(fd);
		free(f);
		return NULL;
	}
	return f;
}

void forward_to_proxy(struct broker *b, int fd, const struct tuple *t, uint16_t port,
		      enum eg_how how)
{
	struct forward *f = new_forward(b, fd, port, how);

	if (!f)
		return;
	aim_ask_who(f->aim, t, IPPROTO_TCP);
	start(f);
}

void forward_host_port_accepted(struct broker *b, int fd, const struct tuple *t, unsigned index)
{
	if (index < b->config->n_host_ports)
		forward_to_proxy(b, fd, t, b->config->host_ports[index].host, EG_HOST_PORT);
	else
		close_reset(fd);
}

/* ---- into the sandbox ---- */

static void ask_init(struct forwards *all)
{
	if (all->asked || send(all->init.fd, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL) != 1)
		return;
	all->asked = true;
}

static void serve(struct forwards *all)
{
	while (all->first && all->n_pool) {
		struct forward *f = all->first;

		all->first = f->next;
		if (!all->first)
			all->last = &all->first;
		all->n_waiting--;
		f->dial.given = all->pool[--all->n_pool];
		f->dial.has_given = true;
		start(f);
	}
	if (all->n_pool < KIT_REFILL / 2)
		ask_init(all);
}

/* One message of sockets. Returns how many, 0 at the end, or a negative errno. */
static int receive(struct forwards *all)
{
	union {
		struct cmsghdr h;
		char space[CMSG_SPACE(KIT_REFILL * sizeof(int))];
	} control;
	char byte;
	struct iovec iov = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = &control,
			      .msg_controllen = sizeof(control) };
	int fds[KIT_REFILL];
	struct cmsghdr *c;
	size_t n = 0;
	ssize_t r = recvmsg(all->init.fd, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

	if (r <= 0)
		return r < 0 ? -errno : -EPIPE;
	c = CMSG_FIRSTHDR(&msg);
	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
		n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
	if (n)
		memcpy(fds, CMSG_DATA(c), n * sizeof(int));
	for (size_t i = 0; i < n; i++) {
		if (all->n_pool == ARRAY_SIZE(all->pool) ||
		    fcntl(fds[i], F_SETFL, O_RDWR | O_NONBLOCK) < 0)
			close_quietly(fds[i]);
		else
			all->pool[all->n_pool++] = fds[i];
	}
	return (int)n;
}

static void refuse_waiting(struct forwards *all)
{
	while (all->first) {
		struct forward *f = all->first;

		all->first = f->next;
		aim_count_err(f->aim, VERDICT_ALLOW, EMFILE, "no socket inside could be had");
		release(f);
	}
	all->last = &all->first;
	all->n_waiting = 0;
}

static void on_init(struct watch *w, uint32_t events)
{
	struct forwards *all = container_of(w, struct forwards, init);
	int n = receive(all);

	if (n == -EAGAIN || n == -EINTR)
		return;
	all->asked = false;
	if (n > 0) {
		serve(all);
		return;
	}
	refuse_waiting(all);
	/* Init is gone, and the sandbox with it. */
	if (n < 0)
		(void)loop_mod(&all->b->loop, w, 0);
}

void forward_publish_accepted(struct broker *b, int fd, const struct tuple *t, unsigned index)
{
	struct forwards *all = b->forwards;
	struct forward *f;

	if (index >= b->config->n_publish || all->n_waiting >= WAITING_MAX || all->init.fd < 0) {
		close_reset(fd);
		return;
	}
	f = new_forward(b, fd, b->config->publish[index].inside, EG_PUBLISH);
	if (!f)
		return;
	f->next = NULL;
	*all->last = f;
	all->last = &f->next;
	all->n_waiting++;
	serve(all);
}

int forward_init(struct broker *b)
{
	struct forwards *all = calloc(1, sizeof(*all));

	if (!all)
		return -ENOMEM;
	b->forwards = all;
	all->b = b;
	all->last = &all->first;
	all->init = (struct watch){ .on = on_init, .fd = b->kit.fd[KIT_INIT] };
	/* Only who publishes a port needs init. */
	if (all->init.fd < 0 || b->kit.n_publish == 0)
		return 0;
	return loop_add_in(&b->loop, &all->init);
}

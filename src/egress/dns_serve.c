/* SPDX-License-Identifier: Apache-2.0 */
#include "egress/dns_serve.h"

#include <netinet/in.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "base/str.h"
#include "egress/dns.h"
#include "egress/names.h"
#include "egress/relay.h"
#include "egress/want.h"

#define TURN 128u	 /* queries of one socket before others have their turn */
#define CLIENTS_MAX 128u /* over TCP, at once */
#define IDLE_MS 10000u	 /* of a TCP client */
#define HELD_MAX 256u	 /* answers that wait for who asked */

struct dns_socket {
	struct watch watch;
	struct broker *b;
};

struct dns_service {
	struct dns_socket udp[2];
	unsigned n_clients, n_held;
};

/* "No such name", held back until it is known who asked: the asker may be gone once it has it. */
struct held {
	struct dead dead;
	struct broker *b;
	struct aim *aim;
	struct aim_waiter waiter;
	int fd; /* the service's own */
	struct sockaddr_storage to;
	socklen_t to_len;
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(struct in6_pktinfo))];
	size_t control_len, len;
	uint8_t data[DNS_ANSWER_MAX];
};

/* Puts a name's own address in, if the question is about one. */
static void with_address(struct broker *b, const struct dns_query *q, struct dns_reply *r)
{
	uint16_t type = dns_wants(q);
	struct name_rec *rec;
	int err = names_add(b->names, &q->host, &rec);

	if (err < 0) {
		r->rcode = DNS_SERVFAIL;
		return;
	}
	if (type == 0 || (type == DNS_AAAA && !b->kit.v6))
		return;
	r->type = type;
	names_ip(rec, type == DNS_AAAA, &r->addr);
}

static size_t answer(struct broker *b, const uint8_t *msg, size_t len, const struct tuple *t,
		     int proto, uint8_t *dst, struct aim **ret_aim)
{
	struct dns_query q;
	struct dns_reply r = DNS_REPLY_INIT;
	char text[DNS_TEXT_MAX];
	int rc = dns_parse(msg, len, &q);

	if (rc < 0)
		return 0;
	if (rc > 0) {
		r.rcode = (uint16_t)rc;
	} else if (dns_fixed(&q, &r)) {
		/* The same for everybody. */
	} else if (q.kind == DNS_REVERSE) {
		const struct name_rec *rec = names_by_ip(b->names, &q.addr);

		r.rcode = rec ? DNS_NOERROR : DNS_NXDOMAIN;
		if (rec && (q.qtype == DNS_PTR || q.qtype == DNS_ANY)) {
			r.type = DNS_PTR;
			r.name = rec->name;
		}
	} else if (q.host.is_ip) {
		r.rcode = DNS_NXDOMAIN;
	} else {
		const char *why;

		if (want_judge_name(b, &q.host, t, proto, &why, ret_aim) == VERDICT_ALLOW) {
			with_address(b, &q, &r);
		} else {
			r.rcode = DNS_NXDOMAIN;
			r.ede = DNS_EDE_BLOCKED;
			(void)snprintf(text, sizeof(text), "berm: %s", why);
			r.text = text;
		}
	}
	if (proto == IPPROTO_TCP)
		return dns_answer(&q, &r, dst, DNS_ANSWER_MAX);
	return dns_answer(&q, &r, dst, q.udp_size < DNS_ANSWER_MAX ? q.udp_size : DNS_ANSWER_MAX);
}

/* ---- UDP: the answer comes from the address that was asked ---- */

union pktinfo {
	struct cmsghdr h;
	char v4[CMSG_SPACE(sizeof(struct in_pktinfo))];
	char v6[CMSG_SPACE(sizeof(struct in6_pktinfo))];
};

/* Where it was sent to; turns the control message into the answer's. */
static bool asked_address(struct msghdr *msg, struct ip_addr *ret)
{
	struct cmsghdr *c = CMSG_FIRSTHDR(msg);
	struct in_pktinfo v4;
	struct in6_pktinfo v6;

	*ret = (struct ip_addr){ 0 };
	if (!c)
		return false;
	if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_PKTINFO &&
	    c->cmsg_len >= CMSG_LEN(sizeof(v4))) {
		memcpy(&v4, CMSG_DATA(c), sizeof(v4));
		memcpy(ret->bytes, &v4.ipi_addr, 4);
		v4.ipi_spec_dst = v4.ipi_addr;
		v4.ipi_ifindex = 0;
		memcpy(CMSG_DATA(c), &v4, sizeof(v4));
		msg->msg_controllen = CMSG_SPACE(sizeof(v4));
		return true;
	}
	if (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_PKTINFO &&
	    c->cmsg_len >= CMSG_LEN(sizeof(v6))) {
		memcpy(&v6, CMSG_DATA(c), sizeof(v6));
		memcpy(ret->bytes, &v6.ipi6_addr, 16);
		ret->v6 = 1;
		v6.ipi6_ifindex = 0;
		memcpy(CMSG_DATA(c), &v6, sizeof(v6));
		msg->msg_controllen = CMSG_SPACE(sizeof(v6));
		return true;
	}
	return false;
}

static void on_known(struct aim_waiter *w)
{
	struct held *h = container_of(w, struct held, waiter);
	struct iovec iov = { .iov_base = h->data, .iov_len = h->len };
	struct msghdr msg = { .msg_name = &h->to,
			      .msg_namelen = h->to_len,
			      .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = h->control,
			      .msg_controllen = h->control_len };

	(void)sendmsg(h->fd, &msg, MSG_DONTWAIT | MSG_NOSIGNAL);
	h->b->dns->n_held--;
	aim_unref(h->aim);
	loop_free(&h->b->loop, &h->dead);
}

/* Keeps the answer for later. false: it is to be sent now. */
static bool hold(struct dns_socket *s, struct aim *a, const struct msghdr *msg)
{
	struct held *h;

	if (a->who != AIM_WHO_ASKED || s->b->dns->n_held >= HELD_MAX ||
	    msg->msg_controllen > sizeof(h->control))
		return false;
	h = calloc(1, sizeof(*h));
	if (!h)
		return false;
	h->b = s->b;
	h->fd = s->watch.fd;
	h->to_len = msg->msg_namelen;
	memcpy(&h->to, msg->msg_name, msg->msg_namelen);
	h->control_len = msg->msg_controllen;
	memcpy(h->control, msg->msg_control, msg->msg_controllen);
	h->len = msg->msg_iov->iov_len;
	memcpy(h->data, msg->msg_iov->iov_base, h->len);
	h->waiter.known = on_known;
	if (!aim_wait_who(a, &h->waiter)) {
		free(h);
		return false;
	}
	h->aim = aim_ref(a);
	s->b->dns->n_held++;
	return true;
}

static void on_udp(struct watch *w, uint32_t events)
{
	struct dns_socket *s = container_of(w, struct dns_socket, watch);

	for (unsigned i = 0; i < TURN; i++) {
		static uint8_t query[DNS_QUERY_MAX + 1];
		uint8_t out[DNS_ANSWER_MAX];
		struct sockaddr_storage from = { .ss_family = AF_UNSPEC };
		union pktinfo control;
		struct iovec iov = { .iov_base = query, .iov_len = sizeof(query) };
		struct msghdr msg = { .msg_name = &from,
				      .msg_namelen = sizeof(from),
				      .msg_iov = &iov,
				      .msg_iovlen = 1,
				      .msg_control = &control,
				      .msg_controllen = sizeof(control) };
		struct tuple t = { .dport = 53 };
		struct aim *a = NULL;
		ssize_t n = recvmsg(w->fd, &msg, MSG_DONTWAIT);
		size_t len;

		if (n < 0 && errno == EAGAIN)
			return;
		/* Others are errors that an earlier answer came back with. */
		if (n < 0 || !asked_address(&msg, &t.dst) || !tuple_end(&from, &t.src, &t.sport))
			continue;
		len = answer(s->b, query, (size_t)n, &t, IPPROTO_UDP, out, &a);
		iov = (struct iovec){ .iov_base = out, .iov_len = len };
		msg.msg_flags = 0;
		if (len && !(a && hold(s, a, &msg)))
			(void)sendmsg(w->fd, &msg, MSG_DONTWAIT | MSG_NOSIGNAL);
		aim_unref(a);
	}
}

/* ---- TCP: a length, then the message ---- */

struct dns_client {
	struct dead dead;
	struct broker *b;
	struct watch watch;
	struct timer timer;
	struct tuple tuple;
	size_t len;
	uint8_t data[2 + DNS_QUERY_MAX];
};

static void release(struct dns_client *c)
{
	timer_stop(&c->b->loop, &c->timer);
	loop_close(&c->watch);
	c->b->dns->n_clients--;
	loop_free(&c->b->loop, &c->dead);
}

static void on_idle(struct timer *t)
{
	release(container_of(t, struct dns_client, timer));
}

/* Answers what is whole. false: the connection is to end. */
static bool serve(struct dns_client *c)
{
	while (c->len >= 2) {
		size_t n = (size_t)c->data[0] << 8 | c->data[1];
		uint8_t out[2 + DNS_ANSWER_MAX];
		struct aim *a = NULL;
		size_t len;

		if (n > DNS_QUERY_MAX)
			return false;
		if (c->len < 2 + n)
			return true;
		len = answer(c->b, c->data + 2, n, &c->tuple, IPPROTO_TCP, out + 2, &a);
		aim_unref(a);
		memmove(c->data, c->data + 2 + n, c->len - 2 - n);
		c->len -= 2 + n;
		if (len == 0)
			return false;
		out[0] = (uint8_t)(len >> 8);
		out[1] = (uint8_t)len;
		/* Who asks and does not read the answers is not waited for. */
		if (send(c->watch.fd, out, len + 2, MSG_DONTWAIT | MSG_NOSIGNAL) !=
		    (ssize_t)len + 2)
			return false;
	}
	return true;
}

static void on_tcp(struct watch *w, uint32_t events)
{
	struct dns_client *c = container_of(w, struct dns_client, watch);

	for (;;) {
		ssize_t n = recv(w->fd, c->data + c->len, sizeof(c->data) - c->len, MSG_DONTWAIT);

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (n > 0) {
			c->len += (size_t)n;
			timer_start(&c->b->loop, &c->timer, IDLE_MS);
		}
		if (n <= 0 || !serve(c)) {
			release(c);
			return;
		}
	}
}

void dns_accepted(struct broker *b, int fd, const struct tuple *t, unsigned index)
{
	struct dns_client *c = b->dns->n_clients < CLIENTS_MAX ? malloc(sizeof(*c)) : NULL;

	if (!c) {
		close_reset(fd);
		return;
	}
	b->dns->n_clients++;
	c->b = b;
	c->len = 0;
	c->tuple = *t;
	c->watch = (struct watch){ .on = on_tcp, .fd = fd };
	c->timer = (struct timer){ .on = on_idle };
	timer_start(&b->loop, &c->timer, IDLE_MS);
	if (loop_add(&b->loop, &c->watch) < 0)
		release(c);
}

int dns_init(struct broker *b)
{
	static const enum kit_fd fds[] = { KIT_DNS_UDP4, KIT_DNS_UDP6 };
	uint8_t key[16];
	int r;

	if (getrandom(key, sizeof(key), 0) != sizeof(key))
		return -EIO;
	r = names_new(key, &b->names);
	if (r < 0)
		return r;
	b->dns = calloc(1, sizeof(*b->dns));
	if (!b->dns)
		return -ENOMEM;
	for (size_t i = 0; i < ARRAY_SIZE(fds); i++) {
		struct dns_socket *s = &b->dns->udp[i];

		s->b = b;
		s->watch = (struct watch){ .on = on_udp, .fd = b->kit.fd[fds[i]] };
		if (s->watch.fd < 0)
			continue;
		r = loop_add_in(&b->loop, &s->watch);
		if (r < 0)
			return r;
	}
	return 0;
}

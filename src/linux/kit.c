/* SPDX-License-Identifier: Apache-2.0 */
#include "linux/kit.h"

#include <linux/netlink.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <sys/socket.h>

#include "base/cleanup.h"

#define FLAGS (SOCK_CLOEXEC | SOCK_NONBLOCK)
/* More than this the kernel does not pass in one message (SCM_MAX_FD). */
_Static_assert(KIT_MAX <= 253 && KIT_MAX <= 128, "kit_msg.there has a bit for each");

enum { SAY_SOCKETS = 1, SAY_READY, SAY_REQUEST, SAY_MORE };

struct kit_msg {
	uint32_t type;
	uint64_t there[2]; /* SAY_SOCKETS: which of the kit the descriptors are, in order */
};

static const struct {
	int domain, type, protocol;
} made[KIT_FIXED] = {
	[KIT_RTNL] = { AF_NETLINK, SOCK_RAW, NETLINK_ROUTE },
	[KIT_QUEUE] = { AF_NETLINK, SOCK_RAW, NETLINK_NETFILTER },
	[KIT_DIAG] = { AF_NETLINK, SOCK_RAW, NETLINK_SOCK_DIAG },
	[KIT_TCP4] = { AF_INET, SOCK_STREAM, 0 },
	[KIT_TCP6] = { AF_INET6, SOCK_STREAM, 0 },
	[KIT_DNS_UDP4] = { AF_INET, SOCK_DGRAM, 0 },
	[KIT_DNS_UDP6] = { AF_INET6, SOCK_DGRAM, 0 },
	[KIT_DNS_TCP4] = { AF_INET, SOCK_STREAM, 0 },
	[KIT_DNS_TCP6] = { AF_INET6, SOCK_STREAM, 0 },
	[KIT_HTTP] = { AF_INET, SOCK_STREAM, 0 },
	[KIT_SOCKS] = { AF_INET, SOCK_STREAM, 0 },
};

/* A kernel without IPv6, nfnetlink or socket diagnosis has less, and still a network. */
static bool may_lack(size_t i, int err)
{
	return (made[i].domain == AF_INET6 && err == EAFNOSUPPORT) ||
	       ((i == KIT_QUEUE || i == KIT_DIAG) && err == EPROTONOSUPPORT);
}

int kit_make(const struct net_spec *n, int *ret_fds)
{
	for (size_t i = 0; i < KIT_MAX; i++)
		ret_fds[i] = -1;
	if (n->n_host_ports > KIT_FORWARDS_MAX || n->n_publish > KIT_FORWARDS_MAX)
		return -E2BIG;
	for (size_t i = KIT_INIT + 1; i < KIT_FIXED + n->n_host_ports; i++) {
		ret_fds[i] = i < KIT_FIXED ? socket(made[i].domain, made[i].type | FLAGS,
						    made[i].protocol)
					   : socket(AF_INET, SOCK_STREAM | FLAGS, 0);
		if (ret_fds[i] < 0 && (i >= KIT_FIXED || !may_lack(i, errno)))
			return -errno;
	}
	return 0;
}

static int send_fds(int sock, struct kit_msg *m, const int *fds, size_t n, int flags)
{
	union {
		struct cmsghdr hdr;
		char buf[CMSG_SPACE(sizeof(int) * KIT_MAX)];
	} ctl = { 0 };
	struct iovec iov = { .iov_base = m, .iov_len = sizeof(*m) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	ssize_t r;

	if (n) {
		msg.msg_control = ctl.buf;
		msg.msg_controllen = (socklen_t)CMSG_SPACE(sizeof(int) * n);
		ctl.hdr.cmsg_level = SOL_SOCKET;
		ctl.hdr.cmsg_type = SCM_RIGHTS;
		ctl.hdr.cmsg_len = (socklen_t)CMSG_LEN(sizeof(int) * n);
		memcpy(CMSG_DATA(&ctl.hdr), fds, sizeof(int) * n);
	}
	do
		r = sendmsg(sock, &msg, MSG_NOSIGNAL | flags);
	while (r < 0 && errno == EINTR);
	return r < 0 ? -errno : 0;
}

/* Returns the number of descriptors, at most max; -EPIPE at the end. */
static int recv_fds(int sock, struct kit_msg *m, int *ret_fds, size_t max)
{
	union {
		struct cmsghdr hdr;
		char buf[CMSG_SPACE(sizeof(int) * KIT_MAX)];
	} ctl;
	struct iovec iov = { .iov_base = m, .iov_len = sizeof(*m) };
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = ctl.buf,
			      /* Not CMSG_SPACE: what it rounds up to may hold one more. */
			      .msg_controllen = (socklen_t)CMSG_LEN(sizeof(int) * max) };
	struct cmsghdr *c;
	size_t n = 0;
	ssize_t r;

	memset(m, 0, sizeof(*m));
	do
		r = recvmsg(sock, &msg, MSG_CMSG_CLOEXEC);
	while (r < 0 && errno == EINTR);
	if (r <= 0)
		return r < 0 ? -errno : -EPIPE;
	c = CMSG_FIRSTHDR(&msg);
	if (max && c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS) {
		n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		memcpy(ret_fds, CMSG_DATA(c), n * sizeof(int));
	}
	if (r == sizeof(*m) && !(msg.msg_flags & MSG_CTRUNC))
		return (int)n;
	while (n > 0)
		close_quietly(ret_fds[--n]);
	return -EBADMSG;
}

int kit_send(int sock, int *fds)
{
	struct kit_msg m = { .type = SAY_SOCKETS };
	int list[KIT_MAX], r;
	size_t n = 0;

	for (size_t i = 0; i < KIT_MAX; i++)
		if (fds[i] >= 0) {
			m.there[i / 64] |= 1ull << (i % 64);
			list[n++] = fds[i];
		}
	r = send_fds(sock, &m, list, n, 0);
	for (size_t i = 0; i < KIT_MAX; i++) {
		close_quietly(fds[i]);
		fds[i] = -1;
	}
	return r;
}

static int answer(int sock)
{
	struct kit_msg m = { .type = SAY_MORE };
	int fds[KIT_REFILL], r;
	size_t n = 0;

	while (n < KIT_REFILL) {
		fds[n] = socket(AF_INET, SOCK_STREAM | FLAGS, 0);
		if (fds[n] < 0)
			break;
		n++;
	}
	/* Never waiting: whoever asks and does not listen goes without. */
	r = send_fds(sock, &m, fds, n, MSG_DONTWAIT);
	while (n > 0)
		close_quietly(fds[--n]);
	return r;
}

int kit_wait(int sock)
{
	for (;;) {
		struct kit_msg m;
		int r = recv_fds(sock, &m, NULL, 0);

		if (r >= 0 && m.type == SAY_READY)
			return 0;
		if (r >= 0)
			r = m.type == SAY_REQUEST ? answer(sock) : -EPROTO;
		if (r < 0)
			return r;
	}
}

bool kit_refill(int sock)
{
	char byte;
	/* The length is nobody's business: every message is a request. */
	ssize_t n = recv(sock, &byte, sizeof(byte), MSG_DONTWAIT);

	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	return n > 0 && answer(sock) != -EPIPE;
}

int kit_receive(int sock, const struct net_spec *n, struct net_kit *ret)
{
	int list[KIT_MAX], got, used = 0;
	struct kit_msg m;

	*ret = (struct net_kit){ .n_host_ports = (uint32_t)n->n_host_ports };
	for (size_t i = 0; i < KIT_MAX; i++)
		ret->fd[i] = -1;
	got = recv_fds(sock, &m, list, KIT_MAX);
	if (got < 0)
		return got;
	for (size_t i = 0; i < KIT_MAX && used < got; i++)
		if (m.there[i / 64] >> (i % 64) & 1)
			ret->fd[i] = list[used++];
	ret->fd[KIT_INIT] = sock;
	return m.type == SAY_SOCKETS && used == got ? 0 : -EBADMSG;
}

int kit_more(int sock, int *ret_fds)
{
	struct kit_msg m = { .type = SAY_REQUEST };
	int r = send_fds(sock, &m, NULL, 0, 0);

	return r < 0 ? r : recv_fds(sock, &m, ret_fds, KIT_REFILL);
}

int kit_ready(int sock)
{
	struct kit_msg m = { .type = SAY_READY };

	return send_fds(sock, &m, NULL, 0, 0);
}

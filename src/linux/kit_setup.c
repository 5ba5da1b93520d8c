/* SPDX-License-Identifier: Apache-2.0 */
/* The warden makes the kit ready, from outside: its user owns the user namespace that the
 * network namespace belongs to, so the kernel lets it (user_namespaces(7)). The sandbox's
 * processes go on meanwhile. */
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "linux/kit.h"
#include "linux/nft.h"
#include "linux/rtnl.h"

/* uapi/linux/in6.h; not in every libc's headers. */
#ifndef IPV6_TRANSPARENT
#define IPV6_TRANSPARENT 75
#endif
#ifndef IPV6_FREEBIND
#define IPV6_FREEBIND 78
#endif

#define BACKLOG 4096
#define QUEUE_BUFFER (8 << 20) /* the kernel takes what it allows */

/* Where a connection goes on the lowest rung: what can be reached at all. */
static const uint16_t rung_ports[] = { 443, 80, 22, 9418, 8080, 8443 };
_Static_assert(ARRAY_SIZE(rung_ports) <= KIT_PORTS_MAX, "the kit has room for all");
_Static_assert(ARRAY_SIZE(rung_ports) <= KIT_REFILL, "one answer of init's has sockets for all");

static int set_one(int fd, int level, int option)
{
	int on = 1;

	return setsockopt(fd, level, option, &on, sizeof(on)) < 0 ? -errno : 0;
}

static int bind4(int fd, uint32_t addr, uint16_t port)
{
	struct sockaddr_in a = { .sin_family = AF_INET,
				 .sin_port = htons(port),
				 .sin_addr.s_addr = htonl(addr) };

	return bind(fd, (struct sockaddr *)&a, sizeof(a)) < 0 ? -errno : 0;
}

static int bind6(int fd, const struct in6_addr *addr, uint16_t port)
{
	struct sockaddr_in6 a = { .sin6_family = AF_INET6,
				  .sin6_port = htons(port),
				  .sin6_addr = *addr };

	return bind(fd, (struct sockaddr *)&a, sizeof(a)) < 0 ? -errno : 0;
}

static int listen4(int fd, uint32_t addr, uint16_t port)
{
	int r = bind4(fd, addr, port);

	if (r >= 0 && listen(fd, BACKLOG) < 0)
		r = -errno;
	return r;
}

static int listen6(int fd, const struct in6_addr *addr, uint16_t port)
{
	int r = set_one(fd, IPPROTO_IPV6, IPV6_V6ONLY);

	if (r >= 0)
		r = bind6(fd, addr, port);
	if (r >= 0 && listen(fd, BACKLOG) < 0)
		r = -errno;
	return r;
}

static void drop(struct net_kit *k, enum kit_fd i)
{
	close_quietly(k->fd[i]);
	k->fd[i] = -1;
}

static int dns(struct net_kit *k)
{
	int r;

	r = set_one(k->fd[KIT_DNS_UDP4], IPPROTO_IP, IP_PKTINFO);
	if (r >= 0)
		r = bind4(k->fd[KIT_DNS_UDP4], INADDR_ANY, 53);
	if (r >= 0)
		r = listen4(k->fd[KIT_DNS_TCP4], INADDR_ANY, 53);
	if (r < 0 || !k->v6)
		return r;
	r = set_one(k->fd[KIT_DNS_UDP6], IPPROTO_IPV6, IPV6_V6ONLY);
	if (r >= 0)
		r = set_one(k->fd[KIT_DNS_UDP6], IPPROTO_IPV6, IPV6_RECVPKTINFO);
	/* Else an answer "from" an address that was only called is EINVAL. */
	if (r >= 0)
		r = set_one(k->fd[KIT_DNS_UDP6], IPPROTO_IPV6, IPV6_FREEBIND);
	if (r >= 0)
		r = bind6(k->fd[KIT_DNS_UDP6], &in6addr_any, 53);
	if (r >= 0)
		r = listen6(k->fd[KIT_DNS_TCP6], &in6addr_any, 53);
	return r;
}

static int make_transparent(struct net_kit *k)
{
	int r = set_one(k->fd[KIT_TCP4], IPPROTO_IP, IP_TRANSPARENT);

	if (r >= 0 && k->v6)
		r = set_one(k->fd[KIT_TCP6], IPPROTO_IPV6, IPV6_TRANSPARENT);
	return r;
}

static bool there(const char *path)
{
	_cleanup_close_ int fd = open(path, O_PATH | O_CLOEXEC);

	return fd >= 0;
}

/* A refused batch costs ten milliseconds, so the likelier one comes first: the newer way,
 * which kernels load on demand, unless only the older one is there already or
 * nothing can be loaded. */
static bool compat_first(void)
{
	return !there("/sys/module/nft_queue") &&
	       (there("/sys/module/xt_NFQUEUE") || !there("/proc/modules"));
}

static int gate(int fd, bool v6)
{
	int size = QUEUE_BUFFER, r = nft_bind_queue(fd);
	bool compat;

	if (r < 0)
		return r;
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	compat = compat_first();
	r = nft_setup(fd, compat ? NFT_GATE_COMPAT : NFT_GATE_NATIVE, v6);
	return r >= 0 ? r : nft_setup(fd, compat ? NFT_GATE_NATIVE : NFT_GATE_COMPAT, v6);
}

/* The best rung from `from` down that this kernel has. */
static enum net_rung climb(struct net_kit *k, int from, struct kit_report *rep)
{
	int fd = k->fd[KIT_QUEUE];

	if (fd < 0) {
		rep->redirect_err = rep->tproxy_err = rep->gate_err = -EPROTONOSUPPORT;
		return NET_RUNG_PORTS;
	}
	if (from <= NET_RUNG_TPROXY) {
		rep->tproxy_err = make_transparent(k);
		if (rep->tproxy_err >= 0)
			rep->tproxy_err = nft_setup(fd, NFT_TRANSPARENT, k->v6);
		rep->gate_err = rep->tproxy_err;
		if (rep->tproxy_err >= 0 && from <= NET_RUNG_GATE)
			rep->gate_err = gate(fd, k->v6);
		if (rep->tproxy_err >= 0)
			return from <= NET_RUNG_GATE && rep->gate_err >= 0 ? NET_RUNG_GATE
									   : NET_RUNG_TPROXY;
	}
	if (from <= NET_RUNG_REDIRECT) {
		rep->redirect_err = nft_setup(fd, NFT_REDIRECT, k->v6);
		if (rep->redirect_err >= 0)
			return NET_RUNG_REDIRECT;
	}
	return NET_RUNG_PORTS;
}

/* A port that something else of ours has taken is left out. */
static int listen_ports(struct net_kit *k)
{
	uint32_t at = KIT_FIXED + k->n_host_ports + k->n_publish;
	int fds[KIT_REFILL], n = kit_more(k->fd[KIT_INIT], fds);

	for (int i = 0; i < n; i++) {
		if (i < (int)ARRAY_SIZE(rung_ports) &&
		    listen4(fds[i], INADDR_ANY, rung_ports[i]) >= 0)
			k->fd[at + k->n_ports++] = fds[i];
		else
			close_quietly(fds[i]);
	}
	return n < 0 ? n : k->n_ports ? 0 : -EADDRINUSE;
}

static int listeners(struct net_kit *k)
{
	int r = dns(k);

	if (r >= 0)
		r = listen4(k->fd[KIT_HTTP], INADDR_LOOPBACK, KIT_PORT_HTTP);
	if (r >= 0)
		r = listen4(k->fd[KIT_SOCKS], INADDR_LOOPBACK, KIT_PORT_SOCKS);
	if (r < 0 || k->rung == NET_RUNG_PORTS)
		return r;
	r = listen4(k->fd[KIT_TCP4], INADDR_LOOPBACK, KIT_PORT_TRANSPARENT);
	if (r >= 0 && k->v6)
		r = listen6(k->fd[KIT_TCP6], &in6addr_loopback, KIT_PORT_TRANSPARENT);
	return r;
}

static int forwards(const struct net_spec *n, struct net_kit *k, struct kit_report *rep)
{
	uint32_t at = KIT_FIXED;
	int r = 0;

	rep->part = KIT_PART_HOST_PORT;
	for (rep->index = 0; (size_t)rep->index < n->n_host_ports; rep->index++) {
		r = listen4(k->fd[at++], INADDR_LOOPBACK, n->host_ports[rep->index].inside_port);
		if (r < 0)
			return r;
	}
	rep->part = KIT_PART_PUBLISH;
	for (rep->index = 0; (size_t)rep->index < n->n_publish; rep->index++) {
		int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

		if (fd < 0)
			return -errno;
		k->fd[at++] = fd;
		k->n_publish++;
		/* A session that ended a moment ago still has connections in TIME_WAIT. */
		r = set_one(fd, SOL_SOCKET, SO_REUSEADDR);
		if (r >= 0)
			r = listen4(fd, INADDR_LOOPBACK, n->publish[rep->index].host_port);
		if (r < 0)
			return r;
	}
	return 0;
}

int kit_setup(const struct net_spec *n, struct net_kit *k, struct kit_report *ret)
{
	bool v6 = k->fd[KIT_TCP6] >= 0 && k->fd[KIT_DNS_UDP6] >= 0 && k->fd[KIT_DNS_TCP6] >= 0;
	int r;

	*ret = (struct kit_report){ .part = KIT_PART_INTERFACE };
	r = rtnl_setup(k->fd[KIT_RTNL], &v6);
	if (r < 0)
		return r;
	drop(k, KIT_RTNL);
	k->v6 = v6;
	if (!v6) {
		drop(k, KIT_TCP6);
		drop(k, KIT_DNS_UDP6);
		drop(k, KIT_DNS_TCP6);
	}
	k->rung = climb(k, n->rung_cap, ret);
	if (k->rung != NET_RUNG_GATE)
		drop(k, KIT_QUEUE);
	if (k->rung == NET_RUNG_PORTS) {
		drop(k, KIT_TCP4);
		drop(k, KIT_TCP6);
	}
	ret->part = KIT_PART_LISTEN;
	r = listeners(k);
	if (r >= 0)
		r = forwards(n, k, ret);
	if (r >= 0 && k->rung == NET_RUNG_PORTS) {
		ret->part = KIT_PART_LISTEN;
		r = listen_ports(k);
	}
	return r;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Sockets: families that must not be there, and ways to something that listens
 * on the host. The argument is an address: "ADDR PORT" or a unix path ("@" for
 * the abstract space). */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "attack.h"

#define FAMILY(fn, ...)                     \
	static long fn(const char *p)       \
	{                                   \
		(void)p;                    \
		return socket(__VA_ARGS__); \
	}

FAMILY(s_vsock, 40, SOCK_STREAM, 0)
FAMILY(s_alg, 38, SOCK_SEQPACKET, 0)
FAMILY(s_packet, AF_PACKET, SOCK_RAW, 0)
FAMILY(s_packet_dgram, AF_PACKET, SOCK_DGRAM, 0)
FAMILY(s_xdp, 44, SOCK_RAW, 0)
FAMILY(s_can, 29, SOCK_RAW, 1)
FAMILY(s_bluetooth, 31, SOCK_RAW, 1)
FAMILY(s_tipc, 30, SOCK_STREAM, 0)
FAMILY(s_rds, 21, SOCK_SEQPACKET, 0)
FAMILY(s_key, 15, SOCK_RAW, 2)
FAMILY(s_nl_audit, AF_NETLINK, SOCK_RAW, 9)
FAMILY(s_nl_uevent, AF_NETLINK, SOCK_RAW, 15)
FAMILY(s_nl_netfilter, AF_NETLINK, SOCK_RAW, 12)
FAMILY(s_nl_xfrm, AF_NETLINK, SOCK_RAW, 6)
FAMILY(s_nl_generic, AF_NETLINK, SOCK_RAW, 16)
FAMILY(s_nl_crypto, AF_NETLINK, SOCK_RAW, 21)
FAMILY(s_raw, AF_INET, SOCK_RAW, IPPROTO_ICMP)
FAMILY(s_raw6, AF_INET6, SOCK_RAW, IPPROTO_ICMPV6)
FAMILY(s_smc, 43, SOCK_STREAM, 0)
FAMILY(s_mctp, 45, SOCK_DGRAM, 0)
FAMILY(s_ax25, 3, SOCK_SEQPACKET, 0)
FAMILY(s_kcm, 41, SOCK_DGRAM, 0)

static long pair(int family, int type)
{
	int sv[2];

	return socketpair(family, type, 0, sv);
}

static long s_pair_tipc(const char *p)
{
	(void)p;
	return pair(30, SOCK_STREAM);
}

static socklen_t unix_addr(struct sockaddr_un *a, const char *p)
{
	size_t n = strnlen(p, sizeof(a->sun_path) - 1);

	memset(a, 0, sizeof(*a));
	a->sun_family = AF_UNIX;
	memcpy(a->sun_path, p, n);
	if (p[0] != '@')
		return sizeof(*a);
	a->sun_path[0] = 0;
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n);
}

static long hello(int s)
{
	char buf[256];
	struct pollfd pfd = { .fd = s, .events = POLLIN };

	if (poll(&pfd, 1, 2000) <= 0) {
		errno = ETIMEDOUT;
		return -1;
	}
	ssize_t n = recv(s, buf, sizeof(buf) - 1, 0);
	if (n < 0)
		return -1;
	buf[n] = 0;
	puts(buf);
	return 0;
}

static long unix_talk(const char *p, int type)
{
	struct sockaddr_un a;
	socklen_t len = unix_addr(&a, p);
	int s = socket(AF_UNIX, type, 0);

	if (s < 0 || connect(s, (struct sockaddr *)&a, len) < 0)
		return -1;
	if (send(s, "hi", 2, MSG_NOSIGNAL) < 0)
		return -1;
	return type == SOCK_DGRAM ? 0 : hello(s);
}

static long c_unix(const char *p)
{
	return unix_talk(p, SOCK_STREAM);
}

static long c_unix_seq(const char *p)
{
	return unix_talk(p, SOCK_SEQPACKET);
}

static long c_unix_dgram(const char *p)
{
	return unix_talk(p, SOCK_DGRAM);
}

static long c_unix_sendto(const char *p)
{
	struct sockaddr_un a;
	socklen_t len = unix_addr(&a, p);
	int s = socket(AF_UNIX, SOCK_DGRAM, 0);

	return s < 0 ? -1 : sendto(s, "hi", 2, MSG_NOSIGNAL, (struct sockaddr *)&a, len);
}

static long c_pair_sendto(const char *p)
{
	/* each end of a datagram pair can still name an address */
	struct sockaddr_un a;
	socklen_t len = unix_addr(&a, p);
	int sv[2];

	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, sv) < 0)
		return -1;
	if (connect(sv[0], (struct sockaddr *)&a, len) < 0)
		return -1;
	return send(sv[0], "hi", 2, MSG_NOSIGNAL);
}

static long inet_addr_of(const char *arg, struct sockaddr_storage *ss)
{
	char host[128];
	int port = 0;

	memset(ss, 0, sizeof(*ss));
	if (sscanf(arg, "%127s %d", host, &port) != 2)
		return -1;
	if (strchr(host, ':')) {
		struct sockaddr_in6 *a = (struct sockaddr_in6 *)ss;

		a->sin6_family = AF_INET6;
		a->sin6_port = htons((uint16_t)port);
		return inet_pton(AF_INET6, host, &a->sin6_addr) == 1 ? (long)sizeof(*a) : -1;
	}
	struct sockaddr_in *a = (struct sockaddr_in *)ss;

	a->sin_family = AF_INET;
	a->sin_port = htons((uint16_t)port);
	return inet_pton(AF_INET, host, &a->sin_addr) == 1 ? (long)sizeof(*a) : -1;
}

static long inet_open(const char *arg, int type, struct sockaddr_storage *ss, long *len)
{
	*len = inet_addr_of(arg, ss);
	if (*len < 0) {
		errno = EINVAL;
		return -1;
	}
	return socket(ss->ss_family, type, 0);
}

static long c_tcp(const char *arg)
{
	struct sockaddr_storage ss;
	long len, s = inet_open(arg, SOCK_STREAM, &ss, &len);

	if (s < 0 || connect((int)s, (struct sockaddr *)&ss, (socklen_t)len) < 0)
		return -1;
	if (send((int)s, "hi", 2, MSG_NOSIGNAL) < 0)
		return -1;
	return hello((int)s);
}

static long c_tfo(const char *arg)
{
	struct sockaddr_storage ss;
	long len, s = inet_open(arg, SOCK_STREAM, &ss, &len);

	if (s < 0)
		return -1;
	if (sendto((int)s, "hi", 2, MSG_FASTOPEN | MSG_NOSIGNAL, (struct sockaddr *)&ss,
		   (socklen_t)len) < 0)
		return -1;
	return hello((int)s);
}

static long c_udp(const char *arg)
{
	struct sockaddr_storage ss;
	long len, s = inet_open(arg, SOCK_DGRAM, &ss, &len);

	return s < 0 ? -1 : sendto((int)s, "hi", 2, 0, (struct sockaddr *)&ss, (socklen_t)len);
}

/* The same, waiting a second for what comes back. */
static long c_udp_reply(const char *arg)
{
	struct timeval patience = { .tv_sec = 1 };
	struct sockaddr_storage ss;
	char byte;
	long len, s = inet_open(arg, SOCK_DGRAM, &ss, &len);

	if (s < 0 || connect((int)s, (struct sockaddr *)&ss, (socklen_t)len) < 0 ||
	    setsockopt((int)s, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) < 0 ||
	    send((int)s, "hi", 2, 0) < 0)
		return -1;
	return recv((int)s, &byte, 1, 0);
}

const struct form net_forms[] = {
	{ "af-vsock", s_vsock },
	{ "af-alg", s_alg },
	{ "af-packet-raw", s_packet },
	{ "af-packet-dgram", s_packet_dgram },
	{ "af-xdp", s_xdp },
	{ "af-can", s_can },
	{ "af-bluetooth", s_bluetooth },
	{ "af-tipc", s_tipc },
	{ "af-rds", s_rds },
	{ "af-key", s_key },
	{ "af-smc", s_smc },
	{ "af-mctp", s_mctp },
	{ "af-ax25", s_ax25 },
	{ "af-kcm", s_kcm },
	{ "netlink-audit", s_nl_audit },
	{ "netlink-uevent", s_nl_uevent },
	{ "netlink-netfilter", s_nl_netfilter },
	{ "netlink-xfrm", s_nl_xfrm },
	{ "netlink-generic", s_nl_generic },
	{ "netlink-crypto", s_nl_crypto },
	{ "raw-icmp", s_raw },
	{ "raw-icmp6", s_raw6 },
	{ "socketpair-tipc", s_pair_tipc },
	{ "unix-stream", c_unix },
	{ "unix-seqpacket", c_unix_seq },
	{ "unix-dgram", c_unix_dgram },
	{ "unix-dgram-sendto", c_unix_sendto },
	{ "unix-pair-connect", c_pair_sendto },
	{ "tcp", c_tcp },
	{ "tcp-fastopen", c_tfo },
	{ "udp", c_udp },
	{ "udp-reply", c_udp_reply },
	{ NULL, NULL },
};

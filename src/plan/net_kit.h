/* SPDX-License-Identifier: Apache-2.0 */
/* The sandbox's own sockets, which the broker holds (DESIGN 5). A socket belongs for ever
 * to the network namespace that it was made in: init makes these, hands them out while
 * it still has rights, and the steward outside makes them ready. */
#pragma once

#include <stdint.h>

#include "policy/net.h"

enum kit_fd {
	KIT_INIT,  /* seqpacket to init: any message asks for KIT_REFILL fresh TCP sockets (v4); one
		    * message brings them (SCM_RIGHTS), its bytes mean nothing */
	KIT_RTNL,  /* NETLINK_ROUTE of the namespace; the steward closes it after set-up */
	KIT_QUEUE, /* NETLINK_NETFILTER: the gate's queue, bound (rung GATE only) */
	KIT_DIAG,  /* NETLINK_SOCK_DIAG */
	KIT_TCP4,  /* transparent listeners */
	KIT_TCP6,
	KIT_DNS_UDP4, /* port 53 */
	KIT_DNS_UDP6,
	KIT_DNS_TCP4,
	KIT_DNS_TCP6,
	KIT_HTTP, /* proxy listeners, 127.0.0.1 */
	KIT_SOCKS,
	KIT_FIXED,
	/* then: one listener for each of spec->network.host_ports (in the namespace), then one for
	 * each of spec->network.publish (on the host, made by the steward), then n_ports
	 * listeners of NET_RUNG_PORTS on 0.0.0.0 (getsockname(2) of what they accept is
	 * where the command wanted to go, as with the transparent ones) */
};
#define KIT_FORWARDS_MAX 32
#define KIT_PORTS_MAX 8
#define KIT_MAX (KIT_FIXED + 2 * KIT_FORWARDS_MAX + KIT_PORTS_MAX)
#define KIT_REFILL 8 /* sockets for one request; fewer, or none, come when init cannot */

/* Best first (DESIGN 5, spike-net 7). Which one is in force is told. */
enum net_rung {
	NET_RUNG_GATE = 1, /* transparent, the SYN is held until the verdict */
	NET_RUNG_TPROXY,   /* transparent; a refused connection is reset after it was accepted */
	NET_RUNG_REDIRECT, /* nat redirect, SO_ORIGINAL_DST */
	NET_RUNG_PORTS,	   /* no netfilter: a listener for each of a few ports, on every address */
	NET_RUNG_CLOSED,   /* loopback only; nothing is told (tests and benchmarks) */
};

#define KIT_QUEUE_NUM 7
/* Ports inside that berm takes. High ones: a server of the command's would have to name them. */
#define KIT_PORT_TRANSPARENT NET_PORT_TRANSPARENT
#define KIT_PORT_HTTP NET_PORT_HTTP
#define KIT_PORT_SOCKS NET_PORT_SOCKS
#define KIT_ADDR4 "198.18.0.1" /* the namespace's own address beside 127.0.0.1 */
#define KIT_ADDR6 "fd62:6572:6d00::1"
/* Names are given addresses of these ranges, one each, never reused (RFC 2544 range). */
#define KIT_NAMES4 "198.18.0.0/15"
#define KIT_NAMES6 "fd62:6572:6d01::/64"

/* Packets of the command's that want out have this mark; one of the others, which the gate's
 * verdict gives, refuses. */
#define KIT_MARK_OUT 1u
#define KIT_MARK_RESET 0xdeadu
#define KIT_MARK_UNREACHABLE 0xdeaeu
#define KIT_MARK_PROHIBITED 0xdeafu

struct net_kit {
	int fd[KIT_MAX]; /* -1: not there (no IPv6, a lower rung) */
	uint32_t n_host_ports, n_publish, n_ports;
	uint32_t rung;	  /* enum net_rung */
	uint32_t v6;	  /* 1: the namespace has IPv6 */
	int32_t init_pid; /* of the host's numbering */
};

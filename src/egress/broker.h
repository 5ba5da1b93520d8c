/* SPDX-License-Identifier: Apache-2.0 */
/* The broker as a whole: one process, one loop, one sandbox. What is here is shared by
 * the files of this folder; each has a part of it to itself. */
#pragma once

#include "egress/config.h"
#include "egress/loop.h"
#include "plan/net_kit.h"

struct names;	 /* names.h */
struct control;	 /* control.c */
struct aims;	 /* aim.c */
struct asks;	 /* ask.c */
struct resolver; /* resolve.c */
struct gate;	 /* gate.c */
struct relays;	 /* relay.c */
struct inlets;	 /* inlet.c */
struct dns_service;
struct forwards;

struct broker {
	struct loop loop;
	struct net_kit kit;
	struct eg_config *config; /* never NULL once the loop runs */
	struct names *names;
	struct control *control;
	struct aims *aims;
	struct asks *asks;
	struct resolver *resolver;
	struct gate *gate;
	struct relays *relays;
	struct inlets *inlets;
	struct dns_service *dns;
	struct forwards *forwards;
	int route; /* NETLINK_ROUTE of the host: is that address one of ours? */
	int diag;  /* the sandbox's KIT_DIAG, or -1 */
};

#define container_of(ptr, type, member) ((type *)(void *)((char *)(ptr)-offsetof(type, member)))

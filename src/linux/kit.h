/* SPDX-License-Identifier: Apache-2.0 */
/* The kit's way: init makes the sockets (only socket(2), while it has rights), the warden outside
 * gets them, makes them ready and says so before the command runs; then they are the steward's. */
#pragma once

#include "plan/net_kit.h"
#include "policy/spec.h"

/* In init. Fills ret_fds (KIT_MAX entries); -1 for what this kernel does not have. */
int kit_make(const struct net_spec *n, int *ret_fds);
/* Sends them over the seqpacket socket and closes them. */
int kit_send(int sock, int *fds);
/* Waits until they are ready. -EPIPE: nobody has them any more. */
int kit_wait(int sock);
/* Serves one request for fresh sockets. false: nobody holds the other side any more. */
bool kit_refill(int sock);

/* In the warden. Fills ret but for init_pid; ret->fd[KIT_INIT] is sock. */
int kit_receive(int sock, const struct net_spec *n, struct net_kit *ret);
/* The answer to one request: KIT_REFILL sockets at most. Returns how many. */
int kit_more(int sock, int *ret_fds);
/* Tells init that the command may run. */
int kit_ready(int sock);

/* Why kit_setup() failed, and why a lower rung is in force. */
struct kit_report {
	enum { KIT_PART_INTERFACE, KIT_PART_LISTEN, KIT_PART_HOST_PORT, KIT_PART_PUBLISH } part;
	int index;    /* of the host port or published port */
	int gate_err; /* negative errno each, 0: not tried or no error */
	int tproxy_err;
	int redirect_err;
};

/* Makes everything in the kit ready, by the best rung that this kernel has. */
int kit_setup(const struct net_spec *n, struct net_kit *k, struct kit_report *ret);

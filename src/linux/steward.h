/* SPDX-License-Identifier: Apache-2.0 */
/* The warden makes the sandbox's network ready from outside, while the others set themselves up.
 * When the command runs it forks the steward, which gets the network's sockets, sleeps until a
 * packet wants out (or a file is asked about) and becomes launch_ops.steward. So nobody waits for
 * the fork, and nothing that a command can reach is held by the warden. */
#pragma once

#include "linux/warden.h"

/* Init has sent the sockets (l->kit[0] can be read): makes them ready and says so to init. Returns
 * 0 or a negative errno: ret is what failed, and -EPIPE that init has gone, which says why itself.
 */
int steward_prepare(struct warden *w, struct fail_record *ret);
/* The command runs: forks. Returns 0 or a negative errno; the network's sockets are closed here
 * in any case, which without a steward closes the network. */
int steward_start(struct warden *w);
/* Closes what steward_prepare() has opened. */
void steward_drop(void);
/* In a fork of a steward: its descriptors are closed already. */
void steward_forget(void);

/* ---- the warden's side (warden_net.c) ---- */

/* REC_NETWORK: it has the network made ready, or says that nobody can. */
void warden_want_network(struct warden *w);
/* A record of the supervisor's that is for the steward: REC_ASK, REC_UNASK. */
void warden_ask(struct warden *w, const struct record *rec, size_t size);
/* REC_DOORBELL, which came with fd (borrowed), likewise. */
void warden_doorbell(struct warden *w, const struct rec_header *h, int fd);
/* The steward's socket is ready. */
void warden_net_ready(struct warden *w);
/* There is no steward: nothing goes out, and nobody answers. */
void warden_net_lost(struct warden *w, const char *reason);
/* The sandbox is gone: hears the steward's last words and reaps it. */
void warden_net_end(struct warden *w);

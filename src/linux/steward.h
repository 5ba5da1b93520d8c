/* SPDX-License-Identifier: Apache-2.0 */
/* The steward: a fork of the warden on the host, which makes the sandbox's network ready
 * from outside, then sleeps until a packet wants out (or a file is asked about) and becomes
 * launch_ops.steward. */
#pragma once

#include "linux/warden.h"

/* Its life, in the child. */
void steward_main(struct warden *w) _noreturn_;

/* ---- the warden's side (warden_net.c) ---- */

/* A record of the supervisor's that is for the steward: REC_ASK, REC_UNASK. */
void warden_ask(struct warden *w, const struct record *rec, size_t size);
/* The steward's socket is ready. */
void warden_net_ready(struct warden *w);
/* The sandbox is gone: hears the steward's last words and reaps it. */
void warden_net_end(struct warden *w);

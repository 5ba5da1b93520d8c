/* SPDX-License-Identifier: Apache-2.0 */
/* The steward's upper half: woken when something wants out, or when a file is asked about.
 * It runs the broker, says who asks, has people and programs answer, and reads the
 * settings again when they change (DESIGN 2, 5). On the host and not confined: of what
 * hostile programs say it reads fixed messages only, and looks at lengths before texts. */
#pragma once

#include "base/cleanup.h"
#include "plan/net_kit.h"

/* For launch_ops.steward; ctx: struct session. */
void session_steward(void *ctx, struct net_kit *kit, int warden_fd) _noreturn_;

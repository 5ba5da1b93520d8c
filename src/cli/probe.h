/* SPDX-License-Identifier: Apache-2.0 */
/* For who said "fail_if_unavailable": false (SPEC B4). */
#pragma once

#include "plan/plan.h"
#include "policy/spec.h"

/* Builds the sandbox once, in a process of its own, around nothing. The real start
 * could not be followed by a bare one: by then this process has given up the right
 * to execute anything. 0: it works. -EOPNOTSUPP: this host gives nobody such a
 * sandbox, err says why. Other errors: it might, but could not be tried. */
int probe_sandbox(const struct spec *spec, const struct plan *plan, struct berm_err *err);

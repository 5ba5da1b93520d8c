/* SPDX-License-Identifier: Apache-2.0 */
/* C4: is there a sandbox for commands, and if not, which of the reasons is it? */
#pragma once

#include "cli/run_opts.h"
#include "guard/decide.h"

struct enabled {
	struct sandbox_host host;
	struct sandbox_state state;
	struct berm_err why; /* what was tried and failed, and what to do; may be empty */
};

/* "on", "setting", "unsupported-platform", "wsl1", "excluded-platform", "missing-dependency". */
const char *enabled_name(enum sandbox_off off);

/* What the kind of this host says, without trying: for where no time is to be lost. */
void enabled_host(struct sandbox_host *ret);

/* What a sandbox that could not be made (err) says of the host. */
void enabled_failed(const struct berm_err *err, struct sandbox_host *ret);

/* Makes a sandbox around nothing, as a run with these options would, and says how it stands. g:
 * what the settings want. */
void enabled_look(const struct guard_policy *g, const struct run_opts *o, struct enabled *ret);

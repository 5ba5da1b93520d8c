/* SPDX-License-Identifier: Apache-2.0 */
/* "berm run" by a command that berm runs already. */
#pragma once

#include "cli/run_opts.h"

/* Runs command inside the session that this process is in. Options can only narrow that one's
 * policy: without any that do, the command takes this process's place; with some it gets a sandbox
 * of its own beside (session/inside.h); what cannot be held so is refused by name. false: this
 * process is in no session that answers. */
bool inside_run(const struct run_opts *o, char **command, int *ret_status);

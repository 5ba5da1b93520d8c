/* SPDX-License-Identifier: Apache-2.0 */
/* Writing an answer into a settings file of the user's: comments and form stay, the file is
 * replaced as a whole, no symbolic link is followed, two writers wait for each other. */
#pragma once

#include "base/err.h"
#include "session/jsonc_edit.h"

/* rel: below dir, as ".berm/policy.local.json"; folders that are missing are made (rel's with
 * mode 755, dir's own with 700). Returns 0, 1 when the file says so already, or a negative
 * errno with err set. */
int settings_write(const char *dir, const char *rel, const struct jsonc_change *c,
		   struct berm_err *err);

/* SPDX-License-Identifier: Apache-2.0 */
/* Changing the local settings of the project in the current directory, for the verbs that do
 * (add-dir, exclude, sandbox). */
#pragma once

#include "policy/resolve.h"
#include "session/jsonc_edit.h"

/* Makes the n changes in LOCAL_FILE of the project in root, one after the other. Local settings
 * count as the user's own when he trusts this very content: a file that is not trusted is left
 * alone, one that is stays so. in must not pretend: the record of trust is written. Returns how
 * many changes there were to make, or a negative errno with err set. */
int local_write(const struct policy_input *in, const char *root, const struct jsonc_change *c,
		size_t n, struct berm_err *err);

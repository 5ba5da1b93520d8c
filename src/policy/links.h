/* SPDX-License-Identifier: Apache-2.0 */
/* policy/ only: protected names that are symbolic links when the run begins. */
#pragma once

#include "policy/spec.h"

/* Looks at the top of each writable root, and into the protected folders there, for
 * symbolic links that a rule closes, and closes what they lead to in the writable
 * roots. Needs the finished rules; finishes them again when it adds some. */
int links_resolve(struct spec *s, struct berm_err *err);

/* SPDX-License-Identifier: Apache-2.0 */
/* The merged policy for people and for programs, each value with its origin. */
#pragma once

#include "base/str.h"
#include "policy/spec.h"

/* Values of environment variables are not printed: some are secrets. Text from
 * settings and paths is escaped for terminals. Appends to out; 0 or -ENOMEM. */
int explain_text(const struct spec *s, struct buf *out);

/* One JSON object, as base/json_out.h writes it. */
int explain_json(const struct spec *s, struct buf *out);

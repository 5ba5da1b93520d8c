/* SPDX-License-Identifier: Apache-2.0 */
/* The whole answer of "berm why": spec_judge(), and beside it what the supervisor
 * knows of git's files and what a private place holds. */
#pragma once

#include "cli/target.h"

/* Answers t under spec. Reads the private home in berm's state, and what t's facts
 * read; makes nothing. */
void cli_judge(const struct spec *spec, const struct target *t, struct verdict *ret);

/* SPDX-License-Identifier: Apache-2.0 */
/* A policy in the words of another tool, as far as it has them. */
#pragma once

#include "base/str.h"
#include "policy/spec.h"

enum export_kind { EXPORT_CLAUDE, EXPORT_SRT, EXPORT_CODEX, EXPORT_BWRAP, EXPORT_KIND_COUNT };

/* "claude", "srt", "codex", "bwrap"; -1: no such name. */
int export_kind_parse(const char *name);

/* Text for the tool's settings file (of bwrap: a command line for sh) into out. lost: what it
 * cannot say, one a line. */
int policy_export(const struct spec *s, enum export_kind kind, struct buf *out, struct strv *lost,
		  struct berm_err *err);

/* SPDX-License-Identifier: Apache-2.0 */
/* What became of the last run that could not be started: a small file in berm's state
 * folder, written at that moment only, for berm doctor --last. */
#pragma once

#include "base/err.h"
#include "base/str.h"

#define LAST_RUN_FILE "last-failure.json"

/* Writes it into dir. A failure to do so is nobody's: the run's own error counts. */
void last_run_note(const char *dir, const char *command, const char *workspace,
		   const struct berm_err *why);

struct last_run {
	char *when, *command, *workspace, *error, *fix;
};

/* Reads it. 0, -ENOENT when no run has failed, or another negative errno with err set. */
int last_run_read(const char *dir, struct last_run *ret, struct berm_err *err);
void last_run_free(struct last_run *l);

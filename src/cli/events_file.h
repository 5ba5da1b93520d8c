/* SPDX-License-Identifier: Apache-2.0 */
/* An event file named on the command line, which may well lie in a workspace: the
 * command must not be able to write its own record, nor to lead it elsewhere. */
#pragma once

#include "cli/run_opts.h"

struct events_file {
	char *target;  /* for session_open_events(): canonical when it is a file */
	char *pattern; /* the rule that protects it */
	bool is_path;
};

/* Fills ef from o->events and adds the rule to o. Does nothing without --events. */
int events_file_prepare(struct events_file *ef, struct run_opts *o, struct berm_err *err);
void events_file_free(struct events_file *ef);

/* Refuses a path that was named inside a workspace but leads out of it by a link
 * that an earlier command may have left. */
int events_file_check(const struct events_file *ef, const struct run_opts *o,
		      const struct spec *spec, struct berm_err *err);

/* SPDX-License-Identifier: Apache-2.0 */
/* The verbs and what they share. */
#pragma once

#include "base/err.h"
#include "cli/options.h"

/* Exit status when berm itself could not do what was asked, under every verb. */
#define EXIT_BERM 125
#define EXIT_NOT_EXECUTABLE 126
#define EXIT_NOT_FOUND 127

/* Of "berm why", "berm check" and "berm rules test". */
#define EXIT_ALLOWED 0
#define EXIT_DENIED 1
#define EXIT_ASK 2

struct verb {
	const char *name;
	const char *summary;
	/* argv[0] is the verb. Returns the exit status. */
	int (*run)(int argc, char **argv);
};

/* One file per verb, verb_NAME.c; the signature is struct verb's run. */
int verb_run(int argc, char **argv);
int verb_start(int argc, char **argv);
int verb_attach(int argc, char **argv);
int verb_exec(int argc, char **argv);
int verb_ls(int argc, char **argv);
int verb_suspend(int argc, char **argv);
int verb_resume(int argc, char **argv);
int verb_stop(int argc, char **argv);
int verb_why(int argc, char **argv);
int verb_explain(int argc, char **argv);
int verb_trust(int argc, char **argv);
int verb_init(int argc, char **argv);
int verb_import(int argc, char **argv);
int verb_export(int argc, char **argv);
int verb_add_dir(int argc, char **argv);
int verb_exclude(int argc, char **argv);
int verb_learn(int argc, char **argv);
int verb_profiles(int argc, char **argv);
int verb_shell(int argc, char **argv);
int verb_doctor(int argc, char **argv);
int verb_audit(int argc, char **argv);
int verb_check(int argc, char **argv);
int verb_rules(int argc, char **argv);
int verb_sandbox(int argc, char **argv);

/* Prints the error, returns EXIT_BERM. */
int cli_fail(const struct berm_err *err);

/* Prints usage, an empty line, the table's options and more (may be NULL);
 * returns 0, or EXIT_BERM when standard output is broken. */
int cli_help(const char *usage, const struct opt_table *t, const char *more);

/* Flushes standard output; returns status, or EXIT_BERM (with a message) when
 * what was printed did not get through. */
int cli_finish(int status);

/* SPDX-License-Identifier: Apache-2.0 */
/* berm shell: a shell for a person (SPEC T1). It is berm run with another profile; where no
 * sandbox can be had it fails, whatever the settings say: a shell that is called sandboxed and is
 * none would be believed. */
#include "cli/cli.h"

#include <unistd.h>

#include "base/arena.h"
#include "base/fd.h"
#include "cli/run_opts.h"

static const char usage[] =
	"usage: berm shell [OPTION]... [--] [ARGUMENT]...\n"
	"Starts your shell ($SHELL) inside the sandbox, with the profile terminal: your\n"
	"home and this directory are writable, secrets cannot be read, the network is\n"
	"open. ARGUMENTs are the shell's. Exit status: the shell's own; 125 berm could\n"
	"not start it.\n";

static const char more[] = "OPTIONs are those of berm run (berm run --help). Examples:\n"
			   "  berm shell                    here\n"
			   "  berm shell --net off          without network\n"
			   "  berm shell --profile agent    as a coding agent sees it\n"
			   "  berm shell -- -c 'make test'  one line\n";

/* The home is writable under the profile's own terms only. */
static int defaults(struct run_opts *o, struct berm_err *err)
{
	bool chat = o->mode == POLICY_UNSET || o->mode == MODE_CHAT;

	if (o->profile)
		return 0;
	o->profile = "terminal";
	if (o->home != POLICY_UNSET || !chat)
		return 0;
	return run_opts_add_arg(o, ARG_ALLOW_WRITE, "~", err);
}

static char **command_of(int argc, char **argv, int first)
{
	char *shell = getenv("SHELL"), **command;
	static char usual[] = "/bin/sh";

	command = calloc((size_t)(argc - first) + 2, sizeof(*command));
	if (!command)
		return NULL;
	command[0] = shell && shell[0] == '/' ? shell : usual;
	for (int i = first; i < argc; i++)
		command[1 + i - first] = argv[i];
	return command;
}

static int refuse_bare(const struct run_opts *o, struct berm_err *err)
{
	if (!o->off_by && o->backend != BACKEND_NONE)
		return 0;
	(void)err_set(err, -EINVAL, "a shell without a sandbox needs no berm (%s)",
		      o->off_by ? o->off_by : "--backend none");
	err_fix(err, "start it by its own name");
	return -EINVAL;
}

int verb_shell(int argc, char **argv)
{
	_cleanup_run_opts_ struct run_opts o = RUN_OPTS_INIT;
	_cleanup_free_ char **command = NULL;
	struct opt_table table = run_opts_table();
	struct opt_result res;
	struct berm_err err = { 0 };
	int r;

	r = fd_open_stdio();
	if (r < 0) {
		(void)err_errno(&err, r, "cannot open /dev/null");
		return cli_fail(&err);
	}
	(void)arena_open();
	if (opts_parse(&table, &o, argc, argv, true, &res, &err) < 0)
		return cli_fail(&err);
	if (res.help)
		return cli_help(usage, &(struct opt_table){ 0 }, more);
	if (run_opts_finish(&o, &err) < 0 || refuse_bare(&o, &err) < 0 || defaults(&o, &err) < 0)
		return cli_fail(&err);
	/* As BERM_FORCE_SANDBOX=1. */
	o.forced = true;
	command = command_of(argc, argv, res.first);
	if (!command) {
		(void)err_set(&err, -ENOMEM, "out of memory");
		return cli_fail(&err);
	}
	return cli_run(&o, command);
}

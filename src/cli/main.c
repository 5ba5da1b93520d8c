/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"

static const struct verb verbs[] = {
	{ "run", "run a command inside the sandbox", verb_run },
	{ "shell", "start your shell inside the sandbox", verb_shell },
	{ "start", "begin a session that runs commands later", verb_start },
	{ "exec", "run a command in a session", verb_exec },
	{ "attach", "a terminal of a session that goes on when nobody looks", verb_attach },
	{ "ls", "list the sessions", verb_ls },
	{ "suspend", "stop everything in a session for a while", verb_suspend },
	{ "resume", "let it go on", verb_resume },
	{ "stop", "end a session and everything in it", verb_stop },
	{ "why", "say whether a file access is allowed, and by which rule", verb_why },
	{ "explain", "print the policy in force, its origins, and what will be done",
	  verb_explain },
	{ "trust", "let a project's own policy file loosen what you have", verb_trust },
	{ "import", "print the policy that another tool's settings say", verb_import },
	{ "export", "print the policy as another tool's settings", verb_export },
	{ "add-dir", "make a directory writable for this project", verb_add_dir },
	{ "exclude", "let a command leave the sandbox", verb_exclude },
	{ "init", "write a first policy file for this project", verb_init },
	{ "learn", "propose the smallest policy under which a command works", verb_learn },
	{ "check", "say whether a command is allowed, and by which rule", verb_check },
	{ "sandbox", "see and set whether commands run in the sandbox", verb_sandbox },
	{ "rules", "list, write or try the rules on commands and their effects", verb_rules },
	{ "profiles", "list the built-in profiles", verb_profiles },
	{ "doctor", "try the sandbox on this host, and say what to do", verb_doctor },
	{ "audit", "show, verify or export the log of decisions", verb_audit },
};

/* Known names: a script that uses one gets a sentence, not "unknown". One a line: taking one
 * out changes no other. */
/* clang-format off */
static const char *const later[] = {
	"hook",
	"install",
	"uninstall",
	"mcp",
	"acp",
	"agent",
	"serve",
	"events",
	"workspace",
	"diff",
	"apply",
	"discard",
};
/* clang-format on */

int cli_fail(const struct berm_err *err)
{
	err_print(err);
	return EXIT_BERM;
}

int cli_finish(int status)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	(void)fprintf(stderr, "berm: cannot write to standard output: %s\n", strerror(errno));
	return EXIT_BERM;
}

int cli_help(const char *usage, const struct opt_table *t, const char *more)
{
	(void)printf("%s\n", usage);
	opts_help(t);
	if (more)
		(void)printf("\n%s", more);
	return cli_finish(0);
}

static int help(void)
{
	(void)fputs("usage: berm VERB [OPTION]... [ARGUMENT]...\n\n"
		    "Runs a command inside a policy that the operating system enforces.\n\n",
		    stdout);
	for (size_t i = 0; i < ARRAY_SIZE(verbs); i++)
		(void)printf("  %-10s%s\n", verbs[i].name, verbs[i].summary);
	(void)fputs("\nberm VERB --help lists the options of a verb; man berm is the manual.\n"
		    "To begin: berm run -- COMMAND\n",
		    stdout);
	return cli_finish(0);
}

static int unknown_verb(const char *name)
{
	struct berm_err err = { 0 };
	const char *meant = NULL;
	unsigned best = 3;

	if (name[0] == '-')
		(void)err_set(&err, -EINVAL, "unknown option %s", name);
	else
		(void)err_set(&err, -EINVAL, "unknown verb %s", name);
	for (size_t i = 0; i < ARRAY_SIZE(verbs); i++) {
		unsigned d = str_distance(name, verbs[i].name, 2);

		if (d < best) {
			best = d;
			meant = verbs[i].name;
		}
	}
	if (meant)
		err_fix(&err, "did you mean berm %s?", meant);
	else
		err_fix(&err, "berm --help lists the verbs; to run a command: berm run -- %s",
			name);
	return cli_fail(&err);
}

static int not_yet(const char *name)
{
	struct berm_err err = { 0 };

	(void)err_set(&err, -ENOTSUP, "berm %s is not in this release (" BERM_VERSION ")", name);
	err_fix(&err, "berm --help lists the verbs that are");
	return cli_fail(&err);
}

int main(int argc, char **argv)
{
	if (argc < 1)
		return EXIT_BERM;
	if (argc < 2) {
		struct berm_err err = { 0 };

		(void)err_set(&err, -EINVAL, "a verb is missing");
		err_fix(&err, "berm --help lists the verbs; to run a command: berm run -- COMMAND");
		return cli_fail(&err);
	}
	if (streq(argv[1], "--help") || streq(argv[1], "-h") || streq(argv[1], "help"))
		return help();
	if (streq(argv[1], "--version")) {
		(void)fputs("berm " BERM_VERSION "\n", stdout);
		return cli_finish(0);
	}
	for (size_t i = 0; i < ARRAY_SIZE(verbs); i++)
		if (streq(argv[1], verbs[i].name))
			return verbs[i].run(argc - 1, argv + 1);
	for (size_t i = 0; i < ARRAY_SIZE(later); i++)
		if (streq(argv[1], later[i]))
			return not_yet(argv[1]);
	return unknown_verb(argv[1]);
}

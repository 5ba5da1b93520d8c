/* SPDX-License-Identifier: Apache-2.0 */
/* berm exec: on the path of each command, so it reads no policy and opens little. */
#include "cli/cli.h"

#include <string.h>

#include "base/fd.h"
#include "policy/limits.h"
#include "session/warm.h"

static const char usage[] =
	"usage: berm exec [OPTION]... SESSION [--] COMMAND [ARGUMENT]...\n"
	"Runs COMMAND in a session of berm start, under its policy and environment. Exit\n"
	"status as of berm run: the command's own; 128+N, 127, 126; 125 it did not run.\n\n"
	"  berm exec dev -- npm test      berm exec -C src dev -- make\n";

struct exec_opts {
	struct strv env;
	const char *dir;
};

static int set_dir(void *ctx, const struct opt_def *def, const char *value, struct berm_err *err)
{
	struct exec_opts *o = ctx;

	if (!value[0])
		return err_set(err, -EINVAL, "--%s needs a directory", def->name);
	o->dir = value;
	return 0;
}

static int set_env(void *ctx, const struct opt_def *def, const char *value, struct berm_err *err)
{
	struct exec_opts *o = ctx;
	const char *own = strchr(value, '=') ? "" : getenv(value);
	_cleanup_free_ char *line = NULL;

	if (!value[0] || value[0] == '=')
		return err_set(err, -EINVAL, "--%s %s: a variable's name is missing", def->name,
			       value);
	/* Not set here: nothing to pass, as with berm run. */
	if (!own)
		return 0;
	line = strchr(value, '=') ? strdup(value) : str_printf("%s=%s", value, own);
	if (!line || strv_add(&o->env, line) < 0)
		return err_set(err, -ENOMEM, "out of memory");
	return 0;
}

static const struct opt_def defs[] = {
	{ "workdir", 'C', "DIR", "run it there: a path inside, or from its directory", set_dir, 0 },
	{ "env", 0, "NAME[=VALUE]", "pass or set an environment variable", set_env, 0 },
};

/* What a terminal is called only its holder knows. */
static int add_term(struct exec_opts *o)
{
	_cleanup_free_ char *line = NULL;
	const char *term = getenv("TERM");

	if (!term || strchr(term, '/') || (!isatty(0) && !isatty(1) && !isatty(2)))
		return 0;
	for (size_t i = 0; i < o->env.n; i++)
		if (str_starts(o->env.v[i], "TERM="))
			return 0;
	line = str_printf("TERM=%s", term);
	return line ? strv_add(&o->env, line) : -ENOMEM;
}

static int run(struct exec_opts *o, const char *session, char **command)
{
	struct warm_command c = {
		.session = session, .argv = command, .env = &o->env, .dir = o->dir
	};
	_cleanup_close_ int folder = -1, fd = -1;
	struct warm_result res;
	struct berm_err err = { 0 };

	if (add_term(o) < 0) {
		(void)err_set(&err, -ENOMEM, "out of memory");
		return cli_fail(&err);
	}
	if (warm_folder(false, &folder, &err) < 0 || warm_connect(folder, session, &fd, &err) < 0)
		return cli_fail(&err);
	if (warm_run(fd, &c, &res, &err) < 0)
		err_print(&err);
	else if (res.lost)
		(void)fprintf(stderr, "berm: session %s ended, and the command with it\n", session);
	else if (res.limit >= 0)
		(void)fprintf(stderr, "berm: killed: session %s has reached its limit of %s\n",
			      session, limit_name((enum limit_kind)res.limit));
	return res.status;
}

int verb_exec(int argc, char **argv)
{
	struct opt_table table = OPT_TABLE(defs);
	struct exec_opts o = { 0 };
	struct opt_result res;
	struct berm_err err = { 0 };
	int first, r;

	if (fd_open_stdio() < 0 || opts_parse(&table, &o, argc, argv, true, &res, &err) < 0)
		return cli_fail(&err);
	if (res.help)
		return cli_help(usage, &table, NULL);
	first = res.first + 1;
	if (first < argc && streq(argv[first], "--"))
		first++;
	if (first >= argc || !argv[first][0]) {
		(void)err_set(&err, -EINVAL,
			      res.first >= argc ? "the session is missing"
						: "the command is missing");
		err_fix(&err, "write berm exec SESSION -- COMMAND");
		return cli_fail(&err);
	}
	r = run(&o, argv[res.first], argv + first);
	strv_free(&o.env);
	return r;
}

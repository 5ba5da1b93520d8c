/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli.h"

#include <stdio.h>
#include <sys/socket.h>

#include "session/warm.h"

static const char usage[] =
	"usage: berm stop [OPTION]... SESSION...\n"
	"Ends sessions: their processes get SIGTERM, and SIGKILL two seconds later. When\n"
	"it returns nothing of them is left.\n";

#define GRACE_MS 2000
#define GRACE_MAX_S 600
/* More than a session needs once its processes are killed. */
#define KILLED_MS 10000
#define AT_ONCE 64

struct stop_opts {
	int grace; /* ms */
	bool all;
};

static int set_now(void *ctx, const struct opt_def *def, const char *value, struct berm_err *err)
{
	struct stop_opts *o = ctx;

	(void)value;
	(void)err;
	if (def->param)
		o->all = true;
	else
		o->grace = 0;
	return 0;
}

static int set_grace(void *ctx, const struct opt_def *def, const char *value, struct berm_err *err)
{
	struct stop_opts *o = ctx;
	char *end;
	long s;

	(void)def;
	errno = 0;
	s = strtol(value, &end, 10);
	if (!value[0] || *end || errno || s < 0 || s > GRACE_MAX_S)
		return err_set(err, -EINVAL, "--grace %s: not a number of seconds up to %d", value,
			       GRACE_MAX_S);
	o->grace = (int)s * 1000;
	return 0;
}

static const struct opt_def defs[] = {
	{ "grace", 0, "SECONDS", "how long after SIGTERM they are killed (2)", set_grace, 0 },
	{ "now", 0, NULL, "kill at once", set_now, 0 },
	{ "all", 0, NULL, "all of your sessions", set_now, 1 },
};

/* *ret: what to wait at, -1 nothing. */
static int ask(int folder, const char *name, const struct stop_opts *o, int *ret,
	       struct berm_err *err)
{
	struct warm_msg m = { .magic = WARM_MAGIC, .type = WARM_STOP, .value = o->grace };
	_cleanup_close_ int fd = -1;
	int r = warm_connect(folder, name, &fd, err);

	*ret = -1;

	if (r == -ENOENT && o->all)
		return 0; /* has ended by itself since it was listed */
	if (r < 0)
		return r;
	if (send(fd, &m, sizeof(m), MSG_NOSIGNAL) < 0 && errno != EPIPE)
		return err_errno(err, -errno, "session %s", name);
	*ret = take_fd(&fd);
	return 0;
}

static int wait_for(int fd, const char *name, const struct stop_opts *o, struct berm_err *err)
{
	int r = warm_wait_end(fd, o->grace + KILLED_MS);

	return r < 0 ? err_errno(err, r, "session %s does not end", name) : 0;
}

int verb_stop(int argc, char **argv)
{
	struct opt_table table = OPT_TABLE(defs);
	struct stop_opts o = { .grace = GRACE_MS };
	_cleanup_strv_ struct strv names = { 0 };
	_cleanup_close_ int folder = -1;
	struct berm_err err = { 0 };
	struct opt_result res;
	int status = 0;

	if (opts_parse(&table, &o, argc, argv, false, &res, &err) < 0)
		return cli_fail(&err);
	if (res.help)
		return cli_help(usage, &table, NULL);
	if ((res.first >= argc) != o.all) {
		(void)err_set(&err, -EINVAL,
			      o.all ? "--all, or names: not both" : "the session is missing");
		err_fix(&err, "berm ls lists the sessions");
		return cli_fail(&err);
	}
	if (warm_folder(false, &folder, &err) < 0 ||
	    (o.all && warm_names(folder, &names, &err) < 0))
		return cli_fail(&err);
	for (int i = res.first; i < argc; i++)
		if (strv_add(&names, argv[i]) < 0)
			return EXIT_BERM;
	/* Some at a time: all of them are asked before the first is waited for. */
	for (size_t i = 0; i < names.n; i += AT_ONCE) {
		size_t n = names.n - i < AT_ONCE ? names.n - i : AT_ONCE;
		int fds[AT_ONCE];

		for (size_t k = 0; k < n; k++)
			if (ask(folder, names.v[i + k], &o, &fds[k], &err) < 0)
				status = cli_fail(&err);
		for (size_t k = 0; k < n; k++) {
			if (fds[k] >= 0 && wait_for(fds[k], names.v[i + k], &o, &err) < 0)
				status = cli_fail(&err);
			close_quietly(fds[k]);
		}
	}
	return status;
}

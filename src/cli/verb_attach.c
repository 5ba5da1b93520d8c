/* SPDX-License-Identifier: Apache-2.0 */
/* berm attach: a terminal of a warm session, which goes on when nobody looks. */
#include "cli/cli.h"

#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/fd.h"
#include "session/pty_keep.h"

static const char usage[] =
	"usage: berm attach [OPTION]... SESSION [[--] COMMAND [ARGUMENT]...]\n"
	"Shows a terminal of a session of berm start. With COMMAND, or when there is\n"
	"none yet, it is started there (your shell, without COMMAND). It goes on when\n"
	"you detach (Ctrl-] then d), and can be seen by several. Exit status: the\n"
	"command's own; 0 after a detach; 125 on an error.\n";

static const char more[] =
	"Examples:\n"
	"  berm attach dev                     a shell, or the one that is there\n"
	"  berm attach -t log dev -- make -k   another terminal\n"
	"  berm attach -r dev                  only look\n";

struct attach_opts {
	const char *terminal; /* NULL: the session's first */
	bool only_look, detached;
};

static int set_terminal(void *ctx, const struct opt_def *def, const char *value,
			struct berm_err *err)
{
	struct attach_opts *o = ctx;

	if (!warm_name_ok(value))
		return err_set(err, -EINVAL, "--%s %s: not a name", def->name, value);
	o->terminal = value;
	return 0;
}

enum flag { FLAG_LOOK, FLAG_DETACHED };

static int set_flag(void *ctx, const struct opt_def *def, const char *value, struct berm_err *err)
{
	struct attach_opts *o = ctx;

	(void)value;
	(void)err;
	*(def->param == FLAG_LOOK ? &o->only_look : &o->detached) = true;
	return 0;
}

static const struct opt_def defs[] = {
	{ "terminal", 't', "NAME", "another terminal of the session", set_terminal, 0 },
	{ "read-only", 'r', NULL, "only look", set_flag, FLAG_LOOK },
	{ "detached", 'd', NULL, "start the command, and do not look", set_flag, FLAG_DETACHED },
};

static void own_modes(struct warm_modes *m)
{
	struct winsize size;
	struct termios t;

	pty_usual_modes(m);
	if (tcgetattr(0, &t) == 0) {
		m->iflag = t.c_iflag;
		m->oflag = t.c_oflag;
		m->cflag = t.c_cflag;
		m->lflag = t.c_lflag;
		for (size_t i = 0; i < sizeof(m->cc); i++)
			m->cc[i] = t.c_cc[i];
	}
	if (ioctl(0, TIOCGWINSZ, &size) == 0 && size.ws_row && size.ws_col) {
		m->rows = size.ws_row;
		m->cols = size.ws_col;
	}
}

static int begin(int folder, const char *name, const char *session, char **command, bool awaited,
		 int *ret_status, struct berm_err *err)
{
	static char sh[] = "/bin/sh";
	char *shell = getenv("SHELL");
	char *usual[] = { shell && shell[0] == '/' ? shell : sh, NULL };
	const char *term = getenv("TERM");
	_cleanup_strv_ struct strv env = { 0 };
	_cleanup_free_ char *line = NULL;
	struct warm_command c = { .session = session,
				  .argv = *command ? command : usual,
				  .env = &env };
	_cleanup_close_ int sessions = -1, warm = -1;
	struct warm_modes modes;
	int r;

	line = str_printf("TERM=%s", term && !strchr(term, '/') ? term : "xterm");
	if (!line || strv_add(&env, line) < 0)
		return err_set(err, -ENOMEM, "out of memory");
	r = warm_folder(false, &sessions, err);
	if (r >= 0)
		r = warm_connect(sessions, session, &warm, err);
	if (r < 0)
		return r;
	own_modes(&modes);
	return pty_keep(folder, name, warm, &c, &modes, awaited, ret_status, err);
}

static int run(const struct attach_opts *o, const char *session, char **command)
{
	_cleanup_close_ int folder = -1, fd = -1;
	struct berm_err err = { 0 };
	char name[2 * WARM_NAME_MAX + 2];
	bool detached = false;
	int status = EXIT_BERM, r;

	if (pty_name(session, o->terminal, name, sizeof(name)) < 0) {
		(void)err_set(&err, -ENOENT, "there is no session %s", session);
		err_fix(&err, "berm ls lists the sessions, berm start begins one");
		return cli_fail(&err);
	}
	if (pty_folder(true, &folder, &err) < 0)
		return cli_fail(&err);
	r = *command ? -ENOENT : pty_connect(folder, name, &fd, &err);
	if (r == -ENOENT) {
		err = (struct berm_err){ 0 };
		r = begin(folder, name, session, command, !o->detached, &status, &err);
		if (r >= 0 && o->detached)
			return 0;
		if (r >= 0)
			r = pty_connect(folder, name, &fd, &err);
	}
	if (r >= 0)
		r = pty_view(fd, o->only_look, &detached, &status, &err);
	if (r < 0) {
		err_print(&err);
		return status ? status : EXIT_BERM;
	}
	if (!detached)
		return status;
	(void)fprintf(stderr, "berm: detached; berm attach%s%s %s comes back\n",
		      o->terminal ? " -t " : "", o->terminal ? o->terminal : "", session);
	return 0;
}

int verb_attach(int argc, char **argv)
{
	struct opt_table table = OPT_TABLE(defs);
	struct attach_opts o = { 0 };
	struct opt_result res;
	struct berm_err err = { 0 };
	int first;

	if (fd_open_stdio() < 0 || opts_parse(&table, &o, argc, argv, true, &res, &err) < 0)
		return cli_fail(&err);
	if (res.help)
		return cli_help(usage, &table, more);
	if (res.first >= argc) {
		(void)err_set(&err, -EINVAL, "the session is missing");
		err_fix(&err, "write berm attach SESSION");
		return cli_fail(&err);
	}
	first = res.first + 1;
	if (first < argc && streq(argv[first], "--"))
		first++;
	return run(&o, argv[res.first], argv + first);
}

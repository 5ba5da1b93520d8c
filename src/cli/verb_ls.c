/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/json_out.h"
#include "session/warm.h"

static const char usage[] =
	"usage: berm ls [OPTION]...\n"
	"Lists your sessions: name, state (created, warm, active, suspended, error),\n"
	"commands that run, process id of the warden, time of the start, workspace.\n";

/* A session that is stopped or overrun is told of, not waited for. */
#define PATIENCE_MS 1000

struct ls_opts {
	bool json, names;
};

static int set_flag(void *ctx, const struct opt_def *def, const char *value, struct berm_err *err)
{
	struct ls_opts *o = ctx;

	(void)value;
	(void)err;
	*(def->param ? &o->names : &o->json) = true;
	return 0;
}

static const struct opt_def defs[] = {
	{ "json", 0, NULL, "print it for machines", set_flag, 0 },
	{ "quiet", 'q', NULL, "print the names only", set_flag, 1 },
};

static void when(int64_t started, char *dst, size_t size)
{
	time_t t = (time_t)started;
	struct tm tm;

	if (!gmtime_r(&t, &tm) || !strftime(dst, size, "%Y-%m-%dT%H:%M:%SZ", &tm))
		dst[0] = '\0';
}

static void print_json(const char *name, const struct warm_state *s, const char *error)
{
	_cleanup_buf_ struct buf b = BUF_INIT(16384);
	char t[64];

	when(s->started, t, sizeof(t));
	json_begin(&b);
	json_member_str(&b, "name", name);
	json_member_str(&b, "state", error ? "error" : warm_state_name((uint32_t)s->m.value));
	if (error) {
		json_member_str(&b, "error", error);
	} else {
		json_member_str(&b, "session", s->session);
		json_member_str(&b, "backend", "native");
		json_member_str(&b, "tier", s->tier);
		json_member_str(&b, "profile", s->profile);
		json_member_int(&b, "commands", s->commands);
		json_member_int(&b, "pid", s->warden);
		json_member_int(&b, "init", s->init);
		if (!s->kept)
			json_member_int(&b, "owner", s->owner);
		json_member_str(&b, "started", t);
		json_member_str(&b, "workspace", s->workspace);
	}
	json_end(&b);
	if (!b.failed)
		(void)puts(b.data);
}

static void print_line(const char *name, const struct warm_state *s, const char *error)
{
	char path[2048], t[64];

	if (error) {
		(void)printf("%-24s %-10s %s\n", name, "error", error);
		return;
	}
	str_escape(path, sizeof(path), s->workspace, strlen(s->workspace));
	when(s->started, t, sizeof(t));
	(void)printf("%-24s %-10s %8u %8d %-20s %s\n", name, warm_state_name((uint32_t)s->m.value),
		     s->commands, s->warden, t, path);
}

static void show(int folder, const char *name, const struct ls_opts *o)
{
	struct warm_state s = { 0 };
	struct berm_err err = { 0 };
	const char *error = NULL;
	int fd, r;

	/* What was left by a killed one goes without a word. */
	r = warm_connect(folder, name, &fd, &err);
	if (r == -ENOENT)
		return;
	if (o->names) {
		(void)puts(name);
	} else {
		if (r >= 0)
			r = warm_ask_state(fd, PATIENCE_MS, &s);
		/* It has ended since. */
		if (r < 0 && r != -EPIPE && r != -ECONNRESET)
			error = r == -ETIME ? "it does not answer" : strerror(-r);
		if (r >= 0 || error)
			(o->json ? print_json : print_line)(name, &s, error);
	}
	close_quietly(fd);
}

int verb_ls(int argc, char **argv)
{
	struct opt_table table = OPT_TABLE(defs);
	_cleanup_strv_ struct strv names = { 0 };
	_cleanup_close_ int folder = -1;
	struct ls_opts o = { 0 };
	struct berm_err err = { 0 };
	struct opt_result res;

	if (opts_parse(&table, &o, argc, argv, false, &res, &err) < 0)
		return cli_fail(&err);
	if (res.help)
		return cli_help(usage, &table, NULL);
	if (res.first < argc) {
		(void)err_set(&err, -EINVAL, "berm ls takes no argument");
		return cli_fail(&err);
	}
	if (warm_folder(false, &folder, &err) < 0 || warm_names(folder, &names, &err) < 0)
		return cli_fail(&err);
	if (!o.json && !o.names)
		(void)printf("%-24s %-10s %8s %8s %-20s %s\n", "NAME", "STATE", "COMMANDS", "PID",
			     "STARTED", "WORKSPACE");
	for (size_t i = 0; i < names.n; i++)
		show(folder, names.v[i], &o);
	return cli_finish(0);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/path.h"
#include "cli/run_opts.h"
#include "policy/front.h"
#include "policy/layers.h"
#include "policy/trust.h"
#include "base/json_out.h"

static const char usage[] =
	"usage: berm trust [OPTION]... [DIR]\n"
	"Shows what the policy file of the project in DIR (default: here) would open,\n"
	"asks, and records your trust in exactly this content.\n"
	"Exit status: 0; 1 when you said no; 125 error.\n";

struct trust_opts {
	bool list, revoke, yes, json;
	int kind; /* enum front_kind, -1: berm's own files */
};

enum { TRUST_LIST, TRUST_REVOKE, TRUST_YES, TRUST_JSON };

static int set_flag(void *ctx, const struct opt_def *def, const char *value, struct berm_err *err)
{
	struct trust_opts *o = ctx;
	bool *slots[] = { [TRUST_LIST] = &o->list,
			  [TRUST_REVOKE] = &o->revoke,
			  [TRUST_YES] = &o->yes,
			  [TRUST_JSON] = &o->json };

	(void)value;
	(void)err;
	*slots[def->param] = true;
	return 0;
}

static int set_kind(void *ctx, const struct opt_def *def, const char *value, struct berm_err *err)
{
	struct trust_opts *o = ctx;
	int r;

	o->kind = front_kind_parse(value);
	if (o->kind >= 0)
		return 0;
	r = err_set(err, -EINVAL, "--%s %s: not a known kind", def->name, value);
	err_fix(err, "one of: claude, codex");
	return r;
}

static const struct opt_def defs[] = {
	{ "settings", 0, "KIND", "the project's files of another tool: claude, codex", set_kind,
	  0 },
	{ "list", 0, NULL, "list what is trusted", set_flag, TRUST_LIST },
	{ "revoke", 0, NULL, "trust the project no longer", set_flag, TRUST_REVOKE },
	{ "yes", 0, NULL, "do not ask (needed without a terminal)", set_flag, TRUST_YES },
	{ "json", 0, NULL, "with --list: print it for machines", set_flag, TRUST_JSON },
};

/* What a project wrote is shown escaped: a file must not be able to draw its own
 * question on the terminal. */
static void show(FILE *f, const char *before, const char *text)
{
	char line[4 * PATH_MAX];

	str_escape(line, sizeof(line), text, strlen(text));
	(void)fprintf(f, "%s%s\n", before, line);
}

static int list(const struct policy_input *in, bool json)
{
	_cleanup_strv_ struct strv paths = { 0 };
	struct berm_err err = { 0 };

	if (trust_list(in, &paths, &err) < 0)
		return cli_fail(&err);
	if (json) {
		_cleanup_buf_ struct buf b = BUF_INIT(16u << 20);

		json_begin(&b);
		json_member_strv(&b, "trusted", &paths);
		json_end(&b);
		if (b.failed) {
			(void)err_set(&err, -ENOMEM, "the list is too long");
			return cli_fail(&err);
		}
		(void)puts(b.data);
		return cli_finish(0);
	}
	for (size_t i = 0; i < paths.n; i++)
		show(stdout, "", paths.v[i]);
	return cli_finish(0);
}

/* Is path one of the settings files of the project in dir, berm's or another tool's? */
static bool is_settings_of(const char *path, const char *dir)
{
	static const char *const folders[] = { ".berm/", ".claude/", ".codex/" };
	size_t n = strlen(dir);

	if (strncmp(path, dir, n) != 0)
		return false;
	path += n;
	path += *path == '/';
	for (size_t i = 0; i < ARRAY_SIZE(folders); i++)
		if (str_starts(path, folders[i]))
			return true;
	return false;
}

/* Revokes what is recorded for the project, also when its file is gone. */
static int drop_trust(const struct policy_input *in, const char *dir)
{
	_cleanup_strv_ struct strv paths = { 0 };
	_cleanup_free_ char *real = realpath(dir, NULL);
	struct berm_err err = { 0 };
	unsigned n = 0;

	if (!real) {
		(void)err_errno(&err, -errno, "%s", dir);
		return cli_fail(&err);
	}
	if (trust_list(in, &paths, &err) < 0)
		return cli_fail(&err);
	for (size_t i = 0; i < paths.n; i++) {
		if (!is_settings_of(paths.v[i], real))
			continue;
		if (trust_revoke(in, paths.v[i], &err) < 0)
			return cli_fail(&err);
		show(stdout, "not trusted any more: ", paths.v[i]);
		n++;
	}
	if (!n)
		show(stdout, "was not trusted: ", real);
	return cli_finish(0);
}

/* 1 yes, 0 no, negative: cannot ask. */
static int ask(struct berm_err *err)
{
	char answer[16];
	int r;

	if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO)) {
		r = err_set(err, -ENOTTY, "no terminal to ask on");
		err_fix(err, "read the above, then: berm trust --yes");
		return r;
	}
	(void)fprintf(stderr, "Trust this file, as it is now? [y/N] ");
	if (!fgets(answer, sizeof(answer), stdin))
		return 0;
	return streq(answer, "y\n") || streq(answer, "yes\n");
}

static int trust_one(const struct policy_input *in, const struct trust_opts *o,
		     const struct trust_subject *t, bool local)
{
	struct berm_err err = { 0 };
	int r = 1;

	show(stdout, "", t->path);
	if (!t->loosens.n) {
		(void)puts("  only closes: it is in force without trust");
		/* Answers are only added to a local one that is trusted. */
		if (!local)
			return 0;
	} else {
		(void)puts("  would open:");
	}
	for (size_t i = 0; i < t->loosens.n; i++)
		show(stdout, "  line ", t->loosens.v[i]);
	(void)fflush(stdout);
	if (t->trusted) {
		(void)puts("  is trusted already");
		return 0;
	}
	if (!o->yes)
		r = ask(&err);
	if (r < 0)
		return cli_fail(&err);
	if (!r) {
		(void)puts("not trusted");
		return 1;
	}
	if (trust_record(in, t, &err) < 0)
		return cli_fail(&err);
	(void)puts("trusted; when the file changes, it is not any more");
	return 0;
}

static int look(const struct policy_input *in, const struct trust_opts *o, const char *dir,
		const char *rel, int *found, struct berm_err *err)
{
	_cleanup_(trust_subject_free) struct trust_subject t = { 0 };
	struct trust_file file = { o->kind, rel };
	int r = trust_look_file(in, dir, &file, &t, err);

	if (r == -ENOENT)
		return 0;
	if (r < 0)
		return cli_fail(err);
	(*found)++;
	return trust_one(in, o, &t, streq(rel, LOCAL_FILE));
}

static int trust(const struct policy_input *in, const struct trust_opts *o, const char *dir)
{
	_cleanup_strv_ struct strv files = { 0 };
	_cleanup_free_ char *real = realpath(dir, NULL);
	struct berm_err err = { 0 };
	int status = 0, found = 0, r;

	if (!real)
		r = err_errno(&err, -errno, "cannot use the directory %s", dir);
	else if (o->kind >= 0)
		r = front_project_files((enum front_kind)o->kind, real, &files, &err);
	else
		r = strv_add(&files, PROJECT_FILE) < 0 || strv_add(&files, LOCAL_FILE) < 0
			    ? err_set(&err, -ENOMEM, "out of memory")
			    : 0;
	if (r < 0)
		return cli_fail(&err);
	for (size_t i = 0; i < files.n && !status; i++)
		status = look(in, o, dir, files.v[i], &found, &err);
	if (!found && o->kind >= 0) {
		(void)err_set(&err, -ENOENT, "%s has no settings of %s", dir,
			      front_title((enum front_kind)o->kind));
		return cli_fail(&err);
	}
	if (!found) {
		(void)err_set(&err, -ENOENT, "%s has no " PROJECT_FILE, dir);
		err_fix(&err, "berm init writes one");
		return cli_fail(&err);
	}
	return cli_finish(status);
}

int verb_trust(int argc, char **argv)
{
	_cleanup_run_opts_ struct run_opts none = RUN_OPTS_INIT;
	struct opt_table table = OPT_TABLE(defs);
	struct trust_opts o = { .kind = -1 };
	struct berm_err err = { 0 };
	struct policy_input in;
	struct opt_result res;
	const char *dir;

	if (opts_parse(&table, &o, argc, argv, false, &res, &err) < 0)
		return cli_fail(&err);
	if (res.help)
		return cli_help(usage, &table, NULL);
	if (argc - res.first > 1 || (o.list && argc > res.first)) {
		(void)err_set(&err, -EINVAL, "%s",
			      o.list ? "--list takes no directory" : "one directory at a time");
		return cli_fail(&err);
	}
	dir = argc > res.first ? argv[res.first] : ".";
	run_opts_input(&none, NULL, &in);
	if (o.list)
		return list(&in, o.json);
	/* Here something is written: the state folder may have to be made. */
	in.pretend = false;
	return o.revoke ? drop_trust(&in, dir) : trust(&in, &o, dir);
}

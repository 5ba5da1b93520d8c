/* SPDX-License-Identifier: Apache-2.0 */
/* berm import, berm export: a policy from another tool's settings, and the other way. */
#include "cli/cli.h"

#include <fcntl.h>
#include <string.h>

#include "base/fd.h"
#include "base/str.h"
#include "cli/run_opts.h"
#include "policy/export.h"
#include "policy/front.h"
#include "policy/settings_json.h"

#define OUTPUT_MAX (8u << 20)

static const char import_usage[] =
	"usage: berm import [OPTION]... claude|srt|codex [FILE]\n"
	"Prints the policy that says what those settings say (default: your own of that\n"
	"tool), with what is not the same as comments. Without -o nothing is written.\n"
	"As in: berm import -o .berm/policy.json claude .claude/settings.json\n";

static const char export_usage[] =
	"usage: berm export [OPTION]... claude|srt|codex|bwrap\n"
	"Prints the policy in force as that tool's settings (bwrap: a command line for\n"
	"sh), and on standard error what it has no words for.\n";

struct io_opts {
	const char *output;
	bool quiet;
};

static int set_output(void *ctx, const struct opt_def *def, const char *value, struct berm_err *err)
{
	struct io_opts *o = ctx;

	if (!value[0])
		return err_set(err, -EINVAL, "--%s needs a file", def->name);
	o->output = value;
	return 0;
}

static const struct opt_def import_defs[] = {
	{ "output", 'o', "FILE", "write it there; a file that exists is left alone", set_output,
	  0 },
};

static int deliver(const struct buf *out, const char *path)
{
	_cleanup_close_ int fd = -1;
	struct berm_err err = { 0 };
	int r;

	if (!path) {
		(void)fputs(out->data, stdout);
		return cli_finish(0);
	}
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd < 0) {
		(void)err_errno(&err, -errno, "cannot write %s", path);
		return cli_fail(&err);
	}
	r = fd_write_all(fd, out->data, out->len);
	if (r < 0) {
		(void)unlink(path);
		(void)err_errno(&err, r, "cannot write %s", path);
		return cli_fail(&err);
	}
	return 0;
}

static int import(const struct io_opts *o, enum front_kind kind, const char *file)
{
	_cleanup_run_opts_ struct run_opts none = RUN_OPTS_INIT;
	_cleanup_(front_parts_free) struct front_parts parts = { 0 };
	_cleanup_buf_ struct buf out = BUF_INIT(OUTPUT_MAX);
	struct berm_err err = { 0 };
	struct policy_input in;
	size_t lost;

	run_opts_input(&none, NULL, &in);
	if (front_read_one(&in, kind, file, &parts, &err) < 0)
		return cli_fail(&err);
	if (settings_to_json(&parts, &out, &lost) < 0) {
		(void)err_set(&err, -ENOMEM, "the policy is too long");
		return cli_fail(&err);
	}
	if (lost)
		(void)fprintf(stderr,
			      "berm: %zu thing%s not as it stands there: see the comments\n", lost,
			      lost == 1 ? " is" : "s are");
	return deliver(&out, o->output);
}

int verb_import(int argc, char **argv)
{
	struct opt_table table = OPT_TABLE(import_defs);
	struct io_opts o = { 0 };
	struct berm_err err = { 0 };
	struct opt_result res;
	int kind;

	if (opts_parse(&table, &o, argc, argv, false, &res, &err) < 0)
		return cli_fail(&err);
	if (res.help)
		return cli_help(import_usage, &table, NULL);
	kind = res.first < argc ? front_kind_parse(argv[res.first]) : -1;
	if (kind < 0 || argc - res.first > 2) {
		(void)err_set(&err, -EINVAL, "%s",
			      kind < 0 ? "whose settings: claude, srt or codex?"
				       : "one file at a time");
		err_fix(&err, "as in: berm import claude .claude/settings.json");
		return cli_fail(&err);
	}
	return import(&o, (enum front_kind)kind,
		      argc - res.first == 2 ? argv[res.first + 1] : NULL);
}

static int export(const struct run_opts *o, enum export_kind kind)
{
	_cleanup_spec_ struct spec *spec = NULL;
	_cleanup_buf_ struct buf out = BUF_INIT(OUTPUT_MAX);
	_cleanup_strv_ struct strv lost = { 0 };
	struct berm_err err = { 0 };

	if (run_opts_resolve(o, NULL, &spec, &err) < 0 ||
	    policy_export(spec, kind, &out, &lost, &err) < 0)
		return cli_fail(&err);
	for (size_t i = 0; i < lost.n; i++) {
		char line[4096];

		str_escape(line, sizeof(line), lost.v[i], strlen(lost.v[i]));
		(void)fprintf(stderr, "berm: not said: %s\n", line);
	}
	(void)fputs(out.data, stdout);
	return cli_finish(0);
}

int verb_export(int argc, char **argv)
{
	_cleanup_run_opts_ struct run_opts o = RUN_OPTS_INIT;
	struct opt_table table = run_opts_why_table();
	struct berm_err err = { 0 };
	struct opt_result res;
	int kind;

	if (opts_parse(&table, &o, argc, argv, false, &res, &err) < 0)
		return cli_fail(&err);
	if (res.help) {
		struct opt_table none = { 0 };

		return cli_help(export_usage, &none, run_opts_policy_help);
	}
	kind = res.first < argc ? export_kind_parse(argv[res.first]) : -1;
	if (kind < 0 || argc - res.first > 1) {
		(void)err_set(&err, -EINVAL, "for which tool: claude, srt, codex or bwrap?");
		err_fix(&err, "as in: berm export srt");
		return cli_fail(&err);
	}
	return export(&o, (enum export_kind)kind);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* berm doctor: starts real sandboxes, as berm run does, and tells what held inside. */
#include "cli/cli.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/json_out.h"
#include "cli/doctor_run.h"
#include "cli/last_run.h"
#include "cli/run_opts.h"
#include "linux/host.h"
#include "policy/places.h"

#define OUTPUT_MAX (1u << 20)

static const char usage[] =
	"usage: berm doctor [OPTION]...\n"
	"Starts sandboxes under the settings in force, tries in each what is forbidden,\n"
	"says what held, which tier this host gives, what to do about what it refuses.\n"
	"Exit status: 0 all held; 1 something did not, or no sandbox could be made; 125\n"
	"error.\n";

static const char more[] = "  berm doctor                      what holds on this host?\n"
			   "  berm doctor --last               why did the last run not start?\n"
			   "  berm doctor --apparmor print     the profile that Ubuntu asks for\n";

struct doctor_opts {
	bool json, last, inside;
	const char *apparmor;
	struct strv pass; /* options of berm run */
};

enum { DOCTOR_JSON, DOCTOR_LAST, DOCTOR_INSIDE };

static int set_flag(void *ctx, const struct opt_def *def, const char *value, struct berm_err *err)
{
	struct doctor_opts *o = ctx;
	bool *slots[] = {
		[DOCTOR_JSON] = &o->json, [DOCTOR_LAST] = &o->last, [DOCTOR_INSIDE] = &o->inside
	};

	(void)value;
	(void)err;
	*slots[def->param] = true;
	return 0;
}

static int set_apparmor(void *ctx, const struct opt_def *def, const char *value,
			struct berm_err *err)
{
	struct doctor_opts *o = ctx;
	int r;

	if (streq(value, "print") || streq(value, "install")) {
		o->apparmor = value;
		return 0;
	}
	r = err_set(err, -EINVAL, "--%s %s: not a known value", def->name, value);
	err_fix(err, "one of: print, install");
	return r;
}

static int set_pass(void *ctx, const struct opt_def *def, const char *value, struct berm_err *err)
{
	struct doctor_opts *o = ctx;
	char word[64];

	(void)snprintf(word, sizeof(word), "--%s", def->name);
	if (strv_add(&o->pass, word) < 0 || strv_add(&o->pass, value) < 0)
		return err_set(err, -ENOMEM, "out of memory");
	return 0;
}

static const struct opt_def defs[] = {
	{ "json", 0, NULL, "print it for machines", set_flag, DOCTOR_JSON },
	{ "last", 0, NULL, "say why the last run that did not start did not", set_flag,
	  DOCTOR_LAST },
	{ "apparmor", 0, "WHAT", "print or install the AppArmor profile for berm", set_apparmor,
	  0 },
	{ "profile", 0, "NAME", "as of berm run", set_pass, 0 },
	{ "policy", 0, "FILE", "as of berm run", set_pass, 0 },
	{ "tier", 0, "NAME", "as of berm run", set_pass, 0 },
	{ "test-cap", 0, "NAME", NULL, set_pass, 0 },
	{ "inside", 0, NULL, NULL, set_flag, DOCTOR_INSIDE },
};

static const char *const result_words[] = { [DOCTOR_HELD] = "held",
					    [DOCTOR_OPEN] = "OPEN",
					    [DOCTOR_POLICY] = "allowed",
					    [DOCTOR_UNTRIED] = "untried" };

static void print_escaped(const char *prefix, const char *text)
{
	char shown[4096];

	str_escape(shown, sizeof(shown), text, strlen(text));
	(void)printf("%s%s\n", prefix, shown);
}

static const char *outcome(const struct doctor_run *run, size_t i)
{
	if (run->results[i].err)
		return strerror(run->results[i].err);
	return run->results[i].result == DOCTOR_HELD ? "it stayed in a private place" : "";
}

static void print_sandbox(const struct doctor_run *run)
{
	(void)printf("\nsandbox (--mode %s)", run->mode);
	if (!run->tier) {
		(void)printf(": none could be made\n");
		print_escaped("  ", run->error[0] ? run->error : "it ended without saying why");
		return;
	}
	(void)printf(": tier %s, Landlock ABI %d\n", run->tier, run->landlock_abi);
	for (size_t i = 0; i < run->degraded.n; i++)
		print_escaped("  lacks    ", run->degraded.v[i]);
	for (size_t i = 0; i < doctor_probes_n; i++)
		(void)printf("  %-8s %-36s %s\n", result_words[run->results[i].result],
			     doctor_probes[i].what, outcome(run, i));
}

static void print_text(const struct doctor_run *runs, size_t n, const struct strv *fixes)
{
	struct utsname uts;

	if (uname(&uts) == 0)
		(void)printf("host: %s %s %s, %s\n", uts.sysname, uts.release, uts.machine,
			     host_kind()->what);
	for (size_t i = 0; i < n; i++)
		print_sandbox(&runs[i]);
	(void)puts("");
	if (!fixes->n)
		(void)puts("to do: nothing");
	for (size_t i = 0; i < fixes->n; i++)
		print_escaped("to do: ", fixes->v[i]);
}

static void json_sandbox(struct buf *b, const struct doctor_run *run)
{
	json_begin(b);
	json_member_str(b, "mode", run->mode);
	json_member_bool(b, "available", run->tier != NULL);
	if (run->tier) {
		json_member_str(b, "tier", run->tier);
		json_member_strv(b, "lacks", &run->lacks);
		json_member_int(b, "landlock_abi", run->landlock_abi);
	} else {
		json_member_str(b, "error", run->error);
	}
	json_member_strv(b, "degraded", &run->degraded);
	(void)buf_adds(b, ",\"probes\":[");
	for (size_t i = 0; run->tier && i < doctor_probes_n; i++) {
		(void)buf_adds(b, i ? "," : "");
		json_begin(b);
		json_member_str(b, "name", doctor_probes[i].name);
		json_member_str(b, "result",
				run->results[i].result == DOCTOR_OPEN
					? "open"
					: result_words[run->results[i].result]);
		json_member_int(b, "errno", run->results[i].err);
		json_end(b);
	}
	(void)buf_adds(b, "]");
	json_end(b);
}

static int print_json(const struct doctor_run *runs, size_t n, const struct strv *fixes, bool held)
{
	_cleanup_buf_ struct buf b = BUF_INIT(OUTPUT_MAX);
	struct utsname uts;

	json_begin(&b);
	json_member_str(&b, "backend", runs[0].tier ? "native" : "none");
	json_member_bool(&b, "available", runs[0].tier != NULL);
	if (runs[0].tier)
		json_member_str(&b, "tier", runs[0].tier);
	json_member_bool(&b, "held", held);
	json_member_str(&b, "host", host_kind()->name);
	if (uname(&uts) == 0)
		json_member_str(&b, "kernel", uts.release);
	json_member_strv(&b, "fixes", fixes);
	(void)buf_adds(&b, ",\"sandboxes\":[");
	for (size_t i = 0; i < n; i++) {
		(void)buf_adds(&b, i ? "," : "");
		json_sandbox(&b, &runs[i]);
	}
	(void)buf_adds(&b, "]");
	json_end(&b);
	if (b.failed)
		return -ENOMEM;
	(void)puts(b.data);
	return 0;
}

static int examine(const struct doctor_opts *o)
{
	static const char *const modes[] = { "chat", "review" };
	struct doctor_run runs[ARRAY_SIZE(modes)] = { 0 };
	_cleanup_strv_ struct strv fixes = { 0 };
	struct berm_err err = { 0 };
	bool held = true;
	int r = 0;

	for (size_t i = 0; r >= 0 && i < ARRAY_SIZE(modes); i++) {
		runs[i].mode = modes[i];
		r = doctor_run(&runs[i], &o->pass, &err);
		held &= doctor_held(&runs[i]);
	}
	for (size_t i = 0; r >= 0 && i < ARRAY_SIZE(modes); i++)
		r = doctor_fixes(&runs[i], &fixes, &err);
	if (r >= 0 && !o->json)
		print_text(runs, ARRAY_SIZE(modes), &fixes);
	else if (r >= 0 && print_json(runs, ARRAY_SIZE(modes), &fixes, held) < 0)
		r = err_set(&err, -ENOMEM, "out of memory");
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++)
		doctor_run_free(&runs[i]);
	if (r < 0)
		return cli_fail(&err);
	return cli_finish(held ? 0 : 1);
}

/* ---- the last run -------------------------------------------------------- */

static void print_last(const struct last_run *l, bool json)
{
	_cleanup_buf_ struct buf b = BUF_INIT(65536);

	if (json) {
		json_begin(&b);
		json_member_str(&b, "t", l->when);
		json_member_str(&b, "command", l->command);
		json_member_str(&b, "workspace", l->workspace);
		json_member_str(&b, "error", l->error);
		json_member_str(&b, "fix", l->fix);
		json_end(&b);
		(void)puts(b.data);
		return;
	}
	print_escaped("when:      ", l->when);
	print_escaped("command:   ", l->command);
	print_escaped("workspace: ", l->workspace);
	print_escaped("error:     ", l->error);
	print_escaped("to do:     ", l->fix[0] ? l->fix : "berm doctor says what this host gives");
}

static int last(const struct doctor_opts *o)
{
	struct policy_input in = POLICY_INPUT_INIT;
	_cleanup_spec_ struct spec *spec = NULL;
	struct last_run l;
	struct berm_err err = { 0 };
	int r;

	in.environ = environ;
	in.uid = geteuid();
	in.pretend = true;
	if (places_state(&in, &spec, &err) < 0)
		return cli_fail(&err);
	r = last_run_read(spec->state_dir, &l, &err);
	if (r == -ENOENT) {
		(void)puts(
			o->json ? "null"
				: "no sandbox has failed to start\n"
				  "  what a run was denied:          the lines that follow it, and berm audit show\n"
				  "  what a command needs to work:   berm learn -- COMMAND");
		return cli_finish(0);
	}
	if (r < 0)
		return cli_fail(&err);
	print_last(&l, o->json);
	last_run_free(&l);
	return cli_finish(0);
}

int verb_doctor(int argc, char **argv)
{
	struct opt_table table = OPT_TABLE(defs);
	struct doctor_opts o = { 0 };
	struct berm_err err = { 0 };
	struct opt_result res;
	int status;

	if (opts_parse(&table, &o, argc, argv, false, &res, &err) < 0) {
		strv_free(&o.pass);
		return cli_fail(&err);
	}
	if (res.help) {
		status = cli_help(usage, &table, more);
	} else if (o.inside) {
		status = doctor_inside(argc - res.first, argv + res.first);
	} else if (res.first < argc) {
		(void)err_set(&err, -EINVAL, "berm doctor takes options only");
		status = cli_fail(&err);
	} else if (o.apparmor) {
		status = streq(o.apparmor, "print") ? doctor_apparmor_print()
						    : doctor_apparmor_install();
	} else {
		status = o.last ? last(&o) : examine(&o);
	}
	strv_free(&o.pass);
	return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* berm run: options, then the policy, then the plan, then the launch. Nothing of
 * the command runs unless each of them succeeded. */
#include "cli/cli.h"

#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/fd.h"
#include "cli/enabled.h"
#include "cli/events_file.h"
#include "cli/host_program.h"
#include "cli/last_run.h"
#include "cli/probe.h"
#include "cli/inside.h"
#include "cli/run_common.h"
#include "linux/launch.h"
#include "plan/plan.h"
#include "plan/tier.h"
#include "session/inside.h"
#include "session/session.h"
#include "session/steward.h"

static const char usage[] =
	"usage: berm run [OPTION]... [--] COMMAND [ARGUMENT]...\n"
	"Runs COMMAND in a sandbox. Status: its own; 128+N: a signal; 125: nothing ran.\n";

static void print_note(const char *note)
{
	char line[2048];

	str_escape(line, sizeof(line), note, strlen(note));
	(void)fprintf(stderr, "berm: %s\n", line);
}

/* The terminal may be as the command's own one wants it. */
static const char *line_end(void)
{
	return isatty(STDERR_FILENO) ? "\r\n" : "\n";
}

void run_print_notes(const struct run_opts *o, const struct spec *spec)
{
	for (size_t i = 0; !o->quiet && i < spec->notes.n; i++)
		print_note(spec->notes.v[i]);
}

/* Standard error belongs to the command, to the byte, when a program reads it;
 * the line of SPEC B3 is for people, and says what is, not what was tried. */
static void first_line(const struct native_run *run, const char *tier)
{
	const struct spec *spec = run->spec;
	char path[1024] = "none";

	if (run->o->quiet || (!run->o->verbose && !isatty(STDERR_FILENO)))
		return;
	if (spec->n_roots)
		str_escape(path, sizeof(path), spec->roots[0].path, strlen(spec->roots[0].path));
	(void)fprintf(
		stderr,
		"berm: agent sandbox ON (native: %s; profile %s; workspace %s%s; network %s)%s",
		tier, spec->profile, path,
		spec->n_roots && spec->roots[0].read_only ? ", read-only" : "",
		session_network_name(spec->net), line_end());
}

static void on_tier(void *ctx, unsigned lacks, int landlock_abi)
{
	const char *tier = tier_info(tier_of(lacks))->name;
	struct native_run *run = ctx;

	/* Without memory the line says the tier, not what is lacking: that was told before. */
	(void)tier_lacks(lacks, &run->lacks);
	for (enum limit_kind k = 0; k < LIMIT_COUNT; k++)
		if (!limits_held(lacks, k))
			run->limits.means[k] = MEANS_NONE;
	session_tier(run->session, tier, &run->lacks, landlock_abi > 0 ? landlock_abi : 0);
	first_line(run, tier);
}

static void steward(void *ctx, struct net_kit *kit, int warden_fd)
{
	const struct native_run *run = ctx;

	session_steward(run->session, kit, warden_fd);
}

static void on_record(void *ctx, const struct record *rec)
{
	const struct native_run *run = ctx;

	session_record(run->session, rec);
}

static void on_net(void *ctx, const struct net_record *rec)
{
	const struct native_run *run = ctx;

	session_net_record(run->session, rec);
}

/* Never silent, under -q neither: something is weaker, or closed, that was not meant to be. */
static void on_degraded(void *ctx, const char *what, const char *reason)
{
	const struct native_run *run = ctx;
	char line[1100];

	str_escape(line, sizeof(line), reason, strlen(reason));
	(void)fprintf(stderr, "berm: %s: %s%s", what, line, line_end());
	session_degraded(run->session, what, reason);
}

/* Under -q as well: it is no fault of the command's. */
static void on_killed(void *ctx, enum limit_kind why)
{
	const struct native_run *run = ctx;
	char line[1400], shown[1400];

	session_limit_sentence(run->spec, why, line, sizeof(line));
	str_escape(shown, sizeof(shown), line, strlen(line));
	if (why < LIMIT_COUNT)
		(void)fprintf(stderr, "berm: %s%s", shown, line_end());
	session_killed(run->session, why);
}

static void on_state(void *ctx, enum launch_state state, int pid)
{
	const struct native_run *run = ctx;

	if (state == LAUNCH_READY)
		session_ready(run->session, pid);
	else
		session_suspended(run->session, state == LAUNCH_SUSPENDED);
}

static void on_running(void *ctx)
{
	const struct native_run *run = ctx;

	session_open_audit(run->session);
}

static void on_tick(void *ctx)
{
	const struct native_run *run = ctx;

	session_tick(run->session);
}

int run_limits(struct native_run *run, bool warm, struct berm_err *err)
{
	int r = limits_prepare(run->spec, warm, &run->limits, err);

	session_limits(run->session, &run->limits);
	for (enum limit_kind k = 0; r >= 0 && k < LIMIT_COUNT; k++) {
		char text[512];

		if (limit_is_weak(&run->limits, k, text, sizeof(text)))
			on_degraded(run, "limit", text);
	}
	return r;
}

static int run_native(const struct run_opts *o, const struct spec *spec, struct session *session);

/* In a fork of the steward: a sandbox that was asked for inside this one. */
static int run_beside(void *ctx, struct spec *spec, bool quiet)
{
	_cleanup_(cleanup_session_) struct session *session = session_new(spec);
	const struct native_run *outer = ctx;
	struct run_opts o = RUN_OPTS_INIT;
	struct berm_err err = { 0 };

	if (!session) {
		(void)err_set(&err, -ENOMEM, "out of memory");
		return cli_fail(&err);
	}
	o.quiet = quiet;
	o.forced = true;
	o.beside = true;
	session_open_inside(session, outer->session);
	return run_native(&o, spec, session);
}

void run_ops(struct native_run *run, struct launch_ops *ret)
{
	session_set_inside(run->session, run_beside, run);
	*ret = (struct launch_ops){
		.ctx = run,
		.on_record = on_record,
		.on_state = on_state,
		.on_running = on_running,
		.on_tick = on_tick,
		.keep_fd = session_events_fd(run->session),
		.owner = run->o->owner,
		.steward = steward,
		.on_net = on_net,
		.on_tier = on_tier,
		.on_degraded = on_degraded,
		.on_killed = on_killed,
		.limits = &run->limits,
	};
}

/* It is there outside: then "not found" alone would be a riddle. */
static void found_outside(const struct spec *spec)
{
	const char *name = spec->argv[0];
	_cleanup_free_ char *path =
		strchr(name, '/') ? strdup(name) : host_program(name, getenv("PATH"));
	char shown[1024];

	if (!path || !host_has_program(path))
		return;
	str_escape(shown, sizeof(shown), path, strlen(path));
	(void)fprintf(stderr, "berm: outside there is %s: berm why exec %s\n", shown, shown);
}

void run_not_executed(const char *name, int exec_errno)
{
	char shown[1024];

	str_escape(shown, sizeof(shown), name, strlen(name));
	(void)fprintf(stderr, "berm: %s: %s\n", shown,
		      exec_errno == ENOENT && !strchr(name, '/') ? "command not found"
								 : strerror(exec_errno));
}

/* Which of the reasons of SPEC C4 it is that there is no sandbox here. */
static const char *why_none(const struct spec *spec, const struct berm_err *err)
{
	struct sandbox_host host;
	struct sandbox_state state;

	enabled_failed(err, &host);
	guard_sandbox_state(&spec->guard, &host, &state);
	return state.reason;
}

/* Said under -q as well: nobody asked for this on the command line. */
static void warn_unavailable(const char *why)
{
	char shown[2048];

	str_escape(shown, sizeof(shown), why, strlen(why));
	(void)fprintf(stderr,
		      "berm: no OS-native agent sandbox on this host (%s); running WITHOUT one, as "
		      "\"fail_if_unavailable\": false says\n",
		      shown);
}

/* Without a sandbox there is nothing to wait for: the command takes our place. */
static int run_bare(const struct run_opts *o, const struct spec *spec, struct session *session,
		    const char *unavailable)
{
	const char *by = unavailable ? unavailable : o->off_by ? o->off_by : "--backend none";
	struct berm_err err = { 0 };
	int e;

	if (o->owner) {
		(void)err_set(&err, -ENOTSUP,
			      "--owner: nobody would end a run without a sandbox (%s)", by);
		err_fix(&err, "leave it away");
		return cli_fail(&err);
	}
	session_starting(session, "none");
	session_degraded(session, "sandbox", by);
	session_flush(session);
	if (unavailable)
		warn_unavailable(unavailable);
	else if (!o->quiet)
		(void)fprintf(stderr,
			      o->off_by ? "berm: agent sandbox DISABLED by %s\n"
					: "berm: no agent sandbox (%s)\n",
			      by);
	if (chdir(spec->workdir) < 0) {
		(void)err_errno(&err, -errno, "cannot enter the workspace %s", spec->workdir);
		return cli_fail(&err);
	}
	env_drop_proxies(spec->envp);
	environ = spec->envp;
	(void)execvp(spec->argv[0], spec->argv);
	e = errno;
	run_not_executed(spec->argv[0], e);
	return e == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
}

/* The command's own process must not be followed by a bare one: what the policy
 * allows instead of a sandbox is decided before. true: run without. */
static bool must_go_bare(const struct run_opts *o, const struct spec *spec, const struct plan *plan,
			 struct berm_err *why)
{
	return !spec->fail_if_unavailable && !o->forced &&
	       probe_sandbox(spec, plan, why) == -EOPNOTSUPP;
}

static int run_native(const struct run_opts *o, const struct spec *spec, struct session *session)
{
	_cleanup_(cleanup_plan_) struct plan *plan = NULL;
	struct launch_result res = { 0 };
	struct berm_err err = { 0 };
	struct session_end end = { .status = EXIT_BERM };
	struct native_run native = {
		.o = o, .spec = spec, .session = session, .limits.cgroup = CGROUP_INIT
	};
	struct launch_ops ops;
	int r;

	run_ops(&native, &ops);
	r = plan_build(spec, &plan, &err);
	if (!spec->fail_if_unavailable)
		launch_drop();
	if (r >= 0 && must_go_bare(o, spec, plan, &err)) {
		const char *why = why_none(spec, &err);

		(void)err_prefix(&err, "%s", why);
		return run_bare(o, spec, session, err.msg);
	}
	session_starting(session, "native");
	if (r >= 0) {
		if (!o->beside)
			run_print_notes(o, spec);
		r = run_limits(&native, false, &err);
	}
	if (r >= 0)
		r = launch_run(spec, plan, &ops, &res, &err);
	limits_done(&native.limits);
	if (r < 0) {
		if (r == -EOPNOTSUPP)
			(void)err_prefix(&err, "no sandbox on this host: %s", why_none(spec, &err));
		end.error = err.msg;
		session_end(session, &end);
		if (!o->beside)
			last_run_note(spec->state_dir, spec->argv[0],
				      spec->n_roots ? spec->roots[0].path : "", &err);
		return cli_fail(&err);
	}
	session_terminal(session, res.left_out);
	end.status = res.status;
	end.signal = res.signal;
	if (res.not_executed) {
		end.error = strerror(res.exec_errno);
		run_not_executed(spec->argv[0], res.exec_errno);
		if (res.exec_errno == ENOENT && !o->quiet && !o->beside)
			found_outside(spec);
	}
	/* Else the command's own status would be blamed on the command. */
	if (res.lost)
		(void)fputs("berm: a part of the sandbox died, and the command with it\n", stderr);
	session_end(session, &end);
	if (!o->quiet)
		session_summary(session);
	strv_free(&native.lacks);
	return res.status;
}

/* Asks are denies where nobody can answer: the supervisor is told beforehand. */
int run_open_network(struct session *session, struct spec *spec, const struct policy_input *in,
		     const char *control, struct berm_err *err)
{
	char *none;
	int r = session_open_network(session, in, err);

	if (session_took_stdio(session))
		launch_drop();
	if (r >= 0 && control)
		r = session_open_control(session, control, err);
	if (r < 0 || session_has_approver(session))
		return r;
	none = strdup("none");
	if (!none)
		return err_set(err, -ENOMEM, "out of memory");
	free(spec->approver);
	spec->approver = none;
	return 0;
}

static int run(struct run_opts *o, char **command)
{
	_cleanup_(events_file_free) struct events_file events = { 0 };
	_cleanup_spec_ struct spec *spec = NULL;
	_cleanup_(cleanup_session_) struct session *session = NULL;
	struct policy_input input;
	struct berm_err err = { 0 };

	if (events_file_prepare(&events, o, &err) < 0 ||
	    run_opts_resolve(o, command, &spec, &err) < 0 ||
	    events_file_check(&events, o, spec, &err) < 0)
		return cli_fail(&err);
	session = session_new(spec);
	if (!session) {
		(void)err_set(&err, -ENOMEM, "out of memory");
		return cli_fail(&err);
	}
	if (events.target && session_open_events(session, events.target, &err) < 0)
		return cli_fail(&err);
	if (o->off_by || o->backend == BACKEND_NONE)
		return run_bare(o, spec, session, NULL);
	run_opts_input(o, command, &input);
	if (run_open_network(session, spec, &input, o->control, &err) < 0)
		return cli_fail(&err);
	return run_native(o, spec, session);
}

int cli_run(struct run_opts *o, char **command)
{
	int r;

	/* Of a command that berm runs already. */
	if (getenv("BERM_SESSION") && !o->off_by && o->backend != BACKEND_NONE &&
	    inside_run(o, command, &r))
		return r;
	launch_cap(o->lacks_cap, o->landlock_cap);
	if (!o->off_by && o->backend != BACKEND_NONE)
		launch_early();
	r = run(o, command);
	launch_drop();
	return r;
}

int verb_run(int argc, char **argv)
{
	_cleanup_run_opts_ struct run_opts o = RUN_OPTS_INIT;
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
		return cli_help(usage, &table, NULL);
	if (run_opts_finish(&o, &err) < 0)
		return cli_fail(&err);
	if (res.first >= argc || !argv[res.first][0]) {
		(void)err_set(&err, -EINVAL,
			      res.first >= argc ? "the command is missing"
						: "the command is an empty word");
		err_fix(&err, "write berm run -- COMMAND");
		return cli_fail(&err);
	}
	return cli_run(&o, argv + res.first);
}

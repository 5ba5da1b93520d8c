/* SPDX-License-Identifier: Apache-2.0 */
/* Every option either does what it says or is refused in a sentence: one that was
 * taken and then ignored would be a hole that its user believes closed. */
#include "cli/run_opts.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "cli/run_net_opts.h"
#include "policy/front.h"

static int no_memory(struct berm_err *err)
{
	return err_set(err, -ENOMEM, "out of memory");
}

static int add(struct strv *list, const char *value, struct berm_err *err)
{
	return strv_add(list, value) < 0 ? no_memory(err) : 0;
}

static int bad_choice(const struct opt_def *def, const char *value, const char *choices,
		      struct berm_err *err)
{
	int r = err_set(err, -EINVAL, "--%s %s: not a known value", def->name, value);

	err_fix(err, "one of: %s", choices);
	return r;
}

static int set_workspace(void *ctx, const struct opt_def *def, const char *value,
			 struct berm_err *err)
{
	struct run_opts *o = ctx;

	(void)def;
	if (!value[0])
		return err_set(err, -EINVAL, "-w needs a directory, not an empty word");
	return add(&o->workspaces, value, err);
}

int run_opts_add_arg(struct run_opts *o, enum policy_arg_kind kind, const char *pattern,
		     struct berm_err *err)
{
	struct policy_arg *args = reallocarray(o->args, o->n_args + 1, sizeof(*args));

	if (!args)
		return no_memory(err);
	o->args = args;
	args[o->n_args++] = (struct policy_arg){ .kind = kind, .pattern = pattern };
	return 0;
}

static int set_rule(void *ctx, const struct opt_def *def, const char *value, struct berm_err *err)
{
	if (!value[0])
		return err_set(err, -EINVAL, "--%s needs a path or a pattern", def->name);
	return run_opts_add_arg(ctx, (enum policy_arg_kind)def->param, value, err);
}

enum list_opt { LIST_POLICY, LIST_UNPROTECT };

static int set_list(void *ctx, const struct opt_def *def, const char *value, struct berm_err *err)
{
	struct run_opts *o = ctx;

	if (!value[0])
		return err_set(err, -EINVAL, "--%s needs a value", def->name);
	return add(def->param == LIST_POLICY ? &o->policy_files : &o->unprotect, value, err);
}

static int set_settings(void *ctx, const struct opt_def *def, const char *value,
			struct berm_err *err)
{
	struct run_opts *o = ctx;
	enum front_kind kind;
	const char *file;

	(void)def;
	if (front_arg_parse(value, &kind, &file, err) < 0)
		return err_prefix(err, "--settings");
	return add(&o->settings, value, err);
}

static int set_profile(void *ctx, const struct opt_def *def, const char *value,
		       struct berm_err *err)
{
	struct run_opts *o = ctx;
	static const char *const names[] = { "agent", "strict", "terminal" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (!streq(names[i], value))
			continue;
		o->profile = value;
		return 0;
	}
	return bad_choice(def, value, "agent, strict, terminal", err);
}

enum choice_opt { CHOICE_MODE, CHOICE_ROOT, CHOICE_HOME };

struct choice {
	const char *list; /* for the error */
	const char *words[5];
};

/* In the order of the enums of policy/spec.h. */
static const struct choice choices[] = {
	[CHOICE_MODE] = { "chat, review, plan, orchestrate",
			  { [MODE_CHAT] = "chat",
			    [MODE_REVIEW] = "review",
			    [MODE_PLAN] = "plan",
			    [MODE_ORCHESTRATE] = "orchestrate" } },
	[CHOICE_ROOT] = { "system, host", { [ROOT_SYSTEM] = "system", [ROOT_HOST] = "host" } },
	[CHOICE_HOME] = { "private, host, empty",
			  { [HOME_PRIVATE] = "private",
			    [HOME_HOST] = "host",
			    [HOME_EMPTY] = "empty" } },
};

static int set_choice(void *ctx, const struct opt_def *def, const char *value, struct berm_err *err)
{
	struct run_opts *o = ctx;
	int *slots[] = {
		[CHOICE_MODE] = &o->mode, [CHOICE_ROOT] = &o->root, [CHOICE_HOME] = &o->home
	};
	const struct choice *c = &choices[def->param];

	for (int i = 0; c->words[i]; i++) {
		if (!streq(c->words[i], value))
			continue;
		*slots[def->param] = i;
		return 0;
	}
	return bad_choice(def, value, c->list, err);
}

static int set_later(void *ctx, const struct opt_def *def, const char *value, struct berm_err *err)
{
	(void)ctx;
	(void)value;
	return err_set(err, -ENOTSUP, "--%s is not in this release (" BERM_VERSION ")", def->name);
}

/* A variable's name ends at "="; "" and "=x" are none. */
static int set_env(void *ctx, const struct opt_def *def, const char *value, struct berm_err *err)
{
	struct run_opts *o = ctx;

	if (!value[0] || value[0] == '=')
		return err_set(err, -EINVAL, "--%s %s: a variable's name is missing", def->name,
			       value);
	if (def->param && strchr(value, '='))
		return err_set(err, -EINVAL, "--%s %s: give the name only", def->name, value);
	return add(def->param ? &o->unset_env : &o->env, value, err);
}

static int set_limit(void *ctx, const struct opt_def *def, const char *value, struct berm_err *err)
{
	const char *eq = strchr(value, '=');
	struct run_opts *o = ctx;
	int r;

	(void)def;
	if (eq && eq != value && eq[1])
		return add(&o->limits, value, err);
	r = err_set(err, -EINVAL, "--limit %s: not KEY=VALUE", value);
	err_fix(err, "as in --limit time=10m or --limit files=1024");
	return r;
}

static int set_backend(void *ctx, const struct opt_def *def, const char *value,
		       struct berm_err *err)
{
	struct run_opts *o = ctx;
	int r;

	if (streq(value, "auto")) {
		o->backend = BACKEND_AUTO;
	} else if (streq(value, "native")) {
		o->backend = BACKEND_NATIVE;
	} else if (streq(value, "none")) {
		o->backend = BACKEND_NONE;
	} else if (streq(value, "microvm")) {
		/* Asked for by name it never becomes something else (SPEC B5). */
		r = err_set(err, -ENOTSUP, "--backend microvm: this build cannot start a VM");
		err_fix(err, "use --backend native, or leave the option away");
		return r;
	} else {
		return bad_choice(def, value, "auto, native, microvm, none", err);
	}
	return 0;
}

static int set_sandbox(void *ctx, const struct opt_def *def, const char *value,
		       struct berm_err *err)
{
	struct run_opts *o = ctx;

	if (!streq(value, "on") && !streq(value, "off"))
		return bad_choice(def, value, "on, off", err);
	o->off_by = streq(value, "off") ? "--sandbox off" : NULL;
	o->sandbox_said = true;
	return 0;
}

static int set_events(void *ctx, const struct opt_def *def, const char *value, struct berm_err *err)
{
	struct run_opts *o = ctx;

	if (!value[0])
		return err_set(err, -EINVAL, "--%s needs a file, fd:N or -", def->name);
	o->events = value;
	return 0;
}

static int set_control(void *ctx, const struct opt_def *def, const char *value,
		       struct berm_err *err)
{
	struct run_opts *o = ctx;

	if (!value[0])
		return err_set(err, -EINVAL, "--%s needs fd:N", def->name);
	o->control = value;
	return 0;
}

static int set_owner(void *ctx, const struct opt_def *def, const char *value, struct berm_err *err)
{
	struct run_opts *o = ctx;
	char *end = NULL;
	long n;
	int r;

	errno = 0;
	n = str_starts(value, "fd:") ? strtol(value + 3, &end, 10) : -1;
	if (n < 3 || n > INT32_MAX || errno || *end) {
		r = err_set(err, -EINVAL, "--%s %s: not a descriptor above 2", def->name, value);
		err_fix(err, "as in --owner fd:3");
		return r;
	}
	if (fcntl((int)n, F_GETFL) < 0)
		return err_set(err, -EBADF, "--%s %s: descriptor %ld is not open", def->name, value,
			       n);
	o->owner = (int)n;
	return 0;
}

enum flag_opt { FLAG_QUIET, FLAG_VERBOSE, FLAG_JSON, FLAG_RAW_TERMINAL, FLAG_COVERAGE };

static int set_flag(void *ctx, const struct opt_def *def, const char *value, struct berm_err *err)
{
	struct run_opts *o = ctx;
	bool *slots[] = {
		[FLAG_QUIET] = &o->quiet,
		[FLAG_VERBOSE] = &o->verbose,
		[FLAG_JSON] = &o->json,
		[FLAG_COVERAGE] = &o->coverage,
		[FLAG_RAW_TERMINAL] = &o->raw_terminal,
	};

	(void)value;
	(void)err;
	*slots[def->param] = true;
	return 0;
}

/* clang-format off */
#define NET_OPTIONS \
	{ "net", 0, "MODE", "allow (default: what rules allow), off, open", set_net, 0 }, \
	{ "allow-domain", 0, "HOST", "reach HOST[:PORT]: a.example, *.a.example, @GROUP", \
	  set_domain, VERDICT_ALLOW }, \
	{ "deny-domain", 0, "HOST", "refuse a host", set_domain, VERDICT_DENY }, \
	{ "ask-domain", 0, "HOST", "ask before a host is reached", set_domain, VERDICT_ASK }, \
	{ "publish", 0, "PORT", "lead [HOST_PORT:]PORT to a server of the command", \
	  set_net_list, NET_LIST_PUBLISH }, \
	{ "host-port", 0, "PORT", "lead the command to PORT[:INSIDE_PORT] of the host", \
	  set_net_list, NET_LIST_HOST_PORT }, \
	{ "allow-unix-socket", 0, "PATH", "show a unix socket of the host", set_net_list, \
	  NET_LIST_SOCKET }, \
	{ "no-proxy-env", 0, NULL, "do not set HTTP_PROXY and its kind", set_no_proxy_env, 0 }, \
	{ "tier", 0, "NAME", "landlock: also without namespaces, held by less", set_tier, \
	  0 }, \
	{ "test-cap", 0, "NAME", NULL, set_test_cap, 0 }
/* clang-format on */

/* What describes policy: why and explain take it as well. */
#define POLICY_OPTIONS                                                                                  \
	{ NULL, 0, NULL, "What the command may touch:", NULL, 0 },                                      \
		{ "workspace",	 'w', "DIR", "writable root (default: here); repeatable",               \
		  set_workspace, 0 },                                                                   \
		{ "mode",     'm',	  "MODE", "chat, or read-only: review, plan, orchestrate",      \
		  set_choice, CHOICE_MODE },                                                            \
		{ "profile", 0, "NAME", "agent (default), strict, terminal", set_profile, 0 },          \
		{ "policy", 0,                                                                          \
		  "FILE",   "one more policy file, as strong as the command line",                      \
		  set_list, LIST_POLICY },                                                              \
		{ "settings",	0, "KIND", "read settings of claude, srt or codex too; KIND:FILE",      \
		  set_settings, 0 },                                                                    \
		{ "allow-read",	 0, "P", "show a path; P: path or pattern, repeatable", set_rule,       \
		  ARG_ALLOW_READ },                                                                     \
		{ "deny-read", 0, "P", "hide a path", set_rule, ARG_DENY_READ },                        \
		{ "allow-write", 0, "P", "make a path writable", set_rule, ARG_ALLOW_WRITE },           \
		{ "deny-write",	 0, "P", "keep a path from being changed or created", set_rule,         \
		  ARG_DENY_WRITE },                                                                     \
		{ "ask", 0, "P", "ask before a path is used", set_rule, ARG_ASK },                      \
		{ "allow-exec", 0, "P", "let a program be executed", set_rule, ARG_ALLOW_EXEC },        \
		{ "deny-exec", 0, "P", "keep a program from being executed", set_rule, ARG_DENY_EXEC }, \
		{ "unprotect", 0,                                                                       \
		  "NAME",      "lift a built-in protection (berm explain names them)",                  \
		  set_list,    LIST_UNPROTECT },                                                        \
		{ "root",     0,	  "VIEW", "system (default: system directories) or host",       \
		  set_choice, CHOICE_ROOT },                                                            \
		{ "home",     0,	  "VIEW", "private (default), host (read-only) or empty",       \
		  set_choice, CHOICE_HOME },                                                            \
		NET_OPTIONS,                                                                            \
		{ "env", 0, "NAME[=VALUE]", "pass or set an environment variable", set_env, 0 },        \
		{ "unset-env", 0, "NAME", "leave a variable out", set_env, 1 },                         \
	{                                                                                               \
		"limit", 0, "KEY=VALUE", "limit memory, pids, time, ...; repeatable", set_limit, 0      \
	}

static const struct opt_def run_table[] = {
	POLICY_OPTIONS,
	{ NULL, 0, NULL, "How it is run:", NULL, 0 },
	{ "backend", 0, "NAME", "auto (default), native, microvm, none", set_backend, 0 },
	{ "sandbox", 0, "on|off", "off: run without a sandbox, and say so", set_sandbox, 0 },
	{ "approver", 0, "WHO", "auto, tty, stdio, none, mailbox:D, socket:P, fd:N", set_approver,
	  0 },
	{ "events", 0, "FILE|fd:N|-", "append events there, one JSON object a line", set_events,
	  0 },
	{ "control", 0, "fd:N", "take rules about hosts meanwhile, as JSON lines", set_control, 0 },
	{ "raw-terminal", 0, NULL, "your terminal gets all that the command writes", set_flag,
	  FLAG_RAW_TERMINAL },
	{ "quiet", 'q', NULL, "no notes and no summary on standard error", set_flag, FLAG_QUIET },
	{ "verbose", 'v', NULL, "say what is in force before the command starts", set_flag,
	  FLAG_VERBOSE },
	{ "owner", 0, "fd:N", NULL, set_owner, 0 },
	/* Of the contract, but not yet enforced: refused in a sentence. */
	{ "dry-run", 0, NULL, NULL, set_later, 0 },
};

static int set_name(void *ctx, const struct opt_def *def, const char *value, struct berm_err *err)
{
	struct run_opts *o = ctx;

	(void)def;
	(void)err;
	o->name = value;
	return 0;
}

static int set_keep(void *ctx, const struct opt_def *def, const char *value, struct berm_err *err)
{
	struct run_opts *o = ctx;

	(void)def;
	(void)value;
	(void)err;
	o->keep = true;
	return 0;
}

static int set_owner_pid(void *ctx, const struct opt_def *def, const char *value,
			 struct berm_err *err)
{
	struct run_opts *o = ctx;
	char *end;
	long pid;

	if (str_starts(value, "fd:"))
		return set_owner(ctx, def, value, err);
	errno = 0;
	pid = strtol(value, &end, 10);
	if (!value[0] || *end || errno || pid < 1 || pid > INT_MAX)
		return err_set(err, -EINVAL, "--owner %s: not a process id", value);
	o->owner_pid = (int)pid;
	return 0;
}

static const struct opt_def start_table[] = {
	{ "name", 0, "NAME", "what the session is called; default: made up", set_name, 0 },
	{ "keep", 0, NULL, "it does not end with the process that started it", set_keep, 0 },
	{ "owner", 0, "PID|fd:N", "it ends with that process, or at that end of file",
	  set_owner_pid, 0 },
	{ "events", 0, "FILE|fd:N", "append events there, one JSON object a line", set_events, 0 },
	{ "approver", 0, "WHO", "none (default), mailbox:D, socket:P, fd:N", set_approver, 0 },
	{ "control", 0, "fd:N", "take rules about hosts there, as JSON lines", set_control, 0 },
	{ "quiet", 'q', NULL, "no notes on standard error", set_flag, FLAG_QUIET },
	{ "verbose", 'v', NULL, "say what is in force", set_flag, FLAG_VERBOSE },
#define START_OWN 8
	POLICY_OPTIONS,
};

static int set_target(void *ctx, const struct opt_def *def, const char *value, struct berm_err *err)
{
	int r;

	(void)ctx;
	if (streq(value, "linux"))
		return 0;
	if (!streq(value, "seatbelt") && !streq(value, "bwrap") && !streq(value, "windows"))
		return bad_choice(def, value, "linux", err);
	r = err_set(err, -ENOTSUP, "--target %s is not in this release (" BERM_VERSION ")", value);
	err_fix(err, "leave the option away: linux is explained");
	return r;
}

/* clang-format off */
#define JSON_OPTION { "json", 0, NULL, "print it for machines", set_flag, FLAG_JSON }
#define COVERAGE_OPTION \
	{ "coverage", 0, NULL, "what is done with each key of other tools' settings", set_flag, \
	  FLAG_COVERAGE }
#define TARGET_OPTION { "target", 0, "NAME", "the mechanism: linux", set_target, 0 }
/* clang-format on */

static const struct opt_def why_table[] = { JSON_OPTION, POLICY_OPTIONS };
static const struct opt_def explain_table[] = { JSON_OPTION, TARGET_OPTION, COVERAGE_OPTION,
						POLICY_OPTIONS };

const char run_opts_policy_help[] =
	"And the options of berm run that say what the command may touch.\n";

struct opt_table run_opts_table(void)
{
	return OPT_TABLE(run_table);
}

struct opt_table run_opts_why_table(void)
{
	return OPT_TABLE(why_table);
}

struct opt_table run_opts_explain_table(void)
{
	return OPT_TABLE(explain_table);
}

struct opt_table run_opts_start_table(void)
{
	return OPT_TABLE(start_table);
}

struct opt_table run_opts_start_own_table(void)
{
	return (struct opt_table){ .defs = start_table, .n = START_OWN };
}

struct opt_table run_opts_why_own_table(void)
{
	return (struct opt_table){ .defs = why_table, .n = 1 };
}

struct opt_table run_opts_explain_own_table(void)
{
	return (struct opt_table){ .defs = explain_table, .n = 3 };
}

void run_opts_free(struct run_opts *o)
{
	strv_free(&o->workspaces);
	free(o->args);
	strv_free(&o->policy_files);
	strv_free(&o->settings);
	strv_free(&o->unprotect);
	strv_free(&o->env);
	strv_free(&o->unset_env);
	strv_free(&o->limits);
	free(o->net_args);
	strv_free(&o->publish);
	strv_free(&o->host_ports);
	strv_free(&o->unix_sockets);
}

/* The variable that demands a sandbox, NULL none: for remote sessions (SPEC C12). */
static const char *forced_by(void)
{
	static const char *const names[] = { "BERM_FORCE_SANDBOX", "CLAUDE_CODE_FORCE_SANDBOX" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const char *value = getenv(names[i]);

		if (value && streq(value, "1"))
			return names[i];
	}
	return NULL;
}

static int sandbox_from_env(struct run_opts *o, struct berm_err *err)
{
	const char *said = getenv("BERM_SANDBOX"), *force = forced_by();
	int r;

	if (said && said[0] && !o->sandbox_said) {
		if (!streq(said, "on") && !streq(said, "off")) {
			r = err_set(err, -EINVAL, "BERM_SANDBOX=%s: not a known value", said);
			err_fix(err, "one of: on, off");
			return r;
		}
		o->off_by = streq(said, "off") ? "BERM_SANDBOX=off" : NULL;
	}
	o->forced = force != NULL;
	if (o->forced && (o->off_by || o->backend == BACKEND_NONE)) {
		r = err_set(err, -EPERM, "the sandbox is turned off, but %s=1 demands it", force);
		err_fix(err, "leave away --sandbox off, --backend none and BERM_SANDBOX=off");
		return r;
	}
	return 0;
}

int run_opts_finish(struct run_opts *o, struct berm_err *err)
{
	return sandbox_from_env(o, err);
}

static const char *const *words(const struct strv *l)
{
	return (const char *const *)l->v;
}

void run_opts_input(const struct run_opts *o, char *const *command, struct policy_input *ret)
{
	struct policy_input in = POLICY_INPUT_INIT;

	in.workspaces = words(&o->workspaces);
	in.n_workspaces = o->workspaces.n;
	in.mode = o->mode;
	in.root = o->root;
	in.home = o->home;
	in.net = o->net;
	in.profile = o->profile;
	in.policy_files = words(&o->policy_files);
	in.n_policy_files = o->policy_files.n;
	in.force = forced_by();
	in.settings = words(&o->settings);
	in.n_settings = o->settings.n;
	in.args = o->args;
	in.n_args = o->n_args;
	in.env = words(&o->env);
	in.n_env = o->env.n;
	in.unset_env = words(&o->unset_env);
	in.n_unset_env = o->unset_env.n;
	in.unprotect = words(&o->unprotect);
	in.n_unprotect = o->unprotect.n;
	in.limits = words(&o->limits);
	in.n_limits = o->limits.n;
	in.net_args = o->net_args;
	in.n_net_args = o->n_net_args;
	in.publish = words(&o->publish);
	in.n_publish = o->publish.n;
	in.host_ports = words(&o->host_ports);
	in.n_host_ports = o->host_ports.n;
	in.unix_sockets = words(&o->unix_sockets);
	in.n_unix_sockets = o->unix_sockets.n;
	in.proxy_env = o->proxy_env;
	in.approver = o->approver;
	in.net_rung_cap = o->net_rung_cap;
	in.argv = command;
	in.environ = environ;
	in.uid = geteuid();
	in.pretend = !command;
	in.raw_terminal = o->raw_terminal;
	in.tier_landlock = o->tier_landlock;
	in.learn = o->learn;
	in.overlay = o->overlay;
	in.bare = o->off_by || o->backend == BACKEND_NONE;
	*ret = in;
}

int run_opts_resolve(const struct run_opts *o, char *const *command, struct spec **ret,
		     struct berm_err *err)
{
	struct policy_input in;

	run_opts_input(o, command, &in);
	return policy_resolve(&in, ret, err);
}

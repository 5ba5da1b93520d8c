/* SPDX-License-Identifier: Apache-2.0 */
/* berm sandbox: how commands of this project are held, printed, changed in the local settings, or
 * shown in a panel (SPEC C9). The panel is a program of its own, since it needs a terminal
 * library; it calls this verb for all that it shows and changes. */
#include "cli/cli.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>

#include "base/json_out.h"
#include "cli/enabled.h"
#include "cli/guard_cli.h"
#include "cli/local_write.h"
#include "policy/layers.h"

#define PANEL "berm-panel"
#define CHANGES_MAX 32

static const char usage[] =
	"usage: berm sandbox [OPTION]...           a panel for the terminal\n"
	"       berm sandbox status [OPTION]...    print it\n"
	"Whether commands of the project here run in the sandbox, and what may leave it.\n"
	"With an option that changes something no panel is shown; all changes are written\n"
	"to " LOCAL_FILE ".\n"
	"Exit status: 0; 1: a stronger setting keeps what was to be changed; 125 error.\n";

static const char more[] = "And the options of berm run that say which settings count.\n"
			   "  berm sandbox --mode regular --fallback strict\n"
			   "  berm sandbox --exclude 'docker *'\n";

enum sandbox_mode { MODE_DISABLED, MODE_REGULAR, MODE_AUTO_ALLOW, MODE_UNSAID };
static const char *const mode_words[] = { "disabled", "regular", "auto-allow" };

struct sandbox_opts {
	struct run_opts run; /* first: guard_cli.h */
	enum sandbox_mode mode;
	int fallback; /* 1 unsandboxed, 0 strict, -1 not said */
	struct strv exclude, include;
};

enum { SANDBOX_MODE, SANDBOX_FALLBACK, SANDBOX_EXCLUDE, SANDBOX_INCLUDE };

/* ---- options ------------------------------------------------------------ */

static int wrong(const struct opt_def *def, const char *value, const char *right,
		 struct berm_err *err)
{
	(void)err_set(err, -EINVAL, "--%s %s: not a known value", def->name, value);
	err_fix(err, "one of: %s", right);
	return -EINVAL;
}

static int set(void *ctx, const struct opt_def *def, const char *value, struct berm_err *err)
{
	struct sandbox_opts *o = ctx;
	struct strv *list = def->param == SANDBOX_EXCLUDE ? &o->exclude : &o->include;

	if (def->param == SANDBOX_MODE) {
		for (o->mode = 0; o->mode < MODE_UNSAID; o->mode++)
			if (streq(value, mode_words[o->mode]))
				return 0;
		return wrong(def, value, "disabled, regular, auto-allow", err);
	}
	if (def->param == SANDBOX_FALLBACK) {
		o->fallback = streq(value, "unsandboxed");
		return o->fallback || streq(value, "strict")
			       ? 0
			       : wrong(def, value, "strict, unsandboxed", err);
	}
	if (!*value)
		return err_set(err, -EINVAL, "--%s: the pattern is empty", def->name);
	return strv_add(list, value) < 0 ? err_set(err, -ENOMEM, "out of memory") : 0;
}

static const struct opt_def own[] = {
	{ "mode", 0, "MODE", "disabled, regular (asks), auto-allow", set, SANDBOX_MODE },
	{ "fallback", 0, "WHAT", "a call that asks to run outside: strict, unsandboxed", set,
	  SANDBOX_FALLBACK },
	{ "exclude", 0, "PATTERN", "let commands leave the sandbox", set, SANDBOX_EXCLUDE },
	{ "include", 0, "PATTERN", "take such a pattern out again", set, SANDBOX_INCLUDE },
};

/* ---- what is in force --------------------------------------------------- */

static enum sandbox_mode mode_of(const struct guard_policy *g)
{
	return !g->sandbox ? MODE_DISABLED : g->auto_allow ? MODE_AUTO_ALLOW : MODE_REGULAR;
}

/* What the mode is read from. */
static const struct origin *mode_from(const struct guard_policy *g)
{
	return g->sandbox ? &g->auto_allow_from : &g->sandbox_from;
}

static void print_escaped(const char *before, const char *text, const char *after)
{
	char shown[4 * PATH_MAX];

	str_escape(shown, sizeof(shown), text, strlen(text));
	(void)printf("%s%s%s", before, shown, after);
}

static void print_from(const struct origin *from)
{
	char origin[PATH_MAX + 16];

	guard_origin(from, origin, sizeof(origin));
	print_escaped("  [", origin, "]\n");
}

static void print_status(const struct guard_policy *g, const struct enabled *e)
{
	(void)printf("sandbox:   %s", mode_words[mode_of(g)]);
	print_from(mode_from(g));
	(void)printf("fallback:  %s", g->allow_unsandboxed ? "unsandboxed" : "strict");
	print_from(&g->allow_unsandboxed_from);
	(void)printf("in force:  %s: ", e->state.off == SANDBOX_ON ? "on" : "off");
	print_escaped("", e->state.reason, "\n");
	if (e->why.msg[0])
		print_escaped("           ", e->why.msg, "\n");
	if (e->why.fix[0])
		print_escaped("to do:     ", e->why.fix, "\n");
	for (size_t i = 0; i < g->n_excluded; i++) {
		print_escaped("excluded:  ", g->excluded[i].pattern, "");
		print_from(&g->excluded[i].origin);
	}
}

static void member_from(struct buf *b, const char *name, const struct origin *from)
{
	char origin[PATH_MAX + 16];

	guard_origin(from, origin, sizeof(origin));
	json_member_str(b, name, origin);
}

static int print_json(const struct guard_setup *s, const struct enabled *e)
{
	_cleanup_buf_ struct buf b = BUF_INIT(64u << 20);
	const struct guard_policy *g = &s->policy;

	json_begin(&b);
	json_member_str(&b, "mode", mode_words[mode_of(g)]);
	member_from(&b, "mode_origin", mode_from(g));
	json_member_str(&b, "fallback", g->allow_unsandboxed ? "unsandboxed" : "strict");
	member_from(&b, "fallback_origin", &g->allow_unsandboxed_from);
	json_member_bool(&b, "on", e->state.off == SANDBOX_ON);
	json_member_str(&b, "state", enabled_name(e->state.off));
	json_member_str(&b, "reason", e->state.reason);
	member_from(&b, "reason_origin", &e->state.origin);
	json_member_str(&b, "why", e->why.msg);
	json_member_str(&b, "fix", e->why.fix);
	json_member_str(&b, "project", s->cwd);
	json_member_str(&b, "local_file", LOCAL_FILE);
	(void)buf_adds(&b, ",\"excluded\":[");
	for (size_t i = 0; i < g->n_excluded; i++) {
		(void)buf_adds(&b, i ? "," : "");
		json_begin(&b);
		json_member_str(&b, "pattern", g->excluded[i].pattern);
		member_from(&b, "origin", &g->excluded[i].origin);
		json_member_bool(&b, "local", g->excluded[i].layer == LAYER_LOCAL);
		json_end(&b);
	}
	(void)buf_adds(&b, "]");
	json_end(&b);
	if (b.failed)
		return -ENOMEM;
	(void)puts(b.data);
	return 0;
}

static int status(const struct sandbox_opts *o, const struct guard_setup *s)
{
	struct berm_err err = { 0 };
	struct enabled e;

	enabled_look(&s->policy, &o->run, &e);
	if (!o->run.json) {
		print_status(&s->policy, &e);
	} else if (print_json(s, &e) < 0) {
		(void)err_set(&err, -ENOMEM, "out of memory");
		return cli_fail(&err);
	}
	return cli_finish(0);
}

/* ---- changing ----------------------------------------------------------- */

struct changes {
	struct jsonc_change v[CHANGES_MAX];
	size_t n;
};

static void add_bool(struct changes *c, const char *name, bool value)
{
	c->v[c->n++] = (struct jsonc_change){ .path = { "guard" },
					      .name = name,
					      .json = value ? "true" : "false" };
}

/* Only what is not in force already: a file says no more than it has to. */
static int collect(const struct sandbox_opts *o, const struct guard_policy *g, struct changes *c,
		   struct berm_err *err)
{
	if (o->exclude.n + o->include.n + 3 > CHANGES_MAX)
		return err_set(err, -E2BIG, "too many patterns at once");
	if (o->mode != MODE_UNSAID && g->sandbox != (o->mode != MODE_DISABLED))
		add_bool(c, "sandbox", o->mode != MODE_DISABLED);
	if (o->mode != MODE_UNSAID && o->mode != MODE_DISABLED &&
	    g->auto_allow != (o->mode == MODE_AUTO_ALLOW))
		add_bool(c, "auto_allow", o->mode == MODE_AUTO_ALLOW);
	if (o->fallback >= 0 && g->allow_unsandboxed != o->fallback)
		add_bool(c, "allow_unsandboxed", o->fallback);
	for (size_t i = 0; i < o->exclude.n + o->include.n; i++) {
		bool out = i >= o->exclude.n;

		c->v[c->n++] = (struct jsonc_change){
			.path = { "guard", "excluded_commands" },
			.value = out ? o->include.v[i - o->exclude.n] : o->exclude.v[i],
			.remove = out,
		};
	}
	return 0;
}

/* What is to be taken out and stands in another file as well, or only there: that one's origin. */
static const struct origin *still_excluded(const struct guard_policy *g, const struct strv *include)
{
	for (size_t i = 0; i < g->n_excluded; i++)
		if (strv_has(include, g->excluded[i].pattern))
			return &g->excluded[i].origin;
	return NULL;
}

static const struct origin *kept_by(const struct sandbox_opts *o, const struct guard_policy *g)
{
	if (o->mode != MODE_UNSAID && mode_of(g) != o->mode)
		return o->mode != MODE_DISABLED && g->sandbox ? &g->auto_allow_from
							      : &g->sandbox_from;
	if (o->fallback >= 0 && g->allow_unsandboxed != o->fallback)
		return &g->allow_unsandboxed_from;
	return still_excluded(g, &o->include);
}

/* Was it heard? Managed settings, and the environment, are stronger than the local file. */
static int look_again(struct sandbox_opts *o)
{
	_cleanup_setup_ struct guard_setup now = { 0 };
	char origin[PATH_MAX + 16], shown[4 * PATH_MAX];
	const struct origin *from;
	struct berm_err err = { 0 };

	if (guard_setup_make(&o->run, &now, &err) < 0)
		return cli_fail(&err);
	from = kept_by(o, &now.policy);
	if (!from)
		return cli_finish(0);
	guard_origin(from, origin, sizeof(origin));
	str_escape(shown, sizeof(shown), origin, strlen(origin));
	(void)fflush(stdout);
	(void)fprintf(stderr, "berm: %s still says otherwise, and counts\n", shown);
	return cli_finish(1);
}

static int change(struct sandbox_opts *o, const struct guard_setup *s)
{
	_cleanup_free_ char *root = realpath(".", NULL);
	struct changes c = { 0 };
	struct policy_input in;
	struct berm_err err = { 0 };
	int r;

	if (!root) {
		(void)err_errno(&err, -errno, "cannot use the current directory");
		return cli_fail(&err);
	}
	run_opts_input(&o->run, NULL, &in);
	in.pretend = false;
	r = collect(o, &s->policy, &c, &err);
	if (r >= 0)
		r = local_write(&in, root, c.v, c.n, &err);
	if (r < 0)
		return cli_fail(&err);
	(void)printf("%s: %s\n", r ? "written to" : "nothing to change in", LOCAL_FILE);
	return look_again(o);
}

/* ---- the panel ---------------------------------------------------------- */

/* Beside this program, or where it is installed. */
static int find_panel(char exe[PATH_MAX], char **ret, struct berm_err *err)
{
	static const char *const places[] = { PANEL, "../libexec/berm/" PANEL };
	ssize_t n = readlink("/proc/self/exe", exe, PATH_MAX - 1);
	const char *slash;

	if (n <= 0)
		return err_errno(err, n < 0 ? -errno : -ENOENT, "cannot tell where berm lies");
	exe[n] = '\0';
	slash = strrchr(exe, '/');
	for (size_t i = 0; slash && i < ARRAY_SIZE(places); i++) {
		_cleanup_free_ char *path =
			str_printf("%.*s/%s", (int)(slash - exe), exe, places[i]);
		_cleanup_close_ int fd = path ? open(path, O_PATH | O_CLOEXEC) : -1;

		if (fd < 0)
			continue;
		*ret = take_ptr(path);
		return 0;
	}
	(void)err_set(err, -ENOENT, "the panel (" PANEL ") is not installed beside berm");
	err_fix(err, "berm sandbox status prints the same; berm sandbox --help lists what changes "
		     "it");
	return -ENOENT;
}

/* The panel takes this process's place, and is told where berm lies and which options count. */
static int panel(int argc, char **argv)
{
	_cleanup_free_ char **words = calloc((size_t)argc + 2, sizeof(*words));
	_cleanup_free_ char *path = NULL;
	struct berm_err err = { 0 };
	char exe[PATH_MAX];

	if (!words) {
		(void)err_set(&err, -ENOMEM, "out of memory");
		return cli_fail(&err);
	}
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
		(void)err_set(&err, -ENOTTY, "the panel needs a terminal");
		err_fix(&err, "berm sandbox status (or --json) prints the same; berm sandbox "
			      "--help lists what changes it");
		return cli_fail(&err);
	}
	if (find_panel(exe, &path, &err) < 0 || !path)
		return cli_fail(&err);
	words[0] = path;
	words[1] = exe;
	memcpy(words + 2, argv + 1, (size_t)(argc - 1) * sizeof(*words));
	(void)execv(path, words);
	(void)err_errno(&err, -errno, "cannot start %s", path);
	return cli_fail(&err);
}

/* ---- the verb ----------------------------------------------------------- */

static int act(struct sandbox_opts *o, bool print, int argc, char **argv)
{
	_cleanup_setup_ struct guard_setup s = { 0 };
	bool changes = o->mode != MODE_UNSAID || o->fallback >= 0 || o->exclude.n || o->include.n;
	struct berm_err err = { 0 };

	if (changes && (print || o->run.json)) {
		(void)err_set(&err, -EINVAL, "change it or print it, one at a time");
		return cli_fail(&err);
	}
	if (!changes && !print && !o->run.json)
		return panel(argc, argv);
	if (guard_setup_make(&o->run, &s, &err) < 0)
		return cli_fail(&err);
	return changes ? change(o, &s) : status(o, &s);
}

int verb_sandbox(int argc, char **argv)
{
	struct sandbox_opts o = { .run = RUN_OPTS_INIT, .mode = MODE_UNSAID, .fallback = -1 };
	struct guard_opts_table table;
	struct opt_result res;
	struct berm_err err = { 0 };
	int r;

	if (guard_opts_join(own, ARRAY_SIZE(own), &table, &err) < 0 ||
	    opts_parse(&table.all, &o, argc, argv, false, &res, &err) < 0) {
		r = cli_fail(&err);
	} else if (res.help) {
		r = cli_help(usage, &table.own, more);
	} else if (argc - res.first > 1 ||
		   (argc - res.first == 1 && !streq(argv[res.first], "status"))) {
		(void)err_set(&err, -EINVAL, "berm sandbox takes options, and the word status");
		err_fix(&err, "to run a command: berm run -- COMMAND");
		r = cli_fail(&err);
	} else {
		r = act(&o, argc > res.first, argc, argv);
	}
	strv_free(&o.exclude);
	strv_free(&o.include);
	run_opts_free(&o.run);
	return r;
}

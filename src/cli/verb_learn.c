/* SPDX-License-Identifier: Apache-2.0 */
/* berm learn: runs a command under the policy in force, with what it changes kept in memory, and
 * proposes the smallest policy under which it works. What is opened for a further round a person
 * has said yes to; a round is never held to less than the policy in force and that. */
#include "cli/cli.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/json_out.h"
#include "cli/learn.h"
#include "cli/run_common.h"
#include "policy/layers.h"

static const char usage[] =
	"usage: berm learn [OPTION]... [--] COMMAND [ARGUMENT]...\n"
	"Runs COMMAND as berm run would, what it writes being kept in memory and dropped,\n"
	"and proposes the smallest policy under which it works, as a difference to\n" LOCAL_FILE
	". Exit status: that of the last round; 125: error.\n";

/* berm run's options are o's; the setters of both get this. */
struct learn {
	struct run_opts o; /* first */
	bool write, in_place, yes, all;
	long rounds; /* 0: not said */
	struct learned l;
	long ran;
	int status;
	bool works;
	int tty; /* where a person is asked, -1 nowhere */
};

/* ---- options -------------------------------------------------------------------- */

enum flag { FLAG_WRITE, FLAG_IN_PLACE, FLAG_YES, FLAG_ALL };

static int set_flag(void *ctx, const struct opt_def *def, const char *value, struct berm_err *err)
{
	struct learn *l = ctx;
	bool *slots[] = { [FLAG_WRITE] = &l->write,
			  [FLAG_IN_PLACE] = &l->in_place,
			  [FLAG_YES] = &l->yes,
			  [FLAG_ALL] = &l->all };

	(void)value;
	(void)err;
	*slots[def->param] = true;
	return 0;
}

#define ROUNDS_MAX 50

static int set_rounds(void *ctx, const struct opt_def *def, const char *value, struct berm_err *err)
{
	struct learn *l = ctx;
	char *end;

	errno = 0;
	l->rounds = strtol(value, &end, 10);
	if (value[0] && !*end && !errno && l->rounds >= 1 && l->rounds <= ROUNDS_MAX)
		return 0;
	return err_set(err, -EINVAL, "--%s %s: not a number from 1 to %d", def->name, value,
		       ROUNDS_MAX);
}

static const struct opt_def own[] = {
	{ "write", 0, NULL, "put it into " LOCAL_FILE, set_flag, FLAG_WRITE },
	{ "rounds", 0, "N", "at most N runs; default 5, or 1 if nobody is asked", set_rounds, 0 },
	{ "yes", 'y', NULL, "open files for the next round unasked; never hosts", set_flag,
	  FLAG_YES },
	{ "all", 0, NULL, "propose also what was refused and is not needed", set_flag, FLAG_ALL },
	{ "in-place", 0, NULL, "let it change the workspace itself, as berm run does", set_flag,
	  FLAG_IN_PLACE },
};

/* The options of its own, and those of berm why, which has the policy's and --json first. */
static int make_table(struct opt_def **ret, struct opt_table *table)
{
	struct opt_table why = run_opts_why_table();
	struct opt_def *defs = calloc(ARRAY_SIZE(own) + why.n, sizeof(*defs));

	if (!defs)
		return -ENOMEM;
	memcpy(defs, own, sizeof(own));
	memcpy(defs + ARRAY_SIZE(own), why.defs, why.n * sizeof(*defs));
	*ret = defs;
	*table = (struct opt_table){ .defs = defs, .n = ARRAY_SIZE(own) + why.n };
	return 0;
}

static struct opt_table help_table(const struct opt_table *whole)
{
	return (struct opt_table){ .defs = whole->defs, .n = ARRAY_SIZE(own) + 1 };
}

/* ---- asking --------------------------------------------------------------------- */

static void print_want(const struct want *w, FILE *to)
{
	char value[2 * PATH_MAX];

	str_escape(value, sizeof(value), w->value, strlen(w->value));
	(void)fprintf(to, "berm:   %s %s   (%s)\n", want_option(w->kind), value, w->why);
}

static bool may_open(const struct learn *l, const struct want *w)
{
	return w->state == WANT_NEW && (l->tty >= 0 || (l->yes && w->kind != WANT_HOST));
}

/* One line of the terminal that begins with y. */
static bool answered_yes(int tty)
{
	struct pollfd p = { .fd = tty, .events = POLLIN };
	char line[256];
	ssize_t n;

	while (poll(&p, 1, -1) < 0)
		if (errno != EINTR)
			return false;
	n = read(tty, line, sizeof(line));
	return n > 0 && (line[0] == 'y' || line[0] == 'Y');
}

/* What the next round may have more: true when that is anything. */
static bool open_more(struct learn *l)
{
	bool hosts = !l->yes, any = false;

	for (size_t i = 0; i < l->l.n_wants; i++)
		any |= may_open(l, &l->l.wants[i]);
	if (!any)
		return false;
	(void)fprintf(stderr, "berm: learn: %s for the next round:\n",
		      l->yes ? "opened" : "this would be opened");
	for (size_t i = 0; i < l->l.n_wants; i++)
		if (may_open(l, &l->l.wants[i]) && (hosts || l->l.wants[i].kind != WANT_HOST))
			print_want(&l->l.wants[i], stderr);
	if (!l->yes) {
		(void)fputs("berm: learn: run it again with these? [y/N] ", stderr);
		if (!answered_yes(l->tty))
			return false;
	}
	any = false;
	for (size_t i = 0; i < l->l.n_wants; i++) {
		struct want *w = &l->l.wants[i];

		if (!may_open(l, w) || (l->yes && w->kind == WANT_HOST))
			continue;
		w->state = WANT_GRANTED;
		any = true;
	}
	return any;
}

/* ---- rounds --------------------------------------------------------------------- */

/* The spec that a round with what is granted has. */
static int resolve(struct learn *l, struct spec **ret, struct berm_err *err)
{
	struct learn_saved saved;
	int r = learn_apply(&l->o, &l->l, false, &saved, err);

	if (r >= 0)
		r = run_opts_resolve(&l->o, NULL, ret, err);
	learn_restore(&l->o, &saved);
	return r;
}

static int one_round(struct learn *l, char **command, struct berm_err *err)
{
	_cleanup_(round_free) struct round round = { 0 };
	_cleanup_spec_ struct spec *spec = NULL;
	int r = resolve(l, &spec, err);

	if (r >= 0)
		r = learn_round(&l->o, command, &l->l, false, &round, err);
	if (r < 0)
		return r;
	l->ran++;
	l->status = round.status;
	l->works = round.status == 0;
	return learn_find(&l->l, &l->o, spec, round.events, err);
}

/* Does it work without one of what was opened? Each is tried, and stays away if so. */
static int leave_out(struct learn *l, char **command, struct berm_err *err)
{
	for (size_t i = 0; i < l->l.n_wants; i++) {
		struct want *w = &l->l.wants[i];
		_cleanup_(round_free) struct round round = { 0 };
		int r;

		if (w->state != WANT_GRANTED)
			continue;
		w->state = WANT_DROPPED;
		r = learn_round(&l->o, command, &l->l, true, &round, err);
		if (r < 0)
			return r;
		l->ran++;
		if (round.status != 0)
			l->l.wants[i].state = WANT_GRANTED;
	}
	return 0;
}

static int learn(struct learn *l, char **command, struct berm_err *err)
{
	long most = l->rounds ? l->rounds : l->tty >= 0 || l->yes ? 5 : 1;
	int r = 0;

	for (long i = 1; r >= 0; i++) {
		if (l->tty >= 0 || l->yes)
			(void)fprintf(stderr, "berm: learn: round %ld\n", i);
		r = one_round(l, command, err);
		if (r < 0 || l->works || l->status == EXIT_BERM || i == most || !open_more(l))
			break;
	}
	if (r < 0 || !l->works)
		return r;
	/* Nothing of what it works without. */
	for (size_t i = 0; !l->all && i < l->l.n_wants; i++)
		if (l->l.wants[i].state == WANT_NEW)
			l->l.wants[i].state = WANT_DROPPED;
	if (learned_count(&l->l, WANT_GRANTED))
		(void)fprintf(stderr, "berm: learn: it works; trying which of that it needs\n");
	return leave_out(l, command, err);
}

/* ---- what came of it ------------------------------------------------------------ */

#define OTHERS_SHOWN 20

static void print_others(const struct learn *l)
{
	size_t n = l->l.n_others < OTHERS_SHOWN ? l->l.n_others : OTHERS_SHOWN;

	for (size_t i = 0; i < n; i++) {
		const struct unwanted *u = &l->l.others[i];
		char target[PATH_MAX], reason[2048], option[2 * PATH_MAX], times[32] = "";

		str_escape(target, sizeof(target), u->target, strlen(u->target));
		str_escape(reason, sizeof(reason), u->reason, strlen(u->reason));
		str_escape(option, sizeof(option), u->option, strlen(u->option));
		if (u->count > 1)
			(void)snprintf(times, sizeof(times), " (%lu times)", u->count);
		if (i == 0)
			(void)puts("not granted, for you to decide:");
		(void)printf("  %s %s%s: %s%s%s\n", u->action, target, times, reason,
			     option[0] ? "; to allow: " : "", option);
	}
	if (l->l.n_others > n)
		(void)printf("  and %zu more (--json lists them)\n", l->l.n_others - n);
}

static void print_dropped(const struct learn *l)
{
	bool any = false;

	for (size_t i = 0; i < l->l.n_wants; i++) {
		const struct want *w = &l->l.wants[i];
		char value[2 * PATH_MAX];

		if (w->state != WANT_DROPPED)
			continue;
		if (!any)
			(void)puts("it works without:");
		any = true;
		str_escape(value, sizeof(value), w->value, strlen(w->value));
		(void)printf("  %s %s   (%s)\n", want_word(w->kind), value, w->why);
	}
}

/* The one sentence that says where the person stands. */
static void print_verdict(const struct learn *l)
{
	size_t new = learned_count(&l->l, WANT_NEW), granted = learned_count(&l->l, WANT_GRANTED);

	if (l->works && !granted && !new)
		(void)puts("it works under the policy in force: nothing is to be added");
	else if (l->works)
		(void)printf("it works (%ld runs) with this:\n", l->ran);
	else if (!granted && !new)
		(void)printf("it does not work (exit status %d), and nothing that could be opened "
			     "was refused\n",
			     l->status);
	else
		(void)printf("it does not work yet (exit status %d); what it was refused%s:\n",
			     l->status, new ? ", not tried" : "");
}

static int print_text(const struct learn *l, const char *diff, int written)
{
	print_verdict(l);
	(void)fputs(diff, stdout);
	print_dropped(l);
	print_others(l);
	if (l->write && written > 0)
		(void)puts("written to " LOCAL_FILE);
	else if (!l->write && diff[0])
		(void)puts("to put it there: the same with --write");
	if (!l->works && learned_count(&l->l, WANT_NEW) && l->tty < 0 && !l->yes)
		(void)puts("to go on and try it: on a terminal, or with --yes (files only)");
	return cli_finish(l->status);
}

static void json_wants(const struct learn *l, struct buf *b)
{
	static const char *const states[] = {
		[WANT_NEW] = "untried", [WANT_GRANTED] = "needed", [WANT_DROPPED] = "dispensable"
	};

	(void)buf_adds(b, ",\"proposals\":[");
	for (size_t i = 0; i < l->l.n_wants; i++) {
		const struct want *w = &l->l.wants[i];

		(void)buf_adds(b, i ? "," : "");
		json_begin(b);
		json_member_str(b, "kind", want_word(w->kind));
		json_member_bytes(b, "value", w->value, strlen(w->value));
		json_member_str(b, "why", w->why);
		json_member_str(b, "state", states[w->state]);
		json_end(b);
	}
	(void)buf_adds(b, "]");
}

static void json_others(const struct learn *l, struct buf *b)
{
	(void)buf_adds(b, ",\"not_granted\":[");
	for (size_t i = 0; i < l->l.n_others; i++) {
		const struct unwanted *u = &l->l.others[i];

		(void)buf_adds(b, i ? "," : "");
		json_begin(b);
		json_member_str(b, "action", u->action);
		json_member_bytes(b, "target", u->target, strlen(u->target));
		json_member_str(b, "reason", u->reason);
		json_member_str(b, "grant", u->option);
		json_member_int(b, "count", (long long)u->count);
		json_end(b);
	}
	(void)buf_adds(b, "]");
}

static int print_json(const struct learn *l, const char *diff, int written)
{
	_cleanup_buf_ struct buf b = BUF_INIT(64u * 1024u * 1024u);
	struct berm_err err = { 0 };

	json_begin(&b);
	json_member_bool(&b, "works", l->works);
	json_member_int(&b, "status", l->status);
	json_member_int(&b, "runs", l->ran);
	json_wants(l, &b);
	json_others(l, &b);
	json_member_str(&b, "file", LOCAL_FILE);
	json_member_str(&b, "diff", diff);
	json_member_bool(&b, "written", written > 0);
	json_end(&b);
	if (b.failed) {
		(void)err_set(&err, -ENOMEM, "out of memory");
		return cli_fail(&err);
	}
	(void)puts(b.data);
	return cli_finish(l->status);
}

static int report(struct learn *l, struct berm_err *err)
{
	_cleanup_buf_ struct buf diff = BUF_INIT(16u * 1024u * 1024u);
	_cleanup_free_ char *old = NULL, *new = NULL;
	_cleanup_spec_ struct spec *spec = NULL;
	int r = run_opts_resolve(&l->o, NULL, &spec, err), written = 0;

	if (r >= 0)
		r = learn_texts(spec, &l->l, &old, &new, err);
	if (r >= 0 && learn_diff(LOCAL_FILE, old, new, &diff) < 0)
		r = err_set(err, -ENOMEM, "out of memory");
	if (r >= 0 && l->write)
		r = written = learn_write(&l->o, spec, &l->l, err);
	if (r < 0)
		return cli_fail(err);
	return l->o.json ? print_json(l, diff.data ? diff.data : "", written)
			 : print_text(l, diff.data ? diff.data : "", written);
}

/* ---- the verb ------------------------------------------------------------------- */

static int check(struct learn *l, struct berm_err *err)
{
	_cleanup_spec_ struct spec *spec = NULL;
	int r = run_opts_finish(&l->o, err);

	if (r >= 0 && l->o.off_by) {
		r = err_set(err, -EINVAL, "berm learn needs the sandbox, which %s turns off",
			    l->o.off_by);
		err_fix(err, "leave that away");
	}
	l->o.learn = true;
	l->o.overlay = !l->in_place;
	if (r >= 0)
		r = run_opts_resolve(&l->o, NULL, &spec, err);
	if (r >= 0 && (!spec->n_roots || spec->roots[0].is_file)) {
		r = err_set(err, -EINVAL, "berm learn needs a workspace that is a directory");
		err_fix(err, "name one with -w DIR: its " LOCAL_FILE " is what is proposed");
	}
	if (r >= 0)
		run_print_notes(&l->o, spec);
	return r;
}

static int run(struct learn *l, char **command)
{
	_cleanup_close_ int tty = -1;
	struct berm_err err = { 0 };

	if (check(l, &err) < 0)
		return cli_fail(&err);
	if (!l->yes && isatty(STDERR_FILENO))
		tty = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC);
	l->tty = tty;
	if (learn(l, command, &err) < 0)
		return cli_fail(&err);
	/* berm itself said why nothing ran. */
	if (l->status == EXIT_BERM)
		return EXIT_BERM;
	return report(l, &err);
}

static int parse_and_run(struct learn *l, const struct opt_table *table, int argc, char **argv)
{
	struct opt_table shown = help_table(table);
	struct berm_err err = { 0 };
	struct opt_result res;

	if (fd_open_stdio() < 0 || opts_parse(table, l, argc, argv, true, &res, &err) < 0)
		return cli_fail(&err);
	if (res.help)
		return cli_help(usage, &shown, run_opts_policy_help);
	if (res.first >= argc || !argv[res.first][0]) {
		(void)err_set(&err, -EINVAL, "the command is missing");
		err_fix(&err, "write berm learn -- COMMAND");
		return cli_fail(&err);
	}
	return run(l, argv + res.first);
}

int verb_learn(int argc, char **argv)
{
	struct learn l = { .o = RUN_OPTS_INIT, .tty = -1 };
	_cleanup_free_ struct opt_def *defs = NULL;
	struct opt_table table;
	struct berm_err err = { 0 };
	int r;

	if (make_table(&defs, &table) < 0) {
		(void)err_set(&err, -ENOMEM, "out of memory");
		return cli_fail(&err);
	}
	r = parse_and_run(&l, &table, argc, argv);
	learned_free(&l.l);
	run_opts_free(&l.o);
	return r;
}

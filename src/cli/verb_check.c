/* SPDX-License-Identifier: Apache-2.0 */
/* berm check: what the guard says of a command, without running it. */
#include "cli/cli.h"

#include <limits.h>
#include <string.h>

#include "base/json_out.h"
#include "cli/guard_cli.h"
#include "guard/audit.h"
#include "guard/confirm.h"
#include "policy/places.h"

static const char usage[] =
	"usage: berm check [OPTION]... [--] COMMAND [ARG]...\n"
	"       berm check [OPTION]... --shell LINE\n"
	"Says whether a command is allowed, asked about or denied, by which rule, and\n"
	"whether it would run in the sandbox. Nothing is run.\n"
	"Exit status: 0 allowed, 1 denied, 2 ask, 125 error.\n";

static const char more[] = "And the options of berm run that say what the command may touch.\n"
			   "  berm check -- git push origin main\n"
			   "  berm check --shell 'make && sudo make install'\n"
			   "  berm check --mode plan --json -- npm install left-pad\n";

struct check_opts {
	struct run_opts run; /* first: guard_cli.h */
	const char *shell;
	bool unsandboxed, no_approver, audit;
};

enum { CHECK_SHELL, CHECK_UNSANDBOXED, CHECK_NO_APPROVER, CHECK_AUDIT };

static int set(void *ctx, const struct opt_def *def, const char *value, struct berm_err *err)
{
	struct check_opts *o = ctx;
	bool *flags[] = { [CHECK_UNSANDBOXED] = &o->unsandboxed,
			  [CHECK_NO_APPROVER] = &o->no_approver,
			  [CHECK_AUDIT] = &o->audit };

	(void)err;
	if (def->param == CHECK_SHELL)
		o->shell = value;
	else
		*flags[def->param] = true;
	return 0;
}

static const struct opt_def own[] = {
	{ "shell", 0, "LINE", "judge a line of sh or bash", set, CHECK_SHELL },
	{ "unsandboxed", 0, NULL, "the call asks to run outside the sandbox", set,
	  CHECK_UNSANDBOXED },
	{ "no-approver", 0, NULL, "nobody can be asked: what would ask is denied", set,
	  CHECK_NO_APPROVER },
	{ "audit", 0, NULL, "record the answer in the audit log", set, CHECK_AUDIT },
};

static const char *word_of(enum decision d)
{
	return guard_decision_name(d);
}

#define RULE_SHOWN 160 /* bytes; --json has all of it */

/* ---- for people --------------------------------------------------------- */

static void line(const char *indent, const char *label, const char *value)
{
	char shown[4 * PATH_MAX];

	if (!value[0])
		return;
	str_escape(shown, sizeof(shown), value, strlen(value));
	(void)printf("%s%-9s %s\n", indent, label, shown);
}

static void print_opinion(const char *indent, const struct guard_opinion *o)
{
	_cleanup_buf_ struct buf rule = BUF_INIT(1u << 20);
	char origin[PATH_MAX + 16];

	guard_opinion_rule(o, &rule);
	guard_origin(&o->origin, origin, sizeof(origin));
	/* A row of a list names many commands. */
	if (rule.len > RULE_SHOWN)
		(void)snprintf(rule.data + RULE_SHOWN - 3, 4, "...");
	line(indent, "rule:", rule.data ? rule.data : "");
	line(indent, "from:", origin);
	line(indent, "reason:", o->reason);
	if (o->rule && o->rule->why)
		line(indent, "why:", o->rule->why);
}

static void print_effects(effects_t set)
{
	const char *before = "";

	(void)printf("  [");
	for (int e = 0; e < EFFECT_N; e++) {
		if (!(set & EFFECT_BIT(e)))
			continue;
		(void)printf("%s%s", before, effect_name((enum effect)e));
		before = " ";
	}
	(void)printf("]\n");
}

static void print_parts(const struct guard_answer *a, const char *text)
{
	char shown[8192];

	for (size_t i = 0; i < a->n_parts; i++) {
		const struct guard_part *p = &a->parts[i];

		guard_show_part(p->part, text, shown, sizeof(shown));
		(void)printf("  %-5s %s", word_of(p->opinion.decision), shown);
		if (p->part->origin != SHELL_TOP)
			(void)printf("  (%s)",
				     shell_origin_name((enum shell_origin)p->part->origin));
		print_effects(p->effects);
		if (a->n_parts > 1 && p->opinion.decision != VERDICT_ALLOW)
			print_opinion("        ", &p->opinion);
		if (p->advice)
			line("        ", "advisory:", p->advice->why ? p->advice->why : "noted");
	}
}

static void print_text(const struct guard_answer *a, const struct guard_call *c)
{
	char shown[8192], origin[PATH_MAX + 16];

	guard_show_line(c->line, c->text, shown, sizeof(shown));
	(void)printf("%s%s: %s\n", word_of(a->opinion.decision),
		     a->n_parts && !a->sandbox.sandboxed ? " (unsandboxed)" : "", shown);
	print_parts(a, c->text);
	print_opinion("  ", &a->opinion);
	if (c->line->note[0])
		line("  ", "unclear:", c->line->note);
	guard_origin(&a->sandbox.origin, origin, sizeof(origin));
	(void)printf("  %-9s %s: %s%s%s\n", "sandbox:", a->sandbox.sandboxed ? "yes" : "no",
		     a->sandbox.reason, origin[0] ? ", from " : "", origin);
}

/* ---- for machines ------------------------------------------------------- */

static void json_effects(struct buf *b, const char *name, effects_t set)
{
	bool first = true;

	(void)buf_addf(b, ",\"%s\":[", name);
	for (int e = 0; e < EFFECT_N; e++) {
		if (!(set & EFFECT_BIT(e)))
			continue;
		(void)buf_addf(b, "%s\"%s\"", first ? "" : ",", effect_name((enum effect)e));
		first = false;
	}
	(void)buf_adds(b, "]");
}

static void json_opinion(struct buf *b, const struct guard_opinion *o)
{
	_cleanup_buf_ struct buf rule = BUF_INIT(1u << 20);
	char origin[PATH_MAX + 16];

	guard_opinion_rule(o, &rule);
	guard_origin(&o->origin, origin, sizeof(origin));
	json_member_str(b, "source", guard_source_name(o->source));
	json_member_str(b, "rule", rule.data ? rule.data : "");
	json_member_str(b, "origin", origin);
	json_member_str(b, "reason", o->reason);
	if (o->rule && o->rule->why)
		json_member_str(b, "why", o->rule->why);
	if (o->rule && o->rule->enforcement == GUARD_SOFT && o->decision == VERDICT_DENY)
		json_member_bool(b, "soft", true);
}

static void json_parts(struct buf *b, const struct guard_answer *a, const char *text)
{
	char shown[8192];

	(void)buf_adds(b, ",\"parts\":[");
	for (size_t i = 0; i < a->n_parts; i++) {
		const struct guard_part *p = &a->parts[i];

		guard_show_part(p->part, text, shown, sizeof(shown));
		(void)buf_adds(b, i ? "," : "");
		json_begin(b);
		json_member_str(b, "command", shown);
		json_member_str(b, "verdict", word_of(p->opinion.decision));
		json_member_str(b, "context",
				shell_origin_name((enum shell_origin)p->part->origin));
		json_effects(b, "effects", p->effects);
		json_effects(b, "asks", p->asks);
		json_opinion(b, &p->opinion);
		json_member_bool(b, "certain", !p->part->why);
		if (p->advice)
			json_member_str(b, "advisory", p->advice->why ? p->advice->why : "");
		json_end(b);
	}
	(void)buf_adds(b, "]");
}

static void json_sandbox(struct buf *b, const struct guard_answer *a)
{
	char origin[PATH_MAX + 16];

	guard_origin(&a->sandbox.origin, origin, sizeof(origin));
	json_member_bool(b, "sandboxed", a->sandbox.sandboxed);
	json_member_bool(b, "unsandboxed", a->n_parts && !a->sandbox.sandboxed);
	json_member_bool(b, "override", a->sandbox.overridden);
	json_member_bool(b, "override_ignored", a->sandbox.ignored);
	json_member_str(b, "sandbox_reason", a->sandbox.reason);
	json_member_str(b, "sandbox_origin", origin);
}

static int print_json(const struct guard_answer *a, const struct guard_call *c)
{
	_cleanup_buf_ struct buf b = BUF_INIT(64u << 20);
	char shown[8192];

	guard_show_line(c->line, c->text, shown, sizeof(shown));
	json_begin(&b);
	json_member_str(&b, "verdict", word_of(a->opinion.decision));
	json_member_str(&b, "command", shown);
	json_member_str(&b, "mode", mode_name(c->mode));
	json_opinion(&b, &a->opinion);
	json_sandbox(&b, a);
	json_effects(&b, "effects", a->effects);
	json_member_bool(&b, "certain", !c->line->why);
	if (c->line->note[0])
		json_member_str(&b, "unclear", c->line->note);
	json_parts(&b, a, c->text);
	if (a->opinion.decision == VERDICT_ASK) {
		(void)buf_adds(&b, ",\"confirmation\":");
		if (guard_confirm_json(a, c, &b) < 0)
			return -ENOMEM;
	}
	json_end(&b);
	if (b.failed)
		return -ENOMEM;
	(void)puts(b.data);
	return 0;
}

/* ---- the verb ----------------------------------------------------------- */

static int record(const struct guard_setup *s, const struct guard_answer *a,
		  const struct guard_call *c, struct berm_err *err)
{
	_cleanup_buf_ struct buf b = BUF_INIT(AUDIT_LINE_MAX);
	_cleanup_buf_ struct buf rule = BUF_INIT(1u << 20);
	char shown[8192], origin[PATH_MAX + 16];

	guard_show_line(c->line, c->text, shown, sizeof(shown));
	guard_opinion_rule(&a->opinion, &rule);
	guard_origin(&a->opinion.origin, origin, sizeof(origin));
	audit_time(&b);
	(void)buf_adds(&b, ",\"event\":\"check\"");
	json_member_str(&b, "decision", word_of(a->opinion.decision));
	json_member_str(&b, "command", shown);
	json_member_str(&b, "mode", mode_name(c->mode));
	json_effects(&b, "effects", a->effects);
	json_member_bool(&b, "unsandboxed", a->n_parts && !a->sandbox.sandboxed);
	json_member_bool(&b, "override", a->sandbox.overridden);
	json_member_str(&b, "source", guard_source_name(a->opinion.source));
	json_member_str(&b, "rule", rule.data ? rule.data : "");
	json_member_str(&b, "origin", origin);
	json_member_str(&b, "reason", a->opinion.reason);
	if (b.failed)
		return err_set(err, -E2BIG, "the answer is too long for the audit log");
	/* Perhaps nothing was run yet. */
	if (make_dirs(s->spec->state_dir, 0700) < 0)
		return err_errno(err, -errno, "cannot make %s", s->spec->state_dir);
	return audit_append(s->spec->state_dir, b.data, b.len, AUDIT_WAIT_MS, err);
}

static int check(struct check_opts *o, char **words, size_t n)
{
	_cleanup_answer_ struct guard_answer a = { 0 };
	_cleanup_setup_ struct guard_setup s = { 0 };
	_cleanup_shell_line_ struct shell_line *parsed = NULL;
	struct berm_err err = { 0 };
	struct guard_call c;
	int r;

	if (guard_setup_make(&o->run, &s, &err) < 0)
		return cli_fail(&err);
	guard_setup_call(&s, &c);
	r = o->shell ? shell_parse(o->shell, strlen(o->shell), &parsed, &err)
		     : shell_parse_argv((const char *const *)words, n, &parsed, &err);
	if (r < 0)
		return cli_fail(&err);
	c.line = parsed;
	c.text = o->shell;
	c.override = o->unsandboxed;
	if (guard_decide(s.rules, &s.policy, &c, &a, &err) < 0)
		return cli_fail(&err);
	guard_settle(&a, !o->no_approver);
	if (o->audit && record(&s, &a, &c, &err) < 0)
		return cli_fail(&err);
	if (!o->run.json) {
		print_text(&a, &c);
	} else if (print_json(&a, &c) < 0) {
		(void)err_set(&err, -ENOMEM, "out of memory");
		return cli_fail(&err);
	}
	return cli_finish(guard_exit_status(a.opinion.decision));
}

int verb_check(int argc, char **argv)
{
	struct check_opts o = { .run = RUN_OPTS_INIT };
	struct guard_opts_table table;
	struct opt_result res;
	struct berm_err err = { 0 };
	int status;

	if (guard_opts_join(own, ARRAY_SIZE(own), &table, &err) < 0 ||
	    opts_parse(&table.all, &o, argc, argv, true, &res, &err) < 0) {
		status = cli_fail(&err);
	} else if (res.help) {
		status = cli_help(usage, &table.own, more);
	} else if ((argc > res.first) == (o.shell != NULL)) {
		(void)err_set(&err, -EINVAL, "%s",
			      o.shell ? "--shell takes its line alone, no command beside it"
				      : "a command is needed");
		err_fix(&err,
			"as in: berm check -- git push, or berm check --shell 'cd x && make'");
		status = cli_fail(&err);
	} else {
		status = check(&o, argv + res.first, (size_t)(argc - res.first));
	}
	run_opts_free(&o.run);
	return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* berm rules: the guard's rules, shown, written, taken out and tried. */
#include "cli/cli.h"

#include <string.h>

#include "cli/rules_cli.h"

static const char usage[] =
	"usage: berm rules list [OPTION]...               the rules in force\n"
	"       berm rules add DECISION SUBJECT [OPTION]...  write one: allow, ask, deny\n"
	"       berm rules rm ID [OPTION]...              take one out, by list's ID\n"
	"       berm rules test SUBJECT [OPTION]...       what would be decided\n"
	"SUBJECT: an effect (gitPush, fileDelete, ...) or a command's first words.\n"
	"Exit status: 0; of test 0 allowed, 1 denied, 2 ask; 125 error.\n";

static const char more[] = "And the options of berm run that say what the command may touch.\n"
			   "  berm rules add deny gitPush --ref main --ref 'release/*'\n"
			   "  berm rules add allow 'npm test' --expires 7d --local\n"
			   "  berm rules test gitPush --ref feature/x\n";

enum rules_opt {
	RULES_USER,
	RULES_LOCAL,
	RULES_PATTERN,
	RULES_ANYWHERE,
	RULES_PATH,
	RULES_REF,
	RULES_HOST,
	RULES_COMMAND,
	RULES_COUNT,
	RULES_CENTS,
	RULES_ENFORCEMENT,
	RULES_EXPIRES,
	RULES_WHY,
};

static int set_flag(void *ctx, const struct opt_def *def, const char *value, struct berm_err *err)
{
	struct rules_opts *o = ctx;
	bool *flags[] = { [RULES_USER] = &o->user,
			  [RULES_LOCAL] = &o->local,
			  [RULES_PATTERN] = &o->pattern,
			  [RULES_ANYWHERE] = &o->anywhere };

	(void)value;
	(void)err;
	*flags[def->param] = true;
	return 0;
}

static int set_facet(void *ctx, const struct opt_def *def, const char *value, struct berm_err *err)
{
	struct rules_opts *o = ctx;
	struct strv *lists[] = { [RULES_PATH] = &o->limits.paths,
				 [RULES_REF] = &o->limits.refs,
				 [RULES_HOST] = &o->limits.hosts,
				 [RULES_COMMAND] = &o->limits.commands };

	if (!*value)
		return err_set(err, -EINVAL, "--%s needs a value", def->name);
	return strv_add(lists[def->param], value) < 0 ? err_set(err, -ENOMEM, "out of memory") : 0;
}

static int set_amount(void *ctx, const struct opt_def *def, const char *value, struct berm_err *err)
{
	struct rules_opts *o = ctx;
	char *end;
	long n;

	errno = 0;
	n = strtol(value, &end, 10);
	if (errno || *end || end == value || n < 0)
		return err_set(err, -EINVAL, "--%s \"%s\" is not a number", def->name, value);
	if (def->param == RULES_COUNT)
		o->limits.max_count = n;
	else
		o->limits.max_cents = n;
	return 0;
}

static int set_text(void *ctx, const struct opt_def *def, const char *value, struct berm_err *err)
{
	struct rules_opts *o = ctx;

	if (def->param == RULES_EXPIRES)
		return rules_expiry(value, &o->expires, err);
	if (def->param == RULES_WHY) {
		o->why = value;
		return 0;
	}
	o->enforcement = guard_enforcement_parse(value);
	if (o->enforcement >= 0)
		return 0;
	(void)err_set(err, -EINVAL, "--enforcement %s: not a known value", value);
	err_fix(err, "one of: hard, soft, advisory");
	return -EINVAL;
}

static const struct opt_def own[] = {
	{ "user", 0, NULL, "add, rm: in your own policy.json (default)", set_flag, RULES_USER },
	{ "local", 0, NULL, "add, rm: in this project's .berm/policy.local.json", set_flag,
	  RULES_LOCAL },
	{ "pattern", 0, NULL, "SUBJECT is a pattern: npm run test:*", set_flag, RULES_PATTERN },
	{ "path", 0, "GLOB", "only for these paths; !GLOB: not for them", set_facet, RULES_PATH },
	{ "ref", 0, "GLOB", "only for these branches", set_facet, RULES_REF },
	{ "host", 0, "HOST", "only for these hosts", set_facet, RULES_HOST },
	{ "command", 0, "WORDS", "only for commands that begin so", set_facet, RULES_COMMAND },
	{ "max-count", 0, "N", "allow up to N, ask or deny beyond", set_amount, RULES_COUNT },
	{ "max-cents", 0, "N", "the same for money", set_amount, RULES_CENTS },
	{ "enforcement", 0, "KIND", "hard (default), soft, advisory", set_text, RULES_ENFORCEMENT },
	{ "expires", 0, "WHEN", "30m, 12h, 7d, or 2030-12-31T23:59:59Z", set_text, RULES_EXPIRES },
	{ "why", 0, "TEXT", "shown with the decision", set_text, RULES_WHY },
	{ "anywhere", 0, NULL, "a deny or ask that no stronger layer lifts", set_flag,
	  RULES_ANYWHERE },
};

static int usage_error(const char *what)
{
	struct berm_err err = { 0 };

	(void)err_set(&err, -EINVAL, "%s", what);
	err_fix(&err, "as in: berm rules add deny gitPush --ref main");
	return cli_fail(&err);
}

static int dispatch(struct rules_opts *o, char **words, int n)
{
	if (n == 1 && streq(words[0], "list"))
		return rules_list(o);
	if (n == 3 && streq(words[0], "add"))
		return rules_add(o, words[1], words[2]);
	if (n == 2 && streq(words[0], "rm"))
		return rules_rm(o, words[1]);
	if (n == 2 && streq(words[0], "test"))
		return rules_test(o, words[1]);
	return usage_error("one of list, add, rm, test is needed, with its words");
}

int verb_rules(int argc, char **argv)
{
	struct rules_opts o = { .run = RUN_OPTS_INIT,
				.limits = { .max_count = -1, .max_cents = -1 } };
	struct guard_opts_table table;
	struct opt_result res;
	struct berm_err err = { 0 };
	int status;

	if (guard_opts_join(own, ARRAY_SIZE(own), &table, &err) < 0 ||
	    opts_parse(&table.all, &o, argc, argv, false, &res, &err) < 0)
		status = cli_fail(&err);
	else if (res.help)
		status = cli_help(usage, &table.own, more);
	else if (o.user && o.local)
		status = usage_error("--user and --local exclude each other");
	else
		status = dispatch(&o, argv + res.first, argc - res.first);
	strv_free(&o.limits.paths);
	strv_free(&o.limits.refs);
	strv_free(&o.limits.hosts);
	strv_free(&o.limits.commands);
	run_opts_free(&o.run);
	return status;
}

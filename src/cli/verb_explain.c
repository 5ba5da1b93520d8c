/* SPDX-License-Identifier: Apache-2.0 */
/* berm explain: the spec and the plan of a run, printed instead of done. */
#include "cli/cli.h"

#include <limits.h>
#include <string.h>

#include "cli/run_opts.h"
#include "plan/plan.h"
#include "plan/tier.h"
#include "policy/explain.h"
#include "policy/front.h"
#include "base/json_out.h"

#define OUTPUT_MAX (16u << 20)

static const char usage[] =
	"usage: berm explain [OPTION]...\n"
	"Prints the policy a run with these options would have, each value with the file\n"
	"and line it comes from, what will be done, and what that cannot promise.\n"
	"With --coverage [KIND]: what berm does with each key of another tool's settings.\n";

static const char *const not_promised[] = {
	"The kernel is shared with the host: a hole in it is a hole in the wall.",
	"Programs that you run later on what the command wrote run with your rights.",
	("A file with another name (hard link) that existed before is one file: it is judged by "
	 "the name that is used."),
	"An interpreter that may run can run a script that may not be executed.",
};

static const char mask_not_promised[] =
	"Secrets in a wider view (root or home: host) are masked by mounts at their names: a secret "
	"that gets another name while the command runs is seen under that one.";

static void steps_text(const struct plan *p, struct buf *out)
{
	char line[8192], shown[4 * PATH_MAX];

	(void)buf_adds(out, "steps (linux)\n");
	for (size_t i = 0; i < p->n_steps; i++) {
		plan_describe(p, i, line, sizeof(line));
		str_escape(shown, sizeof(shown), line, strlen(line));
		(void)buf_addf(out, "  %3zu %s\n", i + 1, shown);
	}
	(void)buf_adds(
		out,
		"changes in these trees are: governed: judged and made by the supervisor; "
		"free: made by it;\nnative: made by the command; write: existing files only\n");
	for (size_t i = 0; i < p->n_trees; i++) {
		str_escape(shown, sizeof(shown), p->trees[i].path, strlen(p->trees[i].path));
		(void)buf_addf(out, "  %-9s %s\n", tree_kind_name(p->trees[i].kind), shown);
	}
}

static bool has_masks(const struct spec *spec)
{
	return spec->hidden.n && (spec->root == ROOT_HOST || spec->home == HOME_HOST);
}

/* What becomes of this policy on a host that lacks a part (docs/tiers.md). The host is not
 * tried: berm doctor does that. */
static void tiers_text(const struct spec *spec, const struct plan *plan, struct buf *out)
{
	(void)buf_adds(out, "where the host lacks a part (berm doctor tries it)\n");
	for (unsigned i = 0; i < LACKS; i++) {
		const struct lack_info *l = lack_info(i);
		struct berm_err err = { 0 };

		if (tier_check(spec, plan, 1u << i, &err) < 0)
			(void)buf_addf(out, "  %-13s refused: %s\n", l->name, err.msg);
		else
			(void)buf_addf(out, "  %-13s tier %s: %s\n", l->name,
				       tier_info(l->tier)->name, l->lost);
	}
}

static void tiers_json(const struct spec *spec, const struct plan *plan, struct buf *out)
{
	(void)buf_adds(out, "],\"tiers\":[");
	for (unsigned i = 0; i < LACKS; i++) {
		const struct lack_info *l = lack_info(i);
		struct berm_err err = { 0 };
		bool held = tier_check(spec, plan, 1u << i, &err) >= 0;

		(void)buf_adds(out, i ? "," : "");
		json_begin(out);
		json_member_str(out, "lack", l->name);
		json_member_str(out, "missing", l->missing);
		json_member_str(out, "tier", tier_info(l->tier)->name);
		json_member_bool(out, "runs", held);
		json_member_str(out, held ? "lost" : "refused", held ? l->lost : err.msg);
		json_end(out);
	}
}

static int text(const struct spec *spec, const struct plan *plan, struct buf *out)
{
	if (explain_text(spec, out) < 0)
		return -ENOMEM;
	steps_text(plan, out);
	tiers_text(spec, plan, out);
	(void)buf_adds(out, "not promised\n");
	for (size_t i = 0; i < ARRAY_SIZE(not_promised); i++)
		(void)buf_addf(out, "  %s\n", not_promised[i]);
	if (has_masks(spec))
		(void)buf_addf(out, "  %s\n", mask_not_promised);
	return out->failed ? -ENOMEM : 0;
}

static int json(const struct spec *spec, const struct plan *plan, struct buf *out)
{
	char line[8192];

	(void)buf_adds(out, "{\"target\":\"linux\",\"policy\":");
	if (explain_json(spec, out) < 0)
		return -ENOMEM;
	(void)buf_adds(out, ",\"steps\":[");
	for (size_t i = 0; i < plan->n_steps; i++) {
		plan_describe(plan, i, line, sizeof(line));
		(void)buf_adds(out, i ? "," : "");
		(void)json_quote(out, line, strlen(line));
	}
	(void)buf_adds(out, "],\"trees\":[");
	for (size_t i = 0; i < plan->n_trees; i++) {
		(void)buf_adds(out, i ? "," : "");
		json_begin(out);
		json_member_str(out, "path", plan->trees[i].path);
		json_member_str(out, "changes", tree_kind_name(plan->trees[i].kind));
		json_end(out);
	}
	tiers_json(spec, plan, out);
	(void)buf_adds(out, "],\"not_promised\":[");
	for (size_t i = 0; i < ARRAY_SIZE(not_promised); i++) {
		(void)buf_adds(out, i ? "," : "");
		(void)json_quote(out, not_promised[i], strlen(not_promised[i]));
	}
	if (has_masks(spec)) {
		(void)buf_adds(out, ",");
		(void)json_quote(out, mask_not_promised, strlen(mask_not_promised));
	}
	(void)buf_adds(out, "]}\n");
	return out->failed ? -ENOMEM : 0;
}

static int explain(const struct run_opts *o)
{
	_cleanup_(cleanup_plan_) struct plan *plan = NULL;
	_cleanup_spec_ struct spec *spec = NULL;
	_cleanup_buf_ struct buf out = BUF_INIT(OUTPUT_MAX);
	struct berm_err err = { 0 };
	struct policy_input in;

	run_opts_input(o, NULL, &in);
	/* The plan looks into the private home, so that it has to be there. */
	in.pretend = false;
	if (policy_resolve(&in, &spec, &err) < 0 || plan_build(spec, &plan, &err) < 0)
		return cli_fail(&err);
	if ((o->json ? json : text)(spec, plan, &out) < 0) {
		(void)err_set(&err, -ENOMEM, "the explanation is too long");
		return cli_fail(&err);
	}
	(void)fputs(out.data, stdout);
	return cli_finish(0);
}

static int coverage(const struct run_opts *o, const char *name)
{
	_cleanup_buf_ struct buf out = BUF_INIT(OUTPUT_MAX);
	int kind = name ? front_kind_parse(name) : -1;
	struct berm_err err = { 0 };

	if (name && kind < 0) {
		(void)err_set(&err, -EINVAL, "there are no settings of kind \"%s\"", name);
		err_fix(&err, "kinds: claude, srt, codex");
		return cli_fail(&err);
	}
	if ((o->json ? front_coverage_json : front_coverage_text)(kind, &out) < 0) {
		(void)err_set(&err, -ENOMEM, "the list is too long");
		return cli_fail(&err);
	}
	(void)fputs(out.data, stdout);
	return cli_finish(0);
}

int verb_explain(int argc, char **argv)
{
	_cleanup_run_opts_ struct run_opts o = RUN_OPTS_INIT;
	struct opt_table table = run_opts_explain_table(), own = run_opts_explain_own_table();
	struct opt_result res;
	struct berm_err err = { 0 };

	if (opts_parse(&table, &o, argc, argv, false, &res, &err) < 0)
		return cli_fail(&err);
	if (res.help)
		return cli_help(usage, &own, run_opts_policy_help);
	if (o.coverage && argc - res.first <= 1)
		return coverage(&o, res.first < argc ? argv[res.first] : NULL);
	if (res.first < argc) {
		(void)err_set(&err, -EINVAL, "berm explain takes options only");
		err_fix(&err, "about one path: berm why read|write|create|delete|exec PATH");
		return cli_fail(&err);
	}
	return explain(&o);
}

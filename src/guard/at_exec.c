/* SPDX-License-Identifier: Apache-2.0 */
#include "guard/at_exec.h"

bool guard_at_exec_wanted(const struct guard_policy *g)
{
	for (size_t i = 0; i < g->n_rules; i++)
		if (g->rules[i]->decision != VERDICT_ALLOW &&
		    g->rules[i]->enforcement != GUARD_ADVISORY)
			return true;
	return false;
}

/* Allows count only where they outweigh a rule of the same kind, which the resolver did. */
static void weigh(struct guard_opinion *sum, const struct guard_policy *g, struct guard_opinion o)
{
	if (o.source != GUARD_FROM_RULE && o.source != GUARD_FROM_FLOOR)
		return;
	if (o.decision == VERDICT_ASK && g->autonomy == AUTONOMY_PROPOSE)
		o.decision = VERDICT_DENY;
	else if (o.decision == VERDICT_ASK && g->autonomy == AUTONOMY_FREE &&
		 o.rule->layer != LAYER_MANAGED)
		return;
	opinion_tighten(sum, &o);
}

static int judge_part(const struct guard_rules *r, const struct guard_policy *g,
		      const struct guard_exec *x, const struct shell_part *written,
		      struct guard_opinion *sum)
{
	_cleanup_extract_ struct guard_extract facts = { 0 };
	struct shell_part part = *written;
	struct guard_opinion o;
	effects_t effects;

	if (x->more)
		part.flags |= SHELL_APPENDED;
	if (guard_extract(&part, &x->place, false, &facts) < 0)
		return -ENOMEM;
	if (x->more)
		facts.facts.paths.more = facts.facts.refs.more = facts.facts.more_hosts = true;
	if (guard_resolve_command(r, &part, x->now, &o))
		weigh(sum, g, o);
	effects = shell_classify(&part);
	for (int e = 0; e < EFFECT_N; e++) {
		if (!(effects & EFFECT_BIT(e)))
			continue;
		guard_resolve_effect(r, (enum effect)e, &facts.facts, x->mode, x->now, &o);
		weigh(sum, g, o);
	}
	return 0;
}

int guard_at_exec(const struct guard_rules *r, const struct guard_policy *g,
		  const struct guard_exec *x, struct guard_opinion *ret, struct berm_err *err)
{
	_cleanup_shell_line_ struct shell_line *line = NULL;
	struct guard_opinion sum = { .decision = VERDICT_ALLOW,
				     .source = GUARD_FROM_AUTO,
				     .reason = "no rule speaks against it" };

	if (shell_parse_argv(x->argv, x->n, &line, err) < 0)
		return err->code;
	/* The program itself: what a shell or a wrapper starts comes here by itself. */
	if (line->n_parts && judge_part(r, g, x, &line->parts[0], &sum) < 0)
		return err_set(err, -ENOMEM, "out of memory");
	*ret = sum;
	return 0;
}

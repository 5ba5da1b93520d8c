/* SPDX-License-Identifier: Apache-2.0 */
/* One line, part by part. Each part collects opinions, the strictest counts:
 *
 *   - the fixed lists of commands, and in modes that change nothing their list;
 *   - rules about commands;
 *   - each effect it has (resolve.c);
 *   - doubt: what could not be read is never allowed silently;
 *   - where nothing of this speaks: allowed in the sandbox, asked about outside of it.
 *
 * A rule of the user's that allows the command, or all that it does, takes away what only lists
 * and defaults ask; never what a list, a mode or another rule denies. */
#include "guard/decide.h"

#include <string.h>

#include "guard/rules_impl.h"

/* Effects that the sandbox holds by itself: what is deleted lies in the workspace. */
#define CONTAINED (EFFECT_BIT(EFFECT_FILE_DELETE) | EFFECT_BIT(EFFECT_FILE_WRITE_OUTSIDE_WORKTREE))
/* Effects that nearly every command has: to allow them says nothing about others. */
#define COMMON (EFFECT_BIT(EFFECT_PROCESS_SPAWN) | EFFECT_BIT(EFFECT_NETWORK_EGRESS))

struct judging {
	const struct guard_rules *r;
	const struct guard_policy *g;
	const struct guard_call *c;
	const struct guard_answer *a;
	bool changes_nothing; /* the mode */
};

static struct guard_opinion plain(enum decision d, enum guard_source source, const char *reason)
{
	return (struct guard_opinion){ .decision = d, .source = source, .reason = reason };
}

/* ---- the dial ----------------------------------------------------------- */

/* What the dial leaves alone: doubt, a call that asks to leave, the administrator. */
static bool beyond_dial(const struct guard_opinion *o)
{
	return o->source == GUARD_FROM_DOUBT || o->source == GUARD_FROM_OVERRIDE ||
	       (o->rule && o->rule->layer == LAYER_MANAGED);
}

static void dial(const struct judging *j, struct guard_opinion *o)
{
	if (o->decision != VERDICT_ASK || j->g->autonomy == AUTONOMY_ASK)
		return;
	if (j->g->autonomy == AUTONOMY_PROPOSE) {
		o->decision = VERDICT_DENY;
		o->reason = "autonomy \"propose\": what would ask is denied";
	} else if (!beyond_dial(o)) {
		o->decision = VERDICT_ALLOW;
		o->reason = "autonomy \"free\": what would ask is allowed";
	} else {
		return;
	}
	o->source = GUARD_FROM_AUTONOMY;
	if (!o->origin.file)
		o->origin = j->g->autonomy_from;
}

/* Returns what came of it. */
static enum decision weigh(const struct judging *j, struct guard_part *p, struct guard_opinion o)
{
	dial(j, &o);
	/* That the dial allows it says more than that nothing speaks against it. */
	if (o.source == GUARD_FROM_AUTONOMY && p->opinion.source == GUARD_FROM_AUTO)
		p->opinion = o;
	else
		opinion_tighten(&p->opinion, &o);
	return o.decision;
}

/* ---- lists -------------------------------------------------------------- */

static struct guard_opinion from_row(enum decision d, enum guard_source source,
				     const struct shell_rule *row, const char *reason)
{
	return (struct guard_opinion){ .decision = d,
				       .source = source,
				       .row = row->text,
				       .origin = { row->file, row->line },
				       .reason = reason };
}

/* A list that denies; one that may be meant is a question, or no where nothing may change. */
static void hold_list(const struct judging *j, struct guard_part *p, enum shell_list list,
		      enum guard_source source, const char *reason)
{
	struct shell_rule row = { 0 };
	enum shell_match m = shell_list_match(list, p->part, &row);

	if (m == SHELL_HIT)
		(void)weigh(j, p, from_row(VERDICT_DENY, source, &row, reason));
	else if (m == SHELL_MAYBE)
		(void)weigh(j, p,
			    from_row(j->changes_nothing ? VERDICT_DENY : VERDICT_ASK,
				     GUARD_FROM_DOUBT, &row, "it may be a command that is denied"));
}

static void hold_lists(const struct judging *j, struct guard_part *p)
{
	hold_list(j, p, SHELL_LIST_DENY, GUARD_FROM_LIST, "denied in every mode");
	if (!j->changes_nothing)
		return;
	hold_list(j, p, SHELL_LIST_ASK, GUARD_FROM_MODE, "this mode changes nothing");
	hold_list(j, p, SHELL_LIST_READONLY, GUARD_FROM_MODE, "this mode changes nothing");
}

static void ask_list(const struct judging *j, struct guard_part *p)
{
	struct shell_rule row = { 0 };
	enum shell_match m =
		j->changes_nothing ? SHELL_MISS : shell_list_match(SHELL_LIST_ASK, p->part, &row);

	if (m == SHELL_HIT && !p->by_rule)
		(void)weigh(j, p,
			    from_row(VERDICT_ASK, GUARD_FROM_LIST, &row, "asked about in chat"));
	else if (m == SHELL_MAYBE)
		(void)weigh(j, p,
			    from_row(VERDICT_ASK, GUARD_FROM_DOUBT, &row,
				     "it may be a command that is asked about"));
}

/* ---- effects ------------------------------------------------------------ */

static bool allows(const struct guard_opinion *o)
{
	return o->decision == VERDICT_ALLOW && o->source == GUARD_FROM_RULE;
}

/* Asks of the defaults that the sandbox answers: nothing leaves it. */
static bool contained(const struct judging *j, effects_t bit)
{
	return (bit & CONTAINED) && j->a->sandbox.sandboxed && j->g->auto_allow &&
	       j->g->template == TEMPLATE_DEFAULT;
}

static void weigh_effects(const struct judging *j, struct guard_part *p,
			  const struct guard_facts *f, bool command_allowed)
{
	effects_t allowed = 0;

	for (int e = 0; e < EFFECT_N; e++) {
		effects_t bit = EFFECT_BIT(e);
		struct guard_opinion o;

		if (!(p->effects & bit))
			continue;
		guard_resolve_effect(j->r, (enum effect)e, f, j->c->mode, j->c->now, &o);
		if (allows(&o))
			allowed |= bit;
		if (o.decision == VERDICT_ASK && o.source == GUARD_FROM_DEFAULT &&
		    (command_allowed || contained(j, bit)))
			continue;
		if (weigh(j, p, o) == VERDICT_ASK)
			p->asks |= bit;
	}
	p->by_rule = command_allowed || (p->effects && allowed == p->effects) ||
		     ((p->effects & ~COMMON) && !(p->effects & ~COMMON & ~allowed));
}

/* ---- a part ------------------------------------------------------------- */

static void weigh_doubt(const struct judging *j, struct guard_part *p)
{
	/* Code of other languages and sourced files are what the sandbox is for; the strict
	 * template wants to be asked. */
	uint32_t left = j->g->template == TEMPLATE_STRICT ? 0 : SHELL_WHY_CODE | SHELL_WHY_SOURCE;

	if (p->part->blind & ~left)
		(void)weigh(j, p,
			    plain(j->changes_nothing ? VERDICT_DENY : VERDICT_ASK, GUARD_FROM_DOUBT,
				  "what it runs cannot be read from the line"));
}

/* C7: no rule speaks against it. */
static void auto_allow(const struct judging *j, struct guard_part *p)
{
	if (p->opinion.decision != VERDICT_ALLOW || p->by_rule)
		return;
	if (!j->a->sandbox.sandboxed)
		(void)weigh(j, p,
			    plain(VERDICT_ASK, GUARD_FROM_UNSANDBOXED,
				  "it would run outside the sandbox, and no rule allows it"));
	else if (!j->g->auto_allow)
		(void)weigh(j, p,
			    plain(VERDICT_ASK, GUARD_FROM_AUTO,
				  "no rule allows it, and the settings want one"));
}

static int judge_part(const struct judging *j, struct guard_part *p, bool moved)
{
	_cleanup_extract_ struct guard_extract x = { 0 };
	struct guard_opinion command;
	bool has_command, allowed;

	if (guard_extract(p->part, &j->c->place, moved, &x) < 0)
		return -ENOMEM;
	p->effects = shell_classify(p->part);
	if (x.writes_outside)
		p->effects |= EFFECT_BIT(EFFECT_FILE_WRITE_OUTSIDE_WORKTREE);
	p->opinion = plain(VERDICT_ALLOW, GUARD_FROM_AUTO,
			   "it runs in the sandbox, and no rule speaks against it");
	hold_lists(j, p);
	has_command = guard_resolve_command(j->r, p->part, j->c->now, &command);
	allowed = has_command && allows(&command);
	weigh_effects(j, p, &x.facts, allowed);
	if (allowed && p->opinion.decision == VERDICT_ALLOW)
		p->opinion = command;
	else if (has_command && !allowed)
		(void)weigh(j, p, command);
	ask_list(j, p);
	weigh_doubt(j, p);
	auto_allow(j, p);
	if (p->by_rule && !allowed && p->opinion.decision == VERDICT_ALLOW)
		p->opinion.reason = "rules allow all that it does";
	p->advice = guard_advice(j->r, p->effects, &x.facts, j->c->now);
	return 0;
}

/* ---- the line ----------------------------------------------------------- */

void guard_answer_free(struct guard_answer *a)
{
	free(a->parts);
	a->parts = NULL;
}

static void weigh_whole(const struct judging *j, struct guard_answer *a)
{
	struct guard_opinion o;

	if (j->c->text && guard_resolve_whole(j->r, j->c->text, j->c->now, &o)) {
		dial(j, &o);
		opinion_tighten(&a->opinion, &o);
	}
	if (a->sandbox.overridden) {
		o = plain(VERDICT_ASK, GUARD_FROM_OVERRIDE,
			  "the call asks to run outside the sandbox");
		dial(j, &o);
		opinion_tighten(&a->opinion, &o);
	}
}

static void choose_sandbox(const struct judging *j, struct guard_answer *a)
{
	const struct guard_call *c = j->c;
	struct origin by = { 0 };
	const char *reason;
	bool excluded = guard_excluded(j->r, c->line, &by, &reason);

	guard_sandbox_state(j->g, &c->host, &a->state);
	guard_should_sandbox(j->g, &a->state, c->override, c->line->n_parts > 0, excluded, &by,
			     &a->sandbox);
}

int guard_decide(const struct guard_rules *r, const struct guard_policy *g,
		 const struct guard_call *c, struct guard_answer *ret, struct berm_err *err)
{
	struct guard_answer a = { .n_parts = c->line->n_parts };
	struct judging j = { r, g, c, &a, c->mode != MODE_CHAT };
	bool moved = false;

	a.parts = calloc(a.n_parts ? a.n_parts : 1, sizeof(*a.parts));
	if (!a.parts)
		return err_set(err, -ENOMEM, "out of memory");
	choose_sandbox(&j, &a);
	a.opinion = plain(VERDICT_ALLOW, GUARD_FROM_AUTO, "there is no command");
	for (size_t i = 0; i < a.n_parts; i++) {
		struct guard_part *p = &a.parts[i];

		p->part = &c->line->parts[i];
		if (judge_part(&j, p, moved) < 0) {
			guard_answer_free(&a);
			return err_set(err, -ENOMEM, "out of memory");
		}
		moved |= guard_moves(p->part);
		a.effects |= p->effects;
		a.asks |= p->asks;
		if (!i)
			a.opinion = p->opinion;
		else
			opinion_tighten(&a.opinion, &p->opinion);
	}
	weigh_whole(&j, &a);
	*ret = a;
	return 0;
}

void guard_settle(struct guard_answer *a, bool approver)
{
	if (a->opinion.decision != VERDICT_ASK || approver)
		return;
	a->opinion.decision = VERDICT_DENY;
	a->opinion.source = GUARD_FROM_NOBODY;
	a->opinion.reason = "it would be asked about, and nobody can answer";
}

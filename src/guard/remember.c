/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "guard/confirm.h"
#include "policy/data.h"
#include "policy/pattern.h"

void guard_memory_free(struct guard_memory *m)
{
	for (size_t i = 0; i < m->n; i++)
		guard_rule_free(m->v[i]);
	free(m->v);
	*m = (struct guard_memory){ 0 };
}

/* Takes r over. */
static int keep(struct guard_memory *m, struct guard_rule *r, int64_t now)
{
	struct guard_rule **v = reallocarray(m->v, m->n + 1, sizeof(struct guard_rule *));

	if (v)
		m->v = v;
	if (!v || !r) {
		guard_rule_free(r);
		return -ENOMEM;
	}
	r->provenance = GUARD_REMEMBERED;
	r->expires = now + GUARD_REMEMBER_SECONDS;
	m->v[m->n++] = r;
	return 0;
}

/* ---- branches ----------------------------------------------------------- */

/* Could a branch that the pattern covers be a protected one? */
static bool near_protected(const char *prefix, size_t len)
{
	for (size_t i = 0; i < data_protected_refs.n; i++) {
		const char *row = data_text(&data_protected_refs, i);
		size_t fixed = strcspn(row, "*?["), n = fixed < len ? fixed : len;

		if (strncmp(row, prefix, n) == 0)
			return true;
	}
	return false;
}

char *guard_narrow_ref(const char *ref)
{
	const char *slash = strrchr(ref, '/');
	size_t len = slash ? (size_t)(slash + 1 - ref) : 0;

	if (!len || str_starts(ref, "refs/") || near_protected(ref, len) || strpbrk(ref, "*?[\\"))
		return pattern_escape(ref);
	return str_printf("%.*s**", (int)len, ref);
}

static int add_refs(struct strv *limit, const struct strv *refs)
{
	for (size_t i = 0; i < refs->n; i++) {
		_cleanup_free_ char *glob = guard_narrow_ref(refs->v[i]);

		if (!glob || (!strv_has(limit, glob) && strv_add(limit, glob) < 0))
			return -ENOMEM;
	}
	return 0;
}

static int add_hosts(struct strv *limit, const struct guard_extract *x)
{
	for (size_t i = 0; i < x->n_hosts; i++) {
		const struct guard_host *h = &x->hosts[i];
		char text[HOST_MAX + 16];
		bool v6 = h->host.is_ip && h->host.ip.v6;

		(void)snprintf(text, sizeof(text), "%s%s%s:%u", v6 ? "[" : "", h->host.name,
			       v6 ? "]" : "", h->port);
		if (!strv_has(limit, text) && strv_add(limit, text) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int add_paths(struct strv *limit, const struct strv *paths)
{
	for (size_t i = 0; i < paths->n; i++) {
		_cleanup_free_ char *exact = pattern_escape(paths->v[i]);

		if (!exact || (!strv_has(limit, exact) && strv_add(limit, exact) < 0))
			return -ENOMEM;
	}
	return 0;
}

/* A rule about the effect, limited to what the command names. 1: there is one, 0: the command
 * does not say enough. */
static int remember_effect(struct guard_memory *m, enum effect e, const struct guard_extract *x,
			   int64_t now)
{
	struct guard_rule *r = guard_rule_new(GUARD_EFFECT, VERDICT_ALLOW);
	int res = 0;

	if (!r)
		return -ENOMEM;
	r->effect = e;
	if (e == EFFECT_GIT_PUSH && x->refs.n && !x->facts.refs.more)
		res = add_refs(&r->limits.refs, &x->refs) < 0 ? -ENOMEM : 1;
	else if (e == EFFECT_NETWORK_EGRESS && x->n_hosts && !x->facts.more_hosts)
		res = add_hosts(&r->limits.hosts, x) < 0 ? -ENOMEM : 1;
	else if (e == EFFECT_FILE_DELETE && x->paths.n && !x->facts.paths.more)
		res = add_paths(&r->limits.paths, &x->paths) < 0 ? -ENOMEM : 1;
	if (res <= 0) {
		guard_rule_free(r);
		return res;
	}
	return keep(m, r, now) < 0 ? -ENOMEM : 1;
}

/* ---- commands ----------------------------------------------------------- */

static bool runs_anything(const char *program)
{
	for (size_t i = 0; i < data_remember_never.n; i++)
		if (streq(data_text(&data_remember_never, i), program))
			return true;
	return false;
}

/* The program and its first word that is no option: "npm test". A program alone says too much,
 * unless nothing follows it. */
static int remember_command(struct guard_memory *m, const struct shell_part *part, int64_t now)
{
	const char *program = shell_program(part);
	struct guard_rule *r;

	if (!program || runs_anything(program) ||
	    (part->n_words > 1 && part->words[1].text[0] == '-'))
		return 0;
	r = guard_rule_new(GUARD_PREFIX, VERDICT_ALLOW);
	if (!r)
		return -ENOMEM;
	if (strv_add(&r->words, program) < 0 ||
	    (part->n_words > 1 && strv_add(&r->words, part->words[1].text) < 0)) {
		guard_rule_free(r);
		return -ENOMEM;
	}
	return keep(m, r, now);
}

/* ---- a part ------------------------------------------------------------- */

static bool can_be_remembered(const struct guard_part *p)
{
	const struct guard_opinion *o = &p->opinion;

	return o->decision == VERDICT_ASK && o->source != GUARD_FROM_DOUBT &&
	       o->source != GUARD_FROM_FLOOR && !p->part->why && !(p->part->flags & SHELL_APPENDED);
}

static int remember_part(struct guard_memory *m, const struct guard_part *p,
			 const struct guard_call *c, bool moved)
{
	_cleanup_extract_ struct guard_extract x = { 0 };
	effects_t left = p->asks;

	if (guard_extract(p->part, &c->place, moved, &x) < 0)
		return -ENOMEM;
	for (int e = 0; e < EFFECT_N; e++) {
		int r = p->asks & EFFECT_BIT(e) ? remember_effect(m, (enum effect)e, &x, c->now)
						: 0;

		if (r < 0)
			return r;
		if (r)
			left &= (effects_t)~EFFECT_BIT(e);
	}
	return left || !p->asks ? remember_command(m, p->part, c->now) : 0;
}

int guard_remember(const struct guard_answer *a, const struct guard_call *c,
		   struct guard_memory *ret)
{
	struct guard_memory m = { 0 };
	bool moved = false;

	for (size_t i = 0; i < a->n_parts; i++) {
		const struct guard_part *p = &a->parts[i];

		if (can_be_remembered(p) && remember_part(&m, p, c, moved) < 0) {
			guard_memory_free(&m);
			return -ENOMEM;
		}
		moved |= guard_moves(p->part);
	}
	*ret = m;
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "egress/want.h"

#include <netinet/in.h>

#include "base/str.h"
#include "egress/names.h"
#include "egress/tunnel.h"
#include "egress/who.h"

static void finish(struct want *w, int err)
{
	if (err < 0 && err != -EACCES && w->aim && err != -EMFILE && err != -ENFILE)
		aim_count_err(w->aim, w->aim->decision, -err, w->reason);
	w->done(w, err);
}

/* Alike in all but what is said here. */
static int set_aim(struct want *w, enum decision d, const struct net_verdict *v, const char *reason)
{
	const struct net_policy *p = w->b->config->policy;
	struct aim like = { 0 };
	struct aim *a;

	if (w->aim)
		like = *w->aim;
	like.how = w->how;
	like.port = w->port;
	like.decision = (uint8_t)d;
	like.rule = v && v->rule ? (int32_t)(v->rule - p->rules) : -1;
	like.err = d == VERDICT_ALLOW ? 0 : EACCES;
	like.reason = reason;
	like.answered = w->answered;
	/* What is said inside is compared with the name that was judged: there is none here. */
	like.by_address = w->host.is_ip;
	a = aim_get(w->b, &like, &w->host);
	if (!a)
		return -ENOMEM;
	aim_unref(w->aim);
	w->aim = a;
	aim_ask_who(a, &w->tuple, IPPROTO_TCP);
	return 0;
}

static void refuse(struct want *w, enum decision d, const struct net_verdict *v, const char *reason)
{
	w->reason = reason;
	if (set_aim(w, d, v, reason) == 0)
		aim_count(w->aim, 0, 0, 0);
	finish(w, -EACCES);
}

/* Rules of today; an answer of a person stands above "ask" only. */
static void judge(struct want *w, struct net_verdict *ret)
{
	net_judge(w->b->config->policy, &w->host, w->port, ret);
	if (ret->decision == VERDICT_ASK && w->answered)
		*ret = (struct net_verdict){ VERDICT_ALLOW, NULL, "answered" };
}

/* NULL, or why this address is not dialled. */
static const char *guard(struct want *w, const struct net_verdict *v, const struct ip_addr *ip)
{
	const struct net_policy *p = w->b->config->policy;
	const char *why = net_judge_address(p, v, ip, w->port);
	struct net_verdict own;
	struct host h;

	/* Who allows an address that he was shown means that address. */
	if (why && w->answered && w->host.is_ip && !ip_guard_is_hard(why))
		why = NULL;
	if (why)
		return why;
	if (names_range(ip))
		return "synthetic address";
	if (!who_is_own(w->b, ip))
		return NULL;
	host_from_ip(ip, &h);
	net_judge(p, &h, w->port, &own);
	return own.decision == VERDICT_ALLOW && own.rule ? NULL : "this machine's own address";
}

static void on_tunnel(struct tunnel *t, int err, const char *reason)
{
	struct want *w = tunnel_owner(t);

	w->reason = reason;
	if (err == 0)
		err = dial_move(&w->b->loop, tunnel_watch(t), &w->up);
	tunnel_free(w->tunnel);
	w->tunnel = NULL;
	finish(w, err);
}

static void idle(struct watch *w, uint32_t events)
{
}

static void free_dial(struct want *w)
{
	if (!w->dial)
		return;
	dial_stop(w->dial);
	/* Events of this turn may still name it. */
	loop_free(&w->b->loop, &w->dial->dead);
	w->dial = NULL;
}

static void on_dialled(struct dial *d, int err, struct dial_try *t)
{
	struct want *w = d->owner;

	if (err == 0) {
		w->aim->addr = d->ip[t->index];
		w->aim->has_addr = true;
		w->up.on = idle;
		err = dial_move(&w->b->loop, &t->watch, &w->up);
	}
	free_dial(w);
	finish(w, err);
}

static struct dial *new_dial(struct want *w)
{
	struct dial *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->b = w->b;
	d->owner = w;
	d->port = w->port;
	d->done = on_dialled;
	for (size_t i = 0; i < DIAL_TRIES; i++)
		d->tries[i].watch.fd = -1;
	w->dial = d;
	return d;
}

/* Dials those of the addresses that pass. */
static void dial_checked(struct want *w, const struct ip_addr *ip, unsigned n)
{
	struct net_verdict v;
	const char *why = NULL;
	struct dial *d;
	int r;

	/* The rules may have changed while the name was looked up. */
	judge(w, &v);
	if (v.decision != VERDICT_ALLOW) {
		refuse(w, VERDICT_DENY, &v, v.reason);
		return;
	}
	d = new_dial(w);
	if (!d) {
		finish(w, -ENOMEM);
		return;
	}
	for (unsigned i = 0; i < n && d->n < RESOLVED_MAX; i++) {
		const char *one = guard(w, &v, &ip[i]);

		if (!one) {
			d->ip[d->n++] = ip[i];
			continue;
		}
		why = one;
		w->aim->addr = ip[i];
		w->aim->has_addr = true;
	}
	if (d->n == 0) {
		free_dial(w);
		refuse(w, VERDICT_DENY, &v, why);
		return;
	}
	r = dial_start(d);
	if (r < 0) {
		free_dial(w);
		finish(w, r);
	}
}

static void on_resolved(struct lookup *l, const struct resolved *r)
{
	struct want *w = container_of(l, struct want, lookup);

	if (r->err) {
		w->reason = "the name is not known on this host";
		finish(w, r->err == -ENOENT ? -EHOSTUNREACH : r->err);
		return;
	}
	dial_checked(w, r->ip, r->n);
}

static void go(struct want *w, const struct net_verdict *v)
{
	const struct resolved *r = NULL;
	int err = set_aim(w, VERDICT_ALLOW, v, NULL);

	if (err < 0) {
		finish(w, err);
		return;
	}
	if (tunnel_wanted(w->b, &w->host, w->port)) {
		w->up.on = idle;
		err = tunnel_start(w->b, w, &w->host, w->port, on_tunnel, &w->tunnel);
		if (err < 0)
			finish(w, err);
		return;
	}
	if (w->host.is_ip) {
		dial_checked(w, &w->host.ip, 1);
		return;
	}
	w->lookup.resolved = on_resolved;
	err = resolve(w->b, &w->lookup, w->host.name, &r);
	if (err == 0)
		on_resolved(&w->lookup, r);
	else if (err != -EINPROGRESS)
		finish(w, err);
}

static void on_answer(struct asker *a, enum decision d, const char *reason)
{
	struct want *w = container_of(a, struct want, asker);
	struct net_verdict v;

	/* Rules that came in the meantime stand above the answer. */
	judge(w, &v);
	w->answered = v.decision == VERDICT_ASK && d != VERDICT_ASK;
	judge(w, &v);
	if (d == VERDICT_ALLOW && v.decision == VERDICT_ALLOW)
		go(w, &v);
	else
		refuse(w, v.decision == VERDICT_DENY ? VERDICT_DENY : d, &v,
		       reason ? reason : v.reason);
}

static void ask(struct want *w, const struct net_verdict *v)
{
	int r;

	if (w->b->config->policy->managed_only) {
		refuse(w, VERDICT_DENY, v, "only hosts of the managed policy are allowed");
		return;
	}
	r = set_aim(w, VERDICT_ASK, v, v->reason);
	if (r < 0) {
		finish(w, r);
		return;
	}
	w->asker.answered = on_answer;
	r = asks_wait(w->b, &w->asker, &w->host, w->port, (enum eg_how)w->how, &w->tuple);
	if (r < 0)
		refuse(w, VERDICT_ASK, v, "too many questions are open");
}

void want_start(struct want *w)
{
	struct net_verdict v;

	w->up.fd = -1;
	net_judge(w->b->config->policy, &w->host, w->port, &v);
	if (v.decision == VERDICT_ASK) {
		int known = asks_known(w->b, &w->host, w->port);

		w->answered = known != 0;
		if (known < 0) {
			refuse(w, VERDICT_DENY, &v, "the answer was no");
			return;
		}
	}
	if (v.decision == VERDICT_ALLOW || (v.decision == VERDICT_ASK && w->answered))
		go(w, &v);
	else if (v.decision == VERDICT_ASK)
		ask(w, &v);
	else
		refuse(w, VERDICT_DENY, &v, v.reason);
}

void want_stop(struct want *w)
{
	asks_leave(w->b, &w->asker);
	resolve_leave(&w->lookup);
	free_dial(w);
	if (w->tunnel)
		tunnel_free(w->tunnel);
	w->tunnel = NULL;
	loop_close(&w->up);
	aim_unref(w->aim);
	w->aim = NULL;
}

bool want_host(struct broker *b, const struct ip_addr *ip, struct host *ret)
{
	const struct name_rec *r;

	if (!names_range(ip)) {
		host_from_ip(ip, ret);
		return true;
	}
	r = names_by_ip(b->names, ip);
	return r && host_parse(r->name, strlen(r->name), ret) == 0;
}

/* A rule may be about one port: the name has an address when some port of it is let through. */
static enum decision judge_ports(const struct net_policy *p, const struct host *h,
				 struct net_verdict *ret)
{
	net_judge(p, h, 443, ret);
	for (size_t i = 0; i < p->n_rules && ret->decision == VERDICT_DENY; i++) {
		uint16_t port = p->rules[i].pat.port_from;
		struct net_verdict v;

		if (!port || p->rules[i].decision == VERDICT_DENY ||
		    !host_pattern_match(&p->rules[i].pat, h, port))
			continue;
		net_judge(p, h, port, &v);
		if (v.decision != VERDICT_DENY)
			*ret = v;
	}
	return ret->decision;
}

enum decision want_judge_name(struct broker *b, const struct host *h, const struct tuple *t,
			      int proto, const char **ret_reason, struct aim **ret_aim)
{
	const struct net_policy *p = b->config->policy;
	struct aim like = { .how = EG_DNS, .decision = VERDICT_DENY };
	struct net_verdict v;
	struct aim *a;

	*ret_reason = NULL;
	*ret_aim = NULL;
	if (judge_ports(p, h, &v) != VERDICT_DENY)
		return VERDICT_ALLOW;
	*ret_reason = like.reason = v.reason;
	like.rule = v.rule ? (int32_t)(v.rule - p->rules) : -1;
	a = aim_get(b, &like, h);
	if (a) {
		aim_ask_who(a, t, proto);
		aim_count(a, 0, 0, 0);
	}
	*ret_aim = a;
	return VERDICT_DENY;
}

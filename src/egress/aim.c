/* SPDX-License-Identifier: Apache-2.0 */
#include "egress/aim.h"

#include "base/str.h"
#include "egress/control.h"
#include "egress/who.h"

#define BUCKETS 1024u
#define AIMS_MAX 20000u /* above it nothing is joined any more: told one by one, at once */
#define JOIN_MS 1000
#define FLUSH_MS 1000
#define WHO_MS 150u  /* a refusal waits no longer for the steward */
#define WHO_MAX 256u /* questions that wait for their answer */

struct aims {
	struct aim *bucket[BUCKETS];
	struct aim *asked[WHO_MAX];
	struct aim *all;
	unsigned n;
	uint32_t last_id;
};

int aims_init(struct broker *b)
{
	b->aims = calloc(1, sizeof(*b->aims));
	return b->aims ? 0 : -ENOMEM;
}

static uint32_t hash_of(const struct aim *a, const char *name, size_t len)
{
	uint32_t mix = (uint32_t)a->port << 16 | (uint32_t)a->how << 8 | a->decision;

	return bytes_hash(name, len) ^ mix * 0x9e3779b1u ^ (uint32_t)a->rule * 0x85ebca6bu ^
	       (uint32_t)a->err;
}

static void unlist(struct aim *a)
{
	struct aim **p = &a->b->aims->bucket[a->hash % BUCKETS];

	if (!a->listed)
		return;
	while (*p != a)
		p = &(*p)->hnext;
	*p = a->hnext;
	a->listed = false;
}

static void release(struct aim *a)
{
	struct aims *all = a->b->aims;

	if (a->refs || timer_runs(&a->flush))
		return;
	unlist(a);
	if (a->who == AIM_WHO_ASKED)
		all->asked[a->id % WHO_MAX] = NULL;
	timer_stop(&a->b->loop, &a->who_limit);
	all->n--;
	*a->link = a->next;
	if (a->next)
		a->next->link = a->link;
	free(a->exe);
	loop_free(&a->b->loop, &a->dead);
}

static void tell(struct aim *a)
{
	struct eg_msg m = { .type = EG_CONN,
			    .id = a->id,
			    .decision = a->decision,
			    .hold = a->answered,
			    .how = a->how,
			    .inode = a->inode,
			    .pid = a->pid,
			    .rule = a->rule,
			    .err = a->err,
			    .count = a->count,
			    .ms = a->ms,
			    .up = a->up,
			    .down = a->down,
			    .port = a->port };
	char addr[64] = "";

	if (a->has_addr)
		ip_text(&a->addr, addr, sizeof(addr));
	a->count = a->ms = 0;
	a->up = a->down = 0;
	control_send(a->b, &m,
		     &(struct control_texts){
			     .host = a->name, .addr = addr, .exe = a->exe, .reason = a->reason });
}

static void on_flush(struct timer *t)
{
	struct aim *a = container_of(t, struct aim, flush);

	if (a->count)
		tell(a);
	release(a);
}

static void tell_waiting(struct aim *a)
{
	timer_stop(&a->b->loop, &a->who_limit);
	while (a->waiting.next != &a->waiting) {
		struct aim_waiter *w = a->waiting.next;

		aim_leave_who(w);
		w->known(w);
	}
}

static void on_who_limit(struct timer *t)
{
	struct aim *a = aim_ref(container_of(t, struct aim, who_limit));

	tell_waiting(a);
	aim_unref(a);
}

bool aim_wait_who(struct aim *a, struct aim_waiter *w)
{
	if (a->who != AIM_WHO_ASKED)
		return false;
	w->next = &a->waiting;
	w->prev = a->waiting.prev;
	w->prev->next = w;
	a->waiting.prev = w;
	if (!timer_runs(&a->who_limit))
		timer_start(&a->b->loop, &a->who_limit, WHO_MS);
	return true;
}

void aim_leave_who(struct aim_waiter *w)
{
	if (!w->next)
		return;
	w->prev->next = w->next;
	w->next->prev = w->prev;
	w->prev = w->next = NULL;
}

static bool alike(const struct aim *a, const struct aim *like, const char *name)
{
	return a->port == like->port && a->how == like->how && a->decision == like->decision &&
	       a->rule == like->rule && a->err == like->err && a->reason == like->reason &&
	       streq(a->name, name);
}

struct aim *aim_get(struct broker *b, const struct aim *like, const struct host *h)
{
	struct aims *all = b->aims;
	size_t len = strlen(h->name);
	uint32_t hash = hash_of(like, h->name, len);
	struct aim *a;

	for (a = all->bucket[hash % BUCKETS]; a; a = a->hnext) {
		if (a->hash != hash || !alike(a, like, h->name))
			continue;
		if (b->loop.now - a->born < JOIN_MS)
			return aim_ref(a);
		unlist(a);
		break;
	}
	a = calloc(1, sizeof(*a) + len + 1);
	if (!a)
		return NULL;
	*a = *like;
	memcpy(a->name, h->name, len + 1);
	a->b = b;
	a->is_ip = h->is_ip;
	a->hash = hash;
	a->born = b->loop.now;
	a->refs = 1;
	a->flush = (struct timer){ .on = on_flush };
	a->who_limit = (struct timer){ .on = on_who_limit };
	a->waiting.prev = a->waiting.next = &a->waiting;
	a->exe = NULL;
	if (like->exe)
		a->exe = strdup(like->exe);
	if (a->who == AIM_WHO_ASKED)
		a->who = AIM_WHO_LOST;
	a->count = a->ms = 0;
	a->up = a->down = 0;
	all->n++;
	a->next = all->all;
	if (a->next)
		a->next->link = &a->next;
	a->link = &all->all;
	all->all = a;
	a->listed = all->n <= AIMS_MAX;
	if (a->listed) {
		a->hnext = all->bucket[hash % BUCKETS];
		all->bucket[hash % BUCKETS] = a;
	}
	return a;
}

struct aim *aim_ref(struct aim *a)
{
	a->refs++;
	return a;
}

void aim_unref(struct aim *a)
{
	if (!a)
		return;
	a->refs--;
	release(a);
}

void aim_ask_who(struct aim *a, const struct tuple *t, int proto)
{
	struct aims *all = a->b->aims;
	struct eg_msg m = { .type = EG_WHO };

	if (a->who != AIM_WHO_NONE)
		return;
	a->who = AIM_WHO_LOST;
	a->inode = who_inode(a->b, t, proto);
	if (!a->inode || all->asked[(all->last_id + 1) % WHO_MAX])
		return;
	a->id = ++all->last_id;
	all->asked[a->id % WHO_MAX] = a;
	a->who = AIM_WHO_ASKED;
	m.id = a->id;
	m.inode = a->inode;
	control_send(a->b, &m, &(struct control_texts){ 0 });
}

void aims_who_is(struct broker *b, uint32_t id, int32_t pid, const char *exe, size_t len)
{
	struct aim *a = b->aims->asked[id % WHO_MAX];

	if (!a || a->id != id)
		return;
	b->aims->asked[id % WHO_MAX] = NULL;
	a->who = AIM_WHO_KNOWN;
	a->pid = pid;
	if (len && !a->exe)
		a->exe = strndup(exe, len);
	(void)aim_ref(a);
	tell_waiting(a);
	aim_unref(a);
}

void aim_count(struct aim *a, uint32_t ms, uint64_t up, uint64_t down)
{
	a->count++;
	a->ms = a->ms + ms < a->ms ? UINT32_MAX : a->ms + ms;
	a->up += up;
	a->down += down;
	if (!a->listed && a->b->aims->n > AIMS_MAX)
		tell(a);
	else if (!timer_runs(&a->flush))
		timer_start(&a->b->loop, &a->flush, FLUSH_MS);
}

void aim_count_err(struct aim *a, enum decision d, int err, const char *reason)
{
	struct aim like = *a;
	struct host h;
	struct aim *other;

	aim_host(a, &h);
	like.decision = (uint8_t)d;
	like.err = err;
	like.reason = reason;
	like.has_addr = a->has_addr;
	other = aim_get(a->b, &like, &h);
	if (!other)
		return;
	aim_count(other, 0, 0, 0);
	aim_unref(other);
}

void aims_rejudge(struct broker *b)
{
	const struct net_policy *p = b->config->policy;

	for (struct aim *a = b->aims->all; a; a = a->next) {
		struct net_verdict v;
		struct host h;

		unlist(a);
		if (a->rule < 0)
			continue;
		aim_host(a, &h);
		net_judge(p, &h, a->port, &v);
		/* One that is gone is not named; what it did is told all the same. */
		a->rule = v.rule && v.decision == (enum decision)a->decision
				  ? (int32_t)(v.rule - p->rules)
				  : -1;
	}
}

void aims_flush_all(struct broker *b)
{
	struct aim *next;

	for (struct aim *a = b->aims->all; a; a = next) {
		next = a->next;
		timer_stop(&b->loop, &a->flush);
		if (a->count)
			tell(a);
		release(a);
	}
}

void aim_host(const struct aim *a, struct host *ret)
{
	*ret = (struct host){ .is_ip = a->is_ip };
	(void)host_parse(a->name, strlen(a->name), ret);
}

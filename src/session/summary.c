/* SPDX-License-Identifier: Apache-2.0 */
/* What a person sees after a run with denials. At most ten lines, whatever the
 * command did; each path is escaped, for it was chosen inside the sandbox. */
#include "session/internal.h"

#include <string.h>

#define ROWS_MAX 8 /* files and hosts together; hosts get at most half when both are there */
#define TARGET_SHOWN 400

struct row {
	const struct denial *d;
	uint64_t count;
};

static bool same_row(const struct denial *a, const struct denial *b)
{
	return a->op == b->op && a->rule == b->rule && a->target_len == b->target_len &&
	       (a->op >= 0 || a->nr == b->nr) && memcmp(a->target, b->target, a->target_len) == 0;
}

/* The entries without regard to the program. Returns how many rows there are;
 * the first ROWS_MAX are filled. */
static size_t collect(const struct session *s, struct row *rows, uint64_t *ret_total)
{
	size_t shown = 0, n = 0;
	uint64_t total = 0;

	for (size_t i = 0; i < s->dedup.n; i++) {
		const struct dedup_entry *e = &s->dedup.entries[i];
		size_t r = 0;

		total += e->total;
		while (r < shown && !same_row(rows[r].d, &e->d))
			r++;
		if (r < shown) {
			rows[r].count += e->total;
			continue;
		}
		n++;
		if (shown < ROWS_MAX)
			rows[shown++] = (struct row){ .d = &e->d, .count = e->total };
	}
	*ret_total = total;
	return n;
}

static void print_row(const struct session *s, const struct row *row)
{
	char target[TARGET_SHOWN], rule[512], origin[512], grant[TARGET_SHOWN + 200],
		times[32] = "";
	struct denial_text t;

	session_denial_text(s, row->d, &t);
	str_escape(target, sizeof(target), t.target, strlen(t.target));
	str_escape(rule, sizeof(rule), t.rule, strlen(t.rule));
	str_escape(origin, sizeof(origin), t.origin, strlen(t.origin));
	str_escape(grant, sizeof(grant), t.grant, strlen(t.grant));
	if (row->count > 1)
		(void)snprintf(times, sizeof(times), " (%llu times)",
			       (unsigned long long)row->count);
	(void)fprintf(stderr, "berm:   %s %s%s: %s [%s]%s%s\n", t.action, target, times, rule,
		      origin, grant[0] ? "; to allow: " : "", grant);
}

static void print_host(const struct refused_host *h)
{
	char host[TARGET_SHOWN], reason[256], origin[256], grant[400], times[32] = "";

	str_escape(host, sizeof(host), h->host, strlen(h->host));
	str_escape(reason, sizeof(reason), h->reason, strlen(h->reason));
	str_escape(origin, sizeof(origin), h->origin, strlen(h->origin));
	str_escape(grant, sizeof(grant), h->grant, strlen(h->grant));
	if (h->count > 1)
		(void)snprintf(times, sizeof(times), " (%llu times)", (unsigned long long)h->count);
	(void)fprintf(stderr, "berm:   network-outbound %s", host);
	if (h->port)
		(void)fprintf(stderr, strchr(host, ':') ? " port %u" : ":%u", h->port);
	(void)fprintf(stderr, "%s: %s%s%s%s%s%s\n", times, reason, origin[0] ? " [" : "", origin,
		      origin[0] ? "]" : "", grant[0] ? "; to allow: " : "", grant);
}

static uint64_t hosts_total(const struct refused *r)
{
	uint64_t total = r->unlisted;

	for (size_t i = 0; i < r->n; i++)
		total += r->v[i].count;
	return total;
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* At most ROWS_MAX lines, and what they leave out. */
static void print_rows(const struct session *s, const struct row *rows, size_t n)
{
	size_t hosts = s->refused.n, files = least(n, ROWS_MAX);

	if (files + hosts > ROWS_MAX)
		files = least(files, ROWS_MAX - least(hosts, ROWS_MAX / 2));
	hosts = least(hosts, ROWS_MAX - files);
	for (size_t i = 0; i < files; i++)
		print_row(s, &rows[i]);
	for (size_t i = 0; i < hosts; i++)
		print_host(&s->refused.v[i]);
	if (n + s->refused.n > files + hosts)
		(void)fprintf(stderr, "berm:   and %zu more kinds; --events FILE lists them\n",
			      n + s->refused.n - files - hosts);
}

/* One line, and none for mere bytes. */
static void print_left_out(const struct session *s)
{
	bool any = false;

	for (int k = 0; k < TERM_KINDS; k++) {
		if (k == TERM_BYTES || !s->left_out[k])
			continue;
		(void)fprintf(stderr, "%s%s %llu", any ? ", " : "berm: kept from your terminal: ",
			      term_kind_name((enum term_kind)k),
			      (unsigned long long)s->left_out[k]);
		any = true;
	}
	if (any)
		(void)fputs(" (--raw-terminal lets everything through)\n", stderr);
}

void session_summary(const struct session *s)
{
	struct row rows[ROWS_MAX];
	uint64_t total, unlisted = s->dedup.overflow + s->dropped + s->refused.unlisted;
	size_t n = collect(s, rows, &total);

	if (s->sink.broken)
		(void)fprintf(stderr, "berm: the event log is incomplete: %s\n",
			      s->sink.broken == -ETIMEDOUT ? "its reader is too slow"
							   : strerror(-s->sink.broken));
	else if (s->sink.lost)
		(void)fprintf(
			stderr,
			"berm: the event log is incomplete: %lu lines lost, its reader is too slow\n",
			s->sink.lost);
	print_left_out(s);
	total += s->dedup.overflow + s->dropped + hosts_total(&s->refused);
	if (!total)
		return;
	(void)fprintf(stderr, "berm: %llu %s denied:\n", (unsigned long long)total,
		      total == 1 ? "action was" : "actions were");
	print_rows(s, rows, n);
	if (n + s->refused.n <= ROWS_MAX && unlisted)
		(void)fprintf(stderr, "berm:   %llu of them were too many to list\n",
			      (unsigned long long)unlisted);
}

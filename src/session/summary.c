/* SPDX-License-Identifier: Apache-2.0 */
/* What a person sees after a run with denials. At most ten lines, whatever the
 * command did; each path is escaped, for it was chosen inside the sandbox. */
#include "session/internal.h"

#include <string.h>

#define ROWS_MAX 8
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

void session_summary(const struct session *s)
{
	struct row rows[ROWS_MAX];
	uint64_t total, unlisted = s->dedup.overflow + s->dropped;
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
	total += unlisted;
	if (!total)
		return;
	(void)fprintf(stderr, "berm: %llu %s denied:\n", (unsigned long long)total,
		      total == 1 ? "action was" : "actions were");
	for (size_t i = 0; i < n && i < ROWS_MAX; i++)
		print_row(s, &rows[i]);
	if (n > ROWS_MAX)
		(void)fprintf(stderr, "berm:   and %zu more kinds; --events FILE lists them\n",
			      n - ROWS_MAX);
	else if (unlisted)
		(void)fprintf(stderr, "berm:   %llu of them were too many to list\n",
			      (unsigned long long)unlisted);
}

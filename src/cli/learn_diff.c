/* SPDX-License-Identifier: Apache-2.0 */
/* The difference of two settings files, line by line. */
#include "cli/learn.h"

#include <stdlib.h>
#include <string.h>

#define CONTEXT 3
#define CELLS_MAX (4u << 20) /* of the table: beyond, the middle part is replaced as a whole */

struct lines {
	char **v;
	size_t n;
};

struct diff {
	struct lines a, b;
	size_t before, after; /* lines at the beginning and at the end that both have */
	uint32_t *common;     /* [i * (m + 1) + j]: longest common part of what is behind i and j */
	struct buf *out;
	size_t held; /* common lines since the last change */
	bool any;
};

/* Cuts text at its ends of lines. */
static int split(char *text, struct lines *ret)
{
	size_t n = 1;

	for (const char *p = text; *p; p++)
		n += *p == '\n';
	ret->v = calloc(n, sizeof(*ret->v));
	if (!ret->v)
		return -ENOMEM;
	for (char *p = text; *p;) {
		char *end = strchr(p, '\n');

		ret->v[ret->n++] = p;
		if (!end)
			break;
		*end = '\0';
		p = end + 1;
	}
	return 0;
}

static void line(struct diff *d, char mark, const char *text)
{
	char shown[4096];
	size_t tabs = strspn(text, "\t");

	str_escape(shown, sizeof(shown), text + tabs, strlen(text + tabs));
	(void)buf_add(d->out, &mark, 1);
	(void)buf_add(d->out, text, tabs);
	(void)buf_addf(d->out, "%s\n", shown);
}

/* Before a change at line i of the old text: the common lines that belong to it. */
static void begin_change(struct diff *d, size_t i)
{
	size_t from = d->held > CONTEXT ? i - CONTEXT : i - d->held;

	/* The first ones behind the last change were printed with it. */
	if (d->any && d->held <= CONTEXT)
		from = i;
	else if (d->any && d->held < 2 * CONTEXT)
		from = i - (d->held - CONTEXT);
	else
		(void)buf_addf(d->out, "@@ line %zu @@\n", from + 1);
	for (; from < i; from++)
		line(d, ' ', d->a.v[from]);
	d->held = 0;
	d->any = true;
}

static void keep(struct diff *d, size_t i)
{
	if (d->any && d->held < CONTEXT)
		line(d, ' ', d->a.v[i]);
	d->held++;
}

static int fill(struct diff *d, size_t n, size_t m)
{
	if ((n + 1) * (m + 1) > CELLS_MAX)
		return 0;
	d->common = calloc((n + 1) * (m + 1), sizeof(*d->common));
	if (!d->common)
		return -ENOMEM;
	for (size_t i = n; i-- > 0;) {
		for (size_t j = m; j-- > 0;) {
			uint32_t *at = d->common + i * (m + 1) + j;
			uint32_t down = at[m + 1], right = at[1];

			if (streq(d->a.v[d->before + i], d->b.v[d->before + j]))
				*at = at[m + 2] + 1;
			else
				*at = down > right ? down : right;
		}
	}
	return 0;
}

static void walk(struct diff *d)
{
	size_t n = d->a.n - d->before - d->after, m = d->b.n - d->before - d->after;
	size_t i = 0, j = 0;

	for (size_t k = 0; k < d->before; k++)
		keep(d, k);
	while (i < n || j < m) {
		const uint32_t *at = d->common ? d->common + i * (m + 1) + j : NULL;

		if (at && i < n && j < m && streq(d->a.v[d->before + i], d->b.v[d->before + j])) {
			keep(d, d->before + i);
			i++;
			j++;
			continue;
		}
		if (d->held || !d->any)
			begin_change(d, d->before + i);
		if (i < n && (j == m || !at || at[m + 1] >= at[1]))
			line(d, '-', d->a.v[d->before + i++]);
		else
			line(d, '+', d->b.v[d->before + j++]);
	}
	for (size_t k = 0; k < d->after && d->held < CONTEXT; k++)
		keep(d, d->a.n - d->after + k);
}

static int compare(struct diff *d)
{
	size_t least = d->a.n < d->b.n ? d->a.n : d->b.n;
	int r;

	while (d->before < least && streq(d->a.v[d->before], d->b.v[d->before]))
		d->before++;
	while (d->after < least - d->before &&
	       streq(d->a.v[d->a.n - 1 - d->after], d->b.v[d->b.n - 1 - d->after]))
		d->after++;
	r = fill(d, d->a.n - d->before - d->after, d->b.n - d->before - d->after);
	if (r >= 0)
		walk(d);
	return r;
}

int learn_diff(const char *name, const char *old, const char *new, struct buf *out)
{
	_cleanup_free_ char *was = strdup(old), *now = strdup(new);
	struct diff d = { .out = out };
	int r = was && now ? split(was, &d.a) : -ENOMEM;

	if (r >= 0)
		r = split(now, &d.b);
	if (r >= 0 && !streq(old, new)) {
		(void)buf_addf(out, "--- %s\n+++ %s\n", old[0] ? name : "/dev/null", name);
		r = compare(&d);
	}
	free(d.common);
	free(d.a.v);
	free(d.b.v);
	return r < 0 || out->failed ? -ENOMEM : 0;
}

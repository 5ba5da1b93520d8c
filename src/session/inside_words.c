/* SPDX-License-Identifier: Apache-2.0 */
/* Pure: the words of a request from inside, which anybody may have written. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "policy/narrow.h"
#include "session/inside.h"

/* The lists, each with room for every word. */
struct lists {
	struct policy_arg *args;
	const char **hosts, **limits;
	struct narrowing *n;
};

static int take_mode(const char *value, enum mode *mode)
{
	for (int m = MODE_REVIEW; m <= MODE_ORCHESTRATE; m++)
		if (streq(value, mode_name((enum mode)m))) {
			*mode = (enum mode)m;
			return 0;
		}
	return -EPROTO;
}

static int take(struct lists *l, const char *word, bool *quiet)
{
	static const enum policy_arg_kind kinds[] = {
		['r'] = ARG_DENY_READ, ['w'] = ARG_DENY_WRITE, ['x'] = ARG_DENY_EXEC
	};
	struct narrowing *n = l->n;
	const char *value = word + 2;
	bool said;

	if (!word[0] || word[1] != ':')
		return -EPROTO;
	said = value[0] != '\0';
	switch (word[0]) {
	case INSIDE_DENY_READ:
	case INSIDE_DENY_WRITE:
	case INSIDE_DENY_EXEC:
		l->args[n->n_args++] = (struct policy_arg){ kinds[(unsigned char)word[0]], value };
		return said ? 0 : -EPROTO;
	case INSIDE_DENY_HOST:
		l->hosts[n->n_hosts++] = value;
		return said ? 0 : -EPROTO;
	case INSIDE_LIMIT:
		l->limits[n->n_limits++] = value;
		return said ? 0 : -EPROTO;
	case INSIDE_MODE:
		return take_mode(value, &n->mode);
	case INSIDE_NET_OFF:
		n->net_off = true;
		return said ? -EPROTO : 0;
	case INSIDE_QUIET:
		*quiet = true;
		return said ? -EPROTO : 0;
	default:
		return -EPROTO;
	}
}

void inside_free(struct narrowing *n)
{
	/* Made here, read elsewhere. */
	free((void *)(uintptr_t)n->args);
	free((void *)(uintptr_t)n->hosts);
	free((void *)(uintptr_t)n->limits);
	*n = (struct narrowing){ 0 };
}

int inside_parse(const char *words, uint32_t n, struct narrowing *ret, bool *ret_quiet)
{
	struct narrowing made = { .mode = MODE_CHAT };
	struct lists l = { .n = &made };
	bool quiet = false;
	int r = 0;

	if (n > INSIDE_WORDS_MAX)
		return -EPROTO;
	l.args = calloc(n + 1, sizeof(*l.args));
	l.hosts = calloc(n + 1, sizeof(*l.hosts));
	l.limits = calloc(n + 1, sizeof(*l.limits));
	made.args = l.args;
	made.hosts = l.hosts;
	made.limits = l.limits;
	if (!l.args || !l.hosts || !l.limits)
		r = -ENOMEM;
	for (; n && r >= 0; n--, words = warm_next(words))
		r = take(&l, words, &quiet);
	if (r < 0) {
		inside_free(&made);
		return r;
	}
	*ret = made;
	*ret_quiet = quiet;
	return 0;
}

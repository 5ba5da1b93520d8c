/* SPDX-License-Identifier: Apache-2.0 */
/* What berm learn has gathered. */
#include "cli/learn.h"

#include <stdlib.h>

#include "policy/pattern.h"

#define LEARNED_MAX 4096 /* of each: what is asked for is the command's choice */

const char *want_option(enum want_kind kind)
{
	static const char *const options[] = { [WANT_READ] = "--allow-read",
					       [WANT_WRITE] = "--allow-write",
					       [WANT_EXEC] = "--allow-exec",
					       [WANT_HOST] = "--allow-domain" };

	return options[kind];
}

const char *want_word(enum want_kind kind)
{
	static const char *const words[] = { [WANT_READ] = "read",
					     [WANT_WRITE] = "write",
					     [WANT_EXEC] = "exec",
					     [WANT_HOST] = "host" };

	return words[kind];
}

void learned_free(struct learned *l)
{
	for (size_t i = 0; i < l->n_wants; i++) {
		free(l->wants[i].value);
		free(l->wants[i].option);
		free(l->wants[i].why);
	}
	for (size_t i = 0; i < l->n_others; i++) {
		free(l->others[i].action);
		free(l->others[i].target);
		free(l->others[i].reason);
		free(l->others[i].option);
	}
	free(l->wants);
	free(l->others);
	*l = (struct learned){ 0 };
}

int learned_want(struct learned *l, enum want_kind kind, const char *value, const char *why)
{
	struct want *wants, *w;

	for (size_t i = 0; i < l->n_wants; i++)
		if (l->wants[i].kind == kind && streq(l->wants[i].value, value))
			return 0;
	if (l->n_wants == LEARNED_MAX)
		return 0;
	wants = reallocarray(l->wants, l->n_wants + 1, sizeof(*wants));
	if (!wants)
		return -ENOMEM;
	l->wants = wants;
	w = &wants[l->n_wants];
	*w = (struct want){ .kind = kind, .value = strdup(value), .why = strdup(why) };
	w->option = kind == WANT_HOST ? strdup(value) : pattern_escape(value);
	l->n_wants++;
	return w->value && w->why && w->option ? 0 : -ENOMEM;
}

int learned_other(struct learned *l, const struct unwanted_text *what)
{
	struct unwanted *others, *u;

	for (size_t i = 0; i < l->n_others; i++) {
		u = &l->others[i];
		if (!streq(u->action, what->action) || !streq(u->target, what->target))
			continue;
		u->count += what->count;
		return 0;
	}
	if (l->n_others == LEARNED_MAX)
		return 0;
	others = reallocarray(l->others, l->n_others + 1, sizeof(*others));
	if (!others)
		return -ENOMEM;
	l->others = others;
	u = &others[l->n_others];
	*u = (struct unwanted){ .action = strdup(what->action),
				.target = strdup(what->target),
				.reason = strdup(what->reason),
				.option = strdup(what->option),
				.count = what->count };
	l->n_others++;
	return u->action && u->target && u->reason && u->option ? 0 : -ENOMEM;
}

void learned_take_out(struct learned *l, size_t i)
{
	free(l->wants[i].value);
	free(l->wants[i].option);
	free(l->wants[i].why);
	l->n_wants--;
	memmove(l->wants + i, l->wants + i + 1, (l->n_wants - i) * sizeof(*l->wants));
}

size_t learned_count(const struct learned *l, enum want_state state)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n_wants; i++)
		n += l->wants[i].state == state;
	return n;
}

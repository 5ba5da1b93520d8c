/* SPDX-License-Identifier: Apache-2.0 */
#include "linux/warm_proto.h"

#include <errno.h>
#include <string.h>

#include "base/str.h"

const char *warm_next(const char *word)
{
	return word + strlen(word) + 1;
}

/* Takes n words from *p, which ends before end. */
static bool skip_words(const char **p, const char *end, uint32_t n, bool assignments)
{
	for (uint32_t i = 0; i < n; i++) {
		const char *nul = memchr(*p, '\0', (size_t)(end - *p));

		if (!nul)
			return false;
		if (assignments && (**p == '=' || !strchr(*p, '=')))
			return false;
		*p = nul + 1;
	}
	return true;
}

int warm_texts_parse(const struct warm_exec *h, const char *text, size_t size,
		     struct warm_texts *ret)
{
	const char *p = text, *end = text + size;
	struct warm_texts t = { .args = text };

	if (size != h->size || size > WARM_TEXT_MAX || !h->n_args)
		return -EPROTO;
	if (!skip_words(&p, end, h->n_args, false))
		return -EPROTO;
	t.env = p;
	if (!skip_words(&p, end, h->n_env, true))
		return -EPROTO;
	t.dir = p;
	if (!skip_words(&p, end, 1, false) || p != end || strlen(t.dir) != h->dir_len || !t.args[0])
		return -EPROTO;
	*ret = t;
	return 0;
}

bool warm_name_ok(const char *name)
{
	size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				"._-");

	return n && n < WARM_NAME_MAX && !name[n] && name[0] != '.' && name[0] != '-';
}

const char *warm_state_name(uint32_t state)
{
	static const char *const names[] = {
		[WARM_CREATED] = "created",	[WARM_WARM] = "warm",
		[WARM_ACTIVE] = "active",	[WARM_SUSPENDED] = "suspended",
		[WARM_DESTROYED] = "destroyed", [WARM_ERROR] = "error",
	};

	return state < ARRAY_SIZE(names) ? names[state] : "error";
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Input: a request to a warm session (four numbers, then its texts). What is taken lies within the
 * texts, ends there, and is what the numbers say; and a variable that may be set has a name. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "linux/warm_proto.h"
#include "policy/narrow.h"
#include "session/inside.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int ok)
{
	if (!ok)
		abort();
}

/* As if the words asked for a sandbox inside: what is taken only takes away. */
static void narrow(const char *words, uint32_t n)
{
	struct narrowing got;
	bool quiet;

	if (inside_parse(words, n, &got, &quiet) < 0)
		return;
	must(got.n_args + got.n_hosts + got.n_limits <= n && got.mode <= MODE_ORCHESTRATE);
	for (size_t i = 0; i < got.n_args; i++)
		must(got.args[i].pattern[0] &&
		     (got.args[i].kind == ARG_DENY_READ || got.args[i].kind == ARG_DENY_WRITE ||
		      got.args[i].kind == ARG_DENY_EXEC));
	inside_free(&got);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct warm_exec x = { 0 };
	struct warm_texts t = { 0 };
	const char *p, *end;
	char *text;
	uint32_t n[4];

	if (size < sizeof(n))
		return 0;
	memcpy(n, data, sizeof(n));
	size -= sizeof(n);
	x.n_args = n[0];
	x.n_env = n[1];
	x.dir_len = n[2];
	x.size = n[3] == UINT32_MAX ? (uint32_t)size : n[3];
	text = malloc(size ? size : 1); /* no byte behind it may be read */
	if (!text)
		return 0;
	memcpy(text, data + sizeof(n), size);
	if (warm_texts_parse(&x, text, size, &t) == 0) {
		must(x.size == size && x.n_args && t.args == text && t.args[0]);
		p = t.args;
		end = text + size;
		for (uint32_t i = 0; i < x.n_args; i++, p = warm_next(p))
			must(p < end);
		must(p == t.env);
		for (uint32_t i = 0; i < x.n_env; i++, p = warm_next(p)) {
			must(p < end && p[0] != '=' && strchr(p, '='));
			if (env_may_set(p))
				must(strncmp(p, "LD_", 3) != 0 && strncmp(p, "HOME=", 5) != 0);
		}
		narrow(t.args, x.n_args);
		must(p == t.dir && warm_next(p) == end && strlen(p) == x.dir_len);
	} else {
		must(!t.args && !t.env && !t.dir);
	}
	if (size && !text[size - 1] && warm_name_ok(text))
		must(strlen(text) < WARM_NAME_MAX && !strchr(text, '/') && text[0] != '.');
	free(text);
	return 0;
}

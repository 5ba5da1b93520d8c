/* SPDX-License-Identifier: Apache-2.0 */
/* Settings files of other tools: the first byte says of which, and whether they are a project's.
 * Whatever the text says: entries or an error, and of an untrusted project nothing that opens
 * comes through. */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "policy/front.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct settings *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->v[i].key >= SET_COUNT || (s->v[i].key == SET_GUARD_RULE) != !!s->v[i].rule)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const ws[] = { "/w/s" };
	struct front_place at = { .file = "f",
				  .root = "/w/s/.x",
				  .home = "/home/u",
				  .workspaces = ws,
				  .n_workspaces = 1 };
	struct front_parts parts = { 0 };
	struct berm_err err = { 0 };
	char *text;

	if (size < 1)
		return 0;
	at.kind = (enum front_kind)(data[0] % FRONT_KIND_COUNT);
	at.project = data[0] & 8;
	at.trusted = !at.project;
	at.base = at.project ? "/w/s" : NULL;
	at.layer = at.project ? LAYER_PROJECT : data[0] & 16 ? LAYER_MANAGED : LAYER_USER;
	at.rules = data[0] & 32;
	at.requirements = data[0] & 64;
	text = malloc(size);
	if (!text)
		return 0;
	memcpy(text, data + 1, size - 1);
	text[size - 1] = '\0';
	if (front_parse(&at, text, size - 1, &parts, &err) >= 0) {
		check(&parts.open);
		check(&parts.close);
	} else if (!err.msg[0]) {
		abort();
	}
	front_parts_free(&parts);
	free(text);
	return 0;
}

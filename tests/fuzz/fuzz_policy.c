/* SPDX-License-Identifier: Apache-2.0 */
/* Input: a settings file. It is taken, with sane entries, or refused in words. */
#include <stdint.h>
#include <string.h>

#include "base/str.h"
#include "policy/apply.h"
#include "policy/settings.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int ok)
{
	if (!ok)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct settings s = { .file = strdup("f"), .base = strdup("/w") };
	_cleanup_free_ char *text = malloc(size + 1);
	struct strv lines = { 0 };
	struct berm_err err = { 0 };
	unsigned max = 1;

	memcpy(text, data, size);
	text[size] = '\0';
	for (size_t i = 0; i < size; i++)
		max += data[i] == '\n';
	if (settings_parse(&s, text, size, &err) < 0)
		must(err.code < 0 && str_starts(err.msg, "f:"));
	for (size_t i = 0; i < s.n; i++) {
		must(s.v[i].line >= 1 && s.v[i].line <= max);
		must(s.v[i].key < SET_COUNT);
	}
	must(list_loosening(&s, &lines, &err) == 0 && lines.n <= s.n);
	strv_free(&lines);
	settings_free(&s);
	return 0;
}

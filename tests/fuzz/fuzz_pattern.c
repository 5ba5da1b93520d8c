/* SPDX-License-Identifier: Apache-2.0 */
/* Input: flags byte, pattern, NUL, path. What must hold for every pattern and path. */
#include <stdint.h>
#include <string.h>

#include "base/path.h"
#include "base/str.h"
#include "policy/pattern.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int ok)
{
	if (!ok)
		abort();
}

static void check(const char *text, const char *path, unsigned flags)
{
	struct pattern *p = NULL, *fold = NULL, *same = NULL;
	_cleanup_free_ char *below = str_printf("%s/x", path), *escaped = pattern_escape(path);
	_cleanup_free_ char *dir = NULL;
	struct berm_err err = { 0 };
	bool hit;

	if (pattern_new(text, "/w", "/h", flags, &p, &err) < 0) {
		must(!p && err.code < 0 && err.msg[0]);
		return;
	}
	must(pattern_new(text, "/w", "/h", flags | PATTERN_FOLD, &fold, &err) == 0);
	hit = pattern_match(p, path);
	if (hit) {
		dir = pattern_literal_dir(p);
		must(pattern_match(fold, path));
		must(flags & PATTERN_FOLD || path_within(path, dir));
		must(flags & PATTERN_EXACT || strlen(below) > 4095 || pattern_match(p, below));
	}
	must(pattern_prefix(fold, path) >= pattern_prefix(p, path));
	if (pattern_new(escaped, NULL, NULL, 0, &same, &err) == 0)
		must(pattern_is_literal(same) && pattern_match(same, path));
	pattern_free(p);
	pattern_free(fold);
	pattern_free(same);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_free_ char *text = NULL, *path = NULL;

	if (size < 2 || size > 8192)
		return 0;
	text = strndup((const char *)data + 1, size - 1);
	if (strlen(text) + 2 < size)
		path = strndup((const char *)data + 2 + strlen(text), size - strlen(text) - 2);
	if (path && path[0] == '/') {
		_cleanup_free_ char *clean = path_join("/", path);

		check(text, clean, data[0] & 3u);
	}
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Input: a settings file that an answer is written into. Either it is refused, or the result
 * says the same and the answer (jsonc_edit() compares), and saying it again changes nothing. */
#include <stdint.h>
#include <string.h>

#include "session/jsonc_edit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int ok)
{
	if (!ok)
		abort();
}

static void change(const char *text, size_t size, const struct jsonc_change *c)
{
	_cleanup_buf_ struct buf once = BUF_INIT(1u << 21), twice = BUF_INIT(1u << 21);
	struct berm_err err = { 0 };
	int r = jsonc_edit("f", text, size, c, &once, &err);

	must(r >= 0 || err.msg[0]);
	if (r < 0)
		return;
	must(jsonc_edit("f", once.data ? once.data : "", once.len, c, &twice, &err) == 1);
	must(once.len == twice.len && (!once.len || memcmp(once.data, twice.data, once.len) == 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct jsonc_change host = { .path = { "network", "allow" }, .value = "a:1" };
	static const struct jsonc_change file = { .path = { "files" },
						  .name = "/a",
						  .value = "read" };
	_cleanup_free_ char *text = malloc(size + 1);

	memcpy(text, data, size);
	text[size] = '\0';
	change(text, size, &host);
	change(text, size, &file);
	return 0;
}

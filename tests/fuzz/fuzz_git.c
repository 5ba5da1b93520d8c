/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes as content of each role, as an index, and as a path. What the judge passes must
 * pass whatever was there before. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "policy/git.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const paths[] = {
	"/w/x",
	"/w/.git/modules/a/config",
	"/w/.gitmodules",
	"/w/a/.git",
	"/w/.git/worktrees/t/commondir",
	"/w/.git/objects/info/alternates",
	"/w/.git/info/attributes",
	"/w/.git/rebase-merge/git-rebase-todo",
};

static bool judge(enum git_role role, const char *old, size_t old_len, const char *b, size_t len)
{
	const struct git_content c = { role, paths[role], "/w", old, old_len, b, len, NULL, 0 };
	char reason[64];
	bool ok = git_content_ok(&c, reason, sizeof(reason));

	if (ok == (reason[0] != '\0'))
		abort();
	return ok;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *bytes = (const char *)data + 2;
	char reason[64], path[4096] = "/";
	enum git_role role;
	size_t cut;

	if (size < 2)
		return 0;
	size -= 2;
	role = (enum git_role)(data[0] % (GIT_STATE + 1));
	cut = size * data[1] / 256;
	/* What was there can only allow more. */
	if (judge(role, NULL, 0, bytes, size) && !judge(role, bytes, cut, bytes, size))
		abort();
	(void)judge(role, bytes, cut, bytes + cut, size - cut);
	(void)git_index_ok(bytes, size, reason, sizeof(reason));
	memcpy(path + 1, bytes, size < sizeof(path) - 2 ? size : sizeof(path) - 2);
	(void)git_rename_ok("/w/a/.git", NULL, path, NULL, FT_DIR);
	return 0;
}

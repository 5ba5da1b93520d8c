/* SPDX-License-Identifier: Apache-2.0 */
#include "linux/supervisor/git.h"

#include <errno.h>
#include <string.h>

int git_judge(struct sup *s, enum git_role role, const char *path, const char *root,
	      const struct git_bytes *old, const struct git_bytes *bytes,
	      char reason[GIT_REASON_MAX])
{
	struct git_content c = { .role = role,
				 .path = path,
				 .root = root,
				 .old = old->data,
				 .old_len = old->data ? old->len : 0,
				 .bytes = bytes->data,
				 .len = bytes->len };

	(void)s;
	/* Nothing changes by it. */
	if (old->data && old->len == bytes->len && memcmp(old->data, bytes->data, old->len) == 0)
		return 0;
	return git_content_ok(&c, reason, GIT_REASON_MAX) ? 0 : -EACCES;
}

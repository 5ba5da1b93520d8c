/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/host_program.h"

#include <fcntl.h>
#include <string.h>

#include "base/path.h"
#include "base/str.h"
#include "linux/statx.h"

bool host_has_program(const char *path)
{
	struct statx st;

	/* One of the calls that are left to berm after a run (linux/seccomp_own.c). */
	return sys_statx(AT_FDCWD, path, 0, STATX_TYPE | STATX_MODE, &st) == 0 &&
	       S_ISREG(st.stx_mode) && st.stx_mode & 0111;
}

char *host_program(const char *name, const char *path)
{
	if (!path)
		path = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin";
	for (const char *dir = path, *end; *dir; dir = *end ? end + 1 : end) {
		_cleanup_free_ char *folder = NULL, *found = NULL;

		end = strchrnul(dir, ':');
		folder = strndup(dir, (size_t)(end - dir));
		found = folder && folder[0] == '/' ? path_join(folder, name) : NULL;
		if (found && host_has_program(found))
			return take_ptr(found);
	}
	return NULL;
}

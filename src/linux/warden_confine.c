/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <sys/prctl.h>

#include "base/fd.h"
#include "linux/seccomp.h"
#include "linux/warden.h"

/* Of the caller's stdio only stderr: a reader of the command's output must see its end
 * when the command closes it. Not before the command runs: a further attempt needs it. */
static void leave_stdio(int keep_fd)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = 0; null >= 0 && fd < 2; fd++)
		if (fd != keep_fd)
			(void)dup2(null, fd);
	close_quietly(null);
}

/* From here on the warden only waits, copies bytes and writes events: no exec, no
 * socket, no file opened for writing. */
int warden_confine(const struct warden *w)
{
	static struct seccomp_prog prog;
	int r = seccomp_build_own(w->l->warm ? SECCOMP_ROLE_SESSION : SECCOMP_ROLE_WARDEN,
				  seccomp_native(), &prog);

	leave_stdio(w->ops->keep_fd);
	if (r < 0)
		return r;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -errno;
	return seccomp_load(&prog, false, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* With a wider view (--root host, --home host) the host's unix sockets come into
 * sight, and neither a read-only mount nor Landlock keeps a command from
 * connecting to one. Every bound socket that would be seen is masked. One
 * that is bound later is not: explain says so. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/path.h"
#include "plan/build.h"

#define SOCKETS_MAX (4u << 20)

/* The path in a line of /proc/net/unix (proc(5)): the eighth field. */
static char *socket_path(char *line)
{
	for (int field = 0; field < 7; field++) {
		line += strspn(line, " ");
		line += strcspn(line, " ");
	}
	line += strspn(line, " ");
	return *line == '/' ? line : NULL;
}

static void mask_socket(struct plan_build *b, const char *path)
{
	_cleanup_free_ char *real = realpath(path, NULL);
	struct stat st;

	if (!real || lstat(real, &st) < 0 || !S_ISSOCK(st.st_mode) || !plan_shown(b->plan, real))
		return;
	/* A socket in a workspace is the project's own. */
	for (size_t i = 0; i < b->spec->n_roots; i++)
		if (path_within(real, b->spec->roots[i].path))
			return;
	plan_step(b, STEP_MASK, NULL, real, STEP_OPTIONAL, S_IFREG);
}

int plan_sockets(struct plan_build *b)
{
	_cleanup_free_ char *text = NULL;
	char *save = NULL;
	int r;

	if (b->spec->root != ROOT_HOST && b->spec->home != HOME_HOST)
		return 0;
	r = fd_read_file(AT_FDCWD, "/proc/net/unix", SOCKETS_MAX, &text, NULL);
	if (r < 0)
		return err_errno(b->err, r, "cannot list the host's sockets in /proc/net/unix");
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *path = socket_path(line);

		if (path)
			mask_socket(b, path);
	}
	return 0;
}

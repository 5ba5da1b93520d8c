/* SPDX-License-Identifier: Apache-2.0 */
/* Which mounts the command's view consists of. A descriptor that the command was given
 * (its standard input) may lie outside of them: it may be read and written as it was
 * opened, but metadata is changed by us, and not for a file of the host's. */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>

#include "base/fd.h"
#include "linux/supervisor/sup.h"

#define MOUNTS_MAX 4096u
#define MOUNTINFO_MAX (4u << 20)

static struct {
	pthread_mutex_t lock;
	bool read;
	size_t n;
	uint64_t id[MOUNTS_MAX];
} view = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* Mounts of this namespace do not change any more once the command runs. The first field
 * of each line of mountinfo is the id that statx reports, proc_pid_mountinfo(5). */
static void view_read(const struct sup *s)
{
	_cleanup_free_ char *text = NULL;
	char *line, *save = NULL;

	if (fd_read_file(s->host_proc, "self/mountinfo", MOUNTINFO_MAX, &text, NULL) < 0)
		return;
	for (line = strtok_r(text, "\n", &save); line && view.n < MOUNTS_MAX;
	     line = strtok_r(NULL, "\n", &save))
		view.id[view.n++] = strtoull(line, NULL, 10);
	view.read = true;
}

/* Pipes, sockets and the like, which belong to no view. */
static bool is_nameless(int fd)
{
	struct statfs fs;

	return fstatfs(fd, &fs) == 0 && (fs.f_type == PIPEFS_MAGIC || fs.f_type == SOCKFS_MAGIC ||
					 fs.f_type == ANON_INODE_FS_MAGIC);
}

bool in_view(const struct sup *s, int fd)
{
	struct statx stx;
	struct stat st;
	bool found = false;

	/* A file without a name, a memory file above all: nobody will find it by one. */
	if (fstat(fd, &st) < 0)
		return false;
	if ((S_ISREG(st.st_mode) && st.st_nlink == 0) || is_nameless(fd))
		return true;
	if (s->in->flat)
		return false;
	if (sys_statx(fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &stx) < 0 ||
	    !(stx.stx_mask & STATX_MNT_ID))
		return false;
	pthread_mutex_lock(&view.lock);
	if (!view.read)
		view_read(s);
	for (size_t i = 0; i < view.n && !found; i++)
		found = view.id[i] == stx.stx_mnt_id;
	pthread_mutex_unlock(&view.lock);
	return found;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Agents' and editors' settings are protected at the roots of repositories. A directory
 * that becomes one may hold such settings that were free to write until then: a host tool
 * that is later started there would take them. So where the command has made any, it
 * makes no repository. What was there before the session is the person's own. */
#include <errno.h>
#include <fcntl.h>
#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "linux/supervisor/git.h"

#define ENTRIES_MAX 8192
#define DEPTH_MAX 4

static DIR *list(int at, const char *name)
{
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (!dir)
		close_quietly(fd);
	return dir;
}

/* Where the file system knows no time of birth, everything is young. */
static bool is_young(const struct sup *s, const struct statx *stx)
{
	if (!(stx->stx_mask & STATX_BTIME))
		return true;
	return stx->stx_btime.tv_sec > s->begin.tv_sec ||
	       (stx->stx_btime.tv_sec == s->begin.tv_sec &&
		stx->stx_btime.tv_nsec >= s->begin.tv_nsec);
}

/* true: a young entry below would be protected in a repository `up` levels above. */
static bool exposes_below(struct request *r, const struct sup_root *root, int at, const char *name,
			  unsigned up, unsigned *entries)
{
	_cleanup_closedir_ DIR *dir = list(at, name);
	struct dirent *e;

	while (dir && (e = readdir(dir))) {
		struct statx stx;
		struct place p;
		bool is_dir;

		if (streq(e->d_name, ".") || streq(e->d_name, "..") || streq(e->d_name, ".git"))
			continue;
		if ((*entries)++ >= ENTRIES_MAX)
			return true;
		if (sys_statx(dirfd(dir), e->d_name, AT_SYMLINK_NOFOLLOW, STATX_TYPE | STATX_BTIME,
			      &stx) < 0)
			continue;
		place_init(&p);
		p.dir = dirfd(dir); /* borrowed */
		p.root = root;
		(void)snprintf(p.name, sizeof(p.name), "%s", e->d_name);
		is_dir = S_ISDIR(stx.stx_mode);
		if (!is_dir && is_young(r->sup, &stx) &&
		    !judge_as_repository(r, OP_WRITE, &p, type_of_mode(stx.stx_mode), up))
			return true;
		/* What may not be moved is protected, or holds what is. */
		if (is_dir && up < DEPTH_MAX &&
		    !judge_as_repository(r, OP_RENAME_FROM, &p, FT_DIR, up) &&
		    exposes_below(r, root, dirfd(dir), e->d_name, up + 1, entries))
			return true;
	}
	return false;
}

int git_may_found(struct request *r, struct place *p)
{
	unsigned entries = 0;

	if (place_type(p, NULL) != FT_NONE)
		return 0; /* it is one already */
	if (!r->exclusive)
		return SUP_AGAIN;
	if (!exposes_below(r, p->root, p->dir, ".", 0, &entries))
		return 0;
	return report_denial(r, OP_CREATE, p->path, NULL,
			     "settings of an agent or editor were made here before", EACCES);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Directories that calls were made in lately: programs make many files in one directory,
 * and opening it and reading its name is a third of the work of a call.
 *
 * A path is only ever looked up to find which directory it leads to now; what is
 * remembered is that directory's descriptor, root and name. Its name changes when it or
 * one above it is moved: by us, which is counted, or by the host, which is seen within
 * PATH_AGE_MS. The host's own move could as well have come that much later. */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "linux/supervisor/sup.h"

#define PATH_AGE_MS 5u

static uint64_t now_ms(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000 + 1;
}

struct known_dir *known_dir_find(struct worker *w, const struct statx *stx)
{
	for (unsigned i = 0; i < KNOWN_DIRS; i++) {
		struct known_dir *k = &w->dirs[i];

		if (k->fd >= 0 && k->ino == stx->stx_ino && k->mnt_id == stx->stx_mnt_id &&
		    k->dev_major == stx->stx_dev_major && k->dev_minor == stx->stx_dev_minor) {
			k->users++;
			return k;
		}
	}
	return NULL;
}

struct known_dir *known_dir_add(struct worker *w, int fd, const struct statx *stx,
				const struct sup_root *root)
{
	for (unsigned i = 0; i < KNOWN_DIRS; i++) {
		unsigned n = w->next_dir++ % KNOWN_DIRS;
		struct known_dir *k = &w->dirs[n];

		if (k->users)
			continue;
		close_quietly(k->fd);
		k->fd = fd;
		k->root = root;
		k->mnt_id = stx->stx_mnt_id;
		k->ino = stx->stx_ino;
		k->dev_major = stx->stx_dev_major;
		k->dev_minor = stx->stx_dev_minor;
		k->read_ms = 0;
		k->path = w->dir_paths[n];
		k->users = 1;
		return k;
	}
	return NULL;
}

void known_dirs_forget(struct worker *w)
{
	for (unsigned i = 0; i < KNOWN_DIRS; i++) {
		close_quietly(w->dirs[i].fd);
		w->dirs[i].fd = -1;
	}
}

ssize_t known_dir_path(struct request *r, struct known_dir *k, char dst[PATH_MAX])
{
	unsigned moves = atomic_load(&r->sup->moves);
	uint64_t now = now_ms();

	if (!k->read_ms || k->moves != moves || now - k->read_ms > PATH_AGE_MS) {
		ssize_t n = real_path(r->sup, k->fd, k->path);

		k->read_ms = 0;
		if (n < 0)
			return n;
		k->path_len = (size_t)n;
		k->moves = moves;
		k->read_ms = now;
	}
	memcpy(dst, k->path, k->path_len + 1);
	return (ssize_t)k->path_len;
}

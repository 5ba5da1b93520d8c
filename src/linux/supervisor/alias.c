/* SPDX-License-Identifier: Apache-2.0 */
/* A file with several names may be a protected one under a harmless name. Inside the
 * sandbox no such name can be made; one that was there before is looked for here, where
 * a host's tools would find it: among what is protected at the top of each writable
 * tree. Few files have several names, and fewer are opened for writing. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "linux/supervisor/sup.h"

#define ENTRIES_MAX 8192
#define DEPTH_MAX 4

struct search {
	struct request *r;
	const struct sup_root *root;
	const struct stat *st;
	unsigned entries;
};

static bool same_file(int dir, const char *path, const struct stat *st)
{
	struct stat other;

	return fstatat(dir, path, &other, AT_SYMLINK_NOFOLLOW) == 0 && other.st_dev == st->st_dev &&
	       other.st_ino == st->st_ino;
}

static DIR *list(int at, const char *name)
{
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (!dir)
		close_quietly(fd);
	return dir;
}

static bool is_denied(struct search *s, enum file_op op, int dir, const char *name,
		      enum file_type type)
{
	struct place p;
	struct verdict v;

	place_init(&p);
	p.dir = dir; /* borrowed */
	p.root = s->root;
	(void)snprintf(p.name, sizeof(p.name), "%s", name);
	return judge_quiet(s->r, op, &p, type, NULL, &v) < 0;
}

/* true: one of the protected names below is the file's, or there are too many. */
static bool found_below(struct search *s, int at, const char *name, unsigned depth)
{
	_cleanup_closedir_ DIR *dir = list(at, name);
	struct dirent *e;
	struct stat st;
	int fd = dir ? dirfd(dir) : -1;

	while (dir && (e = readdir(dir))) {
		if (streq(e->d_name, ".") || streq(e->d_name, ".."))
			continue;
		if (s->entries++ >= ENTRIES_MAX)
			return true;
		if (fstatat(fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		if (S_ISDIR(st.st_mode)) {
			/* What may not be moved is protected, or holds what is. */
			if (depth < DEPTH_MAX &&
			    is_denied(s, OP_RENAME_FROM, fd, e->d_name, FT_DIR) &&
			    found_below(s, fd, e->d_name, depth + 1))
				return true;
		} else if (st.st_dev == s->st->st_dev && st.st_ino == s->st->st_ino &&
			   is_denied(s, OP_WRITE, fd, e->d_name, FT_REG)) {
			return true;
		}
	}
	return false;
}

static bool is_hook(int root, const struct stat *st)
{
	_cleanup_closedir_ DIR *dir = list(root, ".git/hooks");
	unsigned n = 0;
	struct dirent *e;

	while (dir && (e = readdir(dir)) && n++ < ENTRIES_MAX)
		if (same_file(dirfd(dir), e->d_name, st))
			return true;
	return n >= ENTRIES_MAX;
}

int alias_refused(struct request *r, const char *path, const struct stat *st)
{
	const struct supervisor *in = r->sup->in;

	if (!r->exclusive)
		return SUP_AGAIN;
	for (size_t i = 0; i < in->n_roots; i++) {
		const struct sup_root *root = &in->roots[i];
		struct search s = { .r = r, .root = root, .st = st };

		if (root->kind == SUP_FREE || root->is_file)
			continue;
		if (same_file(root->fd, ".git/config", st) || is_hook(root->fd, st) ||
		    found_below(&s, root->fd, ".", 0))
			return report_denial(r, OP_WRITE, path, NULL,
					     "another name of a protected file", EACCES);
	}
	return 0;
}

/* ---- hidden files ------------------------------------------------------------ */

#define HIDDEN_MAX 256
#define HIDDEN_ENTRIES 50000
#define HIDDEN_DEPTH 48

/* Hidden files that have other names; made when a file with several names is first read. */
static struct {
	bool made;
	unsigned entries;
	size_t n;
	dev_t dev[HIDDEN_MAX];
	ino_t ino[HIDDEN_MAX];
} hidden;

static void note_hidden(struct search *s, int at, const char *name, unsigned depth)
{
	_cleanup_closedir_ DIR *dir = list(at, name);
	struct dirent *e;
	struct stat st;
	int fd = dir ? dirfd(dir) : -1;

	while (dir && (e = readdir(dir)) && hidden.n < HIDDEN_MAX) {
		if (streq(e->d_name, ".") || streq(e->d_name, ".."))
			continue;
		if (hidden.entries++ >= HIDDEN_ENTRIES)
			return;
		if (fstatat(fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		if (S_ISDIR(st.st_mode) && depth < HIDDEN_DEPTH) {
			note_hidden(s, fd, e->d_name, depth + 1);
		} else if (S_ISREG(st.st_mode) && st.st_nlink > 1 &&
			   is_denied(s, OP_READ, fd, e->d_name, FT_REG)) {
			hidden.dev[hidden.n] = st.st_dev;
			hidden.ino[hidden.n++] = st.st_ino;
		}
	}
}

int alias_hidden(struct request *r, const char *path, const struct stat *st)
{
	if (!hidden.made) {
		if (!r->exclusive)
			return SUP_AGAIN;
		for (size_t i = 0; i < r->sup->in->n_roots; i++) {
			const struct sup_root *root = &r->sup->in->roots[i];
			struct search s = { .r = r, .root = root };

			if (root->kind == SUP_GOVERNED && !root->is_file)
				note_hidden(&s, root->fd, ".", 0);
		}
		hidden.made = true;
	}
	for (size_t i = 0; i < hidden.n; i++)
		if (hidden.dev[i] == st->st_dev && hidden.ino[i] == st->st_ino)
			return report_denial(r, OP_READ, path, NULL,
					     "another name of a hidden file", EACCES);
	return 0;
}

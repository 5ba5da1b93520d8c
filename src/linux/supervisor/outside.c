/* SPDX-License-Identifier: Apache-2.0 */
/* Changes outside the writable trees are left to the kernel, which refuses them where the
 * view is read-only. That is a denial of ours all the same, and told like one; but not
 * where the files' own permissions would have refused it too. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/statvfs.h>

#include "base/str.h"
#include "linux/supervisor/sup.h"

#define MOUNTS_MAX 64

/* Mounts that are not read-only: the private places, where nearly all such calls go. They do
 * not change while the command runs. */
static struct {
	pthread_mutex_t lock;
	size_t n;
	uint64_t id[MOUNTS_MAX];
} writable = { .lock = PTHREAD_MUTEX_INITIALIZER };

static bool is_writable(uint64_t mnt_id)
{
	bool found = false;

	pthread_mutex_lock(&writable.lock);
	for (size_t i = 0; i < writable.n && !found; i++)
		found = writable.id[i] == mnt_id;
	pthread_mutex_unlock(&writable.lock);
	return found;
}

static void note_writable(uint64_t mnt_id)
{
	pthread_mutex_lock(&writable.lock);
	if (writable.n < MOUNTS_MAX)
		writable.id[writable.n++] = mnt_id;
	pthread_mutex_unlock(&writable.lock);
}

/* Would only the mount refuse it, or Landlock? (The kernel asks for the permissions first.) */
static bool only_view_refuses(const struct request *r, int dir, const char *name)
{
	if (r->sup->in->flat)
		return faccessat(dir, name, W_OK, AT_EACCESS) == 0;
	return faccessat(dir, name, W_OK, AT_EACCESS) < 0 && errno == EROFS;
}

void outside_note(struct request *r, enum file_op op, const struct start *from,
		  const struct place *look, const char *path)
{
	_cleanup_place_ struct place p = { .dir = -1 };
	struct file_query q = { .op = op, .type = FT_REG };
	struct verdict v;
	struct statvfs fs;
	bool exists;
	size_t n = (size_t)look->dir_len;
	char dir[PATH_MAX];

	if (look->last != LAST_NORM || is_writable(look->mnt_id))
		return;
	/* "git status" tries to take it, and does without. */
	if (streq(look->name, "index.lock"))
		return;
	memcpy(dir, path, n);
	dir[n] = '\0';
	place_init(&p);
	p.dir = open_start(r, from, dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (p.dir < 0 || fstatvfs(p.dir, &fs) < 0)
		return;
	if (!(fs.f_flag & ST_RDONLY) && !r->sup->in->flat) {
		note_writable(look->mnt_id);
		return;
	}
	memcpy(p.name, look->name, strlen(look->name) + 1);
	exists = place_type(&p, NULL) != FT_NONE;
	/* An open with O_CREAT of what exists is a write; other calls fail at that. */
	if (op == OP_CREATE && exists && r->opens)
		op = OP_WRITE;
	if ((op != OP_RENAME_TO && exists == (op == OP_CREATE)) || place_path(r, &p) ||
	    !only_view_refuses(r, p.dir, op == OP_WRITE ? p.name : "."))
		return;
	q.path = p.path;
	spec_judge(r->sup->spec, &q, &v);
	/* The kernel refuses it whatever somebody would answer. */
	if (v.decision == VERDICT_ASK)
		v.decision = VERDICT_DENY;
	if (v.decision != VERDICT_ALLOW && target_alive(r) == 0)
		(void)report_denial(r, op, p.path, &v, NULL, r->sup->in->flat ? EACCES : EROFS);
}

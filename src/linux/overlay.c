/* SPDX-License-Identifier: Apache-2.0 */
/* Private copies of what the host has: the command sees and changes them as it would the
 * originals, and nothing of that lasts. The changes lie in a tmpfs that the overlay
 * itself covers, so that no name leads there, and that goes away with the mount
 * namespace, whoever is killed when.
 *
 * Linux 6.6: before, a tmpfs had no "user" attributes, without which an overlay cannot
 * replace a directory. What is mounted below the source is not seen. */
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/mount.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include "linux/kern.h"
#include "linux/places.h"
#include "linux/setup.h"

#define COPY_MAX (256 * 1024 * 1024)
#define COPY_FILE ".copy"

/* A directory of the tmpfs. like: whose mode and owner the overlay's root will have. */
static int make_dir(int tmpfs, const char *name, const struct stat *like)
{
	if (mkdirat(tmpfs, name, 0700) < 0)
		return -errno;
	if (!like)
		return 0;
	/* An owner that this namespace does not know stays what it is. */
	if (fchownat(tmpfs, name, like->st_uid, like->st_gid, AT_SYMLINK_NOFOLLOW) < 0 &&
	    errno != EINVAL && errno != EPERM)
		return -errno;
	return fchmodat(tmpfs, name, like->st_mode & 01777, 0) < 0 ? -errno : 0;
}

/* Can the tmpfs hold what an overlay writes to it? Else: -EOPNOTSUPP. */
static int has_attributes(int tmpfs)
{
	_cleanup_close_ int upper = openat(tmpfs, "u", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return upper < 0 || fsetxattr(upper, "user.berm", "1", 1, 0) < 0 ? -errno : 0;
}

int step_overlay(const struct step *s, int root)
{
	char lower[32], upper[32], work[32];
	const char *const opts[][2] = { { "lowerdir", lower },
					{ "upperdir", upper },
					{ "workdir", work },
					{ "userxattr", NULL },
					{ NULL, NULL } };
	_cleanup_close_ int src = place_source(s, O_PATH | O_DIRECTORY);
	_cleanup_close_ int tmpfs = -1, tree = -1;
	struct stat st;
	int r;

	if (src < 0)
		return src;
	if (fstat(src, &st) < 0)
		return -errno;
	tmpfs = place_new_fs("tmpfs", NULL, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
	if (tmpfs < 0)
		return tmpfs;
	/* An overlay's directories must lie in this mount namespace. */
	r = place_attach(tmpfs, root, s->dst);
	if (r >= 0)
		r = make_dir(tmpfs, "u", &st);
	if (r >= 0)
		r = make_dir(tmpfs, "w", NULL);
	if (r < 0)
		return r;
	r = has_attributes(tmpfs);
	if (r < 0)
		return r;
	(void)snprintf(lower, sizeof(lower), "/proc/self/fd/%d", src);
	(void)snprintf(upper, sizeof(upper), "/proc/self/fd/%d/u", tmpfs);
	(void)snprintf(work, sizeof(work), "/proc/self/fd/%d/w", tmpfs);
	tree = place_new_fs("overlay", opts, (unsigned)place_attrs(s->flags));
	return tree < 0 ? tree : place_attach(tree, root, s->dst);
}

static int copy(int from, int to)
{
	struct stat st;
	off_t left;

	if (fstat(from, &st) < 0)
		return -errno;
	if (st.st_size > COPY_MAX)
		return -EFBIG;
	for (left = st.st_size; left > 0;) {
		ssize_t n = sendfile(to, from, NULL, (size_t)left);

		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		left -= n;
	}
	return fchmod(to, st.st_mode & 0777) < 0 ? -errno : 0;
}

int step_copy(const struct step *s, int root)
{
	_cleanup_close_ int src = place_source(s, O_RDONLY | O_NONBLOCK), tree = -1, file = -1;
	int r;

	if (src < 0)
		return src;
	file = openat(root, COPY_FILE, O_CREAT | O_EXCL | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (file < 0)
		return -errno;
	r = copy(src, file);
	if (r >= 0)
		r = tree = place_clone_tree(file, false);
	if (r >= 0)
		r = place_setattr(tree, false, place_attrs(s->flags));
	if (r >= 0)
		r = place_attach(tree, root, s->dst);
	/* Its own name goes at once: it is only seen where it stands. */
	if (unlinkat(root, COPY_FILE, 0) < 0 && r >= 0)
		r = -errno;
	return r;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Executes the mount steps of a plan. Every place is resolved by descriptor,
 * inside the new root and through no symlink: a planted link in the private home
 * or a workspace cannot send a mount elsewhere (the fault of bubblewrap's
 * CVE-2026-87766). Sources are canonical paths, opened without following links
 * and, where the plan recorded it, compared with the inode that was judged. */
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "linux/kern.h"
#include "linux/places.h"
#include "linux/setup.h"

#define MASK_FILE ".mask-file"
#define MASK_DIR ".mask-dir"
#define TEXT_FILE ".text"

int place_openat2(int dir, const char *path, uint64_t flags, uint64_t resolve)
{
	struct open_how how = { .flags = flags | O_CLOEXEC, .resolve = resolve };
	long fd = syscall(SYS_openat2, dir, path, &how, sizeof(how));

	return fd < 0 ? -errno : (int)fd;
}

static int sys_move_mount(int from, int to_dir, const char *to, unsigned flags)
{
	if (syscall(SYS_move_mount, from, "", to_dir, to, flags | MOVE_MOUNT_F_EMPTY_PATH) < 0)
		return -errno;
	return 0;
}

int place_setattr(int fd, bool recursive, uint64_t set)
{
	struct mount_attr attr = { .attr_set = set };
	unsigned flags = AT_EMPTY_PATH | (recursive ? AT_RECURSIVE : 0);

	return syscall(SYS_mount_setattr, fd, "", flags, &attr, sizeof(attr)) < 0 ? -errno : 0;
}

int place_new_fs(const char *type, const char *const opts[][2], unsigned attrs)
{
	_cleanup_close_ int fs = (int)syscall(SYS_fsopen, type, FSOPEN_CLOEXEC);
	long fd;

	if (fs < 0)
		return -errno;
	for (size_t i = 0; opts && opts[i][0]; i++)
		if (syscall(SYS_fsconfig, fs, opts[i][1] ? FSCONFIG_SET_STRING : FSCONFIG_SET_FLAG,
			    opts[i][0], opts[i][1], 0) < 0)
			return -errno;
	if (syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
		return -errno;
	fd = syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC, attrs);
	return fd < 0 ? -errno : (int)fd;
}

/* A place in the new root. */
static int open_place(int root, const char *path)
{
	return place_openat2(root, path + 1, O_PATH,
			     RESOLVE_IN_ROOT | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS);
}

/* Opens the directory of path and points *ret_name at its last component. */
static int open_parent(int root, const char *path, const char **ret_name)
{
	char dir[4096];
	const char *slash = strrchr(path, '/');
	size_t n = (size_t)(slash - path);

	*ret_name = slash + 1;
	if (n == 0)
		return fcntl(root, F_DUPFD_CLOEXEC, 3);
	if (n >= sizeof(dir))
		return -ENAMETOOLONG;
	memcpy(dir, path, n);
	dir[n] = '\0';
	return open_place(root, dir);
}

int mount_new_root(int *ret_root)
{
	static const char *const opts[][2] = { { "mode", "0755" }, { NULL, NULL } };
	_cleanup_close_ int fd = -1;
	int r;

	/* Before anything is attached: in a slave tree a later mount of the
	 * host would still arrive here. */
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return -errno;
	fd = place_new_fs("tmpfs", opts, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
	if (fd < 0)
		return fd;
	/* On top of "/": the old root stays reachable as this process's root until
	 * the pivot, and no host directory is covered meanwhile. */
	r = sys_move_mount(fd, AT_FDCWD, "/", 0);
	if (r < 0)
		return r;
	*ret_root = take_fd(&fd);
	return 0;
}

int mount_root_limit(int root, uint64_t bytes)
{
	_cleanup_close_ int fs =
		(int)syscall(SYS_fspick, root, "", FSPICK_EMPTY_PATH | FSPICK_CLOEXEC);
	char text[32];

	(void)snprintf(text, sizeof(text), "%llu", (unsigned long long)bytes);
	if (fs < 0 || syscall(SYS_fsconfig, fs, FSCONFIG_SET_STRING, "size", text, 0) < 0 ||
	    syscall(SYS_fsconfig, fs, FSCONFIG_CMD_RECONFIGURE, NULL, NULL, 0) < 0)
		return -errno;
	return 0;
}

static int step_make(const struct step *s, int root)
{
	const char *name;
	_cleanup_close_ int dir = open_parent(root, s->dst, &name);
	_cleanup_close_ int fd = -1;

	if (dir < 0)
		return dir;
	switch (s->op) {
	case STEP_DIR:
		if (mkdirat(dir, name, s->mode) < 0)
			return errno == EEXIST ? 0 : -errno;
		/* The session's umask must not close a private place. */
		if (s->mode != 0755 && fchmodat(dir, name, s->mode, 0) < 0)
			return -errno;
		return 0;
	case STEP_FILE:
		fd = openat(dir, name, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC,
			    s->mode);
		return fd < 0 && errno != EEXIST ? -errno : 0;
	case STEP_SYMLINK:
		return symlinkat(s->src, dir, name) < 0 && errno != EEXIST ? -errno : 0;
	default:
		return -EINVAL;
	}
}

int place_clone_tree(int fd, bool recursive)
{
	unsigned flags = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH;
	long tree = syscall(SYS_open_tree, fd, "", flags | (recursive ? AT_RECURSIVE : 0));

	return tree < 0 ? -errno : (int)tree;
}

int place_attach(int tree, int root, const char *path)
{
	_cleanup_close_ int place = open_place(root, path);

	if (place < 0)
		return place;
	return sys_move_mount(tree, place, "", MOVE_MOUNT_T_EMPTY_PATH);
}

uint64_t place_attrs(unsigned flags)
{
	uint64_t attrs = MOUNT_ATTR_NOSUID;

	if (flags & STEP_RO)
		attrs |= MOUNT_ATTR_RDONLY;
	if (flags & STEP_NOEXEC)
		attrs |= MOUNT_ATTR_NOEXEC;
	if (!(flags & STEP_DEVICE))
		attrs |= MOUNT_ATTR_NODEV;
	return attrs;
}

int place_source(const struct step *s, uint64_t flags)
{
	_cleanup_close_ int src = place_openat2(AT_FDCWD, s->src, flags, RESOLVE_NO_SYMLINKS);
	struct stat st;

	if (src < 0)
		return src;
	if (s->flags & STEP_SAME) {
		if (fstat(src, &st) < 0)
			return -errno;
		if (st.st_dev != s->dev || st.st_ino != s->ino)
			return -ESTALE;
	}
	return take_fd(&src);
}

static int step_bind(const struct step *s, int root)
{
	_cleanup_close_ int src = place_source(s, O_PATH);
	_cleanup_close_ int tree = -1;
	int r;

	if (src < 0)
		return src;
	tree = place_clone_tree(src, s->flags & STEP_REC);
	if (tree < 0)
		return tree;
	r = place_setattr(tree, s->flags & STEP_REC, place_attrs(s->flags));
	if (r < 0)
		return r;
	return place_attach(tree, root, s->dst);
}

static int step_pin(const struct step *s, int root)
{
	_cleanup_close_ int place = open_place(root, s->dst);
	_cleanup_close_ int tree = -1;
	int r;

	if (place < 0)
		return place;
	tree = place_clone_tree(place, false);
	if (tree < 0)
		return tree;
	if (s->flags & STEP_NOEXEC) {
		r = place_setattr(tree, false, MOUNT_ATTR_NOEXEC);
		if (r < 0)
			return r;
	}
	return sys_move_mount(tree, place, "", MOVE_MOUNT_T_EMPTY_PATH);
}

static int step_devpts(const struct step *s, int root)
{
	static const char *const opts[][2] = { { "ptmxmode", "0666" },
					       { "mode", "0620" },
					       { NULL, NULL } };
	_cleanup_close_ int tree =
		place_new_fs("devpts", opts, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC);

	if (tree < 0)
		return tree;
	return place_attach(tree, root, s->dst);
}

static int step_mqueue(const struct step *s, int root)
{
	_cleanup_close_ int tree = place_new_fs(
		"mqueue", NULL, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);

	if (tree == -ENODEV)
		return 0;
	return tree < 0 ? tree : place_attach(tree, root, s->dst);
}

/* A file and a directory that nobody may open (the command has no
 * capabilities, as root neither). Their names go before the root is entered. */
static int step_mask(const struct step *s, int root)
{
	bool dir = S_ISDIR(s->mode);
	const char *name = dir ? MASK_DIR : MASK_FILE;
	_cleanup_close_ int src = -1, tree = -1, made = -1;
	int r;

	if (dir) {
		if (mkdirat(root, name, 0) < 0 && errno != EEXIST)
			return -errno;
	} else {
		made = openat(root, name, O_CREAT | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0);
		if (made < 0 && errno != EACCES)
			return -errno;
	}
	src = openat(root, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (src < 0)
		return -errno;
	tree = place_clone_tree(src, false);
	if (tree < 0)
		return tree;
	r = place_setattr(tree, false, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOEXEC);
	if (r < 0)
		return r;
	return place_attach(tree, root, s->dst);
}

/* The file's own name goes at once: it is only seen where it covers. */
static int step_text(const struct step *s, int root)
{
	_cleanup_close_ int file =
		openat(root, TEXT_FILE, O_CREAT | O_EXCL | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0600);
	_cleanup_close_ int tree = -1;
	size_t len = strlen(s->src);
	int r = 0;

	if (file < 0)
		return -errno;
	if (write(file, s->src, len) != (ssize_t)len || fchmod(file, s->mode) < 0)
		return -EIO;
	tree = place_clone_tree(file, false);
	if (tree < 0)
		return tree;
	r = place_setattr(tree, false, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOEXEC);
	if (r >= 0)
		r = place_attach(tree, root, s->dst);
	if (unlinkat(root, TEXT_FILE, 0) < 0)
		return -errno;
	return r;
}

static int one_step(const struct step *s, int root)
{
	switch (s->op) {
	case STEP_DIR:
	case STEP_FILE:
	case STEP_SYMLINK:
		return step_make(s, root);
	case STEP_BIND:
		return step_bind(s, root);
	case STEP_DEVPTS:
		return step_devpts(s, root);
	case STEP_MQUEUE:
		return step_mqueue(s, root);
	case STEP_PIN:
		return step_pin(s, root);
	case STEP_MASK:
		return step_mask(s, root);
	case STEP_TEXT:
		return step_text(s, root);
	case STEP_OVERLAY:
		return step_overlay(s, root);
	case STEP_COPY:
		return step_copy(s, root);
	}
	return -EINVAL;
}

int mount_steps(const struct plan *p, size_t from, int root, int *ret_index)
{
	for (size_t i = from; i < p->n_steps; i++) {
		int r = one_step(&p->steps[i], root);

		if (r == -ENOENT && p->steps[i].flags & STEP_OPTIONAL)
			continue;
		if (r < 0) {
			*ret_index = (int)i;
			return r;
		}
	}
	return 0;
}

int mount_proc(void)
{
	return place_new_fs("proc", NULL, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
}

int mount_outer_proc(void)
{
	_cleanup_close_ int proc = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
	_cleanup_close_ int tree = -1;
	int r;

	if (proc < 0)
		return -errno;
	/* With what covers parts of it: the kernel gives no copy without. */
	tree = place_clone_tree(proc, true);
	if (tree < 0)
		return tree;
	r = place_setattr(tree, true,
			  MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV |
				  MOUNT_ATTR_NOEXEC);
	return r < 0 ? r : take_fd(&tree);
}

int mount_cover_own(int root, const pid_t *pids, size_t n)
{
	_cleanup_close_ int empty =
		place_new_fs("tmpfs", NULL, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOEXEC);

	if (empty < 0)
		return empty;
	for (size_t i = 0; i < n; i++) {
		_cleanup_close_ int tree = place_clone_tree(empty, false);
		char path[32];
		int r;

		if (tree < 0)
			return tree;
		(void)snprintf(path, sizeof(path), "/proc/%d", (int)pids[i]);
		r = place_attach(tree, root, path);
		if (r < 0)
			return r;
	}
	return 0;
}

int mount_attach_proc(int root, int proc)
{
	return place_attach(proc, root, "/proc");
}

/* /proc/keys lists keys of the user's whoever reads it; it is empty here. */
static int hide_keys(int root)
{
	_cleanup_close_ int place = open_place(root, "/proc/keys");
	_cleanup_close_ int null = -1, tree = -1;

	if (place < 0)
		return place == -ENOENT ? 0 : place;
	null = open_place(root, "/dev/null");
	if (null < 0)
		return null;
	tree = place_clone_tree(null, false);
	if (tree < 0)
		return tree;
	return sys_move_mount(tree, place, "", MOVE_MOUNT_T_EMPTY_PATH);
}

int mount_proc_readonly(int root)
{
	static const char *const parts[] = { "/proc/sys", "/proc/irq", "/proc/bus", "/proc/fs",
					     "/proc/sysrq-trigger" };

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		_cleanup_close_ int place = open_place(root, parts[i]);
		_cleanup_close_ int tree = -1;
		int r;

		if (place == -ENOENT)
			continue;
		if (place < 0)
			return place;
		tree = place_clone_tree(place, false);
		if (tree < 0)
			return tree;
		r = place_setattr(tree, false, MOUNT_ATTR_RDONLY);
		if (r < 0)
			return r;
		r = sys_move_mount(tree, place, "", MOVE_MOUNT_T_EMPTY_PATH);
		if (r < 0)
			return r;
	}
	return hide_keys(root);
}

int mount_enter(int root)
{
	int r;

	(void)unlinkat(root, MASK_FILE, 0);
	(void)unlinkat(root, MASK_DIR, AT_REMOVEDIR);
	r = place_setattr(root, false, MOUNT_ATTR_RDONLY);
	if (r < 0)
		return r;
	if (fchdir(root) < 0 || syscall(SYS_pivot_root, ".", ".") < 0)
		return -errno;
	return 0;
}

int mount_leave_old(void)
{
	/* Both roots lie on the same place, the old one above (pivot_root(2)). */
	if (umount2(".", MNT_DETACH) < 0 || chdir("/") < 0)
		return -errno;
	return 0;
}

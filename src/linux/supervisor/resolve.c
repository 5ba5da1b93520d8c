/* SPDX-License-Identifier: Apache-2.0 */
/* From the command's path to a descriptor of ours.
 *
 * All but the last component is walked once by the kernel, from the command's working
 * directory, its descriptor or the root (the same for it and for us: chroot is refused).
 * What was opened is then asked where it lies: the mount id says whether it is ours to
 * govern, the kernel's own name for it is what is judged. So neither a symlink nor
 * "..", nor a directory that is swapped during the walk can lead past a rule:
 * the judgement is made on what was opened.
 *
 * /proc in this view belongs to the command's pid namespace, of which the supervisor is
 * no member: /proc/self does not exist for it, so it can never be led to open its own
 * memory or descriptors on behalf of the command. (In a container that refuses such a /proc
 * its own directory in the outer one is covered by an empty one.) */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "base/path.h"
#include "base/str.h"
#include "linux/supervisor/sup.h"

#define DIR_FLAGS (O_PATH | O_DIRECTORY | O_CLOEXEC)

enum file_type type_of_mode(mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFREG:
		return FT_REG;
	case S_IFDIR:
		return FT_DIR;
	case S_IFLNK:
		return FT_SYMLINK;
	default:
		return FT_OTHER;
	}
}

struct fd_name fd_name(int fd)
{
	struct fd_name n;

	(void)snprintf(n.text, sizeof(n.text), "self/fd/%d", fd);
	return n;
}

const struct sup_root *root_of_mount(const struct sup *s, const struct statx *stx)
{
	if (!(stx->stx_mask & STATX_MNT_ID))
		return NULL;
	for (size_t i = 0; i < s->in->n_roots; i++)
		if (s->in->roots[i].mnt_id == stx->stx_mnt_id)
			return &s->in->roots[i];
	return NULL;
}

static int statx_at(int dir, const char *path, int flags, struct statx *stx)
{
	return sys_statx(dir, path, flags | AT_STATX_DONT_SYNC, KNOWN_DIR_STATX, stx) < 0 ? -errno
											  : 0;
}

/* By the place of the name it has, or had last: what was unlinked belongs to where it was, as
 * it does to its mount. */
static const struct sup_root *root_of_name(const struct sup *s, int fd)
{
	const struct sup_root *best = NULL;
	char path[PATH_MAX], name[16];
	ssize_t n;

	(void)snprintf(name, sizeof(name), "%d", fd);
	n = readlinkat(s->self_fd, name, path, sizeof(path) - 1);
	if (n <= 0 || n >= (ssize_t)sizeof(path) - 1 || path[0] != '/')
		return NULL;
	path[n] = '\0';
	for (size_t i = 0; i < s->in->n_roots; i++) {
		const struct sup_root *r = &s->in->roots[i];

		if (!(r->is_file ? streq(path, r->path) : path_within(path, r->path)))
			continue;
		if (!best || strlen(r->path) > strlen(best->path))
			best = r;
	}
	return best;
}

const struct sup_root *root_of_fd(const struct sup *s, int fd)
{
	struct statx stx;

	if (s->in->flat)
		return root_of_name(s, fd);
	return statx_at(fd, "", AT_EMPTY_PATH, &stx) ? NULL : root_of_mount(s, &stx);
}

/* The kernel marks a name that is gone with " (deleted)", which a living name may end
 * in as well: that one still leads to the same object. */
static bool names_same(int fd, const char *path)
{
	struct stat a, b;

	return fstat(fd, &a) == 0 && lstat(path, &b) == 0 && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino;
}

ssize_t real_path(const struct sup *s, int fd, char *dst)
{
	char name[16];
	ssize_t n;

	(void)snprintf(name, sizeof(name), "%d", fd);
	n = readlinkat(s->self_fd, name, dst, PATH_MAX - 1);
	if (n < 0)
		return -errno;
	dst[n] = '\0';
	if (n >= PATH_MAX - 1)
		return -ENAMETOOLONG;
	if (dst[0] != '/')
		return -ENOENT;
	if (str_ends(dst, " (deleted)") && !names_same(fd, dst))
		return -ENOENT;
	return n;
}

/* Finds the last component. Returns the length of what is before it, with its
 * slash, or -ENAMETOOLONG. */
static ssize_t split_last(const char *path, struct place *p)
{
	size_t end = strlen(path), begin;

	p->slash = false;
	while (end && path[end - 1] == '/') {
		end--;
		p->slash = true;
	}
	begin = end;
	while (begin && path[begin - 1] != '/')
		begin--;
	if (end - begin > NAME_MAX)
		return -ENAMETOOLONG;
	memcpy(p->name, path + begin, end - begin);
	p->name[end - begin] = '\0';
	if (begin == end)
		p->last = LAST_ROOT;
	else if (streq(p->name, "."))
		p->last = LAST_DOT;
	else if (streq(p->name, ".."))
		p->last = LAST_DOTDOT;
	else
		p->last = LAST_NORM;
	return (ssize_t)begin;
}

static int open_beneath(int dir, const char *path, uint64_t flags, uint64_t resolve)
{
	struct open_how how = { .flags = flags, .resolve = resolve };
	long fd;

	if (!resolve)
		return openat(dir, path, (int)flags);
	fd = syscall(__NR_openat2, dir, path, &how, sizeof(how));
	return (int)fd;
}

/* The command's own start: "cwd" or "fd/N" in its /proc directory. */
static int start_text(const struct start *from, char *dst, size_t size)
{
	if (from->dirfd == AT_FDCWD)
		return snprintf(dst, size, "cwd");
	return snprintf(dst, size, "fd/%d", from->dirfd);
}

/* One try through the task's entry: opens `rest` (may be "") below the start, or looks at
 * what is there when stx is given. */
static int task_try(const struct task *t, const struct start *from, const char *rest, int flags,
		    struct statx *stx)
{
	_cleanup_close_ int base = -1;
	char text[PATH_MAX];
	int n = start_text(from, text, sizeof(text)), fd;

	if ((!from->resolve || !*rest) && strlen(rest) + (size_t)n + 2 <= sizeof(text)) {
		if (*rest) {
			text[n] = '/';
			memcpy(text + n + 1, rest, strlen(rest) + 1);
		}
		if (stx)
			return statx_at(t->proc, text, 0, stx);
		fd = openat(t->proc, text, flags);
		return fd < 0 ? -errno : fd;
	}
	base = openat(t->proc, text, O_PATH | O_CLOEXEC);
	if (base < 0)
		return -errno;
	if (stx)
		return statx_at(base, *rest ? rest : ".", 0, stx);
	fd = open_beneath(base, *rest ? rest : ".", (uint64_t)flags, from->resolve);
	return fd < 0 ? -errno : fd;
}

static int from_task(struct request *r, const struct start *from, const char *rest, int flags,
		     struct statx *stx)
{
	if (from->dirfd < 0 && from->dirfd != AT_FDCWD)
		return -EBADF;
	for (;;) {
		int err = -ESRCH;
		struct task *t = target_task(r, &err);
		bool fresh;

		if (!t)
			return err;
		fresh = t->fresh;
		t->fresh = false;
		err = task_try(t, from, rest, flags, stx);
		/* A kept entry may be that of a thread that has died. */
		if (fresh || (err != -ENOENT && err != -EACCES && err != -ESRCH))
			return err;
		target_forget(r);
	}
}

static int open_from_task(struct request *r, const struct start *from, const char *rest, int flags)
{
	return from_task(r, from, rest, flags, NULL);
}

/* Where the view's /proc knows us, no link of a process's directory is followed: it would be one
 * of ours. The caller's own start is none: it is opened by its number. */
static struct start careful(const struct request *r, const struct start *from)
{
	struct start s = *from;

	if (r->sup->in->flat)
		s.resolve |= RESOLVE_NO_MAGICLINKS;
	return s;
}

int open_start(struct request *r, const struct start *from, const char *rest, int flags)
{
	const struct start start = careful(r, from);
	int fd;

	if (rest[0] == '/' && start.resolve & RESOLVE_BENEATH)
		return -EXDEV;
	if (rest[0] == '/' && start.resolve & RESOLVE_IN_ROOT)
		rest += strspn(rest, "/");
	if (rest[0] != '/' && start.fd < 0)
		return open_from_task(r, &start, rest, flags);
	if (rest[0] == '/')
		fd = open_beneath(AT_FDCWD, rest, (uint64_t)flags, start.resolve);
	else
		fd = open_beneath(start.fd, *rest ? rest : ".", (uint64_t)flags, start.resolve);
	return fd < 0 ? -errno : fd;
}

/* Looks before it opens: most calls go to a directory that the last ones went to, or to
 * one that is not ours at all. Returns 1 when that settles it. */
static int place_look(struct request *r, const struct start *from, const char *dir, struct place *p)
{
	struct statx stx;
	int err;

	if (from->resolve || (from->fd >= 0 && dir[0] != '/') || r->sup->in->flat)
		return 0;
	if (dir[0] == '/')
		err = statx_at(AT_FDCWD, dir, 0, &stx);
	else
		err = from_task(r, from, dir, 0, &stx);
	if (err)
		return err;
	p->root = root_of_mount(r->sup, &stx);
	p->mnt_id = stx.stx_mnt_id;
	if (!p->root)
		return !r->sup->n_file_roots;
	p->known = known_dir_find(r->w, &stx);
	p->dir = p->known ? p->known->fd : -1;
	return p->known != NULL;
}

int place_find(struct request *r, const struct start *from, const char *path, struct place *p)
{
	struct statx stx;
	char dir[PATH_MAX];
	ssize_t n;
	int err;

	place_init(p);
	if (!*path)
		return -ENOENT;
	n = split_last(path, p);
	if (n < 0)
		return (int)n;
	if (p->last == LAST_ROOT)
		n = 1;
	p->dir_len = (size_t)n;
	memcpy(dir, path, (size_t)n);
	dir[n] = '\0';
	err = place_look(r, from, dir, p);
	if (err)
		return err < 0 ? err : 0;
	p->dir = open_start(r, from, dir, DIR_FLAGS);
	if (p->dir < 0)
		return p->dir;
	if (r->sup->in->flat) {
		p->root = root_of_fd(r->sup, p->dir);
		return 0;
	}
	err = statx_at(p->dir, "", AT_EMPTY_PATH, &stx);
	if (err)
		return err;
	p->root = root_of_mount(r->sup, &stx);
	if (p->root && !from->resolve)
		p->known = known_dir_add(r->w, p->dir, &stx, p->root);
	return 0;
}

static int place_deep(struct request *r, struct place *p)
{
	size_t next = 0;
	int err = p->root ? deep_path(r->sup, p->root, p->dir, p->name, &p->deep) : -ENAMETOOLONG;

	if (err)
		return err;
	do
		next = deep_piece(p->root, p->deep, next, p->path);
	while (next);
	p->path_len = strlen(p->path);
	return 0;
}

int place_path(struct request *r, struct place *p)
{
	ssize_t n;
	size_t len;

	if (p->path_len)
		return 0;
	n = p->known ? known_dir_path(r, p->known, p->path) : real_path(r->sup, p->dir, p->path);
	if (n == -ENAMETOOLONG || n + (ssize_t)strlen(p->name) >= PATH_MAX - 2)
		return place_deep(r, p);
	if (n < 0)
		return (int)n;
	if (n == 1)
		n = 0;
	len = strcspn(p->name, "/");
	p->path[n++] = '/';
	memcpy(p->path + n, p->name, len);
	p->path_len = (size_t)n + len;
	p->path[p->path_len] = '\0';
	return 0;
}

const char *place_name_slash(struct place *p)
{
	size_t n = strlen(p->name);

	if (p->last == LAST_ROOT)
		return ".";
	if (p->slash && p->name[n - 1] != '/') {
		p->name[n] = '/';
		p->name[n + 1] = '\0';
	}
	return p->name;
}

enum file_type place_type(const struct place *p, struct stat *ret_st)
{
	struct stat st;
	char name[NAME_MAX + 1];
	size_t n = strcspn(p->name, "/");

	memcpy(name, p->name, n);
	name[n] = '\0';
	if (fstatat(p->dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return FT_NONE;
	if (ret_st)
		*ret_st = st;
	return type_of_mode(st.st_mode);
}

/* "N" or "N/" with nothing behind; -1 otherwise. */
static int whole_number(const char *s)
{
	unsigned n = 0;

	if (*s < '0' || *s > '9' || (s[0] == '0' && s[1]))
		return -1;
	for (; *s >= '0' && *s <= '9'; s++) {
		n = n * 10 + (unsigned)(*s - '0');
		if (n > INT_MAX / 16)
			return -1;
	}
	return *s ? -1 : (int)n;
}

int magic_fd(const char *path)
{
	static const char *const dirs[] = { "/proc/self/fd/", "/dev/fd/", "/proc/thread-self/fd/" };
	static const char *const std[] = { "/dev/stdin", "/dev/stdout", "/dev/stderr" };

	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++)
		if (str_starts(path, dirs[i]))
			return whole_number(path + strlen(dirs[i]));
	for (size_t i = 0; i < ARRAY_SIZE(std); i++)
		if (streq(path, std[i]))
			return (int)i;
	return -1;
}

int object_fill(struct request *r, struct object *o)
{
	ssize_t n;

	if (fstat(o->fd, &o->st) < 0)
		return -errno;
	o->root = root_of_fd(r->sup, o->fd);
	if (!o->root)
		return 0;
	n = real_path(r->sup, o->fd, o->path);
	if (n < 0 && n != -ENOENT)
		return (int)n;
	if (n < 0) {
		o->unnamed = true;
		return 0;
	}
	o->path_len = (size_t)n;
	return 0;
}

/* An O_PATH descriptor has neither right in the mode of its /proc entry; nor has one
 * opened with access mode 3, which fdinfo tells apart. */
static bool is_o_path(const struct task *t, int number)
{
	_cleanup_close_ int fd = -1;
	char name[32], text[256];
	struct stat st;
	const char *p;
	ssize_t n;

	(void)snprintf(name, sizeof(name), "fd/%d", number);
	if (fstatat(t->proc, name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
	    st.st_mode & (S_IRUSR | S_IWUSR))
		return false;
	(void)snprintf(name, sizeof(name), "fdinfo/%d", number);
	fd = openat(t->proc, name, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	text[n > 0 ? n : 0] = '\0';
	p = strstr(text, "flags:\t");
	return p && strtoul(p + 7, NULL, 8) & O_PATH;
}

int object_of_open_fd(struct request *r, int number, struct object *o)
{
	int err = object_of_fd(r, number, o), ignored;
	const struct task *t = err ? NULL : target_task(r, &ignored);

	return t && is_o_path(t, number) ? -EBADF : err;
}

int object_of_fd(struct request *r, int number, struct object *o)
{
	struct start from = { .fd = -1, .dirfd = number };

	memset(o, 0, offsetof(struct object, path));
	o->fd = -1;
	if (number < 0)
		return -EBADF;
	o->fd = open_from_task(r, &from, "", O_PATH | O_CLOEXEC);
	if (o->fd == -ENOENT)
		o->fd = -EBADF;
	if (o->fd < 0)
		return o->fd;
	return object_fill(r, o);
}

int object_find(struct request *r, const struct start *from, const char *path, bool follow,
		struct object *o)
{
	int flags = O_PATH | O_CLOEXEC | (follow ? 0 : O_NOFOLLOW);
	int number = follow && from->fd < 0 && !from->resolve ? magic_fd(path) : -1;

	memset(o, 0, offsetof(struct object, path));
	o->fd = -1;
	if (number >= 0)
		return object_of_fd(r, number, o);
	if (!*path)
		return -ENOENT;
	o->fd = open_start(r, from, path, flags);
	if (o->fd < 0)
		return o->fd;
	return object_fill(r, o);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded into git: holds each file that it puts in place to what policy/git.h says,
 * as the supervisor would, and writes each refusal to the file GIT_SHIM_LOG. Only for
 * git_differential.sh; it shows what the judges think of git's own work without a
 * sandbox, also of what lies there for an instant only. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"
#include "policy/git.h"

#define FDS 1024

static struct {
	char path[PATH_MAX]; /* "" when the descriptor is of no interest */
	char *old;
	size_t old_len;
} watched[FDS];

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static void note(const char *what, const char *path, const char *reason)
{
	const char *log = getenv("GIT_SHIM_LOG");
	char line[PATH_MAX + 512];
	int fd = log ? REAL(open)(log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600) : -1;
	int n = snprintf(line, sizeof(line), "%s %s: %s\n", what, path, reason);

	if (fd < 0 || write(fd, line, (size_t)n) != n)
		abort();
	(void)REAL(close)(fd);
}

/* The canonical path of what a name is about to be; false when it lies elsewhere. */
static bool resolve(int dirfd, const char *path, char out[PATH_MAX])
{
	const char *root = getenv("GIT_SHIM_ROOT");
	char parent[PATH_MAX], full[PATH_MAX], link[64];
	char *slash;

	if (path[0] != '/' && dirfd != AT_FDCWD) {
		ssize_t n;

		(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", dirfd);
		n = readlink(link, parent, sizeof(parent) - 1);
		if (n < 0)
			return false;
		parent[n] = '\0';
	} else if (path[0] != '/' && !getcwd(parent, sizeof(parent))) {
		return false;
	}
	if (snprintf(full, sizeof(full), "%s/%s", path[0] == '/' ? "" : parent, path) >= PATH_MAX)
		return false;
	for (size_t n = strlen(full); n > 1 && full[n - 1] == '/'; n--)
		full[n - 1] = '\0';
	slash = strrchr(full, '/');
	*slash = '\0';
	if (!realpath(slash == full ? "/" : full, parent))
		return false;
	if (snprintf(out, PATH_MAX, "%s/%s", streq(parent, "/") ? "" : parent, slash + 1) >=
	    PATH_MAX)
		return false;
	return root && path_within(out, root);
}

static enum file_type type_of(const char *path)
{
	struct stat st;

	if (lstat(path, &st) < 0)
		return FT_NONE;
	return S_ISREG(st.st_mode)   ? FT_REG
	       : S_ISDIR(st.st_mode) ? FT_DIR
	       : S_ISLNK(st.st_mode) ? FT_SYMLINK
				     : FT_OTHER;
}

static enum file_type entry_above(void *ctx, unsigned up, const char *name)
{
	char path[PATH_MAX];
	char *slash;

	(void)snprintf(path, sizeof(path), "%s", (const char *)ctx);
	for (unsigned i = 0; i <= up; i++) {
		slash = strrchr(path, '/');
		if (!slash)
			return FT_NONE;
		*slash = '\0';
	}
	if (strlen(path) + strlen(name) + 2 > sizeof(path))
		return FT_NONE;
	slash = path + strlen(path);
	*slash = '/';
	memcpy(slash + 1, name, strlen(name) + 1);
	return type_of(path);
}

static enum file_type entry(void *ctx, const char *name)
{
	return entry_above(ctx, 0, name);
}

static struct dir_facts facts_of(char *path)
{
	return (struct dir_facts){ .entry = entry, .entry_above = entry_above, .ctx = path };
}

static char *slurp(const char *path, size_t *len)
{
	int fd = REAL(open)(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	struct stat st;
	char *data = NULL;

	*len = 0;
	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
		data = malloc((size_t)st.st_size + 1);
		if (!data || pread(fd, data, (size_t)st.st_size, 0) != st.st_size)
			abort();
		*len = (size_t)st.st_size;
	}
	if (fd >= 0)
		(void)REAL(close)(fd);
	return data;
}

/* Judges what is at `from` as the content of `path`. */
static bool content_ok(const char *what, char *path, const char *from, const char *old,
		       size_t old_len)
{
	struct dir_facts f = facts_of(path);
	size_t len;
	char *bytes = slurp(from, &len);
	char reason[256] = "";
	struct git_content c = { .role = git_role(path, FT_REG, &f),
				 .path = path,
				 .root = getenv("GIT_SHIM_ROOT"),
				 .old = old,
				 .old_len = old_len,
				 .bytes = bytes,
				 .len = len };
	bool ok = true;

	if (bytes && git_role_has_content(c.role))
		ok = git_content_ok(&c, reason, sizeof(reason));
	if (bytes && git_is_index(path, &f))
		ok = git_index_ok(bytes, len, reason, sizeof(reason));
	if (!ok)
		note(what, path, reason);
	free(bytes);
	return ok;
}

static bool may_create(const char *what, int dirfd, const char *name, enum file_type type)
{
	char path[PATH_MAX];
	struct dir_facts f = facts_of(path);
	enum git_role role;

	if (!resolve(dirfd, name, path) || type_of(path) != FT_NONE)
		return true;
	role = git_role(path, type, &f);
	if (role == GIT_NONE || (git_role_has_content(role) && type == FT_REG) ||
	    ((role == GIT_DOTGIT || role == GIT_DIRPART) && type == FT_DIR))
		return true;
	note(what, path, "role");
	errno = EACCES;
	return false;
}

static bool may_replace(const char *what, const char *from, const char *to)
{
	char a[PATH_MAX], b[PATH_MAX];
	struct dir_facts fa = facts_of(a), fb = facts_of(b);
	size_t old_len;
	char *old;
	bool ok;

	if (!resolve(AT_FDCWD, from, a) || !resolve(AT_FDCWD, to, b))
		return true;
	if (!git_rename_ok(a, &fa, b, &fb, type_of(a))) {
		note(what, b, a);
		errno = EACCES;
		return false;
	}
	old = slurp(b, &old_len);
	ok = content_ok(what, b, a, old, old_len);
	free(old);
	if (!ok)
		errno = EACCES;
	return ok;
}

/* Remembers a descriptor and the bytes that were there; takes old over. */
static void watch(int fd, const char *path, char *old, size_t old_len)
{
	if (fd < 0 || fd >= FDS) {
		free(old);
		return;
	}
	(void)snprintf(watched[fd].path, PATH_MAX, "%s", path);
	free(watched[fd].old);
	watched[fd].old = old;
	watched[fd].old_len = old_len;
}

static int do_open(int dirfd, const char *name, int flags, mode_t mode)
{
	char path[PATH_MAX], *old = NULL;
	size_t old_len = 0;
	bool writes = (flags & O_ACCMODE) != O_RDONLY && (flags & O_TMPFILE) != O_TMPFILE;
	bool inside = writes && resolve(dirfd, name, path);
	struct dir_facts f = facts_of(path);
	int fd;

	if ((flags & O_CREAT) && !may_create("open", dirfd, name, FT_REG))
		return -1;
	inside = inside && (git_role(path, FT_REG, &f) != GIT_NONE || git_is_index(path, &f));
	if (inside)
		old = slurp(path, &old_len);
	fd = REAL(openat)(dirfd, name, flags, mode);
	if (inside)
		watch(fd, path, old, old_len);
	return fd;
}

#define MODE_OF(flags)                                   \
	({                                               \
		mode_t mode_ = 0;                        \
		if ((flags) & (O_CREAT | __O_TMPFILE)) { \
			va_list ap_;                     \
			va_start(ap_, flags);            \
			mode_ = va_arg(ap_, mode_t);     \
			va_end(ap_);                     \
		}                                        \
		mode_;                                   \
	})

int open(const char *name, int flags, ...)
{
	return do_open(AT_FDCWD, name, flags, MODE_OF(flags));
}

int open64(const char *name, int flags, ...)
{
	return do_open(AT_FDCWD, name, flags, MODE_OF(flags));
}

int openat(int dirfd, const char *name, int flags, ...)
{
	return do_open(dirfd, name, flags, MODE_OF(flags));
}

int openat64(int dirfd, const char *name, int flags, ...)
{
	return do_open(dirfd, name, flags, MODE_OF(flags));
}

static void closing(int fd)
{
	if (fd < 0 || fd >= FDS || !watched[fd].path[0])
		return;
	(void)content_ok("close", watched[fd].path, watched[fd].path, watched[fd].old,
			 watched[fd].old_len);
	watched[fd].path[0] = '\0';
	free(watched[fd].old);
	watched[fd].old = NULL;
}

int close(int fd)
{
	closing(fd);
	return REAL(close)(fd);
}

/* libc's own streams do not come through open() and close() above. */
static FILE *do_fopen(const char *name, const char *mode)
{
	char path[PATH_MAX], *old = NULL;
	size_t old_len = 0;
	bool inside = mode[0] != 'r' && resolve(AT_FDCWD, name, path);
	struct dir_facts f = facts_of(path);
	FILE *file;

	if (mode[0] != 'r' && !may_create("fopen", AT_FDCWD, name, FT_REG))
		return NULL;
	inside = inside && git_role(path, FT_REG, &f) != GIT_NONE;
	if (inside)
		old = slurp(path, &old_len);
	file = REAL(fopen)(name, mode);
	if (inside && file)
		watch(fileno(file), path, old, old_len);
	return file;
}

FILE *fopen(const char *name, const char *mode)
{
	return do_fopen(name, mode);
}

FILE *fopen64(const char *name, const char *mode)
{
	return do_fopen(name, mode);
}

int fclose(FILE *file)
{
	int fd = fileno(file);

	(void)fflush(file);
	closing(fd);
	return REAL(fclose)(file);
}

int rename(const char *from, const char *to)
{
	return may_replace("rename", from, to) ? REAL(rename)(from, to) : -1;
}

int renameat(int fd, const char *from, int td, const char *to)
{
	if (fd == AT_FDCWD && td == AT_FDCWD && !may_replace("rename", from, to))
		return -1;
	return REAL(renameat)(fd, from, td, to);
}

int renameat2(int fd, const char *from, int td, const char *to, unsigned flags)
{
	if (fd == AT_FDCWD && td == AT_FDCWD && !may_replace("rename", from, to))
		return -1;
	return REAL(renameat2)(fd, from, td, to, flags);
}

int link(const char *from, const char *to)
{
	return may_replace("link", from, to) ? REAL(link)(from, to) : -1;
}

int mkdir(const char *name, mode_t mode)
{
	return may_create("mkdir", AT_FDCWD, name, FT_DIR) ? REAL(mkdir)(name, mode) : -1;
}

int mkdirat(int fd, const char *name, mode_t mode)
{
	return may_create("mkdir", fd, name, FT_DIR) ? REAL(mkdirat)(fd, name, mode) : -1;
}

int symlink(const char *target, const char *name)
{
	char path[PATH_MAX];
	struct dir_facts f = facts_of(path);

	if (resolve(AT_FDCWD, name, path) && !git_symlink_ok(path, target, &f)) {
		note("symlink", path, target);
		errno = EACCES;
		return -1;
	}
	return REAL(symlink)(target, name);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Random file operations in the working directory, told line by line: the same seed
 * in a sandbox and bare must give the same text (opfuzz.sh compares). Operations
 * that can block are made not to; names are plain, so that no rule is in the way. */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/openat2.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#define DIRS 4
#define FILES 4
#define PATH_SIZE 8192

static uint64_t state;
static int dirs[DIRS] = { AT_FDCWD, AT_FDCWD, AT_FDCWD, AT_FDCWD };
static int files[FILES] = { -1, -1, -1, -1 };
static char base[4096];
static unsigned long step;

static unsigned pick(unsigned n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned)((state * 0x2545F4914F6CDD1Dull) >> 33) % n;
}

static void tell(const char *op, long ret, int err, const char *fmt, ...)
{
	va_list ap;

	printf("%lu %s = %ld %s ", step, op, ret, ret < 0 ? strerror(err) : "");
	va_start(ap, fmt);
	(void)vprintf(fmt, ap);
	va_end(ap);
	(void)putchar('\n');
}

static const char *const names[] = { "a", "b", "c", "d", "dir", "sub", "link", "fifo", "sock" };

static void add(char *p, const char *s)
{
	size_t n = strlen(p);

	(void)snprintf(p + n, PATH_SIZE - n, "%s", s);
}

static const char *path(char *p)
{
	unsigned depth = 1 + pick(3);

	p[0] = '\0';
	switch (pick(40)) {
	case 0:
		return p;
	case 1:
		add(p, base);
		add(p, "/");
		break;
	case 2:
		for (unsigned i = 0; i < 260; i++)
			add(p, "x");
		return p;
	case 3:
		add(p, "./");
		break;
	case 4:
		for (unsigned i = 0; i < 1100; i++)
			add(p, "././");
		break;
	default:
		break;
	}
	for (unsigned i = 0; i < depth; i++) {
		if (i)
			add(p, pick(20) ? "/" : "//");
		switch (pick(24)) {
		case 0:
			add(p, "..");
			break;
		case 1:
			add(p, ".");
			break;
		default:
			add(p, names[pick(9)]);
		}
	}
	if (pick(12) == 0)
		add(p, "/");
	return p;
}

/* Never out of the working directory: "../.." of a symlink could leave it. */
static int dir(void)
{
	return dirs[pick(DIRS)];
}

static void tell_stat(const char *op, int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		tell(op, -1, errno, "stat");
	else
		tell(op, fd, 0, "mode %o nlink %lu size %ld flags %o cloexec %d", st.st_mode,
		     (unsigned long)st.st_nlink, S_ISDIR(st.st_mode) ? 0L : (long)st.st_size,
		     (unsigned)fcntl(fd, F_GETFL) & ~(unsigned)(O_NOFOLLOW | O_NOATIME),
		     fcntl(fd, F_GETFD));
}

static const int open_flags[] = { O_CREAT,   O_EXCL,	  O_TRUNC,    O_APPEND,
				  O_CLOEXEC, O_DIRECTORY, O_NOFOLLOW, O_SYNC };

static void do_open(void)
{
	char p[PATH_SIZE];
	int flags = (int)pick(3) | O_NONBLOCK, fd, slot = (int)pick(FILES);
	mode_t mode = pick(4) ? 0666 : pick(010000) & 01777;

	if (pick(2))
		flags |= O_CREAT;
	for (size_t i = 0; i < 8; i++)
		if (pick(6) == 0)
			flags |= open_flags[i];
	if (pick(16) == 0)
		flags = O_PATH | (pick(2) ? O_NOFOLLOW : 0);
	if (pick(20) == 0)
		flags = O_TMPFILE | (pick(4) ? O_RDWR : O_RDONLY);
	path(p);
	/* Not O_PATH: such a descriptor cannot be handed over, it is ENOSYS. */
	if (pick(3) == 0 && !(flags & O_PATH)) {
		struct open_how how = { .flags = (unsigned)flags, .mode = 0 };

		if (flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE)
			how.mode = mode & 07777;
		/* The sandbox's own mounts are in the way of an absolute one. */
		if (pick(2) && p[0] != '/')
			how.resolve = 1u << pick(5);
		fd = (int)syscall(SYS_openat2, dir(), p, &how, sizeof(how));
	} else {
		fd = openat(dir(), p, flags, mode);
	}
	if (fd < 0) {
		tell("open", -1, errno, "%s %o", p, flags);
		return;
	}
	tell_stat("open", fd);
	if (pick(2) && !(flags & O_PATH)) {
		ssize_t n = write(fd, p, pick(64));

		tell("write", n, errno, "%s", p);
	}
	if (files[slot] >= 0)
		(void)close(files[slot]);
	files[slot] = fd;
}

static void do_dir(void)
{
	char p[PATH_SIZE];
	int fd = openat(dir(), path(p), O_RDONLY | O_DIRECTORY | O_NONBLOCK),
	    slot = (int)pick(DIRS);
	char where[64], real[4096];
	ssize_t n;

	tell("opendir", fd, errno, "%s", p);
	if (fd < 0)
		return;
	(void)snprintf(where, sizeof(where), "/proc/self/fd/%d", fd);
	n = readlink(where, real, sizeof(real) - 1);
	real[n > 0 ? n : 0] = '\0';
	if (strncmp(real, base, strlen(base)) != 0) {
		(void)close(fd);
		return;
	}
	if (dirs[slot] >= 0)
		(void)close(dirs[slot]);
	dirs[slot] = fd;
}

static void do_make(void)
{
	char p[PATH_SIZE], q[PATH_SIZE];
	int r;

	switch (pick(5)) {
	case 0:
	case 1:
		r = mkdirat(dir(), path(p), pick(4) ? 0777 : pick(010000) | 0700);
		tell("mkdir", r, errno, "%s", p);
		break;
	case 2:
		r = symlinkat(path(q), dir(), path(p));
		tell("symlink", r, errno, "%s -> %s", p, strncmp(q, base, strlen(base)) ? q : "");
		break;
	case 3:
		r = mknodat(dir(), path(p),
			    (pick(2)   ? S_IFIFO
			     : pick(2) ? S_IFREG
				       : S_IFSOCK) |
				    0644,
			    0);
		tell("mknod", r, errno, "%s", p);
		break;
	default: {
		struct sockaddr_un a = { .sun_family = AF_UNIX };
		int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

		(void)snprintf(a.sun_path, sizeof(a.sun_path), "%.90s", path(p));
		r = bind(fd, (struct sockaddr *)&a, sizeof(a));
		tell("bind", r, errno, "%s", a.sun_path);
		(void)close(fd);
	}
	}
}

static void do_move(void)
{
	char p[PATH_SIZE], q[PATH_SIZE];
	static const unsigned flags[] = { 0, 0, 0, RENAME_NOREPLACE, RENAME_EXCHANGE, 3, 8 };
	unsigned f = flags[pick(7)];
	int r = (int)syscall(SYS_renameat2, dir(), path(p), dir(), path(q), f);

	tell("rename", r, errno, "%s %s %u", p, q, f);
}

static void do_link(void)
{
	char p[PATH_SIZE], q[PATH_SIZE];
	int fd = files[pick(FILES)], r;

	path(q);
	switch (pick(4)) {
	case 0:
		r = linkat(fd, "", dir(), q, AT_EMPTY_PATH);
		tell("linkat fd", r, errno, "%s", q);
		break;
	case 1:
		(void)snprintf(p, sizeof(p), "/proc/self/fd/%d", fd);
		r = linkat(AT_FDCWD, p, dir(), q, AT_SYMLINK_FOLLOW);
		tell("linkat proc", r, errno, "%s", q);
		break;
	default:
		r = linkat(dir(), path(p), dir(), q, pick(2) ? AT_SYMLINK_FOLLOW : 0);
		tell("link", r, errno, "%s %s", p, q);
	}
}

static void do_remove(void)
{
	char p[PATH_SIZE];
	int flags = pick(3) ? 0 : AT_REMOVEDIR;
	int r = unlinkat(dir(), path(p), flags);

	tell("unlink", r, errno, "%s %d", p, flags);
}

static void do_meta(void)
{
	char p[PATH_SIZE];
	struct timespec ts[2] = { { .tv_sec = pick(1000000) }, { .tv_sec = pick(1000000) } };
	int fd = files[pick(FILES)], r;

	path(p);
	switch (pick(8)) {
	case 0:
		r = fchmodat(dir(), p, pick(02000) | 0600, 0);
		tell("chmod", r, errno, "%s", p);
		break;
	case 1:
		r = fchmod(fd, pick(02000) | 0600);
		tell("fchmod", r, errno, "");
		break;
	case 2:
		r = utimensat(dir(), p, ts, pick(2) ? AT_SYMLINK_NOFOLLOW : 0);
		tell("utimens", r, errno, "%s", p);
		break;
	case 3:
		r = fchownat(dir(), p, getuid(), getgid(), pick(2) ? AT_SYMLINK_NOFOLLOW : 0);
		tell("chown", r, errno, "%s", p);
		break;
	case 4:
		r = setxattr(p, pick(2) ? "user.x" : "user.y", p, pick(20), (int)pick(3));
		tell("setxattr", r, errno, "%s", p);
		break;
	case 5:
		r = removexattr(p, "user.x");
		tell("removexattr", r, errno, "%s", p);
		break;
	case 6:
		r = truncate(p, pick(100));
		tell("truncate", r, errno, "%s", p);
		break;
	default:
		r = fsetxattr(fd, "user.y", p, pick(20), 0);
		tell("fsetxattr", r, errno, "");
	}
}

static void do_reopen(void)
{
	char p[64];
	int fd = files[pick(FILES)], again;

	if (fd < 0)
		return;
	(void)snprintf(p, sizeof(p), pick(2) ? "/proc/self/fd/%d" : "/dev/fd/%d", fd);
	again = open(p, (int)pick(3) | O_NONBLOCK | (pick(4) ? 0 : O_TRUNC));
	if (again < 0) {
		tell("reopen", -1, errno, "");
		return;
	}
	tell_stat("reopen", again);
	(void)close(again);
}

static void do_where(void)
{
	static const mode_t masks[] = { 0, 022, 027, 077, 002 };
	char p[PATH_SIZE];

	if (pick(3)) {
		mode_t m = masks[pick(5)];

		tell("umask", (long)umask(m), 0, "%o", m);
		return;
	}
	/* Down only: what is above the base differs. */
	(void)snprintf(p, sizeof(p), "%s/%s", base, pick(2) ? names[pick(9)] : "");
	tell("chdir", chdir(p), errno, "");
}

static void one(void)
{
	unsigned n = pick(100);

	if (n < 30)
		do_open();
	else if (n < 45)
		do_make();
	else if (n < 57)
		do_move();
	else if (n < 66)
		do_link();
	else if (n < 76)
		do_remove();
	else if (n < 87)
		do_meta();
	else if (n < 91)
		do_reopen();
	else if (n < 96)
		do_dir();
	else
		do_where();
}

int main(int argc, char **argv)
{
	unsigned long count;

	if (argc != 3 || !getcwd(base, sizeof(base)))
		return 2;
	state = strtoull(argv[1], NULL, 10) * 0x9E3779B97F4A7C15ull + 1;
	count = strtoul(argv[2], NULL, 10);
	(void)close_range(3, ~0u, 0);
	for (unsigned i = 0; i < 20; i++)
		(void)pick(2);
	for (step = 0; step < count; step++)
		one();
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Every way to change or take away a file that is already there. */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/io_uring.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <utime.h>

#include "attack.h"

static long scribble(long fd)
{
	if (fd < 0)
		return -1;
	return write((int)fd, "PWNED\n", 6) == 6 ? 0 : -1;
}

static long d_write(const char *p)
{
	return scribble(open(p, O_WRONLY));
}

static long d_rdwr(const char *p)
{
	return scribble(open(p, O_RDWR));
}

static long d_append(const char *p)
{
	return scribble(open(p, O_WRONLY | O_APPEND));
}

static long d_trunc(const char *p)
{
	return open(p, O_WRONLY | O_TRUNC);
}

static long d_rdonly_trunc(const char *p)
{
	return open(p, O_RDONLY | O_TRUNC);
}

static long d_openat2(const char *p)
{
	return scribble(raw_openat2(AT_FDCWD, p, O_WRONLY, 0, 0));
}

static long d_truncate(const char *p)
{
	return truncate(p, 0);
}

static long d_mmap(const char *p)
{
	int fd = open(p, O_RDWR);
	char *m;

	if (fd < 0)
		return -1;
	m = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (m == MAP_FAILED)
		return -1;
	memcpy(m, "PWN", 3);
	return msync(m, 4096, MS_SYNC);
}

static long reopen(const char *fmt, int fd)
{
	char buf[64];

	if (fd < 0)
		return -1;
	snprintf(buf, sizeof(buf), fmt, fd);
	return scribble(open(buf, O_WRONLY));
}

static long d_fd_reopen(const char *p)
{
	return reopen("/proc/self/fd/%d", open(p, O_RDONLY));
}

static long d_opath_reopen(const char *p)
{
	return reopen("/proc/thread-self/fd/%d", open(p, O_PATH));
}

static long d_devfd_reopen(const char *p)
{
	return reopen("/dev/fd/%d", open(p, O_RDONLY));
}

static long d_pid_reopen(const char *p)
{
	char fmt[64];

	snprintf(fmt, sizeof(fmt), "/proc/%d/fd/%%d", getpid());
	return reopen(fmt, open(p, O_RDONLY));
}

static long d_stdin_reopen(const char *p)
{
	int fd = open(p, O_RDONLY);

	return fd < 0 || dup2(fd, 0) < 0 ? -1 : scribble(open("/dev/stdin", O_WRONLY));
}

static long d_link_write(const char *p)
{
	return link(p, "aux.alias") < 0 ? -1 : scribble(open("aux.alias", O_WRONLY));
}

static long d_opath_link_write(const char *p)
{
	char buf[64];

	snprintf(buf, sizeof(buf), "/proc/self/fd/%d", open(p, O_PATH));
	if (linkat(AT_FDCWD, buf, AT_FDCWD, "aux.alias", AT_SYMLINK_FOLLOW) < 0)
		return -1;
	return scribble(open("aux.alias", O_WRONLY));
}

static long d_empty_link_write(const char *p)
{
	if (linkat(open(p, O_RDONLY), "", AT_FDCWD, "aux.alias", AT_EMPTY_PATH) < 0)
		return -1;
	return scribble(open("aux.alias", O_WRONLY));
}

static long d_symlink_write(const char *p)
{
	char *real = realpath(p, NULL);

	return symlink(real, "aux.link") < 0 ? -1 : scribble(open("aux.link", O_WRONLY));
}

static long d_symlink_trunc(const char *p)
{
	char *real = realpath(p, NULL);

	return symlink(real, "aux.link") < 0 ? -1 : truncate("aux.link", 0);
}

static long d_unlink(const char *p)
{
	return unlink(p);
}

static long d_unlinkat(const char *p)
{
	return unlinkat(open(dir_of(p), O_RDONLY), base_of(p), 0);
}

static long d_rename_away(const char *p)
{
	return rename(p, "aux.away");
}

static long d_rename_edit_back(const char *p)
{
	if (rename(p, "aux.away") < 0 || scribble(open("aux.away", O_WRONLY)) < 0)
		return -1;
	return rename("aux.away", p);
}

static long d_rename_over(const char *p)
{
	return rename(aux_file(), p);
}

static long d_exchange(const char *p)
{
	return syscall(SYS_renameat2, AT_FDCWD, p, AT_FDCWD, aux_file(), 2 /* RENAME_EXCHANGE */);
}

static long d_whiteout(const char *p)
{
	return syscall(SYS_renameat2, AT_FDCWD, p, AT_FDCWD, "aux.away", 4 /* RENAME_WHITEOUT */);
}

static long d_chmod(const char *p)
{
	return syscall(SYS_chmod, p, 0777);
}

static long d_fchmod(const char *p)
{
	return fchmod(open(p, O_RDONLY), 0777);
}

static long d_fchmodat2(const char *p)
{
	return syscall(452, open(p, O_PATH), "", 0777, AT_EMPTY_PATH);
}

static long d_fchmodat_proc(const char *p)
{
	char buf[64];

	snprintf(buf, sizeof(buf), "/proc/self/fd/%d", open(p, O_PATH));
	return syscall(SYS_fchmodat, AT_FDCWD, buf, 0777);
}

static long d_utimensat(const char *p)
{
	struct timespec ts[2] = { { .tv_sec = 1 }, { .tv_sec = 1 } };

	return utimensat(AT_FDCWD, p, ts, 0);
}

static long d_utime(const char *p)
{
	struct utimbuf t = { 1, 1 };

	return syscall(SYS_utime, p, &t);
}

static long d_utimes(const char *p)
{
	struct timeval tv[2] = { { .tv_sec = 1 }, { .tv_sec = 1 } };

	return syscall(SYS_utimes, p, tv);
}

static long d_setxattr(const char *p)
{
	return setxattr(p, "user.pwned", "1", 1, 0);
}

static long d_fsetxattr(const char *p)
{
	return fsetxattr(open(p, O_RDONLY), "user.pwned", "1", 1, 0);
}

static long d_setxattrat(const char *p)
{
	struct {
		uint64_t value;
		uint32_t size, flags;
	} args = { (uint64_t)(uintptr_t) "1", 1, 0 };

	return syscall(463, AT_FDCWD, p, 0, "user.pwned", &args, sizeof(args));
}

static long d_setflags(const char *p)
{
	int flags = 0, fd = open(p, O_RDONLY);

	if (ioctl(fd, FS_IOC_GETFLAGS, &flags) < 0)
		return -1;
	flags |= FS_NODUMP_FL;
	return ioctl(fd, FS_IOC_SETFLAGS, &flags);
}

static long d_i386_open(const char *p)
{
	return scribble(int80(5, (long)low_string(p), O_WRONLY, 0, 0));
}

static long d_i386_truncate(const char *p)
{
	return int80(92, (long)low_string(p), 0, 0, 0);
}

static long d_i386_unlink(const char *p)
{
	return int80(10, (long)low_string(p), 0, 0, 0);
}

static long d_uring_open(const char *p)
{
	return scribble(uring_run(&(struct uring_op){ .opcode = IORING_OP_OPENAT,
						      .fd = AT_FDCWD,
						      .addr = (uint64_t)(uintptr_t)p,
						      .flags = O_WRONLY }));
}

static long d_uring_unlink(const char *p)
{
	return uring_run(&(struct uring_op){
		.opcode = IORING_OP_UNLINKAT, .fd = AT_FDCWD, .addr = (uint64_t)(uintptr_t)p });
}

static long d_x32_open(const char *p)
{
	return scribble(syscall(0x40000000L | SYS_open, p, O_WRONLY));
}

const struct form modify_forms[] = {
	{ "open-wronly", d_write },
	{ "open-rdwr", d_rdwr },
	{ "open-append", d_append },
	{ "open-trunc", d_trunc },
	{ "open-rdonly-trunc", d_rdonly_trunc },
	{ "openat2", d_openat2 },
	{ "truncate", d_truncate },
	{ "mmap-shared", d_mmap },
	{ "reopen-proc-self-fd", d_fd_reopen },
	{ "reopen-opath", d_opath_reopen },
	{ "reopen-dev-fd", d_devfd_reopen },
	{ "reopen-proc-pid-fd", d_pid_reopen },
	{ "reopen-dev-stdin", d_stdin_reopen },
	{ "hard-link-then-write", d_link_write },
	{ "hard-link-of-opath", d_opath_link_write },
	{ "hard-link-empty-path", d_empty_link_write },
	{ "symlink-then-write", d_symlink_write },
	{ "symlink-then-truncate", d_symlink_trunc },
	{ "unlink", d_unlink },
	{ "unlinkat", d_unlinkat },
	{ "rename-away", d_rename_away },
	{ "rename-edit-back", d_rename_edit_back },
	{ "rename-over", d_rename_over },
	{ "exchange", d_exchange },
	{ "rename-whiteout", d_whiteout },
	{ "chmod", d_chmod },
	{ "fchmod-read-only-fd", d_fchmod },
	{ "fchmodat2-opath", d_fchmodat2 },
	{ "fchmodat-proc-fd", d_fchmodat_proc },
	{ "utimensat", d_utimensat },
	{ "utime", d_utime },
	{ "utimes", d_utimes },
	{ "setxattr", d_setxattr },
	{ "fsetxattr-read-only-fd", d_fsetxattr },
	{ "setxattrat", d_setxattrat },
	{ "ioctl-setflags", d_setflags },
	{ "i386-open", d_i386_open },
	{ "i386-truncate", d_i386_truncate },
	{ "i386-unlink", d_i386_unlink },
	{ "uring-openat", d_uring_open },
	{ "uring-unlinkat", d_uring_unlink },
	{ "x32-open", d_x32_open },
	{ NULL, NULL },
};

/* SPDX-License-Identifier: Apache-2.0 */
/* Stranger ways to make a name appear: other ABIs, io_uring, threads, and other
 * spellings of the same directory. */
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attack.h"

#define CREATE (O_WRONLY | O_CREAT)

static uint64_t ptr(const void *p)
{
	return (uint64_t)(uintptr_t)p;
}

static long u_open(const char *p)
{
	return uring_run(&(struct uring_op){ .opcode = IORING_OP_OPENAT,
					     .fd = AT_FDCWD,
					     .addr = ptr(p),
					     .len = 0644,
					     .flags = CREATE });
}

static long u_mkdir(const char *p)
{
	return uring_run(&(struct uring_op){
		.opcode = IORING_OP_MKDIRAT, .fd = AT_FDCWD, .addr = ptr(p), .len = 0755 });
}

static long u_symlink(const char *p)
{
	return uring_run(&(struct uring_op){ .opcode = IORING_OP_SYMLINKAT,
					     .fd = AT_FDCWD,
					     .addr = ptr("/etc/hostname"),
					     .addr2 = ptr(p) });
}

static long u_link(const char *p)
{
	return uring_run(&(struct uring_op){ .opcode = IORING_OP_LINKAT,
					     .fd = AT_FDCWD,
					     .addr = ptr(aux_file()),
					     .len = (uint32_t)AT_FDCWD,
					     .addr2 = ptr(p) });
}

static long u_rename(const char *p)
{
	return uring_run(&(struct uring_op){ .opcode = IORING_OP_RENAMEAT,
					     .fd = AT_FDCWD,
					     .addr = ptr(aux_file()),
					     .len = (uint32_t)AT_FDCWD,
					     .addr2 = ptr(p) });
}

/* i386 numbers */
static long i_open(const char *p)
{
	return int80(5, (long)low_string(p), CREATE, 0644, 0);
}

static long i_creat(const char *p)
{
	return int80(8, (long)low_string(p), 0644, 0, 0);
}

static long i_link(const char *p)
{
	return int80(9, (long)low_string(aux_file()), (long)low_string(p), 0, 0);
}

static long i_mknod(const char *p)
{
	return int80(14, (long)low_string(p), S_IFREG | 0644, 0, 0);
}

static long i_rename(const char *p)
{
	return int80(38, (long)low_string(aux_file()), (long)low_string(p), 0, 0);
}

static long i_mkdir(const char *p)
{
	return int80(39, (long)low_string(p), 0755, 0, 0);
}

static long i_symlink(const char *p)
{
	return int80(83, (long)low_string("/etc/hostname"), (long)low_string(p), 0, 0);
}

static long i_openat(const char *p)
{
	return int80(295, AT_FDCWD, (long)low_string(p), CREATE, 0644);
}

#define X32 0x40000000L

static long x_open(const char *p)
{
	return syscall(X32 | SYS_open, p, CREATE, 0644);
}

static long x_mkdir(const char *p)
{
	return syscall(X32 | SYS_mkdir, p, 0755);
}

static void *thread_open(void *p)
{
	static long ret[2];

	ret[0] = open(p, CREATE, 0644);
	ret[1] = errno;
	return ret;
}

static long t_open(const char *p)
{
	pthread_t t;
	void *ret = NULL;

	if (pthread_create(&t, NULL, thread_open, (void *)(uintptr_t)p))
		return -1;
	pthread_join(t, &ret);
	errno = (int)((long *)ret)[1];
	return ((long *)ret)[0];
}

static long child_open(int flags, const char *p)
{
	int status = 0;
	long pid = syscall(SYS_clone, flags | SIGCHLD, NULL, NULL, NULL, NULL);

	if (pid < 0)
		return -1;
	if (!pid)
		_exit(open(p, CREATE, 0644) < 0 ? errno : 0);
	if (waitpid((pid_t)pid, &status, 0) < 0)
		return -1;
	errno = WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
	return errno ? -1 : 0;
}

static long f_open(const char *p)
{
	return child_open(0, p);
}

static long f_files_open(const char *p)
{
	return child_open(CLONE_FILES | CLONE_FS, p);
}

static long s_chdir(const char *p)
{
	char base[4096];

	snprintf(base, sizeof(base), "%s", base_of(p));
	return chdir(dir_of(p)) < 0 ? -1 : open(base, CREATE, 0644);
}

static long s_fchdir(const char *p)
{
	int d = open(dir_of(p), O_PATH | O_DIRECTORY);

	return fchdir(d) < 0 ? -1 : open(base_of(p), CREATE, 0644);
}

static long spelled(const char *fmt, const char *a, const char *b)
{
	char buf[8192];

	snprintf(buf, sizeof(buf), fmt, a, b);
	return open(buf, CREATE, 0644);
}

static long s_fd(const char *p)
{
	char n[32];

	snprintf(n, sizeof(n), "%d", open(dir_of(p), O_RDONLY | O_DIRECTORY));
	return spelled("/proc/self/fd/%s/%s", n, base_of(p));
}

static long s_devfd(const char *p)
{
	char n[32];

	snprintf(n, sizeof(n), "%d", open(dir_of(p), O_PATH | O_DIRECTORY));
	return spelled("/dev/fd/%s/%s", n, base_of(p));
}

static long s_cwd(const char *p)
{
	return spelled("/proc/self/cwd/%s%s", p, "");
}

static long s_thread_cwd(const char *p)
{
	return spelled("/proc/thread-self/cwd/%s%s", p, "");
}

static long s_root(const char *p)
{
	char *cwd = getcwd(NULL, 0);

	return spelled("/proc/self/root%s/%s", cwd, p);
}

static long s_dots(const char *p)
{
	if (mkdir("aux.dir", 0755) < 0 && errno != EEXIST)
		return -1;
	return spelled("aux.dir/.././aux.dir/../%s%s", p, "");
}

static long s_slashes(const char *p)
{
	return spelled(".//.///%s%s", p, "");
}

static long s_link_dir(const char *p)
{
	if (symlink(".", "aux.here") < 0 && errno != EEXIST)
		return -1;
	return spelled("aux.here/aux.here/%s%s", p, "");
}

static long s_dangling(const char *p)
{
	/* the final component is a symlink to a name that does not exist yet */
	if (symlink(p, "aux.dangling") < 0 && errno != EEXIST)
		return -1;
	return open("aux.dangling", CREATE, 0644);
}

static long s_dangling2(const char *p)
{
	if (symlink("aux.dangling", "aux.chain") < 0 && errno != EEXIST)
		return -1;
	if (symlink(p, "aux.dangling") < 0 && errno != EEXIST)
		return -1;
	return open("aux.chain", CREATE, 0644);
}

static long s_handle(const char *p)
{
	struct {
		struct file_handle h;
		unsigned char space[128];
	} fh = { .h.handle_bytes = 128 };
	int mount_id, d;

	if (name_to_handle_at(AT_FDCWD, dir_of(p), &fh.h, &mount_id, 0) < 0)
		return -1;
	d = open_by_handle_at(open(".", O_RDONLY), &fh.h, O_RDONLY | O_DIRECTORY);
	return d < 0 ? -1 : openat(d, base_of(p), CREATE, 0644);
}

static long s_exchange(const char *p)
{
	/* an existing file and a harmless one change places */
	return syscall(SYS_renameat2, AT_FDCWD, aux_file(), AT_FDCWD, p, 2 /* RENAME_EXCHANGE */);
}

static long s_exchange_back(const char *p)
{
	return syscall(SYS_renameat2, AT_FDCWD, p, AT_FDCWD, aux_file(), 2 /* RENAME_EXCHANGE */);
}

const struct form make2_forms[] = {
	{ "uring-openat", u_open },
	{ "uring-mkdirat", u_mkdir },
	{ "uring-symlinkat", u_symlink },
	{ "uring-linkat", u_link },
	{ "uring-renameat", u_rename },
	{ "i386-open", i_open },
	{ "i386-openat", i_openat },
	{ "i386-creat", i_creat },
	{ "i386-link", i_link },
	{ "i386-mknod", i_mknod },
	{ "i386-rename", i_rename },
	{ "i386-mkdir", i_mkdir },
	{ "i386-symlink", i_symlink },
	{ "x32-open", x_open },
	{ "x32-mkdir", x_mkdir },
	{ "thread-open", t_open },
	{ "fork-open", f_open },
	{ "clone-files-fs-open", f_files_open },
	{ "chdir-open", s_chdir },
	{ "fchdir-open", s_fchdir },
	{ "proc-self-fd-dir", s_fd },
	{ "dev-fd-dir", s_devfd },
	{ "proc-self-cwd", s_cwd },
	{ "proc-thread-self-cwd", s_thread_cwd },
	{ "proc-self-root", s_root },
	{ "dotdot-path", s_dots },
	{ "slashes-path", s_slashes },
	{ "symlinked-directory", s_link_dir },
	{ "dangling-symlink", s_dangling },
	{ "dangling-symlink-chain", s_dangling2 },
	{ "file-handle", s_handle },
	{ "exchange", s_exchange },
	{ "exchange-reversed", s_exchange_back },
	{ NULL, NULL },
};

/* SPDX-License-Identifier: Apache-2.0 */
/* Every way to get at the content of a file. */
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "attack.h"

static long r_open(const char *p)
{
	return dump_fd((int)syscall(SYS_open, p, O_RDONLY));
}

static long r_openat(const char *p)
{
	return dump_fd(openat(open(dir_of(p), O_RDONLY), base_of(p), O_RDONLY));
}

static long r_openat2(const char *p)
{
	return dump_fd((int)raw_openat2(AT_FDCWD, p, O_RDONLY, 0, 0));
}

static long r_rdwr(const char *p)
{
	return dump_fd(open(p, O_RDWR));
}

static long r_creat(const char *p)
{
	return dump_fd(open(p, O_RDWR | O_CREAT, 0600));
}

static long r_noatime(const char *p)
{
	return dump_fd(open(p, O_RDONLY | O_NOATIME | O_NOFOLLOW));
}

static long r_mmap(const char *p)
{
	int fd = open(p, O_RDONLY);
	char *m;

	if (fd < 0)
		return -1;
	m = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	if (m == MAP_FAILED)
		return -1;
	puts(m);
	return 0;
}

static long r_sendfile(const char *p)
{
	int fd = open(p, O_RDONLY);

	return fd < 0 ? -1 : sendfile(1, fd, NULL, 4096);
}

static long r_copy_range(const char *p)
{
	int in = open(p, O_RDONLY), out = open("aux.copy", O_RDWR | O_CREAT, 0600);

	if (in < 0 || out < 0)
		return -1;
	if (copy_file_range(in, NULL, out, NULL, 4096, 0) < 0)
		return -1;
	lseek(out, 0, SEEK_SET);
	return dump_fd(out);
}

static long r_opath(const char *p)
{
	char buf[64];
	int fd = open(p, O_PATH);

	if (fd < 0)
		return -1;
	snprintf(buf, sizeof(buf), "/proc/self/fd/%d", fd);
	return dump_fd(open(buf, O_RDONLY));
}

static long r_cwd(const char *p)
{
	char buf[4200];

	snprintf(buf, sizeof(buf), "/proc/self/cwd/%s", p);
	return dump_fd(open(buf, O_RDONLY));
}

static long r_root(const char *p)
{
	char buf[8400];
	char *cwd = getcwd(NULL, 0);

	snprintf(buf, sizeof(buf), "/proc/self/root/%s/%s", p[0] == '/' ? "" : cwd, p);
	return dump_fd(open(buf, O_RDONLY));
}

static long r_link(const char *p)
{
	return link(p, "aux.alias") < 0 ? -1 : dump_fd(open("aux.alias", O_RDONLY));
}

static long r_symlink(const char *p)
{
	char *real = realpath(p, NULL);

	return symlink(real ? real : p, "aux.link") < 0 ? -1 : dump_fd(open("aux.link", O_RDONLY));
}

static long r_rename(const char *p)
{
	return rename(p, "aux.moved") < 0 ? -1 : dump_fd(open("aux.moved", O_RDONLY));
}

static long r_exchange(const char *p)
{
	if (syscall(SYS_renameat2, AT_FDCWD, p, AT_FDCWD, aux_file(), 2) < 0)
		return -1;
	return dump_fd(open("aux.src", O_RDONLY));
}

static long r_handle(const char *p)
{
	struct {
		struct file_handle h;
		unsigned char space[128];
	} fh = { .h.handle_bytes = 128 };
	int mount_id;

	if (name_to_handle_at(AT_FDCWD, p, &fh.h, &mount_id, 0) < 0)
		return -1;
	return dump_fd(open_by_handle_at(open(dir_of(p), O_RDONLY), &fh.h, O_RDONLY));
}

static long r_uring(const char *p)
{
	return dump_fd((int)uring_run(&(struct uring_op){ .opcode = IORING_OP_OPENAT,
							  .fd = AT_FDCWD,
							  .addr = (uint64_t)(uintptr_t)p,
							  .flags = O_RDONLY }));
}

static long r_i386(const char *p)
{
	return dump_fd((int)int80(5, (long)low_string(p), O_RDONLY, 0, 0));
}

static long r_x32(const char *p)
{
	return dump_fd((int)syscall(0x40000000L | SYS_open, p, O_RDONLY));
}

static long r_script(const char *p)
{
	/* the shell reads the file as its script and complains with its words */
	char cmd[4200];

	snprintf(cmd, sizeof(cmd), "exec /bin/sh -v '%s' 2>&1", p);
	return system(cmd) ? 0 : 0;
}

static long r_stdin(const char *p)
{
	char cmd[4200];

	snprintf(cmd, sizeof(cmd), "/bin/cat < '%s'", p);
	return system(cmd) ? (errno = EACCES, -1) : 0;
}

static long r_upload(const char *p)
{
	/* through another program that has the file named in a list */
	char cmd[8400];

	snprintf(cmd, sizeof(cmd), "tar cf - '%s' | tar xOf -", p);
	return system(cmd) ? (errno = EACCES, -1) : 0;
}

static long r_git(const char *p)
{
	char cmd[8400];

	snprintf(cmd, sizeof(cmd), "git hash-object -w '%s' | xargs git cat-file blob", p);
	return system(cmd) ? (errno = EACCES, -1) : 0;
}

static long r_xattrs(const char *p)
{
	char names[4096];
	ssize_t n = listxattr(p, names, sizeof(names));

	for (ssize_t i = 0; i < n; i += (ssize_t)strlen(names + i) + 1)
		puts(names + i);
	return n;
}

const struct form read_forms[] = {
	{ "xattrs", r_xattrs },	       { "open", r_open },
	{ "openat", r_openat },	       { "openat2", r_openat2 },
	{ "open-rdwr", r_rdwr },       { "open-creat", r_creat },
	{ "open-noatime", r_noatime }, { "mmap", r_mmap },
	{ "sendfile", r_sendfile },    { "copy-file-range", r_copy_range },
	{ "opath-reopen", r_opath },   { "proc-self-cwd", r_cwd },
	{ "proc-self-root", r_root },  { "hard-link", r_link },
	{ "symlink", r_symlink },      { "rename", r_rename },
	{ "exchange", r_exchange },    { "file-handle", r_handle },
	{ "uring-openat", r_uring },   { "i386-open", r_i386 },
	{ "x32-open", r_x32 },	       { "as-script", r_script },
	{ "shell-redirect", r_stdin }, { "tar", r_upload },
	{ "git-hash-object", r_git },  { NULL, NULL },
};

/* SPDX-License-Identifier: Apache-2.0 */
/* Every plain way to make a name appear. */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "attack.h"

static int dirfd_of(const char *path)
{
	return open(dir_of(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static long fill(long fd)
{
	if (fd >= 0 && write((int)fd, "planted\n", 8) != 8)
		return -1;
	return fd;
}

static long m_open(const char *p)
{
	return fill(syscall(SYS_open, p, O_WRONLY | O_CREAT, 0644));
}

static long m_open_excl(const char *p)
{
	return fill(open(p, O_RDWR | O_CREAT | O_EXCL, 0644));
}

static long m_open_trunc(const char *p)
{
	return fill(open(p, O_WRONLY | O_CREAT | O_TRUNC, 0644));
}

static long m_open_append(const char *p)
{
	return fill(open(p, O_WRONLY | O_CREAT | O_APPEND, 0644));
}

static long m_open_rdonly(const char *p)
{
	return open(p, O_RDONLY | O_CREAT, 0644);
}

static long m_open_accmode3(const char *p)
{
	return open(p, O_ACCMODE | O_CREAT, 0644);
}

static long m_openat(const char *p)
{
	return fill(openat(dirfd_of(p), base_of(p), O_WRONLY | O_CREAT, 0644));
}

static long m_openat_opath(const char *p)
{
	int d = open(dir_of(p), O_PATH | O_DIRECTORY);

	return fill(openat(d, base_of(p), O_WRONLY | O_CREAT, 0644));
}

static long m_openat2(const char *p)
{
	return fill(raw_openat2(AT_FDCWD, p, O_WRONLY | O_CREAT, 0644, 0));
}

static long m_openat2_beneath(const char *p)
{
	return fill(
		raw_openat2(dirfd_of(p), base_of(p), O_WRONLY | O_CREAT, 0644, RESOLVE_BENEATH));
}

static long m_openat2_inroot(const char *p)
{
	char abs[4200];

	snprintf(abs, sizeof(abs), "/%s", base_of(p));
	return fill(raw_openat2(dirfd_of(p), abs, O_WRONLY | O_CREAT, 0644, RESOLVE_IN_ROOT));
}

static long m_creat(const char *p)
{
	return fill(syscall(SYS_creat, p, 0644));
}

static long m_mkdir(const char *p)
{
	return syscall(SYS_mkdir, p, 0755);
}

static long m_mkdirat(const char *p)
{
	return mkdirat(dirfd_of(p), base_of(p), 0755);
}

static long m_mkdir_slash(const char *p)
{
	char buf[4200];

	snprintf(buf, sizeof(buf), "%s///", p);
	return mkdir(buf, 0755);
}

static long m_mknod(const char *p)
{
	return syscall(SYS_mknod, p, S_IFREG | 0644, 0);
}

static long m_mknodat(const char *p)
{
	return mknodat(dirfd_of(p), base_of(p), S_IFREG | 0644, 0);
}

static long m_mkfifo(const char *p)
{
	return mknod(p, S_IFIFO | 0644, 0);
}

static long m_mksock(const char *p)
{
	return mknod(p, S_IFSOCK | 0644, 0);
}

static long bind_type(const char *p, int type)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int s = socket(AF_UNIX, type, 0);

	if (s < 0)
		return -1;
	snprintf(a.sun_path, sizeof(a.sun_path), "%s", p);
	return bind(s, (struct sockaddr *)&a, sizeof(a));
}

static long m_bind(const char *p)
{
	return bind_type(p, SOCK_STREAM);
}

static long m_bind_seqpacket(const char *p)
{
	return bind_type(p, SOCK_SEQPACKET);
}

static long m_bind_dgram(const char *p)
{
	return bind_type(p, SOCK_DGRAM);
}

static long m_symlink(const char *p)
{
	return syscall(SYS_symlink, aux_file(), p);
}

static long m_symlinkat(const char *p)
{
	return symlinkat("/etc/hostname", dirfd_of(p), base_of(p));
}

static long m_link(const char *p)
{
	return syscall(SYS_link, aux_file(), p);
}

static long m_linkat(const char *p)
{
	return linkat(AT_FDCWD, aux_file(), dirfd_of(p), base_of(p), 0);
}

static long m_linkat_follow(const char *p)
{
	char buf[64];

	snprintf(buf, sizeof(buf), "/proc/self/fd/%d", open(aux_file(), O_RDONLY));
	return linkat(AT_FDCWD, buf, AT_FDCWD, p, AT_SYMLINK_FOLLOW);
}

static long m_linkat_empty(const char *p)
{
	return linkat(open(aux_file(), O_PATH), "", AT_FDCWD, p, AT_EMPTY_PATH);
}

static long m_tmpfile_follow(const char *p)
{
	char buf[64];
	int fd = open(dir_of(p), O_TMPFILE | O_WRONLY, 0644);

	if (fill(fd) < 0)
		return -1;
	snprintf(buf, sizeof(buf), "/proc/self/fd/%d", fd);
	return linkat(AT_FDCWD, buf, AT_FDCWD, p, AT_SYMLINK_FOLLOW);
}

static long m_tmpfile_empty(const char *p)
{
	int fd = open(dir_of(p), O_TMPFILE | O_RDWR, 0644);

	return fill(fd) < 0 ? -1 : linkat(fd, "", dirfd_of(p), base_of(p), AT_EMPTY_PATH);
}

static long m_rename(const char *p)
{
	return syscall(SYS_rename, aux_file(), p);
}

static long m_renameat(const char *p)
{
	return syscall(SYS_renameat, AT_FDCWD, aux_file(), dirfd_of(p), base_of(p));
}

static long m_renameat2(const char *p)
{
	return syscall(SYS_renameat2, AT_FDCWD, aux_file(), dirfd_of(p), base_of(p), 0);
}

static long m_rename_noreplace(const char *p)
{
	return syscall(SYS_renameat2, AT_FDCWD, aux_file(), AT_FDCWD, p, 1 /* RENAME_NOREPLACE */);
}

static long m_rename_dir(const char *p)
{
	if (mkdir("aux.dir", 0755) < 0 && errno != EEXIST)
		return -1;
	return rename("aux.dir", p);
}

static long m_rename_symlink(const char *p)
{
	if (symlink(aux_file(), "aux.link") < 0 && errno != EEXIST)
		return -1;
	return rename("aux.link", p);
}

const struct form make_forms[] = {
	{ "open", m_open },
	{ "open-excl", m_open_excl },
	{ "open-trunc", m_open_trunc },
	{ "open-append", m_open_append },
	{ "open-rdonly-creat", m_open_rdonly },
	{ "open-accmode3", m_open_accmode3 },
	{ "openat", m_openat },
	{ "openat-opath-dirfd", m_openat_opath },
	{ "openat2", m_openat2 },
	{ "openat2-beneath", m_openat2_beneath },
	{ "openat2-in-root", m_openat2_inroot },
	{ "creat", m_creat },
	{ "mkdir", m_mkdir },
	{ "mkdirat", m_mkdirat },
	{ "mkdir-trailing-slashes", m_mkdir_slash },
	{ "mknod-regular", m_mknod },
	{ "mknodat-regular", m_mknodat },
	{ "mknod-fifo", m_mkfifo },
	{ "mknod-socket", m_mksock },
	{ "bind-stream", m_bind },
	{ "bind-seqpacket", m_bind_seqpacket },
	{ "bind-dgram", m_bind_dgram },
	{ "symlink", m_symlink },
	{ "symlinkat", m_symlinkat },
	{ "link", m_link },
	{ "linkat", m_linkat },
	{ "linkat-symlink-follow", m_linkat_follow },
	{ "linkat-empty-path", m_linkat_empty },
	{ "tmpfile-linkat-proc", m_tmpfile_follow },
	{ "tmpfile-linkat-empty", m_tmpfile_empty },
	{ "rename", m_rename },
	{ "renameat", m_renameat },
	{ "renameat2", m_renameat2 },
	{ "renameat2-noreplace", m_rename_noreplace },
	{ "rename-directory", m_rename_dir },
	{ "rename-symlink", m_rename_symlink },
	{ NULL, NULL },
};

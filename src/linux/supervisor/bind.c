/* SPDX-License-Identifier: Apache-2.0 */
/* bind of a unix socket to a path. Every other bind is the kernel's: if the address is
 * swapped for a path meanwhile, Landlock refuses to make the socket. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/un.h>

#include "base/str.h"
#include "linux/kern.h"
#include "linux/supervisor/sup.h"

int target_fd(struct request *r, int number)
{
	_cleanup_close_ int pidfd = (int)syscall(__NR_pidfd_open, r->tid, PIDFD_THREAD);
	long fd;

	if (pidfd < 0 && errno == EINVAL) {
		/* Before Linux 6.9 only a group leader has one. Threads share their
		 * descriptors as a rule; one that does not gets an error. */
		_cleanup_close_ int status = -1;
		char text[1024];
		const char *tgid;
		struct task *t;
		ssize_t n;
		int err;

		t = target_task(r, &err);
		status = t ? openat(t->proc, "status", O_RDONLY | O_CLOEXEC) : -1;
		n = status < 0 ? -1 : read(status, text, sizeof(text) - 1);
		text[n > 0 ? n : 0] = '\0';
		tgid = strstr(text, "\nTgid:\t");
		if (!tgid)
			return -ESRCH;
		pidfd = (int)syscall(__NR_pidfd_open, (pid_t)strtol(tgid + 7, NULL, 10), 0);
	}
	if (pidfd < 0)
		return -errno;
	fd = syscall(__NR_pidfd_getfd, pidfd, number, 0);
	return fd < 0 ? -errno : (int)fd;
}

/* The socket's own name shows how it was bound, and programs hand it on: the address is
 * kept as it was written where nobody can bend its walk, that is where it is the real
 * path itself and what lies above the tree is read-only. Else the bare name. */
static bool can_keep_address(struct place *p, const char *path)
{
	char above[PATH_MAX];
	struct statvfs fs;
	char *slash;

	if (!streq(path, p->path))
		return false;
	(void)snprintf(above, sizeof(above), "%s", p->root->path);
	slash = strrchr(above, '/');
	if (!slash)
		return false;
	slash[slash == above ? 1 : 0] = '\0';
	return statvfs(above, &fs) == 0 && fs.f_flag & ST_RDONLY;
}

static int bind_place(struct request *r, struct place *p, const char *path)
{
	_cleanup_close_ int sock = -1;
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	struct stat st;
	const char *name;
	size_t len;
	int err;

	if (p->last != LAST_NORM)
		return fstatat(p->dir, p->last == LAST_ROOT ? "." : p->name, &st, 0) < 0
			       ? -errno
			       : -EADDRINUSE;
	err = names_may_create(r, p, FT_OTHER, NULL);
	if (err)
		return err == -EEXIST ? -EADDRINUSE : err;
	name = place_name_slash(p);
	if (p->path_len && can_keep_address(p, path))
		name = path;
	len = strlen(name);
	if (len > sizeof(addr.sun_path))
		return -EINVAL;
	memcpy(addr.sun_path, name, len);
	sock = target_fd(r, (int)r->arg[0]);
	if (sock < 0)
		return sock;
	err = target_alive(r);
	if (err)
		return err;
	if (fchdir(p->dir) < 0)
		return -errno;
	err = bind(sock, (const struct sockaddr *)&addr,
		   (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len +
			       (len < sizeof(addr.sun_path)))) < 0
		      ? -errno
		      : 0;
	if (fchdir(r->sup->host_proc) < 0)
		abort(); /* every later path would be walked from the wrong place */
	return err;
}

int sys_bind(struct request *r)
{
	_cleanup_place_ struct place p = { .dir = -1 };
	struct sockaddr_un addr = { 0 };
	uint64_t len = r->arg[2];
	char path[sizeof(addr.sun_path) + 1];

	place_init(&p);
	if (len <= offsetof(struct sockaddr_un, sun_path) || len > sizeof(addr))
		return SUP_CONTINUE;
	if (target_read(r, r->arg[1], &addr, (size_t)len))
		return -EFAULT;
	if (addr.sun_family != AF_UNIX || !addr.sun_path[0])
		return SUP_CONTINUE;
	memcpy(path, addr.sun_path, sizeof(addr.sun_path));
	path[sizeof(addr.sun_path)] = '\0';
	if (place_find(r, &START_AT(AT_FDCWD), path, &p) || !p.root)
		return SUP_CONTINUE;
	return bind_place(r, &p, path);
}

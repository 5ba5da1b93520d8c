/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attack.h"

const char *dir_of(const char *path)
{
	static char buf[4096];
	const char *slash = strrchr(path, '/');

	if (!slash)
		return ".";
	snprintf(buf, sizeof(buf), "%.*s", slash == path ? 1 : (int)(slash - path), path);
	return buf;
}

const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

const char *aux_file(void)
{
	static const char name[] = "aux.src";
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	if (fd < 0)
		return name;
	if (write(fd, "planted\n", 8) != 8)
		perror("aux.src");
	close(fd);
	return name;
}

long raw_openat2(int dirfd, const char *path, uint64_t flags, uint64_t mode, uint64_t resolve)
{
	struct open_how how = { .flags = flags, .mode = mode, .resolve = resolve };

	return syscall(SYS_openat2, dirfd, path, &how, sizeof(how));
}

char *low_string(const char *s)
{
	size_t len = strlen(s) + 1;
	char *p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT,
		       -1, 0);

	if (p == MAP_FAILED)
		exit(3);
	memcpy(p, s, len);
	return p;
}

long int80(long nr, long a, long b, long c, long d)
{
#ifdef __x86_64__
	long ret;

	__asm__ volatile("int $0x80"
			 : "=a"(ret)
			 : "a"(nr), "b"(a), "c"(b), "d"(c), "S"(d)
			 : "r8", "r9", "r10", "r11", "memory");
	ret = (int)ret;
	if (ret < 0) {
		errno = (int)-ret;
		return -1;
	}
	return ret;
#else
	(void)nr, (void)a, (void)b, (void)c, (void)d;
	errno = ENOSYS;
	return -1;
#endif
}

long dump_fd(int fd)
{
	char buf[4096];
	ssize_t n;
	long total = 0;

	if (fd < 0)
		return -1;
	while (total < 65536 && (n = read(fd, buf, sizeof(buf))) > 0) {
		if (fwrite(buf, 1, (size_t)n, stdout) != (size_t)n)
			return -1;
		total += n;
	}
	return n < 0 ? -1 : 0;
}

struct uring {
	int fd;
	struct io_uring_params p;
	char *sq, *cq;
	struct io_uring_sqe *sqes;
};

static long uring_open(struct uring *u)
{
	size_t sq_len, cq_len;

	memset(&u->p, 0, sizeof(u->p));
	u->fd = (int)syscall(SYS_io_uring_setup, 4, &u->p);
	if (u->fd < 0)
		return -1;
	sq_len = u->p.sq_off.array + u->p.sq_entries * sizeof(unsigned);
	cq_len = u->p.cq_off.cqes + u->p.cq_entries * sizeof(struct io_uring_cqe);
	u->sq = mmap(NULL, sq_len, PROT_READ | PROT_WRITE, MAP_SHARED, u->fd, IORING_OFF_SQ_RING);
	u->cq = mmap(NULL, cq_len, PROT_READ | PROT_WRITE, MAP_SHARED, u->fd, IORING_OFF_CQ_RING);
	u->sqes = mmap(NULL, u->p.sq_entries * sizeof(*u->sqes), PROT_READ | PROT_WRITE, MAP_SHARED,
		       u->fd, IORING_OFF_SQES);
	if (u->sq == MAP_FAILED || u->cq == MAP_FAILED || u->sqes == MAP_FAILED)
		return -1;
	return 0;
}

long uring_run(const struct uring_op *op)
{
	struct uring u;
	struct io_uring_sqe *sqe;
	struct io_uring_cqe *cqe;
	unsigned tail;

	if (uring_open(&u) < 0)
		return -1;
	sqe = &u.sqes[0];
	memset(sqe, 0, sizeof(*sqe));
	sqe->opcode = op->opcode;
	sqe->fd = op->fd;
	sqe->addr = op->addr;
	sqe->len = op->len;
	sqe->addr2 = op->addr2;
	sqe->open_flags = op->flags;
	tail = *(unsigned *)(void *)(u.sq + u.p.sq_off.tail);
	((unsigned *)(void *)(u.sq + u.p.sq_off.array))[tail & (u.p.sq_entries - 1)] = 0;
	__atomic_store_n((unsigned *)(void *)(u.sq + u.p.sq_off.tail), tail + 1, __ATOMIC_RELEASE);
	if (syscall(SYS_io_uring_enter, u.fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) < 0)
		return -1;
	cqe = (struct io_uring_cqe *)(void *)(u.cq + u.p.cq_off.cqes);
	if (cqe->res < 0) {
		errno = -cqe->res;
		return -1;
	}
	return cqe->res;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"

#include <errno.h>
#include <stdlib.h>

#ifndef BERM_ARENA

bool arena_open(void)
{
	return false;
}

bool arena_whole(void)
{
	return false;
}

void arena_publish(void)
{
}

int arena_close(void)
{
	return 0;
}

int arena_copy(void)
{
	return 0;
}

int arena_reader(void)
{
	return 0;
}

#else

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define ARENA_SIZE (4u << 20)
#define ARENA_FIRST (96u << 10) /* what a usual start takes, in memory at once */
#define ALIGN 16u

#ifndef MADV_POPULATE_WRITE /* Linux 5.14, include/uapi/asm-generic/mman-common.h */
#define MADV_POPULATE_WRITE 23
#endif

static char *base;
static size_t used, last; /* last: offset of the newest block's header */
static bool is_open, overflowed;
static int reader = -1;

/* Before each block: its size. */
struct head {
	size_t size;
	size_t pad;
};
_Static_assert(sizeof(struct head) == ALIGN, "blocks are aligned");

bool arena_open(void)
{
	struct rlimit size;
	char link[32];
	int fd;

	/* Its file must not be the one that a small limit ends us for (SIGXFSZ). */
	if (getrlimit(RLIMIT_FSIZE, &size) < 0 || size.rlim_cur < ARENA_SIZE)
		return false;
	fd = memfd_create("berm", MFD_CLOEXEC);
	if (fd < 0)
		return false;
	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	reader = open(link, O_RDONLY | O_CLOEXEC);
	if (reader >= 0 && ftruncate(fd, ARENA_SIZE) == 0)
		base = mmap(NULL, ARENA_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	(void)close(fd);
	if (!base || base == MAP_FAILED) {
		if (reader >= 0)
			(void)close(reader);
		base = NULL;
		reader = -1;
		return false;
	}
	used = last = 0;
	overflowed = false;
	/* Who is forked maps it anew, with the rights it shall have. */
	if (madvise(base, ARENA_SIZE, MADV_DONTFORK) < 0) {
		(void)munmap(base, ARENA_SIZE);
		(void)close(reader);
		base = NULL;
		reader = -1;
		return false;
	}
	(void)madvise(base, ARENA_FIRST, MADV_POPULATE_WRITE);
	is_open = true;
	return true;
}

bool arena_whole(void)
{
	return is_open && !overflowed;
}

static int map_again(int prot, int flags)
{
	void *p;

	if (reader < 0)
		return 0;
	p = mmap(base, ARENA_SIZE, prot, flags | MAP_FIXED, reader, 0);
	is_open = false;
	(void)close(reader);
	reader = -1;
	return p == MAP_FAILED ? -errno : 0;
}

void arena_publish(void)
{
	is_open = false;
}

int arena_close(void)
{
	return map_again(PROT_READ | PROT_WRITE, MAP_PRIVATE);
}

int arena_copy(void)
{
	return map_again(PROT_READ | PROT_WRITE, MAP_PRIVATE);
}

int arena_reader(void)
{
	/* A shared mapping of a descriptor that cannot write can never be made writable
	 * (VM_MAYWRITE, mm/mmap.c). */
	return map_again(PROT_READ, MAP_SHARED);
}

/* ---- malloc and its kind, by the linker's --wrap ---------------------------------- */

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void __real_free(void *p);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
void __wrap_free(void *p);

static bool inside(const void *p)
{
	return base && (const char *)p >= base && (const char *)p < base + ARENA_SIZE;
}

static struct head *head_of(void *p)
{
	return (struct head *)(void *)((char *)p - sizeof(struct head));
}

static void *take(size_t n)
{
	struct head *h;

	if (n > ARENA_SIZE - sizeof(*h) - used ||
	    (n + ALIGN - 1) / ALIGN * ALIGN > ARENA_SIZE - sizeof(*h) - used) {
		overflowed = true;
		return NULL;
	}
	h = (struct head *)(void *)(base + used);
	last = used;
	h->size = n;
	used += sizeof(*h) + (n + ALIGN - 1) / ALIGN * ALIGN;
	return h + 1;
}

void *__wrap_malloc(size_t n)
{
	void *p = is_open ? take(n) : NULL;

	return p ? p : __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size)
{
	size_t all;
	void *p;

	if (!is_open)
		return __real_calloc(n, size);
	if (__builtin_mul_overflow(n, size, &all)) {
		errno = ENOMEM;
		return NULL;
	}
	p = take(all);
	/* Memory that was given back is used again (free below). */
	return p ? memset(p, 0, all) : __real_calloc(n, size);
}

void __wrap_free(void *p)
{
	if (!inside(p)) {
		__real_free(p);
		return;
	}
	/* The newest block goes back: lists that grow, and what is tried and dropped. */
	if (is_open && (char *)head_of(p) == base + last && used > last)
		used = last;
}

void *__wrap_realloc(void *p, size_t n)
{
	size_t old;
	void *q;

	if (!inside(p)) {
		if (!is_open || !p)
			return p ? __real_realloc(p, n) : __wrap_malloc(n);
		/* Made before the arena was: forked processes would see what it held then. */
		overflowed = true;
		return __real_realloc(p, n);
	}
	old = head_of(p)->size;
	if (n <= old)
		return p;
	if (is_open && (char *)head_of(p) == base + last) {
		used = last;
		q = take(n);
		if (q)
			return q;
		used = last + sizeof(struct head) + (old + ALIGN - 1) / ALIGN * ALIGN;
	}
	q = __wrap_malloc(n);
	if (q)
		memcpy(q, p, old);
	return q;
}

#endif

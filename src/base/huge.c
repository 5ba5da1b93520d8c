/* SPDX-License-Identifier: Apache-2.0 */
#include "base/huge.h"

#include <stdint.h>
#include <sys/mman.h>

void *huge_new(size_t n, size_t *ret_size)
{
	size_t size, before;
	char *p, *start;

	if (n > SIZE_MAX / 2)
		return NULL;
	size = (n + HUGE_SIZE - 1) / HUGE_SIZE * HUGE_SIZE;
	p = mmap(NULL, size + HUGE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		 0);
	if (p == MAP_FAILED)
		return NULL;
	/* A huge page lies at a multiple of its size: what is around it goes back. */
	before = (size_t)(-(uintptr_t)p & (HUGE_SIZE - 1));
	start = p + before;
	if (before)
		(void)munmap(p, before);
	(void)munmap(start + size, HUGE_SIZE - before);
	/* Without them it is memory as any other. */
	(void)madvise(start, size, MADV_HUGEPAGE);
	*ret_size = size;
	return start;
}

void huge_free(void *p, size_t size)
{
	if (p)
		(void)munmap(p, size);
}

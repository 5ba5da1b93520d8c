/* SPDX-License-Identifier: Apache-2.0 */
/* Ownership by attribute: a variable marked _cleanup_*_ releases what it holds
 * when it leaves scope; take_fd() and take_ptr() hand the resource on. */
#pragma once

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static inline void cleanup_free_(void *p)
{
	void **pp = p;

	free(*pp);
}

/* Closing must not disturb the errno that is about to be reported. */
static inline void close_quietly(int fd)
{
	int saved = errno;

	if (fd >= 0)
		(void)close(fd);
	errno = saved;
}

static inline void cleanup_close_(int *fd)
{
	close_quietly(*fd);
}

static inline void cleanup_fclose_(FILE **f)
{
	if (*f)
		(void)fclose(*f);
}

static inline void cleanup_closedir_(DIR **d)
{
	if (*d)
		(void)closedir(*d);
}

#define _cleanup_(f) __attribute__((cleanup(f)))
#define _cleanup_free_ _cleanup_(cleanup_free_)
#define _cleanup_close_ _cleanup_(cleanup_close_)
#define _cleanup_fclose_ _cleanup_(cleanup_fclose_)
#define _cleanup_closedir_ _cleanup_(cleanup_closedir_)

static inline int take_fd(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}

#define take_ptr(p)                         \
	({                                  \
		__typeof__(p) taken_ = (p); \
		(p) = NULL;                 \
		taken_;                     \
	})

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define _printf_(fmt, args) __attribute__((format(printf, fmt, args)))
#define _unused_ __attribute__((unused))
#define _noreturn_ __attribute__((noreturn))

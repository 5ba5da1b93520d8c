/* SPDX-License-Identifier: Apache-2.0 */
/* statx(2) on every libc: musl 1.2.3 (Debian 12) has no wrapper. */
#pragma once

#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef STATX_BTIME
#include <linux/stat.h>
#endif

static inline int sys_statx(int dir, const char *path, int flags, unsigned mask, struct statx *ret)
{
	return (int)syscall(SYS_statx, dir, path, flags, mask, ret);
}

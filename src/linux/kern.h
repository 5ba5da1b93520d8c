/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel constants newer than Debian 12's headers (Linux 6.1), each with the
 * release and header it comes from. */
#pragma once

#include <linux/landlock.h>
#include <linux/mount.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>

/* 6.6, uapi/linux/seccomp.h */
#ifndef SECCOMP_IOCTL_NOTIF_SET_FLAGS
#define SECCOMP_IOCTL_NOTIF_SET_FLAGS SECCOMP_IOW(4, __u64)
#endif
#ifndef SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP
#define SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP (1UL << 0)
#endif
/* 5.19, uapi/linux/seccomp.h */
#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif
/* 6.3, uapi/linux/memfd.h */
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif
/* 6.9, uapi/linux/pidfd.h (= O_EXCL) */
#ifndef PIDFD_THREAD
#define PIDFD_THREAD 0200
#endif
/* 6.2 (ABI 3), 6.10 (ABI 5), uapi/linux/landlock.h */
#ifndef LANDLOCK_ACCESS_FS_TRUNCATE
#define LANDLOCK_ACCESS_FS_TRUNCATE (1ULL << 14)
#endif
#ifndef LANDLOCK_ACCESS_FS_IOCTL_DEV
#define LANDLOCK_ACCESS_FS_IOCTL_DEV (1ULL << 15)
#endif
/* 6.12 (ABI 6), uapi/linux/landlock.h */
#ifndef LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET
#define LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET (1ULL << 0)
#define LANDLOCK_SCOPE_SIGNAL (1ULL << 1)
#endif

/* 5.11, uapi/linux/close_range.h */
#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC (1U << 2)
#endif

/* 5.8, the same on x86-64 and arm64 (asm/unistd.h); older C libraries do not name it. */
#define NR_FACCESSAT2 439

/* System call numbers after 6.1, the same on x86-64 and arm64 (asm/unistd.h). */
#define NR_CACHESTAT 451
#define NR_FCHMODAT2 452
#define NR_MAP_SHADOW_STACK 453
#define NR_FUTEX_WAKE 454
#define NR_FUTEX_WAIT 455
#define NR_FUTEX_REQUEUE 456
#define NR_STATMOUNT 457
#define NR_LISTMOUNT 458
#define NR_LSM_GET_SELF_ATTR 459
#define NR_LSM_SET_SELF_ATTR 460
#define NR_LSM_LIST_MODULES 461
#define NR_MSEAL 462
#define NR_SETXATTRAT 463
#define NR_GETXATTRAT 464
#define NR_LISTXATTRAT 465
#define NR_REMOVEXATTRAT 466
#define NR_OPEN_TREE_ATTR 467
#define NR_FILE_GETATTR 468
#define NR_FILE_SETATTR 469

/* SPDX-License-Identifier: Apache-2.0 */
/* How a process inside reaches its session: openat(SOCKET, "", DOORBELL_FLAGS, 0) fails with
 * DOORBELL_HEARD when the supervisor has passed the socket (an end of a pair, SOCK_SEQPACKET) on.
 * A kernel says EINVAL or ENOTDIR, so that nobody is taken for inside who is not. */
#pragma once

#include <errno.h>
#include <fcntl.h>

#define DOORBELL_FLAGS (O_RDWR | O_CREAT | O_EXCL | O_DIRECTORY | O_APPEND)
/* What a C library may add: the kernel's O_LARGEFILE, or as Python does. */
#define DOORBELL_LIBC (0100000 | O_CLOEXEC)
#define DOORBELL_HEARD EINPROGRESS

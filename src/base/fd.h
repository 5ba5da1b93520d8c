/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors: whole reads and writes, passing them on, closing what was inherited. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

#include "base/cleanup.h"

/* Writes all of data, restarting after EINTR. Returns 0 or a negative errno. */
int fd_write_all(int fd, const void *data, size_t len);

/* Reads at most max bytes of a regular file into a new NUL-terminated buffer.
 * Returns 0, -EFBIG when the file is larger, or a negative errno. Caller frees
 * *ret_data. ret_len may be NULL. */
int fd_read_file(int dirfd, const char *path, size_t max, char **ret_data, size_t *ret_len);
int fd_read_all(int fd, size_t max, char **ret_data, size_t *ret_len);

/* Sends or receives exactly one byte and up to n descriptors over an AF_UNIX
 * socket. Received descriptors are close-on-exec. Return 0 or a negative errno
 * (-EPIPE at the end of the stream, -EBADMSG for another number of them). */
int fd_send(int sock, const int *fds, size_t n);
int fd_recv(int sock, int *ret_fds, size_t n);

/* Closes every descriptor from first on (close_range(2), Linux 5.9). */
int fd_close_from(unsigned first);

/* Opens /dev/null for those of 0, 1 and 2 that are closed: a descriptor of ours in their place
 * would end up as a command's output. Returns 0 or a negative errno. */
int fd_open_stdio(void);

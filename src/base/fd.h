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

/* One message of a SEQPACKET socket with at most one descriptor (-1: none), without waiting.
 * fd_send_msg() returns 0 or a negative errno. fd_recv_msg() returns the message's size, 0 at the
 * end, or a negative errno (-EAGAIN: nothing now); the descriptor is close-on-exec, and more than
 * one with a message are none. */
int fd_send_msg(int sock, const void *data, size_t len, int fd);
ssize_t fd_recv_msg(int sock, void *data, size_t size, int *ret_fd);

/* Closes every descriptor from first on (close_range(2), Linux 5.9). */
int fd_close_from(unsigned first);

/* Opens /dev/null for those of 0, 1 and 2 that are closed: a descriptor of ours in their place
 * would end up as a command's output. Returns 0 or a negative errno. */
int fd_open_stdio(void);

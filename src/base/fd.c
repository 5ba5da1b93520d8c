/* SPDX-License-Identifier: Apache-2.0 */
#include "base/fd.h"

#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>

int fd_write_all(int fd, const void *data, size_t len)
{
	const char *p = data;

	while (len) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

int fd_read_all(int fd, size_t max, char **ret_data, size_t *ret_len)
{
	_cleanup_free_ char *data = NULL;
	size_t len = 0, cap = 0;

	for (;;) {
		ssize_t n;

		if (len + 1 >= cap) {
			char *p;

			cap = cap ? cap * 2 : 4096;
			if (cap > max + 2)
				cap = max + 2;
			p = realloc(data, cap);
			if (!p)
				return -ENOMEM;
			data = p;
		}
		n = read(fd, data + len, cap - len - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		len += (size_t)n;
		if (len > max)
			return -EFBIG;
		if (n == 0)
			break;
	}
	data[len] = '\0';
	*ret_data = take_ptr(data);
	if (ret_len)
		*ret_len = len;
	return 0;
}

int fd_read_file(int dirfd, const char *path, size_t max, char **ret_data, size_t *ret_len)
{
	/* O_NONBLOCK: a FIFO under a settings file's name must not hang the start. */
	_cleanup_close_ int fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL;
	return fd_read_all(fd, max, ret_data, ret_len);
}

#define FD_PASS_MAX 16

int fd_send(int sock, const int *fds, size_t n)
{
	union {
		struct cmsghdr hdr;
		char buf[CMSG_SPACE(FD_PASS_MAX * sizeof(int))];
	} ctl = { 0 };
	char byte = 'F';
	struct iovec iov = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	struct cmsghdr *c;

	if (n > FD_PASS_MAX)
		return -EINVAL;
	if (n) {
		msg.msg_control = ctl.buf;
		msg.msg_controllen = (socklen_t)CMSG_SPACE(n * sizeof(int));
		c = CMSG_FIRSTHDR(&msg);
		if (!c)
			return -EINVAL;
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = (socklen_t)CMSG_LEN(n * sizeof(int));
		memcpy(CMSG_DATA(c), fds, n * sizeof(int));
	}
	while (sendmsg(sock, &msg, MSG_NOSIGNAL) < 0)
		if (errno != EINTR)
			return -errno;
	return 0;
}

int fd_recv(int sock, int *ret_fds, size_t n)
{
	union {
		struct cmsghdr hdr;
		char buf[CMSG_SPACE(FD_PASS_MAX * sizeof(int))];
	} ctl;
	char byte;
	struct iovec iov = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = ctl.buf,
			      .msg_controllen = sizeof(ctl.buf) };
	size_t got = 0;
	ssize_t r;

	do
		r = recvmsg(sock, &msg, MSG_CMSG_CLOEXEC);
	while (r < 0 && errno == EINTR);
	if (r < 0)
		return -errno;
	if (r == 0)
		return -EPIPE;
	for (struct cmsghdr *c = CMSG_FIRSTHDR(&msg); c; c = CMSG_NXTHDR(&msg, c)) {
		int fds[FD_PASS_MAX];
		size_t m;

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		m = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		if (m > FD_PASS_MAX)
			m = FD_PASS_MAX;
		memcpy(fds, CMSG_DATA(c), m * sizeof(int));
		for (size_t i = 0; i < m; i++) {
			if (got < n)
				ret_fds[got++] = fds[i];
			else
				close_quietly(fds[i]);
		}
	}
	if (got != n || (msg.msg_flags & MSG_CTRUNC)) {
		for (size_t i = 0; i < got; i++)
			close_quietly(ret_fds[i]);
		return -EBADMSG;
	}
	return 0;
}

int fd_send_msg(int sock, const void *data, size_t len, int fd)
{
	union {
		struct cmsghdr hdr;
		char buf[CMSG_SPACE(sizeof(int))];
	} ctl = { 0 };
	struct iovec iov = { .iov_base = (void *)(uintptr_t)data, .iov_len = len };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	ssize_t n;

	if (fd >= 0) {
		msg.msg_control = ctl.buf;
		msg.msg_controllen = sizeof(ctl.buf);
		ctl.hdr.cmsg_level = SOL_SOCKET;
		ctl.hdr.cmsg_type = SCM_RIGHTS;
		ctl.hdr.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&ctl.hdr), &fd, sizeof(int));
	}
	do
		n = sendmsg(sock, &msg, MSG_DONTWAIT | MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : 0;
}

ssize_t fd_recv_msg(int sock, void *data, size_t size, int *ret_fd)
{
	union {
		struct cmsghdr hdr;
		char buf[CMSG_SPACE(sizeof(int))];
	} ctl;
	struct iovec iov = { .iov_base = data, .iov_len = size };
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = ctl.buf,
			      .msg_controllen = sizeof(ctl.buf) };
	struct cmsghdr *c;
	ssize_t n;

	*ret_fd = -1;
	do
		n = recvmsg(sock, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	c = CMSG_FIRSTHDR(&msg);
	if (!c || c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
		return n;
	/* On 64 bits a second one fits into the room for one. */
	if (c->cmsg_len == CMSG_LEN(sizeof(int))) {
		memcpy(ret_fd, CMSG_DATA(c), sizeof(int));
		return n;
	}
	for (size_t i = 0; i < (c->cmsg_len - CMSG_LEN(0)) / sizeof(int); i++) {
		int fd;

		memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(fd));
		close_quietly(fd);
	}
	return n;
}

int fd_close_from(unsigned first)
{
	if (syscall(SYS_close_range, first, ~0u, 0) < 0)
		return -errno;
	return 0;
}

int fd_open_stdio(void)
{
	for (int fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) < 0)
			return -errno;
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What a request brings, looked at before it is used: at a session's socket by the warden, and
 * where a sandbox is asked for inside another by the steward (session/inside_serve.c). */
#include <errno.h>
#include <fcntl.h>
#include <linux/memfd.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "linux/warm_proto.h"

#define SEALS (F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE)

static int check_env(const char *env, uint32_t n, bool (*may_set)(const char *assignment))
{
	for (; n; n--, env = warm_next(env))
		if (!may_set(env))
			return -EPERM;
	return 0;
}

int warm_check_texts(const struct warm_exec *x, int fd, bool (*may_set)(const char *assignment))
{
	struct warm_texts t;
	struct stat st;
	char *text;
	int r;

	if (fstat(fd, &st) < 0 || st.st_size != (off_t)x->size || !x->size ||
	    x->size > WARM_TEXT_MAX || (fcntl(fd, F_GET_SEALS) & SEALS) != SEALS)
		return -EPROTO;
	text = mmap(NULL, x->size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (text == MAP_FAILED)
		return -errno;
	r = warm_texts_parse(x, text, x->size, &t);
	if (r >= 0 && may_set)
		r = check_env(t.env, x->n_env, may_set);
	(void)munmap(text, x->size);
	return r;
}

enum warm_why warm_check_stdio(const struct warm_exec *x, const int *fds)
{
	struct stat st;

	if (x->tty > 7)
		return WARM_WHY_REQUEST;
	for (int i = 0; i < 3; i++) {
		if (fstat(fds[i], &st) < 0)
			return WARM_WHY_REQUEST;
		if (S_ISDIR(st.st_mode))
			return WARM_WHY_DIRECTORY;
		if (isatty(fds[i]))
			return WARM_WHY_TERMINAL;
	}
	return WARM_WHY_COUNT;
}

ssize_t warm_take_request(int sock, struct warm_exec *x, int ret_fds[WARM_FDS], size_t *ret_n)
{
	union {
		struct cmsghdr hdr;
		char buf[CMSG_SPACE(WARM_FDS * sizeof(int))];
	} ctl;
	struct iovec iov = { .iov_base = x, .iov_len = sizeof(*x) };
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = ctl.buf,
			      .msg_controllen = sizeof(ctl.buf) };
	ssize_t n = recvmsg(sock, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	struct cmsghdr *c = n > 0 ? CMSG_FIRSTHDR(&msg) : NULL;

	*ret_n = 0;
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? -EAGAIN : -errno;
	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS) {
		*ret_n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		memcpy(ret_fds, CMSG_DATA(c), *ret_n * sizeof(int));
	}
	return msg.msg_flags & (MSG_TRUNC | MSG_CTRUNC) ? -EMSGSIZE : n;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "panel/call.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/str.h"

#define WORDS_MAX 256

void call_result_free(struct call_result *r)
{
	free(r->out);
	free(r->err);
	*r = (struct call_result){ 0 };
}

_noreturn_ static void become_berm(const char *berm, const char *const *words, int out, int err)
{
	char *argv[WORDS_MAX + 2];
	size_t n = 0;
	sigset_t none;
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	argv[n++] = (char *)(uintptr_t)berm;
	for (; words[n - 1] && n <= WORDS_MAX; n++)
		argv[n] = (char *)(uintptr_t)words[n - 1];
	argv[n] = NULL;
	sigemptyset(&none);
	if (words[n - 1] || null < 0 || dup2(null, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0 ||
	    sigprocmask(SIG_SETMASK, &none, NULL) < 0)
		_exit(125);
	(void)execv(berm, argv);
	_exit(125);
}

/* Returns 1 at the end. */
static int take(int fd, struct buf *b)
{
	char text[65536];
	ssize_t n = read(fd, text, sizeof(text));

	if (n < 0)
		return errno == EINTR || errno == EAGAIN ? 0 : -errno;
	return n == 0 ? 1 : buf_add(b, text, (size_t)n) == -ENOBUFS ? -EFBIG : 0;
}

static int collect(int out, int err, int signals, struct buf bufs[2])
{
	struct pollfd p[] = { { .fd = out, .events = POLLIN },
			      { .fd = err, .events = POLLIN },
			      { .fd = signals, .events = POLLIN } };

	while (p[0].fd >= 0 || p[1].fd >= 0) {
		if (poll(p, 3, -1) < 0 && errno != EINTR)
			return -errno;
		for (int i = 0; i < 2; i++) {
			int r = p[i].fd >= 0 && p[i].revents ? take(p[i].fd, &bufs[i]) : 0;

			if (r < 0)
				return r;
			if (r)
				p[i].fd = -1;
		}
		if (p[2].revents)
			return -EINTR;
	}
	return 0;
}

static int copy_out(const struct buf *b, char **ret)
{
	*ret = strdup(b->data ? b->data : "");
	return *ret && !b->failed ? 0 : -ENOMEM;
}

int call_berm(const char *berm, const char *const *words, int signals, struct call_result *ret)
{
	_cleanup_close_ int out_r = -1, out_w = -1, err_r = -1, err_w = -1;
	_cleanup_buf_ struct buf out = BUF_INIT(CALL_OUTPUT_MAX), err = BUF_INIT(CALL_OUTPUT_MAX);
	struct buf bufs[2];
	int fds[2], status = 0, r;
	pid_t pid;

	*ret = (struct call_result){ 0 };
	if (pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	out_r = fds[0];
	out_w = fds[1];
	if (pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	err_r = fds[0];
	err_w = fds[1];
	pid = fork();
	if (pid < 0)
		return -errno;
	if (pid == 0)
		become_berm(berm, words, out_w, err_w);
	close_quietly(take_fd(&out_w));
	close_quietly(take_fd(&err_w));
	bufs[0] = out;
	bufs[1] = err;
	r = collect(out_r, err_r, signals, bufs);
	out = bufs[0];
	err = bufs[1];
	if (r < 0)
		(void)kill(pid, SIGTERM);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (r >= 0 && (copy_out(&out, &ret->out) < 0 || copy_out(&err, &ret->err) < 0))
		r = -ENOMEM;
	ret->out_len = out.len;
	ret->status = WIFEXITED(status) ? WEXITSTATUS(status) : 125;
	if (r < 0)
		call_result_free(ret);
	return r;
}

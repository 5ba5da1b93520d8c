/* SPDX-License-Identifier: Apache-2.0 */
/* Git's content is parsed by a process that can do nothing else: forked when it is
 * first needed, with no descriptor but two pipes, and a filter that leaves it reading,
 * writing and ending. It shares one block of memory with the supervisor. If it dies
 * or takes too long, the answer is no, and the next question gets a new one. */
#include "linux/supervisor/git.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "linux/seccomp.h"

#define PATIENCE_MS 5000

struct job {
	enum git_role role;
	bool has_old;
	size_t old_len, len;
	char path[PATH_MAX + NAME_MAX + 2], root[PATH_MAX];
	char reason[GIT_REASON_MAX];
	char old[GIT_CONTENT_MAX], bytes[GIT_CONTENT_MAX];
};

struct helper_process {
	pid_t pid; /* 0: none */
	int ask, answer;
};

static struct job *job; /* shared */
static struct helper_process helper;
static const char **roots;
static size_t n_roots;
static struct seccomp_prog filter;

int git_init(struct sup *s)
{
	roots = calloc(s->spec->n_roots + 1, sizeof(*roots));
	if (!roots)
		return -ENOMEM;
	for (size_t i = 0; i < s->spec->n_roots; i++)
		roots[n_roots++] = s->spec->roots[i].path;
	return 0;
}

static bool judge(const struct job *j, char reason[GIT_REASON_MAX])
{
	const struct git_content c = { .role = j->role,
				       .path = j->path,
				       .root = j->root,
				       .old = j->has_old ? j->old : NULL,
				       .old_len = j->old_len,
				       .bytes = j->bytes,
				       .len = j->len,
				       .roots = roots,
				       .n_roots = n_roots };

	return git_content_ok(&c, reason, GIT_REASON_MAX);
}

/* The helper's life. Descriptor 0 asks, 1 answers. */
static _noreturn_ void serve(void)
{
	int ignored;
	char c;

	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0 ||
	    seccomp_load(&filter, false, &ignored) < 0)
		_exit(1);
	/* The end of file is the supervisor's end. */
	while (read(0, &c, 1) == 1) {
		c = judge(job, job->reason) ? 'y' : 'n';
		if (write(1, &c, 1) != 1)
			break;
	}
	_exit(0);
}

static int start(void)
{
	_cleanup_close_ int ask_in = -1, ask_out = -1, answer_in = -1, answer_out = -1;
	int pair[2];
	long pid;

	if (!job) {
		void *p = mmap(NULL, sizeof(*job), PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

		if (p == MAP_FAILED)
			return -errno;
		job = p;
		if (seccomp_build_own(SECCOMP_ROLE_GIT_HELPER, seccomp_native(), &filter))
			return -EINVAL;
	}
	if (pipe2(pair, O_CLOEXEC) < 0)
		return -errno;
	ask_in = pair[0];
	ask_out = pair[1];
	if (pipe2(pair, O_CLOEXEC) < 0)
		return -errno;
	answer_in = pair[0];
	answer_out = pair[1];
	/* Not fork(): libc's handlers have no business in it, and ours knows one clone. */
	pid = syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
	if (pid < 0)
		return -errno;
	if (pid == 0) {
		/* musl makes dup2 of a dup3 without flags, which is not in our filter. */
		if (syscall(SYS_dup3, ask_in, 0, 0) < 0 ||
		    syscall(SYS_dup3, answer_out, 1, 0) < 0 ||
		    syscall(SYS_close_range, 2u, ~0u, 0u) < 0)
			_exit(1);
		serve();
	}
	helper = (struct helper_process){ .pid = (pid_t)pid,
					  .ask = take_fd(&ask_out),
					  .answer = take_fd(&answer_in) };
	return 0;
}

static void stop(void)
{
	/* Without its pipe it ends; one that hangs has no right to more than the CPU. */
	close_quietly(helper.ask);
	close_quietly(helper.answer);
	(void)waitpid(helper.pid, NULL, WNOHANG);
	helper.pid = 0;
}

/* 'y', 'n', or 0 when there was no answer. */
static char ask(void)
{
	struct pollfd p = { .fd = helper.answer, .events = POLLIN };
	char c = 'q';

	if (write(helper.ask, &c, 1) == 1 && poll(&p, 1, PATIENCE_MS) == 1 &&
	    read(helper.answer, &c, 1) == 1 && (c == 'y' || c == 'n'))
		return c;
	stop();
	return 0;
}

/* What comes back is text for a person, whoever wrote it. */
static void copy_reason(char dst[GIT_REASON_MAX])
{
	for (size_t i = 0; i < GIT_REASON_MAX; i++) {
		char c = *(volatile char *)&job->reason[i];

		dst[i] = c && (c < ' ' || c > '~') ? '?' : c;
	}
	dst[GIT_REASON_MAX - 1] = '\0';
}

int git_judge(struct sup *s, enum git_role role, const char *path, const char *root,
	      const struct git_bytes *old, const struct git_bytes *bytes,
	      char reason[GIT_REASON_MAX])
{
	char c;

	(void)s;
	/* Nothing changes by it. */
	if (old->data && old->len == bytes->len && memcmp(old->data, bytes->data, old->len) == 0)
		return 0;
	(void)snprintf(reason, GIT_REASON_MAX, "%s", "git's file could not be judged");
	if (!helper.pid && start() < 0)
		return -EACCES;
	job->role = role;
	job->has_old = old->data;
	job->old_len = old->data ? old->len : 0;
	job->len = bytes->len;
	(void)snprintf(job->path, sizeof(job->path), "%s", path);
	(void)snprintf(job->root, sizeof(job->root), "%s", root);
	if (old->data)
		memcpy(job->old, old->data, old->len);
	memcpy(job->bytes, bytes->data, bytes->len);
	c = ask();
	if (c == 'n')
		copy_reason(reason);
	return c == 'y' ? 0 : -EACCES;
}

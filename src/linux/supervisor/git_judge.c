/* SPDX-License-Identifier: Apache-2.0 */
/* Git's content is parsed by a process that can do nothing else: forked when it is
 * first needed, with no descriptor but two pipes, and a filter that leaves it reading,
 * writing and ending. The bytes lie in memory that it can only read: what was judged is what
 * is put in place. If it dies or takes too long, the answer is no, and the next
 * question gets a new one. */
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

/* In memory shared with the helper, sparse. */
struct job {
	enum git_role role;
	bool has_old;
	size_t old_len, len;
	char path[PATH_MAX + NAME_MAX + 2], root[PATH_MAX];
	char old[GIT_CONTENT_MAX + 1];
	char bytes[GIT_INDEX_MAX + 1];
};

struct verdict_msg {
	char ok; /* 'y' or 'n' */
	char reason[GIT_REASON_MAX];
};

struct helper_process {
	pid_t pid; /* 0: none */
	int ask, answer;
};

static struct job *job;
static int job_fd = -1;
static struct helper_process helper;
static bool ended;
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

static int make_job(void)
{
	void *p;

	if (job)
		return 0;
	if (seccomp_build_own(SECCOMP_ROLE_GIT_HELPER, seccomp_native(), &filter))
		return -EINVAL;
	if (job_fd < 0)
		job_fd = memfd_create("git", MFD_CLOEXEC);
	if (job_fd < 0 || ftruncate(job_fd, sizeof(*job)) < 0)
		return -errno;
	p = mmap(NULL, sizeof(*job), PROT_READ | PROT_WRITE, MAP_SHARED, job_fd, 0);
	if (p == MAP_FAILED)
		return -errno;
	job = p;
	return 0;
}

static int read_whole(int fd, char *buf, size_t max, size_t *ret_len)
{
	size_t len = 0;

	for (;;) {
		ssize_t n = pread(fd, buf + len, max + 1 - len, (off_t)len);

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
	*ret_len = len;
	return 0;
}

int git_read(int fd, enum git_role role, struct git_bytes *ret)
{
	int err = make_job();

	if (err)
		return err;
	ret->data = job->bytes;
	return read_whole(fd, job->bytes, role == GIT_INDEX ? GIT_INDEX_MAX : GIT_CONTENT_MAX,
			  &ret->len);
}

int git_read_old(int fd, enum git_role role, struct git_bytes *ret)
{
	int err = make_job();

	/* An index is judged by itself alone. */
	if (err || role == GIT_INDEX)
		return err ? err : -ENODATA;
	ret->data = job->old;
	return read_whole(fd, job->old, GIT_CONTENT_MAX, &ret->len);
}

void git_read_done(void)
{
	const off_t kept = (off_t)(offsetof(struct job, bytes) + GIT_CONTENT_MAX);

	if (job && job->len > GIT_CONTENT_MAX)
		(void)fallocate(job_fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, kept,
				(off_t)sizeof(*job) - kept);
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

	if (j->role == GIT_INDEX)
		return git_index_ok(j->bytes, j->len, reason, GIT_REASON_MAX);
	return git_content_ok(&c, reason, GIT_REASON_MAX);
}

/* The helper's life. Descriptor 0 asks, 1 answers. */
static _noreturn_ void serve(const struct job *j)
{
	struct verdict_msg m;
	int ignored;
	char c;

	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0 ||
	    seccomp_load(&filter, false, &ignored) < 0)
		_exit(1);
	/* The end of file is the supervisor's end. */
	while (read(0, &c, 1) == 1) {
		memset(&m, 0, sizeof(m));
		m.ok = judge(j, m.reason) ? 'y' : 'n';
		if (write(1, &m, sizeof(m)) != sizeof(m))
			break;
	}
	_exit(0);
}

/* In the fork: the job is mapped anew through a descriptor that cannot write, so that no
 * mprotect makes it writable again, and nothing else stays open. */
static _noreturn_ void become_helper(int ask, int answer)
{
	int fd = open(fd_name(job_fd).text, O_RDONLY | O_CLOEXEC);
	void *p = fd < 0 ? MAP_FAILED : mmap(NULL, sizeof(*job), PROT_READ, MAP_SHARED, fd, 0);

	if (p == MAP_FAILED || munmap(job, sizeof(*job)) < 0)
		_exit(1);
	/* musl makes dup2 of a dup3 without flags, which is not in our filter. */
	if (syscall(SYS_dup3, ask, 0, 0) < 0 || syscall(SYS_dup3, answer, 1, 0) < 0 ||
	    syscall(SYS_close_range, 2u, ~0u, 0u) < 0)
		_exit(1);
	serve(p);
}

static int start(void)
{
	_cleanup_close_ int ask_in = -1, ask_out = -1, answer_in = -1, answer_out = -1;
	int pair[2];
	long pid;

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
	if (pid == 0)
		become_helper(ask_in, answer_out);
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

void git_judge_end(void)
{
	ended = true;
	/* tgkill(2) is what this process's own filter has. */
	if (helper.pid)
		(void)syscall(SYS_tgkill, helper.pid, helper.pid, SIGKILL);
}

static bool ask_once(struct verdict_msg *ret)
{
	struct pollfd p = { .events = POLLIN };
	int n;

	if (!helper.pid && start() < 0)
		return false;
	p.fd = helper.answer;
	n = write(helper.ask, "q", 1) == 1 ? 1 : 0;
	/* Children that end interrupt it. */
	while (n == 1 && (n = poll(&p, 1, PATIENCE_MS)) < 0 && errno == EINTR)
		n = 1;
	/* A pipe gives a message this small whole (pipe(7), PIPE_BUF). */
	if (n == 1 && read(helper.answer, ret, sizeof(*ret)) == sizeof(*ret))
		return true;
	stop();
	return false;
}

/* One that somebody killed is replaced; what kills its successor too is refused. */
static bool ask(struct verdict_msg *ret)
{
	bool answered = false;

	for (unsigned tries = 0; tries < 2 && !answered; tries++)
		answered = ask_once(ret);
	return answered;
}

/* What comes back is text for a person, whoever wrote it. */
static void copy_reason(char dst[GIT_REASON_MAX], const char *src)
{
	for (size_t i = 0; i < GIT_REASON_MAX; i++)
		dst[i] = (char)(src[i] && (src[i] < ' ' || src[i] > '~') ? '?' : src[i]);
	dst[GIT_REASON_MAX - 1] = '\0';
}

int git_judge(enum git_role role, const char *path, const char *root, const struct git_bytes *old,
	      const struct git_bytes *bytes, char reason[GIT_REASON_MAX])
{
	struct verdict_msg m;

	/* Nothing changes by it. */
	if (old->data && old->len == bytes->len && memcmp(old->data, bytes->data, old->len) == 0)
		return 0;
	(void)snprintf(reason, GIT_REASON_MAX, "%s", "git's file could not be judged");
	if (!job || ended)
		return -EACCES;
	job->role = role;
	job->has_old = old->data;
	job->old_len = old->data ? old->len : 0;
	job->len = bytes->len;
	(void)snprintf(job->path, sizeof(job->path), "%s", path);
	(void)snprintf(job->root, sizeof(job->root), "%s", root);
	if (!ask(&m))
		return -EACCES;
	if (m.ok == 'y')
		return 0;
	copy_reason(reason, m.reason);
	return -EACCES;
}

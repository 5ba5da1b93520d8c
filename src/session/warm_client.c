/* SPDX-License-Identifier: Apache-2.0 */
#include "session/warm.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "base/path.h"
#include "policy/resolve.h"

#define NAMES_MAX 100000

int warm_folder(bool make, int *ret, struct berm_err *err)
{
	struct policy_input in = POLICY_INPUT_INIT;
	_cleanup_free_ char *state = NULL, *path = NULL;
	_cleanup_close_ int fd = -1;
	struct stat st;
	int r;

	in.environ = environ;
	in.uid = geteuid();
	in.pretend = !make;
	r = policy_state_dir(&in, &state, err);
	if (r < 0)
		return r;
	path = path_join(state, "sessions");
	if (!path)
		return err_set(err, -ENOMEM, "out of memory");
	if (make && mkdir(path, 0700) < 0 && errno != EEXIST)
		return err_errno(err, -errno, "cannot make the folder of the sessions %s", path);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT && !make) {
		*ret = -1;
		return 0;
	}
	if (fd < 0 || fstat(fd, &st) < 0)
		return err_errno(err, -errno, "cannot open the folder of the sessions %s", path);
	/* Who can write there can answer in a session's place. */
	if (st.st_uid != geteuid() || st.st_mode & 077) {
		err_set(err, -EPERM, "the folder of the sessions %s is not yours alone", path);
		err_fix(err, "remove it, or: chmod 700 %s", path);
		return -EPERM;
	}
	*ret = take_fd(&fd);
	return 0;
}

/* By the folder's descriptor: a path may be longer than an address can be. */
static int address(int folder, const char *name, struct sockaddr_un *ret)
{
	int n;

	if (!warm_name_ok(name))
		return -EINVAL;
	*ret = (struct sockaddr_un){ .sun_family = AF_UNIX };
	n = snprintf(ret->sun_path, sizeof(ret->sun_path), "/proc/self/fd/%d/%s", folder, name);
	return n < (int)sizeof(ret->sun_path) ? 0 : -ENAMETOOLONG;
}

static int try_connect(int folder, const char *name, int *ret)
{
	_cleanup_close_ int fd = -1;
	struct sockaddr_un a;
	int r = address(folder, name, &a);

	if (r < 0)
		return r;
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0 || connect(fd, (const struct sockaddr *)&a, sizeof(a)) < 0)
		return -errno;
	*ret = take_fd(&fd);
	return 0;
}

/* Takes away what a killed session left. -EEXIST: somebody listens there after all. */
static int remove_stale(int folder, const char *name)
{
	int fd, r;

	if (flock(folder, LOCK_EX) < 0)
		return -errno;
	r = try_connect(folder, name, &fd);
	if (r >= 0) {
		close_quietly(fd);
		r = -EEXIST;
	} else if (r == -ECONNREFUSED) {
		r = unlinkat(folder, name, 0) < 0 && errno != ENOENT ? -errno : 0;
	} else if (r == -ENOENT) {
		r = 0;
	}
	(void)flock(folder, LOCK_UN);
	return r;
}

static int try_listen(int folder, const char *name, int *ret)
{
	_cleanup_close_ int fd = -1;
	struct sockaddr_un a;
	int r = address(folder, name, &a);

	if (r < 0)
		return r;
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	/* Under the lock: between bind() and listen() it looks stale. */
	if (flock(folder, LOCK_EX) < 0)
		return -errno;
	if (bind(fd, (const struct sockaddr *)&a, sizeof(a)) < 0) {
		r = -errno;
	} else if (listen(fd, SOMAXCONN) < 0) {
		r = -errno;
		(void)unlinkat(folder, name, 0);
	}
	(void)flock(folder, LOCK_UN);
	if (r >= 0)
		*ret = take_fd(&fd);
	return r;
}

int warm_listen(int folder, const char *name, int *ret, struct berm_err *err)
{
	int r;

	if (!warm_name_ok(name)) {
		err_set(err, -EINVAL, "a session cannot be called \"%s\"", name);
		err_fix(err,
			"use up to %d letters, digits, \".\", \"_\" and \"-\", the first one "
			"a letter, a digit or \"_\"",
			WARM_NAME_MAX - 1);
		return -EINVAL;
	}
	r = try_listen(folder, name, ret);
	if (r == -EADDRINUSE && remove_stale(folder, name) >= 0)
		r = try_listen(folder, name, ret);
	if (r == -EADDRINUSE) {
		err_set(err, -EEXIST, "there is a session %s already", name);
		err_fix(err, "berm exec %s -- COMMAND uses it, berm stop %s ends it", name, name);
		return -EEXIST;
	}
	return r < 0 ? err_errno(err, r, "cannot make the socket of session %s", name) : 0;
}

int warm_connect(int folder, const char *name, int *ret, struct berm_err *err)
{
	int r = folder < 0 ? -ENOENT : try_connect(folder, name, ret);

	if (r == -ECONNREFUSED) {
		r = remove_stale(folder, name);
		r = r == -EEXIST ? try_connect(folder, name, ret) : -ENOENT;
	}
	if (r == -ENOENT || r == -EINVAL) {
		err_set(err, -ENOENT, "there is no session %s", name);
		err_fix(err, "berm ls lists the sessions, berm start begins one");
		return -ENOENT;
	}
	return r < 0 ? err_errno(err, r, "cannot reach session %s", name) : 0;
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int warm_names(int folder, struct strv *ret, struct berm_err *err)
{
	_cleanup_closedir_ DIR *d = NULL;
	const struct dirent *e;
	int fd;

	if (folder < 0)
		return 0;
	fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		d = fdopendir(fd);
	if (!d) {
		close_quietly(fd);
		return err_errno(err, -errno, "cannot read the folder of the sessions");
	}
	while ((e = readdir(d)) && ret->n < NAMES_MAX)
		if (warm_name_ok(e->d_name) && strv_add(ret, e->d_name) < 0)
			return err_set(err, -ENOMEM, "out of memory");
	if (ret->n)
		qsort(ret->v, ret->n, sizeof(*ret->v), compare);
	return 0;
}

/* ---- asking -------------------------------------------------------------- */

static int wait_readable(int fd, int timeout)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int r;

	do
		r = poll(&p, 1, timeout);
	while (r < 0 && errno == EINTR);
	return r < 0 ? -errno : r == 0 ? -ETIME : 0;
}

/* One message of exactly this size, or a warm_msg in its place. */
static int ask(int fd, enum warm_type type, int value, int timeout, void *ret, size_t size)
{
	struct warm_msg m = { .magic = WARM_MAGIC, .type = type, .value = value };
	const struct warm_msg *head = ret;
	ssize_t n;
	int r;

	if (send(fd, &m, sizeof(m), MSG_NOSIGNAL) < 0)
		return -errno;
	r = wait_readable(fd, timeout);
	if (r < 0)
		return r;
	n = recv(fd, ret, size, 0);
	if (n < 0)
		return -errno;
	if (n == 0)
		return -EPIPE;
	if (n < (ssize_t)sizeof(*head) || head->magic != WARM_MAGIC)
		return -EPROTO;
	return n == (ssize_t)size || n == (ssize_t)sizeof(*head) ? 0 : -EPROTO;
}

int warm_ask(int fd, enum warm_type type, int value, int timeout, struct warm_msg *ret)
{
	return ask(fd, type, value, timeout, ret, sizeof(*ret));
}

int warm_ask_state(int fd, int timeout, struct warm_state *ret)
{
	int r = ask(fd, WARM_INFO, 0, timeout, ret, sizeof(*ret));

	if (r < 0)
		return r;
	if (ret->m.type != WARM_STATE)
		return -EPROTO;
	ret->session[sizeof(ret->session) - 1] = '\0';
	ret->profile[sizeof(ret->profile) - 1] = '\0';
	ret->tier[sizeof(ret->tier) - 1] = '\0';
	ret->workspace[sizeof(ret->workspace) - 1] = '\0';
	return 0;
}

int warm_wait_end(int fd, int timeout)
{
	char c[sizeof(struct warm_msg)];
	ssize_t n;
	int r;

	for (;;) {
		r = wait_readable(fd, timeout);
		if (r < 0)
			return r;
		n = recv(fd, c, sizeof(c), 0);
		if (n == 0 || (n < 0 && errno == ECONNRESET))
			return 0;
		if (n < 0)
			return -errno;
	}
}

void warm_failed(const char *session, const struct warm_msg *m, const char *what,
		 struct berm_err *err)
{
	static const char *const why[WARM_WHY_COUNT] = {
		[WARM_WHY_REQUEST] = "did not understand what was asked",
		[WARM_WHY_DIRECTORY] = "takes no directory as standard input, output or error",
		[WARM_WHY_ENV] = "lets nobody set one of these variables",
		[WARM_WHY_SUSPENDED] = "runs nothing now: it is suspended",
		[WARM_WHY_ENDS] = "runs nothing any more: it is about to end",
		[WARM_WHY_FULL] = "has too much to do",
		[WARM_WHY_TERMINAL] = "could not make a terminal",
		[WARM_WHY_FORK] = "could not start a process",
		[WARM_WHY_NESTED] =
			"was itself asked for inside another, and begins no further one",
		[WARM_WHY_STOP] = "could not stop everything in it, and goes on",
	};
	int e = m->value > 0 && m->value < 4096 ? m->value : EPROTO;
	int w = m->detail >= 0 && m->detail < WARM_WHY_COUNT ? m->detail : WARM_WHY_REQUEST;

	if (w == WARM_WHY_WORKDIR)
		(void)err_errno(err, -e, "session %s cannot enter the directory %s", session, what);
	else if (w == WARM_WHY_EXEC)
		(void)err_errno(err, -e, "%s", what);
	else if (w == WARM_WHY_FORK || w == WARM_WHY_TERMINAL || w == WARM_WHY_FULL)
		(void)err_errno(err, -e, "session %s %s", session, why[w]);
	else
		(void)err_set(err, -e, "session %s %s", session, why[w]);
	if (w == WARM_WHY_NESTED)
		err_fix(err, "leave the options away: its commands run under what it is held to");
	if (w == WARM_WHY_DIRECTORY)
		err_fix(err, "it would open the host's files: name a file, a pipe or /dev/null");
	if (w == WARM_WHY_SUSPENDED)
		err_fix(err, "berm resume %s", session);
	if (w == WARM_WHY_REQUEST)
		err_fix(err, "a session of another version of berm: end it with its own berm, or "
			     "kill its processes");
}

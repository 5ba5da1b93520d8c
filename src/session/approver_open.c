/* SPDX-License-Identifier: Apache-2.0 */
/* What an approver needs is opened here, before the command runs and where an error still
 * keeps it from running. The command must not be able to answer for its user: a mailbox
 * or socket that it could reach or write is refused. */
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "base/path.h"
#include "session/approver.h"

static int add(struct approver_setups *a, struct approver_setup s, struct berm_err *err)
{
	if (a->n == APPROVERS_MAX) {
		close_quietly(s.in);
		if (s.out != s.in)
			close_quietly(s.out);
		free(s.path);
		return err_set(err, -E2BIG, "--approver: at most %d at once", APPROVERS_MAX);
	}
	a->v[a->n++] = s;
	return 0;
}

void approver_setups_close(struct approver_setups *a, bool ended)
{
	for (size_t i = 0; i < a->n; i++) {
		struct approver_setup *s = &a->v[i];

		if (ended && s->kind == APPROVER_SOCKET && s->path)
			(void)unlink(s->path);
		close_quietly(s->in);
		if (s->out != s->in)
			close_quietly(s->out);
		free(s->path);
	}
	a->n = 0;
}

/* ---- terminal ------------------------------------------------------------------ */

static int open_tty(struct approver_setups *a, bool wanted, struct berm_err *err)
{
	_cleanup_close_ int fd = -1;
	int r;

	/* Not for a program that runs berm with pipes and has the terminal to itself. */
	if (!wanted && !isatty(0) && !isatty(1) && !isatty(2))
		return 0;
	fd = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
	if (fd >= 0 && (wanted || tcgetpgrp(fd) == getpgrp())) {
		r = add(a,
			(struct approver_setup){
				.kind = APPROVER_TTY, .name = "tty", .in = fd, .out = fd },
			err);
		(void)take_fd(&fd);
		return r;
	}
	if (!wanted)
		return 0;
	r = err_errno(err, -errno, "--approver tty: there is no terminal to ask at");
	err_fix(err, "use --approver none, or a client (fd:N, socket:PATH, mailbox:DIR)");
	return r;
}

/* ---- a client over descriptors -------------------------------------------------- */

static int dup_high(int fd)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);

	return copy < 0 ? -errno : copy;
}

static int open_fd(struct approver_setups *a, const char *number, struct berm_err *err)
{
	char *end;
	long n;
	int fd, r;

	errno = 0;
	n = strtol(number, &end, 10);
	if (errno || end == number || *end || n < 0 || n > INT32_MAX)
		return err_set(err, -EINVAL, "--approver fd:%s: not a descriptor number", number);
	r = fcntl((int)n, F_GETFL);
	if (r < 0 || (r & O_ACCMODE) != O_RDWR) {
		r = err_set(err, -EBADF,
			    "--approver fd:%ld: descriptor %ld is not open for reading and writing",
			    n, n);
		err_fix(err, "pass one end of a socket pair");
		return r;
	}
	fd = dup_high((int)n);
	if (fd < 0)
		return err_errno(err, fd, "--approver fd:%ld", n);
	return add(a,
		   (struct approver_setup){
			   .kind = APPROVER_CLIENT, .name = "fd", .in = fd, .out = fd },
		   err);
}

/* The client has berm's standard input and output for itself: the command reads nothing,
 * and what it writes goes to standard error. */
static int open_stdio(struct approver_setups *a, struct berm_err *err)
{
	_cleanup_close_ int in = dup_high(0), out = dup_high(1);
	_cleanup_close_ int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	int r;

	if (in < 0 || out < 0 || null < 0 || dup2(null, 0) < 0 || dup2(2, 1) < 0)
		return err_errno(err, -errno, "--approver stdio: standard input and output");
	r = add(a,
		(struct approver_setup){
			.kind = APPROVER_CLIENT, .name = "stdio", .in = in, .out = out },
		err);
	(void)take_fd(&in);
	(void)take_fd(&out);
	return r;
}

/* ---- places on disk -------------------------------------------------------------- */

/* The real path of the directory; the command must neither see nor write it. */
static int check_place(const struct spec *spec, const char *what, const char *real,
		       struct berm_err *err)
{
	for (size_t i = 0; i < spec->n_roots; i++) {
		const char *root = spec->roots[i].path;

		if (!path_within(real, root))
			continue;
		err_set(err, -EPERM,
			"--approver %s: the command could answer its own questions in %s", what,
			root);
		err_fix(err, "use a directory that the sandbox does not show, as in /run/user/%u",
			geteuid());
		return -EPERM;
	}
	for (size_t i = 0; i < spec->n_reads; i++) {
		if (!path_within(real, spec->reads[i].source))
			continue;
		err_set(err, -EPERM, "--approver %s: the command sees %s", what,
			spec->reads[i].source);
		err_fix(err, "use a directory that the sandbox does not show");
		return -EPERM;
	}
	return 0;
}

/* A socket needs no place to write: it is enough that the settings show it. */
static int check_shown(const struct spec *spec, const char *what, const char *full,
		       struct berm_err *err)
{
	const struct net_spec *n = &spec->network;

	if (!n->all_unix_sockets && !strv_has(&n->unix_sockets, full))
		return 0;
	err_set(err, -EPERM,
		"--approver %s: the command could answer its own questions: it may use %s", what,
		n->all_unix_sockets ? "every unix socket" : "this unix socket");
	err_fix(err, "use fd:N or mailbox:DIR, or leave out %s",
		n->all_unix_sockets ? "\"allow_all_unix_sockets\"" : "the unix socket");
	return -EPERM;
}

/* Only the user (and root) may write there. */
static int check_owner(int fd, const char *what, struct berm_err *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_errno(err, -errno, "--approver %s", what);
	if (!S_ISDIR(st.st_mode))
		return err_set(err, -ENOTDIR, "--approver %s: not a directory", what);
	if ((st.st_uid == geteuid() || st.st_uid == 0) && !(st.st_mode & 022))
		return 0;
	err_set(err, -EPERM, "--approver %s: others can write there (owner %u, mode %04o)", what,
		st.st_uid, st.st_mode & 07777);
	err_fix(err, "use a directory of your own with mode 700");
	return -EPERM;
}

static int open_place(const struct spec *spec, const char *what, const char *dir, int *ret,
		      char **ret_real, struct berm_err *err)
{
	_cleanup_free_ char *real = realpath(dir, NULL);
	_cleanup_close_ int fd = -1;
	int r;

	if (!real)
		return err_errno(err, -errno, "--approver %s", what);
	r = check_place(spec, what, real, err);
	if (r < 0)
		return r;
	fd = open(real, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return err_errno(err, -errno, "--approver %s", what);
	r = check_owner(fd, what, err);
	if (r < 0)
		return r;
	*ret = take_fd(&fd);
	*ret_real = take_ptr(real);
	return 0;
}

static int open_mailbox(struct approver_setups *a, const struct spec *spec, const char *what,
			const char *dir, struct berm_err *err)
{
	_cleanup_free_ char *real = NULL;
	int fd = -1, r = open_place(spec, what, dir, &fd, &real, err);

	if (r < 0)
		return r;
	return add(a,
		   (struct approver_setup){ .kind = APPROVER_MAILBOX,
					    .name = "mailbox",
					    .in = fd,
					    .out = fd,
					    .path = take_ptr(real),
					    .session = spec->session },
		   err);
}

/* A socket that nobody listens on is what a killed session left. */
static bool stale(const struct sockaddr_un *addr)
{
	_cleanup_close_ int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct stat st;

	return lstat(addr->sun_path, &st) == 0 && S_ISSOCK(st.st_mode) && st.st_uid == geteuid() &&
	       fd >= 0 && connect(fd, (const struct sockaddr *)addr, sizeof(*addr)) < 0 &&
	       errno == ECONNREFUSED;
}

static int listen_at(const char *path, int *ret, struct berm_err *err)
{
	_cleanup_close_ int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	mode_t mask;
	int r;

	if (strlen(path) >= sizeof(addr.sun_path))
		return err_set(err, -ENAMETOOLONG, "--approver socket:%s: too long a path", path);
	memcpy(addr.sun_path, path, strlen(path) + 1);
	if (fd < 0)
		return err_errno(err, -errno, "--approver socket:%s", path);
	if (stale(&addr))
		(void)unlink(path);
	mask = umask(0177);
	r = bind(fd, (const struct sockaddr *)&addr, sizeof(addr)) < 0 ? -errno : 0;
	(void)umask(mask);
	if (r >= 0 && listen(fd, 8) < 0)
		r = -errno;
	if (r < 0)
		return err_errno(err, r, "--approver socket:%s", path);
	*ret = take_fd(&fd);
	return 0;
}

static int open_socket(struct approver_setups *a, const struct spec *spec, const char *what,
		       const char *path, struct berm_err *err)
{
	_cleanup_free_ char *dir = strdup(path), *real = NULL, *full = NULL;
	_cleanup_close_ int place = -1;
	char *slash = dir ? strrchr(dir, '/') : NULL;
	const char *name = slash ? path + (slash - dir) + 1 : path;
	int fd = -1, r;

	if (!dir)
		return err_set(err, -ENOMEM, "out of memory");
	if (!name[0])
		return err_set(err, -EISDIR, "--approver %s: that is a directory", what);
	if (slash)
		slash[slash == dir ? 1 : 0] = '\0';
	r = open_place(spec, what, slash ? dir : ".", &place, &real, err);
	if (r < 0)
		return r;
	full = path_join(real, name);
	if (!full)
		return err_set(err, -ENOMEM, "out of memory");
	r = check_shown(spec, what, full, err);
	if (r >= 0)
		r = listen_at(full, &fd, err);
	if (r < 0)
		return r;
	return add(a,
		   (struct approver_setup){ .kind = APPROVER_SOCKET,
					    .name = "socket",
					    .in = fd,
					    .out = fd,
					    .path = take_ptr(full) },
		   err);
}

static int open_one(struct approver_setups *a, const struct spec *spec, const char *what,
		    struct berm_err *err)
{
	int r;

	if (streq(what, "auto"))
		return open_tty(a, false, err);
	if (streq(what, "tty"))
		return open_tty(a, true, err);
	if (streq(what, "stdio"))
		return open_stdio(a, err);
	if (streq(what, "none"))
		return 0;
	if (str_starts(what, "fd:"))
		return open_fd(a, what + 3, err);
	if (str_starts(what, "mailbox:"))
		return open_mailbox(a, spec, what, what + 8, err);
	if (str_starts(what, "socket:"))
		return open_socket(a, spec, what, what + 7, err);
	r = err_set(err, -EINVAL, "--approver %s: not a known value", what);
	err_fix(err, "one of: auto, tty, stdio, fd:N, mailbox:DIR, socket:PATH, none");
	return r;
}

int approver_setups_open(struct approver_setups *a, const struct spec *spec, struct berm_err *err)
{
	_cleanup_free_ char *list = strdup(spec->approver ? spec->approver : "auto");
	char *rest = list, *what;
	int r = 0;

	*a = (struct approver_setups){ 0 };
	if (!list)
		return err_set(err, -ENOMEM, "out of memory");
	while (r >= 0 && (what = strsep(&rest, ",")))
		r = open_one(a, spec, what, err);
	if (r < 0)
		approver_setups_close(a, true);
	return r;
}

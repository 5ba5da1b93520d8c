/* SPDX-License-Identifier: Apache-2.0 */
/* The process that keeps a terminal: a fork that lives in a session (setsid) of its own. */
#include "session/pty_keep.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <termios.h>

#include "base/path.h"
#include "policy/resolve.h"
#include "session/pty_hub.h"

/* How long viewers have for the last output. */
#define END_MS 2000

int pty_folder(bool make, int *ret, struct berm_err *err)
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
	path = path_join(state, "terminals");
	if (!path)
		return err_set(err, -ENOMEM, "out of memory");
	if (make && mkdir(path, 0700) < 0 && errno != EEXIST)
		return err_errno(err, -errno, "cannot make the folder of the terminals %s", path);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT && !make) {
		*ret = -1;
		return 0;
	}
	if (fd < 0 || fstat(fd, &st) < 0)
		return err_errno(err, -errno, "cannot open the folder of the terminals %s", path);
	if (st.st_uid != geteuid() || st.st_mode & 077) {
		err_set(err, -EPERM, "the folder of the terminals %s is not yours alone", path);
		err_fix(err, "remove it, or: chmod 700 %s", path);
		return -EPERM;
	}
	*ret = take_fd(&fd);
	return 0;
}

int pty_name(const char *session, const char *terminal, char *ret, size_t size)
{
	int n;

	if (!warm_name_ok(session) || (terminal && !warm_name_ok(terminal)))
		return -EINVAL;
	n = snprintf(ret, size, "%s%s%s", session, terminal ? "+" : "", terminal ? terminal : "");
	return n > 0 && (size_t)n < size ? 0 : -EINVAL;
}

static int address(int folder, const char *name, struct sockaddr_un *ret)
{
	int n;

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

int pty_connect(int folder, const char *name, int *ret, struct berm_err *err)
{
	int r = folder < 0 ? -ENOENT : try_connect(folder, name, ret);

	if (r == -ECONNREFUSED) {
		/* Its keeper was killed. Not while another one is between bind() and listen(). */
		if (flock(folder, LOCK_EX) < 0)
			return err_errno(err, -errno, "cannot lock the folder of the terminals");
		r = try_connect(folder, name, ret);
		if (r == -ECONNREFUSED)
			r = unlinkat(folder, name, 0) < 0 ? -errno : -ENOENT;
		(void)flock(folder, LOCK_UN);
	}
	if (r == -ENOENT) {
		err_set(err, r, "there is no terminal %s", name);
		return r;
	}
	return r < 0 ? err_errno(err, r, "cannot reach the terminal %s", name) : 0;
}

static int listen_at(int folder, const char *name, int *ret, struct berm_err *err)
{
	_cleanup_close_ int fd = -1;
	struct sockaddr_un a;
	int other, r = pty_connect(folder, name, &other, err);

	if (r >= 0) {
		close_quietly(other);
		r = err_set(err, -EEXIST, "there is a terminal %s already", name);
		err_fix(err,
			"berm attach without a command shows it; --terminal NAME makes another");
		return r;
	}
	if (r != -ENOENT)
		return r;
	r = address(folder, name, &a);
	fd = r < 0 ? r : socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return err_errno(err, r < 0 ? r : -errno, "cannot make a socket");
	if (flock(folder, LOCK_EX) < 0)
		return err_errno(err, -errno, "cannot lock the folder of the terminals");
	if (bind(fd, (const struct sockaddr *)&a, sizeof(a)) < 0 || listen(fd, 16) < 0)
		r = err_errno(err, -errno, "cannot make the terminal %s", name);
	(void)flock(folder, LOCK_UN);
	if (r >= 0)
		*ret = take_fd(&fd);
	return r;
}

void pty_usual_modes(struct warm_modes *ret)
{
	static const uint8_t cc[] = {
		[VINTR] = 3,	[VQUIT] = 28,  [VERASE] = 127,	[VKILL] = 21, [VEOF] = 4,
		[VMIN] = 1,	[VSTART] = 17, [VSTOP] = 19,	[VSUSP] = 26, [VREPRINT] = 18,
		[VWERASE] = 23, [VLNEXT] = 22, [VDISCARD] = 15,
	};

	*ret = (struct warm_modes){
		.iflag = ICRNL | IXON | IUTF8,
		.oflag = OPOST | ONLCR,
		.cflag = CS8 | CREAD | B38400,
		.lflag = ISIG | ICANON | ECHO | ECHOE | ECHOK | ECHOCTL | ECHOKE | IEXTEN,
		.rows = 24,
		.cols = 80,
	};
	memcpy(ret->cc, cc, sizeof(cc));
}

/* ---- the keeper's life ---------------------------------------------------- */

static void accept_viewer(struct pty_hub *hub, int listener)
{
	struct ucred peer = { 0 };
	socklen_t len = sizeof(peer);
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0)
		return;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) < 0 ||
	    (peer.uid != geteuid() && peer.uid != 0)) {
		close_quietly(fd);
		return;
	}
	(void)pty_hub_add(hub, fd);
}

/* What the session says: the end. *ret_status is for the shell. */
static bool ended(int warm, int *ret_status)
{
	struct warm_msg m;
	int fd, r = warm_receive(warm, &m, &fd);

	close_quietly(fd);
	if (r == 0 || (r > 0 && m.type != WARM_EXITED))
		return false;
	*ret_status = r < 0		   ? 128 + SIGKILL
		      : WIFEXITED(m.value) ? WEXITSTATUS(m.value)
					   : 128 + WTERMSIG(m.value);
	return true;
}

static void round_of(struct pty_hub *hub, int listener, int warm, bool *over, int timeout)
{
	struct pollfd p[2 + PTY_POLLS];
	size_t n = pty_hub_poll(hub, p + 2);
	int status;

	p[0] = (struct pollfd){ .fd = listener, .events = POLLIN };
	p[1] = (struct pollfd){ .fd = *over ? -1 : warm, .events = POLLIN };
	if (poll(p, 2 + n, timeout) < 0)
		return;
	pty_hub_ready(hub, p + 2, n);
	if (p[0].revents)
		accept_viewer(hub, listener);
	if (!*over && p[1].revents && ended(warm, &status)) {
		*over = true;
		pty_hub_exited(hub, status);
	}
}

static void live(struct pty_hub *hub, int listener, int warm)
{
	bool over = false;

	while (!over)
		round_of(hub, listener, warm, &over, pty_hub_timeout(hub));
	for (int left = END_MS; left > 0 && !pty_hub_done(hub); left -= 50)
		round_of(hub, listener, warm, &over, 50);
}

/* Nothing of the caller's stays: no terminal, no descriptor, no working directory. */
static int leave_caller(int keep[], size_t n)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	(void)setsid();
	(void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	(void)signal(SIGHUP, SIG_IGN);
	(void)signal(SIGPIPE, SIG_IGN);
	if (null < 0 || chdir("/") < 0)
		return -errno;
	for (int fd = 0; fd < 3; fd++)
		if (dup2(null, fd) < 0)
			return -errno;
	/* Out of the way, then to the lowest places. */
	for (size_t i = 0; i < n; i++) {
		keep[i] = fcntl(keep[i], F_DUPFD_CLOEXEC, 64);
		if (keep[i] < 0)
			return -errno;
	}
	for (size_t i = 0; i < n; i++) {
		keep[i] = dup2(keep[i], 3 + (int)i);
		if (keep[i] < 0)
			return -errno;
	}
	return syscall(SYS_close_range, 3u + (unsigned)n, ~0u, 0) < 0 ? -errno : 0;
}

static void _noreturn_ keeper(int folder, const char *name, int listener, int warm, int master,
			      bool filtered, bool awaited)
{
	int keep[] = { folder, listener, warm, master };
	struct pty_hub *hub = NULL;

	if (leave_caller(keep, ARRAY_SIZE(keep)) >= 0)
		hub = pty_hub_new(keep[3], PTY_SCROLLBACK, filtered, awaited);
	if (hub)
		live(hub, keep[1], keep[2]);
	(void)unlinkat(keep[0], name, 0);
	_exit(hub ? 0 : 1);
}

static void set_modes(int master, const struct warm_modes *m)
{
	struct winsize size = { .ws_row = m->rows, .ws_col = m->cols };
	struct termios t = {
		.c_iflag = m->iflag, .c_oflag = m->oflag, .c_cflag = m->cflag, .c_lflag = m->lflag
	};

	for (size_t i = 0; i < sizeof(m->cc); i++)
		t.c_cc[i] = m->cc[i];
	(void)tcsetattr(master, TCSANOW, &t);
	(void)ioctl(master, TIOCSWINSZ, &size);
}

/* The terminal of the command that was asked for. */
static int started(int warm, const struct warm_command *c, int *ret_master, bool *ret_filtered,
		   int *ret_status, struct berm_err *err)
{
	struct warm_msg m;
	int fd, r;

	do
		r = warm_receive(warm, &m, &fd);
	while (r == 0);
	if (r < 0) {
		close_quietly(fd);
		return err_errno(err, r, "lost session %s", c->session);
	}
	if (m.type == WARM_STARTED && fd >= 0) {
		*ret_master = fd;
		*ret_filtered = m.value != 0;
		return 0;
	}
	close_quietly(fd);
	if (m.type != WARM_FAILED)
		return err_set(err, -EPROTO, "session %s talks nonsense", c->session);
	return warm_not_run(c, &m, ret_status, err);
}

int pty_keep(int folder, const char *name, int warm, const struct warm_command *c,
	     const struct warm_modes *modes, bool awaited, int *ret_status, struct berm_err *err)
{
	_cleanup_close_ int listener = -1, master = -1, null = -1;
	bool filtered = true;
	pid_t pid;
	int r;

	*ret_status = 125;
	r = listen_at(folder, name, &listener, err);
	if (r < 0)
		return r;
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	r = null < 0 ? -errno : warm_request(warm, c, (const int[]){ null, null, null }, 7, modes);
	if (r < 0)
		(void)err_errno(err, r, "cannot ask session %s", c->session);
	else
		r = started(warm, c, &master, &filtered, ret_status, err);
	if (r >= 0) {
		set_modes(master, modes);
		pid = fork();
		if (pid == 0)
			keeper(folder, name, listener, warm, master, filtered, awaited);
		if (pid < 0)
			r = err_errno(err, -errno, "cannot start the terminal's keeper");
	}
	if (r < 0)
		(void)unlinkat(folder, name, 0);
	return r;
}

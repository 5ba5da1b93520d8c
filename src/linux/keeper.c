/* SPDX-License-Identifier: Apache-2.0 */
/* Who restores the user's terminal when the warden is killed: a process that holds the terminal
 * and the read end of a pipe, and sleeps. The warden says a word before it ends by itself; end of
 * file without it means that it cannot have restored anything. */
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/fd.h"
#include "linux/kern.h"
#include "linux/warden.h"

/* The shell may have set its own modes already: only what nobody but us sets is undone. */
static void restore(int fd, const struct termios *saved)
{
	struct termios now;

	if (tcgetattr(fd, &now) == 0 && !(now.c_lflag & (ICANON | ISIG)))
		(void)tcsetattr(fd, TCSADRAIN, saved);
}

static void _noreturn_ keep(int ctl, int pipe, const struct termios *saved)
{
	sigset_t all;
	ssize_t n;
	char c;

	/* SIGTTOU as well: this is no process of the terminal's foreground. Signals that the
	 * whole job gets are not for us. */
	(void)sigfillset(&all);
	(void)sigprocmask(SIG_SETMASK, &all, NULL);
	(void)setpgid(0, 0);
	(void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	/* In the lowest places; nothing else stays open. */
	if (dup2(ctl, 0) < 0 || dup2(pipe, 1) < 0 || syscall(SYS_close_range, 2u, ~0u, 0) < 0)
		_exit(1);
	do
		n = read(1, &c, 1);
	while (n < 0 && errno == EINTR);
	if (n == 0)
		restore(0, saved);
	_exit(0);
}

int terminal_keep(struct terminal *t)
{
	int ends[2];

	if (!t->active || t->in < 0)
		return 0;
	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	t->keeper_pid = fork();
	if (t->keeper_pid == 0)
		keep(t->ctl, ends[0], &t->saved);
	close_quietly(ends[0]);
	t->keeper = ends[1];
	return t->keeper_pid < 0 ? -errno : 0;
}

void terminal_unkeep(struct terminal *t)
{
	char c = 0;

	if (t->keeper < 0)
		return;
	/* Should it be gone, there is nobody to tell. */
	while (write(t->keeper, &c, 1) < 0 && errno == EINTR)
		;
	close_quietly(t->keeper);
	t->keeper = -1;
	while (waitpid(t->keeper_pid, NULL, 0) < 0 && errno == EINTR)
		;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A session without namespaces (tier landlock): the command is an ordinary process of the host in
 * a Landlock domain, under the filter, with the supervisor as in the other tiers.
 *
 * Three domains, each inside the one before:
 *  1. the supervisor's: files as the session may see and change them at all. What the command
 *     brings it to do cannot reach further.
 *  2. init's and the guard's: nobody outside of it can be signalled (ABI 6). So kill(-1), sent by
 *     one of them, ends the session's processes and no other, in one step that no fork gets
 *     round.
 *  3. the command's: no change of any file, and no signal to init and the guard.
 *
 * Nothing ends with init by itself here, as it would in a pid namespace. So init ends what is
 * left; the guard does it when init was killed, and init when the guard was. The supervisor is
 * an ancestor of the whole session (each of them is a subreaper), as some settings of yama ask
 * of who reads another process's memory. */
#include <fcntl.h>
#include <linux/keyctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/fd.h"
#include "linux/kern.h"
#include "linux/setup.h"

static void subreaper(const struct launch *l)
{
	if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0)
		setup_fail(l, STAGE_INIT, errno, -1);
}

/* Of a user without rights there are none to drop: then no_new_privs holds what this would.
 * The supervisor needs none either: it is the command's ancestor. */
static void drop_rights(const struct launch *l)
{
	int r = caps_drop_bounding();

	if (r == -EPERM)
		r = 0;
	if (r >= 0)
		r = caps_drop(0);
	if (r < 0)
		setup_fail(l, STAGE_CAPS, r, -1);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		setup_fail(l, STAGE_CAPS, errno, -1);
}

/* From 2 on only an administrator's capability reads another process's memory. */
static void check_yama(const struct launch *l)
{
	_cleanup_close_ int fd = open("/proc/sys/kernel/yama/ptrace_scope", O_RDONLY | O_CLOEXEC);
	char c = '0';

	if (fd < 0 && errno == ENOENT)
		return;
	if (fd < 0 || read(fd, &c, 1) != 1)
		setup_fail(l, STAGE_LOOK, errno, -1);
	if (c > '1')
		setup_fail(l, STAGE_LOOK, EPERM, -1);
}

void flat_supervise(struct launch *l)
{
	int index, rules;

	subreaper(l);
	drop_rights(l);
	check_yama(l);
	rules = capped(l, LACK_LANDLOCK) ? -EOPNOTSUPP : landlock_flat_rules(l, true, &index);
	if (rules < 0)
		setup_fail(l, STAGE_LANDLOCK, rules, index);
	index = landlock_confine(rules);
	if (index < 0)
		setup_fail(l, STAGE_LANDLOCK, index, -1);
	close_quietly(rules);
}

static void new_keyring(const struct launch *l)
{
	/* Container engines refuse keyctl(2) altogether, and so does the command's filter. */
	if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) < 0 && errno != ENOSYS &&
	    errno != EPERM)
		setup_fail(l, STAGE_KEYRING, errno, -1);
}

/* kill(-1) is about to be relied upon: it must not reach the supervisor, which is outside. */
static void check_scope(const struct launch *l)
{
	if (kill(getppid(), 0) == 0 || errno != EPERM)
		setup_fail(l, STAGE_LANDLOCK, EOPNOTSUPP, -1);
}

static void _noreturn_ guard(int init)
{
	ssize_t n;
	char c;

	(void)prctl(PR_SET_NAME, "berm-guard", 0, 0, 0);
	/* Nothing else stays open: a reader of the command's output waits for its end. */
	if (dup2(init, 0) < 0 || syscall(SYS_close_range, 1u, ~0u, 0) < 0)
		_exit(125);
	do
		n = read(0, &c, 1);
	while (n < 0 && errno == EINTR);
	(void)kill(-1, SIGKILL);
	_exit(125);
}

static void start_guard(struct launch *l)
{
	int ends[2];

	/* The other end stays open in init until it dies; a command's process loses it by exec. */
	if (pipe2(ends, O_CLOEXEC) < 0)
		setup_fail(l, STAGE_INIT, errno, -1);
	l->guard = fork();
	if (l->guard < 0)
		setup_fail(l, STAGE_INIT, errno, -1);
	if (l->guard == 0)
		guard(ends[0]);
	l->shared->guard_pid = l->guard;
	close_quietly(ends[0]);
}

void flat_init(struct launch *l)
{
	int index, r;

	subreaper(l);
	close_quietly(l->kit[1]);
	l->kit[1] = -1;
	/* Each exec is the supervisor's: the filter is loaded by the process that it is for. */
	l->exec_pass = 0;
	init_build_filter(l);
	l->rules = landlock_flat_rules(l, false, &index);
	if (l->rules < 0)
		setup_fail(l, STAGE_LANDLOCK, l->rules, index);
	new_keyring(l);
	init_set_limits(l);
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
		setup_fail(l, STAGE_CAPS, errno, -1);
	r = landlock_scope();
	if (r < 0)
		setup_fail(l, STAGE_LANDLOCK, r, -1);
	check_scope(l);
	start_guard(l);
	/* The supervisor's messages about mounts do not come. */
	l->heard = SYNC_MESSAGES - 1;
}

void flat_command(struct launch *l)
{
	int r = landlock_confine(l->rules);

	if (r < 0)
		setup_fail(l, STAGE_LANDLOCK, r, -1);
	close_quietly(l->rules);
	init_filter_calls(l);
}

static void wait_for(pid_t pid, int *ret_status)
{
	while (waitpid(pid, ret_status, 0) < 0 && errno == EINTR)
		;
}

/* Init is under no filter, so its work is not done when nobody is left to serve. Where it was
 * killed, the guard ends the rest, which then are our children. */
void flat_wait(const struct launch *l)
{
	int status = 0;

	wait_for(l->shared->init_pid, NULL);
	if (l->shared->guard_pid)
		wait_for(l->shared->guard_pid, &status);
	/* Were both killed, nobody ends what is left, and waiting would take as long as it lives.
	 */
	if (WIFSIGNALED(status))
		return;
	while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
		;
}

void flat_end(void)
{
	(void)kill(-1, SIGKILL);
	while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
		;
}

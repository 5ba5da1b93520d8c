/* SPDX-License-Identifier: Apache-2.0 */
/* The one function that starts a process of the agent's: the command of a run, and each command
 * of a warm session. In init, under the command's filter and Landlock domain. */
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "linux/setup.h"

/* With an image of its own. In a warm session init does not wait for its exec, which somebody
 * may be asked about. */
static pid_t spawn_image(struct launch *l, struct job *j, int *ret_report)
{
	int report[2] = { -1, -1 };
	pid_t pid;

	if (l->warm && socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, report) < 0)
		return -errno;
	j->report = report[1];
	pid = fork();
	if (pid == 0)
		exec_job(l, j, false);
	if (pid < 0) {
		pid = -errno;
		close_quietly(report[0]);
		report[0] = -1;
	}
	close_quietly(report[1]);
	*ret_report = report[0];
	return pid;
}

/* By vfork(2): this image is not copied, and stands still while its child uses it. What that
 * child may not start by itself is started again by one with an image of its own, and what needs a
 * terminal, whose device the supervisor opens for it, is so at once. */
pid_t spawn_job(struct launch *l, struct job *j, int *ret_report)
{
	pid_t pid = -1;
	bool done = false;

	*ret_report = -1;
	l->job_report = (struct job_report){ 0 };
	l->not_passed = false;
	if (l->exec_pass && !j->modes) {
		/* NOLINTBEGIN(clang-analyzer-*vfork,clang-analyzer-unix.Vfork): the child
		 * changes nothing that this process needs but l->not_passed and l->job_report, and
		 * never returns */
		pid = vfork();
		if (pid == 0)
			exec_job(l, j, true);
		/* NOLINTEND(clang-analyzer-*vfork,clang-analyzer-unix.Vfork) */
		/* Every later exec of a run is the supervisor's. */
		if (!l->warm)
			l->exec_pass = 0;
		done = pid > 0 && !l->not_passed;
		if (pid > 0 && !done)
			(void)waitpid(pid, NULL, 0);
	}
	if (!done)
		pid = spawn_image(l, j, ret_report);
	/* From both sides, so that neither needs to wait for the other. */
	if (pid > 0 && !j->modes)
		(void)setpgid(pid, pid);
	return pid;
}

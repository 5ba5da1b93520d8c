/* SPDX-License-Identifier: Apache-2.0 */
/* The filters of berm's own processes, loaded into real ones. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "linux/seccomp.h"

#define DONE 0
#define BAD(n) (100 + (n)) /* exit status of the child: which case went wrong */

static bool gives(long r, int err)
{
	return r == -1 && errno == err;
}

static int own_child(enum seccomp_role role)
{
	struct seccomp_prog p;
	char *const argv[] = { (char *)(uintptr_t) "true", NULL };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    seccomp_build_own(role, seccomp_native(), &p) || seccomp_load(&p, false, NULL))
		return BAD(0);
	if (write(-1, "", 1) != -1 || errno != EBADF)
		return BAD(1);
	if (!gives(execve("/bin/true", argv, NULL), ENOSYS))
		return BAD(2);
	if (!gives(socket(AF_INET, SOCK_STREAM, 0), ENOSYS))
		return BAD(3);
	return DONE;
}

static void test_own_filters(void **state)
{
	static const enum seccomp_role roles[] = { SECCOMP_ROLE_SUPERVISOR, SECCOMP_ROLE_WARDEN,
						   SECCOMP_ROLE_GIT_HELPER };

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(roles); i++) {
		pid_t pid = fork();
		int status = 0;

		assert_true(pid >= 0);
		if (pid == 0)
			_exit(own_child(roles[i]));
		assert_int_equal(waitpid(pid, &status, 0), pid);
		if (roles[i] == SECCOMP_ROLE_GIT_HELPER)
			assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS);
		else
			assert_int_equal(status, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_own_filters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* underfilter PROGRAM [ARGUMENT]...: runs it under a filter that refuses what a container
 * engine's default profile refuses of namespaces: clone and unshare with a new user
 * namespace, mount, setns with EPERM, and clone3 (whose flags no filter sees) with ENOSYS. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define IF(nr, skip) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, skip)
#define RET(v) BPF_STMT(BPF_RET | BPF_K, v)
#define FLAGS BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0]))
#define ANY(bits) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1)

int main(int argc, char **argv)
{
	struct sock_filter f[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		IF(__NR_clone3, 1),
		RET(SECCOMP_RET_ERRNO | ENOSYS),
		IF(__NR_mount, 1),
		RET(SECCOMP_RET_ERRNO | EPERM),
		IF(__NR_setns, 1),
		RET(SECCOMP_RET_ERRNO | EPERM),
		IF(__NR_unshare, 1),
		RET(SECCOMP_RET_ERRNO | EPERM),
		IF(__NR_clone, 3),
		FLAGS,
		ANY(CLONE_NEWUSER),
		RET(SECCOMP_RET_ERRNO | EPERM),
		RET(SECCOMP_RET_ALLOW),
	};
	struct sock_fprog p = { sizeof(f) / sizeof(f[0]), f };

	if (argc < 2 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &p) < 0) {
		perror("underfilter");
		return 99;
	}
	execv(argv[1], argv + 1);
	perror(argv[1]);
	return 99;
}

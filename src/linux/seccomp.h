/* SPDX-License-Identifier: Apache-2.0 */
/* The command's seccomp filter, written by hand (DESIGN 4, spike-fs 4). Built as
 * data so that tests run it in an interpreter, for both architectures. */
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum seccomp_arch { SECCOMP_X86_64, SECCOMP_ARM64 };

struct seccomp_opts {
	enum seccomp_arch arch;
	bool trap_writes; /* hand write-like calls to the supervisor; false: no listener (all roots
			     read-only) */
	bool trap_reads;  /* hand every open to the supervisor as well */
	bool trap_net;	  /* hand a socket of the internet's to it as well, and of netlink's */
	bool observe;	  /* hand calls that look a path up to the supervisor, which tells what is
			   * not there and lets them go on */
	bool trap_exec;	  /* hand execve and execveat to it (exec rules) */
	uint64_t exec_pass; /* an execveat with this sixth argument, which the kernel does not look
			     * at, was judged before and is not handed over; 0 none */
	bool allow_userns;  /* nested user namespaces granted by the policy (mount namespaces stay
			       refused) */
	bool noexec_memfd;  /* memory files only with MFD_NOEXEC_SEAL: no program runs from them */
	bool flat;	    /* there are no namespaces: no socket that could reach or be
			     * reached by anything, no System V IPC, no message queue, no other
			     * process's priority or limits; each open, each look at a path and the times of open files
			     * are for the supervisor (the flags above are then set as well) */
	bool report;	    /* hand denied calls to the listener too, which must answer them with
			     * -seccomp_denial(): that is how a denial becomes an event. false: the
			     * kernel gives the same errno by itself */
};

/* Numbers of descriptors that the supervisor wants to hear the close of
 * (supervisor/git_standin.c). Below the usual soft limit of 1024 open files, above
 * what programs reach. */
#define SECCOMP_CLOSE_FIRST 960
#define SECCOMP_CLOSE_COUNT 64

#define SECCOMP_PROG_MAX 1024

struct seccomp_prog {
	struct sock_filter insn[SECCOMP_PROG_MAX];
	size_t len;
};

/* Builds the filter of the command. Returns 0, or -E2BIG when it does not fit. */
int seccomp_build(const struct seccomp_opts *o, struct seccomp_prog *ret);

/* The positive errno a call must be answered with that the filter hands over only
 * to have it reported; 0 for the calls that are trapped to be judged (openat,
 * mkdir, execve, ...). d as received; native architecture. A listener's order:
 * the calls it serves, then this, then ENOSYS. Never continue any of these. */
int seccomp_denial(const struct seccomp_data *d);

/* Is this a socket(2) that trap_net hands over, and that the filter would allow otherwise? To be
 * continued only then. d as received. */
bool seccomp_opens_net(const struct seccomp_data *d);

/* Builds the filter of a process of berm's own, once it is set up. */
enum seccomp_role {
	SECCOMP_ROLE_SUPERVISOR,
	SECCOMP_ROLE_GIT_HELPER,
	SECCOMP_ROLE_WARDEN,
	SECCOMP_ROLE_SESSION, /* the warden of a warm session */
};
int seccomp_build_own(enum seccomp_role role, enum seccomp_arch arch, struct seccomp_prog *ret);

/* Loads it on the calling thread (no_new_privs must be set). listener: a
 * SECCOMP_RET_USER_NOTIF descriptor is made with WAIT_KILLABLE_RECV and returned
 * in *ret_listener (close-on-exec). Returns 0 or a negative errno: -EBUSY when
 * the thread already runs under a listener, -EINVAL or -ENOSYS when the kernel
 * is too old (5.19), -EACCES without no_new_privs. */
int seccomp_load(const struct seccomp_prog *p, bool listener, int *ret_listener);

/* The architecture this program was built for. */
enum seccomp_arch seccomp_native(void);

/* Name of a native system call number that the filter knows, or "syscall-N" in a
 * thread-local buffer. */
const char *seccomp_name(int nr);

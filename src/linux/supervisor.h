/* SPDX-License-Identifier: Apache-2.0 */
/* The supervisor: answers the file calls that the command's seccomp filter traps.
 *
 * It lives in the command's mount namespace and root, outside its pid namespace
 * and outside its Landlock domain; CAP_SYS_PTRACE in the outer user namespace is
 * its only capability. Landlock gives the command no right to change
 * anything inside the governed roots, so "continue" is always safe and at worst
 * EACCES: only what the supervisor does itself can change a governed tree. */
#pragma once

#include <sys/types.h>

#include "policy/spec.h"

enum sup_root_kind {
	SUP_GOVERNED, /* every change is judged by spec_judge() and done by the supervisor */
	SUP_FREE,     /* done by the supervisor without a rule: private home above a workspace
		       * (Landlock could not tell the two apart) */
};

struct sup_root {
	int fd;		 /* O_PATH on the mounted root, inside the new view */
	uint64_t mnt_id; /* STATX_MNT_ID of fd */
	const char *path;
	bool is_file;
	enum sup_root_kind kind;
};

struct supervisor {
	const struct spec *spec;
	int listener;  /* seccomp notification descriptor */
	int host_proc; /* O_PATH on the /proc of the supervisor's own pid namespace */
	int events;    /* SOCK_SEQPACKET to the warden, see linux/record.h */
	uint32_t *network; /* shared with the warden and the steward, see linux/net_wait.h */
	struct sup_root *roots;
	size_t n_roots;
	int init_umask;	 /* umask the command starts with */
	bool outer_proc; /* the view's /proc is the one of the supervisor's own pid namespace,
			  * with its own directory covered */
	bool flat;	 /* there are no mounts to tell the roots apart by, but their paths; what
			  * is in none of them is not ours to change */
	/* With flat: what is to be seen, and whose processes in /proc. */
	const struct strv *shown, *hidden;
	pid_t init_pid;
	const volatile pid_t *guard_pid;
};

/* Everything that can be done before the listener is there; s->listener is not
 * looked at. The process is confined by its own filter afterwards: what it may
 * still do is receiving the listener and supervisor_run(). Returns 0 or a negative
 * errno. */
int supervisor_prepare(struct supervisor *in);

/* Serves notifications until no process is left that could send one; runs in the calling
 * thread and starts what helpers it needs. What the command had closed last is then
 * in place. Returns 0, or a negative errno when it cannot serve. */
int supervisor_run(struct supervisor *in);

/* For a signal handler: the last process of the command is gone. true: supervisor_run()
 * will return soon; false: it does not run. */
bool supervisor_end(void);

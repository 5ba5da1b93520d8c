/* SPDX-License-Identifier: Apache-2.0 */
/* Whose socket, which program: answered from /proc of the host, only for processes of the
 * sandbox: those that descend from its init, to which the kernel gives its orphans. (Init's
 * own namespace link is not to be read: it is not dumpable.) Every number is bounded:
 * the sandbox chooses how many processes and descriptors it has. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define WHO_PROCESSES_MAX 4096
#define WHO_FDS_MAX 65536
#define WHO_DEPTH_MAX 256 /* generations below init */
#define WHO_EXE_MAX 512
#define WHO_COMMAND_MAX 512

struct who {
	int proc; /* /proc, -1: it cannot be looked at */
	pid_t init;
	long long window_us, spent_us; /* looking is bounded in time as well */
};

/* init: pid 1 of the sandbox, of the host's numbering. */
void who_init(struct who *w, pid_t init);

/* A process that has the socket open: its pid, 0 when none is found, or when too much was
 * looked for in this second. */
pid_t who_has_socket(struct who *w, uint32_t inode);

/* Its program, escaped for display, at most size bytes; "" when it is gone or not of the
 * sandbox. */
void who_exe(const struct who *w, pid_t pid, char *dst, size_t size);

/* Its command line, escaped, what looks like a secret masked; "" likewise. */
void who_command(const struct who *w, pid_t pid, char *dst, size_t size);

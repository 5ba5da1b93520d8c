/* SPDX-License-Identifier: Apache-2.0 */
/* The attack program of the escape corpus: one sub-command for each form of
 * system call. It never decides whether an attack came through (the runner looks
 * from outside); it prints "ok" or the name of the errno and exits 0 or 1. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct form {
	const char *name;
	long (*run)(const char *path); /* 0 or more: done; -1 with errno */
};

struct group {
	const char *name;
	const struct form *forms; /* ends with a NULL name */
};

extern const struct form make_forms[];	 /* a name appears */
extern const struct form make2_forms[];	 /* the same, by stranger ways */
extern const struct form modify_forms[]; /* a file changes or goes away */
extern const struct form read_forms[];	 /* content is read and printed */
extern const struct form sys_forms[];	 /* a system call as such */
extern const struct form proc_forms[];	 /* other processes and namespaces */
extern const struct form net_forms[];	 /* sockets */
extern const struct form ipc_forms[];	 /* System V, POSIX, keys */
extern const struct form race_forms[];	 /* two threads against the check */
extern const struct form race2_forms[];

/* "dir/base" into its two parts; "." when there is no slash. Static buffers. */
const char *dir_of(const char *path);
const char *base_of(const char *path);
/* A regular file in the current directory with known content; returns its name. */
const char *aux_file(void);
long raw_openat2(int dirfd, const char *path, uint64_t flags, uint64_t mode, uint64_t resolve);
/* A copy of the string below 4 GiB, for 32-bit calls. */
char *low_string(const char *s);
long int80(long nr, long a, long b, long c, long d);
/* Prints what can be read from fd; 0, or -1 with errno. */
long dump_fd(int fd);

/* One io_uring operation, submitted and waited for; the result or -1 with errno. */
struct uring_op {
	uint8_t opcode;
	int fd;
	uint64_t addr;
	uint32_t len;
	uint64_t addr2;
	uint32_t flags;
};
long uring_run(const struct uring_op *op);

/* Runs `round` against a thread that runs `swap` until RACE_MS are over. */
long race_for(void (*swap)(void), void (*round)(void));
bool race_over(void);
long long now_ms(void);

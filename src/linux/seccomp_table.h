/* SPDX-License-Identifier: Apache-2.0 */
/* The system calls of both architectures and what the command's filter does with
 * each (data: seccomp_table.def). Used inside linux/seccomp*.c and its tests. */
#pragma once

#include <stdint.h>

#include "linux/seccomp.h"

enum sc_class {
	SC_ALLOW,
	SC_DENY,  /* EPERM, reported */
	SC_HIDE,  /* ENOSYS, reported: libraries fall back to something else */
	SC_NOSYS, /* ENOSYS: not there for 64-bit programs, or there is an older form */
	SC_WRITE, /* to the supervisor with trap_writes */
	SC_EXEC,  /* to the supervisor with trap_exec */
	SC_LOOK,  /* to the supervisor with observe or flat */
	/* Decided by their arguments. */
	SC_OPEN,
	SC_OPENAT,
	SC_OPENAT2,
	SC_SOCKET,
	SC_SOCKETPAIR,
	SC_IOCTL,
	SC_CLONE,
	SC_UNSHARE,
	SC_PERSONALITY,
	SC_UTIMENSAT,
	SC_CLOSE,
	SC_MEMFD,
	SC_FCNTL,
	SC_SIGHT, /* looks as well, but at what observe has no need of: with flat */
	SC_IPC,	  /* of the whole host where there is no namespace of it */
	SC_OTHER, /* first argument: a process, 0 the caller */
	SC_SETPRIORITY,
	SC_CLASS_COUNT,
};

/* The highest number known; everything above it is ENOSYS. */
#define SC_NR_LAST 469

/* No pointer in it: a static-pie would have to relocate each at every start. */
struct sc_row {
	char name[26];
	int16_t nr[2]; /* by enum seccomp_arch; -1: the architecture has no such call */
	uint8_t class;
};

extern const struct sc_row sc_rows[];
extern const unsigned sc_row_count;

/* Index into sc_rows by name. */
enum sc_id {
#define SC(name, x86, arm, class) SC_ID_##name,
#include "linux/seccomp_table.def"
#undef SC
};

/* AUDIT_ARCH_* of the 64-bit ABI and of the 32-bit one that the same kernel may serve. */
struct sc_abi {
	uint32_t native, foreign;
	uint16_t foreign_exit, foreign_exit_group;
};

extern const struct sc_abi sc_abis[];

/* The row of a number, or NULL. */
const struct sc_row *sc_find(enum seccomp_arch arch, int nr);

#define SC_OFF_NR offsetof(struct seccomp_data, nr)
#define SC_OFF_ARCH offsetof(struct seccomp_data, arch)
#define SC_OFF_LO(n) (offsetof(struct seccomp_data, args) + 8 * (size_t)(n))
#define SC_OFF_HI(n) (SC_OFF_LO(n) + 4)
#define SC_RET_ERRNO(e) (SECCOMP_RET_ERRNO | (uint32_t)(e))

/* Shared by the filter, seccomp_denial() and the tests. */
#define SC_CLONE_NEW 0x7e020000u /* CLONE_NEW{NS,CGROUP,UTS,IPC,USER,PID,NET} */
#define SC_CLONE_NEWTIME 0x80u	 /* unshare only: in clone's flags it is part of the exit signal */
#define SC_TMPFILE 020000000u	 /* __O_TMPFILE, without the O_DIRECTORY that libc adds */
#define SC_SOCK_TYPE_MASK 0xfu	 /* include/linux/net.h */
#define SC_F_SETDELEG 1040	 /* Linux 6.19, uapi/linux/fcntl.h */
#define SC_PERSONALITY_QUERY 0xffffffffu

/* ioctl commands by their magic byte. */
struct sc_ioctl {
	uint32_t magic;	  /* command & 0xff00 */
	bool only_listed; /* the listed ones are allowed and all others refused; else the reverse */
	uint16_t err;	  /* EPERM: reported. ENOTTY ("not on this file system"): not reported */
	uint32_t cmd[4];  /* 0-terminated unless full */
};

extern const struct sc_ioctl sc_ioctls[];
extern const unsigned sc_ioctl_count;

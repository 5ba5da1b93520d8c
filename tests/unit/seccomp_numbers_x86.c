/* SPDX-License-Identifier: Apache-2.0 */
/* On another machine its own header shadows this one: then the list is empty. */
#include "seccomp_numbers.h"

#if defined(__x86_64__)
#include <asm/unistd_64.h>

/* clang-format off */
#define X86_NUMBERS(N) \
	N(open) N(creat) N(mkdir) N(rmdir) N(unlink) N(rename) N(link) N(symlink) N(mknod) N(chmod) \
	N(chown) N(lchown) N(utime) N(utimes) N(futimesat) N(uselib) N(_sysctl) N(modify_ldt) N(iopl) \
	N(ioperm) N(create_module) N(vserver) N(fork) N(vfork) N(stat) N(lstat) N(poll) N(pipe) \
	N(access) N(readlink) N(getdents) N(arch_prctl) N(epoll_wait) N(time)
/* clang-format on */
#define N(name) { #name, __NR_##name },
const struct number x86_numbers[] = { COMMON_NUMBERS(N) X86_NUMBERS(N) };
const size_t n_x86_numbers = sizeof(x86_numbers) / sizeof(x86_numbers[0]);
#else
const struct number x86_numbers[] = { { "read", 0 } };
const size_t n_x86_numbers = 1;
#endif

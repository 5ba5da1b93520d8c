/* SPDX-License-Identifier: Apache-2.0 */
/* System call numbers as the kernel's headers have them, to check the table. */
#pragma once

#include <stddef.h>

struct number {
	const char *name;
	int nr;
};

extern const struct number x86_numbers[];
extern const size_t n_x86_numbers;
extern const struct number arm64_numbers[];
extern const size_t n_arm64_numbers;

/* What both architectures have and the filter decides about, or that is hot. */
/* clang-format off */
#define COMMON_NUMBERS(N) \
	N(bpf) N(perf_event_open) N(userfaultfd) N(keyctl) N(add_key) N(request_key) N(kexec_load) \
	N(kexec_file_load) N(mount) N(umount2) N(pivot_root) N(move_mount) N(open_tree) N(fsopen) \
	N(fsconfig) N(fsmount) N(fspick) N(mount_setattr) N(chroot) N(setns) N(open_by_handle_at) \
	N(acct) N(swapon) N(swapoff) N(quotactl) N(quotactl_fd) N(reboot) N(init_module) \
	N(finit_module) N(delete_module) N(settimeofday) N(clock_settime) N(lookup_dcookie) \
	N(fanotify_init) N(syslog) N(vhangup) N(sethostname) N(setdomainname) N(io_uring_setup) \
	N(io_uring_enter) N(io_uring_register) N(clone3) N(nfsservctl) N(mkdirat) N(mknodat) \
	N(symlinkat) N(linkat) N(renameat) N(renameat2) N(unlinkat) N(truncate) N(bind) N(fchmod) \
	N(fchmodat) N(fchown) N(fchownat) N(setxattr) N(lsetxattr) N(fsetxattr) N(removexattr) \
	N(lremovexattr) N(fremovexattr) N(umask) N(execve) N(execveat) N(openat) N(openat2) \
	N(socket) N(socketpair) N(ioctl) N(clone) N(unshare) N(personality) N(utimensat) N(read) \
	N(write) N(close) N(mmap) N(munmap) N(mprotect) N(brk) N(futex) N(exit) N(exit_group) \
	N(rt_sigaction) N(rt_sigreturn) N(kill) N(wait4) N(connect) N(accept4) N(sendmsg) N(recvmsg) \
	N(ptrace) N(process_vm_readv) N(process_vm_writev) N(pidfd_open) N(pidfd_getfd) N(seccomp) \
	N(prctl) N(getdents64) N(statx) N(readlinkat) N(fstat) N(newfstatat) N(lseek) N(fcntl) \
	N(landlock_create_ruleset) N(landlock_add_rule) N(landlock_restrict_self) N(memfd_secret) \
	N(futex_waitv) N(set_mempolicy_home_node) N(process_mrelease) N(name_to_handle_at) \
	N(restart_syscall) N(getrandom) N(memfd_create) N(sendfile) N(ftruncate) N(statfs)
/* clang-format on */

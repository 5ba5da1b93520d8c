/* SPDX-License-Identifier: Apache-2.0 */
/* System calls as such. Each is made with arguments that do no harm when it is
 * let through: outside the sandbox the answer shows that the kernel looked at
 * the arguments (EINVAL, EFAULT, EBADF, ...), inside it must be the filter's. */
#include <errno.h>
#include <fcntl.h>
#include <linux/btrfs.h>
#include <linux/fs.h>
#include <linux/tiocl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/quota.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attack.h"

#define BAD ((void *)8) /* never mapped */

/* A call with four plain arguments and no harm in it. */
#define CALL(fn, ...)                        \
	static long fn(const char *p)        \
	{                                    \
		(void)p;                     \
		return syscall(__VA_ARGS__); \
	}

CALL(y_uring_setup, SYS_io_uring_setup, 0, BAD)
CALL(y_uring_enter, SYS_io_uring_enter, -1, 0, 0, 0, NULL, 0)
CALL(y_uring_register, SYS_io_uring_register, -1, 0, NULL, 0)
CALL(y_bpf, SYS_bpf, 9999, BAD, 0)
CALL(y_perf, SYS_perf_event_open, BAD, 0, -1, -1, 0)
CALL(y_uffd, SYS_userfaultfd, 1 /* UFFD_USER_MODE_ONLY */)
CALL(y_keyctl, SYS_keyctl, 0, -3 /* session keyring */, 0, 0, 0)
CALL(y_add_key, SYS_add_key, "user", "berm-test", "x", 1, -1)
CALL(y_request_key, SYS_request_key, "user", "berm-test", NULL, 0)
CALL(y_kexec, SYS_kexec_load, 0, 0, NULL, 0xffff0000)
CALL(y_kexec_file, SYS_kexec_file_load, -1, -1, 0, NULL, 0xffff)
CALL(y_mount, SYS_mount, "none", "/proc/self/fd", "no-such-fs", 0, NULL)
CALL(y_umount, SYS_umount2, "/proc/self/fd", 0)
CALL(y_pivot, SYS_pivot_root, "/proc/self/fd", "/proc/self/fd")
CALL(y_move_mount, SYS_move_mount, -1, "", -1, "", 0)
CALL(y_open_tree, SYS_open_tree, -1, "", 0x1000)
CALL(y_open_tree_clone, SYS_open_tree, AT_FDCWD, ".", 1 /* OPEN_TREE_CLONE */)
CALL(y_open_tree_attr, 467, -1, "", 0x1000, NULL, 0)
CALL(y_fsopen, SYS_fsopen, "tmpfs", 0)
CALL(y_fsconfig, SYS_fsconfig, -1, 0, NULL, NULL, 0)
CALL(y_fsmount, SYS_fsmount, -1, 0, 0)
CALL(y_fspick, SYS_fspick, -1, "", 0)
CALL(y_mount_setattr, SYS_mount_setattr, -1, "", 0x1000, BAD, 32)
CALL(y_chroot, SYS_chroot, ".")
CALL(y_setns, SYS_setns, -1, 0)
CALL(y_handle, SYS_open_by_handle_at, -1, BAD, 0)
CALL(y_acct, SYS_acct, "/proc/self/nothing")
CALL(y_swapon, SYS_swapon, "/proc/self/nothing", 0)
CALL(y_swapoff, SYS_swapoff, "/proc/self/nothing")
CALL(y_quotactl, SYS_quotactl, QCMD(Q_SYNC, 0), "/proc/self/nothing", 0, NULL)
CALL(y_quotactl_fd, SYS_quotactl_fd, -1, 0, 0, NULL)
CALL(y_reboot, SYS_reboot, 0, 0, 0, NULL)
CALL(y_init_module, SYS_init_module, BAD, 0, BAD)
CALL(y_finit_module, SYS_finit_module, -1, BAD, 0)
CALL(y_delete_module, SYS_delete_module, BAD, 0)
CALL(y_fanotify, SYS_fanotify_init, 0xffffffff, 0)
CALL(y_fanotify_user, SYS_fanotify_init, 0x200 /* FAN_REPORT_FID */, 0)
CALL(y_syslog, SYS_syslog, 10, NULL, 0)
CALL(y_sethostname, SYS_sethostname, BAD, 1000)
CALL(y_setdomainname, SYS_setdomainname, BAD, 1000)
CALL(y_settimeofday, SYS_settimeofday, BAD, BAD)
CALL(y_clock_settime, SYS_clock_settime, 0, BAD)
CALL(y_unshare_user, SYS_unshare, CLONE_NEWUSER)
CALL(y_unshare_ns, SYS_unshare, CLONE_NEWNS)
CALL(y_unshare_net, SYS_unshare, CLONE_NEWNET)
CALL(y_unshare_pid, SYS_unshare, CLONE_NEWPID)
CALL(y_unshare_ipc, SYS_unshare, CLONE_NEWIPC)
CALL(y_unshare_uts, SYS_unshare, CLONE_NEWUTS)
CALL(y_unshare_cgroup, SYS_unshare, CLONE_NEWCGROUP)
CALL(y_unshare_time, SYS_unshare, 0x80 /* CLONE_NEWTIME */)
CALL(y_unshare_user_ns, SYS_unshare, CLONE_NEWUSER | CLONE_NEWNS)
CALL(y_beyond, 480, 0, 0, 0)
CALL(y_far_beyond, 0x3fffffff, 0, 0, 0)
CALL(y_x32, 0x40000000 | SYS_getpid)
CALL(y_x32_ioctl, 0x40000000 | 514, 0, 0, 0)
#ifdef __x86_64__
CALL(y_iopl, SYS_iopl, 0)
CALL(y_ioperm, SYS_ioperm, 0, 1, 0)
#endif

static long reap(long pid)
{
	int status = 0;

	if (pid < 0)
		return -1;
	if (!pid)
		_exit(0);
	return waitpid((pid_t)pid, &status, __WALL) < 0 ? -1 : 0;
}

static long y_clone_user(const char *p)
{
	(void)p;
	return reap(syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, NULL, NULL, NULL, NULL));
}

static long y_clone3_user(const char *p)
{
	struct {
		uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls;
	} a = { .flags = CLONE_NEWUSER, .exit_signal = SIGCHLD };

	(void)p;
	return reap(syscall(SYS_clone3, &a, sizeof(a)));
}

static long y_clone3_ns(const char *p)
{
	struct {
		uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls;
	} a = { .flags = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID, .exit_signal = SIGCHLD };

	(void)p;
	return reap(syscall(SYS_clone3, &a, sizeof(a)));
}

static long y_i386(const char *p)
{
	(void)p;
	return int80(20 /* getpid */, 0, 0, 0, 0);
}

static long y_i386_socket(const char *p)
{
	(void)p;
	return int80(359 /* socket */, 16 /* AF_NETLINK */, 3, 15, 0);
}

static long y_i386_unshare(const char *p)
{
	(void)p;
	return int80(310, CLONE_NEWUSER, 0, 0, 0);
}

static long y_chr(const char *p)
{
	(void)p;
	return mknod("aux.null", S_IFCHR | 0666, 0x103);
}

static long y_blk(const char *p)
{
	(void)p;
	return mknod("aux.sda", S_IFBLK | 0666, 0x800);
}

static long y_whiteout_dev(const char *p)
{
	(void)p;
	/* since 5.8 anybody may make the device 0:0 */
	return mknod("aux.whiteout", S_IFCHR | 0666, 0);
}

static long vol(unsigned long request)
{
	struct btrfs_ioctl_vol_args a = { .fd = open(".", O_RDONLY), .name = ".vscode" };

	return ioctl(open(".", O_RDONLY), request, &a);
}

static long y_subvol(const char *p)
{
	(void)p;
	return vol(BTRFS_IOC_SUBVOL_CREATE);
}

static long y_snap(const char *p)
{
	(void)p;
	return vol(BTRFS_IOC_SNAP_CREATE);
}

static long y_snap_destroy(const char *p)
{
	(void)p;
	return vol(BTRFS_IOC_SNAP_DESTROY);
}

static long vol2(unsigned long request)
{
	struct btrfs_ioctl_vol_args_v2 a = { .fd = open(".", O_RDONLY), .name = ".vscode" };

	return ioctl(open(".", O_RDONLY), request, &a);
}

static long y_subvol2(const char *p)
{
	(void)p;
	return vol2(BTRFS_IOC_SUBVOL_CREATE_V2);
}

static long y_snap2(const char *p)
{
	(void)p;
	return vol2(BTRFS_IOC_SNAP_CREATE_V2);
}

static long y_sti(const char *p)
{
	(void)p;
	return ioctl(0, TIOCSTI, "x");
}

static long y_sti_high(const char *p)
{
	(void)p;
	/* the kernel looks at the low 32 bits only */
	return syscall(SYS_ioctl, 0, 0x100000000UL | TIOCSTI, "x");
}

static long y_linux(const char *p)
{
	char sub = TIOCL_GETSHIFTSTATE;

	(void)p;
	return ioctl(0, TIOCLINUX, &sub);
}

static long y_core(const char *p)
{
	struct rlimit r = { RLIM_INFINITY, RLIM_INFINITY };

	(void)p;
	return setrlimit(RLIMIT_CORE, &r);
}

static long y_personality(const char *p)
{
	(void)p;
	return personality(READ_IMPLIES_EXEC | PER_LINUX);
}

static long y_lease(const char *p)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	(void)p;
	return fcntl(fd, F_SETLEASE, F_WRLCK);
}

const struct form sys_forms[] = {
	{ "io_uring_setup", y_uring_setup },
	{ "io_uring_enter", y_uring_enter },
	{ "io_uring_register", y_uring_register },
	{ "bpf", y_bpf },
	{ "perf_event_open", y_perf },
	{ "userfaultfd", y_uffd },
	{ "keyctl", y_keyctl },
	{ "add_key", y_add_key },
	{ "request_key", y_request_key },
	{ "kexec_load", y_kexec },
	{ "kexec_file_load", y_kexec_file },
	{ "mount", y_mount },
	{ "umount2", y_umount },
	{ "pivot_root", y_pivot },
	{ "move_mount", y_move_mount },
	{ "open_tree", y_open_tree },
	{ "open_tree-clone", y_open_tree_clone },
	{ "open_tree_attr", y_open_tree_attr },
	{ "fsopen", y_fsopen },
	{ "fsconfig", y_fsconfig },
	{ "fsmount", y_fsmount },
	{ "fspick", y_fspick },
	{ "mount_setattr", y_mount_setattr },
	{ "chroot", y_chroot },
	{ "setns", y_setns },
	{ "open_by_handle_at", y_handle },
	{ "acct", y_acct },
	{ "swapon", y_swapon },
	{ "swapoff", y_swapoff },
	{ "quotactl", y_quotactl },
	{ "quotactl_fd", y_quotactl_fd },
	{ "reboot", y_reboot },
	{ "init_module", y_init_module },
	{ "finit_module", y_finit_module },
	{ "delete_module", y_delete_module },
	{ "fanotify_init", y_fanotify },
	{ "fanotify_init-user", y_fanotify_user },
	{ "syslog", y_syslog },
	{ "sethostname", y_sethostname },
	{ "setdomainname", y_setdomainname },
	{ "settimeofday", y_settimeofday },
	{ "clock_settime", y_clock_settime },
	{ "unshare-user", y_unshare_user },
	{ "unshare-mnt", y_unshare_ns },
	{ "unshare-net", y_unshare_net },
	{ "unshare-pid", y_unshare_pid },
	{ "unshare-ipc", y_unshare_ipc },
	{ "unshare-uts", y_unshare_uts },
	{ "unshare-cgroup", y_unshare_cgroup },
	{ "unshare-time", y_unshare_time },
	{ "unshare-user-mnt", y_unshare_user_ns },
	{ "clone-user", y_clone_user },
	{ "clone3-user", y_clone3_user },
	{ "clone3-user-mnt-pid", y_clone3_ns },
	{ "beyond-table", y_beyond },
	{ "far-beyond-table", y_far_beyond },
	{ "x32-getpid", y_x32 },
	{ "x32-ioctl", y_x32_ioctl },
	{ "i386-getpid", y_i386 },
	{ "i386-socket", y_i386_socket },
	{ "i386-unshare", y_i386_unshare },
	{ "mknod-char", y_chr },
	{ "mknod-block", y_blk },
	{ "mknod-whiteout", y_whiteout_dev },
	{ "btrfs-subvol", y_subvol },
	{ "btrfs-subvol-v2", y_subvol2 },
	{ "btrfs-snapshot", y_snap },
	{ "btrfs-snapshot-v2", y_snap2 },
	{ "btrfs-snapshot-destroy", y_snap_destroy },
	{ "tiocsti", y_sti },
	{ "tiocsti-high-bits", y_sti_high },
	{ "tioclinux", y_linux },
	{ "rlimit-core", y_core },
	{ "personality", y_personality },
	{ "lease", y_lease },
#ifdef __x86_64__
	{ "iopl", y_iopl },
	{ "ioperm", y_ioperm },
#endif
	{ NULL, NULL },
};

/* SPDX-License-Identifier: Apache-2.0 */
/* Landlock holds files, seccomp the rest. The resolver is glibc's own "files" and "dns": no
 * other source of names is asked, because each is a socket or a library of somebody else's
 * (nss-resolve, nscd, mDNS), and a broker that may connect to sockets of the host could be
 * made to talk to more than a resolver. */
#include "egress/confine.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <netdb.h>
#include <nss.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "base/str.h"

/* Linux 6.10 (ABI 5) and 6.12 (ABI 6), uapi/linux/landlock.h */
#define FS_ALL_V1 ((1ULL << 13) - 1)
#define FS_REFER (1ULL << 13)
#define FS_TRUNCATE (1ULL << 14)
#define FS_IOCTL_DEV (1ULL << 15)
#define SCOPES 3ULL

struct ruleset_attr {
	uint64_t handled_access_fs;
	uint64_t handled_access_net;
	uint64_t scoped;
};

static const char *const resolver_files[] = {
	"/etc/resolv.conf", "/etc/hosts",    "/etc/nsswitch.conf", "/etc/host.conf",
	"/etc/gai.conf",    "/etc/services", "/etc/localtime",
};

static int grant(int ruleset, const char *path)
{
	struct landlock_path_beneath_attr rule = { .allowed_access = LANDLOCK_ACCESS_FS_READ_FILE };
	_cleanup_close_ int fd = open(path, O_PATH | O_CLOEXEC);

	/* What is not there is not needed. */
	if (fd < 0)
		return 0;
	rule.parent_fd = fd;
	return syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) < 0
		       ? -errno
		       : 0;
}

/* Resolver configurations of services (/run/systemd/resolve, /run/NetworkManager, ...) are
 * replaced by new files: their folder is granted. One in /etc itself is not, because all
 * of /etc would be; glibc is then told to keep what it read at the start. */
static int grant_target(int ruleset)
{
	char path[PATH_MAX];
	char *slash;

	if (!realpath("/etc/resolv.conf", path))
		return 0;
	slash = strrchr(path, '/');
	*slash = '\0';
	if (str_starts(path, "/run/"))
		return grant(ruleset, path);
	return setenv("RES_OPTIONS", "no-reload", 1) < 0 ? -errno : 0;
}

static int landlock(void)
{
	struct ruleset_attr attr = { .handled_access_fs = FS_ALL_V1 };
	_cleanup_close_ int ruleset = -1;
	size_t size = sizeof(attr.handled_access_fs);
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
	int r = 0;

	if (abi < 1)
		return abi < 0 ? -errno : -EOPNOTSUPP;
	if (abi >= 2)
		attr.handled_access_fs |= FS_REFER;
	if (abi >= 3)
		attr.handled_access_fs |= FS_TRUNCATE;
	if (abi >= 5)
		attr.handled_access_fs |= FS_IOCTL_DEV;
	if (abi >= 6) {
		attr.scoped = SCOPES;
		size = sizeof(attr);
	}
	ruleset = (int)syscall(SYS_landlock_create_ruleset, &attr, size, 0);
	if (ruleset < 0)
		return -errno;
	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(resolver_files); i++)
		r = grant(ruleset, resolver_files[i]);
	if (r == 0)
		r = grant_target(ruleset);
	if (r == 0 && syscall(SYS_landlock_restrict_self, ruleset, 0) < 0)
		r = -errno;
	return r;
}

/* ---- seccomp ---- */

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#else
#error "the broker's filter knows x86-64 and arm64"
#endif

/* clang-format off */
static const int plain[] = {
	/* the loop and the relay */
	SYS_epoll_pwait, SYS_epoll_ctl, SYS_read, SYS_write, SYS_readv, SYS_writev, SYS_close,
	SYS_recvfrom, SYS_recvmsg, SYS_recvmmsg, SYS_sendto, SYS_sendmsg, SYS_sendmmsg, SYS_splice,
	SYS_accept4, SYS_connect, SYS_bind, SYS_shutdown, SYS_getsockname, SYS_getpeername,
	SYS_getsockopt, SYS_setsockopt, SYS_pipe2, SYS_fcntl, SYS_ppoll, SYS_clock_gettime,
	SYS_clock_nanosleep, SYS_gettimeofday, SYS_getrandom,
	/* the C library: memory, threads, files of the resolver */
	SYS_brk, SYS_munmap, SYS_mremap, SYS_madvise, SYS_futex, SYS_set_robust_list, SYS_rseq,
	SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_rt_sigaction, SYS_sigaltstack, SYS_sched_yield, SYS_getpid,
	SYS_gettid, SYS_exit, SYS_exit_group, SYS_restart_syscall, SYS_lseek, SYS_fstat,
	SYS_newfstatat, SYS_statx, SYS_uname, SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid,
	SYS_prlimit64, SYS_sched_getaffinity,
#if defined(__x86_64__)
	SYS_epoll_wait, SYS_poll, SYS_stat, SYS_lstat, SYS_time, SYS_arch_prctl,
#endif
};
/* clang-format on */

#define OFF(member) ((uint32_t)offsetof(struct seccomp_data, member))
#define OFF_LO(i) ((uint32_t)offsetof(struct seccomp_data, args) + 8u * (i))

struct prog {
	struct sock_filter insn[256];
	unsigned short n;
};

static void emit(struct prog *p, uint16_t code, uint32_t k, uint8_t jt, uint8_t jf)
{
	if (p->n < ARRAY_SIZE(p->insn))
		p->insn[p->n++] = (struct sock_filter){ code, jt, jf, k };
}

static void load(struct prog *p, uint32_t off)
{
	emit(p, BPF_LD | BPF_W | BPF_ABS, off, 0, 0);
}

static void ret(struct prog *p, uint32_t value)
{
	emit(p, BPF_RET | BPF_K, value, 0, 0);
}

/* "if A == k return value" */
static void on_equal(struct prog *p, uint32_t k, uint32_t value)
{
	emit(p, BPF_JMP | BPF_JEQ | BPF_K, k, 0, 1);
	ret(p, value);
}

/* Calls that an argument decides: begins a block that is left by a ret() only. The block's
 * length is filled in by end_call(). */
static unsigned short begin_call(struct prog *p, int nr)
{
	emit(p, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)nr, 0, 0);
	return (unsigned short)(p->n - 1);
}

static void end_call(struct prog *p, unsigned short at)
{
	ret(p, SECCOMP_RET_ERRNO | EPERM);
	p->insn[at].jf = (uint8_t)(p->n - at - 1);
}

/* Internet sockets and the kernel's routing messages (getaddrinfo(3) sorts by them). */
static void rule_socket(struct prog *p)
{
	unsigned short at = begin_call(p, SYS_socket);

	load(p, OFF_LO(0));
	on_equal(p, AF_INET, SECCOMP_RET_ALLOW);
	on_equal(p, AF_INET6, SECCOMP_RET_ALLOW);
	emit(p, BPF_JMP | BPF_JEQ | BPF_K, AF_NETLINK, 0, 3);
	load(p, OFF_LO(2));
	on_equal(p, NETLINK_ROUTE, SECCOMP_RET_ALLOW);
	end_call(p, at);
}

/* Threads, nothing else that clone can make. */
static void rule_clone(struct prog *p)
{
	const uint32_t thread = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
				CLONE_SYSVSEM | CLONE_SETTLS | CLONE_PARENT_SETTID |
				CLONE_CHILD_CLEARTID;
	unsigned short at = begin_call(p, SYS_clone);

	load(p, OFF_LO(0));
	on_equal(p, thread, SECCOMP_RET_ALLOW);
	end_call(p, at);
	on_equal(p, SYS_clone3, SECCOMP_RET_ERRNO | ENOSYS);
}

/* Files are opened to be read only (and only the resolver's: Landlock). */
static void rule_open(struct prog *p)
{
	const uint32_t bad = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC;
	unsigned short at = begin_call(p, SYS_openat);

	load(p, OFF_LO(2));
	emit(p, BPF_JMP | BPF_JSET | BPF_K, bad, 1, 0);
	ret(p, SECCOMP_RET_ALLOW);
	end_call(p, at);
}

/* No memory becomes code. */
static void rule_memory(struct prog *p)
{
	static const int calls[] = { SYS_mmap, SYS_mprotect };

	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		unsigned short at = begin_call(p, calls[i]);

		load(p, OFF_LO(2));
		emit(p, BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 1, 0);
		ret(p, SECCOMP_RET_ALLOW);
		end_call(p, at);
	}
}

static void rule_ioctl(struct prog *p)
{
	unsigned short at = begin_call(p, SYS_ioctl);

	/* FIONREAD: glibc's resolver asks how much a datagram holds. */
	load(p, OFF_LO(1));
	on_equal(p, 0x541b, SECCOMP_RET_ALLOW);
	end_call(p, at);
}

static int build(struct prog *p)
{
	load(p, OFF(arch));
	emit(p, BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0);
	ret(p, SECCOMP_RET_KILL_PROCESS);
	load(p, OFF(nr));
	/* The kernel knows which calls are always allowed, and does not run this for them. */
	for (size_t i = 0; i < ARRAY_SIZE(plain); i++)
		on_equal(p, (uint32_t)plain[i], SECCOMP_RET_ALLOW);
	rule_socket(p);
	rule_clone(p);
	rule_open(p);
	rule_memory(p);
	rule_ioctl(p);
	/* A C library that tries a newer call first takes an older one then. */
	ret(p, SECCOMP_RET_ERRNO | ENOSYS);
	return p->n < ARRAY_SIZE(p->insn) ? 0 : -E2BIG;
}

static int seccomp(void)
{
	static struct prog p;
	struct sock_fprog fprog = { .filter = p.insn };
	int r = build(&p);

	if (r < 0)
		return r;
	fprog.len = p.n;
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &fprog)
		       ? -errno
		       : 0;
}

/* The sandbox's sockets obey its user by his number (he owns its user namespace). Root's own
 * rights would be over the host: its routes, raw packets. */
static int capabilities(void)
{
	struct __user_cap_header_struct h = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { 0 };

	return syscall(SYS_capset, &h, none) < 0 ? -errno : 0;
}

static int limits(void)
{
	struct rlimit none = { 0, 0 }, files;

	if (setrlimit(RLIMIT_CORE, &none) < 0 || getrlimit(RLIMIT_NOFILE, &files) < 0)
		return -errno;
	files.rlim_cur = files.rlim_max;
	return setrlimit(RLIMIT_NOFILE, &files) < 0 ? -errno : 0;
}

/* Its own state, before the first lookup of a name. */
static int resolver(void)
{
	/* "host" is what is asked for, never "host.some.domain": the one was judged. */
	if (setenv("LOCALDOMAIN", ".", 1) < 0)
		return -errno;
	return __nss_configure_lookup("hosts", "files dns") < 0 ? -errno : 0;
}

int confine(const char **ret_lacks, struct berm_err *err)
{
	int r = limits();

	*ret_lacks = NULL;
	if (r < 0)
		return err_errno(err, r, "cannot set the broker's limits");
	r = resolver();
	if (r < 0)
		return err_errno(err, r, "cannot set up the resolver");
	r = capabilities();
	if (r < 0)
		return err_errno(err, r, "cannot give up capabilities");
	if (prctl(PR_SET_DUMPABLE, 0) < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return err_errno(err, -errno, "cannot give up privileges");
	r = landlock();
	if (r == -ENOSYS || r == -EOPNOTSUPP) {
		*ret_lacks = "this kernel has no Landlock: the broker of the network is kept from "
			     "writing files, not from reading those of its user";
		r = 0;
	}
	if (r < 0)
		return err_errno(err, r, "cannot confine the broker's files with Landlock");
	r = seccomp();
	if (r < 0)
		return err_errno(err, r, "cannot load the broker's system call filter");
	return 0;
}

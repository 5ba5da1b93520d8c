/* SPDX-License-Identifier: Apache-2.0 */
/* The calls that the filter decides by their arguments, and the filters of berm's
 * own processes, as tables. */
#include <asm/ioctls.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <netinet/in.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <cmocka.h>

#include "bpf_interp.h"
#include "base/str.h"
#include "linux/kern.h"
#include "linux/seccomp_table.h"

#define ALLOW SECCOMP_RET_ALLOW
#define TRAP SECCOMP_RET_USER_NOTIF
#define KILL SECCOMP_RET_KILL_PROCESS
#define ERR(e) (SECCOMP_RET_ERRNO | (e))
#define HIGH 0xdeadbeef00000000ULL /* what the kernel drops from an int argument */

static const uint32_t native[] = { AUDIT_ARCH_X86_64, AUDIT_ARCH_AARCH64 };

struct arg_case {
	const char *name;
	uint64_t args[6];
	uint32_t action;
};

static uint32_t action(const struct seccomp_prog *p, enum seccomp_arch arch, const char *name,
		       const uint64_t *args, bool *ret_known)
{
	struct seccomp_data d = { .arch = native[arch], .nr = -1 };

	for (unsigned i = 0; i < sc_row_count; i++)
		if (strcmp(sc_rows[i].name, name) == 0) {
			d.nr = sc_rows[i].nr[arch];
			break;
		}
	*ret_known = d.nr >= 0;
	memcpy(d.args, args, sizeof(d.args));
	return bpf_run(p, &d).action;
}

static void check_cases(const struct seccomp_prog *p, enum seccomp_arch arch,
			const struct arg_case *c, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		bool known;
		uint32_t got = action(p, arch, c[i].name, c[i].args, &known);

		if (known && got != c[i].action)
			fail_msg("case %zu, %s(%llx, %llx, %llx): %x, not %x", i, c[i].name,
				 (unsigned long long)c[i].args[0], (unsigned long long)c[i].args[1],
				 (unsigned long long)c[i].args[2], got, c[i].action);
	}
}

/* An int argument is decided by its low word whatever the high one holds. */
static void check_opts(struct seccomp_opts o, const struct arg_case *c, size_t n)
{
	static struct seccomp_prog p;

	for (o.arch = SECCOMP_X86_64; o.arch <= SECCOMP_ARM64; o.arch++) {
		assert_int_equal(seccomp_build(&o, &p), 0);
		check_cases(&p, o.arch, c, n);
	}
}

#define CHECK(cases, ...) check_opts((struct seccomp_opts){ __VA_ARGS__ }, cases, ARRAY_SIZE(cases))

static void test_open(void **state)
{
	static const struct arg_case trapped[] = {
		{ "openat", { 0, 0, O_WRONLY }, TRAP },
		{ "openat", { 0, 0, O_RDWR }, TRAP },
		{ "openat", { 0, 0, O_ACCMODE }, TRAP },
		{ "openat", { 0, 0, O_CREAT }, TRAP },
		{ "openat", { 0, 0, O_RDONLY | O_TRUNC }, TRAP },
		{ "openat", { 0, 0, O_TMPFILE }, TRAP },
		{ "openat", { 0, 0, 020000000 }, TRAP },
		{ "openat", { 0, 0, HIGH | O_RDWR | O_CREAT | O_CLOEXEC }, TRAP },
		{ "open", { 0, O_WRONLY }, TRAP },
		{ "open", { 0, O_CREAT }, TRAP },
		{ "open", { 0, HIGH | O_TRUNC, 0 }, TRAP },
		{ "openat2", { 0 }, TRAP },
		{ "creat", { 0 }, TRAP },
	};
	static const struct arg_case reads[] = {
		{ "openat", { 0, 0, O_RDONLY }, ALLOW },
		{ "openat", { 0, 0, O_RDONLY | O_CLOEXEC | O_DIRECTORY | O_NOFOLLOW }, ALLOW },
		{ "openat", { 0, 0, HIGH | O_NONBLOCK | O_NOATIME }, ALLOW },
		{ "openat", { O_RDWR, O_CREAT, 0, O_CREAT }, ALLOW },
		{ "open", { 0, O_RDONLY, O_RDWR }, ALLOW },
		{ "openat", { 0, 0, O_PATH }, ALLOW },
		{ "openat", { 0, 0, O_PATH | O_RDWR | O_CREAT }, ALLOW },
		{ "open", { 0, O_PATH | O_WRONLY }, ALLOW },
	};
	static const struct arg_case reads_trapped[] = {
		{ "openat", { 0, 0, O_RDONLY }, TRAP },
		{ "openat", { 0, 0, O_WRONLY }, TRAP },
		{ "open", { 0, O_RDONLY }, TRAP },
		{ "openat2", { 0 }, TRAP },
		{ "openat", { 0, 0, O_PATH }, ALLOW },
		{ "open", { 0, O_PATH | O_NOFOLLOW }, ALLOW },
	};
	static const struct arg_case nothing[] = {
		{ "openat", { 0, 0, O_RDWR | O_CREAT }, ALLOW },
		{ "open", { 0, O_RDWR | O_CREAT }, ALLOW },
		{ "openat2", { 0 }, ALLOW },
		{ "utimensat", { 0, 1 }, ALLOW },
	};

	(void)state;
	CHECK(trapped, .trap_writes = true);
	CHECK(reads, .trap_writes = true);
	CHECK(trapped, .trap_writes = true, .trap_reads = true);
	CHECK(reads_trapped, .trap_writes = true, .trap_reads = true);
	CHECK(reads_trapped, .trap_reads = true);
	CHECK(nothing, .trap_writes = false);
}

static void test_close(void **state)
{
	static const struct arg_case cases[] = {
		{ "close", { 0 }, ALLOW },
		{ "close", { SECCOMP_CLOSE_FIRST - 1 }, ALLOW },
		{ "close", { SECCOMP_CLOSE_FIRST }, TRAP },
		{ "close", { HIGH | SECCOMP_CLOSE_FIRST }, TRAP },
		{ "close", { SECCOMP_CLOSE_FIRST + SECCOMP_CLOSE_COUNT - 1 }, TRAP },
		{ "close", { SECCOMP_CLOSE_FIRST + SECCOMP_CLOSE_COUNT }, ALLOW },
		{ "close", { UINT64_MAX }, ALLOW },
	};
	static const struct arg_case free[] = { { "close", { SECCOMP_CLOSE_FIRST }, ALLOW } };

	(void)state;
	CHECK(cases, .trap_writes = true);
	CHECK(free, .trap_writes = false);
}

static void test_utimensat(void **state)
{
	static const struct arg_case cases[] = {
		{ "utimensat", { 3, 0 }, ALLOW },
		{ "utimensat", { 3, 0x7f0000000000 }, TRAP },
		{ "utimensat", { 3, 0x10000 }, TRAP },
		{ "utimensat", { 3, 1ULL << 32 }, TRAP },
	};

	(void)state;
	CHECK(cases, .trap_writes = true);
}

static void test_sockets(void **state)
{
	static const struct arg_case cases[] = {
		{ "socket", { AF_UNIX, SOCK_STREAM }, ALLOW },
		{ "socket", { HIGH | AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC }, ALLOW },
		{ "socket", { AF_UNIX, SOCK_DGRAM }, ERR(EPERM) },
		{ "socket", { AF_UNIX, HIGH | SOCK_DGRAM | SOCK_NONBLOCK }, ERR(EPERM) },
		{ "socket", { AF_UNIX, SOCK_RAW }, ERR(EPERM) },
		{ "socket", { AF_INET, SOCK_STREAM }, ALLOW },
		{ "socket", { AF_INET, SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_TCP }, ALLOW },
		{ "socket", { AF_INET6, SOCK_DGRAM, IPPROTO_UDP }, ALLOW },
		{ "socket", { AF_INET, SOCK_DGRAM, IPPROTO_ICMP }, ALLOW },
		{ "socket", { AF_INET6, SOCK_RAW, IPPROTO_ICMPV6 }, ALLOW },
		{ "socket", { AF_INET, SOCK_STREAM, IPPROTO_SCTP }, ERR(EPROTONOSUPPORT) },
		{ "socket", { AF_INET, SOCK_STREAM, 262 /* MPTCP */ }, ERR(EPROTONOSUPPORT) },
		{ "socket", { AF_INET6, SOCK_STREAM, 256 /* SMC */ }, ERR(EPROTONOSUPPORT) },
		{ "socket", { AF_INET, SOCK_DCCP, 33 }, ERR(EPROTONOSUPPORT) },
		{ "socket", { AF_INET, SOCK_PACKET, 0x300 }, ERR(EPROTONOSUPPORT) },
		{ "socket", { AF_INET, SOCK_PACKET, 0 }, ERR(EPROTONOSUPPORT) },
		{ "socket", { AF_NETLINK, SOCK_RAW, 0 }, ALLOW },
		{ "socket", { AF_NETLINK, SOCK_DGRAM, HIGH | 4 }, ALLOW },
		{ "socket", { AF_NETLINK, SOCK_RAW, 12 }, ERR(EPROTONOSUPPORT) },
		{ "socket", { AF_NETLINK, SOCK_RAW, 16 }, ERR(EPROTONOSUPPORT) },
		{ "socket", { AF_NETLINK, SOCK_RAW, 9 }, ERR(EPROTONOSUPPORT) },
		{ "socket", { AF_VSOCK, SOCK_STREAM }, ERR(EAFNOSUPPORT) },
		{ "socket", { AF_ALG, SOCK_SEQPACKET }, ERR(EAFNOSUPPORT) },
		{ "socket", { AF_PACKET, SOCK_RAW }, ERR(EAFNOSUPPORT) },
		{ "socket", { AF_XDP, SOCK_RAW }, ERR(EAFNOSUPPORT) },
		{ "socket", { AF_BLUETOOTH, SOCK_RAW }, ERR(EAFNOSUPPORT) },
		{ "socket", { AF_TIPC, SOCK_STREAM }, ERR(EAFNOSUPPORT) },
		{ "socket", { AF_UNSPEC, SOCK_STREAM }, ERR(EAFNOSUPPORT) },
		{ "socket", { UINT64_MAX, SOCK_STREAM }, ERR(EAFNOSUPPORT) },
		{ "socketpair", { AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC }, ALLOW },
		{ "socketpair", { AF_UNIX, SOCK_SEQPACKET }, ALLOW },
		{ "socketpair", { AF_UNIX, SOCK_DGRAM }, ERR(EPERM) },
		{ "socketpair", { AF_UNIX, SOCK_RAW | SOCK_NONBLOCK }, ERR(EPERM) },
		{ "socketpair", { AF_TIPC, SOCK_STREAM }, ERR(EAFNOSUPPORT) },
	};

	(void)state;
	CHECK(cases, .trap_writes = true);
	/* No other family, now or later. */
	for (uint64_t family = 0; family < 100; family++) {
		const struct arg_case other[] = {
			{ "socket", { family, SOCK_STREAM }, ERR(EAFNOSUPPORT) }
		};

		if (family != AF_UNIX && family != AF_INET && family != AF_INET6 &&
		    family != AF_NETLINK)
			CHECK(other, .trap_writes = true);
	}
}

static void test_ioctls(void **state)
{
	static const struct arg_case cases[] = {
		{ "ioctl", { 0, TIOCSTI }, ERR(EPERM) },
		{ "ioctl", { 0, HIGH | TIOCSTI }, ERR(EPERM) },
		{ "ioctl", { 0, HIGH | TIOCLINUX }, ERR(EPERM) },
		{ "ioctl", { 0, TIOCSETD }, ERR(EPERM) },
		{ "ioctl", { 0, TCGETS }, ALLOW },
		{ "ioctl", { 0, TIOCGWINSZ }, ALLOW },
		{ "ioctl", { 0, TIOCSCTTY }, ALLOW },
		{ "ioctl", { 0, FIONREAD }, ALLOW },
		{ "ioctl", { 0, FIOCLEX }, ALLOW },
		{ "ioctl", { 0, 0x5000940e /* BTRFS_IOC_SUBVOL_CREATE */ }, ERR(EPERM) },
		{ "ioctl", { 0, 0x50009401 /* BTRFS_IOC_SNAP_CREATE */ }, ERR(EPERM) },
		{ "ioctl", { 0, 0x50009417 /* BTRFS_IOC_SNAP_CREATE_V2 */ }, ERR(EPERM) },
		{ "ioctl", { 0, 0x50009418 /* BTRFS_IOC_SUBVOL_CREATE_V2 */ }, ERR(EPERM) },
		{ "ioctl", { 0, 0x5000940f /* BTRFS_IOC_SNAP_DESTROY */ }, ERR(EPERM) },
		{ "ioctl", { 0, 0x5000943f /* BTRFS_IOC_SNAP_DESTROY_V2 */ }, ERR(EPERM) },
		{ "ioctl", { 0, 0x4008941a /* BTRFS_IOC_SUBVOL_SETFLAGS */ }, ERR(EPERM) },
		{ "ioctl", { 0, FICLONE }, ALLOW },
		{ "ioctl", { 0, HIGH | FICLONERANGE }, ALLOW },
		{ "ioctl", { 0, FIDEDUPERANGE }, ALLOW },
		{ "ioctl", { 0, 0x4020bc10 /* BCH_IOCTL_SUBVOLUME_CREATE */ }, ERR(EPERM) },
		{ "ioctl", { 0, 0x4020bc11 /* BCH_IOCTL_SUBVOLUME_DESTROY */ }, ERR(EPERM) },
		{ "ioctl", { 0, 0x40186f04 /* OCFS2_IOC_REFLINK */ }, ERR(EPERM) },
		{ "ioctl", { 0, FS_IOC_SETFLAGS }, ERR(ENOTTY) },
		{ "ioctl", { 0, FS_IOC_FSSETXATTR }, ERR(ENOTTY) },
		{ "ioctl", { 0, FS_IOC_SETVERSION }, ERR(ENOTTY) },
		{ "ioctl", { 0, 0x40806685 /* FS_IOC_ENABLE_VERITY */ }, ERR(ENOTTY) },
		{ "ioctl", { 0, 0x800c6613 /* FS_IOC_SET_ENCRYPTION_POLICY */ }, ERR(ENOTTY) },
		{ "ioctl", { 0, 0xc0506617 /* FS_IOC_ADD_ENCRYPTION_KEY */ }, ERR(ENOTTY) },
		{ "ioctl", { 0, 0x40047211 /* FAT_IOCTL_SET_ATTRIBUTES */ }, ERR(ENOTTY) },
		{ "ioctl", { 0, FS_IOC_GETFLAGS }, ALLOW },
		{ "ioctl", { 0, FS_IOC_FSGETXATTR }, ALLOW },
		{ "ioctl", { 0, FS_IOC_GETVERSION }, ALLOW },
		{ "ioctl", { 0, FS_IOC_FIEMAP }, ALLOW },
		{ "ioctl", { TIOCSTI, TCGETS, TIOCSTI }, ALLOW },
		{ "ioctl", { 0, 0x8910 /* SIOCGIFNAME */ }, ALLOW },
		{ "ioctl", { 0, 0xc0502100 /* SECCOMP_IOCTL_NOTIF_RECV */ }, ALLOW },
	};

	(void)state;
	CHECK(cases, .trap_writes = true);
	CHECK(cases, .trap_writes = false);
}

static void test_namespaces(void **state)
{
	static const uint64_t flags[] = { CLONE_NEWNS,	CLONE_NEWCGROUP, CLONE_NEWUTS,
					  CLONE_NEWIPC, CLONE_NEWUSER,	 CLONE_NEWPID,
					  CLONE_NEWNET };
	static const struct arg_case cases[] = {
		{ "clone", { CLONE_VM | CLONE_VFORK | 17 }, ALLOW },
		{ "clone",
		  { CLONE_VM | CLONE_THREAD | CLONE_SIGHAND | CLONE_FS | CLONE_FILES },
		  ALLOW },
		{ "clone", { 0x80 | 17 /* exit signal, not CLONE_NEWTIME */ }, ALLOW },
		{ "clone", { 17, CLONE_NEWUSER, CLONE_NEWNS }, ALLOW },
		{ "unshare", { CLONE_FS | CLONE_FILES | CLONE_SYSVSEM }, ALLOW },
		{ "unshare", { 0x80 /* CLONE_NEWTIME */ }, ERR(EPERM) },
		{ "clone3", { 0 }, ERR(ENOSYS) },
		{ "setns", { 0 }, ERR(EPERM) },
	};
	static const struct arg_case granted[] = {
		{ "clone", { CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | 17 }, ALLOW },
		{ "unshare", { CLONE_NEWUSER | 0x80 }, ALLOW },
		{ "clone", { CLONE_NEWUSER | CLONE_NEWNS | 17 }, ERR(EPERM) },
		{ "unshare", { CLONE_NEWNS }, ERR(EPERM) },
		{ "clone3", { 0 }, ERR(ENOSYS) },
		{ "setns", { 0 }, ERR(EPERM) },
		{ "mount", { 0 }, ERR(EPERM) },
		{ "chroot", { 0 }, ERR(EPERM) },
	};

	(void)state;
	CHECK(cases, .trap_writes = true);
	CHECK(granted, .allow_userns = true);
	for (unsigned i = 0; i < ARRAY_SIZE(flags); i++) {
		const struct arg_case each[] = {
			{ "clone", { flags[i] | 17 }, ERR(EPERM) },
			{ "clone", { HIGH | flags[i] | CLONE_VM }, ERR(EPERM) },
			{ "unshare", { flags[i] }, ERR(EPERM) },
			{ "unshare", { HIGH | flags[i] | CLONE_FS }, ERR(EPERM) },
		};

		CHECK(each, .trap_writes = true);
	}
}

static void test_leases(void **state)
{
	static const struct arg_case t[] = {
		{ "fcntl", { 5, F_SETFD, FD_CLOEXEC }, ALLOW },
		{ "fcntl", { 5, F_GETLEASE }, ALLOW },
		{ "fcntl", { 5, F_SETLEASE, F_WRLCK }, ERR(EPERM) },
		{ "fcntl", { 5, HIGH | F_SETLEASE, F_RDLCK }, ERR(EPERM) },
		{ "fcntl", { F_SETLEASE, 0, F_SETLEASE }, ALLOW },
		{ "fcntl", { 5, SC_F_SETDELEG }, ERR(EPERM) },
		{ "fcntl", { 5, F_ADD_SEALS, 1 }, ALLOW },
	};

	(void)state;
	CHECK(t, .trap_writes = true);
}

static void test_personality(void **state)
{
	static const struct arg_case cases[] = {
		{ "personality", { 0 }, ALLOW },
		{ "personality", { 0xffffffff }, ALLOW },
		{ "personality", { UINT64_MAX }, ALLOW },
		{ "personality", { ADDR_NO_RANDOMIZE }, ALLOW },
		{ "personality", { PER_LINUX32 | UNAME26 }, ALLOW },
		{ "personality", { READ_IMPLIES_EXEC }, ERR(EPERM) },
		{ "personality", { HIGH | MMAP_PAGE_ZERO | ADDR_NO_RANDOMIZE }, ERR(EPERM) },
		{ "personality", { PER_SVR4 }, ERR(EPERM) },
	};

	(void)state;
	CHECK(cases, .trap_writes = true);
}

static void test_memory_files(void **state)
{
	static const struct arg_case any[] = {
		{ "memfd_create", { 0, 0 }, ALLOW },
		{ "memfd_create", { 0, 0x10 }, ALLOW },
	};
	static const struct arg_case sealed[] = {
		{ "memfd_create", { 0, 0 }, ERR(EACCES) },
		{ "memfd_create", { 0, 0x1 | 0x2 }, ERR(EACCES) },
		{ "memfd_create", { 0, 0x10 }, ERR(EACCES) },
		{ "memfd_create", { 0, HIGH }, ERR(EACCES) },
		{ "memfd_create", { 0x8, 0x7 }, ERR(EACCES) },
		{ "memfd_create", { 0, MFD_NOEXEC_SEAL }, ALLOW },
		{ "memfd_create", { 0, MFD_NOEXEC_SEAL | 0x1 }, ALLOW },
	};

	(void)state;
	CHECK(any, .trap_writes = true);
	CHECK(sealed, .trap_writes = true, .noexec_memfd = true);
	CHECK(sealed, .noexec_memfd = true);
}

/* ---- berm's own processes ----------------------------------------------- */

#define OWN_DENIED ERR(ENOSYS)

static void check_own(enum seccomp_role role, const struct arg_case *c, size_t n)
{
	static struct seccomp_prog p;
	const char *why = "";

	for (enum seccomp_arch arch = SECCOMP_X86_64; arch <= SECCOMP_ARM64; arch++) {
		assert_int_equal(seccomp_build_own(role, arch, &p), 0);
		if (!bpf_check(&p, &why))
			fail_msg("the kernel would refuse it: %s", why);
		check_cases(&p, arch, c, n);
	}
}

/* What no process of berm may do once it is set up. */
static void check_never(enum seccomp_role role, uint32_t denied)
{
	static const char *const never[] = {
		"execve",
		"execveat",
		"socket",
		"socketpair",
		"connect",
		"accept4",
		"listen",
		"ptrace",
		"process_vm_writev",
		"mount",
		"umount2",
		"setns",
		"chroot",
		"pivot_root",
		"move_mount",
		"open_tree",
		"bpf",
		"perf_event_open",
		"userfaultfd",
		"keyctl",
		"init_module",
		"io_uring_setup",
		"setuid",
		"setgid",
		"setresuid",
		"capset",
		"personality",
		"fork",
		"vfork",
		"creat",
		"open_by_handle_at",
		"shmat",
		"kcmp",
		"uretprobe",
	};
	static struct seccomp_prog p;

	for (enum seccomp_arch arch = SECCOMP_X86_64; arch <= SECCOMP_ARM64; arch++) {
		struct seccomp_data d = { .arch = AUDIT_ARCH_I386, .nr = 1 };

		assert_int_equal(seccomp_build_own(role, arch, &p), 0);
		for (unsigned i = 0; i < ARRAY_SIZE(never); i++) {
			const uint64_t none[6] = { 0 };
			bool known;
			uint32_t got = action(&p, arch, never[i], none, &known);

			if (role == SECCOMP_ROLE_SESSION && streq(never[i], "accept4"))
				assert_int_equal(got, ALLOW);
			else if (known && got != denied)
				fail_msg("role %d: %s: %x", (int)role, never[i], got);
		}
		assert_int_equal(bpf_run(&p, &d).action, KILL);
		d.arch = native[arch];
		for (d.nr = SC_NR_LAST + 1; d.nr < 1000; d.nr++)
			assert_int_equal(bpf_run(&p, &d).action, denied);
		for (d.nr = 0x40000000; d.nr < 0x40000000 + 600; d.nr++)
			assert_int_equal(bpf_run(&p, &d).action, denied);
	}
}

static void test_own(void **state)
{
	static const struct arg_case supervisor[] = {
		{ "ioctl", { 5, 0xc0502100 /* SECCOMP_IOCTL_NOTIF_RECV */ }, ALLOW },
		{ "ioctl", { 5, 0x40182103 /* SECCOMP_IOCTL_NOTIF_ADDFD */ }, ALLOW },
		{ "ioctl", { 0, TIOCSTI }, OWN_DENIED },
		{ "ioctl", { 0, 0x5000940e /* BTRFS_IOC_SUBVOL_CREATE */ }, OWN_DENIED },
		{ "mmap", { 0, 0, PROT_READ | PROT_WRITE }, ALLOW },
		{ "mmap", { 0, 0, PROT_READ | PROT_EXEC }, OWN_DENIED },
		{ "mprotect", { 0, 0, PROT_EXEC }, OWN_DENIED },
		{ "clone", { CLONE_VM | CLONE_THREAD }, ALLOW },
		{ "clone", { 17 /* the git helper */ }, ALLOW },
		{ "clone", { CLONE_VM | CLONE_VFORK | 17 }, OWN_DENIED },
		{ "clone", { CLONE_NEWUSER | 17 }, OWN_DENIED },
		{ "clone", { CLONE_THREAD | CLONE_NEWUSER }, OWN_DENIED },
		{ "clone3", { 0 }, ERR(ENOSYS) },
		{ "unshare", { CLONE_FS }, ALLOW },
		{ "unshare", { CLONE_FS | CLONE_NEWNS }, OWN_DENIED },
		{ "kill", { 1, 9 }, OWN_DENIED },
		{ "openat2", { 0 }, ALLOW },
		{ "mkdirat", { 0 }, ALLOW },
		{ "prctl", { PR_SET_NAME }, ALLOW },
		{ "prctl", { PR_SET_DUMPABLE }, OWN_DENIED },
	};
	static const struct arg_case helper[] = {
		{ "read", { 0 }, ALLOW },
		{ "sendmsg", { 0 }, ALLOW },
		{ "exit_group", { 0 }, ALLOW },
		{ "openat", { 0 }, KILL },
		{ "clone", { CLONE_THREAD }, KILL },
		{ "ioctl", { 0 }, KILL },
		{ "mmap", { 0, 0, PROT_READ | PROT_EXEC }, KILL },
	};
	static const struct arg_case warden[] = {
		{ "openat", { 0, 0, O_RDONLY | O_CLOEXEC }, ALLOW },
		{ "openat", { 0, 0, O_WRONLY }, OWN_DENIED },
		{ "openat", { 0, 0, HIGH | O_CREAT }, OWN_DENIED },
		{ "openat2", { 0 }, OWN_DENIED },
		{ "ioctl", { 0, TIOCSWINSZ }, ALLOW },
		{ "ioctl", { 0, HIGH | TIOCSTI }, OWN_DENIED },
		{ "ioctl", { 5, 0xc0502100 /* SECCOMP_IOCTL_NOTIF_RECV */ }, OWN_DENIED },
		{ "kill", { 1, 9 }, ALLOW },
		{ "clone", { 17 }, OWN_DENIED },
		{ "process_vm_readv", { 0 }, OWN_DENIED },
		{ "mkdirat", { 0 }, OWN_DENIED },
		{ "renameat2", { 0 }, OWN_DENIED },
	};

	(void)state;
	check_own(SECCOMP_ROLE_SUPERVISOR, supervisor, ARRAY_SIZE(supervisor));
	check_own(SECCOMP_ROLE_GIT_HELPER, helper, ARRAY_SIZE(helper));
	check_own(SECCOMP_ROLE_WARDEN, warden, ARRAY_SIZE(warden));
	check_never(SECCOMP_ROLE_SUPERVISOR, OWN_DENIED);
	check_never(SECCOMP_ROLE_GIT_HELPER, KILL);
	check_own(SECCOMP_ROLE_SESSION, warden, ARRAY_SIZE(warden));
	check_never(SECCOMP_ROLE_WARDEN, OWN_DENIED);
	check_never(SECCOMP_ROLE_SESSION, OWN_DENIED);
}

/* Without namespaces: the host's sockets, IPC and processes are within reach, and Landlock knows
 * nothing of looking at a file. */
static void test_flat(void **state)
{
	static const struct arg_case cases[] = {
		{ "openat", { 0, 0, O_RDONLY }, TRAP },
		{ "openat", { 0, 0, O_PATH }, TRAP },
		{ "open", { 0, O_PATH | O_NOFOLLOW }, TRAP },
		{ "openat2", { 0 }, TRAP },
		{ "stat", { 0 }, TRAP },
		{ "newfstatat", { 0 }, TRAP },
		{ "statx", { 0 }, TRAP },
		{ "faccessat2", { 0 }, TRAP },
		{ "readlinkat", { 0 }, TRAP },
		{ "getxattr", { 0 }, TRAP },
		{ "listxattrat", { 0 }, TRAP },
		{ "chdir", { 0 }, TRAP },
		{ "inotify_add_watch", { 0 }, TRAP },
		{ "name_to_handle_at", { 0 }, TRAP },
		{ "utimensat", { 3, 0 }, TRAP },
		{ "fstat", { 0 }, ALLOW },
		{ "fchdir", { 0 }, ALLOW },
		{ "socket", { AF_UNIX, SOCK_STREAM }, ERR(EAFNOSUPPORT) },
		{ "socket", { AF_NETLINK, SOCK_RAW }, ERR(EAFNOSUPPORT) },
		{ "socket", { AF_INET, SOCK_STREAM }, ERR(EPROTONOSUPPORT) },
		{ "socket", { HIGH | AF_INET6, SOCK_DGRAM }, ERR(EPROTONOSUPPORT) },
		{ "socket", { AF_VSOCK, SOCK_STREAM }, ERR(EAFNOSUPPORT) },
		{ "socketpair", { AF_UNIX, SOCK_STREAM }, ALLOW },
		{ "socketpair", { AF_UNIX, SOCK_DGRAM }, ERR(EPERM) },
		{ "bind", { 3 }, ERR(EACCES) },
		{ "connect", { 3 }, ERR(EACCES) },
		{ "listen", { 3 }, ERR(EACCES) },
		{ "shmget", { 1 }, ERR(ENOSYS) },
		{ "semop", { 1 }, ERR(ENOSYS) },
		{ "msgrcv", { 1 }, ERR(ENOSYS) },
		{ "mq_open", { 1 }, ERR(ENOSYS) },
		{ "prlimit64", { 0, RLIMIT_NOFILE }, ALLOW },
		{ "prlimit64", { HIGH, RLIMIT_NOFILE }, ALLOW },
		{ "prlimit64", { 77, RLIMIT_CPU }, ERR(EPERM) },
		{ "sched_setaffinity", { 0 }, ALLOW },
		{ "sched_setaffinity", { 77 }, ERR(EPERM) },
		{ "sched_setscheduler", { 77 }, ERR(EPERM) },
		{ "setpriority", { PRIO_PROCESS, 0 }, ALLOW },
		{ "setpriority", { PRIO_PROCESS, 77 }, ERR(EPERM) },
		{ "setpriority", { PRIO_PGRP, 0 }, ERR(EPERM) },
		{ "setpriority", { PRIO_USER, 0 }, ERR(EPERM) },
		{ "ioprio_set", { 1, 0 }, ALLOW },
		{ "ioprio_set", { 1, 77 }, ERR(EPERM) },
		{ "ioprio_set", { 3, 0 }, ERR(EPERM) },
	};
	static const struct arg_case others[] = {
		{ "prlimit64", { 77 }, ALLOW },	   { "setpriority", { PRIO_USER, 0 }, ALLOW },
		{ "shmget", { 1 }, ALLOW },	   { "stat", { 0 }, ALLOW },
		{ "ioprio_set", { 3, 0 }, ALLOW }, { "bind", { 3 }, TRAP },
		{ "connect", { 3 }, ALLOW },
	};

	(void)state;
	CHECK(cases, .trap_writes = true, .trap_reads = true, .flat = true);
	CHECK(others, .trap_writes = true, .trap_reads = true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_open),	     cmocka_unit_test(test_close),
		cmocka_unit_test(test_utimensat),    cmocka_unit_test(test_sockets),
		cmocka_unit_test(test_ioctls),	     cmocka_unit_test(test_namespaces),
		cmocka_unit_test(test_leases),	     cmocka_unit_test(test_personality),
		cmocka_unit_test(test_memory_files), cmocka_unit_test(test_own),
		cmocka_unit_test(test_flat),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

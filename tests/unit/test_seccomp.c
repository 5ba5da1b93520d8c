/* SPDX-License-Identifier: Apache-2.0 */
/* The command's filter and berm's own, run in an interpreter for both
 * architectures. What is expected is written here by hand, not taken from the
 * table that is tested. tests/unit/test_seccomp_live.c loads them. */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "bpf_interp.h"
#include "linux/seccomp_table.h"
#include "seccomp_numbers.h"

#define ALLOW SECCOMP_RET_ALLOW
#define TRAP SECCOMP_RET_USER_NOTIF
#define KILL SECCOMP_RET_KILL_PROCESS
#define ERR(e) (SECCOMP_RET_ERRNO | (e))
#define END ((const char *)NULL)

static const uint32_t native[] = { AUDIT_ARCH_X86_64, AUDIT_ARCH_AARCH64 };
static const uint32_t foreign[] = { AUDIT_ARCH_I386, AUDIT_ARCH_ARM };

/* Number of a call, -1 where the architecture has none; unknown names fail. */
static int number(enum seccomp_arch arch, const char *name)
{
	for (unsigned i = 0; i < sc_row_count; i++)
		if (strcmp(sc_rows[i].name, name) == 0)
			return sc_rows[i].nr[arch];
	fail_msg("no call is named %s", name);
	return -1;
}

static struct bpf_result run(const struct seccomp_prog *p, uint32_t arch, int nr,
			     const uint64_t *args)
{
	struct seccomp_data d = { .nr = nr, .arch = arch, .instruction_pointer = UINT64_MAX };

	if (args)
		memcpy(d.args, args, sizeof(d.args));
	return bpf_run(p, &d);
}

static void build(const struct seccomp_opts *o, struct seccomp_prog *p)
{
	const char *why = "";

	assert_int_equal(seccomp_build(o, p), 0);
	if (!bpf_check(p, &why))
		fail_msg("the kernel would refuse it: %s", why);
}

#define N_OPTS 64

static struct seccomp_opts nth_opts(enum seccomp_arch arch, unsigned i)
{
	return (struct seccomp_opts){ .arch = arch,
				      .trap_writes = i & 1,
				      .trap_reads = i & 2,
				      .trap_exec = i & 4,
				      .allow_userns = i & 8,
				      .report = i & 16,
				      .observe = i & 32 };
}

/* ---- the table ---------------------------------------------------------- */

static void check_numbers(enum seccomp_arch arch, const struct number *n, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (number(arch, n[i].name) != n[i].nr)
			fail_msg("%s is %d, not %d", n[i].name, n[i].nr, number(arch, n[i].name));
}

static void test_numbers(void **state)
{
	(void)state;
	check_numbers(SECCOMP_X86_64, x86_numbers, n_x86_numbers);
	check_numbers(SECCOMP_ARM64, arm64_numbers, n_arm64_numbers);
}

static void test_table_is_a_map(void **state)
{
	(void)state;
	for (unsigned arch = 0; arch < 2; arch++) {
		bool seen[SC_NR_LAST + 1] = { false };

		for (unsigned i = 0; i < sc_row_count; i++) {
			int nr = sc_rows[i].nr[arch];

			if (nr < 0)
				continue;
			assert_true(nr <= SC_NR_LAST);
			assert_false(seen[nr]);
			seen[nr] = true;
			assert_ptr_equal(sc_find(arch, nr), &sc_rows[i]);
		}
		assert_true(seen[SC_NR_LAST]);
	}
	assert_null(sc_find(SECCOMP_X86_64, SC_NR_LAST + 1));
	assert_null(sc_find(SECCOMP_X86_64, -1));
	assert_string_equal(seccomp_name(number(seccomp_native(), "openat")), "openat");
	assert_string_equal(seccomp_name(4711), "syscall-4711");
	assert_string_equal(seccomp_name(-1), "syscall--1");
}

/* ---- the command's filter ----------------------------------------------- */

static void test_every_option_builds(void **state)
{
	static struct seccomp_prog p;

	(void)state;
	for (unsigned arch = 0; arch < 2; arch++)
		for (unsigned i = 0; i < N_OPTS; i++) {
			struct seccomp_opts o = nth_opts(arch, i);

			build(&o, &p);
			/* What is loaded is compiled at every start. */
			assert_in_range(p.len, 1, 260);
		}
}

static const char *const denied[] = { "bpf",
				      "perf_event_open",
				      "userfaultfd",
				      "keyctl",
				      "add_key",
				      "request_key",
				      "kexec_load",
				      "kexec_file_load",
				      "mount",
				      "umount2",
				      "pivot_root",
				      "move_mount",
				      "open_tree",
				      "open_tree_attr",
				      "fsopen",
				      "fsconfig",
				      "fsmount",
				      "fspick",
				      "mount_setattr",
				      "chroot",
				      "setns",
				      "open_by_handle_at",
				      "acct",
				      "swapon",
				      "swapoff",
				      "quotactl",
				      "quotactl_fd",
				      "reboot",
				      "init_module",
				      "finit_module",
				      "delete_module",
				      "iopl",
				      "ioperm",
				      "settimeofday",
				      "clock_settime",
				      "lookup_dcookie",
				      "fanotify_init",
				      "syslog",
				      "vhangup",
				      "sethostname",
				      "setdomainname",
				      "lsm_set_self_attr",
				      END };
static const char *const hidden[] = { "io_uring_setup", "io_uring_enter", "io_uring_register",
				      END };
static const char *const absent[] = { "clone3",	    "uselib",	     "nfsservctl", "_sysctl",
				      "modify_ldt", "create_module", "vserver",	   END };
static const char *const writes[] = { "creat",	      "mkdir",	      "mkdirat",
				      "mknod",	      "mknodat",      "symlink",
				      "symlinkat",    "link",	      "linkat",
				      "rename",	      "renameat",     "renameat2",
				      "unlink",	      "unlinkat",     "rmdir",
				      "truncate",     "bind",	      "chmod",
				      "fchmod",	      "fchmodat",     "fchmodat2",
				      "chown",	      "lchown",	      "fchown",
				      "fchownat",     "utime",	      "utimes",
				      "futimesat",    "setxattr",     "lsetxattr",
				      "fsetxattr",    "setxattrat",   "removexattr",
				      "lremovexattr", "fremovexattr", "removexattrat",
				      "file_setattr", "umask",	      END };
static const char *const looks[] = { "stat",	   "lstat",	"newfstatat", "statx",
				     "access",	   "faccessat", "faccessat2", "readlink",
				     "readlinkat", "chdir",	END };
static const char *const execs[] = { "execve", "execveat", END };
static const char *const allowed[] = { "read",
				       "write",
				       "mmap",
				       "mprotect",
				       "fork",
				       "vfork",
				       "wait4",
				       "kill",
				       "ptrace",
				       "process_vm_readv",
				       "process_vm_writev",
				       "pidfd_open",
				       "pidfd_getfd",
				       "seccomp",
				       "prctl",
				       "landlock_create_ruleset",
				       "landlock_add_rule",
				       "landlock_restrict_self",
				       "memfd_create",
				       "memfd_secret",
				       "name_to_handle_at",
				       "connect",
				       "accept4",
				       "sendmsg",
				       "listen",
				       "futex",
				       "futex_wait",
				       "rseq",
				       "getdents64",
				       "inotify_add_watch",
				       "ftruncate",
				       "fallocate",
				       "copy_file_range",
				       "adjtimex",
				       "clock_adjtime",
				       "mseal",
				       "statmount",
				       "uretprobe",
				       "uprobe",
				       "file_getattr",
				       "getxattr",
				       "fchdir",
				       END };

static void expect_all(const struct seccomp_opts *o, const struct seccomp_prog *p,
		       const char *const *names, uint32_t action)
{
	for (; *names; names++) {
		int nr = number(o->arch, *names);
		struct bpf_result r;

		if (nr < 0)
			continue;
		r = run(p, native[o->arch], nr, NULL);
		if (r.action != action)
			fail_msg("%s: %x, not %x", *names, r.action, action);
		/* Else the kernel would run the program at each call. */
		if (r.args_read)
			fail_msg("%s: not decided by its number alone", *names);
	}
}

static void test_by_number(void **state)
{
	static struct seccomp_prog p;

	(void)state;
	for (unsigned arch = 0; arch < 2; arch++)
		for (unsigned i = 0; i < N_OPTS; i++) {
			struct seccomp_opts o = nth_opts(arch, i);

			build(&o, &p);
			expect_all(&o, &p, denied, o.report ? TRAP : ERR(EPERM));
			expect_all(&o, &p, hidden, o.report ? TRAP : ERR(ENOSYS));
			expect_all(&o, &p, absent, ERR(ENOSYS));
			expect_all(&o, &p, writes, o.trap_writes ? TRAP : ALLOW);
			expect_all(&o, &p, execs, o.trap_exec ? TRAP : ALLOW);
			expect_all(&o, &p, looks, o.observe ? TRAP : ALLOW);
			expect_all(&o, &p, allowed, ALLOW);
		}
}

/* Only the whole secret passes, and only with execveat. */
static void test_exec_pass(void **state)
{
	static const uint64_t pass = 0x1122334455667788, wrong[] = {
		0,
		1,
		0x55667788,
		0x1122334400000000,
		0x5566778811223344,
		0x1122334455667789,
		0x9122334455667788,
		~0ull,
	};
	static struct seccomp_prog p;

	(void)state;
	for (unsigned arch = 0; arch < 2; arch++) {
		struct seccomp_opts o = { .arch = arch, .trap_writes = true, .trap_exec = true };
		uint64_t args[6] = { 0, 0, 0, 0, 0, pass };
		int nr = number(arch, "execveat");

		build(&o, &p);
		assert_int_equal(run(&p, native[arch], nr, args).action, TRAP);
		o.exec_pass = pass;
		build(&o, &p);
		assert_int_equal(run(&p, native[arch], nr, args).action, ALLOW);
		assert_int_equal(run(&p, native[arch], number(arch, "execve"), args).action, TRAP);
		for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
			args[5] = wrong[i];
			assert_int_equal(run(&p, native[arch], nr, args).action, TRAP);
		}
		for (unsigned at = 0; at < 5; at++) {
			uint64_t other[6] = { 0 };

			other[at] = pass;
			assert_int_equal(run(&p, native[arch], nr, other).action, TRAP);
		}
	}
}

/* Every class of the table is named above or in the argument tests: a call that
 * moves to another class changes some expectation. */
static void test_lists_are_complete(void **state)
{
	static const struct {
		enum sc_class class;
		const char *const *names;
	} lists[] = { { SC_DENY, denied },
		      { SC_HIDE, hidden },
		      { SC_WRITE, writes },
		      { SC_EXEC, execs },
		      { SC_LOOK, looks } };

	(void)state;
	for (unsigned l = 0; l < ARRAY_SIZE(lists); l++) {
		unsigned in_table = 0, in_list = 0;

		for (unsigned i = 0; i < sc_row_count; i++)
			in_table += sc_rows[i].class == lists[l].class;
		while (lists[l].names[in_list])
			in_list++;
		assert_int_equal(in_table, in_list);
	}
}

static void test_unknown_numbers(void **state)
{
	static const int odd[] = { 0x40000000, 0x40000000 | 257, 0x7fffffff, INT32_MIN, -1 };
	static struct seccomp_prog p;

	(void)state;
	for (unsigned arch = 0; arch < 2; arch++) {
		struct seccomp_opts o = nth_opts(arch, N_OPTS - 1);

		build(&o, &p);
		for (int nr = 0; nr <= 1000; nr++)
			if (!sc_find(arch, nr))
				assert_int_equal(run(&p, native[arch], nr, NULL).action,
						 ERR(ENOSYS));
		/* x32: each of its numbers. */
		for (int nr = 0; nr <= 1000; nr++)
			assert_int_equal(run(&p, native[arch], nr | 0x40000000, NULL).action,
					 ERR(ENOSYS));
		for (unsigned i = 0; i < ARRAY_SIZE(odd); i++)
			assert_int_equal(run(&p, native[arch], odd[i], NULL).action, ERR(ENOSYS));
	}
}

static void test_foreign_abis(void **state)
{
	static const int group_exit[] = { 252, 248 };
	static struct seccomp_prog p;

	(void)state;
	for (unsigned arch = 0; arch < 2; arch++) {
		struct seccomp_opts o = nth_opts(arch, 0);

		build(&o, &p);
		for (int nr = -1; nr <= 1000; nr++) {
			bool leaves = nr == 1 || nr == group_exit[arch];
			struct bpf_result r = run(&p, foreign[arch], nr, NULL);

			assert_int_equal(r.action, leaves ? ALLOW : ERR(ENOSYS));
			assert_int_equal(run(&p, AUDIT_ARCH_MIPS64, nr, NULL).action, ERR(ENOSYS));
			assert_int_equal(run(&p, native[!arch], nr, NULL).action, ERR(ENOSYS));
		}
	}
}

/* ---- agreement ---------------------------------------------------------- */

static uint64_t random_word(void)
{
	static uint64_t x = 88172645463325252ULL;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	/* Small numbers, single bits and whole words. */
	switch (x >> 61) {
	case 0:
	case 1:
	case 2:
		return (x >> 8) & 0x1f;
	case 3:
	case 4:
		return 1ULL << ((x >> 8) & 63);
	case 5:
		return (x >> 8) & 0xffff;
	default:
		return x;
	}
}

/* Calls of the same name are treated alike on both architectures. */
static void test_architectures_agree(void **state)
{
	static struct seccomp_prog p[2];

	(void)state;
	for (unsigned i = 0; i < N_OPTS; i++) {
		for (unsigned arch = 0; arch < 2; arch++) {
			struct seccomp_opts o = nth_opts(arch, i);

			build(&o, &p[arch]);
		}
		for (unsigned row = 0; row < sc_row_count; row++)
			for (unsigned k = 0; k < 40; k++) {
				const int16_t *nr = sc_rows[row].nr;
				uint64_t args[6];

				if (nr[0] < 0 || nr[1] < 0)
					continue;
				for (unsigned j = 0; j < 6; j++)
					args[j] = random_word();
				if (run(&p[0], native[0], nr[0], args).action !=
				    run(&p[1], native[1], nr[1], args).action)
					fail_msg("%s differs", sc_rows[row].name);
			}
	}
}

/* Reporting changes who answers, never what: each call that is handed over only
 * to be reported has the errno in seccomp_denial() that the kernel gives without
 * reporting, and no trapped call has one. */
static void test_report_changes_nothing(void **state)
{
	static struct seccomp_prog with, without;
	enum seccomp_arch arch = seccomp_native();
	unsigned reported = 0;

	(void)state;
	for (unsigned i = 0; i < N_OPTS; i++) {
		struct seccomp_opts o = nth_opts(arch, i);

		if (o.report)
			continue;
		build(&o, &without);
		o.report = true;
		build(&o, &with);
		for (unsigned k = 0; k < 40000; k++) {
			struct seccomp_data d = { .nr = (int)(k % 480), .arch = native[arch] };
			uint32_t a, b;

			for (unsigned j = 0; j < 6; j++)
				d.args[j] = random_word();
			a = bpf_run(&with, &d).action;
			b = bpf_run(&without, &d).action;
			if (a == b) {
				if (a == TRAP)
					assert_int_equal(seccomp_denial(&d), 0);
				continue;
			}
			reported++;
			assert_int_equal(a, TRAP);
			assert_int_equal(b, ERR(seccomp_denial(&d)));
		}
	}
	assert_true(reported > 10000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_table_is_a_map),
		cmocka_unit_test(test_every_option_builds),
		cmocka_unit_test(test_by_number),
		cmocka_unit_test(test_exec_pass),
		cmocka_unit_test(test_lists_are_complete),
		cmocka_unit_test(test_unknown_numbers),
		cmocka_unit_test(test_foreign_abis),
		cmocka_unit_test(test_architectures_agree),
		cmocka_unit_test(test_report_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

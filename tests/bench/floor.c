/* SPDX-License-Identifier: Apache-2.0 */
/* floor HOME-SOURCE WORKSPACE COMMAND [ARG]...: the least that a program must do
 * to start a command in the namespaces, view, Landlock domain and filter that
 * "berm run" gives it: no settings, no policy, no supervisor, no events, nothing
 * checked but errors. "make bench" divides berm's start by this one's.
 *
 * One process does it all: pid 1 of everything, made by one clone(). The view is
 * berm's default: /usr, /etc, /opt read-only, links, private /tmp /run /var
 * /dev/shm and home, device nodes, a devpts, a fresh /proc with its dangerous
 * parts read-only, and one writable bind. */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/keyctl.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "linux/kern.h"
#include "linux/seccomp.h"

#define MUST(call)                         \
	({                                 \
		long must_ = (long)(call); \
		if (must_ < 0)             \
			err(125, #call);   \
		must_;                     \
	})

#define RO (MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV)
#define RW (MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV)

static int root; /* the new root, until it is entered */

static void put(const char *file, const char *text)
{
	int fd = (int)MUST(open(file, O_WRONLY | O_CLOEXEC));

	MUST(write(fd, text, strlen(text)));
	(void)close(fd);
}

static void map_ids(uid_t uid, gid_t gid)
{
	char line[32];

	put("/proc/self/setgroups", "deny");
	(void)snprintf(line, sizeof(line), "%u %u 1\n", uid, uid);
	put("/proc/self/uid_map", line);
	(void)snprintf(line, sizeof(line), "%u %u 1\n", gid, gid);
	put("/proc/self/gid_map", line);
}

/* ---- the view ----------------------------------------------------------- */

static int new_fs(const char *type, const char *key, const char *value, unsigned attrs)
{
	int fs = (int)MUST(syscall(SYS_fsopen, type, FSOPEN_CLOEXEC)), tree;

	if (key)
		MUST(syscall(SYS_fsconfig, fs, FSCONFIG_SET_STRING, key, value, 0));
	MUST(syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0));
	tree = (int)MUST(syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC, attrs));
	(void)close(fs);
	return tree;
}

static void attach(int tree, const char *at)
{
	MUST(syscall(SYS_move_mount, tree, "", root, at, MOVE_MOUNT_F_EMPTY_PATH));
	(void)close(tree);
}

static void bind_at(int dir, const char *from, const char *at, uint64_t attrs)
{
	struct mount_attr attr = { .attr_set = attrs };
	int tree =
		(int)MUST(syscall(SYS_open_tree, dir, from, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC));

	MUST(syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH, &attr, sizeof(attr)));
	attach(tree, at);
}

static void make_dirs(const char *path)
{
	char part[4096];

	for (const char *p = path; p; p = strchr(p + 1, '/')) {
		const char *end = strchr(p + 1, '/');
		size_t n = end ? (size_t)(end - path) : strlen(path);

		if (n >= sizeof(part))
			errx(125, "path too long");
		memcpy(part, path, n);
		part[n] = '\0';
		if (mkdirat(root, part, 0755) < 0 && errno != EEXIST)
			err(125, "%s", part);
	}
}

/* A directory of the root itself under a mount of its own. */
static void private_dir(const char *path, mode_t mode)
{
	make_dirs(path);
	MUST(fchmodat(root, path, mode, 0));
	bind_at(root, path, path, RW);
}

static void make_dev(void)
{
	static const char *const nodes[] = { "null", "zero", "full", "random", "urandom", "tty" };
	static const char *const links[][2] = { { "/proc/self/fd", "dev/fd" },
						{ "/proc/self/fd/0", "dev/stdin" },
						{ "/proc/self/fd/1", "dev/stdout" },
						{ "/proc/self/fd/2", "dev/stderr" },
						{ "pts/ptmx", "dev/ptmx" } };
	char from[32];

	make_dirs("dev/pts");
	for (size_t i = 0; i < ARRAY_SIZE(nodes); i++) {
		(void)snprintf(from, sizeof(from), "/dev/%s", nodes[i]);
		(void)close(
			(int)MUST(openat(root, from + 1, O_CREAT | O_WRONLY | O_CLOEXEC, 0666)));
		bind_at(AT_FDCWD, from, from + 1, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC);
	}
	for (size_t i = 0; i < ARRAY_SIZE(links); i++)
		MUST(symlinkat(links[i][0], root, links[i][1]));
	attach(new_fs("devpts", "ptmxmode", "0666", MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC),
	       "dev/pts");
	private_dir("dev/shm", 01777);
}

static void make_proc(void)
{
	static const char *const parts[] = { "proc/sys", "proc/irq", "proc/bus", "proc/fs",
					     "proc/sysrq-trigger" };

	make_dirs("proc");
	attach(new_fs("proc", NULL, NULL, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC),
	       "proc");
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (faccessat(root, parts[i], F_OK, 0) == 0)
			bind_at(root, parts[i], parts[i], MOUNT_ATTR_RDONLY);
}

static void make_view(const char *home_source, const char *home, const char *workspace)
{
	static const char *const trees[] = { "/usr", "/etc", "/opt" };
	static const char *const links[] = { "bin", "sbin", "lib", "lib32", "lib64", "libx32" };
	struct mount_attr ro = { .attr_set = MOUNT_ATTR_RDONLY };
	char target[32];

	MUST(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL));
	root = new_fs("tmpfs", "mode", "0755", RW);
	MUST(syscall(SYS_move_mount, root, "", AT_FDCWD, "/", MOVE_MOUNT_F_EMPTY_PATH));
	for (size_t i = 0; i < ARRAY_SIZE(trees); i++) {
		make_dirs(trees[i] + 1);
		bind_at(AT_FDCWD, trees[i], trees[i] + 1, RO);
	}
	for (size_t i = 0; i < ARRAY_SIZE(links); i++) {
		(void)snprintf(target, sizeof(target), "usr/%s", links[i]);
		MUST(symlinkat(target, root, links[i]));
	}
	make_dev();
	private_dir("tmp", 01777);
	private_dir("run", 0755);
	private_dir("var", 0755);
	make_dirs(home + 1);
	bind_at(AT_FDCWD, home_source, home + 1, RW);
	make_dirs(workspace + 1);
	bind_at(AT_FDCWD, workspace, workspace + 1, RW);
	make_proc();
	MUST(syscall(SYS_mount_setattr, root, "", AT_EMPTY_PATH, &ro, sizeof(ro)));
	MUST(fchdir(root));
	MUST(syscall(SYS_pivot_root, ".", "."));
	MUST(umount2(".", MNT_DETACH));
	(void)close(root);
	MUST(chdir(workspace));
}

/* ---- the walls ---------------------------------------------------------- */

static void loopback_up(void)
{
	struct ifreq ifr = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING };
	int fd = (int)MUST(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));

	MUST(ioctl(fd, SIOCSIFFLAGS, &ifr));
	(void)close(fd);
}

static void drop_rights(uid_t uid, gid_t gid)
{
	struct __user_cap_header_struct hdr = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[2] = { 0 };
	struct rlimit zero = { 0, 0 };

	MUST(unshare(CLONE_NEWUSER));
	map_ids(uid, gid);
	for (int cap = 0; prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) == 0;)
		cap++;
	MUST(syscall(SYS_capset, &hdr, none));
	MUST(syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL));
	MUST(setrlimit(RLIMIT_CORE, &zero));
	MUST(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
}

/* What lies above the workspace cannot be granted: rights hold for everything below. */
static void confine_files(const char *home, const char *workspace)
{
	/* From REMOVE_DIR to MAKE_SYM, and what writes. */
	const uint64_t handled = (2 * LANDLOCK_ACCESS_FS_MAKE_SYM - LANDLOCK_ACCESS_FS_REMOVE_DIR) |
				 LANDLOCK_ACCESS_FS_REFER | LANDLOCK_ACCESS_FS_WRITE_FILE |
				 LANDLOCK_ACCESS_FS_TRUNCATE;
	const char *const free[] = { "/tmp", "/run", "/var", "/dev", "/proc", home };
	struct {
		uint64_t fs, net, scoped;
	} attr = { handled, 0, LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | LANDLOCK_SCOPE_SIGNAL };
	int set = (int)MUST(syscall(SYS_landlock_create_ruleset, &attr, sizeof(attr), 0));

	for (size_t i = 0; i < ARRAY_SIZE(free); i++) {
		struct landlock_path_beneath_attr rule = { .allowed_access = handled };
		size_t n = strlen(free[i]);

		if (strncmp(workspace, free[i], n) == 0 && (workspace[n] == '/' || !workspace[n]))
			continue;
		rule.parent_fd = (int)MUST(open(free[i], O_PATH | O_CLOEXEC));
		MUST(syscall(SYS_landlock_add_rule, set, LANDLOCK_RULE_PATH_BENEATH, &rule, 0));
		(void)close(rule.parent_fd);
	}
	MUST(syscall(SYS_landlock_restrict_self, set, 0));
	(void)close(set);
}

/* berm's own filter without its supervisor: nothing is trapped. */
static void confine_calls(void)
{
	static struct seccomp_prog prog;
	struct seccomp_opts o = { .arch = seccomp_native() };
	int r = seccomp_build(&o, &prog);

	if (r == 0)
		r = seccomp_load(&prog, false, NULL);
	if (r < 0)
		errx(125, "seccomp: %s", strerror(-r));
}

static _Noreturn void pid_1(pid_t command)
{
	int status;
	pid_t pid;

	while ((pid = wait(&status)) != command)
		if (pid < 0)
			_exit(125);
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

int main(int argc, char **argv)
{
	const unsigned long spaces = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC |
				     CLONE_NEWUTS | CLONE_NEWCGROUP | CLONE_NEWPID;
	const char *home = getenv("HOME");
	uid_t uid = geteuid();
	gid_t gid = getegid();
	pid_t pid;
	int status;

	if (argc < 4 || !home || home[0] != '/' || argv[2][0] != '/')
		errx(125, "usage: floor HOME-SOURCE WORKSPACE COMMAND [ARG]...");
	pid = (pid_t)MUST(syscall(SYS_clone, spaces | SIGCHLD, NULL, NULL, NULL, NULL));
	if (pid > 0) {
		MUST(waitpid(pid, &status, 0));
		return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	}
	MUST(prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0));
	MUST(setsid());
	(void)umask(0);
	map_ids(uid, gid);
	put("/proc/sys/user/max_user_namespaces", "1"); /* the inner one, none below it */
	make_view(argv[1], home, argv[2]);
	(void)umask(022);
	loopback_up();
	drop_rights(uid, gid);
	confine_files(home, argv[2]);
	confine_calls();
	pid = (pid_t)MUST(fork());
	if (pid == 0) {
		(void)execv(argv[3], argv + 3);
		err(127, "%s", argv[3]);
	}
	pid_1(pid);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's second wall (DESIGN 4): the command's domain holds no right to
 * write, make, remove, rename, link or truncate inside the governed trees. What
 * slips past the seccomp filter (io_uring, a foreign ABI, a new call) is refused
 * here, and so "continue" is a safe answer of the supervisor for everything. */
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "linux/kern.h"
#include "linux/setup.h"

/* Not LANDLOCK_ACCESS_FS_TRUNCATE: a domain that handles it walks to the root at every
 * open, also for reading (security/landlock/fs.c, hook_file_open), which made open+close
 * 1.43 times as long as bare instead of 1.21. Truncating needs a descriptor open for writing
 * or one of three calls that the supervisor never answers by "continue": truncate(2), an
 * open with O_TRUNC but no write access, and openat2(2). */
#define WRITE_RIGHTS LANDLOCK_ACCESS_FS_WRITE_FILE
#define MAKE_RIGHTS                                                     \
	(LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR |   \
	 LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK |   \
	 LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK | \
	 LANDLOCK_ACCESS_FS_MAKE_SYM | LANDLOCK_ACCESS_FS_REMOVE_DIR |  \
	 LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_REFER)

/* uapi/linux/landlock.h of 6.12; older kernels take the shorter structure. */
struct ruleset_attr {
	uint64_t handled_access_fs;
	uint64_t handled_access_net;
	uint64_t scoped;
};

int landlock_abi(void)
{
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);

	return abi < 0 ? -errno : (int)abi;
}

static int add_rule(int ruleset, int fd, uint64_t rights)
{
	struct landlock_path_beneath_attr rule = { .parent_fd = fd, .allowed_access = rights };

	return syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) < 0
		       ? -errno
		       : 0;
}

static int add_tree(int ruleset, const struct tree *t, uint64_t handled)
{
	uint64_t rights = WRITE_RIGHTS;
	_cleanup_close_ int fd = open(t->path, O_PATH | O_CLOEXEC | O_NOFOLLOW);

	if (fd < 0)
		return errno == ENOENT && t->optional ? 0 : -errno;
	if (t->kind != TREE_WRITE && !t->is_file)
		rights |= MAKE_RIGHTS;
	return add_rule(ruleset, fd, rights & handled);
}

int landlock_rules(const struct launch *l, int *ret_index)
{
	struct ruleset_attr attr = { .handled_access_fs = WRITE_RIGHTS | MAKE_RIGHTS };
	_cleanup_close_ int ruleset = -1;
	size_t size = sizeof(attr);

	*ret_index = -1;
	if (l->landlock_abi < 2)
		return -EOPNOTSUPP;
	if (l->landlock_abi >= 6)
		attr.scoped = LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | LANDLOCK_SCOPE_SIGNAL;
	else
		size = offsetof(struct ruleset_attr, scoped);
	if (l->landlock_abi < 4)
		size = offsetof(struct ruleset_attr, handled_access_net);
	ruleset = (int)syscall(SYS_landlock_create_ruleset, &attr, size, 0);
	if (ruleset < 0)
		return -errno;
	for (size_t i = 0; i < l->plan->n_trees; i++) {
		const struct tree *t = &l->plan->trees[i];
		bool free_too;
		int r;

		/* Without a supervisor no workspace is writable, which the one above it could
		 * open. */
		free_too = t->kind == TREE_FREE && !supervised(l);
		if (t->kind != TREE_NATIVE && t->kind != TREE_WRITE && !free_too)
			continue;
		r = add_tree(ruleset, t, attr.handled_access_fs);
		if (r < 0) {
			*ret_index = (int)i;
			return r;
		}
	}
	return take_fd(&ruleset);
}

/* ---- without namespaces ------------------------------------------------------ */

/* All that a domain can be told about files and the session's rules say something of. Opens are
 * walked to the root here anyhow, so truncation is among them. */
#define READ_RIGHTS \
	(LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR | LANDLOCK_ACCESS_FS_EXECUTE)
#define CHANGE_RIGHTS (WRITE_RIGHTS | MAKE_RIGHTS | LANDLOCK_ACCESS_FS_TRUNCATE)
/* Of a file; the others are a directory's. */
#define FILE_RIGHTS                                                  \
	(LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_EXECUTE | \
	 LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_TRUNCATE)

#define FLAT_SCOPE (LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | LANDLOCK_SCOPE_SIGNAL)

static int make_ruleset(const struct ruleset_attr *attr)
{
	long fd = syscall(SYS_landlock_create_ruleset, attr, sizeof(*attr), 0);

	return fd < 0 ? -errno : (int)fd;
}

static uint64_t flat_rights(const struct tree *t, bool supervisor)
{
	uint64_t rights = READ_RIGHTS;

	if (t->kind == TREE_WRITE)
		rights = LANDLOCK_ACCESS_FS_READ_FILE | WRITE_RIGHTS;
	else if (t->kind != TREE_READ && supervisor)
		rights |= CHANGE_RIGHTS;
	return t->is_file ? rights & FILE_RIGHTS : rights;
}

static int add_path(int ruleset, const char *path, bool optional, uint64_t rights)
{
	int kind = rights & ~FILE_RIGHTS ? O_DIRECTORY : 0;
	_cleanup_close_ int fd = open(path, O_PATH | O_CLOEXEC | O_NOFOLLOW | kind);

	if (fd < 0)
		return errno == ENOENT && optional ? 0 : -errno;
	return add_rule(ruleset, fd, rights);
}

int landlock_flat_rules(const struct launch *l, bool supervisor, int *ret_index)
{
	const struct ruleset_attr attr = { .handled_access_fs = READ_RIGHTS | CHANGE_RIGHTS,
					   .scoped = supervisor ? 0 : FLAT_SCOPE };
	_cleanup_close_ int ruleset = -1;
	int r = 0;

	*ret_index = -1;
	/* Without scopes the command could end any process of its user. */
	if (l->landlock_abi < LANDLOCK_FLAT_ABI)
		return -EOPNOTSUPP;
	ruleset = make_ruleset(&attr);
	if (ruleset < 0)
		return ruleset;
	for (size_t i = 0; i < l->plan->n_trees; i++) {
		const struct tree *t = &l->plan->trees[i];

		r = add_path(ruleset, t->path, t->optional, flat_rights(t, supervisor));
		if (r < 0) {
			*ret_index = (int)i;
			return r;
		}
	}
	/* A folder with something hidden in it is granted by its children, not listed. */
	for (size_t i = 0; supervisor && i < l->plan->shown.n; i++) {
		r = add_path(ruleset, l->plan->shown.v[i], true, LANDLOCK_ACCESS_FS_READ_DIR);
		if (r < 0 && r != -ENOTDIR)
			return r;
	}
	/* It reads the command's directory in /proc, and gives answers into its memory. */
	if (supervisor) {
		r = add_path(ruleset, "/proc", false,
			     LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR |
				     WRITE_RIGHTS);
		if (r < 0)
			return r;
	}
	/* The session's terminal is made by init, which is in this domain. */
	if (supervisor && l->use_pty) {
		const uint64_t rights = LANDLOCK_ACCESS_FS_READ_FILE | WRITE_RIGHTS;

		r = add_path(ruleset, "/dev/ptmx", false, rights);
		if (r >= 0)
			r = add_path(ruleset, "/dev/pts", false, rights);
	}
	return r < 0 ? r : take_fd(&ruleset);
}

int landlock_scope(void)
{
	const struct ruleset_attr attr = { .scoped = FLAT_SCOPE };
	_cleanup_close_ int ruleset = make_ruleset(&attr);

	return ruleset < 0 ? ruleset : landlock_confine(ruleset);
}

int landlock_confine(int ruleset)
{
	return syscall(SYS_landlock_restrict_self, ruleset, 0) < 0 ? -errno : 0;
}

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

int landlock_confine(int ruleset)
{
	return syscall(SYS_landlock_restrict_self, ruleset, 0) < 0 ? -errno : 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* User namespaces and capabilities. */
#include <fcntl.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "linux/setup.h"

static int write_proc(const char *path, const char *text, size_t len)
{
	_cleanup_close_ int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	return write(fd, text, len) == (ssize_t)len ? 0 : -errno;
}

int userns_map(uid_t uid, gid_t gid)
{
	char line[64];
	int n, r;

	/* setgroups must be denied before an unprivileged gid_map (user_namespaces(7)). */
	r = write_proc("/proc/self/setgroups", "deny", 4);
	if (r < 0)
		return r;
	n = snprintf(line, sizeof(line), "%u %u 1\n", uid, uid);
	r = write_proc("/proc/self/uid_map", line, (size_t)n);
	if (r < 0)
		return r;
	n = snprintf(line, sizeof(line), "%u %u 1\n", gid, gid);
	return write_proc("/proc/self/gid_map", line, (size_t)n);
}

int userns_limit(void)
{
	/* Counted along the whole chain of parents (namespaces(7), kernel/ucount.c):
	 * one for the inner namespace that init is about to make, none for whatever
	 * the command tries below it. clone3's flags are invisible to seccomp. */
	return write_proc("/proc/sys/user/max_user_namespaces", "1", 1);
}

int caps_drop(uint64_t keep)
{
	struct __user_cap_header_struct hdr = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = {
		{ .effective = (uint32_t)keep, .permitted = (uint32_t)keep },
		{ .effective = (uint32_t)(keep >> 32), .permitted = (uint32_t)(keep >> 32) },
	};

	return syscall(SYS_capset, &hdr, data) < 0 ? -errno : 0;
}

int caps_drop_bounding(void)
{
	for (int cap = 0; cap < 64; cap++)
		if (prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) < 0) {
			if (errno == EINVAL)
				return 0; /* past the last capability this kernel has */
			return -errno;
		}
	return 0;
}

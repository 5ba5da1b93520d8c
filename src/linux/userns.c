/* SPDX-License-Identifier: Apache-2.0 */
/* User namespaces and capabilities. */
#include <fcntl.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "linux/setup.h"

static int write_text(int fd, const char *text, size_t len)
{
	int r = fd < 0 || write(fd, text, len) != (ssize_t)len ? -errno : 0;

	close_quietly(fd);
	return r;
}

static int write_self(int proc, const char *name, const char *text, size_t len)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "%sself/%s", proc < 0 ? "/proc/" : "", name);
	return write_text(openat(proc, path, O_WRONLY | O_CLOEXEC), text, len);
}

int userns_map(int proc, uid_t uid, gid_t gid)
{
	char line[64];
	int n, r;

	/* setgroups must be denied before an unprivileged gid_map (user_namespaces(7)). */
	r = write_self(proc, "setgroups", "deny", 4);
	if (r < 0)
		return r;
	n = snprintf(line, sizeof(line), "%u %u 1\n", uid, uid);
	r = write_self(proc, "uid_map", line, (size_t)n);
	if (r < 0)
		return r;
	n = snprintf(line, sizeof(line), "%u %u 1\n", gid, gid);
	return write_self(proc, "gid_map", line, (size_t)n);
}

int userns_limit(bool inner)
{
	/* Counted along the whole chain of parents (namespaces(7), kernel/ucount.c):
	 * one for the inner namespace that init is about to make, none for whatever
	 * the command tries below it. clone3's flags are invisible to seccomp. */
	int fd = open("/proc/sys/user/max_user_namespaces", O_WRONLY | O_CLOEXEC);

	return write_text(fd, inner ? "1" : "0", 1);
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

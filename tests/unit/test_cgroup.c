/* SPDX-License-Identifier: Apache-2.0 */
/* Where control groups lie, from the texts of /proc. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "linux/cgroup.h"

static const char two[] =
	"24 30 0:22 / /proc rw,nosuid - proc proc rw\n"
	"30 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
	"36 30 0:30 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";
static const char one[] =
	"36 30 0:30 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
	"37 30 0:31 /docker/ab /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
	"38 30 0:32 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
	"39 30 0:33 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";

static void test_mounts(void **state)
{
	char at[64], root[64];

	assert_true(cgroup_find_mount(two, NULL, at, root, sizeof(at)));
	assert_string_equal(at, "/sys/fs/cgroup");
	assert_string_equal(root, "/");
	assert_false(cgroup_find_mount(two, "memory", at, root, sizeof(at)));
	assert_true(cgroup_find_mount(one, "memory", at, root, sizeof(at)));
	assert_string_equal(at, "/sys/fs/cgroup/memory");
	/* No prefix of another controller's name. */
	assert_true(cgroup_find_mount(one, "cpu", at, root, sizeof(at)));
	assert_string_equal(at, "/sys/fs/cgroup/cpu,cpuacct");
	assert_string_equal(root, "/docker/ab");
	assert_false(cgroup_find_mount(one, "pids", at, root, sizeof(at)));
	assert_true(cgroup_find_mount(one, NULL, at, root, sizeof(at)));
	assert_string_equal(at, "/sys/fs/cgroup/unified");
	/* What is escaped, cut, too long or empty is not used. */
	assert_false(cgroup_find_mount("1 2 0:3 / /a\\040b rw - cgroup2 x rw\n", NULL, at, root,
				       sizeof(at)));
	assert_false(cgroup_find_mount("1 2 0:3 / /a rw - cgroup2", NULL, at, root, sizeof(at)));
	assert_false(cgroup_find_mount(two, NULL, at, root, 8));
	assert_false(cgroup_find_mount("", NULL, at, root, sizeof(at)));
}

static void test_own(void **state)
{
	static const char text[] = "12:cpu,cpuacct:/a\n4:memory:/user.slice/x\n1:name=systemd:/n\n"
				   "0::/user.slice/user-1000.slice/s.scope\n";
	char path[64];

	assert_true(cgroup_find_own(text, NULL, path, sizeof(path)));
	assert_string_equal(path, "/user.slice/user-1000.slice/s.scope");
	assert_true(cgroup_find_own(text, "memory", path, sizeof(path)));
	assert_string_equal(path, "/user.slice/x");
	assert_true(cgroup_find_own(text, "cpu", path, sizeof(path)));
	assert_string_equal(path, "/a");
	assert_false(cgroup_find_own(text, "pids", path, sizeof(path)));
	assert_false(cgroup_find_own(text, "name", path, sizeof(path)));
	/* Outside of our namespace of groups: not ours to use. */
	assert_false(cgroup_find_own("0::/../../x\n", NULL, path, sizeof(path)));
	assert_false(cgroup_find_own("0::x\n", NULL, path, sizeof(path)));
	assert_false(cgroup_find_own("0:\n", NULL, path, sizeof(path)));
	assert_false(cgroup_find_own(text, NULL, path, 8));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mounts),
		cmocka_unit_test(test_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

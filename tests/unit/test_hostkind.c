/* SPDX-License-Identifier: Apache-2.0 */
/* What kind of place a host is, told apart in directories that stand in for its root. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fd.h"
#include "base/str.h"
#include "linux/host.h"
#include "policy/data.h"

struct root {
	char path[64];
	int fd;
};

static int setup(void **state)
{
	struct root *r = calloc(1, sizeof(*r));

	assert_non_null(r);
	(void)snprintf(r->path, sizeof(r->path), "/tmp/berm-host-XXXXXX");
	assert_non_null(mkdtemp(r->path));
	r->fd = open(r->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	assert_true(r->fd >= 0);
	*state = r;
	return 0;
}

static int teardown(void **state)
{
	static const char *const names[] = { ".dockerenv", "run/.containerenv",
					     "run/systemd/container", "proc/sentry-meminfo" };
	static const char *const dirs[] = { "run/systemd", "run", "proc" };
	struct root *r = *state;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		(void)unlinkat(r->fd, names[i], 0);
	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++)
		(void)unlinkat(r->fd, dirs[i], AT_REMOVEDIR);
	close_quietly(r->fd);
	assert_int_equal(rmdir(r->path), 0);
	free(r);
	return 0;
}

static void put(const struct root *r, const char *path, const char *text)
{
	char dir[64];
	_cleanup_close_ int fd = -1;

	(void)snprintf(dir, sizeof(dir), "%s", path);
	for (char *s = strchr(dir, '/'); s; s = strchr(s + 1, '/')) {
		*s = '\0';
		(void)mkdirat(r->fd, dir, 0755);
		*s = '/';
	}
	fd = openat(r->fd, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	assert_true(fd >= 0);
	assert_int_equal(fd_write_all(fd, text, strlen(text)), 0);
}

static const char *kind(const struct root *r, const char *release, const char *version,
			char *const *env)
{
	struct utsname u = { 0 };

	(void)snprintf(u.release, sizeof(u.release), "%s", release);
	(void)snprintf(u.version, sizeof(u.version), "%s", version);
	return host_kind_find(r->fd, &u, env)->name;
}

static void by_uname(void **state)
{
	const struct root *r = *state;

	assert_string_equal(kind(r, "6.1.0-18-amd64", "#1 SMP", NULL), "plain");
	assert_string_equal(kind(r, "4.4.0-19041-Microsoft", "#1-Microsoft", NULL), "wsl1");
	assert_string_equal(kind(r, "5.15.153.1-microsoft-standard-WSL2", "#1 SMP", NULL), "wsl2");
	assert_string_equal(kind(r, "4.4.0", "#1 SMP Sun Jan 10 15:06:54 PST 2016", NULL),
			    "gvisor");
}

static void by_files(void **state)
{
	const struct root *r = *state;

	put(r, "run/systemd/container", "lxc\n");
	assert_string_equal(kind(r, "6.1.0", "#1", NULL), "lxc");
	put(r, "run/systemd/container", "systemd-nspawn\n");
	assert_string_equal(kind(r, "6.1.0", "#1", NULL), "nspawn");
	put(r, "run/systemd/container", "something-new\n");
	assert_string_equal(kind(r, "6.1.0", "#1", NULL), "plain");
	put(r, ".dockerenv", "");
	assert_string_equal(kind(r, "6.1.0", "#1", NULL), "docker");
	/* A container on WSL 2 is a container. */
	assert_string_equal(kind(r, "5.15.1-microsoft-standard-WSL2", "#1", NULL), "docker");
	put(r, "run/.containerenv", "engine=podman\n");
	assert_string_equal(kind(r, "6.1.0", "#1", NULL), "podman");
	put(r, "proc/sentry-meminfo", "");
	assert_string_equal(kind(r, "6.1.0", "#1", NULL), "gvisor");
}

static void by_environment(void **state)
{
	static char session[] = "BERM_SESSION=b-0", other[] = "BERM_SESSIONS=1",
		    kube[] = "KUBERNETES_SERVICE_HOST=10.0.0.1";
	char *inside[] = { session, NULL }, *not_inside[] = { other, NULL },
	     *pod[] = { kube, NULL };
	const struct root *r = *state;

	assert_string_equal(kind(r, "6.1.0", "#1", inside), "berm");
	assert_string_equal(kind(r, "6.1.0", "#1", not_inside), "plain");
	assert_string_equal(kind(r, "6.1.0", "#1", pod), "kubernetes");
}

/* Every group of the list has its text, and every line is a test that is known. */
static void list_and_texts_agree(void **state)
{
	static const char *const tests[] = { "release ", "version ", "exists /", "holds /",
					     "env " };

	(void)state;
	for (size_t i = 0; i < data_host_kinds.n; i++) {
		const struct data_entry e_at = data_at(&data_host_kinds, i), *e = &e_at;
		bool known = false;

		for (size_t t = 0; t < ARRAY_SIZE(tests); t++)
			known |= str_starts(e->text, tests[t]);
		assert_true(known);
		assert_non_null(e->group);
		assert_non_null(host_kind_named(e->group));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(by_uname, setup, teardown),
		cmocka_unit_test_setup_teardown(by_files, setup, teardown),
		cmocka_unit_test_setup_teardown(by_environment, setup, teardown),
		cmocka_unit_test(list_and_texts_agree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

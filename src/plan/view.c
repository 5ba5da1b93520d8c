/* SPDX-License-Identifier: Apache-2.0 */
/* The whitelist view: one tmpfs is the new root. System directories are bound
 * into it read-only; private places are directories of it, bound over themselves
 * so that they stay writable when the root itself turns read-only. One tmpfs for
 * all of them is cheaper than one each. */
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "plan/build.h"

/* Never taken from the host, in any view. */
static const char *const private_top[] = { "proc", "dev",  "sys",  "tmp",	"run",
					   "var",  "home", "root", "lost+found" };

static const char *const system_top[] = { "usr",    "bin", "sbin", "lib", "lib32", "lib64",
					  "libx32", "etc", "opt",  "nix", "gnu" };

static const char *const devices[] = { "null", "zero", "full", "random", "urandom", "tty" };

static void top_level(struct plan_build *b, const char *name)
{
	char path[300], target[4096];
	struct stat st;
	ssize_t n;

	(void)snprintf(path, sizeof(path), "/%s", name);
	if (lstat(path, &st) < 0)
		return;
	if (S_ISLNK(st.st_mode)) {
		n = readlink(path, target, sizeof(target) - 1);
		if (n <= 0)
			return;
		target[n] = '\0';
		plan_step(b, STEP_SYMLINK, target, path, 0, 0);
	} else if (S_ISDIR(st.st_mode)) {
		plan_step(b, STEP_DIR, NULL, path, 0, 0755);
		plan_step(b, STEP_BIND, path, path, STEP_RO | STEP_REC | STEP_OPTIONAL, 0);
	}
}

static bool one_of(const char *name, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (streq(list[i], name))
			return true;
	return false;
}

/* --root host: every other top-level directory too, read-only. */
static void host_top_level(struct plan_build *b)
{
	_cleanup_closedir_ DIR *d = opendir("/");
	const struct dirent *e;

	if (!d) {
		b->failed = true;
		return;
	}
	while ((e = readdir(d)))
		if (e->d_name[0] != '.' &&
		    !one_of(e->d_name, private_top, ARRAY_SIZE(private_top)) &&
		    !one_of(e->d_name, system_top, ARRAY_SIZE(system_top)))
			top_level(b, e->d_name);
}

static void dev(struct plan_build *b)
{
	char path[64];

	plan_step(b, STEP_DIR, NULL, "/dev", 0, 0755);
	for (size_t i = 0; i < ARRAY_SIZE(devices); i++) {
		(void)snprintf(path, sizeof(path), "/dev/%s", devices[i]);
		plan_step(b, STEP_FILE, NULL, path, 0, 0644);
		plan_step(b, STEP_BIND, path, path, STEP_DEVICE | STEP_NOEXEC, 0);
	}
	plan_step(b, STEP_SYMLINK, "/proc/self/fd", "/dev/fd", 0, 0);
	plan_step(b, STEP_SYMLINK, "/proc/self/fd/0", "/dev/stdin", 0, 0);
	plan_step(b, STEP_SYMLINK, "/proc/self/fd/1", "/dev/stdout", 0, 0);
	plan_step(b, STEP_SYMLINK, "/proc/self/fd/2", "/dev/stderr", 0, 0);
	plan_step(b, STEP_SYMLINK, "pts/ptmx", "/dev/ptmx", 0, 0);
	plan_step(b, STEP_DIR, NULL, "/dev/pts", 0, 0755);
	plan_step(b, STEP_DEVPTS, NULL, "/dev/pts", 0, 0);
	plan_step(b, STEP_DIR, NULL, PLAN_MQUEUE, 0, 0755);
	plan_step(b, STEP_MQUEUE, NULL, PLAN_MQUEUE, 0, 0);
}

const char *plan_system_name(size_t i)
{
	return i < ARRAY_SIZE(system_top) ? system_top[i] : NULL;
}

const char *plan_device_name(size_t i)
{
	return i < ARRAY_SIZE(devices) ? devices[i] : NULL;
}

void plan_view_fixed(struct plan_build *b)
{
	for (size_t i = 0; i < ARRAY_SIZE(system_top); i++)
		top_level(b, system_top[i]);
	plan_step(b, STEP_DIR, NULL, "/proc", 0, 0755);
	dev(b);
	plan_step(b, STEP_DIR, NULL, "/dev/shm", 0, 01777);
	plan_step(b, STEP_DIR, NULL, "/tmp", 0, 01777);
	plan_step(b, STEP_DIR, NULL, "/run", 0, 0755);
	plan_step(b, STEP_DIR, NULL, "/var", 0, 0755);
	plan_step(b, STEP_DIR, NULL, "/var/tmp", 0, 01777);
	plan_step(b, STEP_SYMLINK, "/run", "/var/run", 0, 0);
	plan_step(b, STEP_DIR, NULL, "/home", 0, 0755);
	plan_step(b, STEP_DIR, NULL, "/root", 0, 0700);
	b->plan->n_fixed = b->plan->n_steps;
}

int plan_view(struct plan_build *b)
{
	static const char *const private[] = { "/dev/shm", "/tmp", "/run", "/var" };
	int r = 0;

	plan_view_fixed(b);
	if (b->spec->root == ROOT_HOST)
		host_top_level(b);
	plan_tree(b, TREE_WRITE, "/proc", false);
	/* The devices and terminals; nothing else lies there. */
	plan_tree(b, TREE_WRITE, "/dev", false);
	/* For mq_open(3) too: it works on a mount of the kernel's own with the same root. */
	plan_tree(b, TREE_NATIVE, PLAN_MQUEUE, true);
	for (size_t i = 0; r >= 0 && i < ARRAY_SIZE(private); i++)
		r = plan_point(b, POINT_PRIVATE, private[i], NULL);
	return r;
}

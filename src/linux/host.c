/* SPDX-License-Identifier: Apache-2.0 */
#include "linux/host.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fd.h"
#include "base/str.h"
#include "policy/data.h"
#include "policy/pattern.h"

#define FILE_MAX 4096u

static const struct host_kind kinds[] = {
	{ "berm", "a berm sandbox",
	  "this shell already runs inside a berm sandbox; start the command there without berm",
	  NULL },
	{ "wsl1", "Windows Subsystem for Linux 1, which has no Linux kernel",
	  "WSL 1 has no namespaces; in PowerShell run: wsl --set-version DISTRIBUTION 2", NULL },
	{ "gvisor", "a gVisor sandbox, whose kernel lacks parts of Linux's",
	  "gVisor lacks what berm needs; run berm where a Linux kernel is, or choose --sandbox off "
	  "knowingly: gVisor is a wall of its own",
	  NULL },
	{ "flatpak", "a Flatpak", "start berm on the host: flatpak-spawn --host berm run ...",
	  NULL },
	{ "kubernetes", "a Kubernetes container",
	  "set securityContext.seccompProfile.type: Unconfined (or a profile that allows clone and "
	  "unshare with namespaces, and mount) for this container",
	  "set securityContext.procMount: Unmasked, with hostUsers: false, for this container" },
	{ "podman", "a Podman container",
	  "start the container with --security-opt seccomp=unconfined",
	  "start the container with --security-opt unmask=ALL" },
	{ "docker", "a Docker container",
	  "start the container with --security-opt seccomp=unconfined --security-opt "
	  "apparmor=unconfined",
	  "start the container with --security-opt systempaths=unconfined" },
	{ "lxc", "an LXC container",
	  "on the host run: lxc config set NAME security.nesting true, and restart the container",
	  "on the host run: lxc config set NAME security.nesting true, and restart the container" },
	{ "nspawn", "a systemd-nspawn container",
	  "start the container with --system-call-filter='@mount clone unshare'", NULL },
	{ "wsl2", "Windows Subsystem for Linux 2", NULL, NULL },
};

static const struct host_kind plain = { "plain", "no container", NULL, NULL };

static bool file_holds(int root, const char *path, const char *text)
{
	_cleanup_free_ char *data = NULL;

	return fd_read_file(root, path + 1, FILE_MAX, &data, NULL) >= 0 && strstr(data, text);
}

static bool has_env(char *const *env, const char *name)
{
	size_t n = strlen(name);

	for (; env && *env; env++)
		if (strncmp(*env, name, n) == 0 && (*env)[n] == '=')
			return true;
	return false;
}

/* One line of the list: a word that says which test, and its argument. */
static bool holds(const char *line, int root, const struct utsname *uts, char *const *env)
{
	const char *arg = strchr(line, ' ');
	char path[256];
	size_t n;

	if (!arg++)
		return false;
	if (str_starts(line, "release "))
		return glob_match(arg, uts->release, false);
	if (str_starts(line, "version "))
		return glob_match(arg, uts->version, false);
	if (str_starts(line, "env "))
		return has_env(env, arg);
	if (str_starts(line, "exists "))
		return faccessat(root, arg + 1, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
	n = strcspn(arg, " ");
	if (!str_starts(line, "holds ") || !arg[n] || n >= sizeof(path))
		return false;
	memcpy(path, arg, n);
	path[n] = '\0';
	return file_holds(root, path, arg + n + 1);
}

const struct host_kind *host_kind_named(const char *name)
{
	for (size_t k = 0; k < ARRAY_SIZE(kinds); k++)
		if (streq(kinds[k].name, name))
			return &kinds[k];
	return NULL;
}

const struct host_kind *host_kind_find(int root, const struct utsname *uts, char *const *env)
{
	for (size_t i = 0; i < data_host_kinds.n; i++) {
		const struct data_entry e_at = data_at(&data_host_kinds, i), *e = &e_at;

		const struct host_kind *k;

		if (!e->group || !holds(e->text, root, uts, env))
			continue;
		k = host_kind_named(e->group);
		if (k)
			return k;
	}
	return &plain;
}

const struct host_kind *host_kind(void)
{
	_cleanup_close_ int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct utsname uts;

	if (uname(&uts) < 0)
		return &plain;
	return host_kind_find(root, &uts, environ);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What berm doctor tries inside the sandbox. Each probe is one forbidden thing, done the
 * plainest way: tests/escape has the others. Whoever runs this outside of a sandbox changes
 * nothing but the scratch place it was told of. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/keyctl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cli/doctor.h"

static int outcome(long r)
{
	return r < 0 ? errno : 0;
}

static int try_open(const char *path, int flags)
{
	_cleanup_close_ int fd = open(path, flags | O_CLOEXEC, 0600);

	if (fd < 0)
		return errno;
	if ((flags & O_ACCMODE) != O_RDONLY && write(fd, "x\n", 2) < 0)
		return errno;
	return 0;
}

static int below(const char *dir, const char *name, int flags)
{
	char path[600];

	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	return try_open(path, flags);
}

static bool there(const char *dir, const char *name)
{
	char path[600];

	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	return faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

static int read_secret(const struct doctor_place *p)
{
	return try_open(p->secret, O_RDONLY);
}

static int write_outside(const struct doctor_place *p)
{
	return try_open(p->out, O_WRONLY | O_CREAT);
}

static bool outside_seen(const struct doctor_place *p)
{
	return faccessat(AT_FDCWD, p->out, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

static int git_hook(const struct doctor_place *p)
{
	return below(p->ws, ".git/hooks/post-checkout", O_WRONLY | O_CREAT);
}

static bool hook_seen(const struct doctor_place *p)
{
	return there(p->ws, ".git/hooks/post-checkout");
}

static int env_file(const struct doctor_place *p)
{
	return below(p->ws, ".env", O_WRONLY | O_CREAT);
}

static bool env_seen(const struct doctor_place *p)
{
	return there(p->ws, ".env");
}

static int agent_settings(const struct doctor_place *p)
{
	return below(p->ws, ".mcp.json", O_WRONLY | O_CREAT);
}

static bool agent_seen(const struct doctor_place *p)
{
	return there(p->ws, ".mcp.json");
}

static int write_system(const struct doctor_place *p)
{
	(void)p;
	return try_open("/usr/berm-doctor", O_WRONLY | O_CREAT);
}

static bool system_seen(const struct doctor_place *p)
{
	(void)p;
	return there("/usr", "berm-doctor");
}

/* Only an answer of the other side is a way out. */
static int try_connect(const char *address, unsigned port)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
	_cleanup_close_ int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct pollfd p = { .fd = fd, .events = POLLOUT };
	int err = 0;
	socklen_t len = sizeof(err);

	if (fd < 0)
		return errno;
	(void)inet_pton(AF_INET, address, &a.sin_addr);
	if (connect(fd, (struct sockaddr *)&a, sizeof(a)) == 0)
		return 0;
	if (errno != EINPROGRESS)
		return errno;
	if (poll(&p, 1, 5000) == 0)
		return ETIMEDOUT;
	return getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &len) < 0 ? errno : err;
}

static int metadata(const struct doctor_place *p)
{
	(void)p;
	return try_connect("169.254.169.254", 80);
}

static int host_loopback(const struct doctor_place *p)
{
	return try_connect("127.0.0.1", p->port);
}

static bool loopback_seen(const struct doctor_place *p)
{
	struct pollfd in = { .fd = p->listener, .events = POLLIN };

	return poll(&in, 1, 0) > 0;
}

static int trace_init(const struct doctor_place *p)
{
	(void)p;
	return outcome(ptrace(PTRACE_SEIZE, 1, NULL, NULL));
}

static int mount_something(const struct doctor_place *p)
{
	(void)p;
	return outcome(mount("none", "/tmp", "tmpfs", 0, NULL));
}

static int nested_userns(const struct doctor_place *p)
{
	(void)p;
	return outcome(unshare(CLONE_NEWUSER));
}

static int kernel_setting(const struct doctor_place *p)
{
	_cleanup_close_ int fd = open("/proc/sys/kernel/core_pattern", O_WRONLY | O_CLOEXEC);

	(void)p;
	return fd < 0 ? errno : 0; /* that it could be written is enough */
}

static int io_uring(const struct doctor_place *p)
{
	char params[256] = { 0 };

	(void)p;
	return outcome(syscall(__NR_io_uring_setup, 4, params));
}

static int bpf_program(const struct doctor_place *p)
{
	int err = outcome(syscall(__NR_bpf, 0, NULL, 0));

	(void)p;
	/* Anything else, EINVAL: the kernel looked at it. */
	return err == EPERM || err == ENOSYS ? err : 0;
}

static int keyring(const struct doctor_place *p)
{
	(void)p;
	return outcome(syscall(__NR_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_USER_KEYRING, 1));
}

static int packet_socket(const struct doctor_place *p)
{
	_cleanup_close_ int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);

	(void)p;
	return fd < 0 ? errno : 0;
}

static int privileges(const struct doctor_place *p)
{
	/* In a pid namespace the sandbox's init is 1. Without namespaces an ordinary user's
	 * bounding set cannot be emptied; no_new_privs holds the same. */
	bool can_empty = getppid() == 1 || geteuid() == 0;

	(void)p;
	for (int cap = 0; cap < 64 && can_empty; cap++)
		if (prctl(PR_CAPBSET_READ, cap, 0, 0, 0) > 0)
			return 0;
	return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? EPERM : 0;
}

static int type_into_terminal(const struct doctor_place *p)
{
	char c = 'x';

	(void)p;
	/* Held by the filter, whatever the descriptor is. */
	if (ioctl(STDIN_FILENO, TIOCSTI, &c) == 0)
		return 0;
	return errno == EPERM || errno == EIO || errno == ENOTTY ? errno : 0;
}

const struct doctor_probe doctor_probes[] = {
	{ "secret", "read a file beside the workspace", read_secret, NULL, true },
	{ "outside", "write beside the workspace", write_outside, outside_seen, false },
	{ "system", "write in a system directory", write_system, system_seen, false },
	{ "git-hook", "make a git hook", git_hook, hook_seen, false },
	{ "env-file", "make a .env file", env_file, env_seen, false },
	{ "agent", "make an agent's settings file", agent_settings, agent_seen, false },
	{ "metadata", "reach the cloud's metadata service", metadata, NULL, false },
	{ "loopback", "reach a server of the host's", host_loopback, loopback_seen, false },
	{ "privileges", "gain privileges by executing", privileges, NULL, false },
	{ "ptrace", "trace the sandbox's init", trace_init, NULL, false },
	{ "mount", "mount a file system", mount_something, NULL, false },
	{ "userns", "make a user namespace", nested_userns, NULL, false },
	{ "setting", "write a kernel setting", kernel_setting, NULL, false },
	{ "io-uring", "use io_uring", io_uring, NULL, false },
	{ "bpf", "load a BPF program", bpf_program, NULL, false },
	{ "keyring", "use the user's keyring", keyring, NULL, false },
	{ "packet", "open a packet socket", packet_socket, NULL, false },
	{ "tiocsti", "type into the terminal", type_into_terminal, NULL, false },
};
const size_t doctor_probes_n = ARRAY_SIZE(doctor_probes);

int doctor_inside(int argc, char **argv)
{
	struct doctor_place p = { .listener = -1 };

	if (argc != 4)
		return 2;
	(void)snprintf(p.ws, sizeof(p.ws), "%s", argv[0]);
	(void)snprintf(p.secret, sizeof(p.secret), "%s", argv[1]);
	(void)snprintf(p.out, sizeof(p.out), "%s", argv[2]);
	p.port = (unsigned)strtoul(argv[3], NULL, 10);
	for (size_t i = 0; i < doctor_probes_n; i++)
		(void)printf("%s %d\n", doctor_probes[i].name, doctor_probes[i].tries(&p));
	return fflush(stdout) == 0 ? 0 : 1;
}

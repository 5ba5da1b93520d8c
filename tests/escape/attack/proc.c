/* SPDX-License-Identifier: Apache-2.0 */
/* Against other processes: the argument is a pid, as the host knows it or as the
 * sandbox does. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attack.h"

static pid_t pid_of(const char *arg)
{
	return (pid_t)atoi(arg);
}

static long p_kill(const char *arg)
{
	return kill(pid_of(arg), SIGKILL);
}

static long p_tgkill(const char *arg)
{
	return syscall(SYS_tgkill, pid_of(arg), pid_of(arg), SIGKILL);
}

static long p_kill_group(const char *arg)
{
	(void)arg;
	signal(SIGUSR1, SIG_IGN);
	return kill(0, SIGUSR1);
}

static long p_kill_all(const char *arg)
{
	(void)arg;
	signal(SIGUSR1, SIG_IGN);
	return kill(-1, SIGUSR1);
}

static long p_sigqueue(const char *arg)
{
	union sigval v = { .sival_int = 1 };

	return sigqueue(pid_of(arg), SIGKILL, v);
}

static long p_pidfd_signal(const char *arg)
{
	long fd = syscall(SYS_pidfd_open, pid_of(arg), 0);

	return fd < 0 ? -1 : syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0);
}

static long p_ptrace(const char *arg)
{
	if (ptrace(PTRACE_ATTACH, pid_of(arg), NULL, NULL) < 0)
		return -1;
	waitpid(pid_of(arg), NULL, 0);
	return ptrace(PTRACE_DETACH, pid_of(arg), NULL, NULL);
}

static long p_seize(const char *arg)
{
	return ptrace(PTRACE_SEIZE, pid_of(arg), NULL, NULL);
}

/* The first readable mapping of the process, from /proc/PID/maps. */
static unsigned long first_map(const char *arg)
{
	char path[64];
	unsigned long start = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%s/maps", arg);
	f = fopen(path, "r");
	if (!f)
		return 0x400000;
	if (fscanf(f, "%lx", &start) != 1)
		start = 0x400000;
	fclose(f);
	return start;
}

static long p_vm_read(const char *arg)
{
	char buf[16];
	struct iovec l = { buf, sizeof(buf) };
	struct iovec r = { (void *)first_map(arg), sizeof(buf) };

	return process_vm_readv(pid_of(arg), &l, 1, &r, 1, 0);
}

static long p_vm_write(const char *arg)
{
	char buf[1] = { 0 };
	struct iovec l = { buf, 1 };
	struct iovec r = { (void *)16, 1 };

	/* nothing is mapped there: EFAULT says that the permission was given */
	return process_vm_writev(pid_of(arg), &l, 1, &r, 1, 0);
}

static long open_of(const char *arg, const char *what, int flags)
{
	char path[128];

	snprintf(path, sizeof(path), "/proc/%s/%s", arg, what);
	return open(path, flags);
}

static long p_mem(const char *arg)
{
	return open_of(arg, "mem", O_RDWR);
}

static long p_environ(const char *arg)
{
	return dump_fd((int)open_of(arg, "environ", O_RDONLY));
}

static long p_root(const char *arg)
{
	return dump_fd((int)open_of(arg, "root/etc/hostname", O_RDONLY));
}

static long p_cwd(const char *arg)
{
	return open_of(arg, "cwd", O_RDONLY | O_DIRECTORY);
}

static long p_fd(const char *arg)
{
	char path[64];
	DIR *d;
	long n = 0;

	snprintf(path, sizeof(path), "/proc/%s/fd", arg);
	d = opendir(path);
	if (!d)
		return -1;
	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

static long p_getfd(const char *arg)
{
	long fd = syscall(SYS_pidfd_open, pid_of(arg), 0);

	if (fd < 0)
		return -1;
	for (int i = 0; i < 64; i++)
		if (syscall(SYS_pidfd_getfd, fd, i, 0) >= 0)
			return 0;
	return -1;
}

static long enter(const char *arg, const char *ns, int type)
{
	long fd = open_of(arg, ns, O_RDONLY);

	return fd < 0 ? -1 : setns((int)fd, type);
}

static long p_setns_mnt(const char *arg)
{
	return enter(arg, "ns/mnt", CLONE_NEWNS);
}

static long p_setns_user(const char *arg)
{
	return enter(arg, "ns/user", CLONE_NEWUSER);
}

static long p_setns_pid(const char *arg)
{
	return enter(arg, "ns/pid", CLONE_NEWPID);
}

static long p_setns_net(const char *arg)
{
	return enter(arg, "ns/net", CLONE_NEWNET);
}

static long p_pidfd_setns(const char *arg)
{
	long fd = syscall(SYS_pidfd_open, pid_of(arg), 0);

	return fd < 0 ? -1 : setns((int)fd, CLONE_NEWNS | CLONE_NEWNET);
}

static long p_prlimit(const char *arg)
{
	struct rlimit r = { 0, 0 };

	return prlimit(pid_of(arg), RLIMIT_FSIZE, &r, NULL);
}

static long p_setpriority(const char *arg)
{
	return setpriority(PRIO_PROCESS, (id_t)pid_of(arg), 19);
}

static long p_setpriority_group(const char *arg)
{
	(void)arg;
	return setpriority(PRIO_PGRP, 0, 19);
}

static long p_ioprio_group(const char *arg)
{
	(void)arg;
	return syscall(SYS_ioprio_set, 2 /* IOPRIO_WHO_PGRP */, 0, 3 << 13 /* idle */);
}

static long p_affinity(const char *arg)
{
	cpu_set_t s;

	CPU_ZERO(&s);
	CPU_SET(0, &s);
	return sched_setaffinity(pid_of(arg), sizeof(s), &s);
}

static long p_kcmp(const char *arg)
{
	return syscall(SYS_kcmp, getpid(), pid_of(arg), 2 /* KCMP_FILES */, 0, 0);
}

const struct form proc_forms[] = {
	{ "kill", p_kill },
	{ "tgkill", p_tgkill },
	{ "kill-group", p_kill_group },
	{ "kill-all", p_kill_all },
	{ "sigqueue", p_sigqueue },
	{ "pidfd-signal", p_pidfd_signal },
	{ "ptrace-attach", p_ptrace },
	{ "ptrace-seize", p_seize },
	{ "vm-readv", p_vm_read },
	{ "vm-writev", p_vm_write },
	{ "proc-mem", p_mem },
	{ "proc-environ", p_environ },
	{ "proc-root", p_root },
	{ "proc-cwd", p_cwd },
	{ "proc-fd", p_fd },
	{ "pidfd-getfd", p_getfd },
	{ "setns-mnt", p_setns_mnt },
	{ "setns-user", p_setns_user },
	{ "setns-pid", p_setns_pid },
	{ "setns-net", p_setns_net },
	{ "pidfd-setns", p_pidfd_setns },
	{ "prlimit", p_prlimit },
	{ "setpriority", p_setpriority },
	{ "setpriority-group", p_setpriority_group },
	{ "ioprio-group", p_ioprio_group },
	{ "sched-affinity", p_affinity },
	{ "kcmp", p_kcmp },
	{ NULL, NULL },
};

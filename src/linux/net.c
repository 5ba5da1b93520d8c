/* SPDX-License-Identifier: Apache-2.0 */
/* The network namespace's own settings. */
#include <fcntl.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "linux/setup.h"

int net_loopback_up(void)
{
	struct ifreq ifr = { .ifr_name = "lo" };
	_cleanup_close_ int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	ifr.ifr_flags = IFF_UP | IFF_RUNNING;
	return ioctl(fd, SIOCSIFFLAGS, &ifr) < 0 ? -errno : 0;
}

int net_open_sysctl(int proc)
{
	int fd = openat(proc, "sys", O_PATH | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static void set(int sysctl, const char *path, const char *value)
{
	_cleanup_close_ int fd = openat(sysctl, path, O_WRONLY | O_CLOEXEC);

	if (fd >= 0 && write(fd, value, strlen(value)) < 0)
		return; /* see below */
}

/* Each makes something better and none holds anything back, so one that a kernel does
 * not have is left as it is. They are written before the kit's sockets are made:
 * those take the congestion control that is in force then. Nine microseconds each. */
void net_tune(int sysctl, unsigned ask_seconds)
{
	char retries[16];

	/* Pacing for the wide world (bbr) costs a third of the throughput on loopback;
	 * reno is always there and always allowed. */
	set(sysctl, "net/ipv4/tcp_congestion_control", "reno");
	/* A server of the command's may have port 80. */
	set(sysctl, "net/ipv4/ip_unprivileged_port_start", "0");
	/* The first packet waits while somebody is asked, and by itself gives up after 127 s (6
	 * retries); the seventh and each after it is two minutes more. */
	if (ask_seconds <= 120)
		return;
	(void)snprintf(retries, sizeof(retries), "%u", 7 + ask_seconds / 120);
	set(sysctl, "net/ipv4/tcp_syn_retries", retries);
}

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

/* Each makes something better and none holds anything back, so one that a kernel does
 * not have is left as it is. They are written before the kit's sockets are made:
 * those take the congestion control that is in force then. */
void net_tune(int sysctl)
{
	static const struct {
		const char *path, *value;
	} all[] = {
		/* Pacing for the wide world (bbr) costs a third of the throughput on loopback;
		 * reno is always there and always allowed. */
		{ "net/ipv4/tcp_congestion_control", "reno" },
		/* The ACK of a cookie would be a first packet that is no SYN. */
		{ "net/ipv4/tcp_syncookies", "0" },
		/* Somebody is asked while the SYN waits: minutes. */
		{ "net/ipv4/tcp_syn_retries", "8" },
		/* A server of the command's may have port 80. */
		{ "net/ipv4/ip_unprivileged_port_start", "0" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		_cleanup_close_ int fd = openat(sysctl, all[i].path, O_WRONLY | O_CLOEXEC);

		if (fd >= 0 && write(fd, all[i].value, strlen(all[i].value)) < 0)
			continue;
	}
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The network namespace: closed, with a working loopback. */
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

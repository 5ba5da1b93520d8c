/* SPDX-License-Identifier: Apache-2.0 */
/* A process of the command's wants to talk to the session (a berm run inside it, which can make no
 * sandbox by itself): it calls openat() on a socket of its own with flags that open nothing on any
 * kernel (linux/doorbell.h). So nothing of berm's lies in the view or stays open in the command,
 * and a run that never asks pays nothing. The socket goes to the warden, and from there to the
 * steward, which believes nothing that comes out of it. */
#include <errno.h>

#include "base/fd.h"
#include "linux/doorbell.h"
#include "linux/record.h"
#include "linux/supervisor/sup.h"

int doorbell_rings(int flags)
{
	return (flags & ~DOORBELL_LIBC) == DOORBELL_FLAGS;
}

int doorbell(struct request *r, int number)
{
	_cleanup_close_ int fd = target_fd(r, number);
	struct rec_header h = {
		.magic = REC_MAGIC, .type = REC_DOORBELL, .pid = r->tid, .op = -1, .rule = -1
	};
	int err;

	if (fd < 0)
		return fd;
	err = target_alive(r);
	if (err)
		return err;
	if (fd_send_msg(r->sup->in->events, &h, sizeof(h), fd) < 0)
		return -EAGAIN;
	return -DOORBELL_HEARD;
}

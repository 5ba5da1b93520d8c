/* SPDX-License-Identifier: Apache-2.0 */
/* Handing a descriptor over.
 *
 * The caller itself puts it into its table: ADDFD wakes it, and waits until it has. That
 * wake-up does not know that we will sleep at once (SYNC_WAKE_UP covers SEND only), so on
 * a machine with an idle CPU the caller is moved there: some 40 us in a virtual machine, for
 * every file that is opened. Between RECV and SEND the caller is blocked, so where this
 * is measured to happen it is bound to our CPU for the time of the ADDFD and given its own
 * mask back before the answer: it cannot tell. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>

#include "linux/kern.h"
#include "linux/supervisor/sup.h"

#define SLOW_NS                                                                                  \
	25000u		/* an ADDFD that moved the caller takes longer, one that did not takes a \
			 * third of it */
#define LOOK_AGAIN 512u /* descriptors until the bound way is left to see whether it still pays */
#define LOOK_LENGTH 16u

static uint64_t now_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int add_fd(const struct request *r)
{
	struct seccomp_notif_addfd add = {
		.id = r->id,
		.srcfd = (uint32_t)r->fd,
		.newfd_flags = r->cloexec ? O_CLOEXEC : 0,
	};
	int number;

	if (r->number) {
		add.flags = SECCOMP_ADDFD_FLAG_SETFD;
		add.newfd = (uint32_t)r->number;
	}
	number = ioctl(r->sup->listener, SECCOMP_IOCTL_NOTIF_ADDFD, &add);
	/* A lower limit of open files: any number will do then. */
	if (number < 0 && r->number && errno == EBADF) {
		add.flags = 0;
		add.newfd = 0;
		number = ioctl(r->sup->listener, SECCOMP_IOCTL_NOTIF_ADDFD, &add);
	}
	return number < 0 ? -errno : number;
}

/* Raw calls: the kernel's mask is as long as the machine needs. */
static int add_fd_bound(const struct request *r)
{
	unsigned long old[128] = { 0 }, here[128] = { 0 };
	const unsigned bits = 8 * sizeof(here[0]);
	long size = syscall(SYS_sched_getaffinity, r->tid, sizeof(old), old);
	int number, cpu = sched_getcpu();
	bool bound;

	if (size <= 0 || cpu < 0 || (unsigned)cpu >= bits * ARRAY_SIZE(here))
		return add_fd(r);
	here[(unsigned)cpu / bits] = 1ul << ((unsigned)cpu % bits);
	bound = old[(unsigned)cpu / bits] & here[(unsigned)cpu / bits] &&
		syscall(SYS_sched_setaffinity, r->tid, (size_t)size, here) == 0;
	number = add_fd(r);
	if (bound)
		(void)syscall(SYS_sched_setaffinity, r->tid, (size_t)size, old);
	return number;
}

static int give_measured(const struct request *r)
{
	struct worker *w = r->w;
	uint64_t begin;
	int number;

	if (w->pin && w->gives++ < LOOK_AGAIN)
		return add_fd_bound(r);
	begin = now_ns();
	number = add_fd(r);
	w->give_ns = (w->give_ns * 7 + (now_ns() - begin)) / 8;
	if (!w->pin) {
		w->pin = w->give_ns > SLOW_NS;
		w->gives = 0;
	} else if (w->gives >= LOOK_AGAIN + LOOK_LENGTH) {
		w->pin = w->give_ns > SLOW_NS;
		w->gives = 0;
	}
	return number;
}

int request_give(struct request *r)
{
	int number = give_measured(r);

	close_quietly(r->fd);
	r->fd = -1;
	return number;
}

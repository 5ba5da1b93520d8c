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

#define SLOW_NS                                                                         \
	25000u /* an ADDFD that moved the caller takes longer, one that did not takes a \
		* third of it */
#define LOOK_AGAIN                                                                    \
	2048u /* descriptors until the bound way is left to see whether it still pays \
	       */
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
	unsigned long old[CPU_WORDS] = { 0 }, here[CPU_WORDS] = { 0 };
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

/* Binds this thread to the CPU it runs on, or lets it go again: woken by a bound caller it
 * would be moved away from it otherwise. */
static atomic_ullong taken; /* CPUs that threads of ours are bound to, as far as they fit */

static unsigned long long cpu_bit(int cpu)
{
	return cpu < 64 ? 1ull << cpu : 0;
}

static bool bind_self(struct worker *w, bool bind)
{
	unsigned long here[CPU_WORDS] = { 0 };
	const unsigned bits = 8 * sizeof(here[0]);
	int cpu = sched_getcpu();

	if (!bind) {
		atomic_fetch_and(&taken, ~cpu_bit(w->cpu));
		return syscall(SYS_sched_setaffinity, 0, w->mask_size, w->mask) == 0;
	}
	if (!w->mask_size) {
		long size = syscall(SYS_sched_getaffinity, 0, sizeof(w->mask), w->mask);

		w->mask_size = size > 0 ? (size_t)size : 0;
	}
	if (!w->mask_size || cpu < 0 || (unsigned)cpu >= bits * CPU_WORDS)
		return false;
	here[(unsigned)cpu / bits] = 1ul << ((unsigned)cpu % bits);
	/* Two of us on one CPU would leave another without any. */
	if (atomic_fetch_or(&taken, cpu_bit(cpu)) & cpu_bit(cpu))
		return false;
	w->cpu = cpu;
	if (syscall(SYS_sched_setaffinity, 0, w->mask_size, here) == 0)
		return true;
	atomic_fetch_and(&taken, ~cpu_bit(cpu));
	return false;
}

static void pin(struct worker *w, bool on)
{
	if (w->pin != on && (bind_self(w, on) || !on))
		w->pin = on;
	w->gives = 0;
}

void give_unpin(struct worker *w)
{
	pin(w, false);
	w->give_ns = 0;
}

static int give_measured(const struct request *r)
{
	struct worker *w = r->w;
	uint64_t begin;
	int number;

	if (w->pin) {
		number = add_fd_bound(r);
		if (++w->gives >= LOOK_AGAIN) {
			give_unpin(w);
		}
		return number;
	}
	begin = now_ns();
	number = add_fd(r);
	w->give_ns = (w->give_ns * 7 + (now_ns() - begin)) / 8;
	if (++w->gives >= LOOK_LENGTH && w->give_ns > SLOW_NS)
		pin(w, true);
	return number;
}

int request_give(struct request *r)
{
	int number = give_measured(r);

	close_quietly(r->fd);
	r->fd = -1;
	return number;
}

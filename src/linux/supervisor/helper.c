/* SPDX-License-Identifier: Apache-2.0 */
/* Opens that wait (a FIFO without its other end): each in a thread of its own, so that
 * the one that serves never does. They work on a descriptor; no name is involved any more.
 *
 * The caller may be killed while its open waits. A thread looks after that: it
 * pokes every waiting one whose notification is gone. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>

#include "linux/kern.h"
#include "linux/supervisor/sup.h"

#define HELPERS_MAX 32u
#define STACK_SIZE (64u * 1024u)
#define LOOK_NS 100000000L

struct helper {
	bool used;
	pthread_t thread;
	struct sup *sup;
	uint64_t id;
	int fd;
	int flags;
};

static struct helper helpers[HELPERS_MAX];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool minder_runs;

static void on_poke(int sig)
{
	(void)sig;
}

static bool alive(const struct helper *h)
{
	return ioctl(h->sup->listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &h->id) == 0;
}

static void *helper_main(void *arg)
{
	struct helper *h = arg;
	struct request *r = calloc(1, sizeof(*r));
	struct worker w = { .sup = h->sup };
	int fd = -1, err = -ENOMEM;

	w.resp = calloc(1, h->sup->resp_size);
	if (r && w.resp) {
		r->sup = h->sup;
		r->w = &w;
		r->id = h->id;
		do {
			fd = openat(h->sup->host_proc, fd_name(h->fd).text, h->flags | O_CLOEXEC);
			err = fd < 0 ? -errno : 0;
		} while (err == -EINTR && alive(h));
		close_quietly(h->fd);
		r->fd = fd;
		r->cloexec = h->flags & O_CLOEXEC;
		request_answer(r, err ? err : SUP_FD);
	} else {
		close_quietly(h->fd);
	}
	free(w.resp);
	free(r);
	pthread_mutex_lock(&lock);
	h->used = false;
	pthread_mutex_unlock(&lock);
	return NULL;
}

/* Runs while there is a helper. */
static void *minder_main(void *arg)
{
	const struct timespec pause = { .tv_nsec = LOOK_NS };
	bool any = true;

	(void)arg;
	while (any) {
		(void)nanosleep(&pause, NULL);
		any = false;
		pthread_mutex_lock(&lock);
		for (size_t i = 0; i < HELPERS_MAX; i++) {
			if (!helpers[i].used)
				continue;
			any = true;
			if (!alive(&helpers[i]))
				(void)pthread_kill(helpers[i].thread, SIGUSR1);
		}
		if (!any)
			minder_runs = false;
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

static int start(pthread_t *thread, void *(*fn)(void *), void *arg)
{
	pthread_attr_t attr;
	int err;

	if (pthread_attr_init(&attr))
		return -ENOMEM;
	err = pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	if (!err)
		err = pthread_attr_setstacksize(&attr, STACK_SIZE);
	if (!err)
		err = pthread_create(thread, &attr, fn, arg);
	(void)pthread_attr_destroy(&attr);
	return -err;
}

/* Called with lock held. */
static int start_helper(struct helper *h)
{
	struct sigaction act = { .sa_handler = on_poke };
	pthread_t minder;
	int err;

	/* Without SA_RESTART: the poke is to end the open. */
	if (!minder_runs) {
		if (sigaction(SIGUSR1, &act, NULL) < 0)
			return -errno;
		err = start(&minder, minder_main, NULL);
		if (err)
			return err;
		minder_runs = true;
	}
	h->used = true;
	err = start(&h->thread, helper_main, h);
	if (err)
		h->used = false;
	return err;
}

int helper_open(struct request *r, int fd, int flags)
{
	int err = -EAGAIN;

	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < HELPERS_MAX && err == -EAGAIN; i++) {
		struct helper *h = &helpers[i];

		if (h->used)
			continue;
		h->sup = r->sup;
		h->id = r->id;
		h->fd = fd;
		h->flags = flags;
		err = start_helper(h);
	}
	pthread_mutex_unlock(&lock);
	if (err) {
		close_quietly(fd);
		return err;
	}
	return SUP_LATER;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* More threads that take notifications, while one is not enough.
 *
 * A caller and the thread that serves it pass one CPU back and forth; a second thread waiting
 * beside the first only gets between them (measured: 3.5 us a call). Programs that work
 * side by side want one thread per CPU. So the first one looks now and then
 * whether the next request is already there when it comes back for it, and wakes a
 * follower when that goes on; a follower goes to sleep again when it does not. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include "linux/supervisor/sup.h"

#define FOLLOWERS_MAX 3u
#define STACK_SIZE (512u * 1024u)
#define LOOK_EVERY 16u
#define SCORE_WAKE 12u	 /* looks that found work waiting, less those that did not */
#define FOLLOWER_LOOK 8u /* a follower looks more often */
#define FOLLOWER_IDLE 4u /* and sleeps after so many looks in vain */

struct follower {
	struct worker w;
	struct request r;
	bool exists, awake; /* under lock */
};

static struct follower followers[FOLLOWERS_MAX];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;

static bool work_waits(const struct sup *s)
{
	struct pollfd p = { .fd = s->listener, .events = POLLIN };

	return poll(&p, 1, 0) == 1 && p.revents == POLLIN;
}

static void follow(struct follower *f)
{
	unsigned idle = 0, n = 0;

	while (idle < FOLLOWER_IDLE) {
		if (serve_one(&f->w, &f->r) < 0)
			return; /* the first thread sees it too, and ends the session */
		if (++n % FOLLOWER_LOOK == 0)
			idle = work_waits(f->w.sup) ? 0 : idle + 1;
	}
}

static void *follower_main(void *arg)
{
	struct follower *f = arg;

	f->r.w = &f->w;
	f->r.sup = f->w.sup;
	if (worker_init(&f->w, f->w.sup) < 0)
		return NULL;
	for (;;) {
		follow(f);
		worker_rest(&f->w);
		pthread_mutex_lock(&lock);
		f->awake = false;
		while (!f->awake)
			pthread_cond_wait(&wake, &lock);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

static int start(struct follower *f)
{
	pthread_attr_t attr;
	pthread_t thread;
	int err;

	if (pthread_attr_init(&attr))
		return -ENOMEM;
	err = pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	if (!err)
		err = pthread_attr_setstacksize(&attr, STACK_SIZE);
	if (!err)
		err = pthread_create(&thread, &attr, follower_main, f);
	(void)pthread_attr_destroy(&attr);
	return -err;
}

/* Wakes one that sleeps, or makes one. */
static void call_follower(struct sup *s)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	pthread_mutex_lock(&lock);
	for (unsigned i = 0; i < FOLLOWERS_MAX && (long)i + 1 < cpus; i++) {
		struct follower *f = &followers[i];

		if (f->awake)
			continue;
		f->awake = true;
		if (f->exists) {
			pthread_cond_broadcast(&wake);
		} else {
			f->w.sup = s;
			f->exists = start(f) == 0;
			/* One that cannot be made is not tried again. */
		}
		break;
	}
	pthread_mutex_unlock(&lock);
}

void crew_look(struct sup *s)
{
	static unsigned n, score;

	if (++n % LOOK_EVERY)
		return;
	if (!work_waits(s)) {
		score = score > 1 ? score - 2 : 0;
	} else if (++score >= SCORE_WAKE) {
		score = 0;
		call_follower(s);
	}
}

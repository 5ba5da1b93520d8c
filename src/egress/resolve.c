/* SPDX-License-Identifier: Apache-2.0 */
/* The threads share nothing with the loop but two lists under one lock and an eventfd. They
 * run no callback and know no connection: a slow server holds a thread, never the loop. */
#include "egress/resolve.h"

#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <time.h>

#include "base/fd.h"
#include "base/str.h"
#include "egress/tuple.h"

#define THREADS_MAX 8u
#define STACK_SIZE (256u << 10)
#define IDLE_SECONDS 20
#define BUCKETS 256u
#define ENTRIES_MAX 4096u
#define KEEP_MS 5000u	  /* addresses: the name's own TTL is not known here */
#define KEEP_ERR_MS 1000u /* failures */

struct entry {
	struct dead dead;
	struct entry *hnext;
	struct entry *job; /* in one of the lists */
	struct lookup waiting;
	uint64_t until; /* 0: pending */
	uint32_t hash;
	struct resolved result;
	char name[];
};

struct resolver {
	struct watch done_event;
	struct broker *b;
	struct entry *bucket[BUCKETS];
	unsigned n;
	/* under the lock */
	pthread_mutex_t lock;
	pthread_cond_t work;
	struct entry *todo, **todo_last;
	struct entry *done;
	unsigned threads, idle;
};

static void add_result(struct resolved *r, const struct sockaddr *sa, socklen_t len)
{
	struct sockaddr_storage ss = { 0 };
	struct ip_addr ip;
	uint16_t port;

	if (r->n == RESOLVED_MAX || len > sizeof(ss))
		return;
	memcpy(&ss, sa, len);
	if (!tuple_end(&ss, &ip, &port))
		return;
	for (unsigned i = 0; i < r->n; i++)
		if (ip_equal(&r->ip[i], &ip))
			return;
	r->ip[r->n++] = ip;
}

static int errno_of(int eai)
{
	switch (eai) {
	case EAI_NONAME:
	case EAI_NODATA:
	case EAI_FAIL:
		return -ENOENT;
	case EAI_MEMORY:
		return -ENOMEM;
	default:
		return -EAGAIN;
	}
}

static void look_up(struct entry *e)
{
	struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM };
	struct addrinfo *list = NULL;
	int r = getaddrinfo(e->name, NULL, &hints, &list);

	e->result.n = 0;
	e->result.err = r ? errno_of(r) : 0;
	for (const struct addrinfo *a = list; a; a = a->ai_next)
		add_result(&e->result, a->ai_addr, a->ai_addrlen);
	if (list)
		freeaddrinfo(list);
	if (!r && e->result.n == 0)
		e->result.err = -ENOENT;
}

static void *thread_main(void *arg)
{
	struct resolver *r = arg;

	(void)pthread_mutex_lock(&r->lock);
	for (;;) {
		struct entry *e;
		struct timespec until;
		uint64_t one = 1;
		int waited = 0;

		(void)clock_gettime(CLOCK_REALTIME, &until);
		until.tv_sec += IDLE_SECONDS;
		while (!r->todo && waited == 0) {
			r->idle++;
			waited = pthread_cond_timedwait(&r->work, &r->lock, &until);
			r->idle--;
		}
		e = r->todo;
		if (!e)
			break;
		r->todo = e->job;
		if (!r->todo)
			r->todo_last = &r->todo;
		(void)pthread_mutex_unlock(&r->lock);
		look_up(e);
		(void)pthread_mutex_lock(&r->lock);
		e->job = r->done;
		r->done = e;
		(void)fd_write_all(r->done_event.fd, &one, sizeof(one));
	}
	r->threads--;
	(void)pthread_mutex_unlock(&r->lock);
	return NULL;
}

static int start_thread(struct resolver *r)
{
	pthread_attr_t attr;
	pthread_t t;
	int e;

	(void)pthread_attr_init(&attr);
	(void)pthread_attr_setstacksize(&attr, STACK_SIZE);
	(void)pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	e = pthread_create(&t, &attr, thread_main, r);
	(void)pthread_attr_destroy(&attr);
	return -e;
}

static int enqueue(struct resolver *r, struct entry *e)
{
	int err = 0;

	(void)pthread_mutex_lock(&r->lock);
	e->job = NULL;
	if (r->idle == 0 && r->threads < THREADS_MAX) {
		err = start_thread(r);
		if (err == 0)
			r->threads++;
		else if (r->threads > 0)
			err = 0;
	}
	if (err == 0) {
		*r->todo_last = e;
		r->todo_last = &e->job;
		(void)pthread_cond_signal(&r->work);
	}
	(void)pthread_mutex_unlock(&r->lock);
	return err;
}

static void wake_waiting(struct entry *e)
{
	while (e->waiting.next != &e->waiting) {
		struct lookup *l = e->waiting.next;

		resolve_leave(l);
		l->resolved(l, &e->result);
	}
}

static void on_done(struct watch *w, uint32_t events)
{
	struct resolver *r = container_of(w, struct resolver, done_event);
	struct entry *list;
	uint64_t n;

	(void)!read(w->fd, &n, sizeof(n));
	(void)pthread_mutex_lock(&r->lock);
	list = r->done;
	r->done = NULL;
	(void)pthread_mutex_unlock(&r->lock);
	while (list) {
		struct entry *e = list;

		list = e->job;
		e->until = r->b->loop.now + (e->result.err ? KEEP_ERR_MS : KEEP_MS);
		wake_waiting(e);
	}
}

int resolver_init(struct broker *b)
{
	struct resolver *r = calloc(1, sizeof(*r));

	if (!r)
		return -ENOMEM;
	b->resolver = r;
	r->b = b;
	r->todo_last = &r->todo;
	(void)pthread_mutex_init(&r->lock, NULL);
	(void)pthread_cond_init(&r->work, NULL);
	r->done_event =
		(struct watch){ .on = on_done, .fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK) };
	if (r->done_event.fd < 0)
		return -errno;
	return loop_add_in(&b->loop, &r->done_event);
}

static void drop_entry(struct resolver *r, struct entry **p)
{
	struct entry *e = *p;

	*p = e->hnext;
	r->n--;
	loop_free(&r->b->loop, &e->dead);
}

/* Finds; on the way what is too old goes. */
static struct entry *find(struct resolver *r, const char *name, uint32_t hash)
{
	struct entry **p = &r->bucket[hash % BUCKETS];
	struct entry *found = NULL;

	while (*p) {
		struct entry *e = *p;

		if (e->until && e->until <= r->b->loop.now) {
			drop_entry(r, p);
			continue;
		}
		if (e->hash == hash && streq(e->name, name))
			found = e;
		p = &e->hnext;
	}
	return found;
}

int resolve(struct broker *b, struct lookup *l, const char *name, const struct resolved **ret)
{
	struct resolver *r = b->resolver;
	size_t len = strlen(name);
	uint32_t hash = bytes_hash(name, len);
	struct entry *e = find(r, name, hash);

	if (e && e->until) {
		*ret = &e->result;
		return 0;
	}
	if (!e) {
		int err;

		if (r->n >= ENTRIES_MAX) {
			for (size_t i = 0; i < BUCKETS; i++)
				(void)find(r, "", (uint32_t)i);
			if (r->n >= ENTRIES_MAX)
				return -EAGAIN;
		}
		e = calloc(1, sizeof(*e) + len + 1);
		if (!e)
			return -ENOMEM;
		e->waiting.prev = e->waiting.next = &e->waiting;
		e->hash = hash;
		memcpy(e->name, name, len + 1);
		err = enqueue(r, e);
		if (err < 0) {
			free(e);
			return err;
		}
		e->hnext = r->bucket[hash % BUCKETS];
		r->bucket[hash % BUCKETS] = e;
		r->n++;
	}
	l->next = &e->waiting;
	l->prev = e->waiting.prev;
	l->prev->next = l;
	e->waiting.prev = l;
	return -EINPROGRESS;
}

void resolve_leave(struct lookup *l)
{
	if (!l->next)
		return;
	l->prev->next = l->next;
	l->next->prev = l->prev;
	l->prev = l->next = NULL;
}

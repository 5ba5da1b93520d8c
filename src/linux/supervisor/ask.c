/* SPDX-License-Identifier: Apache-2.0 */
/* Rules that say "ask": the call is held while somebody decides (SPEC F10).
 *
 * Whoever serves never waits: the request is noted and left unanswered, and a thread of its
 * own takes the answers. An allow is noted with the held call and the call is made from its
 * beginning once more, path and all: what was allowed is this path, so that whatever
 * was swapped meanwhile is judged, and asked about, as what it is then. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "base/str.h"
#include "linux/record.h"
#include "linux/supervisor/sup.h"

#define HELD_MAX 64u  /* calls held at once; the next ones are refused */
#define GRANTS_MAX 4u /* paths that one call may ask about (a rename has two) */
#define KEPT_MAX 256u /* answers for the session */
#define GITS_MAX 32u  /* answers for a git process */
#define LOOK_MS 250   /* after killed callers */
#define STACK_SIZE (512u * 1024u)

/* An answer about a path holds for what is alike: reading, changing, executing. */
enum use { USE_READ, USE_CHANGE, USE_EXEC };

struct held {
	bool used;
	uint32_t question; /* the open one */
	uint64_t id;
	pid_t tid;
	uint64_t git_begin; /* as in struct request */
	int nr;
	uint64_t arg[6];
	enum use use; /* what is asked */
	enum file_op op;
	const struct rule *rule;
	char *path;
	struct {
		enum use use;
		char *path;
	} grant[GRANTS_MAX];
	size_t n_grants;
};

struct kept {
	enum use use;
	bool allowed;
	char *path;
};

/* What was answered for a git process (checkout.c). The oldest go first. */
struct answered_git {
	pid_t tid;
	uint64_t begin;
	bool allowed;
};

static struct held all[HELD_MAX];
static struct kept kept[KEPT_MAX];
static size_t n_kept;
static struct answered_git gits[GITS_MAX];
static size_t next_git;
static uint32_t last_question;
static bool thread_runs;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static enum use use_of(enum file_op op)
{
	return op == OP_READ ? USE_READ : op == OP_EXEC ? USE_EXEC : USE_CHANGE;
}

/* Called with lock held. -1: no such answer, 0 denied, 1 allowed. */
static int kept_answer(enum use use, const char *path)
{
	for (size_t i = 0; i < n_kept; i++)
		if (kept[i].use == use && streq(kept[i].path, path))
			return kept[i].allowed;
	return -1;
}

/* Called with lock held. -1: no such answer, 0 denied, 1 allowed. */
static int git_answer(const struct request *r)
{
	for (size_t i = 0; r->git_begin && i < GITS_MAX; i++)
		if (gits[i].tid == r->tid && gits[i].begin == r->git_begin)
			return gits[i].allowed;
	return -1;
}

bool ask_granted(struct request *r, enum file_op op, const char *path)
{
	enum use use = use_of(op);
	bool yes = false;

	for (size_t i = 0; r->held && i < r->held->n_grants && !yes; i++)
		yes = r->held->grant[i].use == use && streq(r->held->grant[i].path, path);
	if (yes)
		return true;
	pthread_mutex_lock(&lock);
	yes = r->git_begin ? git_answer(r) == 1 : kept_answer(use, path) == 1;
	pthread_mutex_unlock(&lock);
	return yes;
}

/* Called with lock held. */
static void release(struct held *h)
{
	free(h->path);
	for (size_t i = 0; i < h->n_grants; i++)
		free(h->grant[i].path);
	*h = (struct held){ 0 };
}

/* Called with lock held. */
static struct held *claim(struct request *r)
{
	struct held *h = NULL;

	for (size_t i = 0; i < HELD_MAX && !h; i++)
		if (!all[i].used)
			h = &all[i];
	if (!h)
		return NULL;
	*h = (struct held){ .used = true, .id = r->id, .tid = r->tid, .nr = r->nr };
	memcpy(h->arg, r->arg, sizeof(h->arg));
	return h;
}

static void *answers_main(void *arg);

static int start_thread(struct sup *s)
{
	pthread_attr_t attr;
	pthread_t thread;
	int err;

	if (thread_runs)
		return 0;
	if (pthread_attr_init(&attr))
		return -ENOMEM;
	err = pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	if (!err)
		err = pthread_attr_setstacksize(&attr, STACK_SIZE);
	if (!err)
		err = pthread_create(&thread, &attr, answers_main, s);
	(void)pthread_attr_destroy(&attr);
	thread_runs = !err;
	return -err;
}

/* Called with lock held. */
static int hold(struct request *r, enum file_op op, const char *path, const struct verdict *v)
{
	struct held *h = r->held;
	char *copy;
	bool fresh = !h;

	if ((r->git_begin ? git_answer(r) : kept_answer(use_of(op), path)) == 0 ||
	    (h && h->n_grants == GRANTS_MAX) || start_thread(r->sup) < 0)
		return -EACCES;
	copy = strdup(path);
	if (!copy)
		return -EACCES;
	if (fresh)
		h = claim(r);
	if (!h) {
		free(copy);
		return -EACCES;
	}
	h->question = ++last_question;
	h->git_begin = r->git_begin;
	h->use = use_of(op);
	h->op = op;
	h->rule = v->rule;
	free(h->path);
	h->path = copy;
	if (report_ask(r, op, path, v, h->question) == 0)
		return SUP_LATER;
	if (fresh)
		release(h);
	return -EACCES;
}

bool ask_possible(const struct sup *s)
{
	return s->spec->approver && !streq(s->spec->approver, "none");
}

int ask_hold(struct request *r, enum file_op op, const char *path, const struct verdict *v)
{
	int result;

	if (!ask_possible(r->sup))
		return -EACCES;
	pthread_mutex_lock(&lock);
	result = hold(r, op, path, v);
	pthread_mutex_unlock(&lock);
	return result;
}

/* ---- answers ------------------------------------------------------------------- */

/* Called with lock held. */
static void keep(const struct held *h, bool allowed)
{
	struct kept *k = &kept[n_kept];
	char *copy;

	if (n_kept == KEPT_MAX || kept_answer(h->use, h->path) >= 0)
		return;
	copy = strdup(h->path);
	if (!copy)
		return;
	*k = (struct kept){ .use = h->use, .allowed = allowed, .path = copy };
	n_kept++;
}

/* Called with lock held. */
static void keep_git(const struct held *h, bool allowed)
{
	gits[next_git++ % GITS_MAX] =
		(struct answered_git){ .tid = h->tid, .begin = h->git_begin, .allowed = allowed };
}

/* Called with lock held. */
static struct held *find(uint32_t question)
{
	for (size_t i = 0; i < HELD_MAX; i++)
		if (all[i].used && all[i].question == question)
			return &all[i];
	return NULL;
}

static void fill(struct request *r, struct held *h)
{
	r->id = h->id;
	r->tid = h->tid;
	r->nr = h->nr;
	memcpy(r->arg, h->arg, sizeof(r->arg));
	r->fd = -1;
	r->number = 0;
	r->opens = false;
	r->held = h;
	r->git_begin = 0;
}

/* The entry is this thread's alone meanwhile: its question is answered, and nobody finds it
 * by another. */
static void go_on(struct request *r, struct held *h, bool allowed)
{
	struct verdict v = { .decision = VERDICT_DENY,
			     .rule = h->rule,
			     .reason = "a rule says ask, and the answer was no" };
	int result;

	fill(r, h);
	if (allowed)
		result = request_run(r);
	else
		result = report_denial(r, h->op, h->path, &v, NULL,
				       h->op == OP_EXEC && !h->rule ? EPERM : EACCES);
	if (result == SUP_LATER && h->question)
		return; /* it asks about another path now */
	if (result != SUP_LATER)
		request_answer(r, result);
	pthread_mutex_lock(&lock);
	release(h);
	pthread_mutex_unlock(&lock);
}

static void on_answer(struct request *r, const struct rec_header *a)
{
	bool allowed = a->err == 0;
	struct held *h;

	pthread_mutex_lock(&lock);
	h = find(a->count);
	if (h) {
		if (h->git_begin)
			keep_git(h, allowed);
		else if (a->nr == 1)
			keep(h, allowed);
		h->question = 0;
		if (allowed) {
			h->grant[h->n_grants].use = h->use;
			h->grant[h->n_grants++].path = h->path;
			h->path = NULL;
		}
	}
	pthread_mutex_unlock(&lock);
	if (h)
		go_on(r, h, allowed);
}

/* Callers that were killed: nobody waits for their answer. */
static bool look_after(struct sup *s)
{
	bool any = false;

	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < HELD_MAX; i++) {
		struct held *h = &all[i];

		if (!h->used || !h->question)
			continue;
		if (ioctl(s->listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &h->id) == 0) {
			any = true;
			continue;
		}
		report_unask(s, h->question);
		release(h);
	}
	pthread_mutex_unlock(&lock);
	return any;
}

static bool any_held(void)
{
	bool any = false;

	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < HELD_MAX && !any; i++)
		any = all[i].used;
	pthread_mutex_unlock(&lock);
	return any;
}

static void *answers_main(void *arg)
{
	static struct worker w;
	static struct request r;
	struct sup *s = arg;
	struct rec_header a;

	r.sup = s;
	r.w = &w;
	if (worker_init(&w, s) < 0)
		_exit(125); /* held calls would wait for ever: the session ends */
	for (;;) {
		struct pollfd p = { .fd = s->in->events, .events = POLLIN };
		/* New calls are held by other threads: so a look now and then in any case. */
		int n = poll(&p, 1, LOOK_MS);
		ssize_t got;

		if (n == 0 && any_held())
			(void)look_after(s);
		if (n <= 0)
			continue;
		got = recv(s->in->events, &a, sizeof(a), MSG_DONTWAIT);
		if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
			return NULL; /* the warden is gone, and the session with it */
		if (got == (ssize_t)sizeof(a) && a.magic == REC_MAGIC && a.type == REC_ANSWER)
			on_answer(&r, &a);
	}
}

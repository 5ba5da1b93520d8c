/* SPDX-License-Identifier: Apache-2.0 */
/* A directory in which a leader answers its workers: one JSON file a message, written
 * under another name and renamed, so that none is ever seen half. Who writes or takes a
 * message away holds flock(2) of ".lock". Requests are request-ID.json, answers
 * response-ID.json; both are removed when the question is over. */
#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "session/approver.h"
#include "session/client_proto.h"

#define MESSAGE_MAX (64u * 1024u)
/* inotify does not see what another machine writes on a shared file system. */
#define LOOK_MS 1000

struct mailbox {
	struct approver base;
	int dir, notify;
	const char *path;
	char session[64];
	const struct ask *open[ASK_MAX];
	size_t n_open;
	long long looked_ms;
	bool lost;
};

static struct mailbox *self(const struct approver *a)
{
	struct mailbox *m;

	memcpy(&m, &a, sizeof(m)); /* base is the first member */
	return m;
}

/* -1: somebody else holds it, or it cannot be made. Closing gives it back. */
static int lock_box(const struct mailbox *m)
{
	int fd = openat(m->dir, ".lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) < 0) {
		close_quietly(fd);
		return -1;
	}
	return fd;
}

static void file_name(const struct mailbox *m, const char *kind, const struct ask *q, char *dst,
		      size_t size)
{
	(void)snprintf(dst, size, "%s-%s-%u.json", kind, m->session, q->id);
}

static bool put(const struct mailbox *m, const struct ask *q)
{
	_cleanup_buf_ struct buf b = BUF_INIT(MESSAGE_MAX);
	char name[128], tmp[160];
	int fd, r;

	mailbox_request(&b, q, m->session, (int)getpid());
	file_name(m, "request", q, name, sizeof(name));
	(void)snprintf(tmp, sizeof(tmp), ".%s.tmp", name);
	if (b.failed)
		return false;
	(void)unlinkat(m->dir, tmp, 0);
	fd = openat(m->dir, tmp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return false;
	r = fd_write_all(fd, b.data, b.len);
	close_quietly(fd);
	if (r >= 0 && renameat(m->dir, tmp, m->dir, name) == 0)
		return true;
	(void)unlinkat(m->dir, tmp, 0);
	return false;
}

/* Somebody took it away, or put another one in its place. */
static bool is_gone(const struct mailbox *m)
{
	struct stat ours, there;

	return fstat(m->dir, &ours) < 0 || lstat(m->path, &there) < 0 ||
	       ours.st_dev != there.st_dev || ours.st_ino != there.st_ino;
}

static bool mailbox_show(struct approver *a, const struct ask *q)
{
	struct mailbox *m = self(a);
	/* Names are ours alone, and appear whole: a lock that is held elsewhere does not
	 * keep a question back. */
	_cleanup_close_ _unused_ int lock = lock_box(m);

	m->lost |= is_gone(m);
	if (m->lost || m->n_open == ASK_MAX || !put(m, q)) {
		m->lost = true;
		return false;
	}
	m->open[m->n_open++] = q;
	return true;
}

static void mailbox_forget(struct approver *a, const struct ask *q)
{
	struct mailbox *m = self(a);
	_cleanup_close_ _unused_ int lock = lock_box(m);
	char name[128];

	for (size_t i = 0; i < m->n_open; i++) {
		if (m->open[i] != q)
			continue;
		m->open[i] = m->open[--m->n_open];
		file_name(m, "request", q, name, sizeof(name));
		(void)unlinkat(m->dir, name, 0);
		file_name(m, "response", q, name, sizeof(name));
		(void)unlinkat(m->dir, name, 0);
		return;
	}
}

static bool mailbox_present(const struct approver *a)
{
	return !self(a)->lost;
}

static size_t mailbox_poll(const struct approver *a, struct pollfd *p, size_t max)
{
	if (!max)
		return 0;
	p[0] = (struct pollfd){ .fd = self(a)->notify, .events = POLLIN };
	return 1;
}

/* 1: an answer, 0: none (yet). */
static int look_for(const struct mailbox *m, const struct ask *q, bool *ret_allow)
{
	_cleanup_free_ char *text = NULL;
	_cleanup_close_ int fd = -1;
	struct stat st;
	char name[128];
	size_t len;

	file_name(m, "response", q, name, sizeof(name));
	fd = openat(m->dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return 0;
	*ret_allow = false;
	/* A deny is what anything else than a proper answer of the user's own is. */
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    (st.st_uid == geteuid() || st.st_uid == 0) &&
	    fd_read_all(fd, MESSAGE_MAX, &text, &len) == 0 &&
	    !mailbox_parse(text, len, q, m->session, ret_allow))
		*ret_allow = false;
	return 1;
}

static void look(struct mailbox *m)
{
	for (size_t i = 0; i < m->n_open;) {
		const struct ask *q = m->open[i];
		bool allow;

		if (!look_for(m, q, &allow)) {
			i++;
			continue;
		}
		/* mailbox_forget() takes it out of the list. */
		approver_answers(&m->base, q->id, allow ? VERDICT_ALLOW : VERDICT_DENY, HOLD_ONCE);
		i = 0;
	}
}

static void mailbox_ready(struct approver *a, const struct pollfd *p, size_t n)
{
	struct mailbox *m = self(a);
	char events[4096];

	if (!n || !p[0].revents)
		return;
	while (read(m->notify, events, sizeof(events)) > 0)
		;
	m->lost |= is_gone(m);
	look(m);
}

static int mailbox_timeout(const struct approver *a, long long now_ms)
{
	const struct mailbox *m = self(a);
	long long left = m->looked_ms + LOOK_MS - now_ms;

	if (!m->n_open)
		return -1;
	return left < 0 ? 0 : (int)left;
}

static void mailbox_tick(struct approver *a, long long now_ms)
{
	struct mailbox *m = self(a);

	if (!m->n_open || now_ms - m->looked_ms < LOOK_MS)
		return;
	m->looked_ms = now_ms;
	m->lost |= is_gone(m);
	look(m);
}

static void mailbox_close(struct approver *a)
{
	struct mailbox *m = self(a);

	while (m->n_open)
		mailbox_forget(a, m->open[0]);
	close_quietly(m->notify);
	m->notify = -1;
}

static const struct approver_ops mailbox_ops = {
	.show = mailbox_show,
	.forget = mailbox_forget,
	.present = mailbox_present,
	.poll = mailbox_poll,
	.ready = mailbox_ready,
	.timeout = mailbox_timeout,
	.tick = mailbox_tick,
	.close = mailbox_close,
};

struct approver *approver_mailbox_new(const struct approver_setup *s)
{
	struct mailbox *m = calloc(1, sizeof(*m));
	char path[32];

	if (!m)
		return NULL;
	m->base.ops = &mailbox_ops;
	m->dir = s->in;
	m->path = s->path;
	(void)snprintf(m->session, sizeof(m->session), "%s", s->session);
	m->notify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", m->dir);
	/* Without it the look once a second does the work. */
	if (m->notify >= 0)
		(void)inotify_add_watch(m->notify, path,
					IN_MOVED_TO | IN_CLOSE_WRITE | IN_DELETE_SELF |
						IN_MOVE_SELF | IN_ONLYDIR);
	return &m->base;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Between the supervisor, which waits for answers, and the steward, which has them; and
 * what the steward tells about the network. Lengths are checked here, nothing is parsed. */
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>

#include "base/fd.h"
#include "linux/net_wait.h"
#include "linux/steward.h"

static void answer(struct warden *w, uint32_t id, int err)
{
	struct rec_header h = { .magic = REC_MAGIC,
				.type = REC_ANSWER,
				.op = -1,
				.rule = -1,
				.count = id,
				.err = err };

	/* Asks are few, see below: there is room for their answers. */
	(void)send(w->l->events[0], &h, sizeof(h), MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void forget(struct warden *w, uint32_t id)
{
	for (size_t i = 0; i < w->n_asked; i++)
		if (w->asked[i] == id) {
			w->asked[i] = w->asked[--w->n_asked];
			return;
		}
}

void warden_ask(struct warden *w, const struct record *rec, size_t size)
{
	bool ask = rec->h.type == REC_ASK;

	if (!ask)
		forget(w, rec->h.count);
	if ((!ask || w->n_asked < ARRAY_SIZE(w->asked)) && w->l->net[0] >= 0 &&
	    send(w->l->net[0], rec, size, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)size) {
		if (ask)
			w->asked[w->n_asked++] = rec->h.count;
		return;
	}
	if (ask)
		answer(w, rec->h.count, EACCES);
}

void warden_want_network(struct warden *w)
{
	struct rec_header h = { .magic = REC_MAGIC, .type = REC_NETWORK, .op = -1, .rule = -1 };

	if (w->steward <= 0 || w->l->net[0] < 0 ||
	    send(w->l->net[0], &h, sizeof(h), MSG_NOSIGNAL) < 0)
		net_state_set(&w->l->shared->network, NET_FAILED);
}

void warden_doorbell(struct warden *w, const struct rec_header *h, int fd)
{
	/* Without a steward, or when it has too much to read: closed, as whoever rang sees. */
	if (fd >= 0 && w->l->net[0] >= 0)
		(void)fd_send_msg(w->l->net[0], h, sizeof(*h), fd);
}

static void give_terminal(struct warden *w)
{
	int r = terminal_pause(&w->term);
	struct rec_header h = { .magic = REC_MAGIC,
				.type = REC_TERMINAL,
				.op = -1,
				.rule = -1,
				.count = 2,
				.err = -r };

	(void)send(w->l->net[0], &h, sizeof(h), MSG_NOSIGNAL | MSG_DONTWAIT);
}

void warden_net_lost(struct warden *w, const char *reason)
{
	close_quietly(w->l->net[0]);
	w->l->net[0] = -1;
	terminal_resume(&w->term);
	while (w->n_asked)
		answer(w, w->asked[--w->n_asked], EACCES);
	/* Once ready it stays up, with nobody who lets anything out. */
	if (w->l->shared->network != NET_READY)
		net_state_set(&w->l->shared->network, NET_FAILED);
	if (!w->steward_ends && !w->failed && w->ops->on_degraded)
		w->ops->on_degraded(w->ops->ctx, "network", reason);
}

static void degraded(struct warden *w, const struct record *rec)
{
	char what[64], reason[1024];

	if (rec->h.target_len >= sizeof(what) || rec->h.reason_len >= sizeof(reason) ||
	    rec->h.exe_len || !w->ops->on_degraded)
		return;
	memcpy(what, rec->text, rec->h.target_len);
	what[rec->h.target_len] = '\0';
	memcpy(reason, rec->text + rec->h.target_len, rec->h.reason_len);
	reason[rec->h.reason_len] = '\0';
	w->ops->on_degraded(w->ops->ctx, what, reason);
}

static void plain(struct warden *w, const struct record *rec, size_t n)
{
	size_t text = (size_t)rec->h.target_len + rec->h.exe_len + rec->h.reason_len;

	if (n < sizeof(rec->h) || text > sizeof(rec->text) || n != sizeof(rec->h) + text)
		return;
	switch (rec->h.type) {
	case REC_DEGRADED:
		degraded(w, rec);
		break;
	case REC_ANSWER:
		if (text)
			break;
		forget(w, rec->h.count);
		/* As it is: nr says how long it holds. */
		(void)send(w->l->events[0], &rec->h, sizeof(rec->h), MSG_NOSIGNAL | MSG_DONTWAIT);
		break;
	case REC_TERMINAL:
		if (rec->h.count == 1)
			give_terminal(w);
		else if (rec->h.count == 3)
			terminal_resume(&w->term);
		break;
	case REC_END:
		w->steward_ends = true;
		break;
	default:
		break;
	}
}

static void about_net(struct warden *w, const struct net_record *rec, size_t n)
{
	size_t text = 0;

	if (n < offsetof(struct net_record, text))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(rec->len); i++)
		text += rec->len[i];
	if (text > sizeof(rec->text) || n != offsetof(struct net_record, text) + text)
		return;
	if (w->ops->on_net)
		w->ops->on_net(w->ops->ctx, rec);
}

void warden_net_ready(struct warden *w)
{
	static union {
		struct record rec;
		struct net_record net;
	} m;

	for (int i = 0; i < 64; i++) {
		ssize_t n = recv(w->l->net[0], &m, sizeof(m), MSG_DONTWAIT);

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (n <= 0) {
			warden_net_lost(w, "its steward died: nothing goes out any more");
			return;
		}
		if ((size_t)n < offsetof(struct rec_header, pid) || m.rec.h.magic != REC_MAGIC)
			continue;
		switch (m.rec.h.type) {
		case REC_NET:
		case REC_ASKED:
		case REC_ANSWERED:
		case REC_POLICY:
			about_net(w, &m.net, (size_t)n);
			break;
		default:
			plain(w, &m.rec, (size_t)n);
		}
	}
}

static int64_t now_ms(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

void warden_net_end(struct warden *w)
{
	struct rec_header h = { .magic = REC_MAGIC, .type = REC_END };
	int64_t until = now_ms() + STEWARD_PATIENCE_MS;

	if (w->steward <= 0)
		return;
	w->steward_ends = true;
	if (w->l->net[0] >= 0)
		(void)send(w->l->net[0], &h, sizeof(h), MSG_NOSIGNAL | MSG_DONTWAIT);
	while (w->l->net[0] >= 0) {
		struct pollfd p = { .fd = w->l->net[0], .events = POLLIN };
		int64_t left = until - now_ms();

		if (left <= 0 || poll(&p, 1, (int)left) == 0)
			break;
		warden_net_ready(w);
	}
	/* It has closed its socket and is about to exit, or has had its time. */
	if (w->l->net[0] >= 0)
		(void)kill(w->steward, SIGKILL);
	while (waitpid(w->steward, NULL, 0) < 0 && errno == EINTR)
		;
	w->steward = 0;
	/* The broker of one that was killed has come to us (subreaper), and dies with it. */
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
}

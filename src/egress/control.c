/* SPDX-License-Identifier: Apache-2.0 */
#include "egress/control.h"

#include <poll.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "base/fd.h"
#include "egress/aim.h"
#include "egress/ask.h"
#include "egress/relay.h"

#define WAITING_MAX 4096u /* messages: a storm of refused hosts while the steward is busy */

struct waiting {
	struct waiting *next;
	size_t len;
	char data[];
};

struct control {
	struct watch watch;
	struct broker *b;
	struct waiting *first, **last;
	unsigned n;
	unsigned lost;
	bool stopping;
};

int control_read_kit(int fd, struct net_kit *ret)
{
	ssize_t n = recv(fd, ret, sizeof(*ret), 0);

	if (n < 0)
		return -errno;
	if ((size_t)n != sizeof(*ret) || ret->n_host_ports > KIT_FORWARDS_MAX ||
	    ret->n_publish > KIT_FORWARDS_MAX || ret->n_ports > KIT_PORTS_MAX)
		return -EBADMSG;
	return 0;
}

/* One message and the descriptor that came with it. Returns its length, 0 at the end. */
static ssize_t receive(int fd, struct eg_msg *m, int *ret_fd, int flags)
{
	union {
		struct cmsghdr h;
		char space[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec iov = { .iov_base = m, .iov_len = sizeof(*m) };
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = &control,
			      .msg_controllen = sizeof(control) };
	struct cmsghdr *c;
	ssize_t n = recvmsg(fd, &msg, flags | MSG_CMSG_CLOEXEC);

	*ret_fd = -1;
	if (n <= 0)
		return n < 0 ? -errno : 0;
	c = CMSG_FIRSTHDR(&msg);
	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS &&
	    c->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(ret_fd, CMSG_DATA(c), sizeof(int));
	if ((size_t)n < EG_MSG_SIZE(0) || m->magic != EG_MAGIC) {
		close_quietly(take_fd(ret_fd));
		return -EBADMSG;
	}
	return n;
}

static int config_of(int fd, struct eg_config **ret, struct berm_err *err)
{
	_cleanup_free_ char *text = NULL;
	size_t len = 0;
	int r;

	if (fd < 0)
		return err_set(err, -EBADMSG, "a configuration came without its text");
	if (lseek(fd, 0, SEEK_SET) < 0)
		return err_errno(err, -errno, "cannot read the configuration");
	r = fd_read_all(fd, EG_CONFIG_MAX, &text, &len);
	if (r < 0)
		return err_errno(err, r, "cannot read the configuration");
	r = eg_config_read(text, len, ret, err);
	explicit_bzero(text, len);
	return r;
}

int control_read_config(int fd, struct eg_config **ret, struct berm_err *err)
{
	struct eg_msg m;
	_cleanup_close_ int memfd = -1;
	ssize_t n = receive(fd, &m, &memfd, 0);

	if (n < 0)
		return err_errno(err, (int)n, "cannot read from the steward");
	if (n == 0)
		return err_set(err, -EPIPE, "the steward is gone");
	if (m.type != EG_CONFIG)
		return err_set(err, -EBADMSG, "the first message is no configuration");
	return config_of(memfd, ret, err);
}

/* ---- sending ---- */

static size_t put(struct eg_msg *m, size_t at, const char *s, uint16_t *ret_len)
{
	size_t n = s ? strnlen(s, EG_TEXT_MAX - at) : 0;

	if (n)
		memcpy(m->text + at, s, n);
	*ret_len = (uint16_t)n;
	return at + n;
}

static size_t finish(struct eg_msg *m, const struct control_texts *t)
{
	size_t at = 0;

	m->magic = EG_MAGIC;
	at = put(m, at, t->host, &m->host_len);
	at = put(m, at, t->addr, &m->addr_len);
	at = put(m, at, t->exe, &m->exe_len);
	at = put(m, at, t->reason, &m->reason_len);
	return EG_MSG_SIZE(at);
}

static void flush(struct control *c)
{
	while (c->first) {
		struct waiting *w = c->first;

		if (send(c->watch.fd, w->data, w->len, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 &&
		    (errno == EAGAIN || errno == ENOBUFS || errno == EINTR))
			return;
		c->first = w->next;
		if (!c->first)
			c->last = &c->first;
		c->n--;
		free(w);
	}
	if (c->lost) {
		char reason[96];

		(void)snprintf(reason, sizeof(reason), "%u records of connections were lost",
			       c->lost);
		c->lost = 0;
		control_tell(c->b, reason);
	}
	if (c->stopping)
		c->b->loop.stop = true;
}

void control_send(struct broker *b, struct eg_msg *m, const struct control_texts *t)
{
	struct control *c = b->control;
	size_t len = finish(m, t);
	struct waiting *w;

	if (!c->first && send(c->watch.fd, m, len, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0)
		return;
	w = c->n < WAITING_MAX ? malloc(sizeof(*w) + len) : NULL;
	if (!w) {
		c->lost++;
		return;
	}
	w->next = NULL;
	w->len = len;
	memcpy(w->data, m, len);
	*c->last = w;
	c->last = &w->next;
	c->n++;
}

void control_degraded(int fd, const char *reason)
{
	struct eg_msg m = { .type = EG_DEGRADED };
	size_t len = finish(&m, &(struct control_texts){ .reason = reason });

	(void)send(fd, &m, len, MSG_DONTWAIT | MSG_NOSIGNAL);
}

void control_tell(struct broker *b, const char *reason)
{
	struct eg_msg m = { .type = EG_DEGRADED };

	control_send(b, &m, &(struct control_texts){ .reason = reason });
}

/* ---- receiving ---- */

static void new_config(struct broker *b, int fd)
{
	struct eg_config *c = NULL;
	struct berm_err err = { 0 };

	if (config_of(fd, &c, &err) < 0 || !c) {
		char reason[sizeof(err.msg) + 64];

		(void)snprintf(reason, sizeof(reason), "the old rules stay in force: %s", err.msg);
		control_tell(b, reason);
		return;
	}
	/* Forwards belong to the kit's listeners, which are as they were at the start. */
	memcpy(c->publish, b->config->publish, sizeof(c->publish));
	memcpy(c->host_ports, b->config->host_ports, sizeof(c->host_ports));
	c->n_publish = b->config->n_publish;
	c->n_host_ports = b->config->n_host_ports;
	eg_config_free(b->config);
	b->config = c;
	aims_rejudge(b);
	asks_rejudge(b);
	relay_rejudge(b);
}

static void stop(struct broker *b)
{
	relay_end_all(b);
	aims_flush_all(b);
	b->control->stopping = true;
	flush(b->control);
}

static void take(struct broker *b, struct eg_msg *m, size_t len, int fd)
{
	switch (m->type) {
	case EG_CONFIG:
		new_config(b, fd);
		break;
	case EG_ANSWER:
		asks_answer(b, m->id, (enum decision)m->decision, m->hold == EG_SESSION);
		break;
	case EG_WHO_IS:
		if (m->host_len || m->addr_len || m->exe_len > len - EG_MSG_SIZE(0))
			break;
		aims_who_is(b, m->id, m->pid, m->text, m->exe_len);
		break;
	case EG_STOP:
		stop(b);
		break;
	default:
		control_tell(b, "the steward sent a message of no known kind");
	}
}

static void on_control(struct watch *w, uint32_t events)
{
	struct control *c = container_of(w, struct control, watch);
	struct eg_msg m;

	if (events & EPOLLOUT)
		flush(c);
	while (!c->b->loop.stop) {
		_cleanup_close_ int fd = -1;
		ssize_t n = receive(w->fd, &m, &fd, MSG_DONTWAIT);

		if (n == -EAGAIN || n == -EINTR)
			return;
		if (n == -EBADMSG)
			continue;
		/* Without its steward nobody answers and nobody is told: closed. */
		if (n <= 0) {
			c->b->loop.stop = true;
			return;
		}
		take(c->b, &m, (size_t)n, fd);
	}
}

int control_init(struct broker *b, int fd)
{
	struct control *c = calloc(1, sizeof(*c));

	if (!c)
		return -ENOMEM;
	c->b = b;
	c->last = &c->first;
	c->watch = (struct watch){ .on = on_control, .fd = fd };
	b->control = c;
	return loop_add(&b->loop, &c->watch);
}

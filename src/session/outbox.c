/* SPDX-License-Identifier: Apache-2.0 */
#include "session/outbox.h"

#include <string.h>
#include <sys/socket.h>

#include "base/cleanup.h"

void outbox_init(struct outbox *o, int sock)
{
	*o = (struct outbox){ .sock = sock };
	o->last = &o->first;
}

static void drop_first(struct outbox *o)
{
	struct outbox_msg *m = o->first;

	o->first = m->next;
	if (!o->first)
		o->last = &o->first;
	o->bytes -= m->len;
	close_quietly(m->fd);
	free(m);
}

void outbox_free(struct outbox *o)
{
	while (o->first)
		drop_first(o);
}

int outbox_send_now(int sock, const void *data, size_t len, int fd)
{
	union {
		struct cmsghdr hdr;
		char buf[CMSG_SPACE(sizeof(int))];
	} ctl = { 0 };
	struct iovec iov = { .iov_len = len };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	ssize_t n;

	memcpy(&iov.iov_base, &data, sizeof(data)); /* sendmsg() does not write there */
	if (fd >= 0) {
		msg.msg_control = ctl.buf;
		msg.msg_controllen = sizeof(ctl.buf);
		ctl.hdr.cmsg_level = SOL_SOCKET;
		ctl.hdr.cmsg_type = SCM_RIGHTS;
		ctl.hdr.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&ctl.hdr), &fd, sizeof(int));
	}
	do
		n = sendmsg(sock, &msg, MSG_DONTWAIT | MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : 0;
}

void outbox_flush(struct outbox *o)
{
	while (o->first && !o->broken) {
		int r = outbox_send_now(o->sock, o->first->data, o->first->len, o->first->fd);

		if (r == -EAGAIN || r == -ENOBUFS)
			return;
		if (r < 0 && r != -EMSGSIZE)
			o->broken = r;
		else
			drop_first(o);
	}
}

int outbox_send(struct outbox *o, const void *data, size_t len, int fd, int must)
{
	_cleanup_close_ int owned = fd;
	struct outbox_msg *m;
	int r;

	outbox_flush(o);
	if (o->broken)
		return o->broken;
	if (!o->first) {
		r = outbox_send_now(o->sock, data, len, fd);
		if (r != -EAGAIN && r != -ENOBUFS) {
			if (r < 0 && r != -EMSGSIZE)
				o->broken = r;
			return r;
		}
	}
	if (!must && len > OUTBOX_MAX - (o->bytes < OUTBOX_MAX ? o->bytes : OUTBOX_MAX)) {
		o->lost++;
		return -ENOBUFS;
	}
	m = malloc(sizeof(*m) + len);
	if (!m) {
		o->lost++;
		return -ENOMEM;
	}
	m->next = NULL;
	m->fd = take_fd(&owned);
	m->len = len;
	memcpy(m->data, data, len);
	*o->last = m;
	o->last = &m->next;
	o->bytes += len;
	return 0;
}

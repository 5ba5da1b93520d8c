/* SPDX-License-Identifier: Apache-2.0 */
#include "session/control.h"

#include <fcntl.h>
#include <jansson.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

#include "base/json_out.h"

int control_open(const char *target, int *ret, struct berm_err *err)
{
	char *end;
	long n;
	int r;

	errno = 0;
	n = str_starts(target, "fd:") ? strtol(target + 3, &end, 10) : -1;
	if (n < 0 || n > INT32_MAX || errno || end == target + 3 || *end) {
		r = err_set(err, -EINVAL, "--control %s: not a descriptor", target);
		err_fix(err, "as in --control fd:3");
		return r;
	}
	r = fcntl((int)n, F_GETFL);
	if (r < 0 || (r & O_ACCMODE) != O_RDWR) {
		r = err_set(err, -EBADF,
			    "--control fd:%ld: descriptor %ld is not open for reading and writing",
			    n, n);
		err_fix(err, "pass one end of a socket pair");
		return r;
	}
	r = fcntl((int)n, F_DUPFD_CLOEXEC, 3);
	if (r < 0)
		return err_errno(err, -errno, "--control fd:%ld", n);
	*ret = r;
	return 0;
}

static int parse_root(const json_t *root, struct control_line *ret, struct berm_err *err)
{
	static const struct {
		const char *key;
		enum decision decision;
	} keys[] = { { "allow_domain", VERDICT_ALLOW },
		     { "deny_domain", VERDICT_DENY },
		     { "ask_domain", VERDICT_ASK } };
	const json_t *id = json_object_get(root, "id");
	size_t n = json_object_size(root) - (id != NULL);

	ret->id = json_integer_value(id);
	if (json_is_true(json_object_get(root, "reload")) && n == 1) {
		ret->reload = true;
		return 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(keys) && n == 1; i++) {
		const char *host = json_string_value(json_object_get(root, keys[i].key));

		if (!host || !host[0])
			continue;
		ret->pattern = strdup(host);
		if (!ret->pattern)
			return err_set(err, -ENOMEM, "out of memory");
		ret->arg = (struct policy_net_arg){ keys[i].decision, ret->pattern };
		return 0;
	}
	return err_set(err, -EINVAL,
		       "one of allow_domain, deny_domain, ask_domain (a host) or reload (true) is "
		       "wanted, and \"id\" (a number)");
}

int control_parse(const char *line, size_t len, struct control_line *ret, struct berm_err *err)
{
	json_error_t je;
	json_t *root = json_loadb(line, len, JSON_REJECT_DUPLICATES, &je);
	int r;

	*ret = (struct control_line){ 0 };
	if (!json_is_object(root)) {
		json_decref(root);
		return err_set(err, -EINVAL, "not a JSON object");
	}
	r = parse_root(root, ret, err);
	json_decref(root);
	return r;
}

int control_add(struct control *c, struct control_line *line)
{
	struct policy_net_arg *args;

	if (c->n == CONTROL_RULES_MAX)
		return -E2BIG;
	args = reallocarray(c->args, c->n + 1, sizeof(*args));
	if (!args)
		return -ENOMEM;
	c->args = args;
	args[c->n++] = line->arg;
	line->pattern = NULL;
	return 0;
}

void control_drop(struct control *c)
{
	const char *pattern = c->args[--c->n].host;

	free((char *)(uintptr_t)pattern);
}

static bool readable(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, 0) == 1;
}

void control_read(struct control *c, void (*each)(void *ctx, const char *line, size_t len),
		  void *ctx)
{
	char piece[4096], *nl;

	while (c->fd >= 0 && !c->dead && readable(c->fd)) {
		ssize_t n = read(c->fd, piece, sizeof(piece));
		size_t from = 0;

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (n <= 0 || buf_add(&c->rx, piece, (size_t)n) < 0) {
			c->dead = true;
			break;
		}
		while ((nl = memchr(c->rx.data + from, '\n', c->rx.len - from))) {
			size_t len = (size_t)(nl - c->rx.data) - from;

			if (len)
				each(ctx, c->rx.data + from, len);
			from += len + 1;
		}
		memmove(c->rx.data, c->rx.data + from, c->rx.len - from);
		c->rx.len -= from;
		c->dead |= c->rx.len > CONTROL_LINE_MAX;
	}
	if (c->dead) {
		close_quietly(c->fd);
		c->fd = -1;
	}
}

void control_reply(struct control *c, long long id, const struct berm_err *err)
{
	_cleanup_buf_ struct buf b = BUF_INIT(16384);

	json_begin(&b);
	if (id)
		json_member_int(&b, "id", id);
	json_member_bool(&b, "ok", !err->code);
	if (err->code)
		json_member_str(&b, "error", err->msg);
	json_end(&b);
	(void)buf_adds(&b, "\n");
	/* Who does not read its answers does without. */
	if (!b.failed)
		(void)send(c->fd, b.data, b.len, MSG_DONTWAIT | MSG_NOSIGNAL);
}

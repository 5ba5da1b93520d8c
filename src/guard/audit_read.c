/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "guard/audit_impl.h"

#define CHUNK (2 * AUDIT_LINE_MAX)
#define TORN_MAX (4 * AUDIT_LINE_MAX)

struct reader {
	struct audit_result *res;
	int (*each)(void *ctx, const struct audit_record *r);
	void *ctx;
	struct audit_link last, head;
	bool has_head, saw_head, stopped;
	uint64_t line;
	bool has_torn;
	struct buf torn; /* lines that are no records: the next one must tell of them */
};

static void fault(struct reader *rd, uint64_t line, const char *what)
{
	if (rd->res->faulty)
		return;
	rd->res->faulty = true;
	rd->res->fault.line = line;
	(void)snprintf(rd->res->fault.what, sizeof(rd->res->fault.what), "%s", what);
}

/* Lines that are no records, together. */
static int keep_torn(struct reader *rd, const char *line, size_t len)
{
	if (rd->has_torn)
		(void)buf_adds(&rd->torn, "\n");
	rd->has_torn = true;
	(void)buf_add(&rd->torn, line, len);
	if (rd->torn.failed) {
		fault(rd, rd->line, "these lines are no records");
		rd->stopped = true;
	}
	return 0;
}

static void check_chain(struct reader *rd, const struct audit_link *l, const char *line, size_t len)
{
	if (l->n != rd->last.n + 1)
		fault(rd, rd->line,
		      l->n <= rd->last.n ? "the record stands twice, or out of order"
					 : "records before this one are missing");
	else if (!streq(l->prev, rd->last.hash))
		fault(rd, rd->line, "the record does not follow the one before it");
	if (rd->has_torn) {
		if (audit_tells_torn(line, len, rd->torn.data ? rd->torn.data : "", rd->torn.len))
			rd->res->torn++;
		else
			fault(rd, rd->line - 1, "the record was changed, or is none");
		buf_free(&rd->torn);
		rd->torn = BUF_INIT(TORN_MAX);
		rd->has_torn = false;
	}
	if (rd->has_head && l->n == rd->head.n) {
		rd->saw_head = true;
		if (!streq(l->hash, rd->head.hash))
			fault(rd, rd->line, "the record is not the one that " AUDIT_HEAD " names");
	}
}

static int take_line(struct reader *rd, const char *line, size_t len)
{
	struct audit_record r = { .line = line, .len = len };
	struct audit_link l;

	rd->line++;
	if (!audit_parse(line, len, &l))
		return keep_torn(rd, line, len);
	check_chain(rd, &l, line, len);
	rd->last = l;
	rd->res->records++;
	r.n = l.n;
	if (rd->each && rd->each(rd->ctx, &r))
		rd->stopped = true;
	return 0;
}

/* Whole lines of the buffer; what is left moves to its beginning. */
static int take_lines(struct reader *rd, char *text, size_t *len)
{
	size_t from = 0;
	char *nl;

	while (!rd->stopped && (nl = memchr(text + from, '\n', *len - from))) {
		int r = take_line(rd, text + from, (size_t)(nl - text) - from);

		if (r < 0)
			return r;
		from = (size_t)(nl + 1 - text);
	}
	memmove(text, text + from, *len - from);
	*len -= from;
	return 0;
}

static int read_lines(struct reader *rd, int fd, off_t size)
{
	_cleanup_free_ char *text = malloc(CHUNK);
	struct audit_link whole;
	size_t len = 0;

	if (!text)
		return -ENOMEM;
	while (size > 0 && !rd->stopped) {
		size_t want = CHUNK - len < (size_t)size ? CHUNK - len : (size_t)size;
		ssize_t n = read(fd, text + len, want);
		int r;

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		size -= n;
		len += (size_t)n;
		r = take_lines(rd, text, &len);
		if (r < 0)
			return r;
		if (len == CHUNK) {
			fault(rd, rd->line + 1, "the line is longer than any record");
			return 0;
		}
	}
	if (!len || rd->stopped)
		return 0;
	/* A writer that was killed just now: the next one ends the line, or tells of it. */
	if (audit_parse(text, len, &whole))
		return take_line(rd, text, len);
	rd->res->torn++;
	rd->has_torn = false;
	return 0;
}

static int read_head(struct reader *rd, int dirfd)
{
	_cleanup_free_ char *text = NULL;
	size_t len = 0;
	int r = fd_read_file(dirfd, AUDIT_HEAD, 128, &text, &len);

	/* Empty: its writer was killed before it wrote. */
	if (r == -ENOENT || (r >= 0 && !len))
		return 0;
	if (r == -EFBIG || (r >= 0 && !audit_head_parse(text, len, &rd->head))) {
		fault(rd, 0, AUDIT_HEAD " is damaged");
		return 0;
	}
	rd->has_head = r >= 0;
	return r;
}

static void check_end(struct reader *rd)
{
	if (rd->has_torn && !rd->stopped)
		fault(rd, rd->line, "the record was changed, or is none");
	if (rd->has_head && !rd->saw_head && !rd->stopped)
		fault(rd, 0, "records at the end are missing: " AUDIT_HEAD " names a later one");
	/* The first writer may have been killed before it wrote the head. */
	if (!rd->has_head && rd->res->records > 1 && !rd->stopped)
		fault(rd, 0, AUDIT_HEAD " is missing");
	memcpy(rd->res->head, rd->last.hash, sizeof(rd->last.hash));
}

int audit_read(const char *state_dir, int (*each)(void *ctx, const struct audit_record *r),
	       void *ctx, struct audit_result *ret, struct berm_err *err)
{
	_cleanup_close_ int dirfd = open(state_dir, O_PATH | O_DIRECTORY | O_CLOEXEC), fd = -1;
	struct reader rd = { .res = ret, .each = each, .ctx = ctx, .torn = BUF_INIT(TORN_MAX) };
	struct stat st = { 0 };
	int r;

	*ret = (struct audit_result){ 0 };
	memcpy(rd.last.hash, audit_genesis, sizeof(audit_genesis));
	if (dirfd < 0 && errno != ENOENT)
		return err_errno(err, -errno, "cannot open the state folder %s", state_dir);
	if (dirfd >= 0)
		fd = openat(dirfd, AUDIT_FILE, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0 && errno != ENOENT)
		return err_errno(err, -errno, "cannot read %s/" AUDIT_FILE, state_dir);
	/* Size and head of one moment: no writer is between the two. */
	if (fd >= 0 && (flock(fd, LOCK_SH) < 0 || fstat(fd, &st) < 0))
		return err_errno(err, -errno, "cannot lock %s/" AUDIT_FILE, state_dir);
	r = dirfd < 0 ? 0 : read_head(&rd, dirfd);
	if (fd >= 0 && flock(fd, LOCK_UN) < 0)
		r = -errno;
	if (r >= 0 && fd >= 0)
		r = read_lines(&rd, fd, st.st_size);
	check_end(&rd);
	buf_free(&rd.torn);
	return r < 0 ? err_errno(err, r, "cannot read %s/" AUDIT_FILE, state_dir) : 0;
}

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
	const char *file;
	uint64_t line;
	/* What stands in the file before it as well, since a writer was killed while it put that
	 * one away. */
	bool again, has_seen;
	struct audit_link seen;
	bool has_torn;
	struct buf torn; /* lines that are no records: the next one must tell of them */
};

static void fault(struct reader *rd, uint64_t line, const char *what)
{
	if (rd->res->faulty)
		return;
	rd->res->faulty = true;
	rd->res->fault.line = line;
	(void)snprintf(rd->res->fault.file, sizeof(rd->res->fault.file), "%s",
		       rd->file ? rd->file : "");
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

static void check_torn(struct reader *rd, const char *line, size_t len)
{
	if (!rd->has_torn)
		return;
	if (audit_tells_torn(line, len, rd->torn.data ? rd->torn.data : "", rd->torn.len))
		rd->res->torn += !rd->again;
	else
		fault(rd, rd->line - 1, "the record was changed, or is none");
	buf_free(&rd->torn);
	rd->torn = BUF_INIT(TORN_MAX);
	rd->has_torn = false;
}

/* They must be the very ones: each follows the one before it, and the last is the last. */
static void check_again_end(struct reader *rd)
{
	if (rd->again && rd->has_seen &&
	    (rd->seen.n != rd->last.n || !streq(rd->seen.hash, rd->last.hash)))
		fault(rd, rd->line, "the record stands twice, or out of order");
	rd->again = false;
}

static void check_again(struct reader *rd, const struct audit_link *l)
{
	if (rd->has_seen && (l->n != rd->seen.n + 1 || !streq(l->prev, rd->seen.hash)))
		fault(rd, rd->line, "the record does not follow the one before it");
	rd->seen = *l;
	rd->has_seen = true;
}

static void check_chain(struct reader *rd, const struct audit_link *l)
{
	if (l->n != rd->last.n + 1)
		fault(rd, rd->line,
		      l->n <= rd->last.n ? "the record stands twice, or out of order"
					 : "records before this one are missing");
	else if (!streq(l->prev, rd->last.hash))
		fault(rd, rd->line, "the record does not follow the one before it");
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
	if (rd->again && l.n > rd->last.n)
		check_again_end(rd);
	check_torn(rd, line, len);
	if (rd->again) {
		check_again(rd, &l);
		return 0;
	}
	check_chain(rd, &l);
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

/* open_end: a record may be without its end. */
static int read_lines(struct reader *rd, int fd, off_t size, bool open_end)
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
			return -EAGAIN;
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
	if (!open_end) {
		fault(rd, rd->line + 1, "the record was changed, or is none");
		return 0;
	}
	/* A writer that was killed just now: the next one ends the line, or tells of it. */
	if (audit_parse(text, len, &whole))
		return take_line(rd, text, len);
	rd->res->torn++;
	rd->has_torn = false;
	return 0;
}

/* AUDIT_HEAD or AUDIT_BASE. Returns 1 when it says something. */
static int read_link(struct reader *rd, int dirfd, const char *name, struct audit_link *ret)
{
	_cleanup_free_ char *text = NULL;
	size_t len = 0;
	int r = fd_read_file(dirfd, name, 128, &text, &len);
	char what[64];

	/* Empty: its writer was killed before it wrote. */
	if (r == -ENOENT || (r >= 0 && !len))
		return 0;
	if (r == -EFBIG || (r >= 0 && !audit_head_parse(text, len, ret))) {
		(void)snprintf(what, sizeof(what), "%s is damaged", name);
		fault(rd, 0, what);
		return 0;
	}
	return r < 0 ? r : 1;
}

static void check_end(struct reader *rd)
{
	if (rd->has_torn && !rd->stopped)
		fault(rd, rd->line, "the record was changed, or is none");
	rd->file = NULL;
	if (rd->has_head && !rd->saw_head && !rd->stopped)
		fault(rd, 0, "records at the end are missing: " AUDIT_HEAD " names a later one");
	/* The first writer may have been killed before it wrote the head. */
	if (!rd->has_head && rd->res->records > 1 && !rd->stopped)
		fault(rd, 0, AUDIT_HEAD " is missing");
	memcpy(rd->res->head, rd->last.hash, sizeof(rd->last.hash));
}

/* ---- files -------------------------------------------------------------- */

/* The log of one moment: no writer is between its parts. */
struct files {
	int dirfd, fd; /* -1: there is none */
	off_t size;
	struct strv old;
};

static void files_free(struct files *f)
{
	strv_free(&f->old);
	close_quietly(f->dirfd);
	close_quietly(f->fd);
}

static int begin(struct files *f, const char *state_dir, struct reader *rd, struct audit_link *base)
{
	struct stat st = { 0 };
	int r = 0, has_base = 0, has_head = 0;

	f->dirfd = open(state_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (f->dirfd < 0)
		return errno == ENOENT ? 0 : -errno;
	f->fd = openat(f->dirfd, AUDIT_FILE, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (f->fd < 0 && errno != ENOENT)
		return -errno;
	if (f->fd >= 0 && (flock(f->fd, LOCK_SH) < 0 || fstat(f->fd, &st) < 0))
		return -errno;
	f->size = st.st_size;
	r = audit_list_old(f->dirfd, &f->old);
	if (r >= 0)
		r = has_base = read_link(rd, f->dirfd, AUDIT_BASE, base);
	if (r >= 0)
		r = has_head = read_link(rd, f->dirfd, AUDIT_HEAD, &rd->head);
	rd->has_head = has_head > 0;
	if (f->fd >= 0 && flock(f->fd, LOCK_UN) < 0)
		return -errno;
	return r < 0 ? r : has_base;
}

static int read_old(struct reader *rd, const struct files *f, const char *name)
{
	_cleanup_close_ int fd =
		openat(f->dirfd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	char want[64];
	struct stat st;
	int r;

	/* Dropped since the list was made. */
	if (fd < 0 || fstat(fd, &st) < 0)
		return errno == ENOENT ? -EAGAIN : -errno;
	rd->file = name;
	rd->line = 0;
	rd->again = true;
	rd->has_seen = false;
	r = read_lines(rd, fd, st.st_size, false);
	check_again_end(rd);
	audit_old_name(rd->last.n, want);
	if (r >= 0 && !rd->stopped && !streq(name, want))
		fault(rd, rd->line, "the file does not end with the record that its name says");
	return r;
}

/* base: number of the newest record that was dropped; its file, or one before it, may be left. */
static int read_files(struct reader *rd, const struct files *f, uint64_t base)
{
	char first[64];
	int r = 0;

	audit_old_name(base, first);
	for (size_t i = 0; r >= 0 && i < f->old.n && !rd->stopped; i++)
		if (strcmp(f->old.v[i], first) > 0)
			r = read_old(rd, f, f->old.v[i]);
	if (r < 0 || f->fd < 0 || rd->stopped)
		return r;
	rd->file = AUDIT_FILE;
	rd->line = 0;
	rd->again = true;
	rd->has_seen = false;
	r = read_lines(rd, f->fd, f->size, true);
	check_again_end(rd);
	return r;
}

int audit_read(const char *state_dir, int (*each)(void *ctx, const struct audit_record *r),
	       void *ctx, struct audit_result *ret, struct berm_err *err)
{
	_cleanup_(files_free) struct files f = { .dirfd = -1, .fd = -1 };
	struct reader rd = { .res = ret, .each = each, .ctx = ctx, .torn = BUF_INIT(TORN_MAX) };
	struct audit_link base = { 0 };
	int r;

	*ret = (struct audit_result){ 0 };
	memcpy(rd.last.hash, audit_genesis, sizeof(audit_genesis));
	r = begin(&f, state_dir, &rd, &base);
	if (r > 0) {
		rd.last = base;
		ret->dropped = base.n;
		/* The newest record may be one of them: the log was emptied just now. */
		rd.saw_head = rd.has_head && rd.head.n == base.n && streq(rd.head.hash, base.hash);
	}
	if (r >= 0)
		r = read_files(&rd, &f, base.n);
	check_end(&rd);
	buf_free(&rd.torn);
	if (r == -EAGAIN) {
		(void)err_set(err, r, "the audit log was put away while it was read");
		err_fix(err, "run it again");
		return r;
	}
	return r < 0 ? err_errno(err, r, "cannot read the audit log in %s", state_dir) : 0;
}

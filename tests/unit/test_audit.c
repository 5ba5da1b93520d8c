/* SPDX-License-Identifier: Apache-2.0 */
/* The audit log: the chain, what a killed writer leaves, many writers, and that no change of
 * any byte goes unseen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/fd.h"
#include "guard/audit.h"
#include "prng.h"

struct log {
	char dir[64];
	struct audit_result res;
	struct berm_err err;
};

static void up(struct log *l)
{
	*l = (struct log){ .dir = "/tmp/berm-audit-XXXXXX" };
	assert_non_null(mkdtemp(l->dir));
}

static char *path_of(const struct log *l, const char *name)
{
	static char path[128];

	(void)snprintf(path, sizeof(path), "%s/%s", l->dir, name);
	return path;
}

static void down(struct log *l)
{
	(void)unlink(path_of(l, AUDIT_FILE));
	(void)unlink(path_of(l, AUDIT_HEAD));
	assert_int_equal(rmdir(l->dir), 0);
}

static void append(struct log *l, const char *members)
{
	int r = audit_append(l->dir, members, strlen(members), 1000, &l->err);

	if (r < 0)
		print_error("%s\n", l->err.msg);
	assert_int_equal(r, 0);
}

static void append_n(struct log *l, int n)
{
	for (int i = 0; i < n; i++) {
		char text[64];

		(void)snprintf(text, sizeof(text), "\"event\":\"answer\",\"i\":%d", i);
		append(l, text);
	}
}

static void check(struct log *l)
{
	assert_int_equal(audit_read(l->dir, NULL, NULL, &l->res, &l->err), 0);
}

static char *text_of(const struct log *l, const char *name, size_t *len)
{
	char *text = NULL;

	assert_int_equal(fd_read_file(AT_FDCWD, path_of(l, name), 1u << 24, &text, len), 0);
	return text;
}

static void put(const struct log *l, const char *name, const char *text, size_t len)
{
	int fd = open(path_of(l, name), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	struct stat st;

	assert_true(fd >= 0);
	assert_int_equal(fd_write_all(fd, text, len), 0);
	/* Only where it is needed: it is slow, and there are thousands of them. */
	assert_int_equal(fstat(fd, &st), 0);
	if (st.st_size > (off_t)len)
		assert_int_equal(ftruncate(fd, (off_t)len), 0);
	assert_int_equal(close(fd), 0);
}

/* ---- plain -------------------------------------------------------------- */

static void test_empty(void **state)
{
	struct log l;

	up(&l);
	check(&l);
	assert_int_equal(l.res.records, 0);
	assert_false(l.res.faulty);
	down(&l);
}

static int collect(void *ctx, const struct audit_record *r)
{
	uint64_t *n = ctx;
	json_t *o = json_loadb(r->line, r->len, JSON_REJECT_DUPLICATES, NULL);

	assert_non_null(o);
	assert_int_equal(json_integer_value(json_object_get(o, "n")), r->n);
	assert_string_equal(json_string_value(json_object_get(o, "event")), "answer");
	json_decref(o);
	assert_int_equal(r->n, ++*n);
	return 0;
}

static void test_records(void **state)
{
	uint64_t n = 0;
	struct log l;

	up(&l);
	append_n(&l, 40);
	assert_int_equal(audit_read(l.dir, collect, &n, &l.res, &l.err), 0);
	assert_int_equal(n, 40);
	assert_int_equal(l.res.records, 40);
	assert_false(l.res.faulty);
	assert_int_equal(l.res.torn, 0);
	down(&l);
}

static void test_bad_members(void **state)
{
	static char big[AUDIT_LINE_MAX];
	struct log l;

	up(&l);
	memset(big, 'x', sizeof(big));
	assert_int_equal(audit_append(l.dir, big, sizeof(big), 0, &l.err), -E2BIG);
	assert_true(audit_append(l.dir, "a\nb", 3, 0, &l.err) < 0);
	assert_true(audit_append(l.dir, "a\0b", 3, 0, &l.err) < 0);
	append_n(&l, 2);
	check(&l);
	assert_int_equal(l.res.records, 2);
	assert_false(l.res.faulty);
	down(&l);
}

static void test_not_mine(void **state)
{
	struct log l;

	up(&l);
	append_n(&l, 1);
	assert_int_equal(chmod(path_of(&l, AUDIT_FILE), 0666), 0);
	assert_int_equal(audit_append(l.dir, "\"a\":1", 5, 0, &l.err), -EPERM);
	assert_int_equal(unlink(path_of(&l, AUDIT_FILE)), 0);
	assert_int_equal(symlink("/dev/null", path_of(&l, AUDIT_FILE)), 0);
	assert_int_equal(audit_append(l.dir, "\"a\":1", 5, 0, &l.err), -ELOOP);
	down(&l);
}

static void test_not_a_log(void **state)
{
	struct log l;

	up(&l);
	put(&l, AUDIT_FILE, "one\ntwo\n", 8);
	assert_int_equal(audit_append(l.dir, "\"a\":1", 5, 0, &l.err), -EBADMSG);
	check(&l);
	assert_true(l.res.faulty);
	down(&l);
}

/* ---- torn --------------------------------------------------------------- */

/* The file cut at every length: what is left is read, continued, and whole again. */
static void test_torn_everywhere(void **state)
{
	size_t len = 0, begin;
	char *text;
	struct log l;

	up(&l);
	append_n(&l, 3);
	text = text_of(&l, AUDIT_FILE, &len);
	begin = (size_t)((char *)memrchr(text, '\n', len - 1) + 1 - text);
	for (size_t cut = begin; cut < len; cut++) {
		/* The head is what it was after the second record: its writer was killed. */
		down(&l);
		up(&l);
		append_n(&l, 2);
		put(&l, AUDIT_FILE, text, cut);
		check(&l);
		assert_false(l.res.faulty);
		assert_int_equal(l.res.torn, cut > begin && cut < len - 1);
		append_n(&l, 1);
		check(&l);
		assert_false(l.res.faulty);
		assert_int_equal(l.res.torn, cut > begin && cut < len - 1);
		assert_int_equal(l.res.records, cut > begin ? 4 : 3);
	}
	free(text);
	down(&l);
}

/* The writer that tells of it is killed as well, and the next. */
static void test_torn_twice(void **state)
{
	struct log l;
	size_t len;
	char *text;
	int fd;

	up(&l);
	append_n(&l, 2);
	for (int i = 0; i < 3; i++) {
		fd = open(path_of(&l, AUDIT_FILE), O_WRONLY | O_APPEND | O_CLOEXEC);
		assert_int_equal(fd_write_all(fd, "\n{\"n\":3,\"pre", i ? 12 : 5), 0);
		assert_int_equal(close(fd), 0);
	}
	append_n(&l, 1);
	check(&l);
	assert_false(l.res.faulty);
	assert_int_equal(l.res.torn, 1);
	assert_int_equal(l.res.records, 4);
	/* And that is not to be changed any more either. */
	text = text_of(&l, AUDIT_FILE, &len);
	*(char *)memmem(text, len, "\"pre\n", 5) = '!';
	put(&l, AUDIT_FILE, text, len);
	free(text);
	check(&l);
	assert_true(l.res.faulty);
	down(&l);
}

static void test_first_torn(void **state)
{
	struct log l;

	up(&l);
	put(&l, AUDIT_FILE, "{\"n\":1,\"pr", 10);
	append_n(&l, 1);
	check(&l);
	assert_false(l.res.faulty);
	assert_int_equal(l.res.records, 2);
	down(&l);
}

/* ---- changes ------------------------------------------------------------ */

/* Any byte changed, any line taken out, doubled or moved, any cut: seen, before and after the
 * next record is written. */
static void fault_seen(struct log *l, const char *text, size_t len)
{
	put(l, AUDIT_FILE, text, len);
	check(l);
	assert_true(l->res.faulty);
}

static void test_every_byte(void **state)
{
	size_t len = 0;
	char *text;
	struct log l;

	up(&l);
	append_n(&l, 5);
	text = text_of(&l, AUDIT_FILE, &len);
	for (size_t i = 0; i < len; i++) {
		for (int k = 0; k < 2; k++) {
			char was = text[i];

			text[i] = k ? (char)(was ^ 1) : '\n';
			if (text[i] != was)
				fault_seen(&l, text, len);
			text[i] = was;
		}
	}
	/* Cut anywhere but before the last newline: the head names a record that is gone. */
	for (size_t i = 0; i < len - 1; i++)
		fault_seen(&l, text, i);
	free(text);
	down(&l);
}

static void test_lines(void **state)
{
	struct prng rnd = { 7 };
	size_t len = 0, head_len, at[8], n = 0;
	char *text, *head, *mixed;
	struct log l;

	up(&l);
	append_n(&l, 7);
	text = text_of(&l, AUDIT_FILE, &len);
	head = text_of(&l, AUDIT_HEAD, &head_len);
	mixed = malloc(2 * len);
	for (size_t i = 0; i < len; i++)
		if (!i || text[i - 1] == '\n')
			at[n++] = i;
	assert_int_equal(n, 7);
	at[7] = len;
	for (int round = 0; round < 300; round++) {
		size_t out = 0, same = 0;

		/* A random selection of lines: the whole log is the only one that is whole. */
		for (size_t i = 0; i < 9; i++) {
			size_t k = prng_below(&rnd, 8);

			if (k == 7)
				continue;
			same += k == same;
			memcpy(mixed + out, text + at[k], at[k + 1] - at[k]);
			out += at[k + 1] - at[k];
		}
		if (out == len && memcmp(mixed, text, len) == 0)
			continue;
		put(&l, AUDIT_HEAD, head, head_len);
		fault_seen(&l, mixed, out);
		append_n(&l, 1);
		check(&l);
		assert_true(l.res.faulty);
	}
	free(mixed);
	free(text);
	free(head);
	down(&l);
}

static void test_head_gone(void **state)
{
	struct log l;

	up(&l);
	append_n(&l, 3);
	assert_int_equal(unlink(path_of(&l, AUDIT_HEAD)), 0);
	check(&l);
	assert_true(l.res.faulty);
	down(&l);
}

/* ---- many writers ------------------------------------------------------- */

/* ready: gets a byte when the first record is written, -1: nobody waits. */
static void writer(const struct log *l, int n, int ready)
{
	for (int i = 0; i < n; i++) {
		struct berm_err err = { 0 };
		char text[64];

		(void)snprintf(text, sizeof(text), "\"event\":\"answer\",\"pid\":%d,\"i\":%d",
			       getpid(), i);
		if (audit_append(l->dir, text, strlen(text), 60000, &err) < 0)
			_exit(1);
		if (!i && ready >= 0 && write(ready, "", 1) != 1)
			_exit(1);
	}
	_exit(0);
}

static void test_parallel(void **state)
{
	enum { WRITERS = 8, EACH = 60 };
	struct log l;
	int status;

	up(&l);
	for (int i = 0; i < WRITERS; i++)
		if (fork() == 0)
			writer(&l, EACH, -1);
	for (int i = 0; i < WRITERS; i++) {
		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
	check(&l);
	assert_false(l.res.faulty);
	assert_int_equal(l.res.records, WRITERS * EACH);
	down(&l);
}

/* Killed wherever it happens to be: never a lost chain, never a record that was acknowledged
 * and is gone. */
static void test_killed(void **state)
{
	struct prng rnd = { 11 };
	struct log l;

	up(&l);
	for (int i = 0; i < 60; i++) {
		volatile unsigned spin;
		int ready[2];
		pid_t pid;
		char byte;

		assert_int_equal(pipe(ready), 0);
		pid = fork();
		if (pid == 0)
			writer(&l, 1000000, ready[1]);
		assert_int_equal(read(ready[0], &byte, 1), 1);
		spin = prng_below(&rnd, 1000000);
		while (spin)
			spin--;
		assert_int_equal(kill(pid, SIGKILL), 0);
		assert_int_equal(waitpid(pid, NULL, 0), pid);
		assert_int_equal(close(ready[0]) + close(ready[1]), 0);
		check(&l);
		assert_false(l.res.faulty);
	}
	assert_true(l.res.records >= 60);
	append_n(&l, 1);
	check(&l);
	assert_false(l.res.faulty);
	down(&l);
}

/* A stopped process with the lock: an error in time, no hang. */
static void test_locked(void **state)
{
	struct log l;
	int fd;

	up(&l);
	append_n(&l, 1);
	fd = open(path_of(&l, AUDIT_FILE), O_RDONLY | O_CLOEXEC);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	assert_int_equal(audit_append(l.dir, "\"a\":1", 5, 3, &l.err), -ETIMEDOUT);
	assert_int_equal(close(fd), 0);
	append_n(&l, 1);
	down(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),	    cmocka_unit_test(test_records),
		cmocka_unit_test(test_bad_members), cmocka_unit_test(test_not_mine),
		cmocka_unit_test(test_not_a_log),   cmocka_unit_test(test_torn_everywhere),
		cmocka_unit_test(test_torn_twice),  cmocka_unit_test(test_first_torn),
		cmocka_unit_test(test_every_byte),  cmocka_unit_test(test_lines),
		cmocka_unit_test(test_head_gone),   cmocka_unit_test(test_parallel),
		cmocka_unit_test(test_killed),	    cmocka_unit_test(test_locked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The audit log that is put away when it is large: one chain through all its files, writers that
 * have it open meanwhile or are killed at it, and no change of any file that goes unseen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "base/fd.h"
#include "guard/audit_impl.h"
#include "prng.h"

#define LARGE 1500 /* bytes: about six records */
#define KEEP 4u

struct log {
	char dir[64];
	struct audit_result res;
	struct strv old;
};

static void up(struct log *l)
{
	*l = (struct log){ .dir = "/tmp/berm-audit-XXXXXX" };
	assert_non_null(mkdtemp(l->dir));
}

static int dir_of(const struct log *l)
{
	int fd = open(l->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

static void list(struct log *l)
{
	_cleanup_close_ int dir = dir_of(l);

	strv_free(&l->old);
	l->old = (struct strv){ 0 };
	assert_int_equal(audit_list_old(dir, &l->old), 0);
}

static void down(struct log *l)
{
	static const char *const names[] = { AUDIT_FILE, AUDIT_HEAD, AUDIT_BASE, AUDIT_FILE ".new",
					     AUDIT_BASE ".new" };
	_cleanup_close_ int dir = dir_of(l);

	list(l);
	for (size_t i = 0; i < l->old.n; i++)
		assert_int_equal(unlinkat(dir, l->old.v[i], 0), 0);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		(void)unlinkat(dir, names[i], 0);
	strv_free(&l->old);
	assert_int_equal(rmdir(l->dir), 0);
}

static int add(const struct audit *a, int i)
{
	struct berm_err err = { 0 };
	char text[64];

	(void)snprintf(text, sizeof(text), "\"event\":\"answer\",\"i\":%d", i);
	return audit_add(a, text, strlen(text), 60000, &err);
}

static int append(const struct log *l, off_t large, int i)
{
	struct audit a = AUDIT_CLOSED;
	struct berm_err err = { 0 };
	int r = audit_open_limits(l->dir, large, KEEP, &a, &err);

	if (r >= 0)
		r = add(&a, i);
	audit_close(&a);
	return r;
}

static void append_n(const struct log *l, off_t large, int n)
{
	for (int i = 0; i < n; i++)
		assert_int_equal(append(l, large, i), 0);
}

struct order {
	uint64_t last;
	bool broken;
};

static int in_order(void *ctx, const struct audit_record *r)
{
	struct order *o = ctx;

	o->broken |= o->last && r->n != o->last + 1;
	o->last = r->n;
	return 0;
}

static void check(struct log *l)
{
	struct berm_err err = { 0 };
	struct order order = { 0 };

	if (audit_read(l->dir, in_order, &order, &l->res, &err) < 0)
		fail_msg("%s", err.msg);
	assert_true(l->res.faulty || !order.broken);
}

static void check_whole(struct log *l, uint64_t total)
{
	check(l);
	if (l->res.faulty)
		fail_msg("%s:%llu: %s", l->res.fault.file, (unsigned long long)l->res.fault.line,
			 l->res.fault.what);
	assert_int_equal(l->res.records + l->res.dropped, total);
}

static char *text_of(const struct log *l, const char *name, size_t *len)
{
	_cleanup_close_ int dir = dir_of(l);
	char *text;

	assert_int_equal(fd_read_file(dir, name, 1u << 20, &text, len), 0);
	return text;
}

static void put(const struct log *l, const char *name, const char *text, size_t len)
{
	_cleanup_close_ int dir = dir_of(l);
	_cleanup_close_ int fd = openat(dir, name, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(fd_write_all(fd, text, len), 0);
}

static void test_grows(void **state)
{
	struct log l;

	(void)state;
	up(&l);
	for (int i = 1; i <= 100; i++) {
		assert_int_equal(append(&l, LARGE, i), 0);
		check_whole(&l, (uint64_t)i);
		list(&l);
		assert_true(l.old.n <= KEEP);
	}
	assert_int_equal(l.old.n, KEEP);
	assert_true(l.res.dropped > 0);
	assert_true(l.res.records >= 20);
	/* A larger limit: nothing is put away. */
	append_n(&l, 1 << 20, 30);
	check_whole(&l, 130);
	down(&l);
}

static void fault_seen(struct log *l)
{
	check(l);
	assert_true(l->res.faulty);
}

static void test_changed(void **state)
{
	_cleanup_close_ int dir = -1;
	struct log l;
	size_t len;

	(void)state;
	up(&l);
	append_n(&l, LARGE, 100);
	check_whole(&l, 100);
	list(&l);
	dir = dir_of(&l);
	for (size_t i = 0; i < l.old.n; i++) {
		_cleanup_free_ char *text = text_of(&l, l.old.v[i], &len);

		/* Gone, empty, cut, under another name, and any byte. */
		assert_int_equal(unlinkat(dir, l.old.v[i], 0), 0);
		fault_seen(&l);
		put(&l, l.old.v[i], text, 0);
		fault_seen(&l);
		put(&l, l.old.v[i], text, len - 1);
		fault_seen(&l);
		put(&l, l.old.v[i], text, len - 5);
		fault_seen(&l);
		for (size_t k = 0; k < len; k += 13) {
			text[k] ^= 1;
			put(&l, l.old.v[i], text, len);
			fault_seen(&l);
			text[k] ^= 1;
		}
		put(&l, l.old.v[i], text, len);
		check_whole(&l, 100);
	}
	/* Left over from before the base: a writer was killed between the two. */
	put(&l, "audit.00000000000000000003.jsonl", "left\n", 5);
	check_whole(&l, 100);
	assert_int_equal(renameat(dir, l.old.v[1], dir, "audit.00000000000000000099.jsonl"), 0);
	fault_seen(&l);
	assert_int_equal(renameat(dir, "audit.00000000000000000099.jsonl", dir, l.old.v[1]), 0);
	assert_int_equal(unlinkat(dir, AUDIT_BASE, 0), 0);
	fault_seen(&l);
	put(&l, AUDIT_BASE, "nonsense\n", 9);
	fault_seen(&l);
	down(&l);
}

/* Killed before the log is emptied: its records stand in two files, and count once. */
static void test_stands_twice(void **state)
{
	_cleanup_free_ char *text = NULL, *own = NULL;
	struct log l;
	size_t len, own_len;

	(void)state;
	up(&l);
	append_n(&l, LARGE, 6);
	list(&l);
	assert_int_equal(l.old.n, 0);
	own = text_of(&l, AUDIT_FILE, &own_len);
	append_n(&l, 1, 1); /* put away before it is added to */
	list(&l);
	assert_int_equal(l.old.n, 1);
	put(&l, AUDIT_FILE, own, own_len);
	{
		/* The head of then. */
		struct audit_link last = { 0 };
		_cleanup_close_ int dir = dir_of(&l);
		_cleanup_close_ int fd = openat(dir, AUDIT_FILE, O_RDONLY);
		_cleanup_buf_ struct buf head = BUF_INIT(128);

		assert_int_equal(audit_last(fd, &last), 0);
		audit_head_format(&last, &head);
		put(&l, AUDIT_HEAD, head.data, head.len);
	}
	check_whole(&l, 6);
	append_n(&l, 1 << 20, 3);
	check_whole(&l, 9);
	append_n(&l, 1, 2);
	check_whole(&l, 11);
	/* Others than those are no repetition. */
	list(&l);
	text = text_of(&l, l.old.v[1], &len);
	for (size_t k = 0; k < len; k += 7) {
		text[k] ^= 1;
		put(&l, l.old.v[1], text, len);
		fault_seen(&l);
		text[k] ^= 1;
	}
	down(&l);
}

/* Some with the log open all the time, some that open it for each record. */
static void test_parallel(void **state)
{
	enum { WRITERS = 6, EACH = 80 };
	struct log l;
	int status;

	(void)state;
	up(&l);
	for (int i = 0; i < WRITERS; i++) {
		struct audit a = AUDIT_CLOSED;
		struct berm_err err = { 0 };

		if (fork())
			continue;
		if (i % 2 && audit_open_limits(l.dir, LARGE, KEEP, &a, &err) < 0)
			_exit(1);
		for (int k = 0; k < EACH; k++)
			if ((i % 2 ? add(&a, k) : append(&l, LARGE, k)) < 0)
				_exit(2);
		_exit(0);
	}
	for (int i = 0; i < WRITERS; i++) {
		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
	check_whole(&l, WRITERS * EACH);
	list(&l);
	assert_true(l.old.n > 0 && l.old.n <= KEEP);
	down(&l);
}

static void test_killed(void **state)
{
	struct prng rnd = { 5 };
	struct log l;

	(void)state;
	up(&l);
	for (int i = 0; i < 80; i++) {
		volatile unsigned spin;
		int ready[2];
		pid_t pid;
		char byte;

		assert_int_equal(pipe(ready), 0);
		pid = fork();
		if (pid == 0)
			for (int k = 0;; k++)
				if (append(&l, LARGE / 3, k) < 0 ||
				    (!k && write(ready[1], "", 1) != 1))
					_exit(1);
		assert_int_equal(read(ready[0], &byte, 1), 1);
		spin = prng_below(&rnd, 300000);
		while (spin)
			spin--;
		assert_int_equal(kill(pid, SIGKILL), 0);
		assert_int_equal(waitpid(pid, NULL, 0), pid);
		assert_int_equal(close(ready[0]) + close(ready[1]), 0);
		check(&l);
		if (l.res.faulty)
			fail_msg("%d: %s:%llu: %s", i, l.res.fault.file,
				 (unsigned long long)l.res.fault.line, l.res.fault.what);
	}
	append_n(&l, LARGE, 30);
	check(&l);
	assert_false(l.res.faulty);
	list(&l);
	assert_true(l.old.n <= KEEP);
	down(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_grows),	     cmocka_unit_test(test_changed),
		cmocka_unit_test(test_stands_twice), cmocka_unit_test(test_parallel),
		cmocka_unit_test(test_killed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

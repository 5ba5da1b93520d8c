/* SPDX-License-Identifier: Apache-2.0 */
/* The start-up's memory: shared with those who were forked meanwhile, to read only. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/arena.h"

/* Runs fn in a child that was forked while the arena is open, after `then` ran here. */
static int in_reader(int (*fn)(void *), void (*then)(void *), void *ctx)
{
	int go[2], status;
	pid_t pid;

	assert_int_equal(pipe(go), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		char c;

		(void)close(go[1]);
		if (arena_reader() < 0)
			_exit(99);
		while (read(go[0], &c, 1) > 0)
			;
		_exit(fn(ctx));
	}
	if (then)
		then(ctx);
	(void)close(go[0]);
	(void)close(go[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

/* strdup(3) of a dynamic C library does not come through the linker's wrapping. */
static char *copy(const char *text)
{
	size_t n = strlen(text) + 1;
	char *p = malloc(n);

	if (p)
		memcpy(p, text, n);
	return p;
}

struct box {
	char *late; /* allocated after the fork */
};

static int sees_late(void *ctx)
{
	const struct box *b = ctx;

	return b->late && strcmp(b->late, "said later") == 0 ? 0 : 1;
}

static void say_late(void *ctx)
{
	struct box *b = ctx;

	b->late = copy("said later");
}

static void test_shared(void **state)
{
	struct box *b;
	int status;

	(void)state;
	assert_true(arena_open());
	b = calloc(1, sizeof(*b));
	assert_non_null(b);
	status = in_reader(sees_late, say_late, b);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_true(arena_whole());
	assert_int_equal(arena_close(), 0);
	assert_false(arena_whole());
	/* Still there, and ours to change. */
	assert_string_equal(b->late, "said later");
	b->late[0] = 'S';
	free(b->late);
	free(b);
}

static int writes(void *ctx)
{
	(void)signal(SIGSEGV, SIG_DFL);
	*(volatile char *)ctx = 'x';
	return 0;
}

static int unprotects(void *ctx)
{
	uintptr_t page = (uintptr_t)ctx & ~(uintptr_t)4095;

	return mprotect((void *)page, 4096, PROT_READ | PROT_WRITE) < 0 ? errno : 0;
}

static void test_readers_never_write(void **state)
{
	char *p;
	int status;

	(void)state;
	assert_true(arena_open());
	p = copy("as it was");
	assert_non_null(p);
	status = in_reader(writes, NULL, p);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGSEGV);
	status = in_reader(unprotects, NULL, p);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), EACCES);
	assert_string_equal(p, "as it was");
	assert_int_equal(arena_close(), 0);
}

/* A process that is forked when all is published: fn runs with a copy of its own, or without. */
static int in_later(bool copies, int (*fn)(void *), void *ctx)
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0)
		_exit(copies && arena_copy() < 0 ? 99 : fn(ctx));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static int changes_own(void *ctx)
{
	char *p = ctx;

	if (strcmp(p, "published") != 0)
		return 1;
	*p = 'P';
	return 0;
}

static int reads(void *ctx)
{
	(void)signal(SIGSEGV, SIG_DFL);
	return *(volatile char *)ctx == 'p';
}

/* What others write there does not come back to us, who wrote it for the readers. */
static void test_later_forks_have_a_copy_or_nothing(void **state)
{
	char *p;
	int status;

	(void)state;
	assert_true(arena_open());
	p = copy("published");
	assert_non_null(p);
	arena_publish();
	assert_false(arena_whole());
	status = in_later(true, changes_own, p);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_string_equal(p, "published");
	status = in_later(false, reads, p);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGSEGV);
	assert_int_equal(arena_close(), 0);
	assert_string_equal(p, "published");
}

static int sees_first(void *ctx)
{
	return strcmp(ctx, "before") == 0 ? 0 : 1;
}

static void change_closed(void *ctx)
{
	assert_int_equal(arena_close(), 0);
	memcpy(ctx, "after!", 6);
}

/* What is written after the close is the writer's alone. */
static void test_close_parts(void **state)
{
	char *p;
	int status;

	(void)state;
	assert_true(arena_open());
	p = copy("before");
	assert_non_null(p);
	status = in_reader(sees_first, change_closed, p);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_string_equal(p, "after!");
}

static void test_blocks(void **state)
{
	volatile size_t huge = SIZE_MAX / 2;
	char *volatile none; /* what nobody uses a compiler does not allocate */
	char *v[64], *q;

	(void)state;
	assert_true(arena_open());
	for (size_t i = 0; i < 64; i++) {
		v[i] = malloc(i + 1);
		assert_non_null(v[i]);
		assert_int_equal((uintptr_t)v[i] % 16, 0);
		memset(v[i], (int)i, i + 1);
	}
	for (size_t i = 0; i < 64; i++)
		for (size_t k = 0; k <= i; k++)
			assert_int_equal(v[i][k], i);
	/* In the middle and at the end; a block that was given back is zero again. */
	q = realloc(v[3], 100);
	assert_non_null(q);
	assert_memory_equal(q, "\3\3\3\3", 4);
	q = realloc(q, 5000);
	assert_memory_equal(q, "\3\3\3\3", 4);
	memset(q, 'z', 5000);
	free(q);
	q = calloc(50, 100);
	assert_non_null(q);
	for (size_t i = 0; i < 5000; i++)
		assert_int_equal(q[i], 0);
	/* More than SIZE_MAX bytes are none. */
	none = calloc(huge, 3);
	assert_null(none);
	assert_true(arena_whole());
	assert_int_equal(arena_close(), 0);
}

static void test_not_whole(void **state)
{
	char *big, *old = malloc(10);

	(void)state;
	assert_non_null(old);
	assert_true(arena_open());
	assert_true(arena_whole());
	big = malloc(64u << 20);
	assert_non_null(big);
	memset(big, 1, 64u << 20);
	assert_false(arena_whole());
	free(big);
	assert_int_equal(arena_close(), 0);
	/* A block from before that grows would be seen as it was. */
	assert_true(arena_open());
	old = realloc(old, 100000);
	assert_non_null(old);
	assert_false(arena_whole());
	free(old);
	assert_int_equal(arena_close(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shared),
		cmocka_unit_test(test_readers_never_write),
		cmocka_unit_test(test_later_forks_have_a_copy_or_nothing),
		cmocka_unit_test(test_close_parts),
		cmocka_unit_test(test_blocks),
		cmocka_unit_test(test_not_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The supervisor's parts that ask nobody: spellings of descriptors, and paths that are
 * judged in pieces. What it does as a whole is shown by tests/system and tests/escape. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "linux/supervisor/sup.h"

static void test_magic_fd(void **state)
{
	static const struct {
		const char *path;
		int number;
	} cases[] = {
		{ "/proc/self/fd/0", 0 },
		{ "/proc/self/fd/17", 17 },
		{ "/proc/thread-self/fd/3", 3 },
		{ "/dev/fd/9", 9 },
		{ "/dev/stdin", 0 },
		{ "/dev/stdout", 1 },
		{ "/dev/stderr", 2 },
		{ "/dev/stdout/", -1 },
		{ "/proc/self/fd/", -1 },
		{ "/proc/self/fd/1/", -1 },
		{ "/proc/self/fd/1/x", -1 },
		{ "/proc/self/fd/01", -1 },
		{ "/proc/self/fd/-1", -1 },
		{ "/proc/self/fd/+1", -1 },
		{ "/proc/self/fd/99999999999999999999", -1 },
		{ "/proc/self/fd/4294967297", -1 },
		{ "/proc/self/fd/0x1", -1 },
		{ "proc/self/fd/1", -1 },
		{ "/proc/1/fd/1", -1 },
		{ "", -1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (magic_fd(cases[i].path) != cases[i].number)
			fail_msg("%s: %d", cases[i].path, magic_fd(cases[i].path));
}

/* Each component of the path must be whole in at least one piece, and each piece a path
 * that can be judged. */
static void check_pieces(const char *root_path, size_t components, size_t length)
{
	const struct sup_root root = { .path = root_path };
	size_t top = strlen(root_path), size = top + components * (length + 1) + 1, next = 0, n = 0;
	_cleanup_free_ char *full = malloc(size);
	_cleanup_free_ char *seen = calloc(components, 1);
	char piece[2 * PATH_MAX], *at;

	assert_non_null(full);
	assert_non_null(seen);
	memcpy(full, root_path, top);
	at = full + top;
	for (size_t i = 0; i < components; i++) {
		/* Numbered, so that each is found again. */
		int len = snprintf(at, size - (size_t)(at - full), "/%06zu", i);

		memset(at + len, 'x', length + 1 - (size_t)len);
		at += length + 1;
	}
	*at = '\0';
	do {
		size_t was = next;

		next = deep_piece(&root, full, next, piece);
		assert_true(!next || next > was);
		assert_true(strlen(piece) < PATH_MAX);
		assert_memory_equal(piece, root_path, top);
		for (const char *p = piece + top; *p; p += length + 1) {
			assert_int_equal(*p, '/');
			assert_int_equal(strcspn(p + 1, "/"), length);
			seen[strtoul(p + 1, NULL, 10)] = 1;
		}
		assert_true(++n < 1000);
	} while (next);
	for (size_t i = 0; i < components; i++)
		assert_int_equal(seen[i], 1);
	/* The last piece ends as the path does. */
	assert_memory_equal(piece + strlen(piece) - length, full + strlen(full) - length,
			    length + 1);
}

static void test_deep_pieces(void **state)
{
	char root[1024];

	(void)state;
	memset(root, 'r', sizeof(root));
	root[0] = '/';
	root[sizeof(root) - 1] = '\0';
	for (size_t length = 6; length <= NAME_MAX; length += 83)
		for (size_t components = 1; components < 300; components += 23) {
			check_pieces("/w", components, length);
			check_pieces(root, components, length);
		}
	check_pieces("/w", 250, NAME_MAX);
}

static void test_types(void **state)
{
	(void)state;
	assert_int_equal(type_of_mode(S_IFREG | 0644), FT_REG);
	assert_int_equal(type_of_mode(S_IFDIR), FT_DIR);
	assert_int_equal(type_of_mode(S_IFLNK | 0777), FT_SYMLINK);
	assert_int_equal(type_of_mode(S_IFIFO), FT_OTHER);
	assert_int_equal(type_of_mode(S_IFSOCK), FT_OTHER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_magic_fd),
		cmocka_unit_test(test_deep_pieces),
		cmocka_unit_test(test_types),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

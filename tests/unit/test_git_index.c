/* SPDX-License-Identifier: Apache-2.0 */
/* The index: git's own pass, none with a path into a git directory does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "policy/git.h"

struct image {
	unsigned char bytes[1 << 16];
	size_t len;
	size_t hash;
	unsigned version;
	char last[4096];
};

static void add(struct image *x, const void *data, size_t len)
{
	memcpy(x->bytes + x->len, data, len);
	x->len += len;
}

static void add32(struct image *x, uint32_t v)
{
	const unsigned char b[4] = { (unsigned char)(v >> 24), (unsigned char)(v >> 16),
				     (unsigned char)(v >> 8), (unsigned char)v };

	add(x, b, 4);
}

static void pad(struct image *x, size_t n)
{
	memset(x->bytes + x->len, 0, n);
	x->len += n;
}

static void begin(struct image *x, unsigned version, size_t hash, uint32_t n)
{
	x->len = 0;
	x->hash = hash;
	x->version = version;
	x->last[0] = '\0';
	add(x, "DIRC", 4);
	add32(x, version);
	add32(x, n);
}

static void entry_of(struct image *x, const char *name, unsigned claimed, unsigned strip)
{
	size_t start = x->len, n = strlen(name);
	const unsigned char flags[2] = { (unsigned char)(claimed >> 8), (unsigned char)claimed };
	const unsigned char one = (unsigned char)strip;

	pad(x, 40);
	memset(x->bytes + x->len, 0xab, x->hash);
	x->len += x->hash;
	add(x, flags, 2);
	if (x->version == 4)
		add(x, &one, 1);
	add(x, name, n + 1);
	if (x->version != 4)
		pad(x, (8 - (x->len - start) % 8) % 8);
}

static void entry(struct image *x, const char *name)
{
	size_t n = strlen(name), common = 0;

	if (x->version != 4) {
		entry_of(x, name, (unsigned)(n > 0xfff ? 0xfff : n), 0);
		return;
	}
	while (name[common] && name[common] == x->last[common])
		common++;
	entry_of(x, name + common, (unsigned)n, (unsigned)(strlen(x->last) - common));
	(void)snprintf(x->last, sizeof(x->last), "%s", name);
}

static bool ok(struct image *x)
{
	char reason[128];
	size_t len = x->len;
	bool good;

	pad(x, x->hash);
	good = git_index_ok(x->bytes, x->len, reason, sizeof(reason));
	if (!good && reason[0] == '\0')
		fail_msg("no reason");
	x->len = len;
	return good;
}

static struct image x;

static void test_names(void **state)
{
	static const struct {
		bool ok;
		const char *name;
	} rows[] = {
		{ true, "a" },
		{ true, ".gitignore" },
		{ true, ".gitmodules" },
		{ true, "a/.gitattributes" },
		{ true, "x.git/config" },
		{ true, "sparse/dir/" },
		{ true, "..a/b.." },
		{ true, "git" },
		{ true, "" }, /* of a split index */
		{ false, ".git" },
		{ false, ".git/hooks/post-checkout" },
		{ false, "a/.git/config" },
		{ false, "a/.GIT" },
		{ false, "a/git~1/config" },
		{ false, ".git /config" },
		{ false, ".g\xe2\x80\x8cit/config" },
		{ false, "../a" },
		{ false, "a/../b" },
		{ false, "a/./b" },
		{ false, "a//b" },
		{ false, "/etc/passwd" },
	};

	(void)state;
	for (unsigned version = 2; version <= 4; version++)
		for (size_t hash = 20; hash <= 32; hash += 12)
			for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
				begin(&x, version, hash, 2);
				entry(&x, "Makefile");
				entry(&x, rows[i].name);
				if (ok(&x) != rows[i].ok)
					fail_msg("v%u, hash %zu: %s", version, hash, rows[i].name);
			}
}

/* In version 4 a name builds on the one before. */
static void test_prefix(void **state)
{
	(void)state;
	begin(&x, 4, 20, 2);
	entry_of(&x, ".gi", 3, 0);
	entry_of(&x, "t/config", 11, 0);
	assert_false(ok(&x));
	begin(&x, 4, 20, 2);
	entry_of(&x, ".gitx", 5, 0);
	entry_of(&x, "/config", 11, 1);
	assert_false(ok(&x));
	begin(&x, 4, 20, 2);
	entry_of(&x, ".gitx", 5, 0);
	entry_of(&x, "y", 5, 1);
	assert_true(ok(&x));
	begin(&x, 4, 20, 1);
	entry_of(&x, "a", 1, 1);
	assert_false(ok(&x));
}

/* Where what git takes for the name is not what stands there. */
static void test_lengths(void **state)
{
	(void)state;
	for (unsigned version = 2; version <= 4; version++) {
		begin(&x, version, 20, 1);
		entry_of(&x, "abc", 2, 0);
		assert_false(ok(&x));
		begin(&x, version, 20, 1);
		entry_of(&x, "abc", 9, 0);
		assert_false(ok(&x));
		begin(&x, version, 20, 2);
		entry_of(&x, "abc", 3, 0);
		assert_false(ok(&x));
	}
	begin(&x, 5, 20, 0);
	assert_false(ok(&x));
	begin(&x, 2, 20, 0);
	assert_true(ok(&x));
	x.bytes[0] = 'd';
	assert_false(ok(&x));
	assert_true(git_index_ok("", 0, NULL, 0));
	assert_false(git_index_ok("DIRC", 4, NULL, 0));
}

static void extension(struct image *to, const char *name, uint32_t size)
{
	add(to, name, 4);
	add32(to, size);
}

/* The tables that threads read by must say what the plain walk says. */
static void test_tables(void **state)
{
	static const struct {
		bool ok;
		int first, second; /* added to the true offsets */
		uint32_t n1, n2;
	} rows[] = {
		{ true, 0, 0, 1, 2 },  { false, 8, 0, 1, 2 },	{ false, 0, 8, 1, 2 },
		{ false, 0, 0, 2, 1 }, { false, 0, 0, 1, 1 },	{ false, 0, 0, 1, 3 },
		{ false, 0, 0, 0, 3 }, { false, 0, -64, 1, 2 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		size_t second;

		begin(&x, 2, 20, 3);
		entry(&x, "a");
		second = x.len;
		entry(&x, "b");
		entry(&x, "c");
		extension(&x, "TREE", 3);
		pad(&x, 3);
		extension(&x, "IEOT", 20);
		add32(&x, 1);
		add32(&x, (uint32_t)(12 + rows[i].first));
		add32(&x, rows[i].n1);
		add32(&x, (uint32_t)((int)second + rows[i].second));
		add32(&x, rows[i].n2);
		if (ok(&x) != rows[i].ok)
			fail_msg("IEOT row %zu", i);
	}
	/* Which of two would count is git's business. */
	begin(&x, 2, 20, 1);
	entry(&x, "a");
	for (int i = 0; i < 2; i++) {
		extension(&x, "IEOT", 12);
		add32(&x, 1);
		add32(&x, 12);
		add32(&x, 1);
		assert_int_equal(ok(&x), i == 0);
	}
	/* A block's first name is read with and without the one before. */
	for (unsigned strip = 0; strip < 2; strip++) {
		size_t second;

		begin(&x, 4, 20, 2);
		entry_of(&x, "a", 1, 0);
		second = x.len;
		entry_of(&x, "b", strip ? 1 : 2, strip);
		extension(&x, "IEOT", 20);
		add32(&x, 1);
		add32(&x, 12);
		add32(&x, 1);
		add32(&x, (uint32_t)second);
		add32(&x, 1);
		assert_int_equal(ok(&x), strip == 1);
	}
	for (int off = -8; off <= 8; off += 8) {
		size_t end;

		begin(&x, 2, 20, 1);
		entry(&x, "a");
		end = x.len;
		extension(&x, "EOIE", 24);
		add32(&x, (uint32_t)((int)end + off));
		pad(&x, 20);
		assert_int_equal(ok(&x), off == 0);
	}
	begin(&x, 2, 20, 1);
	entry(&x, "a");
	extension(&x, "TREE", 1);
	assert_false(ok(&x));
}

static enum file_type entry_of_bare(void *ctx, const char *name)
{
	(void)ctx;
	return streq(name, "HEAD") || streq(name, "commondir") ? FT_REG : FT_NONE;
}

static void test_is_index(void **state)
{
	const struct dir_facts f = { .entry = entry_of_bare };

	(void)state;
	assert_true(git_is_index("/w/.git/index", NULL));
	assert_true(git_is_index("/w/.git/INDEX", NULL));
	assert_true(git_is_index("/w/.git/sharedindex.0123", NULL));
	assert_true(git_is_index("/w/.git/worktrees/t/index", NULL));
	assert_true(git_is_index("/w/.git/modules/a/b/index", NULL));
	assert_true(git_is_index("/w/bare/worktrees/t/index", &f));
	assert_false(git_is_index("/w/.git/index.lock", NULL));
	assert_false(git_is_index("/w/.git/refs/heads/index", NULL));
	assert_false(git_is_index("/w/index", NULL));
	assert_false(git_is_index("/w/src/index.js", NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),	 cmocka_unit_test(test_prefix),
		cmocka_unit_test(test_lengths),	 cmocka_unit_test(test_tables),
		cmocka_unit_test(test_is_index),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

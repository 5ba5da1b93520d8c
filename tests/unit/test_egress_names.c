/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/str.h"
#include "egress/names.h"
#include "plan/net_kit.h"

static const uint8_t key_a[16] = "0123456789abcdef", key_b[16] = "fedcba9876543210";

static struct host host_of(const char *text)
{
	struct host h;

	assert_int_equal(host_parse(text, strlen(text), &h), 0);
	return h;
}

static struct name_rec *add(struct names *n, const char *text)
{
	struct host h = host_of(text);
	struct name_rec *r = NULL;

	assert_int_equal(names_add(n, &h, &r), 0);
	return r;
}

static void test_both_ways(void **state)
{
	struct names *n = NULL;
	struct name_rec *r;
	struct ip_addr ip;
	char text[64];

	assert_int_equal(names_new(key_a, &n), 0);
	assert_null(names_find(n, "example.com"));
	r = add(n, "example.com");
	assert_ptr_equal(r, add(n, "EXAMPLE.com."));
	assert_int_equal(names_count(n), 1);
	assert_ptr_equal(r, names_find(n, "example.com"));
	assert_string_equal(r->name, "example.com");
	assert_int_equal(r->flags + r->uses, 0);

	names_ip(r, false, &ip);
	assert_ptr_equal(r, names_by_ip(n, &ip));
	assert_true(names_range(&ip));
	names_ip(r, true, &ip);
	assert_ptr_equal(r, names_by_ip(n, &ip));
	assert_true(names_range(&ip));
	ip_text(&ip, text, sizeof(text));
	assert_true(str_starts(text, "fd62:6572:6d01:"));
	/* A bit beside the range, or beside the slot, is somebody else. */
	ip.bytes[9] ^= 1;
	assert_null(names_by_ip(n, &ip));
	assert_true(names_range(&ip));
	ip.bytes[6] ^= 1;
	assert_false(names_range(&ip));
	names_free(n);
}

static void test_ranges(void **state)
{
	static const struct {
		const char *ip;
		bool in;
	} rows[] = {
		{ "198.18.0.0", true },
		{ "198.18.0.1", true },
		{ "198.19.255.255", true },
		{ "198.17.255.255", false },
		{ "198.20.0.0", false },
		{ "8.8.8.8", false },
		{ "fd62:6572:6d01::", true },
		{ "fd62:6572:6d00::1", false },
		{ "::1", false },
		{ "fd62:6572:6d01:1::", false },
		{ "fd62:6572:6d01::ffff:ffff:ffff:ffff", true },
	};
	struct names *n = NULL;

	assert_int_equal(names_new(key_a, &n), 0);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct host h = host_of(rows[i].ip);
		struct name_rec *r = NULL;

		assert_true(h.is_ip);
		assert_int_equal(names_range(&h.ip), rows[i].in);
		assert_null(names_by_ip(n, &h.ip));
		assert_int_equal(names_add(n, &h, &r), -EINVAL);
	}
	names_free(n);
}

/* The address of a name is the same in another session, whatever the key. */
static void test_stable(void **state)
{
	struct names *a = NULL, *b = NULL;
	uint32_t slot;

	assert_int_equal(names_new(key_a, &a), 0);
	assert_int_equal(names_new(key_b, &b), 0);
	slot = add(a, "github.com")->slot;
	(void)add(b, "example.com");
	assert_int_equal(add(b, "github.com")->slot, slot);
	names_free(a);
	names_free(b);
}

static void test_full(void **state)
{
	static uint8_t taken[131072];
	struct names *n = NULL;
	struct name_rec *first, *r = NULL;
	struct ip_addr ip;
	struct host h;

	memset(taken, 0, sizeof(taken));
	assert_int_equal(names_new(key_a, &n), 0);
	first = add(n, "first.example");
	for (unsigned i = 1; i < NAMES_MAX; i++) {
		h = (struct host){ .is_ip = false };
		(void)snprintf(h.name, sizeof(h.name), "n%u.example", i);
		if (names_add(n, &h, &r) < 0 ||
		    !names_range(&(struct ip_addr){ .bytes = { 198, 18 } }))
			fail_msg("name %u", i);
		if (taken[r->slot]++ || r->slot == 1 || r->slot % 256 == 0 || r->slot % 256 == 255)
			fail_msg("name %u has slot %u", i, r->slot);
		names_ip(r, i % 2, &ip);
		if (names_by_ip(n, &ip) != r || names_find(n, h.name) != r)
			fail_msg("name %u is not found", i);
	}
	assert_int_equal(names_count(n), NAMES_MAX);
	/* And all of them still, whatever came after. */
	for (unsigned i = 1; i < NAMES_MAX; i++) {
		char name[32];

		(void)snprintf(name, sizeof(name), "n%u.example", i);
		r = names_find(n, name);
		if (!r || !streq(r->name, name))
			fail_msg("name %u is lost", i);
		names_ip(r, i % 2, &ip);
		if (ip.v6 != i % 2 || names_by_ip(n, &ip) != r)
			fail_msg("address of name %u is another's", i);
	}
	h = host_of("one.more.example");
	assert_int_equal(names_add(n, &h, &r), -ENOSPC);
	/* Who is there is still found, and has not moved. */
	assert_ptr_equal(add(n, "first.example"), first);
	assert_int_equal(taken[first->slot], 0);
	names_free(n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_both_ways),
		cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_stable),
		cmocka_unit_test(test_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The BPF assembler against plain lookups. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "bpf_interp.h"
#include "linux/seccomp_asm.h"
#include "linux/seccomp_table.h"

static uint32_t random_below(uint32_t n)
{
	static uint64_t x = 88172645463325252ULL;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return (uint32_t)(x >> 16) % n;
}

static uint32_t run(const struct seccomp_prog *p, int nr)
{
	struct seccomp_data d = { .nr = nr };

	return bpf_run(p, &d).action;
}

/* With as many destinations as numbers, and none of them near. */
static void test_dispatch(void **state)
{
	static struct seccomp_prog p;

	(void)state;
	for (unsigned round = 0; round < 60; round++) {
		size_t n = 1 + random_below(300);
		bpf_label of[BPF_DISPATCH_MAX], entry;
		uint32_t value[BPF_DISPATCH_MAX];
		struct bpf_gen g = { 0 };
		const char *why = "";

		for (size_t i = 0; i < n; i++) {
			value[i] = random_below(round < 30 ? 3 : 12);
			of[i] = bpf_ret(&g, value[i]);
			if (round % 3 == 0) /* push the destinations out of a branch's reach */
				for (unsigned pad = 0; pad < 2; pad++)
					of[i] = bpf_and(&g, UINT32_MAX, of[i]);
		}
		entry = bpf_dispatch(&g, of, n);
		entry = bpf_load(&g, SC_OFF_NR, entry);
		if (g.full)
			continue;
		assert_int_equal(bpf_finish(&g, entry, &p), 0);
		assert_true(bpf_check(&p, &why));
		for (size_t nr = 0; nr < n + 10; nr++)
			assert_int_equal(run(&p, (int)nr), value[nr < n ? nr : n - 1]);
	}
}

static void test_too_big_is_refused(void **state)
{
	struct seccomp_prog p = { .len = 7 };
	struct bpf_gen g = { 0 };
	bpf_label l = bpf_ret(&g, 1);

	(void)state;
	for (unsigned i = 0; i < SECCOMP_PROG_MAX + 5; i++)
		l = bpf_and(&g, i, l);
	assert_int_equal(bpf_finish(&g, l, &p), -E2BIG);
	assert_int_equal(p.len, 7);
	memset(&g, 0, sizeof(g));
	(void)bpf_dispatch(&g, &l, BPF_DISPATCH_MAX + 1);
	assert_int_equal(bpf_finish(&g, 0, &p), -E2BIG);
}

/* A branch whose targets lie about as far as its 8 bits reach. */
static void test_reach(void **state)
{
	static struct seccomp_prog p;

	(void)state;
	for (unsigned pad = 240; pad < 270; pad++)
		for (unsigned between = 0; between < 3; between++) {
			struct bpf_gen g = { 0 };
			bpf_label equal = bpf_ret(&g, 1), other, filler;
			const char *why = "";

			for (filler = equal; filler < between;)
				filler = bpf_and(&g, 0, filler);
			other = bpf_ret(&g, 2);
			filler = bpf_ret(&g, 3);
			for (unsigned i = 0; i < pad; i++)
				filler = bpf_and(&g, 0, filler);
			for (unsigned swap = 0; swap < 2; swap++) {
				struct bpf_gen h = g;
				bpf_label entry = swap ? bpf_jeq(&h, 5, other, equal)
						       : bpf_jeq(&h, 5, equal, other);

				entry = bpf_load(&h, SC_OFF_NR, entry);
				assert_int_equal(bpf_finish(&h, entry, &p), 0);
				assert_true(bpf_check(&p, &why));
				assert_int_equal(run(&p, 5), swap ? 2 : 1);
				assert_int_equal(run(&p, 6), swap ? 1 : 2);
			}
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dispatch),
		cmocka_unit_test(test_too_big_is_refused),
		cmocka_unit_test(test_reach),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

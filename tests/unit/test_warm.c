/* SPDX-License-Identifier: Apache-2.0 */
/* Warm sessions: names, the texts of a request, variables that may be set. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "linux/warm_proto.h"
#include "policy/resolve.h"

static void test_names(void **state)
{
	static const char *const good[] = { "a", "w-0123abcd", "A.b_c-9", "_", "9", "a..b" };
	static const char *const bad[] = { "",	   ".",	  "..",	  ".a",	      "-a",	  "a/b",
					   "../a", "a b", "a\nb", "\xc3\xa4", "a\x1b[0m", "a:b" };
	char longest[WARM_NAME_MAX + 1];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		if (!warm_name_ok(good[i]))
			fail_msg("%s", good[i]);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		if (warm_name_ok(bad[i]))
			fail_msg("%s", bad[i]);
	memset(longest, 'x', sizeof(longest));
	longest[WARM_NAME_MAX] = '\0';
	assert_false(warm_name_ok(longest));
	longest[WARM_NAME_MAX - 1] = '\0';
	assert_true(warm_name_ok(longest));
}

struct text_case {
	uint32_t args, env, dir;
	size_t size;
	const char *text;
	int want;
};

#define T(a, e, d, t, w)                 \
	{                                \
		a, e, d, sizeof(t), t, w \
	} /* with the NUL that C adds */

static void test_texts(void **state)
{
	static const struct text_case cases[] = {
		T(1, 0, 0, "true\0", 0),
		T(3, 0, 0, "a\0b\0c\0", 0),
		T(2, 0, 0, "a\0\0", 0),
		T(1, 2, 0, "a\0B=\0C=d=e\0", 0),
		T(1, 1, 3, "a\0B=1\0src", 0),
		T(0, 0, 0, "true\0", -EPROTO),
		T(1, 0, 0, "\0", -EPROTO),
		T(2, 0, 0, "true\0", -EPROTO),
		T(1, 0, 0, "true\0x\0", -EPROTO),
		T(1, 0, 1, "true\0", -EPROTO),
		T(1, 0, 2, "true\0src", -EPROTO),
		T(1, 1, 0, "a\0B\0", -EPROTO),
		T(1, 1, 0, "a\0=B\0", -EPROTO),
		T(1, 1, 0, "a\0\0", -EPROTO),
		T(UINT32_MAX, 0, 0, "a\0", -EPROTO),
		T(1, UINT32_MAX, 0, "a\0", -EPROTO),
		T(1, 0, UINT32_MAX, "a\0", -EPROTO),
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct text_case *c = &cases[i];
		struct warm_exec x = { .n_args = c->args,
				       .n_env = c->env,
				       .dir_len = c->dir,
				       .size = (uint32_t)c->size };
		struct warm_texts t;
		int r = warm_texts_parse(&x, c->text, c->size, &t);

		if (r != c->want)
			fail_msg("case %zu: %d", i, r);
		x.size++;
		assert_int_equal(warm_texts_parse(&x, c->text, c->size, &t), -EPROTO);
		x.size -= 2;
		/* The last NUL is missing. */
		assert_int_equal(warm_texts_parse(&x, c->text, c->size - 1, &t), -EPROTO);
	}
}

static void test_env(void **state)
{
	static const char *const good[] = { "FOO=",	      "FOO=bar",
					    "LC_ALL=C",	      "TERM=xterm-256color",
					    "GITHUB_TOKEN=x", "A=b=c" };
	static const char *const bad[] = { "",
					   "=x",
					   "FOO",
					   "LD_PRELOAD=x",
					   "LD_LIBRARY_PATH=",
					   "BASH_ENV=x",
					   "PYTHONPATH=x",
					   "NODE_OPTIONS=x",
					   "HOME=/x",
					   "TMPDIR=/x",
					   "PWD=/x",
					   "BERM_SESSION=x",
					   "GIT_TERMINAL_PROMPT=1",
					   "TERM=/x",
					   "FOO=() { :; }" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		if (!env_may_set(good[i]))
			fail_msg("%s", good[i]);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		if (env_may_set(bad[i]))
			fail_msg("%s", bad[i]);
}

static void test_states(void **state)
{
	(void)state;
	assert_string_equal(warm_state_name(WARM_CREATED), "created");
	assert_string_equal(warm_state_name(WARM_ACTIVE), "active");
	assert_string_equal(warm_state_name(WARM_ERROR), "error");
	/* what another version sends */
	assert_string_equal(warm_state_name(WARM_ERROR + 1), "error");
	assert_string_equal(warm_state_name(UINT32_MAX), "error");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_env),
		cmocka_unit_test(test_states),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Text of the panel: nothing that is shown can draw, and nothing is wider than its place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "panel/state.h"
#include "panel/text.h"
#include "prng.h"

static void clean_is(const char *s, const char *want)
{
	char *clean = text_clean(s);

	assert_non_null(clean);
	assert_string_equal(clean, want);
	free(clean);
}

static void test_clean(void **state)
{
	(void)state;
	assert_non_null(setlocale(LC_CTYPE, "C.UTF-8"));
	clean_is("", "");
	clean_is("plain m\xc3\xa4ke \xe6\xbc\xa2", "plain m\xc3\xa4ke \xe6\xbc\xa2");
	clean_is("a\x1b[2Jb\nc\td\x7f", "a\\x1b[2Jb\\x0ac\\x09d\\x7f");
	clean_is("\xff\xc3", "\\xff\\xc3");
	clean_is("\xe2\x80\xae", "\\xe2\\x80\\xae");
	clean_is("\xc2\x9b", "\\xc2\\x9b"); /* CSI as one character */
	assert_non_null(setlocale(LC_CTYPE, "C"));
	clean_is("m\xc3\xa4", "m\\xc3\\xa4");
}

static void test_cut(void **state)
{
	(void)state;
	assert_non_null(setlocale(LC_CTYPE, "C.UTF-8"));
	assert_int_equal(text_cut("abc", 2), 2);
	assert_int_equal(text_cut("abc", 9), 3);
	/* Two columns each: the second does not fit into three. */
	assert_int_equal(text_cut("\xe6\xbc\xa2\xe6\xbc\xa2", 3), 3);
	assert_int_equal(text_columns("\xe6\xbc\xa2x", 4), 3);
	assert_int_equal(text_cut("abc", 0), 0);
}

static void test_rows(void **state)
{
	struct rows r = { 0 };

	(void)state;
	assert_non_null(setlocale(LC_CTYPE, "C.UTF-8"));
	rows_add(&r, 12, 3, "  one two three four\n\nlast\n");
	assert_false(r.failed);
	assert_int_equal(r.n, 5);
	assert_string_equal(r.v[0].text, "  one two ");
	assert_string_equal(r.v[1].text, "    three ");
	assert_string_equal(r.v[2].text, "    four");
	assert_string_equal(r.v[3].text, "");
	assert_string_equal(r.v[4].text, "last");
	assert_int_equal(r.v[2].item, 3);
	rows_free(&r);
	rows_add(&r, 1, 0, "\xe6\xbc\xa2x");
	assert_false(r.failed);
	rows_free(&r);
}

/* Any bytes in any width: no control byte comes out, no row is too wide, nothing is lost. */
static void test_any(void **state)
{
	struct prng p = { 7 };

	(void)state;
	assert_non_null(setlocale(LC_CTYPE, "C.UTF-8"));
	for (int round = 0; round < 3000; round++) {
		char s[200];
		size_t len = prng_below(&p, sizeof(s));
		int columns = 2 + (int)prng_below(&p, 90);
		struct rows r = { 0 };

		for (size_t i = 0; i < len; i++)
			s[i] = (char)(1 + prng_below(&p, 255));
		s[len ? len - 1 : 0] = '\0';
		rows_add(&r, columns, -1, s);
		assert_false(r.failed);
		assert_true(r.n > 0);
		for (size_t i = 0; i < r.n; i++) {
			assert_true(text_columns(r.v[i].text, strlen(r.v[i].text)) <= columns);
			for (const char *c = r.v[i].text; *c; c++)
				assert_true((unsigned char)*c >= ' ' && *c != 127);
		}
		rows_free(&r);
	}
}

static void test_state(void **state)
{
	static const char good[] = "{\"mode\":\"regular\",\"fallback\":\"strict\",\"excluded\":"
				   "[{\"pattern\":\"x\",\"origin\":\"f:1\",\"local\":true},7]}";
	static const char *const bad[] = { "", "[]", "{}", "{\"mode\":\"a\",\"fallback\":\"b\"}",
					   "{\"mode\":1,\"fallback\":\"b\",\"excluded\":[]}" };
	json_t *s = NULL;

	(void)state;
	assert_int_equal(state_parse(good, strlen(good), &s), 0);
	assert_true(state_is(s, "mode", "regular"));
	assert_string_equal(state_text(s, "why"), "");
	assert_int_equal(state_excluded(s), 2);
	assert_string_equal(state_pattern(s, 0), "x");
	assert_true(state_pattern_local(s, 0));
	assert_string_equal(state_pattern(s, 1), "");
	assert_string_equal(state_pattern_from(s, 9), "");
	json_decref(s);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_true(state_parse(bad[i], strlen(bad[i]), &s) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_clean), cmocka_unit_test(test_cut),
		cmocka_unit_test(test_rows),  cmocka_unit_test(test_any),
		cmocka_unit_test(test_state),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

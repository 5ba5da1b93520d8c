/* SPDX-License-Identifier: Apache-2.0 */
/* Adding to a settings file that a person wrote. Beside the table, random texts: what comes out
 * says what went in and the change, and everything that was there is still there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#include "session/jsonc_edit.h"

static const struct jsonc_change allow_a = { .path = { "network", "allow" }, .value = "a:1" };
static const struct jsonc_change file_a = { .path = { "files" }, .name = "/w/a", .value = "write" };

static void check(const struct jsonc_change *c, const char *in, int want, const char *out)
{
	_cleanup_buf_ struct buf b = BUF_INIT(1u << 20);
	struct berm_err err = { 0 };
	int r = jsonc_edit("f.json", in, strlen(in), c, &b, &err);

	if (r != want || (r >= 0 && strcmp(b.data ? b.data : "", out) != 0))
		fail_msg("%s\n-> %d, %s\n%s", in, r, err.msg, b.data ? b.data : "");
}

static void test_lists(void **state)
{
	static const struct {
		const char *in, *out;
	} rows[] = {
		{ "", "{\n  \"network\": { \"allow\": [\"a:1\"] }\n}\n" },
		{ "// mine\n", "// mine\n{\n  \"network\": { \"allow\": [\"a:1\"] }\n}\n" },
		{ "{}", "{ \"network\": { \"allow\": [\"a:1\"] } }" },
		{ "{\n}\n", "{\n  \"network\": { \"allow\": [\"a:1\"] }\n}\n" },
		{ "{\n  // none yet\n}\n",
		  "{\n  // none yet\n  \"network\": { \"allow\": [\"a:1\"] }\n}\n" },
		{ "{\"network\":{}}", "{\"network\":{ \"allow\": [\"a:1\"] }}" },
		{ "{\"network\":{\"allow\":[]}}", "{\"network\":{\"allow\":[\"a:1\"]}}" },
		{ "{ \"network\": { \"allow\": [\"x\"] } }",
		  "{ \"network\": { \"allow\": [\"x\", \"a:1\"] } }" },
		{ "{\n\t\"network\": {\n\t\t\"allow\": [\n\t\t\t\"x\", // one\n\t\t\t\"y\" /* two */\n"
		  "\t\t], // end\n\t\t\"deny\": [\"z\"]\n\t}\n}\n",
		  "{\n\t\"network\": {\n\t\t\"allow\": [\n\t\t\t\"x\", // one\n\t\t\t\"y\", /* two */\n"
		  "\t\t\t\"a:1\"\n\t\t], // end\n\t\t\"deny\": [\"z\"]\n\t}\n}\n" },
		{ "{\r\n  \"network\": {\r\n    \"allow\": [\r\n      \"x\"\r\n    ]\r\n  }\r\n}\r\n",
		  "{\r\n  \"network\": {\r\n    \"allow\": [\r\n      \"x\",\r\n      \"a:1\"\r\n    "
		  "]\r\n  }\r\n}\r\n" },
		/* what looks like structure inside strings and comments is none */
		{ "{\"network\":{\"allow\":[\"]}\\\"//\"/*]*/]}}",
		  "{\"network\":{\"allow\":[\"]}\\\"//\", \"a:1\"/*]*/]}}" },
		{ "{\"x\":{\"network\":{\"allow\":[]}},\"network\":{\"allow\":[{\"host\":\"h\"}]}}",
		  "{\"x\":{\"network\":{\"allow\":[]}},\"network\":{\"allow\":[{\"host\":\"h\"}, "
		  "\"a:1\"]}}" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		check(&allow_a, rows[i].in, 0, rows[i].out);
	check(&allow_a, "{\"network\":{\"allow\":[\"a:1\"]} /* c */}", 1,
	      "{\"network\":{\"allow\":[\"a:1\"]} /* c */}");
}

static void test_members(void **state)
{
	(void)state;
	check(&file_a, "{}", 0, "{ \"files\": { \"/w/a\": \"write\" } }");
	check(&file_a, "{\"files\":{\"/w/a\":\"ask\" /* c */,\"b\":\"read\"}}", 0,
	      "{\"files\":{\"/w/a\":\"write\" /* c */,\"b\":\"read\"}}");
	check(&file_a, "{\"files\":{\"/w/a\":{\"x\":[1,2]}}}", 0,
	      "{\"files\":{\"/w/a\":\"write\"}}");
	check(&file_a, "{\"files\":{\"/w/a\":\"write\"}}", 1, "{\"files\":{\"/w/a\":\"write\"}}");
}

static const struct jsonc_change rule = { .path = { "guard", "rules" }, .json = "{\"a\":[1]}" };
static const struct jsonc_change no_rule = { .path = { "guard", "rules" },
					     .json = "{\"a\":[1]}",
					     .remove = true };

/* A comment says why, in a line of its own; what is there already stays. */
static void test_notes(void **state)
{
	static const struct jsonc_change noted = {
		.path = { "files" }, .name = "a", .value = "read", .note = "why"
	};
	static const struct jsonc_change once = { .name = "files",
						  .json = "{\n  }",
						  .unless_there = true };

	(void)state;
	check(&once, "{\n}\n", 0, "{\n  \"files\": {\n  }\n}\n");
	check(&once, "{\"files\": {\"b\": \"read\"}}", 1, "{\"files\": {\"b\": \"read\"}}");
	check(&noted, "{\n  \"files\": {\n  }\n}\n", 0,
	      "{\n  \"files\": {\n    \"a\": \"read\" // why\n  }\n}\n");
	check(&noted, "{\n  \"files\": {\n    \"b\": \"read\" // old\n  }\n}\n", 0,
	      "{\n  \"files\": {\n    \"b\": \"read\", // old\n    \"a\": \"read\" // why\n  }\n}\n");
	/* in the middle of a line a comment would swallow the rest of it */
	check(&noted, "{ \"files\": { \"b\": \"read\" } }", 0,
	      "{ \"files\": { \"b\": \"read\", \"a\": \"read\" } }");
}

static void test_objects(void **state)
{
	(void)state;
	check(&rule, "{}", 0, "{ \"guard\": { \"rules\": [{\"a\":[1]}] } }");
	check(&rule, "{\"guard\":{\"rules\":[ { \"a\" : [ 1 ] } ]}}", 1,
	      "{\"guard\":{\"rules\":[ { \"a\" : [ 1 ] } ]}}");
	check(&rule, "{\"guard\":{\"rules\":[1]}}", 0, "{\"guard\":{\"rules\":[1, {\"a\":[1]}]}}");
}

static void test_removed(void **state)
{
	static const struct {
		const char *in, *out;
	} rows[] = {
		{ "[{\"a\":[1]}]", "[]" },
		{ "[ {\"a\":[1]}, 2 ]", "[ 2 ]" },
		{ "[1, {\"a\": [1]}, 2]", "[1, 2]" },
		{ "[1, /* , { */ {\"a\": [1]} // x\n]", "[1 // x\n]" },
		{ "[\n  1, // one\n  {\"a\":[1]}, // mine\n  2\n]", "[\n  1, // mine\n  2\n]" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_free_ char *in = str_printf("{\"guard\": {\"rules\": %s} }", rows[i].in);
		_cleanup_free_ char *out = str_printf("{\"guard\": {\"rules\": %s} }", rows[i].out);

		check(&no_rule, in, 0, out);
		check(&no_rule, out, 1, out);
	}
	check(&no_rule, "{}", 1, "{}");
}

static void test_refused(void **state)
{
	(void)state;
	struct berm_err err = { 0 };
	_cleanup_buf_ struct buf b = BUF_INIT(1024);

	assert_int_equal(jsonc_edit("f", "{\"a\":3\0}", 8, &allow_a, &b, &err), -EINVAL);
	check(&allow_a, "[]", -EINVAL, "");
	check(&allow_a, "{", -EINVAL, "");
	check(&allow_a, "{\"network\": 3}", -EINVAL, "");
	check(&allow_a, "{\"network\": {\"allow\": {}}}", -EINVAL, "");
	check(&allow_a, "{\"a\":1,\"a\":2}", -EINVAL, "");
	check(&file_a, "{\"files\": []}", -EINVAL, "");
	/* A key in another spelling: found by no scanner, seen when it is read back. */
	check(&allow_a, "{\"net\\u0077ork\": {\"allow\": []}}", -ENOTRECOVERABLE, "");
}

/* ---- random texts ------------------------------------------------------------------ */

static unsigned seed = 1;

static unsigned rnd(unsigned n)
{
	seed = seed * 1103515245u + 12345u;
	return (seed >> 16) % n;
}

static void space(struct buf *b)
{
	static const char *const some[] = { "",	 "",	  " ",	  "\n",	       "\n\t",
					    " ", "/*]*/", "\r\n", "// }\"x\n", "/* \" { */" };

	(void)buf_adds(b, some[rnd(ARRAY_SIZE(some))]);
}

static void value(struct buf *b, unsigned depth)
{
	static const char *const scalars[] = { "1",    "true",	 "null",      "-2.5e3",	 "\"s\"",
					       "\"\"", "\"//\"", "\"\\\"]\"", "\"\\\\\"" };
	static const char *const keys[] = { "network", "allow", "files", "/w/a", "k" };
	unsigned kind = depth > 3 ? 0 : rnd(3), n = rnd(4);

	if (kind == 0) {
		(void)buf_adds(b, scalars[rnd(ARRAY_SIZE(scalars))]);
		return;
	}
	(void)buf_adds(b, kind == 1 ? "{" : "[");
	space(b);
	for (unsigned i = 0; i < n; i++) {
		if (kind == 1) {
			/* Each key once. */
			(void)buf_addf(b, "\"%s\"", keys[(rnd(2) + i * 2) % ARRAY_SIZE(keys)]);
			space(b);
			(void)buf_adds(b, ":");
			space(b);
		}
		value(b, depth + 1);
		space(b);
		if (i + 1 < n) {
			(void)buf_adds(b, ",");
			space(b);
		}
	}
	(void)buf_adds(b, kind == 1 ? "}" : "]");
}

/* Every byte of a but spaces, in order, is in b: nothing was lost. */
static bool kept_within(const char *a, const char *b)
{
	for (; *b; b++) {
		a += strspn(a, " \t\r\n");
		a += *a && *a == *b;
	}
	return !a[strspn(a, " \t\r\n")];
}

static void test_random(void **state)
{
	unsigned done = 0;

	(void)state;
	for (unsigned i = 0; i < 20000; i++) {
		_cleanup_buf_ struct buf in = BUF_INIT(1u << 16), out = BUF_INIT(1u << 17);
		struct berm_err err = { 0 };
		const struct jsonc_change *c = i % 2 ? &allow_a : &file_a;
		int r;

		space(&in);
		value(&in, 0);
		space(&in);
		seed += i;
		r = jsonc_edit("f", in.data, in.len, c, &out, &err);
		if (r == -ENOTRECOVERABLE)
			fail_msg("%s\n->\n%s", in.data, out.data);
		if (r != 0)
			continue;
		done++;
		/* jsonc_edit() has compared the values itself. */
		if (c == &allow_a && !kept_within(in.data, out.data))
			fail_msg("%s\n->\n%s", in.data, out.data);
	}
	assert_true(done > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lists),	cmocka_unit_test(test_members),
		cmocka_unit_test(test_objects), cmocka_unit_test(test_notes),
		cmocka_unit_test(test_removed), cmocka_unit_test(test_refused),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

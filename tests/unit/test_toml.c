/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "policy/toml.h"

/* TOML and the JSON that it means; NULL: refused, with what in the message. */
static const struct {
	const char *toml, *json, *says;
} rows[] = {
	{ "", "{}", NULL },
	{ "# only a comment", "{}", NULL },
	{ "a = 1\nb = \"x\"", "{\"a\":1,\"b\":\"x\"}", NULL },
	{ "\xef\xbb\xbf"
	  "a = true\r\nb = false\r\n",
	  "{\"a\":true,\"b\":false}", NULL },
	{ "a.b.c = 1\na.b.d = 2", "{\"a\":{\"b\":{\"c\":1,\"d\":2}}}", NULL },
	{ "\"a b\" = 1\n'c\"' = 2\n3 = 4", "{\"3\":4,\"a b\":1,\"c\\\"\":2}", NULL },
	{ "[a]\nb = 1\n[a.c]\nd = 2", "{\"a\":{\"b\":1,\"c\":{\"d\":2}}}", NULL },
	{ "[a.b]\nc = 1\n[a]\nd = 2", "{\"a\":{\"b\":{\"c\":1},\"d\":2}}", NULL },
	{ "[ a . \"b.c\" ]\nd = 1", "{\"a\":{\"b.c\":{\"d\":1}}}", NULL },
	{ "[[a]]\nb = 1\n[[a]]\nb = 2\n[a.c]\nd = 3",
	  "{\"a\":[{\"b\":1},{\"b\":2,\"c\":{\"d\":3}}]}", NULL },
	{ "a = [1, [2, 3], \"x\",\n # c\n]", "{\"a\":[1,[2,3],\"x\"]}", NULL },
	{ "a = {b = 1, c.d = \"e\"}", "{\"a\":{\"b\":1,\"c\":{\"d\":\"e\"}}}", NULL },
	{ "a = {}\nb = []", "{\"a\":{},\"b\":[]}", NULL },
	{ "a = -17\nb = 1_000\nc = 0xfF\nd = 0o17\ne = 0b101\nf = +3\ng = 0",
	  "{\"a\":-17,\"b\":1000,\"c\":255,\"d\":15,\"e\":5,\"f\":3,\"g\":0}", NULL },
	{ "a = 1.5\nb = 1e3\nc = -inf\nd = 1979-05-27T07:32:00Z\ne = 1979-05-27 07:32:00\nf = 07:32:00",
	  "{\"a\":\"1.5\",\"b\":\"1e3\",\"c\":\"-inf\",\"d\":\"1979-05-27T07:32:00Z\",\"e\":\"1979-05-27 "
	  "07:32:00\",\"f\":\"07:32:00\"}",
	  NULL },
	{ "a = \"x\\ty\\u00e9\\\"\"\nb = 'c:\\d'", "{\"a\":\"x\\ty\\u00e9\\\"\",\"b\":\"c:\\\\d\"}",
	  NULL },
	{ "a = \"\"\"\nx\n  y\\\n   z\"\"\"\"", "{\"a\":\"x\\n  yz\\\"\"}", NULL },
	{ "a = '''\nx\\y'''", "{\"a\":\"x\\\\y\"}", NULL },
	{ "a = \"\"", "{\"a\":\"\"}", NULL },
	{ "a = 1\na = 2", NULL, "t:2: duplicate key \"a\"" },
	{ "[a]\n[a]", NULL, "defined twice" },
	{ "a = 1\n[a.b]", NULL, "defined twice" },
	{ "a = {b = 1}\n[a.c]", NULL, "defined twice" },
	{ "a = {b = 1}\na.c = 2", NULL, "defined twice" },
	{ "[a]\nb.c = 1\n[a.b]", NULL, "defined twice" },
	{ "a = [1]\n[[a]]", NULL, "the name of something else" },
	{ "a = 1 b = 2", NULL, "after the end" },
	{ "a", NULL, "\"=\" is missing" },
	{ "= 1", NULL, "a key is missing" },
	{ "a = ", NULL, "a value is missing" },
	{ "a = yes", NULL, "this is no value" },
	{ "a = nine", NULL, "this is no value" },
	{ "a = 01", NULL, "this is no value" },
	{ "a = 1__0", NULL, "this is no value" },
	{ "a = 99999999999999999999x", NULL, "this is no value" },
	{ "a = \"x", NULL, "does not end" },
	{ "a = \"x\ny\"", NULL, "does not end" },
	{ "a = \"\\q\"", NULL, "unknown escape" },
	{ "a = \"\\ud800\"", NULL, "no character" },
	{ "a = \"\\u0000\"", NULL, "no character" },
	{ "a = \"\xff\"", NULL, "not UTF-8" },
	{ "\"\xff\" = 1", NULL, "not UTF-8" },
	{ "a = [1 2]", NULL, "missing in an array" },
	{ "a = {b = 1,}", NULL, "a key is missing" },
	{ "[a\nb = 1", NULL, "does not end with" },
	{ "# \x01", NULL, "control character" },
	{ "a = [[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]", NULL, "nested too deep" },
	{ "a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r = 1", NULL, "too many parts" },
};

static int parse(const char *text, size_t len, struct json_doc **ret, struct berm_err *err)
{
	*err = (struct berm_err){ 0 };
	*ret = NULL;
	return toml_doc_parse("t", text, len, ret, err);
}

static void test_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct json_doc *doc;
		struct berm_err err;
		int r = parse(rows[i].toml, strlen(rows[i].toml), &doc, &err);

		if (rows[i].json) {
			_cleanup_free_ char *got = NULL;
			json_t *want = json_loads(rows[i].json, 0, NULL);

			if (r < 0)
				fail_msg("row %zu: %s", i, err.msg);
			got = json_dumps(doc->root, JSON_COMPACT | JSON_SORT_KEYS);
			assert_non_null(want);
			if (!json_equal(doc->root, want))
				fail_msg("row %zu: got %s, wanted %s", i, got, rows[i].json);
			json_decref(want);
		} else if (r >= 0 || !strstr(err.msg, rows[i].says)) {
			fail_msg("row %zu: \"%s\"", i, err.msg);
		}
		json_doc_free(doc);
	}
}

/* Every prefix of everything above: an answer, whatever it is, and no reading past the end. */
static void test_cut_short(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		for (size_t n = 0; n < strlen(rows[i].toml); n++) {
			_cleanup_free_ char *exact = malloc(n ? n : 1);
			struct json_doc *doc;
			struct berm_err err;

			assert_non_null(exact);
			memcpy(exact, rows[i].toml, n);
			assert_true(parse(exact, n, &doc, &err) == 0 || err.msg[0]);
			json_doc_free(doc);
		}
	}
}

static void test_lines(void **state)
{
	static const char text[] =
		"a = 1\n\n[b]\nc = \"\"\"\nx\n\"\"\"\nd = [\n1,\n2]\n[[e]]\nf = 1\n";
	const struct json_node *n;
	struct json_doc *doc;
	struct berm_err err;

	(void)state;
	assert_int_equal(parse(text, strlen(text), &doc, &err), 0);
	n = &doc->node;
	assert_int_equal(n->n_kids, 3);
	assert_int_equal(n->kids[0].line, 1);
	assert_int_equal(n->kids[1].line, 3);
	assert_string_equal(n->kids[1].kids[0].key, "c");
	assert_int_equal(n->kids[1].kids[0].line, 4);
	assert_int_equal(n->kids[1].kids[1].line, 7);
	assert_int_equal(n->kids[1].kids[1].kids[1].line, 9);
	assert_int_equal(n->kids[2].kids[0].kids[0].line, 11);
	json_doc_free(doc);
}

/* Many tables do not take time without bound. */
static void test_many(void **state)
{
	_cleanup_buf_ struct buf b = BUF_INIT(1u << 20);
	struct json_doc *doc;
	struct berm_err err;

	(void)state;
	for (unsigned i = 0; i <= TOML_KEYS_MAX; i++)
		assert_int_equal(buf_addf(&b, "[x%u]\n", i), 0);
	assert_int_equal(parse(b.data, b.len, &doc, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "t:4097: too many entries"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_cut_short),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

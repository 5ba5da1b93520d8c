/* SPDX-License-Identifier: Apache-2.0 */
/* Reading one settings file: what is taken, and how each mistake is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/str.h"
#include "policy/json.h"
#include "policy/limits.h"
#include "policy/settings.h"

static int parse(const char *text, struct settings *s, struct berm_err *err)
{
	_cleanup_free_ char *copy = strdup(text);

	*s = (struct settings){ .file = strdup("f.json"), .trusted = true };
	*err = (struct berm_err){ 0 };
	return settings_parse(s, copy, strlen(text), err);
}

/* ---- what is taken ------------------------------------------------------ */

static const char everything[] =
	"\xef\xbb\xbf// the whole format\n"
	"{\n"
	"  \"$schema\": \"x\", \"version\": 1,\n"
	"  \"profile\": \"strict\",\n"
	"  \"mode\": \"review\", /* two\n"
	"  lines */ \"root\": \"host\",\n"
	"  \"home\": \"empty\",\n"
	"  \"net\": \"off\",\n"
	"  \"files\": {\n"
	"    \"a//b\": \"none\", // a comment, and \"a//b\" was none\n"
	"    \"b/*c\": \"ask\",\n"
	"    \"c\": \"read\",\n"
	"    \"d\": \"write\"\n"
	"  },\n"
	"  \"exec\": { \"deny_writable\": true,\n"
	"     \"rules\": { \"x\": \"deny\", \"y\": \"allow\" } },\n"
	"  \"exec_grant_roots\": [ \"/opt/tools\" ],\n"
	"  \"unprotect\": [ \"shell-rc\" ],\n"
	"  \"protected_paths\": [\n"
	"     \"~/src\" ],\n"
	"  \"runner_state_dirs\": [ \"/s\" ],\n"
	"  \"env\": { \"pass\": [ \"A\", \"B_*\" ], \"set\": { \"C\": \"d\\n\" }, \"unset\": [ \"E\" ] },\n"
	"  \"limits\": { \"files\": 1024, \"cpu\": \"10m\" },\n"
	"  \"fail_if_unavailable\": false,\n"
	"  \"ignore_violations\": [ \"file-write *\" ]\n"
	"}\n";

static const struct {
	enum setting_key key;
	const char *name, *value;
	long number;
	unsigned line;
} want[] = {
	{ SET_PROFILE, NULL, "strict", 0, 4 },
	{ SET_MODE, NULL, "review", MODE_REVIEW, 5 },
	{ SET_ROOT, NULL, "host", ROOT_HOST, 6 },
	{ SET_HOME, NULL, "empty", HOME_EMPTY, 7 },
	{ SET_NET, NULL, "off", NET_OFF, 8 },
	{ SET_FILE, "a//b", NULL, ACCESS_NONE, 10 },
	{ SET_FILE, "b/*c", NULL, ACCESS_ASK, 11 },
	{ SET_FILE, "c", NULL, ACCESS_READ, 12 },
	{ SET_FILE, "d", NULL, ACCESS_WRITE, 13 },
	{ SET_EXEC_DENY_WRITABLE, NULL, NULL, 1, 15 },
	{ SET_EXEC_RULE, "x", NULL, EXEC_DENY, 16 },
	{ SET_EXEC_RULE, "y", NULL, EXEC_ALLOW, 16 },
	{ SET_EXEC_RULE, "/opt/tools", NULL, EXEC_ALLOW, 17 },
	{ SET_UNPROTECT, "shell-rc", NULL, 0, 18 },
	{ SET_PROTECTED_PATH, "~/src", NULL, 0, 20 },
	{ SET_STATE_DIR, "/s", NULL, 0, 21 },
	{ SET_ENV_PASS, "A", NULL, 0, 22 },
	{ SET_ENV_PASS, "B_*", NULL, 0, 22 },
	{ SET_ENV_SET, "C", "d\n", 0, 22 },
	{ SET_ENV_UNSET, "E", NULL, 0, 22 },
	{ SET_LIMIT, "files", "1024", 0, 23 },
	{ SET_LIMIT, "cpu", "10m", 0, 23 },
	{ SET_FAIL_IF_UNAVAILABLE, NULL, NULL, 0, 24 },
	{ SET_IGNORE_VIOLATION, "file-write *", NULL, 0, 25 },
};

static bool same(const char *a, const char *b)
{
	return a && b ? streq(a, b) : a == b;
}

static void test_everything(void **state)
{
	struct settings s;
	struct berm_err err;

	if (parse(everything, &s, &err) < 0)
		fail_msg("%s", err.msg);
	assert_int_equal(s.n, ARRAY_SIZE(want));
	for (size_t i = 0; i < s.n; i++)
		if (s.v[i].key != want[i].key || !same(s.v[i].name, want[i].name) ||
		    !same(s.v[i].value, want[i].value) || s.v[i].number != want[i].number ||
		    s.v[i].line != want[i].line)
			fail_msg("entry %zu: line %u", i, s.v[i].line);
	settings_free(&s);
}

static void test_empty(void **state)
{
	struct settings s;
	struct berm_err err;

	assert_int_equal(parse("{}", &s, &err), 0);
	assert_int_equal(s.n, 0);
	settings_free(&s);
	assert_int_equal(parse(" // nothing\n{ /**/ }//", &s, &err), 0);
	settings_free(&s);
}

/* ---- mistakes ----------------------------------------------------------- */

static const struct {
	const char *text, *msg, *fix;
} mistakes[] = {
	{ "", "f.json:1:", NULL },
	{ "[]", "f.json:1: an entry must be an object, not a list", NULL },
	{ "{\n\"modes\": \"chat\"}", "f.json:2: unknown key \"modes\"", "did you mean \"mode\"?" },
	{ "{\"Files\": {}}", "unknown key \"Files\"", "did you mean \"files\"?" },
	{ "{\"zzzzzzz\": 1}", "unknown key", "policy.schema.json" },
	{ "{\"env\":{\n\"psas\": []}}", "f.json:2: unknown key \"psas\" in \"env\"", "\"pass\"" },
	{ "{\"exec\":{\"rule\": {}}}", "unknown key \"rule\" in \"exec\"", "\"rules\"" },
	{ "{\"mode\": 1}", "\"mode\" must be chat, review, plan, orchestrate, not a whole number",
	  NULL },
	{ "{\"mode\": \"chta\"}", "\"mode\" is \"chta\"", "did you mean \"chat\"?" },
	{ "{\"profile\": \"\"}", "\"profile\" is \"\"", NULL },
	{ "{\"net\": \"on\"}", "\"net\" is \"on\"; it can be off, allow, open", NULL },
	{ "{\"files\": []}", "\"files\" must be an object", NULL },
	{ "{\"files\": {\"a\":\n 1}}", "f.json:1: \"a\" must be none, ask, read, write", NULL },
	{ "{\"files\": {\n\"a\": \"rw\"}}", "f.json:2: \"a\" is \"rw\"", NULL },
	{ "{\"files\": {\n\"a[\": \"read\"}}", "f.json:2: bad pattern \"a[\"", NULL },
	{ "{\"files\": {\"\": \"read\"}}", "empty", NULL },
	{ "{\"files\": {\"a**\": \"read\"}}", "must stand alone", NULL },
	{ "{\"protected_paths\": [\"{a\"]}", "bad pattern", NULL },
	{ "{\"unprotect\": \"shell-rc\"}", "\"unprotect\" must be a list of strings", NULL },
	{ "{\"unprotect\": [\n1]}", "f.json:2: an entry must be a string", NULL },
	{ "{\"env\": {\"set\": {\"A=B\": \"\"}}}", "not the name of a variable", NULL },
	{ "{\"env\": {\"set\": {\"A\": 1}}}", "\"A\" must be a string", NULL },
	{ "{\"limits\": {\"files\": -1}}", "must be a number or a string", NULL },
	{ "{\"limits\": {\"files\": \"1x\"}}", "is not a number", "files=1024" },
	{ "{\"limits\": {\"nproc\": 5}}", "there is no limit \"nproc\"", "limits: memory, pids" },
	{ "{\"limits\": {\"memorz\": 5}}", "there is no limit \"memorz\"", "\"memory\"" },
	{ "{\"limits\": {\"pids\": 1}}", "\"1\" is too small", "at least 8" },
	{ "{\"limits\": {\"cpu\": \"99999999999999999999\"}}", "is not a number", NULL },
	{ "{\"fail_if_unavailable\": \"no\"}", "must be true or false", NULL },
	{ "{\"version\": 2}", "version 1 only", NULL },
	{ "{\"mode\": \"chat\",\n\"mode\": \"plan\"}", "f.json:2: duplicate", NULL },
	{ "{\"files\": {\"a\": \"read\",\n\n\"a\": \"write\"}}", "f.json:3: duplicate", NULL },
	{ "{\"mode\": \"chat\",}", "f.json:1:", NULL },
	{ "{\"a\": \"\\u0000\"}", "f.json:1:", NULL },
	{ "{\"a\": \"\xff\"}", "f.json:1:", NULL },
	{ "{\n/* no end", "f.json:2: a comment that does not end", NULL },
	{ "{} x", "f.json:1:", NULL },
	{ "[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]", "nested more than 16", NULL },
};

static void test_mistakes(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(mistakes); i++) {
		struct settings s;
		struct berm_err err;

		if (parse(mistakes[i].text, &s, &err) >= 0)
			fail_msg("taken: %s", mistakes[i].text);
		if (!strstr(err.msg, mistakes[i].msg))
			fail_msg("%s: %s", mistakes[i].text, err.msg);
		if (mistakes[i].fix && !strstr(err.fix, mistakes[i].fix))
			fail_msg("%s: %s", mistakes[i].text, err.fix);
		assert_null(strchr(err.msg, '\n'));
		settings_free(&s);
	}
}

/* Cut anywhere, a file is a mistake or an empty text, never something else. */
static void test_cut(void **state)
{
	for (size_t n = 0; n + 2 < sizeof(everything); n++) {
		_cleanup_free_ char *text = strndup(everything, n);
		struct settings s;
		struct berm_err err;

		if (parse(text, &s, &err) >= 0)
			fail_msg("the first %zu bytes were taken", n);
		settings_free(&s);
	}
}

static void test_limits(void **state)
{
	static const struct {
		const char *key, *value;
		enum limit_kind kind;
		uint64_t is;
		const char *text; /* NULL: as value */
	} good[] = {
		{ "fsize", "2g", LIMIT_FSIZE, 2ull << 30, NULL },
		{ "fsize", "0", LIMIT_FSIZE, 0, NULL },
		{ "memory", "512M", LIMIT_MEMORY, 512u << 20, "512m" },
		{ "memory", "1024m", LIMIT_MEMORY, 1u << 30, "1g" },
		{ "memory", "none", LIMIT_MEMORY, LIMIT_NONE, NULL },
		{ "pids", "512", LIMIT_PIDS, 512, NULL },
		{ "time", "90s", LIMIT_TIME, 90, NULL },
		{ "time", "2h", LIMIT_TIME, 7200, NULL },
		{ "time", "120", LIMIT_TIME, 120, "2m" },
		/* One key, two limits: the unit tells which. */
		{ "cpu", "150%", LIMIT_CPU, 150, NULL },
		{ "cpu", "2h", LIMIT_CPU_TIME, 7200, NULL },
		{ "cpu", "60", LIMIT_CPU_TIME, 60, "1m" },
		{ "cpu-time", "61", LIMIT_CPU_TIME, 61, "61s" },
		{ "disk", "3m", LIMIT_DISK, 3u << 20, NULL },
		{ "output", "100k", LIMIT_OUTPUT, 100u << 10, NULL },
	};
	static const char *const bad[][2] = {
		{ "files", "2k" },    { "files", "" },	    { "files", " 1" },
		{ "files", "+1" },    { "files", "-1" },    { "fsize", "99999999999t" },
		{ "memory", "1" },    { "memory", "2s" },   { "pids", "0" },
		{ "pids", "8%" },     { "cpu", "0%" },	    { "cpu", "1%%" },
		{ "time", "0" },      { "time", "10%" },    { "time", "None" },
		{ "disk", "1k" },     { "output", "0" },    { "output", "18446744073709551615" },
		{ "cpu-time", "5%" }, { "memorz", "512m" }, { "", "1" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		enum limit_kind kind;
		uint64_t value;
		char text[32];

		assert_int_equal(limit_parse(good[i].key, good[i].value, &kind, &value, NULL), 0);
		assert_int_equal(kind, good[i].kind);
		assert_true(value == good[i].is);
		assert_string_equal(limit_text(kind, value, text, sizeof(text)),
				    good[i].text ? good[i].text : good[i].value);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		enum limit_kind kind = LIMIT_COUNT;
		uint64_t value = 77;

		assert_int_equal(limit_parse(bad[i][0], bad[i][1], &kind, &value, NULL), -EINVAL);
		assert_int_equal(kind, LIMIT_COUNT);
		assert_int_equal(value, 77);
	}
}

/* Lines are those of the text, whatever is in strings and comments. */
static void test_lines(void **state)
{
	char text[] =
		"{ \"a\\\"{[\": [1,\n\n {\"b\": null, \"c\"\n: \"x\\\\\"},\n[],{}, 2.5\n, true ] }";
	struct json_doc *d = NULL;
	struct berm_err err;
	const struct json_node *list;

	assert_int_equal(json_doc_parse("f", text, strlen(text), &d, &err), 0);
	assert_int_equal(d->node.n_kids, 1);
	list = &d->node.kids[0];
	assert_string_equal(list->key, "a\"{[");
	assert_int_equal(list->n_kids, 6);
	assert_int_equal(list->kids[0].line, 1);
	assert_int_equal(list->kids[1].line, 3);
	assert_int_equal(list->kids[1].kids[1].line, 3);
	assert_int_equal(list->kids[2].line, 5);
	assert_int_equal(list->kids[4].line, 5);
	assert_int_equal(list->kids[5].line, 6);
	json_doc_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_everything), cmocka_unit_test(test_empty),
		cmocka_unit_test(test_mistakes),   cmocka_unit_test(test_cut),
		cmocka_unit_test(test_limits),	   cmocka_unit_test(test_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

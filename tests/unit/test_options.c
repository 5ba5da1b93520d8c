/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/str.h"
#include "cli/options.h"

struct seen {
	const char *values[8];
	int n, flags;
};

static int set_value(void *ctx, const struct opt_def *def, const char *value, struct berm_err *err)
{
	struct seen *s = ctx;

	if (streq(value, "bad"))
		return err_set(err, -EINVAL, "--%s: bad", def->name);
	s->values[s->n++] = value;
	return 0;
}

static int set_flag(void *ctx, const struct opt_def *def, const char *value, struct berm_err *err)
{
	struct seen *s = ctx;

	(void)err;
	assert_null(value);
	s->flags |= def->param;
	return 0;
}

static const struct opt_def defs[] = {
	{ NULL, 0, NULL, "Heading:", NULL, 0 },
	{ "workspace", 'w', "DIR", "a directory", set_value, 0 },
	{ "allow-write", 0, "P", "a path", set_value, 0 },
	{ "quiet", 'q', NULL, "say nothing", set_flag, 1 },
	{ "verbose", 'v', NULL, "say more", set_flag, 2 },
	{ "hidden", 0, "X", NULL, set_value, 0 },
};
static const struct opt_table table = { .defs = defs, .n = ARRAY_SIZE(defs) };

#define ARGV(...) ((char *[]){ (char[]){ "verb" }, __VA_ARGS__, NULL })
#define W(s) ((char[]){ s })

static int parse(struct seen *s, char **argv, bool stop, struct opt_result *res,
		 struct berm_err *err)
{
	int argc = 0;

	while (argv[argc])
		argc++;
	*s = (struct seen){ 0 };
	*err = (struct berm_err){ 0 };
	return opts_parse(&table, s, argc, argv, stop, res, err);
}

static void test_forms(void **state)
{
	struct opt_result res;
	struct berm_err err;
	struct seen s;
	char **argv = ARGV(W("-w"), W("a"), W("-wb"), W("--workspace"), W("c"),
			   W("--workspace=d=e"), W("--workspace="), W("-q"), W("cmd"), W("-v"));

	(void)state;
	assert_int_equal(parse(&s, argv, true, &res, &err), 0);
	assert_int_equal(s.n, 5);
	assert_string_equal(s.values[0], "a");
	assert_string_equal(s.values[1], "b");
	assert_string_equal(s.values[2], "c");
	assert_string_equal(s.values[3], "d=e");
	assert_string_equal(s.values[4], "");
	assert_int_equal(s.flags, 1);
	assert_string_equal(argv[res.first], "cmd");
	assert_string_equal(argv[res.first + 1], "-v");
	assert_false(res.help);
}

static void test_double_dash(void **state)
{
	struct opt_result res;
	struct berm_err err;
	struct seen s;
	char **argv = ARGV(W("-q"), W("--"), W("--workspace"), W("-v"));

	(void)state;
	assert_int_equal(parse(&s, argv, true, &res, &err), 0);
	assert_string_equal(argv[res.first], "--workspace");
	assert_int_equal(s.flags, 1);
	/* a value may look like an option or like the end of them */
	argv = ARGV(W("-w"), W("--"), W("-w"), W("-q"));
	assert_int_equal(parse(&s, argv, true, &res, &err), 0);
	assert_string_equal(s.values[0], "--");
	assert_string_equal(s.values[1], "-q");
	assert_int_equal(res.first, 5);
}

static void test_permuted(void **state)
{
	struct opt_result res;
	struct berm_err err;
	struct seen s;
	char **argv = ARGV(W("read"), W("-q"), W("path"), W("-w"), W("x"), W("--"), W("-v"));

	(void)state;
	assert_int_equal(parse(&s, argv, false, &res, &err), 0);
	assert_string_equal(argv[res.first], "read");
	assert_string_equal(argv[res.first + 1], "path");
	assert_string_equal(argv[res.first + 2], "-v");
	assert_null(argv[res.first + 3]);
	assert_int_equal(s.flags, 1);
	/* a single dash is an operand */
	argv = ARGV(W("-"), W("-q"));
	assert_int_equal(parse(&s, argv, false, &res, &err), 0);
	assert_string_equal(argv[res.first], "-");
}

static void test_help(void **state)
{
	struct opt_result res;
	struct berm_err err;
	struct seen s;

	(void)state;
	assert_int_equal(parse(&s, ARGV(W("--help"), W("--nonsense")), true, &res, &err), 0);
	assert_true(res.help);
	assert_int_equal(parse(&s, ARGV(W("-h")), true, &res, &err), 0);
	assert_true(res.help);
	/* behind the command it is the command's */
	assert_int_equal(parse(&s, ARGV(W("cmd"), W("--help")), true, &res, &err), 0);
	assert_false(res.help);
}

static void test_errors(void **state)
{
	static const struct {
		const char *word, *msg, *fix;
	} rows[] = {
		{ "--allow-wrte=x", "unknown option --allow-wrte", "did you mean --allow-write?" },
		{ "--workspce", "unknown option --workspce", "did you mean --workspace?" },
		{ "--nonsense", "unknown option --nonsense", "--help lists the options" },
		/* what is not listed is not proposed either */
		{ "--hiddn", "unknown option --hiddn", "--help lists the options" },
		{ "-x", "unknown option -x", "--help lists the options" },
		{ "-qv", "unknown option -qv", "write short options one by one: -q -v" },
		{ "--quiet=yes", "--quiet takes no value", "" },
		{ "--workspace", "--workspace needs a value", "write --workspace DIR" },
		{ "-w", "-w needs a value", "write -w DIR" },
		{ "--workspace=bad", "--workspace: bad", "" },
	};
	struct opt_result res = { .first = 77 };
	struct berm_err err;
	struct seen s;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char word[64];

		(void)snprintf(word, sizeof(word), "%s", rows[i].word);
		assert_int_equal(parse(&s, ARGV(word), true, &res, &err), -EINVAL);
		assert_string_equal(err.msg, rows[i].msg);
		assert_string_equal(err.fix, rows[i].fix);
		assert_int_equal(res.first, 77);
	}
}

static void test_long_words(void **state)
{
	struct opt_result res;
	struct berm_err err;
	struct seen s;
	char word[5000];

	(void)state;
	memset(word, 'a', sizeof(word));
	word[0] = word[1] = '-';
	word[sizeof(word) - 1] = '\0';
	assert_int_equal(parse(&s, ARGV(word), true, &res, &err), -EINVAL);
	assert_true(str_starts(err.msg, "unknown option --aaa"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),	 cmocka_unit_test(test_double_dash),
		cmocka_unit_test(test_permuted), cmocka_unit_test(test_help),
		cmocka_unit_test(test_errors),	 cmocka_unit_test(test_long_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

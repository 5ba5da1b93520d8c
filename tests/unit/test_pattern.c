/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>
#include <time.h>

#include "base/str.h"
#include "policy/pattern.h"

static struct pattern *compile(const char *text, unsigned flags)
{
	struct pattern *p = NULL;
	struct berm_err err = { 0 };

	if (pattern_new(text, "/w", "/home/u", flags, &p, &err) < 0)
		fail_msg("%s: %s", text, err.msg);
	return p;
}

/* ---- what matches ------------------------------------------------------- */

static const struct {
	const char *pattern, *path;
	bool match;
} matches[] = {
	{ "/a/b", "/a/b", true },
	{ "/a/b", "/a/b/c/d", true }, /* the subtree too */
	{ "/a/b", "/a/bc", false },
	{ "/a/b", "/a", false },
	{ "/a/b/", "/a/b", true },
	{ "/a/b/"
	  "**",
	  "/a/b", true },
	{ "/a//b/./c", "/a/b/c", true },
	{ "a", "/w/a", true },
	{ "./a", "/w/a/x", true },
	{ "../x", "/x", true },
	{ ".", "/w/any/thing", true },
	{ "~", "/home/u/x", true },
	{ "~/.ssh", "/home/u/.ssh/id_rsa", true },
	{ "~/.ssh", "/home/v/.ssh", false },
	{ "/", "/anything", true },
	{ "*", "/w/x", true },
	{ "*", "/w", false },
	{ "*.key", "/w/a.key", true },
	{ "*.key", "/w/.key", true },
	{ "*.key", "/w/d/a.key", false },
	{ "**"
	  "/*.key",
	  "/w/d/e/a.key", true },
	{ "**"
	  "/*.key",
	  "/w/a.key", true },
	{ "**"
	  "/*.key",
	  "/x/a.key", false },
	{ "**"
	  "/.env",
	  "/w/a/.env/b", true },
	{ "/a/"
	  "**"
	  "/z",
	  "/a/z", true },
	{ "/a/"
	  "**"
	  "/z",
	  "/a/b/c/z/d", true },
	{ "/a/"
	  "**"
	  "/z",
	  "/b/z", false },
	{ "/a/"
	  "**"
	  "/b/c",
	  "/a/b/x/b/c", true },
	{ "/a/"
	  "**"
	  "/b/c",
	  "/a/b/b/b/c", true },
	{ "/a/"
	  "**"
	  "/b/"
	  "**"
	  "/c",
	  "/a/1/b/2/3/c", true },
	{ "/a/"
	  "**"
	  "/b/"
	  "**"
	  "/c",
	  "/a/1/c/2/3/b", false },
	{ "?", "/w/x", true },
	{ "?", "/w/xy", false },
	{ "?", "/w/\xc3\xa4", true }, /* one character, two bytes */
	{ "?", "/w/\xff", true },     /* not UTF-8: one byte */
	{ "a?c", "/w/abc", true },
	{ "[a-c]x", "/w/bx", true },
	{ "[a-c]x", "/w/dx", false },
	{ "[!a-c]x", "/w/dx", true },
	{ "[^a-c]x", "/w/ax", false },
	{ "[]]", "/w/]", true },
	{ "[a\\]b]", "/w/]", true },
	{ "[a-]", "/w/-", true },
	{ "[-a]", "/w/-", true },
	{ "\\*", "/w/*", true },
	{ "\\*", "/w/x", false },
	{ "a\\[b", "/w/a[b", true },
	{ "{a,b}/c", "/w/b/c", true },
	{ "{a,b}/c", "/w/d/c", false },
	{ "{a/b,c}", "/w/a/b", true },
	{ "{a/b,c}", "/w/a", false },
	{ "x.{p{1,2},q}", "/w/x.p2", true },
	{ "x.{p{1,2},q}", "/w/x.q", true },
	{ "x.{p{1,2},q}", "/w/x.p", false },
	{ "x{,y}", "/w/x", true },
	{ "\\{a,b\\}", "/w/{a,b}", true },
	{ "[{]a", "/w/{a", true },
	{ "a\nb", "/w/a\nb", true },
	{ "*a*a*a*b", "/w/aaaaaaaaaaaaab", true },
	{ "*a*a*a*b", "/w/aaaaaaaaaaaaac", false },
	{ "A", "/w/a", false },
};

static void test_match(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(matches); i++) {
		struct pattern *p = compile(matches[i].pattern, 0);

		if (pattern_match(p, matches[i].path) != matches[i].match)
			fail_msg("%s on %s", matches[i].pattern, matches[i].path);
		pattern_free(p);
	}
}

static void test_fold_and_exact(void **state)
{
	struct pattern *p = compile("**"
				    "/.Env*",
				    PATTERN_FOLD);

	assert_true(pattern_match(p, "/w/x/.eNV.local"));
	pattern_free(p);
	p = compile("[A-C]X", PATTERN_FOLD);
	assert_true(pattern_match(p, "/w/bx"));
	assert_false(pattern_match(p, "/w/dx"));
	pattern_free(p);
	p = compile("[!a-z]x", PATTERN_FOLD);
	assert_true(pattern_match(p, "/w/Lx")); /* as without folding */
	assert_true(pattern_match(p, "/w/1x"));
	pattern_free(p);
	p = compile("**"
		    "/.env.example",
		    PATTERN_EXACT);
	assert_true(pattern_match(p, "/w/d/.env.example"));
	assert_false(pattern_match(p, "/w/d/.env.example/.env"));
	/* the name may appear twice: the last one counts */
	assert_true(pattern_match(p, "/w/.env.example/.env.example"));
	pattern_free(p);
}

static const struct {
	const char *pattern, *path;
	enum pattern_prefix want;
} prefixes[] = {
	{ "/a/b/c", "/a", PREFIX_LITERAL },
	{ "/a/b/c", "/a/b", PREFIX_LITERAL },
	{ "/a/b/c", "/a/b/c", PREFIX_NO },
	{ "/a/b/c", "/a/x", PREFIX_NO },
	{ "/a/*/c", "/a/x", PREFIX_WILD },
	{ "/a/*/c", "/a", PREFIX_LITERAL },
	{ "/a/*/c", "/a/x/y", PREFIX_NO },
	{ "**"
	  "/.env",
	  "/w/any/dir", PREFIX_NO },
	{ "**"
	  "/.claude/settings.json",
	  "/w/x/.claude", PREFIX_LITERAL },
	{ "**"
	  "/.claude/settings.json",
	  "/w/.claude/x", PREFIX_NO },
	{ "**"
	  "/a/b/c",
	  "/w/z/a/b", PREFIX_LITERAL },
	{ "**"
	  "/a/b/c",
	  "/w/z/b", PREFIX_NO },
	{ "**"
	  "/a/a/b",
	  "/w/a/a", PREFIX_LITERAL },
	{ "/x/"
	  "**"
	  "/a/b",
	  "/x/q/a", PREFIX_LITERAL },
	{ "/x/"
	  "**"
	  "/a/b",
	  "/y/q/a", PREFIX_NO },
	{ "/x/"
	  "**"
	  "/a/b",
	  "/x", PREFIX_LITERAL },
	{ "/x/"
	  "**"
	  "/a/b",
	  "/x/q", PREFIX_NO },
	{ "/x/"
	  "**"
	  "/a/"
	  "**"
	  "/b",
	  "/x/1/a", PREFIX_LITERAL },
	{ "/x/"
	  "**"
	  "/a/"
	  "**"
	  "/b",
	  "/x/1/a/2", PREFIX_NO },
	{ "**"
	  "/d*/b",
	  "/w/dd", PREFIX_WILD },
	{ "{a,b/c}", "/w/b", PREFIX_LITERAL },
	{ "{a,b/c}", "/w/a", PREFIX_NO },
};

static void test_prefix(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++) {
		struct pattern *p = compile(prefixes[i].pattern, 0);
		enum pattern_prefix got = pattern_prefix(p, prefixes[i].path);

		if (got != prefixes[i].want)
			fail_msg("%s on %s: %d", prefixes[i].pattern, prefixes[i].path, (int)got);
		pattern_free(p);
	}
}

/* ---- mistakes ----------------------------------------------------------- */

static const struct {
	const char *pattern, *message;
} mistakes[] = {
	{ "", "empty" },
	{ "a[b", "\"[\" without" },
	{ "[]", "\"[\" without" },
	{ "a{b", "\"{\" without" },
	{ "a}b", "\"}\" without" },
	{ "{a}", "needs a comma" },
	{ "a\\", "backslash" },
	{ "a/b**", "must stand alone" },
	{ "**b", "must stand alone" },
	{ "***", "must stand alone" },
	{ "*/../x", "after a wildcard" },
	{ "../../x", "above the root" },
	{ "~root/x", "not supported" },
	{ "{/a,b}", "some alternatives" },
	{ "{a,b}{c,d}{e,f}{g,h}{i,j}{k,l}{m,n}", "more than 64" },
};

static void test_mistakes(void **state)
{
	char longest[PATTERN_MAX + 1];

	for (size_t i = 0; i < ARRAY_SIZE(mistakes); i++) {
		struct pattern *p = NULL;
		struct berm_err err = { 0 };
		/* relative alternatives are told apart only where there is no base */
		const char *base = mistakes[i].pattern[0] == '{' ? NULL : "/w";

		if (pattern_new(mistakes[i].pattern, base, "/h", 0, &p, &err) == 0)
			fail_msg("%s was taken", mistakes[i].pattern);
		assert_null(p);
		if (!strstr(err.msg, mistakes[i].message))
			fail_msg("%s: %s", mistakes[i].pattern, err.msg);
	}
	memset(longest, 'a', sizeof(longest));
	longest[PATTERN_MAX] = '\0';
	for (size_t i = 200; i < PATTERN_MAX; i += 200)
		longest[i] = '/';
	{
		struct pattern *p = NULL;

		assert_int_equal(pattern_new(longest, "/", NULL, 0, &p, NULL), -ENAMETOOLONG);
		longest[PATTERN_MAX - 1] = '\0';
		assert_int_equal(pattern_new(longest, "/", NULL, 0, &p, NULL), 0);
		pattern_free(p);
		memset(longest, 'a', 256);
		assert_int_equal(pattern_new(longest, "/", NULL, 0, &p, NULL), -ENAMETOOLONG);
		assert_int_equal(pattern_new("~/x", "/", NULL, 0, &p, NULL), -EINVAL);
	}
}

/* ---- specificity, parts, escaping --------------------------------------- */

static void test_measures(void **state)
{
	struct pattern *a = compile("/a/bcd", 0), *b = compile("/a/b*", 0),
		       *c = compile("**"
				    "/b*[x]?",
				    0),
		       *d = compile("/a/{bcdef,x}", 0);
	_cleanup_free_ char *dir = pattern_literal_dir(b), *both = pattern_literal_dir(d);

	assert_true(pattern_literal_len(a) > pattern_literal_len(b));
	assert_true(pattern_literal_len(b) > 2);
	assert_int_equal(pattern_wildcards(a), 0);
	assert_int_equal(pattern_wildcards(b), 1);
	assert_int_equal(pattern_wildcards(c), 4);
	assert_true(pattern_is_literal(a));
	assert_false(pattern_is_literal(b));
	assert_false(pattern_is_literal(d));
	assert_string_equal(dir, "/a");
	assert_string_equal(both, "/a");
	pattern_free(a);
	pattern_free(b);
	pattern_free(c);
	pattern_free(d);
}

static void test_relative(void **state)
{
	struct pattern *p = NULL;
	struct path_parts pp;
	size_t len;
	bool literal, deep;

	assert_int_equal(pattern_new("**"
				     "/.env",
				     NULL, NULL, 0, &p, NULL),
			 0);
	assert_true(pattern_is_relative(p));
	assert_null(pattern_literal_dir(p));
	assert_true(path_split("/w/s/.env/x", &pp));
	assert_int_equal(pp.n, 4);
	assert_true(pattern_match_parts(p, &pp, 1, pp.n));
	assert_true(pattern_match_parts(p, &pp, 2, pp.n));
	assert_false(pattern_match_parts(p, &pp, 3, pp.n));
	assert_false(pattern_match_parts(p, &pp, 1, 2));
	assert_memory_equal(pattern_first(p, &len, &literal, &deep), ".env", 4);
	assert_true(len == 4 && literal && deep);
	pattern_free(p);
}

static void test_escape(void **state)
{
	const char *odd = "/a*b?[c]{d,e}\\f\n\xff";
	_cleanup_free_ char *text = pattern_escape(odd);
	struct pattern *p = compile(text, 0);

	assert_true(pattern_is_literal(p));
	assert_true(pattern_match(p, odd));
	assert_false(pattern_match(p, "/axb?[c]{d,e}\\f\n\xff"));
	pattern_free(p);
}

static void test_glob(void **state)
{
	assert_true(glob_match("*_TOKEN", "GITHUB_TOKEN", false));
	assert_false(glob_match("*_TOKEN", "TOKEN_X", false));
	assert_true(glob_match("*password*", "DB_PASSWORD_2", true));
	assert_true(glob_match("file-write /tmp/*", "file-write /tmp/a/b", false));
	assert_true(glob_match("", "", false));
	assert_false(glob_match("", "x", false));
	assert_true(glob_match("*", "", false));
}

static void test_long_paths(void **state)
{
	struct pattern *p = compile("**"
				    "/x",
				    0);
	char path[PATTERN_MAX + 16];
	struct path_parts pp;

	memset(path, '/', sizeof(path));
	for (size_t i = 1; i < PATTERN_MAX - 1; i += 2)
		path[i] = 'a';
	path[PATTERN_MAX - 1] = '\0';
	assert_true(path_split(path, &pp));
	assert_true(pp.n <= PATH_PARTS_MAX);
	assert_false(pattern_match(p, path));
	path[PATTERN_MAX - 1] = 'a';
	path[PATTERN_MAX] = '\0';
	assert_false(path_split(path, &pp));
	pattern_free(p);
}

/* ---- against a slow reference ------------------------------------------- */

static bool slow_chars(const char *p, const char *s)
{
	if (!*p)
		return !*s;
	if (*p == '*')
		return slow_chars(p + 1, s) || (*s && slow_chars(p, s + 1));
	return *s && (*p == '?' || *p == *s) && slow_chars(p + 1, s + 1);
}

/* Components as lists of strings; a match of a leading part is one. */
static bool slow_comps(char *const *p, char *const *s)
{
	if (!*p)
		return true;
	if (streq(*p, "**"))
		return slow_comps(p + 1, s) || (*s && slow_comps(p, s + 1));
	return *s && slow_chars(*p, *s) && slow_comps(p + 1, s + 1);
}

static unsigned seed = 1;

static unsigned rnd(unsigned n)
{
	seed = seed * 1103515245u + 12345u;
	return (seed >> 16) % n;
}

static void random_path(char *out, char **parts, bool pattern)
{
	static char store[2][8][8];
	unsigned n = 1 + rnd(6);

	*out = '\0';
	for (unsigned i = 0; i < n; i++) {
		char *c = store[pattern][i];
		unsigned len = 1 + rnd(4);

		if (pattern && rnd(4) == 0) {
			memcpy(c, "**", 3);
		} else {
			for (unsigned k = 0; k < len; k++)
				c[k] = pattern && rnd(3) == 0 ? (rnd(2) ? '*' : '?')
							      : (char)('a' + rnd(2));
			c[len] = '\0';
			for (char *d = c; *d; d++)
				if (d[0] == '*' && d[1] == '*')
					d[1] = 'a';
		}
		parts[i] = c;
		out += snprintf(out, 16, "/%s", c);
	}
	parts[n] = NULL;
}

static void test_reference(void **state)
{
	unsigned hits = 0;

	for (unsigned i = 0; i < 200000; i++) {
		char ptext[128], stext[128];
		char *pc[9], *sc[9];
		struct pattern *p;
		bool want;

		random_path(ptext, pc, true);
		random_path(stext, sc, false);
		want = slow_comps(pc, sc);
		p = compile(ptext, 0);
		if (pattern_match(p, stext) != want)
			fail_msg("%s on %s: not %d", ptext, stext, want);
		hits += want;
		pattern_free(p);
	}
	/* a generator that never hits would prove nothing */
	assert_in_range(hits, 20000, 180000);
}

/* An ancestor position is where a path below it can be made to match: what the
 * reference finds by trying. */
static void test_prefix_reference(void **state)
{
	unsigned hits = 0;

	for (unsigned i = 0; i < 50000; i++) {
		char ptext[128], stext[128], *pc[9], *sc[9];
		struct pattern *p;
		bool deep = false, below = false;

		random_path(ptext, pc, true);
		random_path(stext, sc, false);
		for (unsigned k = 0; pc[k]; k++)
			deep = deep || streq(pc[k], "**");
		if (deep)
			continue;
		/* without "**": some leading part of the pattern matches all of the path */
		for (unsigned k = 1; pc[k]; k++) {
			char *saved = pc[k];
			unsigned n = 0;

			while (sc[n])
				n++;
			pc[k] = NULL;
			below = below || (n == k && slow_comps(pc, sc));
			pc[k] = saved;
		}
		p = compile(ptext, 0);
		if ((pattern_prefix(p, stext) != PREFIX_NO) != below)
			fail_msg("%s above %s: not %d", stext, ptext, below);
		hits += below;
		pattern_free(p);
	}
	assert_in_range(hits, 500, 40000);
}

/* Nothing that a hostile file name or pattern can do takes long. */
static void test_time(void **state)
{
	char text[PATTERN_MAX], path[PATTERN_MAX];
	struct timespec a, b;
	struct pattern *p;
	size_t n = 0;

	while (n + 6 < 240) {
		memcpy(text + n, "*a", 2);
		n += 2;
	}
	memcpy(text + n, "b", 2);
	p = compile(text, 0);
	memset(path, 'a', sizeof(path));
	path[0] = '/';
	path[1] = 'w';
	for (size_t i = 2; i < sizeof(path); i += 250)
		path[i] = '/';
	path[sizeof(path) - 1] = '\0';
	clock_gettime(CLOCK_MONOTONIC, &a);
	assert_false(pattern_match(p, path));
	clock_gettime(CLOCK_MONOTONIC, &b);
	assert_true((b.tv_sec - a.tv_sec) * 1000 + (b.tv_nsec - a.tv_nsec) / 1000000 < 500);
	pattern_free(p);
	for (n = 0; n + 8 < 4000; n += 5)
		memcpy(text + n,
		       "**"
		       "/a/",
		       5);
	memcpy(text + n, "b", 2);
	p = compile(text, 0);
	for (size_t i = 2; i + 1 < sizeof(path); i += 2)
		memcpy(path + i, "/a", 2);
	path[sizeof(path) - 1] = '\0';
	clock_gettime(CLOCK_MONOTONIC, &a);
	assert_false(pattern_match(p, path));
	(void)pattern_prefix(p, path);
	clock_gettime(CLOCK_MONOTONIC, &b);
	assert_true((b.tv_sec - a.tv_sec) * 1000 + (b.tv_nsec - a.tv_nsec) / 1000000 < 2000);
	pattern_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_match),
		cmocka_unit_test(test_fold_and_exact),
		cmocka_unit_test(test_prefix),
		cmocka_unit_test(test_mistakes),
		cmocka_unit_test(test_measures),
		cmocka_unit_test(test_relative),
		cmocka_unit_test(test_escape),
		cmocka_unit_test(test_glob),
		cmocka_unit_test(test_long_paths),
		cmocka_unit_test(test_reference),
		cmocka_unit_test(test_prefix_reference),
		cmocka_unit_test(test_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "policy_fixture.h"

#include <string.h>

#include "policy/data.h"

static int up(void **state)
{
	struct machine *m = calloc(1, sizeof(*m));

	machine_up(m);
	*state = m;
	return 0;
}

static int down(void **state)
{
	machine_down(*state);
	free(*state);
	return 0;
}

/* A name that a glob of the lists stands for. */
static void sample(char *out, size_t size, const char *glob)
{
	size_t n = 0;

	for (; *glob && n + 8 < size; glob++) {
		if (*glob == '*')
			n += (size_t)snprintf(out + n, size - n, "XY");
		else
			out[n++] = *glob;
	}
	out[n] = '\0';
}

/* Nothing of the scrub list and of the secrets comes in by itself. */
static void test_nothing_inherited(void **state)
{
	static const struct data_list *const lists[] = { &data_env_scrub, &data_env_secret };
	struct machine *m = *state;

	for (size_t l = 0; l < ARRAY_SIZE(lists); l++) {
		for (size_t i = 0; i < lists[l]->n; i++) {
			char name[64], line[96];
			char *vars[] = { line, NULL };

			sample(name, sizeof(name), data_text(lists[l], i));
			(void)snprintf(line, sizeof(line), "%s=evil", name);
			m->in.environ = vars;
			(void)resolve(m);
			if (env_of(m->spec, name) && streq(env_of(m->spec, name), "evil"))
				fail_msg("%s came in", name);
			m->in.environ = NULL;
		}
	}
}

/* The worst do not come in even when they are asked for, by name or with a value. */
static void test_never(void **state)
{
	struct machine *m = *state;
	unsigned never = 0;

	for (size_t i = 0; i < data_env_scrub.n; i++) {
		char name[64], line[96];
		char *vars[] = { line, NULL };
		const char *ask[] = { name, line };

		sample(name, sizeof(name), data_text(&data_env_scrub, i));
		(void)snprintf(line, sizeof(line), "%s=evil", name);
		m->in.environ = vars;
		m->in.env = ask;
		m->in.n_env = 2;
		(void)resolve(m);
		if (streq(data_at(&data_env_scrub, i).group, "never")) {
			const char *v = env_of(m->spec, name);

			never++;
			if (v && streq(v, "evil"))
				fail_msg("%s came in", name);
			assert_true(has_note(m->spec, name));
		} else if (streq(data_at(&data_env_scrub, i).group, "proxy")) {
			/* The host's never, one that somebody wrote down does. */
			assert_true(has_note(m->spec, "not passed to a command"));
			assert_string_equal(env_of(m->spec, name), "evil");
			m->in.n_env = 1;
			(void)resolve(m);
			if (env_of(m->spec, name))
				assert_string_not_equal(env_of(m->spec, name), "evil");
		} else {
			if (!env_of(m->spec, name))
				fail_msg("%s did not come in when named", name);
			assert_int_equal(m->spec->notes.n, 0);
		}
		m->in.environ = NULL;
	}
	assert_true(never > 100);
}

static void test_allowed(void **state)
{
	char *vars[] = {
		(char[]){ "LANG=de_DE.UTF-8" },
		(char[]){ "LC_ALL=C" },
		(char[]){ "TERM=xterm-256color" },
		(char[]){ "TZ=Europe/Berlin" },
		(char[]){ "USER=someone" },
		(char[]){ "UNLISTED=1" },
		(char[]){ "RUST_LOG=() { :; }" },
		(char[]){ "NOEQUALS" },
		(char[]){ "HOME=/elsewhere" },
		(char[]){ "PWD=/elsewhere" },
		(char[]){ "TMPDIR=/elsewhere" },
		(char[]){ "BERM_SESSION=forged" },
		(char[]){ "GIT_TERMINAL_PROMPT=1" },
		(char[]){ "=odd" },
		NULL,
	};
	struct machine *m = *state;
	const struct spec *s;

	m->in.environ = vars;
	s = resolve(m);
	assert_string_equal(env_of(s, "LANG"), "de_DE.UTF-8");
	assert_string_equal(env_of(s, "LC_ALL"), "C");
	assert_string_equal(env_of(s, "TZ"), "Europe/Berlin");
	assert_string_equal(env_of(s, "USER"), "someone");
	assert_null(env_of(s, "UNLISTED"));
	assert_null(env_of(s, "RUST_LOG"));
	assert_string_equal(env_of(s, "HOME"), m->home);
	assert_string_equal(env_of(s, "PWD"), m->ws);
	assert_string_equal(env_of(s, "TMPDIR"), "/tmp");
	assert_string_equal(env_of(s, "BERM_SESSION"), s->session);
	assert_string_equal(env_of(s, "GIT_TERMINAL_PROMPT"), "0");
	assert_int_equal(strlen(s->session), 18);
	assert_true(str_starts(s->session, "b-"));
}

static void test_bad_values(void **state)
{
	char *vars[] = { (char[]){ "TZ=/etc/passwd" }, (char[]){ "TERM=../../x" },
			 (char[]){ "LANG=/tmp/locale" }, (char[]){ "LC_ALL=../x" }, NULL };
	struct machine *m = *state;
	const struct spec *s;

	m->in.environ = vars;
	s = resolve(m);
	assert_null(env_of(s, "TZ"));
	assert_null(env_of(s, "TERM"));
	assert_null(env_of(s, "LANG"));
	assert_null(env_of(s, "LC_ALL"));
}

static void test_asked(void **state)
{
	char *vars[] = { (char[]){ "MY_TOKEN=t" }, (char[]){ "MY_FLAG=f" },
			 (char[]){ "CC=clang" },   (char[]){ "GITHUB_TOKEN=g" },
			 (char[]){ "LANG=C" },	   NULL };
	const char *ask[] = { "MY_*", "SET=a=b", "EMPTY=" }, *drop[] = { "LANG" };
	const char *exact[] = { "MY_TOKEN", "CC", "ABSENT", "CXX=g++ -O2" };
	const char *bad[] = { "=x" };
	struct machine *m = *state;
	const struct spec *s;

	m->in.environ = vars;
	m->in.env = ask;
	m->in.n_env = 3;
	m->in.unset_env = drop;
	m->in.n_unset_env = 1;
	s = resolve(m);
	assert_string_equal(env_of(s, "MY_FLAG"), "f");
	assert_null(env_of(s, "MY_TOKEN")); /* a glob does not reach secrets */
	assert_string_equal(env_of(s, "SET"), "a=b");
	assert_string_equal(env_of(s, "EMPTY"), "");
	assert_null(env_of(s, "LANG"));
	m->in.env = exact;
	m->in.n_env = 4;
	s = resolve(m);
	assert_string_equal(env_of(s, "MY_TOKEN"), "t");
	assert_string_equal(env_of(s, "CC"), "clang");
	assert_string_equal(env_of(s, "CXX"), "g++ -O2");
	assert_null(env_of(s, "ABSENT"));
	assert_null(env_of(s, "GITHUB_TOKEN"));
	m->in.env = bad;
	m->in.n_env = 1;
	resolve_fails(m, "names no variable");
}

static void test_path(void **state)
{
	char line[8192];
	char *vars[] = { line, NULL };
	struct machine *m = *state;

	put_dir(m, "ws/bin");
	put_dir(m, "home/.cargo/bin");
	put_dir(m, "home/bin");
	put_link(m, "home/.local", at(m, "ws"));
	(void)snprintf(line, sizeof(line), "PATH=%s:/usr/bin::.:bin:%s/.cargo/bin:%s:%s:/tmp:/bin",
		       at(m, "ws/bin"), m->home, at(m, "home/bin"), at(m, "home/.local/bin"));
	m->in.environ = vars;
	(void)resolve(m);
	(void)snprintf(line, sizeof(line), "/usr/bin:%s/.cargo/bin:/bin", m->home);
	assert_string_equal(env_of(m->spec, "PATH"), line);
	(void)snprintf(line, sizeof(line), "PATH=.:");
	(void)resolve(m);
	assert_string_equal(env_of(m->spec, "PATH"), "/usr/local/bin:/usr/bin:/bin");
}

/* The order of the layers holds for variables too. */
static void test_layers(void **state)
{
	char *vars[] = { (char[]){ "ONE=1" }, (char[]){ "TWO=2" }, NULL };
	const char *drop[] = { "THREE" };
	struct machine *m = *state;
	const struct spec *s;

	put(m, "config/policy.json",
	    "{\"env\": {\"pass\": [\"ONE\", \"TWO\"], \"set\": {\"THREE\": \"3\"}, \"unset\": [\"ONE\"]}}");
	put(m, "etc/managed.json", "{\"env\": {\"unset\": [\"T*\"], \"set\": {\"THREE\": \"m\"}}}");
	m->in.environ = vars;
	m->in.unset_env = drop;
	m->in.n_unset_env = 1;
	s = resolve(m);
	assert_null(env_of(s, "ONE"));
	assert_null(env_of(s, "TWO"));
	assert_string_equal(env_of(s, "THREE"), "m");
}

#define T(f) cmocka_unit_test_setup_teardown(f, up, down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_nothing_inherited),
		T(test_never),
		T(test_allowed),
		T(test_bad_values),
		T(test_asked),
		T(test_path),
		T(test_layers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

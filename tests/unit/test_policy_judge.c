/* SPDX-License-Identifier: Apache-2.0 */
/* The built-in rules and the user's, by every kind of call. */
#include "policy_fixture.h"

#include <string.h>
#include <time.h>

#include "policy/rules.h"
#include "policy/secret.h"

static int up(void **state)
{
	struct machine *m = calloc(1, sizeof(*m));

	machine_up(m);
	put_dir(m, "ws/src");
	put_dir(m, "ws/node_modules/pkg");
	put_dir(m, "ws/repo/.git");
	put_dir(m, "ws/plain");
	*state = m;
	return 0;
}

static int down(void **state)
{
	machine_down(*state);
	free(*state);
	return 0;
}

struct row {
	enum file_op op;
	const char *path;
	enum file_type type;
	int err; /* 0: allowed */
};

static void check(struct machine *m, const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct verdict v = judge(m, rows[i].op, rows[i].path, rows[i].type);

		if (v.err != rows[i].err)
			fail_msg("%s %s (type %d): %d, not %d (%s; %s)", file_op_action(rows[i].op),
				 rows[i].path, (int)rows[i].type, v.err, rows[i].err, v.reason,
				 v.rule ? v.rule->text : "-");
	}
}

/* ---- secrets and start-up files by name --------------------------------- */

static const char *const closed_names[] = {
	"ws/.env",
	"ws/.ENV",
	"ws/.env.local",
	"ws/src/.env",
	"ws/a.key",
	"ws/src/A.PEM",
	"ws/x.p12",
	"ws/x.pfx",
	"ws/id_rsa",
	"ws/id_ed25519",
	"ws/.bashrc",
	"ws/src/.zshrc",
	"ws/.gitconfig",
	"ws/.ripgreprc",
	"ws/.envrc",
	"ws/.mcp.json",
	"ws/.npmrc",
	"ws/.vscode",
	"ws/.vscode/x.json",
	"ws/.idea/w.xml",
	"ws/.codex/c",
	"ws/.agents",
	"ws/.cursor/x",
	"ws/.berm",
	"ws/.berm/policy.json",
	"ws/berm.json",
	"ws/.git-credentials",
	"ws/.netrc",
	"ws/.husky/pre-commit",
	"ws/.claude/skills",
	"ws/.claude/skills/a/b",
	"ws/.claude/commands/x.md",
	"ws/.claude/settings.json",
	"ws/.claude/settings.local.json",
	"ws/.claude/agents",
	"ws/.claude/hooks/x.sh",
	"ws/.CLAUDE/Settings.json",
	"ws/x.code-workspace",
	"ws/repo/.vscode",
	"ws/repo/.mcp.json",
	"ws/.env/below",
	"ws/.env.example/.env",
};

static void test_closed_names(void **state)
{
	static const enum file_op ops[] = { OP_WRITE,	    OP_CREATE,	  OP_DELETE,   OP_META,
					    OP_RENAME_FROM, OP_RENAME_TO, OP_LINK_FROM };
	static const enum file_type types[] = { FT_REG, FT_DIR, FT_SYMLINK, FT_OTHER };
	struct machine *m = *state;

	(void)resolve(m);
	for (size_t i = 0; i < ARRAY_SIZE(closed_names); i++) {
		for (size_t o = 0; o < ARRAY_SIZE(ops); o++) {
			for (size_t t = 0; t < ARRAY_SIZE(types); t++) {
				struct verdict v = judge(m, ops[o], closed_names[i], types[t]);

				if (v.err != EACCES || !v.rule || !v.rule->origin.line)
					fail_msg("%s %s", file_op_action(ops[o]), closed_names[i]);
			}
		}
		/* the default profile lets them be read */
		assert_int_equal(judge(m, OP_READ, closed_names[i], FT_REG).err, 0);
	}
}

static const char *const open_names[] = {
	"ws/main.c",
	"ws/src/env",
	"ws/.env.example",
	"ws/src/.env.sample",
	"ws/.env.template",
	"ws/key",
	"ws/a.keys",
	"ws/id_rsa.pub",
	"ws/keyboard.c",
	"ws/.gitignore",
	"ws/.gitattributes",
	"ws/.git/index",
	"ws/.claude/CLAUDE.md",
	"ws/.github/workflows/ci.yml",
	"ws/plain/.vscode/x",
	"ws/plain/.mcp.json",
	"ws/node_modules/pkg/cacert.pem",
	"ws/node_modules/pkg/.env",
	"ws/node_modules/pkg/.vscode/settings.json",
	"ws/node_modules/p/.npmrc",
	"ws/.venv/lib/python3.11/site-packages/certifi/cacert.pem",
	"ws/vendor/x/a.key",
	"ws/target/debug/.env",
	"ws/bashrc",
	"ws/.profiles",
	"ws/codex/x",
};

static void test_open_names(void **state)
{
	struct machine *m = *state;

	(void)resolve(m);
	for (size_t i = 0; i < ARRAY_SIZE(open_names); i++) {
		for (int op = 0; op < OP_COUNT; op++) {
			struct verdict v = judge(m, (enum file_op)op, open_names[i], FT_REG);

			if (v.err)
				fail_msg("%s %s: %s", file_op_action((enum file_op)op),
					 open_names[i], v.rule ? v.rule->text : v.reason);
		}
	}
}

/* ---- ancestors ---------------------------------------------------------- */

static void test_ancestors(void **state)
{
	static const struct row rows[] = {
		/* .claude holds protected files: it may be made in place, and nothing else */
		{ OP_CREATE, "ws/.claude", FT_DIR, 0 },
		{ OP_CREATE, "ws/.claude", FT_SYMLINK, EACCES },
		{ OP_CREATE, "ws/.claude", FT_REG, EACCES },
		{ OP_CREATE, "ws/.claude", FT_OTHER, EACCES },
		{ OP_DELETE, "ws/.claude", FT_DIR, 0 },
		{ OP_DELETE, "ws/.claude", FT_SYMLINK, EACCES },
		{ OP_RENAME_FROM, "ws/.claude", FT_DIR, EACCES },
		{ OP_RENAME_TO, "ws/.claude", FT_DIR, EACCES },
		{ OP_RENAME_TO, "ws/.Claude", FT_SYMLINK, EACCES },
		{ OP_META, "ws/.claude", FT_DIR, 0 },
		{ OP_CREATE, "ws/.claude/notes.md", FT_REG, 0 },
		/* not where no tool would look */
		{ OP_RENAME_FROM, "ws/plain/.claude", FT_DIR, 0 },
		{ OP_RENAME_TO, "ws/repo/.claude", FT_DIR, EACCES },
		{ OP_CREATE, "ws/repo/.claude", FT_SYMLINK, EACCES },
		/* the root stays */
		{ OP_RENAME_FROM, "ws", FT_DIR, EBUSY },
		{ OP_DELETE, "ws", FT_DIR, EBUSY },
		{ OP_META, "ws", FT_DIR, 0 },
	};
	struct machine *m = *state;

	(void)resolve(m);
	check(m, rows, ARRAY_SIZE(rows));
}

static void test_users_rules(void **state)
{
	struct policy_arg args[] = {
		{ ARG_DENY_WRITE, "src/deep/keep.txt" },
		{ ARG_DENY_WRITE, "**"
				  "/cfg/prod.json" },
		{ ARG_DENY_WRITE, "gen/*/out" },
		{ ARG_DENY_READ, "private" },
		{ ARG_ALLOW_WRITE, "fixtures" },
		{ ARG_ALLOW_WRITE, "src/a.pem" },
		{ ARG_ASK, "asked" },
		{ ARG_ALLOW_WRITE, "." }, /* opens no protected name */
	};
	static const struct row rows[] = {
		{ OP_WRITE, "ws/src/deep/keep.txt", FT_REG, EACCES },
		{ OP_READ, "ws/src/deep/keep.txt", FT_REG, 0 },
		{ OP_RENAME_FROM, "ws/src/deep", FT_DIR, EACCES },
		{ OP_RENAME_FROM, "ws/src", FT_DIR, EACCES },
		{ OP_RENAME_TO, "ws/src/deep", FT_DIR, EACCES },
		{ OP_CREATE, "ws/src/deep", FT_DIR, 0 },
		{ OP_CREATE, "ws/src/deep", FT_SYMLINK, EACCES },
		{ OP_CREATE, "ws/src/other.txt", FT_REG, 0 },
		{ OP_CREATE, "ws/x/y/cfg/prod.json", FT_REG, EACCES },
		{ OP_RENAME_TO, "ws/x/y/cfg", FT_DIR, EACCES },
		{ OP_CREATE, "ws/node_modules/pkg/cfg/prod.json", FT_REG,
		  EACCES }, /* no exemption */
		{ OP_CREATE, "ws/gen/a/out", FT_REG, EACCES },
		{ OP_CREATE, "ws/gen/a", FT_REG, 0 }, /* a file can hold nothing */
		{ OP_CREATE, "ws/gen/a", FT_DIR, 0 },
		{ OP_CREATE, "ws/gen/a", FT_SYMLINK, EACCES },
		{ OP_RENAME_TO, "ws/gen/a", FT_DIR, EACCES },
		{ OP_RENAME_TO, "ws/gen/a", FT_REG, 0 },
		{ OP_READ, "ws/private/x", FT_REG, EACCES },
		{ OP_WRITE, "ws/private/x", FT_REG, EACCES },
		{ OP_READ, "ws/PRIVATE", FT_DIR, EACCES },
		{ OP_CREATE, "ws/fixtures/.env", FT_REG, 0 },
		{ OP_WRITE, "ws/src/a.pem", FT_REG, 0 },
		{ OP_WRITE, "ws/src/b.pem", FT_REG, EACCES },
		{ OP_CREATE, "ws/fixtures/.bashrc", FT_REG, EACCES }, /* mandatory */
		{ OP_READ, "ws/asked", FT_REG, EACCES },
		{ OP_WRITE, "ws/asked", FT_REG, EACCES },
		{ OP_WRITE, "ws/.env", FT_REG, EACCES },
	};
	struct machine *m = *state;

	m->in.args = args;
	m->in.n_args = ARRAY_SIZE(args);
	assert_true(resolve(m)->read_deny);
	check(m, rows, ARRAY_SIZE(rows));
	assert_string_equal(judge(m, OP_READ, "ws/asked", FT_REG).reason, "a rule says ask");
}

/* ---- directories that move ---------------------------------------------- */

static void test_moves(void **state)
{
	static const struct {
		const char *from, *to;
		enum file_type type;
		int err;
	} rows[] = {
		{ "ws/src", "ws/lib", FT_DIR, 0 },
		{ "ws/node_modules/.tmp-1", "ws/node_modules/pkg2", FT_DIR, 0 },
		{ "ws/node_modules", "ws/old/node_modules", FT_DIR, 0 },
		{ "ws/node_modules", "ws/modules", FT_DIR, EXDEV },
		{ "ws/node_modules/pkg", "ws/pkg", FT_DIR, EXDEV },
		{ "ws/node_modules/pkg/lib", "ws/src/lib", FT_DIR, EXDEV },
		{ "ws/vendor/x", "ws/node_modules/x", FT_DIR, 0 },
		{ "ws/node_modules/pkg/f.js", "ws/f.js", FT_REG, 0 },
		{ "ws/node_modules/pkg/.env", "ws/.env", FT_REG, EACCES },
		{ "ws/app", "ws/node_modules/app", FT_DIR, 0 },
		{ "ws/fixtures/case1", "ws/case1", FT_DIR, EXDEV }, /* opened by a rule */
		{ "ws/fixtures/case1", "ws/fixtures/case2", FT_DIR, 0 },
		{ "ws/plain", "ws/.vscode", FT_DIR, EACCES },
	};
	struct policy_arg args[] = { { ARG_ALLOW_WRITE, "fixtures" } };
	struct machine *m = *state;

	m->in.args = args;
	m->in.n_args = ARRAY_SIZE(args);
	(void)resolve(m);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct verdict v = judge_rename(m, rows[i].from, rows[i].to, rows[i].type);

		if (v.err != rows[i].err)
			fail_msg("%s -> %s: %d (%s)", rows[i].from, rows[i].to, v.err, v.reason);
	}
}

/* ---- profiles, modes, views --------------------------------------------- */

static void test_strict(void **state)
{
	static const struct row rows[] = {
		{ OP_READ, "ws/.env", FT_REG, EACCES },
		{ OP_READ, "ws/src/a.pem", FT_REG, EACCES },
		{ OP_READ, "ws/.env.example", FT_REG, 0 },
		{ OP_READ, "ws/node_modules/p/cacert.pem", FT_REG, 0 },
		{ OP_READ, "ws/.bashrc", FT_REG, 0 },
		{ OP_WRITE, "ws/.env", FT_REG, EACCES },
		{ OP_EXEC, "ws/run.sh", FT_REG, EACCES },
		{ OP_EXEC, "/usr/bin/env", FT_REG, 0 },
	};
	struct machine *m = *state;

	m->in.profile = "strict";
	assert_true(resolve(m)->read_deny);
	assert_true(m->spec->exec_deny_writable);
	check(m, rows, ARRAY_SIZE(rows));
	m->in.profile = NULL;
	assert_false(resolve(m)->read_deny);
	assert_false(m->spec->exec_deny_writable);
}

static void test_modes(void **state)
{
	static const struct row rows[] = {
		{ OP_WRITE, "ws/main.c", FT_REG, EROFS },  { OP_CREATE, "ws/new", FT_DIR, EROFS },
		{ OP_DELETE, "ws/main.c", FT_REG, EROFS }, { OP_META, "ws/main.c", FT_REG, EROFS },
		{ OP_READ, "ws/main.c", FT_REG, 0 },	   { OP_EXEC, "ws/run.sh", FT_REG, 0 },
		{ OP_WRITE, "/tmp/berm-none", FT_REG, 0 },
	};
	struct machine *m = *state;

	for (int mode = MODE_REVIEW; mode <= MODE_ORCHESTRATE; mode++) {
		m->in.mode = mode;
		assert_true(resolve(m)->roots[0].read_only);
		check(m, rows, ARRAY_SIZE(rows));
	}
}

static void test_outside(void **state)
{
	static const struct row rows[] = {
		{ OP_READ, "/usr/bin/env", FT_REG, 0 },
		{ OP_WRITE, "/usr/bin/env", FT_REG, EROFS },
		{ OP_CREATE, "/etc/new", FT_REG, EROFS },
		{ OP_READ, "/srv/data", FT_REG, ENOENT },
		{ OP_CREATE, "/srv/data", FT_REG, EACCES },
		{ OP_CREATE, "/run/x", FT_REG, 0 },
		{ OP_WRITE, "/dev/null", FT_OTHER, 0 },
		{ OP_CREATE, "/dev/x", FT_OTHER, EACCES },
		{ OP_READ, "/home/other/x", FT_REG, ENOENT },
		{ OP_EXEC, "/usr/bin/sudo", FT_REG, EACCES },
		{ OP_EXEC, "/usr/sbin/mkfs.ext4", FT_REG, EACCES },
		{ OP_EXEC, "/usr/share/doc/at", FT_REG, 0 },
		{ OP_EXEC, "ws/bin/sudo", FT_REG, 0 },
	};
	struct machine *m = *state;

	(void)resolve(m);
	check(m, rows, ARRAY_SIZE(rows));
	/* the private home is the session's own, whatever lies in the real one */
	assert_int_equal(judge(m, OP_CREATE, "home/.cache/x", FT_REG).err, 0);
	m->in.home = HOME_HOST;
	(void)resolve(m);
	assert_int_equal(judge(m, OP_CREATE, "home/.cache/x", FT_REG).err, EROFS);
	m->in.root = ROOT_HOST;
	(void)resolve(m);
	assert_int_equal(judge(m, OP_READ, "/srv/data", FT_REG).err, 0);
}

static void test_exec_rules(void **state)
{
	struct policy_arg args[] = {
		{ ARG_DENY_EXEC, "**"
				 "/*.sh" },
		{ ARG_ALLOW_EXEC, "tools/ok.sh" },
		{ ARG_DENY_EXEC, "/usr/bin/curl" },
		{ ARG_ALLOW_EXEC, "/usr/bin/sudo" },
	};
	static const struct row rows[] = {
		{ OP_EXEC, "ws/a/run.sh", FT_REG, EACCES },
		{ OP_EXEC, "ws/tools/ok.sh", FT_REG, 0 },
		{ OP_EXEC, "ws/a.out", FT_REG, 0 },
		{ OP_EXEC, "/usr/bin/curl", FT_REG, EACCES },
		{ OP_EXEC, "/usr/bin/sudo", FT_REG, 0 },
		{ OP_WRITE, "ws/a/run.sh", FT_REG, 0 },
	};
	struct machine *m = *state;

	m->in.args = args;
	m->in.n_args = ARRAY_SIZE(args);
	(void)resolve(m);
	check(m, rows, ARRAY_SIZE(rows));
}

/* ---- home as the workspace ---------------------------------------------- */

static void test_home_workspace(void **state)
{
	static const struct row rows[] = {
		{ OP_READ, "home/.ssh/id_rsa", FT_REG, EACCES },
		{ OP_READ, "home/.aws/credentials", FT_REG, EACCES },
		{ OP_READ, "home/.config/gh/hosts.yml", FT_REG, EACCES },
		{ OP_RENAME_FROM, "home/.config", FT_DIR, EACCES },
		{ OP_CREATE, "home/.config", FT_SYMLINK, EACCES },
		{ OP_RENAME_FROM, "home/.ssh", FT_DIR, EACCES },
		{ OP_WRITE, "home/.bashrc", FT_REG, EACCES },
		{ OP_READ, "home/.bashrc", FT_REG, 0 },
		{ OP_CREATE, "home/.config/systemd/user/x.service", FT_REG, EACCES },
		{ OP_CREATE, "home/.local/bin/git", FT_REG, EACCES },
		{ OP_CREATE, "home/.config/autostart/x.desktop", FT_REG, EACCES },
		{ OP_READ, "home/.state/berm/trust/x", FT_REG, EACCES },
		{ OP_WRITE, "home/project/main.c", FT_REG, 0 },
		{ OP_CREATE, "home/.config/app/x", FT_REG, 0 },
	};
	struct machine *m = *state;

	m->ws_list[0] = m->home;
	m->in.dirs.state = at(m, "home/.state/berm");
	assert_true(resolve(m)->read_deny);
	assert_int_equal(m->spec->home, HOME_HOST);
	check(m, rows, ARRAY_SIZE(rows));
}

/* ---- grants ------------------------------------------------------------- */

static void grant_is(struct machine *m, enum file_op op, const char *path, const char *want)
{
	struct file_query q = { .op = op,
				.path = path[0] == '/' ? path : at(m, path),
				.type = FT_REG };
	struct verdict v;
	char got[512];

	spec_judge(m->spec, &q, &v);
	assert_int_not_equal(v.decision, VERDICT_ALLOW);
	spec_grant(m->spec, &q, &v, got, sizeof(got));
	if (!str_starts(got, want))
		fail_msg("%s: \"%s\", not \"%s\"", path, got, want);
}

static void grant_is_none(struct machine *m, enum file_op op, const char *path)
{
	struct file_query q = { .op = op, .path = path, .type = FT_REG };
	struct verdict v = { .decision = VERDICT_DENY, .err = ENOENT, .reason = "" };
	char got[512];

	spec_grant(m->spec, &q, &v, got, sizeof(got));
	assert_string_equal(got, "");
}

static void test_grants(void **state)
{
	struct machine *m = *state;

	(void)resolve(m);
	grant_is(m, OP_WRITE, "ws/.env", "--allow-write ");
	grant_is(m, OP_WRITE, "ws/.bashrc", "--unprotect ");
	grant_is(m, OP_CREATE, "ws/.vscode/x", "--unprotect ");
	grant_is(m, OP_CREATE, "ws/.berm/policy.json", "");
	grant_is(m, OP_READ, "/srv/data", "--allow-read /srv/data");
	grant_is(m, OP_EXEC, "/usr/bin/sudo", "--allow-exec /usr/bin/sudo");
}

/* What no option opens is not offered one: a secret of the home's, which no run shows. */
static void test_no_grant(void **state)
{
	struct machine *m = *state;
	char ssh[512], path[600];
	struct data_entry e;

	(void)resolve(m);
	(void)snprintf(ssh, sizeof(ssh), "%s/.ssh", m->spec->user_home);
	(void)snprintf(path, sizeof(path), "%s/id_rsa", ssh);
	grant_is_none(m, OP_READ, path);
	assert_true(secret_place(m->spec, path, &e));
	assert_true(secret_place(m->spec, ssh, &e));
	assert_string_equal(e.text, "~/.ssh");
	assert_false(secret_place(m->spec, m->spec->user_home, &e));
	assert_true(secret_place_below(m->spec, m->spec->user_home));
	assert_false(secret_place_below(m->spec, path));
	assert_true(secret_name("/w/.env", &e));
	assert_true(secret_name("/w/X.PEM", &e));
	assert_false(secret_name("/w/.env.example", &e));
	assert_false(secret_name("/w/env", &e));
	m->in.unprotect = (const char *[]){ "secret-paths" };
	m->in.n_unprotect = 1;
	(void)resolve(m);
	assert_false(secret_place(m->spec, path, &e));
}

/* Each grant that is offered does what it says. */
static void test_grants_work(void **state)
{
	static const char *const paths[] = { "ws/.env",
					     "ws/.bashrc",
					     "ws/.vscode/x",
					     "ws/a b.key",
					     "ws/q'*.key",
					     "ws/.mcp.json",
					     "ws/.claude/settings.json" };
	struct machine *m = *state;

	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		struct file_query q = { .op = OP_CREATE, .path = at(m, paths[i]), .type = FT_REG };
		struct verdict v;
		char got[512], value[512];
		const char *name = value;
		struct policy_arg arg = { ARG_ALLOW_WRITE, value };

		m->in.n_args = m->in.n_unprotect = 0;
		(void)resolve(m);
		spec_judge(m->spec, &q, &v);
		assert_int_equal(v.decision, VERDICT_DENY);
		spec_grant(m->spec, &q, &v, got, sizeof(got));
		spec_grant_value(m->spec, &q, &v, value, sizeof(value));
		assert_true(got[0] && value[0]);
		if (str_starts(got, "--unprotect")) {
			m->in.unprotect = &name;
			m->in.n_unprotect = 1;
		} else {
			m->in.args = &arg;
			m->in.n_args = 1;
		}
		(void)resolve(m);
		if (judge(m, OP_CREATE, paths[i], FT_REG).err)
			fail_msg("%s does not open %s", got, paths[i]);
		/* and nothing beside it */
		assert_int_equal(judge(m, OP_CREATE, "ws/other.pem", FT_REG).err, EACCES);
		assert_int_equal(judge(m, OP_CREATE, "ws/.idea/x", FT_REG).err, EACCES);
	}
}

/* ---- other spellings ---------------------------------------------------- */

static void test_spellings(void **state)
{
	static const struct row folded[] = {
		{ OP_CREATE, "ws/.en\xe2\x80\x8dv", FT_REG, EACCES }, /* zero width joiner */
		{ OP_CREATE, "ws/.ba\xc5\xbfhrc", FT_REG, EACCES },   /* long s */
		{ OP_RENAME_TO,
		  "ws/x/server.\xe2\x84\xaa"
		  "ey",
		  FT_REG, EACCES }, /* Kelvin sign */
		{ OP_CREATE,
		  "ws/.v\xc5\xbf\xc2\xad"
		  "code/tasks.json",
		  FT_REG, EACCES },
		{ OP_CREATE, "ws/.claude\xef\xbb\xbf", FT_SYMLINK, EACCES },
		{ OP_CREATE,
		  "ws/stra\xc3\x9f"
		  "e.txt",
		  FT_REG, 0 },
		{ OP_CREATE, "ws/\xe2\x80\x8d", FT_REG, 0 },
		{ OP_CREATE, "ws/\xff\xc5", FT_REG, 0 },
		{ OP_CREATE, "ws/.env.", FT_REG, EACCES }, /* .env.* */
		{ OP_CREATE, "ws/.bashrc.", FT_REG, 0 },
		{ OP_CREATE, "ws/.bashrc ", FT_REG, 0 },
		{ OP_CREATE, "ws/BASHRC~1", FT_REG, 0 },
	};
	static const struct row loose[] = {
		{ OP_CREATE, "ws/.bashrc.", FT_REG, EACCES },
		{ OP_CREATE, "ws/.bashrc. . ", FT_REG, EACCES },
		{ OP_WRITE, "ws/.bashrc::$DATA", FT_REG, EACCES },
		{ OP_CREATE, "ws/.vscode../tasks.json", FT_REG, EACCES },
		{ OP_WRITE, "ws/BASHRC~1", FT_REG, EACCES },
		{ OP_WRITE, "ws/CLAUDE~1/SETTIN~1.JSO", FT_REG, EACCES },
		{ OP_READ, "ws/BASHRC~1", FT_REG, 0 },
		{ OP_CREATE, "ws/a.c", FT_REG, 0 },
		{ OP_CREATE, "ws/notes~", FT_REG, 0 },
		{ OP_CREATE, "ws/a b.txt", FT_REG, 0 },
		{ OP_CREATE, "ws/...", FT_REG, 0 },
	};
	struct machine *m = *state;

	(void)resolve(m);
	assert_false(m->spec->roots[0].loose_names);
	check(m, folded, ARRAY_SIZE(folded));
	m->spec->roots[0].loose_names = true;
	check(m, loose, ARRAY_SIZE(loose));
}

/* ---- the index ---------------------------------------------------------- */

static unsigned seed = 7;

static unsigned rnd(unsigned n)
{
	seed = seed * 1103515245u + 12345u;
	return (seed >> 16) % n;
}

/* A path of components that the rules know, that they nearly know, and others. */
static void random_path(char *out, size_t size, const char *ws)
{
	static const char *const names[] = {
		".env",
		".Env.x",
		"a.key",
		"KEY",
		"src",
		".claude",
		"settings.json",
		"skills",
		".vscode",
		"tasks.json",
		"node_modules",
		"x",
		"b.pem",
		"id_rsa",
		".bashrc",
		"deep",
		"keep.txt",
		"gen",
		"out",
		".berm",
		"y.code-workspace",
		".mcp.json",
		"fix",
		"[z]",
		"zz",
		".git",
		"cfg",
		"prod.json",
	};
	size_t n = (size_t)snprintf(out, size, "%s", ws);

	for (unsigned i = 1 + rnd(4); i; i--)
		n += (size_t)snprintf(out + n, size - n, "/%s", names[rnd(ARRAY_SIZE(names))]);
}

/* The index only passes over rules that have nothing to say. */
static void test_index(void **state)
{
	struct policy_arg args[] = {
		{ ARG_DENY_WRITE, "src/deep/keep.txt" },
		{ ARG_DENY_WRITE, "**"
				  "/cfg/prod.json" },
		{ ARG_DENY_WRITE, "gen/*/out" },
		{ ARG_ALLOW_WRITE, "fix" },
		{ ARG_DENY_READ, "**"
				 "/{x,zz}/*.json" },
		{ ARG_DENY_WRITE, "**"
				  "/\\[z\\]" },
		{ ARG_ALLOW_WRITE, "**"
				   "/a.key" },
		{ ARG_DENY_WRITE, "**"
				  "/?z" },
	};
	struct machine *m = *state;
	struct spec_priv *p;
	enum { N = 20000 };
	struct result {
		const struct rule *rule;
		int err;
	} *first = calloc(N, sizeof(*first));
	unsigned denied = 0;

	m->in.args = args;
	m->in.n_args = ARRAY_SIZE(args);
	(void)resolve(m);
	p = m->spec->priv;
	for (unsigned pass = 0; pass < 2; pass++) {
		seed = 7;
		for (size_t i = 0; pass && i < p->n_live; i++)
			p->live[i].kind = SIG_ALWAYS;
		for (unsigned i = 0; i < N; i++) {
			char path[4096];
			struct file_query q = { .path = path };
			struct verdict v;

			random_path(path, sizeof(path), m->ws);
			q.op = (enum file_op)rnd(OP_COUNT);
			q.type = (enum file_type)rnd(5);
			spec_judge(m->spec, &q, &v);
			if (!pass)
				first[i] = (struct result){ v.rule, v.err };
			else if (first[i].rule != v.rule || first[i].err != v.err)
				fail_msg("%s %s: %d with the index, %d without",
					 file_op_action(q.op), path, first[i].err, v.err);
			denied += v.err != 0;
		}
	}
	assert_in_range(denied, N / 5, 2 * N - N / 5);
	free(first);
}

/* ---- speed -------------------------------------------------------------- */

static void test_speed(void **state)
{
	static const char *const paths[] = { "ws/src/lib/module/deep/file.c", "ws/README.md",
					     "ws/node_modules/a/b/c/d/index.js", "ws/.env" };
	struct machine *m = *state;
	struct timespec a, b;
	long ns;

	(void)resolve(m);
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		struct file_query q = { .op = OP_CREATE, .path = at(m, paths[i]), .type = FT_REG };
		struct verdict v;

		clock_gettime(CLOCK_MONOTONIC, &a);
		for (int k = 0; k < 20000; k++)
			spec_judge(m->spec, &q, &v);
		clock_gettime(CLOCK_MONOTONIC, &b);
		ns = ((b.tv_sec - a.tv_sec) * 1000000000L + (b.tv_nsec - a.tv_nsec)) / 20000;
		print_message("spec_judge %-40s %ld ns\n", paths[i], ns);
		/* generous: sanitizers and busy machines are slow too */
		assert_true(ns < 200000);
	}
}

#define T(f) cmocka_unit_test_setup_teardown(f, up, down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_closed_names),	T(test_open_names), T(test_ancestors),
		T(test_users_rules),	T(test_moves),	    T(test_strict),
		T(test_modes),		T(test_outside),    T(test_exec_rules),
		T(test_home_workspace), T(test_grants),	    T(test_grants_work),
		T(test_no_grant),	T(test_spellings),  T(test_index),
		T(test_speed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

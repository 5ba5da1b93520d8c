/* SPDX-License-Identifier: Apache-2.0 */
/* Workspaces, homes, grants, what is shown and masked, and the workspace's repository. */
#include "policy_fixture.h"

#include <string.h>
#include <sys/stat.h>

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

static void arg(struct machine *m, enum policy_arg_kind kind, const char *pattern)
{
	static struct policy_arg one;

	one = (struct policy_arg){ kind, pattern };
	m->in.args = &one;
	m->in.n_args = 1;
}

static const struct writable_root *root(const struct spec *s, const char *path)
{
	for (size_t i = 0; i < s->n_roots; i++)
		if (streq(s->roots[i].path, path))
			return &s->roots[i];
	return NULL;
}

static const struct readable_tree *shown(const struct spec *s, const char *path)
{
	for (size_t i = 0; i < s->n_reads; i++)
		if (streq(s->reads[i].path, path))
			return &s->reads[i];
	return NULL;
}

/* ---- workspaces --------------------------------------------------------- */

static void test_workspaces(void **state)
{
	struct machine *m = *state;
	const struct spec *s;

	put_dir(m, "ws/sub/deep");
	put_dir(m, "two");
	put_link(m, "link", at(m, "two"));
	s = resolve(m);
	assert_int_equal(s->n_roots, 1);
	assert_string_equal(s->roots[0].path, m->ws);
	assert_int_equal(s->roots[0].kind, ROOT_WORKSPACE);
	assert_string_equal(s->workdir, m->ws);
	m->ws_list[1] = at(m, "link");
	m->ws_list[2] = at(m, "two");
	m->in.n_workspaces = 3;
	s = resolve(m);
	assert_int_equal(s->n_roots, 2); /* a link is what it leads to */
	assert_string_equal(s->roots[1].path, at(m, "two"));
	/* none named: where the caller stands */
	m->in.n_workspaces = 0;
	m->in.cwd = at(m, "ws/sub");
	s = resolve(m);
	assert_string_equal(s->roots[0].path, at(m, "ws/sub"));
	/* relative, and the caller below it */
	m->in.n_workspaces = 1;
	m->ws_list[0] = "..";
	m->in.cwd = at(m, "ws/sub");
	s = resolve(m);
	assert_string_equal(s->roots[0].path, m->ws);
	assert_string_equal(s->workdir, at(m, "ws/sub"));
}

static void test_odd_names(void **state)
{
	static const char *const names[] = { "a b",	 "new\nline", "gl*b?[x]{y,z}",
					     "\xff\xfe", "'q\"",      "back\\slash",
					     "-w",	 "%s%n" };
	struct machine *m = *state;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char path[512], key[600];

		(void)snprintf(path, sizeof(path), "%s", at(m, names[i]));
		put_dir(m, names[i]);
		m->ws_list[0] = path;
		m->in.cwd = path;
		assert_string_equal(resolve(m)->roots[0].path, path);
		(void)snprintf(key, sizeof(key), "%s/.env", path);
		assert_int_equal(judge(m, OP_CREATE, key, FT_REG).err, EACCES);
		(void)snprintf(key, sizeof(key), "%s/.vscode", path);
		assert_int_equal(judge(m, OP_CREATE, key, FT_DIR).err, EACCES);
		/* a relative rule of the command line starts here, as it is spelled */
		arg(m, ARG_DENY_WRITE, "x");
		(void)resolve(m);
		(void)snprintf(key, sizeof(key), "%s/x", path);
		assert_int_equal(judge(m, OP_CREATE, key, FT_REG).err, EACCES);
		m->in.n_args = 0;
	}
}

static void test_bad_workspaces(void **state)
{
	struct machine *m = *state;

	m->ws_list[0] = at(m, "absent");
	resolve_fails(m, "cannot use the workspace");
	put(m, "file", "x");
	m->ws_list[0] = at(m, "file");
	resolve_fails(m, "is not a directory");
	m->ws_list[0] = "/";
	resolve_fails(m, "cannot be \"/\"");
	m->ws_list[0] = "/proc";
	resolve_fails(m, "machine's own interface");
	m->ws_list[0] = "/dev";
	resolve_fails(m, "machine's own interface");
	put_dir(m, "state/homes");
	assert_int_equal(chmod(at(m, "state"), 0700), 0);
	m->ws_list[0] = at(m, "state");
	resolve_fails(m, "berm's own state");
	m->ws_list[0] = at(m, "state/homes");
	resolve_fails(m, "lies in berm's own state");
	m->ws_list[0] = m->top;
	resolve_fails(m, "holds berm's own state");
	m->ws_list[0] = m->ws;
	assert_int_equal(chmod(at(m, "state"), 0770), 0);
	resolve_fails(m, "can be written by others");
	assert_int_equal(chmod(at(m, "state"), 0755), 0);
	(void)resolve(m);
	/* a protected place is not made writable by naming it */
	put_dir(m, "home/.ssh/x");
	m->ws_list[0] = at(m, "home/.ssh/x");
	resolve_fails(m, "--unprotect secret-paths");
	put_dir(m, "home/.config/nvim");
	m->ws_list[0] = at(m, "home/.config/nvim");
	resolve_fails(m, "--unprotect tool-rc");
	{
		const char *name = "tool-rc";

		m->in.unprotect = &name;
		m->in.n_unprotect = 1;
		(void)resolve(m);
		assert_int_equal(judge(m, OP_WRITE, "home/.config/nvim/init.lua", FT_REG).err, 0);
	}
}

/* ---- state and private home --------------------------------------------- */

static void test_private_home(void **state)
{
	struct machine *m = *state;
	char first[4096];
	struct stat st;

	put(m, "home/.gitconfig", "[user]\nname = x\n");
	put(m, "dotfiles/vimrc", "x");
	put_link(m, "home/.vimrc", at(m, "dotfiles/vimrc"));
	put_dir(m, "home/.cargo/bin");
	put(m, "home/.cargo/credentials", "x");
	put_dir(m, "home/.ssh");
	(void)resolve(m);
	assert_int_equal(m->spec->home, HOME_PRIVATE);
	assert_string_equal(m->spec->home_path, m->home);
	assert_int_equal(stat(m->spec->home_source, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	assert_true(path_within(m->spec->home_source, m->state));
	assert_non_null(shown(m->spec, at(m, "home/.gitconfig")));
	assert_non_null(shown(m->spec, at(m, "home/.cargo/bin")));
	assert_string_equal(shown(m->spec, at(m, "home/.vimrc"))->source, at(m, "dotfiles/vimrc"));
	assert_null(shown(m->spec, at(m, "home/.cargo/credentials")));
	assert_null(shown(m->spec, at(m, "home/.ssh")));
	(void)snprintf(first, sizeof(first), "%s", m->spec->home_source);
	/* the same workspace gets the same home, another one another */
	assert_string_equal(resolve(m)->home_source, first);
	put_dir(m, "x/ws");
	m->ws_list[0] = at(m, "x/ws");
	assert_string_not_equal(resolve(m)->home_source, first);
	/* why and explain make nothing */
	put_dir(m, "y/ws");
	m->ws_list[0] = at(m, "y/ws");
	m->in.pretend = true;
	assert_int_equal(stat(resolve(m)->home_source, &st), -1);
	/* what another put there is not used */
	m->in.pretend = false;
	put_link(m, "state/homes/evil", "/tmp");
	assert_int_equal(rename(at(m, "state/homes/evil"), m->spec->home_source), 0);
	resolve_fails(m, "is not a directory");
	m->in.home = HOME_EMPTY;
	assert_null(resolve(m)->home_source);
	assert_int_equal(m->spec->n_reads, 0);
}

/* A home that is reached through a link is the one it leads to, for everything. */
static void test_linked_home(void **state)
{
	struct machine *m = *state;
	char text[4096];

	put(m, "home/.ssh/id", "x");
	put_link(m, "users", ".");
	(void)snprintf(text, sizeof(text), "%s", at(m, "users/home"));
	m->in.user_home = text;
	m->in.home = HOME_HOST;
	(void)resolve(m);
	assert_string_equal(m->spec->home_path, m->home);
	assert_string_equal(env_of(m->spec, "HOME"), m->home);
	assert_true(strv_has(&m->spec->hidden, at(m, "home/.ssh")));
}

static void test_no_home(void **state)
{
	char *vars[] = { (char[]){ "HOME=relative" }, NULL };
	struct machine *m = *state;

	m->in.user_home = NULL;
	m->in.environ = vars;
	m->in.uid = 4000000000u;
	resolve_fails(m, "no home directory");
	m->in.uid = getuid();
	(void)resolve(m); /* from the password file */
	assert_true(m->spec->home_path[0] == '/');
}

/* ---- grants ------------------------------------------------------------- */

static void test_allow_write(void **state)
{
	struct machine *m = *state;
	const struct spec *s;

	put_dir(m, "data/in");
	put(m, "data/one.txt", "x");
	put_link(m, "data/link", at(m, "data/in"));
	arg(m, ARG_ALLOW_WRITE, at(m, "data/in"));
	s = resolve(m);
	assert_int_equal(s->n_roots, 2);
	assert_int_equal(root(s, at(m, "data/in"))->kind, ROOT_GRANT);
	assert_string_equal(root(s, at(m, "data/in"))->origin.file, "command line");
	assert_int_equal(judge(m, OP_CREATE, "data/in/x", FT_REG).err, 0);
	assert_int_equal(judge(m, OP_CREATE, "data/in/.env", FT_REG).err, EACCES);
	assert_int_equal(judge(m, OP_CREATE, "data/in/.vscode", FT_DIR).err, EACCES);
	assert_null(judge(m, OP_CREATE, "data/.env", FT_REG).rule); /* beside it: no rule of ours */
	arg(m, ARG_ALLOW_WRITE, at(m, "data/link"));
	assert_non_null(root(resolve(m), at(m, "data/in")));
	arg(m, ARG_ALLOW_WRITE, at(m, "data/one.txt"));
	assert_true(root(resolve(m), at(m, "data/one.txt"))->is_file);
	assert_int_equal(judge(m, OP_WRITE, "data/one.txt", FT_REG).err, 0);
	arg(m, ARG_ALLOW_WRITE, at(m, "data/absent"));
	resolve_fails(m, "does not exist");
	arg(m, ARG_ALLOW_WRITE, at(m, "data/*"));
	resolve_fails(m, "a wildcard cannot open");
	arg(m, ARG_ALLOW_WRITE, "/");
	resolve_fails(m, "whole machine");
	arg(m, ARG_ALLOW_WRITE, "/proc/self");
	resolve_fails(m, "machine's own interface");
	arg(m, ARG_ALLOW_WRITE, m->state);
	resolve_fails(m, "berm's own state");
	arg(m, ARG_ALLOW_WRITE, m->top);
	resolve_fails(m, "berm's own state");
	put_dir(m, "home/.ssh");
	arg(m, ARG_ALLOW_WRITE, at(m, "home/.ssh"));
	resolve_fails(m, "--unprotect secret-paths");
	assert_int_equal(mkfifo(at(m, "fifo"), 0600), 0);
	arg(m, ARG_ALLOW_WRITE, at(m, "fifo"));
	resolve_fails(m, "neither a directory nor a regular file");
}

/* A root inside another one stays at its path. */
static void test_nested_roots(void **state)
{
	struct machine *m = *state;

	put_dir(m, "data/a/inner");
	put_dir(m, "data/b");
	m->ws_list[0] = at(m, "data");
	m->ws_list[1] = at(m, "data/a/inner");
	m->in.n_workspaces = 2;
	(void)resolve(m);
	assert_int_equal(m->spec->n_roots, 2);
	assert_int_equal(judge_rename(m, "data/a", "data/c", FT_DIR).err, EBUSY);
	assert_int_equal(judge_rename(m, "data/b", "data/a", FT_DIR).err, EBUSY);
	assert_int_equal(judge_rename(m, "data/a/inner", "data/x", FT_DIR).err, EBUSY);
	assert_int_equal(judge_rename(m, "data/b", "data/c", FT_DIR).err, 0);
}

static void test_many_rules(void **state)
{
	_cleanup_buf_ struct buf b = BUF_INIT(1u << 20);
	struct machine *m = *state;

	buf_adds(&b, "{\"files\": {");
	for (unsigned i = 0; i < 12000; i++)
		buf_addf(&b, "%s\"f%u\": \"read\"", i ? "," : "", i);
	buf_adds(&b, "}}");
	put(m, "ws/.berm/policy.json", b.data);
	resolve_fails(m, "more than 10000 rules");
}

/* In a file that serves several machines what is absent is left out, and said. */
static void test_settings_write(void **state)
{
	struct machine *m = *state;
	char text[8192];
	const struct spec *s;

	put_dir(m, "data");
	put_dir(m, "runner");
	(void)snprintf(text, sizeof(text),
		       "{\"files\": {\"%s\": \"write\", \"%s/absent\": \"write\"},\n"
		       "\"runner_state_dirs\": [\"%s\"]}",
		       at(m, "data"), m->top, at(m, "runner"));
	put(m, "config/policy.json", text);
	m->in.mode = MODE_REVIEW;
	s = resolve(m);
	assert_true(root(s, at(m, "data"))->read_only);
	assert_false(root(s, at(m, "runner"))->read_only); /* in every mode */
	assert_int_equal(root(s, at(m, "runner"))->origin.line, 2);
	assert_true(has_note(s, "absent\" is skipped: it does not exist"));
	assert_int_equal(judge(m, OP_WRITE, "runner/x", FT_REG).err, 0);
	assert_int_equal(judge(m, OP_WRITE, "data/x", FT_REG).err, EROFS);
}

static void test_allow_read(void **state)
{
	struct machine *m = *state;

	put(m, "data/x", "x");
	put_link(m, "home/data", at(m, "data"));
	arg(m, ARG_ALLOW_READ, "~/data");
	(void)resolve(m);
	assert_string_equal(shown(m->spec, at(m, "home/data"))->source, at(m, "data"));
	assert_int_equal(judge(m, OP_READ, "home/data/x", FT_REG).err, 0);
	assert_int_equal(judge(m, OP_WRITE, "home/data/x", FT_REG).err, EROFS);
	arg(m, ARG_ALLOW_READ, at(m, "absent"));
	resolve_fails(m, "does not exist");
	arg(m, ARG_ALLOW_READ, at(m, "da*"));
	resolve_fails(m, "a wildcard cannot show");
	arg(m, ARG_ALLOW_READ, "/usr/share"); /* shown already */
	assert_null(shown(resolve(m), "/usr/share"));
	put(m, "home/.ssh/id", "x");
	arg(m, ARG_ALLOW_READ, "~/.ssh");
	resolve_fails(m, "--unprotect secret-paths");
	arg(m, ARG_ALLOW_READ, m->state);
	resolve_fails(m, "never be shown");
	/* a wider view keeps the secrets in it masked */
	put_dir(m, "home/docs");
	arg(m, ARG_ALLOW_READ, "~");
	(void)resolve(m);
	assert_true(strv_has(&m->spec->hidden, at(m, "home/.ssh")));
	assert_int_equal(judge(m, OP_READ, "home/.ssh/id", FT_REG).err, EACCES);
	assert_int_equal(judge(m, OP_READ, "home/docs", FT_DIR).err, 0);
}

static void test_unprotected_secret(void **state)
{
	const char *name = "~/.ssh";
	struct machine *m = *state;

	put(m, "home/.ssh/id", "x");
	put(m, "home/.aws/credentials", "x");
	arg(m, ARG_ALLOW_READ, "~");
	m->in.unprotect = &name;
	m->in.n_unprotect = 1;
	(void)resolve(m);
	assert_false(strv_has(&m->spec->hidden, at(m, "home/.ssh")));
	assert_true(strv_has(&m->spec->hidden, at(m, "home/.aws")));
	assert_true(has_note(m->spec, "protections lifted: ~/.ssh"));
}

/* ---- masks -------------------------------------------------------------- */

static void test_hidden(void **state)
{
	struct machine *m = *state;

	put(m, "home/.ssh/id", "x");
	put(m, "home/.netrc", "x");
	put(m, "home/jobs/notes", "x");
	put(m, "real/.aws/credentials", "x");
	put_link(m, "home/.aws", at(m, "real/.aws"));
	(void)resolve(m); /* a private home shows none of it */
	assert_false(strv_has(&m->spec->hidden, at(m, "home/.ssh")));
	m->in.home = HOME_HOST;
	(void)resolve(m);
	assert_true(strv_has(&m->spec->hidden, at(m, "home/.ssh")));
	assert_true(strv_has(&m->spec->hidden, at(m, "home/.netrc")));
	assert_true(strv_has(&m->spec->hidden, at(m, "home/.aws")));
	assert_false(strv_has(&m->spec->hidden, at(m, "home/.kube"))); /* absent */
	/* A mask holds for what was there at the start: the rest is judged at each open. */
	assert_true(m->spec->read_deny);
	arg(m, ARG_DENY_READ, "~/jobs/notes");
	(void)resolve(m);
	assert_true(strv_has(&m->spec->hidden, at(m, "home/jobs/notes")));
	assert_int_equal(judge(m, OP_READ, "home/jobs/notes", FT_REG).err, EACCES);
	arg(m, ARG_DENY_READ, "~/jobs/*");
	resolve_fails(m, "a wildcard hides files only in writable roots");
	arg(m, ARG_DENY_READ, "/etc/*.conf");
	resolve_fails(m, "a wildcard hides files only in writable roots");
	arg(m, ARG_DENY_READ, "/etc/hostname");
	(void)resolve(m);
	assert_true(strv_has(&m->spec->hidden, "/etc/hostname"));
	/* a tree that is shown under another name */
	put_link(m, "alias", m->home);
	arg(m, ARG_ALLOW_READ, at(m, "alias"));
	m->in.home = HOME_PRIVATE;
	(void)resolve(m);
	assert_true(strv_has(&m->spec->hidden, at(m, "alias/.ssh")));
	assert_int_equal(judge(m, OP_READ, "alias/.ssh/id", FT_REG).err, EACCES);
	m->in.home = HOME_HOST;
	/* both ends of a link */
	m->in.root = ROOT_HOST;
	m->in.n_args = 0;
	(void)resolve(m);
	assert_true(strv_has(&m->spec->hidden, at(m, "home/.aws")));
}

/* ---- both spellings ----------------------------------------------------- */

static void test_spellings(void **state)
{
	struct machine *m = *state;

	put_dir(m, "ws/real/deep");
	put_link(m, "ws/link", "real");
	put_link(m, "outside", at(m, "ws/real"));
	arg(m, ARG_DENY_WRITE, "link/deep");
	(void)resolve(m);
	assert_int_equal(judge(m, OP_WRITE, "ws/real/deep/x", FT_REG).err, EACCES);
	/* the link on the way cannot be replaced either */
	assert_int_equal(judge(m, OP_DELETE, "ws/link", FT_SYMLINK).err, EACCES);
	assert_int_equal(judge(m, OP_RENAME_FROM, "ws/link", FT_SYMLINK).err, EACCES);
	arg(m, ARG_DENY_WRITE, at(m, "outside/deep"));
	(void)resolve(m);
	assert_int_equal(judge(m, OP_WRITE, "ws/real/deep/x", FT_REG).err, EACCES);
	arg(m, ARG_DENY_WRITE,
	    "./link/"
	    "**"
	    "/x*");
	(void)resolve(m);
	assert_int_equal(judge(m, OP_WRITE, "ws/real/deep/xx", FT_REG).err, EACCES);
	assert_int_equal(judge(m, OP_WRITE, "ws/real/deep/y", FT_REG).err, 0);
	/* what does not exist stays as spelled, below what does */
	arg(m, ARG_DENY_WRITE, "link/new/file");
	(void)resolve(m);
	assert_int_equal(judge(m, OP_CREATE, "ws/real/new/file", FT_REG).err, EACCES);
	/* a name with wildcard characters that exists means itself, too */
	put(m, "ws/a[1].txt", "x");
	arg(m, ARG_DENY_WRITE, "a[1].txt");
	(void)resolve(m);
	assert_int_equal(judge(m, OP_WRITE, "ws/a[1].txt", FT_REG).err, EACCES);
	assert_int_equal(judge(m, OP_WRITE, "ws/a1.txt", FT_REG).err, EACCES);
}

/* Closed names that are links already. */
static void test_links(void **state)
{
	static const struct {
		enum file_op op;
		const char *path;
		enum file_type type;
		int err;
	} rows[] = {
		{ OP_WRITE, "ws/store/settings.json", FT_REG, EACCES },
		{ OP_CREATE, "ws/store/skills/x", FT_REG, EACCES },
		{ OP_CREATE, "ws/store/notes", FT_REG, 0 },
		{ OP_RENAME_FROM, "ws/store", FT_DIR, EACCES },
		{ OP_WRITE, "ws/dots/config.toml", FT_REG, EACCES },
		{ OP_WRITE, "ws/vars", FT_REG, EACCES },
		{ OP_DELETE, "ws/hop", FT_SYMLINK, EACCES },
		{ OP_WRITE, "ws/shared/tasks.json", FT_REG, EACCES },
		{ OP_WRITE, "ws/shared/other.json", FT_REG, 0 },
		{ OP_WRITE, "ws/h/pre-commit", FT_REG, EACCES },
		{ OP_WRITE, "ws/src/main.c", FT_REG, 0 },
		{ OP_WRITE, "ws/anything", FT_REG, 0 },
	};
	struct machine *m = *state;

	put_dir(m, "ws/store/skills");
	put_dir(m, "ws/dots");
	put_dir(m, "ws/h");
	put_dir(m, "ws/.git");
	put(m, "ws/vars", "x");
	put(m, "ws/shared/tasks.json", "x");
	put_dir(m, "ws/.vscode");
	put_link(m, "ws/.claude", "store");
	put_link(m, "ws/.codex", at(m, "ws/dots"));
	put_link(m, "ws/hop", "./vars");
	put_link(m, "ws/.env", "hop");
	put_link(m, "ws/.vscode/tasks.json", "../shared/tasks.json");
	put_link(m, "ws/.git/hooks", "../h");
	put_link(m, "ws/.idea", ".");	   /* the workspace itself: closes nothing more */
	put_link(m, "ws/.cursor", "/etc"); /* outside */
	put_link(m, "ws/.gemini", ".gemini");
	put_link(m, "ws/latest", "src"); /* an ordinary link */
	(void)resolve(m);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct verdict v = judge(m, rows[i].op, rows[i].path, rows[i].type);

		if (v.err != rows[i].err)
			fail_msg("%s %s: %d (%s)", file_op_action(rows[i].op), rows[i].path, v.err,
				 v.rule ? v.rule->text : "-");
	}
	assert_int_equal(judge(m, OP_READ, "ws/vars", FT_REG).err, 0);
	m->in.profile = "strict";
	(void)resolve(m);
	assert_int_equal(judge(m, OP_READ, "ws/vars", FT_REG).err, EACCES);
}

/* In a crowded directory too. */
static void test_links_crowded(void **state)
{
	struct machine *m = *state;
	char name[64];

	for (unsigned i = 0; i < 1500; i++) {
		(void)snprintf(name, sizeof(name), "ws/file%u", i);
		put(m, name, "");
	}
	put(m, "ws/vars", "x");
	put_link(m, "ws/.env", "vars");
	put_link(m, "ws/.mcp.json", "file3");
	(void)resolve(m);
	assert_int_equal(judge(m, OP_WRITE, "ws/vars", FT_REG).err, EACCES);
	assert_int_equal(judge(m, OP_WRITE, "ws/file3", FT_REG).err, EACCES);
	assert_int_equal(judge(m, OP_WRITE, "ws/file4", FT_REG).err, 0);
}

/* ---- protected paths ---------------------------------------------------- */

static void test_protected_paths(void **state)
{
	struct machine *m = *state;
	char text[4096];
	const struct spec *s;

	put_dir(m, "ws/original/src");
	put_dir(m, "checkout/sub");
	(void)snprintf(text, sizeof(text), "{\"protected_paths\": [\"%s\", \"%s\"]}",
		       at(m, "ws/original"), at(m, "checkout"));
	put(m, "config/policy.json", text);
	arg(m, ARG_ALLOW_WRITE, at(m, "ws/original/src"));
	s = resolve(m);
	assert_int_equal(judge(m, OP_WRITE, "ws/original/src/x", FT_REG).err, EACCES);
	assert_int_equal(judge(m, OP_RENAME_FROM, "ws/original", FT_DIR).err, EACCES);
	assert_int_equal(judge(m, OP_READ, "ws/original/src/x", FT_REG).err, 0);
	m->in.n_args = 0;
	m->ws_list[0] = at(m, "checkout/sub");
	s = resolve(m);
	assert_true(s->roots[0].read_only);
	assert_int_equal(judge(m, OP_CREATE, "checkout/sub/x", FT_REG).err, EROFS);
}

/* Rules above a workspace: its own grant is the more specific one, except for an
 * administrator's. */
static void test_rules_above(void **state)
{
	struct machine *m = *state;
	char text[4096];

	(void)snprintf(text, sizeof(text), "{\"files\": {\"%s\": \"none\"}}", m->top);
	put(m, "config/policy.json", text);
	(void)resolve(m);
	assert_int_equal(judge(m, OP_WRITE, "ws/x", FT_REG).err, 0);
	put(m, "etc/managed.json", text);
	(void)resolve(m);
	assert_int_equal(judge(m, OP_WRITE, "ws/x", FT_REG).err, EACCES);
	(void)snprintf(text, sizeof(text), "{\"files\": {\"%s\": \"read\"}}", m->ws);
	put(m, "etc/managed.json", text);
	(void)resolve(m);
	assert_int_equal(judge(m, OP_WRITE, "ws/x", FT_REG).err, EACCES);
	assert_int_equal(judge(m, OP_READ, "ws/x", FT_REG).err, 0);
}

/* ---- the repository ----------------------------------------------------- */

static void test_hooks_path(void **state)
{
	struct machine *m = *state;

	put(m, "ws/.git/config",
	    "[core]\n\thooksPath = .githooks\n[include]\n\tpath = ../extra.cfg\n"
	    "[filter \"x\"]\n\tclean = python3 tools/clean.py --all\n\tsmudge = cat\n"
	    "[alias]\n\tt = !make test src/main.c\n[core]\n\tfsmonitor = ./tools/mon\n"
	    "[diff \"y\"]\n\ttextconv = absent/prog\n");
	put(m, "ws/tools/clean.py", "x");
	put(m, "ws/tools/mon", "x");
	put(m, "ws/src/main.c", "x");
	(void)resolve(m);
	assert_int_equal(judge(m, OP_CREATE, "ws/.githooks/pre-commit", FT_REG).err, EACCES);
	assert_int_equal(judge(m, OP_RENAME_TO, "ws/.githooks", FT_DIR).err, EACCES);
	assert_int_equal(judge(m, OP_CREATE, "ws/extra.cfg", FT_REG).err, EACCES);
	assert_int_equal(judge(m, OP_WRITE, "ws/tools/clean.py", FT_REG).err, EACCES);
	assert_int_equal(judge(m, OP_RENAME_FROM, "ws/tools", FT_DIR).err, EACCES);
	assert_int_equal(judge(m, OP_WRITE, "ws/tools/mon", FT_REG).err, EACCES);
	assert_int_equal(judge(m, OP_WRITE, "ws/tools/other", FT_REG).err, 0);
	assert_int_equal(judge(m, OP_WRITE, "ws/src/main.c", FT_REG).err, 0);
	assert_string_equal(judge(m, OP_CREATE, "ws/.githooks/x", FT_REG).rule->origin.file,
			    at(m, "ws/.git/config"));
	assert_int_equal(judge(m, OP_CREATE, "ws/.githooks/x", FT_REG).rule->origin.line, 2);
	/* the user's own configuration holds for every repository */
	put(m, "ws/.git/config", "");
	put(m, "home/.gitconfig", "[core]\nhookspath=.hooks\n");
	put_dir(m, "ws/nested/.git");
	(void)resolve(m);
	assert_int_equal(judge(m, OP_CREATE, "ws/.hooks/x", FT_REG).err, EACCES);
	assert_int_equal(judge(m, OP_CREATE, "ws/nested/.hooks/x", FT_REG).err, EACCES);
	assert_int_equal(judge(m, OP_CREATE, "ws/plain/.hooks/x", FT_REG).err, 0);
	/* a hooksPath that is the whole workspace closes nothing */
	put(m, "ws/.git/config", "[core]\nhookspath=.\n");
	put(m, "home/.gitconfig", "");
	(void)resolve(m);
	assert_int_equal(judge(m, OP_CREATE, "ws/x", FT_REG).err, 0);
	put(m, "ws/.git/config", "[core\nbroken");
	(void)resolve(m);
}

static void make_worktree(struct machine *m)
{
	char text[4096];

	put(m, "main/.git/HEAD", "ref: refs/heads/main\n");
	put(m, "main/.git/config", "");
	put_dir(m, "main/.git/objects");
	put_dir(m, "main/.git/refs/heads");
	put_dir(m, "main/.git/hooks");
	put(m, "main/.git/worktrees/ws/commondir", "../..\n");
	(void)snprintf(text, sizeof(text), "%s/.git\n", m->ws);
	put(m, "main/.git/worktrees/ws/gitdir", text);
	(void)snprintf(text, sizeof(text), "gitdir: %s\n", at(m, "main/.git/worktrees/ws"));
	put(m, "ws/.git", text);
}

static void test_worktree(void **state)
{
	static const struct {
		const char *path;
		int err;
	} rows[] = {
		{ "main/.git/objects/ab/cdef", 0 },
		{ "main/.git/refs/heads/x", 0 },
		{ "main/.git/refs/heads/x.lock", 0 },
		{ "main/.git/logs/HEAD", 0 },
		{ "main/.git/packed-refs", 0 },
		{ "main/.git/packed-refs.lock", 0 },
		{ "main/.git/worktrees/ws/index", 0 },
		{ "main/.git/worktrees/ws/HEAD.lock", 0 },
		{ "main/.git/worktrees/other/HEAD", EACCES },
		{ "main/.git/HEAD", EACCES },
		{ "main/.git/index", EACCES },
		{ "main/.git/hooks/pre-commit", EACCES },
		{ "main/.git/description", EACCES },
		{ "main/.git/config", 0 }, /* judged by content */
	};
	struct machine *m = *state;
	const struct spec *s;

	make_worktree(m);
	s = resolve(m);
	assert_int_equal(s->n_roots, 2);
	assert_int_equal(root(s, at(m, "main/.git"))->kind, ROOT_GRANT);
	assert_string_equal(root(s, at(m, "main/.git"))->origin.file, at(m, "ws/.git"));
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct verdict v = judge(m, OP_CREATE, rows[i].path, FT_REG);

		if (v.err != rows[i].err)
			fail_msg("%s: %d (%s)", rows[i].path, v.err, v.rule ? v.rule->text : "-");
	}
	m->in.mode = MODE_PLAN;
	assert_true(root(resolve(m), at(m, "main/.git"))->read_only);
}

/* A pointer alone opens nothing. */
static void test_forged_pointers(void **state)
{
	struct machine *m = *state;
	char text[4096];

	make_worktree(m);
	put(m, "main/.git/worktrees/ws/gitdir", "/elsewhere/.git\n");
	assert_int_equal(resolve(m)->n_roots, 1);
	assert_true(has_note(m->spec, "does not lead back"));
	make_worktree(m);
	put(m, "main/.git/worktrees/ws/commondir", "../../..\n");
	assert_int_equal(resolve(m)->n_roots, 1);
	make_worktree(m);
	put(m, "main/.git/worktrees/ws/commondir", "/\n");
	assert_int_equal(resolve(m)->n_roots, 1);
	make_worktree(m);
	assert_int_equal(resolve(m)->n_roots, 2);
	assert_int_equal(chmod(at(m, "main/.git"), 0777), 0);
	assert_int_equal(resolve(m)->n_roots, 1);
	(void)snprintf(text, sizeof(text), "gitdir: %s\n", m->home);
	put(m, "ws/.git", text);
	assert_int_equal(resolve(m)->n_roots, 1);
	put(m, "ws/.git", "gitdir: /nowhere\n");
	assert_int_equal(resolve(m)->n_roots, 1);
	put(m, "ws/.git", "garbage");
	assert_int_equal(resolve(m)->n_roots, 1);
}

static void test_submodule(void **state)
{
	struct machine *m = *state;
	char text[4096];

	put(m, "super/.git/modules/sub/HEAD", "ref: refs/heads/main\n");
	(void)snprintf(text, sizeof(text), "[core]\n\tworktree = ../../../../ws\n");
	put(m, "super/.git/modules/sub/config", text);
	put(m, "ws/.git", "gitdir: ../super/.git/modules/sub\n");
	(void)resolve(m);
	assert_non_null(root(m->spec, at(m, "super/.git/modules/sub")));
	assert_null(root(m->spec, at(m, "super/.git")));
	put(m, "super/.git/modules/sub/config", "[core]\n\tworktree = ../../../../home\n");
	assert_int_equal(resolve(m)->n_roots, 1);
}

#define T(f) cmocka_unit_test_setup_teardown(f, up, down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_workspaces),	 T(test_odd_names),    T(test_bad_workspaces),
		T(test_private_home),	 T(test_no_home),      T(test_linked_home),
		T(test_allow_write),	 T(test_nested_roots), T(test_many_rules),
		T(test_settings_write),	 T(test_allow_read),   T(test_unprotected_secret),
		T(test_hidden),		 T(test_spellings),    T(test_protected_paths),
		T(test_rules_above),	 T(test_hooks_path),   T(test_worktree),
		T(test_forged_pointers), T(test_submodule),    T(test_links),
		T(test_links_crowded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

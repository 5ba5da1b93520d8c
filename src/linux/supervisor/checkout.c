/* SPDX-License-Identifier: Apache-2.0 */
/* Repositories that track protected files (.vscode/settings.json, .mcp.json, .env.test): a
 * clone, a checkout or a merge brings them along. Where somebody can be asked, that is one
 * question for the whole git command, not one for each file and not a work tree half done.
 *
 * Whatever the command can make the system's git write it could have written into a
 * repository first, so this allows nothing by itself: only the question is another one. What
 * needs no question is an empty directory: without it git gives up the rest of the tree. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/path.h"
#include "base/str.h"
#include "linux/supervisor/sup.h"

#define STAT_MAX 1024u
#define START_FIELD 20 /* of /proc/PID/stat, behind the name: proc_pid_stat(5), starttime */

/* Protected by name, where git may have a reason to write it. Never berm's own policy, which
 * nothing lifts, and no rule that somebody wrote. */
static bool concerns(const struct rule *rule)
{
	unsigned want = RULE_WRITES_ONLY | RULE_EXEMPT_DEPS;

	if (!rule || rule->layer != LAYER_BUILTIN || rule->exec != EXEC_UNSET ||
	    (rule->flags & want) != want)
		return false;
	return !(rule->flags & RULE_MANDATORY) || rule->protects;
}

static bool writable(const struct sup *s, const char *path)
{
	for (size_t i = 0; i < s->spec->n_roots; i++)
		if (path_within(path, s->spec->roots[i].path))
			return true;
	return false;
}

/* The system's own git: a program of that name where the command cannot write. */
static bool is_git(const struct sup *s, const struct task *t)
{
	static const char *const places[] = { "/usr", "/bin", "/opt", "/nix/store" };
	char exe[PATH_MAX];
	ssize_t n = readlinkat(t->proc, "exe", exe, sizeof(exe) - 1);
	const char *name;

	if (n <= 0)
		return false;
	exe[n] = '\0';
	name = strrchr(exe, '/');
	if (!name || (!streq(name, "/git") && !str_starts(name, "/git-")) || writable(s, exe))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		if (path_within(exe, places[i]))
			return true;
	return false;
}

/* Of the names that repositories have folders of: .vscode, .claude/skills, .husky. */
static bool holds_folders(const struct rule *rule)
{
	static const char *const groups[] = { "agent-settings", "editor-settings", "project-rc" };

	for (size_t i = 0; rule->protects && i < ARRAY_SIZE(groups); i++)
		if (streq(rule->protects, groups[i]))
			return true;
	return false;
}

/* When the process began, in ticks: with its id it names the process for good. 0: unknown. */
static uint64_t begin_of(const struct task *t)
{
	_cleanup_close_ int fd = openat(t->proc, "stat", O_RDONLY | O_CLOEXEC);
	char text[STAT_MAX];
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	char *p;

	if (n <= 0)
		return 0;
	text[n] = '\0';
	p = strrchr(text, ')'); /* the name may hold anything */
	for (int i = 0; p && i < START_FIELD; i++)
		p = strchr(p + 1, ' ');
	return p ? strtoull(p + 1, NULL, 10) : 0;
}

void checkout_judge(struct request *r, enum file_op op, enum file_type type, struct verdict *v)
{
	struct task *t;
	int ignored;

	r->git_begin = 0;
	if (v->decision != VERDICT_DENY || op == OP_READ || !concerns(v->rule))
		return;
	t = target_task(r, &ignored);
	if (!t || !is_git(r->sup, t))
		return;
	if (op == OP_CREATE && type == FT_DIR && holds_folders(v->rule)) {
		v->decision = VERDICT_ALLOW;
		return;
	}
	if (!ask_possible(r->sup))
		return;
	r->git_begin = begin_of(t);
	if (!r->git_begin)
		return;
	v->decision = VERDICT_ASK;
	v->reason = "git writes protected files as a repository has them; the answer holds for "
		    "all of this git command";
}

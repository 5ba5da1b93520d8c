/* SPDX-License-Identifier: Apache-2.0 */
#include "policy/net_build.h"
#include "policy/rules.h"

#include <string.h>
#include <sys/random.h>

#include "base/str.h"

static void free_list(char **v)
{
	for (size_t i = 0; v && v[i]; i++)
		free(v[i]);
	free(v);
}

struct spec *spec_new(struct berm_err *err)
{
	struct spec *s = calloc(1, sizeof(*s));
	uint64_t id;

	if (s)
		s->priv = calloc(1, sizeof(struct spec_priv));
	if (!s || !s->priv) {
		free(s);
		err_set(err, -ENOMEM, "out of memory");
		return NULL;
	}
	if (getrandom(&id, sizeof(id), 0) != (ssize_t)sizeof(id)) {
		err_errno(err, -errno, "cannot get random bytes for the session id");
		spec_free(s);
		return NULL;
	}
	snprintf(s->session, sizeof(s->session), "b-%016llx", (unsigned long long)id);
	return s;
}

void spec_free(struct spec *s)
{
	struct spec_priv *p;

	if (!s)
		return;
	p = s->priv;
	free(s->home_path);
	free(s->home_source);
	free(s->user_home);
	free(s->workdir);
	free(s->state_dir);
	for (size_t i = 0; i < s->n_roots; i++)
		free(s->roots[i].path);
	free(s->roots);
	for (size_t i = 0; i < s->n_reads; i++) {
		free(s->reads[i].path);
		free(s->reads[i].source);
	}
	free(s->reads);
	for (size_t i = 0; i < s->n_rules; i++) {
		pattern_free(s->rules[i]->pat);
		free(s->rules[i]);
	}
	free(s->rules);
	strv_free(&s->hidden);
	strv_free(&s->lifted);
	strv_free(&s->ignore_violations);
	strv_free(&s->notes);
	free_list(s->envp);
	free_list(s->argv);
	free(s->approver);
	free(s->guard.rules);
	free(s->guard.excluded);
	net_spec_free(&s->network);
	if (p) {
		free(p->groups);
		free(p->live);
		free(p->cwd);
		free(p->env_from);
		settings_list_free(&p->layers);
		strv_free(&p->strings);
		free(p);
	}
	free(s);
}

const char *file_op_action(enum file_op op)
{
	static const char *const names[OP_COUNT] = {
		[OP_READ] = "file-read",	  [OP_WRITE] = "file-write",
		[OP_CREATE] = "file-create",	  [OP_DELETE] = "file-delete",
		[OP_RENAME_FROM] = "file-rename", [OP_RENAME_TO] = "file-rename",
		[OP_META] = "file-metadata",	  [OP_EXEC] = "process-exec",
		[OP_LINK_FROM] = "file-link",
	};

	return (unsigned)op < OP_COUNT ? names[op] : "syscall";
}

const char *layer_name(enum layer l)
{
	static const char *const names[LAYER_COUNT] = {
		[LAYER_BUILTIN] = "built-in", [LAYER_USER] = "user",
		[LAYER_PROJECT] = "project",  [LAYER_LOCAL] = "local",
		[LAYER_CLI] = "command line", [LAYER_MANAGED] = "managed",
	};

	return (unsigned)l < LAYER_COUNT ? names[l] : "unknown";
}

const char *mode_name(enum mode m)
{
	static const char *const names[] = { "chat", "review", "plan", "orchestrate" };

	return (unsigned)m < ARRAY_SIZE(names) ? names[m] : "unknown";
}

const char *net_mode_name(enum net_mode m)
{
	static const char *const names[] = { "off", "allow", "open" };

	return (unsigned)m < ARRAY_SIZE(names) ? names[m] : "unknown";
}

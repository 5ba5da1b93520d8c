/* SPDX-License-Identifier: Apache-2.0 */
/* Variables whose value is certain, and the functions of the line.
 *
 * A value is certain where the assignment is known to have run and nothing else can have: in
 * straight text. What is assigned in a branch, a subshell or a pipeline is certain inside it and
 * not behind it; inside loops and functions nothing is. */
#include <string.h>

#include "base/str.h"
#include "shell/impl.h"

/* Whose value bash sets itself. */
static const char *const special[] = {
	"_",	    "COLUMNS",	  "COPROC",  "DIRSTACK",	"EUID",
	"FUNCNAME", "GROUPS",	  "HISTCMD", "LINENO",		"LINES",
	"MAPFILE",  "OLDPWD",	  "OPTARG",  "OPTERR",		"OPTIND",
	"PATH",	    "PIPESTATUS", "PPID",    "POSIXLY_CORRECT", "PWD",
	"RANDOM",   "REPLY",	  "SECONDS", "SHELLOPTS",	"SHLVL",
	"SRANDOM",  "UID",	  "HOME",
};

struct shell_name *name_find(struct shell_name *list, uint32_t n, const char *s, size_t len)
{
	for (uint32_t i = 0; i < n; i++)
		if (list[i].len == len && memcmp(list[i].name, s, len) == 0)
			return &list[i];
	return NULL;
}

const struct shell_name *var_known(const struct stream *st, const char *s, size_t len)
{
	struct reading *r = st->r;
	struct shell_name *v;

	if (r->vars_off || st->loops)
		return NULL;
	v = name_find(r->vars, r->n_vars, s, len);
	return v && v->known ? v : NULL;
}

static bool is_special(const char *s, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(special); i++)
		if (strlen(special[i]) == len && memcmp(special[i], s, len) == 0)
			return true;
	return (len >= 4 && memcmp(s, "BASH", 4) == 0) ||
	       (len >= 5 && memcmp(s, "EPOCH", 5) == 0) || (len >= 4 && memcmp(s, "COMP", 4) == 0);
}

void var_assign(struct stream *st, const struct shell_word *w)
{
	struct reading *r = st->r;
	const char *eq = memchr(w->text, '=', w->len);
	struct shell_name *v;
	size_t len;

	if (!eq)
		return;
	len = (size_t)(eq - w->text);
	for (size_t i = 0; i < len; i++)
		if (!is_name(w->text[i])) {
			/* a[i]=x, a+=x */
			r->vars_off = true;
			return;
		}
	/* How unquoted values are split. */
	if (len == 3 && memcmp(w->text, "IFS", 3) == 0)
		r->vars_off = true;
	if (is_special(w->text, len))
		return;
	v = name_find(r->vars, r->n_vars, w->text, len);
	if (!v) {
		if (r->n_vars == SHELL_MAX_NAMES) {
			r->vars_off = true;
			return;
		}
		v = &r->vars[r->n_vars++];
		v->name = w->text;
		v->len = (uint32_t)len;
	}
	v->value = eq + 1;
	v->value_len = w->len - (uint32_t)len - 1;
	v->known = !w->why && !w->many;
}

void var_mark(const struct reading *r, struct var_mark *ret)
{
	ret->n = r->n_vars;
	for (uint32_t i = 0; i < r->n_vars; i++) {
		ret->values[i] = r->vars[i].value;
		ret->known[i] = r->vars[i].known;
	}
}

void var_taint(struct reading *r, const struct var_mark *mark)
{
	for (uint32_t i = 0; i < r->n_vars; i++)
		if (i >= mark->n || mark->values[i] != r->vars[i].value)
			r->vars[i].known = false;
}

void func_define(struct reading *r, const char *s, size_t len)
{
	struct shell_name *f = name_find(r->funcs, r->n_funcs, s, len);

	if (f)
		return;
	if (r->n_funcs == SHELL_MAX_NAMES) {
		r->redefined = true;
		return;
	}
	f = &r->funcs[r->n_funcs++];
	f->name = shell_pool_text(r->pool, s, len);
	f->len = (uint32_t)len;
	if (!f->name)
		r->oom = true;
	if (!f->name)
		r->n_funcs--;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "policy/explain_impl.h"
#include "policy/explain.h"

#include <limits.h>

#include "base/json_out.h"
#include "base/str.h"
#include "policy/limits.h"

void out_text(struct buf *out, const char *s)
{
	char shown[4 * PATH_MAX + 1];

	str_escape(shown, sizeof(shown), s, strlen(s));
	buf_adds(out, shown);
}

void out_from(struct buf *out, const struct origin *o)
{
	buf_adds(out, "  [");
	out_text(out, o->file);
	if (o->line)
		buf_addf(out, ":%u", o->line);
	buf_adds(out, "]\n");
}

/* ---- text --------------------------------------------------------------- */

static void scalar(struct buf *out, const struct spec *s, const char *name, enum setting_key key,
		   const char *value)
{
	const struct spec_priv *p = s->priv;

	buf_addf(out, "  %-20s %s", name, value);
	out_from(out, &p->scalars[key].origin);
}

static void scalars(struct buf *out, const struct spec *s)
{
	buf_addf(out, "settings\n");
	scalar(out, s, "profile", SET_PROFILE, s->profile);
	scalar(out, s, "mode", SET_MODE, mode_name(s->mode));
	scalar(out, s, "root", SET_ROOT, root_name(s->root));
	scalar(out, s, "home", SET_HOME, home_name(s->home));
	scalar(out, s, "net", SET_NET, net_mode_name(s->net));
	scalar(out, s, "exec.deny_writable", SET_EXEC_DENY_WRITABLE,
	       s->exec_deny_writable ? "true" : "false");
	scalar(out, s, "terminal_filter", SET_TERMINAL_FILTER,
	       s->terminal_filter ? "true" : "false");
	scalar(out, s, "fail_if_unavailable", SET_FAIL_IF_UNAVAILABLE,
	       s->fail_if_unavailable ? "true" : "false");
}

static void trees(struct buf *out, const struct spec *s)
{
	buf_addf(out, "writable\n");
	for (size_t i = 0; i < s->n_roots; i++) {
		const struct writable_root *r = &s->roots[i];

		buf_adds(out, "  ");
		out_text(out, r->path);
		buf_addf(out, " (%s%s)", r->kind == ROOT_WORKSPACE ? "workspace" : "grant",
			 r->read_only ? ", read-only in this mode" : "");
		out_from(out, &r->origin);
	}
	if (s->n_reads)
		buf_addf(out, "shown, read-only\n");
	for (size_t i = 0; i < s->n_reads; i++) {
		buf_adds(out, "  ");
		out_text(out, s->reads[i].path);
		if (!streq(s->reads[i].path, s->reads[i].source)) {
			buf_adds(out, " from ");
			out_text(out, s->reads[i].source);
		}
		out_from(out, &s->reads[i].origin);
	}
	if (s->hidden.n)
		buf_addf(out, "masked\n");
	for (size_t i = 0; i < s->hidden.n; i++) {
		buf_adds(out, "  ");
		out_text(out, s->hidden.v[i]);
		buf_adds(out, "\n");
	}
	if (s->home_source && s->home == HOME_PRIVATE) {
		buf_adds(out, "private home\n  ");
		out_text(out, s->home_path);
		buf_adds(out, " is ");
		out_text(out, s->home_source);
		buf_adds(out, "\n");
	}
}

static void flag(struct buf *out, bool set, const char *word, bool *first)
{
	if (!set)
		return;
	buf_addf(out, "%s%s", *first ? " (" : ", ", word);
	*first = false;
}

static void rules(struct buf *out, const struct spec *s)
{
	buf_addf(out,
		 "rules, the strongest first\n"
		 "  (at roots: at the top of each writable tree and of each repository in it;\n"
		 "   no dependencies: not below folders such as node_modules)\n");
	for (size_t i = 0; i < s->n_rules; i++) {
		const struct rule *r = s->rules[i];
		bool first = true;

		buf_adds(out, "  ");
		out_text(out, r->text);
		flag(out, r->flags & RULE_LIFTED, "lifted", &first);
		flag(out, r->protects, r->protects, &first);
		flag(out, r->flags & RULE_AT_ROOTS,
		     "at the roots of writable trees and repositories", &first);
		flag(out, r->flags & RULE_EXEMPT_DEPS, "not below dependency folders", &first);
		buf_adds(out, first ? "" : ")");
		out_from(out, &r->origin);
	}
	if (s->read_deny)
		buf_addf(out,
			 "cost\n  a rule hides paths in a writable root: each open there is looked "
			 "at, about 10 to 20 microseconds more\n");
}

static void environment(struct buf *out, const struct spec *s)
{
	const struct spec_priv *p = s->priv;

	buf_addf(out, "environment\n");
	for (size_t i = 0; s->envp && s->envp[i]; i++) {
		char name[256];

		(void)snprintf(name, sizeof(name), "%.*s", (int)strcspn(s->envp[i], "="),
			       s->envp[i]);
		buf_adds(out, "  ");
		out_text(out, name);
		out_from(out, &p->env_from[i]);
	}
}

/* Another tool's keys that are not held as they stand. */
static void remarks(struct buf *out, const struct settings *set)
{
	for (size_t i = 0; i < set->remarks.n; i++) {
		if (str_starts(set->remarks.v[i], SETTINGS_NOTE))
			continue;
		buf_adds(out, "               line ");
		out_text(out, set->remarks.v[i]);
		buf_adds(out, "\n");
	}
}

static void rest(struct buf *out, const struct spec *s)
{
	const struct spec_priv *p = s->priv;

	buf_addf(out, "limits\n");
	for (enum limit_kind k = 0; k < LIMIT_COUNT; k++) {
		char text[32];

		if (s->limits[k].by == LIMIT_UNSET)
			continue;
		buf_addf(out, "  %s %s", limit_name(k),
			 limit_text(k, s->limits[k].value, text, sizeof(text)));
		out_from(out, &s->limits[k].from);
	}
	if (s->ignore_violations.n)
		buf_addf(out, "not reported\n");
	for (size_t i = 0; i < s->ignore_violations.n; i++) {
		buf_adds(out, "  ");
		out_text(out, s->ignore_violations.v[i]);
		buf_adds(out, "\n");
	}
	if (p->layers.n)
		buf_addf(out, "read, the weakest first\n");
	for (size_t i = 0; i < p->layers.n; i++) {
		const struct settings *set = &p->layers.v[i];

		if (set->closing)
			continue;
		buf_addf(out, "  %-12s ", layer_name(set->layer));
		out_text(out, set->file);
		buf_adds(out, set->trusted ? "\n" : "  not trusted: it only closes\n");
		for (size_t j = 0; j < set->n; j++)
			if (set->v[j].ignored)
				buf_addf(out, "               line %u is left out\n",
					 set->v[j].line);
		remarks(out, set);
	}
}

int explain_text(const struct spec *s, struct buf *out)
{
	scalars(out, s);
	trees(out, s);
	rules(out, s);
	explain_net_text(s, out);
	explain_guard_text(s, out);
	environment(out, s);
	rest(out, s);
	return out->failed ? -ENOMEM : 0;
}

/* ---- JSON --------------------------------------------------------------- */

static void quote(struct buf *out, const char *s)
{
	(void)json_quote(out, s, strlen(s));
}

/* The member begins a list of them or follows a comma that the caller wrote. */
void out_member(struct buf *out, const char *name, const char *value)
{
	struct buf one = BUF_INIT(32u * PATH_MAX);

	json_member_str(&one, name, value);
	if (one.failed)
		out->failed = true;
	else
		(void)buf_add(out, one.data, one.len);
	buf_free(&one);
}

void out_origin(struct buf *out, const struct origin *o)
{
	buf_adds(out, ",");
	out_member(out, "file", o->file);
	buf_addf(out, ",\"line\":%u}", o->line);
}

static void json_scalar(struct buf *out, const struct spec *s, const char *name,
			enum setting_key key, const char *value, bool quoted)
{
	const struct spec_priv *p = s->priv;

	buf_addf(out, "\"%s\":{\"value\":", name);
	if (quoted)
		quote(out, value);
	else
		buf_adds(out, value);
	out_origin(out, &p->scalars[key].origin);
	buf_adds(out, ",");
}

static void json_list(struct buf *out, const char *name, const struct strv *l)
{
	buf_addf(out, ",\"%s\":[", name);
	for (size_t i = 0; i < l->n; i++) {
		buf_adds(out, i ? "," : "");
		quote(out, l->v[i]);
	}
	buf_adds(out, "]");
}

static void json_scalars(struct buf *out, const struct spec *s)
{
	json_scalar(out, s, "profile", SET_PROFILE, s->profile, true);
	json_scalar(out, s, "mode", SET_MODE, mode_name(s->mode), true);
	json_scalar(out, s, "root", SET_ROOT, root_name(s->root), true);
	json_scalar(out, s, "home", SET_HOME, home_name(s->home), true);
	json_scalar(out, s, "net", SET_NET, net_mode_name(s->net), true);
	json_scalar(out, s, "exec_deny_writable", SET_EXEC_DENY_WRITABLE,
		    s->exec_deny_writable ? "true" : "false", false);
	json_scalar(out, s, "terminal_filter", SET_TERMINAL_FILTER,
		    s->terminal_filter ? "true" : "false", false);
	json_scalar(out, s, "fail_if_unavailable", SET_FAIL_IF_UNAVAILABLE,
		    s->fail_if_unavailable ? "true" : "false", false);
}

static void json_trees(struct buf *out, const struct spec *s)
{
	buf_adds(out, "\"writable\":[");
	for (size_t i = 0; i < s->n_roots; i++) {
		const struct writable_root *r = &s->roots[i];

		buf_addf(out, "%s{", i ? "," : "");
		out_member(out, "path", r->path);
		buf_addf(out, ",\"kind\":\"%s\",\"read_only\":%s,\"is_file\":%s",
			 r->kind == ROOT_WORKSPACE ? "workspace" : "grant",
			 r->read_only ? "true" : "false", r->is_file ? "true" : "false");
		out_origin(out, &r->origin);
	}
	buf_adds(out, "],\"shown\":[");
	for (size_t i = 0; i < s->n_reads; i++) {
		buf_addf(out, "%s{", i ? "," : "");
		out_member(out, "path", s->reads[i].path);
		buf_adds(out, ",");
		out_member(out, "source", s->reads[i].source);
		out_origin(out, &s->reads[i].origin);
	}
	buf_adds(out, "]");
}

static void json_rules(struct buf *out, const struct spec *s)
{
	buf_adds(out, ",\"rules\":[");
	for (size_t i = 0; i < s->n_rules; i++) {
		const struct rule *r = s->rules[i];

		buf_addf(out, "%s{", i ? "," : "");
		out_member(out, "rule", r->text);
		buf_adds(out, ",");
		out_member(out, "layer", layer_name(r->layer));
		if (r->protects) {
			buf_adds(out, ",");
			out_member(out, "protects", r->protects);
		}
		buf_addf(out, ",\"mandatory\":%s,\"lifted\":%s,\"at_roots\":%s,\"exempt_deps\":%s",
			 r->flags & RULE_MANDATORY ? "true" : "false",
			 r->flags & RULE_LIFTED ? "true" : "false",
			 r->flags & RULE_AT_ROOTS ? "true" : "false",
			 r->flags & RULE_EXEMPT_DEPS ? "true" : "false");
		out_origin(out, &r->origin);
	}
	buf_adds(out, "]");
}

static void json_environment(struct buf *out, const struct spec *s)
{
	const struct spec_priv *p = s->priv;
	bool none = true;

	buf_adds(out, ",\"environment\":[");
	for (size_t i = 0; s->envp && s->envp[i]; i++) {
		_cleanup_free_ char *name = strndup(s->envp[i], strcspn(s->envp[i], "="));

		buf_addf(out, "%s{", i ? "," : "");
		out_member(out, "name", name ? name : "");
		out_origin(out, &p->env_from[i]);
	}
	buf_adds(out, "],\"limits\":[");
	for (enum limit_kind k = 0; k < LIMIT_COUNT; k++) {
		if (s->limits[k].by == LIMIT_UNSET)
			continue;
		buf_addf(out, "%s{\"limit\":\"%s\",\"value\":", none ? "" : ",", limit_name(k));
		if (s->limits[k].value == LIMIT_NONE)
			buf_adds(out, "null");
		else
			buf_addf(out, "%llu", (unsigned long long)s->limits[k].value);
		out_origin(out, &s->limits[k].from);
		none = false;
	}
	buf_adds(out, "],\"layers\":[");
	for (size_t i = 0; i < p->layers.n; i++) {
		const struct settings *set = &p->layers.v[i];
		bool first = true;

		if (set->closing)
			continue;
		buf_addf(out, "%s{", i ? "," : "");
		out_member(out, "layer", layer_name(set->layer));
		buf_adds(out, ",");
		out_member(out, "file", set->file);
		buf_addf(out, ",\"trusted\":%s,\"left_out\":[", set->trusted ? "true" : "false");
		for (size_t j = 0; j < set->n; j++) {
			if (!set->v[j].ignored)
				continue;
			buf_addf(out, "%s%u", first ? "" : ",", set->v[j].line);
			first = false;
		}
		buf_adds(out, "]");
		json_list(out, "remarks", &set->remarks);
		buf_adds(out, "}");
	}
	buf_adds(out, "]");
}

int explain_json(const struct spec *s, struct buf *out)
{
	buf_adds(out, "{");
	json_scalars(out, s);
	json_trees(out, s);
	json_list(out, "masked", &s->hidden);
	buf_addf(out, ",\"reads_trapped\":%s", s->read_deny ? "true" : "false");
	json_rules(out, s);
	explain_net_json(s, out);
	explain_guard_json(s, out);
	json_environment(out, s);
	json_list(out, "lifted", &s->lifted);
	json_list(out, "ignore_violations", &s->ignore_violations);
	json_list(out, "notes", &s->notes);
	buf_adds(out, "}");
	return out->failed ? -ENOMEM : 0;
}

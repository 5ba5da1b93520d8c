/* SPDX-License-Identifier: Apache-2.0 */
/* Settings to spec. Lists go weakest layer first, so that what comes later
 * replaces. Two kinds of files may only tighten: a project's own until it is
 * trusted, and the managed ones always (what these open is a default). */
#include "policy/rules.h"
#include "policy/apply.h"

#include <string.h>

#include "base/path.h"
#include "base/str.h"
#include "policy/limits.h"
#include "policy/net_build.h"
#include "policy/places.h"

struct origin setting_origin(const struct settings *set, const struct setting *e)
{
	return (struct origin){ set->file, e->line };
}

/* ---- scalars ------------------------------------------------------------ */

static void imply(struct scalar *scalars, enum setting_key key, int value)
{
	const struct scalar *p = &scalars[SET_PROFILE];

	scalars[key] = (struct scalar){ .value = value,
					.layer = p->layer,
					.origin = p->origin,
					.implied = value,
					.implied_by = p->layer };
}

/* What the profile says about other values counts as written where it was chosen. */
static void profile_implies(struct scalar *scalars)
{
	const char *profile = profile_of_index(scalars[SET_PROFILE].value);
	bool terminal = streq(profile, "terminal");

	imply(scalars, SET_EXEC_DENY_WRITABLE, streq(profile, "strict"));
	imply(scalars, SET_HOME, terminal ? HOME_HOST : HOME_PRIVATE);
	imply(scalars, SET_NET, terminal ? NET_OPEN : NET_ALLOW);
}

static void take_scalar(struct scalar *sc, const struct settings *set, struct setting *e,
			const char *file)
{
	int value = setting_value(e), strict = setting_strictness(e->key, value);
	bool looser = strict < setting_strictness(e->key, sc->value);

	if (!set->trusted && (looser || setting_leads_elsewhere(e->key))) {
		e->ignored = true;
		return;
	}
	if (looser && set->layer == LAYER_MANAGED)
		return;
	/* A profile chosen by a stronger layer is not hollowed out by a weaker one. */
	if (set->layer < sc->implied_by && strict < setting_strictness(e->key, sc->implied))
		return;
	sc->value = value;
	sc->layer = set->layer;
	sc->origin = (struct origin){ file, e->line };
}

/* One file's scalars: the profile alone, or the others. */
static int apply_file_scalars(struct spec *s, struct settings *set, bool profile)
{
	struct spec_priv *p = s->priv;
	const char *file = spec_string(s, set->file);

	if (!file)
		return -ENOMEM;
	for (size_t i = 0; i < set->n; i++) {
		struct setting *e = &set->v[i];

		if (setting_is_scalar(e->key) && (e->key == SET_PROFILE) == profile)
			take_scalar(&p->scalars[e->key], set, e, file);
	}
	return 0;
}

int apply_scalars(struct spec *s, struct settings_list *l, struct berm_err *err)
{
	struct spec_priv *p = s->priv;

	for (int k = 0; k < SET_COUNT; k++)
		p->scalars[k] =
			(struct scalar){ .layer = LAYER_BUILTIN, .origin = { "built-in", 0 } };
	p->scalars[SET_PROFILE].value = profile_index("agent");
	p->scalars[SET_FAIL_IF_UNAVAILABLE].value = 1;
	p->scalars[SET_TERMINAL_FILTER].value = 1;
	p->scalars[SET_SANDBOX].value = 1;
	p->scalars[SET_AUTO_ALLOW].value = 1;
	p->scalars[SET_ALLOW_UNSANDBOXED].value = 1;
	p->scalars[SET_AUTONOMY].value = AUTONOMY_ASK;
	p->scalars[SET_TEMPLATE].value = TEMPLATE_DEFAULT;
	p->scalars[SET_NET_DEFAULT].value = VERDICT_ASK;
	p->scalars[SET_NET_PROXY_ENV].value = 1;
	p->scalars[SET_NET_ASK_SECONDS].value = NET_ASK_SECONDS;
	for (int profile = 1; profile >= 0; profile--) {
		for (size_t i = 0; i < l->n; i++)
			if (apply_file_scalars(s, &l->v[i], profile) < 0)
				return err_set(err, -ENOMEM, "out of memory");
		if (profile)
			profile_implies(p->scalars);
	}
	s->profile = profile_of_index(p->scalars[SET_PROFILE].value);
	s->mode = (enum mode)p->scalars[SET_MODE].value;
	s->root = (enum root_view)p->scalars[SET_ROOT].value;
	s->home = (enum home_view)p->scalars[SET_HOME].value;
	/* Where only the administrator's hosts count, not all of them do. */
	if (p->scalars[SET_NET_MANAGED_ONLY].value && p->scalars[SET_NET].value == NET_OPEN) {
		p->scalars[SET_NET] = p->scalars[SET_NET_MANAGED_ONLY];
		p->scalars[SET_NET].value = NET_ALLOW;
	}
	s->net = (enum net_mode)p->scalars[SET_NET].value;
	s->terminal_filter = p->scalars[SET_TERMINAL_FILTER].value;
	s->fail_if_unavailable = p->scalars[SET_FAIL_IF_UNAVAILABLE].value;
	s->exec_deny_writable = p->scalars[SET_EXEC_DENY_WRITABLE].value;
	for (size_t i = 0; i < s->n_roots; i++)
		s->roots[i].read_only = s->mode != MODE_CHAT;
	if (net_groups_resolve(s, l) < 0)
		return err_set(err, -ENOMEM, "out of memory");
	return 0;
}

void apply_force(struct spec *s, const char *by)
{
	static const struct {
		enum setting_key key;
		int value;
	} t[] = { { SET_SANDBOX, 1 },
		  { SET_FAIL_IF_UNAVAILABLE, 1 },
		  { SET_ALLOW_UNSANDBOXED, 0 } };
	struct spec_priv *p = s->priv;

	for (size_t i = 0; i < ARRAY_SIZE(t); i++)
		p->scalars[t[i].key] = (struct scalar){ .value = t[i].value,
							.layer = LAYER_CLI,
							.origin = { by, 0 } };
	s->fail_if_unavailable = true;
}

/* ---- unprotect ---------------------------------------------------------- */

static const char *const protections[] = { "agent-settings",
					   "autostart",
					   "editor-settings",
					   "git-config",
					   "git-hooks",
					   "git-user-config",
					   "project-rc",
					   "secret-paths",
					   "shell-rc",
					   "tool-rc",
					   NULL };

const char *const *policy_protection_names(void)
{
	return protections;
}

bool protection_known(const char *name)
{
	for (size_t i = 0; protections[i]; i++)
		if (streq(protections[i], name))
			return true;
	return false;
}

static int unknown_protection(const char *where, const char *name, struct berm_err *err)
{
	const char *near = NULL;
	unsigned best = 4;

	for (size_t i = 0; protections[i]; i++) {
		unsigned d = str_distance(name, protections[i], 3);

		if (d < best) {
			best = d;
			near = protections[i];
		}
	}
	err_set(err, -EINVAL, "%s: \"%s\" is no protection that can be lifted", where, name);
	if (near)
		err_fix(err, "did you mean \"%s\"?", near);
	else
		err_fix(err, "a name that \"berm explain\" shows, or a path such as ./.vscode");
	return -EINVAL;
}

static int apply_unprotect(struct spec *s, const struct settings *set, struct setting *e,
			   struct berm_err *err)
{
	struct rule_def def = { .pattern = e->name,
				.base = setting_base(set, e),
				.access = ACCESS_WRITE,
				.layer = set->layer,
				.flags = RULE_LIFTS,
				.origin = setting_origin(set, e) };
	char where[512];

	origin_text(&def.origin, where, sizeof(where));
	if (set->layer == LAYER_PROJECT || set->layer == LAYER_LOCAL) {
		e->ignored = true;
		return 0;
	}
	if (protection_known(e->name)) {
		if (!strv_has(&s->lifted, e->name) && strv_add(&s->lifted, e->name) < 0)
			return err_set(err, -ENOMEM, "out of memory");
		return 0;
	}
	if (!strpbrk(e->name, "/*.~"))
		return unknown_protection(where, e->name, err);
	if (strv_add(&s->lifted, e->name) < 0)
		return err_set(err, -ENOMEM, "out of memory");
	return add_both_spellings(s, &def, err);
}

/* ---- the rest ----------------------------------------------------------- */

static int apply_exec(struct spec *s, const struct settings *set, const struct setting *e,
		      struct berm_err *err)
{
	struct rule_def def = { .pattern = e->name,
				.base = setting_base(set, e),
				.access = ACCESS_READ,
				.exec = (enum exec_rule)e->number,
				.layer = set->layer,
				.origin = setting_origin(set, e) };

	return add_both_spellings(s, &def, err);
}

static int apply_limit(struct spec *s, const struct settings *set, const struct setting *e,
		       struct berm_err *err)
{
	bool tighten = !set->trusted || set->layer == LAYER_MANAGED;
	struct origin from = { spec_string(s, set->file), e->line };
	enum limit_kind kind;
	struct limit *l;
	uint64_t value;
	int r;

	r = limit_parse(e->name, e->value, &kind, &value, err);
	if (r < 0)
		return r;
	if (!from.file)
		return err_set(err, -ENOMEM, "out of memory");
	l = &s->limits[kind];
	if (!tighten || value < (l->by == LIMIT_UNSET ? LIMIT_NONE : l->value))
		*l = (struct limit){ .by = LIMIT_SAID, .value = value, .from = from };
	return 0;
}

int apply_entry(struct spec *s, const struct settings *set, struct setting *e, struct berm_err *err)
{
	int r = 0;

	if (!set->trusted && setting_opens(e)) {
		e->ignored = true;
		return 0;
	}
	switch (e->key) {
	case SET_FILE:
		return apply_file(s, set, e, err);
	case SET_EXEC_RULE:
		return apply_exec(s, set, e, err);
	case SET_UNPROTECT:
		return apply_unprotect(s, set, e, err);
	case SET_PROTECTED_PATH:
		return apply_protected_path(s, set, e, err);
	case SET_STATE_DIR:
		return apply_state_dir(s, set, e, err);
	case SET_LIMIT:
		return apply_limit(s, set, e, err);
	case SET_IGNORE_VIOLATION:
		r = strv_add(&s->ignore_violations, e->name);
		break;
	default:
		break;
	}
	return r < 0 ? err_set(err, r, "out of memory") : 0;
}

static int note_ignored(struct spec *s, const struct settings *set)
{
	_cleanup_free_ char *note = NULL;
	const char *base = set->base ? set->base : set->file;
	size_t n = 0;

	for (size_t i = 0; i < set->n; i++)
		n += set->v[i].ignored;
	if (!n)
		return 0;
	if (set->trusted)
		note = str_printf(
			"%s: %zu entr%s ignored: \"unprotect\" counts only on the command "
			"line, in the user's and in managed settings",
			set->file, n, n == 1 ? "y" : "ies");
	else
		note = str_printf("%s: %zu entr%s that would open something ignored until you run: "
				  "berm trust %s%s%s%s",
				  set->file, n, n == 1 ? "y" : "ies",
				  set->format ? "--settings " : "", set->format ? set->format : "",
				  set->format ? " " : "", base);
	return note ? strv_add(&s->notes, note) : -ENOMEM;
}

/* What a file of another tool says and berm does not hold: the rest is for explain. */
static int note_remarks(struct spec *s, const struct settings *set)
{
	_cleanup_free_ char *note = NULL;
	size_t n = 0;

	for (size_t i = 0; i < set->remarks.n; i++) {
		const char *text = set->remarks.v[i];

		if (str_starts(text, SETTINGS_NOTE)) {
			if (strv_add(&s->notes, text + strlen(SETTINGS_NOTE)) < 0)
				return -ENOMEM;
			continue;
		}
		n += strstr(text, "not enforceable") != NULL;
	}
	if (!n)
		return 0;
	note = str_printf("%s: %zu entr%s not held as written: berm explain --settings %s",
			  set->file, n, n == 1 ? "y is" : "ies are", set->format);
	return note ? strv_add(&s->notes, note) : -ENOMEM;
}

static int note_lifted(struct spec *s)
{
	_cleanup_buf_ struct buf b = BUF_INIT(1u << 16);

	if (!s->lifted.n)
		return 0;
	for (size_t i = 0; i < s->lifted.n; i++)
		buf_addf(&b, "%s%s", i ? ", " : "protections lifted: ", s->lifted.v[i]);
	return b.failed ? -ENOMEM : strv_add(&s->notes, b.data);
}

int apply_rules(struct spec *s, const struct policy_input *in, struct settings_list *l,
		struct berm_err *err)
{
	limits_default(s);
	for (size_t i = 0; i < l->n; i++) {
		for (size_t j = 0; j < l->v[i].n; j++) {
			int r = apply_entry(s, &l->v[i], &l->v[i].v[j], err);

			if (r < 0)
				return r;
		}
		if (note_ignored(s, &l->v[i]) < 0 || note_remarks(s, &l->v[i]) < 0)
			return err_set(err, -ENOMEM, "out of memory");
	}
	if (note_lifted(s) < 0)
		return err_set(err, -ENOMEM, "out of memory");
	return apply_guard(s, l, err);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Writing the guard's rules: into the user's file, or this workspace's local one. */
#include "cli/rules_cli.h"

#include <fcntl.h>
#include <string.h>
#include <time.h>

#include "base/fd.h"
#include "cli/cli.h"
#include "policy/json.h"
#include "policy/layers.h"
#include "policy/places.h"
#include "policy/settings.h"
#include "policy/trust.h"
#include "session/settings_write.h"

static void rule_freep(struct guard_rule **r)
{
	guard_rule_free(*r);
}

/* ---- expiry ------------------------------------------------------------- */

int rules_expiry(const char *text, int64_t *ret, struct berm_err *err)
{
	static const struct {
		char unit;
		long seconds;
	} units[] = { { 's', 1 }, { 'm', 60 }, { 'h', 3600 }, { 'd', 86400 }, { 'w', 604800 } };
	struct tm tm = { 0 };
	char *end;
	long n;

	errno = 0;
	n = strtol(text, &end, 10);
	for (size_t i = 0; i < ARRAY_SIZE(units) && !errno && end > text; i++) {
		if (*end != units[i].unit || end[1] || n <= 0 || n > 1000000)
			continue;
		*ret = time(NULL) + n * units[i].seconds;
		return 0;
	}
	end = strptime(text, "%Y-%m-%dT%H:%M:%SZ", &tm);
	*ret = end && !*end ? timegm(&tm) : -1;
	if (*ret > 0)
		return 0;
	(void)err_set(err, -EINVAL, "--expires \"%s\" is no time", text);
	err_fix(err, "30m, 12h, 7d, or 2030-12-31T23:59:59Z");
	return -EINVAL;
}

/* ---- the rule ----------------------------------------------------------- */

static int move_list(struct strv *to, const struct strv *from)
{
	for (size_t i = 0; i < from->n; i++)
		if (strv_add(to, from->v[i]) < 0)
			return -ENOMEM;
	return 0;
}

static int fill(struct guard_rule *r, const struct rules_opts *o, const char *subject,
		struct berm_err *err)
{
	if (o->pattern) {
		r->subject = GUARD_PATTERN;
		r->pattern = strdup(subject);
	} else if (effect_parse(subject, strlen(subject), &r->effect)) {
		r->subject = GUARD_EFFECT;
	} else {
		int res;

		r->subject = GUARD_PREFIX;
		res = guard_words_parse(subject, &r->words, err);
		if (res < 0)
			return res;
	}
	r->enforcement = (enum guard_enforcement)o->enforcement;
	r->anywhere = o->anywhere;
	r->expires = o->expires;
	r->why = o->why ? strdup(o->why) : NULL;
	r->limits.max_count = o->limits.max_count;
	r->limits.max_cents = o->limits.max_cents;
	if ((o->pattern && !r->pattern) || (o->why && !r->why) ||
	    move_list(&r->limits.paths, &o->limits.paths) < 0 ||
	    move_list(&r->limits.refs, &o->limits.refs) < 0 ||
	    move_list(&r->limits.hosts, &o->limits.hosts) < 0 ||
	    move_list(&r->limits.commands, &o->limits.commands) < 0)
		return err_set(err, -ENOMEM, "out of memory");
	return 0;
}

/* As the settings would have it: read back by their own parser, so that what is written is
 * never refused later. */
static int check_json(const char *rule, struct berm_err *err)
{
	_cleanup_free_ char *text = str_printf("{\"guard\":{\"rules\":[%s]}}", rule);
	struct settings s = { .file = strdup("the rule"), .trusted = true };
	int r;

	if (!text || !s.file)
		r = err_set(err, -ENOMEM, "out of memory");
	else
		r = settings_parse(&s, text, strlen(text), err);
	settings_free(&s);
	return r;
}

/* ---- the file ----------------------------------------------------------- */

struct place {
	char *dir;
	const char *rel;
	bool local;
};

static int find_place(const struct rules_opts *o, const struct guard_setup *s,
		      const struct policy_input *in, struct place *ret, struct berm_err *err)
{
	ret->local = o->local;
	ret->rel = o->local ? LOCAL_FILE : "policy.json";
	if (o->local && !s->spec->n_roots)
		return err_set(err, -ENOENT, "there is no workspace here");
	ret->dir =
		o->local ? strdup(s->spec->roots[0].path) : user_config_dir(in, s->spec->user_home);
	return ret->dir ? 0 : err_set(err, -ENOMEM, "out of memory");
}

/* A local file counts when this very content is trusted (policy/trust.h): what was not must
 * not become so together with a rule. */
static int look_at_trust(const struct policy_input *in, const struct place *p, struct berm_err *err)
{
	struct trust_subject t = { 0 };
	int r = p->local ? trust_look(in, p->dir, true, &t, err) : -ENOENT;

	if (r >= 0 && !t.trusted) {
		r = err_set(err, -EPERM, "%s/%s is not trusted", p->dir, p->rel);
		err_fix(err, "look at it and run: berm trust %s; or write the rule with --user",
			p->dir);
	}
	trust_subject_free(&t);
	return r == -ENOENT ? 0 : r;
}

static int renew_trust(const struct policy_input *in, const struct place *p, struct berm_err *err)
{
	struct trust_subject t = { 0 };
	int r = p->local ? trust_look(in, p->dir, true, &t, err) : 0;

	if (p->local && r >= 0)
		r = trust_record(in, &t, err);
	trust_subject_free(&t);
	return r;
}

static int change(const struct rules_opts *o, const struct guard_setup *s,
		  const struct jsonc_change *c, struct berm_err *err)
{
	struct place p = { 0 };
	struct policy_input in;
	int r, done = 0;

	run_opts_input(&o->run, NULL, &in);
	in.pretend = false;
	r = find_place(o, s, &in, &p, err);
	/* ~/.config may not be there either. */
	if (r >= 0 && !p.local && make_dirs(p.dir, 0700) < 0)
		r = err_errno(err, -errno, "cannot make %s", p.dir);
	if (r >= 0)
		r = look_at_trust(&in, &p, err);
	if (r >= 0)
		r = done = settings_write(p.dir, p.rel, c, err);
	if (r >= 0)
		r = renew_trust(&in, &p, err);
	if (r >= 0)
		(void)printf("%s: %s/%s\n",
			     done ? (c->remove ? "was not there" : "was there already")
				  : (c->remove ? "taken out of" : "written to"),
			     p.dir, p.rel);
	free(p.dir);
	return r;
}

/* ---- add ---------------------------------------------------------------- */

int rules_add(struct rules_opts *o, const char *decision, const char *subject)
{
	_cleanup_(rule_freep) struct guard_rule *r = NULL;
	_cleanup_setup_ struct guard_setup s = { 0 };
	_cleanup_buf_ struct buf json = BUF_INIT(1u << 20);
	struct jsonc_change c = { .path = { "guard", "rules" } };
	struct berm_err err = { 0 };
	int d = guard_decision_parse(decision);

	if (d < 0) {
		(void)err_set(&err, -EINVAL, "\"%s\" is no decision", decision);
		err_fix(&err, "one of: allow, ask, deny");
		return cli_fail(&err);
	}
	r = guard_rule_new(GUARD_EFFECT, (enum decision)d);
	if (!r) {
		(void)err_set(&err, -ENOMEM, "out of memory");
		return cli_fail(&err);
	}
	if (fill(r, o, subject, &err) < 0)
		return cli_fail(&err);
	if (guard_rule_json(r, &json) < 0) {
		(void)err_set(&err, -E2BIG, "the rule is too long");
		return cli_fail(&err);
	}
	c.json = json.data;
	if (check_json(json.data, &err) < 0 || guard_setup_make(&o->run, &s, &err) < 0 ||
	    change(o, &s, &c, &err) < 0)
		return cli_fail(&err);
	return cli_finish(0);
}

/* ---- rm ----------------------------------------------------------------- */

static const struct guard_rule *find(const struct guard_setup *s, const char *id)
{
	for (size_t i = 0; i < s->policy.n_rules; i++) {
		char has[RULE_ID_SIZE];

		if (rules_id(s->policy.rules[i], has) >= 0 && streq(has, id))
			return s->policy.rules[i];
	}
	return NULL;
}

/* Is the rule one of the file that --user or --local says? Which of the two is taken from
 * where it is written, unless an option says. */
static int choose_file(struct rules_opts *o, const struct guard_rule *r, struct berm_err *err)
{
	if (r->layer == LAYER_LOCAL && !o->user)
		o->local = true;
	if ((r->layer == LAYER_USER && !o->local) || (r->layer == LAYER_LOCAL && o->local))
		return 0;
	(void)err_set(err, -EPERM, "the rule is of %s (%s)", r->origin.file, layer_name(r->layer));
	err_fix(err, "berm changes only your own and the local file; edit that one by hand");
	return -EPERM;
}

/* The element of the file that the rule was read from, as it is there. */
static int element_of(const struct guard_rule *r, struct buf *out, struct berm_err *err)
{
	_cleanup_free_ char *text = NULL;
	struct json_doc *doc = NULL;
	const json_t *list;
	size_t len;
	char *dump = NULL;
	int res = fd_read_file(AT_FDCWD, r->origin.file, JSON_FILE_MAX, &text, &len);

	if (res < 0)
		return err_errno(err, res, "cannot read %s", r->origin.file);
	res = json_doc_parse(r->origin.file, text, len, &doc, err);
	if (res < 0)
		return res;
	list = json_object_get(json_object_get(doc->root, "guard"), "rules");
	for (size_t i = 0; i < json_array_size(list) && !dump; i++) {
		const json_t *v = json_array_get(list, i);
		struct settings one = { .file = strdup(r->origin.file), .trusted = true };
		char id[RULE_ID_SIZE], want[RULE_ID_SIZE];
		_cleanup_free_ char *json = json_dumps(v, JSON_COMPACT);
		_cleanup_free_ char *whole =
			json ? str_printf("{\"guard\":{\"rules\":[%s]}}", json) : NULL;

		if (one.file && whole && settings_parse(&one, whole, strlen(whole), err) >= 0 &&
		    one.n == 1) {
			one.v[0].rule->origin = (struct origin){ r->origin.file, 0 };
			if (rules_id(one.v[0].rule, id) >= 0 && rules_id(r, want) >= 0 &&
			    streq(id, want))
				dump = take_ptr(json);
		}
		settings_free(&one);
	}
	json_doc_free(doc);
	if (!dump)
		return err_set(err, -ENOENT, "%s has changed meanwhile", r->origin.file);
	res = buf_adds(out, dump);
	free(dump);
	return res < 0 ? err_set(err, res, "out of memory") : 0;
}

int rules_rm(struct rules_opts *o, const char *id)
{
	_cleanup_setup_ struct guard_setup s = { 0 };
	_cleanup_buf_ struct buf json = BUF_INIT(1u << 20);
	struct jsonc_change c = { .path = { "guard", "rules" }, .remove = true };
	const struct guard_rule *r;
	struct berm_err err = { 0 };

	if (guard_setup_make(&o->run, &s, &err) < 0)
		return cli_fail(&err);
	r = find(&s, id);
	if (!r) {
		(void)err_set(&err, -ENOENT, "there is no rule %s", id);
		err_fix(&err, "berm rules list shows them");
		return cli_fail(&err);
	}
	if (choose_file(o, r, &err) < 0 || element_of(r, &json, &err) < 0)
		return cli_fail(&err);
	c.json = json.data;
	if (change(o, &s, &c, &err) < 0)
		return cli_fail(&err);
	return cli_finish(0);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* spec_judge(): the one function that decides on files.
 *
 * Rules are looked at in their order; the first that has something to say
 * decides. A rule that closes a path also speaks about the path's ancestors: what
 * would carry the closed path away, or put something else in its place, is
 * refused there (a rename, a symlink), while a plain mkdir is not. So by induction
 * the ancestors of a closed path are real directories that were made in place, and
 * no lock against concurrent renames is needed.
 *
 * A directory that moves takes along what is below it. Where names below it were
 * allowed only by where they lay (a dependency folder, a folder opened by a rule),
 * moving it elsewhere is EXDEV: mv(1) then copies, and each name is judged. */
#include "policy/rules.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/path.h"
#include "base/str.h"
#include "policy/places.h"

enum hit { HIT_NO, HIT_WILD_ABOVE, HIT_ABOVE, HIT_MATCH };

struct judging {
	const struct spec *s;
	const struct file_query *q;
	const struct path_parts *pp;
	const struct writable_root *root;
	unsigned root_n; /* components of the root's own path */
	unsigned dep;	 /* index of the first dependency folder above the last component,
			  * pp->n when there is none; UINT_MAX: not known yet */
};

static bool is_write(enum file_op op)
{
	return op != OP_READ && op != OP_EXEC;
}

static void allow(struct verdict *v, const struct rule *r, const char *reason)
{
	*v = (struct verdict){ VERDICT_ALLOW, r, 0, reason };
}

static void deny(struct verdict *v, const struct rule *r, int err, const char *reason)
{
	*v = (struct verdict){ VERDICT_DENY, r, err, reason };
}

static void sign(const struct path_parts *pp, struct signature *ret)
{
	*ret = (struct signature){ 0 };
	for (unsigned i = 0; i < pp->n; i++) {
		const char *c = pp->path + pp->at[i];
		size_t len = pp->len[i];

		ret->name |= 1ull << name_hash(c, len);
		ret->first |= 1ull << name_hash(c, 1);
		ret->last |= 1ull << name_hash(c + len - 1, 1);
	}
}

static bool may_concern(const struct rule_live *l, const struct signature *sig)
{
	switch (l->kind) {
	case SIG_NAME:
		return sig->name & l->bit;
	case SIG_FIRST:
		return sig->first & l->bit;
	case SIG_LAST:
		return sig->last & l->bit;
	case SIG_ALWAYS:
		break;
	}
	return true;
}

/* ---- where a rule applies ----------------------------------------------- */

static unsigned dependency_at(struct judging *j)
{
	if (j->dep != UINT_MAX)
		return j->dep;
	j->dep = j->pp->n;
	for (unsigned i = j->root_n; i + 1 < j->pp->n; i++) {
		if (is_dependency_dir(j->s, j->pp->path + j->pp->at[i], j->pp->len[i])) {
			j->dep = i;
			break;
		}
	}
	return j->dep;
}

/* Is the directory that holds component i a writable root or a repository's root?
 * Without facts it may be one. */
static bool is_top(const struct judging *j, unsigned i)
{
	const struct dir_facts *f = j->q->facts;
	unsigned up = j->pp->n - 1 - i;
	enum file_type t;

	if (i == j->root_n)
		return true;
	if (!f)
		return true;
	if (up == 0)
		t = f->entry ? f->entry(f->ctx, ".git") : FT_DIR;
	else
		t = f->entry_above ? f->entry_above(f->ctx, up, ".git") : FT_DIR;
	return t != FT_NONE;
}

static enum hit hit_span(const struct rule *r, const struct path_parts *pp, unsigned from,
			 unsigned to)
{
	if (pattern_match_parts(r->pat, pp, from, to))
		return HIT_MATCH;
	/* What was cut off lies below a dependency folder: no ancestor of anything. */
	if (to < pp->n || r->access == ACCESS_WRITE || (r->flags & RULE_READS_ONLY))
		return HIT_NO;
	switch (pattern_prefix_parts(r->pat, pp, from, to)) {
	case PREFIX_LITERAL:
		return HIT_ABOVE;
	case PREFIX_WILD:
		return HIT_WILD_ABOVE;
	case PREFIX_NO:
		break;
	}
	return HIT_NO;
}

static enum hit hit_at_roots(struct judging *j, const struct rule *r)
{
	unsigned last = j->pp->n;
	enum hit best = HIT_NO;

	if (r->flags & RULE_EXEMPT_DEPS)
		last = dependency_at(j) + 1 < last ? dependency_at(j) + 1 : last;
	for (unsigned i = j->root_n; i < last && best != HIT_MATCH; i++) {
		enum hit h = hit_span(r, j->pp, i, j->pp->n);

		if (h > best && is_top(j, i))
			best = h;
	}
	return best;
}

static enum hit rule_hit(struct judging *j, const struct rule *r)
{
	unsigned to = j->pp->n;

	if (r->flags & RULE_AT_ROOTS)
		return hit_at_roots(j, r);
	if ((r->flags & RULE_EXEMPT_DEPS) && dependency_at(j) < to)
		to = dependency_at(j) + 1;
	return hit_span(r, j->pp, pattern_is_relative(r->pat) ? j->root_n : 0, to);
}

/* ---- what it says ------------------------------------------------------- */

/* An operation on an ancestor of what rule r closes. Returns true when refused. */
static bool above(const struct file_query *q, const struct rule *r, enum hit h, struct verdict *v)
{
	bool moves = q->type == FT_DIR || q->type == FT_SYMLINK || q->type == FT_NONE;

	switch (q->op) {
	case OP_CREATE:
		if (q->type == FT_DIR || (h == HIT_WILD_ABOVE && q->type != FT_SYMLINK))
			return false;
		deny(v, r, EACCES, "only a directory made in place may hold a protected path");
		return true;
	case OP_DELETE:
		/* A directory goes only when it is empty. */
		if (q->type == FT_DIR || q->type == FT_NONE ||
		    (h == HIT_WILD_ABOVE && q->type != FT_SYMLINK))
			return false;
		deny(v, r, EACCES, "it stands where a protected path would be");
		return true;
	case OP_RENAME_FROM:
	case OP_RENAME_TO:
		if (h == HIT_WILD_ABOVE && !moves)
			return false;
		deny(v, r, EACCES, "a protected path lies below it");
		return true;
	default:
		return false;
	}
}

static bool says_nothing(const struct rule *r, enum file_op op)
{
	if (is_write(op))
		return r->flags & RULE_READS_ONLY;
	return r->flags & RULE_WRITES_ONLY;
}

static void decide(const struct rule *r, enum file_op op, struct verdict *v)
{
	bool write = is_write(op);

	if (r->access == ACCESS_ASK)
		*v = (struct verdict){ VERDICT_ASK, r, EACCES, "a rule says ask" };
	else if (r->access == ACCESS_NONE)
		deny(v, r, EACCES, write ? "a rule hides this path" : "a rule denies reading");
	else if (write && r->access == ACCESS_READ)
		deny(v, r, EACCES,
		     r->flags & RULE_MANDATORY ? "the path is protected" : "a rule denies writing");
	else
		allow(v, r, "a rule allows it");
}

static void judge_rules(struct judging *j, struct verdict *v)
{
	const struct spec_priv *p = j->s->priv;
	const struct rule *asks = NULL, *opened = NULL;
	struct signature sig;

	sign(j->pp, &sig);
	for (size_t i = 0; i < p->n_live; i++) {
		const struct rule *r = p->live[i].r;
		enum hit h;

		if (!may_concern(&p->live[i], &sig) || says_nothing(r, j->q->op) ||
		    (opened && r->layer != LAYER_BUILTIN))
			continue;
		h = rule_hit(j, r);
		if (h == HIT_MATCH && (r->flags & RULE_KEEPS_NAMES)) {
			opened = r;
			continue;
		}
		if (h == HIT_MATCH && (r->flags & RULE_ONLY_ASKS)) {
			asks = asks ? asks : r;
			continue;
		}
		if (h == HIT_MATCH) {
			decide(r, j->q->op, v);
			if (asks && v->decision == VERDICT_ALLOW)
				decide(asks, j->q->op, v);
			return;
		}
		if (h != HIT_NO && above(j->q, r, h, v))
			return;
	}
	if (asks)
		decide(asks, j->q->op, v);
	else if (opened)
		decide(opened, j->q->op, v);
	else
		allow(v, NULL, "it lies in a writable root");
}

/* ---- moving directories ------------------------------------------------- */

/* The place that lets names below a directory be what they are: a dependency
 * folder at or above it, or a rule that opens it. */
static void context_of(const struct spec *s, const char *path, struct path_parts *pp, bool *ret_dep,
		       const struct rule **ret_rule)
{
	const struct writable_root *root = spec_root_of(s, path);
	struct file_query q = { .op = OP_CREATE, .path = path, .type = FT_REG };
	struct judging j = { .s = s, .q = &q, .pp = pp, .root = root };
	struct path_parts top;
	struct verdict v;

	*ret_dep = false;
	*ret_rule = NULL;
	if (!root || !path_split(path, pp) || !path_split(root->path, &top))
		return;
	j.root_n = top.n;
	j.dep = UINT_MAX;
	*ret_dep = dependency_at(&j) < pp->n ||
		   (pp->n > top.n &&
		    is_dependency_dir(s, path + pp->at[pp->n - 1], pp->len[pp->n - 1]));
	judge_rules(&j, &v);
	if (v.decision == VERDICT_ALLOW && v.rule && !(v.rule->flags & RULE_KEEPS_NAMES))
		*ret_rule = v.rule;
}

static bool leaves_context(const struct spec *s, const struct file_query *q)
{
	struct path_parts pp;
	const char *from = q->op == OP_RENAME_TO ? q->other : q->path;
	const char *to = q->op == OP_RENAME_TO ? q->path : q->other;
	const struct rule *from_rule, *to_rule;
	bool from_dep, to_dep;

	context_of(s, from, &pp, &from_dep, &from_rule);
	context_of(s, to, &pp, &to_dep, &to_rule);
	return (from_dep && !to_dep) || (from_rule && from_rule != to_rule);
}

/* ---- outside the roots -------------------------------------------------- */

static bool is_hidden(const struct spec *s, const char *path)
{
	for (size_t i = 0; i < s->hidden.n; i++)
		if (path_within(path, s->hidden.v[i]))
			return true;
	return false;
}

/* The rule that hides path, for the message. */
static const struct rule *hiding_rule(const struct spec *s, const char *path)
{
	for (size_t i = 0; i < s->n_rules; i++) {
		const struct rule *r = s->rules[i];

		if (r->exec == EXEC_UNSET && r->access <= ACCESS_ASK && !(r->flags & RULE_LIFTED) &&
		    !pattern_is_relative(r->pat) && pattern_match(r->pat, path))
			return r;
	}
	return NULL;
}

static void judge_outside(const struct spec *s, const struct file_query *q, struct verdict *v)
{
	bool write = is_write(q->op);
	bool real_home = s->home == HOME_HOST && path_within(q->path, s->home_path);
	const struct rule *hiding = NULL;

	/* In the real home by the rules themselves: what is hidden may come later. */
	if (real_home || is_hidden(s, q->path))
		hiding = hiding_rule(s, q->path);
	if (hiding || is_hidden(s, q->path)) {
		deny(v, hiding, EACCES, "a rule hides this path");
		return;
	}
	switch (view_kind(s, q->path)) {
	case VIEW_PRIVATE:
		allow(v, NULL, VERDICT_PRIVATE);
		break;
	case VIEW_DEVICE:
		if (q->op == OP_WRITE || q->op == OP_META || !write)
			allow(v, NULL, "the sandbox's own devices and processes");
		else
			deny(v, NULL, EACCES, "nothing is made here");
		break;
	case VIEW_READ_ONLY:
		if (write)
			deny(v, NULL, EROFS, "outside the writable roots");
		else
			allow(v, NULL, "the view shows it, read-only");
		break;
	case VIEW_NOTHING:
		deny(v, NULL, write ? EACCES : ENOENT,
		     write ? "outside the writable roots" : "the view does not show it");
		break;
	}
}

/* ---- exec --------------------------------------------------------------- */

/* .../bin/NAME or .../sbin/NAME */
static bool in_bin_dir(const struct path_parts *pp)
{
	const char *dir = pp->n > 1 ? pp->path + pp->at[pp->n - 2] : "";
	size_t len = pp->n > 1 ? pp->len[pp->n - 2] : 0;

	return (len == 3 && memcmp(dir, "bin", 3) == 0) ||
	       (len == 4 && memcmp(dir, "sbin", 4) == 0);
}

static bool judge_exec(const struct spec *s, const struct file_query *q,
		       const struct writable_root *root, unsigned root_n,
		       const struct path_parts *pp, struct verdict *v)
{
	for (size_t i = 0; i < s->n_rules; i++) {
		const struct rule *r = s->rules[i];
		unsigned from = 0;

		if (r->exec == EXEC_UNSET || (r->flags & RULE_LIFTED))
			continue;
		if (pattern_is_relative(r->pat)) {
			if (!root)
				continue;
			from = root_n;
		}
		if (!pattern_match_parts(r->pat, pp, from, pp->n))
			continue;
		if (r->exec == EXEC_DENY)
			deny(v, r, EACCES, "a rule denies running it");
		else
			allow(v, r, "a rule allows running it");
		return true;
	}
	if (root && s->exec_deny_writable) {
		deny(v, NULL, EACCES,
		     "programs in writable folders do not run (exec: deny-writable)");
		return true;
	}
	if (!root && view_shows(s, q->path) && in_bin_dir(pp) &&
	    is_dangerous_binary(path_base(q->path))) {
		deny(v, NULL, EACCES, "a dangerous program (data/dangerous-binaries)");
		return true;
	}
	return false;
}

/* ---- other spellings of a name ------------------------------------------ */

/* Kept out of the usual path's stack and time. */
static __attribute__((noinline)) void judge_plain(const struct spec *s, const struct file_query *q,
						  const struct writable_root *root,
						  const char *plain, struct verdict *v)
{
	struct path_parts pp, top;
	struct file_query other = *q;
	struct judging j = { .s = s, .q = &other, .pp = &pp, .root = root, .dep = UINT_MAX };
	struct verdict found;

	other.path = plain;
	if (!path_split(plain, &pp) || !path_split(root->path, &top) || pp.n < top.n)
		return;
	j.root_n = top.n;
	judge_rules(&j, &found);
	if (found.decision != VERDICT_ALLOW)
		*v = found;
}

static void judge_spellings(const struct spec *s, const struct file_query *q,
			    const struct writable_root *root, struct verdict *v)
{
	size_t from = strlen(root->path);
	char plain[PATTERN_MAX];

	if (root->is_file)
		return;
	if (root->loose_names && (is_write(q->op) || s->read_deny) && spelling_short(q->path, from))
		deny(v, NULL, EACCES, "a short name on this file system may be a protected file's");
	else if (spelling_plain(q->path, from, root->loose_names, plain, sizeof(plain)))
		judge_plain(s, q, root, plain, v);
}

/* Would the call carry a root away, or put something in its place? */
static bool holds_root(const struct spec *s, const struct file_query *q)
{
	if (q->op != OP_DELETE && q->op != OP_RENAME_FROM && q->op != OP_RENAME_TO)
		return false;
	for (size_t i = 0; i < s->n_roots; i++)
		if (!s->roots[i].is_file && path_within(s->roots[i].path, q->path))
			return true;
	return false;
}

/* ---- the whole ---------------------------------------------------------- */

void spec_judge(const struct spec *s, const struct file_query *q, struct verdict *ret)
{
	struct path_parts pp, top;
	struct judging j = { .s = s, .q = q, .pp = &pp, .dep = UINT_MAX };

	if (q->path[0] != '/' || !path_split(q->path, &pp)) {
		deny(ret, NULL, ENAMETOOLONG, "not a path that can be judged");
		return;
	}
	j.root = spec_root_of(s, q->path);
	if (j.root && path_split(j.root->path, &top))
		j.root_n = top.n;
	if (q->op == OP_EXEC && judge_exec(s, q, j.root, j.root_n, &pp, ret))
		return;
	if (!j.root) {
		judge_outside(s, q, ret);
		return;
	}
	if (is_write(q->op) && j.root->read_only) {
		deny(ret, NULL, EROFS, "the mode makes this root read-only");
		return;
	}
	if (holds_root(s, q)) {
		deny(ret, NULL, EBUSY, "a writable root itself stays where it is");
		return;
	}
	judge_rules(&j, ret);
	/* What would be refused after an allow is not asked about. */
	if (ret->decision != VERDICT_DENY)
		judge_spellings(s, q, j.root, ret);
	if (ret->decision != VERDICT_DENY && q->other && q->type == FT_DIR &&
	    (q->op == OP_RENAME_TO || q->op == OP_RENAME_FROM) && leaves_context(s, q))
		deny(ret, ret->rule, EXDEV,
		     "names below it are judged where it goes: copy it instead of moving it");
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What is seen outside the writable roots. The lists here say in words what
 * plan/ builds; spec_judge() answers from them. */
#include "policy/rules.h"
#include "policy/places.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "base/path.h"
#include "base/str.h"
#include "policy/apply.h"
#include "policy/layers.h"

/* ---- what the view shows ------------------------------------------------ */

static bool in_any(const char *path, const char *const *dirs)
{
	for (; *dirs; dirs++)
		if (path_within(path, *dirs))
			return true;
	return false;
}

static const char *const system_dirs[] = { "/usr",    "/bin", "/sbin", "/lib", "/lib32", "/lib64",
					   "/libx32", "/etc", "/opt",  "/nix", "/gnu",	 NULL };
static const char *const private_dirs[] = { "/tmp", "/run", "/var", "/dev/shm", NULL };
static const char *const device_dirs[] = { "/dev", "/proc", NULL };
static const char *const not_there[] = { "/home", "/root", "/sys", "/lost+found", NULL };

static bool below_reads(const struct spec *s, const char *path)
{
	for (size_t i = 0; i < s->n_reads; i++)
		if (path_within(path, s->reads[i].path))
			return true;
	return false;
}

enum view_kind view_kind(const struct spec *s, const char *path)
{
	if (below_reads(s, path))
		return VIEW_READ_ONLY;
	if (path_within(path, s->home_path))
		return s->home == HOME_HOST ? VIEW_READ_ONLY : VIEW_PRIVATE;
	if (in_any(path, private_dirs))
		return VIEW_PRIVATE;
	if (in_any(path, device_dirs))
		return VIEW_DEVICE;
	if (in_any(path, system_dirs))
		return VIEW_READ_ONLY;
	if (s->root == ROOT_HOST && !in_any(path, not_there))
		return VIEW_READ_ONLY;
	return VIEW_NOTHING;
}

bool view_is_system(const char *path)
{
	return in_any(path, system_dirs);
}

bool view_shows(const struct spec *s, const char *path)
{
	return view_kind(s, path) == VIEW_READ_ONLY;
}

/* ---- the private home --------------------------------------------------- */

static uint64_t path_id(const char *path)
{
	uint64_t h = 14695981039346656037ull;

	for (; *path; path++)
		h = (h ^ (unsigned char)*path) * 1099511628211ull;
	return h;
}

static int private_home(struct spec *s, const struct policy_input *in, struct berm_err *err)
{
	const char *root = s->roots[0].path;
	struct stat st;
	int r;

	/* A name that a person recognises, made unique by the whole path. */
	s->home_source = str_printf("%s/homes/%.100s-%016llx", s->state_dir, path_base(root),
				    (unsigned long long)path_id(root));
	if (!s->home_source)
		return err_set(err, -ENOMEM, "out of memory");
	if (in->pretend)
		return 0;
	r = make_dirs(s->home_source, 0700);
	if (r < 0)
		return err_errno(err, r, "cannot make the private home %s", s->home_source);
	if (lstat(s->home_source, &st) < 0 || !S_ISDIR(st.st_mode))
		return err_set(err, -ENOTDIR, "the private home %s is not a directory",
			       s->home_source);
	return check_owned(s->home_source, in->uid, err);
}

static int add_home_allow(struct spec *s, struct berm_err *err)
{
	_cleanup_close_ int home = open(s->home_path, O_PATH | O_DIRECTORY | O_CLOEXEC);

	for (size_t i = 0; home >= 0 && i < data_home_allow.n; i++) {
		const char *name = data_text(&data_home_allow, i);
		char path[PATH_MAX], source[PATH_MAX];
		struct origin o = { data_home_allow.file, data_at(&data_home_allow, i).line };
		struct stat st;

		if (fstatat(home, name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
		    (size_t)snprintf(path, sizeof(path), "%s/%s", s->home_path, name) >=
			    sizeof(path) ||
		    !realpath(path, source) || path_within(source, s->state_dir) ||
		    path_within(s->state_dir, source))
			continue;
		if (spec_add_read(s, path, source, &o) < 0)
			return err_set(err, -ENOMEM, "out of memory");
	}
	return 0;
}

int view_resolve(struct spec *s, const struct policy_input *in, struct berm_err *err)
{
	int r;

	/* A workspace that holds the home shows the real one: no mount may lie in it. */
	for (size_t i = 0; i < s->n_roots; i++)
		if (path_within(s->user_home, s->roots[i].path))
			s->home = HOME_HOST;
	if (s->home != HOME_PRIVATE)
		return 0;
	r = private_home(s, in, err);
	return r < 0 ? r : add_home_allow(s, err);
}

/* ---- what must be masked ------------------------------------------------ */

/* Only what exists and what the user may read needs a mask; for the rest the
 * kernel's own check says no. */
static bool needs_mask(const struct spec *s, const char *path)
{
	return view_shows(s, path) && faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) == 0;
}

static int hide_one(struct spec *s, const char *path)
{
	if (spec_root_of(s, path) || !needs_mask(s, path) || strv_has(&s->hidden, path))
		return 0;
	return strv_add(&s->hidden, path);
}

/* Hides path wherever it is seen: as it is spelled, as it is resolved (SPEC S3), and
 * in trees that are shown under another name than their own. */
static int hide(struct spec *s, const char *path)
{
	_cleanup_free_ char *real = path_resolve(path);

	if (!real)
		return -ENOMEM;
	if (hide_one(s, path) < 0 || hide_one(s, real) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < s->n_reads; i++) {
		const struct readable_tree *t = &s->reads[i];
		_cleanup_free_ char *there = NULL;

		if (streq(t->path, t->source) || !path_within(real, t->source))
			continue;
		there = str_printf("%s%s", t->path, real + strlen(t->source));
		if (!there || hide_one(s, there) < 0)
			return -ENOMEM;
	}
	return 0;
}

static bool lifted(const struct spec *s, const struct rule *r)
{
	return r->protects && strv_has(&s->lifted, r->protects);
}

/* Did an "unprotect" name this very place? */
static bool place_lifted(const struct spec *s, const struct rule *r, const char *dir)
{
	if (!(r->flags & RULE_MANDATORY) || !r->protects)
		return false;
	for (size_t i = 0; i < s->n_rules; i++)
		if ((s->rules[i]->flags & RULE_LIFTS) && !pattern_is_relative(s->rules[i]->pat) &&
		    pattern_match(s->rules[i]->pat, dir))
			return true;
	return false;
}

/* A tree that was asked for and that a protection covers as a whole would show an
 * empty, unreadable thing: say so before anything starts. */
static int check_reads(const struct spec *s, const struct rule *r, const char *dir,
		       struct berm_err *err)
{
	char where[512], from[512];

	for (size_t i = 0; i < s->n_reads; i++) {
		const struct readable_tree *t = &s->reads[i];

		if (!path_within(t->path, dir) && !path_within(t->source, dir))
			continue;
		if (str_starts(t->origin.file, "data/"))
			continue;
		origin_text(&t->origin, where, sizeof(where));
		origin_text(&r->origin, from, sizeof(from));
		err_set(err, -EACCES, "%s: %s cannot be shown: \"%s\" (%s)", where, t->path,
			r->text, from);
		if (r->protects)
			err_fix(err, "if it really must be: --unprotect %s", r->protects);
		return -EACCES;
	}
	return 0;
}

/* A writable root inside a protected place would be writable in name only. */
static int check_roots(const struct spec *s, const struct rule *r, struct berm_err *err)
{
	char from[512];

	if (!(r->flags & RULE_MANDATORY) || pattern_is_relative(r->pat) || !r->protects)
		return 0;
	for (size_t i = 0; i < s->n_roots; i++) {
		const struct writable_root *root = &s->roots[i];

		if (!pattern_match(r->pat, root->path) || place_lifted(s, r, root->path))
			continue;
		origin_text(&r->origin, from, sizeof(from));
		err_set(err, -EACCES, "%s cannot be writable: it is protected by \"%s\" (%s)",
			root->path, r->text, from);
		err_fix(err, "if it really must be: --unprotect %s", r->protects);
		return -EACCES;
	}
	return 0;
}

static bool in_a_root(const struct spec *s, const char *path)
{
	for (size_t i = 0; i < s->n_roots; i++)
		if (path_within(path, s->roots[i].path) || path_within(s->roots[i].path, path))
			return true;
	return false;
}

/* A rule that somebody wrote and that nothing here would hold is an error, not a comfort:
 * the session's private places belong to the command. (A settings file's may be
 * written for another view as well.) */
static int check_held(const struct spec *s, const struct policy_input *in, const char *pattern,
		      struct berm_err *err)
{
	bool home = pattern[0] == '~' && (pattern[1] == '/' || !pattern[1]);
	_cleanup_free_ char *path = NULL, *real = NULL, *here = NULL;
	const char *base = home ? s->user_home : in->cwd;

	if (strpbrk(pattern, "*?[{\\"))
		return 0;
	if (!base)
		base = here = getcwd(NULL, 0);
	/* Without a current directory only an absolute pattern means something. */
	path = path_join(base ? base : "/", home ? (pattern[1] ? pattern + 2 : ".") : pattern);
	if (!path)
		return err_set(err, -ENOMEM, "out of memory");
	real = realpath(path, NULL);
	if (in_a_root(s, path) || (real && in_a_root(s, real)) ||
	    view_kind(s, path) != VIEW_PRIVATE)
		return 0;
	err_set(err, -EOPNOTSUPP,
		"--deny-write %s cannot be held: inside, it is a private place of the command",
		pattern);
	err_fix(err, "leave it out: the host's own %s is not there and cannot change", path);
	return -EOPNOTSUPP;
}

static int check_args(const struct spec *s, const struct policy_input *in, struct berm_err *err)
{
	int r = 0;

	for (size_t i = 0; r >= 0 && i < in->n_args; i++)
		if (in->args[i].kind == ARG_DENY_WRITE)
			r = check_held(s, in, in->args[i].pattern, err);
	return r;
}

static bool concerns_roots(const struct spec *s, const struct rule *r)
{
	_cleanup_free_ char *dir = NULL;

	if (pattern_is_relative(r->pat))
		return true;
	dir = pattern_literal_dir(r->pat);
	for (size_t i = 0; dir && i < s->n_roots; i++)
		if (path_within(dir, s->roots[i].path) || path_within(s->roots[i].path, dir))
			return true;
	return !dir;
}

static int protect_own(struct spec *s, const char *path, enum access access, struct berm_err *err)
{
	struct rule_def def = { .pattern = path,
				.access = access,
				.layer = LAYER_MANAGED,
				.flags = RULE_MANDATORY |
					 (access == ACCESS_READ ? RULE_WRITES_ONLY : 0u),
				.origin = { "built-in", 0 } };
	_cleanup_free_ char *real = path_resolve(path), *escaped = pattern_escape(path);

	if (!real || !escaped)
		return err_set(err, -ENOMEM, "out of memory");
	if (!spec_root_of(s, path) && !spec_root_of(s, real))
		return 0;
	def.pattern = escaped;
	return add_both_spellings(s, &def, err);
}

/* berm's own settings and state, wherever they lie. */
static int protect_settings(struct spec *s, const struct policy_input *in, struct berm_err *err)
{
	const struct spec_priv *p = s->priv;
	_cleanup_free_ char *config = user_config_dir(in, s->user_home);
	int r;

	if (!config)
		return err_set(err, -ENOMEM, "out of memory");
	r = protect_own(s, config, ACCESS_READ, err);
	if (r >= 0)
		r = protect_own(s, s->state_dir, ACCESS_NONE, err);
	for (size_t i = 0; r >= 0 && i < p->layers.n; i++)
		if (p->layers.v[i].file[0] == '/')
			r = protect_own(s, p->layers.v[i].file, ACCESS_READ, err);
	return r;
}

/* File systems that find one file under several spellings of its name. */
static bool has_loose_names(const char *path)
{
	static const unsigned magic[] = {
		0x4d44,	    /* vfat */
		0x2011bab0, /* exfat */
		0x5346544e, /* NTFS */
		0x7366746e, /* ntfs3 */
		0xff534d42, /* CIFS */
		0xfe534d42, /* SMB */
		0x01021997, /* 9p: the Windows drives of WSL2 */
		0x65735546, /* FUSE: ntfs-3g and others */
		0x786f4256, /* vboxsf */
		0x482b,	    /* HFS+ */
	};
	struct statfs fs;

	if (statfs(path, &fs) < 0)
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(magic); i++)
		if ((unsigned)fs.f_type == magic[i])
			return true;
	return false;
}

int view_check(struct spec *s, const struct policy_input *in, struct berm_err *err)
{
	int r = protect_settings(s, in, err);

	if (r >= 0)
		r = check_args(s, in, err);
	if (r < 0)
		return r;
	/* The sockets of warm sessions are there, and the homes of other workspaces. */
	if (hide(s, s->state_dir) < 0)
		return err_set(err, -ENOMEM, "out of memory");
	for (size_t i = 0; i < s->n_roots; i++)
		s->roots[i].loose_names = has_loose_names(s->roots[i].path);
	for (size_t i = 0; i < s->n_rules; i++) {
		struct rule *rule = s->rules[i];
		_cleanup_free_ char *dir = NULL;

		if (rule->exec != EXEC_UNSET)
			continue;
		if (lifted(s, rule)) {
			rule->flags |= RULE_LIFTED;
			continue;
		}
		r = check_roots(s, rule, err);
		if (r < 0)
			return r;
		if (rule->access > ACCESS_ASK || (rule->flags & RULE_LIFTS))
			continue;
		/* The real home changes while the command runs: a secret that comes later, or
		 * that an editor replaces, is not under a mask. There each open is judged. */
		if (concerns_roots(s, rule) || s->home == HOME_HOST)
			s->read_deny = true;
		if (!pattern_is_literal(rule->pat) || pattern_is_relative(rule->pat))
			continue;
		dir = pattern_literal_dir(rule->pat);
		if (dir && place_lifted(s, rule, dir))
			continue;
		if (!dir || hide(s, dir) < 0)
			return err_set(err, -ENOMEM, "out of memory");
		r = check_reads(s, rule, dir, err);
		if (r < 0)
			return r;
	}
	return 0;
}

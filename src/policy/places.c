/* SPDX-License-Identifier: Apache-2.0 */
#include "policy/places.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/path.h"
#include "base/str.h"
#include "policy/rules.h"

/* ---- the user's home and berm's state ----------------------------------- */

/* The home of uid in /etc/passwd. NSS is not for a static program. */
static char *passwd_home(unsigned uid)
{
	_cleanup_free_ char *text = NULL;
	char *save = NULL;

	if (fd_read_file(AT_FDCWD, "/etc/passwd", 1u << 20, &text, NULL) < 0)
		return NULL;
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *field[7] = { line };
		unsigned n = 1;

		for (char *p = line; *p && n < 7; p++) {
			if (*p != ':')
				continue;
			*p = '\0';
			field[n++] = p + 1;
		}
		if (n == 7 && strtoul(field[2], NULL, 10) == uid && *field[2])
			return strdup(field[5]);
	}
	return NULL;
}

/* NULL: there is none. *ret_found is what the result lies in, to be freed. */
static const char *find_user_home(const struct policy_input *in, char **ret_found)
{
	const char *home = in->user_home ? in->user_home : env_get(in->environ, "HOME");

	if (!home || home[0] != '/')
		home = *ret_found = passwd_home(in->uid);
	return home && home[0] == '/' ? home : NULL;
}

static int no_home(struct berm_err *err)
{
	err_set(err, -ENOENT, "the user has no home directory");
	err_fix(err, "set HOME to an absolute path");
	return -ENOENT;
}

static int find_home(struct spec *s, const struct policy_input *in, struct berm_err *err)
{
	_cleanup_free_ char *found = NULL;
	const char *home = find_user_home(in, &found);

	if (!home)
		return no_home(err);
	/* Resolved, for the command too: rules, masks and mounts then speak of one path. */
	s->user_home = realpath(home, NULL);
	if (!s->user_home)
		s->user_home = path_join("/", home);
	s->home_path = s->user_home ? strdup(s->user_home) : NULL;
	if (!s->home_path)
		return err_set(err, -ENOMEM, "out of memory");
	return 0;
}

int make_dirs(const char *path, mode_t mode)
{
	_cleanup_free_ char *copy = strdup(path);

	if (!copy)
		return -ENOMEM;
	if (mkdir(path, mode) == 0 || errno == EEXIST)
		return 0;
	for (char *p = copy + 1;; p++) {
		char c = *p;

		if (c && c != '/')
			continue;
		*p = '\0';
		if (mkdir(copy, mode) < 0 && errno != EEXIST)
			return -errno;
		*p = c;
		if (!c)
			return 0;
	}
}

char *path_resolve(const char *path)
{
	_cleanup_free_ char *head = strdup(path);
	size_t len = strlen(path);

	while (head && len) {
		_cleanup_free_ char *real = NULL;

		head[len] = '\0';
		real = realpath(head, NULL);
		if (real)
			return path[len] ? str_printf("%s%s", streq(real, "/") ? "" : real,
						      path + len)
					 : take_ptr(real);
		while (len && head[len - 1] != '/')
			len--;
		len -= len > 0;
	}
	return strdup(path);
}

int check_owned(const char *path, unsigned uid, struct berm_err *err)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return err_errno(err, -errno, "cannot use %s", path);
	if (!S_ISDIR(st.st_mode))
		return err_set(err, -ENOTDIR, "%s is not a directory", path);
	if (st.st_uid != uid) {
		err_set(err, -EPERM, "%s belongs to another user (uid %u)", path, st.st_uid);
		err_fix(err, "remove it, or set XDG_STATE_HOME to a folder of your own");
		return -EPERM;
	}
	if (st.st_mode & 022) {
		err_set(err, -EPERM, "%s can be written by others (mode %04o)", path,
			st.st_mode & 07777);
		err_fix(err, "chmod 700 %s", path);
		return -EPERM;
	}
	return 0;
}

static char *state_path(const struct policy_input *in, const char *home)
{
	const char *xdg = env_get(in->environ, "XDG_STATE_HOME");

	if (in->dirs.state)
		return strdup(in->dirs.state);
	return xdg && xdg[0] == '/' ? path_join(xdg, "berm") : path_join(home, ".local/state/berm");
}

static int make_state(const char *path, const struct policy_input *in, struct berm_err *err)
{
	int r = make_dirs(path, 0700);

	if (r < 0) {
		err_errno(err, r, "cannot make berm's state folder %s", path);
		err_fix(err, "set XDG_STATE_HOME to a folder you can write");
		return r;
	}
	return check_owned(path, in->uid, err);
}

static int find_state(struct spec *s, const struct policy_input *in, struct berm_err *err)
{
	_cleanup_free_ char *path = state_path(in, s->user_home);
	int r;

	if (!path)
		return err_set(err, -ENOMEM, "out of memory");
	r = in->pretend ? 0 : make_state(path, in, err);
	if (r < 0)
		return r;
	s->state_dir = realpath(path, NULL);
	if (!s->state_dir)
		s->state_dir = take_ptr(path);
	return 0;
}

/* ---- workspaces --------------------------------------------------------- */

int spec_add_root(struct spec *s, const char *path, enum root_kind kind, bool read_only,
		  bool is_file, const struct origin *origin)
{
	struct writable_root *v = reallocarray(s->roots, s->n_roots + 1, sizeof(*v));
	const char *file = spec_string(s, origin->file);

	if (v)
		s->roots = v;
	if (!v || !file)
		return -ENOMEM;
	v[s->n_roots] = (struct writable_root){ .path = strdup(path),
						.read_only = read_only,
						.is_file = is_file,
						.kind = kind,
						.origin = { file, origin->line } };
	if (!v[s->n_roots].path)
		return -ENOMEM;
	s->n_roots++;
	return 0;
}

int spec_add_read(struct spec *s, const char *path, const char *source, const struct origin *origin)
{
	struct readable_tree *v = reallocarray(s->reads, s->n_reads + 1, sizeof(*v));
	const char *file = spec_string(s, origin->file);

	if (v)
		s->reads = v;
	if (!v || !file)
		return -ENOMEM;
	v[s->n_reads] =
		(struct readable_tree){ strdup(path), strdup(source), { file, origin->line } };
	s->n_reads++;
	return v[s->n_reads - 1].path && v[s->n_reads - 1].source ? 0 : -ENOMEM;
}

bool is_machine_place(const char *path)
{
	return path_within(path, "/proc") || path_within(path, "/sys") ||
	       (path_within(path, "/dev") && !path_within(path, "/dev/shm")) ||
	       streq(path, "/dev/shm") || streq(path, "/run");
}

static int check_workspace(const struct spec *s, const char *given, const char *path,
			   struct berm_err *err)
{
	if (streq(path, "/")) {
		err_set(err, -EINVAL, "the workspace cannot be \"/\"");
		err_fix(err, "name the project's directory: -w DIR");
		return -EINVAL;
	}
	if (is_machine_place(path)) {
		err_set(err, -EINVAL, "the workspace %s is the machine's own interface", given);
		err_fix(err, "name a directory with files of yours: -w DIR");
		return -EINVAL;
	}
	if (path_within(s->state_dir, path) && !streq(path, s->user_home)) {
		err_set(err, -EINVAL, "the workspace %s holds berm's own state (%s)", given,
			s->state_dir);
		err_fix(err,
			"name a directory below it, or set XDG_STATE_HOME to a folder outside");
		return -EINVAL;
	}
	if (path_within(path, s->state_dir)) {
		err_set(err, -EINVAL, "the workspace %s lies in berm's own state (%s)", given,
			s->state_dir);
		err_fix(err, "name a directory outside it: -w DIR");
		return -EINVAL;
	}
	return 0;
}

static int add_workspace(struct spec *s, const char *cwd, const char *given, struct berm_err *err)
{
	_cleanup_free_ char *spelled = path_join(cwd, given);
	_cleanup_free_ char *path = spelled ? realpath(spelled, NULL) : NULL;
	struct origin origin = { "command line", 0 };
	struct stat st;
	int r;

	if (!spelled)
		return err_set(err, -ENOMEM, "out of memory");
	if (!path || stat(path, &st) < 0) {
		r = -errno;
		err_errno(err, r, "cannot use the workspace %s", given);
		err_fix(err, "name an existing directory: -w DIR");
		return r;
	}
	if (!S_ISDIR(st.st_mode)) {
		err_set(err, -ENOTDIR, "the workspace %s is not a directory", given);
		err_fix(err, "a workspace is a directory; for one file use --allow-write FILE");
		return -ENOTDIR;
	}
	r = check_workspace(s, given, path, err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < s->n_roots; i++)
		if (streq(s->roots[i].path, path))
			return 0;
	if (spec_add_root(s, path, ROOT_WORKSPACE, false, false, &origin) < 0)
		return err_set(err, -ENOMEM, "out of memory");
	return 0;
}

/* Where the caller stands. NULL with errno ENOENT: the directory is gone, which
 * matters only to what is relative to it. */
static char *caller_cwd(const struct policy_input *in)
{
	return in->cwd ? strdup(in->cwd) : getcwd(NULL, 0);
}

static int find_workspaces(struct spec *s, const struct policy_input *in, struct berm_err *err)
{
	_cleanup_free_ char *cwd = caller_cwd(in), *here = NULL;
	struct spec_priv *p = s->priv;
	int gone = errno, r = 0;

	for (size_t i = 0; i < in->n_workspaces && r >= 0; i++) {
		if (!cwd && in->workspaces[i][0] != '/')
			return err_errno(err, -gone, "cannot tell the current directory");
		r = add_workspace(s, cwd ? cwd : "/", in->workspaces[i], err);
	}
	if (!in->n_workspaces) {
		if (!cwd)
			return err_errno(err, -gone, "cannot tell the current directory");
		r = add_workspace(s, cwd, ".", err);
	}
	if (r < 0)
		return r;
	/* The command starts where the caller stands, if that is in a workspace. */
	here = cwd ? realpath(cwd, NULL) : NULL;
	s->workdir = strdup(here && path_within(here, s->roots[0].path) ? here : s->roots[0].path);
	p->cwd = cwd ? take_ptr(cwd) : strdup(s->roots[0].path);
	return s->workdir && p->cwd ? 0 : err_set(err, -ENOMEM, "out of memory");
}

int places_state(const struct policy_input *in, struct spec **ret, struct berm_err *err)
{
	struct spec *s = spec_new(err);
	int r;

	if (!s)
		return -ENOMEM;
	r = find_home(s, in, err);
	if (r >= 0)
		r = find_state(s, in, err);
	if (r < 0) {
		spec_free(s);
		return r;
	}
	*ret = s;
	return 0;
}

int places_resolve(struct spec *s, const struct policy_input *in, struct berm_err *err)
{
	int r = find_home(s, in, err);

	if (r >= 0)
		r = find_state(s, in, err);
	return r < 0 ? r : find_workspaces(s, in, err);
}

/* No spec, and no link is resolved: berm exec waits for this. */
int policy_state_dir(const struct policy_input *in, char **ret, struct berm_err *err)
{
	_cleanup_free_ char *found = NULL, *path = NULL;
	const char *home = find_user_home(in, &found);
	int r = home || in->dirs.state ? 0 : no_home(err);

	if (r < 0)
		return r;
	path = state_path(in, home);
	if (!path)
		return err_set(err, -ENOMEM, "out of memory");
	if (!in->pretend)
		r = make_state(path, in, err);
	if (r >= 0)
		*ret = take_ptr(path);
	return r;
}

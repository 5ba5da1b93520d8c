/* SPDX-License-Identifier: Apache-2.0 */
#include "policy/layers.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <linux/openat2.h>

#include "base/fd.h"
#include "base/path.h"
#include "base/sha256.h"
#include "base/str.h"
#include "policy/front_read.h"
#include "policy/json.h"
#include "policy/places.h"
#include "policy/rules.h"
#include "policy/trust.h"

struct reader {
	struct spec *s;
	const struct policy_input *in;
	struct settings_list *l;
	struct berm_err *err;
};

int settings_read_owned(const char *path, unsigned uid, char **ret, size_t *ret_len,
			struct berm_err *err)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat st;
	int r;

	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
		return -ENOENT;
	if (fd < 0 || fstat(fd, &st) < 0)
		return err_errno(err, -errno, "cannot read the settings %s", path);
	if (!S_ISREG(st.st_mode))
		return err_set(err, -EINVAL, "the settings %s are not a regular file", path);
	if ((st.st_uid != uid && st.st_uid != 0) || (st.st_mode & 022)) {
		err_set(err, -EPERM, "others can write the settings %s (owner %u, mode %04o)", path,
			st.st_uid, st.st_mode & 07777);
		err_fix(err, "chown it to yourself and chmod 644 it");
		return -EPERM;
	}
	r = fd_read_all(fd, JSON_FILE_MAX, ret, ret_len);
	if (r == -EFBIG)
		return err_set(err, r, "the settings %s are larger than 1 MiB", path);
	return r < 0 ? err_errno(err, r, "cannot read the settings %s", path) : 0;
}

static int add_text(struct reader *rd, const char *path, const char *base, enum layer layer,
		    bool trusted, char *text, size_t len)
{
	struct settings *s;

	if (settings_list_add(rd->l, path, base, layer, trusted, &s) < 0)
		return err_set(rd->err, -ENOMEM, "out of memory");
	return settings_parse(s, text, len, rd->err);
}

static int add_owned(struct reader *rd, const char *path, unsigned uid, enum layer layer)
{
	_cleanup_free_ char *text = NULL;
	size_t len;
	int r = settings_read_owned(path, uid, &text, &len, rd->err);

	if (r == -ENOENT)
		return 0;
	return r < 0 ? r : add_text(rd, path, NULL, layer, true, text, len);
}

/* ---- user --------------------------------------------------------------- */

char *user_config_dir(const struct policy_input *in, const char *user_home)
{
	const char *xdg = env_get(in->environ, "XDG_CONFIG_HOME");

	if (in->dirs.config)
		return strdup(in->dirs.config);
	if (xdg && xdg[0] == '/')
		return path_join(xdg, "berm");
	return path_join(user_home, ".config/berm");
}

static int add_user(struct reader *rd)
{
	_cleanup_free_ char *dir = user_config_dir(rd->in, rd->s->user_home);
	_cleanup_free_ char *path = dir ? path_join(dir, "policy.json") : NULL;

	if (!path)
		return err_set(rd->err, -ENOMEM, "out of memory");
	return add_owned(rd, path, rd->in->uid, LAYER_USER);
}

/* ---- project and local -------------------------------------------------- */

int project_read(const char *dir, const char *rel, char **ret_text, size_t *ret_len,
		 struct berm_err *err)
{
	struct open_how how = { .flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK,
				.resolve = RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH };
	_cleanup_close_ int dirfd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	_cleanup_close_ int fd = -1;
	struct stat st;
	int r;

	if (dirfd < 0)
		return err_errno(err, -errno, "cannot open %s", dir);
	fd = (int)syscall(SYS_openat2, dirfd, rel, &how, sizeof(how));
	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
		return -ENOENT;
	if (fd < 0 && errno == ELOOP) {
		err_set(err, -ELOOP, "the settings %s/%s are reached through a symbolic link", dir,
			rel);
		err_fix(err, "replace the link by the file itself");
		return -ELOOP;
	}
	if (fd < 0 || fstat(fd, &st) < 0)
		return err_errno(err, -errno, "cannot read the settings %s/%s", dir, rel);
	if (!S_ISREG(st.st_mode))
		return err_set(err, -EINVAL, "the settings %s/%s are not a regular file", dir, rel);
	r = fd_read_all(fd, JSON_FILE_MAX, ret_text, ret_len);
	if (r == -EFBIG)
		return err_set(err, r, "the settings %s/%s are larger than 1 MiB", dir, rel);
	return r < 0 ? err_errno(err, r, "cannot read the settings %s/%s", dir, rel) : 0;
}

static bool users_own(const char *path, unsigned uid)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == uid &&
	       !(st.st_mode & 022);
}

static int add_project(struct reader *rd, const char *dir, bool local)
{
	const char *rel = local ? LOCAL_FILE : PROJECT_FILE;
	_cleanup_free_ char *path = path_join(dir, rel), *text = NULL;
	enum layer layer = LAYER_PROJECT;
	char hex[SHA256_HEX_SIZE];
	bool trusted;
	size_t len;
	int r;

	if (!path)
		return err_set(rd->err, -ENOMEM, "out of memory");
	r = project_read(dir, rel, &text, &len, rd->err);
	if (r == -ENOENT)
		return 0;
	if (r < 0)
		return r;
	sha256_hex(text, len, hex);
	trusted = trust_holds(rd->s->state_dir, rd->in->uid, path, hex);
	/* Whether a clone brought it nothing in the workspace can tell: the command writes
	 * git's index as well. */
	if (local && trusted && users_own(path, rd->in->uid))
		layer = LAYER_LOCAL;
	return add_text(rd, path, dir, layer, trusted, text, len);
}

/* ---- managed ------------------------------------------------------------ */

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_json(const struct dirent *d)
{
	return d->d_name[0] != '.' && str_ends(d->d_name, ".json");
}

static int add_managed(struct reader *rd)
{
	const char *dir = rd->in->dirs.managed ? rd->in->dirs.managed : "/etc/berm";
	_cleanup_free_ char *file = path_join(dir, "managed.json");
	_cleanup_free_ char *drop = path_join(dir, "managed.d");
	/* The managed layer is the machine's administrator, nobody else. */
	unsigned owner = rd->in->dirs.managed ? rd->in->uid : 0;
	struct dirent **names = NULL;
	int n, r;

	if (!file || !drop)
		return err_set(rd->err, -ENOMEM, "out of memory");
	r = add_owned(rd, file, owner, LAYER_MANAGED);
	if (r < 0)
		return r;
	n = scandir(drop, &names, is_json, by_name);
	if (n < 0 && errno != ENOENT && errno != ENOTDIR)
		return err_errno(rd->err, -errno, "cannot read the managed settings in %s", drop);
	for (int i = 0; i < n; i++) {
		_cleanup_free_ char *path = r >= 0 ? path_join(drop, names[i]->d_name) : NULL;

		if (path)
			r = add_owned(rd, path, owner, LAYER_MANAGED);
		else if (r >= 0)
			r = err_set(rd->err, -ENOMEM, "out of memory");
		free(names[i]);
	}
	free(names);
	return r;
}

/* ---- command line ------------------------------------------------------- */

static int add_cli(struct reader *rd)
{
	const struct policy_input *in = rd->in;
	const struct spec_priv *p = rd->s->priv;
	const char *cwd = p->cwd;
	struct settings *s;

	for (size_t i = 0; i < in->n_policy_files; i++) {
		_cleanup_free_ char *path = path_join(cwd, in->policy_files[i]), *text = NULL;
		size_t len;
		int r;

		if (!path)
			return err_set(rd->err, -ENOMEM, "out of memory");
		r = settings_read_owned(path, in->uid, &text, &len, rd->err);
		if (r == -ENOENT) {
			err_set(rd->err, r, "there is no policy file %s", in->policy_files[i]);
			err_fix(rd->err, "--policy names a JSON file; \"berm init\" writes one");
		}
		if (r >= 0)
			r = add_text(rd, path, NULL, LAYER_CLI, true, text, len);
		if (r < 0)
			return r;
	}
	if (settings_list_add(rd->l, "command line", cwd, LAYER_CLI, true, &s) < 0)
		return err_set(rd->err, -ENOMEM, "out of memory");
	return settings_from_input(s, in, rd->err);
}

static int push(struct reader *rd, struct front_set *front, enum layer layer)
{
	return front_push(front, layer, rd->l) < 0 ? err_set(rd->err, -ENOMEM, "out of memory") : 0;
}

static int read_all(struct reader *rd, struct front_set *front)
{
	const struct spec *s = rd->s;
	int r = push(rd, front, LAYER_USER);

	if (r >= 0)
		r = add_user(rd);
	for (int local = 0; local < 2 && r >= 0; local++) {
		r = push(rd, front, local ? LAYER_LOCAL : LAYER_PROJECT);
		for (size_t i = 0; i < s->n_roots && r >= 0; i++)
			if (s->roots[i].kind == ROOT_WORKSPACE)
				r = add_project(rd, s->roots[i].path, local);
	}
	if (r >= 0)
		r = push(rd, front, LAYER_CLI);
	if (r >= 0)
		r = add_cli(rd);
	if (r >= 0)
		r = push(rd, front, LAYER_MANAGED);
	return r < 0 ? r : add_managed(rd);
}

int layers_read(struct spec *s, const struct policy_input *in, struct settings_list *l,
		struct berm_err *err)
{
	struct reader rd = { s, in, l, err };
	struct front_set front = { 0 };
	int r = in->n_settings ? front_read(s, in, &front, err) : 0;

	if (r >= 0)
		r = read_all(&rd, &front);
	front_set_free(&front);
	return r;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "policy/trust.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/path.h"
#include "base/str.h"
#include "policy/apply.h"
#include "policy/front.h"
#include "policy/layers.h"
#include "policy/places.h"

#define TRUST_HEAD "berm-trust 1\n"
#define TRUST_MAX 8192

void trust_subject_free(struct trust_subject *t)
{
	free(t->path);
	strv_free(&t->loosens);
	*t = (struct trust_subject){ 0 };
}

static char *record_path(const char *state_dir, const char *path)
{
	char hex[SHA256_HEX_SIZE];

	sha256_hex(path, strlen(path), hex);
	return str_printf("%s/trust/%s", state_dir, hex);
}

static char *record_text(const char *path, const char *sha256)
{
	return str_printf(TRUST_HEAD "%s\n%s\n", sha256, path);
}

bool trust_holds(const char *state_dir, unsigned uid, const char *path, const char *sha256)
{
	_cleanup_free_ char *file = record_path(state_dir, path);
	_cleanup_free_ char *want = record_text(path, sha256), *have = NULL;
	_cleanup_close_ int fd = -1;
	struct stat st;

	if (!file || !want)
		return false;
	fd = open(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_uid != uid ||
	    (st.st_mode & 022))
		return false;
	return fd_read_all(fd, TRUST_MAX, &have, NULL) == 0 && streq(have, want);
}

/* A spec with just enough in it to know where state is. */
static int state_of(const struct policy_input *in, struct spec **ret, struct berm_err *err)
{
	struct policy_input look = *in;

	return places_state(&look, ret, err);
}

static void spec_freep(struct spec **s)
{
	spec_free(*s);
}

/* What the text would open: berm's own format, or another tool's. */
static int find_loosening(const struct spec *s, const struct trust_file *file, const char *dir,
			  char *text, size_t len, struct trust_subject *t, struct berm_err *err)
{
	const char *const ws[] = { dir };
	struct front_place at = { .kind = (enum front_kind)file->kind,
				  .file = t->path,
				  .base = dir,
				  .root = dir,
				  .home = s->user_home,
				  .workspaces = ws,
				  .n_workspaces = 1,
				  .layer = LAYER_PROJECT,
				  .project = true,
				  .rules = str_ends(file->rel, ".rules") };
	struct front_parts parts = { 0 };
	int r;

	if (file->kind >= 0) {
		r = front_parse(&at, text, len, &parts, err);
	} else {
		parts.open = (struct settings){ .file = strdup(t->path),
						.base = strdup(dir),
						.layer = LAYER_PROJECT };
		r = parts.open.file && parts.open.base ? settings_parse(&parts.open, text, len, err)
						       : err_set(err, -ENOMEM, "out of memory");
	}
	if (r >= 0)
		r = list_loosening(&parts.open, &t->loosens, err);
	front_parts_free(&parts);
	return r;
}

int trust_look_file(const struct policy_input *in, const char *dir, const struct trust_file *file,
		    struct trust_subject *ret, struct berm_err *err)
{
	_cleanup_(spec_freep) struct spec *s = NULL;
	_cleanup_free_ char *real = realpath(dir, NULL), *text = NULL;
	struct trust_subject t = { 0 };
	size_t len;
	int r;

	if (!real)
		return err_errno(err, -errno, "cannot use the directory %s", dir);
	r = state_of(in, &s, err);
	if (r < 0)
		return r;
	r = project_read(real, file->rel, &text, &len, err);
	if (r == -ENOENT)
		return err_set(err, r, "%s has no settings %s", dir, file->rel);
	if (r < 0)
		return r;
	t.path = path_join(real, file->rel);
	if (!t.path)
		return err_set(err, -ENOMEM, "out of memory");
	sha256_hex(text, len, t.sha256);
	t.trusted = trust_holds(s->state_dir, in->uid, t.path, t.sha256);
	r = find_loosening(s, file, real, text, len, &t, err);
	if (r < 0) {
		trust_subject_free(&t);
		return r;
	}
	*ret = t;
	return 0;
}

int trust_look(const struct policy_input *in, const char *dir, bool local,
	       struct trust_subject *ret, struct berm_err *err)
{
	struct trust_file file = { -1, local ? LOCAL_FILE : PROJECT_FILE };

	return trust_look_file(in, dir, &file, ret, err);
}

int trust_record(const struct policy_input *in, const struct trust_subject *t, struct berm_err *err)
{
	_cleanup_(spec_freep) struct spec *s = NULL;
	_cleanup_free_ char *file = NULL, *temp = NULL, *text = NULL, *dir = NULL;
	_cleanup_close_ int fd = -1;
	int r = state_of(in, &s, err);

	if (r < 0)
		return r;
	file = record_path(s->state_dir, t->path);
	text = record_text(t->path, t->sha256);
	dir = str_printf("%s/trust", s->state_dir);
	temp = file ? str_printf("%s.%s", file, s->session) : NULL;
	if (!file || !text || !dir || !temp)
		return err_set(err, -ENOMEM, "out of memory");
	if (mkdir(dir, 0700) < 0 && errno != EEXIST)
		return err_errno(err, -errno, "cannot make %s", dir);
	fd = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return err_errno(err, -errno, "cannot write %s", temp);
	r = fd_write_all(fd, text, strlen(text));
	if (r >= 0 && (fsync(fd) < 0 || rename(temp, file) < 0))
		r = -errno;
	if (r < 0) {
		(void)unlink(temp);
		return err_errno(err, r, "cannot write the trust record %s", file);
	}
	return 0;
}

int trust_revoke(const struct policy_input *in, const char *path, struct berm_err *err)
{
	_cleanup_(spec_freep) struct spec *s = NULL;
	_cleanup_free_ char *file = NULL;
	int r = state_of(in, &s, err);

	if (r < 0)
		return r;
	file = record_path(s->state_dir, path);
	if (!file)
		return err_set(err, -ENOMEM, "out of memory");
	if (unlink(file) < 0)
		return errno == ENOENT ? err_set(err, -ENOENT, "%s was not trusted", path)
				       : err_errno(err, -errno, "cannot remove %s", file);
	return 0;
}

int trust_list(const struct policy_input *in, struct strv *ret, struct berm_err *err)
{
	_cleanup_(spec_freep) struct spec *s = NULL;
	_cleanup_closedir_ DIR *d = NULL;
	_cleanup_free_ char *dir = NULL;
	struct dirent *e;
	int r = state_of(in, &s, err);

	if (r < 0)
		return r;
	dir = str_printf("%s/trust", s->state_dir);
	if (!dir)
		return err_set(err, -ENOMEM, "out of memory");
	d = opendir(dir);
	if (!d)
		return errno == ENOENT ? 0 : err_errno(err, -errno, "cannot read %s", dir);
	while ((e = readdir(d))) {
		_cleanup_free_ char *text = NULL;
		size_t len, skip = strlen(TRUST_HEAD) + SHA256_HEX_SIZE;

		if (strlen(e->d_name) != SHA256_HEX_SIZE - 1 ||
		    fd_read_file(dirfd(d), e->d_name, TRUST_MAX, &text, &len) < 0 ||
		    !str_starts(text, TRUST_HEAD) || len <= skip + 1)
			continue;
		text[len - 1] = '\0';
		if (strv_add(ret, text + skip) < 0)
			return err_set(err, -ENOMEM, "out of memory");
	}
	return 0;
}

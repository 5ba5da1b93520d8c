/* SPDX-License-Identifier: Apache-2.0 */
#include "policy_fixture.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "policy/trust.h"

static void mkdirs(const char *path)
{
	char part[PATH_MAX];

	(void)snprintf(part, sizeof(part), "%s", path);
	for (char *p = part + 1; *p; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		(void)mkdir(part, 0755);
		*p = '/';
	}
	if (mkdir(part, 0755) < 0)
		assert_int_equal(errno, EEXIST);
}

const char *at(const struct machine *m, const char *rel)
{
	static char ring[8][PATH_MAX];
	static unsigned next;
	char *out = ring[next++ % 8];

	(void)snprintf(out, PATH_MAX, "%s/%s", m->top, rel);
	return out;
}

void put_mode(struct machine *m, const char *rel, const char *text, unsigned mode)
{
	char path[PATH_MAX], dir[PATH_MAX];
	int fd;

	(void)snprintf(path, sizeof(path), "%s/%s", m->top, rel);
	(void)snprintf(dir, sizeof(dir), "%s", path);
	*strrchr(dir, '/') = '\0';
	mkdirs(dir);
	(void)unlink(path);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(fd_write_all(fd, text, strlen(text)), 0);
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
}

void put(struct machine *m, const char *rel, const char *text)
{
	put_mode(m, rel, text, 0644);
}

void put_trust(struct machine *m, bool local)
{
	struct trust_subject t = { 0 };

	assert_int_equal(trust_look(&m->in, m->ws, local, &t, &m->err), 0);
	assert_int_equal(trust_record(&m->in, &t, &m->err), 0);
	trust_subject_free(&t);
}

void put_dir(struct machine *m, const char *rel)
{
	mkdirs(at(m, rel));
}

void put_link(struct machine *m, const char *rel, const char *target)
{
	assert_int_equal(symlink(target, at(m, rel)), 0);
}

void machine_up(struct machine *m)
{
	char top[] = "/tmp/berm-policy-XXXXXX";
	_cleanup_free_ char *real = NULL;

	*m = (struct machine){ 0 };
	assert_non_null(mkdtemp(top));
	real = realpath(top, NULL);
	m->top = take_ptr(real);
	m->home = strdup(at(m, "home"));
	m->ws = strdup(at(m, "ws"));
	m->managed = strdup(at(m, "etc"));
	m->config = strdup(at(m, "config"));
	m->state = strdup(at(m, "state"));
	mkdirs(m->home);
	mkdirs(m->ws);
	m->ws_list[0] = m->ws;
	m->in = POLICY_INPUT_INIT;
	m->in.workspaces = m->ws_list;
	m->in.n_workspaces = 1;
	m->in.cwd = m->ws;
	m->in.user_home = m->home;
	m->in.uid = getuid();
	m->in.dirs = (struct policy_dirs){ m->managed, m->config, m->state, m->managed };
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
}

void machine_down(struct machine *m)
{
	spec_free(m->spec);
	(void)nftw(m->top, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	free(m->top);
	free(m->home);
	free(m->ws);
	free(m->managed);
	free(m->config);
	free(m->state);
}

const struct spec *resolve(struct machine *m)
{
	spec_free(m->spec);
	m->spec = NULL;
	m->err = (struct berm_err){ 0 };
	if (policy_resolve(&m->in, &m->spec, &m->err) < 0)
		fail_msg("%s (%s)", m->err.msg, m->err.fix);
	return m->spec;
}

void resolve_fails(struct machine *m, const char *text)
{
	spec_free(m->spec);
	m->spec = NULL;
	m->err = (struct berm_err){ 0 };
	if (policy_resolve(&m->in, &m->spec, &m->err) >= 0)
		fail_msg("resolved, but should say: %s", text);
	assert_null(m->spec);
	assert_true(m->err.code < 0);
	if (!strstr(m->err.msg, text) && !strstr(m->err.fix, text))
		fail_msg("wanted \"%s\", got \"%s\" / \"%s\"", text, m->err.msg, m->err.fix);
}

/* ---- judging with facts from the disk ----------------------------------- */

static enum file_type type_of(const char *dir, const char *name)
{
	char path[PATH_MAX];
	struct stat st;

	if ((size_t)snprintf(path, sizeof(path), "%s/%s", dir, name) >= sizeof(path) ||
	    lstat(path, &st) < 0)
		return FT_NONE;
	return S_ISDIR(st.st_mode) ? FT_DIR : S_ISLNK(st.st_mode) ? FT_SYMLINK : FT_REG;
}

static enum file_type entry_above(void *ctx, unsigned up, const char *name)
{
	char dir[PATH_MAX];

	(void)snprintf(dir, sizeof(dir), "%s", (const char *)ctx);
	for (; up && strrchr(dir, '/'); up--)
		*strrchr(dir, '/') = '\0';
	return type_of(dir, name);
}

static enum file_type entry(void *ctx, const char *name)
{
	return type_of(ctx, name);
}

static struct verdict judge_query(struct machine *m, struct file_query q)
{
	char parent[PATH_MAX];
	struct dir_facts facts = { .entry = entry, .entry_above = entry_above, .ctx = parent };
	struct verdict v;

	assert_non_null(m->spec);
	(void)snprintf(parent, sizeof(parent), "%s", q.path);
	*strrchr(parent, '/') = '\0';
	q.facts = &facts;
	spec_judge(m->spec, &q, &v);
	assert_non_null(v.reason);
	assert_true((v.decision == VERDICT_ALLOW) == (v.err == 0));
	return v;
}

struct verdict judge(struct machine *m, enum file_op op, const char *rel, enum file_type type)
{
	struct file_query q = { .op = op, .path = rel[0] == '/' ? rel : at(m, rel), .type = type };

	return judge_query(m, q);
}

struct verdict judge_rename(struct machine *m, const char *from, const char *to,
			    enum file_type type)
{
	struct file_query q = { .op = OP_RENAME_FROM, .type = type };
	struct verdict v;

	q.path = from[0] == '/' ? from : at(m, from);
	q.other = to[0] == '/' ? to : at(m, to);
	v = judge_query(m, q);
	if (v.decision != VERDICT_ALLOW)
		return v;
	q = (struct file_query){
		.op = OP_RENAME_TO, .type = type, .path = q.other, .other = q.path
	};
	return judge_query(m, q);
}

/* ---- looking into a spec ------------------------------------------------ */

bool strv_contains(const struct strv *l, const char *text)
{
	for (size_t i = 0; i < l->n; i++)
		if (strstr(l->v[i], text))
			return true;
	return false;
}

bool has_note(const struct spec *s, const char *text)
{
	return strv_contains(&s->notes, text);
}

const char *env_of(const struct spec *s, const char *name)
{
	size_t n = strlen(name);

	for (char **e = s->envp; *e; e++)
		if (strncmp(*e, name, n) == 0 && (*e)[n] == '=')
			return *e + n + 1;
	return NULL;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "linux/cgroup.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>

#include "base/fd.h"
#include "base/str.h"

#define TEXT_MAX (1u << 20)
#define PATH_SIZE 4096
#define PREFIX "berm-"

static const char ctl_names[CGROUP_CTLS][8] = {
	[CGROUP_MEMORY] = "memory", [CGROUP_PIDS] = "pids", [CGROUP_CPU] = "cpu"
};

/* ---- finding ------------------------------------------------------------- */

/* Is word one of those in a list with these separators? */
static bool listed(const char *list, const char *seps, const char *word)
{
	size_t len = strlen(word);

	for (const char *p = list; *p; p += strspn(p, seps)) {
		size_t n = strcspn(p, seps);

		if (n == len && memcmp(p, word, len) == 0)
			return true;
		p += n;
	}
	return false;
}

/* The next line of *text, without its end; false: there is none. */
static bool next_line(const char **text, char *dst, size_t size)
{
	size_t n = strcspn(*text, "\n");

	if (!**text)
		return false;
	(void)snprintf(dst, size, "%.*s", n < size ? (int)n : 0, *text);
	*text += n + ((*text)[n] == '\n');
	return true;
}

/* The n-th word between single blanks, from 0; false: there is none, or it does not fit. */
static bool word_at(const char *line, unsigned n, char *dst, size_t size)
{
	size_t len;

	while (n--) {
		line = strchr(line, ' ');
		if (!line)
			return false;
		line++;
	}
	len = strcspn(line, " ");
	if (!len || len >= size)
		return false;
	memcpy(dst, line, len);
	dst[len] = '\0';
	return true;
}

bool cgroup_find_mount(const char *mountinfo, const char *ctl, char *at, char *root, size_t size)
{
	char line[2 * PATH_SIZE];

	while (next_line(&mountinfo, line, sizeof(line))) {
		char r[PATH_SIZE], m[PATH_SIZE], type[32], super[512];
		const char *dash = strstr(line, " - ");

		/* proc(5): id parent dev root mount-point options ... - type source super */
		if (!dash || !word_at(line, 3, r, sizeof(r)) || !word_at(line, 4, m, sizeof(m)) ||
		    !word_at(dash, 2, type, sizeof(type)) ||
		    !word_at(dash, 4, super, sizeof(super)))
			continue;
		if (!streq(type, ctl ? "cgroup" : "cgroup2") || (ctl && !listed(super, ",", ctl)))
			continue;
		/* Escaped characters (\040): such a place is not used. */
		if (strchr(r, '\\') || strchr(m, '\\') || strlen(r) >= size || strlen(m) >= size)
			continue;
		(void)snprintf(root, size, "%s", r);
		(void)snprintf(at, size, "%s", m);
		return true;
	}
	return false;
}

bool cgroup_find_own(const char *own, const char *ctl, char *path, size_t size)
{
	char line[2 * PATH_SIZE];

	while (next_line(&own, line, sizeof(line))) {
		/* cgroups(7): hierarchy:controllers:path; version 2 is "0::". */
		char *names = strchr(line, ':');
		char *where = names ? strchr(names + 1, ':') : NULL;

		if (!where)
			continue;
		*names++ = '\0';
		*where++ = '\0';
		if (ctl ? !listed(names, ",", ctl) : *names || !streq(line, "0"))
			continue;
		/* ".." is what lies outside of our namespace of groups. */
		if (*where != '/' || strstr(where, "/..") || strlen(where) >= size)
			return false;
		(void)snprintf(path, size, "%s", where);
		return true;
	}
	return false;
}

/* Opens the directory of our own group. parent: of the one above, -ENOENT when that is not
 * shown. */
static int open_own(const char *mountinfo, const char *own, const char *ctl, bool parent)
{
	char at[PATH_SIZE], root[PATH_SIZE], path[PATH_SIZE], full[2 * PATH_SIZE];
	const char *rest = path;
	int fd;

	if (!cgroup_find_mount(mountinfo, ctl, at, root, sizeof(at)) ||
	    !cgroup_find_own(own, ctl, path, sizeof(path)))
		return -ENOENT;
	if (!streq(root, "/")) {
		size_t n = strlen(root);

		if (!str_starts(path, root) || (path[n] && path[n] != '/'))
			return -ENOENT;
		rest = path + n;
	}
	(void)snprintf(full, sizeof(full), "%s%s", at, rest);
	if (parent) {
		char *slash = strrchr(full, '/');

		if (!rest[0] || streq(rest, "/") || !slash)
			return -ENOENT;
		*slash = '\0';
	}
	fd = open(full, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* ---- files of a group ---------------------------------------------------- */

static int put(int dir, const char *name, const char *text)
{
	_cleanup_close_ int fd = openat(dir, name, O_WRONLY | O_CLOEXEC);
	size_t len = strlen(text);

	return fd < 0 || write(fd, text, len) != (ssize_t)len ? -errno : 0;
}

static int put_number(int dir, const char *name, uint64_t value)
{
	char text[32];

	(void)snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	return put(dir, name, text);
}

/* Does the list in this file have the controllers of the mask? */
static bool has_ctls(int dir, const char *name, unsigned ctls)
{
	_cleanup_free_ char *text = NULL;

	if (fd_read_file(dir, name, TEXT_MAX, &text, NULL) < 0)
		return false;
	for (unsigned i = 0; i < CGROUP_CTLS; i++)
		if (ctls >> i & 1 && !listed(text, " \n", ctl_names[i]))
			return false;
	return true;
}

/* The number after word in a file, 0 when it is not there. word "": the file is the number. */
static uint64_t number_in(int dir, const char *name, const char *word)
{
	_cleanup_free_ char *text = NULL;
	size_t len = strlen(word);

	if (dir < 0 || fd_read_file(dir, name, TEXT_MAX, &text, NULL) < 0)
		return 0;
	for (const char *p = text; *p; p += strcspn(p, "\n"), p += *p == '\n')
		if (strncmp(p, word, len) == 0 && (!len || p[len] == ' '))
			return strtoull(p + len, NULL, 10);
	return 0;
}

/* ---- making -------------------------------------------------------------- */

/* What a berm left that was killed: a group nobody is in goes by rmdir alone, and its name says
 * whose it was. */
static void sweep(int parent)
{
	_cleanup_closedir_ DIR *d = NULL;
	const struct dirent *e;
	int fd = openat(parent, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	d = fd < 0 ? NULL : fdopendir(fd);
	if (!d) {
		close_quietly(fd);
		return;
	}
	while ((e = readdir(d))) {
		char *end;
		long pid;

		if (!str_starts(e->d_name, PREFIX))
			continue;
		pid = strtol(e->d_name + strlen(PREFIX), &end, 10);
		if (pid > 0 && (!*end || streq(end, ".self")) && kill((pid_t)pid, 0) < 0 &&
		    errno == ESRCH)
			(void)unlinkat(parent, e->d_name, AT_REMOVEDIR);
	}
}

static int make_in(int parent, int home, struct cgroup_dir *ret)
{
	_cleanup_close_ int dir = -1, procs = -1;
	struct cgroup_dir d;

	(void)snprintf(d.name, sizeof(d.name), PREFIX "%d", (int)getpid());
	sweep(parent);
	if (mkdirat(parent, d.name, 0755) < 0 && errno != EEXIST)
		return -errno;
	dir = openat(parent, d.name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	procs = openat(home, "cgroup.procs", O_WRONLY | O_CLOEXEC);
	d.parent = fcntl(parent, F_DUPFD_CLOEXEC, 3);
	if (dir < 0 || procs < 0 || d.parent < 0) {
		int r = -errno;

		(void)unlinkat(parent, d.name, AT_REMOVEDIR);
		return r;
	}
	d.dir = take_fd(&dir);
	d.home_procs = take_fd(&procs);
	*ret = d;
	return 0;
}

/* A group with processes in it passes no controllers on (the root one does), so this process
 * moves one down first. Works when it was alone there: a delegated scope. */
static int move_down(struct cgroup *c, int own, unsigned ctls)
{
	_cleanup_close_ int self = -1;
	char name[32], text[64] = "";
	int r;

	for (unsigned i = 0; i < CGROUP_CTLS; i++)
		if (ctls >> i & 1)
			(void)snprintf(text + strlen(text), sizeof(text) - strlen(text), "+%s ",
				       ctl_names[i]);
	if (put(own, "cgroup.subtree_control", text) >= 0)
		return fcntl(own, F_DUPFD_CLOEXEC, 3);
	(void)snprintf(name, sizeof(name), PREFIX "%d.self", (int)getpid());
	if (mkdirat(own, name, 0755) < 0 && errno != EEXIST)
		return -errno;
	self = openat(own, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	r = self < 0 ? -errno : put(self, "cgroup.procs", "0");
	if (r >= 0)
		r = put(own, "cgroup.subtree_control", text);
	if (r < 0) {
		if (self >= 0)
			(void)put(own, "cgroup.procs", "0");
		(void)unlinkat(own, name, AT_REMOVEDIR);
		return r;
	}
	c->self = take_fd(&self);
	c->delegated = fcntl(own, F_DUPFD_CLOEXEC, 3);
	return fcntl(c->self, F_DUPFD_CLOEXEC, 3);
}

static int make_v2(const char *mountinfo, const char *own_text, unsigned ctls, struct cgroup *c)
{
	_cleanup_close_ int own = open_own(mountinfo, own_text, NULL, false);
	_cleanup_close_ int above = open_own(mountinfo, own_text, NULL, true);
	_cleanup_close_ int home = -1;

	if (own < 0)
		return own;
	/* Beside our own: what is above passes its controllers on already. */
	if (above >= 0 && has_ctls(above, "cgroup.subtree_control", ctls) &&
	    make_in(above, own, &c->dirs[0]) >= 0)
		return 0;
	if (!has_ctls(own, "cgroup.controllers", ctls))
		return -EOPNOTSUPP;
	home = move_down(c, own, ctls);
	return home < 0 ? home : make_in(own, home, &c->dirs[0]);
}

static int make_v1(const char *mountinfo, const char *own_text, unsigned ctls, struct cgroup *c)
{
	for (unsigned i = 0; i < CGROUP_CTLS; i++) {
		_cleanup_close_ int own = -1;
		int r;

		if (!(ctls >> i & 1))
			continue;
		own = open_own(mountinfo, own_text, ctl_names[i], false);
		r = own < 0 ? own : make_in(own, own, &c->dirs[i]);
		if (r < 0)
			return r;
	}
	return 0;
}

int cgroup_make(unsigned ctls, struct cgroup *ret, char *why, size_t size)
{
	_cleanup_free_ char *mountinfo = NULL, *own = NULL;
	struct cgroup c = CGROUP_INIT;
	int r, two;

	r = fd_read_file(AT_FDCWD, "/proc/self/mountinfo", TEXT_MAX, &mountinfo, NULL);
	if (r >= 0)
		r = fd_read_file(AT_FDCWD, "/proc/self/cgroup", TEXT_MAX, &own, NULL);
	if (r < 0) {
		(void)snprintf(why, size, "/proc does not tell of control groups");
		return r;
	}
	two = make_v2(mountinfo, own, ctls, &c);
	if (two >= 0) {
		c.version = 2;
		*ret = c;
		return 0;
	}
	cgroup_drop(&c);
	r = make_v1(mountinfo, own, ctls, &c);
	if (r >= 0) {
		c.version = 1;
		*ret = c;
		return 0;
	}
	cgroup_drop(&c);
	(void)snprintf(why, size,
		       two == -EACCES || two == -EROFS || r == -EACCES || r == -EROFS || r == -EPERM
			       ? "no control group is delegated to this user here"
			       : "this host has no control groups for it");
	return r;
}

/* ---- using --------------------------------------------------------------- */

static const struct cgroup_dir *dir_of(const struct cgroup *c, enum cgroup_ctl ctl)
{
	return &c->dirs[c->version == 2 ? 0 : ctl];
}

#define CPU_PERIOD_US 100000u

static int limit_v2(int dir, enum cgroup_ctl ctl, uint64_t value)
{
	char text[64];
	int r;

	switch (ctl) {
	case CGROUP_MEMORY:
		r = put_number(dir, "memory.max", value);
		/* Else what is over would be swapped out instead; a kernel without swap
		 * accounting has no such file. All of it ends together. */
		if (r >= 0)
			r = put(dir, "memory.swap.max", "0");
		r = r == -ENOENT ? 0 : r;
		return r < 0 ? r : put(dir, "memory.oom.group", "1");
	case CGROUP_PIDS:
		return put_number(dir, "pids.max", value);
	case CGROUP_CPU:
		(void)snprintf(text, sizeof(text), "%llu %u",
			       (unsigned long long)value * (CPU_PERIOD_US / 100), CPU_PERIOD_US);
		return put(dir, "cpu.max", text);
	case CGROUP_CTLS:
		break;
	}
	return -EINVAL;
}

static int limit_v1(int dir, enum cgroup_ctl ctl, uint64_t value)
{
	int r;

	switch (ctl) {
	case CGROUP_MEMORY:
		r = put_number(dir, "memory.limit_in_bytes", value);
		if (r >= 0)
			r = put_number(dir, "memory.memsw.limit_in_bytes", value);
		return r == -ENOENT ? 0 : r;
	case CGROUP_PIDS:
		return put_number(dir, "pids.max", value);
	case CGROUP_CPU:
		r = put_number(dir, "cpu.cfs_period_us", CPU_PERIOD_US);
		return r < 0 ? r
			     : put_number(dir, "cpu.cfs_quota_us", value * (CPU_PERIOD_US / 100));
	case CGROUP_CTLS:
		break;
	}
	return -EINVAL;
}

int cgroup_limit(const struct cgroup *c, enum cgroup_ctl ctl, uint64_t value)
{
	int dir = dir_of(c, ctl)->dir;

	if (dir < 0)
		return -EINVAL;
	return c->version == 2 ? limit_v2(dir, ctl, value) : limit_v1(dir, ctl, value);
}

int cgroup_enter(const struct cgroup *c)
{
	for (unsigned i = 0; i < CGROUP_CTLS; i++) {
		int r = c->dirs[i].dir < 0 ? 0 : put(c->dirs[i].dir, "cgroup.procs", "0");

		if (r < 0)
			return r;
	}
	return 0;
}

int cgroup_leave(const struct cgroup *c)
{
	int r = 0;

	for (unsigned i = 0; i < CGROUP_CTLS; i++)
		if (c->dirs[i].home_procs >= 0 && write(c->dirs[i].home_procs, "0", 1) != 1)
			r = -errno;
	return r;
}

uint64_t cgroup_oom_kills(const struct cgroup *c)
{
	return number_in(dir_of(c, CGROUP_MEMORY)->dir,
			 c->version == 2 ? "memory.events" : "memory.oom_control", "oom_kill");
}

uint64_t cgroup_pids(const struct cgroup *c)
{
	return number_in(dir_of(c, CGROUP_PIDS)->dir, "pids.current", "");
}

/* Who has just been reaped may still be counted for a moment. Should it stay after all, the next
 * berm takes it away (sweep()). */
static void remove_group(const struct cgroup_dir *d)
{
	const struct timespec brief = { .tv_nsec = 1000000 };

	for (int i = 0; i < 200; i++) {
		if (unlinkat(d->parent, d->name, AT_REMOVEDIR) == 0 || errno != EBUSY)
			return;
		(void)nanosleep(&brief, NULL);
	}
}

void cgroup_drop(struct cgroup *c)
{
	for (unsigned i = 0; i < CGROUP_CTLS; i++) {
		struct cgroup_dir *d = &c->dirs[i];

		close_quietly(d->dir);
		if (d->parent >= 0)
			remove_group(d);
		close_quietly(d->parent);
		close_quietly(d->home_procs);
	}
	close_quietly(c->self);
	close_quietly(c->delegated);
	*c = (struct cgroup)CGROUP_INIT;
}

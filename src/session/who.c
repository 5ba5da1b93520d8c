/* SPDX-License-Identifier: Apache-2.0 */
#include "session/who.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <time.h>

#include "base/str.h"

#define WHO_BUDGET_US 300000 /* for looking, of each second */
#define WORDS_MAX 4096	     /* bytes of a command line that are looked at */

struct who_list {
	pid_t pid[WHO_PROCESSES_MAX];
	size_t n;
};

static ssize_t link_text(int dir, const char *path, char *dst, size_t size)
{
	ssize_t n = readlinkat(dir, path, dst, size - 1);

	dst[n > 0 ? n : 0] = '\0';
	return n;
}

void who_init(struct who *w, pid_t init)
{
	*w = (struct who){ .proc = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC), .init = init };
}

static bool is_number(const char *s)
{
	if (!*s)
		return false;
	for (; *s; s++)
		if (*s < '0' || *s > '9')
			return false;
	return true;
}

static int open_process(const struct who *w, pid_t pid)
{
	char name[16];

	(void)snprintf(name, sizeof(name), "%d", pid);
	return openat(w->proc, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* 0: it is gone. /proc/PID/stat is open to everybody. */
static pid_t parent_of(int dir)
{
	_cleanup_close_ int fd = openat(dir, "stat", O_RDONLY | O_CLOEXEC);
	char text[512];
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	const char *p;

	if (n <= 0)
		return 0;
	text[n] = '\0';
	p = strrchr(text, ')'); /* the name before it may hold anything */
	return p && strlen(p) > 4 ? (pid_t)strtol(p + 4, NULL, 10) : 0;
}

/* A descriptor on its /proc directory, which stays with this very process; -1: it is gone, or
 * none of the sandbox's. */
static int open_member(const struct who *w, pid_t pid)
{
	_cleanup_close_ int dir = -1;
	pid_t above;

	if (w->proc < 0 || w->init <= 1 || pid <= 1)
		return -1;
	dir = open_process(w, pid);
	above = dir < 0 ? 0 : parent_of(dir);
	for (unsigned i = 0; above > 1 && above != w->init && i < WHO_DEPTH_MAX; i++) {
		_cleanup_close_ int up = open_process(w, above);

		above = up < 0 ? 0 : parent_of(up);
	}
	return above == w->init ? take_fd(&dir) : -1;
}

/* Does the process of this /proc directory have the socket? */
static bool has_socket(int dir, const char *want, unsigned *left)
{
	int fd = openat(dir, "fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_cleanup_closedir_ DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;
	char text[64];

	if (!d) {
		close_quietly(fd);
		return false;
	}
	while (*left && (e = readdir(d))) {
		if (!is_number(e->d_name))
			continue;
		--*left;
		if (link_text(dirfd(d), e->d_name, text, sizeof(text)) > 0 && streq(text, want))
			return true;
	}
	return false;
}

static bool process_has(const struct who *w, pid_t pid, const char *want, unsigned *fds)
{
	_cleanup_close_ int dir = open_member(w, pid);

	return dir >= 0 && has_socket(dir, want, fds);
}

/* Appends the children of one thread: "12 34 ". false: the kernel does not tell them. */
static bool add_children(const struct who *w, pid_t pid, const char *tid, struct who_list *l)
{
	char path[64], text[8192], *p = text, *end;
	_cleanup_close_ int fd = -1;
	ssize_t n;

	(void)snprintf(path, sizeof(path), "%d/task/%s/children", pid, tid);
	fd = openat(w->proc, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno != ENOENT || l->n > 1;
	n = read(fd, text, sizeof(text) - 1);
	text[n > 0 ? n : 0] = '\0';
	while (l->n < WHO_PROCESSES_MAX) {
		long child = strtol(p, &end, 10);

		if (end == p)
			break;
		l->pid[l->n++] = (pid_t)child;
		p = end;
	}
	return true;
}

/* Init and what descends from it, from the top; false: the kernel does not tell
 * (CONFIG_PROC_CHILDREN). */
static bool list_family(const struct who *w, struct who_list *l)
{
	l->pid[0] = w->init;
	l->n = 1;
	for (size_t i = 0; i < l->n; i++) {
		_cleanup_closedir_ DIR *d = NULL;
		struct dirent *e;
		char path[32];
		int fd;

		(void)snprintf(path, sizeof(path), "%d/task", l->pid[i]);
		fd = openat(w->proc, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		d = fd < 0 ? NULL : fdopendir(fd);
		if (!d)
			close_quietly(fd);
		while (d && (e = readdir(d)))
			if (is_number(e->d_name) && !add_children(w, l->pid[i], e->d_name, l))
				return false;
	}
	return true;
}

/* Every process of the host that can be seen. */
static void list_all(const struct who *w, struct who_list *l)
{
	int fd = openat(w->proc, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_cleanup_closedir_ DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;

	l->n = 0;
	if (!d)
		close_quietly(fd);
	while (d && l->n < WHO_PROCESSES_MAX && (e = readdir(d)))
		if (is_number(e->d_name))
			l->pid[l->n++] = (pid_t)strtol(e->d_name, NULL, 10);
}

static long long now_us(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return (long long)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

/* A storm of refusals must not keep the steward from its answers. */
static bool may_look(struct who *w, long long now)
{
	if (now - w->window_us >= 1000000) {
		w->window_us = now;
		w->spent_us = 0;
	}
	return w->spent_us < WHO_BUDGET_US;
}

pid_t who_has_socket(struct who *w, uint32_t inode)
{
	static struct who_list family;
	unsigned fds = WHO_FDS_MAX;
	long long begin = now_us();
	pid_t found = 0;
	char want[64];

	if (!inode || w->proc < 0 || w->init <= 1 || !may_look(w, begin))
		return 0;
	(void)snprintf(want, sizeof(want), "socket:[%u]", inode);
	if (!list_family(w, &family))
		list_all(w, &family);
	/* The youngest first: who connects was mostly started for it. */
	for (size_t i = family.n; i-- > 0 && !found && fds;)
		if (process_has(w, family.pid[i], want, &fds))
			found = family.pid[i];
	w->spent_us += now_us() - begin;
	return found;
}

void who_exe(const struct who *w, pid_t pid, char *dst, size_t size)
{
	_cleanup_close_ int dir = open_member(w, pid);
	char path[PATH_MAX];
	ssize_t n;

	dst[0] = '\0';
	if (dir < 0)
		return;
	n = link_text(dir, "exe", path, sizeof(path));
	if (n > 0)
		str_escape(dst, size, path, (size_t)n);
}

/* ---- command lines --------------------------------------------------------- */

/* ASCII, for whatever a program chose to write. */
static bool contains_fold(const char *s, size_t len, const char *what)
{
	size_t n = strlen(what);

	for (size_t i = 0; i + n <= len; i++) {
		size_t k = 0;

		while (k < n && chr_lower(s[i + k]) == what[k])
			k++;
		if (k == n)
			return true;
	}
	return false;
}

static bool secret_name(const char *s, size_t len)
{
	static const char *const names[] = { "token",	    "passw",	  "secret",	"apikey",
					     "api-key",	    "api_key",	  "credential", "auth",
					     "private-key", "access-key", "access_key", "cookie",
					     "bearer" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (contains_fold(s, len, names[i]))
			return true;
	return false;
}

/* Well-known beginnings of tokens. */
static bool secret_value(const char *s, size_t len)
{
	static const char *const starts[] = { "sk-",	     "ghp_",   "gho_",	"ghs_",	 "ghu_",
					      "github_pat_", "glpat-", "xoxb-", "xoxp-", "AKIA",
					      "eyJ",	     "npm_",   "hf_",	"AIza" };

	for (size_t i = 0; i < ARRAY_SIZE(starts); i++) {
		size_t n = strlen(starts[i]);

		if (len >= n + 8 && memcmp(s, starts[i], n) == 0)
			return true;
	}
	return false;
}

/* scheme://user:password@host: where the password lies. */
static bool url_secret(const char *s, size_t len, size_t *from, size_t *to)
{
	const char *p = memmem(s, len, "://", 3), *end = s + len, *at = NULL, *colon = NULL;

	if (!p)
		return false;
	for (p += 3; p < end && *p != '/' && *p != '?' && *p != '#'; p++) {
		if (*p == '@')
			at = p;
		else if (*p == ':' && !colon)
			colon = p;
	}
	if (!at)
		return false;
	/* user alone may be a token as well */
	*from = colon && colon < at ? (size_t)(colon + 1 - s)
				    : (size_t)((const char *)memmem(s, len, "://", 3) + 3 - s);
	*to = (size_t)(at - s);
	return true;
}

static void add_escaped(struct buf *b, const char *s, size_t len)
{
	char shown[4 * 256 + 8];

	while (len) {
		size_t n = len < 256 ? len : 256;

		str_escape(shown, sizeof(shown), s, n);
		(void)buf_adds(b, shown);
		s += n;
		len -= n;
	}
}

/* The word after "--token", and the one after "-u" when it is "user:password". */
enum hide { HIDE_NOT, HIDE_NEXT, HIDE_PAIR };

static void add_word(struct buf *b, const char *s, size_t len, enum hide *hide)
{
	const char *eq = memchr(s, '=', len), *colon = memchr(s, ':', len);
	enum hide before = *hide;
	size_t from, to;

	*hide = HIDE_NOT;
	if (len && *s != '-' && (before == HIDE_NEXT || (before == HIDE_PAIR && colon))) {
		(void)buf_adds(b, "***");
	} else if (url_secret(s, len, &from, &to)) {
		add_escaped(b, s, from);
		(void)buf_adds(b, "***");
		add_escaped(b, s + to, len - to);
	} else if (eq && secret_name(s, (size_t)(eq - s))) {
		add_escaped(b, s, (size_t)(eq - s) + 1);
		(void)buf_adds(b, "***");
	} else if (colon && secret_name(s, (size_t)(colon - s))) {
		add_escaped(b, s, (size_t)(colon - s) + 1); /* "Authorization: ..." */
		(void)buf_adds(b, "***");
	} else if (secret_value(s, len)) {
		add_escaped(b, s, 4);
		(void)buf_adds(b, "***");
	} else {
		if (len > 1 && *s == '-')
			*hide = secret_name(s, len)	  ? HIDE_NEXT
				: len == 2 && s[1] == 'u' ? HIDE_PAIR
							  : HIDE_NOT;
		add_escaped(b, s, len);
	}
}

void who_show_words(const char *words, size_t len, char *dst, size_t size)
{
	_cleanup_buf_ struct buf b = BUF_INIT(4 * WORDS_MAX + 1024);
	enum hide hide = HIDE_NOT;

	if (len > WORDS_MAX)
		len = WORDS_MAX;
	for (size_t i = 0; i < len;) {
		size_t n = strnlen(words + i, len - i);

		if (i)
			(void)buf_adds(&b, " ");
		add_word(&b, words + i, n, &hide);
		i += n + 1;
	}
	dst[0] = '\0';
	if (b.failed || !b.len)
		return;
	/* Escaped already: cut, not escaped once more. */
	if (b.len < size)
		memcpy(dst, b.data, b.len + 1);
	else
		(void)snprintf(dst, size, "%.*s...", (int)size - 4, b.data);
}

void who_command(const struct who *w, pid_t pid, char *dst, size_t size)
{
	_cleanup_close_ int dir = open_member(w, pid);
	_cleanup_close_ int fd = dir < 0 ? -1 : openat(dir, "cmdline", O_RDONLY | O_CLOEXEC);
	char words[WORDS_MAX];
	ssize_t n = fd < 0 ? -1 : read(fd, words, sizeof(words));

	dst[0] = '\0';
	if (n > 0)
		who_show_words(words, (size_t)n, dst, size);
}

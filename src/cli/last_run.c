/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/last_run.h"

#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/json_out.h"

#define NOTE_MAX 16384u

void last_run_note(const char *dir, const char *command, const char *workspace,
		   const struct berm_err *why)
{
	_cleanup_close_ int at = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	_cleanup_close_ int fd = -1;
	_cleanup_buf_ struct buf b = BUF_INIT(NOTE_MAX);
	struct timespec ts = { 0 };
	char name[64], when[32];
	struct tm tm;

	(void)clock_gettime(CLOCK_REALTIME, &ts);
	(void)gmtime_r(&ts.tv_sec, &tm);
	(void)strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", &tm);
	json_begin(&b);
	json_member_str(&b, "t", when);
	json_member_str(&b, "command", command);
	json_member_str(&b, "workspace", workspace);
	json_member_str(&b, "error", why->msg);
	json_member_str(&b, "fix", why->fix);
	json_end(&b);
	if (at < 0 || b.failed || buf_adds(&b, "\n") < 0)
		return;
	/* Two runs that fail at once: the last one to be ready counts, whole. */
	(void)snprintf(name, sizeof(name), ".last-failure.%d", (int)getpid());
	fd = openat(at, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	if (fd_write_all(fd, b.data, b.len) < 0 || renameat(at, name, at, LAST_RUN_FILE) < 0)
		(void)unlinkat(at, name, 0);
}

static int member(const json_t *o, const char *name, char **ret)
{
	const char *s = json_string_value(json_object_get(o, name));

	*ret = strdup(s ? s : "");
	return *ret ? 0 : -ENOMEM;
}

int last_run_read(const char *dir, struct last_run *ret, struct berm_err *err)
{
	_cleanup_close_ int at = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	_cleanup_free_ char *text = NULL;
	json_t *o;
	int r = at < 0 ? -errno : fd_read_file(at, LAST_RUN_FILE, NOTE_MAX, &text, NULL);

	if (r == -ENOENT)
		return r;
	if (r < 0)
		return err_errno(err, r, "cannot read %s in %s", LAST_RUN_FILE, dir);
	*ret = (struct last_run){ 0 };
	o = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	if (!json_is_object(o)) {
		json_decref(o);
		return err_set(err, -EBADMSG, "%s in %s is damaged", LAST_RUN_FILE, dir);
	}
	r = member(o, "t", &ret->when);
	if (r >= 0)
		r = member(o, "command", &ret->command);
	if (r >= 0)
		r = member(o, "workspace", &ret->workspace);
	if (r >= 0)
		r = member(o, "error", &ret->error);
	if (r >= 0)
		r = member(o, "fix", &ret->fix);
	json_decref(o);
	if (r < 0) {
		last_run_free(ret);
		return err_set(err, r, "out of memory");
	}
	return 0;
}

void last_run_free(struct last_run *l)
{
	free(l->when);
	free(l->command);
	free(l->workspace);
	free(l->error);
	free(l->fix);
	*l = (struct last_run){ 0 };
}

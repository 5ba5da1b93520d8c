/* SPDX-License-Identifier: Apache-2.0 */
#include "session/settings_write.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

#include "base/fd.h"
#include "policy/json.h"

/* Whoever may read the folder can hold its lock, the command as well: it must not be able to
 * hold up the steward. */
#define LOCK_TRIES 20
#define LOCK_PAUSE_NS 10000000

static int open_below(int dir, const char *rel, uint64_t flags)
{
	struct open_how how = { .flags = flags | O_CLOEXEC,
				.resolve = RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH };
	long fd = syscall(SYS_openat2, dir, rel, &how, sizeof(how));

	return fd < 0 ? -errno : (int)fd;
}

static int lock_folder(int fd)
{
	struct timespec pause = { .tv_nsec = LOCK_PAUSE_NS };

	for (unsigned i = 0; flock(fd, LOCK_EX | LOCK_NB) < 0; i++) {
		if ((errno != EWOULDBLOCK && errno != EINTR) || i == LOCK_TRIES)
			return -errno;
		(void)nanosleep(&pause, NULL);
	}
	return 0;
}

/* The folder that rel lies in, locked until it is closed. *ret_name is rel's last part. */
static int open_folder(const char *dir, const char *rel, const char **ret_name,
		       struct berm_err *err)
{
	const char *slash = strrchr(rel, '/');
	_cleanup_close_ int base = -1, fd = -1;
	char sub[NAME_MAX + 1];
	int r;

	/* The user's own folder may not be there yet; a workspace is. */
	if (mkdir(dir, 0700) < 0 && errno != EEXIST)
		return err_errno(err, -errno, "cannot make %s", dir);
	base = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (base < 0)
		return err_errno(err, -errno, "cannot open %s", dir);
	*ret_name = slash ? slash + 1 : rel;
	if (slash) {
		(void)snprintf(sub, sizeof(sub), "%.*s", (int)(slash - rel), rel);
		if (mkdirat(base, sub, 0755) < 0 && errno != EEXIST)
			return err_errno(err, -errno, "cannot make %s/%s", dir, sub);
		fd = open_below(base, sub, O_RDONLY | O_DIRECTORY);
		if (fd < 0)
			return err_errno(err, fd, "cannot open %s/%s", dir, sub);
	} else {
		fd = take_fd(&base);
	}
	r = lock_folder(fd);
	if (r < 0)
		return err_errno(err, r, "cannot lock the folder of %s/%s", dir, rel);
	return take_fd(&fd);
}

/* "" when there is none. */
static int read_old(int folder, const char *name, const char *shown, char **ret, size_t *ret_len,
		    mode_t *ret_mode, struct berm_err *err)
{
	_cleanup_close_ int fd = open_below(folder, name, O_RDONLY | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	int r;

	*ret_mode = 0644;
	*ret_len = 0;
	if (fd == -ENOENT) {
		*ret = strdup("");
		return *ret ? 0 : err_set(err, -ENOMEM, "out of memory");
	}
	if (fd < 0 || fstat(fd, &st) < 0)
		return err_errno(err, fd < 0 ? fd : -errno, "cannot read %s", shown);
	if (!S_ISREG(st.st_mode) || st.st_nlink > 1 || st.st_uid != geteuid())
		return err_set(err, -EPERM,
			       "%s is not a file of your own with one name: left alone", shown);
	r = fd_read_all(fd, JSON_FILE_MAX, ret, ret_len);
	if (r < 0)
		return err_errno(err, r, "cannot read %s", shown);
	*ret_mode = st.st_mode & 0777;
	return 0;
}

static int replace(int folder, const char *name, const char *shown, const struct buf *text,
		   mode_t mode, struct berm_err *err)
{
	char tmp[NAME_MAX + 1];
	int fd, r;

	(void)snprintf(tmp, sizeof(tmp), ".%s.%d.tmp", name, (int)getpid());
	(void)unlinkat(folder, tmp, 0);
	fd = openat(folder, tmp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_errno(err, -errno, "cannot write beside %s", shown);
	r = fd_write_all(fd, text->data, text->len);
	if (r >= 0 && (fchmod(fd, mode) < 0 || fsync(fd) < 0))
		r = -errno;
	close_quietly(fd);
	if (r >= 0 && renameat(folder, tmp, folder, name) < 0)
		r = -errno;
	if (r < 0) {
		(void)unlinkat(folder, tmp, 0);
		return err_errno(err, r, "cannot write %s", shown);
	}
	return 0;
}

int settings_write(const char *dir, const char *rel, const struct jsonc_change *c,
		   struct berm_err *err)
{
	_cleanup_buf_ struct buf out = BUF_INIT(2u * JSON_FILE_MAX);
	_cleanup_free_ char *old = NULL, *shown = str_printf("%s/%s", dir, rel);
	_cleanup_close_ int folder = -1;
	const char *name = rel;
	mode_t mode;
	size_t len;
	int r;

	if (!shown)
		return err_set(err, -ENOMEM, "out of memory");
	folder = open_folder(dir, rel, &name, err);
	if (folder < 0)
		return folder;
	r = read_old(folder, name, shown, &old, &len, &mode, err);
	if (r >= 0)
		r = jsonc_edit(shown, old, len, c, &out, err);
	return r ? r : replace(folder, name, shown, &out, mode, err);
}

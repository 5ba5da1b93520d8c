/* SPDX-License-Identifier: Apache-2.0 */
/* Ubuntu 23.10 and newer let only programs with an AppArmor profile that says "userns" use
 * what they get of a user namespace. The profile here says no more than that: it confines
 * nothing, and names this very program. */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fd.h"
#include "cli/cli.h"
#include "cli/doctor.h"

#define PROFILE_DIR "/etc/apparmor.d"
#define PROFILE PROFILE_DIR "/berm"
#define PARSER "/usr/sbin/apparmor_parser"

/* A path that stands in quotes in the profile: what AppArmor would read as a pattern or as
 * the end of the string is refused. */
static int own_path(char *dst, struct berm_err *err)
{
	ssize_t n = readlink("/proc/self/exe", dst, PATH_MAX - 1);

	if (n < 0)
		return err_errno(err, -errno, "cannot find out where berm is installed");
	dst[n] = '\0';
	if (strpbrk(dst, "\"\\*?[]{}^@,\n"))
		return err_set(err, -EINVAL, "a profile cannot name the path %s", dst);
	return 0;
}

static int profile_text(struct buf *out, struct berm_err *err)
{
	char path[PATH_MAX];
	int r = own_path(path, err);

	if (r < 0)
		return r;
	(void)buf_addf(out,
		       "# Lets berm use user namespaces (berm doctor --apparmor install).\n"
		       "abi <abi/4.0>,\n"
		       "include <tunables/global>\n"
		       "\n"
		       "profile berm \"%s\" flags=(unconfined) {\n"
		       "  userns,\n"
		       "\n"
		       "  include if exists <local/berm>\n"
		       "}\n",
		       path);
	return out->failed ? err_set(err, -ENOMEM, "out of memory") : 0;
}

int doctor_apparmor_print(void)
{
	_cleanup_buf_ struct buf text = BUF_INIT(8192);
	struct berm_err err = { 0 };

	if (profile_text(&text, &err) < 0)
		return cli_fail(&err);
	(void)fputs(text.data, stdout);
	return cli_finish(0);
}

/* Whole or not at all: AppArmor reads every file of that folder at boot. */
static int write_profile(const struct buf *text, struct berm_err *err)
{
	_cleanup_close_ int dir = open(PROFILE_DIR, O_PATH | O_DIRECTORY | O_CLOEXEC);
	_cleanup_close_ int fd = -1;
	int r;

	if (dir < 0) {
		r = err_errno(err, -errno, "cannot open %s", PROFILE_DIR);
		if (r == -ENOENT)
			err_fix(err, "this host has no AppArmor, and needs no profile");
		return r;
	}
	(void)unlinkat(dir, ".berm.new", 0);
	fd = openat(dir, ".berm.new", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd < 0) {
		r = err_errno(err, -errno, "cannot write %s", PROFILE);
		err_fix(err, "run it as root: sudo berm doctor --apparmor install");
		return r;
	}
	r = fd_write_all(fd, text->data, text->len);
	if (r >= 0 && (fsync(fd) < 0 || renameat(dir, ".berm.new", dir, "berm") < 0))
		r = -errno;
	if (r < 0) {
		(void)unlinkat(dir, ".berm.new", 0);
		return err_errno(err, r, "cannot write %s", PROFILE);
	}
	return 0;
}

int doctor_apparmor_install(void)
{
	static char parser[] = PARSER, replace[] = "--replace", path[] = PROFILE;
	static char *words[] = { parser, replace, path, NULL };
	static char *none[] = { NULL };
	_cleanup_buf_ struct buf text = BUF_INIT(8192);
	struct berm_err err = { 0 };

	if (profile_text(&text, &err) < 0 || write_profile(&text, &err) < 0)
		return cli_fail(&err);
	(void)printf("written: %s\n", PROFILE);
	if (fflush(stdout) == 0)
		(void)execve(PARSER, words, none);
	(void)err_errno(&err, -errno, "cannot start %s", PARSER);
	err_fix(&err, "install the package apparmor, or start the host anew: the profile is loaded "
		      "then");
	return cli_fail(&err);
}

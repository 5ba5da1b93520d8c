/* SPDX-License-Identifier: Apache-2.0 */
/* berm add-dir, berm exclude: one entry more in the project's local settings (SPEC C8). What a
 * run that is going on takes of it at once are rules about hosts; its files and commands are as
 * at its start. */
#include "cli/cli.h"

#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "base/path.h"
#include "cli/local_write.h"
#include "cli/run_opts.h"
#include "policy/layers.h"
#include "policy/pattern.h"

static const char add_dir_usage[] =
	"usage: berm add-dir DIR\n"
	"Makes DIR writable for commands of the project here: " LOCAL_FILE ".\n"
	"It counts from the next run on. As in: berm add-dir ../shared\n";

static const char exclude_usage[] =
	"usage: berm exclude PATTERN\n"
	"Lets commands that match leave the sandbox, where each part of a line does. A\n"
	"convenience, not a boundary. Written to " LOCAL_FILE ".\n"
	"As in: berm exclude 'docker *'\n";

static int add_local(const struct jsonc_change *c, const char *what)
{
	_cleanup_run_opts_ struct run_opts none = RUN_OPTS_INIT;
	_cleanup_free_ char *root = realpath(".", NULL);
	char shown[4 * PATH_MAX];
	struct berm_err err = { 0 };
	struct policy_input in;

	if (!root) {
		(void)err_errno(&err, -errno, "cannot use the current directory");
		return cli_fail(&err);
	}
	run_opts_input(&none, NULL, &in);
	/* The record of trust is written: its folder may have to be made. */
	in.pretend = false;
	if (local_write(&in, root, c, 1, &err) < 0)
		return cli_fail(&err);
	str_escape(shown, sizeof(shown), what, strlen(what));
	(void)printf("%s: in %s\n", shown, LOCAL_FILE);
	return cli_finish(0);
}

/* The one operand; NULL: status is what to return. */
static const char *operand(int argc, char **argv, const char *usage, const char *what, int *status)
{
	struct opt_table none = { 0 };
	struct berm_err err = { 0 };
	struct opt_result res;

	if (opts_parse(&none, NULL, argc, argv, false, &res, &err) < 0) {
		*status = cli_fail(&err);
		return NULL;
	}
	if (res.help) {
		*status = cli_help(usage, &none, NULL);
		return NULL;
	}
	if (argc - res.first != 1 || !argv[res.first][0]) {
		(void)err_set(&err, -EINVAL, "one %s is needed", what);
		err_fix(&err, "berm %s --help shows an example", argv[0]);
		*status = cli_fail(&err);
		return NULL;
	}
	return argv[res.first];
}

int verb_add_dir(int argc, char **argv)
{
	_cleanup_free_ char *real = NULL, *pattern = NULL;
	struct berm_err err = { 0 };
	struct jsonc_change c = { .path = { "files" }, .value = "write" };
	const char *dir;
	struct stat st;
	int status;

	dir = operand(argc, argv, add_dir_usage, "directory", &status);
	if (!dir)
		return status;
	real = realpath(dir, NULL);
	if (!real || stat(real, &st) < 0) {
		(void)err_errno(&err, -errno, "cannot use the directory %s", dir);
		return cli_fail(&err);
	}
	if (!S_ISDIR(st.st_mode) || streq(real, "/")) {
		(void)err_set(&err, -EINVAL, "%s %s", dir,
			      streq(real, "/") ? "is the whole machine" : "is not a directory");
		return cli_fail(&err);
	}
	pattern = pattern_escape(real);
	if (!pattern) {
		(void)err_set(&err, -ENOMEM, "out of memory");
		return cli_fail(&err);
	}
	c.name = pattern;
	return add_local(&c, real);
}

int verb_exclude(int argc, char **argv)
{
	struct jsonc_change c = { .path = { "guard", "excluded_commands" } };
	int status;

	c.value = operand(argc, argv, exclude_usage, "pattern", &status);
	return c.value ? add_local(&c, c.value) : status;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "base/str.h"
#include "cli/run_opts.h"
#include "policy/layers.h"

static const char usage[] =
	"usage: berm init [OPTION]... [DIR]\n"
	"Writes a first policy file with comments for the project in DIR (default: the\n"
	"current directory). It changes nothing until you edit it.\n";

/* Valid as it stands: the tests resolve a policy with it. */
static const char template[] =
	"// berm policy. Comments are allowed. What is in force, and from where:\n"
	"//   berm explain          one path:  berm why write PATH\n"
	"{\n"
	"\t\"version\": 1,\n"
	"\n"
	"\t// \"profile\": \"agent\",       // agent, strict, terminal\n"
	"\n"
	"\t// Paths: none (not there), read, write, ask. Relative ones begin at this\n"
	"\t// project. *, **, ?, [a-z], {a,b} are wildcards. The more specific rule wins.\n"
	"\t\"files\": {\n"
	"\t\t// \"deploy/**\": \"read\",\n"
	"\t\t// \"**/*.tfstate\": \"none\"\n"
	"\t},\n"
	"\n"
	"\t// Hosts: berm explain shows the groups that are allowed anyway. Others are asked\n"
	"\t// for. One host: berm why connect HOST\n"
	"\t\"network\": {\n"
	"\t\t// \"allow\": [\"example.com\", \"*.example.com\", \"db.example.com:5432\"],\n"
	"\t\t// \"groups\": { \"containers\": true }\n"
	"\t},\n"
	"\n"
	"\t\"env\": {\n"
	"\t\t\"unset\": []           // variables that the command does not get\n"
	"\t},\n"
	"\n"
	"\t\"limits\": {\n"
	"\t\t// \"cpu\": 3600,\n"
	"\t\t// \"files\": 1024\n"
	"\t}\n"
	"}\n";

enum place { PLACE_PROJECT, PLACE_LOCAL, PLACE_USER };

static int set_place(void *ctx, const struct opt_def *def, const char *value, struct berm_err *err)
{
	(void)value;
	if (*(enum place *)ctx != PLACE_PROJECT)
		return err_set(err, -EINVAL, "--local and --user exclude each other");
	*(enum place *)ctx = (enum place)def->param;
	return 0;
}

static const struct opt_def defs[] = {
	{ "local", 0, NULL, "write " LOCAL_FILE ", not to be committed", set_place, PLACE_LOCAL },
	{ "user", 0, NULL, "write your own file, for all projects", set_place, PLACE_USER },
};

static int make_dirs(const char *path)
{
	_cleanup_free_ char *copy = strdup(path);

	if (!copy)
		return -ENOMEM;
	for (char *p = copy + 1; *p; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		if (mkdir(copy, 0700) < 0 && errno != EEXIST)
			return -errno;
		*p = '/';
	}
	return mkdir(copy, 0700) < 0 && errno != EEXIST ? -errno : 0;
}

/* Makes dir/name (name may hold one slash: the folder is made) and nothing over
 * what is there; a link in the project is not followed. */
static int write_new(const char *dir, const char *name, mode_t mode)
{
	_cleanup_close_ int at = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC), fd = -1;
	const char *slash = strchr(name, '/');
	int r;

	if (at < 0)
		return -errno;
	if (slash) {
		_cleanup_free_ char *folder = strndup(name, (size_t)(slash - name));
		int sub;

		if (!folder)
			return -ENOMEM;
		if (mkdirat(at, folder, 0755) < 0 && errno != EEXIST)
			return -errno;
		sub = openat(at, folder, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (sub < 0)
			return -errno;
		close_quietly(at);
		at = sub;
		name = slash + 1;
	}
	fd = openat(at, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
	if (fd < 0)
		return -errno;
	r = fd_write_all(fd, template, strlen(template));
	if (r < 0)
		(void)unlinkat(at, name, 0);
	return r;
}

static int init(enum place place, const char *dir)
{
	_cleanup_run_opts_ struct run_opts none = RUN_OPTS_INIT;
	_cleanup_free_ char *config = NULL, *path = NULL;
	const char *name = place == PLACE_LOCAL ? LOCAL_FILE : PROJECT_FILE, *home;
	char shown[4096];
	struct berm_err err = { 0 };
	struct policy_input in;
	int r;

	if (place == PLACE_USER) {
		home = getenv("HOME");
		run_opts_input(&none, NULL, &in);
		if (home && home[0] == '/')
			config = user_config_dir(&in, home);
		if (!config) {
			(void)err_set(&err, -ENOENT, "no home directory for your settings");
			err_fix(&err, "set HOME to an absolute path");
			return cli_fail(&err);
		}
		r = make_dirs(config);
		if (r < 0) {
			(void)err_errno(&err, r, "cannot make %s", config);
			return cli_fail(&err);
		}
		dir = config;
		name = "policy.json";
	}
	r = write_new(dir, name, place == PLACE_PROJECT ? 0644 : 0600);
	path = str_printf("%s/%s", dir, name);
	if (r < 0) {
		(void)err_errno(&err, r, "cannot write %s/%s", dir, name);
		if (r == -EEXIST)
			err_fix(&err,
				"edit the file that is there; berm explain shows what it does");
		return cli_fail(&err);
	}
	str_escape(shown, sizeof(shown), path ? path : name, strlen(path ? path : name));
	(void)printf("wrote %s\n", shown);
	if (place == PLACE_LOCAL)
		(void)puts("When you have edited it: berm trust\n"
			   "Keep it out of git: echo " LOCAL_FILE " >> .git/info/exclude");
	return cli_finish(0);
}

int verb_init(int argc, char **argv)
{
	struct opt_table table = OPT_TABLE(defs);
	enum place place = PLACE_PROJECT;
	struct berm_err err = { 0 };
	struct opt_result res;

	if (opts_parse(&table, &place, argc, argv, false, &res, &err) < 0)
		return cli_fail(&err);
	if (res.help)
		return cli_help(usage, &table, NULL);
	if (argc - res.first > (place == PLACE_USER ? 0 : 1)) {
		(void)err_set(&err, -EINVAL, "%s",
			      place == PLACE_USER ? "--user takes no directory"
						  : "one directory at a time");
		return cli_fail(&err);
	}
	return init(place, argc > res.first ? argv[res.first] : ".");
}

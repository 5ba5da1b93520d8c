/* SPDX-License-Identifier: Apache-2.0 */
/* berm suspend, berm resume. */
#include "cli/cli.h"

#include <stdio.h>

#include "session/warm.h"

static const char suspend_usage[] =
	"usage: berm suspend SESSION...\n"
	"Stops every process in the sessions; their memory stays. Done when it returns.\n";
static const char resume_usage[] = "usage: berm resume SESSION...\n"
				   "Lets the processes go on. What was stopped before stays so.\n";

#define PATIENCE_MS 10000

static int one(int folder, const char *name, enum warm_type type, struct berm_err *err)
{
	_cleanup_close_ int fd = -1;
	struct warm_msg m;
	int r = warm_connect(folder, name, &fd, err);

	if (r < 0)
		return r;
	r = warm_ask(fd, type, 0, PATIENCE_MS, &m);
	if (r < 0)
		return err_errno(err, r, "session %s", name);
	if (m.type == WARM_DONE)
		return 0;
	warm_failed(name, &m, "", err);
	return err->code < 0 ? err->code : -EPROTO;
}

static int each(int argc, char **argv, const char *usage, enum warm_type type)
{
	struct opt_table table = { 0 };
	_cleanup_close_ int folder = -1;
	struct berm_err err = { 0 };
	struct opt_result res;
	int status = 0;

	if (opts_parse(&table, NULL, argc, argv, false, &res, &err) < 0)
		return cli_fail(&err);
	if (res.help)
		return cli_help(usage, &table, NULL);
	if (res.first >= argc) {
		(void)err_set(&err, -EINVAL, "the session is missing");
		err_fix(&err, "berm ls lists the sessions");
		return cli_fail(&err);
	}
	if (warm_folder(false, &folder, &err) < 0)
		return cli_fail(&err);
	for (int i = res.first; i < argc; i++)
		if (one(folder, argv[i], type, &err) < 0)
			status = cli_fail(&err);
	return status;
}

int verb_suspend(int argc, char **argv)
{
	return each(argc, argv, suspend_usage, WARM_SUSPEND);
}

int verb_resume(int argc, char **argv)
{
	return each(argc, argv, resume_usage, WARM_RESUME);
}

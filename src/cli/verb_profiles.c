/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli.h"

#include <stdio.h>

#include "base/str.h"
#include "base/json_out.h"

static const char usage[] = "usage: berm profiles [OPTION]...\n"
			    "Lists the names that berm run --profile takes.\n";

static const struct {
	const char *name, *text;
} profiles[] = {
	{ "agent", "For coding agents (default). The workspace is writable, the home directory is\n"
		   "private, secret-named files in the workspace cannot be written. Hosts of the\n"
		   "usual providers, forges and registries are reached; others are asked for." },
	{ "strict",
	  "As agent; secret-named files in the workspace cannot be read either (each open\n"
	  "is looked at, which costs time), and nothing in it can be executed. Of hosts\n"
	  "only those of language models are reached unasked." },
	{ "terminal",
	  "For a person at a terminal: your own home directory is shown, read-only, with\n"
	  "secrets masked. The network is open, but for private and local addresses." },
};

static int set_json(void *ctx, const struct opt_def *def, const char *value, struct berm_err *err)
{
	(void)def;
	(void)value;
	(void)err;
	*(bool *)ctx = true;
	return 0;
}

static const struct opt_def defs[] = {
	{ "json", 0, NULL, "print it for machines", set_json, 0 },
};

static void print_json(void)
{
	_cleanup_buf_ struct buf b = BUF_INIT(4096);

	(void)buf_adds(&b, "[");
	for (size_t i = 0; i < ARRAY_SIZE(profiles); i++) {
		if (i)
			(void)buf_adds(&b, ",");
		json_begin(&b);
		json_member_str(&b, "name", profiles[i].name);
		json_member_str(&b, "description", profiles[i].text);
		json_end(&b);
	}
	(void)buf_adds(&b, "]");
	if (!b.failed)
		(void)puts(b.data);
}

int verb_profiles(int argc, char **argv)
{
	struct opt_table table = OPT_TABLE(defs);
	struct berm_err err = { 0 };
	struct opt_result res;
	bool json = false;

	if (opts_parse(&table, &json, argc, argv, false, &res, &err) < 0)
		return cli_fail(&err);
	if (res.help)
		return cli_help(usage, &table, NULL);
	if (res.first < argc) {
		(void)err_set(&err, -EINVAL, "berm profiles takes no argument");
		return cli_fail(&err);
	}
	if (json) {
		print_json();
		return cli_finish(0);
	}
	for (size_t i = 0; i < ARRAY_SIZE(profiles); i++)
		(void)printf("%s\n%s\n%s", profiles[i].name, profiles[i].text,
			     i + 1 < ARRAY_SIZE(profiles) ? "\n" : "");
	return cli_finish(0);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* attack GROUP FORM [ARG]: runs one form and says how the kernel answered. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attack.h"

static const struct group groups[] = {
	{ "make", make_forms },	 { "make", make2_forms }, { "modify", modify_forms },
	{ "read", read_forms },	 { "sys", sys_forms },	  { "proc", proc_forms },
	{ "net", net_forms },	 { "ipc", ipc_forms },	  { "race", race_forms },
	{ "race", race2_forms }, { NULL, NULL },
};

static void list_forms(const char *group)
{
	for (const struct group *g = groups; g->name; g++) {
		if (group && strcmp(group, g->name))
			continue;
		for (const struct form *f = g->forms; f->name; f++)
			printf("%s %s\n", g->name, f->name);
	}
}

static const struct form *find_form(const char *group, const char *name)
{
	for (const struct group *g = groups; g->name; g++) {
		if (strcmp(g->name, group))
			continue;
		for (const struct form *f = g->forms; f->name; f++)
			if (!strcmp(f->name, name))
				return f;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	const struct form *f;
	const char *e;
	long ret;

	setvbuf(stdout, NULL, _IONBF, 0);
	if (argc >= 2 && !strcmp(argv[1], "list")) {
		list_forms(argc > 2 ? argv[2] : NULL);
		return 0;
	}
	if (argc < 3) {
		fprintf(stderr, "usage: attack GROUP FORM [ARG] | attack list [GROUP]\n");
		return 2;
	}
	f = find_form(argv[1], argv[2]);
	if (!f) {
		fprintf(stderr, "attack: no form %s %s\n", argv[1], argv[2]);
		return 2;
	}
	errno = 0;
	ret = f->run(argc > 3 ? argv[3] : "");
	if (ret >= 0) {
		printf("%s %s: ok\n", argv[1], argv[2]);
		return 0;
	}
	e = strerrorname_np(errno);
	printf("%s %s: %s\n", argv[1], argv[2], e ? e : "unknown errno");
	return 1;
}

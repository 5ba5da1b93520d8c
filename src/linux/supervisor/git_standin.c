/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "linux/supervisor/git.h"
#include "linux/supervisor/open.h"

int git_open_new(struct request *r, const struct opening *o, struct place *p, enum git_role role)
{
	(void)o;
	(void)role;
	return report_denial(r, OP_CREATE, p->path, NULL, "git's file", EACCES);
}

int git_open_existing(struct request *r, const struct opening *o, struct place *p,
		      enum git_role role)
{
	(void)o;
	(void)role;
	if (place_type(p, NULL) == FT_NONE)
		return -ENOENT;
	return report_denial(r, OP_WRITE, p->path, NULL, "git's file", EACCES);
}

void git_settle(struct sup *s, struct worker *w)
{
	(void)s;
	(void)w;
}

int git_events(const struct sup *s)
{
	(void)s;
	return -1;
}

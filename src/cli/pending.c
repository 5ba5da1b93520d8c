/* SPDX-License-Identifier: Apache-2.0 */
/* Stands in until the supervisor lands in this tree: trapped calls then fail. */
#include "linux/supervisor.h"

__attribute__((weak)) int supervisor_run(struct supervisor *s)
{
	(void)s;
	return -ENOSYS;
}

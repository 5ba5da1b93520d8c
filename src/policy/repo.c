/* SPDX-License-Identifier: Apache-2.0 */
#include "policy/repo.h"

int repo_resolve(struct spec *s, const struct policy_input *in, struct berm_err *err)
{
	return 0;
}

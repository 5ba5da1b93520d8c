/* SPDX-License-Identifier: Apache-2.0 */
#include "policy/front_impl.h"
const struct front_key front_codex_keys[] = { { "x", FRONT_NO_MATTER, "", NULL, 0, 0 } };
const size_t front_codex_keys_n = 1;
const struct front_key front_codex_requirements_keys[] = { { "x", FRONT_NO_MATTER, "", NULL, 0,
							     0 } };
const size_t front_codex_requirements_keys_n = 1;
int front_codex_parse(struct front *f, char *text, size_t len)
{
	return err_set(f->err, -ENOTSUP, "no");
}
int front_codex_rules(struct front *f, const char *text, size_t len)
{
	return err_set(f->err, -ENOTSUP, "no");
}

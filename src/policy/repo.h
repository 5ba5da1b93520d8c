/* SPDX-License-Identifier: Apache-2.0 */
/* policy/ only: what the workspace's own repository asks for. */
#pragma once

#include "policy/resolve.h"

/* Protects the folders that the repository's config makes git run or read code from,
 * and gives a linked worktree the access to its main repository that git needs. */
int repo_resolve(struct spec *s, const struct policy_input *in, struct berm_err *err);

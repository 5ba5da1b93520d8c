/* SPDX-License-Identifier: Apache-2.0 */
/* policy/ only: the readers that the table of Codex's keys names. */
#pragma once

#include "policy/front_impl.h"

/* shell_environment_policy: exclude, include_only, inherit, set. */
int codex_take_exclude(struct front *f, const struct json_node *n, const struct front_key *k);
int codex_take_include(struct front *f, const struct json_node *n, const struct front_key *k);
int codex_take_inherit(struct front *f, const struct json_node *n, const struct front_key *k);
int codex_take_env_set(struct front *f, const struct json_node *n, const struct front_key *k);

/* approval_policy. */
int codex_take_approval(struct front *f, const struct json_node *n, const struct front_key *k);

/* requirements.toml: allowed_sandbox_modes, permissions.filesystem.deny_read,
 * rules.prefix_rules, experimental_network. */
int codex_take_allowed_modes(struct front *f, const struct json_node *n, const struct front_key *k);
int codex_take_deny_read(struct front *f, const struct json_node *n, const struct front_key *k);
int codex_take_prefix_rules(struct front *f, const struct json_node *n, const struct front_key *k);
int codex_take_domains(struct front *f, const struct json_node *n, const struct front_key *k);
int codex_take_no_network(struct front *f, const struct json_node *n, const struct front_key *k);
int codex_take_managed_domains(struct front *f, const struct json_node *n,
			       const struct front_key *k);

/* One domain in Codex's form ("**.x" is x and all below it). */
int codex_domain(struct front *f, const struct json_node *n, const char *pattern, enum decision d);

/* SPDX-License-Identifier: Apache-2.0 */
/* The lists of data/, compiled in by data/gen.py. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/data_list.h"

/* A row of data/address-ranges. */
struct data_range {
	uint8_t v6;
	uint8_t prefix;
	bool hard; /* no rule opens it */
	uint8_t bytes[16];
	const char *group; /* what is said about it: "cloud metadata" */
};

/* The file data/domains/NAME: hosts that are allowed together. */
struct data_group {
	const char *name;
	const struct data_list *list;
};

extern const struct data_range data_address_ranges[];
extern const size_t data_address_ranges_n;
extern const struct data_group data_domain_groups[];
extern const size_t data_domain_groups_n;
extern const struct data_list data_domains_deny;
extern const struct data_list data_agent_dirs;
extern const struct data_list data_dangerous_binaries;
extern const struct data_list data_dependency_dirs;
extern const struct data_list data_env_allow;
extern const struct data_list data_env_scrub;
extern const struct data_list data_env_secret;
extern const struct data_list data_git_config_keys;
extern const struct data_list data_guard_defaults;
extern const struct data_list data_guard_modes;
extern const struct data_list data_home_allow;
extern const struct data_list data_host_kinds;
extern const struct data_list data_learn_caches;
extern const struct data_list data_protected_names;
extern const struct data_list data_protected_refs;
extern const struct data_list data_remember_never;
extern const struct data_list data_secret_names;
extern const struct data_list data_secret_paths;

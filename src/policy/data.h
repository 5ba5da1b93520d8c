/* SPDX-License-Identifier: Apache-2.0 */
/* The lists of data/, compiled in by data/gen.py. */
#pragma once

#include <stddef.h>

struct data_entry {
	const char *text;
	const char *group; /* the "@name" line above it, NULL none */
	unsigned line;
};

struct data_list {
	const char *file; /* "data/secret-names" */
	const struct data_entry *rows;
	size_t n;
};

extern const struct data_list data_agent_dirs;
extern const struct data_list data_dangerous_binaries;
extern const struct data_list data_dependency_dirs;
extern const struct data_list data_env_allow;
extern const struct data_list data_env_scrub;
extern const struct data_list data_env_secret;
extern const struct data_list data_git_config_keys;
extern const struct data_list data_home_allow;
extern const struct data_list data_protected_names;
extern const struct data_list data_secret_names;
extern const struct data_list data_secret_paths;

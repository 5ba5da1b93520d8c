/* SPDX-License-Identifier: Apache-2.0 */
/* The lists of data/ that are about commands. */
#pragma once

#include "base/data_list.h"

extern const struct data_list data_commands_ask;
extern const struct data_list data_commands_deny;
extern const struct data_list data_commands_effects;
extern const struct data_list data_commands_env;
extern const struct data_list data_commands_git_keys;
extern const struct data_list data_commands_known;
extern const struct data_list data_commands_readonly;

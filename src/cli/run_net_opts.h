/* SPDX-License-Identifier: Apache-2.0 */
/* The options about the network, about who is asked and about the tier; see run_opts.h. */
#pragma once

#include "cli/run_opts.h"

/* set() of struct opt_def. */
int set_net(void *ctx, const struct opt_def *def, const char *value, struct berm_err *err);
/* param: enum decision */
int set_domain(void *ctx, const struct opt_def *def, const char *value, struct berm_err *err);
/* param: enum net_list_opt */
int set_net_list(void *ctx, const struct opt_def *def, const char *value, struct berm_err *err);
int set_no_proxy_env(void *ctx, const struct opt_def *def, const char *value, struct berm_err *err);
int set_approver(void *ctx, const struct opt_def *def, const char *value, struct berm_err *err);
/* The weakest sandbox that is taken: said by whoever runs berm, never by a file. */
int set_tier(void *ctx, const struct opt_def *def, const char *value, struct berm_err *err);
/* "net=NAME": the best rung that is tried. For tests: it only takes away. */
int set_test_cap(void *ctx, const struct opt_def *def, const char *value, struct berm_err *err);

enum net_list_opt { NET_LIST_PUBLISH, NET_LIST_HOST_PORT, NET_LIST_SOCKET };

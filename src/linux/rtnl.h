/* SPDX-License-Identifier: Apache-2.0 */
/* The namespace's only interface, its addresses and the routes that make every address
 * its own ("AnyIP"): whatever the command calls, the kit's sockets hear it. */
#pragma once

#include <stdbool.h>

#include "linux/nlmsg.h"

/* Fills b; the last message asks for an answer. Returns the number of the first message
 * about IPv6, or of the one after the last when v6 is false. */
uint32_t rtnl_build(struct nl_buf *b, bool v6);

/* Sends it over a NETLINK_ROUTE socket of the namespace. *v6 says whether to try, and then
 * whether it worked: a host may have no IPv6. 0 or a negative errno. */
int rtnl_setup(int fd, bool *v6);

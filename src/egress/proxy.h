/* SPDX-License-Identifier: Apache-2.0 */
/* The proxies inside: HTTP (CONNECT and absolute form) and SOCKS, told apart by the first
 * byte on either port. The same rules, questions and checks as at the gate. */
#pragma once

#include "egress/broker.h"
#include "egress/tuple.h"

/* Inlets: fd is taken. */
void proxy_http_accepted(struct broker *b, int fd, const struct tuple *t, unsigned index);
void proxy_socks_accepted(struct broker *b, int fd, const struct tuple *t, unsigned index);

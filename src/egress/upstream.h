/* SPDX-License-Identifier: Apache-2.0 */
/* A corporate proxy between the host and the world: who it is, what is asked of it, and
 * which hosts are dialled without it (NO_PROXY, as curl reads it). Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "policy/host.h"

#define UPSTREAM_CONNECT_MAX 2048

struct upstream {
	struct host host;
	uint16_t port;
	char auth[1024]; /* base64 of user:password, "" none. A secret */
};

/* "http://[user[:password]@]host[:port][/]", "host:port"; user and password are
 * percent-decoded. Errors never show them. The text is the caller's to wipe. */
int upstream_parse(const char *url, struct upstream *ret, struct berm_err *err);
/* Wipes the secret. */
void upstream_wipe(struct upstream *u);

/* "CONNECT host:port HTTP/1.1 ..." into dst (UPSTREAM_CONNECT_MAX bytes), which holds the
 * secret then: the caller wipes it (explicit_bzero) once it is sent. Returns the length. The
 * answer is read with http_answer_feed(): 200 to 299 is a tunnel. */
size_t upstream_connect(const struct upstream *u, const struct host *h, uint16_t port, char *dst);

/* Is h dialled without the proxy? no_proxy: entries divided by commas or blanks: "*", a name
 * (itself and what is below it, with or without a leading dot or "*."), an address, a CIDR
 * range, each but the last with an optional ":port". Loopback never goes to the proxy. */
bool upstream_skips(const char *no_proxy, const struct host *h, uint16_t port);

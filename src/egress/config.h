/* SPDX-License-Identifier: Apache-2.0 */
/* What the steward tells the broker: the text in the sealed memfd of EG_CONFIG. Lines
 * "key value", then "policy" and the rules as net_policy_write() makes them. It holds the
 * upstream proxy's password: it goes through a memfd, never argv or the environment. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "policy/net.h"
#include "policy/spec.h"

#define EG_CONFIG_MAX (4u << 20)

struct eg_forward {
	uint16_t host, inside;
};

struct eg_config {
	struct net_policy *policy;
	struct eg_forward publish[32], host_ports[32];
	size_t n_publish, n_host_ports;
	uint16_t http_proxy_port, socks_proxy_port;
	char *upstream; /* NULL: none; a secret */
	char *no_proxy; /* NULL: none */
	bool cut;
	unsigned ask_seconds;
};

/* Steward's side. 0, -ENOBUFS, -ENOMEM, or -EINVAL for a value that holds a newline. */
int eg_config_write(const struct net_spec *n, struct buf *out);

/* Broker's side. Strict: an unknown line is an error. Caller frees. */
int eg_config_read(const char *text, size_t len, struct eg_config **ret, struct berm_err *err);
void eg_config_free(struct eg_config *c);

/* A memfd with the text, sealed against every change; for the steward to pass. Returns the
 * descriptor or a negative errno. */
int eg_config_memfd(const struct net_spec *n);

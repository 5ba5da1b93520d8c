/* SPDX-License-Identifier: Apache-2.0 */
/* The steward between a warden, a broker and a client, all three played by the test. The
 * steward runs the test's own file as its broker, which passes messages through: on
 * the kit's KIT_DIAG stands the test. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "egress/proto.h"
#include "plan/net_kit.h"
#include "policy/net.h"
#include "session/internal.h"

struct stage {
	struct spec spec;
	struct net_policy policy;
	struct net_rule rules[2];
	struct session *session;
	struct net_kit kit;
	int warden, diag, packet, client; /* our ends; -1 closed */
	int theirs[3];
	pid_t steward;
	FILE *lines; /* what the client is told */
};

extern struct net_record told; /* the last record */
extern char told_text[7][512]; /* and its texts */

/* Is this process the broker? Then this is its life. */
void stage_broker(void) _noreturn_;

/* For cmocka_unit_test_setup_teardown(). Rules: allow good.test, deny bad.test, ask the rest. */
int stage_up(void **state);
int stage_down(void **state);

/* Lets the steward begin; and with the first packet, up to the broker's first words. */
void start(struct stage *s);
void first_packet(struct stage *s);

/* A message that comes in time. */
ssize_t receive(int fd, void *dst, size_t size);

/* The broker says, and hears. */
void say(struct stage *s, struct eg_msg *m, const char *host, const char *reason);
void say_ask(struct stage *s, uint32_t id, const char *host, uint16_t port);
void hears_answer(struct stage *s, uint32_t id, enum decision d, enum eg_hold hold);
/* A new configuration that holds `part`. */
void hears_config(struct stage *s, const char *part);

/* The warden is told: into told and told_text; REC_DEGRADED with `part` in it. */
void is_told(struct stage *s, enum rec_type type);
void is_degraded(struct stage *s, const char *part);

/* The client. */
void client_hears(struct stage *s, const char *part);
void client_says(struct stage *s, unsigned id, const char *inner);

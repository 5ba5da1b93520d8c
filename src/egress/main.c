/* SPDX-License-Identifier: Apache-2.0 */
/* berm-egress: the broker of one session's network (docs/architecture.md). Started by the
 * steward when the first packet wants out, with descriptor 3, its line to the steward, and
 * the sandbox's sockets from 4 on. Whatever fails before it is ready ends it: the sandbox
 * then has no network. */
#include <malloc.h>
#include <signal.h>
#include <sys/prctl.h>

#include "base/err.h"
#include "base/fd.h"
#include "egress/aim.h"
#include "egress/ask.h"
#include "egress/broker.h"
#include "egress/confine.h"
#include "egress/control.h"
#include "egress/dns_serve.h"
#include "egress/forward.h"
#include "egress/gate.h"
#include "egress/inlet.h"
#include "egress/relay.h"
#include "egress/resolve.h"
#include "egress/who.h"

#define CONTROL 3

static int set_up(struct broker *b, struct berm_err *err)
{
	const char *lacks;
	int r = loop_init(&b->loop);

	if (r == 0)
		r = hash_init();
	if (r == 0)
		r = b->route = who_route_socket();
	if (r >= 0)
		r = resolver_init(b);
	if (r < 0)
		return err_errno(err, r, "cannot set up the broker");
	r = confine(&lacks, err);
	if (r < 0)
		return r;
	if (lacks)
		control_degraded(CONTROL, lacks);
	r = control_read_config(CONTROL, &b->config, err);
	if (r < 0)
		return r;
	r = control_init(b, CONTROL);
	if (r == 0)
		r = aims_init(b);
	if (r == 0)
		r = asks_init(b);
	if (r == 0)
		r = relay_init(b);
	if (r == 0)
		r = dns_init(b);
	if (r == 0)
		r = forward_init(b);
	if (r == 0)
		r = gate_init(b);
	if (r == 0)
		r = inlets_init(b);
	if (r < 0)
		return err_errno(err, r, "cannot take over the sandbox's sockets");
	return 0;
}

int main(void)
{
	static struct broker b;
	struct berm_err err = { 0 };
	struct eg_msg ready = { .type = EG_READY };
	int r;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	(void)signal(SIGPIPE, SIG_IGN);
	/* One heap for all threads: they hold little, and each of its own would cost pages. */
	(void)mallopt(M_ARENA_MAX, 1);
	r = control_read_kit(CONTROL, &b.kit);
	if (r < 0) {
		(void)fputs("berm-egress: started by berm only\n", stderr);
		return 2;
	}
	b.diag = b.kit.fd[KIT_DIAG];
	r = set_up(&b, &err);
	if (r < 0) {
		control_degraded(CONTROL, err.msg);
		return 1;
	}
	control_send(&b, &ready, &(struct control_texts){ 0 });
	r = loop_run(&b.loop);
	if (r < 0)
		control_degraded(CONTROL, "the broker's loop failed");
	return r < 0;
}

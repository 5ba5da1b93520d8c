/* SPDX-License-Identifier: Apache-2.0 */
/* Input: messages of a broker that somebody has taken over, each behind its length (two
 * bytes). The steward stays whole, and what it tells the warden is in form. */
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

#include "session/steward_impl.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int ok)
{
	if (!ok)
		abort();
}

static void check_told(int warden)
{
	static struct net_record rec;
	ssize_t n;

	while ((n = recv(warden, &rec, sizeof(rec), MSG_DONTWAIT)) > 0) {
		size_t text = 0;

		must(rec.magic == REC_MAGIC);
		if (rec.type == REC_DEGRADED)
			continue;
		must((size_t)n >= offsetof(struct net_record, text));
		for (size_t i = 0; i < ARRAY_SIZE(rec.len); i++)
			text += rec.len[i];
		must((size_t)n == offsetof(struct net_record, text) + text);
		/* Everything that is shown somewhere. */
		for (size_t i = 0; i < text; i++)
			must((unsigned char)rec.text[i] >= 0x20 && rec.text[i] != 0x7f);
	}
}

static void set_rule(struct net_rule *r, const char *pattern, enum decision d)
{
	static char text[] = "a rule";
	struct berm_err err;

	must(host_pattern_parse(pattern, false, &r->pat, &err) == 0);
	r->decision = d;
	r->text = text;
	r->origin = (struct origin){ "f", 1 };
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct steward st;
	struct net_rule rules[2] = { 0 };
	struct net_policy policy = {
		.mode = NET_ALLOW, .rules = rules, .n_rules = 2, .fallback = VERDICT_ASK
	};
	struct spec spec = { .network = { .policy = &policy, .ask_seconds = 60 } };
	struct session session = { .spec = &spec };
	struct net_kit kit;
	int broker[2], warden[2];

	set_rule(&rules[0], "*.good.test", VERDICT_ALLOW);
	set_rule(&rules[1], "bad.test", VERDICT_DENY);
	memset(&kit, 0xff, sizeof(kit));
	must(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, broker) == 0 &&
	     socketpair(AF_UNIX, SOCK_SEQPACKET, 0, warden) == 0);
	st = (struct steward){ .s = &session,
			       .spec = &spec,
			       .kit = &kit,
			       .warden = warden[0],
			       .broker = broker[0],
			       .broker_pid = INT_MAX, /* nobody's */
			       .policy = &policy,
			       .watch = SETTINGS_WATCH_INIT,
			       .who = { .proc = -1 } };
	outbox_init(&st.to_warden, warden[0]);
	outbox_init(&st.to_broker, broker[0]);
	while (size > 2 && st.broker >= 0) {
		size_t n = (size_t)data[0] << 8 | data[1];

		n = n < size - 2 ? n : size - 2;
		(void)send(broker[1], data + 2, n, MSG_DONTWAIT | MSG_NOSIGNAL);
		data += 2 + n;
		size -= 2 + n;
		broker_ready(&st);
		while (recv(broker[1], (char[4096]){ 0 }, 4096, MSG_DONTWAIT) > 0)
			;
		check_told(warden[1]);
	}
	ask_queue_free(&st.asks);
	outbox_free(&st.to_warden);
	outbox_free(&st.to_broker);
	close_quietly(st.broker);
	close_quietly(broker[1]);
	close_quietly(warden[0]);
	close_quietly(warden[1]);
	return 0;
}

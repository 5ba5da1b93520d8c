/* SPDX-License-Identifier: Apache-2.0 */
#include "steward_stage.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "session/steward.h"

#define WAIT_MS 10000

/* ---- the broker's part ---------------------------------------------------------- */

static void pass_config(int control, int to)
{
	char text[60000], data[2048];
	union {
		struct cmsghdr hdr;
		char buf[CMSG_SPACE(sizeof(int))];
	} ctl;
	struct iovec iov = { .iov_base = data, .iov_len = sizeof(data) };
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = ctl.buf,
			      .msg_controllen = sizeof(ctl.buf) };
	ssize_t n = recvmsg(control, &msg, 0);
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
	int fd = -1;

	if (n <= 0)
		_exit(0);
	(void)send(to, data, (size_t)n, 0);
	if (!c)
		return;
	memcpy(&fd, CMSG_DATA(c), sizeof(int));
	n = pread(fd, text, sizeof(text), 0);
	(void)send(to, text, n > 0 ? (size_t)n : 0, 0);
	(void)close(fd);
}

void stage_broker(void)
{
	static struct net_kit kit;
	struct pollfd p[2] = { { .fd = 3, .events = POLLIN }, { .events = POLLIN } };
	char data[4096];
	ssize_t n;

	if (recv(3, &kit, sizeof(kit), 0) != sizeof(kit) || kit.fd[KIT_DIAG] < 4 || environ[0])
		_exit(9);
	p[1].fd = kit.fd[KIT_DIAG];
	(void)send(p[1].fd, &kit, sizeof(kit), 0);
	while (poll(p, 2, -1) > 0) {
		if (p[0].revents)
			pass_config(3, p[1].fd);
		if (!p[1].revents)
			continue;
		n = recv(p[1].fd, data, sizeof(data), 0);
		if (n <= 0)
			_exit(3);
		(void)send(3, data, (size_t)n, 0);
	}
	_exit(0);
}

/* ---- the stage ------------------------------------------------------------------- */

static void make_pair(int type, int *ours, int *theirs)
{
	int fd[2];

	assert_int_equal(socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, fd), 0);
	*ours = fd[0];
	*theirs = fd[1];
}

static void set_rule(struct net_rule *r, const char *pattern, enum decision d, char *text)
{
	struct berm_err err = { 0 };

	assert_int_equal(host_pattern_parse(pattern, false, &r->pat, &err), 0);
	r->decision = d;
	r->text = text;
	r->layer = LAYER_USER;
	r->origin = (struct origin){ "policy.json", 7 };
}

int stage_up(void **state)
{
	static char allow[] = "allow-domain good.test", deny[] = "deny-domain bad.test";
	struct stage *s = calloc(1, sizeof(*s));
	int theirs;

	assert_non_null(s);
	*state = s;
	set_rule(&s->rules[0], "good.test", VERDICT_ALLOW, allow);
	set_rule(&s->rules[1], "bad.test", VERDICT_DENY, deny);
	s->policy = (struct net_policy){
		.mode = NET_ALLOW, .rules = s->rules, .n_rules = 2, .fallback = VERDICT_ASK
	};
	(void)snprintf(s->spec.session, sizeof(s->spec.session), "b-0");
	s->spec.net = NET_ALLOW;
	s->spec.network.policy = &s->policy;
	s->spec.network.ask_seconds = 60;
	s->session = session_new(&s->spec);
	assert_non_null(s->session);
	s->session->broker = open("/proc/self/exe", O_PATH | O_CLOEXEC);
	assert_true(s->session->broker >= 0);
	make_pair(SOCK_SEQPACKET, &s->warden, &s->theirs[0]);
	make_pair(SOCK_SEQPACKET, &s->diag, &s->theirs[1]);
	make_pair(SOCK_SEQPACKET, &s->packet, &s->theirs[2]);
	make_pair(SOCK_STREAM, &s->client, &theirs);
	for (size_t i = 0; i < KIT_MAX; i++)
		s->kit.fd[i] = -1;
	s->kit.fd[KIT_DIAG] = s->theirs[1];
	s->kit.fd[KIT_TCP4] = s->theirs[2];
	s->kit.init_pid = getpid();
	s->session->approvers.v[0] = (struct approver_setup){
		.kind = APPROVER_CLIENT, .name = "fd", .in = theirs, .out = theirs
	};
	s->session->approvers.n = 1;
	s->lines = fdopen(s->client, "r");
	assert_non_null(s->lines);
	return 0;
}

int stage_down(void **state)
{
	struct stage *s = *state;

	if (s->steward > 0) {
		(void)kill(s->steward, SIGKILL);
		(void)waitpid(s->steward, NULL, 0);
	}
	close_quietly(s->warden);
	close_quietly(s->diag);
	close_quietly(s->packet);
	if (s->lines)
		(void)fclose(s->lines);
	session_free(s->session);
	free(s);
	return 0;
}

void start(struct stage *s)
{
	s->steward = fork();
	assert_true(s->steward >= 0);
	if (s->steward == 0) {
		(void)close(s->warden);
		(void)close(s->diag);
		(void)close(s->packet);
		(void)close(s->client);
		session_steward(s->session, &s->kit, s->theirs[0]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(s->theirs); i++)
		(void)close(s->theirs[i]);
	approver_setups_close(&s->session->approvers, false);
}

ssize_t receive(int fd, void *dst, size_t size)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	if (poll(&p, 1, WAIT_MS) != 1)
		fail_msg("nothing came");
	return recv(fd, dst, size, 0);
}

void hears_config(struct stage *s, const char *part)
{
	static char text[60000];
	struct eg_msg m;
	ssize_t n;

	assert_int_equal(receive(s->diag, &m, sizeof(m)), EG_MSG_SIZE(0));
	assert_int_equal(m.type, EG_CONFIG);
	n = receive(s->diag, text, sizeof(text) - 1);
	assert_true(n > 0);
	text[n] = '\0';
	if (!strstr(text, part))
		fail_msg("%s", text);
}

/* The first packet, and what the broker is told at its start. */
void first_packet(struct stage *s)
{
	static struct net_kit kit;

	start(s);
	assert_int_equal(send(s->packet, "x", 1, 0), 1);
	assert_int_equal(receive(s->diag, &kit, sizeof(kit)), sizeof(kit));
	assert_int_equal(kit.fd[KIT_RTNL], -1);
	assert_true(kit.fd[KIT_TCP4] >= 4);
	hears_config(s, "good.test");
}

/* The broker says. */
void say(struct stage *s, struct eg_msg *m, const char *host, const char *reason)
{
	m->magic = EG_MAGIC;
	m->host_len = (uint16_t)strlen(host);
	m->reason_len = (uint16_t)strlen(reason);
	memcpy(m->text, host, m->host_len);
	memcpy(m->text + m->host_len, reason, m->reason_len);
	assert_true(send(s->diag, m, EG_MSG_SIZE((size_t)m->host_len + m->reason_len), 0) > 0);
}

void say_ask(struct stage *s, uint32_t id, const char *host, uint16_t port)
{
	struct eg_msg m = { .type = EG_ASK, .id = id, .port = port };

	say(s, &m, host, "");
}

void hears_answer(struct stage *s, uint32_t id, enum decision d, enum eg_hold hold)
{
	struct eg_msg m;

	assert_int_equal(receive(s->diag, &m, sizeof(m)), EG_MSG_SIZE(0));
	assert_int_equal(m.type, EG_ANSWER);
	assert_int_equal(m.id, id);
	assert_int_equal(m.decision, d);
	assert_int_equal(m.hold, hold);
}

struct net_record told;
char told_text[7][512];

void is_told(struct stage *s, enum rec_type type)
{
	const char *p = told.text;

	assert_true(receive(s->warden, &told, sizeof(told)) > 0);
	assert_int_equal(told.magic, REC_MAGIC);
	assert_int_equal(told.type, type);
	for (size_t i = 0; i < ARRAY_SIZE(told_text) && type != REC_DEGRADED; i++) {
		(void)snprintf(told_text[i], sizeof(told_text[i]), "%.*s", told.len[i], p);
		p += told.len[i];
	}
}

/* The whole text of a REC_DEGRADED. */
void is_degraded(struct stage *s, const char *part)
{
	static struct record rec;
	ssize_t n = receive(s->warden, &rec, sizeof(rec));

	assert_true(n > (ssize_t)sizeof(rec.h));
	assert_int_equal(rec.h.type, REC_DEGRADED);
	rec.text[(size_t)n - sizeof(rec.h)] = '\0';
	if (!strstr(rec.text, part))
		fail_msg("%s", rec.text);
}

void client_hears(struct stage *s, const char *part)
{
	static char line[65536];

	assert_non_null(fgets(line, sizeof(line), s->lines));
	if (!strstr(line, part))
		fail_msg("%s", line);
}

void client_says(struct stage *s, unsigned id, const char *inner)
{
	_cleanup_free_ char *line =
		str_printf("{\"type\":\"control_response\",\"response\":{\"subtype\":\"success\","
			   "\"request_id\":\"berm-%u\",\"response\":%s}}\n",
			   id, inner);

	assert_non_null(line);
	assert_true(write(s->client, line, strlen(line)) > 0);
}

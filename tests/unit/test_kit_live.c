/* SPDX-License-Identifier: Apache-2.0 */
/* The kit in a real network namespace, on each rung, by root (when the test runs as root) and
 * by an ordinary user: a process of this test stands for init, one for the command, and
 * the test itself is the steward and a broker that knows a few ports. What the command sees
 * is written down as text and compared. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_queue.h>
#include <linux/netfilter_ipv4.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/cleanup.h"
#include "linux/kit.h"
#include "linux/setup.h"

#define NOBODY 65534

/* What the test's broker does with a first packet to these ports. */
enum { PORT_GO = 1000, PORT_RESET, PORT_UNREACHABLE, PORT_PROHIBITED, PORT_HOLD, PORT_RELEASE };

/* ---- the command ---------------------------------------------------------- */

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

static socklen_t address(union address *a, const char *host, uint16_t port)
{
	memset(a, 0, sizeof(*a));
	if (inet_pton(AF_INET6, host, &a->v6.sin6_addr) == 1) {
		a->v6.sin6_family = AF_INET6;
		a->v6.sin6_port = htons(port);
		return sizeof(a->v6);
	}
	a->v4.sin_family = AF_INET;
	a->v4.sin_port = htons(port);
	if (inet_pton(AF_INET, host, &a->v4.sin_addr) != 1)
		_exit(90);
	return sizeof(a->v4);
}

static const char *name(int err)
{
	static char other[32];

	switch (err) {
	case ECONNREFUSED:
		return "ECONNREFUSED";
	case EHOSTUNREACH:
		return "EHOSTUNREACH";
	case ENETUNREACH:
		return "ENETUNREACH";
	case EACCES:
		return "EACCES";
	default:
		(void)snprintf(other, sizeof(other), "errno %d", err);
		return other;
	}
}

static int start(const char *host, uint16_t port, int type, int flags)
{
	union address a;
	socklen_t len = address(&a, host, port);
	int fd = socket(a.any.sa_family, type | SOCK_CLOEXEC | flags, 0);

	if (fd < 0)
		return -errno;
	if (connect(fd, &a.any, len) < 0 && errno != EINPROGRESS) {
		int err = errno;

		(void)close(fd);
		return -err;
	}
	return fd;
}

/* What the other side says, until it closes. */
static void hear(int fd, const char *host, uint16_t port)
{
	char text[128];
	size_t len = 0;
	ssize_t n;

	while (len < sizeof(text) - 1 && (n = read(fd, text + len, sizeof(text) - 1 - len)) > 0)
		len += (size_t)n;
	text[len] = '\0';
	(void)printf("%s %u: %s\n", host, port, len ? text : "closed");
	(void)close(fd);
}

static void call(const char *host, uint16_t port)
{
	int fd = start(host, port, SOCK_STREAM, 0);

	if (fd < 0)
		(void)printf("%s %u: %s\n", host, port, name(-fd));
	else
		hear(fd, host, port);
}

static void datagram(const char *host, uint16_t port)
{
	int fd = start(host, port, SOCK_DGRAM, 0);
	char text[64] = { 0 };

	if (fd < 0)
		(void)printf("udp %s %u: %s\n", host, port, name(-fd));
	else if (send(fd, "ping", 4, 0) != 4 || recv(fd, text, sizeof(text) - 1, 0) <= 0)
		(void)printf("udp %s %u: %s\n", host, port, name(errno));
	else
		(void)printf("udp %s %u: %s\n", host, port, text);
	close_quietly(fd);
}

/* The runner does what the line says before it answers. */
static void ask_runner(int sync, const char *what)
{
	char byte;

	(void)printf("%s\n", what);
	(void)fflush(stdout);
	if (read(sync, &byte, 1) != 1)
		_exit(91);
}

static int serve(uint16_t port)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
	union address a;
	socklen_t len = address(&a, "0.0.0.0", port);

	(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, &a.any, len) < 0 || listen(fd, 8) < 0)
		_exit(92);
	return fd;
}

/* Connections to a server of the command's own. */
static void own_server(int sync)
{
	int listener = serve(7000), fd, peer;
	static const char *const own[] = { "127.0.0.1", "198.18.0.1" };

	for (size_t i = 0; i < ARRAY_SIZE(own); i++) {
		fd = start(own[i], 7000, SOCK_STREAM, 0);
		if (fd < 0) {
			(void)printf("own %s: %s\n", own[i], name(-fd));
			continue;
		}
		peer = accept(listener, NULL, NULL);
		(void)printf("own %s: %s\n", own[i], peer >= 0 ? "reached" : name(errno));
		(void)close(peer);
		(void)close(fd);
	}
	ask_runner(sync, "@refill");
	peer = accept(listener, NULL, NULL);
	(void)printf("refill: %s\n", peer >= 0 ? "reached" : name(errno));
	(void)close(peer);
	(void)close(listener);
}

static void held(void)
{
	int fd = start("8.8.8.8", PORT_HOLD, SOCK_STREAM, SOCK_NONBLOCK);
	struct pollfd p = { .fd = fd, .events = POLLOUT };

	(void)printf("held: %s\n", poll(&p, 1, 0) == 0 ? "waits" : "does not wait");
	call("8.8.8.8", PORT_RELEASE);
	(void)poll(&p, 1, -1);
	(void)fcntl(fd, F_SETFL, O_RDWR);
	hear(fd, "8.8.8.8", PORT_HOLD);
}

static const struct {
	const char *host;
	uint16_t port;
} calls[] = {
	{ "8.8.8.8", PORT_GO },
	{ "8.8.8.8", PORT_RESET },
	{ "8.8.8.8", PORT_UNREACHABLE },
	{ "8.8.8.8", PORT_PROHIBITED },
	{ "8.8.8.8", 443 },
	{ "2001:db8::1", PORT_GO },
	{ "2001:db8::1", PORT_RESET },
	{ "2001:db8::1", PORT_UNREACHABLE },
	{ "2001:db8::1", PORT_PROHIBITED },
	{ "2001:db8::1", 443 },
	{ "169.254.169.254", PORT_GO },
	{ "198.18.0.1", PORT_GO },
	{ "127.0.0.1", PORT_GO },
	{ "127.0.0.1", 61701 },
	{ "::1", 61701 },
	{ "127.0.0.1", 61702 },
	{ "127.0.0.1", 61703 },
	{ "9.9.9.9", 53 },
	{ "127.0.0.1", 5432 },
};

_noreturn_ static void command(int sync, bool gate)
{
	if (dup2(sync, STDOUT_FILENO) < 0)
		_exit(93);
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		call(calls[i].host, calls[i].port);
	datagram("9.9.9.9", 53);
	datagram("2001:4860:4860::8888", 53);
	datagram("9.9.9.9", 443);
	datagram("2001:4860:4860::8888", 443);
	own_server(sync);
	if (gate)
		held();
	ask_runner(sync, "@close");
	call("8.8.8.8", PORT_GO);
	call("8.8.8.8", 443);
	datagram("9.9.9.9", 53);
	(void)fflush(stdout);
	_exit(0);
}

/* ---- init ------------------------------------------------------------------- */

/* What a kernel may not have. */
enum lack { LACK_NOTHING, LACK_IPV6, LACK_NFNETLINK };

static void leave_out(int *fds, enum kit_fd i)
{
	close_quietly(fds[i]);
	fds[i] = -1;
}

static void lacking(enum lack lack, int *fds)
{
	if (lack == LACK_IPV6) {
		leave_out(fds, KIT_TCP6);
		leave_out(fds, KIT_DNS_UDP6);
		leave_out(fds, KIT_DNS_TCP6);
	} else if (lack == LACK_NFNETLINK) {
		leave_out(fds, KIT_QUEUE);
		leave_out(fds, KIT_DIAG);
	}
}

_noreturn_ static void init(int kit, int sync, const struct net_spec *spec, enum lack lack)
{
	struct pollfd p = { .fd = kit, .events = POLLIN };
	uid_t uid = geteuid();
	gid_t gid = getegid();
	int fds[KIT_MAX];

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	if (unshare(CLONE_NEWUSER) < 0 || userns_map(-1, uid, gid) < 0 || unshare(CLONE_NEWNET) < 0)
		_exit(77); /* no such namespaces here */
	if (kit_make(spec, fds) < 0)
		_exit(94);
	lacking(lack, fds);
	if (kit_send(kit, fds) < 0 || kit_wait(kit) < 0)
		_exit(94);
	if (fork() == 0)
		command(sync, spec->rung_cap == NET_RUNG_GATE);
	(void)close(sync);
	while (poll(&p, 1, -1) == 1 && kit_refill(kit))
		;
	_exit(0);
}

/* ---- the steward and the broker -------------------------------------------------- */

struct runner {
	struct net_spec spec;
	struct net_forward host_port;
	struct net_kit kit;
	struct kit_report report;
	enum lack lack;
	enum net_rung wanted;
	int sync;
	uint32_t held; /* packet id, 0 none */
	char text[8192];
	size_t len;
};

static void verdict(int fd, uint32_t id, uint32_t mark)
{
	struct {
		struct nlmsghdr h;
		struct nfgenmsg g;
		struct nlattr va;
		struct nfqnl_msg_verdict_hdr v;
		struct nlattr ma;
		uint32_t mark;
	} m = {
		.h = { .nlmsg_len = sizeof(m),
		       .nlmsg_type = NFNL_SUBSYS_QUEUE << 8 | NFQNL_MSG_VERDICT,
		       .nlmsg_flags = NLM_F_REQUEST },
		.g = { .version = NFNETLINK_V0, .res_id = htons(KIT_QUEUE_NUM) },
		.va = { .nla_len = 12, .nla_type = NFQA_VERDICT_HDR },
		.v = { .verdict = htonl(NF_ACCEPT), .id = htonl(id) },
		.ma = { .nla_len = 8, .nla_type = NFQA_MARK },
		.mark = htonl(mark),
	};

	if (!mark)
		m.h.nlmsg_len -= 8;
	if (send(fd, &m, m.h.nlmsg_len, 0) < 0)
		_exit(95);
}

/* Every packet of the queue is a first one of TCP (else the rules are wrong: 96). */
static void packet(struct runner *r, const uint8_t *data, size_t len, uint32_t id)
{
	size_t tcp = len && data[0] >> 4 == 6 ? 40 : 20;
	int fd = r->kit.fd[KIT_QUEUE];
	uint16_t port;

	if (len < tcp + 20 || (data[tcp + 13] & 0x17) != 0x02)
		_exit(96);
	memcpy(&port, data + tcp + 2, sizeof(port));
	switch (ntohs(port)) {
	case PORT_RESET:
		verdict(fd, id, KIT_MARK_RESET);
		break;
	case PORT_UNREACHABLE:
		verdict(fd, id, KIT_MARK_UNREACHABLE);
		break;
	case PORT_PROHIBITED:
		verdict(fd, id, KIT_MARK_PROHIBITED);
		break;
	case PORT_HOLD:
		if (!r->held)
			r->held = id;
		break;
	case PORT_RELEASE:
		verdict(fd, r->held, 0);
		verdict(fd, id, 0);
		break;
	default:
		verdict(fd, id, 0);
	}
}

static void take_packets(struct runner *r)
{
	_Alignas(4) uint8_t m[4096];
	ssize_t n;

	while ((n = recv(r->kit.fd[KIT_QUEUE], m, sizeof(m), MSG_DONTWAIT)) > 0) {
		size_t at = NLMSG_HDRLEN + sizeof(struct nfgenmsg), len = 0;
		const uint8_t *data = NULL;
		uint32_t id = 0;

		if (((struct nlmsghdr *)(void *)m)->nlmsg_type == NLMSG_ERROR)
			_exit(97);
		while (at + NLA_HDRLEN <= (size_t)n) {
			struct nlattr a;

			memcpy(&a, m + at, sizeof(a));
			if (a.nla_type == NFQA_PACKET_HDR)
				memcpy(&id, m + at + NLA_HDRLEN, sizeof(id));
			if (a.nla_type == NFQA_PAYLOAD) {
				data = m + at + NLA_HDRLEN;
				len = (size_t)a.nla_len - NLA_HDRLEN;
			}
			at += NLA_ALIGN(a.nla_len);
		}
		packet(r, data, len, ntohl(id));
	}
}

/* Says where the command wanted to go. */
static void take_connection(int listener, const char *at)
{
	int fd = accept(listener, NULL, NULL);
	char host[INET6_ADDRSTRLEN] = "?", text[80];
	union address a;
	socklen_t len = sizeof(a);
	bool v6;

	if (fd < 0)
		return;
	(void)getsockname(fd, &a.any, &len);
	v6 = a.any.sa_family == AF_INET6;
	len = sizeof(a);
	/* On the rung that redirects; elsewhere there is no such entry. The number is the same
	 * for both (IP6T_SO_ORIGINAL_DST). */
	(void)getsockopt(fd, v6 ? IPPROTO_IPV6 : IPPROTO_IP, SO_ORIGINAL_DST, &a, &len);
	(void)inet_ntop(a.any.sa_family,
			v6 ? (const void *)&a.v6.sin6_addr : (const void *)&a.v4.sin_addr, host,
			sizeof(host));
	(void)snprintf(text, sizeof(text), "%s %s %u", at, host,
		       ntohs(v6 ? a.v6.sin6_port : a.v4.sin_port));
	(void)!write(fd, text, strlen(text));
	(void)close(fd);
}

/* Sends the datagram back from where it was sent to. */
static void take_datagram(int fd)
{
	char data[64], control[128];
	union address from;
	struct iovec iov = { .iov_base = data, .iov_len = sizeof(data) };
	struct msghdr msg = { .msg_name = &from,
			      .msg_namelen = sizeof(from),
			      .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = control,
			      .msg_controllen = sizeof(control) };
	ssize_t n = recvmsg(fd, &msg, MSG_DONTWAIT);

	if (n < 0)
		return;
	iov.iov_len = (size_t)n;
	if (sendmsg(fd, &msg, 0) != n)
		_exit(98);
}

static void refill(struct runner *r)
{
	int fds[KIT_REFILL], n = kit_more(r->kit.fd[KIT_INIT], fds);
	union address a;
	socklen_t len = address(&a, "127.0.0.1", 7000);

	if (n != KIT_REFILL)
		_exit(99);
	/* A socket of the sandbox's, connected from out here. */
	(void)fcntl(fds[0], F_SETFL, O_RDWR);
	if (connect(fds[0], &a.any, len) < 0)
		_exit(100);
	while (n > 0)
		(void)close(fds[--n]);
}

/* What the command wrote; false at its end. */
static bool take_text(struct runner *r)
{
	char *at = r->text + r->len;
	ssize_t n = read(r->sync, at, sizeof(r->text) - 1 - r->len);

	if (n <= 0)
		return false;
	r->len += (size_t)n;
	r->text[r->len] = '\0';
	if (strstr(at, "@refill\n"))
		refill(r);
	if (strstr(at, "@close\n"))
		for (size_t i = KIT_INIT + 1; i < KIT_MAX; i++) {
			close_quietly(r->kit.fd[i]);
			r->kit.fd[i] = -1;
		}
	return !strchr(at, '@') || write(r->sync, "", 1) == 1;
}

static void serve_command(struct runner *r)
{
	struct pollfd p[KIT_MAX + 1];

	for (;;) {
		for (size_t i = 0; i < KIT_MAX; i++)
			p[i] = (struct pollfd){ .fd = i == KIT_INIT ? -1 : r->kit.fd[i],
						.events = POLLIN };
		p[KIT_MAX] = (struct pollfd){ .fd = r->sync, .events = POLLIN };
		if (poll(p, KIT_MAX + 1, 20000) <= 0)
			_exit(101);
		if (p[KIT_QUEUE].revents)
			take_packets(r);
		for (size_t i = KIT_DIAG; i < KIT_MAX; i++) {
			if (!p[i].revents)
				continue;
			if (i == KIT_DNS_UDP4 || i == KIT_DNS_UDP6)
				take_datagram(p[i].fd);
			else
				take_connection(p[i].fd, i == KIT_DNS_TCP4 ? "dns" : "at");
		}
		if (p[KIT_MAX].revents && !take_text(r))
			return;
	}
}

static void run(struct runner *r)
{
	pid_t child;
	int kit[2], sync[2], status;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, kit) < 0 ||
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sync) < 0)
		_exit(102);
	child = fork();
	if (child == 0) {
		(void)close(kit[0]);
		(void)close(sync[0]);
		init(kit[1], sync[1], &r->spec, r->lack);
	}
	(void)close(kit[1]);
	(void)close(sync[1]);
	r->sync = sync[0];
	if (kit_receive(kit[0], &r->spec, &r->kit) < 0) {
		(void)waitpid(child, &status, 0);
		_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 103);
	}
	if (kit_setup(&r->spec, &r->kit, &r->report) < 0)
		_exit(104);
	if (r->kit.rung != r->wanted || r->kit.v6 != (r->lack != LACK_IPV6))
		_exit(105);
	if (kit_ready(kit[0]) < 0)
		_exit(106);
	serve_command(r);
	(void)close(kit[0]);
	(void)waitpid(child, &status, 0);
	if (status)
		_exit(107);
}

/* ---- the tests ----------------------------------------------------------------------- */

/* What the command saw on a rung. NULL: this host has no such namespaces. */
static const char *seen_on(enum net_rung cap, enum lack lack, enum net_rung wanted, uid_t uid)
{
	static struct runner r;
	static char text[sizeof(r.text)];
	size_t len = 0;
	ssize_t n;
	int out[2], status;
	pid_t pid;

	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		r = (struct runner){ .spec = { .rung_cap = cap, .n_host_ports = 1 },
				     .lack = lack,
				     .wanted = wanted };
		r.host_port = (struct net_forward){ .host_port = 5432, .inside_port = 5432 };
		r.spec.host_ports = &r.host_port;
		if (uid != geteuid() &&
		    (setresgid(uid, uid, uid) < 0 || setresuid(uid, uid, uid) < 0 ||
		     prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) < 0))
			_exit(108);
		run(&r);
		_exit(write(out[1], r.text, r.len) == (ssize_t)r.len ? 0 : 109);
	}
	(void)close(out[1]);
	while (len < sizeof(text) - 1 && (n = read(out[0], text + len, sizeof(text) - 1 - len)) > 0)
		len += (size_t)n;
	text[len] = '\0';
	(void)close(out[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		return NULL;
	if (status)
		fail_msg("the runner: status %d, signal %d; seen: %s", WEXITSTATUS(status),
			 WTERMSIG(status), text);
	return text;
}

static void check_lacking(enum net_rung cap, enum lack lack, enum net_rung wanted,
			  const char *expected)
{
	const uid_t users[] = { geteuid(), NOBODY };
	size_t n = geteuid() == 0 ? 2 : 1;

	for (size_t i = 0; i < n; i++) {
		const char *text = seen_on(cap, lack, wanted, users[i]);

		if (!text) {
			print_message("no user and network namespaces on this host\n");
			skip();
		}
		assert_string_equal(text, expected);
	}
}

static void check(enum net_rung rung, const char *expected)
{
	check_lacking(rung, LACK_NOTHING, rung, expected);
}

#define OWN                         \
	"own 127.0.0.1: reached\n"  \
	"own 198.18.0.1: reached\n" \
	"@refill\n"                 \
	"refill: reached\n"

#define DNS                                   \
	"udp 9.9.9.9 53: ping\n"              \
	"udp 2001:4860:4860::8888 53: ping\n" \
	"udp 9.9.9.9 443: ECONNREFUSED\n"     \
	"udp 2001:4860:4860::8888 443: ECONNREFUSED\n"

/* What berm listens on itself, and the forwarded port. */
#define LISTENERS                               \
	"127.0.0.1 61702: at 127.0.0.1 61702\n" \
	"127.0.0.1 61703: at 127.0.0.1 61703\n" \
	"9.9.9.9 53: dns 9.9.9.9 53\n"          \
	"127.0.0.1 5432: at 127.0.0.1 5432\n"

#define CLOSED                         \
	"@close\n"                     \
	"8.8.8.8 1000: ECONNREFUSED\n" \
	"8.8.8.8 443: ECONNREFUSED\n"  \
	"udp 9.9.9.9 53: ECONNREFUSED\n"

#define NOT_OUT                                           \
	"169.254.169.254 1000: at 169.254.169.254 1000\n" \
	"198.18.0.1 1000: ECONNREFUSED\n"                 \
	"127.0.0.1 1000: ECONNREFUSED\n"

#define SHIELDED                          \
	"127.0.0.1 61701: ECONNREFUSED\n" \
	"::1 61701: ECONNREFUSED\n"

#define ALL_ARRIVE                                \
	"8.8.8.8 1000: at 8.8.8.8 1000\n"         \
	"8.8.8.8 1001: at 8.8.8.8 1001\n"         \
	"8.8.8.8 1002: at 8.8.8.8 1002\n"         \
	"8.8.8.8 1003: at 8.8.8.8 1003\n"         \
	"8.8.8.8 443: at 8.8.8.8 443\n"           \
	"2001:db8::1 1000: at 2001:db8::1 1000\n" \
	"2001:db8::1 1001: at 2001:db8::1 1001\n" \
	"2001:db8::1 1002: at 2001:db8::1 1002\n" \
	"2001:db8::1 1003: at 2001:db8::1 1003\n" \
	"2001:db8::1 443: at 2001:db8::1 443\n"

static void test_gate(void **state)
{
	(void)state;
	check(NET_RUNG_GATE,
	      "8.8.8.8 1000: at 8.8.8.8 1000\n"
	      "8.8.8.8 1001: ECONNREFUSED\n"
	      "8.8.8.8 1002: EHOSTUNREACH\n"
	      "8.8.8.8 1003: EHOSTUNREACH\n"
	      "8.8.8.8 443: at 8.8.8.8 443\n"
	      "2001:db8::1 1000: at 2001:db8::1 1000\n"
	      "2001:db8::1 1001: ECONNREFUSED\n"
	      "2001:db8::1 1002: EHOSTUNREACH\n"
	      "2001:db8::1 1003: EACCES\n"
	      "2001:db8::1 443: at 2001:db8::1 443\n" NOT_OUT SHIELDED LISTENERS DNS OWN
	      "held: waits\n"
	      "8.8.8.8 1005: at 8.8.8.8 1005\n"
	      "8.8.8.8 1004: at 8.8.8.8 1004\n" CLOSED);
}

static void test_tproxy(void **state)
{
	(void)state;
	check(NET_RUNG_TPROXY, ALL_ARRIVE NOT_OUT SHIELDED LISTENERS DNS OWN CLOSED);
}

static void test_redirect(void **state)
{
	(void)state;
	check(NET_RUNG_REDIRECT,
	      ALL_ARRIVE NOT_OUT "127.0.0.1 61701: at 127.0.0.1 61701\n"
				 "::1 61701: at ::1 61701\n" LISTENERS DNS OWN CLOSED);
}

#define ONLY_PORTS                             \
	"8.8.8.8 1000: ECONNREFUSED\n"         \
	"8.8.8.8 1001: ECONNREFUSED\n"         \
	"8.8.8.8 1002: ECONNREFUSED\n"         \
	"8.8.8.8 1003: ECONNREFUSED\n"         \
	"8.8.8.8 443: at 8.8.8.8 443\n"        \
	"2001:db8::1 1000: ECONNREFUSED\n"     \
	"2001:db8::1 1001: ECONNREFUSED\n"     \
	"2001:db8::1 1002: ECONNREFUSED\n"     \
	"2001:db8::1 1003: ECONNREFUSED\n"     \
	"2001:db8::1 443: ECONNREFUSED\n"      \
	"169.254.169.254 1000: ECONNREFUSED\n" \
	"198.18.0.1 1000: ECONNREFUSED\n"      \
	"127.0.0.1 1000: ECONNREFUSED\n"

static void test_ports(void **state)
{
	(void)state;
	check(NET_RUNG_PORTS, ONLY_PORTS SHIELDED LISTENERS DNS OWN CLOSED);
}

static void test_no_nfnetlink(void **state)
{
	(void)state;
	check_lacking(0, LACK_NFNETLINK, NET_RUNG_PORTS,
		      ONLY_PORTS SHIELDED LISTENERS DNS OWN CLOSED);
}

static void test_no_ipv6(void **state)
{
	(void)state;
	check_lacking(NET_RUNG_TPROXY, LACK_IPV6, NET_RUNG_TPROXY,
		      "8.8.8.8 1000: at 8.8.8.8 1000\n"
		      "8.8.8.8 1001: at 8.8.8.8 1001\n"
		      "8.8.8.8 1002: at 8.8.8.8 1002\n"
		      "8.8.8.8 1003: at 8.8.8.8 1003\n"
		      "8.8.8.8 443: at 8.8.8.8 443\n"
		      "2001:db8::1 1000: ENETUNREACH\n"
		      "2001:db8::1 1001: ENETUNREACH\n"
		      "2001:db8::1 1002: ENETUNREACH\n"
		      "2001:db8::1 1003: ENETUNREACH\n"
		      "2001:db8::1 443: ENETUNREACH\n" NOT_OUT SHIELDED LISTENERS
		      "udp 9.9.9.9 53: ping\n"
		      "udp 2001:4860:4860::8888 53: ENETUNREACH\n"
		      "udp 9.9.9.9 443: ECONNREFUSED\n"
		      "udp 2001:4860:4860::8888 443: ENETUNREACH\n" OWN CLOSED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gate),	     cmocka_unit_test(test_tproxy),
		cmocka_unit_test(test_redirect),     cmocka_unit_test(test_ports),
		cmocka_unit_test(test_no_nfnetlink), cmocka_unit_test(test_no_ipv6),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

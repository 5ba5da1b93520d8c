/* SPDX-License-Identifier: Apache-2.0 */
/* The broker's runtime where it needs no network: the gate's packets, the loop's timers, the
 * configuration's text, the confinement. (The broker as a whole: tests/egress.) */
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_queue.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "base/fd.h"
#include "base/str.h"
#include "egress/broker.h"
#include "egress/config.h"
#include "egress/confine.h"
#include "egress/loop.h"
#include "egress/nfq.h"
#include "egress/tuple.h"

/* ---- the gate's packets ---- */

struct message {
	uint8_t data[512];
	size_t len;
};

static void attr(struct message *m, uint16_t type, const void *data, size_t len)
{
	struct nlattr a = { (uint16_t)(sizeof(a) + len), type };

	memcpy(m->data + m->len, &a, sizeof(a));
	memcpy(m->data + m->len + sizeof(a), data, len);
	m->len += NLA_ALIGN(sizeof(a) + len);
}

static void message(struct message *m, uint16_t proto, const void *packet, size_t len)
{
	struct nfqnl_msg_packet_hdr h = { htonl(77), htons(proto), 0 };
	struct nlmsghdr n = { .nlmsg_type = NFNL_SUBSYS_QUEUE << 8 | NFQNL_MSG_PACKET };

	memset(m, 0, sizeof(*m));
	m->len = NLMSG_HDRLEN + sizeof(struct nfgenmsg);
	attr(m, NFQA_PACKET_HDR, &h, 7);
	attr(m, NFQA_PAYLOAD, packet, len);
	n.nlmsg_len = (uint32_t)m->len;
	memcpy(m->data, &n, sizeof(n));
}

static const uint8_t syn4[] = {
	0x45, 0,    0, 40,   0, 0, 0x40, 0, 64, 6, 0, 0, 198,  18,   0, 1, 1, 2, 3, 4, /* IPv4 */
	0x9c, 0x40, 1, 0xbb, 0, 0, 0,	 9, 0,	0, 0, 0, 0x50, 0x02, 0, 0, 0, 0, 0, 0, /* TCP */
};

static void test_nfq_v4(void **state)
{
	struct message m;
	struct nfq_packet p;
	char text[64];

	message(&m, 0x0800, syn4, sizeof(syn4));
	assert_int_equal(nfq_parse(m.data, m.len, &p), 0);
	assert_true(p.is_syn);
	assert_int_equal(p.id, 77);
	assert_int_equal(p.seq, 9);
	assert_int_equal(p.tuple.sport, 40000);
	assert_int_equal(p.tuple.dport, 443);
	ip_text(&p.tuple.dst, text, sizeof(text));
	assert_string_equal(text, "1.2.3.4");
}

static void test_nfq_v6(void **state)
{
	uint8_t packet[40 + 16 + 20] = { 0x60, [4] = 0, 36, 0 /* hop-by-hop */, 64 };
	struct message m;
	struct nfq_packet p;

	packet[8] = 0xfd;
	packet[24] = 0x26;
	packet[40] = IPPROTO_DSTOPTS;
	packet[48] = IPPROTO_TCP;
	memcpy(packet + 56, syn4 + 20, 20);
	message(&m, 0x86dd, packet, sizeof(packet));
	assert_int_equal(nfq_parse(m.data, m.len, &p), 0);
	assert_true(p.is_syn);
	assert_int_equal(p.tuple.dst.v6, 1);
	assert_int_equal(p.tuple.dst.bytes[0], 0x26);
	assert_int_equal(p.tuple.dport, 443);
	/* One byte less, and there is no TCP header. */
	message(&m, 0x86dd, packet, sizeof(packet) - 1);
	assert_int_equal(nfq_parse(m.data, m.len, &p), 0);
	assert_false(p.is_syn);
	/* A fragment header is nobody's SYN. */
	packet[6] = IPPROTO_FRAGMENT;
	message(&m, 0x86dd, packet, sizeof(packet));
	assert_int_equal(nfq_parse(m.data, m.len, &p), 0);
	assert_false(p.is_syn);
}

/* What is no SYN is a packet with an id (to be dropped), never more. */
static void test_nfq_other(void **state)
{
	static const struct {
		size_t at;
		uint8_t value;
	} changes[] = {
		{ 0, 0x65 },  /* version */ { 0, 0x44 },   /* header too short */
		{ 0, 0x4f },  /* too long */ { 6, 0x20 },  /* more fragments */
		{ 7, 1 },     /* an offset */ { 9, 17 },   /* UDP */
		{ 33, 0x12 }, /* SYN, ACK */ { 33, 0x06 }, /* SYN, RST */
		{ 33, 0x03 }, /* SYN, FIN */ { 33, 0x10 }, /* ACK */
	};
	uint8_t packet[sizeof(syn4)];
	struct message m;
	struct nfq_packet p;

	for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
		memcpy(packet, syn4, sizeof(packet));
		packet[changes[i].at] = changes[i].value;
		message(&m, 0x0800, packet, sizeof(packet));
		assert_int_equal(nfq_parse(m.data, m.len, &p), 0);
		assert_int_equal(p.id, 77);
		assert_false(p.is_syn);
	}
	for (size_t len = 0; len < sizeof(syn4); len++) {
		message(&m, 0x0800, syn4, len);
		assert_int_equal(nfq_parse(m.data, m.len, &p), 0);
		assert_false(p.is_syn);
	}
	message(&m, 0x86dd, syn4, sizeof(syn4));
	assert_int_equal(nfq_parse(m.data, m.len, &p), 0);
	assert_false(p.is_syn);
}

/* Cut anywhere, and with every length of an attribute: no byte beyond is read (ASan). */
static void test_nfq_cut(void **state)
{
	struct message m;
	struct nfq_packet p;

	message(&m, 0x0800, syn4, sizeof(syn4));
	for (size_t len = 0; len <= m.len; len++) {
		uint8_t *copy = malloc(len ? len : 1);

		assert_non_null(copy);
		memcpy(copy, m.data, len);
		if (len < m.len)
			assert_int_equal(nfq_parse(copy, len, &p), -EBADMSG);
		free(copy);
	}
	for (unsigned n = 0; n < 300; n++) {
		uint8_t *copy = malloc(m.len);
		uint16_t v = (uint16_t)n;

		assert_non_null(copy);
		memcpy(copy, m.data, m.len);
		memcpy(copy + NLMSG_HDRLEN + sizeof(struct nfgenmsg), &v, sizeof(v));
		(void)nfq_parse(copy, m.len, &p);
		free(copy);
	}
}

static void test_nfq_verdict(void **state)
{
	uint8_t out[NFQ_VERDICT_MAX];
	struct nlmsghdr h;
	size_t n = nfq_verdict(out, 7, 77, NFQ_ACCEPT, 0xdead), bare;
	uint32_t mark;

	memcpy(&h, out, sizeof(h));
	assert_int_equal(h.nlmsg_len, n);
	assert_int_equal(h.nlmsg_type, NFNL_SUBSYS_QUEUE << 8 | NFQNL_MSG_VERDICT);
	memcpy(&mark, out + n - 4, 4);
	assert_int_equal(ntohl(mark), 0xdead);
	bare = nfq_verdict(out, 7, 77, NFQ_DROP, 0);
	assert_int_equal(bare, n - 8);
}

/* ---- addresses ---- */

static void test_tuple(void **state)
{
	struct ip_addr v4 = { .bytes = { 1, 2, 3, 4 } },
		       v6 = { .v6 = 1, .bytes = { 0x26, [15] = 9 } };
	struct sockaddr_storage sa;
	struct sockaddr_in6 mapped = { .sin6_family = AF_INET6, .sin6_port = htons(5) };
	struct ip_addr back;
	uint16_t port = 0;

	(void)tuple_sockaddr(&v4, 80, &sa);
	assert_true(tuple_end(&sa, &back, &port));
	assert_true(ip_equal(&v4, &back));
	assert_int_equal(port, 80);
	(void)tuple_sockaddr(&v6, 81, &sa);
	assert_true(tuple_end(&sa, &back, &port));
	assert_true(ip_equal(&v6, &back));
	/* A v4-mapped address is the IPv4 one: there is one rule for both. */
	mapped.sin6_addr.s6_addr[10] = mapped.sin6_addr.s6_addr[11] = 0xff;
	memcpy(mapped.sin6_addr.s6_addr + 12, v4.bytes, 4);
	memset(&sa, 0, sizeof(sa));
	memcpy(&sa, &mapped, sizeof(mapped));
	assert_true(tuple_end(&sa, &back, &port));
	assert_true(ip_equal(&v4, &back));
	sa.ss_family = AF_UNIX;
	assert_false(tuple_end(&sa, &back, &port));
}

/* ---- the loop ---- */

struct tick {
	struct timer timer;
	struct loop *loop;
	unsigned *order, at;
};

static void on_tick(struct timer *t)
{
	struct tick *k = container_of(t, struct tick, timer);

	k->at = ++*k->order;
}

static void on_last(struct timer *t)
{
	on_tick(t);
	container_of(t, struct tick, timer)->loop->stop = true;
}

/* In order, each once, those that were stopped never; also far off ones (more than a round). */
static void test_timers(void **state)
{
	static const unsigned after[] = { 300, 0, 120, 60, 17000, 90 };
	struct loop l;
	struct tick t[ARRAY_SIZE(after)];
	unsigned order = 0;

	assert_int_equal(loop_init(&l), 0);
	for (size_t i = 0; i < ARRAY_SIZE(after); i++) {
		t[i] = (struct tick){ .timer.on = on_tick, .loop = &l, .order = &order };
		timer_start(&l, &t[i].timer, after[i]);
	}
	t[0].timer.on = on_last;
	timer_stop(&l, &t[5].timer);
	timer_stop(&l, &t[5].timer);
	timer_start(&l, &t[3].timer, 70);
	assert_int_equal(loop_run(&l), 0);
	assert_int_equal(t[1].at, 1);
	assert_int_equal(t[3].at, 2);
	assert_int_equal(t[2].at, 3);
	assert_int_equal(t[0].at, 4);
	assert_int_equal(t[4].at, 0);
	assert_int_equal(t[5].at, 0);
	assert_true(timer_runs(&t[4].timer));
	/* The clock jumps (a suspended machine): nothing is forgotten. */
	l.now += 40000;
	l.tick = l.tick - 2 * LOOP_SLOTS;
	l.stop = false;
	t[4].timer.on = on_last;
	t[4].timer.when = l.now - 40000;
	assert_int_equal(loop_run(&l), 0);
	assert_int_equal(t[4].at, 5);
	(void)close(l.epfd);
}

struct job {
	struct later later;
	struct loop *loop;
	unsigned runs;
};

static void on_job(struct later *w)
{
	struct job *j = container_of(w, struct job, later);

	if (++j->runs == 3)
		j->loop->stop = true;
	loop_later(j->loop, w);
}

static void test_later(void **state)
{
	struct loop l;
	struct job j = { .later.on = on_job, .loop = &l };

	assert_int_equal(loop_init(&l), 0);
	loop_later(&l, &j.later);
	loop_later(&l, &j.later);
	assert_int_equal(loop_run(&l), 0);
	assert_int_equal(j.runs, 3);
	(void)close(l.epfd);
}

/* ---- the configuration ---- */

#define POLICY "berm-net 1\nmode\tallow\ndefault\task\nmanaged-only\t0\nend\n"

static void test_config(void **state)
{
	struct net_policy policy = { .mode = NET_ALLOW, .fallback = VERDICT_ASK };
	char upstream[] = "http://u:p@proxy:3128", no_proxy[] = ".corp";
	struct net_forward publish[] = { { .host_port = 3000, .inside_port = 80 } };
	struct net_spec n = { .policy = &policy,
			      .publish = publish,
			      .n_publish = 1,
			      .upstream = upstream,
			      .no_proxy = no_proxy,
			      .socks_proxy_port = 1080,
			      .cut = true,
			      .ask_seconds = 30 };
	struct eg_config *c = NULL;
	_cleanup_free_ char *text = NULL;
	size_t len;
	int fd = eg_config_memfd(&n);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, "x", 1), -1);
	assert_int_equal(errno, EPERM);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_int_equal(fd_read_all(fd, EG_CONFIG_MAX, &text, &len), 0);
	(void)close(fd);
	assert_int_equal(eg_config_read(text, len, &c, NULL), 0);
	assert_string_equal(c->upstream, upstream);
	assert_string_equal(c->no_proxy, no_proxy);
	assert_int_equal(c->n_publish, 1);
	assert_int_equal(c->publish[0].host, 3000);
	assert_int_equal(c->publish[0].inside, 80);
	assert_int_equal(c->socks_proxy_port, 1080);
	assert_int_equal(c->http_proxy_port, 0);
	assert_int_equal(c->ask_seconds, 30);
	assert_true(c->cut);
	assert_int_equal(c->policy->fallback, VERDICT_ASK);
	eg_config_free(c);
	no_proxy[1] = '\n';
	assert_int_equal(eg_config_memfd(&n), -EINVAL);
}

static void test_config_bad(void **state)
{
	static const char *const bad[] = {
		"",
		"berm-egress 2\npolicy\n" POLICY,
		"berm-egress 1\n" POLICY,
		"berm-egress 1\npolicy",
		"berm-egress 1\ncut 2\npolicy\n" POLICY,
		"berm-egress 1\ncut\npolicy\n" POLICY,
		"berm-egress 1\nask_seconds -1\npolicy\n" POLICY,
		"berm-egress 1\nask_seconds 99999999999999999999\npolicy\n" POLICY,
		"berm-egress 1\nhttp_proxy_port 65536\npolicy\n" POLICY,
		"berm-egress 1\npublish 1\npolicy\n" POLICY,
		"berm-egress 1\npublish 0 1\npolicy\n" POLICY,
		"berm-egress 1\npublish 1 2 3\npolicy\n" POLICY,
		"berm-egress 1\nupstream a\nupstream b\npolicy\n" POLICY,
		"berm-egress 1\nunknown 1\npolicy\n" POLICY,
		"berm-egress 1\npolicy\nrubbish\n",
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct eg_config *c = NULL;
		struct berm_err err = { 0 };

		assert_true(eg_config_read(bad[i], strlen(bad[i]), &c, &err) < 0);
		assert_null(c);
		assert_true(err.msg[0]);
	}
}

/* ---- the confinement ---- */

/* Runs what in a process that is confined. Returns its exit status. */
static int confined(int (*what)(void))
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		struct berm_err err = { 0 };
		const char *lacks;

		if (confine(&lacks, &err) < 0 || lacks) {
			(void)fprintf(stderr, "%s\n", err.msg);
			_exit(99);
		}
		/* Not by _exit(2): a sanitizer has calls of its own to make there. */
		(void)syscall(SYS_exit_group, what());
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 200;
}

static int try_files(void)
{
	static const char *const no[] = { "/etc/passwd",   "/proc/self/status", "/",
					  "/tmp",	   "/dev/null",		"/etc/ssl/certs",
					  "/proc/self/exe" };

	for (size_t i = 0; i < ARRAY_SIZE(no); i++)
		if (open(no[i], O_RDONLY | O_CLOEXEC) >= 0 || errno != EACCES)
			return 1 + (int)i;
	if (open("/etc/hosts", O_RDONLY | O_CLOEXEC) < 0)
		return 20;
	if (open("/etc/hosts", O_RDWR | O_CLOEXEC) >= 0)
		return 21;
	if (open("/tmp/berm-broker-must-not", O_WRONLY | O_CREAT | O_CLOEXEC, 0600) >= 0)
		return 22;
	return 0;
}

static int try_calls(void)
{
	char name[] = "true", *argv[] = { name, NULL };
	struct rlimit core;

	if (socket(AF_UNIX, SOCK_STREAM, 0) >= 0 ||
	    socket(AF_NETLINK, SOCK_RAW, NETLINK_NETFILTER) >= 0 ||
	    socket(AF_VSOCK, SOCK_STREAM, 0) >= 0 || /* root's rights are gone as well */
	    socket(AF_INET, SOCK_RAW, IPPROTO_ICMP) >= 0 || socket(AF_PACKET, SOCK_RAW, 0) >= 0)
		return 1;
	if (socket(AF_INET, SOCK_STREAM, 0) < 0 || socket(AF_INET6, SOCK_DGRAM, 0) < 0 ||
	    socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE) < 0)
		return 2;
	if (execve("/bin/true", argv, NULL) != -1)
		return 3;
	if (syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) >= 0)
		return 4;
	if (syscall(SYS_ptrace, 16, 1, 0, 0) >= 0 || syscall(SYS_unshare, 0) >= 0 ||
	    syscall(SYS_kill, 0, 0) >= 0 || syscall(SYS_memfd_create, "x", 0) >= 0 ||
	    syscall(SYS_io_uring_setup, 1, NULL) >= 0 ||
	    syscall(SYS_process_vm_readv, 1, 0, 0, 0, 0, 0) >= 0)
		return 5;
	if (mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
	    MAP_FAILED)
		return 6;
	if (mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) ==
	    MAP_FAILED)
		return 7;
	if (getrlimit(RLIMIT_CORE, &core) < 0 || core.rlim_max != 0)
		return 8;
	return 0;
}

/* The kernel says that it knows no Landlock. */
static void no_landlock(void)
{
	struct sock_filter insn[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_landlock_create_ruleset, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = { ARRAY_SIZE(insn), insn };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog) < 0)
		_exit(98);
}

static void test_confined_old_kernel(void **state)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		struct berm_err err = { 0 };
		const char *lacks = NULL;

		no_landlock();
		if (confine(&lacks, &err) < 0)
			_exit(97);
		_exit(lacks && strstr(lacks, "Landlock") ? try_calls() : 96);
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void test_confined_files(void **state)
{
	assert_int_equal(confined(try_files), 0);
}

static void test_confined_calls(void **state)
{
	assert_int_equal(confined(try_calls), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nfq_v4),
		cmocka_unit_test(test_nfq_v6),
		cmocka_unit_test(test_nfq_other),
		cmocka_unit_test(test_nfq_cut),
		cmocka_unit_test(test_nfq_verdict),
		cmocka_unit_test(test_tuple),
		cmocka_unit_test(test_timers),
		cmocka_unit_test(test_later),
		cmocka_unit_test(test_config),
		cmocka_unit_test(test_config_bad),
		cmocka_unit_test(test_confined_files),
		cmocka_unit_test(test_confined_calls),
		cmocka_unit_test(test_confined_old_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

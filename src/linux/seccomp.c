/* SPDX-License-Identifier: Apache-2.0 */
/* The command's filter.
 *
 * Calls that are allowed whatever their arguments must be decided from the
 * number alone: the kernel then answers them from a bitmap made when the filter
 * is loaded and never runs the program (5.11). The rest is found by a binary
 * search over the ranges of equal treatment, openat, close and ioctl first.
 *
 * Only the low word of an argument is looked at where the kernel's own parameter
 * is an int: it ignores the high word, so a test of all 64 bits could be walked
 * around (CVE-2019-10063). Pointers are tested whole.
 *
 * Foreign ABIs: i386 (int 0x80, 32-bit programs) and 32-bit arm get ENOSYS for
 * everything but exit and exit_group, so that such a program ends instead of
 * spinning in its exit loop. x32 is ENOSYS as on a kernel without it: its
 * numbers are above the last known one. A tracer that changes a number is
 * filtered again by the kernel. */
#include "linux/seccomp.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <sched.h>
#include <stddef.h>
#include <sys/personality.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "linux/kern.h"
#include "linux/seccomp_asm.h"
#include "linux/seccomp_table.h"

/* Where a call can end. */
struct ends {
	const struct seccomp_opts *o;
	bpf_label allow, trap, nosys, notty;
	bpf_label perm, hide, family, proto, acces; /* reported denials */
};

static bpf_label denial(struct bpf_gen *g, const struct ends *e, int err)
{
	return e->o->report ? e->trap : bpf_ret(g, SC_RET_ERRNO(err));
}

static void make_ends(struct bpf_gen *g, const struct seccomp_opts *o, struct ends *e)
{
	e->o = o;
	e->allow = bpf_ret(g, SECCOMP_RET_ALLOW);
	e->trap = bpf_ret(g, SECCOMP_RET_USER_NOTIF);
	e->nosys = bpf_ret(g, SC_RET_ERRNO(ENOSYS));
	e->notty = bpf_ret(g, SC_RET_ERRNO(ENOTTY));
	e->perm = denial(g, e, EPERM);
	e->hide = denial(g, e, ENOSYS);
	e->family = denial(g, e, EAFNOSUPPORT);
	e->proto = denial(g, e, EPROTONOSUPPORT);
	e->acces = denial(g, e, EACCES);
}

/* O_PATH wins over every other flag in the kernel, cannot change anything, and
 * such a descriptor cannot be injected. O_RDONLY is 0, and access mode 3 asks for
 * both rights. */
static bpf_label check_open(struct bpf_gen *g, const struct ends *e, unsigned arg)
{
	const uint32_t writes = O_ACCMODE | O_CREAT | O_TRUNC | SC_TMPFILE;
	bpf_label next;

	if (!e->o->trap_reads && !e->o->trap_writes)
		return e->allow;
	if (e->o->flat)
		return e->trap;
	next = bpf_jset(g, O_PATH, e->allow, e->trap);
	if (!e->o->trap_reads)
		next = bpf_jset(g, writes, next, e->allow);
	return bpf_load(g, SC_OFF_LO(arg), next);
}

/* Nothing but socketpair(2). That the network is closed was told at the start: what libraries try
 * beside (a name service, the interfaces) is no news. */
static bpf_label check_socket_flat(struct bpf_gen *g, const struct ends *e)
{
	bpf_label closed = bpf_ret(g, SC_RET_ERRNO(EAFNOSUPPORT));
	bpf_label next = bpf_jeq(g, AF_UNIX, closed, e->family);

	next = bpf_jeq(g, AF_NETLINK, closed, next);
	next = bpf_jeq(g, AF_INET6, e->proto, next);
	return bpf_load(g, SC_OFF_LO(0), bpf_jeq(g, AF_INET, e->proto, next));
}

/* UNIX stream and seqpacket (datagrams can be sent to any path, and SOCK_RAW is a
 * datagram socket here), INET and INET6 with the everyday protocols (the others
 * load kernel modules: SCTP, DCCP, SMC, L2TP, ...; MPTCP has a fallback), and
 * NETLINK route and sock_diag. SOCK_PACKET turns an INET socket into a PACKET one.
 * sudo and PAM take EPROTONOSUPPORT from netlink as "no audit here". */
static bpf_label check_socket(struct bpf_gen *g, const struct ends *e)
{
	bpf_label unixes, inet, netlink, next, net = e->o->trap_net ? e->trap : e->allow;

	if (e->o->flat)
		return check_socket_flat(g, e);
	next = bpf_jeq(g, SOCK_SEQPACKET, e->allow, e->perm);
	next = bpf_jeq(g, SOCK_STREAM, e->allow, next);
	next = bpf_and(g, SC_SOCK_TYPE_MASK, next);
	unixes = bpf_load(g, SC_OFF_LO(1), next);

	next = bpf_jeq(g, NETLINK_SOCK_DIAG, net, e->proto);
	next = bpf_jeq(g, NETLINK_ROUTE, net, next);
	netlink = bpf_load(g, SC_OFF_LO(2), next);

	next = bpf_jeq(g, IPPROTO_ICMPV6, net, e->proto);
	next = bpf_jeq(g, IPPROTO_ICMP, net, next);
	next = bpf_jeq(g, IPPROTO_UDP, net, next);
	next = bpf_jeq(g, IPPROTO_TCP, net, next);
	next = bpf_jeq(g, 0, net, next);
	next = bpf_load(g, SC_OFF_LO(2), next);
	next = bpf_jge(g, SOCK_RAW + 1, e->proto, next);
	next = bpf_and(g, SC_SOCK_TYPE_MASK, next);
	inet = bpf_load(g, SC_OFF_LO(1), next);

	next = bpf_jeq(g, AF_NETLINK, netlink, e->family);
	next = bpf_jeq(g, AF_INET6, inet, next);
	next = bpf_jeq(g, AF_INET, inet, next);
	next = bpf_jeq(g, AF_UNIX, unixes, next);
	return bpf_load(g, SC_OFF_LO(0), next);
}

/* The same as above, in words; tests/unit/test_seccomp_args.c holds the two together. */
bool seccomp_opens_net(const struct seccomp_data *d)
{
	const struct sc_row *row = sc_find(seccomp_native(), d->nr);
	uint32_t family = (uint32_t)d->args[0], type = (uint32_t)d->args[1] & SC_SOCK_TYPE_MASK,
		 protocol = (uint32_t)d->args[2];

	if (!row || row->class != SC_SOCKET)
		return false;
	if (family == AF_NETLINK)
		return protocol == NETLINK_ROUTE || protocol == NETLINK_SOCK_DIAG;
	if ((family != AF_INET && family != AF_INET6) || type > SOCK_RAW)
		return false;
	return protocol == 0 || protocol == IPPROTO_TCP || protocol == IPPROTO_UDP ||
	       protocol == IPPROTO_ICMP || protocol == IPPROTO_ICMPV6;
}

static bpf_label check_socketpair(struct bpf_gen *g, const struct ends *e)
{
	bpf_label next;

	next = bpf_jeq(g, SOCK_SEQPACKET, e->allow, e->perm);
	next = bpf_jeq(g, SOCK_STREAM, e->allow, next);
	next = bpf_and(g, SC_SOCK_TYPE_MASK, next);
	next = bpf_load(g, SC_OFF_LO(1), next);
	next = bpf_jeq(g, AF_UNIX, next, e->family);
	return bpf_load(g, SC_OFF_LO(0), next);
}

/* After the switch on the magic byte the whole command is compared. */
static bpf_label ioctl_group(struct bpf_gen *g, const struct ends *e, const struct sc_ioctl *grp)
{
	bpf_label refused = grp->err == ENOTTY ? e->notty : e->perm;
	bpf_label listed = grp->only_listed ? e->allow : refused;
	bpf_label next = grp->only_listed ? refused : e->allow;

	for (size_t i = 0; i < ARRAY_SIZE(grp->cmd) && grp->cmd[i]; i++)
		next = bpf_jeq(g, grp->cmd[i], listed, next);
	return bpf_load(g, SC_OFF_LO(1), next);
}

static bpf_label check_ioctl(struct bpf_gen *g, const struct ends *e)
{
	bpf_label next = e->allow;
	bpf_label group[16];

	for (unsigned i = 0; i < sc_ioctl_count; i++)
		group[i] = ioctl_group(g, e, &sc_ioctls[i]);
	for (unsigned i = sc_ioctl_count; i-- > 0;)
		next = bpf_jeq(g, sc_ioctls[i].magic, group[i], next);
	next = bpf_and(g, 0xff00, next);
	return bpf_load(g, SC_OFF_LO(1), next);
}

/* A new mount namespace has new mount ids, by which the supervisor knows the
 * governed trees: it stays refused where user namespaces are granted. */
static bpf_label check_namespaces(struct bpf_gen *g, const struct ends *e, bool unshare)
{
	uint32_t refused = SC_CLONE_NEW | (unshare ? SC_CLONE_NEWTIME : 0);

	if (e->o->allow_userns)
		refused = CLONE_NEWNS;
	return bpf_load(g, SC_OFF_LO(0), bpf_jset(g, refused, e->perm, e->allow));
}

/* Linux32 and the old release number are cosmetic, debuggers need fixed
 * addresses; the rest weakens the process (READ_IMPLIES_EXEC, MMAP_PAGE_ZERO). */
static bpf_label check_personality(struct bpf_gen *g, const struct ends *e)
{
	const uint32_t harmless = PER_LINUX32 | UNAME26 | ADDR_NO_RANDOMIZE;
	bpf_label next = bpf_jset(g, ~harmless, e->perm, e->allow);

	next = bpf_jeq(g, SC_PERSONALITY_QUERY, e->allow, next);
	return bpf_load(g, SC_OFF_LO(0), next);
}

/* Without a path it is futimens(): times of an open file. */
static bpf_label check_utimensat(struct bpf_gen *g, const struct ends *e)
{
	bpf_label next;

	if (!e->o->trap_writes)
		return e->allow;
	if (e->o->flat)
		return e->trap;
	next = bpf_load(g, SC_OFF_HI(1), bpf_jeq(g, 0, e->allow, e->trap));
	return bpf_load(g, SC_OFF_LO(1), bpf_jeq(g, 0, next, e->trap));
}

/* A close like any other, but for the descriptors the supervisor has numbered. */
static bpf_label check_close(struct bpf_gen *g, const struct ends *e)
{
	bpf_label next;

	if (!e->o->trap_writes)
		return e->allow;
	next = bpf_jge(g, SECCOMP_CLOSE_FIRST + SECCOMP_CLOSE_COUNT, e->allow, e->trap);
	next = bpf_jge(g, SECCOMP_CLOSE_FIRST, next, e->allow);
	return bpf_load(g, SC_OFF_LO(0), next);
}

/* As vm.memfd_noexec = 2 has it, which only the host's root may set. An older kernel
 * refuses the flag by itself: closed too. */
static bpf_label check_memfd(struct bpf_gen *g, const struct ends *e)
{
	if (!e->o->noexec_memfd)
		return e->allow;
	return bpf_load(g, SC_OFF_LO(1), bpf_jset(g, MFD_NOEXEC_SEAL, e->allow, e->acces));
}

/* A lease needs no more than reading, and holds up whoever opens the file on the host, for 45
 * seconds each time: the user's editor, and berm itself, which reads the settings again. */
static bpf_label check_fcntl(struct bpf_gen *g, const struct ends *e)
{
	bpf_label next = bpf_jeq(g, SC_F_SETDELEG, e->perm, e->allow);

	return bpf_load(g, SC_OFF_LO(1), bpf_jeq(g, F_SETLEASE, e->perm, next));
}

/* The command's own exec, by init's child: a secret tells it from every later one. */
static bpf_label check_exec(struct bpf_gen *g, const struct ends *e)
{
	bpf_label next;

	if (!e->o->trap_exec)
		return e->allow;
	if (!e->o->exec_pass)
		return e->trap;
	next = bpf_jeq(g, (uint32_t)(e->o->exec_pass >> 32), e->allow, e->trap);
	next = bpf_load(g, SC_OFF_HI(5), next);
	next = bpf_jeq(g, (uint32_t)e->o->exec_pass, next, e->trap);
	return bpf_load(g, SC_OFF_LO(5), next);
}

/* A number may come to mean another process between a look and the call, and nothing but the user
 * would hold the caller back from one outside: so only the caller's own. */
static bpf_label check_other(struct bpf_gen *g, const struct ends *e, unsigned arg)
{
	if (!e->o->flat)
		return e->allow;
	return bpf_load(g, SC_OFF_LO(arg),
			bpf_jeq(g, 0, e->allow, bpf_ret(g, SC_RET_ERRNO(EPERM))));
}

/* setpriority(2) of PRIO_PROCESS (0), ioprio_set(2) of IOPRIO_WHO_PROCESS (1); what they mean by
 * the other value is a group of processes, which may be the caller's: refused as well. */
static bpf_label check_priority(struct bpf_gen *g, const struct ends *e, uint32_t which)
{
	bpf_label own = check_other(g, e, 1);

	if (!e->o->flat)
		return own;
	return bpf_load(g, SC_OFF_LO(0), bpf_jeq(g, which, own, bpf_ret(g, SC_RET_ERRNO(EPERM))));
}

static void make_classes(struct bpf_gen *g, const struct ends *e, bpf_label *to)
{
	const struct seccomp_opts *o = e->o;

	to[SC_ALLOW] = e->allow;
	to[SC_DENY] = e->perm;
	to[SC_HIDE] = e->hide;
	to[SC_NOSYS] = e->nosys;
	to[SC_WRITE] = o->trap_writes ? e->trap : e->allow;
	to[SC_EXEC] = o->trap_exec ? e->trap : e->allow;
	to[SC_LOOK] = o->observe || o->flat ? e->trap : e->allow;
	to[SC_OPENAT2] = o->trap_writes || o->trap_reads ? e->trap : e->allow;
	to[SC_SOCKET] = check_socket(g, e);
	to[SC_SOCKETPAIR] = check_socketpair(g, e);
	to[SC_CLONE] = check_namespaces(g, e, false);
	to[SC_UNSHARE] = check_namespaces(g, e, true);
	to[SC_PERSONALITY] = check_personality(g, e);
	to[SC_UTIMENSAT] = check_utimensat(g, e);
	to[SC_CLOSE] = check_close(g, e);
	to[SC_MEMFD] = check_memfd(g, e);
	to[SC_FCNTL] = check_fcntl(g, e);
	to[SC_SIGHT] = o->flat ? e->trap : e->allow;
	to[SC_IPC] = o->flat ? e->nosys : e->allow;
	to[SC_OTHER] = check_other(g, e, 0);
	to[SC_SETPRIORITY] = check_priority(g, e, 0);
	to[SC_OPEN] = check_open(g, e, 1);
	to[SC_IOCTL] = check_ioctl(g, e);
	to[SC_OPENAT] = check_open(g, e, 2);
}

static bpf_label check_foreign(struct bpf_gen *g, const struct sc_abi *a, const struct ends *e)
{
	bpf_label next = bpf_jeq(g, a->foreign_exit_group, e->allow, e->nosys);

	next = bpf_load(g, SC_OFF_NR, bpf_jeq(g, a->foreign_exit, e->allow, next));
	return bpf_jeq(g, a->foreign, next, e->nosys);
}

/* No socket is made that needs a name or a peer, but a bound one of a socketpair's would take an
 * abstract name of the host's. */
static void close_names(struct bpf_gen *g, const struct seccomp_opts *o, bpf_label *of)
{
	static const unsigned ids[] = { SC_ID_bind, SC_ID_connect, SC_ID_listen };

	for (size_t i = 0; o->flat && i < ARRAY_SIZE(ids); i++)
		of[sc_rows[ids[i]].nr[o->arch]] = bpf_ret(g, SC_RET_ERRNO(EACCES));
}

int seccomp_build(const struct seccomp_opts *o, struct seccomp_prog *ret)
{
	const struct sc_abi *a = &sc_abis[o->arch];
	bpf_label to[SC_CLASS_COUNT], of[SC_NR_LAST + 2];
	bpf_label next, foreign;
	struct bpf_gen g = { 0 };
	struct ends e;

	make_ends(&g, o, &e);
	make_classes(&g, &e, to);
	for (size_t nr = 0; nr < ARRAY_SIZE(of); nr++)
		of[nr] = e.nosys;
	for (unsigned i = 0; i < sc_row_count; i++)
		if (sc_rows[i].nr[o->arch] >= 0)
			of[sc_rows[i].nr[o->arch]] = to[sc_rows[i].class];
	of[sc_rows[SC_ID_execveat].nr[o->arch]] = check_exec(&g, &e);
	of[sc_rows[SC_ID_ioprio_set].nr[o->arch]] = check_priority(&g, &e, 1);
	close_names(&g, o, of);

	foreign = check_foreign(&g, a, &e);
	next = bpf_dispatch(&g, of, ARRAY_SIZE(of));
	next = bpf_jeq(&g, (uint32_t)sc_rows[SC_ID_ioctl].nr[o->arch], to[SC_IOCTL], next);
	next = bpf_jeq(&g, (uint32_t)sc_rows[SC_ID_close].nr[o->arch], to[SC_CLOSE], next);
	next = bpf_jeq(&g, (uint32_t)sc_rows[SC_ID_openat].nr[o->arch], to[SC_OPENAT], next);
	next = bpf_load(&g, SC_OFF_NR, next);
	next = bpf_jeq(&g, a->native, next, foreign);
	return bpf_finish(&g, bpf_load(&g, SC_OFF_ARCH, next), ret);
}

int seccomp_denial(const struct seccomp_data *d)
{
	const struct sc_row *row = sc_find(seccomp_native(), d->nr);

	switch (row ? row->class : SC_ALLOW) {
	case SC_DENY:
	case SC_IOCTL:
	case SC_CLONE:
	case SC_UNSHARE:
	case SC_PERSONALITY:
	case SC_FCNTL:
		return EPERM;
	case SC_SOCKETPAIR:
		return (int)d->args[0] == AF_UNIX ? EPERM : EAFNOSUPPORT;
	case SC_MEMFD:
		return EACCES;
	case SC_HIDE:
		return ENOSYS;
	case SC_SOCKET:
		switch ((int)d->args[0]) {
		case AF_UNIX:
			return EPERM;
		case AF_INET:
		case AF_INET6:
		case AF_NETLINK:
			return EPROTONOSUPPORT;
		default:
			return EAFNOSUPPORT;
		}
	default:
		return 0;
	}
}

int seccomp_load(const struct seccomp_prog *p, bool listener, int *ret_listener)
{
	struct sock_fprog prog = {
		.len = (unsigned short)p->len,
		.filter = (struct sock_filter *)(uintptr_t)p->insn,
	};
	unsigned flags = 0;
	long r;

	if (listener)
		flags = SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV;
	r = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &prog);
	if (r < 0)
		return -errno;
	if (listener)
		*ret_listener = (int)r;
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Starting the broker. Its program was opened before the command ran, so that nothing the
 * command does can change which file that is. It gets no environment, no file and no
 * terminal: its control socket is descriptor 3, the kit follows. */
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/fd.h"
#include "base/path.h"
#include "egress/config.h"
#include "linux/kern.h"
#include "session/steward_impl.h"

#define PROGRAM "berm-egress"

static int open_program(const char *dir, const char *rel)
{
	_cleanup_free_ char *path = str_printf("%s/%s", dir, rel);

	return path ? open(path, O_PATH | O_CLOEXEC) : -1;
}

int broker_find(void)
{
	char exe[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	char *slash;
	int fd;

	if (n <= 0)
		return -1;
	exe[n] = '\0';
	slash = strrchr(exe, '/');
	if (!slash)
		return -1;
	*slash = '\0';
	fd = open_program(exe, PROGRAM);
	if (fd < 0)
		fd = open_program(exe, "../libexec/berm/" PROGRAM);
	return fd;
}

/* The numbers that the kit's descriptors will have in the broker. */
static size_t number_kit(const struct net_kit *kit, struct net_kit *ret, int *fds)
{
	size_t n = 0;

	*ret = *kit;
	for (size_t i = 0; i < KIT_MAX; i++) {
		if (kit->fd[i] < 0)
			continue;
		ret->fd[i] = 4 + (int)n;
		fds[n++] = kit->fd[i];
	}
	return n;
}

/* In the child. Every descriptor is first moved out of the way of the final numbers. */
static void become_broker(int program, int control, const int *kit, size_t n)
{
	int all[KIT_MAX + 2], null = open("/dev/null", O_RDWR | O_CLOEXEC);
	char name[] = PROGRAM, *argv[] = { name, NULL }, *envp[] = { NULL };
	sigset_t none;

	all[0] = control;
	memcpy(all + 1, kit, n * sizeof(*kit));
	all[n + 1] = program;
	for (size_t i = 0; i < n + 2; i++) {
		all[i] = fcntl(all[i], F_DUPFD_CLOEXEC, 4 + (int)n);
		if (all[i] < 0)
			_exit(125);
	}
	for (int fd = 0; fd < 3; fd++)
		if (dup2(null, fd) < 0)
			_exit(125);
	for (size_t i = 0; i < n + 1; i++)
		if (dup2(all[i], 3 + (int)i) < 0)
			_exit(125);
	if (syscall(SYS_close_range, 4 + (unsigned)n, ~0u, CLOSE_RANGE_CLOEXEC) < 0)
		_exit(125);
	for (int sig = 1; sig < 32; sig++)
		(void)signal(sig, SIG_DFL);
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	/* The terminal's signals are not for it. */
	(void)setsid();
	(void)syscall(SYS_execveat, all[n + 1], "", argv, envp, AT_EMPTY_PATH);
	_exit(errno == ENOENT ? 127 : 126);
}

/* The broker has the sandbox's sockets from now on, and nobody else: should it die, the
 * kernel refuses what the sandbox wants. */
static void close_kit(struct net_kit *kit)
{
	for (size_t i = 0; i < KIT_MAX; i++) {
		close_quietly(kit->fd[i]);
		kit->fd[i] = -1;
	}
}

int broker_config(struct steward *st)
{
	struct net_spec net = st->spec->network;
	struct eg_msg m = { .magic = EG_MAGIC, .type = EG_CONFIG };
	int fd;

	memcpy(&net.policy, &st->policy, sizeof(net.policy)); /* it is only read */
	fd = eg_config_memfd(&net);
	if (fd < 0)
		return fd;
	return outbox_send(&st->to_broker, &m, EG_MSG_SIZE(0), fd, 1);
}

int broker_start(struct steward *st)
{
	_cleanup_close_ int ours = -1, theirs = -1;
	int pair[2], fds[KIT_MAX], r, buffer = 1 << 20;
	struct net_kit numbered;
	size_t n;

	if (st->s->broker < 0)
		return -ENOENT;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -errno;
	ours = pair[0];
	theirs = pair[1];
	(void)setsockopt(theirs, SOL_SOCKET, SO_SNDBUF, &buffer, sizeof(buffer));
	n = number_kit(st->kit, &numbered, fds);
	st->broker_pid = fork();
	if (st->broker_pid < 0)
		return -errno;
	if (st->broker_pid == 0)
		become_broker(st->s->broker, theirs, fds, n);
	close_kit(st->kit);
	st->broker = take_fd(&ours);
	outbox_init(&st->to_broker, st->broker);
	r = outbox_send(&st->to_broker, &numbered, sizeof(numbered), -1, 1);
	return r < 0 ? r : broker_config(st);
}

void broker_stop(struct steward *st)
{
	struct eg_msg m = { .magic = EG_MAGIC, .type = EG_STOP };

	(void)outbox_send(&st->to_broker, &m, EG_MSG_SIZE(0), -1, 1);
}

void broker_answer(struct steward *st, uint32_t id, const struct ask_answer *a)
{
	struct eg_msg m = { .magic = EG_MAGIC,
			    .type = EG_ANSWER,
			    .id = id,
			    /* VERDICT_ASK: nobody decided. */
			    .decision = a->decision == VERDICT_ALLOW || a->answered ? a->decision
										    : VERDICT_ASK,
			    .hold = a->hold == HOLD_ONCE ? EG_ONCE : EG_SESSION };

	(void)outbox_send(&st->to_broker, &m, EG_MSG_SIZE(0), -1, 1);
}

void broker_lost(struct steward *st, const char *why)
{
	char text[256];
	int status = 0;

	if (st->broker >= 0) {
		close_quietly(st->broker);
		st->broker = -1;
		outbox_free(&st->to_broker);
		outbox_init(&st->to_broker, -1);
		/* Its socket is closed: it is dead, or dies of that. */
		(void)kill(st->broker_pid, SIGKILL);
		while (waitpid(st->broker_pid, &status, 0) < 0 && errno == EINTR)
			;
	}
	if (st->broker_gone)
		return;
	st->broker_gone = true;
	close_kit(st->kit);
	steward_unask_hosts(st);
	if (st->ending)
		return;
	if (st->s->broker < 0)
		(void)snprintf(
			text, sizeof(text),
			"the network is closed: the program %s is not there, beside berm or in "
			"../libexec/berm; install berm as a whole (make install)",
			PROGRAM);
	else if (WIFEXITED(status) && WEXITSTATUS(status))
		(void)snprintf(text, sizeof(text), "the network is closed: %s (exit status %d)",
			       why, WEXITSTATUS(status));
	else
		(void)snprintf(text, sizeof(text), "the network is closed: %s", why);
	tell_degraded(st, "network", text);
}

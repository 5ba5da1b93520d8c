/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a command under ptrace and spoils one system call of its set-up.
 *
 *   inject [-l FILE] [-p PROCESS -n N (-e ERRNO | -k)] [-t SECONDS] -- COMMAND...
 *
 * Processes and threads are named by descent: "0" is the command, "0.1" the second
 * child of it, so that the name is the same in each run. N counts that process's
 * system calls from 1. Set-up ends at the second execve that succeeds: there the
 * command under test has started the program it was asked to. -l lists the calls
 * of set-up ("PROCESS N NUMBER RESULT"). With -e the call is not made and fails
 * with ERRNO, with -k the process is killed instead of making it.
 *
 * Exits as the command did (128+n for a signal). Everything it leaves behind comes
 * to this program, which is a subreaper: what still lives two seconds after the
 * command's end is reported, killed, and the exit status is 199; 198 after -t
 * seconds; 197 when the call to be spoilt was never reached. */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/time.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef __x86_64__
#error "reads and writes x86-64 registers"
#endif

enum { STATUS_MISSED = 197, STATUS_TIMEOUT = 198, STATUS_LEFT = 199, STATUS_SELF = 200 };

#define MAX_TRACEES 128

struct tracee {
	pid_t pid; /* 0: free */
	char name[64];
	unsigned long calls;
	unsigned children;
	bool in_call;
	bool spoil; /* the call it is in returns the injected error */
	long number;
};

static struct tracee tracees[MAX_TRACEES];
static pid_t root_pid;
static int root_status = -1;
static unsigned execs;
static bool done; /* spoilt, or set-up is over: no more stops at system calls */

static FILE *list;
static const char *want_name;
static unsigned long want_call;
static int want_errno;
static bool want_kill, spoilt;

static void die(const char *what)
{
	perror(what);
	exit(STATUS_SELF);
}

static long long now_ms(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return (long long)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static struct tracee *find(pid_t pid)
{
	for (size_t i = 0; i < MAX_TRACEES; i++)
		if (tracees[i].pid == pid)
			return &tracees[i];
	return NULL;
}

static struct tracee *add(pid_t pid, struct tracee *parent)
{
	struct tracee *t = find(pid);

	if (!t)
		t = find(0);
	if (!t) {
		(void)fprintf(stderr, "inject: more than %d processes\n", MAX_TRACEES);
		exit(STATUS_SELF);
	}
	/* A child may stop before its parent's event tells whose it is. */
	if (t->pid == pid && t->name[0] != '\0')
		return t;
	*t = (struct tracee){ .pid = pid };
	if (parent)
		(void)snprintf(t->name, sizeof(t->name), "%.48s.%u", parent->name,
			       parent->children++);
	else if (pid == root_pid)
		(void)snprintf(t->name, sizeof(t->name), "0");
	return t;
}

/* Each stop costs the command time: only whose calls are counted, and whoever has no name yet,
 * stops at them. */
static bool counts(const struct tracee *t)
{
	return !done &&
	       (!want_name || execs == 0 || t->name[0] == '\0' || strcmp(t->name, want_name) == 0);
}

static void go_on(const struct tracee *t, int sig)
{
	/* ESRCH: killed meanwhile; waitpid() will tell. */
	if (ptrace(counts(t) ? PTRACE_SYSCALL : PTRACE_CONT, t->pid, 0L, (long)sig) < 0 &&
	    errno != ESRCH)
		die("ptrace");
}

/* Makes the call fail instead: number -1 is no system call. */
static void skip_call(struct tracee *t)
{
	struct user_regs_struct regs;

	if (ptrace(PTRACE_GETREGS, t->pid, NULL, &regs) < 0)
		return;
	regs.orig_rax = ULLONG_MAX;
	if (ptrace(PTRACE_SETREGS, t->pid, NULL, &regs) < 0)
		return;
	t->spoil = true;
	spoilt = true;
}

static void call_enters(struct tracee *t)
{
	struct user_regs_struct regs;

	t->in_call = true;
	t->calls++;
	if (ptrace(PTRACE_GETREGS, t->pid, NULL, &regs) == 0)
		t->number = (long)regs.orig_rax;
	if (!want_name || done || execs == 0 || t->calls != want_call ||
	    strcmp(t->name, want_name) != 0)
		return;
	if (want_kill) {
		spoilt = true;
		done = true;
		(void)kill(t->pid, SIGKILL);
	} else {
		skip_call(t);
	}
}

static void call_leaves(struct tracee *t)
{
	struct user_regs_struct regs;

	t->in_call = false;
	if (ptrace(PTRACE_GETREGS, t->pid, NULL, &regs) < 0)
		return;
	if (t->spoil) {
		regs.rax = (unsigned long long)-(long long)want_errno;
		(void)ptrace(PTRACE_SETREGS, t->pid, NULL, &regs);
		t->spoil = false;
		done = true;
	}
	if (list && !done && execs > 0 && t->calls > 0)
		(void)fprintf(list, "%s %lu %ld %lld\n", t->name, t->calls, t->number,
			      (long long)regs.rax);
}

static void on_event(struct tracee *t, int event)
{
	unsigned long child;

	switch (event) {
	case PTRACE_EVENT_FORK:
	case PTRACE_EVENT_VFORK:
	case PTRACE_EVENT_CLONE:
		if (ptrace(PTRACE_GETEVENTMSG, t->pid, NULL, &child) == 0)
			(void)add((pid_t)child, t);
		break;
	case PTRACE_EVENT_EXEC:
		/* The first is the command's own: what came before was this program. */
		if (++execs == 1)
			t->calls = 0;
		if (execs == 2) {
			if (list && !done)
				(void)fprintf(list, "%s %lu %ld 0\n", t->name, t->calls, t->number);
			/* A call to be spoilt may come a moment later in another process. */
			done = want_name == NULL;
		}
		break;
	default:
		break;
	}
}

static bool is_stop_signal(int sig)
{
	return sig == SIGSTOP || sig == SIGTSTP || sig == SIGTTIN || sig == SIGTTOU;
}

static void on_stop(struct tracee *t, int status)
{
	int sig = WSTOPSIG(status), event = status >> 16;

	if (event == PTRACE_EVENT_STOP) {
		/* A group stop is kept; the first stop of a new process is not one. */
		if (is_stop_signal(sig) && t->calls > 0 &&
		    ptrace(PTRACE_LISTEN, t->pid, 0L, 0L) == 0)
			return;
		go_on(t, 0);
	} else if (event != 0) {
		on_event(t, event);
		go_on(t, 0);
	} else if (sig == (SIGTRAP | 0x80)) {
		if (t->in_call)
			call_leaves(t);
		else
			call_enters(t);
		go_on(t, 0);
	} else {
		go_on(t, sig);
	}
}

static void on_status(pid_t pid, int status)
{
	struct tracee *t = find(pid);

	if (WIFSTOPPED(status)) {
		if (!t)
			t = add(pid, NULL);
		/* The parent's event comes after the child's first stop: let the child wait. */
		if (t->name[0] == '\0') {
			for (size_t i = 0; i < MAX_TRACEES; i++)
				if (tracees[i].pid > 0 && tracees[i].name[0] != '\0') {
					int other;

					if (waitpid(tracees[i].pid, &other, WNOHANG | __WALL) > 0)
						on_status(tracees[i].pid, other);
					if (t->name[0] != '\0')
						break;
				}
		}
		on_stop(t, status);
		return;
	}
	if (pid == root_pid)
		root_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	if (t)
		t->pid = 0;
}

static void start(char **argv)
{
	const long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
			     PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC;
	int gate[2];
	char byte = 0;

	if (pipe(gate) < 0)
		die("pipe");
	root_pid = fork();
	if (root_pid < 0)
		die("fork");
	if (root_pid == 0) {
		(void)close(gate[1]);
		if (read(gate[0], &byte, 1) != 1)
			_exit(STATUS_SELF);
		(void)close(gate[0]);
		execv(argv[0], argv);
		_exit(STATUS_SELF);
	}
	(void)close(gate[0]);
	if (ptrace(PTRACE_SEIZE, root_pid, 0L, options) < 0)
		die("PTRACE_SEIZE");
	(void)add(root_pid, NULL);
	if (ptrace(PTRACE_INTERRUPT, root_pid, 0L, 0L) < 0)
		die("PTRACE_INTERRUPT");
	if (write(gate[1], &byte, 1) != 1)
		die("write");
	(void)close(gate[1]);
}

/* Kills what is left and says what it was. */
static void kill_rest(const char *why)
{
	char path[64], comm[32];

	for (size_t i = 0; i < MAX_TRACEES; i++) {
		FILE *f;

		if (tracees[i].pid <= 0)
			continue;
		(void)snprintf(path, sizeof(path), "/proc/%d/comm", (int)tracees[i].pid);
		f = fopen(path, "re");
		if (!f || !fgets(comm, sizeof(comm), f))
			(void)snprintf(comm, sizeof(comm), "?\n");
		if (f)
			(void)fclose(f);
		(void)fprintf(stderr, "inject: %s: %s pid %d %s", why, tracees[i].name,
			      (int)tracees[i].pid, comm);
		(void)kill(tracees[i].pid, SIGKILL);
	}
	while (waitpid(-1, NULL, __WALL) > 0 || errno == EINTR)
		;
}

static volatile sig_atomic_t ticked;

static void tick_now(int sig)
{
	(void)sig;
	ticked = 1;
}

static int trace(long long limit_ms)
{
	long long deadline = now_ms() + limit_ms, left_deadline = 0;
	const struct itimerval tick = { { 0, 100000 }, { 0, 100000 } };
	const struct sigaction on_tick = { .sa_handler = tick_now };
	int status;

	/* Not SA_RESTART: each tick ends waitpid() for a look at the clock. */
	if (sigaction(SIGALRM, &on_tick, NULL) < 0 || setitimer(ITIMER_REAL, &tick, NULL) < 0)
		die("setitimer");

	for (;;) {
		pid_t pid = waitpid(-1, &status, __WALL);

		if (pid > 0) {
			on_status(pid, status);
			if (!ticked)
				continue;
		}
		if (pid < 0 && errno == ECHILD)
			break;
		ticked = 0;
		if (root_status >= 0 && left_deadline == 0)
			left_deadline = now_ms() + 2000;
		if (left_deadline && now_ms() > left_deadline) {
			kill_rest("left behind");
			return STATUS_LEFT;
		}
		if (now_ms() > deadline) {
			kill_rest("still running");
			return STATUS_TIMEOUT;
		}
	}
	if (want_name && !spoilt)
		return STATUS_MISSED;
	return root_status;
}

int main(int argc, char **argv)
{
	long seconds = 90; /* only to end what hangs, however slow the machine is */
	int opt;

	while ((opt = getopt(argc, argv, "+l:p:n:e:kt:")) != -1) {
		switch (opt) {
		case 'l':
			list = fopen(optarg, "we");
			if (!list)
				die(optarg);
			break;
		case 'p':
			want_name = optarg;
			break;
		case 'n':
			want_call = strtoul(optarg, NULL, 10);
			break;
		case 'e':
			want_errno = (int)strtol(optarg, NULL, 10);
			break;
		case 'k':
			want_kill = true;
			break;
		case 't':
			seconds = strtol(optarg, NULL, 10);
			break;
		default:
			return STATUS_SELF;
		}
	}
	if (optind >= argc || (want_name && (want_call == 0 || (!want_kill && want_errno == 0)))) {
		(void)fprintf(stderr, "usage: see the head of tests/faults/inject.c\n");
		return STATUS_SELF;
	}
	if (prctl(PR_SET_CHILD_SUBREAPER, 1L) < 0)
		die("PR_SET_CHILD_SUBREAPER");
	start(argv + optind);
	opt = trace(seconds * 1000);
	if (list)
		(void)fclose(list);
	return opt;
}

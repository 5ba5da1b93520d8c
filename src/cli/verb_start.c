/* SPDX-License-Identifier: Apache-2.0 */
/* berm start: a child becomes the session's warden; this process waits until the session is there
 * or is known not to be, and tells what the child had to say. */
#include "cli/cli.h"

#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/arena.h"
#include "base/fd.h"
#include "cli/events_file.h"
#include "cli/run_common.h"
#include "plan/plan.h"
#include "session/warm.h"

static const char usage[] =
	"usage: berm start [OPTION]...\n"
	"Begins a session: a sandbox that stays, in which berm exec runs commands. Prints\n"
	"its name. It ends with the process that started it (a shell, an agent), or by\n"
	"berm stop.\n"
	"Exit status: 0; 125 there is no session, and standard error says why.\n\n"
	"  s=$(berm start)              berm exec $s -- npm test\n"
	"  berm start --name dev --keep; berm exec dev -- npm run serve\n";

struct start {
	struct run_opts *o;
	char name[WARM_NAME_MAX];
	int folder;
	struct launch_warm warm;
	int said;  /* memory file: what the child writes to standard error */
	int ready; /* pipe: the child's end */
	int null;
};

/* What is kept of the descriptors that the caller left open: those that an option names. */
static int named_fd(const char *option)
{
	const char *s = option && str_starts(option, "fd:") ? option + 3 : NULL;
	char *end;
	long n = s && *s ? strtol(s, &end, 10) : -1;

	return n > 2 && !*end && n < 1 << 20 ? (int)n : -1;
}

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* A session outlives who started it: a pipe or a lock of theirs must not. */
static void close_others(const struct start *s)
{
	int keep[] = { s->folder,
		       s->warm.listen,
		       s->warm.owner,
		       s->said,
		       s->ready,
		       s->null,
		       s->o->owner,
		       named_fd(s->o->events),
		       named_fd(s->o->control),
		       named_fd(s->o->approver) };
	unsigned from = 3;

	qsort(keep, ARRAY_SIZE(keep), sizeof(keep[0]), compare);
	for (size_t i = 0; i < ARRAY_SIZE(keep); i++) {
		if (keep[i] < (int)from)
			continue;
		if (keep[i] > (int)from)
			(void)syscall(SYS_close_range, from, (unsigned)keep[i] - 1, 0);
		from = (unsigned)keep[i] + 1;
	}
	(void)fd_close_from(from);
}

/* ---- the child ----------------------------------------------------------- */

static struct start *the_start;
static void (*state_of_session)(void *ctx, enum launch_state state, int pid);

static void on_state(void *ctx, enum launch_state state, int pid)
{
	struct start *s = the_start;
	char c = 'r';

	state_of_session(ctx, state, pid);
	if (state != LAUNCH_READY)
		return;
	(void)dup3(s->null, STDERR_FILENO, 0);
	(void)fd_write_all(s->ready, &c, 1);
	close_quietly(s->ready);
	close_quietly(s->said);
	s->ready = s->said = -1;
}

static int resolve(struct start *s, struct events_file *events, struct spec **spec,
		   struct berm_err *err)
{
	char *nothing[] = { NULL };
	int r = events_file_prepare(events, s->o, err);

	if (r >= 0)
		r = run_opts_resolve(s->o, nothing, spec, err);
	return r < 0 ? r : events_file_check(events, s->o, *spec, err);
}

static int live(struct start *s, const struct spec *spec, struct session *session,
		struct berm_err *err)
{
	_cleanup_(cleanup_plan_) struct plan *plan = NULL;
	struct launch_result res;
	struct session_end end = { 0 };
	struct native_run native = {
		.o = s->o, .spec = spec, .session = session, .limits.cgroup = CGROUP_INIT
	};
	struct launch_ops ops;
	int r;

	run_ops(&native, &ops);
	state_of_session = ops.on_state;
	ops.on_state = on_state;
	r = plan_build(spec, &plan, err);
	session_starting(session, "native");
	if (r >= 0) {
		run_print_notes(s->o, spec);
		r = run_limits(&native, true, err);
	}
	if (r >= 0)
		r = launch_run(spec, plan, &ops, &res, err);
	limits_done(&native.limits);
	if (r < 0)
		end.error = err->msg;
	end.status = r < 0 ? EXIT_BERM : 0;
	session_end(session, &end);
	strv_free(&native.lacks);
	return r;
}

static int child(struct start *s)
{
	_cleanup_(events_file_free) struct events_file events = { 0 };
	_cleanup_(cleanup_session_) struct session *session = NULL;
	_cleanup_spec_ struct spec *spec = NULL;
	struct policy_input input;
	struct berm_err err = { 0 };
	char *nothing[] = { NULL };
	int r;

	the_start = s;
	launch_set_warm(&s->warm);
	launch_cap(s->o->lacks_cap, s->o->landlock_cap);
	launch_early();
	r = resolve(s, &events, &spec, &err);
	if (r >= 0) {
		session = session_new(spec);
		r = session ? 0 : err_set(&err, -ENOMEM, "out of memory");
	}
	if (r >= 0 && events.target)
		r = session_open_events(session, events.target, &err);
	if (r >= 0) {
		run_opts_input(s->o, nothing, &input);
		r = run_open_network(session, spec, &input, s->o->control, &err);
	}
	if (r >= 0)
		r = live(s, spec, session, &err);
	launch_drop();
	(void)unlinkat(s->folder, s->name, 0);
	return r < 0 ? cli_fail(&err) : 0;
}

static void become_session(struct start *s) _noreturn_;

static void become_session(struct start *s)
{
	(void)setsid();
	if (dup2(s->null, 0) < 0 || dup2(s->null, 1) < 0 || dup2(s->said, 2) < 0)
		_exit(EXIT_BERM);
	close_others(s);
	(void)arena_open();
	_exit(child(s));
}

/* ---- the caller ---------------------------------------------------------- */

static int open_owner(struct start *s, struct berm_err *err)
{
	pid_t pid = s->o->owner_pid ? s->o->owner_pid : getppid();
	int r;

	s->warm.owner = -1;
	if (s->o->keep || s->o->owner)
		return 0;
	s->warm.owner = (int)syscall(SYS_pidfd_open, pid, 0);
	r = s->warm.owner < 0 ? -errno : 0;
	/* It may have ended in between, and somebody else have its number. */
	if (r >= 0 && !s->o->owner_pid && getppid() != pid)
		r = -ESRCH;
	if (r < 0) {
		err_errno(err, r, "cannot watch the session's owner, process %d", pid);
		err_fix(err, "name another with --owner PID, or give --keep");
		return r;
	}
	s->warm.owner_pid = pid;
	return 0;
}

static int make_name(struct start *s)
{
	uint32_t n;

	if (s->o->name) {
		(void)snprintf(s->name, sizeof(s->name), "%s", s->o->name);
		return strlen(s->o->name) < sizeof(s->name) ? 0 : -EINVAL;
	}
	if (getrandom(&n, sizeof(n), 0) != sizeof(n))
		return -errno;
	(void)snprintf(s->name, sizeof(s->name), "w-%08x", n);
	return 0;
}

static int open_session(struct start *s, struct berm_err *err)
{
	int r = make_name(s);

	if (r < 0)
		return err_errno(err, r, "the session's name");
	r = warm_folder(true, &s->folder, err);
	if (r >= 0)
		r = open_owner(s, err);
	if (r < 0)
		return r;
	s->said = memfd_create("berm-start", MFD_CLOEXEC);
	s->null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (s->said < 0 || s->null < 0)
		return err_errno(err, -errno, "cannot prepare the session");
	return warm_listen(s->folder, s->name, &s->warm.listen, err);
}

static void pass_on(int said)
{
	char text[4096];
	off_t at = 0;
	ssize_t n;

	while ((n = pread(said, text, sizeof(text), at)) > 0) {
		(void)fd_write_all(STDERR_FILENO, text, (size_t)n);
		at += n;
	}
}

/* true: the session is there. */
static bool wait_ready(int ready, pid_t pid)
{
	_cleanup_close_ int end = (int)syscall(SYS_pidfd_open, pid, 0);
	struct pollfd p[2] = { { .fd = ready, .events = POLLIN }, { .fd = end, .events = POLLIN } };
	char c;

	do
		if (poll(p, 2, -1) < 0 && errno != EINTR)
			break;
	while (!p[0].revents && !p[1].revents);
	return read(ready, &c, 1) == 1;
}

static int start(struct start *s)
{
	struct berm_err err = { 0 };
	int pipes[2];
	pid_t pid;

	if (open_session(s, &err) < 0)
		return cli_fail(&err);
	/* Not blocking: whoever else holds the other end must not be waited for. */
	if (pipe2(pipes, O_CLOEXEC | O_NONBLOCK) < 0)
		pid = -1;
	else
		pid = fork();
	if (pid == 0) {
		s->ready = pipes[1];
		become_session(s);
	}
	if (pid < 0) {
		(void)err_errno(&err, -errno, "cannot start the session's process");
		(void)unlinkat(s->folder, s->name, 0);
		return cli_fail(&err);
	}
	if (wait_ready(pipes[0], pid)) {
		pass_on(s->said);
		(void)printf("%s\n", s->name);
		return cli_finish(0);
	}
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	pass_on(s->said);
	return EXIT_BERM;
}

int verb_start(int argc, char **argv)
{
	_cleanup_run_opts_ struct run_opts o = RUN_OPTS_INIT;
	struct opt_table table = run_opts_start_table(), own = run_opts_start_own_table();
	struct start s = { .o = &o, .folder = -1, .ready = -1 };
	struct opt_result res;
	struct berm_err err = { 0 };

	s.warm = (struct launch_warm){ .listen = -1, .owner = -1 };
	if (fd_open_stdio() < 0 || opts_parse(&table, &o, argc, argv, true, &res, &err) < 0)
		return cli_fail(&err);
	if (res.help)
		return cli_help(usage, &own, run_opts_policy_help);
	if (run_opts_finish(&o, &err) < 0)
		return cli_fail(&err);
	if (o.off_by) {
		(void)err_set(&err, -EINVAL,
			      "the sandbox is turned off by %s: there is nothing to keep",
			      o.off_by);
		return cli_fail(&err);
	}
	if (res.first < argc) {
		(void)err_set(&err, -EINVAL, "berm start takes no command");
		err_fix(&err, "berm exec SESSION -- COMMAND runs it once the session is there");
		return cli_fail(&err);
	}
	return start(&s);
}

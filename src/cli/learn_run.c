/* SPDX-License-Identifier: Apache-2.0 */
/* One round of berm learn: the command in a sandbox like that of berm run, in a child. */
#include "cli/learn.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/fd.h"
#include "cli/cli.h"

#define EVENTS_MAX (64u * 1024u * 1024u)

int learn_apply(struct run_opts *o, const struct learned *l, bool new_too, struct learn_saved *ret,
		struct berm_err *err)
{
	static const enum policy_arg_kind kinds[] = { [WANT_READ] = ARG_ALLOW_READ,
						      [WANT_WRITE] = ARG_ALLOW_WRITE,
						      [WANT_EXEC] = ARG_ALLOW_EXEC };
	int r = 0;

	*ret = (struct learn_saved){ o->n_args, o->n_net_args };
	for (size_t i = 0; r >= 0 && i < l->n_wants; i++) {
		const struct want *w = &l->wants[i];
		struct policy_net_arg *hosts;

		if (w->state != WANT_GRANTED && !(new_too && w->state == WANT_NEW))
			continue;
		if (w->kind != WANT_HOST) {
			r = run_opts_add_arg(o, kinds[w->kind], w->option, err);
			continue;
		}
		hosts = reallocarray(o->net_args, o->n_net_args + 1, sizeof(*hosts));
		if (!hosts)
			return err_set(err, -ENOMEM, "out of memory");
		o->net_args = hosts;
		hosts[o->n_net_args++] = (struct policy_net_arg){ VERDICT_ALLOW, w->option };
	}
	return r;
}

void learn_restore(struct run_opts *o, const struct learn_saved *saved)
{
	o->n_args = saved->n_args;
	o->n_net_args = saved->n_net_args;
}

int learn_fits(struct run_opts *o, const struct learned *l, struct berm_err *err)
{
	_cleanup_spec_ struct spec *spec = NULL;
	struct learn_saved saved;
	int r = learn_apply(o, l, true, &saved, err);

	if (r >= 0)
		r = run_opts_resolve(o, NULL, &spec, err);
	learn_restore(o, &saved);
	return r;
}

/* What the command reads is there once; later rounds begin where it begins again. */
static int input(bool first)
{
	if (first || isatty(STDIN_FILENO) || lseek(STDIN_FILENO, 0, SEEK_SET) == 0)
		return 0;
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static void child(struct run_opts *o, char **command, int events, int owner, bool quiet,
		  bool first) _noreturn_;

static void child(struct run_opts *o, char **command, int events, int owner, bool quiet, bool first)
{
	struct sigaction dfl = { .sa_handler = SIG_DFL };
	char target[32];
	int in = input(first), null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	/* Standard output is for what was learned. */
	if (in < 0 || null < 0 || (in > 0 && dup2(in, STDIN_FILENO) < 0) ||
	    dup2(quiet ? null : STDERR_FILENO, STDOUT_FILENO) < 0 ||
	    (quiet && dup2(null, STDERR_FILENO) < 0))
		_exit(EXIT_BERM);
	(void)sigaction(SIGINT, &dfl, NULL);
	(void)sigaction(SIGQUIT, &dfl, NULL);
	(void)snprintf(target, sizeof(target), "fd:%d", events);
	o->events = target;
	o->owner = owner;
	/* Nobody is asked meanwhile: what would be is denied, and proposed. */
	o->approver = "none";
	o->quiet = true;
	/* Never without a sandbox, whatever the settings say. */
	o->forced = true;
	(void)arena_open();
	_exit(cli_run(o, command));
}

/* The lines of the memory file as a list of objects. */
static int read_events(int fd, json_t **ret, struct berm_err *err)
{
	_cleanup_free_ char *text = NULL;
	json_t *list = json_array();
	char *line, *save = NULL;
	size_t len;
	int r;

	if (!list || lseek(fd, 0, SEEK_SET) < 0) {
		json_decref(list);
		return err_set(err, -ENOMEM, "cannot read the events");
	}
	r = fd_read_all(fd, EVENTS_MAX, &text, &len);
	if (r < 0) {
		json_decref(list);
		return err_errno(err, r, "cannot read the events");
	}
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		json_t *o = json_loads(line, JSON_REJECT_DUPLICATES, NULL);

		if (!o || json_array_append_new(list, o) < 0) {
			json_decref(list);
			return err_set(err, -EBADMSG, "an event line is damaged");
		}
	}
	*ret = list;
	return 0;
}

static int wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return EXIT_BERM;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int learn_round(struct run_opts *o, char **command, const struct learned *l, bool quiet,
		struct round *ret, struct berm_err *err)
{
	static bool begun;
	struct sigaction ign = { .sa_handler = SIG_IGN }, was_int, was_quit;
	_cleanup_close_ int events = memfd_create("berm-learn", MFD_CLOEXEC), owner = -1;
	struct learn_saved saved;
	int ends[2], r;
	pid_t pid;

	if (events < 0 || pipe2(ends, O_CLOEXEC) < 0)
		return err_errno(err, -errno, "cannot prepare a round");
	owner = ends[1];
	r = learn_apply(o, l, false, &saved, err);
	if (r < 0) {
		close_quietly(ends[0]);
		return r;
	}
	/* Ctrl-C is for the command; what it was refused until then is told. */
	(void)sigaction(SIGINT, &ign, &was_int);
	(void)sigaction(SIGQUIT, &ign, &was_quit);
	(void)fflush(NULL);
	pid = fork();
	if (pid == 0) {
		(void)close(ends[1]);
		child(o, command, events, ends[0], quiet, !begun);
	}
	begun = true;
	close_quietly(ends[0]);
	ret->status = pid < 0 ? EXIT_BERM : wait_for(pid);
	(void)sigaction(SIGINT, &was_int, NULL);
	(void)sigaction(SIGQUIT, &was_quit, NULL);
	learn_restore(o, &saved);
	if (pid < 0)
		return err_set(err, -EAGAIN, "cannot start a process for the round");
	return read_events(events, &ret->events, err);
}

void round_free(struct round *r)
{
	json_decref(r->events);
	r->events = NULL;
}

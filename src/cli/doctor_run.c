/* SPDX-License-Identifier: Apache-2.0 */
/* Nothing here knows how a sandbox is made: a child of this process calls berm run with the
 * options a user would give, and the rest is read from what it prints, from its event
 * lines and from the disk. The command inside is this very program. */
#include "cli/doctor_run.h"

#include <fcntl.h>
#include <jansson.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "cli/cli.h"
#include "linux/host.h"
#include "plan/tier.h"

#define OUTPUT_MAX 65536u
#define WORDS_MAX 64

_Static_assert(sizeof(((struct doctor_run *)0)->results) /
			       sizeof(((struct doctor_run *)0)->results[0]) >=
		       18,
	       "a result for each probe");

struct output {
	char text[OUTPUT_MAX];
	size_t len;
};

struct words {
	char *v[WORDS_MAX];
	size_t n;
};

static void word(struct words *w, const char *s)
{
	if (w->n + 1 < WORDS_MAX)
		w->v[w->n++] = (char *)(uintptr_t)s;
}

_noreturn_ static void become_run(const struct doctor_run *run, const struct doctor_place *p,
				  const struct strv *options, int out, int errs)
{
	struct words w = { 0 };
	char events[600], port[16], *inside[6];
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (null < 0 || dup2(null, 0) < 0 || dup2(out, 1) < 0 || dup2(errs, 2) < 0)
		_exit(EXIT_BERM);
	(void)snprintf(events, sizeof(events), "%s/events", p->dir);
	word(&w, "run");
	for (size_t i = 0; i < options->n; i++)
		word(&w, options->v[i]);
	word(&w, "--quiet");
	word(&w, "--sandbox");
	word(&w, "on");
	word(&w, "--approver");
	word(&w, "none");
	word(&w, "--events");
	word(&w, events);
	word(&w, "--workspace");
	word(&w, p->ws);
	word(&w, "--mode");
	word(&w, run->mode);
	word(&w, "--");
	word(&w, "/proc/self/exe");
	word(&w, "doctor");
	word(&w, "--inside");
	doctor_place_words(p, port, inside);
	for (size_t i = 0; inside[i]; i++)
		word(&w, inside[i]);
	if (w.n + 1 == WORDS_MAX)
		_exit(EXIT_BERM);
	_exit(verb_run((int)w.n, w.v));
}

/* Until both have ended. What does not fit is not needed. */
static void collect(int fds[2], struct output outs[2])
{
	struct pollfd p[2] = { { .fd = fds[0], .events = POLLIN },
			       { .fd = fds[1], .events = POLLIN } };

	while (p[0].fd >= 0 || p[1].fd >= 0) {
		if (poll(p, 2, -1) < 0 && errno != EINTR)
			return;
		for (int i = 0; i < 2; i++) {
			char rest[4096];
			size_t room = sizeof(outs[i].text) - 1 - outs[i].len;
			ssize_t n;

			if (p[i].fd < 0 || !p[i].revents)
				continue;
			n = room ? read(p[i].fd, outs[i].text + outs[i].len, room)
				 : read(p[i].fd, rest, sizeof(rest));
			if (n > 0 && room)
				outs[i].len += (size_t)n;
			if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN))
				p[i].fd = -1;
		}
	}
}

static int run_it(const struct doctor_run *run, const struct doctor_place *p,
		  const struct strv *options, struct output outs[2], int *ret_status)
{
	_cleanup_close_ int out_r = -1, out_w = -1, err_r = -1, err_w = -1;
	int fds[2], status = 0;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	out_r = fds[0];
	out_w = fds[1];
	if (pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	err_r = fds[0];
	err_w = fds[1];
	(void)fflush(stdout);
	pid = fork();
	if (pid < 0)
		return -errno;
	if (pid == 0)
		become_run(run, p, options, out_w, err_w);
	close_quietly(take_fd(&out_w));
	close_quietly(take_fd(&err_w));
	fds[0] = out_r;
	fds[1] = err_r;
	collect(fds, outs);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	*ret_status = WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_BERM;
	return 0;
}

/* ---- what it found ------------------------------------------------------- */

/* The first lines that berm itself says: what, and what to do. */
static void take_error(struct doctor_run *run, char *text)
{
	char *save = NULL;
	unsigned n = 0;

	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (!str_starts(line, "berm: ") || str_starts(line, "berm: tier: ") ||
		    str_starts(line, "berm: network: "))
			continue;
		line += strlen("berm: ");
		if (n == 0)
			(void)snprintf(run->error, sizeof(run->error), "%s", line);
		if (n++ == 1)
			(void)snprintf(run->fix, sizeof(run->fix), "%s", line);
	}
}

static void take_results(struct doctor_run *run, const struct doctor_place *p, char *text)
{
	char *save = NULL;

	for (size_t i = 0; i < doctor_probes_n; i++)
		run->results[i].result = DOCTOR_UNTRIED;
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *blank = strchr(line, ' ');

		if (!blank)
			continue;
		*blank = '\0';
		for (size_t i = 0; i < doctor_probes_n; i++) {
			if (!streq(doctor_probes[i].name, line))
				continue;
			run->results[i].err = (int)strtol(blank + 1, NULL, 10);
			run->results[i].result = run->results[i].err ? DOCTOR_HELD : DOCTOR_OPEN;
		}
	}
	/* Where there is something to see from outside, that counts: what was said inside may
	 * be true of a private place. */
	for (size_t i = 0; i < doctor_probes_n; i++) {
		if (!doctor_probes[i].seen)
			continue;
		if (doctor_probes[i].seen(p))
			run->results[i].result = DOCTOR_OPEN;
		else if (run->results[i].result == DOCTOR_OPEN)
			run->results[i].result = DOCTOR_HELD;
	}
}

static int add_degraded(struct doctor_run *run, const json_t *e)
{
	const char *what = json_string_value(json_object_get(e, "what"));
	const char *detail = json_string_value(json_object_get(e, "detail"));
	char line[1200];

	(void)snprintf(line, sizeof(line), "%s: %s", what ? what : "", detail ? detail : "");
	return strv_add(&run->degraded, line);
}

static int take_ready(struct doctor_run *run, const json_t *e)
{
	const char *tier = json_string_value(json_object_get(e, "tier"));
	const json_t *lacks = json_object_get(e, "lacks"), *one;
	size_t i;

	free(run->tier);
	run->tier = strdup(tier ? tier : "");
	run->landlock_abi = (int)json_integer_value(json_object_get(e, "landlock_abi"));
	json_array_foreach(lacks, i, one)
	{
		const char *name = json_string_value(one);

		if (name && strv_add(&run->lacks, name) < 0)
			return -ENOMEM;
	}
	return run->tier ? 0 : -ENOMEM;
}

static int take_events(struct doctor_run *run, const struct doctor_place *p)
{
	_cleanup_free_ char *text = NULL;
	char path[600], *save = NULL;
	int r;

	(void)snprintf(path, sizeof(path), "%s/events", p->dir);
	r = fd_read_file(AT_FDCWD, path, 4u << 20, &text, NULL);
	if (r < 0)
		return r == -ENOENT ? 0 : r;
	for (char *line = strtok_r(text, "\n", &save); r >= 0 && line;
	     line = strtok_r(NULL, "\n", &save)) {
		json_t *e = json_loads(line, 0, NULL);
		const char *event = json_string_value(json_object_get(e, "event"));

		if (event && streq(event, "ready"))
			r = take_ready(run, e);
		else if (event && streq(event, "degraded"))
			r = add_degraded(run, e);
		json_decref(e);
	}
	return r;
}

/* The settings may show the home: then the probe that reads there has proved that. */
static void forgive(struct doctor_run *run, const struct doctor_place *p,
		    const struct strv *options)
{
	struct words w = { 0 };
	pid_t pid;
	int status = 0, null;

	for (size_t i = 0; i < doctor_probes_n; i++) {
		if (!doctor_probes[i].reads || run->results[i].result != DOCTOR_OPEN)
			continue;
		(void)fflush(stdout);
		pid = fork();
		if (pid == 0) {
			null = open("/dev/null", O_RDWR | O_CLOEXEC);
			word(&w, "why");
			word(&w, "read");
			word(&w, p->secret);
			for (size_t k = 0; k < options->n; k++)
				word(&w, options->v[k]);
			word(&w, "--workspace");
			word(&w, p->ws);
			if (null < 0 || dup2(null, 1) < 0 || dup2(null, 2) < 0)
				_exit(EXIT_BERM);
			_exit(verb_why((int)w.n, w.v));
		}
		while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
		if (pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == EXIT_ALLOWED)
			run->results[i].result = DOCTOR_POLICY;
	}
}

int doctor_run(struct doctor_run *run, const struct strv *options, struct berm_err *err)
{
	static struct output outs[2];
	struct doctor_place p;
	int status = 0, r;

	memset(outs, 0, sizeof(outs));
	r = doctor_place_make(&p, err);
	if (r < 0) {
		doctor_place_remove(&p);
		return r;
	}
	r = run_it(run, &p, options, outs, &status);
	if (r >= 0)
		r = take_events(run, &p);
	if (r >= 0) {
		take_error(run, outs[1].text);
		take_results(run, &p, outs[0].text);
		forgive(run, &p, options);
	} else {
		(void)err_errno(err, r, "cannot try the sandbox");
	}
	doctor_place_remove(&p);
	return r;
}

void doctor_run_free(struct doctor_run *run)
{
	free(run->tier);
	strv_free(&run->lacks);
	strv_free(&run->degraded);
}

bool doctor_held(const struct doctor_run *run)
{
	for (size_t i = 0; i < doctor_probes_n; i++)
		if (run->results[i].result == DOCTOR_OPEN ||
		    run->results[i].result == DOCTOR_UNTRIED)
			return false;
	return run->tier != NULL;
}

/* One that begins like it says the same, and what else would do. */
static int add_once(struct strv *list, const char *s)
{
	for (size_t i = 0; i < list->n; i++)
		if (str_starts(list->v[i], s))
			return 0;
	return strv_add(list, s);
}

static const char *lack_fix(const char *name)
{
	const struct host_kind *kind = host_kind();

	for (unsigned i = 0; i < LACKS; i++) {
		const struct lack_info *l = lack_info(i);

		if (!streq(l->name, name))
			continue;
		return l->tier == TIER_CONTAINER && kind->proc ? kind->proc : l->fix;
	}
	return NULL;
}

/* Is there a network that could be made better? */
static bool has_network(const struct doctor_run *run)
{
	unsigned lacks = 0;

	for (unsigned i = 0; i < LACKS; i++)
		if (strv_has(&run->lacks, lack_info(i)->name))
			lacks |= 1u << i;
	return !tier_flat(lacks);
}

int doctor_fixes(const struct doctor_run *run, struct strv *fixes, struct berm_err *err)
{
	int r = 0;

	if (run->fix[0])
		r = add_once(fixes, run->fix);
	for (size_t i = 0; r >= 0 && i < run->lacks.n; i++) {
		const char *fix = lack_fix(run->lacks.v[i]);

		if (fix)
			r = add_once(fixes, fix);
	}
	for (size_t i = 0; r >= 0 && has_network(run) && i < run->degraded.n; i++)
		if (str_starts(run->degraded.v[i], "network: "))
			r = add_once(fixes,
				     "as root run: modprobe -a nft_tproxy nft_queue nf_tables "
				     "(Linux with CONFIG_NFT_TPROXY and CONFIG_NFT_QUEUE)");
	return r < 0 ? err_set(err, r, "out of memory") : 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A program with threads that embeds berm: embed BERM. Prints TAP. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <berm.h>

static const char *berm;
static const char *self;
static int number, failures;

static void tap(bool ok, const char *what)
{
	number++;
	failures += !ok;
	printf("%s %d - %s\n", ok ? "ok" : "not ok", number, what);
}

static struct berm_options options(const char *const *command)
{
	struct berm_options o = BERM_OPTIONS_INIT;

	o.program = berm;
	o.command = command;
	o.error = 2;
	return o;
}

#define COMMAND(script) ((const char *const[]){ "/bin/sh", "-c", script, NULL })

/* Reads fd to its end; false after half a minute. */
static bool read_end(int fd, char *text, size_t size)
{
	size_t n = 0;

	for (;;) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		ssize_t got;

		if (poll(&p, 1, 30000) <= 0)
			return false;
		got = read(fd, text + n, size - 1 - n);
		if (got <= 0)
			break;
		n += (size_t)got;
	}
	text[n] = '\0';
	return true;
}

static int count_fds(void)
{
	int n = 0;

	for (int fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

/* ---- many at once ------------------------------------------------------- */

struct seen {
	long long seq;
	bool in_order, started, ended;
};

static void in_order(void *context, struct berm_run *run, const struct berm_event *event)
{
	struct seen *s = context;
	struct berm_result unused;

	s->in_order &= berm_event_number(event, "seq", -1) == s->seq + 1 &&
		       strlen(event->json) == event->length;
	s->seq++;
	s->started |= strcmp(event->name, "starting") == 0;
	s->ended |= strcmp(event->name, "exit") == 0;
	/* Not from here. */
	s->in_order &= berm_process(run, &unused) == -EDEADLK;
}

static void *some_runs(void *arg)
{
	long me = (long)arg, bad = 0;

	for (int i = 0; i < 5; i++) {
		int status = (int)(me * 7 + i) % 100, out[2];
		struct seen seen = { .in_order = true };
		char script[64], text[64], want[64];
		struct berm_options o = options(COMMAND(script));
		struct berm_result res;
		struct berm_run *run;

		snprintf(script, sizeof(script), "echo %ld-%d; exit %d", me, i, status);
		snprintf(want, sizeof(want), "%ld-%d\n", me, i);
		if (pipe2(out, O_CLOEXEC) < 0)
			return (void *)1;
		o.output = out[1];
		o.on_event = in_order;
		o.context = &seen;
		if (berm_start(&o, &run, NULL) < 0)
			return (void *)1;
		close(out[1]);
		bad |= berm_wait(run, &res) < 0 || res.status != status || res.signal ||
		       res.error[0];
		bad |= !read_end(out[0], text, sizeof(text)) || strcmp(text, want) != 0;
		bad |= !seen.in_order || !seen.started || !seen.ended;
		close(out[0]);
		berm_free(run);
	}
	return (void *)bad;
}

static void many(void)
{
	pthread_t threads[6];
	long bad = 0;
	void *r;

	for (long i = 0; i < 6; i++)
		bad |= pthread_create(&threads[i], NULL, some_runs, (void *)i);
	for (long i = 0; i < 6; i++) {
		pthread_join(threads[i], &r);
		bad |= (long)r;
	}
	tap(!bad, "thirty runs in six threads: output, status, events in order");
}

/* ---- questions ---------------------------------------------------------- */

struct question {
	pthread_mutex_t lock;
	char id[64], path[256];
	int asked, over;
};

static void keep(void *context, struct berm_run *run, const struct berm_ask *ask)
{
	struct question *q = context;

	(void)run;
	pthread_mutex_lock(&q->lock);
	snprintf(q->id, sizeof(q->id), "%s", ask->id);
	snprintf(q->path, sizeof(q->path), "%s", ask->path ? ask->path : "");
	q->asked++;
	pthread_mutex_unlock(&q->lock);
}

static void is_over(void *context, struct berm_run *run, const char *id)
{
	struct question *q = context;

	(void)run;
	pthread_mutex_lock(&q->lock);
	q->over += strcmp(q->id, id) == 0;
	pthread_mutex_unlock(&q->lock);
	close(open("over", O_WRONLY | O_CREAT, 0600));
}

struct waiter {
	struct berm_run *run;
	struct berm_result res;
};

static void *wait_for(void *arg)
{
	struct waiter *w = arg;

	return (void *)(long)berm_wait(w->run, &w->res);
}

/* Waits until the question is there. */
static bool id_of(struct question *q, char *id)
{
	for (int i = 0; i < 3000; i++) {
		bool there;

		pthread_mutex_lock(&q->lock);
		there = q->asked > 0;
		memcpy(id, q->id, sizeof(q->id));
		pthread_mutex_unlock(&q->lock);
		if (there)
			return true;
		usleep(10000);
	}
	return false;
}

static void question(enum berm_decision decision, const char *want, const char *name)
{
	static const char *const asks[] = { "--ask", "asked.txt", NULL };
	struct question q = { .lock = PTHREAD_MUTEX_INITIALIZER };
	struct berm_options o =
		options(COMMAND("cat asked.txt 2>/dev/null && echo read || echo refused"));
	struct waiter w = { 0 };
	char id[64] = "", text[256];
	pthread_t thread;
	bool ok;
	int out[2];

	if (pipe2(out, O_CLOEXEC) < 0)
		return;
	o.options = asks;
	o.output = out[1];
	o.on_ask = keep;
	o.on_ask_over = is_over;
	o.context = &q;
	if (berm_start(&o, &w.run, NULL) < 0) {
		tap(false, name);
		return;
	}
	close(out[1]);
	pthread_create(&thread, NULL, wait_for, &w);
	ok = id_of(&q, id);
	ok &= berm_answer(w.run, "berm-999999", decision, BERM_ONCE) == -ENOENT;
	/* From another thread than the one that takes in events. */
	ok &= berm_answer(w.run, id, decision, BERM_SESSION) == 0;
	ok &= berm_answer(w.run, id, decision, BERM_SESSION) == -ENOENT;
	pthread_join(thread, NULL);
	ok &= read_end(out[0], text, sizeof(text)) && strcmp(text, want) == 0;
	ok &= strstr(q.path, "/asked.txt") != NULL && w.res.status == 0;
	close(out[0]);
	berm_free(w.run);
	tap(ok, name);
}

static void question_over(void)
{
	static const char *const asks[] = { "--ask", "asked.txt", NULL };
	struct question q = { .lock = PTHREAD_MUTEX_INITIALIZER };
	struct berm_options o = options(COMMAND(
		"timeout -s KILL 1 cat asked.txt; until [ -e over ]; do sleep 0.1; done; exit 9"));
	struct waiter w = { 0 };
	char id[64];
	pthread_t thread;
	bool ok;

	o.options = asks;
	o.on_ask = keep;
	o.on_ask_over = is_over;
	o.context = &q;
	if (berm_start(&o, &w.run, NULL) < 0) {
		tap(false, "a question that is over");
		return;
	}
	pthread_create(&thread, NULL, wait_for, &w);
	ok = id_of(&q, id);
	pthread_join(thread, NULL);
	ok &= q.over == 1 && w.res.status == 9;
	ok &= berm_answer(w.run, id, BERM_ALLOW, BERM_ONCE) == -ENOENT;
	berm_free(w.run);
	tap(ok, "a question whose asker is killed is over, and not to be answered");
}

/* ---- ends --------------------------------------------------------------- */

/* A command that holds the write end of a pipe for ever; *ret_fd is the read end. Waits until it
 * runs. */
static struct berm_run *endless(int *ret_fd, const struct berm_options *more)
{
	struct berm_options o = more ? *more : options(COMMAND("echo on; sleep 1000 & wait"));
	struct berm_run *run;
	int out[2];
	char c[3];

	if (pipe2(out, O_CLOEXEC) < 0)
		return NULL;
	o.output = out[1];
	if (berm_start(&o, &run, NULL) < 0)
		return NULL;
	close(out[1]);
	*ret_fd = out[0];
	return read(out[0], c, 3) == 3 ? run : NULL;
}

static bool nothing_left(int fd)
{
	char text[64];
	bool ok = read_end(fd, text, sizeof(text));

	close(fd);
	return ok;
}

static void ends(void)
{
	struct berm_result res;
	struct berm_run *run;
	bool ok;
	int fd;

	run = endless(&fd, NULL);
	ok = run && berm_process(run, &res) == 0 && berm_kill(run, SIGTERM) == 0;
	ok = ok && berm_wait(run, &res) == 0 && res.status == 143 && res.signal == SIGTERM;
	tap(ok && nothing_left(fd), "SIGTERM reaches the command");
	ok = berm_kill(run, SIGTERM) == -ESRCH && berm_wait(run, &res) == 0 && res.status == 143;
	berm_free(run);
	tap(ok, "the end stays as it was");

	run = endless(&fd, NULL);
	ok = run && berm_kill(run, SIGKILL) == 0 && berm_wait(run, &res) == 0;
	tap(ok && res.status == 137 && res.error[0] && nothing_left(fd),
	    "SIGKILL ends the run, all of it");
	berm_free(run);

	run = endless(&fd, NULL);
	berm_free(run);
	tap(run && nothing_left(fd), "berm_free() ends a run");
}

static void owner(void)
{
	char number_text[16], *argv[] = { (char *)self, (char *)berm, number_text, NULL };
	int out[2];
	bool runs;
	char c[3];
	pid_t pid;

	if (pipe(out) < 0)
		return;
	snprintf(number_text, sizeof(number_text), "%d", out[1]);
	pid = fork();
	if (pid == 0) {
		execv(self, argv);
		_exit(1);
	}
	close(out[1]);
	runs = read(out[0], c, 3) == 3 && kill(pid, SIGKILL) == 0 && waitpid(pid, NULL, 0) == pid;
	tap(runs && nothing_left(out[0]), "a run ends with the program that began it");
}

/* As the program of owner(), until it is killed. */
static int own(int fd)
{
	struct berm_options o = options(COMMAND("echo on; sleep 1000 & wait"));
	struct berm_result res;
	struct berm_run *run;

	o.output = fd;
	return berm_start(&o, &run, NULL) < 0 || berm_wait(run, &res) < 0;
}

static void others_reap(void)
{
	struct berm_options o = options(COMMAND("exit 42"));
	struct berm_result res;
	struct berm_run *run;
	bool ok;

	signal(SIGCHLD, SIG_IGN);
	ok = berm_start(&o, &run, NULL) == 0 && berm_wait(run, &res) == 0 && res.status == 42;
	berm_free(run);
	signal(SIGCHLD, SIG_DFL);
	tap(ok, "the status is known also where the program ignores SIGCHLD");
}

/* ---- the rest ----------------------------------------------------------- */

static void descriptors(void)
{
	struct berm_options o =
		options(COMMAND("ls /proc/self/fd | tr '\\n' ' '; trap | tr -d '\\n'"));
	int leaked = open("/etc/passwd", O_RDONLY), out[2];
	struct berm_result res;
	struct berm_run *run;
	char text[128];
	bool ok;

	if (pipe2(out, O_CLOEXEC) < 0)
		return;
	o.output = out[1];
	signal(SIGPIPE, SIG_IGN);
	ok = berm_start(&o, &run, NULL) == 0;
	close(out[1]);
	ok = ok && berm_wait(run, &res) == 0 && read_end(out[0], text, sizeof(text));
	signal(SIGPIPE, SIG_DFL);
	berm_free(run);
	close(out[0]);
	close(leaked);
	/* 3 is the one that ls reads. */
	tap(ok && strcmp(text, "0 1 2 3 ") == 0, "the command gets three descriptors");
}

static void errors(void)
{
	struct berm_options o = options(COMMAND("exit 0"));
	struct berm_error error;
	struct berm_result res;
	struct berm_run *run;

	o.program = "/nonexistent/berm";
	tap(berm_start(&o, &run, &error) == -ENOENT && strstr(error.message, "/nonexistent/berm"),
	    "a program that is not there");
	o = options(COMMAND("exit 0"));
	o.directory = "/nonexistent";
	tap(berm_start(&o, &run, &error) < 0 && strstr(error.message, "/nonexistent"),
	    "a directory that is not there");
	o = options(COMMAND("exit 0"));
	o.size = 8;
	tap(berm_start(&o, &run, &error) == -EINVAL, "options of another size");
	o = options(NULL);
	tap(berm_start(&o, &run, NULL) == -EINVAL, "no command");
	o = options((const char *const[]){ "/nonexistent/command", NULL });
	o.error = -1;
	tap(berm_start(&o, &run, NULL) == 0 && berm_wait(run, &res) == 0 && res.status == 127 &&
		    res.error[0],
	    "a command that is not there");
	berm_free(run);
	o = options(COMMAND("exit 0"));
	o.options = (const char *const[]){ "--no-such-option", NULL };
	o.error = -1;
	tap(berm_start(&o, &run, NULL) == 0 && berm_wait(run, &res) == 0 && res.status == 125 &&
		    res.error[0],
	    "an option that is not there");
	berm_free(run);
	berm_free(NULL);
}

static void query(void)
{
	const char *const why[] = { "why", "--json", "write", "/etc/passwd", NULL };
	char *output = NULL;
	int status = -1;

	tap(berm_query(berm, why, &output, &status, NULL) == 0 && status == 1 &&
		    strstr(output, "\"deny\""),
	    "berm_query(): why");
	free(output);
}

static void rule(void)
{
	struct berm_result res;
	struct berm_run *run;
	int fd;

	run = endless(&fd, NULL);
	tap(run && berm_rule(run, "allow_domain", "a.example") == 0 &&
		    berm_rule(run, "reload", "x") == -EINVAL && berm_kill(run, SIGTERM) == 0 &&
		    berm_wait(run, &res) == 0 && res.status == 143,
	    "berm_rule()");
	close(fd);
	berm_free(run);
}

int main(int argc, char **argv)
{
	FILE *f;
	int fds;

	self = argv[0];
	if (argc < 2)
		return 2;
	berm = argv[1];
	if (argc > 2)
		return own(atoi(argv[2]));
	f = fopen("asked.txt", "w");
	if (!f)
		return 2;
	fputs("content\n", f);
	fclose(f);
	fds = count_fds();
	many();
	question(BERM_ALLOW, "content\nread\n", "a question is answered from another thread: yes");
	question(BERM_DENY, "refused\n", "and no");
	question_over();
	ends();
	owner();
	others_reap();
	descriptors();
	errors();
	query();
	rule();
	tap(count_fds() == fds, "no descriptor is left open");
	printf("1..%d\n", number);
	return failures != 0;
}

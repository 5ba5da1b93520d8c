/* SPDX-License-Identifier: Apache-2.0 */
/* Answers berm's questions by a rule of its own, in an event loop of its own: hosts that end in
 * one of the given names are allowed for the run, everything else is denied.
 *
 *   cc asks.c $(pkg-config --cflags --libs libberm) -o asks && ./asks .example.com -- curl ... */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <berm.h>

struct names {
	char **v;
	int n;
};

static int allowed(const struct names *names, const char *host)
{
	size_t len = strlen(host);

	for (int i = 0; i < names->n; i++) {
		size_t end = strlen(names->v[i]);

		if (len >= end && strcmp(host + len - end, names->v[i]) == 0)
			return 1;
	}
	return 0;
}

static void on_ask(void *context, struct berm_run *run, const struct berm_ask *ask)
{
	enum berm_decision decision =
		ask->host && allowed(context, ask->host) ? BERM_ALLOW : BERM_DENY;

	fprintf(stderr, "%s %s (asked by %s): %s\n", ask->host ? "host" : "path",
		ask->host ? ask->host : ask->path, ask->exe,
		decision == BERM_ALLOW ? "allowed" : "denied");
	/* Here at once; a program that asks a person keeps ask->id and answers later. */
	berm_answer(run, ask->id, decision, BERM_SESSION);
}

int main(int argc, char **argv)
{
	struct berm_options o = BERM_OPTIONS_INIT;
	struct names names = { argv + 1, 0 };
	struct berm_result result;
	struct berm_error error;
	struct berm_run *run;
	int r = 0;

	while (1 + names.n < argc && strcmp(argv[1 + names.n], "--") != 0)
		names.n++;
	if (2 + names.n >= argc) {
		fprintf(stderr, "usage: asks NAME... -- COMMAND [ARGUMENT]...\n");
		return 2;
	}
	o.program = getenv("BERM");
	o.command = (const char *const *)(argv + 2 + names.n);
	o.input = 0;
	o.output = 1;
	o.error = 2;
	o.context = &names;
	o.on_ask = on_ask;
	if (berm_start(&o, &run, &error) < 0) {
		fprintf(stderr, "asks: %s\n", error.message);
		return 125;
	}
	while (r == 0) {
		struct pollfd p = { .fd = berm_fd(run), .events = POLLIN };

		poll(&p, 1, -1);
		r = berm_process(run, &result);
	}
	berm_free(run);
	return r < 0 ? 125 : result.status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Embeds berm: runs a command in the sandbox, without network, and prints what was denied.
 *
 *   cc run.c $(pkg-config --cflags --libs libberm) -o run && ./run make test */
#include <stdio.h>
#include <stdlib.h>

#include <berm.h>

static void on_event(void *context, struct berm_run *run, const struct berm_event *event)
{
	const char *action = berm_event_text(event, "action");
	const char *target = berm_event_text(event, "target");

	(void)context;
	(void)run;
	if (action && target)
		fprintf(stderr, "denied: %s %s\n", action, target);
}

int main(int argc, char **argv)
{
	const char *const options[] = { "--net", "off", NULL };
	struct berm_options o = BERM_OPTIONS_INIT;
	struct berm_result result;
	struct berm_error error;
	struct berm_run *run;

	if (argc < 2) {
		fprintf(stderr, "usage: run COMMAND [ARGUMENT]...\n");
		return 2;
	}
	o.program = getenv("BERM");
	o.options = options;
	o.command = (const char *const *)(argv + 1);
	o.input = 0;
	o.output = 1;
	o.error = 2;
	o.on_event = on_event;
	if (berm_start(&o, &run, &error) < 0) {
		fprintf(stderr, "run: %s\n", error.message);
		return 125;
	}
	if (berm_wait(run, &result) < 0)
		result.status = 125;
	if (result.status == 125)
		fprintf(stderr, "run: %s\n", result.error);
	berm_free(run);
	return result.status;
}

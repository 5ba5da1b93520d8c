/* SPDX-License-Identifier: Apache-2.0 */
/* Input: a line of a client's, a file of a mailbox's, a command line. Nothing but an exact
 * allow is one, and whatever is shown is safe to show. */
#include <stdint.h>
#include <string.h>

#include "base/redact.h"
#include "session/client_proto.h"
#include "session/control.h"
#include "session/who.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int ok)
{
	if (!ok)
		abort();
}

static bool has(const uint8_t *data, size_t size, const char *what)
{
	return memmem(data, size, what, strlen(what));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char host[] = "a.test", empty[] = "";
	struct ask q = { .id = 12,
			 .kind = ASK_NET,
			 .op = -1,
			 .target = host,
			 .port = 443,
			 .exe = empty,
			 .command = empty,
			 .rule = empty,
			 .origin = empty,
			 .reason = empty };
	_cleanup_free_ char *line = malloc(size + 1);
	char shown[WHO_COMMAND_MAX];
	struct client_msg m;
	struct control_line control;
	struct berm_err err = { 0 };
	bool allow = false;

	memcpy(line, data, size);
	line[size] = '\0';
	client_parse(line, size, &m);
	/* The words may be written with escapes. */
	if (m.kind == CLIENT_ANSWER && m.decision == VERDICT_ALLOW)
		must(m.id && (has(data, size, "allow") || has(data, size, "\\u")));
	must(m.kind != CLIENT_ANSWER || m.id);
	(void)client_fits(line, size, &q);
	(void)mailbox_parse(line, size, &q, "b-1", &allow);
	if (allow)
		must(has(data, size, "true"));
	if (control_parse(line, size, &control, &err) >= 0)
		must(control.reload != (control.pattern != NULL));
	else
		must(err.msg[0] && !control.pattern);
	free(control.pattern);
	redact_words(line, size, shown, sizeof(shown));
	must(strlen(shown) < sizeof(shown));
	for (const char *p = shown; *p; p++)
		must((unsigned char)*p >= 0x20 && *p != 0x7f);
	return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "egress/ssh_note.h"

#include <string.h>

#define BANNER "SSH-2.0-berm\r\n"

enum { SSH_MSG_DISCONNECT = 1, SSH_DISCONNECT_HOST_NOT_ALLOWED_TO_CONNECT = 1 };

static uint8_t *put32(uint8_t *p, size_t v)
{
	*p++ = (uint8_t)(v >> 24);
	*p++ = (uint8_t)(v >> 16);
	*p++ = (uint8_t)(v >> 8);
	*p++ = (uint8_t)v;
	return p;
}

size_t ssh_note(const char *reason, uint8_t dst[SSH_NOTE_MAX])
{
	const size_t banner = sizeof(BANNER) - 1;
	/* Length, padding length, type, code, text and language with their lengths, padding. */
	const size_t around = 4 + 1 + 1 + 4 + 4 + 4 + 11;
	size_t text = strlen(reason), payload, padding;
	uint8_t *p = dst;

	if (text > SSH_NOTE_MAX - banner - around)
		text = SSH_NOTE_MAX - banner - around;
	payload = 1 + 4 + 4 + text + 4;
	/* At least 4, and the whole a multiple of 8: RFC 4253 6. */
	padding = 8 - (4 + 1 + payload) % 8;
	if (padding < 4)
		padding += 8;

	memcpy(p, BANNER, banner);
	p = put32(p + banner, 1 + payload + padding);
	*p++ = (uint8_t)padding;
	*p++ = SSH_MSG_DISCONNECT;
	p = put32(p, SSH_DISCONNECT_HOST_NOT_ALLOWED_TO_CONNECT);
	p = put32(p, text);
	memcpy(p, reason, text);
	p = put32(p + text, 0);
	memset(p, 0, padding);
	return (size_t)(p - dst) + padding;
}

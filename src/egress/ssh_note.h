/* SPDX-License-Identifier: Apache-2.0 */
/* Tells an SSH client why it was refused: it shows the text of a disconnect message, where
 * a closed connection would only be "closed by remote host". Pure. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define SSH_NOTE_MAX 512

/* The whole of what a server sends (RFC 4253 4.2, 11.1): its identification and a
 * SSH_MSG_DISCONNECT. Send it once the client's own identification (a line that begins with
 * "SSH-") is there, or to port 22 at once; then shut down writing, and read until the client
 * has gone: a reset would take the text away. Returns the length; reason is cut. */
size_t ssh_note(const char *reason, uint8_t dst[SSH_NOTE_MAX]);

/* SPDX-License-Identifier: Apache-2.0 */
/* A terminal of a warm session that outlives who looks at it (session/pty_hub.h): a process of its
 * own that holds it, and a socket in the folder "terminals" of berm's state, which no sandbox
 * shows. */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "session/warm.h"

#define PTY_SCROLLBACK (256u * 1024u)

/* Opens the folder. make: it is made when it is not there; else *ret is -1 then. */
int pty_folder(bool make, int *ret, struct berm_err *err);

/* "SESSION", or "SESSION+TERMINAL", into ret. -EINVAL: no such name can be. */
int pty_name(const char *session, const char *terminal, char *ret, size_t size);

/* Connects to a terminal. -ENOENT: there is none of this name (one whose keeper was killed is
 * taken away). */
int pty_connect(int folder, const char *name, int *ret, struct berm_err *err);

/* Starts c on a new terminal of the session behind the connection warm, kept by a process of its
 * own that ends with the command. modes: of the terminal. Returns when viewers can connect.
 * -EEXIST: there is a terminal of this name. awaited: the caller is about to look. *ret_status is
 * what the shell is told when the command was not started. */
int pty_keep(int folder, const char *name, int warm, const struct warm_command *c,
	     const struct warm_modes *modes, bool awaited, int *ret_status, struct berm_err *err);

/* The modes of a terminal that nobody has set. */
void pty_usual_modes(struct warm_modes *ret);

/* Looks at a terminal, on the caller's own, until the command ends or the user detaches (Ctrl-]
 * then d). only_look: nothing is typed. *ret_detached, or else *ret_status is the command's for the
 * shell. */
int pty_view(int fd, bool only_look, bool *ret_detached, int *ret_status, struct berm_err *err);

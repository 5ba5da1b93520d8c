/* SPDX-License-Identifier: Apache-2.0 */
/* berm-panel BERM [OPTION]...: the panel of "berm sandbox", which starts it with the path of its
 * own program and the options that say which settings count. */
#include "panel/panel.h"

#include <curses.h>
#include <errno.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <term.h>
#include <unistd.h>

#include "base/err.h"
#include "base/str.h"

#define EXIT_BERM 125
#define ESCAPE_MS 50 /* between Escape and what would make it another key */

static int fail(const char *what, const char *fix)
{
	struct berm_err err = { 0 };

	(void)err_set(&err, -EINVAL, "%s", what);
	err_fix(&err, "%s", fix);
	err_print(&err);
	return EXIT_BERM;
}

/* Signals are read between keys: nothing of ours runs in a handler. */
static int open_signals(struct panel *p)
{
	sigset_t ends, winch, both;

	sigemptyset(&ends);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGHUP);
	sigaddset(&ends, SIGINT);
	sigemptyset(&winch);
	sigaddset(&winch, SIGWINCH);
	both = ends;
	sigaddset(&both, SIGWINCH);
	if (sigprocmask(SIG_BLOCK, &both, NULL) < 0)
		return -errno;
	(void)signal(SIGPIPE, SIG_IGN);
	p->ends = signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK);
	p->winch = signalfd(-1, &winch, SFD_CLOEXEC | SFD_NONBLOCK);
	return p->ends < 0 || p->winch < 0 ? -errno : 0;
}

/* A window may have no size at all: a serial line. */
static void take_size(struct panel *p)
{
	struct winsize w = { 0 };

	if (ioctl(STDIN_FILENO, TIOCGWINSZ, &w) < 0 || !w.ws_row || !w.ws_col) {
		w.ws_row = (unsigned short)LINES;
		w.ws_col = (unsigned short)COLS;
	}
	(void)resizeterm(w.ws_row, w.ws_col);
	p->high = LINES;
	p->wide = COLS;
}

static int take_winch(struct panel *p)
{
	struct signalfd_siginfo info;

	while (read(p->winch, &info, sizeof(info)) > 0)
		;
	take_size(p);
	return page_build(p);
}

/* All keys that are there. */
static int take_keys(struct panel *p)
{
	wint_t key;
	int r = 0;

	for (;;) {
		int got = get_wch(&key);

		if (got == ERR)
			return 0;
		if (got == KEY_CODE_YES && key == KEY_RESIZE)
			continue;
		r = key_take(p, got == KEY_CODE_YES, key);
		if (r)
			return r;
	}
}

static int loop(struct panel *p)
{
	struct pollfd fds[] = { { .fd = STDIN_FILENO, .events = POLLIN },
				{ .fd = p->ends, .events = POLLIN },
				{ .fd = p->winch, .events = POLLIN } };
	int r;

	p->item = page_first_item(p);
	r = page_build(p);
	while (r == 0) {
		draw(p);
		if (poll(fds, ARRAY_SIZE(fds), -1) < 0) {
			if (errno != EINTR)
				return -errno;
			continue;
		}
		if (fds[1].revents)
			return -EINTR;
		if (fds[2].revents)
			r = take_winch(p);
		/* Gone: the terminal was closed. */
		if (!r && (fds[0].revents & (POLLHUP | POLLERR | POLLNVAL)))
			return -EINTR;
		if (!r && fds[0].revents)
			r = take_keys(p);
	}
	return r;
}

static int open_screen(struct panel *p, SCREEN **ret)
{
	const char *up;

	*ret = newterm(NULL, stdout, stdin);
	up = *ret ? tigetstr("cup") : NULL;
	if (!up || up == (char *)-1) {
		if (*ret)
			(void)endwin();
		return -ENOTSUP;
	}
	(void)cbreak();
	(void)noecho();
	(void)nonl();
	(void)keypad(stdscr, TRUE);
	(void)nodelay(stdscr, TRUE);
	(void)set_escdelay(ESCAPE_MS);
	take_size(p);
	return 0;
}

/* As the signal that came would have ended us, so that a shell sees it. */
static int end_as_signal(struct panel *p)
{
	struct signalfd_siginfo info;
	sigset_t none;

	if (read(p->ends, &info, sizeof(info)) != sizeof(info))
		return 0; /* the terminal is gone */
	sigemptyset(&none);
	(void)signal((int)info.ssi_signo, SIG_DFL);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	(void)raise((int)info.ssi_signo);
	return EXIT_BERM;
}

static void panel_free(struct panel *p)
{
	json_decref(p->state);
	for (int i = 0; i < PAGE_N; i++)
		free(p->texts[i]);
	rows_free(&p->rows);
}

int main(int argc, char **argv)
{
	_cleanup_(panel_free) struct panel p = { 0 };
	SCREEN *screen = NULL;
	int r;

	if (argc < 2 || argv[1][0] != '/')
		return fail("berm-panel is a part of berm", "start it as: berm sandbox");
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return fail("the panel needs a terminal", "berm sandbox status prints the same");
	/* Without a locale that is known, the characters of ASCII are what is left. */
	(void)setlocale(LC_CTYPE, "");
	p.berm = argv[1];
	p.options = (const char *const *)argv + 2;
	r = open_signals(&p);
	if (r >= 0)
		r = act_load(&p);
	if (r == -EINTR)
		return end_as_signal(&p);
	/* Without a state there is nothing to show: settings that cannot be read. */
	if (r >= 0 && !p.state)
		return fail(p.message, "berm sandbox status says it too");
	if (r >= 0)
		r = open_screen(&p, &screen);
	if (r == -ENOTSUP)
		return fail("the panel cannot move the cursor on this terminal (TERM)",
			    "set TERM to what your terminal is, or use: berm sandbox status");
	if (r >= 0) {
		r = loop(&p);
		(void)endwin();
		delscreen(screen);
	}
	if (r == -EINTR)
		return end_as_signal(&p);
	return r < 0 ? fail(strerror(-r), "berm sandbox status prints the same") : 0;
}

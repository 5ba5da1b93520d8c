/* SPDX-License-Identifier: Apache-2.0 */
/* The scratch place of berm doctor: a workspace with a git repository, and what lies beside
 * it, on the host. */
#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "cli/doctor.h"
#include "cli/run_opts.h"

#define SECRET_TEXT "berm doctor: nobody inside may read this\n"
#define DEPTH_MAX 32

void doctor_place_words(const struct doctor_place *p, char text[16], char *words[6])
{
	(void)snprintf(text, 16, "%u", p->port);
	words[0] = (char *)(uintptr_t)p->ws;
	words[1] = (char *)(uintptr_t)p->secret;
	words[2] = (char *)(uintptr_t)p->out;
	words[3] = text;
	words[4] = NULL;
}

static int listen_somewhere(struct doctor_place *p)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(a);

	p->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (p->listener < 0 || bind(p->listener, (struct sockaddr *)&a, sizeof(a)) < 0 ||
	    listen(p->listener, 4) < 0 || getsockname(p->listener, (struct sockaddr *)&a, &len) < 0)
		return -errno;
	p->port = ntohs(a.sin_port);
	return 0;
}

static const char *const dirs[] = { "ws", "ws/.git", "ws/.git/hooks", "ws/.git/objects",
				    "ws/.git/refs" };

static int make_tree(struct doctor_place *p)
{
	_cleanup_close_ int dir = open(p->dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	_cleanup_close_ int secret = -1, head = -1;
	static const char ref[] = "ref: refs/heads/main\n";

	if (dir < 0)
		return -errno;
	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++)
		if (mkdirat(dir, dirs[i], 0700) < 0)
			return -errno;
	secret = openat(dir, "secret", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	head = openat(dir, "ws/.git/HEAD", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (secret < 0 || head < 0)
		return -errno;
	if (fd_write_all(secret, SECRET_TEXT, sizeof(SECRET_TEXT) - 1) < 0 ||
	    fd_write_all(head, ref, sizeof(ref) - 1) < 0)
		return -EIO;
	return 0;
}

int doctor_place_make(struct doctor_place *p, struct berm_err *err)
{
	const char *base = getenv("HOME");
	int r;

	*p = (struct doctor_place){ .listener = -1 };
	/* In the home directory: what lies in /tmp is hidden by a private /tmp alone. */
	if (!base || base[0] != '/' || strlen(base) > 480)
		base = "/tmp";
	(void)snprintf(p->dir, sizeof(p->dir), "%s/.berm-doctor-XXXXXX", base);
	if (!mkdtemp(p->dir)) {
		r = -errno;
		p->dir[0] = '\0';
		return err_errno(err, r, "cannot make a directory in %s to try things in", base);
	}
	(void)snprintf(p->ws, sizeof(p->ws), "%s/ws", p->dir);
	(void)snprintf(p->secret, sizeof(p->secret), "%s/secret", p->dir);
	(void)snprintf(p->out, sizeof(p->out), "%s/out", p->dir);
	r = make_tree(p);
	if (r >= 0)
		r = listen_somewhere(p);
	return r < 0 ? err_errno(err, r, "cannot prepare %s", p->dir) : 0;
}

static void empty_dir(int at, const char *name, unsigned depth)
{
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	_cleanup_closedir_ DIR *d = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *e;

	if (!d) {
		close_quietly(fd);
		return;
	}
	while ((e = readdir(d))) {
		if (streq(e->d_name, ".") || streq(e->d_name, "..") ||
		    unlinkat(fd, e->d_name, 0) == 0 || depth == DEPTH_MAX)
			continue;
		empty_dir(fd, e->d_name, depth + 1);
		(void)unlinkat(fd, e->d_name, AT_REMOVEDIR);
	}
}

/* The private home that berm made for this workspace, which nobody will use again. */
static void remove_private_home(const struct doctor_place *p)
{
	const char *workspaces[] = { p->ws };
	struct policy_input in = POLICY_INPUT_INIT;
	_cleanup_spec_ struct spec *spec = NULL;
	struct berm_err ignored = { 0 };

	in.workspaces = workspaces;
	in.n_workspaces = 1;
	in.home = HOME_PRIVATE;
	in.environ = environ;
	in.uid = geteuid();
	in.pretend = true;
	if (policy_resolve(&in, &spec, &ignored) < 0 || !spec->home_source)
		return;
	empty_dir(AT_FDCWD, spec->home_source, 0);
	(void)rmdir(spec->home_source);
}

void doctor_place_remove(struct doctor_place *p)
{
	static const char *const files[] = { "ws/.git/HEAD", "ws/.git/hooks/post-checkout",
					     "ws/.env",	     "ws/.mcp.json",
					     "secret",	     "out",
					     "events" };
	_cleanup_close_ int dir = -1;

	close_quietly(p->listener);
	p->listener = -1;
	if (!p->dir[0])
		return;
	remove_private_home(p);
	dir = open(p->dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		(void)unlinkat(dir, files[i], 0);
	for (size_t i = ARRAY_SIZE(dirs); i-- > 0;)
		(void)unlinkat(dir, dirs[i], AT_REMOVEDIR);
	(void)rmdir(p->dir);
	p->dir[0] = '\0';
}

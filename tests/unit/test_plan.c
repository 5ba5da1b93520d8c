/* SPDX-License-Identifier: Apache-2.0 */
/* The plan is data: what a spec becomes is checked without any namespace. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "plan/build.h"
#include "plan/plan.h"

struct fixture {
	char base[64]; /* a scratch directory that stands in for the user's home */
	char ws[96], state[96];
	struct spec spec;
	struct writable_root roots[3];
	struct plan *plan;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	(void)snprintf(f->base, sizeof(f->base), "/tmp/berm-plan-XXXXXX");
	assert_non_null(mkdtemp(f->base));
	(void)snprintf(f->ws, sizeof(f->ws), "%s/src", f->base);
	assert_int_equal(mkdir(f->ws, 0755), 0);
	(void)snprintf(f->ws, sizeof(f->ws), "%s/src/ws", f->base);
	assert_int_equal(mkdir(f->ws, 0755), 0);
	(void)snprintf(f->state, sizeof(f->state), "%s/state", f->base);
	assert_int_equal(mkdir(f->state, 0700), 0);
	f->roots[0] = (struct writable_root){ .path = f->ws };
	f->spec = (struct spec){ .roots = f->roots,
				 .n_roots = 1,
				 .home = HOME_PRIVATE,
				 .home_path = f->base,
				 .home_source = f->state,
				 .user_home = f->base,
				 .workdir = f->ws };
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	char cmd[160];
	pid_t pid;

	plan_free(f->plan);
	(void)snprintf(cmd, sizeof(cmd), "%s", f->base);
	pid = fork();
	if (pid == 0) {
		(void)execlp("rm", "rm", "-rf", "--", cmd, (char *)NULL);
		_exit(1);
	}
	free(f);
	return 0;
}

static void build(struct fixture *f)
{
	struct berm_err err = { 0 };

	if (plan_build(&f->spec, &f->plan, &err) < 0)
		fail_msg("%s", err.msg);
}

static const struct step *find(const struct plan *p, enum step_op op, const char *dst, size_t *at)
{
	for (size_t i = 0; i < p->n_steps; i++)
		if (p->steps[i].op == op && streq(p->steps[i].dst, dst)) {
			if (at)
				*at = i;
			return &p->steps[i];
		}
	return NULL;
}

static const struct tree *tree(const struct plan *p, const char *path)
{
	for (size_t i = 0; i < p->n_trees; i++)
		if (streq(p->trees[i].path, path))
			return &p->trees[i];
	return NULL;
}

static void system_is_read_only(void **state)
{
	struct fixture *f = *state;

	build(f);
	assert_true(find(f->plan, STEP_BIND, "/usr", NULL)->flags & STEP_RO);
	assert_true(find(f->plan, STEP_BIND, "/etc", NULL)->flags & STEP_RO);
	/* F2: the rest of the machine is not there. */
	assert_null(find(f->plan, STEP_BIND, "/", NULL));
	assert_null(find(f->plan, STEP_BIND, "/var", NULL));
	assert_null(find(f->plan, STEP_BIND, "/run", NULL));
	assert_null(find(f->plan, STEP_BIND, "/dev", NULL));
	assert_null(find(f->plan, STEP_BIND, "/home", NULL));
	assert_non_null(find(f->plan, STEP_PIN, "/run", NULL));
}

static void workspace_below_home_is_pinned(void **state)
{
	struct fixture *f = *state;
	char parent[96];
	size_t home = 0, pin = 0, ws = 0;

	(void)snprintf(parent, sizeof(parent), "%s/src", f->base);
	build(f);
	assert_non_null(find(f->plan, STEP_BIND, f->base, &home));
	assert_non_null(find(f->plan, STEP_PIN, parent, &pin));
	assert_non_null(find(f->plan, STEP_BIND, f->ws, &ws));
	assert_true(home < pin && pin < ws);
	assert_int_equal(tree(f->plan, f->base)->kind, TREE_FREE);
	assert_int_equal(tree(f->plan, parent)->kind, TREE_FREE);
	assert_int_equal(tree(f->plan, f->ws)->kind, TREE_GOVERNED);
}

static void workspace_elsewhere_leaves_home_native(void **state)
{
	struct fixture *f = *state;

	f->spec.home_path = (char *)(uintptr_t) "/home/somebody";
	build(f);
	assert_int_equal(tree(f->plan, "/home/somebody")->kind, TREE_NATIVE);
	/* The workspace lies in /tmp here, so /tmp is what cannot be granted. */
	assert_int_equal(tree(f->plan, "/tmp")->kind, TREE_FREE);
	assert_int_equal(tree(f->plan, "/dev/shm")->kind, TREE_NATIVE);
}

static void no_tree_above_a_workspace_is_granted(void **state)
{
	struct fixture *f = *state;

	build(f);
	for (size_t i = 0; i < f->plan->n_trees; i++) {
		const struct tree *t = &f->plan->trees[i];
		size_t n = strlen(t->path);

		if (t->kind != TREE_NATIVE && t->kind != TREE_WRITE)
			continue;
		assert_false(strncmp(f->ws, t->path, n) == 0 &&
			     (f->ws[n] == '/' || f->ws[n] == '\0'));
	}
}

static void read_only_modes_govern_nothing(void **state)
{
	struct fixture *f = *state;

	f->roots[0].read_only = true;
	build(f);
	assert_true(find(f->plan, STEP_BIND, f->ws, NULL)->flags & STEP_RO);
	assert_null(tree(f->plan, f->ws));
}

/* berm learn: nothing that can be changed is the host's own. */
static void overlays_stand_for_what_can_be_changed(void **state)
{
	struct fixture *f = *state;
	char file[128];
	int fd;

	(void)snprintf(file, sizeof(file), "%s/state/file", f->base);
	fd = open(file, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	(void)close(fd);
	f->roots[1] = (struct writable_root){ .path = file, .is_file = true };
	f->spec.n_roots = 2;
	f->spec.overlay = true;
	build(f);
	assert_non_null(find(f->plan, STEP_OVERLAY, f->ws, NULL));
	assert_non_null(find(f->plan, STEP_OVERLAY, f->base, NULL));
	assert_non_null(find(f->plan, STEP_COPY, file, NULL));
	assert_int_equal(tree(f->plan, f->ws)->kind, TREE_GOVERNED);
	for (size_t i = 0; i < f->plan->n_steps; i++) {
		const struct step *s = &f->plan->steps[i];

		assert_true(s->op != STEP_BIND || s->flags & (STEP_RO | STEP_DEVICE));
	}
}

static void writable_roots_carry_no_inner_mounts(void **state)
{
	struct fixture *f = *state;
	char inner[128];

	(void)snprintf(inner, sizeof(inner), "%s/inner", f->ws);
	assert_int_equal(mkdir(inner, 0755), 0);
	f->roots[1] = (struct writable_root){ .path = inner };
	f->spec.n_roots = 2;
	build(f);
	assert_non_null(find(f->plan, STEP_BIND, f->ws, NULL));
	for (size_t i = 0; i < f->plan->n_steps; i++)
		assert_true(strncmp(f->plan->steps[i].dst, f->ws, strlen(f->ws)) != 0 ||
			    streq(f->plan->steps[i].dst, f->ws));
}

static void deny_writable_reaches_every_writable_place(void **state)
{
	struct fixture *f = *state;
	static const char *const places[] = { "/tmp", "/run", "/var", "/dev/shm" };

	f->spec.exec_deny_writable = true;
	build(f);
	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		assert_true(find(f->plan, STEP_PIN, places[i], NULL)->flags & STEP_NOEXEC);
	assert_true(find(f->plan, STEP_BIND, f->ws, NULL)->flags & STEP_NOEXEC);
	assert_true(find(f->plan, STEP_BIND, f->base, NULL)->flags & STEP_NOEXEC);
}

/* A mount hides what was mounted below its place before it. */
static void no_mount_covers_an_earlier_one(void **state)
{
	struct fixture *f = *state;
	char home[96];

	(void)snprintf(home, sizeof(home), "%s/state/home", f->base);
	assert_int_equal(mkdir(home, 0700), 0);
	f->spec.home = HOME_HOST;
	f->spec.home_path = f->spec.user_home = home;
	build(f);
	for (size_t j = 0; j < f->plan->n_steps; j++) {
		const struct step *s = &f->plan->steps[j];
		size_t n = strlen(s->dst);

		if (s->op != STEP_BIND && s->op != STEP_PIN)
			continue;
		for (size_t i = 0; i < j; i++) {
			const struct step *before = &f->plan->steps[i];

			if (before->op == STEP_BIND || before->op == STEP_PIN)
				assert_false(strncmp(before->dst, s->dst, n) == 0 &&
					     before->dst[n] == '/');
		}
	}
}

static void a_planted_link_is_cleared_from_the_private_home(void **state)
{
	struct fixture *f = *state;
	char link[128];
	struct stat st;

	(void)snprintf(link, sizeof(link), "%s/src", f->state);
	assert_int_equal(symlink("/etc", link), 0);
	build(f);
	assert_int_equal(lstat(link, &st), -1);
}

static void the_source_is_remembered_by_inode(void **state)
{
	struct fixture *f = *state;
	const struct step *s;
	struct stat st;

	build(f);
	s = find(f->plan, STEP_BIND, f->ws, NULL);
	assert_int_equal(stat(f->ws, &st), 0);
	assert_true(s->flags & STEP_SAME);
	assert_int_equal(s->ino, st.st_ino);
	assert_int_equal(s->dev, st.st_dev);
}

static void a_missing_root_is_an_error(void **state)
{
	struct fixture *f = *state;
	struct berm_err err = { 0 };

	f->roots[0].path = (char *)(uintptr_t) "/nonexistent/workspace";
	assert_int_equal(plan_build(&f->spec, &f->plan, &err), -ENOENT);
	assert_non_null(strstr(err.msg, "/nonexistent/workspace"));
	f->plan = NULL;
}

static int listening(const char *path)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)snprintf(a.sun_path, sizeof(a.sun_path), "%s", path);
	assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	assert_int_equal(listen(fd, 1), 0);
	return fd;
}

static void an_allowed_socket_is_shown_alone(void **state)
{
	struct fixture *f = *state;
	char allowed[128], other[128], in_ws[128], gone[128];
	const struct step *s;
	int fds[3];

	(void)snprintf(allowed, sizeof(allowed), "%s/a.sock", f->base);
	(void)snprintf(other, sizeof(other), "%s/b.sock", f->base);
	(void)snprintf(in_ws, sizeof(in_ws), "%s/c.sock", f->ws);
	(void)snprintf(gone, sizeof(gone), "%s/d.sock", f->base);
	fds[0] = listening(allowed);
	fds[1] = listening(other);
	fds[2] = listening(in_ws);
	assert_int_equal(strv_add(&f->spec.network.unix_sockets, allowed), 0);
	assert_int_equal(strv_add(&f->spec.network.unix_sockets, in_ws), 0);
	assert_int_equal(strv_add(&f->spec.network.unix_sockets, gone), 0);
	build(f);
	s = find(f->plan, STEP_BIND, allowed, NULL);
	assert_non_null(s);
	assert_true(s->flags & STEP_SAME);
	assert_null(find(f->plan, STEP_BIND, other, NULL));
	assert_null(find(f->plan, STEP_BIND, gone, NULL));
	/* Writable roots carry no inner mounts; it is seen there anyway. */
	assert_null(find(f->plan, STEP_BIND, in_ws, NULL));
	plan_free(f->plan);
	f->spec.network.all_unix_sockets = true;
	build(f);
	assert_non_null(find(f->plan, STEP_BIND, allowed, NULL));
	assert_non_null(find(f->plan, STEP_BIND, other, NULL));
	assert_null(find(f->plan, STEP_BIND, in_ws, NULL));
	/* Secrets stay hidden. */
	plan_free(f->plan);
	assert_int_equal(strv_add(&f->spec.hidden, other), 0);
	build(f);
	assert_null(find(f->plan, STEP_BIND, other, NULL));
	strv_free(&f->spec.hidden);
	strv_free(&f->spec.network.unix_sockets);
	for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
		close_quietly(fds[i]);
}

static void a_wider_view_masks_other_sockets(void **state)
{
	struct fixture *f = *state;
	char allowed[128], other[128];
	int fds[2];

	(void)snprintf(allowed, sizeof(allowed), "%s/a.sock", f->base);
	(void)snprintf(other, sizeof(other), "%s/b.sock", f->base);
	fds[0] = listening(allowed);
	fds[1] = listening(other);
	f->spec.home = HOME_HOST;
	assert_int_equal(strv_add(&f->spec.network.unix_sockets, allowed), 0);
	build(f);
	assert_null(find(f->plan, STEP_MASK, allowed, NULL));
	assert_non_null(find(f->plan, STEP_MASK, other, NULL));
	plan_free(f->plan);
	f->spec.network.all_unix_sockets = true;
	build(f);
	assert_null(find(f->plan, STEP_MASK, other, NULL));
	strv_free(&f->spec.network.unix_sockets);
	for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
		close_quietly(fds[i]);
}

/* Names in it are resolved without the broker's word. */
static void hosts_file_names_the_loopback_only(void **state)
{
	static const struct {
		const char *text, *shown;
		bool less;
	} cases[] = {
		{ "127.0.0.1 localhost\n", "127.0.0.1 localhost\n", false },
		{ "127.0.1.1\tvm\n::1 ip6-localhost\nff02::1 ip6-allnodes\n",
		  "127.0.1.1\tvm\n::1 ip6-localhost\nff02::1 ip6-allnodes\n", false },
		{ "# 10.0.0.1 x\n\n  # y", "# 10.0.0.1 x\n\n  # y\n", false },
		{ "127.0.0.1 a\n10.1.2.3 internal\n::1 b\n", "127.0.0.1 a\n::1 b\n", true },
		{ " \t10.1.2.3 internal", "", true },
		{ "\r10.1.2.3 internal", "", true },
		{ "::ffff:10.1.2.3 x\nfe80::1 y\n2001:db8::1 z\n", "", true },
		{ "0.0.0.0 ads.example\n", "", true },
		{ "10.1 short\n0x7f000001 hex\nnot-an-address x\n", "", true },
		{ "128.0.0.1 x", "", true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_buf_ struct buf out = BUF_INIT(4096);

		assert_int_equal(plan_hosts_filter(cases[i].text, &out), cases[i].less);
		assert_string_equal(out.len ? out.data : "", cases[i].shown);
	}
}

static void each_step_has_a_sentence(void **state)
{
	struct fixture *f = *state;
	char text[256];

	build(f);
	for (size_t i = 0; i < f->plan->n_steps; i++) {
		text[0] = '\0';
		plan_describe(f->plan, i, text, sizeof(text));
		assert_non_null(strstr(text, f->plan->steps[i].dst));
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		T(system_is_read_only),
		T(workspace_below_home_is_pinned),
		T(workspace_elsewhere_leaves_home_native),
		T(no_tree_above_a_workspace_is_granted),
		T(read_only_modes_govern_nothing),
		T(overlays_stand_for_what_can_be_changed),
		T(writable_roots_carry_no_inner_mounts),
		T(deny_writable_reaches_every_writable_place),
		T(no_mount_covers_an_earlier_one),
		T(a_planted_link_is_cleared_from_the_private_home),
		T(the_source_is_remembered_by_inode),
		T(a_missing_root_is_an_error),
		T(an_allowed_socket_is_shown_alone),
		T(a_wider_view_masks_other_sockets),
		T(hosts_file_names_the_loopback_only),
		T(each_step_has_a_sentence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

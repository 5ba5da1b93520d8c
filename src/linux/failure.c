/* SPDX-License-Identifier: Apache-2.0 */
/* Each set-up stage's sentence, and the fix where one is known. Decided by stage
 * and errno, never by message text. */
#include <fcntl.h>

#include "linux/host.h"
#include "linux/setup.h"
#include "policy/limits.h"

static const char *const stage_text[STAGE_COUNT] = {
	[STAGE_CLONE] = "cannot create the sandbox's namespaces",
	[STAGE_IDMAP] = "cannot map the user into the sandbox",
	[STAGE_PRIVATE_TREE] = "cannot make the mount tree private",
	[STAGE_ROOT] = "cannot make the sandbox's root",
	[STAGE_DISK] = "cannot limit what the private places may hold",
	[STAGE_INIT] = "cannot start the sandbox's init",
	[STAGE_FRESH_PROC] = "cannot mount a fresh /proc",
	[STAGE_PROC] = "cannot make the sandbox's /proc",
	[STAGE_NETNS] = "cannot create the sandbox's network",
	[STAGE_NETWORK] = "cannot set up the sandbox's network",
	[STAGE_HOST_PORT] = "cannot listen inside the sandbox",
	[STAGE_PUBLISH] = "cannot listen on the host",
	[STAGE_PIVOT] = "cannot enter the sandbox's root",
	[STAGE_USERNS] = "cannot enter the inner user namespace",
	[STAGE_USERNS_LIMIT] = "cannot forbid nested user namespaces",
	[STAGE_CAPS] = "cannot drop capabilities",
	[STAGE_KEYRING] = "cannot make a session keyring",
	[STAGE_RLIMIT] = "cannot set a resource limit",
	[STAGE_LANDLOCK] = "cannot confine the command by Landlock",
	[STAGE_SECCOMP] = "cannot load the system call filter",
	[STAGE_LISTENER] = "the filter's listener did not arrive",
	[STAGE_TREES] = "the supervisor cannot open a tree",
	[STAGE_LOOK] = "the supervisor cannot look into the command's memory",
	[STAGE_CONFINE] = "the supervisor cannot confine itself",
	[STAGE_TERMINAL] = "cannot make the session's terminal",
	[STAGE_WORKDIR] = "cannot enter the work directory",
	[STAGE_FORK] = "cannot fork the command",
	[STAGE_EXEC] = "cannot execute the command",
	[STAGE_SYNC] = "the sandbox's processes cannot talk to each other",
};

static bool sysctl_is(const char *path, char want)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	char c;

	return fd >= 0 && read(fd, &c, 1) == 1 && c == want;
}

static void userns_fix(struct berm_err *err)
{
	const struct host_kind *kind = host_kind();

	/* A switch that is off is the reason wherever it is; what the kind of host says is likely.
	 */
	if (sysctl_is("/proc/sys/kernel/unprivileged_userns_clone", '0'))
		err_fix(err, "user namespaces are switched off; as root run: "
			     "sysctl -w kernel.unprivileged_userns_clone=1");
	else if (sysctl_is("/proc/sys/user/max_user_namespaces", '0'))
		err_fix(err, "user namespaces are switched off; as root run: "
			     "sysctl -w user.max_user_namespaces=65536");
	else if (kind->userns)
		err_fix(err, "%s", kind->userns);
	else if (sysctl_is("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", '1'))
		err_fix(err, "AppArmor forbids unprivileged user namespaces here; as root run: "
			     "berm doctor --apparmor install");
	else
		err_fix(err,
			"this host (a container, a chroot, another sandbox) allows no user namespaces; "
			"run berm outside of it, or choose --sandbox off knowingly");
}

static bool copies(const struct step *s)
{
	return s->op == STEP_OVERLAY || s->op == STEP_COPY;
}

static void step_message(const struct launch *l, const struct fail_record *f, struct berm_err *err)
{
	char what[512];

	if (f->index < 0 || (size_t)f->index >= l->plan->n_steps) {
		err_set(err, -EPROTO, "a set-up step failed without a name");
		return;
	}
	plan_describe(l->plan, (size_t)f->index, what, sizeof(what));
	err_errno(err, -f->err, "step %d failed: %s", f->index + 1, what);
	if (copies(&l->plan->steps[f->index]))
		err_fix(err, f->err == EFBIG
				     ? "it is too large for a copy; --in-place uses it itself"
				     : "a private copy needs overlayfs (Linux 6.6); --in-place "
				       "runs the command on the workspace itself");
	else if (f->err == ESTALE)
		err_fix(err, "it was replaced while the sandbox was built; run the command again");
	else if (f->err == EPERM || f->err == EACCES)
		userns_fix(err);
}

static void tree_message(const struct launch *l, const struct fail_record *f, struct berm_err *err)
{
	if (f->index >= 0 && (size_t)f->index < l->plan->n_trees)
		err_errno(err, -f->err, "%s %s", stage_text[f->stage],
			  l->plan->trees[f->index].path);
	else
		err_errno(err, -f->err, "%s", stage_text[f->stage]);
	if (f->stage == STAGE_LANDLOCK && flat(l))
		err_fix(err,
			"this host gives no user namespaces, and without them berm needs Landlock's ABI "
			"6 (Linux 6.12 or newer); berm doctor says how to get either");
	else if (f->stage == STAGE_LANDLOCK && (f->err == EOPNOTSUPP || f->err == ENOSYS))
		err_fix(err,
			"the full tier needs Landlock (Linux 5.19 or newer, \"landlock\" in the lsm= "
			"boot parameter)");
}

static void port_message(const struct launch *l, const struct fail_record *f, struct berm_err *err)
{
	const struct net_spec *n = &l->spec->network;
	bool publish = f->stage == STAGE_PUBLISH;
	size_t i = (size_t)f->index;

	if (f->index < 0 || i >= (publish ? n->n_publish : n->n_host_ports)) {
		err_errno(err, -f->err, "%s", stage_text[f->stage]);
		return;
	}
	if (publish) {
		err_errno(err, -f->err, "%s, for --publish, on 127.0.0.1:%u", stage_text[f->stage],
			  n->publish[i].host_port);
		if (f->err == EADDRINUSE)
			err_fix(err,
				"stop what listens there, or write another port: --publish "
				"HOST_PORT:%u",
				n->publish[i].inside_port);
		else if (f->err == EACCES)
			err_fix(err, "ports below 1024 are root's; write --publish 8080:%u",
				n->publish[i].inside_port);
		return;
	}
	err_errno(err, -f->err, "%s, for --host-port, on port %u", stage_text[f->stage],
		  n->host_ports[i].inside_port);
	if (f->err == EADDRINUSE)
		err_fix(err, "it is given twice, or is one that berm takes inside: 53, %d, %d, %d",
			KIT_PORT_TRANSPARENT, KIT_PORT_HTTP, KIT_PORT_SOCKS);
}

static void limit_message(const struct launch *l, const struct fail_record *f, struct berm_err *err)
{
	enum limit_kind k = (enum limit_kind)f->index;
	char text[32];

	if (f->index < 0 || f->index >= LIMIT_COUNT) {
		err_errno(err, -f->err, "%s", stage_text[f->stage]);
		return;
	}
	err_errno(err, -f->err, "cannot hold the limit %s=%s", limit_name(k),
		  limit_text(k, l->spec->limits[k].value, text, sizeof(text)));
	if (f->err == EPERM)
		err_fix(err,
			"the limit that berm itself was started with is lower (ulimit -H -a); write a "
			"lower one, or --limit %s=none for that one",
			limit_name(k));
}

/* Does the failure say that this host gives nobody such a sandbox? Only stages
 * before anything of the workspace or the private home is looked at: what an
 * earlier command left there must not make a sandbox "unavailable". */
static bool host_lacks(const struct fail_record *f)
{
	switch ((enum stage)f->stage) {
	case STAGE_CLONE:
		if (f->err == ENOSPC) /* or there are too many just now */
			return sysctl_is("/proc/sys/user/max_user_namespaces", '0');
		return f->err == EPERM || f->err == EACCES || f->err == ENOSYS || f->err == EINVAL;
	case STAGE_IDMAP:
	case STAGE_PRIVATE_TREE:
	case STAGE_ROOT:
	case STAGE_USERNS:
	case STAGE_NETNS:
	case STAGE_NETWORK:
	case STAGE_FRESH_PROC:
	case STAGE_PROC:
		return f->err == EPERM || f->err == EACCES || f->err == ENOSYS ||
		       f->err == EINVAL || f->err == ENODEV;
	case STAGE_LANDLOCK:
		return f->err == EOPNOTSUPP || f->err == ENOSYS;
	case STAGE_SECCOMP:
		return f->err == EBUSY || f->err == EINVAL || f->err == ENOSYS;
	default:
		return false;
	}
}

/* One row for each way in which a host refuses something that a run can do without. */
static const struct {
	enum stage stage;
	enum host_lack lack;
	int errs[6];
} refusals[] = {
	{ STAGE_CLONE, LACK_USERNS, { EPERM, EACCES, ENOSYS, EINVAL, ENOSPC, EUSERS } },
	/* AppArmor grants the namespace and no right in it. */
	{ STAGE_IDMAP, LACK_MOUNTS, { EPERM, EACCES } },
	{ STAGE_PRIVATE_TREE, LACK_MOUNTS, { EPERM, EACCES } },
	{ STAGE_ROOT, LACK_MOUNTS, { EPERM, EACCES, ENOSYS } },
	/* /proc/sys is read-only in a container, or not there. */
	{ STAGE_USERNS_LIMIT, LACK_LIMIT, { EROFS, EPERM, EACCES, ENOENT } },
	{ STAGE_FRESH_PROC, LACK_PROC, { EPERM, EACCES } },
	{ STAGE_USERNS, LACK_INNER, { EPERM, EACCES, ENOSPC, EUSERS } },
	{ STAGE_LANDLOCK, LACK_LANDLOCK, { EOPNOTSUPP, ENOSYS } },
	{ STAGE_SECCOMP, LACK_LISTENER, { EBUSY, EINVAL, ENOSYS } },
};

unsigned failure_lack(const struct fail_record *f)
{
	if (f->magic != FAIL_MAGIC)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(refusals); i++)
		for (size_t j = 0; j < ARRAY_SIZE(refusals[i].errs) && refusals[i].errs[j]; j++)
			if (refusals[i].stage == f->stage && refusals[i].errs[j] == f->err)
				return refusals[i].lack;
	return 0;
}

int failure_explain(const struct launch *l, const struct fail_record *f, struct berm_err *err)
{
	if (f->magic != FAIL_MAGIC || f->stage <= STAGE_NONE || f->stage >= STAGE_COUNT)
		return err_set(err, -EPROTO, "the sandbox's set-up failed without saying why");
	switch ((enum stage)f->stage) {
	case STAGE_STEP:
		step_message(l, f, err);
		break;
	case STAGE_LANDLOCK:
	case STAGE_TREES:
		tree_message(l, f, err);
		break;
	case STAGE_CLONE:
	case STAGE_IDMAP:
	case STAGE_PRIVATE_TREE:
	case STAGE_ROOT:
	case STAGE_USERNS:
		err_errno(err, -f->err, "%s", stage_text[f->stage]);
		if (f->err == ENOENT)
			err_fix(err, "there is no /proc; as root run: mount -t proc proc /proc");
		if (f->err == EPERM || f->err == ENOSPC || f->err == EACCES)
			userns_fix(err);
		break;
	case STAGE_SECCOMP:
		err_errno(err, -f->err, "%s", stage_text[f->stage]);
		if (f->err == EBUSY)
			err_fix(err, "this shell already runs inside a sandbox with a supervisor; "
				     "start the command there without berm");
		break;
	case STAGE_RLIMIT:
		limit_message(l, f, err);
		break;
	case STAGE_LOOK:
		err_errno(err, -f->err, "%s", stage_text[f->stage]);
		err_fix(err, "as root run: sysctl -w kernel.yama.ptrace_scope=1");
		break;
	case STAGE_HOST_PORT:
	case STAGE_PUBLISH:
		port_message(l, f, err);
		break;
	case STAGE_WORKDIR:
		err_errno(err, -f->err, "%s %s", stage_text[f->stage], l->spec->workdir);
		break;
	default:
		err_errno(err, -f->err, "%s", stage_text[f->stage]);
	}
	if (host_lacks(f))
		err->code = -EOPNOTSUPP;
	return err->code;
}

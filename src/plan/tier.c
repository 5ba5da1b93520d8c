/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels are those of the youngest part: close_range's CLOEXEC and openat2 are of 5.11,
 * Landlock with REFER and WAIT_KILLABLE_RECV of 5.19. */
#include "plan/tier.h"

#include "base/str.h"
#include "policy/limits.h"
#include "policy/net.h"

static const struct tier_info tiers[TIER_COUNT] = {
	[TIER_FULL] = { "full", "5.19",
			"user namespaces with mounts, two levels; seccomp with a listener; Landlock",
			"", "" },
	[TIER_ONE_USERNS] = { "one-userns", "5.19", "as full, with one level of user namespaces",
			      "the second user namespace around the command", "" },
	[TIER_CONTAINER] = { "container", "5.19",
			     "as full, inside a container or sandbox that hides part of its /proc",
			     "a /proc of its own, or the limit on nested user namespaces", "" },
	[TIER_READ_ONLY] = { "read-only", "5.12", "user namespaces with mounts; seccomp",
			     "Landlock, or the supervisor: the judge of each change",
			     "every rule that lets something on disk be written" },
	[TIER_LANDLOCK] = { "landlock", "6.12", "Landlock (ABI 6); seccomp with a listener",
			    "every namespace: see what the lack of user namespaces costs",
			    "rules that open the network or forbid execution in a workspace; a wider "
			    "view, another home; warm sessions" },
	[TIER_NONE] = { "none", "", "", "", "every rule" },
};

#define OUTSIDE "run berm outside of the container or sandbox that hides part of /proc"
#define MAKE_ROOM "as root, on the host, run: sysctl -w user.max_user_namespaces=65536"

#define FLAT_LOST                                                                                                               \
	"the network is closed, processes and space are not limited, there is no /tmp, no /dev/shm and no terminal to be made " \
	"($TMPDIR and $HOME lie in berm's state, and stay), nobody can be asked, and the "                                      \
	"command can find out which processes and files there are elsewhere, not what is in "                                   \
	"them"

static const struct lack_info lacks_table[LACKS] = {
	{ "userns", "no user namespaces", FLAT_LOST, TIER_LANDLOCK, MAKE_ROOM },
	{ "mounts", "no right over mounts inside a user namespace", FLAT_LOST, TIER_LANDLOCK,
	  "as root run: berm doctor --apparmor install" },
	{ "userns-limit", "user.max_user_namespaces cannot be set",
	  "nested user namespaces are refused by the filter alone", TIER_CONTAINER, OUTSIDE },
	{ "proc", "no fresh /proc",
	  "the command sees the names and command lines of processes outside, read-only, and "
	  "numbers of processes that are not its own",
	  TIER_CONTAINER, OUTSIDE },
	{ "inner-userns", "no second user namespace",
	  "the command lives in the user namespace that owns its mounts and network, without a "
	  "capability there",
	  TIER_ONE_USERNS, MAKE_ROOM },
	{ "landlock", "no Landlock (ABI 2 or newer)",
	  "nothing stands behind the filter, so no workspace may be written, dangerous programs "
	  "are not denied and denials are not told",
	  TIER_READ_ONLY,
	  "use Linux 5.19 or newer with CONFIG_SECURITY_LANDLOCK and \"landlock\" in the lsm= "
	  "boot parameter" },
	{ "listener", "no listener for the filter",
	  "no call can be judged, so no workspace may be written, dangerous programs are not "
	  "denied and denials are not told",
	  TIER_READ_ONLY,
	  "run berm outside of the sandbox whose supervisor listens already (Linux 5.19 or newer)" },
};

const struct tier_info *tier_info(enum tier t)
{
	return &tiers[t];
}

const struct lack_info *lack_info(unsigned i)
{
	return &lacks_table[i];
}

enum tier tier_of(unsigned lacks)
{
	enum tier t = TIER_FULL;

	for (unsigned i = 0; i < LACKS; i++)
		if (lacks & 1u << i && lacks_table[i].tier > t)
			t = lacks_table[i].tier;
	/* What the one stands on the other has not. */
	if (t == TIER_LANDLOCK && lacks & (LACK_LANDLOCK | LACK_LISTENER))
		return TIER_NONE;
	return t;
}

bool tier_flat(unsigned lacks)
{
	return lacks & (LACK_USERNS | LACK_MOUNTS);
}

int tier_lacks(unsigned lacks, struct strv *ret)
{
	for (unsigned i = 0; i < LACKS; i++)
		if (lacks & 1u << i && strv_add(ret, lacks_table[i].name) < 0)
			return -ENOMEM;
	return 0;
}

bool limits_held(unsigned lacks, enum limit_kind k)
{
	return !tier_flat(lacks) || (k != LIMIT_PIDS && k != LIMIT_DISK);
}

static const struct lack_info *first_missing(unsigned lacks, enum tier t)
{
	for (unsigned i = 0; i < LACKS; i++)
		if (lacks & 1u << i && (lacks_table[i].tier == t || t == TIER_NONE))
			return &lacks_table[i];
	return &lacks_table[0];
}

/* What only the supervisor holds: changes below these trees, or reading them. */
static void add_trees(const struct plan *p, struct buf *out)
{
	for (size_t i = 0; i < p->n_trees; i++)
		if (p->trees[i].kind == TREE_GOVERNED)
			(void)buf_addf(out, "%sthe rules for %s", out->len ? ", " : "",
				       p->trees[i].path);
}

/* And executing what somebody's own rule forbids. The built-in ones are told of (lost). */
static void add_exec_rules(const struct spec *s, struct buf *out)
{
	for (size_t i = 0; i < s->n_rules; i++) {
		const struct rule *r = s->rules[i];

		if (r->exec == EXEC_DENY && r->layer != LAYER_BUILTIN)
			(void)buf_addf(out, "%s\"%s\" (%s:%u)", out->len ? ", " : "", r->text,
				       r->origin.file, r->origin.line);
	}
}

/* ---- without namespaces ---------------------------------------------------- */

static void add(struct buf *out, const char *what)
{
	(void)buf_addf(out, "%s%s", out->len ? ", " : "", what);
}

static void add_rule(struct buf *out, const char *text, const struct origin *o)
{
	(void)buf_addf(out, "%s\"%s\" (%s:%u)", out->len ? ", " : "", text, o->file, o->line);
}

/* There is no network namespace whose packets could be judged. */
static int add_net_rules(const struct spec *s, struct buf *out, struct berm_err *err)
{
	const struct net_spec *n = &s->network;
	struct net_policy *p = n->policy;
	int r = p ? 0 : net_policy_new(s, &p, err);

	if (r < 0)
		return r;
	for (size_t i = 0; i < p->n_rules; i++)
		if (p->rules[i].decision == VERDICT_ALLOW && p->rules[i].layer != LAYER_BUILTIN)
			add_rule(out, p->rules[i].text, &p->rules[i].origin);
	if (p != n->policy)
		net_policy_free(p);
	if (s->net == NET_OPEN)
		add(out, "--net open");
	for (size_t i = 0; i < n->n_publish; i++)
		add_rule(out, "publish", &n->publish[i].origin);
	for (size_t i = 0; i < n->n_host_ports; i++)
		add_rule(out, "host-port", &n->host_ports[i].origin);
	if (n->unix_sockets.n || n->all_unix_sockets)
		add(out, "unix sockets of the host");
	return 0;
}

static int check_flat(const struct spec *s, unsigned lacks, struct berm_err *err)
{
	_cleanup_buf_ struct buf list = BUF_INIT(4096);
	const struct lack_info *missing = first_missing(lacks, TIER_LANDLOCK);
	int r;

	if (!s->tier_landlock) {
		err_set(err, -EOPNOTSUPP,
			"%s on this host: a sandbox is made with " TIER_OPTION " only",
			missing->missing);
		err_fix(err, "%s; or take tier %s knowingly: " TIER_OPTION, missing->fix,
			tiers[TIER_LANDLOCK].name);
		return -EOPNOTSUPP;
	}
	if (s->learn || s->overlay)
		add(&list, "berm learn");
	if (s->exec_deny_writable)
		add(&list, "exec: deny-writable");
	if (s->root != ROOT_SYSTEM)
		add(&list, "--root host");
	if (s->home != HOME_PRIVATE)
		add(&list, s->home == HOME_HOST ? "--home host" : "--home empty");
	for (enum limit_kind k = 0; k < LIMIT_COUNT; k++)
		if (s->limits[k].by == LIMIT_SAID && spec_limited(s, k) && !limits_held(lacks, k))
			(void)buf_addf(&list, "%sthe limit \"%s\" (%s)", list.len ? ", " : "",
				       limit_name(k), s->limits[k].from.file);
	r = add_net_rules(s, &list, err);
	if (r < 0 || (!list.len && !list.failed))
		return r;
	err_set(err, -EOPNOTSUPP, "%s on this host (tier %s), which cannot hold %s",
		missing->missing, tiers[TIER_LANDLOCK].name, list.data ? list.data : "the rules");
	err_fix(err, "%s; or run without them", missing->fix);
	return -EOPNOTSUPP;
}

int tier_check(const struct spec *s, const struct plan *p, unsigned lacks, struct berm_err *err)
{
	_cleanup_buf_ struct buf list = BUF_INIT(4096);
	enum tier t = tier_of(lacks);

	if (t == TIER_NONE)
		return err_set(err, -EOPNOTSUPP, "%s on this host: no sandbox can be made",
			       first_missing(lacks, t)->missing);
	if (t == TIER_LANDLOCK)
		return check_flat(s, lacks, err);
	if (t != TIER_READ_ONLY)
		return 0;
	add_trees(p, &list);
	add_exec_rules(s, &list);
	if (!list.len && !list.failed)
		return 0;
	err_set(err, -EOPNOTSUPP, "%s on this host (tier %s), which cannot hold %s",
		first_missing(lacks, t)->missing, tiers[t].name,
		list.data ? list.data : "the rules");
	err_fix(err, "%s; or run it read-only: --mode review",
		lacks_table[__builtin_ctz(lacks & (LACK_LANDLOCK | LACK_LISTENER))].fix);
	return -EOPNOTSUPP;
}

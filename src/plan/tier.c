/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels are those of the youngest part: close_range's CLOEXEC and openat2 are of 5.11,
 * Landlock with REFER and WAIT_KILLABLE_RECV of 5.19. */
#include "plan/tier.h"

#include "base/str.h"

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
	[TIER_NONE] = { "none", "", "", "", "every rule" },
};

static const struct lack_info lacks_table[LACKS] = {
	{ "userns", "no user namespaces", "nothing can be held", TIER_NONE },
	{ "mounts", "no right over mounts inside a user namespace", "nothing can be held",
	  TIER_NONE },
	{ "userns-limit", "user.max_user_namespaces cannot be set",
	  "nested user namespaces are refused by the filter alone", TIER_CONTAINER },
	{ "proc", "no fresh /proc",
	  "the command sees the names and command lines of processes outside, read-only, and "
	  "numbers of processes that are not its own",
	  TIER_CONTAINER },
	{ "inner-userns", "no second user namespace",
	  "the command lives in the user namespace that owns its mounts and network, without a "
	  "capability there",
	  TIER_ONE_USERNS },
	{ "landlock", "no Landlock (ABI 2 or newer)",
	  "nothing stands behind the filter, so nothing on disk may be written", TIER_READ_ONLY },
	{ "listener", "no listener for the filter",
	  "no call can be judged, and denied calls are not told", TIER_READ_ONLY },
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
	return t;
}

int tier_lacks(unsigned lacks, struct strv *ret)
{
	for (unsigned i = 0; i < LACKS; i++)
		if (lacks & 1u << i && strv_add(ret, lacks_table[i].name) < 0)
			return -ENOMEM;
	return 0;
}

static const char *first_missing(unsigned lacks, enum tier t)
{
	for (unsigned i = 0; i < LACKS; i++)
		if (lacks & 1u << i && lacks_table[i].tier == t)
			return lacks_table[i].missing;
	return "";
}

/* The trees whose changes only the supervisor can hold. */
static void add_trees(const struct plan *p, struct buf *out)
{
	for (size_t i = 0; i < p->n_trees; i++) {
		const struct tree *t = &p->trees[i];

		if (t->kind == TREE_GOVERNED)
			(void)buf_addf(out, "%s%s", out->len ? ", " : "", t->path);
	}
	if (!out->len)
		(void)buf_adds(out, "a private place above a workspace");
}

int tier_check(const struct plan *p, unsigned lacks, struct berm_err *err)
{
	_cleanup_buf_ struct buf trees = BUF_INIT(256);
	enum tier t = tier_of(lacks);

	if (t == TIER_NONE)
		return err_set(err, -EOPNOTSUPP, "%s on this host: no sandbox can be made",
			       first_missing(lacks, t));
	if (t != TIER_READ_ONLY || !p->supervised)
		return 0;
	add_trees(p, &trees);
	err_set(err, -EOPNOTSUPP,
		"%s on this host: the rules for changes below %s cannot be held (tier %s)",
		first_missing(lacks, t), trees.data ? trees.data : "the workspace", tiers[t].name);
	err_fix(err,
		lacks & LACK_LANDLOCK
			? "enable Landlock (Linux 5.19 or newer; \"landlock\" in the lsm= boot "
			  "parameter), or run it read-only: --mode review"
			: "start the command outside of the sandbox that berm runs in, or run "
			  "it read-only: --mode review");
	return -EOPNOTSUPP;
}

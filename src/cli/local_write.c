/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/local_write.h"

#include "policy/layers.h"
#include "policy/trust.h"
#include "session/settings_write.h"

/* What the user does not trust now must not become so together with what is added. */
static int look_at_trust(const struct policy_input *in, const char *root, struct berm_err *err)
{
	struct trust_subject t = { 0 };
	int r = trust_look(in, root, true, &t, err);

	if (r >= 0 && !t.trusted) {
		r = err_set(err, -EPERM, "%s/" LOCAL_FILE " is not trusted", root);
		err_fix(err, "look at it, then: berm trust");
	}
	trust_subject_free(&t);
	return r == -ENOENT ? 0 : r;
}

static int renew_trust(const struct policy_input *in, const char *root, struct berm_err *err)
{
	struct trust_subject t = { 0 };
	int r = trust_look(in, root, true, &t, err);

	if (r >= 0)
		r = trust_record(in, &t, err);
	trust_subject_free(&t);
	return r;
}

int local_write(const struct policy_input *in, const char *root, const struct jsonc_change *c,
		size_t n, struct berm_err *err)
{
	int r = look_at_trust(in, root, err), changes = 0;

	for (size_t i = 0; r >= 0 && i < n; i++) {
		r = settings_write(root, LOCAL_FILE, &c[i], err);
		changes += r == 0;
	}
	/* Also after a change that failed behind one that did not. */
	if (changes && r < 0)
		(void)renew_trust(in, root, NULL);
	else if (changes)
		r = renew_trust(in, root, err);
	return r < 0 ? r : changes;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "policy/resolve.h"

#include <string.h>
#include <sys/random.h>

#include "base/path.h"
#include "base/str.h"
#include "policy/places.h"
#include "policy/rules.h"

static void spec_freep(struct spec **s)
{
	spec_free(*s);
}

static int make_session_id(struct spec *s, struct berm_err *err)
{
	uint64_t id;

	if (getrandom(&id, sizeof(id), 0) != (ssize_t)sizeof(id))
		return err_errno(err, -errno, "cannot get random bytes for the session id");
	snprintf(s->session, sizeof(s->session), "b-%016llx", (unsigned long long)id);
	return 0;
}

static int copy_list(char *const *from, char ***ret)
{
	size_t n = 0;
	char **v;

	while (from[n])
		n++;
	v = calloc(n + 1, sizeof(*v));
	if (!v)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		v[i] = strdup(from[i]);
		if (!v[i]) {
			while (i--)
				free(v[i]);
			free(v);
			return -ENOMEM;
		}
	}
	*ret = v;
	return 0;
}

int policy_resolve(const struct policy_input *in, struct spec **ret, struct berm_err *err)
{
	_cleanup_(spec_freep) struct spec *s = calloc(1, sizeof(*s));
	int r;

	if (!s)
		return err_set(err, -ENOMEM, "out of memory");
	s->priv = calloc(1, sizeof(struct spec_priv));
	if (!s->priv)
		return err_set(err, -ENOMEM, "out of memory");
	s->profile = in->profile ? in->profile : "agent";
	s->mode = in->mode == POLICY_UNSET ? MODE_CHAT : (enum mode)in->mode;
	s->root = in->root == POLICY_UNSET ? ROOT_SYSTEM : (enum root_view)in->root;
	s->home = in->home == POLICY_UNSET ? HOME_PRIVATE : (enum home_view)in->home;
	s->net = NET_OFF;
	r = make_session_id(s, err);
	if (r >= 0)
		r = places_resolve(s, in, err);
	if (r >= 0)
		r = spec_add_builtin(s, streq(s->profile, "strict"), err);
	if (r >= 0)
		r = spec_finish_rules(s, err);
	if (r >= 0)
		r = env_resolve(s, in, err);
	if (r < 0)
		return r;
	if (in->argv && copy_list(in->argv, &s->argv) < 0)
		return err_set(err, -ENOMEM, "out of memory");
	*ret = take_ptr(s);
	return 0;
}

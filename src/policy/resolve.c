/* SPDX-License-Identifier: Apache-2.0 */
#include "policy/rules.h"
#include "policy/resolve.h"

#include <string.h>

#include "policy/apply.h"
#include "policy/layers.h"
#include "policy/links.h"
#include "policy/net.h"
#include "policy/net_build.h"
#include "policy/places.h"
#include "policy/repo.h"

static void spec_freep(struct spec **s)
{
	spec_free(*s);
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

static int fill(struct spec *s, const struct policy_input *in, struct berm_err *err)
{
	struct spec_priv *p = s->priv;
	int r = places_resolve(s, in, err);

	if (r >= 0)
		r = layers_read(s, in, &p->layers, err);
	if (r >= 0)
		r = apply_scalars(s, &p->layers, err);
	if (r >= 0 && in->force)
		apply_force(s, in->force);
	if (r >= 0)
		r = view_resolve(s, in, err);
	if (r >= 0)
		r = apply_rules(s, in, &p->layers, err);
	if (r >= 0)
		r = repo_resolve(s, in, err);
	if (r >= 0)
		r = spec_add_builtin(s, err);
	if (r >= 0)
		r = view_check(s, in, err);
	if (r >= 0)
		r = spec_finish_rules(s, err);
	if (r >= 0)
		r = links_resolve(s, err);
	if (r >= 0 && (!in->argv || in->pretend))
		r = net_policy_new(s, &s->network.policy, err);
	if (r >= 0)
		r = net_local_resolve(s, in, err);
	return r < 0 ? r : env_resolve(s, in, err);
}

int policy_resolve(const struct policy_input *in, struct spec **ret, struct berm_err *err)
{
	_cleanup_(spec_freep) struct spec *s = spec_new(err);
	int r;

	if (!s)
		return -ENOMEM;
	r = fill(s, in, err);
	if (r < 0)
		return r;
	s->tier_landlock = in->tier_landlock;
	s->learn = in->learn;
	s->overlay = in->overlay;
	if (in->argv && copy_list(in->argv, &s->argv) < 0)
		return err_set(err, -ENOMEM, "out of memory");
	*ret = take_ptr(s);
	return 0;
}

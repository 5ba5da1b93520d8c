/* SPDX-License-Identifier: Apache-2.0 */
#include "linux/limits.h"

#include "policy/limits.h"

const char *limit_means_text(enum limit_means m)
{
	static const char texts[][64] = {
		[MEANS_NONE] = "not held",
		[MEANS_PROCESS] = "the kernel, for each process",
		[MEANS_USERNS] = "the kernel, for the sandbox's user namespace",
		[MEANS_TMPFS] = "the kernel, in /tmp, /var/tmp, /run and /dev/shm together",
		[MEANS_CLOCK] = "berm's clock",
	};

	return m < MEANS_COUNT ? texts[m] : texts[MEANS_NONE];
}

static int cannot(const struct spec *s, enum limit_kind k, struct berm_err *err, const char *why,
		  const char *fix)
{
	char text[32];

	(void)err_set(err, -ENOTSUP, "cannot hold the limit %s=%s (%s): %s", limit_name(k),
		      limit_text(k, s->limits[k].value, text, sizeof(text)), s->limits[k].from.file,
		      why);
	err_fix(err, "%s", fix);
	return -ENOTSUP;
}

static enum limit_means means_of(enum limit_kind k)
{
	switch (k) {
	case LIMIT_TIME:
		return MEANS_CLOCK;
	case LIMIT_DISK:
		return MEANS_TMPFS;
	case LIMIT_PIDS:
		return MEANS_USERNS;
	case LIMIT_MEMORY:
	case LIMIT_CPU:
	case LIMIT_OUTPUT:
		return MEANS_NONE;
	default:
		return MEANS_PROCESS;
	}
}

int limits_prepare(const struct spec *spec, bool warm, struct limits *ret, struct berm_err *err)
{
	struct limits l = { .spec = spec };

	(void)warm;
	for (enum limit_kind k = 0; k < LIMIT_COUNT; k++) {
		if (!spec_limited(spec, k))
			continue;
		l.means[k] = means_of(k);
		if (l.means[k] == MEANS_NONE && spec->limits[k].by == LIMIT_SAID)
			return cannot(spec, k, err, "this build has no means for it",
				      "leave it away");
	}
	*ret = l;
	return 0;
}

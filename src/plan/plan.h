/* SPDX-License-Identifier: Apache-2.0 */
/* The plan: what the spec becomes on Linux, as a list of named steps. "berm
 * explain" prints it, linux/ runs it in order; a failed step names itself. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "policy/spec.h"

enum step_op {
	STEP_DIR,     /* make directory dst (in the new root), mode; existing is fine */
	STEP_FILE,    /* make an empty file dst, mode; existing is fine */
	STEP_SYMLINK, /* make symlink dst -> src */
	STEP_BIND,    /* bind host path src at dst, see flags */
	STEP_DEVPTS,  /* a devpts of its own at dst */
	STEP_MQUEUE,  /* the message queues of its own at dst, where the kernel has any */
	STEP_PIN,     /* bind dst over itself: a writable place in the read-only root; and an
		       * ancestor of a workspace, which can then not be renamed */
	STEP_MASK,    /* cover dst by an empty unreadable file or directory */
	STEP_TEXT,    /* cover file dst by a read-only one whose content is src */
	STEP_OVERLAY, /* host directory src at dst, its changes kept in memory and dropped at the
		       * end (spec->overlay) */
	STEP_COPY,    /* likewise a regular file: a copy of it */
};

enum step_flag {
	STEP_RO = 1u << 0,
	STEP_NOEXEC = 1u << 1,
	STEP_REC = 1u << 2,	 /* with everything mounted below */
	STEP_OPTIONAL = 1u << 3, /* skipped when the source or place is gone meanwhile */
	STEP_SAME = 1u << 4,	 /* the source must still be the inode recorded in dev, ino */
	STEP_DEVICE = 1u << 5,	 /* a device node: devices work on this mount */
};

struct step {
	enum step_op op;
	char *src; /* host path, target of a symlink, or text */
	char *dst; /* absolute path in the new root */
	unsigned flags;
	mode_t mode;
	dev_t dev; /* STEP_SAME */
	ino_t ino;
};

/* Where mq_overview(7) has them. */
#define PLAN_MQUEUE "/dev/mqueue"

/* A tree in the new view with what Landlock and the supervisor do about it. */
enum tree_kind {
	TREE_GOVERNED, /* writable root: no Landlock right; each change judged and done by the
			  supervisor */
	TREE_FREE,     /* private, above a workspace: no Landlock right (it would hold for the
			* workspace too); done by the supervisor without a rule */
	TREE_NATIVE,   /* private: Landlock grants everything, native speed */
	TREE_WRITE,    /* existing files may be written (devices, /proc), nothing made */
	TREE_READ,     /* read and executed, no more; of flat plans, where mounts say it else */
};

struct tree {
	enum tree_kind kind;
	char *path;
	bool is_file;
	bool is_mount; /* a mount of its own, known to the supervisor by mount id */
	bool optional; /* may be missing */
};

struct plan {
	struct step *steps;
	size_t n_steps;
	size_t n_fixed; /* of these, so many at the beginning are those of plan_fixed() */
	struct tree *trees;
	size_t n_trees;
	/* Without namespaces: there are no steps, the view is the host's, and what is in no tree
	 * is closed. */
	bool flat;
	char **envp;	    /* flat: the command's environment in place of the spec's */
	struct strv shown;  /* flat: what the view of the other tiers would show, ... */
	struct strv hidden; /* ... and what of it would be masked: the longer path counts */
};

/* The steps that every plan begins with, whatever the policy says; no trees. NULL when out
 * of memory. */
struct plan *plan_fixed(void);

/* Builds the plan for this host. Reads the host's file system (which top-level
 * directories exist, where symlinks lead), makes mount points in the private
 * home in berm's own state, and changes nothing else. */
int plan_build(const struct spec *spec, struct plan **ret, struct berm_err *err);
/* The same for a host without user namespaces, or without mounts in them: held by Landlock and
 * the supervisor alone. tier_check() has found that the rules can be held so; -EOPNOTSUPP:
 * what the file system looks like does not allow it. */
int plan_flat(const struct spec *spec, struct plan **ret, struct berm_err *err);
void plan_free(struct plan *p);

/* One line that says what step i does, into dst. */
void plan_describe(const struct plan *p, size_t i, char *dst, size_t size);
const char *tree_kind_name(enum tree_kind k);

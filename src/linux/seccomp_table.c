/* SPDX-License-Identifier: Apache-2.0 */
#include "linux/seccomp_table.h"

#include <asm/ioctls.h>
#include <errno.h>
#include <linux/audit.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/fsverity.h>
#include <stdio.h>

#include "base/cleanup.h"

#define SC(name, x86, arm, class) { #name, { x86, arm }, SC_##class },
const struct sc_row sc_rows[] = {
#include "linux/seccomp_table.def"
};
#undef SC

const unsigned sc_row_count = ARRAY_SIZE(sc_rows);

/* arch/x86/entry/syscalls/syscall_32.tbl, arch/arm/tools/syscall.tbl */
const struct sc_abi sc_abis[] = {
	[SECCOMP_X86_64] = { AUDIT_ARCH_X86_64, AUDIT_ARCH_I386, 1, 252 },
	[SECCOMP_ARM64] = { AUDIT_ARCH_AARCH64, AUDIT_ARCH_ARM, 1, 248 },
};

#define MAGIC(c) ((uint32_t)(c) << 8)

/* What Landlock does not see. Btrfs, bcachefs and ocfs2 make and remove names by
 * ioctl (btrfs measured: unprivileged, past every path call), so of their
 * commands only the cloning of data between open files is allowed. Attribute and
 * encryption ioctls change an inode through a read-only descriptor, and casefold
 * changes how names match. TIOCSTI and TIOCLINUX type into the terminal; TIOCSETD
 * loads line disciplines. */
const struct sc_ioctl sc_ioctls[] = {
	{ MAGIC('T'), false, EPERM, { TIOCSTI, TIOCLINUX, TIOCSETD } },
	{ MAGIC('f'), true, ENOTTY, { FS_IOC_GETFLAGS, FS_IOC_FIEMAP, FS_IOC_MEASURE_VERITY } },
	{ MAGIC(0x94), true, EPERM, { FICLONE, FICLONERANGE, FIDEDUPERANGE } },
	{ MAGIC(0xbc), true, EPERM, { 0 } },	      /* bcachefs */
	{ MAGIC('o'), false, EPERM, { 0x40186f04 } }, /* OCFS2_IOC_REFLINK, fs/ocfs2/ocfs2_fs.h */
	{ MAGIC('X'), false, ENOTTY, { FS_IOC_FSSETXATTR } },
	{ MAGIC('v'), false, ENOTTY, { FS_IOC_SETVERSION } },
	{ MAGIC('r'),
	  false,
	  ENOTTY,
	  { 0x40047211 } }, /* FAT_IOCTL_SET_ATTRIBUTES, uapi/linux/msdos_fs.h */
};

const unsigned sc_ioctl_count = ARRAY_SIZE(sc_ioctls);

const struct sc_row *sc_find(enum seccomp_arch arch, int nr)
{
	if (nr < 0)
		return NULL;
	for (unsigned i = 0; i < sc_row_count; i++)
		if (sc_rows[i].nr[arch] == nr)
			return &sc_rows[i];
	return NULL;
}

enum seccomp_arch seccomp_native(void)
{
#if defined(__x86_64__)
	return SECCOMP_X86_64;
#elif defined(__aarch64__)
	return SECCOMP_ARM64;
#else
#error "no seccomp filter for this architecture"
#endif
}

const char *seccomp_name(int nr)
{
	static _Thread_local char other[24];
	const struct sc_row *row = sc_find(seccomp_native(), nr);

	if (row)
		return row->name;
	(void)snprintf(other, sizeof(other), "syscall-%d", nr);
	return other;
}

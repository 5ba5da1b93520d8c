/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the supervisor: what its files share. See supervisor.c for the theory of
 * operation. */
#pragma once

#include <limits.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/cleanup.h"
#include "linux/statx.h"
#include "linux/supervisor.h"
#include "policy/git.h"

/* What a handler returns, beside 0 (the call succeeded with value 0) and a negative
 * errno (the call fails with it). */
enum outcome {
	SUP_CONTINUE = 1, /* the kernel does the call as the command asked for it */
	SUP_FD,		  /* request.fd is given to the command and closed here */
	SUP_LATER,	  /* a helper thread answers */
	SUP_AGAIN,	  /* run the handler again with the names held exclusively */
	SUP_VALUE,	  /* the call succeeded with request.value */
};

/* A thread of the command, as it was seen last. */
struct task {
	pid_t tid;  /* 0: empty */
	int proc;   /* O_PATH on host_proc/TID: stays with this very process, a reused id
		     * does not answer through it */
	bool fresh; /* opened for the present request */
	pid_t inner_tgid, inner_tid; /* 0: not looked up yet */
	unsigned umask_gen;	     /* generation `umask` was read in, 0 never */
	mode_t umask;
};

#define TASK_CACHE 128u

/* A directory that calls were made in lately. The descriptor keeps its inode, so that
 * device and number cannot come to mean another directory. */
struct known_dir {
	int fd; /* O_PATH, -1: empty */
	const struct sup_root *root;
	uint64_t mnt_id, ino;
	uint32_t dev_major, dev_minor;
	unsigned users;	  /* places that borrow fd now */
	unsigned moves;	  /* sup->moves when the path was read */
	uint64_t read_ms; /* and when that was; 0 never */
	size_t path_len;
	char *path; /* of PATH_MAX bytes; not in here, so that those looked through lie close */
};

#define CPU_WORDS 128u /* of a CPU mask: 8192 CPUs */
#define KNOWN_DIRS 8u

/* One thread that takes notifications. */
struct worker {
	struct sup *sup;
	struct seccomp_notif *notif;
	struct seccomp_notif_resp *resp;
	struct task tasks[TASK_CACHE];
	struct known_dir dirs[KNOWN_DIRS];
	unsigned next_dir;
	mode_t umask; /* of this thread (CLONE_FS is not shared) */
	bool alone;   /* when it is made there is no other */
	/* Handing a descriptor over wakes the caller; see give.c. */
	bool pin;
	unsigned gives;
	uint64_t give_ns;	       /* moving average */
	int cpu;		       /* with pin: the one we are bound to */
	size_t mask_size;	       /* 0: not asked for yet */
	unsigned long mask[CPU_WORDS]; /* CPUs we may run on */
	char dir_paths[KNOWN_DIRS][PATH_MAX];
};

#define UMASK_FLIGHT_MAX 16u

struct umask_flight {
	pid_t tid;
	mode_t value;
};

struct sup {
	const struct supervisor *in;
	const struct spec *spec;
	int listener;
	int host_proc;
	int self_fd; /* O_PATH on our own /proc/self/fd */
	size_t n_file_roots;
	size_t notif_size, resp_size;

	/* Every change of a name holds this: shared for a single step, exclusive where
	 * several steps must belong together. */
	pthread_rwlock_t names;
	atomic_uint moves; /* directories moved so far: remembered paths are stale then */

	pthread_mutex_t umask_lock;
	bool umask_diverged; /* some process has another umask than the first */
	unsigned umask_gen;
	struct umask_flight flights[UMASK_FLIGHT_MAX];
	unsigned n_flights;
	bool flights_lost; /* more in flight than the table holds: cache nothing */

	struct timespec begin; /* of the session */

	atomic_uint dropped;   /* violation records that found the socket full */
	atomic_uint n_helpers; /* threads in a blocking open */
};

struct request {
	struct sup *sup;
	struct worker *w;
	uint64_t id;
	pid_t tid;
	int nr;
	uint64_t arg[6];
	bool exclusive;	  /* sup->names is held exclusively */
	bool asked_facts; /* the judgement looked at other entries */
	int fd;		  /* with SUP_FD */
	int value;	  /* with SUP_VALUE */
	bool cloexec;
	bool opens;	    /* the call is an open */
	int walk_err;	    /* why open_path() left the call to the kernel, 0: it is not ours */
	int number;	    /* for the descriptor in the command, 0: the lowest free one */
	struct held *held;  /* the call was held for an answer: what that granted (ask.c) */
	uint64_t git_begin; /* with a verdict to ask: of the git process that the answer holds
			     * for as a whole (checkout.c), else 0 */
	char path[PATH_MAX];
	char path2[PATH_MAX];
};

/* ---- the command's side (target.c) --------------------------------------- */

/* Copies a NUL-terminated string of the command, at most PATH_MAX bytes with the
 * NUL. Returns its length, -EFAULT or -ENAMETOOLONG. */
ssize_t target_string(struct request *r, uint64_t addr, char dst[PATH_MAX]);

/* Copies len bytes exactly. Returns 0 or -EFAULT. */
int target_read(struct request *r, uint64_t addr, void *dst, size_t len);

/* Puts an answer into the caller's memory. 0 or a negative errno. */
int target_write(struct request *r, uint64_t addr, const void *src, size_t len);

/* The calling thread's entry, or NULL when the thread is gone (*ret_err says why). */
struct task *target_task(struct request *r, int *ret_err);

/* Its ids in the command's own pid namespace. 0 or -ESRCH. */
int target_inner_pids(struct request *r, pid_t *ret_tgid, pid_t *ret_tid);

/* Forgets it, after a lookup through it failed. */
void target_forget(struct request *r);

/* 0 while the notification is the one we took; -ENOENT afterwards: what was
 * read from the thread's memory may be another's then. Called before every side effect. */
int target_alive(const struct request *r);
/* Its descriptor `number` as one of ours, or a negative errno (bind.c). */
int target_fd(struct request *r, int number);

/* doorbell.c: are these openat()'s flags the bell's? Then it passes the socket that the caller
 * named as the directory to the warden. Returns what the caller gets. */
int doorbell_rings(int flags);
int doorbell(struct request *r, int number);

/* Makes this thread's umask the caller's. */
int target_umask(struct request *r);

/* The caller is about to change its umask to `value`. */
void target_umask_changes(struct request *r, mode_t value);

/* Forgets every thread that w has looked at. */
/* ---- places (resolve.c) --------------------------------------------------- */

enum last_kind { LAST_NORM, LAST_DOT, LAST_DOTDOT, LAST_ROOT };

/* Where a walk begins. */
struct start {
	int fd;		  /* a descriptor of ours, or -1: the command's */
	int dirfd;	  /* the command's number or AT_FDCWD */
	uint64_t resolve; /* RESOLVE_* of openat2 */
};

#define START_AT(number) ((struct start){ .fd = -1, .dirfd = (int)(number) })

/* A directory and a name in it. */
struct place {
	int dir;		     /* O_PATH; -1 when the directory is not ours to govern */
	struct known_dir *known;     /* whose descriptor it is; NULL: closed by place_close() */
	const struct sup_root *root; /* tree the directory lies in, NULL: none of ours */
	uint64_t mnt_id;	     /* of the directory, where it is not ours */
	size_t dir_len;		     /* of the path's part before the name */
	enum last_kind last;
	char *deep;			    /* whole path where it is longer than `path` can
					     * hold, which then has its last piece */
	bool slash;			    /* the path ended in "/" */
	char name[NAME_MAX + 2];	    /* last component, with "/" appended if `slash` was
					     * asked for by place_name_slash() */
	size_t path_len;		    /* of path; 0 until place_path() */
	char path[PATH_MAX + NAME_MAX + 2]; /* real path of dir + "/" + name */
};

static inline void place_init(struct place *p)
{
	p->dir = -1;
	p->known = NULL;
	p->root = NULL;
	p->deep = NULL;
	p->path_len = 0;
}

static inline void place_close(struct place *p)
{
	if (!p->known)
		close_quietly(p->dir);
	free(p->deep);
	p->deep = NULL;
	p->known = NULL;
	p->dir = -1;
}

#define _cleanup_place_ _cleanup_(place_close)

/* Resolves all but the last component. 0, or a negative errno. */
int place_find(struct request *r, const struct start *from, const char *path, struct place *p);

/* Opens `rest`, which may be "", below the start. A descriptor or a negative errno. */
int open_start(struct request *r, const struct start *from, const char *rest, int flags);

/* Paths that are too long for the kernel to tell (deep.c). The whole path of (dir, name) in a
 * root, to be freed. 0 or a negative errno. */
int deep_path(const struct sup *s, const struct sup_root *root, int dir, const char *name,
	      char **ret);
/* The piece of it that begins about `from`, behind the root's path, into dst[PATH_MAX].
 * Where the next one begins, 0 after the last. */
size_t deep_piece(const struct sup_root *root, const char *full, size_t from, char *dst);

/* Fills p->path. -ENOENT when the directory was removed or is out of the view. */
int place_path(struct request *r, struct place *p);

/* Name for the kernel, with the trailing slash the command wrote. */
const char *place_name_slash(struct place *p);

/* Type of the entry itself, FT_NONE when there is none (or it cannot be seen). */
enum file_type place_type(const struct place *p, struct stat *ret_st);

/* Directories that are remembered (dirs.c). stx: what was found at the path. NULL: not
 * among them. */
struct known_dir *known_dir_find(struct worker *w, const struct statx *stx);
/* Remembers a directory and takes its descriptor over; NULL: no room, it stays the
 * caller's. */
struct known_dir *known_dir_add(struct worker *w, int fd, const struct statx *stx,
				const struct sup_root *root);
void known_dirs_forget(struct worker *w);
/* Its path, at most some milliseconds old: the host may have moved it. Length or a
 * negative errno. */
ssize_t known_dir_path(struct request *r, struct known_dir *k, char dst[PATH_MAX]);

#define KNOWN_DIR_STATX (STATX_MNT_ID | STATX_INO | STATX_TYPE)

/* The tree with this mount, or NULL. */
const struct sup_root *root_of_mount(const struct sup *s, const struct statx *stx);

/* The tree a descriptor of ours lies in, or NULL. */
const struct sup_root *root_of_fd(const struct sup *s, int fd);

/* Real path of a descriptor of ours into dst[PATH_MAX]. Length, or -ENOENT when it has
 * no name in this view (any more). */
ssize_t real_path(const struct sup *s, int fd, char *dst);

/* "self/fd/N" below host_proc. */
struct fd_name {
	char text[32];
};
struct fd_name fd_name(int fd);

/* An object: what a path names, with final symlinks followed or not. */
struct object {
	int fd; /* O_PATH */
	const struct sup_root *root;
	bool unnamed; /* no name leads to it (any more) */
	struct stat st;
	size_t path_len;
	char path[PATH_MAX]; /* with root != NULL and !unnamed */
};

static inline void object_close(struct object *o)
{
	close_quietly(o->fd);
	o->fd = -1;
}

#define _cleanup_object_ _cleanup_(object_close)

/* Opens what a path names. follow: also a final symlink. */
int object_find(struct request *r, const struct start *from, const char *path, bool follow,
		struct object *o);
/* Opens what the command's descriptor is. */
int object_of_fd(struct request *r, int number, struct object *o);
/* The same for a call that O_PATH descriptors are not good enough for: -EBADF. */
int object_of_open_fd(struct request *r, int number, struct object *o);
/* Everything but the descriptor, from the descriptor. */
int object_fill(struct request *r, struct object *o);
/* Recognises the spellings of "my descriptor N" (/proc/self/fd/N, /dev/fd/N,
 * /dev/stdin, ...). Returns the number or -1. */
int magic_fd(const char *path);

enum file_type type_of_mode(mode_t mode);

/* true: the descriptor of ours lies on a mount of the command's view (view.c). */
bool in_view(const struct sup *s, int fd);

/* What the command's view shows where no mounts make it (sight.c). */
enum sight {
	SIGHT_NONE, /* not there */
	SIGHT_WAY,  /* leads to what is shown: can be looked at, not listed */
	SIGHT_SHOWN,
};
enum sight sight_of_path(const struct sup *s, const char *path);
/* Of what has no name the caller holds a descriptor: shown. */
enum sight sight_of(const struct sup *s, int fd);
/* May it be looked at, or (content) opened for reading? 0, or the negative errno. */
int sight_refused(const struct sup *s, int fd, bool content);

/* A change that is left to the kernel, in a directory that is none of ours: tells of it when
 * the read-only view is what refuses it (outside.c). look: as place_find() left it. */
void outside_note(struct request *r, enum file_op op, const struct start *from,
		  const struct place *look, const char *path);

/* ---- judging (judge.c, report.c) -------------------------------------------- */

/* 0, or the negative errno for a denial, which has been reported; SUP_AGAIN when the
 * judgement needs the names held exclusively. */
int judge_place(struct request *r, enum file_op op, struct place *p, enum file_type type,
		const char *other);
int judge_object(struct request *r, enum file_op op, const struct object *o);
/* As judge_place(), but a denial is not reported: for a caller that has to find the errno
 * the kernel would give first. */
int judge_quiet(struct request *r, enum file_op op, struct place *p, enum file_type type,
		const char *other, struct verdict *ret);
/* The git role of a place, once `type` is there. SUP_AGAIN, or the role. */
int judge_role(struct request *r, struct place *p, enum file_type type, enum git_role *ret);
int judge_object_role(struct request *r, const struct object *o, enum git_role *ret);
/* May it be done, if the directory `up` levels above p's were a repository? */
bool judge_as_repository(struct request *r, enum file_op op, struct place *p, enum file_type type,
			 unsigned up);
/* git_symlink_ok() with the facts of p. */
bool judge_git_symlink(struct request *r, struct place *p, const char *target);
/* git_rename_ok() with the facts of both directories. */
bool judge_git_rename(struct request *r, struct place *from, struct place *to, enum file_type type);

/* A file may be a protected one under another name that was there before: 0, or a
 * denial. For files with several names, and for one whose opened name is gone. */
int alias_refused(struct request *r, const char *path, const struct stat *st);
/* The same for reading. */
int alias_hidden(struct request *r, const char *path, const struct stat *st);

/* The question to the warden: 0, or a negative errno when it cannot be sent. */
int report_ask(struct request *r, enum file_op op, const char *path, const struct verdict *v,
	       uint32_t question);
/* Nobody waits for its answer any more. */
void report_unask(struct sup *s, uint32_t question);
/* Tells how many reports were lost, if any were. */
void report_flush(struct sup *s);
/* Reports a denial. v may be NULL (reason says why then). Returns -err; SUP_LATER when the
 * verdict is to ask, and somebody is asked: nothing is denied then. */
int report_denial(struct request *r, enum file_op op, const char *path, const struct verdict *v,
		  const char *reason, int err);

/* learn.c: after a request of a berm learn run, what it looked for and the view does not show is
 * told, with this reason. */
void learn_note(struct request *r, int result);

/* ---- asking (ask.c) --------------------------------------------------------------- */

/* Is there somebody who could answer? */
bool ask_possible(const struct sup *s);
/* Was this use of the path allowed by an answer, for this call or for the session? */
bool ask_granted(struct request *r, enum file_op op, const char *path);
/* Holds the call and asks: SUP_LATER, which the handler returns. -EACCES: nobody can be
 * asked, or the answer is known to be no. */
int ask_hold(struct request *r, enum file_op op, const char *path, const struct verdict *v);

/* Turns a denial into a question, where git writes protected files that a repository tracks
 * and somebody can be asked, and lets it make directories (checkout.c). */
void checkout_judge(struct request *r, enum file_op op, enum file_type type, struct verdict *v);

/* What the guard's rules say of starting this program with these arguments (the address of argv
 * in the caller): 0, a denial that has been reported, or SUP_LATER (exec_guard.c). */
int exec_guard(struct request *r, const char *program, uint64_t argv);

/* ---- names (names.c) ---------------------------------------------------------- */

/* Copies the path and resolves it. 0, SUP_CONTINUE when it is not ours or not there, or a
 * negative errno. */
int names_find(struct request *r, enum file_op op, int dirfd, uint64_t path, struct place *p);

/* May `type` appear there? 0 with the caller's umask set and the notification checked; an
 * outcome or a negative errno. ret_role: the caller judges the content of one of git's
 * files itself; NULL: there is none. */
int names_may_create(struct request *r, struct place *p, enum file_type type,
		     enum git_role *ret_role);

/* ---- git (git*.c) ------------------------------------------------------------ */

/* For a create of p other than by open: 0, SUP_AGAIN or a denial. *ret_role is the role
 * of a file whose content must be judged, else GIT_NONE. */
int git_may_create(struct request *r, struct place *p, enum file_type type,
		   enum git_role *ret_role);
int git_may_delete(struct request *r, struct place *p, enum file_type type);

/* One rename, with both types. 0, SUP_AGAIN or a denial; *ret_role as above, for the
 * file that arrives at `to`. */
int git_may_rename(struct request *r, struct place *from, struct place *to, enum file_type type,
		   enum git_role *ret_role);

/* Puts the bytes of `from` in place at `to` as a fresh inode. 0 or a negative errno. */
int git_install_rename(struct request *r, struct place *from, struct place *to, enum git_role role);
int git_install_link(struct request *r, const struct object *from, struct place *to,
		     enum git_role role);

/* ---- answers (supervisor.c, helper.c) ------------------------------------------ */

/* Sends the answer. Never fails: a caller that is gone needs none. */
void request_answer(struct request *r, int result);

/* Runs the call's handler. An outcome or a negative errno, as it returns. */
int request_run(struct request *r);

/* A socket of the internet's: when the network is ready, SUP_CONTINUE; -ENETDOWN: it cannot be
 * (network.c). */
int network_open(struct request *r);

/* Lets the thread run on any CPU again (give.c). */
void give_unpin(struct worker *w);

/* Puts request.fd into the command (give.c) and closes it here. Its number there, or a
 * negative errno. */
int request_give(struct request *r);

/* Hands a blocking open to a thread of its own: `fd` (O_PATH, taken over) is opened with
 * `flags`. SUP_LATER, or -EAGAIN when there are too many. */
int helper_open(struct request *r, int fd, int flags);

/* Makes a thread fit to serve: its own umask, working directory, buffers. Called in that
 * thread; w->sup is set. 0 or a negative errno. */
int worker_init(struct worker *w, struct sup *s);
/* It sleeps for an unknown time: nothing of the command's is held meanwhile. */
void worker_rest(struct worker *w);
/* Takes one notification and answers it. 0, or a negative errno when no one is left to
 * ask. */
int serve_one(struct worker *w, struct request *r);
/* Between two requests of the first thread: see crew.c. */
void crew_look(struct sup *s);

/* ---- handlers ------------------------------------------------------------------ */

typedef int handler_fn(struct request *r);

handler_fn sys_open, sys_openat, sys_openat2, sys_creat, sys_truncate;
handler_fn sys_mkdir, sys_mkdirat, sys_mknod, sys_mknodat, sys_symlink, sys_symlinkat;
handler_fn sys_unlink, sys_unlinkat, sys_rmdir, sys_link, sys_linkat;
handler_fn sys_rename, sys_renameat, sys_renameat2;
handler_fn sys_bind, sys_close, sys_umask, sys_execve, sys_execveat;
handler_fn sys_stat, sys_lstat, sys_newfstatat, sys_look_statx, sys_statfs;
handler_fn sys_access, sys_faccessat, sys_faccessat2, sys_readlink, sys_readlinkat;
handler_fn sys_getxattr, sys_lgetxattr, sys_listxattr, sys_llistxattr;
handler_fn sys_chdir, sys_inotify_add_watch;
handler_fn sys_chmod, sys_fchmod, sys_fchmodat, sys_fchmodat2;
handler_fn sys_chown, sys_lchown, sys_fchown, sys_fchownat;
handler_fn sys_utime, sys_utimes, sys_futimesat, sys_utimensat;
handler_fn sys_setxattr, sys_lsetxattr, sys_fsetxattr, sys_setxattrat;
handler_fn sys_removexattr, sys_lremovexattr, sys_fremovexattr, sys_removexattrat;
handler_fn sys_look;

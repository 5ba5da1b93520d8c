/* SPDX-License-Identifier: Apache-2.0 */
/* Git's files opened for writing by name: ".git" of a worktree, .gitmodules in a
 * checkout, an editor on .git/config. Their bytes are known only once they have been
 * written, and they must never lie unjudged under that name.
 *
 * Theory of operation. The command gets a stand-in, a memory file. A new name is made at
 * once, empty, which is harmless in every role and is what the kernel would
 * show as well between open and write; an existing file keeps its bytes. When a
 * descriptor that can write the stand-in is closed, the kernel queues an event before
 * close() returns. The supervisor works its events off before it looks at any request,
 * and when none comes, as soon as it is woken: it copies the bytes once, judges them
 * against what is in place, and writes them into the file in place through its own
 * descriptor, which no one else has ever had. Refused bytes are reported and go nowhere.
 *
 * What an attacker can do: keep the stand-in open or mapped (it is judged again at
 * each close, and whatever is written later reaches only the stand-in), swap the
 * directory (names are changed by us alone; the place is looked up again by its
 * descriptor, and judged as what it is then), or die. If the supervisor dies, the file
 * in place stays as it was last judged.
 *
 * What a program can notice: fstat() shows a memory file, and a read of the name by
 * someone else within microseconds of the close can still see the old bytes. So that the
 * writer itself cannot, the stand-in's descriptors are numbered at the top of the
 * table, where the filter traps close(): the bytes are then in place before the
 * close is carried out. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "base/str.h"
#include "linux/kern.h"
#include "linux/seccomp.h"
#include "linux/supervisor/git.h"
#include "linux/supervisor/open.h"

#ifndef MFD_NOEXEC_SEAL /* 6.3, uapi/linux/memfd.h */
#define MFD_NOEXEC_SEAL 0x0008U
#endif

#define STANDINS_MAX 64

struct standin {
	bool used;
	int watch;
	int look;   /* the stand-in, for reading: does not count as a writer */
	int target; /* the file in place, for writing */
	int dir;
	bool told; /* refused as it was at told_time: not told again */
	struct timespec told_time;
	bool fresh; /* the file in place was made for it and has never been filled */
	const struct sup_root *root;
	mode_t mode; /* it was given */
	pid_t tid;   /* who opened it, for the report */
	int nr;
	char name[NAME_MAX + 1];
};

static struct standin standins[STANDINS_MAX];
static atomic_int n_standins;
static int events = -1;

static bool still_in_place(const struct standin *d)
{
	struct stat a, b;

	return fstat(d->target, &a) == 0 &&
	       fstatat(d->dir, d->name, &b, AT_SYMLINK_NOFOLLOW) == 0 && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino;
}

static void drop(struct standin *d)
{
	/* Nothing came of it: no empty file stays behind. */
	if (d->fresh && still_in_place(d))
		(void)unlinkat(d->dir, d->name, 0);
	(void)inotify_rm_watch(events, d->watch);
	close_quietly(d->look);
	close_quietly(d->target);
	close_quietly(d->dir);
	d->used = false;
	n_standins--;
}

/* A read lease is granted only while nobody has the file open for writing. */
static bool written_no_more(const struct standin *d)
{
	if (fcntl(d->look, F_SETLEASE, F_RDLCK) < 0)
		return false;
	(void)fcntl(d->look, F_SETLEASE, F_UNLCK);
	return true;
}

static void read_target(const struct standin *d, enum git_role role, struct git_bytes *old)
{
	_cleanup_close_ int fd =
		openat(d->dir, d->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	*old = (struct git_bytes){ .data = NULL };
	if (fd < 0 || git_read_old(fd, role, old))
		old->data = NULL;
}

static int write_target(const struct standin *d, const struct git_bytes *b,
			const struct git_bytes *old)
{
	struct stat st;
	int err;

	/* Old bytes behind new ones could say something that neither said: empty first. */
	if (ftruncate(d->target, 0) < 0)
		return -errno;
	err = git_write(d->target, b);
	if (err && old->data) {
		/* A full disk: what was there fitted, and still does. */
		if (ftruncate(d->target, 0) == 0)
			(void)git_write(d->target, old);
	}
	if (err || fstat(d->look, &st) < 0)
		return err;
	/* What fchmod() and futimens() did to the stand-in was meant for the file. */
	if ((st.st_mode & 07777) != d->mode)
		(void)fchmod(d->target, st.st_mode & 0777);
	(void)futimens(d->target, (const struct timespec[2]){ st.st_atim, st.st_mtim });
	return 0;
}

/* Called with the names held exclusively. */
static int install(struct request *r, struct standin *d)
{
	struct git_bytes old, bytes;
	char reason[GIT_REASON_MAX] = "";
	struct place p;
	enum git_role role;
	int err;

	place_init(&p);
	p.dir = d->dir; /* borrowed */
	p.root = d->root;
	memcpy(p.name, d->name, strlen(d->name) + 1);
	if (!still_in_place(d))
		return -ENOENT;
	err = judge_role(r, &p, FT_REG, &role);
	if (!err)
		err = git_read(d->look, role, &bytes);
	if (err == -EFBIG)
		return report_denial(r, OP_WRITE, p.path, NULL, "too large to be judged", EACCES);
	if (err)
		return err;
	read_target(d, role, &old);
	if (old.data && old.len == bytes.len && memcmp(old.data, bytes.data, old.len) == 0)
		return 0;
	if (bytes.len && git_judge(role, p.path, d->root->path, &old, &bytes, reason))
		return report_denial(r, OP_WRITE, p.path, NULL, reason, EACCES);
	return write_target(d, &bytes, &old);
}

static int settle_one(struct sup *s, struct worker *w, struct standin *d)
{
	static struct request r; /* the names are held exclusively */
	struct stat st;
	int err;

	r.sup = s;
	r.w = w;
	r.tid = d->tid;
	r.nr = d->nr;
	r.exclusive = true;
	if (fstat(d->look, &st) < 0)
		return -errno;
	if (d->told && st.st_mtim.tv_sec == d->told_time.tv_sec &&
	    st.st_mtim.tv_nsec == d->told_time.tv_nsec) {
		err = -EACCES;
	} else {
		err = install(&r, d);
		git_read_done();
	}
	d->told = err == -EACCES;
	d->told_time = st.st_mtim;
	if (!err)
		d->fresh = false;
	if (written_no_more(d))
		drop(d);
	return err;
}

int git_events(const struct sup *s)
{
	(void)s;
	return n_standins ? events : -1;
}

void git_settle(struct sup *s, struct worker *w)
{
	_Alignas(struct inotify_event) char buf[4096];
	ssize_t n;

	if (!n_standins)
		return;
	pthread_rwlock_wrlock(&s->names);
	while ((n = read(events, buf, sizeof(buf))) > 0) {
		for (char *p = buf; p < buf + n;) {
			const struct inotify_event *e = (const void *)p;

			for (size_t i = 0; i < STANDINS_MAX; i++)
				if (standins[i].used && !(e->mask & IN_IGNORED) &&
				    (standins[i].watch == e->wd || e->mask & IN_Q_OVERFLOW))
					(void)settle_one(s, w, &standins[i]);
			p += sizeof(*e) + e->len;
		}
	}
	pthread_rwlock_unlock(&s->names);
}

void git_finish(struct sup *s, struct worker *w)
{
	pthread_rwlock_wrlock(&s->names);
	for (size_t i = 0; n_standins && i < STANDINS_MAX; i++)
		if (standins[i].used)
			(void)settle_one(s, w, &standins[i]);
	/* Who waits for what is left of the session must not wait for this one. */
	git_judge_end();
	pthread_rwlock_unlock(&s->names);
}

/* Does the caller hold the file by another descriptor too? A shell that has just moved a
 * redirection to its place does: nothing has been written yet. */
static bool held_twice(struct request *r, const struct stat *st)
{
	int ignored, n = 0;
	struct task *t = target_task(r, &ignored);
	int fd = t ? openat(t->proc, "fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	_cleanup_closedir_ DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;
	struct stat other;

	if (!dir)
		close_quietly(fd);
	while (dir && n < 2 && (e = readdir(dir)))
		n += fstatat(dirfd(dir), e->d_name, &other, 0) == 0 && other.st_dev == st->st_dev &&
		     other.st_ino == st->st_ino;
	return n > 1;
}

/* A close of one of the descriptors we have numbered: its bytes are put in place before
 * it is carried out. Refused bytes are an error of the close, as a full disk would be
 * on some file systems; the descriptor then leads nowhere. */
int sys_close(struct request *r)
{
	_cleanup_object_ struct object o = { .fd = -1 };
	_cleanup_close_ int null = -1;
	struct seccomp_notif_addfd add = { .id = r->id,
					   .flags = SECCOMP_ADDFD_FLAG_SETFD,
					   .newfd = (uint32_t)r->arg[0] };
	struct standin *d = NULL;
	struct stat st;
	int err;

	if (!n_standins || object_of_fd(r, (int)r->arg[0], &o))
		return SUP_CONTINUE;
	for (size_t i = 0; i < STANDINS_MAX && !d; i++)
		if (standins[i].used && fstat(standins[i].look, &st) == 0 &&
		    st.st_dev == o.st.st_dev && st.st_ino == o.st.st_ino)
			d = &standins[i];
	if (!d || held_twice(r, &o.st))
		return SUP_CONTINUE;
	if (!r->exclusive)
		return SUP_AGAIN;
	err = target_alive(r);
	if (!err)
		err = settle_one(r->sup, r->w, d);
	/* Not in its place any more: natively that would be no error of the close either. */
	if (!err || err == -ENOENT)
		return SUP_CONTINUE;
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	add.srcfd = (uint32_t)null;
	if (null >= 0)
		(void)ioctl(r->sup->listener, SECCOMP_IOCTL_NOTIF_ADDFD, &add);
	return err;
}

static struct standin *free_slot(void)
{
	for (size_t i = 0; i < STANDINS_MAX; i++)
		if (standins[i].used && written_no_more(&standins[i]))
			drop(&standins[i]);
	for (size_t i = 0; i < STANDINS_MAX; i++)
		if (!standins[i].used)
			return &standins[i];
	return NULL;
}

static int memory_file(void)
{
	int fd = memfd_create("git", MFD_CLOEXEC | MFD_NOEXEC_SEAL);

	if (fd < 0 && errno == EINVAL)
		fd = memfd_create("git", MFD_CLOEXEC);
	return fd;
}

/* The stand-in with what it starts with, opened once for us to read and once as the
 * command wanted it. */
static int make_standin(struct request *r, const struct opening *o, const struct git_bytes *start,
			mode_t mode, struct standin *d)
{
	_cleanup_close_ int made = memory_file();
	struct fd_name name = fd_name(made);
	int err;

	if (made < 0)
		return -errno;
	err = git_write(made, start);
	if (err)
		return err;
	d->look = openat(r->sup->host_proc, name.text, O_RDONLY | O_CLOEXEC);
	r->fd = openat(r->sup->host_proc, name.text,
		       (o->flags & ~(O_CREAT | O_EXCL | O_TRUNC | O_NOFOLLOW | O_DIRECT)) |
			       O_CLOEXEC);
	if (d->look < 0 || r->fd < 0 || fchmod(made, mode) < 0)
		return -errno;
	return 0;
}

/* A number whose close is trapped and that is free in the command; 0 when there is none. */
static int choose_number(struct request *r)
{
	int err;
	struct task *t = target_task(r, &err);

	for (int n = SECCOMP_CLOSE_FIRST; t && n < SECCOMP_CLOSE_FIRST + SECCOMP_CLOSE_COUNT; n++) {
		char name[16];
		struct stat st;

		(void)snprintf(name, sizeof(name), "fd/%d", n);
		if (fstatat(t->proc, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			return errno == ENOENT ? n : 0;
	}
	return 0;
}

/* Gives the command the stand-in for `target`, which is taken over. */
static int stand_in(struct request *r, const struct opening *o, struct place *p, int target,
		    const struct git_bytes *start, mode_t mode, bool fresh)
{
	struct standin *d, made = { .target = target, .look = -1, .dir = -1 };
	int err;

	if (events < 0)
		events = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	d = free_slot();
	err = events < 0 ? -errno : d ? make_standin(r, o, start, mode, &made) : -ENFILE;
	if (!err) {
		/* Only the command's descriptor can write by now. */
		made.watch = inotify_add_watch(events, fd_name(made.look).text, IN_CLOSE_WRITE);
		made.dir = fcntl(p->dir, F_DUPFD_CLOEXEC, 3);
		if (made.watch < 0 || made.dir < 0)
			err = -errno;
	}
	if (err || !d) {
		close_quietly(made.target);
		close_quietly(made.look);
		close_quietly(made.dir);
		close_quietly(r->fd);
		r->fd = -1;
		return err ? err : -ENFILE;
	}
	made.used = true;
	made.fresh = fresh;
	made.mode = mode;
	made.root = p->root;
	made.tid = r->tid;
	made.nr = r->nr;
	memcpy(made.name, p->name, strlen(p->name) + 1);
	*d = made;
	n_standins++;
	r->cloexec = o->flags & O_CLOEXEC;
	r->number = choose_number(r);
	return SUP_FD;
}

int git_open_new(struct request *r, const struct opening *o, struct place *p, enum git_role role)
{
	const struct git_bytes none = { .data = NULL };
	struct stat st;
	int err, fd;

	if (!git_judged(role))
		return place_type(p, NULL) != FT_NONE
			       ? -EEXIST
			       : report_denial(r, OP_CREATE, p->path, NULL, git_role_reason(role),
					       EACCES);
	err = role == GIT_POINTER ? git_may_found(r, p) : 0;
	if (!err)
		err = target_umask(r);
	if (!err)
		err = target_alive(r);
	if (err)
		return err;
	fd = openat(p->dir, p->name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, o->mode);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0) {
		err = -errno;
		close_quietly(fd);
		return err;
	}
	if (!open_writes(o)) { /* O_RDONLY|O_CREAT */
		close_quietly(fd);
		r->fd = openat(p->dir, p->name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
		r->cloexec = o->flags & O_CLOEXEC;
		return r->fd < 0 ? -errno : SUP_FD;
	}
	return stand_in(r, o, p, fd, &none, st.st_mode & 07777, true);
}

int git_open_existing(struct request *r, const struct opening *o, struct place *p,
		      enum git_role role)
{
	_cleanup_close_ int fd = -1, reader = -1;
	struct git_bytes start = { .data = NULL };
	struct stat st;
	enum file_type type = place_type(p, &st);
	int err;

	if (type == FT_NONE)
		return -ENOENT;
	if (type == FT_DIR)
		return -EISDIR;
	if (!git_judged(role) || type != FT_REG || st.st_nlink > 1)
		return report_denial(r, OP_WRITE, p->path, NULL, git_role_reason(role), EACCES);
	err = target_alive(r);
	if (err)
		return err;
	fd = openat(p->dir, p->name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (!(o->flags & O_TRUNC)) {
		reader = openat(p->dir, p->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		err = reader < 0 ? -errno : git_read(reader, role, &start);
		if (err)
			return err == -EFBIG ? -EACCES : err;
	}
	return stand_in(r, o, p, take_fd(&fd), &start, st.st_mode & 07777, false);
}

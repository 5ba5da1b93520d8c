/* SPDX-License-Identifier: Apache-2.0 */
/* File operations that shells cannot express, each with its own check. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#define MUST(cond)                                                                     \
	do {                                                                           \
		if (!(cond)) {                                                         \
			printf("line %d: %s: %s\n", __LINE__, #cond, strerror(errno)); \
			exit(1);                                                       \
		}                                                                      \
	} while (0)

static void put(const char *name, const char *text)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	MUST(fd >= 0);
	MUST(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	MUST(close(fd) == 0);
}

static void t_tmpfile(void)
{
	char link[64];
	int fd = open(".", O_TMPFILE | O_RDWR, 0600);

	MUST(fd >= 0);
	MUST(write(fd, "x", 1) == 1);
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	MUST(linkat(AT_FDCWD, link, AT_FDCWD, "tmpfile", AT_SYMLINK_FOLLOW) == 0);
	MUST(access("tmpfile", R_OK) == 0);
}

static void t_unlinked(void)
{
	char buf[4] = "";
	int fd = open("gone", O_RDWR | O_CREAT | O_EXCL, 0600);

	MUST(fd >= 0 && unlink("gone") == 0);
	MUST(write(fd, "abc", 3) == 3 && pread(fd, buf, 3, 0) == 3 && !strcmp(buf, "abc"));
	MUST(ftruncate(fd, 1) == 0 && fchmod(fd, 0644) == 0);
}

static void t_mmap(void)
{
	int fd = open("map", O_RDWR | O_CREAT, 0600);
	char *m;

	MUST(ftruncate(fd, 8192) == 0);
	m = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	MUST(m != MAP_FAILED);
	memcpy(m + 4096, "hello", 5);
	MUST(msync(m, 8192, MS_SYNC) == 0);
}

static void t_copy_range(void)
{
	int in, out;

	put("from", "copy me");
	in = open("from", O_RDONLY);
	out = open("to", O_WRONLY | O_CREAT, 0600);
	MUST(copy_file_range(in, NULL, out, NULL, 7, 0) == 7);
}

static void t_sparse(void)
{
	int fd = open("sparse", O_RDWR | O_CREAT, 0600);

	MUST(ftruncate(fd, 1L << 32) == 0 && pwrite(fd, "x", 1, 1L << 31) == 1);
	MUST(lseek(fd, 0, SEEK_DATA) > 0);
	MUST(fallocate(fd, 0, 0, 65536) == 0 || errno == EOPNOTSUPP);
	MUST(fallocate(fd, 3 /* punch, keep size */, 0, 4096) == 0 || errno == EOPNOTSUPP);
	MUST(unlink("sparse") == 0);
}

static void t_xattr(void)
{
	char buf[8] = "";

	put("attr", "x");
	MUST(setxattr("attr", "user.k", "v", 1, 0) == 0);
	MUST(getxattr("attr", "user.k", buf, sizeof(buf)) == 1 && buf[0] == 'v');
	MUST(removexattr("attr", "user.k") == 0);
}

static void t_times(void)
{
	struct timespec ts[2] = { { 100, 5 }, { 200, 7 } };
	struct stat st;

	put("times", "x");
	MUST(utimensat(AT_FDCWD, "times", ts, 0) == 0 && stat("times", &st) == 0);
	MUST(st.st_mtim.tv_sec == 200 && st.st_mtim.tv_nsec == 7);
	MUST(symlink("times", "times.link") == 0);
	MUST(utimensat(AT_FDCWD, "times.link", ts, AT_SYMLINK_NOFOLLOW) == 0);
	MUST(futimens(open("times", O_RDONLY), NULL) == 0);
}

static void t_exchange(void)
{
	char buf[2] = "";

	put("a", "A");
	put("b", "B");
	MUST(syscall(SYS_renameat2, AT_FDCWD, "a", AT_FDCWD, "b", 2) == 0);
	MUST(read(open("a", O_RDONLY), buf, 1) == 1 && buf[0] == 'B');
	MUST(syscall(SYS_renameat2, AT_FDCWD, "a", AT_FDCWD, "b", 1) < 0 && errno == EEXIST);
}

static void t_excl(void)
{
	MUST(open("lock", O_CREAT | O_EXCL | O_WRONLY, 0600) >= 0);
	MUST(open("lock", O_CREAT | O_EXCL | O_WRONLY, 0600) < 0 && errno == EEXIST);
	MUST(mkdir("dir", 0700) == 0 && mkdir("dir", 0700) < 0 && errno == EEXIST);
	MUST(open("no/such", O_CREAT | O_WRONLY, 0600) < 0 && errno == ENOENT);
	MUST(open("lock/x", O_CREAT | O_WRONLY, 0600) < 0 && errno == ENOTDIR);
	MUST(open("dir", O_WRONLY) < 0 && errno == EISDIR);
	MUST(open("dir/", O_CREAT | O_WRONLY, 0600) < 0 && errno == EISDIR);
	MUST(rmdir("lock") < 0 && errno == ENOTDIR);
	MUST(unlink("dir") < 0 && errno == EISDIR);
	MUST(rename("none", "x") < 0 && errno == ENOENT);
	MUST(open("", O_CREAT | O_WRONLY, 0600) < 0 && errno == ENOENT);
	MUST(symlink("", "empty") < 0 && errno == ENOENT);
	MUST(link("dir", "dir2") < 0 && errno == EPERM);
}

static void t_names(void)
{
	char name[300];

	memset(name, 'n', sizeof(name));
	name[255] = 0;
	put(name, "x");
	name[255] = 'n';
	name[256] = 0;
	MUST(open(name, O_CREAT | O_WRONLY, 0600) < 0 && errno == ENAMETOOLONG);
}

static void t_deep(void)
{
	char name[201];

	memset(name, 'd', 200);
	name[200] = 0;
	for (int i = 0; i < 30; i++)
		MUST(mkdir(name, 0755) == 0 && chdir(name) == 0);
	put("leaf", "x");
	MUST(rename("leaf", "leaf2") == 0 && unlink("leaf2") == 0);
}

static void t_flags(void)
{
	int fd = open("flags", O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600);

	MUST(fcntl(fd, F_GETFD) == FD_CLOEXEC);
	MUST((fcntl(fd, F_GETFL) & (O_ACCMODE | O_APPEND | O_NONBLOCK)) == (O_WRONLY | O_APPEND));
	close(0);
	MUST(open("flags2", O_CREAT | O_RDWR, 0600) == 0); /* the lowest number */
	MUST(open("flags", O_PATH) > 0);
}

static void t_write_exec(void)
{
	/* a descriptor that lingered somewhere would make this ETXTBSY now and then */
	for (int i = 0; i < 200; i++) {
		int st, fd = open("prog", O_WRONLY | O_CREAT | O_TRUNC, 0755);
		pid_t pid;

		MUST(fd >= 0 && write(fd, "#!/bin/true\n", 12) == 12 && close(fd) == 0);
		pid = fork();
		if (!pid) {
			execl("./prog", "prog", NULL);
			_exit(errno);
		}
		MUST(waitpid(pid, &st, 0) == pid);
		errno = WEXITSTATUS(st);
		MUST(st == 0);
		MUST(unlink("prog") == 0);
	}
}

static void t_flock(void)
{
	for (int i = 0; i < 300; i++) {
		int fd = open("lock", O_RDWR | O_CREAT, 0600);

		MUST(fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0 && close(fd) == 0);
	}
}

static void t_fcntl_lock(void)
{
	struct flock l = { .l_type = F_WRLCK };
	int fd = open("lock", O_RDWR | O_CREAT, 0600);
	pid_t pid;
	int st;

	MUST(fcntl(fd, F_SETLK, &l) == 0);
	pid = fork();
	if (!pid) {
		struct flock o = { .l_type = F_WRLCK };

		_exit(fcntl(open("lock", O_RDWR), F_SETLK, &o) == 0);
	}
	MUST(waitpid(pid, &st, 0) == pid && st == 0);
}

static void t_append(void)
{
	struct stat st;

	for (int i = 0; i < 4; i++)
		if (!fork()) {
			int fd = open("log", O_WRONLY | O_CREAT | O_APPEND, 0600);

			for (int n = 0; n < 250; n++)
				if (write(fd, "0123456789\n", 11) != 11)
					_exit(1);
			_exit(0);
		}
	while (wait(NULL) > 0)
		;
	MUST(stat("log", &st) == 0 && st.st_size == 4 * 250 * 11);
}

static void t_inotify(void)
{
	char buf[4096];
	int in = inotify_init1(IN_NONBLOCK), n;

	MUST(in >= 0 && inotify_add_watch(in, ".", IN_CREATE | IN_CLOSE_WRITE | IN_MOVED_TO) >= 0);
	put("watched", "x");
	MUST(rename("watched", "watched2") == 0);
	n = (int)read(in, buf, sizeof(buf));
	MUST(n > 0 && strstr(((struct inotify_event *)(void *)buf)->name, "watched"));
}

static void *reader(void *arg)
{
	char buf[8] = "";

	(void)arg;
	MUST(read(open("fifo", O_RDONLY), buf, 5) == 5 && !strcmp(buf, "hello"));
	return NULL;
}

static void t_fifo(void)
{
	pthread_t t;
	int fd;

	MUST(mkfifo("fifo", 0600) == 0);
	MUST(open("fifo", O_WRONLY | O_NONBLOCK) < 0 && errno == ENXIO);
	MUST(pthread_create(&t, NULL, reader, NULL) == 0);
	fd = open("fifo", O_WRONLY); /* waits for the reader */
	MUST(fd >= 0 && write(fd, "hello", 5) == 5);
	pthread_join(t, NULL);
}

static void t_unix(int type)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX, .sun_path = "sock" };
	int s = socket(AF_UNIX, type, 0), c, d;
	char buf[8] = "";

	MUST(s >= 0 && bind(s, (struct sockaddr *)&a, sizeof(a)) == 0 && listen(s, 4) == 0);
	c = socket(AF_UNIX, type, 0);
	MUST(connect(c, (struct sockaddr *)&a, sizeof(a)) == 0);
	d = accept(s, NULL, NULL);
	MUST(d >= 0 && send(c, "hello", 5, 0) == 5 && recv(d, buf, 5, 0) == 5);
	MUST(!strcmp(buf, "hello") && unlink("sock") == 0);
}

static void t_unix_stream(void)
{
	t_unix(SOCK_STREAM);
}

static void t_unix_seqpacket(void)
{
	t_unix(SOCK_SEQPACKET);
}

static void t_setgid(void)
{
	struct stat st;

	MUST(mkdir("shared", 0755) == 0 && chmod("shared", 02775) == 0);
	MUST(mkdir("shared/sub", 0755) == 0 && stat("shared/sub", &st) == 0);
	MUST(st.st_mode & S_ISGID);
}

static void t_dirfd(void)
{
	int d;

	MUST(mkdir("at", 0755) == 0);
	d = open("at", O_RDONLY | O_DIRECTORY);
	MUST(openat(d, "f", O_CREAT | O_WRONLY, 0600) >= 0);
	MUST(mkdirat(d, "g", 0700) == 0 && symlinkat("f", d, "l") == 0);
	MUST(linkat(d, "f", d, "h", 0) == 0 && renameat(d, "h", d, "i") == 0);
	MUST(fchmodat(d, "f", 0644, 0) == 0 && unlinkat(d, "i", 0) == 0);
	MUST(unlinkat(d, "g", AT_REMOVEDIR) == 0);
	MUST(fchdir(d) == 0 && open("../at/j", O_CREAT | O_WRONLY, 0600) >= 0);
}

static void t_reopen(void)
{
	char p[64];
	int fd;

	put("re", "x");
	fd = open("re", O_RDONLY);
	snprintf(p, sizeof(p), "/proc/self/fd/%d", fd);
	MUST(open(p, O_WRONLY | O_TRUNC) >= 0);
	snprintf(p, sizeof(p), "/dev/fd/%d", fd);
	MUST(open(p, O_RDWR) >= 0);
}

static void t_nofile(void)
{
	int n = 0;

	/* the caller's own limit of open files, not somebody else's */
	while (n < 5000 && open("many", O_CREAT | O_RDWR, 0600) >= 0)
		n++;
	MUST(n > 200);
	MUST(n == 5000 || errno == EMFILE);
}

static void *maker(void *arg)
{
	char name[64];

	for (int i = 0; i < 100; i++) {
		snprintf(name, sizeof(name), "t%d.%d", (int)(long)arg, i);
		put(name, name);
	}
	return NULL;
}

static void t_threads(void)
{
	pthread_t t[8];

	for (long i = 0; i < 8; i++)
		MUST(pthread_create(&t[i], NULL, maker, (void *)i) == 0);
	for (int i = 0; i < 8; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < 8; i++)
		for (int n = 0; n < 100; n++) {
			char name[64];
			struct stat st;

			snprintf(name, sizeof(name), "t%d.%d", i, n);
			MUST(stat(name, &st) == 0 && st.st_size == (off_t)strlen(name));
		}
}

static void t_openat2(void)
{
	struct {
		uint64_t flags, mode, resolve;
	} how = { O_CREAT | O_WRONLY, 0600, 0x08 /* RESOLVE_BENEATH */ };

	MUST(syscall(SYS_openat2, AT_FDCWD, "beneath", &how, sizeof(how)) >= 0);
	MUST(syscall(SYS_openat2, AT_FDCWD, "../x", &how, sizeof(how)) < 0 && errno == EXDEV);
	how.flags = O_RDONLY, how.mode = 0, how.resolve = 0;
	MUST(syscall(SYS_openat2, AT_FDCWD, "beneath", &how, sizeof(how)) >= 0);
}

static const struct {
	const char *name;
	void (*run)(void);
} tests[] = {
	{ "tmpfile", t_tmpfile },
	{ "unlinked", t_unlinked },
	{ "mmap", t_mmap },
	{ "copy-file-range", t_copy_range },
	{ "sparse", t_sparse },
	{ "xattr", t_xattr },
	{ "times", t_times },
	{ "exchange", t_exchange },
	{ "errnos", t_excl },
	{ "long-names", t_names },
	{ "deep", t_deep },
	{ "flags", t_flags },
	{ "write-then-exec", t_write_exec },
	{ "flock-reopen", t_flock },
	{ "fcntl-lock", t_fcntl_lock },
	{ "append", t_append },
	{ "inotify", t_inotify },
	{ "fifo", t_fifo },
	{ "unix-stream", t_unix_stream },
	{ "unix-seqpacket", t_unix_seqpacket },
	{ "setgid-dir", t_setgid },
	{ "dirfd", t_dirfd },
	{ "reopen", t_reopen },
	{ "nofile", t_nofile },
	{ "threads", t_threads },
	{ "openat2", t_openat2 },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		if (argc < 2)
			puts(tests[i].name);
		else if (!strcmp(argv[1], tests[i].name)) {
			tests[i].run();
			return 0;
		}
	}
	return argc < 2 ? 0 : 2;
}

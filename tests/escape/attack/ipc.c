/* SPDX-License-Identifier: Apache-2.0 */
/* System V and POSIX objects of the host, and its keys. "hold" forms are run by
 * the runner outside: they make the object and print its name. */
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attack.h"

#define SECRET "CANARY-ipc"

struct note {
	long type;
	char text[32];
};

static long h_shm(const char *p)
{
	int id = shmget((key_t)atoi(p), 4096, IPC_CREAT | IPC_EXCL | 0600);
	char *m;

	if (id < 0)
		return -1;
	m = shmat(id, NULL, 0);
	if (m == (void *)-1)
		return -1;
	strcpy(m, SECRET);
	printf("%d\n", id);
	return 0;
}

static long r_shm_id(const char *p)
{
	char *m = shmat(atoi(p), NULL, SHM_RDONLY);

	if (m == (void *)-1)
		return -1;
	puts(m);
	return 0;
}

static long r_shm_key(const char *p)
{
	int id = shmget((key_t)atoi(p), 0, 0);
	char num[32];

	if (id < 0)
		return -1;
	snprintf(num, sizeof(num), "%d", id);
	return r_shm_id(num);
}

static long d_shm(const char *p)
{
	int id = shmget((key_t)atoi(p), 0, 0);

	return id < 0 ? -1 : shmctl(id, IPC_RMID, NULL);
}

static long h_msg(const char *p)
{
	struct note n = { 1, SECRET };
	int id = msgget((key_t)atoi(p), IPC_CREAT | IPC_EXCL | 0600);

	return id < 0 ? -1 : msgsnd(id, &n, sizeof(n.text), 0);
}

static long r_msg(const char *p)
{
	struct note n = { 0 };
	int id = msgget((key_t)atoi(p), 0);

	if (id < 0 || msgrcv(id, &n, sizeof(n.text), 0, IPC_NOWAIT) < 0)
		return -1;
	puts(n.text);
	return 0;
}

static long d_msg(const char *p)
{
	int id = msgget((key_t)atoi(p), 0);

	return id < 0 ? -1 : msgctl(id, IPC_RMID, NULL);
}

static long h_sem(const char *p)
{
	return semget((key_t)atoi(p), 1, IPC_CREAT | IPC_EXCL | 0600);
}

static long r_sem(const char *p)
{
	int id = semget((key_t)atoi(p), 1, 0);

	if (id < 0)
		return -1;
	puts(SECRET);
	return semctl(id, 0, GETVAL);
}

static long d_sem(const char *p)
{
	int id = semget((key_t)atoi(p), 1, 0);

	return id < 0 ? -1 : semctl(id, 0, IPC_RMID);
}

static long h_mq(const char *p)
{
	struct mq_attr a = { .mq_maxmsg = 2, .mq_msgsize = 64 };
	mqd_t q = mq_open(p, O_CREAT | O_RDWR, 0600, &a);

	return q == (mqd_t)-1 ? -1 : mq_send(q, SECRET, sizeof(SECRET), 0);
}

static long r_mq(const char *p)
{
	char buf[64] = "";
	mqd_t q = mq_open(p, O_RDONLY | O_NONBLOCK);

	if (q == (mqd_t)-1 || mq_receive(q, buf, sizeof(buf), NULL) < 0)
		return -1;
	puts(buf);
	return 0;
}

static long d_mq(const char *p)
{
	return mq_unlink(p);
}

static long h_posix_shm(const char *p)
{
	int fd = shm_open(p, O_CREAT | O_RDWR, 0600);

	return fd < 0 ? -1 : write(fd, SECRET, sizeof(SECRET));
}

static long r_posix_shm(const char *p)
{
	return dump_fd(shm_open(p, O_RDONLY, 0));
}

static long d_posix_shm(const char *p)
{
	return shm_unlink(p);
}

static long h_key(const char *p)
{
	return syscall(SYS_add_key, "user", p, SECRET, sizeof(SECRET), -4 /* user keyring */);
}

static long r_key(const char *p)
{
	char buf[64] = "";
	long id = syscall(SYS_keyctl, 10 /* SEARCH */, -4, "user", p, 0);

	if (id < 0 || syscall(SYS_keyctl, 11 /* READ */, id, buf, sizeof(buf) - 1, 0) < 0)
		return -1;
	puts(buf);
	return 0;
}

static long r_key_request(const char *p)
{
	char buf[64] = "";
	long id = syscall(SYS_request_key, "user", p, NULL, -3);

	if (id < 0 || syscall(SYS_keyctl, 11, id, buf, sizeof(buf) - 1, 0) < 0)
		return -1;
	puts(buf);
	return 0;
}

static long d_key(const char *p)
{
	long id = syscall(SYS_keyctl, 10, -4, "user", p, 0);

	return id < 0 ? -1 : syscall(SYS_keyctl, 9 /* UNLINK */, id, -4);
}

const struct form ipc_forms[] = {
	{ "hold-shm", h_shm },
	{ "shm-by-id", r_shm_id },
	{ "shm-by-key", r_shm_key },
	{ "drop-shm", d_shm },
	{ "hold-msg", h_msg },
	{ "msg", r_msg },
	{ "drop-msg", d_msg },
	{ "hold-sem", h_sem },
	{ "sem", r_sem },
	{ "drop-sem", d_sem },
	{ "hold-mq", h_mq },
	{ "mq", r_mq },
	{ "drop-mq", d_mq },
	{ "hold-posix-shm", h_posix_shm },
	{ "posix-shm", r_posix_shm },
	{ "drop-posix-shm", d_posix_shm },
	{ "hold-key", h_key },
	{ "key-search", r_key },
	{ "key-request", r_key_request },
	{ "drop-key", d_key },
	{ NULL, NULL },
};

/* SPDX-License-Identifier: Apache-2.0 */
/* netmicro serve ADDRESS PORT | WHAT HOST PORT N [M]: small things done with TCP
 * connections, and the server they are done with. Prints one number:
 *
 *   down, up   MB/s of N MB                 latency   us of connect, a byte there and
 *   rate       connections a second of N,             back, close: the median of N
 *              M at a time                  open      ms until N that are open at the
 *                                                     same time have each had an answer
 *
 * Where the environment names an HTTP proxy that PROXY=1 asks for, it is gone through. The
 * first byte of a connection says what it is for; it is none that HTTP or TLS begin with. */
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { OP_ECHO = 1, OP_DOWN, OP_UP };

#define BLOCK (256 * 1024)
#define MB 1000000

static double now(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void raise_files(void)
{
	struct rlimit l;

	if (getrlimit(RLIMIT_NOFILE, &l) == 0) {
		l.rlim_cur = l.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &l);
	}
}

static void write_all(int fd, const void *data, size_t len)
{
	const char *p = data;

	while (len) {
		ssize_t n = send(fd, p, len, MSG_NOSIGNAL);

		if (n < 0 && errno != EINTR)
			err(1, "send");
		p += n > 0 ? n : 0;
		len -= n > 0 ? (size_t)n : 0;
	}
}

static void read_all(int fd, void *data, size_t len)
{
	ssize_t n = recv(fd, data, len, MSG_WAITALL);

	if (n < 0)
		err(1, "recv");
	if ((size_t)n != len)
		errx(1, "the connection ended early");
}

/* ---- the server ------------------------------------------------------------------ */

struct bulk {
	int fd;
	uint8_t op;
};

static void *serve_bulk(void *arg)
{
	struct bulk b = *(struct bulk *)arg;
	char *block = calloc(1, BLOCK);
	uint64_t left = 0;
	ssize_t n = 1;

	free(arg);
	if (block && recv(b.fd, &left, sizeof(left), MSG_WAITALL) == sizeof(left)) {
		while (left && n > 0) {
			size_t now_len = left < BLOCK ? (size_t)left : BLOCK;

			n = b.op == OP_DOWN ? send(b.fd, block, now_len, MSG_NOSIGNAL)
					    : recv(b.fd, block, now_len, 0);
			left -= n > 0 ? (uint64_t)n : 0;
		}
		if (b.op == OP_UP)
			(void)send(b.fd, "", 1, MSG_NOSIGNAL);
	}
	free(block);
	close(b.fd);
	return NULL;
}

/* A connection has said something; false: it is over, or somebody else's now. */
static void serve_one(int ep, int fd)
{
	uint8_t op;
	struct bulk *b;
	pthread_t t;
	ssize_t n = recv(fd, &op, 1, MSG_DONTWAIT);

	if (n < 0 && errno == EAGAIN)
		return;
	if (n == 1 && op == OP_ECHO) {
		(void)send(fd, &op, 1, MSG_NOSIGNAL);
		return;
	}
	b = n == 1 ? malloc(sizeof(*b)) : NULL;
	if (!b) {
		close(fd);
		return;
	}
	(void)epoll_ctl(ep, EPOLL_CTL_DEL, fd, NULL);
	*b = (struct bulk){ fd, op };
	if (pthread_create(&t, NULL, serve_bulk, b) != 0)
		err(1, "thread");
	pthread_detach(t);
}

static int serve(const char *address, const char *port)
{
	struct sockaddr_in a = { .sin_family = AF_INET,
				 .sin_port = htons((uint16_t)strtol(port, NULL, 10)) };
	int ep = epoll_create1(EPOLL_CLOEXEC), one = 1;
	int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct epoll_event e = { .events = EPOLLIN, .data.fd = s }, got[256];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	inet_pton(AF_INET, address, &a.sin_addr);
	setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(s, (struct sockaddr *)&a, sizeof(a)) < 0 || listen(s, 16384) < 0)
		err(1, "%s port %s", address, port);
	if (ep < 0 || epoll_ctl(ep, EPOLL_CTL_ADD, s, &e) < 0)
		err(1, "epoll");
	puts("ready");
	(void)fflush(stdout);
	for (;;) {
		int n = epoll_wait(ep, got, 256, -1);

		for (int i = 0; i < n; i++) {
			int fd = got[i].data.fd;

			if (fd != s) {
				serve_one(ep, fd);
				continue;
			}
			while ((fd = accept4(s, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
				e = (struct epoll_event){ .events = EPOLLIN, .data.fd = fd };
				setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
				(void)epoll_ctl(ep, EPOLL_CTL_ADD, fd, &e);
			}
		}
	}
}

/* ---- the client --------------------------------------------------------------------- */

static const char *target_host;
static const char *target_port;
static struct addrinfo *where;
static char connect_line[2048]; /* to a proxy, "" none */

static void base64(const char *in, char *out)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t len = strlen(in);

	for (size_t i = 0; i < len; i += 3) {
		uint32_t v = (uint32_t)(uint8_t)in[i] << 16;

		if (i + 1 < len)
			v |= (uint32_t)(uint8_t)in[i + 1] << 8;
		if (i + 2 < len)
			v |= (uint8_t)in[i + 2];
		*out++ = digits[v >> 18];
		*out++ = digits[v >> 12 & 63];
		*out++ = i + 1 < len ? digits[v >> 6 & 63] : '=';
		*out++ = i + 2 < len ? digits[v & 63] : '=';
	}
	*out = '\0';
}

/* "http://[USER:PASSWORD@]HOST:PORT" */
static void use_proxy(char *url, char **host, char **port)
{
	char *at, login[1024] = "";

	url = strstr(url, "://") ? strstr(url, "://") + 3 : url;
	at = strrchr(url, '@');
	if (at) {
		*at = '\0';
		base64(url, login);
		url = at + 1;
	}
	*host = url;
	*port = strrchr(url, ':') + 1;
	(*port)[-1] = '\0';
	(*port)[strcspn(*port, "/")] = '\0';
	(void)snprintf(connect_line, sizeof(connect_line),
		       "CONNECT %s:%s HTTP/1.1\r\nHost: %s:%s\r\n%s%s%s\r\n", target_host,
		       target_port, target_host, target_port,
		       login[0] ? "Proxy-Authorization: Basic " : "", login,
		       login[0] ? "\r\n" : "");
}

static void find(void)
{
	struct addrinfo hint = { .ai_family = AF_INET, .ai_socktype = SOCK_STREAM };
	char *proxy = getenv("PROXY") ? getenv("HTTPS_PROXY") : NULL;
	char *host = NULL, *port = NULL;
	int r;

	if (proxy)
		use_proxy(proxy, &host, &port);
	r = getaddrinfo(proxy ? host : target_host, proxy ? port : target_port, &hint, &where);
	if (r)
		errx(1, "%s: %s", target_host, gai_strerror(r));
}

static int open_one(void)
{
	int s = socket(where->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;
	char c[4] = "", head[12];

	if (s < 0 || connect(s, where->ai_addr, where->ai_addrlen) < 0)
		err(1, "connect to %s", target_host);
	setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	if (!connect_line[0])
		return s;
	write_all(s, connect_line, strlen(connect_line));
	read_all(s, head, sizeof(head));
	if (memcmp(head + 9, "200", 3) != 0)
		errx(1, "the proxy answers %.12s", head);
	while (memcmp(c, "\r\n\r\n", 4) != 0) {
		memmove(c, c + 1, 3);
		read_all(s, c + 3, 1);
	}
	return s;
}

static void echo(int s)
{
	uint8_t c = OP_ECHO;

	write_all(s, &c, 1);
	read_all(s, &c, 1);
}

static double bulk(uint8_t op, uint64_t size)
{
	char *block = calloc(1, BLOCK);
	int s = open_one();
	uint64_t left = size;
	double begin = now();

	write_all(s, &op, 1);
	write_all(s, &size, sizeof(size));
	while (left) {
		size_t len = left < BLOCK ? (size_t)left : BLOCK;
		ssize_t n = (ssize_t)len;

		if (op == OP_DOWN)
			n = recv(s, block, len, 0);
		else
			write_all(s, block, len);
		if (n <= 0)
			errx(1, "the transfer ended early");
		left -= (uint64_t)n;
	}
	if (op == OP_UP)
		read_all(s, block, 1);
	free(block);
	close(s);
	return (double)size / (now() - begin);
}

static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static double latency(long n)
{
	double *each = calloc((size_t)n, sizeof(*each)), middle;

	for (long i = 0; i < n; i++) {
		double begin = now();
		int s = open_one();

		echo(s);
		close(s);
		each[i] = now() - begin;
	}
	qsort(each, (size_t)n, sizeof(*each), compare);
	middle = each[n / 2];
	free(each);
	return middle;
}

static void *some(void *arg)
{
	for (long i = *(long *)arg; i > 0; i--) {
		int s = open_one();

		echo(s);
		close(s);
	}
	return NULL;
}

static double rate(long n, long threads)
{
	pthread_t t[64];
	long each = n / threads;
	double begin = now();

	for (long i = 0; i < threads; i++)
		if (pthread_create(&t[i], NULL, some, &each) != 0)
			err(1, "thread");
	for (long i = 0; i < threads; i++)
		pthread_join(t[i], NULL);
	return (double)(each * threads) / (now() - begin) * 1e6;
}

static double open_many(long n)
{
	int *s = calloc((size_t)n, sizeof(*s));
	double begin = now();

	for (long i = 0; i < n; i++)
		s[i] = open_one();
	for (long i = 0; i < n; i++)
		echo(s[i]);
	free(s);
	return (now() - begin) / 1e3;
}

int main(int argc, char **argv)
{
	long n, m;
	double r;

	raise_files();
	if (argc == 4 && !strcmp(argv[1], "serve"))
		return serve(argv[2], argv[3]);
	if (argc < 5)
		errx(2, "usage: netmicro serve ADDRESS PORT | WHAT HOST PORT N [M]");
	target_host = argv[2];
	target_port = argv[3];
	n = strtol(argv[4], NULL, 10);
	m = argc > 5 ? strtol(argv[5], NULL, 10) : 8;
	if (n <= 0 || m <= 0 || m > 64)
		errx(2, "a number is out of range");
	find();
	if (!strcmp(argv[1], "down"))
		r = bulk(OP_DOWN, (uint64_t)n * MB);
	else if (!strcmp(argv[1], "up"))
		r = bulk(OP_UP, (uint64_t)n * MB);
	else if (!strcmp(argv[1], "latency"))
		r = latency(n);
	else if (!strcmp(argv[1], "rate"))
		r = rate(n, m);
	else if (!strcmp(argv[1], "open"))
		r = open_many(n);
	else
		errx(2, "what is \"%s\"?", argv[1]);
	printf("%.2f\n", r);
	return 0;
}

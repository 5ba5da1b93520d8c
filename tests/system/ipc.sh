# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016
# Sockets, shared memory and the like among the sandbox's own processes.
# shellcheck source=tests/system/rows.bash
. "$(dirname "$0")/rows.bash"

py()
{
	works "ipc.$1" "$2" do="/usr/bin/python3 -c '$3'" "${@:4}"
}

py tcp 'a TCP server on 127.0.0.1' '
import socket, threading
s = socket.create_server(("127.0.0.1", 0)); threading.Thread(target=lambda: s.accept()[0].sendall(b"hi")).start()
print(socket.create_connection(s.getsockname()).recv(9))'
py tcp-any 'a TCP server on all addresses' '
import socket, threading
s = socket.create_server(("", 0)); threading.Thread(target=lambda: s.accept()[0].sendall(b"hi")).start()
print(socket.create_connection(("localhost", s.getsockname()[1])).recv(9))'
py tcp6 'a TCP server on ::1' '
import socket, threading
s = socket.create_server(("::1", 0), family=socket.AF_INET6); threading.Thread(target=lambda: s.accept()[0].sendall(b"hi")).start()
print(socket.create_connection(s.getsockname()[:2]).recv(9))'
py low-port 'a port that is taken, and one that is refused' '
import socket
s = socket.create_server(("127.0.0.1", 0))
try: socket.create_server(s.getsockname())
except OSError as e: print(e.errno)
try: socket.create_connection(("127.0.0.1", 1))
except OSError as e: print(e.errno)'
py udp 'UDP on loopback' '
import socket
a = socket.socket(type=socket.SOCK_DGRAM); a.bind(("127.0.0.1", 0))
socket.socket(type=socket.SOCK_DGRAM).sendto(b"hi", a.getsockname()); print(a.recv(9))'
py unix 'a unix stream server in the workspace' '
import socket, threading
s = socket.socket(socket.AF_UNIX); s.bind("./s"); s.listen(); threading.Thread(target=lambda: s.accept()[0].sendall(b"hi")).start()
c = socket.socket(socket.AF_UNIX); c.connect("./s"); print(c.recv(9))'
py unix-tmp 'a unix stream server in $TMPDIR' '
import socket, tempfile, os
d = tempfile.mkdtemp(); s = socket.socket(socket.AF_UNIX); s.bind(d + "/s"); s.listen()
c = socket.socket(socket.AF_UNIX); c.connect(d + "/s"); print(1); os.unlink(d + "/s"); os.rmdir(d)'
py unix-abstract 'an abstract socket of its own' '
import socket, os
n = "\0berm-test-%d" % os.getpid(); s = socket.socket(socket.AF_UNIX); s.bind(n); s.listen()
c = socket.socket(socket.AF_UNIX); c.connect(n); print(1)'
py unix-perm 'mode and owner of a socket' '
import socket, os, stat
os.umask(0o77); s = socket.socket(socket.AF_UNIX); s.bind("s"); print(oct(os.stat("s").st_mode)); os.chmod("s", 0o600)'
py socketpair 'socketpairs, sendmsg with descriptors' '
import socket, os
a, b = socket.socketpair(); a.sendall(b"x"); print(b.recv(1)); socket.send_fds(a, [b"f"], [1]); print(socket.recv_fds(b, 1, 1)[0]); b.shutdown(socket.SHUT_RDWR)'
py pipes 'pipes, eventfd, epoll, timerfd, signalfd' '
import os, select, signal
r, w = os.pipe(); e = select.epoll(); e.register(r, select.EPOLLIN); os.write(w, b"x"); print(len(e.poll(1))); f = os.eventfd(1); print(os.eventfd_read(f))'
py memfd 'memfd and sealing' '
import os, fcntl
f = os.memfd_create("x", os.MFD_ALLOW_SEALING); os.write(f, b"abc"); print(os.pread(f, 3, 0))'
py posix-shm 'POSIX shared memory and semaphores' '
from multiprocessing import shared_memory, Semaphore
s = shared_memory.SharedMemory(create=True, size=64); s.buf[0] = 7; t = shared_memory.SharedMemory(s.name); print(t.buf[0]); t.close(); s.close(); s.unlink(); Semaphore(2).acquire(); print(1)'
works ipc.sysv 'System V shared memory, semaphores, queues' \
	do='k=77777; $A ipc hold-shm $k >/dev/null && $A ipc shm-by-key $k && $A ipc drop-shm $k; $A ipc hold-sem $k >/dev/null && $A ipc drop-sem $k; $A ipc hold-msg $k && $A ipc msg $k; $A ipc drop-msg $k' same=yes
works ipc.mq 'POSIX message queues' do='$A ipc hold-mq /berm-q && $A ipc mq /berm-q && $A ipc drop-mq /berm-q'
py netlink 'the list of interfaces, by netlink' 'import socket; print("lo" in [n for i, n in socket.if_nameindex()])'
py getaddrinfo 'getaddrinfo of localhost, of a number' '
import socket
print(len(socket.getaddrinfo("localhost", 80)) > 0, socket.getaddrinfo("127.0.0.1", 80)[0][4])'
py threads 'threads and their names' '
import threading
t = [threading.Thread(target=lambda i=i: open("f%d" % i, "w").write("x")) for i in range(50)]
[x.start() for x in t]; [x.join() for x in t]; import os; print(len(os.listdir(".")) > 50)'
py signals 'signals among processes, alarm, timers' '
import os, signal, time
signal.signal(signal.SIGUSR1, lambda *a: print("usr1", flush=True)); os.kill(os.getpid(), signal.SIGUSR1)
signal.signal(signal.SIGALRM, lambda *a: print("alarm", flush=True)); signal.setitimer(signal.ITIMER_REAL, 0.05); time.sleep(0.2)'
py eintr 'signals with restarting handlers do not break file calls' '
import signal, os
signal.signal(signal.SIGALRM, lambda *a: None); signal.siginterrupt(signal.SIGALRM, False); signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
for i in range(2000):
    os.close(os.open("f%d" % (i % 7), os.O_CREAT | os.O_WRONLY)); os.unlink("f%d" % (i % 7))
signal.setitimer(signal.ITIMER_REAL, 0); print("fine")'
works ipc.unix-listen-nc 'a server and a client in the shell' do='/usr/bin/python3 -m http.server -b 127.0.0.1 18273 >/dev/null 2>&1 & for i in $(seq 200); do curl -sf http://127.0.0.1:18273/README.md && break; sleep 0.05; done; kill $!' if=curl
works ipc.ptrace-self 'a debugger of its own children' if=strace do='strace -o /dev/null true; echo $?'
works ipc.cpu-affinity 'taskset, chrt, ionice' do='taskset -c 0 true; echo $?; nice true; ionice -c 3 true; echo $?'

done_testing

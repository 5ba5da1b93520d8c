#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""main.py internet|host LOG SITE READY: plays every server there is, or the services
of the user's own machine. READY appears when all of them listen."""

import ctypes
import os
import signal
import socket
import sys
import threading

import dns
import names
import record
import services
import sniff
import web

INTERNET = {7: services.echo, 9: services.discard, 19: services.source, 22: services.ssh_banner,
            25: services.speaks_first, 53: dns.tcp, 80: web.plain, 443: web.tls,
            81: services.resets, 83: services.silent, 5432: services.postgres,
            2222: services.sshd, 8000: web.plain, 8080: services.corporate, 8081: services.raw, 8443: web.tls}
# what must never be reached from inside: the same ports on every address of the host
HOST = {4001: services.canary, 4002: services.canary, 53: services.canary, 80: services.canary}


def spawn(function, *args):
    threading.Thread(target=function, args=args, daemon=True).start()


def one(function, conn, peer):
    try:
        with conn:
            function(conn, peer)
    except (OSError, ValueError, EOFError, LookupError):
        pass


def accept(sock, function, tell):
    while True:
        try:
            conn, peer = sock.accept()
        except OSError:
            continue
        if tell:
            record.line("tcp", name=names.name_of(conn.getsockname()[0]),
                        port=conn.getsockname()[1], src=peer[0])
        if conn.family != socket.AF_UNIX:
            conn.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        spawn(one, function, conn, peer)


def listen(port, function, tell, hosts=("", "::")):
    for family, host in zip((socket.AF_INET, socket.AF_INET6), hosts):
        sock = socket.socket(family)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.setsockopt(socket.IPPROTO_TCP, 23, 100)  # TCP_FASTOPEN
        if family == socket.AF_INET6:
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        sock.bind((host, port))
        sock.listen(4096)
        spawn(accept, sock, function, tell)


def udp(port, kind):
    for family in (socket.AF_INET, socket.AF_INET6):
        spawn(services.udp_echo, services.udp_socket(family, port), kind)


def unix(path):
    sock = socket.socket(socket.AF_UNIX)
    sock.bind(path)
    sock.listen(64)
    spawn(accept, sock, services.canary, False)


def internet():
    for port, function in INTERNET.items():
        listen(port, function, True)
    for family in (socket.AF_INET, socket.AF_INET6):
        spawn(dns.udp, services.udp_socket(family, 53))
    for port in (7, 443):
        udp(port, "udp-echo")
    spawn(sniff.run, "inet1")


def host(directory):
    for port, function in HOST.items():
        listen(port, function, False)
    udp(4003, "host-udp")
    udp(53, "host-udp")
    unix(directory + "/host.sock")
    unix("\0berm-test-host")
    # what a developer's machine has on loopback only
    listen(5000, web.plain, False, ("127.0.0.1", "::1"))
    listen(4080, web.plain, False, ("127.0.0.1", "::1"))
    listen(4081, services.own_socks, False, ("127.0.0.1", "::1"))


def main():
    role, log, site, ready = sys.argv[1:]
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    # many connections are held open by some rows
    import resource
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    threading.stack_size(262144)
    record.start(log)
    web.site, web.certificate = site, site + "/server.pem"
    web.dispatch_names()
    if role == "internet":
        internet()
    else:
        host(site)
    with open(ready, "w", encoding="ascii"):
        pass
    services.wait_forever()


if __name__ == "__main__":
    os.umask(0)
    main()

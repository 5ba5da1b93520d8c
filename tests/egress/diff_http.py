#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""diff_http.py DUMP [HOST:PORT LOG]: what the broker lets through, servers read as it did: the
same requests with the same hosts and bodies of the same length, in the same order, and
never one more. They may stop sooner. Against node and h11, or against a server that runs and
writes a line "PORT METHOD HOST" for each request, PORT the client's (nginx: log_format x
'$remote_port $request_method $host')."""

import os
import random
import socket
import subprocess
import sys
import threading
import time

import h11

from frames import dump, end, report

rng = random.Random(2)

NODE = """
const http = require('http');
http.createServer({ requireHostHeader: false }, (req, res) => {
    let n = 0;
    req.on('data', d => n += d.length);
    req.on('end', () => {
        console.log(`${req.socket.remotePort} ${req.method} ${req.headers.host || '-'} ${n}`);
        res.end('x');
    });
}).listen(0, '127.0.0.1', function () { console.log('listening ' + this.address().port); });
"""

HEADERS = ["Accept: */*", "X: y", "A:", "Connection: close", "Connection: keep-alive",
           "Connection: Keep-Alive, X", "Host: evil.test", "Content-Length: 3", "content-length:0",
           "Content-Length: 5", "Transfer-Encoding: chunked", "Transfer-Encoding: identity",
           "TE: trailers", "Trailer: X", "Cookie: a=b; c", "Content-Type: text/plain",
           "Transfer-Encoding : chunked", "Content-Length: 1\tx", "X-Forwarded-Host: other.test"]
BODIES = ["abc", "abcde", "", "3\r\nabc\r\n0\r\n\r\n", "3;e=\"f\"\r\nabc\r\n00\r\nX: y\r\n\r\n",
          "A\r\n0123456789\r\n1\r\nx\r\n0\r\n\r\n", "GET /in HTTP/1.1\r\nHost: evil.test\r\n\r\n",
          "0\r\n\r\n", "3\nabc\n0\n\n", "3\r\nabcd\r\n0\r\n\r\n"]
JUNK = ["\r", "\n", "\r\n", " ", "\t", "\0", ":", ",", ";", "0", "5", "\x0b", "\x7f", "\xe9", "/",
        "\r\n ", "\r\r\n", "Host: evil.test\r\n", "Content-Length: 1\r\n", "chunked", "#", "@", "\\"]


def a_request():
    method = rng.choice(["GET", "POST", "PUT", "HEAD", "OPTIONS", "DELETE", "PROPFIND"])
    host = rng.choice(["a.test", "A.Test", "b.test:8080", "[::1]", "10.0.0.1"])
    target = rng.choice(["/", "/x?y=z", "/a%20b", "//c", "http://" + host + "/d", "/\xe9"])
    lines = [f"{method} {target} HTTP/1.{rng.choice('1110')}"]
    if rng.random() < 0.95:
        lines.append("Host: " + host)
    lines += rng.sample(HEADERS, rng.choice([0, 1, 1, 2, 3]))
    body = ""
    if rng.random() < 0.5:
        body = rng.choice(BODIES)
        if rng.random() < 0.6:
            framing = "Transfer-Encoding: chunked" if body.endswith("\r\n\r\n") and \
                not body.startswith("GET") else f"Content-Length: {len(body)}"
            lines.append(framing)
    return "\r\n".join(lines) + "\r\n\r\n" + body


def a_stream():
    text = "".join(a_request() for _ in range(rng.choice([1, 1, 2, 3])))
    for _ in range(rng.choice([0, 0, 0, 1, 1, 2])):
        at = rng.randrange(len(text))
        roll = rng.random()
        if roll < 0.5:
            text = text[:at] + rng.choice(JUNK) + text[at:]
        elif roll < 0.8:
            text = text[:at] + text[at + rng.choice([1, 1, 2, 8]):]
        else:
            text = text[:at] + rng.choice(JUNK) + text[at + 1:]
    return text.encode("latin-1") or b"G"


def host_of(value):
    """A Host header as the broker names it."""
    value = value.lower()
    if value.startswith("["):
        return value[1:value.index("]")] if "]" in value else value
    value = value.split(":")[0].rstrip(".") or "-"
    try:
        return socket.inet_ntoa(socket.inet_aton(value))
    except OSError:
        return value


def h11_reads(stream):
    seen = []
    conn = h11.Connection(h11.SERVER)
    try:
        conn.receive_data(stream)
        conn.receive_data(b"")
        while True:
            event = conn.next_event()
            if isinstance(event, h11.Request):
                hosts = [v.decode("latin-1") for k, v in event.headers if k == b"host"]
                seen.append([event.method.decode(), host_of(hosts[0]) if hosts else "-", 0])
            elif isinstance(event, h11.Data):
                seen[-1][2] += len(event.data)
            elif isinstance(event, h11.EndOfMessage):
                conn.send(h11.Response(status_code=200, headers=[("Content-Length", "0")]))
                conn.send(h11.EndOfMessage())
            elif event is h11.PAUSED:
                conn.start_next_cycle()
            else:
                break
    except (h11.RemoteProtocolError, h11.LocalProtocolError):
        pass
    return seen


def talk(address, stream):
    """Sends all, reads to the end; the port it came from."""
    with socket.create_connection(address, timeout=10) as sock:
        port = sock.getsockname()[1]
        try:
            sock.sendall(stream)
            sock.shutdown(socket.SHUT_WR)
            while sock.recv(65536):
                pass
        except OSError:
            pass
        return port


def ask_all(address, streams):
    ports = [None] * len(streams)

    def work(start):
        for i in range(start, len(streams), 8):
            ports[i] = talk(address, streams[i])
    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return ports


def of_log(lines, ports):
    seen = {port: [] for port in ports}
    for line in lines:
        field = line.split()
        if len(field) >= 3 and field[0].isdigit() and int(field[0]) in seen:
            size = int(field[3]) if len(field) > 3 else None
            seen[int(field[0])].append([field[1], host_of(field[2]), size])
    # A port that was used twice tells nothing.
    return [seen[port] if ports.count(port) == 1 else [] for port in ports]


def node_reads(streams):
    proc = subprocess.Popen(["node", "-e", NODE], stdout=subprocess.PIPE, text=True)
    port = int(proc.stdout.readline().split()[1])
    lines = []
    reader = threading.Thread(target=lambda: lines.extend(proc.stdout))
    reader.start()
    ports = ask_all(("127.0.0.1", port), streams)
    proc.terminate()
    proc.wait()
    reader.join()
    return of_log(lines, ports)


def ours(field):
    """[method, host, body bytes on the wire] of each request."""
    out = []
    for part in field.split("\t"):
        if part.strip():
            method, host, size = part.split()
            out.append([method, host, int(size)])
    return out


def compare(name, streams, mine, theirs):
    wrong = []
    both = 0
    for stream, want, got in zip(streams, mine, theirs):
        both += len(got)
        for i, (method, host, size) in enumerate(got):
            # "-", "_": the server answers 400, or takes its own name for a missing one.
            bad = i >= len(want) or method not in (want[i][0], "-") or \
                host not in (want[i][1], "-", "_")
            # Of a chunked body the wire has more bytes than the data.
            if not bad and size is not None:
                bad = size > want[i][2]
            if bad:
                wrong.append(f"{stream!r}: {want} but {got}")
                break
    total = sum(map(len, mine))
    report(not wrong, f"{name} reads {both} of {total} requests, each as the broker did", wrong)
    report(both * 2 > total, f"{name} reads most of them")


def main():
    streams = list({a_stream() for _ in range(12000)})
    fields = dump(sys.argv[1], "http", streams)
    taken = [(s, ours("\t".join(f[2:]))) for s, f in zip(streams, fields) if f[0] == "all"]
    report(len(taken) > 1000, f"{len(taken)} of {len(streams)} streams are taken")
    streams, mine = [t[0] for t in taken], [t[1] for t in taken]
    if len(sys.argv) > 2:
        host, port = sys.argv[2].split(":")
        ports = ask_all((host, int(port)), streams)
        time.sleep(1)
        with open(sys.argv[3], encoding="latin-1") as log:
            compare("the server", streams, mine, of_log(log, ports))
        end()
    compare("h11", streams, mine, [h11_reads(s) for s in streams])
    compare("node", streams, mine, node_reads(streams))
    end()


os.environ.pop("NODE_OPTIONS", None)
main()

# SPDX-License-Identifier: Apache-2.0
"""HTTP and HTTPS of the internet: pages, transfers, websockets, a git server, an
npm and a Python registry. Every request is written down with the name whose
address it came to, its Host and its path."""

import base64
import hashlib
import http.server
import json
import os
import ssl
import subprocess
import threading
import time
import urllib.parse

import names
import record

site = ""
certificate = ""
PAGE = """<!doctype html><title>waiting</title><body style="background:#fff"><h1>berm page</h1>
<p id=p>script did not run</p><script>
fetch('/sub.txt').then(r => r.text()).then(t => { document.title = t.trim();
document.getElementById('p').textContent = 'fetched: ' + t; });</script></body>"""


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 60
    sni = "-"

    def log_message(self, *args):
        pass

    def send_error(self, code, message=None, explain=None):
        record.line("http-bad", name=self.name(), why=message,
                    line=getattr(self, "raw_requestline", b"")[:200].decode("latin1"))
        self.close_connection = True
        self.reply(b"bad\n", code)

    def name(self):
        return names.name_of(self.connection.getsockname()[0])

    def reply(self, body, code=200, kind="text/plain", **headers):
        self.send_response(code)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for key, value in headers.items():
            self.send_header(key.replace("_", "-"), value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def body(self):
        if "chunked" in self.headers.get("Transfer-Encoding", ""):
            data = b""
            while True:
                size = int(self.rfile.readline().split(b";")[0], 16)
                data += self.rfile.read(size)
                self.rfile.readline()
                if not size:
                    return data
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def serve(self):
        record.line("http", name=self.name(), host=self.headers.get("Host", "-"), sni=self.sni,
                    method=self.command, path=self.path,
                    auth=self.headers.get("Authorization", "-"),
                    via=self.headers.get("Proxy-Authorization", "-"))
        url = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(url.query))
        word = url.path.split("/")[1]
        if self.headers.get("Upgrade", "").lower() == "websocket":
            return self.websocket()
        special = getattr(self, "do_page_" + word.replace("-", "_"), None)
        if special:
            return special(url, query)
        if self.command in ("POST", "PUT"):
            data = self.body()
            return self.reply(f"got {len(data)} {hashlib.sha256(data).hexdigest()}\n".encode())
        return self.reply(f"OK {self.name()} {self.path}\n".encode())

    do_GET = do_POST = do_PUT = do_HEAD = do_OPTIONS = do_DELETE = serve

    def do_page_big(self, url, query):
        left = int(query["n"])
        self.send_response(200)
        self.send_header("Content-Length", str(left))
        self.end_headers()
        block = bytes(range(256)) * 256
        while left > 0:
            self.wfile.write(block[:left])
            left -= len(block)

    def do_page_slow(self, url, query):
        self.send_response(200)
        self.send_header("Content-Length", "10")
        self.end_headers()
        for i in range(10):
            self.wfile.write(b"%d" % i)
            self.wfile.flush()
            time.sleep(0.1)

    def do_page_redirect(self, url, query):
        self.reply(b"", 302, Location=query["to"])

    def do_page_page(self, url, query):
        self.reply(PAGE.encode(), kind="text/html")

    def do_page_sub_txt(self, url, query):
        self.reply(b"script ran\n")

    def websocket(self):
        key = self.headers["Sec-WebSocket-Key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        self.send_response(101)
        self.send_header("Upgrade", "websocket")
        self.send_header("Connection", "Upgrade")
        accept = base64.b64encode(hashlib.sha1(key.encode()).digest()).decode()
        self.send_header("Sec-WebSocket-Accept", accept)
        self.end_headers()
        self.close_connection = True
        while True:
            data = self.connection.recv(65536)
            if not data:
                return
            record.line("ws", name=self.name(), size=len(data))
            self.connection.sendall(data)

    def do_page_git(self, url, query):
        body = self.body()
        env = {"GIT_PROJECT_ROOT": site + "/git", "GIT_HTTP_EXPORT_ALL": "1", "PATH": os.environ["PATH"],
               "PATH_INFO": url.path[len("/git"):], "QUERY_STRING": url.query,
               "REQUEST_METHOD": self.command, "CONTENT_TYPE": self.headers.get("Content-Type", ""),
               "CONTENT_LENGTH": str(len(body)), "REMOTE_ADDR": "127.0.0.1", "HOME": site,
               "GIT_CONFIG_COUNT": "2", "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*",
               "GIT_CONFIG_KEY_1": "http.receivepack", "GIT_CONFIG_VALUE_1": "true",
               "GIT_PROTOCOL": self.headers.get("Git-Protocol", "")}
        if self.headers.get("Content-Encoding"):
            env["HTTP_CONTENT_ENCODING"] = self.headers["Content-Encoding"]
        out = subprocess.run(["git", "http-backend"], input=body, env=env, check=False,
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
        head, _, data = out.partition(b"\r\n\r\n")
        fields = dict(l.split(": ", 1) for l in head.decode().split("\r\n") if ": " in l)
        code = int(fields.pop("Status", "200 OK").split()[0])
        kind = fields.pop("Content-Type", "text/plain")
        self.reply(data, code, kind, **{k.replace("-", "_"): v for k, v in fields.items()})

    def do_page_npm(self, url, query):
        parts = url.path.strip("/").split("/")
        base = f"{'https' if self.sni != '-' else 'http'}://{self.headers['Host']}"
        tarball = f"{site}/npm/{parts[1]}-1.0.0.tgz"
        if not os.path.exists(tarball):
            return self.reply(b"{}", 404, "application/json")
        with open(tarball, "rb") as f:
            data = f.read()
        if parts[-1].endswith(".tgz"):
            return self.reply(data, kind="application/octet-stream")
        dist = {"tarball": f"{base}/npm/{parts[1]}/-/{parts[1]}-1.0.0.tgz",
                "shasum": hashlib.sha1(data).hexdigest()}
        version = {"name": parts[1], "version": "1.0.0", "dist": dist}
        return self.reply(json.dumps({"name": parts[1], "dist-tags": {"latest": "1.0.0"},
                                      "versions": {"1.0.0": version}}).encode(),
                          kind="application/json")

    def do_page_simple(self, url, query):
        name = url.path.strip("/").split("/")[-1]
        wheel = f"{name}-1.0-py3-none-any.whl"
        self.reply(f'<html><body><a href="/files/{wheel}">{wheel}</a></body></html>'.encode(),
                   kind="text/html")

    def do_page_files(self, url, query):
        with open(f"{site}/files/{os.path.basename(url.path)}", "rb") as f:
            self.reply(f.read(), kind="application/octet-stream")


def dispatch_names():
    """/sub.txt is a page as well."""
    setattr(Handler, "do_page_sub.txt", Handler.do_page_sub_txt)


def plain(conn, peer):
    Handler(conn, peer, None)


def tls(conn, peer):
    seen = {"sni": "none"}

    def sni(_, name, __):
        seen["sni"] = name or "none"

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    context.sni_callback = sni
    try:
        conn = context.wrap_socket(conn, server_side=True)
    except (ssl.SSLError, OSError) as why:
        record.line("tls-failed", name=names.name_of(conn.getsockname()[0]), sni=seen["sni"], why=why)
        return
    record.line("tls", name=names.name_of(conn.getsockname()[0]), sni=seen["sni"])
    handler = type("TlsHandler", (Handler,), {"sni": seen["sni"]})
    handler(conn, peer, None)


def background(function, *args):
    threading.Thread(target=function, args=args, daemon=True).start()

#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""approver.py fd|socket|mailbox ANSWER[,ANSWER]... LOG DIR BERM-COMMAND...: runs the command with
an approver that gives these answers, one after the other, the last one again and
again: [waitN:]allow, allow:session, deny, bad, never, quit. Each question is a line of
LOG."""

import json
import os
import shutil
import socket
import subprocess
import sys
import threading
import time

how, answers, log, place, command = (sys.argv[1], sys.argv[2].split(","), sys.argv[3], sys.argv[4],
                                     sys.argv[5:])
asked = open(log, "a", encoding="utf-8")
with open(place + "/short.json", "w", encoding="ascii") as f:
    f.write('{"network": {"ask_seconds": 2}}')


def next_answer():
    return answers.pop(0) if len(answers) > 1 else answers[0]


def note(question):
    asked.write(json.dumps(question).replace(": ", ":") + "\n")
    asked.flush()


def reply(question, answer):
    """The line that answers a can_use_tool request."""
    if answer == "bad":
        return b'{"type":"control_response","response":{"subtype":"success","request_id":' \
               b'"%s","response":{"behavior":"alloww"}}}\n{{{\n' % question["request_id"].encode()
    inner = {"behavior": answer.split(":")[0]}
    if inner["behavior"] == "allow":
        inner["updatedInput"] = question["request"]["input"]
        if answer.endswith(":session"):
            inner["updatedPermissions"] = [{"type": "addRules", "behavior": "allow",
                                            "destination": "session", "rules": []}]
    else:
        inner["message"] = "no"
    return json.dumps({"type": "control_response", "response": {
        "subtype": "success", "request_id": question["request_id"], "response": inner}}).encode() + b"\n"


def client(stream):
    """JSON lines over a socket."""
    for line in stream.makefile("rb"):
        question = json.loads(line)
        if question.get("type") != "control_request":
            continue
        note(question)
        answer = next_answer()
        if answer.startswith("wait"):
            seconds, _, answer = answer[4:].partition(":")
            time.sleep(int(seconds))
        if answer == "quit":
            stream.shutdown(socket.SHUT_RDWR)
            return
        if answer != "never":
            stream.sendall(reply(question, answer))


def mailbox(box):
    seen = set()
    while True:
        for name in os.listdir(box):
            if not name.startswith("request-") or not name.endswith(".json") or name in seen:
                continue
            seen.add(name)
            try:
                with open(f"{box}/{name}", encoding="utf-8") as f:
                    question = json.load(f)
            except FileNotFoundError:
                continue
            note(question)
            answer = next_answer()
            if answer.startswith("wait"):
                seconds, _, answer = answer[4:].partition(":")
                time.sleep(int(seconds))
            if answer == "quit":
                shutil.rmtree(box)
                return
            if answer == "never":
                continue
            text = "{" if answer == "bad" else json.dumps({
                "type": "sandbox_permission_response", "requestId": question["requestId"],
                "host": question["hostPattern"]["host"], "allow": answer.startswith("allow"),
                "timestamp": "2026-01-01T00:00:00Z"})
            with open(f"{box}/.tmp", "w", encoding="utf-8") as f:
                f.write(text)
            os.rename(f"{box}/.tmp", f"{box}/{name.replace('request-', 'response-')}")
        time.sleep(0.02)


def connect(path):
    """As a viewer does: as soon as the socket is there."""
    while True:
        try:
            stream = socket.socket(socket.AF_UNIX)
            stream.connect(path)
            client(stream)
            return
        except OSError:
            time.sleep(0.02)


def main():
    at = command.index("run") + 1
    passed = ()
    if how == "fd":
        ours, theirs = socket.socketpair()
        passed = (theirs.fileno(),)
        command[at:at] = ["--approver", f"fd:{theirs.fileno()}"]
        threading.Thread(target=client, args=(ours,), daemon=True).start()
    elif how == "socket":
        os.mkdir(place + "/own", 0o700)
        command[at:at] = ["--approver", f"socket:{place}/own/approver.sock"]
        threading.Thread(target=connect, args=(place + "/own/approver.sock",), daemon=True).start()
    else:
        os.mkdir(place + "/box", 0o700)
        command[at:at] = ["--approver", f"mailbox:{place}/box"]
        threading.Thread(target=mailbox, args=(place + "/box",), daemon=True).start()
    words = [w.replace("$D", place) for w in command]
    return subprocess.run(words, pass_fds=passed, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())

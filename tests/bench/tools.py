# SPDX-License-Identifier: Apache-2.0
"""How each tool is told to run a command: bare, berm, the floor, and the peers
that are installed, with as equal a view as each can give."""

import json
import os
import shutil

SYSTEM = ["/usr", "/etc", "/opt"]
LINKS = ["bin", "sbin", "lib", "lib32", "lib64", "libx32"]


class Place:
    """Where the work is done. The tools' files are in root, not in the workspace."""

    def __init__(self, root, berm, here):
        self.root, self.berm, self.here = root, berm, here
        self.home = os.path.join(root, "home")
        self.private = os.path.join(root, "private")
        self.workspace = os.path.join(self.home, "work")
        self.floor = os.path.join(root, "floor")


def bare(place, workspace, command):
    return command


def berm(place, workspace, command):
    return [place.berm, "run", "-q", "-w", workspace, "--", *command]


def floor(place, workspace, command):
    program = shutil.which(command[0]) or command[0]
    return [place.floor, place.private, workspace, program, *command[1:]]


def bwrap(place, workspace, command):
    args = ["bwrap", "--unshare-all", "--die-with-parent", "--new-session"]
    for path in SYSTEM:
        args += ["--ro-bind", path, path]
    for name in LINKS:
        args += ["--symlink", f"usr/{name}", f"/{name}"]
    args += ["--proc", "/proc", "--dev", "/dev"]
    for path in ["/tmp", "/run", "/var"]:
        args += ["--tmpfs", path]
    args += ["--bind", place.private, place.home, "--bind", workspace, workspace]
    return args + ["--chdir", workspace, "--", *command]


def firejail(place, workspace, command):
    return ["firejail", "--quiet", "--noprofile", "--net=none", "--private-tmp", "--private-dev",
            "--caps.drop=all", "--nonewprivs", "--seccomp", "--", *command]


def crun(place, workspace, command):
    """A rootless container over the host's own /usr."""
    def bind(source, target, *options):
        return {"destination": target, "type": "none", "source": source,
                "options": ["bind", "nosuid", "nodev", *options]}

    bundle = os.path.join(place.root, "bundle")
    rootfs = os.path.join(bundle, "rootfs")
    os.makedirs(rootfs, exist_ok=True)
    for name in LINKS:
        if not os.path.islink(os.path.join(rootfs, name)):
            os.symlink(f"usr/{name}", os.path.join(rootfs, name))
    config = {
        "ociVersion": "1.0.0",
        "process": {"user": {"uid": os.getuid(), "gid": os.getgid()}, "args": command,
                    "cwd": workspace, "noNewPrivileges": True,
                    "env": ["PATH=/usr/local/bin:/usr/bin:/bin", f"HOME={place.home}"]},
        "root": {"path": "rootfs"},
        "mounts": [{"destination": "/proc", "type": "proc", "source": "proc"},
                   {"destination": "/dev", "type": "tmpfs", "source": "tmpfs"},
                   {"destination": "/tmp", "type": "tmpfs", "source": "tmpfs"},
                   {"destination": "/run", "type": "tmpfs", "source": "tmpfs"},
                   *(bind(path, path, "ro") for path in SYSTEM),
                   bind(place.private, place.home), bind(workspace, workspace)],
        "linux": {
            "uidMappings": [{"containerID": os.getuid(), "hostID": os.getuid(), "size": 1}],
            "gidMappings": [{"containerID": os.getgid(), "hostID": os.getgid(), "size": 1}],
            "namespaces": [{"type": kind} for kind in
                           ["user", "mount", "network", "ipc", "uts", "pid", "cgroup"]],
            "readonlyPaths": ["/proc/sys", "/proc/irq", "/proc/bus", "/proc/fs"],
        },
    }
    with open(os.path.join(bundle, "config.json"), "w") as f:
        json.dump(config, f)
    return ["crun", "--root", os.path.join(place.root, "crun"), "--cgroup-manager=disabled", "run",
            "--bundle", bundle, f"bench-{os.getpid()}"]


def adapter(name):
    """tests/peers/NAME-berm speaks berm's own command line."""
    def argv(place, workspace, command):
        return [os.path.join(place.here, "..", "peers", f"{name}-berm"), "run", "-w", workspace,
                "--", *command]
    return argv


PEERS = {"bwrap": bwrap, "firejail": firejail, "crun": crun, "srt": adapter("srt"),
         "codex": adapter("codex")}

"""A real systemd for tests: process 1 of namespaces of its own, with a manager for the user, gone with the test.

It sees the machine's files as they are, but its own /tmp, /run, logs, system units, what systemd keeps (as who lingers)
and its own `~/.config`. Needs root, systemd, unshare and nsenter, and a kernel that lets it mount a cgroup file system.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Self

BOOT_S = 30
NEEDED = ("unshare", "nsenter", "systemctl", "mount")
INIT = next((each for each in ("/lib/systemd/systemd", "/usr/lib/systemd/systemd") if os.access(each, os.X_OK)), None)
RUNTIME = f"/run/user/{os.getuid()}"

# A system that boots empties /tmp: here it has one of its own, with the test's place in it. All is mounted, or nothing
# is started.
_FIRST = """
set -e
mount --make-rprivate /
kept=/run/kept
mount -t tmpfs tmpfs /run
mkdir -p "$kept" /run/lock
mount --bind "$PLACE" "$kept"
for each in /tmp /var/tmp /var/log /var/lib/systemd /etc/systemd/system "$CONFIG"; do mount -t tmpfs tmpfs "$each"; done
chmod 1777 /tmp /var/tmp
mkdir -p "$PLACE"
mount --bind "$kept" "$PLACE"
for each in systemd-tmpfiles-setup systemd-tmpfiles-clean; do ln -s /dev/null "/etc/systemd/system/$each.service"; done
umount -R /sys/fs/cgroup 2>/dev/null || true
mount -t cgroup2 cgroup2 /sys/fs/cgroup
exec "$INIT" --system --unit=basic.target --log-target=null --show-status=0
"""


def why_not() -> str:
    """Why no systemd can be booted here; "" when it can be tried."""
    if os.geteuid() != 0:
        return "booting a systemd needs root"
    missing = [each for each in NEEDED if shutil.which(each) is None]
    if missing or INIT is None:
        return f"not installed: {', '.join(missing or ['systemd'])}"
    return ""


class NoBoot(Exception):
    """It did not come up: the kernel or a container forbids it."""


class Lab:
    """``place``: a directory of the test's that is seen inside, wherever it lies. ``home``: the user's, as its manager
    has it."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self.home = Path(os.path.expanduser("~root"))
        self._outer: subprocess.Popen[bytes] | None = None
        self._pid = 0
        self._turn = -1

    def __enter__(self) -> Self:
        # Two of them at once would share one tree of cgroups, and each end what it takes for its own.
        self._turn = os.open(
            os.path.join(tempfile.gettempdir(), f"conductd-lab-{os.getuid()}.lock"), os.O_CREAT | os.O_RDWR, 0o600
        )
        fcntl.flock(self._turn, fcntl.LOCK_EX)
        config = self.home / ".config"
        config.mkdir(exist_ok=True)
        environment = {"PATH": os.environ["PATH"], "INIT": str(INIT), "CONFIG": str(config), "PLACE": str(self._place)}
        namespaces = ["--pid", "--mount", "--mount-proc", "--uts", "--ipc", "--cgroup"]
        self._outer = subprocess.Popen(
            ["unshare", "--fork", *namespaces, "--kill-child=KILL", "bash", "-c", _FIRST],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        deadline = time.monotonic() + BOOT_S
        while time.monotonic() < deadline and self._outer.poll() is None:
            self._pid = self._pid or self._first_process()
            if self._pid:
                state = self.run("systemctl", "is-system-running", "--wait", check=False).stdout.strip()
                if state in ("running", "degraded"):
                    self.run("systemctl", "start", f"user@{os.getuid()}.service")
                    return self
        self.__exit__()
        raise NoBoot(self._outer.stdout.read().decode("utf-8", "replace") if self._outer.stdout else "")

    def __exit__(self, *_: object) -> None:
        outer = self._outer
        if outer is not None:
            with suppress(ProcessLookupError):
                os.kill(self._pid or outer.pid, signal.SIGKILL)
            outer.kill()
            outer.wait()
        os.close(self._turn)

    def _first_process(self) -> int:
        assert self._outer is not None
        children = Path(f"/proc/{self._outer.pid}/task/{self._outer.pid}/children").read_text()
        return int(children.split()[0]) if children.split() else 0

    def run(
        self, *command: str, check: bool = True, env: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run something inside, as the user with its manager."""
        given = {"PATH": os.environ["PATH"], "HOME": str(self.home), "XDG_RUNTIME_DIR": RUNTIME, "LANG": "C.UTF-8"}
        inside = ["nsenter", "-t", str(self._pid), "-m", "-p", "-u", "-i", "-C", "--"]
        ran = subprocess.run(
            [*inside, *command],
            env=given if env is None else env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        if check and ran.returncode:
            raise AssertionError(f"{' '.join(command)} ended with {ran.returncode}:\n{ran.stdout}{ran.stderr}")
        return ran

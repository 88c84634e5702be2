"""Whether the daemon was closed off from the other processes of its user. Linux; looked at once, at the start.

A service manager does that with a user namespace (PrivateUsers=, and what implies it). Files of users that it does not
map look like nobody's then, and the kernel lets nobody inside look into a process outside, be it of the same user: not
at its program, its session's terminal or its open files, by which a person is told from an agent (promise P8).

A user namespace alone says nothing: a rootless container has one too, and all processes that are seen inside of it are
inside. What counts is that the table of processes is that of somebody further out. See user_namespaces(7),
pid_namespaces(7), ioctl_ns(2), ptrace(2) (access mode checking).
"""

from __future__ import annotations

import fcntl
import os

MESSAGE = (
    "the daemon is in a user namespace of its own: it cannot look into your other processes, so an agent may pass for "
    "a person; files of other users look like nobody's"
)
HINT = (
    "take PrivateUsers= and what implies it (ProtectSystem=, PrivateTmp=, ...) out of the unit; with a container, let "
    "it have a process table of its own"
)
NS_GET_USERNS = 0xB701
_ALL_MAPPED = ["0", "0", "4294967295"]


def is_closed_off(proc: str = "/proc") -> bool:
    """Whether there are processes of the daemon's own user that are seen and not let look into."""
    try:
        with open(f"{proc}/self/uid_map", encoding="ascii") as file:
            if file.read().split() == _ALL_MAPPED:
                return False
    except OSError:
        return False  # a system without /proc, or a kernel without user namespaces
    return not _has_processes_of_its_own(proc) and any(
        _is_shut(f"{proc}/{name}") for name in os.listdir(proc) if name.isdigit() and name != "1"
    )


def _has_processes_of_its_own(proc: str) -> bool:
    """Whether the table of processes was made inside of the daemon's user namespace: who is in it is inside, too."""
    try:
        with open(f"{proc}/self/ns/pid", "rb") as table:
            owner = fcntl.ioctl(table, NS_GET_USERNS)
    except OSError:
        return False  # EPERM: of one further out. A kernel that cannot say leaves it to the look at each.
    try:
        return os.fstat(owner).st_ino == os.stat(f"{proc}/self/ns/user").st_ino
    finally:
        os.close(owner)


def _is_shut(process: str) -> bool:
    """The first one of a container may be of the namespace around it; it is left out by who asks."""
    try:
        if os.stat(process).st_uid != os.geteuid():
            return False
        os.readlink(f"{process}/exe")
    except PermissionError:
        return True
    except OSError:
        return False  # gone, or the kernel's own
    return False

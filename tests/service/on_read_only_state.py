"""A process in a mount namespace of its own that runs the daemon on a state directory that is read-only: `ROOT CASE`.

It ends with SKIPPED where the state directory cannot be mounted, with the reason on its output.
"""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import pytest

from support.daemon import Daemon, NotStarted

SKIPPED = 77
NOTES = "# Memory\n\n" + "".join(
    f"- {what} is kept by {who} in the blue folder.\n"
    for what in ("The contract", "The key", "The list", "The map", "The letter", "The recipe")
    for who in ("Ada", "Grace")
)
DESTROYED = "# Memory\n"


class World:
    """A file system for the state, a workspace with one file, and a daemon that was not started yet."""

    def __init__(self, root: Path, *mounting: str) -> None:
        self.root = root
        self.state = root / "state"
        self.state.mkdir()
        done = run("mount", *mounting, self.state, check=False)
        if done.returncode:
            skip(done.stderr.strip().splitlines()[0])
        self.state.chmod(0o700)
        self.file = root / "ws" / "MEMORY.md"
        self.file.parent.mkdir()
        self.file.write_text(NOTES)
        self.daemon = Daemon(root, [self.file.parent])

    def remount(self, how: str) -> None:
        run("mount", "-o", f"remount,{how}", self.state)

    def record(self) -> None:
        """A daemon ran here before: the file is known."""
        self.daemon.start()
        self.daemon.settle()
        assert self.daemon.stop() == 0

    def assert_read_only(self) -> None:
        with pytest.raises(OSError, match="Read-only"):
            (self.state / "probe").touch()

    def assert_put_back(self) -> None:
        """What was destroyed is there again, and the bytes that destroyed it are in the history."""
        self.daemon.settle()
        assert self.file.read_text() == NOTES
        kept = [self.daemon.content(self.file, each["seq"]) for each in self.daemon.versions(self.file)]
        assert {NOTES.encode(), DESTROYED.encode()} <= set(kept)
        assert self.daemon.status()["health"] == "ok", self.daemon.status()
        self.daemon.assert_no_traceback()

    def assert_waits(self) -> None:
        """The daemon saw the destruction, says that nothing is recorded, and has left the file alone."""
        self.daemon.settle()
        reasons = [each["reason"] for each in self.daemon.status()["degraded"]]
        assert "store" in reasons, reasons
        assert self.file.read_text() == DESTROYED
        self.daemon.assert_no_traceback()


def a_start_in_a_terminal(world: World) -> None:
    world.record()
    world.remount("ro")
    ran = world.daemon.cli("run", f"--workspace={world.file.parent}")
    assert ran.exit_code == 9, ran
    sentence = f"conductd: the lock file cannot be opened: Read-only file system: {world.state / 'lock'}"
    assert sentence in ran.output, ran.output
    assert "Traceback" not in ran.output


def a_first_start(world: World) -> None:
    world.remount("ro")
    with pytest.raises(NotStarted) as ended:
        world.daemon.start()
    assert ended.value.exit_code == 9, ended.value
    assert "Read-only file system" in ended.value.output
    assert "Traceback" not in ended.value.output


def a_start_under_a_manager(world: World) -> None:
    world.record()
    world.remount("ro")
    world.file.write_text(DESTROYED)
    with manager(world.root) as (address, heard):
        world.daemon.environment["NOTIFY_SOCKET"] = address
        world.daemon.launch()
        told = heard()
        waits = "waiting, nothing is recorded: the lock file cannot be opened: Read-only file system"
        assert told["STATUS"].startswith(waits), told
        assert world.file.read_text() == DESTROYED
        world.remount("rw")
        while "READY" not in told:
            told = heard()
    world.assert_put_back()


def becomes_so_while_it_runs(world: World) -> None:
    """No kernel makes a file system read-only on request while files of it are open for writing: the directory is,
    by a mount over it, and the files that were open already refuse by a fault."""
    world.daemon.start()
    world.daemon.settle()
    run("mount", "--bind", world.state, world.state)
    world.remount("bind,ro")
    world.daemon.fault("readonly_fs")
    world.assert_read_only()
    world.file.write_text(DESTROYED)
    world.assert_waits()
    world.remount("bind,rw")
    world.daemon.clear_faults()
    world.assert_put_back()


def a_disk_that_failed(world: World) -> None:
    """ext4 itself turns read-only at an error, open files included; writable is it only once it was mounted anew."""
    world.daemon.start()
    world.daemon.settle()
    run("mount", "-o", "remount,abort", world.state, check=False)
    world.assert_read_only()
    world.file.write_text(DESTROYED)
    world.assert_waits()
    assert world.daemon.stop() == 0
    world.daemon.assert_no_traceback()
    run("umount", world.state)
    run("e2fsck", "-p", world.root / "image", check=False)  # 1: it mended something
    run("mount", "-o", "loop", world.root / "image", world.state)
    world.daemon.start()
    world.assert_put_back()


def reading_without_a_daemon(world: World) -> None:
    world.record()
    world.remount("ro")
    ran = world.daemon.cli("verify")
    assert ran.exit_code == 0, ran
    assert "the journal is whole" in ran.output, ran.output
    for words in (["log"], ["show", str(world.file)], ["status"]):
        ran = world.daemon.cli(*words)
        assert ran.exit_code == 5, ran
        assert "no daemon is running" in ran.output, ran.output
        assert "Traceback" not in ran.output, ran.output
    world.daemon.assert_no_traceback()


@contextmanager
def manager(root: Path) -> Iterator[tuple[str, Callable[[], dict[str, str]]]]:
    """A service manager's end: its address, and what it hears next."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as end:
        address = str(root / "notify")
        end.bind(address)
        end.settimeout(60)
        yield address, lambda: dict(line.split("=", 1) for line in end.recv(4096).decode().splitlines())


def tmpfs(_root: Path) -> list[str]:
    return ["-t", "tmpfs", "none"]


def ext4(root: Path) -> list[str]:
    with (root / "image").open("wb") as opened:
        opened.truncate(64 << 20)
    done = run("mkfs.ext4", "-q", root / "image", check=False) if shutil.which("mkfs.ext4") else None
    if done is None or done.returncode:
        skip("no ext4 can be made")
    return ["-o", "loop,errors=remount-ro", str(root / "image")]


def skip(why: str) -> NoReturn:
    print(why)
    sys.exit(SKIPPED)


def run(*words: object, check: bool = True) -> subprocess.CompletedProcess[str]:
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)
    assert not check or done.returncode == 0, f"{words}: {done.stderr}"
    return done


CASES = {
    each.__name__: (each, mounting)
    for each, mounting in (
        (a_start_in_a_terminal, tmpfs),
        (a_first_start, tmpfs),
        (a_start_under_a_manager, tmpfs),
        (becomes_so_while_it_runs, tmpfs),
        (a_disk_that_failed, ext4),
        (reading_without_a_daemon, tmpfs),
    )
}


def main(root: Path, name: str) -> None:
    case, mounting = CASES[name]
    world = World(root, *mounting(root))
    with world.daemon.ended_at_exit():
        case(world)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])

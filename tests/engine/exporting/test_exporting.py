"""Copies of a real daemon's history: git repositories, directories, snapshots."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conductd.engine.exporting.git_stream import may_be_exported, quoted
from engine.conftest import notes
from support.daemon import Daemon
from support.repository import git

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
STUB = "# Memory\n\n- a stub in place of the notes\n"


@pytest.fixture
def lived(daemon: Daemon, workspace: Path) -> Path:
    """A workspace with some history: an overwrite that was repaired, a new file, a deletion, odd names."""
    memory = workspace / "MEMORY.md"
    memory.write_text(STUB)
    daemon.settle()
    daemon.pass_time(3_600_000)
    (workspace / "memory").mkdir(exist_ok=True)
    odd = os.fsencode(workspace / "memory") + b'/caf\xe9 "x"\n.md'
    Path(os.fsdecode(odd)).write_bytes(b"# Odd\r\n\r\n- bytes as they are: \xff\x00\r\n")
    (workspace / "memory/later.md").write_text(notes(200, 230))
    daemon.settle()
    daemon.pass_time(3_600_000)
    memory.write_text(memory.read_text() + "- one more\n")
    daemon.settle()
    return memory


def conductd(daemon: Daemon, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "conductd", *arguments],
        env=daemon.environment,
        cwd=daemon.workspaces[0],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=120,
    )


def done(daemon: Daemon, *arguments: str) -> bytes:
    ran = conductd(daemon, *arguments)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


@needs_git
def test_the_history_is_a_git_repository(daemon: Daemon, lived: Path, workspace: Path, tmp_path: Path) -> None:
    target = tmp_path / "history"
    done(daemon, "export", "--git", str(target), "--json")
    for each in (lived, workspace / "memory/later.md"):
        assert (target / each.relative_to(workspace)).read_bytes() == each.read_bytes()
    odd = b'caf\xe9 "x"\n.md'
    assert odd in os.listdir(os.fsencode(target / "memory"))
    versions = daemon.versions(lived)
    commits = git(target, "log", "--format=%an|%s", "--", "MEMORY.md").splitlines()
    assert len(commits) == len(versions)
    assert commits[0].partition("|")[0] == versions[0]["actor"]
    assert any(line.startswith("conductd|") for line in commits), "the repair has its author"
    for commit, version in zip(git(target, "rev-list", "main", "--", "MEMORY.md").split(), versions, strict=True):
        assert daemon.content(lived, version["seq"]).decode() == git(target, "show", f"{commit}:MEMORY.md")
    assert "overwrite" in git(target, "log", "--format=%B", "--", "MEMORY.md")
    assert git(target, "status", "--porcelain") == ""
    assert git(target, "fsck", "--strict") == ""


def test_the_files_of_a_moment(daemon: Daemon, lived: Path, workspace: Path, tmp_path: Path) -> None:
    now, then = tmp_path / "now", tmp_path / "then"
    done(daemon, "export", "--dir", str(now))
    assert (now / "MEMORY.md").read_bytes() == lived.read_bytes()
    assert (now / "memory/later.md").read_bytes() == (workspace / "memory/later.md").read_bytes()
    done(daemon, "export", "--dir", str(then), "--at", "1990-01-01")
    assert not list(then.iterdir())
    assert (now.stat().st_mode & 0o777, (now / "MEMORY.md").stat().st_mode & 0o777) == (0o700, 0o600)


def test_a_snapshot_is_a_state_directory(daemon: Daemon, lived: Path, tmp_path: Path) -> None:
    target = tmp_path / "copy"
    done(daemon, "snapshot", str(target))
    before = lived.read_bytes()
    lived.write_text(lived.read_text() + "- after the snapshot\n")
    daemon.settle()
    shown = tmp_path / "shown"
    done(daemon, "verify", "--state-dir", str(target))
    done(daemon, "export", "--state-dir", str(target), "--dir", str(shown))
    assert (shown / "MEMORY.md").read_bytes() == before


def test_what_is_forgotten_is_in_no_export(daemon: Daemon, workspace: Path, tmp_path: Path) -> None:
    memory = workspace / "MEMORY.md"
    memory.write_text(memory.read_text() + "- the gate's code is zebra-4711\n")
    daemon.settle()
    daemon.cli("forget", "--matching", "zebra-4711", "--in-files", answer="yes")
    daemon.settle()
    target = tmp_path / "files"
    done(daemon, "export", "--dir", str(target))
    assert "zebra-4711" not in (target / "MEMORY.md").read_text()


@pytest.mark.parametrize("where", ["workspace", "state", "around", "full"])
def test_nothing_is_exported_into_what_is_protected(
    daemon: Daemon, workspace: Path, tmp_path: Path, where: str
) -> None:
    full = tmp_path / "full"
    full.mkdir()
    (full / "x").write_text("x")
    target = {
        "workspace": workspace / "memory/new",
        "state": daemon.state_dir / "new",
        "around": tmp_path,
        "full": full,
    }
    for arguments in (["export", "--git"], ["export", "--dir"], ["snapshot"]):
        assert conductd(daemon, *arguments, str(target[where])).returncode in (2, 8)
    assert not (workspace / "memory/new").exists()
    assert (full / "x").read_text() == "x"


NAMES = st.binary(min_size=1, max_size=12).filter(
    lambda name: b"/" not in name and b"\0" not in name and name.lower() not in (b".git", b".", b"..")
)


@needs_git
@settings(max_examples=30, deadline=None)
@given(st.lists(NAMES, min_size=1, max_size=4, unique_by=lambda name: name.lower()))
def test_git_takes_every_path_that_is_quoted(tmp_path_factory: pytest.TempPathFactory, names: list[bytes]) -> None:
    places = [b"memory/" + name for name in names]
    assert all(map(may_be_exported, places))
    where = tmp_path_factory.mktemp("import")
    git(where, "init", "-q", "--bare")
    stream = b"commit refs/heads/main\ncommitter c <c@localhost> 1 +0000\ndata 0\n"
    stream += b"".join(b"M 100644 inline %s\ndata 1\nx\n" % quoted(place) for place in places)
    subprocess.run(["git", "-C", str(where), "fast-import", "--quiet"], input=stream, check=True, timeout=60)
    command = ["git", "-C", str(where), "ls-tree", "-r", "-z", "--name-only", "main"]
    listed = subprocess.run(command, capture_output=True, check=True, timeout=60).stdout
    assert sorted(listed.split(b"\0")[:-1]) == sorted(places)


@pytest.mark.parametrize("place", [b".git/config", b"memory/.GIT/x", b"a//b", b"../x", b"a/./b"])
def test_git_is_given_no_path_of_its_own(place: bytes) -> None:
    assert not may_be_exported(place)


def test_a_file_is_what_it_was_at_that_time(daemon: Daemon, workspace: Path, tmp_path: Path) -> None:
    memory, before = workspace / "MEMORY.md", (workspace / "MEMORY.md").read_bytes()
    daemon.pass_time(7_200_000)
    memory.unlink()
    memory.symlink_to(workspace / "memory")
    daemon.settle()
    then, now = tmp_path / "then", tmp_path / "now"
    wall_s = daemon.wall_ns // 1_000_000_000 - 3_600
    at = datetime.fromtimestamp(wall_s).astimezone().isoformat(timespec="seconds")
    done(daemon, "export", "--dir", str(then), "--at", at)
    assert (then / "MEMORY.md").read_bytes() == before, "that it is a link now says nothing of then"
    told = conductd(daemon, "export", "--dir", str(now))
    assert told.returncode == 0


@pytest.mark.parametrize("what", [("snapshot",), ("export", "--dir")])
def test_a_disk_that_takes_no_more_is_a_sentence(
    daemon: Daemon, lived: Path, tmp_path: Path, what: tuple[str, ...]
) -> None:
    target = tmp_path / "full"
    script = 'ulimit -f 1; exec "$@"'  # no file of more than a block
    ran = subprocess.run(
        ["bash", "-c", script, "-", sys.executable, "-m", "conductd", *what, str(target)],
        env=daemon.environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=120,
    )
    said = ran.stderr.decode()
    assert ran.returncode == 28, said
    assert str(target) in said
    assert "File too large\n\nhint: make room" in said
    assert "Traceback" not in said


@pytest.mark.parametrize(
    "what", [("snapshot",), ("export", "--dir"), pytest.param(("export", "--git"), marks=needs_git)]
)
@pytest.mark.parametrize("where", ["a-file", "a-file/below", "long", "deep", "/proc/nowhere", "loop/below"])
def test_a_place_that_cannot_be_made_is_a_sentence(
    daemon: Daemon, tmp_path: Path, where: str, what: tuple[str, ...]
) -> None:
    (tmp_path / "a-file").write_text("mine\n")
    (tmp_path / "loop").symlink_to("loop")
    name = {"long": "x" * 300, "deep": "/".join(["y" * 250] * 17)}.get(where, where)
    ran = conductd(daemon, *what, str(tmp_path / name))
    said = ran.stderr.decode()
    assert ran.returncode in (2, 28), said
    assert "\n\nhint: " in said
    assert "Traceback" not in said
    assert (tmp_path / "a-file").read_text() == "mine\n"


def test_an_output_that_takes_no_more_is_a_sentence(daemon: Daemon, lived: Path) -> None:
    with open("/dev/full", "wb") as full:
        ran = subprocess.run(
            [sys.executable, "-m", "conductd", "log"],
            env=daemon.environment,
            stdin=subprocess.DEVNULL,
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=120,
        )
    assert (ran.returncode, ran.stderr) == (
        28,
        b"conductd: standard output: No space left on device\n\n"
        b"hint: make room or give permission there, or name another place\n",
    )


def test_a_history_in_a_place_whose_name_is_no_utf8_can_be_carried_elsewhere(tmp_path: Path, workspace: Path) -> None:
    directory = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9"))
    with Daemon(directory, [workspace]) as daemon:
        (workspace / "MEMORY.md").write_text(notes(1, 60))
        daemon.settle()
        done(daemon, "export", "--dir", str(directory / "files"))
        done(daemon, "snapshot", str(directory / "copy"))
        if shutil.which("git"):
            done(daemon, "export", "--git", str(directory / "git"))
        done(daemon, "--state-dir", str(directory / "copy"), "verify")
    assert (directory / "files" / "MEMORY.md").read_text() == notes(1, 60)

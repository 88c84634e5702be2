"""Writes what is exported: into a git repository, or as the files of a moment. Never into a workspace."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Iterator

from conductd.engine.exporting import git_stream
from conductd.engine.exporting.walking import Exported, LeftOut
from conductd.errors import ExportFailed, Refused, UsageError
from conductd.model import Frozen

TIMEOUT_S = 600
_NAMED = 20  # versions that are left out, by name


class Written(Frozen, frozen=True):
    """``written``: versions or files. ``named``: the first of those that are left out, with the reason."""

    directory: str
    written: int
    left_out: int
    named: tuple[str, ...] = ()


def new_directory(path: str, never_in: Iterable[bytes]) -> str:
    """Make an empty directory, or take one. Raises UsageError, Refused (inside a workspace or around one)."""
    real = os.path.realpath(path)
    for each in map(os.fsdecode, never_in):
        if os.path.commonpath([real, os.path.realpath(each)]) in (real, os.path.realpath(each)):
            raise Refused(f"{path} and {each} lie in one another", "choose a directory outside of what is protected")
    try:
        os.makedirs(real, mode=0o700, exist_ok=True)
        if os.listdir(real):
            raise UsageError(f"{path} is not empty", "name a new directory")
    except OSError as error:
        raise UsageError(f"{path} cannot be made: {error.strerror}", "name a directory that can") from error
    return real


def to_git(versions: Iterable[Exported | LeftOut], directory: str, total: int) -> Iterator[float | Written]:
    """One commit a version, oldest first, checked out at the end. Progress (0..1), the result last."""
    _git(directory, "init", "--quiet", "--initial-branch=main")
    try:
        importing = subprocess.Popen(
            _command(directory, "fast-import", "--quiet", "--force"),
            env=_environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
    except OSError as error:
        raise ExportFailed(f"git cannot be run: {error.strerror}", "install git") from error
    assert importing.stdin is not None
    assert importing.stderr is not None
    written, left = 0, _Left()
    with importing:
        try:
            for each in versions:
                if isinstance(each, LeftOut):
                    left.out(each)
                elif not git_stream.may_be_exported(each.place):
                    left.out(LeftOut(each.seq, each.wall_ns, each.place, "git takes no such path"))
                else:
                    importing.stdin.write(git_stream.commit(each))
                    written += 1
                yield min(0.99, each.seq / max(1, total))
            importing.stdin.close()
        except BrokenPipeError:
            pass
        said = importing.stderr.read().decode("utf-8", "replace").strip()
    if importing.returncode:
        raise ExportFailed(
            f"git fast-import failed: {(said or '?').splitlines()[0]}", "remove the directory; try again"
        )
    if written:
        _git(directory, "reset", "--quiet", "--hard", "main")
    yield left.result(directory, written)


def to_directory(versions: Iterable[Exported | LeftOut], directory: str, at_ns: int) -> Iterator[float | Written]:
    """The files as they stood at a time. Progress (0..1), the result last."""
    last: dict[bytes, Exported | LeftOut] = {}
    for each in versions:
        if each.wall_ns <= at_ns:
            last[each.place] = each
    written, left = 0, _Left()
    for number, each in enumerate(last.values()):
        if isinstance(each, LeftOut):
            left.out(each)
        elif each.data is not None:
            _write(os.path.join(os.fsencode(directory), each.place), each.data)
            written += 1
        yield min(0.99, number / len(last))
    yield left.result(directory, written)


class _Left:
    def __init__(self) -> None:
        self._count = 0
        self._named: list[str] = []

    def out(self, which: LeftOut) -> None:
        self._count += 1
        if len(self._named) < _NAMED:
            self._named.append(f"{os.fsdecode(which.place)}@{which.seq}: {which.why}")

    def result(self, directory: str, written: int) -> Written:
        return Written(directory, written, self._count, tuple(self._named))


def _write(path: bytes, data: bytes) -> None:
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(fd, "wb") as file:
            file.write(data)
    except OSError as error:
        raise OSError(error.errno, error.strerror, path) from error  # a write does not say where


def _git(directory: str, *words: str) -> None:
    try:
        ran = subprocess.run(
            _command(directory, *words), env=_environment(), capture_output=True, timeout=TIMEOUT_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ExportFailed(f"git cannot be run: {error}", "install git") from error
    if ran.returncode:
        said = ran.stderr.decode("utf-8", "replace").strip().splitlines()
        raise ExportFailed(
            f"git {words[0]} failed: {said[0] if said else ran.returncode}", "make room or give permission there"
        )


def _command(directory: str, *words: str) -> list[str]:
    # Bytes are to come out as they are, and nothing of the machine's own is to run.
    own = ("core.autocrlf=false", "core.hooksPath=/dev/null", "core.fsmonitor=false", "core.attributesFile=/dev/null")
    return ["git", "-C", directory, *(word for each in own for word in ("-c", each)), *words]


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return {**kept, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C"}

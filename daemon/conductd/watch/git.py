"""What git does to the workspace, by looking at git's own files.

Runs no git, takes no lock, writes nothing. Called before each judgement; costs about twenty stats and
the end of one file. Whether git really wrote some bytes is asked of `watch.git_objects`.

Sources: gitrepository-layout(5), git-reflog(1), the reftable format's `tables.list`.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator

from conductd.core.case import Git
from conductd.model import Frozen
from conductd.watch.plain_file import open_plain

MAX_UP = 40
LEFT_NS = 600_000_000_000  # git holds its lock for moments, or minutes in a very large tree
_MAX_GITFILE = 4_096
_REFLOG_END = 16_384
_REFLOG_FIELDS = 5  # old, new, name, <mail>, seconds, zone; a name may be empty

# Each stands while an operation is unfinished and git may rewrite the work tree at any moment.
_UNFINISHED = (
    (b"MERGE_HEAD", "merge"),
    (b"CHERRY_PICK_HEAD", "cherry-pick"),
    (b"REVERT_HEAD", "revert"),
    (b"rebase-merge", "rebase"),
    (b"rebase-apply", "rebase"),
)
# What rewrites files, by the first word of its reflog message; `commit`, `branch`, `fetch` … never do.
_REWRITES = frozenset(
    {"checkout", "switch", "reset", "pull", "merge", "rebase", "cherry-pick", "revert", "am", "clone", "bisect"}
)
_VERB = re.compile(rb"[a-z-]+")


class Step(Frozen, frozen=True):
    """Something git did, and when (file system time). ``certain``: it rewrites work trees; otherwise it may have
    (`add` and `checkout FILE` touch the same file of git's). ``before``: the commit that HEAD was at until then.
    ``shared``: other steps leave the same trace, so it names what was done only where nothing else does."""

    name: str
    at_ns: int
    certain: bool = True
    before: str = ""
    shared: bool = False


class Look(Frozen, frozen=True):
    """``directory``: where this work tree's git state is; None: there is no repository. ``top``: the work tree's own
    directory. ``common``: where objects and branches of all its work trees are. ``commits_ns``: when commits were
    made lately (whole seconds, but for the last)."""

    directory: bytes | None = None
    top: bytes = b""
    common: bytes = b""
    unfinished: str = ""
    steps: tuple[Step, ...] = ()
    commits_ns: tuple[int, ...] = ()


def look(root: bytes) -> Look:
    """What git has done to the workspace at ``root`` (absolute) lately, and is doing."""
    found = _find(root)
    if found is None:
        return Look()
    top, directory = found
    common = common_directory(directory)
    steps, commits_ns, has_reflog = _reflog(os.path.join(directory, b"logs/HEAD"))
    return Look(
        directory,
        top,
        common,
        unfinished=_unfinished(directory),
        steps=(*steps, *_traces(directory, common, has_reflog=has_reflog)),
        commits_ns=commits_ns,
    )


def git_state(root: bytes) -> Git:
    """What is unfinished now; all false where there is no repository. A lock that a crash left is none."""
    directory = git_directory(root)
    if directory is None:
        return Git()
    lock_ns = _mtime_ns(os.path.join(directory, b"index.lock"))
    locked = lock_ns is not None and abs(time.time_ns() - lock_ns) < LEFT_NS
    return Git(index_lock=locked, merge_head=bool(_unfinished(directory)))


def _unfinished(directory: bytes) -> str:
    for name, operation in _UNFINISHED:
        if os.path.lexists(os.path.join(directory, name)):
            applying = name == b"rebase-apply" and os.path.lexists(os.path.join(directory, name, b"applying"))
            return "am" if applying else operation
    return ""


def _traces(directory: bytes, common: bytes, *, has_reflog: bool) -> Iterator[Step]:
    """Files that git writes when it rewrites a work tree; the last ones it writes on other occasions too."""
    known = (
        ("stash", common, b"refs/stash", True),
        ("stash", common, b"logs/refs/stash", True),
        ("reset", directory, b"ORIG_HEAD", True),
        ("merge", directory, b"MERGE_HEAD", True),
        ("cherry-pick", directory, b"CHERRY_PICK_HEAD", True),
        ("revert", directory, b"REVERT_HEAD", True),
        ("rebase", directory, b"rebase-merge", True),
        ("rebase", directory, b"rebase-apply", True),
        ("bisect", directory, b"BISECT_LOG", True),
        ("sparse-checkout", directory, b"info/sparse-checkout", True),
        ("checkout", directory, b"index", False),
        ("checkout", common, b"reftable/tables.list", False),
        ("checkout", directory, b"reftable/tables.list", False),
    )
    for name, where, path, certain in known:
        at_ns = _mtime_ns(os.path.join(where, path))
        if at_ns is not None:
            yield Step(name, at_ns, certain, shared=path == b"ORIG_HEAD")  # a merge and a rebase write it, too
    head = None if has_reflog else _mtime_ns(os.path.join(directory, b"HEAD"))
    if head is not None:
        yield Step("checkout", head, certain=True)


def _reflog(path: bytes) -> tuple[tuple[Step, ...], tuple[int, ...], bool]:
    """The rewriting steps at the end of HEAD's reflog, oldest first, the times of commits, and whether there is such
    a log. Only the verb is read of a message. The log tells whole seconds; its newest line is as old as the file."""
    lines, written_ns = _last_lines(path)
    steps: list[Step] = []
    commits_ns: list[int] = []
    for number, line in enumerate(lines):
        who, _, message = line.partition(b"\t")
        fields, verb = who.split(b" "), _VERB.match(message)
        if len(fields) < _REFLOG_FIELDS or verb is None or not fields[-2].isdigit():
            continue
        name = verb[0].decode()
        is_last = number == len(lines) - 1
        at_ns = written_ns if is_last else int(fields[-2]) * 1_000_000_000
        if name in _REWRITES:
            steps.append(Step(name, at_ns, before=fields[0].decode("ascii", "replace")))
        elif name == "commit":
            commits_ns.append(at_ns)
    return tuple(steps), tuple(commits_ns), bool(lines)


def _last_lines(path: bytes) -> tuple[list[bytes], int]:
    try:
        with open_plain(path) as file:
            size = os.fstat(file.fileno()).st_size
            file.seek(max(0, size - _REFLOG_END))
            lines = file.read(_REFLOG_END).splitlines()
            written_ns = os.fstat(file.fileno()).st_mtime_ns
    except OSError:
        return [], 0
    return lines if size <= _REFLOG_END else lines[1:], written_ns


def common_directory(directory: bytes) -> bytes:
    """Where a work tree's repository keeps what all its work trees share."""
    try:
        with open_plain(os.path.join(directory, b"commondir")) as file:
            named = file.read(_MAX_GITFILE).strip()
    except OSError:
        return directory
    return os.path.normpath(os.path.join(directory, named))


def git_directory(root: bytes) -> bytes | None:
    """The git directory of the work tree that holds ``root``: the first ``.git`` upwards, at most
    `MAX_UP` levels and never on another file system (git's own rule). The ``.git`` file of a
    worktree or submodule is followed."""
    found = _find(root)
    return None if found is None else found[1]


def _find(root: bytes) -> tuple[bytes, bytes] | None:
    """The top of the work tree and its git directory."""
    directory = os.path.realpath(root)
    try:
        device = os.stat(directory).st_dev
    except OSError:
        return None
    for _ in range(MAX_UP):
        found = _at(os.path.join(directory, b".git"))
        if found is not None:
            return directory, found
        above = os.path.dirname(directory)
        if above == directory or not _is_on(above, device):
            return None
        directory = above
    return None


def _at(dot_git: bytes) -> bytes | None:
    if os.path.isdir(dot_git):
        target = dot_git
    elif os.path.isfile(dot_git):
        try:
            with open_plain(dot_git) as file:
                line = file.read(_MAX_GITFILE)
        except OSError:
            return None
        if not line.startswith(b"gitdir:"):
            return None
        named = line[len(b"gitdir:") :].strip()
        target = os.path.normpath(os.path.join(os.path.dirname(dot_git), named))
    else:
        return None
    return target if os.path.lexists(os.path.join(target, b"HEAD")) else None


def _is_on(path: bytes, device: int) -> bool:
    try:
        return os.stat(path).st_dev == device
    except OSError:
        return False


def _mtime_ns(path: bytes) -> int | None:
    try:
        return os.lstat(path).st_mtime_ns
    except OSError:
        return None

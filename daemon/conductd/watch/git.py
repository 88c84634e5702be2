"""The state of the git repository a workspace lies in, by looking at git's own files.

Runs no git, takes no lock, writes nothing. Called before each judgement; costs about ten stats.
"""

from __future__ import annotations

import os

from conductd.core.case import Git

MAX_UP = 40
_MAX_GITFILE = 4_096

# Each stands while an operation is unfinished and git may rewrite the work tree at any moment.
_UNFINISHED = (b"MERGE_HEAD", b"CHERRY_PICK_HEAD", b"REVERT_HEAD", b"rebase-merge", b"rebase-apply")
_HEADS = (b"HEAD", b"ORIG_HEAD", b"logs/HEAD")


def git_state(root: bytes) -> Git:
    """What git is doing to the workspace at ``root`` (absolute); all false where there is no repository."""
    directory = git_directory(root)
    if directory is None:
        return Git()
    changes = [mtime for name in _HEADS if (mtime := _mtime_ns(os.path.join(directory, name))) is not None]
    return Git(
        index_lock=os.path.lexists(os.path.join(directory, b"index.lock")),
        merge_head=any(os.path.lexists(os.path.join(directory, name)) for name in _UNFINISHED),
        head_changed_ns=max(changes, default=None),
    )


def git_directory(root: bytes) -> bytes | None:
    """The git directory of the work tree that holds ``root``: the first ``.git`` upwards, at most
    `MAX_UP` levels and never on another file system (git's own rule). The ``.git`` file of a
    worktree or submodule is followed."""
    directory = os.path.realpath(root)
    try:
        device = os.stat(directory).st_dev
    except OSError:
        return None
    for _ in range(MAX_UP):
        found = _at(os.path.join(directory, b".git"))
        if found is not None:
            return found
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
            with open(dot_git, "rb") as file:
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

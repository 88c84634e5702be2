"""What a commit holds, asked of git itself: the one place that runs it.

Only when git took something away, once for each commit: reading trees out of packs is git's business. Nothing
is written, no lock is taken, no hook runs, nothing is fetched. Where git is not installed the answer is "nothing".
"""

from __future__ import annotations

import os
import subprocess
from collections import OrderedDict

from conductd.watch.git import Look
from conductd.watch.git_objects import blob_names

TIMEOUT_S = 3.0
MOST_BYTES = 32 * 1024 * 1024
REMEMBERED = 8
_COMMIT = frozenset("0123456789abcdef")


class Commits:
    """The files of commits that were asked about lately. Judge thread only."""

    def __init__(self) -> None:
        self._files: OrderedDict[tuple[bytes, str], dict[bytes, bytes]] = OrderedDict()

    def hold(self, seen: Look, commits: tuple[str, ...], path: bytes, data: bytes) -> bool:
        """Whether one of the commits has these bytes at ``path`` (from the top of the work tree)."""
        names = blob_names(seen.common, data)
        return any(self._of(seen, commit).get(path) in names for commit in commits)

    def _of(self, seen: Look, commit: str) -> dict[bytes, bytes]:
        if not set(commit) <= _COMMIT or not commit.strip("0"):
            return {}
        known = self._files.get((seen.common, commit))
        if known is None:
            known = self._files[seen.common, commit] = _listed(seen, commit)
            while len(self._files) > REMEMBERED:
                self._files.popitem(last=False)
        return known


def _listed(seen: Look, commit: str) -> dict[bytes, bytes]:
    command = ["git", "--no-optional-locks", "ls-tree", "-r", "-z", "--full-tree", commit]
    quiet = {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": os.environ.get("HOME", "/"),
        "GIT_DIR": os.fsdecode(seen.directory or b""),
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C",
    }
    try:
        ran = subprocess.run(command, env=quiet, cwd=seen.top, capture_output=True, timeout=TIMEOUT_S, check=True)
    except (OSError, subprocess.SubprocessError):
        return {}
    files: dict[bytes, bytes] = {}
    for line in ran.stdout[:MOST_BYTES].split(b"\0"):
        what, _, path = line.partition(b"\t")
        fields = what.split(b" ")
        if len(fields) == len((b"mode", b"blob", b"name")) and fields[1] == b"blob":
            files[path] = bytes.fromhex(fields[2].decode("ascii"))
    return files

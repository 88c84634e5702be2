"""The history as the input of `git fast-import`: one commit a version, the writer as its author. Pure.

Source: git-fast-import(1).
"""

from __future__ import annotations

import re

from conductd.engine.exporting.walking import Exported

BRANCH = b"refs/heads/main"
_DAEMON = b"conductd <conductd@localhost>"
_NO_NAME = re.compile(r"[<>\x00-\x1f\x7f]+")


def may_be_exported(place: bytes) -> bool:
    """Whether git takes such a path: nothing below a directory of git's own."""
    return all(part.lower() not in (b".git", b"", b".", b"..") for part in place.split(b"/"))


def commit(version: Exported) -> bytes:
    """One commit of the stream."""
    seconds = version.wall_ns // 1_000_000_000
    parts = [
        b"commit %s\n" % BRANCH,
        b"author %s %d +0000\n" % (_person(version.version.actor.name), seconds),
        b"committer %s %d +0000\n" % (_DAEMON, seconds),
        _data(_message(version)),
    ]
    path = quoted(version.place)
    parts.append(b"D %s\n" % path if version.data is None else b"M 100644 inline %s\n%s" % (path, _data(version.data)))
    return b"".join(parts)


def quoted(path: bytes) -> bytes:
    """A path of the stream: bare where that is unambiguous, else as a C string."""
    if not path.startswith(b'"') and b"\n" not in path:
        return path
    body = path.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")
    return b'"' + body + b'"'


def _data(data: bytes) -> bytes:
    return b"data %d\n%s\n" % (len(data), data)


def _person(actor: str) -> bytes:
    name = _NO_NAME.sub(" ", actor).strip() or "unknown"
    local = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.") or "unknown"
    return f"{name} <{local}@localhost>".encode("utf-8", "replace")


def _message(version: Exported) -> bytes:
    record = version.version
    what = "gone" if version.data is None else record.cause.value.replace("_", " ")
    title = version.place.replace(b"\n", b"?") + f": {what}".encode()
    lines = [title, b"", f"conductd-version: {version.seq}".encode()]
    if version.verdict:
        lines.append(f"conductd-verdict: {version.verdict}".encode())
    if record.digest is not None:
        lines.append(f"conductd-sha256: {record.digest.hex()}".encode())
    return b"\n".join(lines) + b"\n"

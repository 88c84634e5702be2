"""`forget --check`: is anything left of what was forgotten, wherever the daemon keeps things?

Decodes every frame of every file of the journal, those that are no record of it included, and looks through the
bytes between them, the index with its pages and logs, every other file of the state directory, and temporary files
that conductd left in workspaces. Reading only; needs no daemon.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sqlite3
import stat
import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Protocol

from conductd.core.forget import Marks, holds, open_text, pieces
from conductd.core.forget_pattern import Pattern
from conductd.core.temp_name import is_temp_name
from conductd.engine.fold.forgotten import Forgotten
from conductd.engine.forgetting.forget_search import texts_of
from conductd.engine.forgetting.forgetting import OUT_OF_REACH
from conductd.engine.forgetting.loose_frames import loose_bodies
from conductd.engine.forgetting.loose_runs import entries_in
from conductd.errors import ContentUnavailable, StoreDamaged, UsageError
from conductd.journal.journal import Journal
from conductd.model import ForgetRecord, Literal
from conductd.views import ForgetCheckView, LeftView

_CHUNK, _OVERLAP = 1 << 20, 1 << 16
_LEFT_MOST = 1_000
_SKIPPED = frozenset({b"node_modules", b".git", b".venv", b"venv", b"__pycache__"})
_DIRECTORIES_MOST = 20_000


class Probe(Protocol):
    """How something is recognised."""

    def in_body(self, data: bytes) -> bool: ...

    def in_text(self, text: str) -> bool: ...

    def in_bytes(self, data: bytes) -> bool: ...


class _TextProbe:
    """The text is known."""

    def __init__(self, text: str, key: bytes) -> None:
        try:
            self._pattern = Pattern(text)
        except ValueError as error:
            raise UsageError(f"this cannot be looked for: {error}", "give a longer piece of it") from None
        self._key = key

    def in_body(self, data: bytes) -> bool:
        opened = open_text(data)
        if opened is not None and not self._pattern.may_be_in(opened.text):
            return self._pattern.is_in_bytes(data)
        return any(self._pattern.is_in(piece) for piece in pieces(data, self._key)) or bool(
            opened is None or self._pattern.found_in(opened.text)
        )

    def in_text(self, text: str) -> bool:
        return self._pattern.may_be_in(text) and bool(self._pattern.found_in(text))

    def in_bytes(self, data: bytes) -> bool:
        return self._pattern.is_in_bytes(data)


class _MarksProbe:
    """Only fingerprints are known."""

    def __init__(self, marks: Marks, key: bytes) -> None:
        self._marks, self._key = marks, key

    def in_body(self, data: bytes) -> bool:
        return holds(data, self._marks, self._key)

    def in_text(self, text: str) -> bool:
        return self.in_bytes(text.encode("utf-8", "surrogateescape"))

    def in_bytes(self, data: bytes) -> bool:
        return bool(self._marks) and any(holds(run, self._marks, self._key) for run in entries_in(data))


def check(journal: Journal, state_dir: str, text: str, roots: Sequence[bytes]) -> Iterator[ForgetCheckView | float]:
    """Progress (0..1), the result last. ``text``: what to look for; "": all that was erased."""
    started = time.monotonic()
    probe: Probe = _TextProbe(text, journal.key) if text else _MarksProbe(erased_marks(journal), journal.key)
    looked = _Look(probe)
    yield from looked.records(journal)
    files = sorted(_files(state_dir))
    for number, path in enumerate(files):
        looked.file(path, os.path.relpath(path, state_dir))
        yield 0.5 + 0.4 * (number + 1) / len(files)
    looked.loose(journal, os.path.join(state_dir, "journal"))
    looked.index(os.path.join(state_dir, "index.sqlite3"))
    yield 0.95
    for root in roots:
        for own in _own_files(root):
            looked.file(own, os.fsdecode(own))
    yield ForgetCheckView(
        clean=not looked.left,
        left=looked.left,
        looked_for="the text given" if text else "everything that was erased",
        records=looked.count,
        files=looked.files,
        unreadable=looked.unreadable,
        out_of_reach=list(OUT_OF_REACH),
        seconds=time.monotonic() - started,
    )


def erased_marks(journal: Journal) -> Marks:
    """What was forgotten and is erased."""
    entries: set[bytes] = set()
    guards: set[Literal] = set()
    for stored in journal.replay():
        if isinstance(stored.record, ForgetRecord) and stored.record.state == "erased":
            entries.update(stored.record.entries)
            guards.update(stored.record.guards)
    return Marks(frozenset(entries), guards=frozenset(guards))


def hidden_records(journal: Journal) -> dict[int, int]:
    """The records that are hidden and wait to be erased, and when the first forgetting that names them is due."""
    forgotten = Forgotten()
    for stored in journal.replay():
        if isinstance(stored.record, ForgetRecord):
            forgotten.take(stored)
    soonest_last = sorted(forgotten.pending(), key=lambda each: each.record.due_ns, reverse=True)
    return {seq: each.record.due_ns for each in soonest_last for seq in each.versions}


class _Look:
    def __init__(self, probe: Probe) -> None:
        self._probe = probe
        self.left: list[LeftView] = []
        self.files: list[str] = []
        self.unreadable: list[str] = []
        self.count = 0

    def found(self, where: str, what: str, erased_ns: int = 0) -> None:
        if len(self.left) < _LEFT_MOST:
            self.left.append(LeftView(where, what, erased_ns))

    def records(self, journal: Journal) -> Iterator[float]:
        """Every record of the journal, decoded."""
        done: set[bytes] = set()
        last = max(1, journal.last_seq)
        hidden = hidden_records(journal)
        for stored in journal.replay():
            self.count += 1
            if any(self._probe.in_text(text) for text in texts_of(stored.record)):
                self.found("journal", f"record {stored.seq} ({stored.record.kind})", hidden.get(stored.seq, 0))
            try:
                body = journal.body(stored.seq)
            except ContentUnavailable:
                continue
            except StoreDamaged:
                self.unreadable.append(f"journal: record {stored.seq}")
                continue
            digest = hashlib.sha256(body).digest()
            if digest not in done and self._probe.in_body(body):
                self.found("journal", f"{stored.record.kind} {stored.seq}", hidden.get(stored.seq, 0))
            else:
                done.add(digest)
            if self.count % 256 == 0:
                yield 0.5 * stored.seq / last

    def loose(self, journal: Journal, directory: str) -> None:
        """Frames that are no record of the journal: what failed writes and crashes left."""
        for name, what, body in loose_bodies(journal, directory):
            if body is None:
                self.unreadable.append(f"journal/{name}: {what}")
            elif self._probe.in_body(body) or self._probe.in_bytes(body):
                self.found(f"journal/{name}", what)

    def file(self, path: str | bytes, name: str) -> None:
        """The bytes of a file as they are."""
        try:
            fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError as error:
            if not isinstance(error, FileNotFoundError):
                self.unreadable.append(f"{name}: {error.strerror}")
            return
        self.files.append(name)
        with open(fd, "rb") as file:
            at, kept = 0, b""
            while data := file.read(_CHUNK):
                if data.strip(b"\0") and self._probe.in_bytes(kept + data):
                    self.found(name, f"bytes {max(0, at - len(kept))} to {at + len(data)}")
                at += len(data)
                kept = data[-_OVERLAP:]

    def index(self, path: str) -> None:
        """Every value in it, also one that is spread over pages."""
        if not os.path.exists(path):
            return
        try:
            with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=5)) as sql:
                names = [row[0] for row in sql.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
                for name in names:
                    quoted = name.replace('"', '""')
                    for row in sql.execute(f'SELECT * FROM "{quoted}"'):  # noqa: S608 - the file's own names
                        if any(self._value(value) for value in row):
                            self.found("index.sqlite3", f"a row of {name}")
        except sqlite3.Error as error:
            self.unreadable.append(f"index.sqlite3: {error}")

    def _value(self, value: object) -> bool:
        if isinstance(value, str):
            return len(value) > 2 and self._probe.in_text(value)
        return isinstance(value, bytes) and len(value) > 2 and self._probe.in_bytes(value)


def _files(directory: str) -> Iterable[str]:
    """Every regular file below a directory, whatever its name."""
    for place, _, names in os.walk(directory):
        for name in names:
            path = os.path.join(place, name)
            with contextlib.suppress(OSError):
                if stat.S_ISREG(os.lstat(path).st_mode):
                    yield path


def _own_files(root: bytes) -> Iterator[bytes]:
    """conductd's temporary files in a workspace."""
    for place, directories, names in islice(os.walk(root), _DIRECTORIES_MOST):
        directories[:] = [name for name in directories if name not in _SKIPPED]
        yield from (os.path.join(place, name) for name in names if is_temp_name(name))

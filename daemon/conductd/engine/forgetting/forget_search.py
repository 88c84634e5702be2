"""Finds everything in the journal that holds what a person wants forgotten.

Reads every record and every body once; what it finds is said in fingerprints and sequences only. Any
thread; takes as long as decoding the whole history does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

import msgspec

from conductd.core.forget import Marks, Piece, fold, holds, is_forgotten, literal, open_text, pieces, redact
from conductd.core.forget_forms import bare
from conductd.core.forget_pattern import LEAST_CJK, Pattern
from conductd.core.reading import text as text_
from conductd.engine.fold.loads import decoded
from conductd.engine.forgetting import bounded_regex
from conductd.errors import ContentUnavailable, StoreDamaged, UsageError
from conductd.journal.journal import Journal
from conductd.model import (
    CheckpointRecord,
    EventRecord,
    FileState,
    ForgetRecord,
    Frozen,
    Literal,
    Record,
    RepairPlanRecord,
    RequestRecord,
    Stored,
    VersionRecord,
)

_BATCH_CHARACTERS = 4 << 20  # of texts that a regular expression is tried on together


class Wanted(Frozen, frozen=True):
    """What to forget: text (``is_regex``: an expression; ``is_secret``: the secret itself, which must not come back in
    other words either), or the content of a version or of every version of a file. ``only_match``: not the
    entries that hold it, only the stretch."""

    text: str = ""
    is_regex: bool = False
    is_secret: bool = False
    only_match: bool = False
    version: int | None = None
    file: int | None = None


class Found(Frozen, frozen=True):
    """``records``: sequences of all that hold it; ``versions`` of them are versions. ``whole``: those that go whole.
    ``looked``: what an entry that is recorded later is of it by; it is no guard once that is over."""

    upto: int
    entries: tuple[bytes, ...] = ()
    exact: tuple[Literal, ...] = ()
    guards: tuple[Literal, ...] = ()
    records: tuple[int, ...] = ()
    whole: tuple[int, ...] = ()
    versions: int = 0
    files: tuple[int, ...] = ()
    file: int | None = None  # all of this file
    looked: tuple[Literal, ...] = ()

    @property
    def marks(self) -> Marks:
        return Marks(frozenset(self.entries), frozenset(self.exact))


def search(journal: Journal, wanted: Wanted) -> Found:
    """Raises UsageError for what cannot be looked for."""
    if wanted.version is not None or wanted.file is not None:
        return _Search(journal, Found(0, file=wanted.file), None, wanted).run()
    if wanted.is_regex:
        return _search_expression(journal, wanted)
    try:
        pattern = Pattern(wanted.text)
    except ValueError as error:
        raise UsageError(f"this cannot be forgotten: {error}", "give a longer piece of it") from None
    forms = (form for form in sorted({fold(wanted.text), bare(wanted.text)}) if len(form) >= LEAST_CJK)
    looked = tuple(literal(form, journal.key) for form in forms)
    found = Found(
        0, guards=looked if wanted.is_secret else (), looked=() if wanted.is_secret or wanted.only_match else looked
    )
    return _Search(journal, found, pattern, wanted).run()


def search_on(journal: Journal, found: Found) -> Found:
    """The same, with what was recorded since: by fingerprint, as the text is not known any more."""
    return _Search(journal, found, None, None).run()


class _Search:
    def __init__(self, journal: Journal, known: Found, pattern: Pattern | None, wanted: Wanted | None) -> None:
        self._journal, self._key, self._known = journal, journal.key, known
        self._pattern, self._wanted = pattern, wanted
        self._entries, self._exact = set(known.entries), set(known.exact)
        self._records, self._whole, self._files = set(known.records), set(known.whole), set(known.files)
        self._versions = known.versions
        self._clean: set[bytes] = set()  # digests of bodies without it
        self._verdicts: dict[bytes, bool] = {}  # by fingerprint of an entry
        self._digest: bytes | None = None

    def run(self) -> Found:
        if self._wanted is not None and self._wanted.version is not None:
            self._digest = _digest_of(self._journal, self._wanted.version)
        upto = self._journal.last_seq
        for stored in self._journal.replay(self._known.upto):
            if stored.seq > upto:
                break
            self._look(stored)
        return msgspec.structs.replace(
            self._known,
            upto=upto,
            entries=tuple(sorted(self._entries)),
            exact=tuple(sorted(self._exact, key=lambda each: (each.length, each.mark))),
            records=tuple(sorted(self._records)),
            whole=tuple(sorted(self._whole)),
            versions=self._versions,
            files=tuple(sorted(self._files)),
        )

    def _look(self, stored: Stored) -> None:
        record = stored.record
        if isinstance(record, CheckpointRecord | ForgetRecord):
            return
        if isinstance(record, VersionRecord | RepairPlanRecord) and self._look_inside(stored.seq, record):
            self._records.add(stored.seq)
            self._files.add(record.file)
            self._versions += isinstance(record, VersionRecord)
        found = [text for text in texts_of(record) for text in self._matches(text)]
        if found:
            self._records.add(stored.seq)
            self._exact.update(literal(text, self._key) for text in found)

    def _look_inside(self, seq: int, record: VersionRecord | RepairPlanRecord) -> bool:
        digest = record.digest if isinstance(record, VersionRecord) else record.target_digest
        if digest is None or (isinstance(record, VersionRecord) and record.state is not FileState.FILE):
            return False
        if self._digest == digest or (self._known.file is not None and record.file == self._known.file):
            self._whole.add(seq)
            return True
        if digest in self._clean or (self._pattern is None and not (self._known.marks or self._known.looked)):
            return False
        try:
            body = self._journal.body(seq)
        except (ContentUnavailable, StoreDamaged):
            return False
        if self._pattern is None:
            if self._known.looked:
                later = Marks(guards=frozenset(self._known.looked))
                self._entries.update(
                    piece.entry.fingerprint
                    for piece in pieces(body, self._key)
                    if is_forgotten(piece, later, self._key)
                )
            found = holds(
                body, Marks(frozenset(self._entries), frozenset(self._exact), frozenset(self._known.guards)), self._key
            )
        else:
            found = self._take(seq, body, self._pattern)
        if not found:
            self._clean.add(digest)
        return found

    def _take(self, seq: int, body: bytes, pattern: Pattern) -> bool:
        """Note what has to go out of a body."""
        opened = open_text(body)
        is_text = opened is not None and opened.encoding is not text_.Encoding.BINARY
        if not (pattern.may_be_in(opened.text) if opened is not None and is_text else pattern.is_in_bytes(body)):
            return False
        marks, known = Marks(), None
        if not (self._wanted and self._wanted.only_match):
            known = list(pieces(body, self._key))
            marks = Marks(frozenset(self._entries_in(known, pattern)))
            self._entries |= marks.entries
        left = redact(body, marks, self._key, known)
        opened = open_text(left) if left is not None else None
        if left is None or opened is None or (not is_text and pattern.is_in_bytes(left)):
            self._whole.add(seq)
            return True
        exact: set[Literal] = set()
        if pattern.may_be_in(opened.text):  # outside of any entry, or in its layout
            exact = {literal(text, self._key) for text in pattern.found_in(opened.text)}
        self._exact |= exact
        return bool(exact) or left != body

    def _entries_in(self, found: Iterable[Piece], pattern: Pattern) -> Iterator[bytes]:
        for piece in found:
            mark = piece.entry.fingerprint
            known = self._verdicts.get(mark)
            if known is None or piece.joined is not piece.entry.text:
                known = self._verdicts[mark] = pattern.is_in(piece)
            if known:
                yield mark

    def _matches(self, text: str) -> list[str]:
        return self._pattern.found_in(text) if self._pattern is not None and self._pattern.may_be_in(text) else []


def _search_expression(journal: Journal, wanted: Wanted) -> Found:
    """First which entries match, then where they are."""
    entries: set[bytes] = set()
    exact: set[Literal] = set()
    tried: set[bytes] = set()
    waiting: dict[bytes, str] = {}

    def try_them() -> None:
        for (mark, _), found in zip(
            waiting.items(), bounded_regex.find(wanted.text, list(waiting.values())), strict=True
        ):
            if found and wanted.only_match:
                exact.update(map(partial(literal, key=journal.key), found))
            elif found:
                entries.add(mark)
        tried.update(waiting)
        waiting.clear()

    bounded_regex.find(wanted.text, [])
    size = 0
    done: set[bytes] = set()
    for stored in journal.replay():
        record = stored.record
        digest = getattr(record, "digest", None) or getattr(record, "target_digest", None)
        if not isinstance(record, VersionRecord | RepairPlanRecord) or digest is None or digest in done:
            continue
        try:
            body = journal.body(stored.seq)
        except (ContentUnavailable, StoreDamaged):
            continue
        done.add(digest)
        opened = open_text(body)
        if wanted.only_match and opened is not None:
            waiting[digest] = opened.text
            size += len(opened.text)
        for piece in pieces(body, journal.key) if not wanted.only_match else ():
            mark = piece.entry.fingerprint
            if mark not in tried and mark not in waiting:
                waiting[mark] = piece.entry.text
                size += len(piece.entry.text)
        if size > _BATCH_CHARACTERS:
            try_them()
            size = 0
    try_them()
    marks = Found(0, tuple(sorted(entries)), tuple(sorted(exact, key=lambda each: (each.length, each.mark))))
    return search_on(journal, marks)


def texts_of(record: Record) -> Iterator[str]:
    """The words in a record; paths are names, not content."""
    if isinstance(record, VersionRecord) and record.link_target is not None:
        yield record.link_target.decode("utf-8", "surrogateescape")
    if isinstance(record, RequestRecord):
        yield record.arguments.decode("utf-8", "surrogateescape")
    if isinstance(record, EventRecord) and record.facts:
        yield from _strings(msgspec.to_builtins(decoded(record.facts)))
    yield from _strings(msgspec.to_builtins(record, builtin_types=(bytes,)))


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, each in value.items():
            if name != "workspace":
                yield from _strings(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _strings(each)


def _digest_of(journal: Journal, seq: int) -> bytes | None:
    record = journal.read(seq).record
    if not isinstance(record, VersionRecord) or record.digest is None:
        raise UsageError(f"version {seq} has no content", "conductd log FILE")
    return record.digest

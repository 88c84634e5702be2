"""What a caller may ask about pins: which there are, pin more, let some go (implements `faces.Pins`).

To unpin weakens protection and passes the gate of `weakening`. To pin does not; but what an agent pins is
only a proposal, so it passes the same gate. Texts are read from the journal, over the own socket only.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any

from conductd.core.losses import pins
from conductd.core.reading.blocks import Kind
from conductd.core.reading.entries import Entry, EntryTable, entry_table
from conductd.core.reading.text import normalise, words
from conductd.engine.fold.pin_tracks import FIRST_MARKS, PinTrack
from conductd.engine.fold.tracks import FileTrack
from conductd.engine.health.overview import Parts
from conductd.engine.people.naming import Naming
from conductd.errors import Ambiguous, ConductdError, NotFound, Refused
from conductd.faces import Caller, PinPlace
from conductd.journal.journal import Draft
from conductd.model import Cause, DecisionRecord, FileState
from conductd.views import DidView, PinView, b64, shown
from conductd.views.words import pasted

TEXT = 200  # characters of an entry that are shown
NAMED = 6  # lines in one sentence
HINT = "conductd pins lists what is pinned"


class Pinning:
    """See the module. Any thread."""

    def __init__(self, parts: Parts, naming: Naming) -> None:
        self._, self._naming = parts, naming
        parts.weakening.register("pin", self._pin, self._show)
        parts.weakening.register("unpin", self._unpin, self._show)

    # ------------------------------------------------------------------ asking

    def pin(self, place: PinPlace, caller: Caller) -> DidView:
        """Entries whose loss counts at any size from now on."""
        file, entries = self._chosen(place)
        arguments = _arguments(file, [entry.fingerprint for entry in entries])
        if not caller.is_agent:
            return self._pin(arguments, caller.ancestry)
        clause = f"pin {_counted(entries)} of {shown(file.path)}"
        return self._.weakening.ask("pin", arguments, caller, clause, workspace=file.workspace, file=file.id)

    def unpin(self, place: PinPlace, caller: Caller) -> DidView:
        """Their loss counts like that of others again."""
        file, entries = self._chosen(place, missing_too=True)
        pinned = self._pinned(file)
        marks = [entry.fingerprint for entry in entries if entry.fingerprint in pinned]
        if not marks and any(entry.line in self._configured(file) for entry in entries):
            raise Refused(f"{shown(file.path)}: that is pinned by the configuration", "the key `pinned` in the config")
        if not marks:
            raise NotFound(f"nothing is pinned there: {shown(file.path)}", HINT)
        clause = f"unpin {_counted(marks)} of {shown(file.path)}"
        arguments = _arguments(file, marks)
        return self._.weakening.ask("unpin", arguments, caller, clause, workspace=file.workspace, file=file.id)

    def pins(self, workspace: str | None) -> list[PinView]:
        """All pinned entries with the line where they stand now, or stood; by file and line."""
        wanted = self._naming.workspace(workspace)
        with self._.state.lock:
            spaces = [each for each in self._.state.workspaces.values() if wanted in (None, each.id)]
            files = {each.id: self._.state.files_of(each.id) for each in spaces}
            tracks = {each.id: dict(each.pins) for each in spaces}
        found: list[PinView] = []
        for space in spaces:
            found += self._of_workspace(files[space.id], tracks[space.id], shown(space.root))
        return sorted(found, key=lambda view: (view.root, view.path, view.line))

    def pins_of(self, workspace: str, paths: Collection[bytes]) -> list[PinView]:
        """The same of some files alone: no other is read."""
        with self._.state.lock:
            space = self._.state.workspaces[workspace]
            files = [each for each in self._.state.files_of(workspace) if each.path in paths]
            tracks = dict(space.pins)
        return list(self._of_workspace(files, tracks, shown(space.root)))

    # ------------------------------------------------------------------ the acts

    def _pin(self, arguments: dict[str, Any], ancestry: tuple[str, ...]) -> DidView:
        file, entries = self._again(arguments)
        seq = file.head.seq if file.head is not None else None
        spans = tuple(entry.span for entry in entries)
        record = DecisionRecord("pin", file.workspace, file.id, caller=ancestry, entries=spans, entries_in=seq)
        self._.recorder.write([*self._first_marks(file, ancestry), Draft(record)])
        text = f"{_counted(entries)} of {shown(file.path)} {_are(entries)} pinned"
        return DidView(text, [], pasted("conductd", "unpin", self._naming.whole(file) + _line(entries)))

    def _unpin(self, arguments: dict[str, Any], ancestry: tuple[str, ...]) -> DidView:
        file, entries = self._again(arguments)
        spans = tuple(entry.span for entry in entries)
        record = DecisionRecord("unpin", file.workspace, file.id, caller=ancestry, entries=spans)
        self._.recorder.write([*self._first_marks(file, ancestry), Draft(record)])
        text = f"{_counted(entries)} of {shown(file.path)} {_are(entries)} pinned no more"
        return DidView(text, [], pasted("conductd", "pin", self._naming.whole(file) + _line(entries)))

    def _show(self, arguments: dict[str, Any]) -> list[str]:
        file, entries = self._again(arguments)
        return [f"{shown(file.path)}:{entry.line} {_text(entry.text)}" for entry in entries]

    def _first_marks(self, file: FileTrack, ancestry: tuple[str, ...]) -> list[Draft]:
        """Marks that stood in the file at first sight count without a record; from the first decision on they have
        one, so that a single one of them can be let go."""
        found = self._unrecorded(file)
        if not found or file.baseline is None:
            return []
        spans = tuple(entry.span for entry in found)
        seq = file.baseline.seq
        return [
            Draft(
                DecisionRecord(
                    "pin", file.workspace, file.id, caller=ancestry, detail=FIRST_MARKS, entries=spans, entries_in=seq
                )
            )
        ]

    # ------------------------------------------------------------------ which entries

    def _chosen(self, place: PinPlace, *, missing_too: bool = False) -> tuple[FileTrack, list[Entry]]:
        file = self._naming.file(place.path, place.workspace)
        data, table = self._now(file)
        entries = [entry for entry in table.entries if entry.kind is not Kind.HEADING and entry.words]
        missing = list(self._missing(file, table)) if missing_too else []
        if place.line:
            found = _at_line(table, entries, place.line)
        elif place.heading:
            found = list(pins.under(table, (place.heading,)))
        elif place.text:
            found = _with_text([*entries, *missing], place.text, shown(file.path))
        elif place.marked:
            found = list(pins.marked(data, table))
        else:
            found = [*entries, *missing]
        if not found:
            raise NotFound(f"no entry of {shown(file.path)} fits that", "FILE:LINE, FILE#HEADING, or FILE TEXT")
        return file, found

    def _again(self, arguments: dict[str, Any]) -> tuple[FileTrack, list[Entry]]:
        """The entries of a request, as they stand now."""
        with self._.state.lock:
            file = self._.state.files[arguments["file"]]
        wanted = set(arguments["entries"])
        _, table = self._now(file)
        there = {entry.fingerprint: entry for entry in table.entries if entry.fingerprint in wanted}
        there |= {x.fingerprint: x for x in self._missing(file, table) if x.fingerprint in wanted}
        if not there:
            raise NotFound(f"the entries of {shown(file.path)} are not there any more", HINT)
        return file, list(there.values())

    def _now(self, file: FileTrack) -> tuple[bytes, EntryTable]:
        with self._.state.lock:
            head = file.head
        data = self._.contents.of(head) or b""
        return data, self._table(data)

    def _table(self, data: bytes) -> EntryTable:
        return entry_table(data, self._.journal.key)

    def _pinned(self, file: FileTrack) -> set[bytes]:
        with self._.state.lock:
            known = set(self._.state.workspaces[file.workspace].pins)
        return known | {entry.fingerprint for entry in self._unrecorded(file)}

    def lines(self, file: FileTrack) -> tuple[int, ...]:
        """The first lines of the entries of a file that are pinned, by whatever says so. Any thread."""
        pinned, lines = self._pinned(file), self._configured(file)
        found = {entry.line for entry in self._now(file)[1].entries if entry.fingerprint in pinned}
        return tuple(sorted(found | lines))

    def _configured(self, file: FileTrack) -> set[int]:
        headings = self._.workspaces.config.pinned_in(file.path)
        return {entry.line for entry in pins.under(self._now(file)[1], headings)} if headings else set()

    def _unrecorded(self, file: FileTrack) -> list[Entry]:
        """The marks of a file as it was seen first, before anything was decided or judged."""
        base = file.baseline
        if base is None or base.cause is not Cause.FIRST_SIGHT or file.marks_read:
            return []
        data = self._.contents.of(base) or b""
        if not pins.may_mark(data):
            return []
        with self._.state.lock:
            known = self._.state.workspaces[file.workspace].pins
            return [entry for entry in pins.marked(data, self._table(data)) if entry.fingerprint not in known]

    def _missing(self, file: FileTrack, now: EntryTable) -> Iterator[Entry]:
        """Pinned entries that stood in the file and are not there."""
        with self._.state.lock:
            tracks = dict(self._.state.workspaces[file.workspace].pins)
        for mark, track in tracks.items():
            if track.file == file.id and mark not in now.places and (entry := self._entry(mark, track)) is not None:
                yield entry

    def _entry(self, mark: bytes, track: PinTrack) -> Entry | None:
        """As it stood when it was pinned; None where that version cannot be read."""
        try:
            table = self._table(self._.contents.get(track.seq))
        except ConductdError:
            return None
        place = table.places.get(mark)
        return table.entries[place] if place is not None else None

    # ------------------------------------------------------------------ listing

    def _of_workspace(self, files: list[FileTrack], tracks: dict[bytes, PinTrack], root: str) -> Iterator[PinView]:
        left = dict(tracks)
        for file in files:
            configured = self._.workspaces.config.pinned_in(file.path)
            first = self._unrecorded(file)
            if not (configured or first or left) or file.head is None or file.head.state is not FileState.FILE:
                continue
            _, table = self._now(file)
            by_config = {entry.line for entry in pins.under(table, configured)}
            marked = {entry.fingerprint for entry in first}
            for entry in table.entries:
                if entry.kind is Kind.HEADING or not entry.words:
                    continue
                if tracks.get(entry.fingerprint) is not None:
                    left.pop(entry.fingerprint, None)
                    yield _view(file, root, entry.line, entry.text, "held", "person")
                elif entry.fingerprint in marked:
                    yield _view(file, root, entry.line, entry.text, "held", "mark")
                elif entry.line in by_config:
                    yield _view(file, root, entry.line, entry.text, "held", "config")
        by_number = {file.id: file for file in files}
        for mark, track in left.items():
            owner = by_number.get(track.file)
            if owner is not None:
                was = self._entry(mark, track)
                yield _view(owner, root, track.line, was.text if was else "", "missing", "person")


def _at_line(table: EntryTable, entries: list[Entry], line: int) -> list[Entry]:
    """The entry on a line; on a heading all below it."""
    heading = next((e for e in table.entries if e.kind is Kind.HEADING and e.line <= line <= e.last_line), None)
    if heading is not None:
        path = (*heading.headings, heading.text)
        return [entry for entry in entries if entry.headings[: len(path)] == path]
    return [entry for entry in entries if entry.line <= line <= entry.last_line]


def _with_text(entries: Iterable[Entry], text: str, path: str) -> list[Entry]:
    """The one entry that holds these words. Raises Ambiguous when several do."""
    normal, wanted = normalise(text).casefold(), words(normalise(text))
    found = [entry for entry in entries if normal in entry.text.casefold() or _holds(entry.words, wanted)]
    if len(found) > 1:
        lines = ", ".join(str(entry.line) for entry in found[:NAMED])
        raise Ambiguous(f"{len(found)} entries of {path} hold that: lines {lines}", "give the line: FILE:LINE")
    return found


def _holds(tokens: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
    n = len(wanted)
    return n > 0 and any(tokens[at : at + n] == wanted for at in range(len(tokens) - n + 1))


def _arguments(file: FileTrack, marks: list[bytes]) -> dict[str, Any]:
    return {"file": file.id, "entries": marks}


def _counted(entries: list[Entry] | list[bytes]) -> str:
    return f"{len(entries)} {'entry' if len(entries) == 1 else 'entries'}"


def _are(entries: list[Entry]) -> str:
    return "is" if len(entries) == 1 else "are"


def _line(entries: list[Entry]) -> str:
    return f":{entries[0].line}" if len(entries) == 1 else ""


def _text(text: str) -> str:
    from conductd.secrets.scan import masked  # many patterns, and seldom asked for

    return masked(text)[:TEXT]


def _view(file: FileTrack, root: str, line: int, text: str, state: str, by: str) -> PinView:
    return PinView(file.workspace, root, shown(file.path), b64(file.path), line, _text(text), state, by)

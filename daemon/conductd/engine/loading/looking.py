"""One look at a workspace: what each of its agents loads now, and what is to be said of that.

Reads the disk as the agents do; writes nothing. On the loading thread.
"""

from __future__ import annotations

import os
from base64 import b64decode
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from conductd.agents import loading
from conductd.agents.profiles import profile_named
from conductd.config import Config
from conductd.core.judging.actions import wanted
from conductd.core.load.came_back import come_back
from conductd.core.load.finding import Finding, Gone
from conductd.core.load.findings import OUTLINED, Pins, heading_of, of_load, text_mark
from conductd.core.load.known_chains import CHAINS
from conductd.core.load.loaded import Load, LoadedFile, Why
from conductd.core.load.other_case import looked_for, other_case
from conductd.core.load.split_names import split_names
from conductd.core.load.told import as_object
from conductd.core.load.writable_names import named, path_of
from conductd.engine.fold.state import State
from conductd.engine.fold.tracks import FileTrack
from conductd.engine.forgetting.veil import Veil
from conductd.engine.loading.growth import Sizes, charged, sizes
from conductd.engine.loading.picture import OK, UNKNOWN_AGENT, Picture, Seen
from conductd.engine.loading.readers import Reader, readers, tried
from conductd.engine.loading.telling import Found
from conductd.engine.workspaces import Handle, Workspaces
from conductd.model import UNKNOWN, Action, EventClass, FileState, Frozen, Role, Severity
from conductd.views import PinView


class Look(Frozen, frozen=True):
    """What came out. ``unknown``: agents of which nobody can say what they load; ``sizes`` and
    ``guesses`` (why it is taken for the reader): by agent. ``back``: marks that were told and are not so any more, by
    place."""

    picture: Picture
    found: tuple[Found, ...] = ()
    unknown: frozenset[str] = frozenset()
    sizes: Mapping[str, Sizes] = msgspec.field(default_factory=dict)
    guesses: Mapping[str, str] = msgspec.field(default_factory=dict)
    back: Mapping[str, frozenset[str]] = msgspec.field(default_factory=dict)


class Told(NamedTuple):
    """What an agent loads, as plain values; ``state``: "ok", or why nobody knows."""

    agent: str
    state: str
    told: dict[str, Any] | None


class _Asked(NamedTuple):
    reader: Reader
    load: Load | None
    state: str


class Looker:
    """See the module. ``pins``: those of some files of a workspace, set once there is somebody who knows
    them."""

    def __init__(
        self, state: State, workspaces: Workspaces, veil: Veil, key: bytes, env: Mapping[str, str], home: str
    ) -> None:
        self._state, self._workspaces = state, workspaces
        self._veil, self._key = veil, key
        self._env, self._home = env, home
        self.take(workspaces.config)
        self.pins: Callable[[str, Collection[bytes]], Sequence[PinView]] = lambda _workspace, _paths: ()

    def take(self, config: Config) -> None:
        self._policy = config.policy()
        chains = tuple(each.chain() for each in config.agents)
        self._loaders, self._chains = loading.with_further(chains), (*chains, *CHAINS)

    def look(self, handle: Handle, before: Mapping[str, Sizes], changed: Sequence[str], at_ns: int) -> Look:
        """``before``: the sizes of the last look, by agent. ``changed``: names of files written since."""
        root = os.fsdecode(handle.root)
        with self._state.lock:
            told = dict(self._state.loads.of(handle.id))
            files = [each for each in self._state.files_of(handle.id) if _is_there(each)]
        names = _names_in(root)
        tracks = {named(each.path): each for each in files}
        asked = self._asked_of(handle, names)
        seen = [Seen(each.reader.label, each.state) for each in asked]
        unknown = frozenset(each.reader.label for each in asked if each.load is None)
        told_by_name = {each.reader.label for each in asked if each.reader.is_named}
        loads = [each.load for each in asked if each.load is not None]
        paths = {each.name: _raw(each.path, handle.root) for load in loads for each in (*load.files, *load.left_out)}
        split = split_names([*tracks, *names], tracks, {each.name for load in loads for each in load.files})
        alike = {name for each in split for name in each.files}
        pins = self._pins(handle.id, loads, paths)
        known = {place: one.known for place, one in told.items()}
        back = {place: marks for load in loads for place, marks in come_back(load, known, pins, self._key).items()}
        found: list[Found] = []
        for number, each in enumerate(seen):
            load = next((one for one in loads if one.agent == each.agent and each.state == OK), None)
            if load is None:
                continue
            own = [
                self._clean(charged(one, load, before.get(load.agent), tracks, changed), load.agent in told_by_name)
                for one in of_load(load, known, pins, self._key)
                if not _is_told_as_split(one, alike)
            ]
            seen[number] = msgspec.structs.replace(each, findings=tuple(one for one in own if not one.hidden))
            found += [_found(one, paths, tracks) for one in own]
        of_names = [charged(one, None, None, tracks, changed) for one in split]
        found += [self._asked(_found(one, paths, tracks), handle) for one in of_names]
        state = OK if seen else UNKNOWN_AGENT
        picture = Picture(
            state,
            at_ns,
            tuple(seen),
            tuple(of_names),
            names=frozenset(paths.values()),
            known=frozenset(each.path for each in files),
        )
        guesses = {each.reader.label: each.reader.guess for each in asked if each.reader.guess}
        return Look(picture, tuple(found), unknown, {each.agent: sizes(each) for each in loads}, guesses, back)

    def veiled(self, picture: Picture) -> Picture:
        """Without what was forgotten since the look. Any thread."""
        seen = tuple(
            msgspec.structs.replace(each, findings=tuple(map(self._veil.finding, each.findings)))
            for each in picture.seen
        )
        return msgspec.structs.replace(picture, seen=seen, findings=tuple(map(self._veil.finding, picture.findings)))

    def told(self, handle: Handle) -> list[Told]:
        """What each agent loads now, as `conductd load --json` tells it. Any thread."""
        root = os.fsdecode(handle.root)
        found = []
        for each in self._asked_of(handle, _names_in(root)):
            object_: dict[str, Any] | None = None
            if each.load is not None:
                load = self._with_pins(handle, _without_large(each.load))
                parts = (list(load.files), list(load.left_out))
                object_ = as_object(load, parts, root, each.reader.loader.name, list(each.reader.said), False)
                self._clean_told(object_)
            found.append(Told(each.reader.label, each.state, object_))
        return found

    def readers_of(self, handle: Handle) -> list[Reader]:
        """Every agent that reads it, without loading anything. Any thread."""
        root = os.fsdecode(handle.root)
        profile = profile_named(handle.profile, self._workspaces.profiles)
        table = self._workspaces.config.workspace(handle.root)
        return readers(root, profile, table, self._loaders, self._env, self._home)

    def _asked_of(self, handle: Handle, names: Sequence[str]) -> list[_Asked]:
        """Every agent that reads it. ``names``: of the files right in it."""
        root = os.fsdecode(handle.root)
        found = []
        for reader in self.readers_of(handle):
            load, why = tried(reader)
            if load is not None:
                load = msgspec.structs.replace(_named(load), agent=reader.label)
                load = self._with_other_case(load, reader.loader.name, root, names)
            found.append(_Asked(reader, load, why or OK))
        return found

    def _with_pins(self, handle: Handle, load: Load) -> Load:
        """What is pinned leaves last."""
        paths = {each.name: _raw(each.path, handle.root) for each in (*load.files, *load.left_out)}
        pins = self._pins(handle.id, [load], paths)
        files = (msgspec.structs.replace(each, pinned=tuple(sorted(pins.get(each.name, ())))) for each in load.files)
        return msgspec.structs.replace(load, files=tuple(files)) if pins else load

    def _with_other_case(self, load: Load, agent: str, root: str, names: Sequence[str]) -> Load:
        """With what it would load if it were spelt as it spells it."""
        taken = {each.name for each in (*load.files, *load.left_out)}
        found = other_case(looked_for(agent, self._chains), names, taken)
        there = (
            msgspec.structs.replace(each, path=os.path.join(root, os.fsdecode(path_of(each.name)))) for each in found
        )
        return msgspec.structs.replace(load, left_out=(*load.left_out, *there)) if found else load

    def _asked(self, found: Found, handle: Handle) -> Found:
        """As loud as the configuration wants to hear of names that differ only in case."""
        finding = found.finding
        role = self._workspaces.role(handle.id, found.path) or Role.TOPIC
        asked = wanted(finding.event_class, role, found.path, finding.writer or UNKNOWN.name, self._policy)
        severity = asked.severity or (Severity.INFO if asked.action is Action.RECORD else Severity.NOTICE)
        return msgspec.structs.replace(found, severity=severity)

    def _pins(self, workspace: str, loads: Sequence[Load], paths: Mapping[str, bytes]) -> Pins:
        """Only of files of which something falls out: to list pins, the files that hold them are read."""
        short = {each.name for load in loads for each in load.files if each.truncated or _is_marker(each)}
        short |= {each.name for load in loads for each in load.left_out}
        if not short:
            return {}
        by_name: dict[str, dict[int, str]] = {}
        for pin in self.pins(workspace, {paths[name] for name in short}):
            if pin.state == "held":
                by_name.setdefault(named(b64decode(pin.path_b64)), {})[pin.line] = text_mark(pin.text, self._key)
        return by_name

    def _clean(self, finding: Finding, is_named: bool) -> Finding:
        """Headings are told: no secret among them, and nothing that was forgotten."""
        finding = self._veil.finding(finding)
        sections = tuple(self._clean_section(each) for each in finding.sections)
        return msgspec.structs.replace(finding, sections=sections, version_is_named=is_named)

    def _clean_section(self, section: Gone) -> Gone:
        heading = heading_of(self._clean_heading(section.heading))  # whole until here: a secret may be at its end
        return section if heading == section.heading else msgspec.structs.replace(section, heading=heading)

    def _clean_told(self, told: dict[str, Any]) -> None:
        """The same in what `GET /v1/load` answers."""
        for hole in (hole for file in told["files"] for hole in file["holes"]):
            for section in hole["sections"]:
                section["heading"] = self._clean_heading(section["heading"])
        for move in (move for fix in told["fixes"] for move in fix["move"]):
            move["heading"] = self._clean_heading(move["heading"])

    def _clean_heading(self, heading: str) -> str:
        from conductd.secrets.scan import masked  # many patterns, and seldom asked for

        return masked(self._veil.heading(heading))


def _is_there(file: FileTrack) -> bool:
    return file.head is not None and file.head.state is not FileState.ABSENT


def _is_marker(file: LoadedFile) -> bool:
    return file.is_marker and file.why is not Why.MISSING


def _named(load: Load) -> Load:
    """Names as they can be written down; paths stay as they are."""

    def written(file: LoadedFile) -> LoadedFile:
        name = named(os.fsencode(file.name))
        return file if name == file.name else msgspec.structs.replace(file, name=name)

    return msgspec.structs.replace(
        load, files=tuple(map(written, load.files)), left_out=tuple(map(written, load.left_out))
    )


def _without_large(load: Load) -> Load:
    """Without the text of very large files: their holes and what to move out of them are not worked out, time and
    again."""
    if all(len(each.source) <= OUTLINED for each in load.files):
        return load
    files = (
        each if len(each.source) <= OUTLINED else msgspec.structs.replace(each, source="", escaped="")
        for each in load.files
    )
    notes = (*load.notes, "of very large files the holes are not listed here: conductd load")
    return msgspec.structs.replace(load, files=tuple(files), notes=notes)


def _raw(path: str, root: bytes) -> bytes:
    """Relative to the workspace where it lies below."""
    raw = os.fsencode(path)
    real = os.path.realpath(root)
    for base in (root, real):
        if raw.startswith(base + b"/"):
            return raw[len(base) + 1 :]
    return raw


def _names_in(root: str) -> list[str]:
    """Names right in the workspace, links and directories left out."""
    try:
        with os.scandir(root) as entries:
            return [named(os.fsencode(each.name)) for each in entries if each.is_file(follow_symlinks=False)]
    except (OSError, ValueError):
        return []


def _is_told_as_split(finding: Finding, alike: set[str]) -> bool:
    """That the other spelling is not loaded goes without saying where both are named."""
    return (
        finding.event_class is EventClass.NOT_LOADED
        and finding.reason == Why.OTHER_NAME.value
        and finding.name in alike
    )


def _found(finding: Finding, paths: Mapping[str, bytes], tracks: Mapping[str, FileTrack]) -> Found:
    name = finding.name or finding.largest
    track = tracks.get(name)
    path = paths.get(name) or (track.path if track is not None else path_of(name))
    return Found(finding, path, track.id if track is not None else None)

"""Reads a workspace as OpenClaw's bootstrap loader does, release by release, and asks the core what the prompt gets.

Read-only, never raises. What is not loaded is named with its reason. Sources: OpenClaw's `agents/workspace.ts`
(`loadWorkspaceBootstrapFiles`, `filterBootstrapFilesForSession`), `agents/bootstrap-files.ts`,
`memory/root-memory-files.ts`, `infra/boundary-file-read.ts` of 2026.1.30, 2026.2.26, 2026.3.24, 2026.4.15, 2026.5.28,
2026.7.1, 2026.8.1 and 2026.9.6; how a link or a second hard link is refused was tried on the last two.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping

from msgspec.structs import replace

from conductd.agents.bootstrap_read import Guard, Read, names, read, text_of
from conductd.agents.openclaw_extra import NAMES, added, is_added, people
from conductd.agents.openclaw_settings import Settings, has_database, is_set_up, settings
from conductd.core.load.javascript import place, safe_cut, trim_end, units, whole_before
from conductd.core.load.loaded import Cause, Load, LoadedFile, Unit, Why
from conductd.core.load.openclaw import Injected, Limits, Source, inject, own_limit
from conductd.core.load.openclaw_versions import (
    Reading,
    Session,
    Version,
    is_silent_when_missing,
    limits,
    load_order,
    reading,
)
from conductd.core.provenance import Effect, recorded_as, recorded_by

BOOTSTRAP_BYTES = 2 * 1024 * 1024
_REASON_MOST = 300
_GATED = ("MEMORY.md", "USER.md")
_ALL = ("AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md", "USER.md", "HEARTBEAT.md", "BOOTSTRAP.md", "MEMORY.md")


def load(root: str, version: Version, session: Session, env: Mapping[str, str], home: str) -> Load:
    """What OpenClaw of this version puts into the prompt of such a session in the workspace `root` (a directory)."""
    root = os.path.abspath(root)
    own = settings(root, version, env, home)
    wanted = load_order(version, session) if own.injects else ()
    looked = _Look(root, version, own)
    sources: list[tuple[Source, Read]] = []
    for name in wanted:
        sources.extend(looked.at(name))
        if name == "USER.md":
            sources.extend(looked.person(session))
    if own.injects:
        sources.extend(looked.hooked(session))
    those = limits(version, own.file, own.total)
    found = inject([source for source, _ in sources], those)
    files = tuple(_loaded(each, source, got, those, root) for each, (source, got) in zip(found, sources, strict=True))
    return Load(
        agent="openclaw",
        version=".".join(map(str, version)),
        session=session.value,
        unit=Unit.UTF16,
        files=files,
        limit=those.total,
        notes=(
            *_notes(own, wanted, session),
            *_plugin(own, version, wanted),
            *looked.notes,
            *_by_hand(files, looked.recorded),
        ),
        left_out=(*looked.left_out, *looked.others(set(wanted), session)),
    )


class _Look:
    """One look at a workspace; `left_out` grows as it goes."""

    def __init__(self, root: str, version: Version, own: Settings) -> None:
        self._root = root
        self._version = version
        self._own = own
        self._reading: Reading = reading(version)
        self._names = names(root)
        self.left_out: list[LoadedFile] = []
        self.notes: list[str] = []
        self.recorded: set[str] = set()  # that the agent wrote last, and noted that
        self._taken: set[str] = set()  # names that are loaded or told

    def at(self, name: str) -> Iterator[tuple[Source, Read]]:
        """The file as a source, or as the marker that stands in its place; nothing where nothing is said."""
        if name == "MEMORY.md" and self._reading.memories:
            yield from self._memories()
            return
        path = os.path.join(self._root, name)
        if name == "BOOTSTRAP.md" and self._reading.hides_bootstrap and is_set_up(self._root, self._own.state_dir):
            if name in self._names:
                self._leave_out(name, Why.RETIRED, "the setup is noted as complete")
            return
        if is_silent_when_missing(name, self._version) and name not in self._names:
            return
        if self._reading.has_provenance and name in _GATED and not self._is_trusted(name):
            return
        yield self._source(name, path)

    def person(self, session: Session) -> Iterator[tuple[Source, Read]]:
        """The USER.md of the person whose session it is: known when there is only one."""
        found = people(self._root, self._version, session)
        if len(found) > 1:
            count = f"one of {len(found)} files users/…/USER.md"
            self.notes.append(f"after USER.md {count} is loaded, that of the person: not counted here")
        elif found and self._is_trusted(found[0]):
            self.notes.append(f"{found[0]} is loaded in the sessions of that person alone")
            yield self._beside(found[0])

    def hooked(self, session: Session) -> Iterator[tuple[Source, Read]]:
        """What the hook adds; a file that it cannot read, or whose name is none of those that are known, it passes
        over."""
        for name in added(self._root, self._own.extra):
            if name in load_order(self._version):
                continue  # loaded already, or left out with its reason
            if os.path.basename(name) not in NAMES:
                self._leave_out(name, Why.OTHER_NAME, "of a file that the hook bootstrap-extra-files adds")
            elif not is_added(name, self._version, session):
                self._leave_out(name, Why.SESSION, session.value)
            else:
                source, got = self._beside(name)
                if got.data is not None:
                    yield source, got
                elif got.why is not Why.MISSING:
                    self._leave_out(name, got.why, got.detail)

    def _beside(self, name: str) -> tuple[Source, Read]:
        source, got = self._source(name, os.path.join(self._root, name))
        return Source(os.path.basename(name), source.path, source.text), got

    def _memories(self) -> Iterator[tuple[Source, Read]]:
        """MEMORY.md and memory.md as the older releases take them."""
        seen: set[str] = set()
        for name in ("MEMORY.md", "memory.md"):
            path = os.path.join(self._root, name)
            if not os.path.exists(path):
                continue
            real = os.path.realpath(path)
            if real in seen or (seen and self._reading.memories == 1):
                if name in self._names:
                    self._leave_out(name, Why.OTHER_FILE, "MEMORY.md")
                continue
            seen.add(real)
            yield self._source(name, path)

    def _source(self, name: str, path: str) -> tuple[Source, Read]:
        self._taken.add(name)
        guard = Guard()
        if self._reading.guarded:
            guard = Guard(root=self._root, follows=self._reading.follows_links, links=1, most=BOOTSTRAP_BYTES)
        got = read(path, guard)
        if got.data is not None:
            return Source(name, path, text_of(got.data)), got
        if self._reading.says_unreadable and got.why is not Why.MISSING:
            reason = safe_cut(" ".join(got.detail.split()) or "workspace file could not be read", 0, _REASON_MOST)
            return Source(name, path, f"[UNREADABLE: {reason}]"), got
        return Source(name, path, None), got

    def _is_trusted(self, name: str) -> bool:
        """By OpenClaw's own record of who wrote the file; no record is trust enough."""
        if self._own.state_dir is None or not has_database(self._own.state_dir):
            return True
        from conductd.agents.openclaw_gate import Place, standings  # SQLite is slow to load

        place = Place(os.fsencode(self._own.state_dir))
        for each in standings(os.fsencode(self._root), place, self._version, (os.fsencode(name),)):
            if each.said and (by := recorded_by(each.record)):
                self.notes.append(f"{name}: {by}")
            if each.effect is Effect.UNTRUSTED_ALREADY:
                self._leave_out(name, Why.UNTRUSTED, recorded_as(each.record, each.since))
                session = each.record.session if each.record is not None else ""
                self.left_out[-1] = replace(self.left_out[-1], since=each.since, session=session)
                return False
            if each.said:
                self.notes.append(f"{name}: {each.said}")
            elif each.record is not None:
                self.recorded.add(name)
        return True

    def _leave_out(self, name: str, why: Why, note: str = "") -> None:
        self._taken.add(name)
        path = os.path.join(self._root, name)
        data = read(path).data or b""
        text = text_of(data)
        self.left_out.append(LoadedFile(name, path, units(trim_end(text)), why=why, note=note, source=text))

    def others(self, wanted: set[str], session: Session) -> list[LoadedFile]:
        """What lies there under the name of a memory file, or one like it, and is not taken up."""
        already = len(self.left_out)
        in_main = load_order(self._version)
        for name in sorted(self._names - self._taken, key=lambda each: (each.lower(), each)):
            upper = next((each for each in _ALL if each.lower() == name.lower()), None)
            if upper is None or name in wanted:
                continue
            if name != upper:
                self._leave_out(name, Why.OTHER_NAME, upper)
            elif name not in in_main:
                self._leave_out(name, Why.RETIRED)
            else:
                self._leave_out(name, Why.SESSION, session.value)
        told, self.left_out = self.left_out[already:], self.left_out[:already]
        return told


def _loaded(each: Injected, source: Source, got: Read, those: Limits, root: str) -> LoadedFile:
    causes = tuple(cause for cause, holds in ((Cause.PER_FILE, each.by_file), (Cause.TOTAL, each.by_total)) if holds)
    is_marker = got.data is None
    text = "" if is_marker else trim_end(source.text or "")
    why = got.why
    if not is_marker and each.text is None:
        why = Why.NO_ROOM if text else Why.EMPTY
    return LoadedFile(
        name=os.path.relpath(each.path, root),
        path=each.path,
        raw=0 if is_marker else each.raw,
        injected=each.injected,
        text=each.text,
        limit=each.limit or None,
        causes=() if is_marker else causes,
        why=why,
        note=got.detail if is_marker else "",
        source=text,
        kept=() if is_marker else tuple((place(text, start), whole_before(text, end)) for start, end in each.kept),
        quoted=each.quoted,
        is_marker=is_marker,
        own_limit=own_limit(each.name, those),
        splits=not those.safe and each.truncated and _has_half(each.text or "") and not _has_half(text),
    )


def _has_half(text: str) -> bool:
    return not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text)


def _by_hand(files: Iterable[LoadedFile], recorded: Collection[str]) -> Iterator[str]:
    """Of what is cut, and would be mended by moving sections."""
    for each in files:
        if each.truncated and each.name in recorded:
            yield (
                f"{each.name}: let the agent itself move sections; after a change by anybody else its next write leaves"
                " the file out of the prompt"
            )


def _plugin(own: Settings, version: Version, wanted: tuple[str, ...]) -> Iterator[str]:
    if own.memory_plugin and reading(version).has_provenance and set(_GATED) & set(wanted):
        yield (
            f"memory is left to the plugin {own.memory_plugin[:80]}: where it cannot tell who wrote a file, MEMORY.md"
            " and USER.md are left out of the prompt"
        )


def _notes(own: Settings, wanted: tuple[str, ...], session: Session) -> Iterator[str]:
    if own.agent:
        yield f"the workspace of OpenClaw's agent {own.agent}"
    if not own.injects:
        yield 'contextInjection is "never": no file is put into the prompt'
    if session is Session.LIGHT and own.injects:
        none = "a run with light context gets none of them; that of a heartbeat gets HEARTBEAT.md in some releases"
        yield "this release has no light context" if wanted else none
    set_here = [
        f"{key} {value}"
        for key, value in (("bootstrapMaxChars", own.file), ("bootstrapTotalMaxChars", own.total))
        if value is not None
    ]
    if set_here:
        yield f"limits configured in {own.config or 'openclaw.json'}: {', '.join(set_here)}"

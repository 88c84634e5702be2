"""Which pages of unfinished work are written, and which are moved to what is done. Pure.

Same notes and pages, same plan: a second run plans nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import date, timedelta

from conductd.core.continuity.names import file_name, key, veiled_name
from conductd.core.continuity.page import DONE, IN_PROGRESS, WAITING, About, page, quoted_files, started
from conductd.core.continuity.tasks import Said, tasks_in
from conductd.core.merging.three_way import three_way
from conductd.core.night.facts import Night, NightFile
from conductd.core.notes import telling
from conductd.core.notes.quoter import Quoter
from conductd.core.notes.quoting import harmless
from conductd.core.notes.source import Kind, Source
from conductd.core.notes.withheld import Conceal
from conductd.core.reading.text import decode
from conductd.model import Frozen, Role
from conductd.views import shown

DAYS = 14  # logs of so many days before are looked at
MOST_NEW = 20  # pages that one night begins
DONE_DIRECTORY = b"done/"


class PageWrite(Frozen, frozen=True):
    """``name``: of the page in its directory. ``text``: what is to stand there. ``base``: what we wrote, to be kept
    beside it. ``is_done``: it belongs into `done/` afterwards. ``status``: for those who list it."""

    name: bytes
    text: bytes
    base: bytes
    status: str
    is_done: bool = False
    is_new: bool = False


class Plan(Frozen, frozen=True):
    """``left_out``: tasks for which no page was begun for want of room; ``gone``: names of pages whose task stands
    nowhere any more: they stay as they are. ``unfinished``: pages that are open afterwards. ``removed``: how many were
    taken away by somebody, and stay away until their task is finished; ``over``: names of those whose task is."""

    writes: tuple[PageWrite, ...]
    unfinished: int
    left_out: int = 0
    gone: tuple[str, ...] = ()
    withheld: int = 0
    removed: int = 0
    over: tuple[bytes, ...] = ()


def plan(
    night: Night,
    pages: Mapping[bytes, bytes],
    bases: Mapping[bytes, bytes],
    conceal: Conceal,
    finished: Collection[bytes] = (),
) -> Plan:
    """``pages``: of the directory, open ones by name; ``bases``: what was written last into each, also into those that
    are not there any more. ``finished``: names of the pages in `done/`."""
    texts = {name: decode(data).text for name, data in pages.items()}
    told = _told(night, frozenset().union(*(quoted_files(text) for text in texts.values())))
    names = _Names(night.occasion.workspace, conceal)
    of_files = {names.file(one, said): one for one, said in told.items()}
    of_pages = {of_files.get(name) or _key_of(name, text): name for name, text in sorted(texts.items())}
    fresh = {one for one, said in told.items() if any(_is_of_the_day(each, night) for each in said)}
    writes: list[PageWrite] = []
    gone: list[str] = []
    quoter = Quoter(conceal)
    left_out = 0
    unfinished = 0
    begun = removed = 0
    over: list[bytes] = []
    for one in sorted({*told, *of_pages}):
        name, said = of_pages.get(one), told.get(one, [])
        if not said:
            gone.append(shown(name or b""))
            unfinished += 1
            continue
        newest = said[-1]
        is_over = not newest.is_unfinished and newest.is_over
        if name is None and names.file(one, said) in bases:
            removed += not is_over
            over += [names.file(one, said)] if is_over else []
            continue
        if name is None and (one not in fresh or not newest.is_unfinished):
            continue
        if name is None and begun >= MOST_NEW:
            left_out += 1
            continue
        begun += name is None
        unfinished += not is_over
        name = name or names.file(one, said)
        about = _about(night, names.name(said), said, pages.get(name), _earlier(name, finished))
        write = _write(name, page(about, said, quoter), about.status, pages.get(name), bases.get(name))
        if write is not None:
            writes.append(write)
    return Plan(tuple(writes), unfinished, left_out, tuple(gone), quoter.withheld, removed, tuple(over))


class _Names:
    """What tasks and their files are called: nothing where the line that names one is not to be quoted."""

    def __init__(self, workspace: str, conceal: Conceal) -> None:
        self._workspace, self._quoter = workspace, Quoter(conceal)

    def name(self, said: list[Said]) -> str:
        return "" if any(self._quoter.text(each.source, each.named) is None for each in said) else said[-1].name

    def file(self, one: str, said: list[Said]) -> bytes:
        return file_name(one) if self.name(said) else veiled_name(one, self._workspace)


def _earlier(name: bytes, finished: Collection[bytes]) -> str:
    """The last page of this name among those that are finished."""
    stem = name.removesuffix(b".md")
    alike = [each for each in finished if each == name or _numbered(each, stem)]
    return shown(DONE_DIRECTORY + max(alike, key=lambda each: (len(each), each))) if alike else ""


def _numbered(name: bytes, stem: bytes) -> bool:
    number = name.removesuffix(b".md").removeprefix(stem + b"-")
    return name.startswith(stem + b"-") and number.isdigit()


def _about(night: Night, name: str, said: list[Said], there: bytes | None, earlier: str) -> About:
    newest = said[-1]
    is_over = not newest.is_unfinished and newest.is_over
    status = DONE if is_over else WAITING if _waits(newest) else IN_PROGRESS
    days = [each.source.day for each in said if each.source.day is not None]
    known = started(decode(there).text) if there is not None else None
    return About(
        name,
        status,
        min(filter(None, [known, *days]), default=night.occasion.day),
        max(days, default=night.occasion.day) if not _has_changed(newest, night) else night.occasion.day,
        earlier,
    )


def _write(name: bytes, made: str, status: str, there: bytes | None, base: bytes | None) -> PageWrite | None:
    is_over, wanted = status == DONE, made.encode("utf-8", "surrogateescape")
    text = wanted if there is None else three_way(base or b"", there, wanted).data
    if there is not None and text == there and base == wanted and not is_over:
        return None
    return PageWrite(name, text, wanted, status, is_done=is_over, is_new=there is None)


def _key_of(name: bytes, text: str) -> str:
    """The task of a page: by its title, which people may have made better; else by its name."""
    title = next((line[2:] for line in text.split("\n") if line.startswith("# ")), "")
    stem = name.rpartition(b".")[0].decode("utf-8", "replace")
    return stem if file_name(key(title)) != name and stem else key(title)


def _waits(said: Said) -> bool:
    lines = [said.source.lines[number - 1].text for number in said.open]
    return bool(lines) and all(_is_waiting(line) for line in lines)


def _is_waiting(text: str) -> bool:
    found = telling.label(text)
    return telling.WAITING_WORDS.in_(found[0] if found is not None else text)


# --------------------------------------------------------------------------- the notes


def _told(night: Night, quoted: frozenset[str]) -> dict[str, list[Said]]:
    """What the notes say, by task, the newest last: the logs of two weeks, and the topic files that changed on the day
    or that a page quotes. A topic file is as new as the day it changed on."""
    oldest = min([night.occasion.day, *night.occasion.asleep]) - timedelta(days=DAYS)
    changed = {each.path for each in night.before}
    found: dict[str, list[Said]] = {}
    sources = [
        source
        for file in night.files
        if (source := _source(file, night.occasion.day, oldest, changed, quoted)) is not None
    ]
    for source in sorted(sources, key=lambda each: _age(each, night.occasion.day, changed)):
        for said in tasks_in(source):
            found.setdefault(said.key, []).append(said)
    return found


def _source(
    file: NightFile, day: date, oldest: date, changed: Iterable[bytes], quoted: frozenset[str]
) -> Source | None:
    source = Source(shown(file.path), file.path, file.data)
    if source.kind is Kind.DAILY and source.day is not None:
        return source if oldest <= source.day <= day else None
    if file.role is Role.INSTRUCTIONS or source.kind not in (Kind.MEMORY, Kind.TASKS) or source.is_card:
        return None
    return source if file.path in changed or harmless(source.name) in quoted else None


def _age(source: Source, day: date, changed: Iterable[bytes]) -> tuple[date, bool, str]:
    of = source.day if source.day is not None else day if source.path in changed else date.min
    return of, source.kind is Kind.DAILY, source.name


def _is_of_the_day(said: Said, night: Night) -> bool:
    days = {night.occasion.day, *night.occasion.asleep}
    return said.source.day in days if said.source.kind is Kind.DAILY else _has_changed(said, night)


def _has_changed(said: Said, night: Night) -> bool:
    return any(each.path == said.source.path for each in night.before)

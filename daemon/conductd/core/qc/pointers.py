"""Links and names of files in notes: where they lead, and which notes nobody points to. Pure."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import unquote

from conductd.core.night.facts import NightFile
from conductd.core.notes.source import Kind, Source
from conductd.core.qc.check import Check, Seen
from conductd.core.qc.notes import Given
from conductd.core.qc.results import Grade
from conductd.model import Role
from conductd.views import shown
from conductd.views.words import counted, verb

_LINK = re.compile(r"\]\((?:<([^<>#?]+)[^<>]*>|([^)\s<>#?]+))[^)]*\)")
_REFERENCE = re.compile(r"^ {0,3}\[[^\]]+\]:\s*(?:<([^<>#?]+)[^<>]*>|([^\s<>#?]+))")
_WIKI = re.compile(r"\[\[([^\[\]|#]+)(?:[|#][^\[\]]*)?\]\]")
# A note between backticks. Names in capitals are those of an agent's own files, which come and go: BOOTSTRAP.md.
_QUOTED = re.compile(r"`((?:[^`\s/]+/)*(?![A-Z0-9_-]+\.md`)[^`\s/]+\.(?:md|mdc|markdown))`")
# A line that speaks of a file which may be gone, or stands elsewhere.
_ELSEWHERE = re.compile(
    r"\b(?:if it exists|delete it|if missing|of the [\w-]+ repository|in the [\w-]+ repository)", re.I
)
_PLACEHOLDER = re.compile(r"YYYY|MM-DD|[*?{}<>|$\0]")
_SCHEME = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]*:")
_WORD = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
_JOINED = re.compile(r"[A-Za-z0-9][-_.][A-Za-z0-9]|\d")
_MOST = 5_000  # paths that are looked up


def mentioned(notes: Iterable[tuple[NightFile, Source]]) -> dict[bytes, str]:
    """Paths, relative to the workspace, that notes point to, each with the place that names it first; at most 5,000."""
    found: dict[bytes, str] = {}
    for _, source in notes:
        if source.kind in (Kind.QC, Kind.CONTINUITY):
            continue
        for path, number in _pointers(source):
            if len(found) < _MOST:
                found.setdefault(path, f"{source.name}:{number}")
    return found


def _pointers(source: Source) -> Iterator[tuple[bytes, int]]:
    """What leads out of the workspace, or is a pattern, is nobody's business here."""
    for line in source.lines:
        if not line.is_content:
            continue
        links = [a or b for a, b in (*_LINK.findall(line.text), *_REFERENCE.findall(line.text))]
        targets = [unquote(target, errors="surrogateescape") for target in links]
        quoted = [] if _ELSEWHERE.search(line.text) else _QUOTED.findall(line.text)
        for target in (*targets, *quoted, *map(_page, _WIKI.findall(line.text))):
            path = _inside(source.name, target)
            if path is not None:
                yield path, line.number


def _page(wiki: str) -> str:
    """Of a wiki link that says where its note is; a name alone is looked up by the program that made it."""
    name = wiki.strip()
    if "/" not in name:
        return ""
    return name if posixpath.splitext(name)[1] else f"{name}.md"


def _inside(name: str, target: str) -> bytes | None:
    if not target or _SCHEME.match(target) or target.startswith(("/", "~", "#")) or _PLACEHOLDER.search(target):
        return None
    base = "" if target.startswith(("memory/", "./memory/")) else posixpath.dirname(name)
    path = posixpath.normpath(posixpath.join(base, target))
    return None if path.startswith("..") or path == "." else path.encode("utf-8", "surrogateescape")


def _dangling(given: Given) -> Seen:
    named = mentioned(given.sources)
    lost = [f"{place} → {shown(path)}" for path, place in named.items() if path in (given.facts.missing or ())]
    if not lost and len(named) >= _MOST:
        return Seen(Grade.UNKNOWN, f"only {_MOST:,} pointers were followed: these lead where they say")
    if not named:
        return Seen(Grade.PASS, "no note points to a file")
    if not lost:
        leads = verb(len(named), "leads where it says", "lead where they say")
        return Seen(Grade.PASS, f"{counted(len(named), 'pointer')} {leads}")
    said = f"{counted(len(lost), 'pointer')} {verb(len(lost), 'leads', 'lead')} to a file that is not there"
    return Seen(Grade.WARN, said, lost, "mend the pointer, or remove it")


def _orphans(given: Given) -> Seen:
    """Topic files that no other note names, where any are named at all: an index that lacks some."""
    pointed = set(mentioned(given.sources))
    texts = {file.path: source.text for file, source in given.sources}
    topics = [
        file.path
        for file, source in given.sources
        if file.role is Role.TOPIC and source.kind is Kind.MEMORY and b"/archive/" not in file.path
    ]
    named = _Named(texts)
    orphans = [path for path in topics if path not in pointed and not named.names(path)]
    if not topics or len(orphans) == len(topics):
        return Seen(Grade.PASS, "no index of topic files is kept here" if topics else "there are no topic files")
    if not orphans:
        is_named = verb(len(topics), "is", "are")
        return Seen(Grade.PASS, f"{counted(len(topics), 'topic file')} {is_named} pointed to")
    names = [shown(path) for path in orphans]
    said = f"no note points to {counted(len(orphans), 'topic file')}"
    return Seen(Grade.WARN, said, names, "name the file in MEMORY.md")


class _Named:
    """What the notes call by name, read once: a topic file is named by its name, or by what stands before the ending
    where that is no word of a sentence: several words in one, a link of a wiki, or in a writing without spaces."""

    def __init__(self, texts: Mapping[bytes, str]) -> None:
        self._texts = texts
        self._words: dict[str, set[bytes]] = {}
        for path, text in texts.items():
            words = {found.rstrip(".-") for found in _WORD.findall(text)}
            for word in (*words, *(f"[[{found.strip()}" for found in _WIKI.findall(text))):
                self._words.setdefault(word, set()).add(path)

    def names(self, path: bytes) -> bool:
        name = shown(path).rpartition("/")[2]
        stem = name.rpartition(".")[0]
        if not _WORD.fullmatch(name):
            wanted = name if stem.isascii() else stem
            return any(wanted in text for other, text in self._texts.items() if other != path)
        looks = [name, f"[[{stem}", *([stem] if _JOINED.search(stem) else [])]
        return any(self._words.get(each, set()) - {path} for each in looks)


CHECKS = (
    Check("dangling", "links and names of files in notes that lead nowhere", _dangling, ("missing",), reads=True),
    Check("orphans", "topic files that no other note points to, where an index is kept", _orphans, reads=True),
)

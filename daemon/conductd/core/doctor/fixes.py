"""The safe fixes as plans: which bytes, or which kind of file, are to stand where. Pure; nothing is written here.

Each plan is one act with one undo (`engine.people.write_set` carries it out). What is not safe is no plan: it is said
why, and left to a person. Nothing of a file is lost by any of them: a merged file goes to an archive, the file behind
a link stays.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping

from conductd.core.doctor.facts import Kind, Leads, Workspace
from conductd.core.doctor.links import HARD_LINK, LINK, hard_linked, memory_links, shown
from conductd.core.doctor.names import CASE, SPLIT, Pair, can_be_merged, misspelt
from conductd.core.doctor.root_import import merged, why_not
from conductd.core.reading.entries import entry_table
from conductd.core.reading.text import Encoding
from conductd.model import Frozen
from conductd.views.words import counted, verb

REPAIRS = (SPLIT, CASE, LINK, HARD_LINK)
ARCHIVE = b".openclaw-repair/root-memory/"  # where OpenClaw's own doctor keeps them; nobody indexes it
MOST = 8 * 1024 * 1024  # bytes of a file that is merged

Gate = Callable[[bytes, bytes], str]
"""Why bytes must not be written into a file from outside, as a clause; "" when they may (`core.provenance`)."""


class Change(Frozen, frozen=True):
    """Make ``path`` hold ``data`` (None: nothing) where the digest ``was`` (None: nothing), or a symbolic link that
    says ``was_link``, stands. ``break_links``: a file of its own, with the same bytes."""

    path: bytes
    data: bytes | None
    was: bytes | None = None
    was_link: bytes | None = None
    break_links: bool = False


class Plan(Frozen, frozen=True):
    """``what``: one clause of what is done, with names and counts, never content."""

    repair: str
    what: str
    changes: tuple[Change, ...]


class Unsafe(Frozen, frozen=True):
    """A fault that a fix exists for and that is not mended by a program, and why."""

    repair: str
    what: str
    why: str
    files: tuple[bytes, ...] = ()


def plans(workspace: Workspace, contents: Mapping[bytes, bytes], stamp: str, gate: Gate) -> list[Plan | Unsafe]:
    """In the order in which they are carried out. ``contents``: the bytes of the files at hand, those behind links
    included; ``stamp``: the time as part of a path."""
    found = [
        *_splits(workspace, contents, stamp, gate),
        *_cases(workspace, contents, gate),
        *_links(workspace, contents, gate),
        *_hard_links(workspace, contents),
    ]
    return [*_once(found)]


def _once(found: list[Plan | Unsafe]) -> Iterator[Plan | Unsafe]:
    """A file is in one plan only: the others would meet what the first one left."""
    taken: set[bytes] = set()
    for each in found:
        paths = {change.path for change in each.changes} if isinstance(each, Plan) else set()
        if paths & taken:
            why = "another fix changes the same file first: run it again afterwards"
            yield Unsafe(each.repair, each.what if isinstance(each, Plan) else "", why, tuple(sorted(paths)))
            continue
        taken |= paths
        yield each


# ------------------------------------------------------------------ two files for one


def _splits(workspace: Workspace, contents: Mapping[bytes, bytes], stamp: str, gate: Gate) -> Iterator[Plan | Unsafe]:
    seen: set[bytes] = set()
    for pair in misspelt(workspace):
        if not pair.is_split:
            continue
        if pair.is_alias:
            gone = Change(pair.name.path, None, was_link=pair.name.target)
            yield Plan(SPLIT, f"remove {shown(pair.name.path)}, a link to {shown(pair.wanted)}", (gone,))
            continue
        own, other = contents.get(pair.wanted), contents.get(pair.name.path)
        what = f"merge {shown(pair.name.path)} into {shown(pair.wanted)}"
        why = _why_no_merge(workspace, pair, own, other, seen)
        if not why and own is not None and other is not None:
            target = merged(own, other, shown(pair.name.path))
            why = gate(pair.wanted, target) if target != own else ""
            if not why:
                seen.add(pair.wanted)
                yield _merge(pair, own, other, target, what, stamp)
                continue
        yield Unsafe(SPLIT, what, why, (pair.wanted, pair.name.path))


def _why_no_merge(workspace: Workspace, pair: Pair, own: bytes | None, other: bytes | None, seen: set[bytes]) -> str:
    if pair.name.kind is not Kind.FILE or not can_be_merged(workspace, pair):
        return "only two files of notes at the top of a workspace of OpenClaw, or of no known agent, are merged"
    if pair.wanted in seen:
        return "one is merged at a time: run it again afterwards"
    if own is None or other is None:
        return "one of the two cannot be read"
    if max(len(own), len(other)) > MOST:
        return f"one of the two is over {MOST // (1024 * 1024)} MiB"
    wanted = workspace.entry(pair.wanted)
    is_one = wanted is not None and (wanted.device, wanted.inode) == (pair.name.device, pair.name.inode)
    if wanted is not None and wanted.nlink > 1 and not is_one:
        return f"{shown(pair.wanted)} has several hard links: mend those first"
    return why_not(own, other)


def _merge(pair: Pair, own: bytes, other: bytes, target: bytes, what: str, stamp: str) -> Plan:
    name = pair.name.path
    archive = ARCHIVE + stamp.encode() + b"/" + name
    before, after = (len(entry_table(data, b"").entries) for data in (own, target))
    changes = [Change(archive, other), Change(name, None, _digest(other))]
    if target != own:
        changes.insert(1, Change(pair.wanted, target, _digest(own)))
    added = after - before - 1
    new = f"{counted(added, 'entry', 'entries')} {verb(added, 'is', 'are')} new" if target != own else "nothing is new"
    return Plan(SPLIT, f"{what} ({new}), the original goes to {shown(archive)}", tuple(changes))


# ------------------------------------------------------------------ a wrong case


def _cases(workspace: Workspace, contents: Mapping[bytes, bytes], gate: Gate) -> Iterator[Plan | Unsafe]:
    taken: set[bytes] = set()
    for pair in misspelt(workspace):
        if pair.is_split:
            continue
        name, data = pair.name, contents.get(pair.name.path)
        what = f"rename {shown(name.path)} to {shown(pair.wanted)}"
        why = ""
        if name.kind is not Kind.FILE:
            why = "it is no file: rename it yourself"
        elif workspace.case_insensitive is not False:
            why = "upper and lower case are, or may be, one on this file system: rename it yourself, in two steps"
        elif pair.wanted in taken:
            why = f"several files would be {shown(pair.wanted)}: keep one"
        elif name.nlink > 1:
            why = "it has several hard links: mend those first"
        elif data is None:
            why = "it cannot be read"
        else:
            why = gate(pair.wanted, data)
        if why or data is None:
            yield Unsafe(CASE, what, why, (name.path,))
            continue
        taken.add(pair.wanted)
        digest = _digest(data)
        yield Plan(CASE, what, (Change(pair.wanted, data), Change(name.path, None, digest)))


# ------------------------------------------------------------------ links


def _links(workspace: Workspace, contents: Mapping[bytes, bytes], gate: Gate) -> Iterator[Plan | Unsafe]:
    for each in memory_links(workspace):
        what = f"make {shown(each.path)} a file of its own, with what {shown(each.target)} holds"
        data = contents.get(each.path)
        if each.leads is not Leads.FILE:
            why = "it leads to no file: remove or correct it yourself"
        elif not each.inside:
            why = "it leads out of the workspace: copy it yourself if that file is meant to be read by the agent"
        elif data is None:
            why = "what it leads to cannot be read, is too large, or belongs to another user"
        elif data and entry_table(data, b"").encoding is Encoding.BINARY:
            why = "what it leads to is no text"
        else:
            why = gate(each.path, data)
        if why or data is None:
            yield Unsafe(LINK, what, why, (each.path,))
        else:
            yield Plan(LINK, what, (Change(each.path, data, was_link=each.target),))


def _hard_links(workspace: Workspace, contents: Mapping[bytes, bytes]) -> Iterator[Plan | Unsafe]:
    done: set[tuple[int, int]] = set()
    for each in hard_linked(workspace):
        what = f"give {shown(each.path)} a copy of its own"
        data = contents.get(each.path)
        inside = 1 + len(each.others)
        if inside == each.nlink and (each.device, each.inode) in done:
            continue  # the last of its names needs no copy
        if data is None:
            yield Unsafe(HARD_LINK, what, "it cannot be read", (each.path,))
            continue
        done.add((each.device, each.inode))
        yield Plan(HARD_LINK, what, (Change(each.path, data, _digest(data), break_links=True),))


def _digest(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()

"""Names that no agent opens: a wrong case, two files for one, names that are not UTF-8. Pure.

Every file that an agent loads by its exact name counts, on file systems that tell cases apart and on those that do not.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from conductd.core.doctor.facts import Entry, Kind, Workspace
from conductd.core.doctor.finding import Check, Seen, fail, ok, unknown, warn
from conductd.core.doctor.links import names as listed
from conductd.core.doctor.links import shown
from conductd.core.spelling import spelt_alike_path
from conductd.model import Frozen, Role

SPLIT = "split_files"
CASE = "wrong_case"
# Known names for a workspace whose agent nobody knows.
GENERIC = ("MEMORY.md", "USER.md", "AGENTS.md", "CLAUDE.md", "GEMINI.md", "SOUL.md", "IDENTITY.md", "memory")


class Pair(Frozen, frozen=True):
    """``name`` stands where ``wanted`` is loaded. ``is_split``: that one is there as well."""

    name: Entry
    wanted: bytes
    is_split: bool
    by_listing: bool = False

    @property
    def is_alias(self) -> bool:
        """It only is a link to the one that is loaded."""
        return self.is_split and self.name.kind is Kind.LINK and self.name.real == self.wanted


def wanted_names(workspace: Workspace) -> tuple[str, ...]:
    """The names that agents open in this workspace, relative paths; known ones where no agent is known."""
    found: dict[str, None] = {}
    for agent in workspace.agents:
        found |= dict.fromkeys(agent.exact)
    if not found:
        found |= dict.fromkeys(GENERIC)
    directories = {name.rpartition("/")[0] for name in found} - {""}
    return (*found, *sorted(directories - found.keys()))


def misspelt(workspace: Workspace) -> Iterator[Pair]:
    """Each name in another case than the one that is loaded, once."""
    exact = {name.encode() for name in wanted_names(workspace)}
    by_listing = {name.encode() for agent in workspace.agents for name in agent.by_listing}
    folded = {spelt_alike_path(name): name for name in sorted(exact, reverse=True)}
    entries = workspace.entries or ()
    there = {each.path for each in entries}
    for each in entries:
        wanted = folded.get(spelt_alike_path(each.path))
        if wanted is None or each.path in exact or not _one_step(each.path, wanted):
            continue
        yield Pair(each, wanted, wanted in there, wanted in by_listing)


def _one_step(path: bytes, wanted: bytes) -> bool:
    """The misspelling is of the last part: what lies in a misspelt directory is told with it."""
    return path.rpartition(b"/")[0] == wanted.rpartition(b"/")[0]


def _case(workspace: Workspace) -> Iterator[Seen]:
    for pair in misspelt(workspace):
        if pair.is_split:
            continue
        name, wanted = shown(pair.name.path), shown(pair.wanted)
        rename = f"mv {name} {wanted}"
        is_file = pair.name.kind is Kind.FILE
        if workspace.case_insensitive:
            two_steps = f"mv {name} {name}.tmp && mv {name}.tmp {wanted}"
            told = fail if pair.by_listing else warn
            yield told(
                f"{name} is loaded as {wanted} only where cases are one: here it is", two_steps, (pair.name.path,)
            )
        elif workspace.case_insensitive is None:
            yield unknown(
                f"{name} should be {wanted}; whether cases are one here is not known", rename, (pair.name.path,)
            )
        else:
            fix = "conductd doctor --fix renames it" if is_file else rename
            yield fail(f"{name} is not loaded: the name is {wanted}", fix, (pair.name.path,), CASE if is_file else "")
    wrong = [each.path for each in workspace.entries or () if _is_wrong_ending(each)]
    if wrong:
        yield warn(f"not indexed, because their names do not end in .md: {listed(wrong)}", "rename them", wrong)


def _is_wrong_ending(each: Entry) -> bool:
    lower = each.path.lower()
    in_memory = lower.startswith(b"memory/")
    return each.kind is Kind.FILE and in_memory and lower.endswith(b".md") and not each.path.endswith(b".md")


def _split(workspace: Workspace) -> Iterator[Seen]:
    for pair in misspelt(workspace):
        if not pair.is_split:
            continue
        name, wanted = shown(pair.name.path), shown(pair.wanted)
        if pair.is_alias:
            yield warn(
                f"{name} is a link to {wanted}: who writes it anew makes a second file of it",
                "conductd doctor --fix removes the link",
                (pair.name.path,),
                SPLIT,
            )
            continue
        what = f"{wanted} and {name} stand side by side: only {wanted} is loaded"
        is_merged = pair.name.kind is Kind.FILE and can_be_merged(workspace, pair)
        if is_merged:
            fix = f"conductd doctor --fix merges it into {wanted} and keeps the original in an archive"
        else:
            fix = f"carry over by hand what {wanted} lacks, then remove {name}"
        yield fail(what, fix, (pair.wanted, pair.name.path), SPLIT if is_merged else "")
    yield from _twins(workspace)


def _twins(workspace: Workspace) -> Iterator[Seen]:
    """Further files that are one on a file system that tells neither cases nor Unicode forms apart."""
    told = {path for pair in misspelt(workspace) if pair.is_split for path in (pair.name.path, pair.wanted)}
    exact = {name.encode() for name in wanted_names(workspace)}
    groups: dict[str, list[bytes]] = {}
    for each in workspace.entries or ():
        if each.kind is Kind.FILE and each.role is not None and each.path not in told:
            groups.setdefault(spelt_alike_path(each.path), []).append(each.path)
    for group in groups.values():
        if len(group) > 1 and not exact.issuperset(group):
            yield warn(
                f"{listed(sorted(group))} differ only in case or in their Unicode form",
                "rename one: where they are copied to a file system that takes them for one, only one is left",
                sorted(group),
            )


def can_be_merged(workspace: Workspace, pair: Pair) -> bool:
    """Two files of notes become one; two sets of instructions are for a person to read. Where another agent than
    OpenClaw keeps its memory, the other file may be a topic that it reads by itself."""
    wanted = workspace.entry(pair.wanted)
    is_file = wanted is not None and wanted.kind is Kind.FILE
    is_curated = wanted is not None and wanted.role is Role.CURATED
    has_topics = bool(workspace.agents) and all(each.name != "openclaw" for each in workspace.agents)
    return is_file and is_curated and b"/" not in pair.wanted and not has_topics


def _unreadable_names(workspace: Workspace) -> Iterator[Seen]:
    bad, odd = [], []
    for each in workspace.entries or ():
        try:
            text = each.path.decode("utf-8")
        except UnicodeDecodeError:
            bad.append(each.path)
            continue
        if each.role is None and not each.path.startswith(b"memory/"):
            continue
        if any(unicodedata.category(letter) in ("Cc", "Cf") for letter in text) or text != text.strip():
            odd.append(each.path)
    if bad:
        yield warn(f"names that are not UTF-8: {listed(bad)}", "rename them, for example with convmv", bad)
    if odd:
        yield warn(f"names with control characters, or blanks at their ends: {listed(odd)}", "rename them", odd)
    if workspace.is_cut:
        yield unknown("there are more names than were looked at")
    elif not workspace.entries:
        yield ok("there is no file yet")


def _exists(workspace: Workspace) -> bool:
    return workspace.exists and workspace.is_directory


CHECKS: tuple[Check[Workspace], ...] = (
    Check(
        "split_files",
        "two files that differ only in the case of their names, such as `MEMORY.md` and `memory.md`",
        "Only one of the two is loaded; what is written to the other is never seen.",
        "no file has a twin of another case",
        _split,
        ("entries",),
        _exists,
    ),
    Check(
        "wrong_case",
        "files and directories that an agent loads by exact name and that are spelt in another case",
        "A file of another name is not loaded, or only on some machines.",
        "every name is spelt as it is loaded",
        _case,
        ("entries",),
        _exists,
    ),
    Check(
        "file_names",
        "names that are not UTF-8, or hold control characters",
        "Many programs cannot open, index or name such a file.",
        "every name is plain text",
        _unreadable_names,
        ("entries",),
        _exists,
    ),
)

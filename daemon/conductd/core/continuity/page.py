"""The page of one task: what the notes say of it, line by line with its place. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from datetime import date

from conductd.core.continuity.tasks import Said
from conductd.core.notes.quoter import Quoter
from conductd.core.notes.quoting import cut, harmless, unbold
from conductd.core.notes.source import Source
from conductd.model import Frozen

IN_PROGRESS, WAITING, DONE = "in progress", "waiting", "done"
VEILED = "A task whose name is withheld"
KEPT = "Kept by conductd from the notes: each line below is a quotation. What you write here yourself stays."
_STATES, _NEXT, _OTHERS = 4, 6, 5  # lines of a page
_STARTED = re.compile(r"^- Started: (\d{4}-\d{2}-\d{2})$", re.MULTILINE)
_SOURCE = re.compile(r'" \((?P<name>.+?):\d+\)$', re.MULTILINE)


class About(Frozen, frozen=True):
    """What stands on a page, beside what is quoted. ``name``: "" where it is told to nobody. ``earlier``: the page of
    the same task when it was finished before, "" for none."""

    name: str
    status: str
    started: date
    last_worked: date
    earlier: str = ""


def page(about: About, said: Sequence[Said], quoter: Quoter) -> str:
    """``said``: of the task, the newest note last. A field of which nothing is known is not there."""
    name = cut(unbold(harmless(about.name)).replace('"', "'"), 40) or VEILED
    newest = said[-1]
    lines = [f"# {name}", "", KEPT, ""]
    lines += _quoted("Name", [(newest.source, newest.named)], 1, quoter)
    lines += [f"- Status: {about.status}"]
    lines += _quoted("Said of it", [(each.source, each.status) for each in said if each.status], 1, quoter)
    lines += [f"- Started: {about.started.isoformat()}", f"- Last worked: {about.last_worked.isoformat()}"]
    lines += [f"- Finished before: {harmless(about.earlier)}"] if about.earlier else []
    lines += _quoted("Current state", _places(said, "state"), _STATES, quoter)
    lines += _quoted("Next action", [(newest.source, number) for number in newest.open], _NEXT, quoter)
    lines += _quoted("Decision", _places(said, "decisions"), _OTHERS, quoter)
    lines += _quoted("Context", _places(said, "context"), _OTHERS, quoter)
    return "\n".join(lines) + "\n"


def _places(said: Iterable[Said], field: str) -> list[tuple[Source, int]]:
    return [(each.source, number) for each in said for number in getattr(each, field)]


def _quoted(label: str, places: Sequence[tuple[Source, int]], most: int, quoter: Quoter) -> list[str]:
    """The last ones, in their order."""
    lines: list[str] = []
    for source, number in places[-most:] if label != "Next action" else places[:most]:
        quoted = quoter.quote(source, number)
        if quoted is not None:
            lines.append(f"- {label}: {quoted}")
    return lines


# --------------------------------------------------------------------------- what a page says


def started(text: str) -> date | None:
    """When the task of a page began, by the page."""
    found = _STARTED.search(text)
    try:
        return date.fromisoformat(found[1]) if found else None
    except ValueError:
        return None


def quoted_files(text: str) -> frozenset[str]:
    """Names of the files that a page quotes."""
    return frozenset(found["name"] for found in _SOURCE.finditer(text))


def without_quotations(data: bytes, names: Collection[str]) -> bytes | None:
    """A page, or another text made of quotations, without the lines that quote these files. None: the page is named by
    such a line, so that nothing of it may stay."""
    lines = data.decode("utf-8", "surrogateescape").split("\n")
    kept = []
    for line in lines:
        found = _SOURCE.search(line.rstrip("\r"))
        if found is None or found["name"] not in names:
            kept.append(line)
        elif line.startswith("- Name: "):
            return None
    return "\n".join(kept).encode("utf-8", "surrogateescape")

"""What the daemon told of what agents see, in the scenarios' words: from its events, as a user gets them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from scenarios.loads import UNITS

Json = Any
CLASSES = ("load_truncation", "near_limit", "not_loaded", "split_files", "pin_hidden")
_UNIT_WORDS = {"UTF-16 units": "utf16", "characters": "characters", "bytes": "bytes"}


class Told:
    """One finding as its event has it. `file`: where it lies now."""

    def __init__(self, event: Json, file: Path) -> None:
        self.event, self.facts, self.file = event, event["data"]["facts"], file

    def lines(self) -> list[int]:
        return [n for hole in self.facts.get("holes", []) for n in range(hole["first"], hole["last"] + 1)]

    def text_of(self, number: int) -> str:
        """What a person reads who looks the line up."""
        data = self.file.read_bytes().decode("utf-8", "replace").split("\n")
        return data[number - 1] if 0 < number <= len(data) else ""


def of_events(events: list[Json], place: Callable[[Json], Path]) -> list[Told]:
    """Those that began or were told again, newest first."""
    found = [
        Told(event, place(event))
        for event in events
        if event["kind"] == "event" and event["event_class"] in CLASSES and event["data"].get("facts")
    ]
    return [one for one in found if not one.facts.get("over")][::-1]


def _lost(what: str, which: Callable[[list[Any]], Any]) -> Callable[[Told], Any]:
    return lambda told: which([hole[what] for hole in told.facts.get("holes", [])] or [None])


def _has(at: int) -> Callable[[Told, Any], bool]:
    return lambda told, wanted: bool(told.lines()) and str(wanted) in told.text_of(told.lines()[at])


def _cause(told: Told, wanted: str) -> bool:
    facts = told.facts
    blamed = facts.get("grew") or facts.get("largest") or facts.get("name")
    return wanted == blamed or wanted in facts["reason"].split(" and ")


def _same(value: Callable[[Told], Any]) -> Callable[[Told, Any], bool]:
    return lambda told, wanted: bool(value(told) == wanted)


def _fact(name: str, otherwise: object = None) -> Callable[[Told, Any], bool]:
    return _same(lambda told: told.facts.get(name, otherwise))


def _limit(told: Told, wanted: int) -> bool:
    """Of the size, or of the lines."""
    return wanted in (told.facts.get("limit"), told.facts.get("lines_limit"))


def _size(told: Told, wanted: int) -> bool:
    return wanted in (told.facts.get("size", 0), told.facts.get("lines"))


def _headings(told: Told, wanted: list[str] | str) -> bool:
    lost = [section["heading"] for section in told.facts.get("sections", [])]
    return all(any(each in heading for heading in lost) for each in ([wanted] if isinstance(wanted, str) else wanted))


def _not_headings(told: Told, wanted: list[str] | str) -> bool:
    lost = [section["heading"] for section in told.facts.get("sections", [])]
    return not any(each in heading for heading in lost for each in ([wanted] if isinstance(wanted, str) else wanted))


def _pinned(told: Told, wanted: object) -> bool:
    lines = told.facts.get("pinned", [])
    return lines == wanted if isinstance(wanted, list) else len(lines) == wanted


def _unit(told: Told, wanted: str) -> bool:
    known = _UNIT_WORDS[told.facts["unit"]]
    return known == UNITS.get(wanted, wanted) or (wanted == "lines" and told.facts.get("lines") is not None)


FITS: dict[str, Callable[[Told, Any], bool]] = {
    "limit": _limit,
    "size": _size,
    "unit": _unit,
    "lost_from_unit": _same(_lost("start", min)),
    "lost_to_unit": _same(_lost("end", max)),
    "lost_units": _fact("lost", 0),
    "lost_size": _fact("lost", 0),
    "lost_lines": _fact("lost_lines", 0),
    "lost_from_line": _same(_lost("first", min)),
    "lost_to_line": _same(_lost("last", max)),
    "first_line": _same(_lost("first", min)),
    "last_line": _same(_lost("last", max)),
    "first_lost": _has(0),
    "last_lost": _has(-1),
    "headings": _headings,
    "lost_headings": _headings,
    "not_headings": _not_headings,
    "pinned": _pinned,
    "cause": _cause,
    "causes": lambda told, wanted: set(wanted) <= set(told.facts["reason"].split(" and ")),
    "grew": _fact("grew", ""),
    "largest": _fact("largest", ""),
    "by": _fact("writer", ""),
    "agent": _fact("agent"),
    "file": _fact("name", ""),
    "why": lambda told, wanted: str(wanted) in told.facts["reason"],
    "lines_limit": _fact("lines_limit"),
    "cut_inside_character": _fact("splits_character", False),
    "percent": lambda told, wanted: int(told.facts.get("share", 0) * 100) == wanted,
    "session": lambda told, wanted: wanted in told.facts.get("sessions", []),
}


def fitting(told: list[Told], wanted: dict[str, Any]) -> list[Told]:
    """Those of which all is true."""
    return [one for one in told if all(FITS[key](one, value) for key, value in wanted.items())]


def told_twice(told: list[Told]) -> list[str]:
    """States that were told more than once, though no new session came and they had not ended."""
    seen: set[tuple[object, ...]] = set()
    twice = []
    for one in told:
        facts = one.facts
        state = (one.event["workspace"], one.event["event_class"], facts["agent"], facts["name"], *facts["marks"])
        if facts.get("sessions"):
            state = (*state, *facts["sessions"])
        if state in seen:
            twice.append(one.event["text"])
        seen.add(state)
    return twice

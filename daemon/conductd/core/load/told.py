"""What a loader made of a workspace, as plain values: `conductd load --json`, and `GET /v1/load`. Pure."""

from __future__ import annotations

from typing import Any

from conductd.core.load.fixes import Fix, fixes, most
from conductd.core.load.holes import Hole, holes
from conductd.core.load.loaded import Cause, Load, LoadedFile
from conductd.core.tokens import estimate

Told = dict[str, Any]


def as_object(
    load: Load, chosen: tuple[list[LoadedFile], list[LoadedFile]], root: str, agent: str, said: list[str], text: bool
) -> Told:
    """Paths are text: bytes that are no UTF-8 become U+FFFD. ``text``: with the text of each file."""
    largest = most(load) if any(Cause.TOTAL in each.causes for each in load.files) else None
    return {
        "agent": agent,
        "version": load.version,
        "session": load.session,
        "workspace": plain(root),
        "unit": load.unit.value,
        "files": [_file(each, load, text) for each in chosen[0]],
        "left_out": [_left_out(each) for each in chosen[1]],
        "totals": {
            "raw": load.raw,
            "injected": load.injected,
            "counted": load.spent,
            "limit": load.limit,
            "truncated": load.truncated,
            "files": len(load.files),
            "largest": plain(largest.path) if largest else None,
            "tokens": _tokens("\n".join(each.text for each in load.files if each.text)),
        },
        "fixes": [_fix(each) for each in fixes(load)],
        "notes": [plain(note) for note in (*said, *load.notes)],
    }


def plain(text: str) -> str:
    """A path as text that can be sent: bytes that are no UTF-8 become U+FFFD."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _base(path: str) -> str:
    return plain(path.rpartition("/")[2])


def _file(file: LoadedFile, load: Load, text: bool) -> Told:
    told: Told = {
        "path": plain(file.path),
        "name": _base(file.path),
        "raw": file.raw,
        "injected": file.injected,
        "truncated": file.truncated,
        "causes": [cause.value for cause in file.causes],
        "limit": file.own_limit,
        "near_limit": file.is_near,
        "lines": file.lines or None,
        "lines_limit": file.lines_limit,
        "splits_character": file.splits,
        "why": file.why.value,
        "note": plain(file.note),
        "holes": [_hole(each) for each in holes(file, load.unit)],
        "tokens": _tokens(file.text),
    }
    if text:
        told["text"] = file.text
    return told


def _tokens(text: str | None) -> Told:
    found = estimate(text or "")
    return {"estimate": found.tokens, "low": found.low, "high": found.high}


def _left_out(file: LoadedFile) -> Told:
    return {
        "path": plain(file.path),
        "name": _base(file.path),
        "raw": file.raw,
        "why": file.why.value,
        "note": plain(file.note),
        "since": file.since or None,
        "session": file.session or None,
    }


def _hole(hole: Hole) -> Told:
    return {
        "first_line": hole.first,
        "last_line": hole.last,
        "size": hole.size,
        "start": hole.start,
        "end": hole.end,
        "quoted_lines": hole.quoted,
        "sections": [
            {
                "heading": each.heading,
                "first_line": each.first,
                "last_line": each.last,
                "whole": each.is_whole,
                "pinned": each.is_pinned,
            }
            for each in hole.sections
        ],
    }


def _fix(fix: Fix) -> Told:
    return {
        "cause": fix.cause.value,
        "path": plain(fix.path) or None,
        "over": fix.over,
        "frees": fix.freed,
        "enough": fix.is_enough,
        "move": [
            {
                "path": plain(each.path),
                "name": _base(each.path),
                "heading": each.heading,
                "first_line": each.first,
                "last_line": each.last,
                "size": each.size,
                "date": each.date or None,
                "pinned": each.is_pinned,
            }
            for each in fix.moves
        ],
    }

"""What a restore to a time does to each file."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from conductd.core.set_plan import SAVE_NS, Held, What, state_then, step
from conductd.model import Cause, FileState

NOW = 1_000 * SAVE_NS


def at(
    seq: int, digest: str | None, state: FileState = FileState.FILE, ns: int | None = None, cause: Cause = Cause.CHANGE
) -> Held:
    raw = digest.encode() if digest is not None else None
    moment = NOW + seq * 10 * SAVE_NS if ns is None else ns
    return Held(seq, moment, state, raw, len(digest or ""), cause)


def gone(seq: int, ns: int | None = None) -> Held:
    return at(seq, None, FileState.ABSENT, ns)


LINK = at(3, None, FileState.SYMLINK)


@dataclass(frozen=True)
class Row:
    name: str
    before: tuple[Held, ...]
    after: Held | None
    now: Held | None
    what: What | None
    exact: What | None = None
    refused: str = ""

    @property
    def removing(self) -> What | None:
        return self.exact or self.what


ROWS = [
    Row("as it was", (at(1, "a"),), None, at(1, "a"), What.UNCHANGED),
    Row("the same bytes again", (at(1, "a"),), at(2, "b"), at(3, "a"), What.UNCHANGED),
    Row("other bytes", (at(1, "a"),), at(2, "b"), at(2, "b"), What.CHANGED),
    Row("gone", (at(1, "a"),), gone(2), gone(2), What.CREATED),
    Row("of a directory that was replaced", (at(1, "a"),), None, None, What.CREATED),
    Row("came later", (), at(2, "b"), at(2, "b"), What.LEFT, What.REMOVED),
    Row("came later and went", (), at(2, "b"), gone(3), None),
    Row("was gone then and is back", (gone(2), at(1, "a")), at(3, "c"), at(3, "c"), What.LEFT, What.REMOVED),
    Row("was gone and is gone", (gone(2), at(1, "a")), None, gone(2), None),
    Row("first seen later", (), at(2, "b", cause=Cause.FIRST_SIGHT), at(2, "b"), What.UNKNOWN, What.UNKNOWN),
    Row("a link now", (at(1, "a"),), LINK, LINK, What.CHANGED, refused="it is a link now"),
    Row("a link then", (LINK,), at(4, "b"), at(4, "b"), What.CHANGED, refused="it was a link then"),
    Row("a link then and now", (LINK,), None, LINK, What.UNCHANGED),
    Row(
        "forgotten",
        (at(2, None), at(1, "a")),
        at(3, "b", ns=NOW + 20 * SAVE_NS + 1),
        at(3, "b"),
        What.CHANGED,
        refused="what it held then was forgotten",
    ),
    Row(
        "too large then",
        (at(1, "a", FileState.OVERSIZE),),
        at(2, "b"),
        at(2, "b"),
        What.CHANGED,
        refused="it was over the size limit then: its bytes were not kept",
    ),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_what_is_done_about_a_file(row: Row) -> None:
    found = step(row.before, row.after, row.now, exact=False)
    assert (found.what if found else None) == row.what
    assert (found.refused if found else "") == row.refused
    removing = step(row.before, row.after, row.now, exact=True)
    assert (removing.what if removing else None) == row.removing


@pytest.mark.parametrize("middle", [None, ""])
def test_the_middle_of_a_save_is_seen_through(middle: str | None) -> None:
    before = at(1, "a")
    state = FileState.ABSENT if middle is None else FileState.FILE
    empty = at(2, middle, state)
    soon, late = at(3, "c", ns=empty.at_ns + SAVE_NS), at(3, "c", ns=empty.at_ns + SAVE_NS + 1)
    assert state_then((empty, before), soon) == before
    assert state_then((empty, before), late) == empty
    assert state_then((empty, before), None) == empty
    assert state_then((empty,), soon) == empty
    assert state_then((empty, LINK), soon) == empty
    assert state_then((), soon) is None

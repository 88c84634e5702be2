"""A whole copy from before an overwrite is no home for what went; what was cut out and nothing else is moved."""

from __future__ import annotations

import pytest

from conductd.core.comparing.change import compare
from conductd.core.losses.spare_copies import Nearby, spare_copies
from conductd.core.policy import Thresholds
from conductd.core.reading.entries import entry_table
from conductd.model import Action, EventClass
from support.cases import KEY, judged, raw

NOTES = "".join(f"- note {n}: alpha{n} beta{n} gamma{n} delta{n}\n" for n in range(20))
WHOLE = "# Memory\n\n" + NOTES
FIRST, REST = WHOLE[: WHOLE.index("- note 12")], WHOLE[WHOLE.index("- note 12") :]
OTHER = "# Other\n\n- a text about nothing of the kind\n"


@pytest.mark.parametrize(
    ("now", "held", "is_spare"),
    [
        ("# M\n", WHOLE, True),
        ("# M\n\n- something new altogether\n", WHOLE, True),
        ("# M\n", WHOLE + OTHER, True),
        (FIRST, WHOLE, True),
        (FIRST, "# Memory\n\n" + REST, False),  # only what was cut out
        ("# Memory\n\n" + REST, FIRST, False),
        ("# M\n\nsee copy.md\n", WHOLE, False),  # it says where everything is
        ("# M\n", OTHER, False),
        (WHOLE.replace("- note 3: alpha3 beta3 gamma3 delta3\n", ""), WHOLE, False),  # a note that stands twice
    ],
)
def test_who_holds_the_whole_file_is_a_spare(now: str, held: str, is_spare: bool) -> None:
    old, new = entry_table(raw(WHOLE), KEY), entry_table(raw(now), KEY)
    change = compare(old, new)
    nearby = Nearby(b"sub/copy.md", frozenset(entry_table(raw(held), KEY).places))
    found = spare_copies(change, old, new, raw(now), [nearby], Thresholds())
    assert found == ((b"sub/copy.md",) if is_spare else ())


def test_an_overwrite_beside_a_spare_is_one_like_any_other() -> None:
    found = judged(b"MEMORY.md", WHOLE, "# M\n", spare=(b"a.md",))
    assert (found.event_class, found.action) == (EventClass.OVERWRITE, Action.REVERT)
    assert found.facts["spare_copies"] == 1

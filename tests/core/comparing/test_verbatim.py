"""A note that more was written into is still there."""

from __future__ import annotations

import pytest

from conductd.core.comparing.change import compare
from conductd.core.reading.entries import entry_table
from support.cases import KEY

MIXED = "- restic の retry が 67 回で止まる、because the queue on lab-two was full"


@pytest.mark.parametrize(
    ("old", "new", "lost"),
    [
        (MIXED, f"{MIXED}; Harbour Print的发票EN-6589到了，当天已经付清", False),
        (MIXED, f"- 昨日わかったこと: {MIXED[2:]}", False),
        (MIXED, "- restic の retry が 5 回で止まる、see the list of last week and ask Femi about it", True),
        (
            "- heron is the staging host",
            "- heron is the staging host and egret is the production host of all teams",
            False,
        ),
    ],
)
def test_within_a_longer_one(old: str, new: str, lost: bool) -> None:
    change = compare(entry_table(f"{old}\n".encode(), KEY), entry_table(f"{new}\n".encode(), KEY))
    assert (bool(change.lost) or change.weight_lost > 0) is lost

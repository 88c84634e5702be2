"""A lease excuses the versions that were written while it stood, and nobody who is known to be somebody else."""

from __future__ import annotations

import msgspec
import pytest

from conductd.core.case import Write
from conductd.model import Verdict
from support.cases import judged, written

OLD = "# Memory\n" + "".join(f"- note {n}: ka{n} ro{n % 7}le{n} si{n}\n" for n in range(1, 41))
SHRUNK = "".join(OLD.splitlines(keepends=True)[:31])
GONE = "gone\n"


def under(write: Write) -> Write:
    return msgspec.structs.replace(write, leased=True)


def verdict(*versions: Write) -> tuple[str, str, str]:
    found: Verdict = judged(b"MEMORY.md", OLD, *versions)
    return found.event_class, found.action, found.rule


@pytest.mark.parametrize(
    ("writer", "wanted"),
    [
        ("unknown", ("overwrite", "record", "lease")),
        ("human:vim", ("overwrite", "record", "human")),
        ("agent:main", ("overwrite", "propose", "stand-in")),
        ("cron:nightly", ("overwrite", "propose", "stand-in")),
        ("sync:dropbox", ("overwrite", "propose", "stand-in")),
    ],
)
def test_who_wrote_under_a_lease_counts(writer: str, wanted: tuple[str, str, str]) -> None:
    found = verdict(under(written(100, GONE, by=writer)))
    assert found[:2] == wanted[:2]
    if wanted[1] == "record":
        assert found[2] == wanted[2]


def test_the_deletion_of_a_leased_file_is_its_persons_and_an_agents_is_not() -> None:
    assert verdict(under(written(100, None))) == ("deletion", "record", "lease")
    assert verdict(under(written(100, None, by="agent:main")))[:2] == ("deletion", "propose")


def test_what_was_lost_before_the_lease_began_is_not_excused() -> None:
    before, after = written(100, GONE), under(written(101, GONE + "- a line of my own about tea\n", at_s=60))
    assert verdict(before, after)[:2] == ("overwrite", "merge")


def test_what_was_lost_after_it_ended_is_not_excused() -> None:
    mine, later = under(written(100, SHRUNK)), written(101, GONE, at_s=3600)
    found = verdict(mine, later)
    assert found[0] == "overwrite"
    assert found[1] in ("revert", "merge")


def test_only_the_part_that_was_lost_under_the_lease_is_excused() -> None:
    """A person cut ten entries; later somebody takes three more away: that is a small edit."""
    lines = SHRUNK.splitlines(keepends=True)
    mine, later = under(written(100, SHRUNK)), written(101, "".join(lines[:28]), at_s=3600)
    assert verdict(mine, later)[1] == "record"


def test_a_stale_copy_that_an_agent_writes_into_a_leased_file_is_proposed() -> None:
    mine = under(written(100, OLD + "- my own line about the harbour wall\n", by="human:vim"))
    stale = under(written(101, OLD + "- the agent's line about the deploy key\n", at_s=5, by="agent:main"))
    found = verdict(mine, stale)
    assert found[:2] == ("lost_update", "propose")

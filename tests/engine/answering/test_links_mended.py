"""A file that was replaced by a link, and is a file again with what it held: its incident is over."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.conftest import notes
from support.daemon import Daemon


@pytest.mark.parametrize("how", ["same", "more"])
@pytest.mark.parametrize("target", ["kept.txt", "nowhere.txt"])
def test_the_debt_of_a_link_is_paid_by_the_file_it_was(daemon: Daemon, workspace: Path, how: str, target: str) -> None:
    user = workspace / "USER.md"
    user.write_text(notes(101, 120))
    daemon.settle()
    outside = workspace.parent / target
    if target == "kept.txt":
        outside.write_text(notes(101, 120))
    user.unlink()
    user.symlink_to(outside)
    daemon.settle()
    (incident,) = daemon.api.get("/v1/incidents")
    assert incident["event_class"] == "symlink_change"
    user.unlink()
    user.write_text(notes(101, 120) + ("- more that was learned\n" if how == "more" else ""))
    daemon.settle()
    assert not user.is_symlink()
    assert [each["state"] for each in daemon.api.get("/v1/incidents")] == ["resolved"]

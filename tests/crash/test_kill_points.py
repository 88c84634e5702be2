"""The daemon is killed at every named place of a repair, started again, and has to end well."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from conductd.repair import killpoints
from crash import survey
from support.api import ApiError
from support.daemon import Daemon

NOTES = "# Memory\n\n" + "".join(f"- rule {number}: never touch account {number * 7}\n" for number in range(400))
STUB = "# Memory\n"
RACING = NOTES + "- typed by a person at that very moment\n"


@dataclass(frozen=True)
class Situation:
    """How a repair that passes the point comes about: what is set up, what destroys it, what must be in the end.

    `after_undo`: the point is passed when a restore that had created the file is undone.
    """

    prepare: Callable[[Path], None]
    destroy: Callable[[Path], None]
    whole_before_restart: bool = True
    racing: str | None = None
    after_undo: bool = False


def _nothing(_: Path) -> None:
    pass


def _hard_link(file: Path) -> None:
    (file.parent.parent / "twin.md").hardlink_to(file)


def _overwrite(file: Path) -> None:
    file.write_text(STUB)


def _delete(file: Path) -> None:
    file.unlink()


SITUATIONS = {
    "temp": Situation(_nothing, _overwrite),
    "swap": Situation(_nothing, _overwrite),
    # The exchange comes too late: somebody saves between the last look and the exchange.
    "undo": Situation(_nothing, _overwrite, racing="swap.checked"),
    "create": Situation(_nothing, _delete),
    "remove": Situation(_nothing, _delete, after_undo=True),
    # Two names for one file: a swap would split them. Readers may see a torn file until recovery.
    "in_place": Situation(_hard_link, _overwrite, whole_before_restart=False),
    "engine": Situation(_nothing, _overwrite),
}


@pytest.mark.parametrize(
    "name",
    [
        name
        for name in killpoints.NAMES
        if name not in (*killpoints.FORGETTING, *killpoints.COLLECTING, *killpoints.SETS)
    ],
)
def test_killed_at_a_place_of_a_repair_ends_well(name: str, tmp_path: Path) -> None:
    situation = SITUATIONS[name.partition(".")[0] if "." in name else "engine"]
    workspace = tmp_path / "ws"
    workspace.mkdir()
    file, bystander = workspace / "MEMORY.md", workspace / "USER.md"
    file.write_text(NOTES)
    bystander.write_text("# User\n\n- likes tea\n")
    situation.prepare(file)

    daemon = Daemon(tmp_path / "d", [workspace])
    with daemon.ended_at_exit():
        write_at = {situation.racing: (file, RACING.encode())} if situation.racing else {}
        daemon.start(kill_at=name, write_at=write_at)
        daemon.sync()
        situation.destroy(file)
        recorded = survey.acknowledged(daemon, file)
        assert len(recorded) >= 2, "the loss is recorded before anything else happens"
        _until_killed(daemon, situation)

        if situation.whole_before_restart and file.exists():
            assert file.read_text() in (NOTES, STUB, RACING), "a reader sees a torn file"

        daemon.start()
        survey.assert_durable(daemon, file, recorded)
        daemon.settle()
        _assert_ended_well(daemon, situation, file, bystander)
        once = survey.picture(daemon, workspace)

        daemon.kill()
        daemon.start()
        daemon.settle()
        assert survey.picture(daemon, workspace) == once, "a second recovery changed something"


def _until_killed(daemon: Daemon, situation: Situation) -> None:
    """Let the repair happen; the process must die at the point."""
    try:
        daemon.settle()
        if situation.after_undo:
            daemon.api.post("/v1/undo", {})
            daemon.settle()
    except (OSError, ApiError):
        # It died while we asked.
        pass
    assert daemon.wait_for_exit() == -signal.SIGKILL


def _assert_ended_well(daemon: Daemon, situation: Situation, file: Path, bystander: Path) -> None:
    if situation.after_undo:
        assert not file.exists(), "the undo was asked for and is done once"
    elif situation.racing is not None:
        assert file.read_text() == RACING, "what a person saved at that moment is lost"
    else:
        assert file.read_text() == NOTES
    assert bystander.read_text() == "# User\n\n- likes tea\n"
    left = [name for name in os.listdir(file.parent) if name not in ("MEMORY.md", "USER.md")]
    assert not left, f"left behind: {left}"
    survey.assert_every_write_was_planned(daemon, file.parent)
    survey.assert_whole_store(daemon)

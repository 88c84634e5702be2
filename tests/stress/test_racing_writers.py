"""Programs that save while the daemon repairs: whatever one of them left for a while is never lost."""

from __future__ import annotations

import hashlib
import random
import threading
from pathlib import Path

import pytest

from support.daemon import Daemon

RULES = "# Memory\n\n" + "".join(f"- rule {number}: never touch account {number * 7}\n" for number in range(40))
SAVES = 60


def _save(file: Path, data: bytes, dice: random.Random) -> None:
    """In place, or by rename, as programs do."""
    if dice.random() < 0.5:
        file.write_bytes(data)
    else:
        beside = file.with_name(f".save-{dice.randrange(1 << 30)}")
        beside.write_bytes(data)
        beside.replace(file)


@pytest.mark.parametrize("seed", [3, 7])
def test_every_state_that_stayed_is_recorded_while_repairs_go_on(seed: int, tmp_path: Path) -> None:
    """One writer destroys and adds without end; the clock moves so that repairs fall between its saves."""
    dice = random.Random(seed)
    workspace = tmp_path / "ws"
    workspace.mkdir()
    file = workspace / "MEMORY.md"
    file.write_text(RULES)
    stayed: list[bytes] = []

    with Daemon(tmp_path / "d", [workspace]) as daemon:
        moving = threading.Event()

        def move_the_clock() -> None:
            while not moving.wait(0.02):
                daemon.advance(120)

        clock = threading.Thread(target=move_the_clock)
        clock.start()
        try:
            for number in range(SAVES):
                text = f"# Memory\n\n- note {number} was written by a program just now\n"
                data = (text if dice.random() < 0.5 else RULES + text).encode()
                _save(file, data, dice)
                # The state has been there for 50 ms, or somebody (the daemon) has already changed it.
                if dice.random() < 0.7:
                    threading.Event().wait(0.06)
                    stayed.append(data)
        finally:
            moving.set()
            clock.join()
        daemon.settle()
        recorded = {version["digest"] for version in daemon.versions(file)}
        missing = [data for data in stayed if hashlib.sha256(data).hexdigest() not in recorded]
        assert not missing, f"{len(missing)} of {len(stayed)} states were overwritten unrecorded: {missing[0]!r}"
        assert not [path.name for path in workspace.iterdir() if path != file]
        daemon.assert_no_traceback()

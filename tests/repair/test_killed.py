"""Killed at every named place, a repair leaves a whole file, and is then done once or not at all."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from conductd.model import RepairPlanRecord
from conductd.repair import killpoints
from conductd.repair.apply import apply
from conductd.repair.order import Applied, Order
from conductd.repair.recover import Recovery, Step, decide, inspect, remove_leftover
from repair.killed_repair import CASES, FILE, NEWER, OLD, STUB, TEMP, digest, order_of

DAEMON = Path(__file__).parents[2] / "daemon"

_TEMP = [name for name in killpoints.NAMES if name.startswith("temp.")]
POINTS: dict[str, list[str]] = {
    "swap": _TEMP + [name for name in killpoints.NAMES if name.startswith("swap.")],
    "undo": [name for name in killpoints.NAMES if name.startswith("undo.")] + ["swap.exchanged", "swap.looked"],
    "create": _TEMP + [name for name in killpoints.NAMES if name.startswith("create.")],
    "remove": [name for name in killpoints.NAMES if name.startswith("remove.")],
    "in_place_longer": [name for name in killpoints.NAMES if name.startswith("in_place.")],
    "in_place_shorter": [name for name in killpoints.NAMES if name.startswith("in_place.")],
}


def test_every_named_place_is_tried() -> None:
    """But the engine's, which have no dot (tests/crash kills a whole daemon there), forgetting's and gc's."""
    of_repair = set(killpoints.NAMES) - set(killpoints.FORGETTING) - set(killpoints.COLLECTING)
    assert {name for points in POINTS.values() for name in points} == {name for name in of_repair if "." in name}


def read(path: Path) -> bytes | None:
    return path.read_bytes() if path.exists() else None


def recover(root: Path, case: str) -> Recovery:
    """What the engine does at start, without its journal."""
    judged, target, in_place = CASES[case]
    plan = RepairPlanRecord("w" * 32, 1, FILE, "repair", digest(judged), digest(target), TEMP)
    recovery = decide(plan, target, judged, inspect(os.fsencode(root), FILE, TEMP))
    remove_leftover(os.fsencode(root), FILE, TEMP)
    order = order_of(case, os.fsencode(root))
    if recovery.step is Step.AGAIN:
        outcome = apply(Order(order.root, FILE, recovery.expect, target, TEMP, force_in_place=in_place))
    elif recovery.step is Step.GIVE_BACK:
        outcome = apply(Order(order.root, FILE, recovery.expect, recovery.rescued, TEMP))
    else:
        return recovery
    assert isinstance(outcome, Applied)
    if outcome.late is not None:
        outcome.late.close()
    return recovery


@pytest.mark.parametrize(("case", "point"), [(case, point) for case in POINTS for point in POINTS[case]])
def test_killed_there(tmp_path: Path, case: str, point: str) -> None:
    if case.startswith("in_place") and sys.platform != "linux":
        pytest.skip("a write in place needs Linux's leases")
    judged, target, in_place = CASES[case]
    file = tmp_path / os.fsdecode(FILE)
    if judged is not None:
        file.write_bytes(judged)
    script = Path(__file__).with_name("killed_repair.py")
    killed = subprocess.run(
        [sys.executable, script, tmp_path, case, point], env={**os.environ, "PYTHONPATH": str(DAEMON)}, check=False
    )
    assert killed.returncode == -signal.SIGKILL, "the place was not reached"

    found = read(file)
    if case == "undo":
        assert found in (OLD, NEWER)
        assert NEWER in (found, read(tmp_path / os.fsdecode(TEMP)))
    elif not in_place:
        assert found in (judged, target)

    recovery = recover(tmp_path, case)
    wanted = NEWER if case == "undo" else target
    assert read(file) == wanted
    assert {path.name for path in tmp_path.iterdir()} <= {os.fsdecode(FILE)}
    again = recover(tmp_path, case)
    assert again.step in (Step.DONE, Step.SUPERSEDED)
    assert read(file) == wanted
    assert (recovery.rescued is not None) == (recovery.step is Step.GIVE_BACK)


def test_the_two_texts_differ_in_every_page() -> None:
    assert OLD[: len(STUB)] != STUB

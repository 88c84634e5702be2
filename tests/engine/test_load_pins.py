"""`conductd load` asks a running daemon what is pinned."""

from __future__ import annotations

import json
from pathlib import Path

from support.daemon import Daemon


def section(day: int) -> str:
    entries = "\n".join(f"- day {day} says something of its own about number {day * 100 + n}" for n in range(40))
    return f"## 2026-03-{day:02}\n\n{entries}\n"


def test_what_a_person_pinned_leaves_last(daemon: Daemon, workspace: Path) -> None:
    soul = workspace / "SOUL.md"
    soul.write_text("# Soul\n\n" + "\n".join(map(section, range(1, 16))))
    daemon.settle()
    assert daemon.cli("pin", f"{soul}:5").exit_code == 0

    def moved() -> list[str]:
        ran = daemon.cli("load", "--json", "--agent", "openclaw", "--workspace", str(workspace))
        assert ran.exit_code == 0, ran
        return [each["heading"] for each in json.loads(ran.output)["fixes"][0]["move"]]

    assert moved()[0] == "2026-03-02"
    assert daemon.cli("unpin", f"{soul}:5").exit_code == 0
    assert moved()[0] == "2026-03-01"

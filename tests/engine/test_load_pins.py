"""`conductd load` asks a running daemon what is pinned."""

from __future__ import annotations

import json
from pathlib import Path

from support.daemon import Daemon

BODY = "\n".join(f"- an entry of this day that says something, number {n}" for n in range(40))


def test_what_a_person_pinned_leaves_last(daemon: Daemon, workspace: Path) -> None:
    memory = workspace / "SOUL.md"
    memory.write_text("# Memory\n\n" + "\n".join(f"## 2026-03-{day:02}\n\n{BODY}\n" for day in range(1, 16)))
    daemon.settle()
    assert daemon.cli("pin", f"{memory}:5").exit_code == 0

    def moved() -> list[str]:
        ran = daemon.cli("load", "--json", "--agent", "openclaw", "--workspace", str(workspace))
        assert ran.exit_code == 0, ran
        return [each["heading"] for each in json.loads(ran.output)["fixes"][0]["move"]]

    assert moved()[0] == "2026-03-02"
    assert daemon.cli("unpin", f"{memory}:5").exit_code == 0
    assert moved()[0] == "2026-03-01"

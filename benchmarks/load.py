"""`conductd load` as a whole process, on workspaces of 20 files, beside an interpreter that does nothing."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks.figures import Figure, number
from benchmarks.rig import Rig
from benchmarks.session import Session

LIMIT_MS = 150.0
_ROOT = ("AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md", "USER.md", "HEARTBEAT.md", "BOOTSTRAP.md", "MEMORY.md")
_OWN = """
[[agents]]
name = "own"
per_file = 9000
total = 60000
keep = "head-tail"
head = 0.7
tail = 0.2
steps = [{ names = ["**/*.md"] }]
"""


def run(session: Session) -> Iterator[Figure]:
    with session.directory("load") as directory:
        workspace = directory / "ws"
        _fill(workspace)
        config = directory / "own.toml"
        config.write_text(_OWN)
        environment = {**os.environ, "HOME": str(directory), "CONDUCTD_SOCKET": str(directory / "none.sock")}
        yield _figure(session, "OpenClaw", ("openclaw", str(workspace)), environment)
        yield _figure(session, "Claude Code", ("claude-code", str(workspace)), environment)
        yield _figure(
            session, "a configured agent", ("own", str(workspace)), {**environment, "CONDUCTD_CONFIG": str(config)}
        )
        (directory / "rig").mkdir()
        with Rig(directory / "rig", [workspace]) as rig:
            yield _figure(session, "OpenClaw, with a daemon's pins", ("openclaw", str(workspace)), rig.environment)


def _fill(workspace: Path) -> None:
    """Eight files of the root, twelve of memory and rules; the root's together over every limit."""
    section = "## 2026-03-{day:02} note\n\n" + "- the gateway answers on the second port when the first is taken\n" * 12
    text = "\n".join(section.format(day=day) for day in range(1, 29))
    names = [*_ROOT, *(f"memory/2026-03-{day:02}.md" for day in range(1, 7))]
    names += [f".claude/rules/rule-{count}.md" for count in range(5)] + ["CLAUDE.md"]
    for name in names:
        path = workspace / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# {name}\n\n{text}")


def _figure(session: Session, what: str, asked: tuple[str, str], environment: Mapping[str, str]) -> Figure:
    agent, workspace = asked
    command = [sys.executable, "-m", "conductd", "load", "--agent", agent, "--workspace", workspace]
    ours, peers = [], []
    for _ in range(session.choose(5, 1)):
        times = session.choose(12, 2)
        ours.append(_median(command, environment, times))
        peers.append(_median([sys.executable, "-c", "pass"], environment, times))
    peer = statistics.median(peers)
    median = statistics.median(ours)
    return Figure(
        f"conductd load, 20 files, {what}, whole process",
        tuple(ours),
        "ms",
        f"≤ {number(LIMIT_MS)} ms",
        median <= LIMIT_MS,
        f"python -c pass {number(peer)} ms",
        median / peer,
    )


def _median(command: Sequence[str], environment: Mapping[str, str], times: int) -> float:
    taken = []
    for _ in range(times):
        begun = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True, env=dict(environment))
        taken.append((time.perf_counter() - begun) * 1e3)
    return statistics.median(taken)

"""The benchmarks work: two cheap ones run to their end on a real daemon. What they measure is asserted nowhere."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_CHECKOUT = Path(__file__).resolve().parents[2]


def _run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "benchmarks", *arguments], cwd=_CHECKOUT, capture_output=True, text=True, timeout=110
    )


def test_a_quick_run_prints_every_figure_with_its_target_and_result() -> None:
    done = _run("--quick", "capture", "status")
    assert done.returncode == 0, done.stderr
    lines = [line for line in done.stdout.splitlines() if "target" in line]
    assert len([line for line in lines if line.startswith("capture")]) == 2
    assert len([line for line in lines if line.startswith("status")]) == 1
    assert all("PASS" in line or "MISS" in line for line in lines)


def test_an_unknown_name_is_refused_with_those_there_are() -> None:
    done = _run("nonsense")
    assert done.returncode == 2
    assert "latency" in done.stderr


def test_every_benchmark_says_what_it_measures() -> None:
    done = _run("--list")
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 15
    assert all(len(line.split()) > 3 for line in done.stdout.splitlines())

"""A configuration that protects less than at the last start is told, once."""

from __future__ import annotations

from pathlib import Path

from support.daemon import Daemon


def told(daemon: Daemon) -> list[str]:
    return [one["text"] for one in daemon.events(kind="notice") if "configuration protects less" in one["text"]]


def restart(daemon: Daemon, config: str) -> None:
    daemon.stop()
    daemon.config_path.write_text(config)
    daemon.start()


def test_a_weaker_configuration_is_told_once_with_the_keys_that_changed(daemon: Daemon) -> None:
    assert not told(daemon)
    restart(daemon, 'replaceable = ["memory/plan.md"]\nthresholds.shrink_share = 0.5\n')
    (text,) = told(daemon)
    assert "replaceable (1 added)" in text
    assert "thresholds.shrink_share (0.15 -> 0.5)" in text
    assert "plan" not in text
    restart(daemon, 'replaceable = ["memory/plan.md"]\nthresholds.shrink_share = 0.5\n')
    assert len(told(daemon)) == 1


def test_a_stronger_one_is_on_record_and_not_told(daemon: Daemon, workspace: Path) -> None:
    restart(daemon, "thresholds.shrink_share = 0.05\n")
    assert not told(daemon)
    decided = [one for one in daemon.events(kind="decision") if one["data"]["decision"] == "settings"]
    assert len(decided) == 2
    assert "thresholds.shrink_share: 0.15 -> 0.05" in decided[-1]["text"]
    assert decided[-1]["data"]["caller"]

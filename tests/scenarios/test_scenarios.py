"""Behaviour by example: every scenario, against a real daemon process."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from scenarios import channels, config, language, needs
from scenarios.checks import Checks
from scenarios.language import Folder, Scenario
from scenarios.manager import Manager
from scenarios.steps import Player
from support.daemon import Daemon
from support.receiver import Receiver


@pytest.fixture
def receiving() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@pytest.mark.timeout(180)
def test_scenario(
    scenario: Scenario,
    tmp_path: Path,
    pytestconfig: pytest.Config,
    record_property: Callable[[str, object], None],
    receiving: ExitStack,
) -> None:
    missing = needs.of_scenario(scenario)
    if missing and not pytestconfig.getoption("--try-needs", default=False):
        pytest.skip(f"needs: {', '.join(missing)}")

    scenario_config = language.setup_of(scenario).get("config", {})
    understood = {key: value for key, value in scenario_config.items() if key in config.PRODUCT_KEYS}
    folder = Folder(tmp_path / "ws")
    roots = config.workspaces_of(scenario_config, folder.root)
    receiver = receiving.enter_context(Receiver()) if channels.wants_channels(scenario) else None
    daemon = Daemon(
        tmp_path / "d",
        roots,
        config=config.product_config(understood, roots, language.paths_of(scenario))
        + (channels.config(receiver) if receiver is not None else ""),
        jobs=tuple(config.jobs_of(understood).values()),
    )

    if "env" in scenario_config:
        daemon.bare(scenario_config["env"])
    if "cwd" in scenario_config:
        daemon.cwd = Path(scenario_config["cwd"])
    manager = None
    if "watchdog_sec" in scenario_config:
        manager = Manager(tmp_path / "notify", scenario_config["watchdog_sec"])
        daemon.environment |= manager.environment

    def check_at(label: str | None) -> None:
        for expectation in scenario["expect"]:
            if expectation.get("when") != label:
                continue
            part = needs.of_check(expectation)
            if part is not None:
                record_property("needs", f"{part}: {expectation}")
            else:
                checks.check(expectation)

    player = Player(scenario, folder, daemon, check_at)
    checks = Checks(folder, daemon, player, scenario_config, receiver)
    with daemon.ended_at_exit():
        player.play()
        check_at(None)
        daemon.assert_no_traceback()
    if manager is not None:
        manager.close()
        assert "WATCHDOG=1" in manager.heard
        assert manager.kills == 0
    # Kept only for a person who looks at a failure: a burst leaves forty thousand files.
    shutil.rmtree(folder.root)

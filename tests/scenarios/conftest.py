"""Which scenarios are run: the project's own files, or any other file or directory in the same language."""

from __future__ import annotations

from pathlib import Path

import pytest

from scenarios import language

OWN = Path(__file__).parent


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("scenarios")
    group.addoption("--scenarios", metavar="DIR_OR_FILE", help="play the scenarios of this file or directory instead")
    group.addoption("--try-needs", action="store_true", help="play scenarios that need a part not built yet as well")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "scenario" in metafunc.fixturenames:
        # The options exist only where this file is loaded before the command line is read.
        source = Path(metafunc.config.getoption("--scenarios", default=None) or OWN)
        scenarios = language.load(source)
        if not scenarios:
            raise pytest.UsageError(f"no scenarios in {source}")
        metafunc.parametrize("scenario", scenarios, ids=[str(scenario["id"]) for scenario in scenarios])

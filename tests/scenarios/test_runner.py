"""The runner's own small parts: durations, counts, the config table, the table of missing parts."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from scenarios import config, language, needs
from scenarios.checks import counted
from scenarios.conftest import OWN
from scenarios.steps import milliseconds

# The scenarios that have to be played as things are built; the rest may name what they wait for.
PLAYED = {
    *("A01", "A02", "A04", "C02", "C04", "C05", "D02", "D04", "E01", "E02", "E03", "E04"),
    *("H02", "I01", "I02", "K01", "K02", "K06", "K09", "K11"),
}


def test_durations_have_units() -> None:
    spoken = ("40", "250ms", "45s", "18m", "12h", "365d", 1500)
    assert [milliseconds(one) for one in spoken] == [40, 250, 45_000, 1_080_000, 43_200_000, 31_536_000_000, 1500]
    with pytest.raises(ValueError, match="no duration"):
        milliseconds("soon")


def test_counts_are_exact_or_bounds() -> None:
    assert [counted(2, wanted) for wanted in (2, "2", ">=2", "<=2")] == [True] * 4
    assert [counted(2, wanted) for wanted in (1, ">=3", "<=1")] == [False] * 3


def test_the_config_table_writes_toml() -> None:
    text = config.product_config(
        {
            "retention_jobs": [{"match": "memory/archive/**", "actor": "cron:tidy"}],
            "consolidators": [{"actor": "cron:dreaming", "max_net_loss": 0.25}],
            "replaceable": ['ODD "NAME".md', "記憶.md"],
            "workspaces": ["w1"],
        }
    )
    assert tomllib.loads(text) == {
        "replaceable": ['ODD "NAME".md', "記憶.md"],
        "retention_jobs": [{"match": "memory/archive/**", "actor": "cron:tidy"}],
        "consolidators": [{"actor": "cron:dreaming", "max_net_loss": 0.25}],
    }


def test_the_protected_roots_are_the_folder_or_those_named() -> None:
    assert config.workspaces_of({}, Path("/s")) == [Path("/s")]
    assert config.workspaces_of({"workspaces": ["a", "b"]}, Path("/s")) == [Path("/s/a"), Path("/s/b")]


def test_no_scenario_that_must_be_played_is_marked() -> None:
    marked = {scenario["id"]: needs.of_scenario(scenario) for scenario in language.load(OWN)}
    assert marked.keys() >= PLAYED
    assert {name: missing for name, missing in marked.items() if missing and name in PLAYED} == {}


def test_only_one_check_of_the_played_scenarios_is_left_open() -> None:
    left_open = {
        (scenario["id"], needs.of_check(expectation))
        for scenario in language.load(OWN)
        if scenario["id"] in PLAYED
        for expectation in scenario["expect"]
        if needs.of_check(expectation) is not None
    }
    assert left_open == {("I02", "guard")}


def test_scenarios_of_a_directory_are_read_like_those_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "more.yaml").write_text("schema: 1\nscenarios:\n- {id: K99}\n")
    (tmp_path / "other.yaml").write_text("something: else\n")
    assert [scenario["id"] for scenario in language.load(tmp_path)] == ["K99"]

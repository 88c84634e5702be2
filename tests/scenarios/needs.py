"""What a scenario needs that is not built yet, by feature and not by id.

A scenario is never deleted or weakened: it is skipped with the name of the missing part, or, when
only one of its checks asks for that part, plays with that check left open and named. Building a
part means deleting its lines here. Other files in the same language are marked by the same table.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from scenarios import config
from scenarios.checks import KNOWN_NEVER, KNOWN_REPORTS
from scenarios.language import Scenario, Step, check_of, flat_steps, operation_of, setup_of

STEPS = {
    "guard": "guard",
    "jsonl": "transcripts",
}
CONFIG_KEYS = {
    "context_window": "transcripts",
}
CLASSES = {
    "context_pressure": "transcripts",
}
COMMANDS = {"pin": "pins"}
FAULTS = {"short_write": "a writer's own failure", "eacces": "a writer's own failure"}


def of_scenario(scenario: Scenario) -> list[str]:
    """The missing parts without which the scenario cannot be played at all."""
    return sorted({*_of_config(setup_of(scenario).get("config", {})), *_of_steps(scenario), *_of_classes(scenario)})


def of_check(expectation: dict[str, Any]) -> str | None:
    """The missing part without which this one check cannot be made."""
    name, argument = check_of(expectation)
    if name == "guard":
        return "guard"
    if name == "never":
        return _first(argument, {}, KNOWN_NEVER)
    if name == "report":
        return _first(argument, {}, KNOWN_REPORTS)
    return None


def _first(argument: dict[str, Any], missing: dict[str, str], known: frozenset[str]) -> str | None:
    for key in argument:
        if key in missing:
            return missing[key]
        if key not in known:
            return f"observation of {key}"
    return None


def _of_config(scenario_config: dict[str, Any]) -> Iterator[str]:
    for key in scenario_config:
        if key not in config.PRODUCT_KEYS:
            yield CONFIG_KEYS.get(key, f"config key {key}")


def _of_steps(scenario: Scenario) -> Iterator[str]:
    for step in flat_steps([*setup_of(scenario).get("steps", []), *scenario["steps"]]):
        yield from _of_step(step)


def _of_step(step: Step) -> Iterator[str]:
    name, argument = operation_of(step)
    if name in STEPS:
        yield STEPS[name]
    if name == "cli" and argument[0] in COMMANDS:
        yield COMMANDS[argument[0]]
    if name == "fault" and argument["kind"] in FAULTS:
        yield FAULTS[argument["kind"]]


def _of_classes(scenario: Scenario) -> Iterator[str]:
    for expectation in scenario["expect"]:
        name, argument = check_of(expectation)
        if name in ("event", "no_event") and argument.get("class") in CLASSES:
            yield CLASSES[argument["class"]]

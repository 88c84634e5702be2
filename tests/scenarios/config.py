"""The one table from the scenarios' own config keys to the product's config file, and how to write it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from scenarios.loads import agent_of, is_known, known_agent

Config = dict[str, Any]

# Who reads every workspace of the scenario, each with a table of its own.
LOADS = ("load", "load2", "load3")

# Each turns the scenario's value into top-level keys of the product's file.
PRODUCT_KEYS: dict[str, Callable[[Any], Config]] = {
    "replaceable": lambda value: {"replaceable": value},
    "pinned": lambda value: {"pinned": value},
    "retention_jobs": lambda value: {"retention_jobs": value},
    "consolidators": lambda value: {"consolidators": value},
    # Only age keeps a version then.
    "retention_days": lambda days: {
        "retention": {"keep_days": days, "hourly_days": 0, "daily_days": 0, "keep_last": 1}
    },
    # Which directories are protected goes on the command line, not into the file.
    "workspaces": lambda _: {},
    "jobs": lambda jobs: {"jobs": _jobs(jobs)},
    # Of the process and its service manager, not of the file.
    "env": lambda _: {},
    "cwd": lambda _: {},
    "watchdog_sec": lambda _: {},
    **dict.fromkeys(LOADS, lambda _: {}),  # see `_readers`
}


# The product's names for the scenarios' jobs, in their order.
JOBS = ("qc", "continuity", "checkpoint")


def _jobs(jobs: list[Config]) -> Config:
    """Only these run, and a date is a day: none is due before a reset."""
    off = dict.fromkeys(("checkpoint", "continuity", "qc", "report", "recap"), "")
    assert all(job.get("catch_up", "once") == "once" for job in jobs), "there is no other way to catch up"
    zones = {job["tz"] for job in jobs if "tz" in job}
    times = {name: job["at"] for name, job in zip(JOBS, jobs, strict=False)}
    return {**off, **times, "reset": "00:00"} | ({"timezone": zones.pop()} if zones else {})


def jobs_of(scenario_config: Config) -> dict[str, str]:
    """The scenario's name of each job: the product's."""
    return {job["name"]: name for name, job in zip(JOBS, scenario_config.get("jobs", ()), strict=False)}


def product_config(scenario_config: Config, roots: Sequence[Path] = (), paths: Iterable[str] = ()) -> str:
    """The text of the config file for a scenario. Raises KeyError for a key no part understands.

    `roots`: the protected directories; `paths`: the files of the scenario.
    """
    merged: Config = {}
    for key, value in scenario_config.items():
        merged.update(PRODUCT_KEYS[key](value))
    merged.update(_readers(scenario_config, roots, set(paths)))
    tables = {key: value for key, value in merged.items() if _is_tables(value)}
    lines = [f"{key} = {_value(value)}" for key, value in merged.items() if key not in tables]
    for key, rows in tables.items():
        for row in rows:
            lines += ["", f"[[{key}]]", *(f"{name} = {_value(value)}" for name, value in row.items())]
    return "\n".join([*lines, ""])


def _readers(scenario_config: Config, roots: Sequence[Path], paths: set[str]) -> Config:
    """The agents that the scenario describes, and that they read its workspaces."""
    loads = [scenario_config[key] for key in LOADS if key in scenario_config]
    if not loads:
        return {}
    tables = [agent_of(load, paths) for load in loads if not is_known(load)]
    names = [*(known_agent(load) for load in loads if is_known(load)), *(table["name"] for table in tables)]
    sessions = [load["session"] for load in loads if "session" in load]
    session = {"session": sessions[0]} if sessions else {}
    rows = [{"root": str(root.resolve()), "agents": names, **session} for root in roots]
    return {"workspaces": rows} | ({"agents": tables} if tables else {})


def workspaces_of(scenario_config: Config, folder: Path) -> list[Path]:
    """The protected roots: those the scenario names, else its whole folder."""
    return [folder / name for name in scenario_config.get("workspaces", [])] or [folder]


def _is_tables(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, dict) for one in value)


def _value(value: object) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{name} = {_value(each)}" for name, each in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    # JSON's strings, numbers and booleans are TOML's.
    return json.dumps(value, ensure_ascii=False)

"""The one table from the scenarios' own config keys to the product's config file, and how to write it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

Config = dict[str, Any]

# Each turns the scenario's value into top-level keys of the product's file.
PRODUCT_KEYS: dict[str, Callable[[Any], Config]] = {
    "replaceable": lambda value: {"replaceable": value},
    "pinned": lambda value: {"pinned": value},
    "retention_jobs": lambda value: {"retention_jobs": value},
    "consolidators": lambda value: {"consolidators": value},
    # How long versions are kept is a matter of `gc`, which nothing calls yet: all are kept.
    "retention_days": lambda _: {},
    # Which directories are protected goes on the command line, not into the file.
    "workspaces": lambda _: {},
}


def product_config(scenario_config: Config) -> str:
    """The text of the config file for a scenario. Raises KeyError for a key no part understands."""
    merged: Config = {}
    for key, value in scenario_config.items():
        merged.update(PRODUCT_KEYS[key](value))
    tables = {key: value for key, value in merged.items() if _is_tables(value)}
    lines = [f"{key} = {_value(value)}" for key, value in merged.items() if key not in tables]
    for key, rows in tables.items():
        for row in rows:
            lines += ["", f"[[{key}]]", *(f"{name} = {_value(value)}" for name, value in row.items())]
    return "\n".join([*lines, ""])


def workspaces_of(scenario_config: Config, folder: Path) -> list[Path]:
    """The protected roots: those the scenario names, else its whole folder."""
    return [folder / name for name in scenario_config.get("workspaces", [])] or [folder]


def _is_tables(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, dict) for one in value)


def _value(value: object) -> str:
    # JSON's strings, numbers, booleans and arrays of these are TOML's.
    return json.dumps(value, ensure_ascii=False)

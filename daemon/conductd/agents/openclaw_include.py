"""`$include` in OpenClaw's configuration: parts of it that lie in files of their own.

A name, or a list of names merged in order; what stands beside it wins. Names are relative to the file that has them,
and stay below the directory of the configuration and the roots that the environment allows. What cannot be read is
left out. Source: OpenClaw's `config/includes`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

KEY = "$include"
DEPTH = 10
FILES = 64  # in all; more than this is a loop of some kind

Parse = Callable[[str], dict[str, Any]]


def included(config: dict[str, Any], path: str, parse: Parse, roots: Sequence[str] = ()) -> dict[str, Any]:
    """The configuration with its includes in place. ``parse`` reads one file, {} for one that cannot be read."""
    base = os.path.realpath(os.path.dirname(os.path.abspath(path)))
    walk = _Walk(parse, [base, *(os.path.realpath(root) for root in roots)])
    try:
        found = walk.value(config, os.path.abspath(path), (os.path.realpath(path),))
    except RecursionError:  # nested deeper than anybody writes
        return {}
    return found if isinstance(found, dict) else {}


def allowed_roots(env: Mapping[str, str]) -> list[str]:
    """Further roots that `OPENCLAW_INCLUDE_ROOTS` names."""
    return [each for each in env.get("OPENCLAW_INCLUDE_ROOTS", "").split(os.pathsep) if os.path.isabs(each)]


class _Walk:
    def __init__(self, parse: Parse, roots: list[str]) -> None:
        self._parse = parse
        self._roots = roots
        self._left = FILES

    def value(self, value: Any, path: str, above: tuple[str, ...]) -> Any:
        if isinstance(value, list):
            return [self.value(each, path, above) for each in value]
        if not isinstance(value, dict):
            return value
        own = {key: self.value(each, path, above) for key, each in value.items() if key != KEY}
        if KEY not in value:
            return own
        names = value[KEY] if isinstance(value[KEY], list) else [value[KEY]]
        merged: dict[str, Any] = {}
        for name in names:
            if isinstance(name, str):
                merged = _merged(merged, self._file(name, path, above))
        return _merged(merged, own)

    def _file(self, name: str, by: str, above: tuple[str, ...]) -> dict[str, Any]:
        if "\0" in name:
            return {}
        path = os.path.normpath(os.path.join(os.path.dirname(by), name))
        real = os.path.realpath(path)
        is_inside = any(real.startswith(root.rstrip("/") + "/") for root in self._roots)
        if not is_inside or real in above or len(above) > DEPTH or self._left <= 0:
            return {}
        self._left -= 1
        found = self.value(self._parse(path), path, (*above, real))
        return found if isinstance(found, dict) else {}


def _merged(one: Any, two: Any) -> Any:
    """Tables are merged, lists joined, else the second wins."""
    if isinstance(one, dict) and isinstance(two, dict):
        both = dict(one)
        for key, value in two.items():
            both[key] = _merged(both[key], value) if key in both else value
        return both
    return [*one, *two] if isinstance(one, list) and isinstance(two, list) else two

"""Which names a step of a chain looks for: those it has, or those that a configuration or a variable gives.

Read-only, never raises: what cannot be read names nothing.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from conductd.agents.found import set_value
from conductd.agents.openclaw import json_object
from conductd.core.load.chains import Setting, Step

_MOST = 200  # names of one setting


def names_of(
    step: Step, above: Sequence[str], of_home: Callable[[str], str], env: Mapping[str, str]
) -> tuple[str, ...]:
    """``above``: this directory and those above it up to the repository's root. ``of_home``: a path below the home."""
    setting = step.setting
    if setting is None:
        return step.names
    found = list(_configured(setting, above, of_home, env))
    named = [name for names in (found if setting.all else found[:1]) for name in names]
    return tuple(setting.below + name for name in dict.fromkeys(named[:_MOST])) or step.names


def _configured(
    setting: Setting, above: Sequence[str], of_home: Callable[[str], str], env: Mapping[str, str]
) -> Iterator[list[str]]:
    if setting.variable and (text := set_value(env, setting.variable)):
        try:
            yield from _texts(json.loads(text))
        except (ValueError, RecursionError):
            return
    for file in setting.files:
        own = file.startswith("~/")
        for path in [of_home(file[2:])] if own else [os.path.join(place, file) for place in above]:
            value: Any = json_object(path)
            for key in setting.key.split("."):
                value = value.get(key) if isinstance(value, dict) else None
            yield from _texts(value)


def _texts(value: object) -> Iterator[list[str]]:
    those = value if isinstance(value, list) else [value]
    names = [each.strip() for each in those if isinstance(each, str) and each.strip() and "\0" not in each]
    if names:
        yield names

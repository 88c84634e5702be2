"""Holds parsed TOML against the structs and names every fault, not only the first.

Pure: values in, faults out. A fault names the dotted key, the line when it is known, and what would be right.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterator, Mapping
from enum import StrEnum
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

import msgspec

from conductd.config.jobs import NAMES as JOBS
from conductd.config.lines import Place
from conductd.config.schema import Config
from conductd.core.judging.actions import NEVER_WRITTEN
from conductd.core.policy import DEFAULT_ACTIONS
from conductd.model import Action, EventClass, Role

# Told of the daemon itself, of a set, or of a load: no verdict on one change has these classes.
NOT_JUDGED = frozenset(
    {
        EventClass.MASS_LOSS,
        EventClass.NEAR_LIMIT,
        EventClass.LOAD_TRUNCATION,
        EventClass.NOT_LOADED,
        EventClass.PIN_HIDDEN,
        EventClass.WATCHER_DEGRADED,
        EventClass.STORE_DAMAGE,
        EventClass.STORE_UNAVAILABLE,
        EventClass.RESTORE_REFUSED,
        EventClass.CLOCK_JUMP,
        EventClass.JOB_FAILED,
        EventClass.REPORT,
        EventClass.DECISION,
    }
)


class Fault(NamedTuple):
    place: Place
    text: str


def flat_actions(raw: object) -> object:
    """`[actions]` with `overwrite.daily = …` written as a nested table becomes the flat form."""
    if not isinstance(raw, dict):
        return raw
    flat: dict[str, object] = {}
    for name, value in raw.items():
        nested = value if isinstance(value, dict) else None
        flat.update({f"{name}.{key}": each for key, each in nested.items()} if nested is not None else {name: value})
    return flat


def faults(raw: Mapping[str, Any], target: type[msgspec.Struct], place: Place = ()) -> Iterator[Fault]:
    """Unknown keys, missing keys, wrong types and values out of range, in the order of the file."""
    written = {field.name: field.encode_name for field in msgspec.structs.fields(target)}
    hints = {
        written[name]: kind for name, kind in get_type_hints(target, include_extras=True).items() if name in written
    }
    for name, value in raw.items():
        if name not in hints:
            yield Fault((*place, name), "unknown key" + (_did_you_mean(name, hints) or _belongs(name)))
        elif place == () and name == "actions":
            yield from _action_faults(value)
        elif place == () and name == "rules":
            yield from _rules_faults(value, hints[name])
        else:
            yield from _value_faults(value, hints[name], (*place, name))
    for field in msgspec.structs.fields(target):
        if field.required and field.encode_name not in raw:
            yield Fault(place, f"the key `{field.encode_name}` is missing")


def _value_faults(value: object, kind: Any, place: Place) -> Iterator[Fault]:
    origin = get_origin(kind)
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        if isinstance(value, dict):
            yield from faults(value, kind, place)
        else:
            yield Fault(place, f"must be a table, is {_named(value)}")
    elif origin is tuple:
        if not isinstance(value, list):
            yield Fault(place, f"must be a list, is {_named(value)}")
            return
        for number, each in enumerate(value):
            yield from _value_faults(each, get_args(kind)[0], (*place, number))
    elif origin is dict:
        if not isinstance(value, dict):
            yield Fault(place, f"must be a table, is {_named(value)}")
            return
        for key, each in value.items():
            yield from _value_faults(each, get_args(kind)[1], (*place, key))
    elif origin in (UnionType, Union):
        # Only `X | None` occurs; TOML cannot write None.
        yield from _value_faults(value, next(each for each in get_args(kind) if each is not NoneType), place)
    else:
        yield from _scalar_faults(value, kind, place)


def _scalar_faults(value: object, kind: Any, place: Place) -> Iterator[Fault]:
    choices = _choices(kind)
    if kind is EventClass and isinstance(value, str):
        if value not in choices:
            yield Fault(place, f"unknown event class `{value[:60]}`" + _did_you_mean(value, choices))
        return
    if choices:
        if value not in choices:
            yield Fault(place, not_one_of(value, choices))
        return
    plain = get_args(kind)[0] if get_origin(kind) is Annotated else kind
    try:
        number = msgspec.convert(value, plain)
    except msgspec.ValidationError:
        yield Fault(place, f"must be {_WORDS.get(plain, str(plain))}, is {_named(value)}")
        return
    low, high = _range(kind, place)
    if isinstance(number, str) and "\0" in number:
        yield Fault(place, "must not hold a NUL character")
    elif isinstance(number, str) and not number and not {place[-1], place} & _MAY_BE_EMPTY:
        yield Fault(place, "must not be empty")
    elif isinstance(number, str):
        yield from _form_faults(number, kind, place)
    elif isinstance(number, int | float) and not (low <= number <= high):
        limits = f"between {low:.12g} and {high:.12g}" if high != _NO_LIMIT else f"{low:.12g} or more"
        yield Fault(place, f"must be {limits}, is {_shown(value)}")


def not_one_of(value: object, choices: Collection[str]) -> str:
    known = ", ".join(f'"{each}"' for each in choices)
    guess = _did_you_mean(value, choices) if isinstance(value, str) else ""
    return f"must be one of {known}, is {_shown(value)}{guess}"


def _form_faults(value: str, kind: Any, place: Place) -> Iterator[Fault]:
    """What a text has to look like is said in the words of its type."""
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError:
        meta = next((m for m in getattr(kind, "__metadata__", ()) if isinstance(m, msgspec.Meta)), msgspec.Meta())
        yield Fault(place, f"must be {meta.description or meta.pattern}, is {_shown(value)}")


def _action_faults(value: object) -> Iterator[Fault]:
    if not isinstance(value, dict):
        yield Fault(("actions",), f"must be a table, is {_named(value)}")
        return
    for key, action in value.items():
        place: Place = ("actions", key)
        name, dot, role = key.partition(".")
        if name not in set(EventClass):
            yield Fault(
                place, f"unknown event class `{name}`" + _did_you_mean(name, [str(each) for each in EventClass])
            )
        elif name not in DEFAULT_ACTIONS:
            yield Fault(place, f"`{name}` is always recorded, there is no action to choose")
        if dot and role not in set(Role):
            yield Fault(place, f"unknown role `{role}`" + _did_you_mean(role, [str(each) for each in Role]))
        if not isinstance(action, str) or action not in set(Action):
            known = ", ".join(f'"{each}"' for each in Action)
            guess = _did_you_mean(action, [str(each) for each in Action]) if isinstance(action, str) else ""
            yield Fault(place, f"must be one of {known}, is {_shown(action)}{guess}")
        else:
            yield from _impossible(place, name, action)


def _impossible(place: Place, name: object, action: object) -> Iterator[Fault]:
    if action == Action.HOLD and name != EventClass.CONFLICT_MARKERS:
        # Nothing would ever end the wait.
        yield Fault(place, '"hold" is only possible for conflict_markers')
    elif action in (Action.MERGE, Action.REVERT) and name in NEVER_WRITTEN:
        yield Fault(place, f"git is at work then, and nothing is written under its feet: not {_shown(action)}")


def _rules_faults(value: object, kind: Any) -> Iterator[Fault]:
    yield from _value_faults(value, kind, ("rules",))
    for number, rule in enumerate(value if isinstance(value, list) else ()):
        if not isinstance(rule, dict):
            continue
        place: Place = ("rules", number)
        name, action, loud = rule.get("class"), rule.get("action"), rule.get("severity")
        if action is None and loud is None:
            yield Fault(place, "says nothing: give `action`, `severity` or both")
        if not {"match", "actor", "class", "role"} & rule.keys():
            yield Fault(place, "fits everything: give `match`, `actor`, `class` or `role`")
        if isinstance(name, str) and name in set(EventClass):
            if action is not None and name not in DEFAULT_ACTIONS:
                yield Fault((*place, "action"), f"`{name}` is always recorded, there is no action to choose")
            if loud is not None and name in NOT_JUDGED:
                yield Fault((*place, "severity"), f"`{name}` is no judgement of a change, it is always told as it is")
        yield from _impossible((*place, "action"), name, action)


_NO_LIMIT = float(1 << 53)
_MAY_BE_EMPTY: frozenset[object] = frozenset(
    ("state_dir", "socket", "marker", "directory", "bootcard", "env_file", "quiet", "digest", "secret", "fail_url")
) | {("heartbeat", "url"), "timezone", *JOBS}
_WORDS: dict[object, str] = {int: "a whole number", float: "a number", str: "a text", bool: "true or false"}


def _range(kind: Any, place: Place) -> tuple[float, float]:
    """Limits from the type, else by name: shares and similarities are 0 to 1, nothing is negative."""
    for meta in getattr(kind, "__metadata__", ()):
        if isinstance(meta, msgspec.Meta):
            return float(meta.ge or 0), float(_NO_LIMIT if meta.le is None else meta.le)
    name = next((each for each in reversed(place) if isinstance(each, str)), "")
    if name.endswith(("_share", "_similarity")):
        return 0.0, 1.0
    return (1.0 if name == "backoff_minutes" else 0.0), _NO_LIMIT


def _choices(kind: Any) -> tuple[str, ...]:
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return tuple(str(each) for each in kind)
    return tuple(get_args(kind)) if get_origin(kind) is Literal else ()


def _did_you_mean(name: str, known: Any) -> str:
    close = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f", did you mean `{close[0]}`?" if close else ""


def _belongs(name: str) -> str:
    """Where a key is known that was written in the wrong place."""
    if name in Config.__struct_fields__:
        return ", it belongs at the top of the file"
    for section, kind in get_type_hints(Config).items():
        if isinstance(kind, type) and issubclass(kind, msgspec.Struct) and name in kind.__struct_fields__:
            return f", it belongs in [{section}]"
    return ""


def _named(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    words = {str: "a text", int: "a whole number", float: "a number", list: "a list", dict: "a table"}
    return words.get(type(value), "a date or time")


def _shown(value: object) -> str:
    return f'"{value[:60]}"' if isinstance(value, str) else str(value)[:60]

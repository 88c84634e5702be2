"""Adds `[[workspaces]]` to the text of a configuration, everything else in it kept to the byte.

Pure. The new text is read again and has to say exactly what the old one said and the added workspaces: a file that
cannot be added to in that way is left to the person. Called by `conductd init`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from conductd.config import paths
from conductd.config.lines import key_lines
from conductd.config.load import from_text
from conductd.config.schema import Config
from conductd.errors import ConfigError
from conductd.model import Mode

_BRACKETS = 500  # of a written list, tried for being its end

HEADER = """\
# The configuration of conductd. Every key and its default: conductd help config.
# Made by `conductd init`. It is yours: what you change stays, the command only ever adds what it finds new.
"""


class Addition(msgspec.Struct, frozen=True):
    """One workspace to add. ``root`` as it is written, absolute or below `~/`; ``why``: a comment for people."""

    root: str
    mode: Mode
    profile: str
    why: str


def added(text: str, additions: Sequence[Addition], source: str, env: Mapping[str, str]) -> str:
    """The text with the workspaces added at its end, or to the list that it has. `text` must be valid.

    Raises ConfigError when the configuration would not be valid then, or no way to add them keeps the rest.
    """
    before = from_text(text, source, env)
    fault: ConfigError | None = None
    for candidate in _candidates(text, additions):
        try:
            after = from_text(candidate, source, env)
        except ConfigError as error:
            fault = fault or error
            continue
        if _is_added(before, after, additions, env):
            return candidate
    lines = "\n".join(_tables(additions, "\n"))
    raise ConfigError(
        f"the workspaces cannot be added to {source} without changing what stands there",
        f"add them yourself:\n{lines}",
        fault.faults if fault else (),
    )


def named_in_comment(text: str, root: str) -> bool:
    """Whether a person has put a workspace into a comment: it is not added again."""
    quoted = _quoted(root)
    return any(quoted in line for line in text.splitlines() if line.lstrip().startswith("#"))


def _candidates(text: str, additions: Sequence[Addition]) -> Iterator[str]:
    end = "\r\n" if "\r\n" in text else "\n"
    if "workspaces" in _top_level(text) and ("workspaces",) in key_lines(text):
        yield from _in_list(text, additions, end)
    base = text if text else HEADER.replace("\n", end)
    gap = "" if base.endswith(("\n", "\r\n")) else end
    yield base + gap + "".join(f"{end}{each}" for each in _tables(additions, end))


def _tables(additions: Sequence[Addition], end: str) -> Iterator[str]:
    for each in additions:
        lines = (
            f"# {_plain(each.why)}",
            "[[workspaces]]",
            f"root = {_quoted(each.root)}",
            f'mode = "{each.mode}"',
            f'profile = "{each.profile}"',
        )
        yield "".join(line + end for line in lines)


def _in_list(text: str, additions: Sequence[Addition], end: str) -> Iterator[str]:
    """The workspaces in the list that is written as `workspaces = […]`, before its last bracket."""
    line = key_lines(text)[("workspaces",)]
    start = sum(len(each) for each in text.splitlines(keepends=True)[: line - 1])
    opening = text.find("[", start)
    closing = _closing(text, opening)
    if opening < 0 or closing < 0:
        return
    tables = [
        f'  {{ root = {_quoted(each.root)}, mode = "{each.mode}", profile = "{each.profile}" }},'
        f"  # {_plain(each.why)}{end}"
        for each in additions
    ]
    for comma in ("", ","):
        yield text[:closing] + comma + end + "".join(tables) + text[closing:]


def _closing(text: str, opening: int) -> int:
    """Where the list ends that begins at `opening`; -1: not found."""
    at = opening
    for _ in range(_BRACKETS):
        at = text.find("]", at + 1)
        if at < 0:
            return -1
        try:
            tomllib.loads("v = " + text[opening : at + 1])
        except tomllib.TOMLDecodeError:
            continue
        return at
    return -1


def _is_added(before: Config, after: Config, additions: Sequence[Addition], env: Mapping[str, str]) -> bool:
    news = [(paths.expand(each.root, env), each.mode, each.profile) for each in additions]
    tail = after.workspaces[len(before.workspaces) :]
    return (
        msgspec.structs.replace(after, workspaces=before.workspaces) == before
        and after.workspaces[: len(before.workspaces)] == before.workspaces
        and [(each.root, each.mode, each.profile) for each in tail] == news
    )


def _top_level(text: str) -> Mapping[str, object]:
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def _quoted(text: str) -> str:
    """A TOML basic string."""
    special = {"\\": "\\\\", '"': '\\"', "\t": "\\t", "\n": "\\n", "\r": "\\r"}
    parts = (special.get(c) or (f"\\u{ord(c):04x}" if ord(c) < 32 or 127 <= ord(c) < 160 else c) for c in text)
    return f'"{"".join(parts)}"'


def _plain(text: str) -> str:
    """One line without anything that a terminal or TOML could take for more than text."""
    return "".join(c if c.isprintable() else "?" for c in text)

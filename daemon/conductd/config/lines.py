"""On which line of a TOML text a key stands, for messages only.

`tomllib` tells no positions. This reads the subset that configuration files are written in (table headers,
`key = value` at the start of a line, multi-line strings and arrays skipped); what it does not find has no line,
and nothing but a message depends on it. Only called for text that `tomllib` has accepted.
"""

from __future__ import annotations

import re
import tomllib

_KEY = re.compile(r"""\s*((?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*'))*)\s*=""")
_HEADER = re.compile(r"\s*\[\[?\s*(.+?)\s*\]\]?\s*(?:#.*)?$")

# A longer value is not followed to its end: trying each line anew takes time that grows with the square.
_VALUE_LINES = 200

Place = tuple[str | int, ...]


def key_lines(text: str) -> dict[Place, int]:
    """Line numbers (from 1) by place: ``("waits", "quiet_ms")``, ``("workspaces", 0, "root")``."""
    found: dict[Place, int] = {}
    arrays: dict[Place, int] = {}
    table: Place = ()
    lines = text.splitlines()
    at = 0
    while at < len(lines):
        line, number = lines[at], at + 1
        at += 1
        header = _HEADER.fullmatch(line)
        if header and not _KEY.match(line):
            table = _enter(_parts(header[1]), line.lstrip().startswith("[["), arrays)
            found.setdefault(table, number)
            continue
        key = _KEY.match(line)
        if key is None:
            continue
        found.setdefault((*table, *_parts(key[1])), number)
        # A value over several lines: take lines until it parses, so that its insides are no keys.
        value = line[key.end() :]
        last = min(len(lines), at + _VALUE_LINES)
        while at < last and not _is_whole(value):
            value += "\n" + lines[at]
            at += 1
    return found


def _enter(parts: Place, is_array: bool, arrays: dict[Place, int]) -> Place:
    table: Place = ()
    for depth, part in enumerate(parts, start=1):
        table = (*table, part)
        if is_array and depth == len(parts):
            arrays[table] = arrays.get(table, -1) + 1
        if table in arrays:
            table = (*table, arrays[table])
    return table


def _parts(key: str) -> Place:
    return tuple(match.strip("\"'") for match in re.findall(r""""[^"]*"|'[^']*'|[A-Za-z0-9_-]+""", key))


def _is_whole(value: str) -> bool:
    try:
        tomllib.loads("v =" + value)
    except tomllib.TOMLDecodeError:
        return False
    return True

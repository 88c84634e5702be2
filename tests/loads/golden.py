"""What is loaded of the workspaces, as it is kept: numbers, holes, and a digest of each text."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

from conductd.agents import loading
from conductd.cli.load_svg import picture
from conductd.config.load import parse
from conductd.core.load.fixes import fixes
from conductd.core.load.holes import holes
from conductd.core.load.loaded import Load, LoadedFile
from conductd.core.load.openclaw_versions import Session
from loads.workspaces import WORKSPACES, Files

GOLDEN = Path(__file__).parent / "golden"
PICTURE = Path(__file__).parents[2] / "docs" / "load.svg"
_PICTURED = ("pictured", "2026.9.6")
# Each way of cutting and each set of limits at least once, and every kind of session where the files differ by it.
_RELEASES = {
    "openclaw": (
        *("2026.1.30", "2026.2.14", "2026.2.26", "2026.4.15", "2026.4.23", "2026.5.28", "2026.7.1", "2026.8.1"),
        "2026.9.6",
    ),
    "claude-code": ("2.1.50", "2.1.100", "2.1.300"),
}
_SESSIONS = dict.fromkeys(("2026.1.30", "2026.2.26", "2026.5.28", "2026.9.6", "2.1.300"), tuple(Session))
# What the configuration can say of an agent: each unit, each part that can be kept, both budgets.
_CONFIGURED = """
[[agents]]
name = "own-utf16"
unit = "utf16"
per_file = 6000
total = 15000
keep = "head-tail"
head = 0.7
tail = 0.3
marker = "\\n[… {gone} of {size} of {name} left out, {head}+{tail} kept …]\\n"
marker_counted = true
trim_end = true
steps = [{ names = ["AGENTS.md", "USER.md", "MEMORY.md"] }]

[[agents]]
name = "own-bytes"
unit = "bytes"
per_file = 9001
total = 20000
steps = [{ names = ["*.md"] }, { where = "home", names = [".own/**/*.md"], in_total = false, imports = 2 }]

[[agents]]
name = "own-lines"
lines = 60
frontmatter = false
comments = false
skip_over = 60000
marker = "[cut]"
steps = [{ names = ["MEMORY.md"] }, { names = ["**/*.md"], keep = "tail", lines = 0, per_file = 700 }]
"""
Row = dict[str, Any]


def build(files: Files, root: Path, home: Path) -> None:
    for name, data in files.items():
        base, below = (home, name[2:]) if name.startswith(b"~/") else (root, name)
        path = os.path.join(os.fsencode(base), below)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)


def rows(root: Path, home: Path) -> dict[str, list[Row]]:
    """Every agent's load of one workspace."""
    found: dict[str, list[Row]] = {}
    for loader in loading.with_further(each.chain() for each in parse(_CONFIGURED).agents):
        for version in _RELEASES.get(loader.name, (loader.newest,)):
            for session in _SESSIONS.get(version, (Session.MAIN,)):
                env = {"HOME": str(home)}
                what = loading.Asked(str(root), version, session, env, str(home))
                name = " ".join(filter(None, (loader.name, version, session.value)))
                found[name] = _rows(loader.load(what), str(root))
    return found


def _rows(load: Load, root: str) -> list[Row]:
    loaded = [_row(each, load, root) for each in load.files]
    out = [{"name": _plain(each.name, root), "left_out": each.why.value} for each in load.left_out]
    moves = [
        {
            "over": each.over,
            "frees": each.freed,
            "moves": len(each.moves),
            "first": [f"{_plain(m.name, root)}:{m.first}-{m.last} {m.size} {m.date}" for m in each.moves[:3]],
        }
        for each in fixes(load)
    ]
    return [*loaded, *out, *moves]


def _row(file: LoadedFile, load: Load, root: str) -> Row:
    text = file.text
    if file.is_marker and text is not None:  # it names the directory, which is another each time
        return {"name": _plain(file.name, root), "why": file.why.value, "text": text.replace(root, "ROOT")}
    row: Row = {"name": _plain(file.name, root), "raw": file.raw, "injected": file.injected}
    if file.why.value:
        row["why"] = file.why.value
    if file.causes:
        row["causes"] = [each.value for each in file.causes]
        row["holes"] = [
            f"{each.first}-{each.last} {each.size}, {len(each.sections)} sections, {each.quoted} quoted"
            for each in holes(file, load.unit)
        ]
    if file.splits:
        row["splits"] = True
    if text is not None:
        row["sha256"] = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return row


def _plain(name: str, root: str) -> str:
    """The directories are others each time."""
    above = os.path.dirname(root)
    shown = name.replace(root, "ROOT").replace(os.path.join(above, "home"), "~").replace(above, "ABOVE")
    return os.fsencode(shown).decode("utf-8", "backslashreplace")


def measured(name: str, directory: Path) -> dict[str, list[Row]]:
    root, home = directory / "ws", directory / "home"
    home.mkdir(parents=True)
    (root / ".git").mkdir(parents=True)
    build(WORKSPACES[name](), root, home)
    return rows(root, home)


def kept(name: str) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = json.loads((GOLDEN / f"{name}.json").read_text())
    return found


def write(name: str, directory: Path) -> None:
    (GOLDEN / f"{name}.json").write_text(_written(measured(name, directory)), encoding="utf-8")


def _written(found: dict[str, list[Row]]) -> str:
    """One line a row, so that a difference is read at a glance."""
    parts = []
    for agent, those in found.items():
        lines = ",\n".join("  " + json.dumps(row, ensure_ascii=False) for row in those)
        parts.append(f'"{agent}": [\n{lines}\n ]' if those else f'"{agent}": []')
    return "{\n " + ",\n ".join(parts) + "\n}\n"


def drawn(directory: Path) -> str:
    """The README's picture."""
    name, version = _PICTURED
    directory.mkdir(parents=True)
    build(WORKSPACES[name](), directory, directory)
    loader = loading.named("openclaw")
    what = loading.Asked(str(directory), version, Session.MAIN, {"HOME": str(directory)}, str(directory))
    return picture(loader.load(what), loader.display)

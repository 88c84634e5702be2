"""What is loaded of the workspaces, as it is kept: numbers, holes, and a digest of each text."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

from conductd.agents import loading
from conductd.cli.load_svg import picture
from conductd.core.load.fixes import fixes
from conductd.core.load.holes import holes
from conductd.core.load.loaded import Load, LoadedFile
from conductd.core.load.openclaw_versions import Session
from loads.workspaces import WORKSPACES, Files

GOLDEN = Path(__file__).parent / "golden"
PICTURE = Path(__file__).parents[2] / "docs" / "load.svg"
_PICTURED = ("starved", "2026.9.6")
_OPENCLAW = ("2026.1.30", "2026.4.15", "2026.9.6")
_SESSIONS = {"2026.9.6": tuple(Session)}
Row = dict[str, Any]


def build(files: Files, root: Path) -> None:
    for name, data in files.items():
        path = os.path.join(os.fsencode(root), name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)


def rows(root: Path, home: Path) -> dict[str, list[Row]]:
    """Every agent's load of one workspace."""
    found: dict[str, list[Row]] = {}
    for loader in loading.LOADERS:
        versions = _OPENCLAW if loader.name == "openclaw" else (loader.newest,)
        for version in versions:
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
        return {"name": file.name, "why": file.why.value, "text": text.replace(root, "ROOT")}
    row: Row = {"name": _plain(file.name, root), "raw": file.raw, "injected": file.injected}
    if file.why.value:
        row["why"] = file.why.value
    if file.causes:
        row["causes"] = [each.value for each in file.causes]
        row["holes"] = [
            f"{each.first}-{each.last} {each.size}, {len(each.sections)} sections, {each.quoted} quoted"
            for each in holes(file, load.unit)
        ]
    if text is not None:
        row["sha256"] = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return row


def _plain(name: str, root: str) -> str:
    return os.fsencode(name.replace(root, "ROOT")).decode("utf-8", "backslashreplace")


def measured(name: str, directory: Path) -> dict[str, list[Row]]:
    root, home = directory / "ws", directory / "home"
    home.mkdir(parents=True)
    (root / ".git").mkdir(parents=True)
    build(WORKSPACES[name](), root)
    return rows(root, home)


def kept(name: str) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = json.loads((GOLDEN / f"{name}.json").read_text())
    return found


def write(name: str, directory: Path) -> None:
    text = json.dumps(measured(name, directory), indent=1, ensure_ascii=False)
    (GOLDEN / f"{name}.json").write_text(text + "\n")


def drawn(directory: Path) -> str:
    """The README's picture."""
    name, version = _PICTURED
    directory.mkdir(parents=True)
    build(WORKSPACES[name](), directory)
    loader = loading.named("openclaw")
    what = loading.Asked(str(directory), version, Session.MAIN, {"HOME": str(directory)}, str(directory))
    return picture(loader.load(what), loader.display)

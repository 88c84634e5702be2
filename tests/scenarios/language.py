"""The reading of a scenario file: content nodes and steps that only touch files.

Owns the scenario folder on disk and the named snapshots. Knows nothing of the daemon: `steps`
adds what a daemon, a clock or a fault needs. Faithful to the language described in the header of
scenarios.yaml.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import yaml

from scenarios.texts import id_set, ids_of, memory, padding, size_in, transform

Node = Any
Step = dict[str, Any]
Scenario = dict[str, Any]

MODIFIERS = {"actor", "via", "label", "why"}
CHECKS = {"event", "no_event", "action", "file", "versions", "report", "guard", "daemon", "never", "notice"}
# Git reads no configuration of the machine, and commits get the same author everywhere.
_GIT = ("git", "-c", "user.name=t", "-c", "user.email=t@example.invalid", "-c", "init.defaultBranch=main")


def load(source: Path) -> list[Scenario]:
    """All scenarios of a YAML file, or of every `*.yaml` below a directory, in order."""
    files = sorted(source.rglob("*.yaml")) if source.is_dir() else [source]
    scenarios: list[Scenario] = []
    for file in files:
        document = yaml.safe_load(file.read_text(encoding="utf-8"))
        if isinstance(document, dict) and "scenarios" in document:
            scenarios.extend(document["scenarios"])
    return scenarios


def setup_of(scenario: Scenario) -> dict[str, Any]:
    return scenario.get("setup") or {}


def operation_of(step: Step) -> tuple[str, Any]:
    """The one operation of a step and its argument."""
    names = [name for name in step if name not in MODIFIERS]
    if len(names) != 1:
        raise ValueError(f"a step needs one operation: {step}")
    return names[0], step[names[0]]


def check_of(expectation: dict[str, Any]) -> tuple[str, Any]:
    """The one check of an expectation and its argument."""
    names = [name for name in expectation if name not in ("when", "why")]
    if len(names) != 1 or names[0] not in CHECKS:
        raise ValueError(f"not one known check: {expectation}")
    return names[0], expectation[names[0]]


def flat_steps(steps: list[Step]) -> Iterator[Step]:
    """Every step once, those inside `repeat` included."""
    for step in steps:
        name, argument = operation_of(step)
        yield step
        if name == "repeat":
            yield from flat_steps(argument["steps"])


def paths_of(scenario: Scenario) -> set[str]:
    """Every file that it names, as it names it."""
    steps = [*setup_of(scenario).get("steps", []), *scenario["steps"]]
    named = [argument for _, argument in map(operation_of, flat_steps(steps)) if isinstance(argument, dict)]
    found = {each["path"] for each in setup_of(scenario).get("files", [])}
    return found | {str(each["path"]) for each in named if "path" in each}


class Folder:
    """The scenario's folder: evaluates content nodes, plays file steps, keeps snapshots."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.snapshots: dict[str, bytes] = {}
        self.facts_checked = 0
        root.mkdir(parents=True, exist_ok=True)

    def at(self, path: str) -> Path:
        return self.root / path

    # ------------------------------------------------------------------ content

    def content(self, node: Node) -> bytes:
        if node is None:
            return b""
        if isinstance(node, str):
            return node.encode("utf-8", "surrogatepass")
        if isinstance(node, list):
            return self._joined(node)
        ((name, argument),) = ((key, value) for key, value in node.items() if key != "n")
        match name:
            case "repeat":
                return self.content(argument) * int(node["n"])
            case "memory":
                return memory(**argument).encode()
            case "lines":
                numbers = range(1, argument["n"] + 1)
                return "".join(argument["text"].replace("{i}", f"{i:03d}") + "\n" for i in numbers).encode()
            case "hex":
                return bytes.fromhex(argument)
            case "snapshot":
                return self.snapshots[argument]
            case "current":
                return self.at(argument).read_bytes()
            case "transform":
                return transform(self.content(argument["of"]), argument["ops"])
        raise ValueError(f"no content node {name}")

    def _joined(self, parts: list[Node]) -> bytes:
        out = b""
        for part in parts:
            if isinstance(part, dict) and "pad_to" in part:
                wish = dict(part["pad_to"])
                fill = wish.pop("fill", "x")
                ((unit, size),) = wish.items()
                out += padding(out, unit, size, fill)
            else:
                out += self.content(part)
        return out

    # -------------------------------------------------------------------- setup

    def set_up(self, setup: dict[str, Any]) -> None:
        for file in setup.get("files", []):
            target = self.at(file["path"])
            put(target, self.content(file.get("content")))
            if "mode" in file:
                target.chmod(int(str(file["mode"]), 8))
            self.snapshots["setup:" + file["path"]] = target.read_bytes()
        for step in setup.get("steps", []):
            name, argument = operation_of(step)
            self.play(name, argument)

    # -------------------------------------------------------------------- steps

    def play(self, name: str, argument: Any, between: Callable[[int], None] = lambda _: None) -> None:
        """Play one file step. `between` is called in the gap of a two-phase write, with its milliseconds."""
        if name == "write":
            self._write(argument, between)
        else:
            FILE_STEPS[name](self, argument)

    def announced(self, name: str, argument: Any) -> list[tuple[str, bytes | None]]:
        """(path, content to come) for each path that a step touches; None where nothing will stand."""
        match name:
            case "write" if argument.get("mode") == "partial":
                return [(argument["path"], self.content(argument.get("content"))[: argument["bytes"]])]
            case "write":
                return [(argument["path"], self.content(argument.get("content")))]
            case "append":
                target = self.at(argument["path"])
                before = target.read_bytes() if target.exists() else b""
                return [(argument["path"], before + self.content(argument["content"]))]
            case "truncate":
                return [(argument["path"], self.at(argument["path"]).read_bytes()[: argument["size"]])]
            case "copy":
                return [(argument["to"], self.at(argument["from"]).read_bytes())]
            case "delete":
                return [(argument["path"], None)]
            case "rename":
                return [(argument["from"], None), (argument["to"], self.at(argument["from"]).read_bytes())]
        return []

    def _write(self, argument: dict[str, Any], between: Callable[[int], None]) -> None:
        target = self.at(argument["path"])
        data = self.content(argument.get("content"))
        match argument.get("mode", "inplace"):
            case "inplace":
                put(target, data)
            case "partial":
                put(target, data[: argument["bytes"]])
            case "rename":
                _save_by_rename(target, data, target.name + ".tmp-4711")
            case "gedit":
                _save_by_rename(target, data, ".goutputstream-Q7X2TZ")
            case "vim":
                _save_with_backup(target, data)
            case "two_phase":
                put(target, b"")
                between(int(argument.get("gap_ms", 0)))
                put(target, data)
            case unknown:
                raise ValueError(f"no write mode {unknown}")

    def _fact(self, argument: dict[str, Any]) -> None:
        data = self.at(argument["path"]).read_bytes()
        for name, wanted in argument.items():
            if name == "path":
                continue
            if name == "ids":
                found: object = ids_of(data)
                wanted = id_set(wanted)
            elif name == "same_as":
                found, wanted = data, self.snapshots[wanted]
            else:
                found = size_in(data, name)
            if found != wanted:
                raise AssertionError(f"fact {name} of {argument['path']}: found {found!r:.200}, wanted {wanted!r:.200}")
            self.facts_checked += 1

    def _burst(self, argument: dict[str, Any]) -> None:
        directory = self.at(argument["dir"])
        directory.mkdir(parents=True, exist_ok=True)
        for number in range(argument["files"]):
            put(directory / f"f{number:05d}.txt", b"x\n")

    def _git(self, argument: dict[str, Any]) -> None:
        quiet = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        subprocess.run(
            [*_GIT, *argument["args"]],
            cwd=self.root,
            check=not argument.get("may_fail"),
            capture_output=True,
            env=quiet,
            timeout=60,
        )

    def _jsonl(self, argument: dict[str, Any]) -> None:
        out = b""
        for record in argument["records"]:
            if isinstance(record, dict) and "raw" in record:
                out += self.content(record["raw"])
            elif isinstance(record, dict) and "big" in record:
                out += json.dumps({**record["record"], "blob": "A" * record["big"]}).encode() + b"\n"
            else:
                out += json.dumps(record, ensure_ascii=False).encode() + b"\n"
        put(self.at(argument["path"]), out, "ab")

    def _utime(self, argument: dict[str, Any]) -> None:
        at_ns = argument["epoch"] * 1_000_000_000
        os.utime(self.at(argument["path"]), ns=(at_ns, at_ns))

    def _rename(self, argument: dict[str, Any]) -> None:
        self.at(argument["to"]).parent.mkdir(parents=True, exist_ok=True)
        self.at(argument["from"]).rename(self.at(argument["to"]))

    def _hardlink(self, argument: dict[str, Any]) -> None:
        link = self.at(argument["path"])
        link.parent.mkdir(parents=True, exist_ok=True)
        link.hardlink_to(self.at(argument["to"]))

    def _snapshot(self, argument: dict[str, Any]) -> None:
        self.snapshots[argument["name"]] = self.at(argument["path"]).read_bytes()


FILE_STEPS: dict[str, Callable[[Folder, Any], None]] = {
    "append": lambda folder, step: put(folder.at(step["path"]), folder.content(step["content"]), "ab"),
    "rename": Folder._rename,
    "delete": lambda folder, step: _delete(folder.at(step["path"])),
    "truncate": lambda folder, step: os.truncate(folder.at(step["path"]), step["size"]),
    "mkdir": lambda folder, step: folder.at(step["path"]).mkdir(parents=True, exist_ok=True),
    "symlink": lambda folder, step: folder.at(step["path"]).symlink_to(step["to"]),
    "hardlink": Folder._hardlink,
    "chmod": lambda folder, step: folder.at(step["path"]).chmod(int(str(step["mode"]), 8)),
    "utime": Folder._utime,
    "copy": lambda folder, step: put(folder.at(step["to"]), folder.at(step["from"]).read_bytes()),
    "burst": Folder._burst,
    "git": Folder._git,
    "jsonl": Folder._jsonl,
    # These two look at files and change none.
    "snapshot": Folder._snapshot,
    "fact": Folder._fact,
}


def put(target: Path, data: bytes, mode: str = "wb") -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with open(target, mode) as stream:
        stream.write(data)


def _save_by_rename(target: Path, data: bytes, temporary: str) -> None:
    beside = target.parent / temporary
    put(beside, data)
    beside.replace(target)


def _save_with_backup(target: Path, data: bytes) -> None:
    """As vim does with `backupcopy=no`: the old file steps aside, a new one is written, the old goes."""
    backup = target.with_name(target.name + "~")
    target.rename(backup)
    put(target, data)
    backup.unlink()


def _delete(target: Path) -> None:
    if target.is_dir() and not target.is_symlink():
        shutil.rmtree(target)
    else:
        target.unlink()

"""Holds what the daemon did against a scenario's expectations, through its API and on the disk."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from scenarios import channels, load_facts
from scenarios.facts import KNOWN_REPORTS, Facts
from scenarios.language import Folder, check_of
from scenarios.nevers import KNOWN_NEVER, Nevers
from scenarios.steps import Player
from scenarios.texts import id_set, ids_of
from support.daemon import Daemon
from support.receiver import Receiver

__all__ = ["KNOWN_NEVER", "KNOWN_REPORTS", "Checks"]

Json = Any
_COUNT = re.compile(r"(>=|<=|)(\d+)")


def counted(found: int, wanted: object) -> bool:
    """`3`, `">=1"` or `"<=2"`."""
    match = _COUNT.fullmatch(str(wanted).replace(" ", ""))
    if match is None:
        raise ValueError(f"no count: {wanted!r}")
    limit = int(match[2])
    return {">=": found >= limit, "<=": found <= limit, "": found == limit}[match[1]]


class Checks:
    """One scenario's checks, made now: an expectation with `when` is made at that moment."""

    def __init__(
        self, folder: Folder, daemon: Daemon, player: Player, setup: Json, receiver: Receiver | None = None
    ) -> None:
        self._receiver = receiver
        self._folder = folder
        self._daemon = daemon
        self._player = player
        self._facts = Facts(folder, daemon, setup)

    def check(self, expectation: dict[str, Any]) -> None:
        name, argument = check_of(expectation)
        try:
            CHECKS[name](self, argument)
        except AssertionError as error:
            error.add_note(f"expected {expectation}")
            error.add_note("the event log:\n" + "\n".join(self._facts.log_lines()))
            raise

    # ------------------------------------------------------------------ events and actions

    def _event(self, wanted: Json) -> None:
        found = self._facts.events(wanted)
        assert counted(len(found), wanted.get("count", ">=1")), f"{len(found)} such events"

    def _no_event(self, wanted: Json) -> None:
        found = self._facts.events(wanted)
        assert not found, f"{[event['text'] for event in found]}"

    def _action(self, wanted: str) -> None:
        """`record` and `none`: nothing else was decided; the others: decided at least once."""
        actions = [event["action"] for event in self._facts.verdicts()]
        if wanted in ("record", "none"):
            assert set(actions) <= {"record"}, f"decided: {actions}"
            assert actions or wanted == "none", "nothing was judged"
            return
        assert wanted in actions, f"decided: {actions}"
        if wanted in ("propose", "hold"):
            # Both mean that the write is left alone.
            assert not {"revert", "merge"} & set(actions), f"decided: {actions}"

    # ------------------------------------------------------------------ files and versions

    def _file(self, wanted: Json) -> None:
        target = self._folder.at(wanted["path"])
        for key, value in wanted.items():
            if key != "path":
                FILE_CHECKS[key](self, target, value)

    def _absent(self, target: Path, wanted: bool) -> None:
        assert target.exists() is not wanted

    def _equals(self, target: Path, wanted: str) -> None:
        data, expected = target.read_bytes(), self._named(wanted)
        assert data == expected, f"{len(data)} bytes, wanted {len(expected)}: {data[:300]!r}"

    def _ids(self, target: Path, wanted: object) -> None:
        missing = id_set(wanted) - ids_of(target.read_bytes())
        assert not missing, f"ids not there: {sorted(missing)}"

    def _not_ids(self, target: Path, wanted: object) -> None:
        there = id_set(wanted) & ids_of(target.read_bytes())
        assert not there, f"ids there: {sorted(there)}"

    def _contains(self, target: Path, wanted: list[str]) -> None:
        data = target.read_bytes()
        assert all(text.encode() in data for text in wanted), data[:2000]

    def _not_contains(self, target: Path, wanted: list[str]) -> None:
        data = target.read_bytes()
        assert not any(text.encode() in data for text in wanted), data[:2000]

    def _mode(self, target: Path, wanted: object) -> None:
        assert target.stat().st_mode & 0o7777 == int(str(wanted), 8)

    def _same_inode(self, target: Path, wanted: str) -> None:
        assert target.samefile(self._folder.at(wanted))

    def _link_to(self, target: Path, wanted: str) -> None:
        assert target.is_symlink()
        assert str(target.readlink()) == wanted

    def _versions(self, wanted: Json) -> None:
        """Every version that is said to be restorable is, byte for byte."""
        path = self._folder.at(wanted["path"])
        versions = [one for one in self._daemon.versions(path) if one["restorable"]]
        contents: set[bytes] = set()
        for version in versions:
            data = self._daemon.content(path, version["seq"])
            assert hashlib.sha256(data).hexdigest() == version["digest"]
            contents.add(data)
        assert counted(len(versions), wanted.get("count", ">=1")), f"{len(versions)} versions"
        for text in wanted.get("include", []):
            assert self._named(text) in contents, f"not restorable: {text!r:.100}"
        if wanted.get("order") == "by sequence":
            sequences = [version["seq"] for version in versions]
            assert sequences == sorted(sequences, reverse=True)

    def _named(self, text: str) -> bytes:
        """The snapshot of that name, else the text itself."""
        return self._folder.snapshots[text] if text in self._folder.snapshots else text.encode()

    # ------------------------------------------------------------------ what people and services see

    def _report(self, wanted: Json) -> None:
        self._facts.report(wanted)

    def _notice(self, wanted: Json) -> None:
        notices = self._facts.notices(wanted.get("level"))
        texts = [" ".join([notice["text"], notice["by"], notice["path"], str(notice["data"])]) for notice in notices]
        if "count" in wanted or "names" in wanted or "level" in wanted:
            assert counted(len(notices), wanted.get("count", ">=1")), f"{len(notices)} notices: {texts}"
        for name in wanted.get("names", []):
            assert any(name in text for text in texts), f"{name} is not named: {texts}"
        for secret in wanted.get("not_contains", []):
            assert not any(secret in text for text in texts)
        if wanted.get("valid_utf8"):
            for text in texts:
                assert "\ufffd" not in text.encode("utf-8").decode("utf-8"), f"cut inside a character: {text}"
        if str(wanted.get("repeats", "")).startswith("once per state"):
            assert not load_facts.told_twice(self._facts.of_loads())
        if "through" in wanted:
            assert self._receiver is not None
            channels.assert_went_through(wanted["through"], self._receiver, self._daemon, notices)
        if "blocked_ms_max" in wanted:
            channels.assert_not_held_up(wanted["blocked_ms_max"], notices, self._daemon.events(kind="change"))
        if "not_through" in wanted:
            assert not any(wanted["not_through"] == notice["data"].get("channel") for notice in notices)
            self._assert_no_stray_files()

    def _assert_no_stray_files(self) -> None:
        """Nothing was told by a file in the agent's own folder."""
        named = {step.split(":", 1)[1] for step in self._folder.snapshots if step.startswith("setup:")}
        there = {str(path.relative_to(self._folder.root)) for path in self._folder.root.rglob("*") if path.is_file()}
        assert there <= named, f"stray files: {there - named}"

    def _daemon_check(self, wanted: Json) -> None:
        for key, value in wanted.items():
            if key == "says":
                continue
            DAEMON_CHECKS[key](self, value, wanted)

    def _alive(self, wanted: bool, _: Json) -> None:
        assert self._daemon.running is wanted
        if wanted:
            assert self._daemon.api.get("/v1/hello")["pid"] == self._daemon.pids[-1]

    def _health(self, wanted: str, _: Json) -> None:
        status = self._daemon.status()
        assert status["health"] == wanted, status["degraded"]

    def _instances(self, wanted: int, _: Json) -> None:
        """The one that answers is the one we started, and every other start has ended."""
        assert wanted == 1
        self._alive(True, None)

    def _restarts(self, wanted: int, _: Json) -> None:
        assert self._daemon.crashes == wanted

    def _refuses(self, label: str, wanted: Json) -> None:
        outcome = self._player.outcomes[label]
        assert outcome.exit_code not in (0, None)
        assert wanted.get("says", "") in outcome.output, outcome.output

    def _socket_mode(self, wanted: str, _: Json) -> None:
        assert self._daemon.socket_path.stat().st_mode & 0o777 == int(wanted, 8)

    def _store_mode(self, wanted: str, _: Json) -> None:
        assert self._daemon.state_dir.stat().st_mode & 0o777 == int(wanted, 8)

    def _version_mode(self, wanted: str, _: Json) -> None:
        modes = {path.stat().st_mode & 0o777 for path in self._daemon.state_dir.rglob("*") if path.is_file()}
        assert modes == {int(wanted, 8)}

    def _log_bytes(self, wanted: int, _: Json) -> None:
        assert self._daemon.log_path.stat().st_size <= wanted

    def _never(self, wanted: Json) -> None:
        Nevers(self._folder, self._daemon, self._facts, self._player.witness).check(wanted)


CHECKS: dict[str, Callable[[Checks, Any], None]] = {
    "event": Checks._event,
    "no_event": Checks._no_event,
    "action": Checks._action,
    "file": Checks._file,
    "versions": Checks._versions,
    "report": Checks._report,
    "notice": Checks._notice,
    "daemon": Checks._daemon_check,
    "never": Checks._never,
}
FILE_CHECKS: dict[str, Callable[[Checks, Path, Any], None]] = {
    "absent": Checks._absent,
    "equals": Checks._equals,
    "ids": Checks._ids,
    "not_ids": Checks._not_ids,
    "contains": Checks._contains,
    "not_contains": Checks._not_contains,
    "mode": Checks._mode,
    "same_inode_as": Checks._same_inode,
    "link_to": Checks._link_to,
}
DAEMON_CHECKS: dict[str, Callable[[Checks, Any, Json], None]] = {
    "alive": Checks._alive,
    "health": Checks._health,
    "instances": Checks._instances,
    "restarts": Checks._restarts,
    "refuses": Checks._refuses,
    "socket_mode": Checks._socket_mode,
    "store_mode": Checks._store_mode,
    "version_mode": Checks._version_mode,
    "log_bytes_max": Checks._log_bytes,
}

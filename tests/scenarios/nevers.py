"""What must not have happened: how each of it would show."""

from __future__ import annotations

import fnmatch
import hashlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from scenarios.facts import Facts
from scenarios.language import Folder
from scenarios.witness import Witness
from support.daemon import Daemon

READER = Path(__file__).resolve().parents[2] / "docs" / "formats" / "reader.py"
Json = Any
_MINUTE_NS = 60 * 1_000_000_000
_DAY_NS = 24 * 60 * _MINUTE_NS
_ANSWERED_AT_ONCE = 2
_REPAIRS_A_DAY = 12


class Nevers:
    def __init__(self, folder: Folder, daemon: Daemon, facts: Facts, witness: Witness) -> None:
        self._folder = folder
        self._daemon = daemon
        self._facts = facts
        self._witness = witness

    def check(self, wanted: Json) -> None:
        for key, value in wanted.items():
            NEVERS[key](self, value)

    def _write(self, path: str) -> None:
        """A write of the daemon is a version with its cause, and an applied plan."""
        causes = [version["cause"] for version in self._daemon.versions(self._folder.at(path))]
        assert not {"repair", "restore"} & set(causes), f"written by the daemon: {causes}"
        assert self._folder.at(path) not in [place for event in self._repairs() for place in self._facts.places(event)]

    def _recreate_root(self, _: str) -> None:
        assert not self._witness.recreated

    def _file_shorter(self, _: str) -> None:
        assert not self._witness.shortened

    def _record(self, names: list[str]) -> None:
        recorded = {name for event in self._daemon.events(kind="version") for name in self._facts.places(event)}
        assert not recorded & {self._folder.at(name) for name in names}, f"recorded: {recorded}"

    def _leave(self, pattern: str) -> None:
        left = [path.name for path in self._folder.root.rglob("*") if fnmatch.fnmatch(path.name, pattern)]
        assert not left, f"left behind: {left}"

    def _lose(self, text: str) -> None:
        files = [path for path in self._folder.root.rglob("*") if path.is_file()]
        assert any(text.encode() in path.read_bytes() for path in files), f"nowhere any more: {text!r}"

    def _restores_without_limit(self, _: bool) -> None:
        """Two answers at once, then none before a minute of quiet, and at most twelve a day."""
        repairs = [event["at_ns"] for event in self._repairs()]
        writes = [event for event in self._daemon.events(kind="version") if event["by"] != "conductd"]
        for number, at_ns in enumerate(repairs):
            before = max((write["at_ns"] for write in writes if write["at_ns"] <= at_ns), default=0)
            waited = at_ns - before >= _MINUTE_NS
            assert number < _ANSWERED_AT_ONCE or waited, f"repair {number + 1} came {at_ns - before} ns after the write"
            same_day = [other for other in repairs if 0 <= at_ns - other < _DAY_NS]
            assert len(same_day) <= _REPAIRS_A_DAY

    def _second_restore_of(self, name: str) -> None:
        """The bytes were taken away by the daemon once and never again."""
        digest = hashlib.sha256(self._folder.snapshots[name]).hexdigest()
        versions = {one["seq"]: one for path in self._paths() for one in self._daemon.versions(path)}
        taken = 0
        previous = None
        for seq in sorted(versions):
            version = versions[seq]
            taken += version["cause"] == "repair" and previous == digest
            previous = version["digest"]
        assert taken <= 1, f"taken away {taken} times"

    def _paths(self) -> list[Any]:
        return sorted({place for event in self._daemon.events(kind="version") for place in self._facts.places(event)})

    def _repairs(self) -> list[Json]:
        """The versions that the daemon wrote after a verdict."""
        events = self._daemon.events(kind="version")
        return [event for event in events if event["data"].get("cause") == "repair"]

    def _bytes_anywhere(self, text: str) -> None:
        """Raw in no file of the store, and in no version, however it is packed (restored by the stand-alone reader)."""
        forms = [text.encode(codec) for codec in ("utf-8", "utf-16-le", "utf-16-be")]
        with tempfile.TemporaryDirectory() as restored:
            reader = [sys.executable, str(READER), str(self._daemon.state_dir / "journal"), restored]
            subprocess.run(reader, check=True, stdout=subprocess.DEVNULL)
            kept = [path for path in Path(restored).rglob("*") if path.is_file()]
            assert kept, "the reader restores nothing"
            files = [path for path in self._daemon.state_dir.rglob("*") if path.is_file()]
            held = [path.name for path in (*files, *kept) if any(form in path.read_bytes() for form in forms)]
        assert not held, f"still in {held}"
        assert self._daemon.cli("forget", "--check", "--matching", text).exit_code == 0

    def _prune_on_jump(self, _: bool) -> None:
        """A person runs gc, and every version is still there: also after a start, which reads all clocks anew."""
        for _again in range(2):
            ran = self._daemon.cli("gc", "--json", directory=self._folder.root)
            assert ran.exit_code == 0, ran.output
            assert json.loads(ran.output)["erased"] == 0, ran.output
            for path in self._paths():
                assert all(v["restorable"] for v in self._daemon.versions(path) if v["state"] == "file")
            self._daemon.restart()
            self._daemon.sync()

    def _job_twice(self, _: bool) -> None:
        twice = self._facts.jobs.ran_twice()
        assert not twice, f"ran twice: {twice}"

    def _job_day_skipped(self, _: bool) -> None:
        skipped = self._facts.jobs.skipped()
        assert not skipped, f"skipped: {skipped}"


NEVERS: dict[str, Callable[[Nevers, Any], None]] = {
    "write": Nevers._write,
    "recreate_root": Nevers._recreate_root,
    "file_shorter_than_before": Nevers._file_shorter,
    "record": Nevers._record,
    "leave": Nevers._leave,
    "lose": Nevers._lose,
    "restores_without_limit": Nevers._restores_without_limit,
    "second_restore_of": Nevers._second_restore_of,
    "bytes_anywhere_in_store": Nevers._bytes_anywhere,
    "prune_on_jump": Nevers._prune_on_jump,
    "job_twice_for_one_day": Nevers._job_twice,
    "job_day_skipped_while_awake": Nevers._job_day_skipped,
}
KNOWN_NEVER = frozenset(NEVERS)

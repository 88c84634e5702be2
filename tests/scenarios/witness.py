"""Watches the folder for what must never happen between the steps: a check at the end would miss it."""

from __future__ import annotations

from dataclasses import dataclass

from scenarios.language import Folder, Scenario


@dataclass(frozen=True)
class _Left:
    """What the last writer left at a path."""

    exists: bool
    size: int


class Witness:
    """Compares what the daemon leaves at the watched paths with what the last step left there."""

    def __init__(self, scenario: Scenario, folder: Folder) -> None:
        nevers = [expectation["never"] for expectation in scenario["expect"] if "never" in expectation]
        self._roots = [never["recreate_root"] for never in nevers if "recreate_root" in never]
        self._files = [never["file_shorter_than_before"] for never in nevers if "file_shorter_than_before" in never]
        self._folder = folder
        self._left: dict[str, _Left] = {}
        self.recreated: list[str] = []
        self.shortened: list[str] = []

    def after_writer(self) -> None:
        """A step has changed files."""
        self._left = {path: self._look(path) for path in (*self._roots, *self._files)}

    def after_daemon(self) -> None:
        """The daemon has had its time."""
        for path in self._roots:
            if not self._left.get(path, self._look(path)).exists and self._look(path).exists:
                self.recreated.append(path)
        for path in self._files:
            now = self._look(path)
            if now.size < self._left.get(path, now).size:
                self.shortened.append(f"{path}: {now.size} bytes")

    def _look(self, path: str) -> _Left:
        target = self._folder.at(path)
        try:
            return _Left(True, target.stat().st_size)
        except FileNotFoundError:
            return _Left(False, 0)

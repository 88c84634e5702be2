"""What the faces ask about old versions (implements `faces.Retainers`), and the gate before they are erased.

An agent, or anybody without a terminal, makes a request of it. Adds no rule of its own. Any thread.
"""

from __future__ import annotations

import threading
from typing import Any

from conductd.engine.forgetting.forgetting import Forgetting
from conductd.engine.health.overview import Parts
from conductd.engine.retaining.collecting import Collector
from conductd.engine.retaining.history import Gone, Plan
from conductd.engine.retaining.room import RoomWatch
from conductd.errors import StoreUnavailable
from conductd.faces import Caller
from conductd.views import DidView, GcFileView, GcView, b64, shown
from conductd.views.words import counted

SHOWN = 20  # files of a request


class Retaining:
    """See the module."""

    def __init__(self, parts: Parts, forgetting: Forgetting) -> None:
        self._ = parts
        self._collector = Collector(parts, forgetting)
        self._room = RoomWatch(parts)
        self._last = threading.local()
        parts.weakening.register("gc", self._collect, self._show)

    def tend(self) -> None:
        """To be called every few seconds. Waits for nothing."""
        self._collector.tend()
        self._room.tend()

    def gc(self, dry_run: bool, caller: Caller) -> GcView:
        """Long: the whole history is read, and segments are rewritten."""
        plan = self._collector.plan()
        if dry_run or not (plan.goes or plan.unfinished):
            words = _words(plan)
            text = f"this would go: {words}" if plan.goes else "nothing is old enough to be erased"
            return self._view(plan, DidView(text, [], ""), dry_run, None)
        did = self._.weakening.ask("gc", {}, caller, f"erase {_words(plan)}")
        if did.request is not None:
            return self._view(plan, did, dry_run, None)
        done, freed = self._last.done
        return self._view(done, did, dry_run, freed)

    def _collect(self, _arguments: dict[str, Any], ancestry: tuple[str, ...]) -> DidView:
        try:
            plan, report = self._collector.collect(ancestry)
        except OSError as error:
            raise StoreUnavailable(f"old versions cannot be erased: {error.strerror}", "check the disk") from error
        freed = report.bytes_before - report.bytes_after
        self._last.done = (plan, freed)
        return DidView(f"erased by gc: {_words(plan)}", [], "")

    def _show(self, _arguments: dict[str, Any]) -> list[str]:
        plan = self._collector.plan()
        with self._.state.lock:
            names = {file.file: shown(self._.state.files[file.file].path) for file in plan.files}
        lines = [
            f"erase the content of {len(file.going)} of {counted(file.versions, 'version')} of {names[file.file]}"
            for file in plan.files
        ]
        more = [f"and so of {counted(len(lines) - SHOWN, 'file')} more"] if len(lines) > SHOWN else []
        return [*lines[:SHOWN], *more] or ["do nothing: nothing is old enough"]

    def _view(self, plan: Plan, did: DidView, dry_run: bool, freed: int | None) -> GcView:
        return GcView(
            text=did.text,
            dry_run=dry_run,
            versions=plan.versions,
            erased=plan.goes,
            bytes=plan.stored,
            freed=freed,
            files=[self._file(each) for each in plan.files],
            journal_bytes=self._.journal.bytes,
            max_bytes=self._.workspaces.config.retention.max_bytes,
            request=did.request,
        )

    def _file(self, gone: Gone) -> GcFileView:
        with self._.state.lock:
            file = self._.state.files[gone.file]
            root = self._.state.workspaces[file.workspace].root
        return GcFileView(
            workspace=file.workspace,
            root=shown(root),
            path=shown(file.path),
            path_b64=b64(file.path),
            versions=gone.versions,
            erased=len(gone.going),
            bytes=gone.stored,
        )


def _words(plan: Plan) -> str:
    """With counts, never content."""
    return f"the content of {counted(plan.goes, 'old version')} of {counted(len(plan.files), 'file')}"

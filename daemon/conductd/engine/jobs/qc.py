"""The nightly quality check: gathers what the checks need, asks them, writes the log of the night.

What is gathered takes files and the index as they are; what cannot be had is None, and the check says so. Nothing is
mended unless `qc_fix` allows it (`mending`).
"""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import msgspec

from conductd.agents.homes import home_of
from conductd.agents.openclaw_memory import listing
from conductd.agents.openclaw_memory_settings import memory_settings
from conductd.core.bootcard.finding import Section
from conductd.core.checkpoint.result import CheckpointResult
from conductd.core.doctor.checks import examine_workspace
from conductd.core.doctor.finding import Finding as Diagnosis
from conductd.core.load.openclaw_versions import parse_version
from conductd.core.night.facts import Night
from conductd.core.night.placement import Placement
from conductd.core.qc.facts import CardFacts, PinFacts, QcFacts
from conductd.core.qc.notes import sources
from conductd.core.qc.page import page
from conductd.core.qc.pointers import mentioned
from conductd.core.qc.results import Finding, Grade, QcResult
from conductd.doctor.places import Known, Wanted, workspace_facts
from conductd.engine.bootcards.asking import Bootcards
from conductd.engine.health.overview import Parts
from conductd.engine.jobs.apart import answer
from conductd.engine.jobs.drill import drill
from conductd.engine.jobs.job import Outcome, Progress, Result
from conductd.engine.jobs.mending import mend
from conductd.engine.jobs.orders import Examined
from conductd.engine.jobs.placing import Placed, Placing
from conductd.engine.jobs.recalling import Recalling
from conductd.engine.people.fixing import Fixing
from conductd.errors import ConductdError
from conductd.faces import CardWish
from conductd.model import EventClass
from conductd.views.words import counted

IN_REPORTS, INSIDE = b"qc/", b"memory/qc/"
_RESULTS = {Grade.PASS: Result.OK, Grade.UNKNOWN: Result.UNKNOWN, Grade.WARN: Result.WARN, Grade.FAIL: Result.FAIL}


class QcJob:
    """`placing_of(night)`: where it writes. `mends(night)`: whether safe fixes are allowed."""

    name = "qc"

    def __init__(
        self,
        parts: Parts,
        bootcards: Bootcards,
        fixing: Fixing,
        placing_of: Callable[[Night], Placing],
        mends: Callable[[Night], bool],
    ) -> None:
        self._, self._bootcards, self._fixing = parts, bootcards, fixing
        self._placing_of, self._mends = placing_of, mends
        self._recalling = Recalling(parts.state, parts.journal)

    def run(self, night: Night, progress: Progress) -> Outcome:
        """Raises StoreUnavailable when the reports cannot be written."""
        progress(0, 0, "gathering what the checks need")
        facts = self._facts(night, progress)
        findings = answer(Examined(facts), tuple[Finding, ...], progress, "checking")
        if self._mends(night):
            findings = mend(self._fixing, facts, findings, lambda: self._diagnoses(night))
        placed = self._place(night, page(night.occasion, night.agent, night.version, findings))
        result = QcResult(findings=findings, where=placed.where, why=placed.why)
        return Outcome(
            _RESULTS[result.worst],
            _words(result),
            msgspec.msgpack.encode(result),
            (placed.where,) if placed.where else (),
            placed.undo,
        )

    # ------------------------------------------------------------------ gathering

    def _facts(self, night: Night, progress: Progress) -> QcFacts:
        occasion = night.occasion
        named = mentioned(sources(night))
        searched, has_search = _searched(night)
        return QcFacts(
            night=night,
            diagnoses=self._diagnoses(night),
            verified=self._verified(night),
            pins=self._pins(occasion.workspace),
            card=self._card(night),
            drill=drill(self._, occasion.workspace, night.day.start_ns, progress),
            missing=_missing(occasion.root, list(named)),
            searched=searched,
            has_search=has_search,
        )

    def _diagnoses(self, night: Night) -> tuple[Diagnosis, ...] | None:
        config = self._.workspaces.config
        table = config.workspace(night.occasion.root)
        handle = self._.workspaces.handle(night.occasion.workspace)
        known = Known(True, profile=handle.profile if handle is not None else "")
        wanted = Wanted(table.agents, table.agent_version) if table is not None else Wanted()
        env = dict(os.environ)
        chains = tuple(each.chain() for each in config.agents)
        try:
            facts = workspace_facts(
                night.occasion.root, env, home_of(env), night.occasion.now_ns, known, wanted, chains
            )
            return tuple(examine_workspace(facts))
        except (ConductdError, OSError):
            return None

    def _verified(self, night: Night) -> CheckpointResult | None:
        """Of the day itself, else of the one before: its checkpoint comes after the day's end."""
        for back in (0, 1):
            day = night.occasion.day - timedelta(days=back)
            found = self._recalling.of_day("checkpoint", night.occasion.workspace, day)
            if found is not None and found.data:
                try:
                    return msgspec.msgpack.decode(found.data, type=CheckpointResult)
                except msgspec.MsgspecError:
                    continue
        return None

    def _pins(self, workspace: str) -> PinFacts | None:
        with self._.state.lock:
            track = self._.state.workspaces.get(workspace)
            if track is None:
                return None
            hidden = sum(
                len(each.record.files) or 1
                for each in self._.state.incidents.values()
                if each.record.workspace == workspace
                and each.record.state == "open"
                and each.record.event_class is EventClass.PIN_HIDDEN
            )
            return PinFacts(len(track.pins), hidden)

    def _card(self, night: Night) -> CardFacts | None:
        handle = self._.workspaces.handle(night.occasion.workspace)
        if handle is None:
            return None
        try:
            # What the last night found stands on the card as well: that it takes room is no finding of this one.
            view = self._bootcards.of(handle, CardWish(date=night.occasion.day.isoformat(), has_checks=False))
        except (ConductdError, OSError):
            return None
        shown = sum(1 for line in view.lines if line.section == Section.PINNED)
        pins_left = max(0, view.found.get(Section.PINNED, 0) - shown)
        return CardFacts(view.tokens.high, view.max_tokens, view.left_out, pins_left)

    # ------------------------------------------------------------------ doing

    def _place(self, night: Night, text: str) -> Placed:
        agent = "".join(each if each.isalnum() or each in "-_" else "-" for each in night.agent) or "agent"
        name = f"{night.occasion.day.isoformat()}-{agent}-qc.md".encode()
        placing, data = self._placing_of(night), text.encode("utf-8", "surrogateescape")
        why = placing.forbidden(INSIDE + name, Placement.OTHER) or _of_the_past(night)
        if not why and os.path.isdir(os.path.join(night.occasion.root, b"memory")):
            placed = placing.into(INSIDE + name, Placement.OTHER, lambda _there: data, self.name)
            if placed.is_inside:
                return placed
            why = placed.why
        return placing.report(IN_REPORTS + name, data, why)


def _of_the_past(night: Night) -> str:
    """The files are those of today: under an older date an agent would take the page for what it is not."""
    occasion = night.occasion
    today = datetime.fromtimestamp(occasion.now_ns / 1e9, ZoneInfo(occasion.zone)).date()
    return "it is of a day that is over" if occasion.day < today - timedelta(days=1) else ""


def _searched(night: Night) -> tuple[frozenset[bytes] | None, bool]:
    """What the agent's memory search takes (None: it cannot be told), and whether it has one. Only the rules of
    OpenClaw are known."""
    if night.agent != "openclaw":
        return frozenset(), False
    version = parse_version(night.version)
    env = dict(os.environ)
    if version is None:
        return None, True
    own = memory_settings(os.fsdecode(night.occasion.root), None, version, env, home_of(env))
    if own is None:
        return None, True
    if not own.searches:
        return frozenset(), False
    return frozenset(os.fsencode(each.path) for each in listing(own, version).files), True


def _missing(root: bytes, paths: list[bytes]) -> frozenset[bytes]:
    return frozenset(path for path in paths if not os.path.lexists(os.path.join(root, path)))


def _words(result: QcResult) -> str:
    said = [f"{counted(len(result.findings), 'check')}: {result.count(Grade.PASS)} passed"]
    for grade, word in ((Grade.FAIL, "failed"), (Grade.WARN, "to look at"), (Grade.UNKNOWN, "not known")):
        names = [each.check for each in result.findings if each.grade is grade]
        if names:
            said.append(f"{len(names)} {word} ({', '.join(names[:4])}{', …' if len(names) > 4 else ''})")
    return ", ".join(said)

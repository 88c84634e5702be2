"""What a day comes to: clean, handled, or something for a person to do. What is missing is never clean. Pure."""

from __future__ import annotations

from enum import StrEnum

from conductd.core.night.days import in_words
from conductd.core.qc.results import Grade
from conductd.core.report.facts import OFF, Facts, JobFact
from conductd.model import Frozen, Severity
from conductd.views import shown
from conductd.views.words import counted

_DAMAGED = ("fail", "failed", "timed out")


class Shape(StrEnum):
    CLEAN = "clean"
    HANDLED = "handled"
    NEEDS_YOU = "needs you"


class Verdict(Frozen, frozen=True):
    """``needs``: what a person should do something about; ``handled``: what was seen and needs nothing; ``unknown``:
    what nobody knows. One sentence each, names and counts. ``is_urgent``: it should not wait for the morning."""

    shape: Shape
    needs: tuple[str, ...] = ()
    handled: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    is_urgent: bool = False

    @property
    def severity(self) -> Severity:
        if self.shape is Shape.CLEAN:
            return Severity.INFO
        return Severity.ALARM if self.is_urgent else Severity.NOTICE


def verdict(facts: Facts) -> Verdict:
    if not facts.is_watched:  # nobody can do anything about it, and nothing of it can be known
        return Verdict(Shape.HANDLED, unknown=("everything: the workspace was not watched yet on this day",))
    needs: list[str] = []
    handled: list[str] = []
    unknown: list[str] = []
    is_urgent = _incidents(facts, needs, handled, unknown)
    is_urgent |= _checkpoint(facts, needs, unknown)
    _checks(facts, needs, handled, unknown)
    for each in facts.jobs:
        _job(each, needs, handled)
    if facts.continuity is None and not _is_off(facts.job("continuity")):
        unknown.append("what work is unfinished")
    if facts.unjudged:
        names = ", ".join(shown(path) for path in facts.unjudged[:3])
        unknown.append(
            f"what was written just now: {names} {'waits' if len(facts.unjudged) == 1 else 'wait'} for a verdict"
        )
    if facts.versions_per_hour is not None and (facts.gained is None or facts.lost is None):
        unknown.append("how many entries came and went: what a file held is not known any more")
    if facts.versions_per_hour is None:
        unknown.append("what changed: the history could not be asked")
        needs.append("the history could not be asked: conductd status")
    if facts.sizes is None:
        unknown.append("how the files grow")
    if facts.unread:
        handled.append(f"{counted(len(facts.unread), 'file')} could not be read")
        unknown.append(f"what stands in {counted(len(facts.unread), 'file')}")
    if facts.degraded is None:
        unknown.append("how the daemon is")
    else:
        needs += [f"the daemon is degraded: {each}" for each in facts.degraded]
    shape = Shape.NEEDS_YOU if needs else Shape.HANDLED if handled or unknown else Shape.CLEAN
    return Verdict(shape, tuple(needs), tuple(handled), tuple(unknown), is_urgent)


def _incidents(facts: Facts, needs: list[str], handled: list[str], unknown: list[str]) -> bool:
    if facts.incidents is None:
        unknown.append("whether there were incidents")
        return False
    for each in facts.incidents:
        files = ", ".join(shown(path) for path in each.paths[:2]) or "no file"
        more = f" and {len(each.paths) - 2} more" if len(each.paths) > 2 else ""
        said = f"incident {each.incident}: {each.event_class.value.replace('_', ' ')} of {files}{more}"
        if each.state != "open":
            handled.append(f"{said}, {each.state}")
            continue
        lost = f", {counted(each.entries_lost, 'entry', 'entries')} lost" if each.entries_lost else ""
        # What is open at the lowest level waits for nobody.
        (handled if each.severity is Severity.INFO else needs).append(f"{said}{lost}, open")
    return any(each.state == "open" and each.severity is Severity.ALARM for each in facts.incidents)


def _checkpoint(facts: Facts, needs: list[str], unknown: list[str]) -> bool:
    if facts.checkpoint is None:
        unknown.append("whether the history is whole" + (": the checkpoint is off" if _is_off(_of(facts)) else ""))
        return False
    if facts.checkpoint.damaged or facts.checkpoint.not_restorable:
        broken = facts.checkpoint.damaged + facts.checkpoint.not_restorable
        needs.append(f"the history is damaged in {counted(broken, 'place')}: conductd verify")
        return True
    if not facts.checkpoint.is_whole:
        unknown.append("whether the history is whole")
    if facts.checkpoint.unread:
        unknown.append(f"what stood in {counted(facts.checkpoint.unread, 'file')} at the checkpoint")
    return False


def _of(facts: Facts) -> JobFact | None:
    return facts.job("checkpoint")


def _checks(facts: Facts, needs: list[str], handled: list[str], unknown: list[str]) -> None:
    qc = facts.qc
    if qc is None or not qc.findings:
        unknown.append("the checks: " + _why_none(facts.job("qc")))
        return
    for each in qc.findings:
        if each.grade is Grade.FAIL:
            needs.append(f"{each.check}: {each.words}")
        elif each.grade is Grade.WARN or each.fixed:
            handled.append(f"{each.check}: {each.words}")
        elif each.grade is Grade.UNKNOWN:
            unknown.append(f"{each.check}: {each.words}")


def _why_none(job: JobFact | None) -> str:
    if job is None or not job.result:
        return "they did not run"
    if job.result == OFF:
        return "they are off"
    return "they failed" if job.result in _DAMAGED else "what they found is not known"


def _job(job: JobFact, needs: list[str], handled: list[str]) -> None:
    if job.result in ("failed", "timed out"):
        needs.append(f"the job {job.job} {'took too long' if job.result == 'timed out' else 'failed'}: {job.words}")
    elif job.result in ("warn", "fail", "refused", "unknown") and job.job != "qc":  # of the checks each is told
        handled.append(f"the job {job.job} ({job.result}): {job.words}")
    if job.asleep:
        handled.append(f"the job {job.job} covers {in_words(job.asleep)}: the machine slept")


def _is_off(job: JobFact | None) -> bool:
    return job is not None and job.result == OFF

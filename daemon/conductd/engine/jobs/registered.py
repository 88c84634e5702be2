"""The jobs of the night, in the order they run where several are due at once."""

from __future__ import annotations

from conductd.core.night.facts import Night
from conductd.engine.bootcards.asking import Bootcards
from conductd.engine.health.overview import Parts
from conductd.engine.jobs.checkpoint import CheckpointJob
from conductd.engine.jobs.continuity import ContinuityJob
from conductd.engine.jobs.job import Job
from conductd.engine.jobs.placing import Placing
from conductd.engine.jobs.qc import QcJob
from conductd.engine.jobs.recap import RecapJob
from conductd.engine.jobs.report import ReportJob
from conductd.engine.jobs.reporting import Reporting
from conductd.engine.people.fixing import Fixing
from conductd.engine.people.write_set import WriteSets


def registered(parts: Parts, sets: WriteSets, bootcards: Bootcards, fixing: Fixing) -> tuple[Job, ...]:
    def placing_of(night: Night) -> Placing:
        occasion = night.occasion
        allowed = parts.workspaces.config.jobs_of(occasion.root).write_into_workspace
        return Placing(parts, sets, occasion.workspace, allowed, is_dry=occasion.is_dry)

    def is_quiet(night: Night) -> bool:
        return parts.workspaces.config.jobs_of(night.occasion.root).quiet_when_clean

    def mends(night: Night) -> bool:
        return parts.workspaces.config.jobs_of(night.occasion.root).qc_fix

    reporting = Reporting(parts)
    return (
        CheckpointJob(parts, placing_of),
        ContinuityJob(placing_of),
        QcJob(parts, bootcards, fixing, placing_of, mends),
        ReportJob(reporting, placing_of, is_quiet),
        RecapJob(reporting, placing_of, is_quiet),
    )

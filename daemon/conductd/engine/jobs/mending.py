"""What QC mends by itself where `qc_fix` allows it: the safe fixes of `doctor --fix`, each with an undo of its own.

Nothing beside them is safe without a person: which of two like entries goes, what a stale date or a dangling link ought
to say, and what an agent should load are not told by a file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from conductd.core.doctor.finding import Finding as Diagnosis
from conductd.core.doctor.fixes import REPAIRS
from conductd.core.doctor.links import HARD_LINK, LINK
from conductd.core.doctor.names import CASE, SPLIT
from conductd.core.qc.checks import examine
from conductd.core.qc.facts import QcFacts
from conductd.core.qc.results import Finding
from conductd.engine.jobs.placing import US
from conductd.engine.people.fixing import Fixing, Mended
from conductd.errors import ConductdError

_CHECKS = {SPLIT: "one_name", CASE: "one_name", LINK: "links", HARD_LINK: "links"}
assert set(_CHECKS) == set(REPAIRS)


def mend(
    fixing: Fixing,
    facts: QcFacts,
    findings: Sequence[Finding],
    diagnosed: Callable[[], tuple[Diagnosis, ...] | None],
) -> tuple[Finding, ...]:
    """The findings, those that were mended as they are now, with what was done and how it is taken back; those that
    could not be with the reason. Of a dry run nothing is mended. ``diagnosed``: what doctor sees, looked at anew."""
    occasion, faults = facts.night.occasion, [each for each in facts.diagnoses or () if each.repair]
    if occasion.is_dry or not faults:
        return tuple(findings)
    try:
        done = fixing.one_by_one(occasion.workspace, US)
    except ConductdError as error:
        done = [Mended(each.repair, each.what, error.message) for each in faults]
    of = {each.check: [mended for mended in done if _CHECKS[mended.repair] == each.check] for each in findings}
    changed = {check for check, those in of.items() if any(not each.why for each in those)}
    now = {each.check: each for each in examine(replace(facts, diagnoses=diagnosed()), changed)} if changed else {}
    return tuple(_told(now.get(each.check, each), of[each.check]) for each in findings)


def _told(finding: Finding, done: Sequence[Mended]) -> Finding:
    fixed = [f"{each.what}; {_back(each)}" for each in done if not each.why]
    refused = [f"not mended: {each.what}: {each.why}" for each in done if each.why]
    if not fixed and not refused:
        return finding
    return replace(finding, fixed="; ".join(fixed), evidence=(*finding.evidence, *refused))


def _back(mended: Mended) -> str:
    return f"to take it back: {mended.undo_command}" if mended.undo_command else "its content is the same"

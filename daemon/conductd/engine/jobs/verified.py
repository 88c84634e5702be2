"""The journal of a daemon, verified in a process of its own. Any thread."""

from __future__ import annotations

import os

from conductd.engine.jobs.apart import answer
from conductd.engine.jobs.job import Progress
from conductd.engine.jobs.orders import Verified
from conductd.journal.journal import Journal
from conductd.journal.outline import Outline
from conductd.journal.verify import VerifyReport


def verified(journal: Journal, state_dir: str, progress: Progress) -> VerifyReport:
    """As `Journal.verify`; nothing is erased meanwhile. Raises StoreUnavailable, `Failed`, what ``progress`` raises."""
    place = os.fsencode(os.path.join(state_dir, "journal"))

    def check(told: Outline) -> VerifyReport:
        return answer(Verified(place, told), VerifyReport, progress, "verifying the journal")

    return journal.verified_by(check)

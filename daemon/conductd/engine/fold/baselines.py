"""What becomes of a file's baseline, and of what was remembered with it, as records come. Called by the state alone."""

from __future__ import annotations

from conductd.core.losses.erosion import entered, line_of
from conductd.engine.fold.tracks import FileTrack, Seen, still_had
from conductd.model import DAEMON, Cause, ChangeRecord, FileState, Stored, VersionRecord

EARLIER_BASELINES = 64


def rebase(file: FileTrack, seen: Seen) -> None:
    """From now on losses are counted from this version; what stood before is one of the earlier ones."""
    for old in (file.baseline, *still_had(file.since, seen)):
        if old is not None and old.state is FileState.FILE and old.digest != seen.digest:
            file.earlier.insert(0, old)
    del file.earlier[EARLIER_BASELINES:]
    file.baseline = seen
    file.since = [s for s in file.since if s.seq > seen.seq]
    file.judged = None


def learn(file: FileTrack, record: ChangeRecord, judged: Seen) -> None:
    """The ledger of small losses, and the lapse of what was accepted."""
    change = record.verdict.change
    charged = next((s for s in file.since if s.seq == record.verdict.charged_to), judged)
    line = line_of(record.verdict, record.baseline_seq, charged.seq, judged.at_ns, charged.actor.name)
    if line is not None:
        file.ledger = entered(file.ledger, line)
    if file.accepted and judged.actor != DAEMON:
        file.accepted -= {s.fingerprint for s in change.added}


def written_ns(stored: Stored, record: VersionRecord) -> int:
    """When it was written: what a start finds has stood there for some time."""
    if record.cause is Cause.OFFLINE and record.stat is not None:
        return record.stat.ctime_ns
    return stored.wall_ns

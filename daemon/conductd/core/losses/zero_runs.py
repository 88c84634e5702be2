"""Runs of zero bytes where text was: what a crash, or a full or failing disk, leaves in a file. Nobody means them.

Owns the rule and the text without them, with what they took back in its place. Called through `core.judging.classify`,
by `core.merging.outcome` and `core.merging.offer`.
"""

from __future__ import annotations

import re

from conductd.core.comparing.change import compare
from conductd.core.judging.finding import Evidence, Finding, figures
from conductd.core.judging.loss import Loss
from conductd.core.merging.merge import merge_missing
from conductd.core.reading.entries import entry_table
from conductd.core.reading.text import Encoding
from conductd.model import Action, EventClass

_RUN = re.compile(rb"\0{4,}")
_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")
_WIDE = (Encoding.UTF_16_LE, Encoding.UTF_16_BE)


def zero_run(e: Evidence, loss: Loss) -> Finding | None:
    """Zeros came into the text, and entries went or are damaged; some of the text is left."""
    if loss.excuse or not _RUN.search(e.last.data) or _RUN.search(e.baseline.data):
        return None
    if e.change.kept == e.change.entries_before or e.last.table.encoding in _WIDE:
        return None
    if not e.last.data.strip(b"\0 \t\r\n"):
        return None
    event_class = EventClass.OVERWRITE if loss.share >= e.policy.thresholds.shrink_share else EventClass.ENCODING_CHANGE
    whole = filled(e.baseline.data, e.last.data)
    action = Action.REVERT if whole == e.baseline.data else Action.MERGE
    return Finding(
        event_class,
        "zero-run",
        figures(e, loss.share),
        charged_to=e.charges.main.seq,
        harms=True,
        softened=action,
    )


def filled(old: bytes, now: bytes) -> bytes:
    """``now`` without its zeros and the ends that they left of lines, and with the entries of ``old`` that it lacks."""
    lines = {line.strip() for line in _LINE.findall(old)}
    text = b"\n".join(lines)
    kept: list[bytes] = []
    for line in _LINE.findall(now):
        if b"\0" not in line:
            kept.append(line)
            continue
        parts = [part for part in _RUN.split(line) if part.strip(b"\0 \t\r\n") and part.strip() not in text]
        kept += [part.replace(b"\0", b"") + (b"" if part.endswith(b"\n") else b"\n") for part in parts]
    rest = b"".join(kept)
    lost = compare(entry_table(old, b""), entry_table(rest, b"")).lost
    return merge_missing(old, rest, lost)

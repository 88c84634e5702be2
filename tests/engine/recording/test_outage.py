"""What the recorder does while the store takes no writes."""

from __future__ import annotations

from conductd.engine.recording.outage import probe
from conductd.journal.format import CONTROL_KINDS, KINDS


def test_trying_the_store_again_never_uses_the_space_kept_for_verdicts() -> None:
    assert KINDS[probe().record.kind] not in CONTROL_KINDS

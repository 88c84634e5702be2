"""Where secrets stand in a text of any length. What looks for them looks at the beginning of a long text only."""

from __future__ import annotations

from conductd.secrets.scan import sightings
from conductd.secrets.sentences import LONGEST

_WINDOW = LONGEST - 1_000  # characters that are looked through at once
_OVERLAP = 2_000


def secret_spans(text: str) -> list[tuple[int, int]]:
    """(start, end) in characters, in order."""
    spans: set[tuple[int, int]] = set()
    for start in range(0, max(1, len(text)), _WINDOW - _OVERLAP):
        spans |= {(start + each.start, start + each.end) for each in sightings(text[start : start + _WINDOW])}
    return sorted(spans)

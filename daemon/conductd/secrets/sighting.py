"""Where a secret stands."""

from __future__ import annotations

from typing import NamedTuple


class Sighting(NamedTuple):
    """Where a secret stands in a text, and what kind it is. Never shown: what it is."""

    kind: str
    start: int
    end: int

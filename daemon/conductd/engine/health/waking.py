"""Whether the machine slept, or its clock was set: wall and monotonic time went apart. Values only."""

from __future__ import annotations

APART_NS = 5_000_000_000  # what a clock that is corrected little by little never makes between two looks


class Waking:
    """Of one daemon. Monotonic time stands still while a machine sleeps (Linux, macOS), wall time does not."""

    def __init__(self, wall_ns: int, mono_ns: int) -> None:
        self._apart_ns = wall_ns - mono_ns

    def slept_ns(self, wall_ns: int, mono_ns: int) -> int:
        """By how much the two went apart since the last look, 0 for next to nothing; negative where the wall clock was
        put back."""
        apart = wall_ns - mono_ns
        gone, self._apart_ns = apart - self._apart_ns, apart
        return gone if abs(gone) >= APART_NS else 0

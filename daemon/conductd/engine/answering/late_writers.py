"""Writers that still held a file open when it was taken out of place: looked at again, and what they wrote kept."""

from __future__ import annotations

from conductd.repair.late import LATE_LOOKS_MS, LateWatch

RETRY_NS = 1_000_000_000  # while the store takes no writes; the first wait of what could not be merged now
RETRY_MOST_NS = 60_000_000_000


class Looking:
    """An inode that was taken out of place, to be read again."""

    def __init__(self, watch: LateWatch, file: int, base: bytes | None, now_ns: int) -> None:
        self.watch, self.file, self.base = watch, file, base
        self.due = [now_ns + ms * 1_000_000 for ms in LATE_LOOKS_MS]
        self.next_ns = self.due[0]  # kept apart: other threads read it while the looks are used up


class Stranded:
    """Bytes that stand nowhere any more, to be merged into the file."""

    def __init__(self, file: int, base: bytes | None, data: bytes, due_ns: int) -> None:
        self.file, self.base, self.data, self.due_ns = file, base, data, due_ns
        self.tries = 0

    def put_off(self, now_ns: int) -> None:
        self.due_ns = now_ns + min(RETRY_NS << min(self.tries, 16), RETRY_MOST_NS)
        self.tries += 1

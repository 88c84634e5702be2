"""A rotated note that was compressed is archived, not lost; what cannot be unpacked holds nothing."""

from __future__ import annotations

import gzip
import time
from pathlib import Path

import pytest

from conductd.core.policy import Search
from conductd.watch.packed import MOST, unpacked
from conductd.watch.search import search

TEXT = b"# Notes\n\n- The router in the cellar must stay on.\n"
PACKED = gzip.compress(TEXT, mtime=0)


@pytest.mark.parametrize(
    ("path", "data", "expected"),
    [
        (b"memory/2026-01-05.md.gz", PACKED, TEXT),
        (b"MEMORY.MD.GZ", PACKED, TEXT),
        (b"two.md.gz", PACKED + gzip.compress(b"- more\n", mtime=0), TEXT + b"- more\n"),
        (b"empty.md.gz", gzip.compress(b"", mtime=0), b""),
        (b"notes.md", PACKED, None),
        (b"notes.md.gz", TEXT, None),
        (b"cut.md.gz", PACKED[:-9], None),
        (b"damaged.md.gz", PACKED[:20] + b"\xff" * 9 + PACKED[29:], None),
        (b"bomb.md.gz", gzip.compress(bytes(MOST + 1), mtime=0), None),
        (b"nothing.gz", b"", None),
    ],
)
def test_what_is_inside(path: bytes, data: bytes, expected: bytes | None) -> None:
    assert unpacked(path, data) == expected


def test_a_search_finds_what_was_packed(workspace: Path, root_fd: int) -> None:
    (workspace / "archive").mkdir()
    (workspace / "archive" / "2026-01-05.md.gz").write_bytes(PACKED)
    found = search(root_fd, time.time_ns(), Search(budget_ms=30_000)).texts
    assert [(text.path, text.data) for text in found] == [(b"archive/2026-01-05.md.gz", TEXT)]

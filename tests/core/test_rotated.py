"""Names of logs that were turned over, which may be the file itself."""

from __future__ import annotations

import pytest

from conductd.core.roles import is_rotated


@pytest.mark.parametrize(
    ("path", "rotated"),
    [
        (b"memory/activity.md.1", True),
        (b"memory/activity.md.2026-03-01", True),
        (b"logs/activity.md.20260301_1011", True),
        (b"memory/activity.md", False),
        (b"memory/activity.md.bak", False),
        (b"memory/activity.md~", False),
        (b"backups/activity.md.1", False),
        (b"tmp/activity.md.1", False),
    ],
)
def test_by_name(path: bytes, rotated: bool) -> None:
    assert is_rotated(path) is rotated

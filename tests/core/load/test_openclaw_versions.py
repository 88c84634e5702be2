"""Limits and load order by release."""

from __future__ import annotations

import pytest

from conductd.core.load.openclaw_versions import (
    NEWEST,
    Session,
    Version,
    is_silent_when_missing,
    limits,
    load_order,
    parse_version,
)


@pytest.mark.parametrize(
    ("version", "file", "total", "head_tail", "digest", "user"),
    [
        ((2026, 1, 30), 20_000, None, True, False, None),
        ((2026, 2, 16), 20_000, 24_000, True, False, None),
        ((2026, 2, 26), 20_000, 150_000, True, False, None),
        ((2026, 3, 24), 20_000, 150_000, True, False, None),
        ((2026, 4, 15), 12_000, 60_000, True, False, None),
        ((2026, 4, 20), 12_000, 60_000, False, False, None),
        ((2026, 5, 28), 12_000, 60_000, False, True, None),
        ((2026, 6, 11), 20_000, 60_000, False, True, None),
        ((2026, 7, 35), 20_000, 60_000, False, True, None),
        ((2026, 8, 1), 20_000, 60_000, False, True, 4_000),
        ((2026, 9, 6), 20_000, 60_000, False, True, 4_000),
    ],
)
def test_every_era_has_its_limits(
    version: Version, file: int, total: int | None, head_tail: bool, digest: bool, user: int | None
) -> None:
    found = limits(version)
    assert (found.file, found.total, found.head_tail, found.digest, found.user) == (
        file,
        total,
        head_tail,
        digest,
        user,
    )


def test_configured_limits_win_but_never_raise_the_cap_of_user() -> None:
    found = limits(NEWEST, file=30_000, total=90_000)
    assert (found.file, found.total, found.user) == (30_000, 90_000, 4_000)
    assert limits(NEWEST, file=0, total=-1) == limits(NEWEST)


@pytest.mark.parametrize(
    ("version", "session", "names"),
    [
        ((2026, 1, 30), Session.SUBAGENT, "AGENTS TOOLS"),
        ((2026, 1, 30), Session.CRON, "AGENTS SOUL TOOLS IDENTITY USER HEARTBEAT BOOTSTRAP MEMORY"),
        ((2026, 4, 15), Session.SUBAGENT, "AGENTS SOUL TOOLS IDENTITY USER"),
        ((2026, 4, 15), Session.GROUP, "AGENTS SOUL TOOLS IDENTITY USER HEARTBEAT BOOTSTRAP MEMORY"),
        ((2026, 7, 1), Session.SUBAGENT, "AGENTS TOOLS"),
        ((2026, 7, 1), Session.CRON, "AGENTS SOUL TOOLS IDENTITY USER"),
        ((2026, 9, 6), Session.MAIN, "AGENTS SOUL IDENTITY USER BOOTSTRAP MEMORY"),
        ((2026, 9, 6), Session.GROUP, "AGENTS SOUL IDENTITY USER BOOTSTRAP"),
        ((2026, 9, 6), Session.SUBAGENT, "AGENTS"),
        ((2026, 9, 6), Session.CRON, "AGENTS SOUL IDENTITY USER"),
    ],
)
def test_every_session_has_its_files(version: Version, session: Session, names: str) -> None:
    assert load_order(version, session) == tuple(f"{name}.md" for name in names.split())


@pytest.mark.parametrize("version", [(2026, 1, 30), NEWEST])
def test_memory_comes_last_and_is_never_missed_aloud(version: Version) -> None:
    assert load_order(version)[-1] == "MEMORY.md"
    assert is_silent_when_missing("MEMORY.md", version)
    assert not is_silent_when_missing("AGENTS.md", version)


@pytest.mark.parametrize(
    ("text", "version"),
    [("2026.4.15", (2026, 4, 15)), ("v2026.9.6-beta.1", (2026, 9, 6)), (" 2026.7.35\n", (2026, 7, 35)), ("1.2", None)],
)
def test_versions_are_read(text: str, version: Version | None) -> None:
    assert parse_version(text) == version

"""What OpenClaw's record costs to look at: one opening for a workspace, none while its database is the same."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from conductd.app import App, Ports, Request
from conductd.engine.gathering.gate import Gate
from conductd.model import Mode
from conductd.ports import SystemClock

from ..conftest import Parts


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tmp_path / ".openclaw/workspace"
    for user in ("ana", "bob", "eva"):
        (made / "users" / user).mkdir(parents=True)
        (made / "users" / user / "USER.md").write_text("- a\n")
    (made / "MEMORY.md").write_text("- a\n")
    return made


@pytest.fixture
def database(root: Path) -> Iterator[sqlite3.Connection]:
    (root.parent / "state").mkdir()
    with closing(sqlite3.connect(root.parent / "state/openclaw.sqlite")) as sql:
        sql.execute("PRAGMA journal_mode = WAL")
        sql.execute(
            "CREATE TABLE plugin_state_entries (plugin_id TEXT, namespace TEXT, entry_key TEXT, value_json TEXT)"
        )
        sql.commit()
        yield sql


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    found: list[str] = []
    connect = sqlite3.connect

    def counted(*arguments: Any, **options: Any) -> sqlite3.Connection:
        found.append(str(arguments[0]))
        sql: sqlite3.Connection = connect(*arguments, **options)
        return sql

    monkeypatch.setattr(sqlite3, "connect", counted)
    return found


def gate_of(parts: Parts, root: Path, home: Path) -> Gate:
    parts.workspaces.register(os.fsencode(root), Mode.PROTECT, "openclaw")
    return Gate(parts.state, parts.workspaces, {"HOME": str(home), "PATH": ""}, SystemClock())


def test_all_files_of_a_workspace_are_one_opening(
    parts: Parts, root: Path, tmp_path: Path, database: sqlite3.Connection, opened: list[str]
) -> None:
    found = gate_of(parts, root, tmp_path)
    database.execute("INSERT INTO plugin_state_entries VALUES ('a', 'b', 'c', 'd')")
    database.commit()
    list(found.standings())
    assert len(opened) == 1


def test_a_database_that_an_active_agent_wrote_is_opened_once_for_each_state(
    parts: Parts,
    root: Path,
    tmp_path: Path,
    database: sqlite3.Connection,
    opened: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = gate_of(parts, root, tmp_path)
    for times in (1, 2):
        database.execute("INSERT INTO plugin_state_entries VALUES ('a', 'b', 'c', 'd')")
        database.commit()
        written = max(each.stat().st_mtime_ns for each in (root.parent / "state").iterdir())
        # A moment later, well below the two seconds of a file system with coarse times.
        monkeypatch.setattr(time, "time_ns", lambda at=written + 300_000_000: at)
        for _ in range(5):
            list(found.standings())
        assert len(opened) == times


class NoFace:
    path, alive = b"", True

    def start(self) -> None: ...

    def stop(self) -> None: ...


def test_what_the_service_manager_is_told_needs_no_database(
    root: Path, tmp_path: Path, database: sqlite3.Connection, opened: list[str]
) -> None:
    with ExitStack() as stack:
        request = Request((os.fsencode(root),), state_dir=str(tmp_path / "state"), demo=False)
        app = App(request, lambda _service, _path: NoFace(), Ports(environ={"HOME": str(tmp_path)}, jobs=()), stack)
        app.start()
        assert app.service is not None
        app.service.sync()
        database.execute("INSERT INTO plugin_state_entries VALUES ('a', 'b', 'c', 'd')")
        database.commit()
        opened.clear()
        brief = app.service.brief()
        assert not [each for each in opened if "openclaw" in each]
        status = app.service.status()
        assert [each for each in opened if "openclaw" in each]
        assert (brief.files, brief.health, len(brief.workspaces)) == (status.files, status.health, 1)

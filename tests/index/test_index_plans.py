"""No question reads a whole table of those that grow without end, nor sorts what it finds there."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from conductd.index.reader import IndexReader
from conductd.index.writer import IndexWriter
from index.journals import WORKSPACES, random_journal

QUESTIONS: dict[str, Callable[[IndexReader], object]] = {
    "versions of a file": lambda reader: reader.versions([1], 50, 1000),
    "versions of files": lambda reader: reader.versions([1, 2, 3], 50),
    "versions of a workspace": lambda reader: reader.versions(None, 50, 1000, WORKSPACES[0]),
    "all versions": lambda reader: reader.versions(),
    "one version": lambda reader: reader.version(5),
    "a sequence": lambda reader: reader.resolve_seq(5),
    "a digest": lambda reader: reader.resolve_digest("7692c3ad", [1]),
    "a digest anywhere": lambda reader: reader.resolve_digest("7"),
    "a time": lambda reader: reader.resolve_time(1 << 62, [1, 2]),
    "events": lambda reader: reader.events(10, 50),
    "events of an incident": lambda reader: reader.incident_events(5),
    "changes": lambda reader: reader.changes(1),
    "changes of an incident": lambda reader: reader.incident_changes(5),
    "the change of a version": lambda reader: reader.change_of(5),
    "open incidents": lambda reader: reader.incidents("open"),
    "incidents": lambda reader: reader.incidents(),
    "an incident": lambda reader: reader.incident(5),
    "plans": lambda reader: reader.plans(),
    "a plan": lambda reader: reader.plan(5),
    "a name": lambda reader: reader.find(b"MEMORY.md"),
    "a file": lambda reader: reader.file(1),
    "counts": lambda reader: reader.counts(),
}
GROWING = ("versions", "v", "events", "e", "changes", "c", "plans", "u", "incidents", "incident_files")


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("plans") / "index.sqlite"
    writer = IndexWriter(path)
    writer.apply(random_journal(1, 500))
    writer.close()
    return path


@pytest.mark.parametrize("name", QUESTIONS)
def test_each_question_walks_an_index(path: Path, name: str) -> None:
    reader = IndexReader(path)
    reader.counts()
    (connection, _) = reader._idle[-1]
    asked: list[str] = []
    connection.set_trace_callback(asked.append)
    QUESTIONS[name](reader)
    connection.set_trace_callback(None)
    reader.close()
    statements = [statement for statement in asked if statement.startswith("SELECT")]
    assert statements
    other = sqlite3.connect(path)
    try:
        for statement in statements:
            steps = [row[3] for row in other.execute("EXPLAIN QUERY PLAN " + statement)]
            for step in steps:
                # By the row id with a limit is a walk too: it starts at the bound and stops at the limit.
                is_scan = step.startswith("SCAN ") and step.split()[1] in GROWING
                assert not is_scan or "ORDER BY" in statement, (statement, steps)
                if name not in ("a name", "a file"):
                    assert "TEMP B-TREE" not in step, (statement, steps)
    finally:
        other.close()

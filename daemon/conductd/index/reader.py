"""Questions to the index. Read-only, for any thread; a snapshot a question, never a lock on the writer.

Lists are newest first and paged by sequence (`before`), so that a page costs the same at any depth.
"""

from __future__ import annotations

import heapq
import os
import sqlite3
import threading
import urllib.parse
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from conductd.errors import StoreUnavailable
from conductd.index import lookup, rows
from conductd.index.rows import Counts, DayRow, FileRow, IncidentRow, PlanRow, Then, WorkspaceRow
from conductd.model import ChangeRecord, DecisionRecord, FileState, IncidentRecord, Stored
from conductd.views import EventView, VersionView

# Open connections kept for the next question; more threads than this open their own for one question.
_KEPT = 8


class IndexReader:
    """See the module. Raises `StoreUnavailable` when the index is missing or cannot be read."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = os.fspath(path)
        self._lock = threading.Lock()
        self._idle: list[tuple[sqlite3.Connection, tuple[int, int]]] = []
        self._closed = False
        self.veil: Callable[[EventView], EventView] = lambda view: view  # without what is forgotten

    def close(self) -> None:
        """Let go of every idle connection; questions under way finish with theirs."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for connection, _ in idle:
            connection.close()

    # ------------------------------------------------------------------ files and workspaces

    def files(self, workspace: str | None = None) -> list[FileRow]:
        """Every file that has a version, by workspace and path."""
        where = "WHERE w.uuid = ?" if workspace is not None else ""
        return self._files(where, (workspace,) if workspace is not None else ())

    def file(self, file: int) -> FileRow | None:
        return next(iter(self._files("WHERE f.file = ?", (file,))), None)

    def find(self, name: bytes, workspace: str | None = None) -> list[FileRow]:
        """Files a person may mean: those at this path, else those whose path ends with these parts."""
        name = name.strip(b"/")
        last = name.rpartition(b"/")[2]
        found = self._files("WHERE f.name = ? AND (? IS NULL OR w.uuid = ?)", (last, workspace, workspace))
        exact = [each for each in found if each.path == name]
        return exact or [each for each in found if each.path.endswith(b"/" + name)]

    def workspaces(self) -> list[WorkspaceRow]:
        found = self._all(
            "SELECT w.uuid, w.root, w.mode, w.profile, count(f.file), coalesce(sum(f.versions), 0),"
            " (SELECT count(*) FROM incidents i WHERE i.ws = w.id AND i.state = 'open'), max(f.last_ns)"
            " FROM workspaces w LEFT JOIN files f ON f.ws = w.id GROUP BY w.id ORDER BY w.root"
        )
        return [WorkspaceRow(*row) for row in found]

    def ended(self) -> frozenset[str]:
        """The workspaces that a person let go of."""
        last: dict[str, str] = {}
        for row in self._all("SELECT record FROM events WHERE kind = 'decision' ORDER BY seq"):
            decided = rows.record("decision", row["record"])
            if isinstance(decided, DecisionRecord) and decided.decision in ("mode", "end"):
                last[decided.workspace] = decided.decision
        return frozenset(workspace for workspace, decision in last.items() if decision == "end")

    def counts(self) -> Counts:
        return Counts(**dict(self._all("SELECT name, value FROM counters")))

    # ------------------------------------------------------------------ versions

    def versions(
        self,
        files: Collection[int] | None = None,
        limit: int = 50,
        before: int | None = None,
        workspace: str | None = None,
    ) -> list[VersionView]:
        """The newest `limit` versions with a sequence below `before`, newest first, each with its verdict and outcome.

        Of the files given, else of the workspace given, else of all.
        """
        top = before if before is not None else 1 << 62
        with self._question() as sql:
            if files is not None:
                seqs = lookup.newest(sql, files, limit, top)
                return [rows.version_view(row) for row in lookup.by_seq(sql, seqs)]
            where, values = ("", ()) if workspace is None else ("AND v.ws = ?", (lookup.workspace_id(sql, workspace),))
            found = sql.execute(
                f"SELECT {rows.VERSION_COLUMNS} FROM {rows.VERSION_TABLES} WHERE v.seq < ? {where}"  # noqa: S608
                " ORDER BY v.seq DESC LIMIT ?",
                (top, *values, limit),
            )
            return [rows.version_view(row) for row in found]

    def between(
        self, workspace: str, start_ns: int, end_ns: int, part_ns: int
    ) -> tuple[tuple[DayRow, ...], dict[int, int]]:
        """The files of a workspace of which versions came within that time (wall clock; the end not included), and how
        many versions came in each part of it (by number, of ``part_ns``). Bytes that were taken out of place are none.
        Counted where they are: a day may have a hundred thousand."""
        within = "v.ws = ? AND v.at_ns >= ? AND v.at_ns < ? AND v.cause != 'swapped_out'"
        with self._question() as sql:
            given = lookup.workspace_id(sql, workspace), start_ns, end_ns
            # Beside MIN the other columns are those of the row that has it.
            files = sql.execute(
                "SELECT v.file, f.path, MIN(v.seq), v.cause, COUNT(*), COUNT(v.event_class) FROM versions v"  # noqa: S608
                f" JOIN files f ON f.file = v.file WHERE {within} GROUP BY v.file ORDER BY f.path",
                given,
            ).fetchall()
            parts = sql.execute(
                f"SELECT (v.at_ns - ?) / ? AS part, COUNT(*) FROM versions v WHERE {within} GROUP BY part",  # noqa: S608
                (start_ns, part_ns, *given),
            ).fetchall()
        return tuple(map(rows.day, files)), dict(map(tuple, parts))

    def version(self, seq: int) -> VersionView | None:
        with self._question() as sql:
            return next((rows.version_view(row) for row in lookup.by_seq(sql, [seq])), None)

    def resolve_seq(self, seq: int, files: Collection[int] | None = None) -> list[int]:
        """The sequence itself, when it is a version (of one of the files)."""
        found = self._all("SELECT seq, file FROM versions WHERE seq = ?", (seq,))
        return [row["seq"] for row in found if files is None or row["file"] in files]

    def resolve_digest(self, prefix: str, files: Collection[int] | None = None) -> list[int]:
        """For each content whose digest begins with these hex digits the newest version that has it, newest first.

        Several: ambiguous (at most `lookup.CANDIDATES` are given; without `files` a content of two files counts twice).
        Empty too when `prefix` is no hex.
        """
        low = lookup.digest_bound(prefix, "0")
        high = lookup.digest_bound(prefix, "f")
        if low is None or high is None:
            return []
        with self._question() as sql:
            return sorted(lookup.with_digest(sql, low, high, files), reverse=True)

    def resolve_time(self, at_ns: int, files: Collection[int]) -> list[int]:
        """For each file its newest version at that wall time, if it had one; newest first.

        Bytes that were taken out of place are no state the file was in.
        """
        with self._question() as sql:
            found = [
                sql.execute(
                    "SELECT seq FROM versions WHERE file = ? AND at_ns <= ? AND cause != 'swapped_out'"
                    " ORDER BY at_ns DESC, seq DESC LIMIT 1",
                    (file, at_ns),
                ).fetchone()
                for file in files
            ]
        return sorted((row["seq"] for row in found if row is not None), reverse=True)

    def around(self, at_ns: int, files: Collection[int]) -> dict[int, Then]:
        """What each file was at that wall time, and shortly before and after: states that were looked at, none that
        could not be read. Bytes that were taken out of place are no state."""
        columns = "seq, at_ns, state, cause, digest, size"
        found = {}
        with self._question() as sql:
            for file in files:
                before = sql.execute(
                    f"SELECT {columns} FROM versions WHERE file = ? AND at_ns <= ? AND cause != 'swapped_out'"  # noqa: S608
                    " AND state != 'unreadable' ORDER BY at_ns DESC, seq DESC LIMIT 2",
                    (file, at_ns),
                ).fetchall()
                after = sql.execute(
                    f"SELECT {columns} FROM versions WHERE file = ? AND at_ns > ? AND cause != 'swapped_out'"  # noqa: S608
                    " AND state != 'unreadable' ORDER BY at_ns, seq LIMIT 1",
                    (file, at_ns),
                ).fetchone()
                found[file] = Then(tuple(map(rows.stood, before)), rows.stood(after) if after is not None else None)
        return found

    def sizes(self, ends_ns: Sequence[int], files: Collection[int]) -> dict[int, tuple[int | None, ...]]:
        """The size in bytes of each file at each of these wall times (not included); None: it was not there, or was
        no file. A look-up each: ask for a few files and a month."""
        with self._question() as sql:
            return {file: tuple(lookup.size_before(sql, file, end) for end in ends_ns) for file in files}

    # ------------------------------------------------------------------ events

    def events(self, since: int = 0, limit: int = 100) -> list[EventView]:
        """Events with a sequence above `since`, oldest first."""
        with self._question() as sql:
            versions = sql.execute(
                f"SELECT {rows.VERSION_EVENT_COLUMNS} FROM {rows.VERSION_TABLES} WHERE v.seq > ?"  # noqa: S608
                " ORDER BY v.seq LIMIT ?",
                (since, limit),
            ).fetchall()
            others = sql.execute(
                f"SELECT {rows.EVENT_COLUMNS} FROM {rows.EVENT_TABLES} WHERE e.seq > ?"  # noqa: S608
                " ORDER BY e.seq LIMIT ?",
                (since, limit),
            ).fetchall()
        merged = heapq.merge(
            ((row["seq"], rows.version_event, row) for row in versions),
            ((row["seq"], rows.event, row) for row in others),
            key=lambda each: each[0],
        )
        return [self.veil(view(row)) for _, (_, view, row) in zip(range(limit), merged, strict=False)]

    def incident_events(self, incident: int, limit: int = 500) -> list[EventView]:
        """The newest events of an incident, oldest first."""
        found = self._all(
            f"SELECT {rows.EVENT_COLUMNS} FROM {rows.EVENT_TABLES} WHERE e.incident = ?"  # noqa: S608
            " ORDER BY e.seq DESC LIMIT ?",
            (incident, limit),
        )
        return [self.veil(rows.event(row)) for row in reversed(found)]

    # ------------------------------------------------------------------ changes and incidents

    def incidents(self, state: str | None = None, limit: int = 1_000) -> list[IncidentRow]:
        """Incidents (in this state), newest first."""
        where, values = ("", ()) if state is None else ("WHERE state = ?", (state,))
        return self._incidents(where + " ORDER BY incident DESC LIMIT ?", (*values, limit))

    def incident(self, incident: int) -> IncidentRow | None:
        return next(iter(self._incidents("WHERE incident = ?", (incident,))), None)

    def incident_changes(self, incident: int) -> list[Stored]:
        """The change records of an incident, oldest first."""
        return self._changes(
            "changes c JOIN events e ON e.seq = c.seq WHERE c.incident = ? ORDER BY c.seq", (incident,)
        )

    def changes(self, file: int, limit: int = 100, before: int | None = None) -> list[Stored]:
        """The change records of a file, newest first."""
        return self._changes(
            "changes c JOIN events e ON e.seq = c.seq WHERE c.file = ? AND c.seq < ? ORDER BY c.seq DESC LIMIT ?",
            (file, before if before is not None else 1 << 62, limit),
        )

    def change_of(self, version_seq: int) -> Stored | None:
        """The latest verdict on a version."""
        found = self._changes("versions v JOIN events e ON e.seq = v.change WHERE v.seq = ?", (version_seq,))
        return next(iter(found), None)

    # ------------------------------------------------------------------ repairs

    def plans(self, limit: int = 100, before: int | None = None) -> list[PlanRow]:
        """Repair plans, newest first, with how they ended."""
        top = before if before is not None else 1 << 62
        found = self._all("SELECT * FROM plans WHERE plan < ? ORDER BY plan DESC LIMIT ?", (top, limit))
        return [rows.plan(row) for row in found]

    def plan(self, plan: int) -> PlanRow | None:
        return next((rows.plan(row) for row in self._all("SELECT * FROM plans WHERE plan = ?", (plan,))), None)

    # ------------------------------------------------------------------ asking

    def _files(self, where: str, values: Sequence[object]) -> list[FileRow]:
        found = self._all(
            "SELECT f.file, w.uuid, w.root, f.path, f.state, f.size, f.digest, f.versions, f.last_seq, f.last_ns,"  # noqa: S608
            " (SELECT count(*) FROM incident_files n JOIN incidents i ON i.incident = n.incident"
            "  WHERE n.file = f.file AND i.state = 'open')"
            f" AS incidents FROM files f JOIN workspaces w ON w.id = f.ws {where} ORDER BY w.root, f.path",
            values,
        )
        return [
            FileRow(
                file=row["file"],
                workspace=row["uuid"],
                root=row["root"],
                path=row["path"],
                state=FileState(row["state"]),
                size=row["size"],
                digest=row["digest"],
                versions=row["versions"],
                last_seq=row["last_seq"],
                last_ns=row["last_ns"],
                open_incidents=row["incidents"],
            )
            for row in found
        ]

    def _incidents(self, rest: str, values: Sequence[object]) -> list[IncidentRow]:
        with self._question() as sql:
            found = sql.execute(
                "SELECT *, (SELECT at_ns FROM events e WHERE e.seq = incidents.last_seq) AS last_ns"  # noqa: S608
                f" FROM incidents {rest}",
                values,
            ).fetchall()
            result = []
            for row in found:
                files = sql.execute(
                    "SELECT file FROM incident_files WHERE incident = ? ORDER BY file", (row["incident"],)
                ).fetchall()
                latest = rows.record("incident", row["record"])
                assert isinstance(latest, IncidentRecord)
                named = tuple(each["file"] for each in files)
                last_ns = row["opened_ns"] if row["last_ns"] is None else row["last_ns"]
                result.append(IncidentRow(row["incident"], row["opened_ns"], row["last_seq"], last_ns, latest, named))
        return result

    def _changes(self, rest: str, values: Sequence[object]) -> list[Stored]:
        found = self._all(f"SELECT e.seq, e.at_ns, e.mono_ns, e.record FROM {rest}", values)  # noqa: S608
        stored = [Stored(row[0], row[1], row[2], rows.record("change", row[3])) for row in found]
        assert all(isinstance(each.record, ChangeRecord) for each in stored)
        return stored

    def _all(self, question: str, values: Sequence[object] = ()) -> list[Any]:
        with self._question() as sql:
            return sql.execute(question, values).fetchall()

    @contextmanager
    def _question(self) -> Iterator[sqlite3.Connection]:
        """A connection in one read transaction: all statements of a question see the same index."""
        try:
            connection, identity = self._borrow()
        except (OSError, sqlite3.Error) as error:
            raise _unavailable(error) from error
        try:
            connection.execute("BEGIN")
            yield connection
            connection.execute("COMMIT")
        except sqlite3.Error as error:
            connection.close()
            raise _unavailable(error) from error
        except BaseException:
            connection.close()
            raise
        with self._lock:
            if not self._closed and len(self._idle) < _KEPT:
                self._idle.append((connection, identity))
                return
        connection.close()

    def _borrow(self) -> tuple[sqlite3.Connection, tuple[int, int]]:
        # A damaged index is moved aside and another stands in its place: the old one is of no use.
        there = os.stat(self._path)
        identity = (there.st_dev, there.st_ino)
        with self._lock:
            if self._closed:
                raise sqlite3.ProgrammingError("the index is closed")
            while self._idle:
                connection, opened = self._idle.pop()
                if opened == identity:
                    return connection, identity
                connection.close()
        uri = f"file:{urllib.parse.quote(os.path.abspath(self._path))}?mode=ro"
        connection = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False, timeout=5)
        connection.row_factory = sqlite3.Row
        return connection, identity


def _unavailable(error: Exception) -> StoreUnavailable:
    return StoreUnavailable(f"the index cannot be read: {error}", "run: conductd index rebuild")

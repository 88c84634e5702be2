"""The statements behind `reader` that must not slow down as the index grows: each walks one index.

Called by `reader` only, inside one of its questions.
"""

from __future__ import annotations

import heapq
import sqlite3
from collections.abc import Collection, Sequence

from conductd.index import rows

# Enough to say that a prefix is ambiguous and to name some of what it may mean.
CANDIDATES = 16


def workspace_id(sql: sqlite3.Connection, workspace: str) -> int:
    row = sql.execute("SELECT id FROM workspaces WHERE uuid = ?", (workspace,)).fetchone()
    return int(row["id"]) if row is not None else 0


def newest(sql: sqlite3.Connection, files: Collection[int], limit: int, top: int) -> list[int]:
    """The newest sequences of the files: each file's from its own index, so that old files cost nothing."""
    per_file = (
        [
            row["seq"]
            for row in sql.execute(
                "SELECT seq FROM versions WHERE file = ? AND seq < ? ORDER BY seq DESC LIMIT ?", (file, top, limit)
            )
        ]
        for file in files
    )
    return heapq.nlargest(limit, (seq for seqs in per_file for seq in seqs))


def by_seq(sql: sqlite3.Connection, seqs: Sequence[int]) -> list[sqlite3.Row]:
    """The version rows of these sequences, newest first."""
    found: list[sqlite3.Row] = []
    for at in range(0, len(seqs), 500):
        some = seqs[at : at + 500]
        marks = ",".join("?" * len(some))
        found += sql.execute(
            f"SELECT {rows.VERSION_COLUMNS} FROM {rows.VERSION_TABLES} WHERE v.seq IN ({marks}) ORDER BY v.seq DESC",  # noqa: S608
            tuple(some),
        ).fetchall()
    return found


def digest_bound(prefix: str, fill: str) -> bytes | None:
    if not prefix or len(prefix) > 64:
        return None
    try:
        return bytes.fromhex(prefix.ljust(64, fill)) if prefix.isalnum() else None
    except ValueError:
        return None


def with_digest(sql: sqlite3.Connection, low: bytes, high: bytes, files: Collection[int] | None) -> list[int]:
    """The newest version of each (digest, file) between the bounds. Skips from one to the next on the index:
    a content that was written a million times costs as much as one written once."""
    found: list[int] = []
    wanted = set(files) if files is not None else None
    digest, file = low, 0
    while len(found) < CANDIDATES:
        row = sql.execute(
            "SELECT digest, file FROM versions WHERE (digest, file) > (?, ?) AND digest <= ?"
            " ORDER BY digest, file LIMIT 1",
            (digest, file, high),
        ).fetchone()
        if row is None:
            break
        digest, file = row["digest"], row["file"]
        if wanted is None or file in wanted:
            newest = sql.execute(
                "SELECT seq FROM versions WHERE digest = ? AND file = ? ORDER BY seq DESC LIMIT 1", (digest, file)
            ).fetchone()
            found.append(newest[0])
    return found


def size_before(sql: sqlite3.Connection, file: int, end_ns: int) -> int | None:
    """Bytes of a file in its newest state before a wall time; None: it was none, or not known yet."""
    row = sql.execute(
        "SELECT state, size FROM versions WHERE file = ? AND at_ns < ? AND cause != 'swapped_out'"
        " AND state != 'unreadable' ORDER BY at_ns DESC, seq DESC LIMIT 1",
        (file, end_ns),
    ).fetchone()
    return int(row["size"]) if row is not None and row["state"] in ("file", "oversize") else None

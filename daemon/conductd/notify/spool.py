"""What waits to be sent, in a small database beside the journal: it survives a restart and an offline night.

It holds numbers and times, no words: those are in the journal. Lost or damaged it is begun anew, with nothing waiting.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from typing import Any

from conductd.model import Frozen
from conductd.notify.database import Database, Rows, put

_SCHEMA = """
create table if not exists cursor (
    one integer primary key check (one = 1), seq integer not null, journal text not null);
create table if not exists waiting (
    channel text not null, seq integer not null, due_ns integer not null, first_ns integer not null,
    attempts integer not null default 0, error text not null default '', incident integer, primary key (channel, seq));
create table if not exists dead (
    channel text not null, seq integer not null, at_ns integer not null, error text not null,
    primary key (channel, seq));
create table if not exists sent (
    channel text not null, seq integer not null, at_ns integer not null, message integer not null, incident integer,
    primary key (channel, seq));
create index if not exists sent_incident on sent (incident);
create table if not exists gone (channel text primary key, for_ns integer not null);
"""
_ADDED = "insert or ignore into waiting (channel, seq, due_ns, first_ns, incident) values (?, ?, ?, ?, ?)"
_DROPPED = "delete from waiting where channel = ? and seq = ?"
# Records are looked at twice after a crash, or when the disk comes back: what was told of them is not told again.
_TOLD = [
    (
        f"delete from waiting where exists "  # noqa: S608 - two names of our own
        f"(select 1 from {table} as told where told.channel = waiting.channel and told.seq = waiting.seq)",
        [()],
    )
    for table in ("sent", "dead")
]
_TABLES = ("cursor", "waiting", "dead", "sent", "gone")
MOST_WAITING = 5_000  # for one channel; of more the oldest are given up, and named as dead letters
MOST_DEAD = 1_000  # of one channel; the oldest are let go
KEPT_NS = 90 * 86_400 * 1_000_000_000  # for so long is known what was sent


class Waiting(Frozen, frozen=True):
    """One notice that waits for one channel. Times are wall clock, nanoseconds."""

    seq: int
    due_ns: int
    first_ns: int
    attempts: int = 0
    error: str = ""
    incident: int | None = None


class Counts(Frozen, frozen=True):
    waiting: int
    dead: int
    sent: int
    last_sent_ns: int
    error: str


class Spool:
    """Thread-safe. While its disk takes nothing it goes on in memory."""

    def __init__(self, path: str, journal: str, trouble: Callable[[str], None] | None = None) -> None:
        """`journal`: its UUID; what is left of another one is let go. ``trouble`` is told why the disk takes nothing,
        "" when it does again. Raises OSError, sqlite3.OperationalError where there is nobody to be told."""
        self._journal = journal
        self._taken: int | None = None
        self.sent_here: dict[str, int] = {}  # since the start
        self.said: dict[tuple[str, str, str], int] = {}  # words without an incident, and when they go out, or went
        self._database = Database(path, _SCHEMA, _TABLES, trouble, self._merge)
        self._database.run(self._let_go)

    def close(self) -> None:
        self._database.close()

    def back_to_disk(self) -> None:
        """Where the disk takes something again, all of it is there again."""
        self._database.back_to_disk()

    def _rows(self, query: str, *given: object) -> list[tuple[Any, ...]]:
        return self._database.run(lambda sql: sql.execute(query, given).fetchall())

    def _write(self, *steps: tuple[str, Sequence[tuple[object, ...]]]) -> None:
        """Statements, each with its rows, as one transaction."""
        self._database.run(lambda sql: [sql.executemany(statement, rows) for statement, rows in steps])

    def _let_go(self, sql: sqlite3.Connection) -> None:
        known = sql.execute("select journal from cursor").fetchone()
        if known is not None and known[0] != self._journal:
            for table in _TABLES:
                sql.execute(f"delete from {table}")  # noqa: S608 - a name of our own

    def _merge(self, sql: sqlite3.Connection, rows: Rows) -> None:
        """What waits on a disk that could not be read at the start, beside what came since."""
        if rows["cursor"] and rows["cursor"][0][2] == self._journal:
            put(sql, rows)
            for statement, given in _TOLD:
                sql.executemany(statement, given)
            sql.execute("update cursor set seq = min(seq, ?)", (rows["cursor"][0][1],))

    def cursor(self) -> int | None:
        """The newest record that was looked at; None: it is new."""
        rows = self._rows("select seq from cursor")
        return int(rows[0][0]) if rows else self._taken  # where the file cannot be read any more

    def take(self, upto: int, waiting: Sequence[tuple[str, Waiting]]) -> None:
        """Records up to `upto` were looked at; these are to be sent, but for those that were sent, or given up."""
        self._write(
            (_ADDED, [_row(channel, each) for channel, each in waiting]),
            ("insert or replace into cursor values (1, ?, ?)", [(upto, self._journal)]),
            *_TOLD,
        )
        self._taken = upto
        for channel in {name for name, _ in waiting}:
            over = [each.seq for each in self.waiting(channel)[:-MOST_WAITING]]
            if over:
                self.give_up(channel, over, max(each.first_ns for _, each in waiting), "too many waited")

    def waiting(self, channel: str) -> list[Waiting]:
        """Oldest first."""
        query = "select seq, due_ns, first_ns, attempts, error, incident from waiting where channel = ? order by seq"
        return [Waiting(*row) for row in self._rows(query, channel)]

    def was_sent(self, channel: str, sequences: Sequence[int], at_ns: int) -> None:
        """As one message."""
        message = min(sequences, default=0)
        self._write(
            (
                "insert or replace into sent select channel, seq, ?, ?, incident from waiting "
                "where channel = ? and seq = ?",
                [(at_ns, message, channel, seq) for seq in sequences],
            ),
            (_DROPPED, [(channel, seq) for seq in sequences]),
            ("delete from sent where at_ns < ?", [(at_ns - KEPT_NS,)]),
            ("update dead set error = '' where channel = ? and error != ''", [(channel,)]),  # it works again
        )
        self.sent_here[channel] = self.sent_here.get(channel, 0) + len(sequences)

    def put_off(self, channel: str, sequences: Sequence[int], due_ns: int, error: str | None = None) -> None:
        """`error`: why an attempt failed; None: none was made."""
        if error is None:
            off = "update waiting set due_ns = ? where channel = ? and seq = ?"
            self._write((off, [(due_ns, channel, seq) for seq in sequences]))
        else:
            off = "update waiting set due_ns = ?, attempts = attempts + 1, error = ? where channel = ? and seq = ?"
            self._write((off, [(due_ns, error, channel, seq) for seq in sequences]))

    def give_up(self, channel: str, sequences: Sequence[int], at_ns: int, error: str) -> None:
        self._write(
            (_DROPPED, [(channel, seq) for seq in sequences]),
            ("insert or replace into dead values (?, ?, ?, ?)", [(channel, seq, at_ns, error) for seq in sequences]),
            (
                "delete from dead where channel = ? and seq not in "
                "(select seq from dead where channel = ? order by seq desc limit ?)",
                [(channel, channel, MOST_DEAD)],
            ),
        )

    def drop(self, channel: str, sequences: Sequence[int]) -> None:
        """There is nothing left to say of these."""
        self._write((_DROPPED, [(channel, seq) for seq in sequences]))

    def sent_since(self, channel: str, at_ns: int) -> list[int]:
        """When messages went out, since a time."""
        query = "select max(at_ns) from sent where channel = ? and at_ns >= ? group by message, at_ns"
        return [int(row[0]) for row in self._rows(query, channel, at_ns)]

    def told_of(self, incident: int, before_ns: int) -> list[str]:
        """The channels that told of an incident before a time, and not yet of its end."""
        query = (
            "select distinct channel from sent as told where incident = ? and at_ns < ? "
            "and not exists (select 1 from sent where channel = told.channel and incident = ?) "
            "and not exists (select 1 from waiting where channel = told.channel and incident = ?)"
        )
        return [row[0] for row in self._rows(query, incident, before_ns, -incident, -incident)]

    def left_behind(self, channels: Sequence[str]) -> list[str]:
        """Names of other channels for which something waits."""
        rows = self._rows("select distinct channel from waiting order by channel")
        return [row[0] for row in rows if row[0] not in channels]

    def shown_behind(self, channels: Sequence[str], since_ns: int) -> list[str]:
        """The same, and those for which something was given up since a time."""
        rows = self._rows("select distinct channel from dead where at_ns >= ?", since_ns)
        return sorted({*self.left_behind(channels), *(row[0] for row in rows if row[0] not in channels)})

    def told_nobody(self, channels: Sequence[str]) -> list[Waiting]:
        """What waits for other channels alone, and was sent on none, oldest first."""
        found: dict[int, Waiting] = {}
        for name in self.left_behind(channels):
            found |= {each.seq: each for each in self.waiting(name)}
        gone = {row[0] for row in self._rows("select distinct seq from sent")}
        rows = self._rows("select channel, seq from waiting union all select channel, seq from dead")
        gone |= {seq for channel, seq in rows if channel in channels}
        return [found[seq] for seq in sorted(found.keys() - gone)]

    def add(self, waiting: Sequence[tuple[str, Waiting]]) -> None:
        """These are to be sent as well."""
        self._write((_ADDED, [_row(channel, each) for channel, each in waiting]))

    def gone(self, channels: Sequence[str], passed_ns: int, most_ns: int) -> list[str]:
        """`passed_ns` more have passed without the channels other than these for which something waits; those that are
        gone for `most_ns` now."""
        names = self.left_behind(channels)
        back = [row for row in self._rows("select channel from gone") if row[0] not in names]
        passed = "insert into gone values (?, ?) on conflict (channel) do update set for_ns = for_ns + excluded.for_ns"
        self._write(("delete from gone where channel = ?", back), (passed, [(name, passed_ns) for name in names]))
        return [row[0] for row in self._rows("select channel from gone where for_ns >= ?", most_ns)]

    def counts(self, channel: str) -> Counts:
        waiting = self._rows("select count(*) from waiting where channel = ?", channel)[0][0]
        dead = self._rows("select count(*) from dead where channel = ?", channel)[0][0]
        sent, last = self._rows("select count(*), max(at_ns) from sent where channel = ?", channel)[0]
        said = self._rows(
            "select error from waiting where channel = ? and error != '' order by attempts desc limit 1", channel
        ) or self._rows("select error from dead where channel = ? order by error = '', at_ns desc limit 1", channel)
        return Counts(waiting, dead, sent, last or 0, said[0][0] if said else "")


def _row(channel: str, each: Waiting) -> tuple[object, ...]:
    return (channel, each.seq, each.due_ns, each.first_ns, each.incident)

"""What waits to be sent, in a small database beside the journal: it survives a restart and an offline night.

It holds numbers and times, no words: those are in the journal. Lost or damaged it is begun anew, with nothing waiting.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
from collections.abc import Iterator, Sequence

from conductd.model import Frozen

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
    """Thread-safe: one connection, one lock."""

    def __init__(self, path: str, journal: str) -> None:
        """`journal`: its UUID; what is left of another one is let go. Raises OSError, sqlite3.OperationalError: a disk
        that is full, a file that cannot be opened."""
        self._lock = threading.Lock()
        self._journal = journal
        self.sent_here: dict[str, int] = {}  # since the start
        self.said: dict[tuple[str, str, str], int] = {}  # words without an incident, and when they go out, or went
        try:
            self._sql = _opened(path)
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError:  # no database at all, or a malformed one
            for each in (path, f"{path}-wal", f"{path}-shm"):
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(each)
            self._sql = _opened(path)
        with self._writing() as sql:
            known = sql.execute("select journal from cursor").fetchone()
            if known is not None and known[0] != journal:
                for table in ("cursor", "waiting", "dead", "sent", "gone"):
                    sql.execute(f"delete from {table}")  # noqa: S608 - five names of our own

    def close(self) -> None:
        with self._lock:
            self._sql.close()

    @contextlib.contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._lock, self._sql:
            yield self._sql

    def cursor(self) -> int | None:
        """The newest record that was looked at; None: it is new."""
        with self._lock:
            row = self._sql.execute("select seq from cursor").fetchone()
        return None if row is None else int(row[0])

    def take(self, upto: int, waiting: Sequence[tuple[str, Waiting]]) -> None:
        """Records up to `upto` were looked at; these are to be sent."""
        rows = [(channel, each.seq, each.due_ns, each.first_ns, each.incident) for channel, each in waiting]
        with self._writing() as sql:
            sql.executemany(
                "insert or ignore into waiting (channel, seq, due_ns, first_ns, incident) values (?, ?, ?, ?, ?)", rows
            )
            sql.execute("insert or replace into cursor values (1, ?, ?)", (upto, self._journal))
        for channel in {name for name, _ in waiting}:
            over = [each.seq for each in self.waiting(channel)[:-MOST_WAITING]]
            if over:
                self.give_up(channel, over, max(each.first_ns for _, each in waiting), "too many waited")

    def waiting(self, channel: str) -> list[Waiting]:
        """Oldest first."""
        with self._lock:
            rows = self._sql.execute(
                "select seq, due_ns, first_ns, attempts, error, incident from waiting where channel = ? order by seq",
                (channel,),
            ).fetchall()
        return [Waiting(*row) for row in rows]

    def was_sent(self, channel: str, sequences: Sequence[int], at_ns: int) -> None:
        """As one message."""
        message = min(sequences, default=0)
        with self._writing() as sql:
            for seq in sequences:
                sql.execute(
                    "insert or replace into sent select channel, seq, ?, ?, incident from waiting "
                    "where channel = ? and seq = ?",
                    (at_ns, message, channel, seq),
                )
                sql.execute("delete from waiting where channel = ? and seq = ?", (channel, seq))
            sql.execute("delete from sent where at_ns < ?", (at_ns - KEPT_NS,))
            sql.execute("update dead set error = '' where channel = ? and error != ''", (channel,))  # it works again
            self.sent_here[channel] = self.sent_here.get(channel, 0) + len(sequences)

    def put_off(self, channel: str, sequences: Sequence[int], due_ns: int, error: str | None = None) -> None:
        """`error`: why an attempt failed; None: none was made."""
        with self._writing() as sql:
            for seq in sequences:
                if error is None:
                    sql.execute("update waiting set due_ns = ? where channel = ? and seq = ?", (due_ns, channel, seq))
                else:
                    sql.execute(
                        "update waiting set due_ns = ?, attempts = attempts + 1, error = ? "
                        "where channel = ? and seq = ?",
                        (due_ns, error, channel, seq),
                    )

    def give_up(self, channel: str, sequences: Sequence[int], at_ns: int, error: str) -> None:
        with self._writing() as sql:
            for seq in sequences:
                sql.execute("delete from waiting where channel = ? and seq = ?", (channel, seq))
                sql.execute("insert or replace into dead values (?, ?, ?, ?)", (channel, seq, at_ns, error))
            sql.execute(
                "delete from dead where channel = ? and seq not in "
                "(select seq from dead where channel = ? order by seq desc limit ?)",
                (channel, channel, MOST_DEAD),
            )

    def drop(self, channel: str, sequences: Sequence[int]) -> None:
        """There is nothing left to say of these."""
        with self._writing() as sql:
            sql.executemany("delete from waiting where channel = ? and seq = ?", [(channel, seq) for seq in sequences])

    def sent_since(self, channel: str, at_ns: int) -> list[int]:
        """When messages went out, since a time."""
        with self._lock:
            rows = self._sql.execute(
                "select max(at_ns) from sent where channel = ? and at_ns >= ? group by message, at_ns", (channel, at_ns)
            ).fetchall()
        return [int(row[0]) for row in rows]

    def told_of(self, incident: int, before_ns: int) -> list[str]:
        """The channels that told of an incident before a time, and not yet of its end."""
        with self._lock:
            rows = self._sql.execute(
                "select distinct channel from sent as told where incident = ? and at_ns < ? "
                "and not exists (select 1 from sent where channel = told.channel and incident = ?) "
                "and not exists (select 1 from waiting where channel = told.channel and incident = ?)",
                (incident, before_ns, -incident, -incident),
            ).fetchall()
        return [row[0] for row in rows]

    def left_behind(self, channels: Sequence[str]) -> list[str]:
        """Names of other channels for which something waits."""
        with self._lock:
            rows = self._sql.execute("select distinct channel from waiting order by channel").fetchall()
        return [row[0] for row in rows if row[0] not in channels]

    def shown_behind(self, channels: Sequence[str], since_ns: int) -> list[str]:
        """The same, and those for which something was given up since a time."""
        with self._lock:
            rows = self._sql.execute("select distinct channel from dead where at_ns >= ?", (since_ns,)).fetchall()
        return sorted({*self.left_behind(channels), *(row[0] for row in rows if row[0] not in channels)})

    def told_nobody(self, channels: Sequence[str]) -> list[Waiting]:
        """What waits for other channels alone, and was sent on none, oldest first."""
        found: dict[int, Waiting] = {}
        for name in self.left_behind(channels):
            found |= {each.seq: each for each in self.waiting(name)}
        with self._lock:
            one = self._sql.execute
            gone = {row[0] for row in one("select distinct seq from sent").fetchall()}
            for table in ("waiting", "dead"):
                rows = one(f"select channel, seq from {table}").fetchall()  # noqa: S608 - two names of our own
                gone |= {seq for channel, seq in rows if channel in channels}
        return [found[seq] for seq in sorted(found.keys() - gone)]

    def add(self, waiting: Sequence[tuple[str, Waiting]]) -> None:
        """These are to be sent as well."""
        rows = [(channel, each.seq, each.due_ns, each.first_ns, each.incident) for channel, each in waiting]
        with self._writing() as sql:
            sql.executemany(
                "insert or ignore into waiting (channel, seq, due_ns, first_ns, incident) values (?, ?, ?, ?, ?)", rows
            )

    def gone(self, channels: Sequence[str], passed_ns: int, most_ns: int) -> list[str]:
        """`passed_ns` more have passed without the channels other than these for which something waits; those that are
        gone for `most_ns` now."""
        names = self.left_behind(channels)
        with self._writing() as sql:
            known = [row[0] for row in sql.execute("select channel from gone").fetchall()]
            sql.executemany("delete from gone where channel = ?", [(each,) for each in known if each not in names])
            sql.executemany(
                "insert into gone values (?, ?) on conflict (channel) do update set for_ns = for_ns + excluded.for_ns",
                [(name, passed_ns) for name in names],
            )
            rows = sql.execute("select channel from gone where for_ns >= ?", (most_ns,)).fetchall()
        return [row[0] for row in rows]

    def counts(self, channel: str) -> Counts:
        with self._lock:
            one = self._sql.execute
            waiting = one("select count(*) from waiting where channel = ?", (channel,)).fetchone()[0]
            dead = one("select count(*) from dead where channel = ?", (channel,)).fetchone()[0]
            sent, last = one("select count(*), max(at_ns) from sent where channel = ?", (channel,)).fetchone()
            said = (
                one(
                    "select error from waiting where channel = ? and error != '' order by attempts desc limit 1",
                    (channel,),
                ).fetchone()
                or one(
                    "select error from dead where channel = ? order by error = '', at_ns desc limit 1", (channel,)
                ).fetchone()
            )
        return Counts(waiting, dead, sent, last or 0, said[0] if said else "")


MEMORY = ":memory:"


def _opened(path: str) -> sqlite3.Connection:
    if path != MEMORY:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
    sql = sqlite3.connect(path, check_same_thread=False)
    try:
        sql.execute("pragma journal_mode = wal")
        sql.execute("pragma synchronous = normal")
        sql.executescript(_SCHEMA)
    except sqlite3.DatabaseError:
        sql.close()
        raise
    return sql

"""Carries notices out: reads them off the journal, lets each channel's thread send what is due.

A channel that hangs or fails keeps nobody waiting but itself. What is not sent is in the spool; it is tried again at
growing distances, and given up after so many attempts that failed: no clock gives anything up.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

import msgspec
import structlog

from conductd.core.notifying import routing, wording
from conductd.core.notifying.routing import Channel
from conductd.core.notifying.urls import DESKTOP
from conductd.core.notifying.wording import Attachment, Message, Told
from conductd.errors import ConductdError
from conductd.model import Frozen, IncidentRecord, NoticeRecord, Severity, Stored
from conductd.notify import local_times
from conductd.notify.places import Place
from conductd.notify.sending import Outcome, check, send
from conductd.notify.spool import Spool, Waiting
from conductd.views import ChannelView

log = structlog.get_logger("notify")

SECOND_NS = 1_000_000_000
MOST_ATTEMPTS = 80  # three days of them, while the machine is awake
GONE_NS = 72 * 3_600 * SECOND_NS  # for so long, while the daemon runs, what waits for a channel that is gone is kept
NOTED_NS = 600 * SECOND_NS  # how often is written down how long it is gone
BACK_NS = 60 * SECOND_NS  # a wall clock that went back by more was wrong before
AFTERWARDS_NS = 60 * SECOND_NS  # what ends sooner was told with its end
STOP_S = 1.0
LOOK_S = 30.0  # the longest sleep: clocks are set, laptops wake up
FAILING = 3  # attempts after which a channel is told to be in trouble
MOST_ATTACHED = 3  # pages of one message
LARGEST_ATTACHED = 256 * 1024  # bytes of a page
ATTACHED_TRIES = 3  # then without: a service that refuses the page is to get the words
AT_ONCE = 200  # notices of one message
SHOWN_NS = 7 * 24 * 3_600 * SECOND_NS  # for so long a channel that was taken out is shown with what was given up
GONE = "it is configured no more: what waits for it is kept for three days"


class History(Protocol):
    """What is read of the journal and the state."""

    @property
    def last_seq(self) -> int: ...

    def replay(self, after: int = 0) -> Iterator[Stored]: ...

    def read(self, seq: int) -> Stored: ...


class Route(Frozen, frozen=True):
    """A channel and where it leads; ``place`` None: it cannot be used, ``why`` says so. ``excerpt``: it may carry
    content."""

    channel: Channel
    place: Place | None
    excerpt: bool = False
    why: str = ""


class Notifier:
    """``root``: the directory of a workspace id. ``excerpt``: lines of what an incident lost. ``became``: what became
    of it, "" while it is open. ``attached(workspace, name)``: a file of its reports. ``trouble(channel, why)`` is told
    when a channel does not work; "": it does again."""

    def __init__(
        self,
        routes: Sequence[Route],
        spool: Spool,
        history: History,
        wall_ns: Callable[[], int],
        mono_ns: Callable[[], int],
        root: Callable[[str], str],
        excerpt: Callable[[int], tuple[str, ...]],
        became: Callable[[int], str],
        trouble: Callable[[str, str], None],
        *,
        sender: Callable[[Place, Message, dict[str, object]], Outcome] = send,
        checker: Callable[[Place], str] = check,
        attached: Callable[[str, str], bytes | None] = lambda _workspace, _name: None,
    ) -> None:
        self._routes, self._spool, self._history = tuple(routes), spool, history
        self._wall_ns, self._mono_ns = wall_ns, mono_ns
        self._root, self._excerpt, self._became = root, excerpt, became
        self._send, self._check, self._tell_trouble, self._attached = sender, checker, trouble, attached
        self._noted_ns = mono_ns()
        self._skews: dict[str, int] = {}  # by channel: the wall clock against the monotonic one
        self._unusable: dict[str, str] = {}  # by channel: why nothing can be sent there
        self._wake = threading.Condition()
        self._changed = 0
        self._stopping = False
        self._sent: dict[str, tuple[list[int], int]] = {}  # by channel: sent, and not written down yet
        self._threads: list[threading.Thread] = []

    # ------------------------------------------------------------------ called from other threads

    def start(self) -> None:
        self._bury()
        if not self._routes and not self._spool.left_behind([]):
            return
        cursor = self._spool.cursor()
        if self._routes and (cursor is None or cursor > self._history.last_seq):
            self._spool.take(self._history.last_seq, [])  # what was told before there was a channel is old
        self._threads.append(threading.Thread(target=self._read_on, name="notify", daemon=True))
        for route in self._routes:
            name = f"notify-{route.channel.name}"
            sends = threading.Thread(target=self._send_on, args=(route,), name=name, daemon=True)
            self._threads.append(sends)
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Does not wait for an attempt that is under way: it is made again."""
        with self._wake:
            self._stopping = True
            self._wake.notify_all()
        until = time.monotonic() + STOP_S
        for thread in self._threads:
            thread.join(max(0.0, until - time.monotonic()))

    def recorded(self, batch: Sequence[Stored]) -> None:
        """On the recorder thread: only wakes."""
        if any(isinstance(each.record, NoticeRecord | IncidentRecord) for each in batch):
            with self._wake:
                self._changed += 1
                self._wake.notify_all()

    def views(self) -> list[ChannelView]:
        found = []
        for each in self._routes:
            counts = self._spool.counts(each.channel.name)
            label = each.place.label if each.place is not None else ""
            last = counts.last_sent_ns or None
            error = each.why or counts.error or self._unusable.get(each.channel.name, "")
            found.append(ChannelView(each.channel.name, label, counts.waiting, counts.sent, counts.dead, last, error))
        known = [each.channel.name for each in self._routes]
        for name in self._spool.shown_behind(known, self._wall_ns() - SHOWN_NS):
            counts = self._spool.counts(name)
            found.append(
                ChannelView(name, "", counts.waiting, counts.sent, counts.dead, counts.last_sent_ns or None, GONE)
            )
        return found

    def _bury(self) -> None:
        """What waits for a channel that was taken out waits for it to come back, about as long as for one that fails:
        three days of the daemon, not of the clock."""
        now = self._wall_ns()
        known, passed = [route.channel.name for route in self._routes], self._mono_ns() - self._noted_ns
        if passed >= NOTED_NS or not self._threads:
            self._noted_ns += passed
            for name in self._spool.gone(known, passed, GONE_NS):
                self._spool.give_up(name, [each.seq for each in self._spool.waiting(name)], now, GONE)

    def _take_over(self) -> None:
        """Alarms that wait for channels that were taken out, and were sent on none, go out on those there are."""
        known = [route.channel.name for route in self._routes]
        for name in self._spool.left_behind(known):
            log.warning("notices wait for a channel that is configured no more", channel=name)
        now, found = self._wall_ns(), []
        for each in self._spool.told_nobody(known):
            try:
                record = self._history.read(each.seq).record
            except ConductdError:
                continue
            if isinstance(record, NoticeRecord) and record.severity is Severity.ALARM:
                for route in self._routes:
                    due = local_times.first_ns(route.channel, record.severity, now)
                    found.append((route.channel.name, Waiting(each.seq, due, each.first_ns, incident=each.incident)))
        self._spool.add(found)

    def sent(self) -> dict[str, int]:
        """Notices since the start of the daemon, by channel."""
        return {each.channel.name: self._spool.sent_here.get(each.channel.name, 0) for each in self._routes}

    def _trouble(self, channel: str, why: str) -> None:
        """Once it is stopped another one tells of the channels."""
        with self._wake:
            if not self._stopping:
                self._tell_trouble(channel, why)

    # ------------------------------------------------------------------ the reading thread

    def _read_on(self) -> None:
        is_new = True
        while True:
            seen = self._changed
            try:
                if is_new:
                    self._take_over()
                    is_new = False
                    self._wake_all()
                self._read()
            except Exception:  # notices are never worth the daemon
                log.exception("notices cannot be read")
            if not self._pause(seen):
                return

    def _read(self) -> None:
        """Every notice since the last look, and every incident that ended of which somebody was told."""
        self._spool.back_to_disk()
        self._bury()
        if not self._routes:
            return
        after = self._spool.cursor() or 0
        upto, now = self._history.last_seq, self._wall_ns()
        found: list[tuple[str, Waiting]] = []
        for stored in self._history.replay(after):
            record = stored.record
            if isinstance(record, NoticeRecord):
                again = self._again_ns(record, now)
                for route in self._routes:
                    if routing.takes(route.channel, record.severity):
                        due = max(again, local_times.first_ns(route.channel, record.severity, now))
                        waits = Waiting(stored.seq, due, now, incident=record.incident)
                        found.append((route.channel.name, waits))
            elif isinstance(record, IncidentRecord) and record.incident is not None and record.state != "open":
                told = self._spool.told_of(record.incident, stored.wall_ns - AFTERWARDS_NS)
                for channel in [route.channel for route in self._routes if route.channel.name in told]:
                    due = local_times.first_ns(channel, Severity.INFO, now)
                    found.append((channel.name, Waiting(stored.seq, due, now, incident=-record.incident)))
        if upto > after:
            self._spool.take(upto, found)
        if found:
            self._wake_all()

    def _again_ns(self, record: NoticeRecord, now: int) -> int:
        """The same words about no incident, again within an hour, are one notice."""
        if record.incident is not None:
            return now
        said = self._spool.said
        key = (record.workspace, record.event_class.value, record.title)
        at = said[key] = routing.again_ns(said.get(key), now)
        for old in [each for each, told in said.items() if now - told >= routing.HOUR_NS]:
            del said[old]
        return at

    def _wake_all(self) -> None:
        with self._wake:
            self._changed += 1
            self._wake.notify_all()

    # ------------------------------------------------------------------ a channel's thread

    def _send_on(self, route: Route) -> None:
        why = self._check(route.place) if route.place is not None else ""
        if why:
            self._unusable[route.channel.name] = why
            self._trouble(route.channel.name, why)
        is_new = True
        while True:
            seen = self._changed
            try:
                if is_new:
                    self._bound(route.channel)
                    is_new = False
                pause = self._send_due(route)
            except Exception:
                log.exception("notices cannot be sent", channel=route.channel.name)
                pause = LOOK_S
            if not self._pause(seen, pause):
                return

    def _send_due(self, route: Route) -> float:
        """Seconds until there is something to do again."""
        name = route.channel.name
        self._account(name)
        waiting, now = self._spool.waiting(name), self._wall_ns()
        if self._went_back(name, now):
            self._spool.put_off(name, [each.seq for each in waiting], now)
            waiting = self._spool.waiting(name)
        due = [each for each in waiting if each.due_ns <= now][:AT_ONCE]
        if not due:
            return min((LOOK_S, *((each.due_ns - now) / SECOND_NS for each in waiting)))
        told = self._that_may(route, [m for each in due if (m := self._told(each, route, now)) is not None], due, now)
        if not told:
            return 0.0
        due = [each for each in due if any(each.seq == one.seq for one in told)]
        if route.place is None:
            self._fail(route, due, route.why, now)
            return 0.0
        tries = max(each.attempts for each in due)
        pages = self._pages(told) if tries < ATTACHED_TRIES else ()
        message = msgspec.structs.replace(wording.message(told), attachments=pages)
        outcome = self._send(route.place, message, self._facts(told))
        now = self._wall_ns()
        if outcome.is_sent:
            self._sent[name] = ([each.seq for each in told], now)
            self._account(name)
            # It takes notices again: what waits for another attempt need not wait longer.
            self._spool.put_off(name, [each.seq for each in self._spool.waiting(name) if each.attempts], now)
            self._trouble(name, "")
            log.info("told", channel=name, notices=len(told))
        else:
            self._fail(route, due, outcome.error, now)
        return 0.0

    def _bound(self, channel: Channel) -> None:
        """What a wrong clock wrote down is put off no longer than a right one may put it off. Quiet hours are looked at
        once more before it is sent."""
        now = self._wall_ns()
        waiting = self._spool.waiting(channel.name)
        failing = [each for each in waiting if each.attempts >= FAILING]
        if failing:  # as it was before this start
            self._trouble(channel.name, failing[0].error)
        for each in waiting:
            is_retry = each.attempts or channel.digest is None
            latest = now + (routing.LAST_RETRY_S * SECOND_NS if is_retry else local_times.FARTHEST_NS)
            if each.due_ns > latest:
                self._spool.put_off(channel.name, [each.seq], latest)

    def _account(self, name: str) -> None:
        """What was sent is never sent again, also when that could not be written down at once."""
        if name in self._sent:
            self._spool.was_sent(name, *self._sent[name])
            del self._sent[name]

    def _went_back(self, name: str, now: int) -> bool:
        """The wall clock was wrong before: what it put off then is put off to no time that means anything."""
        skew = now - self._mono_ns()
        before = self._skews.setdefault(name, skew)
        self._skews[name] = skew
        return before - skew > BACK_NS

    def _that_may(self, route: Route, made: list[Told], due: Sequence[Waiting], now: int) -> list[Told]:
        """Those that no quiet hour and no hour that is full keeps back now; what the journal has no more is let go."""
        name = route.channel.name
        self._spool.drop(name, [each.seq for each in due if all(each.seq != one.seq for one in made)])
        times, going = self._spool.sent_since(name, now - routing.HOUR_NS), []
        for each in made:
            later = local_times.held_ns(route.channel, each.notice.severity, now, times)
            if later <= now:
                going.append(each)
            else:
                self._spool.put_off(name, [each.seq], later)
        return going

    def _fail(self, route: Route, due: Sequence[Waiting], error: str, now: int) -> None:
        attempts = 1 + min(each.attempts for each in due)
        later = now + routing.retry_in_s(attempts) * SECOND_NS
        over = [each.seq for each in due if each.attempts + 1 >= MOST_ATTEMPTS]
        if over:
            self._spool.give_up(route.channel.name, over, now, error)
        self._spool.put_off(route.channel.name, [each.seq for each in due if each.seq not in over], later, error)
        log.warning("a notice was not sent", channel=route.channel.name, error=error, attempts=attempts)
        if attempts >= FAILING or route.place is None:
            self._trouble(route.channel.name, error)

    def _told(self, waiting: Waiting, route: Route, now: int) -> Told | None:
        """None where the journal has it no more."""
        seq, is_late = waiting.seq, now - waiting.first_ns > AFTERWARDS_NS
        try:
            record = self._history.read(seq).record
        except ConductdError:
            return None
        if isinstance(record, IncidentRecord):
            return self._ended(seq, record)
        if not isinstance(record, NoticeRecord):
            return None
        # What is shown on a desktop goes through the arguments of a program, which others on the machine may see.
        may = route.excerpt and route.place is not None and route.place.kind != DESKTOP
        lines = self._excerpt(record.incident) if may and record.incident is not None else ()
        since = self._became(record.incident) if is_late and record.incident is not None else ""
        return Told(seq, record, self._root(record.workspace) if record.workspace else "", lines, since)

    def _ended(self, seq: int, record: IncidentRecord) -> Told:
        said = NoticeRecord(
            record.event_class,
            Severity.INFO,
            f"incident {record.incident} {wording.ended(record)}",
            workspace=record.workspace,
            incident=record.incident,
        )
        return Told(seq, said, self._root(record.workspace) if record.workspace else "")

    def _pages(self, told: Sequence[Told]) -> tuple[Attachment, ...]:
        """The newest, as they are now: what was forgotten since stands in them no more."""
        found = []
        for notice in [each.notice for each in told if each.notice.attachment][-MOST_ATTACHED:]:
            data = self._attached(notice.workspace, notice.attachment)
            if data is not None and len(data) <= LARGEST_ATTACHED:
                found.append(Attachment(notice.attachment.rpartition("/")[2], data))
        return tuple(found)

    def _facts(self, told: Sequence[Told]) -> dict[str, object]:
        """What a program wants to know: numbers and names, no content."""
        return {
            "notices": [
                {
                    "seq": each.seq,
                    "class": each.notice.event_class.value,
                    "severity": each.notice.severity.value,
                    "files": [name.decode("utf-8", "replace") for name in each.notice.files],
                    "workspace": _shown(each.root),
                    "incident": each.notice.incident,
                    "writer": each.notice.writer,
                    "text": each.notice.title,
                    "command": each.notice.command,
                }
                for each in told
            ]
        }

    def _pause(self, seen: int, seconds: float = LOOK_S) -> bool:
        """Until something changed or the time has passed; false when asked to stop."""
        with self._wake:
            self._wake.wait_for(lambda: self._stopping or self._changed != seen, max(0.0, seconds))
            return not self._stopping


def _shown(text: str) -> str:
    return text.encode("utf-8", "replace").decode()

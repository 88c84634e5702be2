"""Days on which nothing gets out: a server that fails, a token that has expired, no network, names that hang.

A notifier with its own threads and real attempts; its wall clock is the test's.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from conductd.core.notifying.routing import Channel
from conductd.model import Action, EventClass, IncidentRecord, NoticeRecord, Severity, Stored
from conductd.notify.notifier import GONE_NS, MOST_ATTEMPTS, Notifier, Route
from conductd.notify.places import resolved
from conductd.notify.spool import Spool
from support.receiver import Receiver
from support.until import until

HOUR_NS = 3_600_000_000_000


class Past:
    """What is on record, in memory."""

    def __init__(self) -> None:
        self.stored: list[Stored] = []

    @property
    def last_seq(self) -> int:
        return len(self.stored)

    def tell(self, title: str, at_ns: int) -> Stored:
        notice = NoticeRecord(EventClass.OVERWRITE, Severity.ALARM, title, incident=None, command="conductd undo 7")
        self.stored.append(Stored(len(self.stored) + 1, at_ns, at_ns, notice))
        return self.stored[-1]

    def replay(self, after: int = 0) -> Iterator[Stored]:
        return iter(self.stored[after:])

    def read(self, seq: int) -> Stored:
        return self.stored[seq - 1]


class Days:
    """One channel, and time that passes when the test says so."""

    def __init__(self, spool: Path, url: str, name: str = "hook") -> None:
        self.now_ns, self.mono_ns = time.time_ns(), 0
        self.past, self.troubles = Past(), [""]
        self._path, self._route = str(spool), Route(Channel(name), resolved(name, url, "", {}))

    @contextmanager
    def up(self) -> Iterator[Notifier]:
        """A daemon's life."""
        spool = Spool(self._path, "u")
        made = Notifier(
            [self._route],
            spool,
            self.past,
            lambda: self.now_ns,
            lambda: self.mono_ns,
            lambda _workspace: "/ws",
            lambda _incident: (),
            lambda _incident: "",
            lambda _channel, why: self.troubles.append(why),
        )
        made.start()
        try:
            yield made
        finally:
            made.stop()
            spool.close()

    def tell(self, notifier: Notifier, *titles: str) -> None:
        before = self._known(notifier)
        notifier.recorded([self.past.tell(title, self.now_ns) for title in titles])
        until(lambda: self._known(notifier) == before + len(titles), "it is read")

    @staticmethod
    def _known(notifier: Notifier) -> int:
        view = notifier.views()[0]
        return view.waiting + view.sent + view.dead

    def pass_hours(self, notifier: Notifier, hours: int) -> None:
        """Hour by hour: whoever waits looks at the clock."""
        for _ in range(hours):
            self.now_ns += HOUR_NS
            self.mono_ns += HOUR_NS
            before = notifier.views()[0]
            notifier.recorded(self.past.stored[:1])
            if before.waiting:
                until(lambda: self.has_tried(notifier), "an attempt in this hour")

    def is_bounded(self, notifier: Notifier) -> bool:
        return all(each.due_ns <= self.now_ns + HOUR_NS for each in notifier._spool.waiting("hook"))

    def has_tried(self, notifier: Notifier) -> bool:
        waiting = notifier._spool.waiting("hook")
        return not waiting or min(each.due_ns for each in waiting) > self.now_ns


@pytest.mark.parametrize("status", [500, 503, 401, 404])
def test_a_server_that_fails_for_a_day_gets_the_notice_in_the_end_once(tmp_path: Path, status: int) -> None:
    with Receiver() as receiver:
        receiver.answer = status
        days = Days(tmp_path / "spool", f"webhook+http://localhost:{receiver.port}/")
        with days.up() as notifier:
            days.tell(notifier, "MEMORY.md was overwritten")
            days.pass_hours(notifier, 12)
            view = notifier.views()[0]
            assert (view.waiting, view.sent, view.dead) == (1, 0, 0)
            assert view.error.startswith(f"the server answered {status}")
            assert ("the token" in view.error) is (status == 401)
            assert days.troubles[-1] == view.error, "the daemon is degraded by it"
        with days.up() as notifier:  # a restart in between
            days.pass_hours(notifier, 12)
            attempts = len(receiver.got)
            assert 24 <= attempts <= 40, "soon at first, then once an hour"
            receiver.answer = 200
            days.pass_hours(notifier, 1)
            until(lambda: notifier.views()[0].sent, "it is sent")
            assert len(receiver.got) == attempts + 1
            assert (notifier.views()[0].waiting, notifier.views()[0].error) == (0, "")
            assert days.troubles[-1] == ""
            days.pass_hours(notifier, 2)
            assert len(receiver.got) == attempts + 1


def test_what_nobody_takes_for_days_is_a_dead_letter_that_is_shown(tmp_path: Path) -> None:
    days = Days(tmp_path / "spool", "webhook+http://127.0.0.1:1/")
    with days.up() as notifier:
        days.tell(notifier, "MEMORY.md was overwritten")
        until(lambda: notifier.views()[0].error, "the first attempt")
        days.pass_hours(notifier, 48)
        assert notifier.views()[0].waiting == 1
        days.pass_hours(notifier, MOST_ATTEMPTS)
        view = notifier.views()[0]
        assert (view.waiting, view.dead) == (0, 1)


def test_no_clock_gives_up_what_was_hardly_tried(tmp_path: Path) -> None:
    """A machine that was asleep for days, or whose clock jumped: the next attempt may be the one that gets out."""
    with Receiver() as receiver:
        receiver.answer = 500
        days = Days(tmp_path / "spool", f"webhook+http://localhost:{receiver.port}/")
        with days.up() as notifier:
            days.tell(notifier, "MEMORY.md was overwritten")
            until(lambda: notifier.views()[0].error, "the first attempt")
            days.now_ns += 400 * HOUR_NS
            notifier.recorded(days.past.stored)
            until(lambda: notifier._spool.waiting("hook")[0].attempts == 2, "another attempt, which fails too")
            receiver.answer = 200
            days.pass_hours(notifier, 1)
            until(lambda: notifier.views()[0].sent, "it is sent")


def test_a_clock_that_was_ahead_holds_nothing_back(tmp_path: Path) -> None:
    with Receiver() as receiver:
        receiver.answer = 500
        days = Days(tmp_path / "spool", f"webhook+http://localhost:{receiver.port}/")
        right_ns = days.now_ns
        with days.up() as notifier:
            days.tell(notifier, "before")
            until(lambda: notifier.views()[0].error, "an attempt")
            days.now_ns += 40 * HOUR_NS
            notifier.recorded(days.past.stored)
            until(lambda: notifier._spool.waiting("hook")[0].attempts == 2, "an attempt in the wrong future")
            receiver.answer = 200
            days.now_ns = right_ns  # while it runs
            notifier.recorded(days.past.stored)
            until(lambda: notifier.views()[0].sent == 1, "it is sent at once")
            days.now_ns += 400 * HOUR_NS
            receiver.answer = 500
            days.tell(notifier, "ahead")
            until(lambda: notifier.views()[0].error, "an attempt")
        days.now_ns, receiver.answer = right_ns, 200  # while it does not run
        with days.up() as notifier:
            until(lambda: days.is_bounded(notifier), "it is put off no longer")
            days.pass_hours(notifier, 1)
            until(lambda: notifier.views()[0].sent == 2, "it is sent")


def test_what_was_taken_up_in_a_wrong_future_is_tried_at_the_usual_distances(tmp_path: Path) -> None:
    """Nor is it given up after eighty attempts in a minute."""
    with Receiver() as receiver:
        receiver.answer = 500
        days = Days(tmp_path / "spool", f"webhook+http://localhost:{receiver.port}/")
        right_ns = days.now_ns
        days.now_ns += 30 * HOUR_NS
        with days.up() as notifier:
            days.tell(notifier, "ahead")
            until(lambda: notifier.views()[0].error, "an attempt")
        days.now_ns = right_ns
        with days.up() as notifier:
            until(lambda: days.is_bounded(notifier), "it is put off no longer")
            days.pass_hours(notifier, 4)
            assert notifier.views()[0].waiting == 1
        assert 4 <= len(receiver.got) <= 6


@pytest.mark.parametrize("hours", [2, 30, 49, 4_000])
def test_what_a_wrong_clock_wrote_into_the_spool_is_believed_for_an_hour(tmp_path: Path, hours: int) -> None:
    with Receiver() as receiver:
        receiver.answer = 500
        days = Days(tmp_path / "spool", f"webhook+http://localhost:{receiver.port}/")
        with days.up() as notifier:
            days.tell(notifier, "before")
            until(lambda: notifier.views()[0].error, "an attempt")
            days.now_ns += hours * HOUR_NS
            notifier.recorded(days.past.stored)
            until(lambda: len(receiver.got) == 2 and days.has_tried(notifier), "an attempt in the wrong future")
        days.now_ns -= hours * HOUR_NS
        receiver.answer = 200
        with days.up() as notifier:
            until(lambda: days.is_bounded(notifier), "it is put off no longer")
            days.pass_hours(notifier, 1)
            until(lambda: notifier.views()[0].sent == 1, "it is sent")


def test_an_end_counts_by_when_it_came_not_by_when_it_is_read(tmp_path: Path) -> None:
    """A machine that is busy, or was asleep: what ended within a minute was told with its end."""
    with Receiver() as receiver:
        days = Days(tmp_path / "spool", f"webhook+http://localhost:{receiver.port}/")
        with days.up() as notifier:
            begin = days.now_ns
            for number, title in enumerate(("at once", "later"), start=1):
                notice = NoticeRecord(EventClass.OVERWRITE, Severity.ALARM, title, incident=number)
                days.past.stored.append(Stored(number, begin, begin, notice))
            notifier.recorded(days.past.stored)
            until(lambda: notifier.views()[0].sent == 2, "both are told")
            days.now_ns += HOUR_NS
            for number, seconds in enumerate((1, 120), start=1):
                end = IncidentRecord(
                    "w", number, "resolved", EventClass.OVERWRITE, Severity.ALARM, action=Action.REVERT
                )
                at_ns = begin + seconds * 1_000_000_000
                days.past.stored.append(Stored(number + 2, at_ns, at_ns, end))
            notifier.recorded(days.past.stored)
            until(lambda: notifier.views()[0].sent == 3, "the end of one")
            days.tell(notifier, "something else")
            until(lambda: notifier.views()[0].sent == 4, "what came after it")
        texts = [each["text"] for body in receiver.bodies() for each in body["notices"]]
        assert texts[2:] == ["incident 2 is settled", "something else"]


def test_what_waited_for_another_attempt_goes_out_when_one_gets_through(tmp_path: Path) -> None:
    with Receiver() as receiver:
        receiver.answer = 500
        days = Days(tmp_path / "spool", f"webhook+http://localhost:{receiver.port}/")
        with days.up() as notifier:
            days.tell(notifier, "the first")
            until(lambda: notifier._spool.waiting("hook")[0].attempts == 1, "an attempt")
            days.pass_hours(notifier, 12)
            receiver.answer = 200
            days.tell(notifier, "the last")  # due at once; the first waits for most of an hour
            until(lambda: notifier.views()[0].sent == 2, "both are sent")


def test_a_channel_that_fails_is_told_of_after_a_restart_as_well(tmp_path: Path) -> None:
    days = Days(tmp_path / "spool", "webhook+http://127.0.0.1:1/")
    with days.up() as notifier:
        days.tell(notifier, "MEMORY.md was overwritten")
        days.pass_hours(notifier, 4)
    days.troubles.clear()
    with days.up():
        until(lambda: days.troubles, "it is told before another attempt is due")
    assert "cannot be reached" in days.troubles[0]


def test_one_that_was_stopped_tells_of_no_trouble_any_more(tmp_path: Path) -> None:
    """Another one has the channel by then, under the same name."""
    with Receiver() as receiver:
        receiver.hold, receiver.answer = threading.Event(), 401
        days = Days(tmp_path / "spool", f"webhook+http://localhost:{receiver.port}/")
        with days.up() as notifier:
            days.tell(notifier, *(f"file {number} was overwritten" for number in range(3)))
            until(lambda: receiver.begun, "an attempt under way")
            notifier.stop()
            told = len(days.troubles)
            receiver.hold.set()
            until(lambda: not any(each.is_alive() for each in notifier._threads), "its threads are over")
        assert len(days.troubles) == told


def test_what_was_told_in_an_offline_night_comes_together_and_in_order(tmp_path: Path) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        port = nobody.getsockname()[1]
    days = Days(tmp_path / "spool", f"webhook+http://127.0.0.1:{port}/")
    with days.up() as notifier:
        for number in range(3):
            days.tell(notifier, f"file {number} was overwritten")
            days.pass_hours(notifier, 3)
        assert notifier.views()[0].waiting == 3
        assert "cannot be reached" in notifier.views()[0].error
    with Receiver(port) as receiver, days.up() as notifier:
        days.pass_hours(notifier, 1)
        until(lambda: notifier.views()[0].sent == 3, "all of it")
        assert len(receiver.got) == 1, "one message, not three"
        body = json.dumps(receiver.bodies()[0])
        assert body.index("file 0") < body.index("file 1") < body.index("file 2")


def test_what_waits_for_a_channel_that_is_taken_out_waits_for_it_to_come_back(tmp_path: Path) -> None:
    with Receiver() as receiver:
        receiver.answer = 500
        days = Days(tmp_path / "spool", f"webhook+http://localhost:{receiver.port}/")
        other = Days(tmp_path / "spool", "webhook+http://127.0.0.1:1/", "other")
        other.past, other.now_ns = days.past, days.now_ns
        with days.up() as notifier:
            days.tell(notifier, "MEMORY.md was overwritten")
            until(lambda: notifier.views()[0].error, "an attempt")
        with other.up() as notifier:
            shown = {each.name: each for each in notifier.views()}
            assert shown["hook"].waiting == 1, "it is not lost, and shown"
            assert "configured no more" in shown["hook"].error
        receiver.answer = 200
        with days.up() as notifier:
            days.pass_hours(notifier, 1)
            until(lambda: notifier.views()[0].sent, "it is sent after all")
        assert receiver.bodies()[-1]["notices"][0]["text"] == "MEMORY.md was overwritten"


@pytest.mark.parametrize("url", ["nosuchservice://token-t0ken/x", "slack://X"])
def test_a_url_that_no_service_takes_is_said_before_anything_is_told(tmp_path: Path, url: str) -> None:
    days = Days(tmp_path / "spool", url)
    with days.up() as notifier:
        until(lambda: notifier.views()[0].error, "what is wrong with it")
        assert notifier.views()[0].error == "apprise knows no such service, or not this form of its URL"
        assert days.troubles[-1] == notifier.views()[0].error


def test_an_alarm_that_waits_for_no_channel_any_more_goes_out_on_those_there_are(tmp_path: Path) -> None:
    with Receiver() as receiver:
        days = Days(tmp_path / "spool", "webhook+http://127.0.0.1:1/")
        other = Days(tmp_path / "spool", f"webhook+http://localhost:{receiver.port}/", "other")
        other.past, other.now_ns = days.past, days.now_ns
        with days.up() as notifier:
            days.tell(notifier, "MEMORY.md was overwritten")
        for _ in range(2):  # not once more after a restart
            with other.up() as notifier:
                until(lambda: notifier.views()[0].sent, "it is sent there")
                assert [each.waiting for each in notifier.views()] == [0, 1], "it waits for the other to come back"
        assert [each["notices"][0]["text"] for each in receiver.bodies()] == ["MEMORY.md was overwritten"]


def test_what_was_given_up_for_a_channel_that_was_taken_out_is_shown_for_a_week(tmp_path: Path) -> None:
    days = Days(tmp_path / "spool", "webhook+http://127.0.0.1:1/")
    with days.up() as notifier:
        days.tell(notifier, "MEMORY.md was overwritten")
    days._route = Route(Channel("other"), None, why="it has no place")
    days.now_ns += 800 * HOUR_NS
    with days.up() as notifier:
        assert {each.name: each.waiting for each in notifier.views()}.get("hook") == 1, "whatever the clock says"
    for _ in range(2):
        with days.up() as notifier:
            days.mono_ns += GONE_NS
            notifier.recorded(days.past.stored[:1])
            until(lambda: {each.name: each.dead for each in notifier.views()}.get("hook") == 1, "it is given up")
    days.now_ns += 8 * 24 * HOUR_NS
    with days.up() as notifier:
        assert [each.name for each in notifier.views()] == ["other"]


def test_the_same_words_again_within_an_hour_are_one_notice(tmp_path: Path) -> None:
    with Receiver() as receiver:
        days = Days(tmp_path / "spool", f"webhook+http://localhost:{receiver.port}/")
        with days.up() as notifier:
            days.tell(notifier, "the configuration has a fault")
            until(lambda: notifier.views()[0].sent == 1, "the first is sent")
            for _ in range(30):
                days.tell(notifier, "the configuration has a fault")
            days.tell(notifier, "MEMORY.md was overwritten")
            until(lambda: notifier.views()[0].sent == 2, "what is not the same waits for nothing")
            assert notifier.views()[0].waiting == 30
            days.now_ns += HOUR_NS
            notifier.recorded(days.past.stored[:1])
            until(lambda: notifier.views()[0].sent == 32, "the rest is sent")
        bodies = [each["body"] for each in receiver.bodies()]
        assert len(bodies) == 3
        assert "(30 times)" in bodies[2]


HANGING = """
import json, sys
from conductd.notify.places import resolved
from conductd.notify.sending import send
from conductd.core.notifying.wording import Message
from conductd.model import Severity
place = resolved("c", "webhook+https://hooks.example.org/T0KEN", "", {})
print(send(place, Message("t", "b", Severity.ALARM, (1,)), {}, 4).error)
"""


@pytest.mark.skipif(shutil.which("unshare") is None, reason="needs a network of its own, made by unshare")
def test_a_name_server_that_hangs_ends_the_attempt_and_nothing_else(tmp_path: Path) -> None:
    """In a network of its own, with a name server that takes questions and never answers."""
    (tmp_path / "resolv.conf").write_text("nameserver 127.0.0.1\noptions timeout:30 attempts:5\n")
    (tmp_path / "deaf.py").write_text(
        "import socket, time\ns = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
        's.bind(("127.0.0.1", 53))\nprint("deaf", flush=True)\ntime.sleep(30)\n'
    )
    own = ["unshare", "-n", "-m"] if os.geteuid() == 0 else ["unshare", "-rnm"]
    deaf = f"<(exec {sys.executable} {tmp_path}/deaf.py 2>/dev/null)"
    script = (
        f"ip link set lo up && mount --bind {tmp_path}/resolv.conf /etc/resolv.conf && exec 3< {deaf} && "
        f'read -r deaf <&3 && echo "$deaf" && {sys.executable} -c "$0"'
    )
    ran = subprocess.run([*own, "bash", "-c", script, HANGING], capture_output=True, text=True, timeout=60, check=False)
    said = ran.stdout.splitlines()
    if "deaf" not in said:
        pytest.skip(f"no such network here: {ran.stderr.strip()[:200]}")
    assert said[-1] in ("no answer within 4 s", "the server cannot be reached (gaierror)")
    assert "T0KEN" not in ran.stdout + ran.stderr


def test_threads_of_a_channel_that_hangs_hold_no_stop_up(tmp_path: Path) -> None:
    with Receiver() as receiver:
        receiver.hold = threading.Event()
        days = Days(tmp_path / "spool", f"webhook+http://localhost:{receiver.port}/")
        with days.up() as notifier:
            days.tell(notifier, "MEMORY.md was overwritten")
            until(lambda: receiver.begun, "the attempt")
            begun = time.monotonic()
        assert time.monotonic() - begun < 10
        receiver.hold.set()

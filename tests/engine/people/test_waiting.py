"""What a caller is told that the daemon did not get to is not done behind its back."""

from __future__ import annotations

from concurrent.futures import Future

import pytest

from conductd.engine.answering.waits import Command
from conductd.engine.people.waiting import acted
from conductd.errors import Busy


def command() -> Command:
    return Command(lambda: None, Future())


def test_what_was_not_begun_in_time_is_not_done() -> None:
    late = command()
    with pytest.raises(Busy, match="nothing was done"):
        acted(late.reply, 0.01)
    assert not late.is_wanted


def test_what_was_begun_is_waited_for() -> None:
    begun = command()
    assert begun.is_wanted
    begun.reply.set_result(7)
    assert acted(begun.reply, 0.01) == 7


def test_what_was_refused_at_a_stop_is_a_sentence() -> None:
    refused = command()
    refused.reply.cancel()
    with pytest.raises(Busy):
        acted(refused.reply, 0.01)

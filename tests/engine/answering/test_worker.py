"""The thread that hands large files to a process of its own answers each, whatever goes wrong."""

from __future__ import annotations

from queue import Queue
from typing import Any, cast

from conductd.core.policy import Policy
from conductd.engine.answering.worker import Job, Outcome, Worker


def test_what_cannot_be_handed_over_is_answered_and_the_next_one_too() -> None:
    answers: Queue[Outcome] = Queue()
    worker = Worker()
    try:
        for _ in range(2):
            worker.do(Job(cast("Any", object()), Policy(), searched=True), answers.put)
        for _ in range(2):
            assert "failed" in answers.get(timeout=60).trouble
    finally:
        worker.stop()

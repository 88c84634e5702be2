"""A process of its own for what takes seconds: judging large files.

Owns one child process, started when it is first needed, ended when it has been idle or the daemon
stops, and limited in memory where the system can do that. A job that cannot be done (it needs too
much, or the process died) is answered with the reason. The process reads jobs from its standard
input and writes outcomes to its standard output, each as msgpack.
"""

from __future__ import annotations

import queue
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress

import msgspec
import structlog

from conductd import own_process
from conductd.core.case import Case
from conductd.core.judging.judge import judge
from conductd.core.judging.wait import wait_for
from conductd.core.merging.outcome import target
from conductd.core.policy import Policy
from conductd.engine.gathering.tables import Tables
from conductd.model import Frozen, Verdict

log = structlog.get_logger("worker")

MEMORY_BYTES = 3 * 1024**3  # of address space; judging two texts of 16 MB takes about 1 GB
PATIENCE_S = 300.0
IDLE_S = 60.0


class Job(Frozen, frozen=True):
    """``searched``: the case has its `elsewhere`, so that the verdict is the last word."""

    case: Case
    policy: Policy
    searched: bool


class Outcome(Frozen, frozen=True):
    """``wait_kind``, ``wait_ms``: how long such a text should be left alone (`core.judging.wait`).
    ``trouble``: why there is no verdict."""

    wait_kind: str = "quiet"
    wait_ms: int = 0
    verdict: Verdict | None = None
    target: bytes | None = None
    trouble: str = ""


Done = Callable[[Outcome], None]


class Worker:
    """`do` from any thread; ``done`` is called on a thread of the worker's own, once for each job."""

    def __init__(self) -> None:
        self._jobs: queue.Queue[tuple[Job, Done] | None] = queue.Queue()
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._thread: threading.Thread | None = None
        self._stopping = False

    def do(self, job: Job, done: Done) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="worker", daemon=True)
            self._thread.start()
        self._jobs.put((job, done))

    def stop(self) -> None:
        """End the process, whatever it is at. What it was given is never answered."""
        with self._lock:
            self._stopping = True
            if self._process is not None:
                self._process.kill()
        self._jobs.put(None)
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        while True:
            try:
                given = self._jobs.get(timeout=None if self._process is None else IDLE_S)
            except queue.Empty:
                self._end()
                continue
            if given is None or self._stopping:
                self._end()
                return
            job, done = given
            outcome = self._work(job)
            if not self._stopping:
                done(outcome)

    def _work(self, job: Job) -> Outcome:
        timer: threading.Timer | None = None
        try:
            process = self._started()
            timer = threading.Timer(PATIENCE_S, process.kill)
            timer.daemon = True
            timer.start()
            assert process.stdin is not None
            assert process.stdout is not None
            own_process.send(process.stdin, msgspec.msgpack.encode(job))
            answer = own_process.receive(process.stdout)
            if answer is not None:
                return msgspec.msgpack.decode(answer, type=Outcome)
            trouble = "the process that judges large files ended"
        except Exception as error:  # whatever it is: this thread must go on to the next file, and this one be answered
            trouble = f"the process that judges large files failed: {type(error).__name__}"
        finally:
            if timer is not None:
                timer.cancel()
        self._end()
        log.warning(trouble)
        return Outcome(trouble=trouble)

    def _started(self) -> subprocess.Popen[bytes]:
        with self._lock:
            if self._process is None:
                if self._stopping:
                    raise OSError("the daemon is stopping")
                self._process = subprocess.Popen(
                    own_process.command("conductd.engine.answering.worker"),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    env=own_process.environment(),
                    cwd="/",
                )
            return self._process

    def _end(self) -> None:
        with self._lock:
            process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        process.wait()


# --------------------------------------------------------------------------- in the process


def outcome_of(job: Job) -> Outcome:
    """The same as the judge thread would find."""
    case, tables = job.case, Tables(job.case.key)
    needed = wait_for(case.baseline.data if case.baseline else None, case.versions[-1], job.policy, case.key, tables)
    verdict = judge(case, job.policy, tables)
    last_word = job.searched or not verdict.change.lost
    data = target(case, verdict, job.policy) if last_word else None
    return Outcome(needed.kind, needed.ms, verdict, data)


def main() -> None:
    own_process.stand_back(MEMORY_BYTES, 5)
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    while True:
        try:
            data = own_process.receive(source)
            if data is None:
                return
            job = msgspec.msgpack.decode(data, type=Job)
            del data
            outcome = outcome_of(job)
        except MemoryError:
            outcome = Outcome(trouble="judging it takes more memory than it may")
        except Exception as error:
            outcome = Outcome(trouble=f"it could not be judged: {type(error).__name__}")
        own_process.send(sink, msgspec.msgpack.encode(outcome))


if __name__ == "__main__":
    main()

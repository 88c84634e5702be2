"""Heavy work of a job in a process of its own, so that nothing else in the daemon waits for it.

The process is started for one order, stands back behind everybody else, and ends with its answer, with its daemon, and
when the run is to end (`Ended` of the progress it tells). What it cannot do is an error of the run. On the thread of
the run.
"""

from __future__ import annotations

import os
import selectors
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TypeVar

import msgspec
import structlog

from conductd import own_process
from conductd.engine.jobs.job import Progress
from conductd.engine.jobs.orders import Order, carried_out, is_heavy, packed
from conductd.errors import ConductdError, StoreUnavailable
from conductd.model import Frozen

log = structlog.get_logger("jobs")

MODULE = "conductd.engine.jobs.process"
LOOK_S = 0.2  # how often a run that is to end is noticed
_CHUNK = 1 << 16
_T = TypeVar("_T")


class Said(Frozen, frozen=True):
    """What the process says. ``done``: how far it is, 0..1; ``answer``: it has ended; ``trouble``: why there is
    none, of the disk where ``is_store``. ``is_unsayable``: the answer holds what no message can (half a character)."""

    done: float = 0.0
    answer: bytes = b""
    trouble: str = ""
    hint: str = ""
    is_store: bool = False
    is_unsayable: bool = False

    @property
    def is_last(self) -> bool:
        return bool(self.answer or self.trouble) or self.is_unsayable


class Failed(ConductdError):
    """The process gave no answer. The run has failed; the daemon has not."""


def answer(order: Order, kind: type[_T], progress: Progress, doing: str) -> _T:
    """``kind``: of the answer. Raises what `carried_out` raises, `Failed`, and what ``progress`` does."""
    data = _message(order) if is_heavy(order) else None
    said = _asked(data, progress, doing) if data is not None else None
    if said is None or said.is_unsayable:
        return carried_out(order, lambda done: progress(int(done * 100), 100, doing))  # type: ignore[return-value]
    if not said.answer:
        raise (StoreUnavailable if said.is_store else Failed)(said.trouble, said.hint)
    return msgspec.msgpack.decode(said.answer, type=kind)


def _message(order: Order) -> bytes | None:
    """None: it holds what no message can, half a character."""
    try:
        return packed(order)
    except UnicodeEncodeError:
        return None


def _asked(data: bytes, progress: Progress, doing: str) -> Said:
    """The last that it says."""
    with _started() as process:
        progress(0, 100, doing)
        for said in _saying(process, data):
            if said.is_last:
                return said
            progress(int(said.done * 100), 100, doing)
        code = process.wait()
    log.warning("the process of a job ended without an answer", code=code)
    raise Failed(f"the process for {doing} ended ({_why(code)})", "conductd jobs run NAME tries it again")


def _why(code: int) -> str:
    return f"signal {-code}" if code < 0 else f"exit code {code}"


@contextmanager
def _started() -> Iterator[subprocess.Popen[bytes]]:
    """Whatever comes, it is gone afterwards."""
    try:
        process = subprocess.Popen(
            own_process.command(MODULE),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=own_process.environment(),
            cwd="/",
        )
    except OSError as error:
        raise Failed(f"no process can be started: {error.strerror}", "conductd status") from error
    try:
        yield process
    finally:
        process.kill()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        process.wait()


def _saying(process: subprocess.Popen[bytes], order: bytes) -> Iterator[Said]:
    """What it says, the last of it again now and then; ends when it has closed its output. Its input stays open: to
    the process the end of it is the end of the daemon."""
    assert process.stdin is not None
    assert process.stdout is not None
    source, sink = process.stdout.fileno(), process.stdin.fileno()
    left = memoryview(len(order).to_bytes(own_process.LENGTH, "little") + order)
    heard = bytearray()
    last = Said()
    with selectors.DefaultSelector() as ready:
        os.set_blocking(sink, False)
        ready.register(source, selectors.EVENT_READ)
        ready.register(sink, selectors.EVENT_WRITE)
        while True:
            found = ready.select(LOOK_S)
            for key, _ in found:
                if key.fd == sink:
                    left = _more(sink, left)
                    if not left:
                        ready.unregister(sink)
                    continue
                data = os.read(source, _CHUNK)
                if not data:
                    return
                heard += data
                while (each := _taken(heard)) is not None:
                    last = msgspec.msgpack.decode(each, type=Said)
                    yield last
            if not found:
                yield last


def _more(sink: int, left: memoryview) -> memoryview:
    """What is still to be sent; nothing, when nobody reads it: the end of the output tells why."""
    try:
        return left[os.write(sink, left[:_CHUNK]) :]
    except BlockingIOError:
        return left
    except BrokenPipeError:
        return left[len(left) :]


def _taken(heard: bytearray) -> bytes | None:
    """The first message, taken off."""
    size = int.from_bytes(heard[: own_process.LENGTH], "little")
    end = own_process.LENGTH + size
    if len(heard) < own_process.LENGTH or len(heard) < end:
        return None
    data = bytes(heard[own_process.LENGTH : end])
    del heard[:end]
    return data

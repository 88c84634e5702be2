"""`conductd edit FILE…`: a person's editor, with the files left alone while it has them open."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from types import FrameType
from typing import TYPE_CHECKING

import click

from conductd.cli import editor as editors
from conductd.cli import files, outcome, output
from conductd.cli.options import Options, common, person_at_terminal
from conductd.cli.spans import Span
from conductd.errors import ConductdError, NotFound, Refused

if TYPE_CHECKING:
    from conductd.api.client import Client
    from conductd.views import LeaseView

AT_ONCE_S = 1.0  # an editor that has come back by then may have left a window open
RENEWALS = 3  # in the time that a lease stands without one


@click.command()
@click.argument("names", metavar="FILE…", nargs=-1, required=True)
@click.option(
    "--for", "seconds", type=Span(), default="10m", show_default=True,
    help="How long the files are left alone should this command be killed.",
)  # fmt: skip
@common
def command(options: Options, names: tuple[str, ...], seconds: int) -> int:
    """Open FILE… in your editor ($VISUAL, else $EDITOR), and leave the files alone until you close it.

    What is written meanwhile is yours: recorded, not judged. A file need not exist yet. The exit code is the
    editor's. An editor that opens a window has to wait: EDITOR="code --wait".
    """
    if not person_at_terminal():
        raise Refused("an editor needs a terminal", "run it in a terminal of your own, or: conductd lease FILE")
    editor = editors.find(os.environ)
    paths = [files.path(name) for name in names]
    with options.client() as client:
        leases, asked = _take(client, paths, seconds, _plain(editor.name))
    if asked is not None:
        output.say(f"nothing is opened: a person has to confirm it first: conductd confirm {asked.request}")
        if options.json:
            output.as_json(asked)
        return outcome.REQUESTED
    held = Held(options, paths, leases, seconds, _plain(editor.name))
    started, before = time.monotonic(), [_stamp(path) for path in paths]
    try:
        with held.kept(), _undisturbed():
            code = _run([*editor.words, *paths])
    except BaseException:
        held.end()
        raise
    if editor.waits_with is not None:
        _tell_left(editor, held.leases)
        return code
    held.end()
    if time.monotonic() - started < AT_ONCE_S and before == [_stamp(path) for path in paths]:
        output.say(
            f"{editor.name} came back at once. If it has opened a window, let it wait (code --wait, gvim -f), "
            f"or say how long you are at it: conductd lease {names[0]} --for 20m"
        )
    return code


class Held:
    """The leases of an editor that runs, renewed by a thread of their own."""

    def __init__(
        self, options: Options, paths: Sequence[bytes], leases: list[LeaseView], seconds: int, editor: str
    ) -> None:
        self._options, self._paths, self.leases = options, paths, leases
        self._seconds, self._editor = seconds, editor
        self._closed = threading.Event()

    @contextlib.contextmanager
    def kept(self) -> Iterator[None]:
        renewing = threading.Thread(target=self._renew, daemon=True)
        renewing.start()
        try:
            yield
        finally:
            self._closed.set()
            renewing.join()

    def _renew(self) -> None:
        while not self._closed.wait(self._seconds / RENEWALS):
            # A daemon that is being restarted is there again at the next try.
            with contextlib.suppress(ConductdError), self._options.client() as client:
                self.leases = [
                    self._again(client, path, lease) for path, lease in zip(self._paths, self.leases, strict=True)
                ]

    def _again(self, client: Client, path: bytes, lease: LeaseView) -> LeaseView:
        try:
            return client.renew(lease.id, self._seconds)
        except NotFound:  # it ran out: this process was stopped for a while, or the machine slept
            return client.lease(path, self._seconds, self._editor)

    def end(self) -> None:
        """The files are guarded again. A lease that cannot be ended runs out by itself."""
        try:
            with self._options.client() as client:
                for lease in self.leases:
                    with contextlib.suppress(NotFound):
                        client.end_lease(lease.id)
        except ConductdError as error:
            output.say(f"the files are left alone for {self._seconds} s more: {error.message}")


def _take(
    client: Client, paths: Sequence[bytes], seconds: int, editor: str
) -> tuple[list[LeaseView], LeaseView | None]:
    """A lease for each file, or the first that was only asked for (and none)."""
    leases: list[LeaseView] = []
    try:
        for path in paths:
            leases.append(client.lease(path, seconds, editor))
            if leases[-1].request is not None:
                return [], leases[-1]
    except ConductdError:
        for lease in leases:
            client.end_lease(lease.id)
        raise
    return leases, None


def _run(command: Sequence[str | bytes]) -> int:
    """As a shell reports it."""
    code = subprocess.run(command, check=False).returncode
    return code if code >= 0 else 128 - code


@contextlib.contextmanager
def _undisturbed() -> Iterator[None]:
    """Ctrl-C is for the editor: it has the terminal."""

    def leave_it(_number: int, _frame: FrameType | None) -> None:
        return None

    before: dict[signal.Signals, Callable[[int, FrameType | None], object] | int | None] = {}
    for number in (signal.SIGINT, signal.SIGQUIT):
        before[number] = signal.signal(number, leave_it)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _tell_left(editor: editors.Editor, leases: Sequence[LeaseView]) -> None:
    """The editor has come back and still has the files open."""
    from conductd.cli import render

    until = min(lease.until_ns for lease in leases)
    how = f'; to have it wait: EDITOR="{editor.name} {editor.waits_with}"' if editor.waits_with else ""
    output.say(f"{editor.name} does not say when you close a file: {_them(leases)} left alone until "
               f"{render.clock(until, time.time_ns())}{how}")  # fmt: skip


def _them(leases: Sequence[LeaseView]) -> str:
    from conductd.cli import people

    return f"{people.leased(leases[0])} is" if len(leases) == 1 else f"the {len(leases)} files are"


def _stamp(path: bytes) -> tuple[int, int, int] | None:
    try:
        stat = os.stat(path)
    except OSError:
        return None
    return stat.st_ino, stat.st_size, stat.st_mtime_ns


def _plain(name: str) -> str:
    """As the daemon takes it."""
    return re.sub(r"[^A-Za-z0-9._+-]", "-", name).lstrip("._+-")[:40] or "editor"

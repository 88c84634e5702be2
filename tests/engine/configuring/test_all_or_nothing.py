"""A configuration that cannot be put into force as a whole is taken back, or it is said that it is so in part only."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from conductd import app
from conductd.config import Config
from conductd.engine.configuring.applying import Applying, InPart
from conductd.engine.configuring.reading import read
from conductd.engine.health.overview import Parts
from conductd.errors import Busy
from support.daemon import Daemon

TEXT = "# Memory\n\n" + "".join(f"- note {number}: something worth keeping\n" for number in range(40))
BEATS = '[heartbeat]\nurl = "http://127.0.0.1:9/beat"\nevery_minutes = %d\n'


def memory(directory: Path) -> Path:
    directory.mkdir(parents=True)
    (directory / "MEMORY.md").write_text(TEXT)
    return directory


def test_what_the_store_refuses_half_way_leaves_nothing_of_itself(tmp_path: Path) -> None:
    """A found workspace is no setting: nothing has to be written before the judge has the new figures."""
    daemon = Daemon(tmp_path, [], config=BEATS % 1440, arguments=["--no-demo"])
    one = memory(daemon.home / ".openclaw" / "workspace")
    two = daemon.home / ".claude" / "projects" / "-p" / "memory"

    def in_force() -> tuple[int, set[str]]:
        status = daemon.status()
        return status["heartbeat"]["every_minutes"], {each["root"] for each in status["workspaces"]}

    with daemon:
        memory(two)
        daemon.config_path.write_text(BEATS % 720)
        daemon.fault("readonly_fs")
        told = daemon.api.post("/v1/reload")
        assert not told["applied"]
        assert "the configuration that was in force still is" in told["text"]
        assert in_force() == (1440, {str(one)})
        assert "last good one is in force" in next(
            each["message"] for each in daemon.status()["degraded"] if each["reason"] == "config"
        )
        daemon.clear_faults()
        daemon.wait_until(lambda: "store" not in str(daemon.status()["degraded"]), "the store is well")
        assert daemon.api.post("/v1/reload")["applied"]
        assert in_force() == (720, {str(one), str(two)})
        assert "config" not in str(daemon.status()["degraded"])
        daemon.assert_no_traceback()


class NoFace:
    path, alive = b"/nowhere", True

    def start(self) -> None: ...

    def stop(self) -> None: ...


class House:
    """A daemon in this process, and the file it was configured by."""

    def __init__(self, place: Path, stack: ExitStack) -> None:
        self.roots = [memory(place / name) for name in ("one", "two", "three")]
        self.file = place / "config.toml"
        self.environ = {**os.environ, "HOME": str(place)}
        self.write(0.81, 0, 1)
        request = app.Request(config=str(self.file), state_dir=str(place / "state"))
        self.app = app.App(request, lambda _service, _path: NoFace(), app.Ports(environ=self.environ, jobs=()), stack)
        self.app.start()
        assert self.app.service is not None
        self.parts: Parts = self.app.service._
        self.before = self.app.config

    def write(self, share: float, *numbers: int) -> None:
        named = "".join(f'[[workspaces]]\nroot = "{self.roots[number]}"\n' for number in numbers)
        self.file.write_text(f"thresholds = {{ overwrite_share = {share} }}\n{named}")

    def apply(self, others: list[Callable[[Config], object]], share: float, *numbers: int, wait_s: float = 60) -> None:
        self.write(share, *numbers)
        config = read(str(self.file), self.environ).config
        roots = self.app._chosen(config, self.parts.state)
        Applying(self.parts, others, wait_s).apply(self.before, config, roots)

    def in_force(self) -> tuple[float, set[int]]:
        """By which figure it is judged, and what is watched."""
        watched = {os.fsdecode(each.root) for each in self.parts.workspaces.handles() if each.fd is not None}
        share = self.parts.judge._policy.thresholds.overwrite_share
        assert self.parts.workspaces.config.thresholds.overwrite_share == share
        return share, {number for number, root in enumerate(self.roots) if str(root) in watched}


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with ExitStack() as stack:
        yield House(tmp_path, stack)


@contextmanager
def held(call: Callable[[Callable[[], object]], object]) -> Iterator[None]:
    """A thread that is at something else until the end of the block."""
    is_there, may_go = threading.Event(), threading.Event()

    def hold() -> None:
        is_there.set()
        may_go.wait()

    call(hold)
    try:
        is_there.wait()
        yield
    finally:
        may_go.set()


def test_whatever_fails_everything_is_as_it_was(house: House) -> None:
    def refuse_the_new(config: Config) -> None:
        if config is not house.before:
            raise OSError("no such luck")

    with pytest.raises(OSError, match="luck"):
        house.apply([refuse_the_new], 0.82, 1, 2)
    assert house.in_force() == (0.81, {0, 1})


def test_what_cannot_be_taken_back_is_said(house: House) -> None:
    def refuse(_config: Config) -> None:
        raise OSError("no such luck")

    with pytest.raises(InPart, match="in part only: OSError, see the log"):
        house.apply([refuse], 0.82, 1, 2)


def test_the_status_says_what_is_in_force_in_part(house: House) -> None:
    def refuse(_config: Config) -> None:
        raise OSError("no such luck")

    reloading = house.app._reloading
    assert reloading is not None
    whole, reloading._applying = reloading._applying, Applying(house.parts, [refuse])
    house.write(0.82, 1, 2)
    told = house.app.reload()
    assert not told.applied
    assert "in force in part only" in told.text
    assert "still is" not in told.text
    reason = {each.reason: each for each in house.parts.degraded.list()}["config"]
    assert (reason.message, reason.hint) == (told.text, told.hint)
    assert "last good" not in reason.message
    reloading._applying = whole
    assert house.app.reload().applied
    assert house.in_force() == (0.82, {1, 2})
    assert "config" not in house.parts.degraded


def test_a_judge_that_does_not_get_to_it_is_left_as_it_is(house: House) -> None:
    seen: list[Config] = []
    with held(house.parts.judge.call), pytest.raises(Busy):
        house.apply([seen.append], 0.82, 1, 2, wait_s=0.05)
    house.parts.judge.call(lambda: None).result()
    assert house.in_force() == (0.81, {0, 1})
    assert seen == []


def test_an_intake_that_does_not_get_to_it_does_not_do_it_later_either(house: House) -> None:
    seen: list[Config] = []
    with held(house.parts.intake.do), pytest.raises(Busy):
        house.apply([seen.append], 0.82, 1, 2, wait_s=0.05)
    house.parts.intake.do(lambda: None).result()
    assert house.in_force() == (0.81, {0, 1})
    assert [each.thresholds.overwrite_share for each in seen] == [0.82, 0.81]


def test_a_workspace_that_was_moved_is_followed_or_left(house: House) -> None:
    """It has its record already when something else fails: it is where it is, whatever is in force."""
    known = {each.root: each.id for each in house.parts.workspaces.handles()}
    old, new = house.roots[0], house.roots[0].parent / "moved"
    house.roots[0] = old.rename(new)

    def refuse_the_new(config: Config) -> None:
        if config is not house.before:
            raise OSError("no such luck")

    with pytest.raises(OSError, match="luck"):
        house.apply([refuse_the_new], 0.82, 0, 1)
    house.write(0.82, 0, 1)
    assert house.app.reload().applied
    assert house.in_force() == (0.82, {0, 1})
    here = {each.root: each.id for each in house.parts.workspaces.handles()}
    assert here[os.fsencode(new)] == known[os.fsencode(old)]

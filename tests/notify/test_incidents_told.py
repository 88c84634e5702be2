"""What reaches a person of an incident, from its beginning to its end: a real daemon, a real server on loopback."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.conftest import notes
from support.daemon import Daemon
from support.receiver import Receiver
from support.until import until

COUNT = 12
LATER_MS = 120_000  # what ends sooner was told with its end


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as made:
        yield made


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    root = tmp_path / "ws"
    (root / "memory").mkdir(parents=True)
    found = [root / "memory" / f"t{number:02}.md" for number in range(COUNT)]
    for number, path in enumerate([*found, root / "MEMORY.md", root / "USER.md"]):
        path.write_text(notes(number * 40 + 100, number * 40 + 130))
    return found


@pytest.fixture
def workspace(files: list[Path]) -> Path:
    return files[0].parents[1]


@pytest.fixture
def daemon(tmp_path: Path, workspace: Path, receiver: Receiver) -> Iterator[Daemon]:
    lines = ["[[channels]]", 'name = "hook"', f'url = "webhook+http://localhost:{receiver.port}/"']
    with Daemon(tmp_path / "d", [workspace], config="\n".join([*lines, 'severity = "notice"', ""])) as made:
        made.advance(60_000)
        yield made


def all_is_told(daemon: Daemon) -> bool:
    """Nothing waits for the channel, and it has counted what it sent."""
    (channel,) = daemon.status()["channels"]
    return channel["waiting"] == 0 and channel["sent"] > 0


def told(daemon: Daemon, receiver: Receiver, incident: int) -> list[Any]:
    """What came of an incident, once one that happened after it has come."""
    daemon.settle()
    before = len(receiver.got)
    user = daemon.workspaces[0] / "USER.md"
    user.write_text("# Nothing\n")
    daemon.settle()
    until(lambda: any(each["files"] == ["USER.md"] for each in heard(receiver)[before:]), "what happened after it")
    until(lambda: all_is_told(daemon), "nothing waits")
    return [each for each in heard(receiver) if each["incident"] == incident]


def heard(receiver: Receiver) -> list[Any]:
    return [notice for body in receiver.bodies() for notice in body["notices"]]


def the_incident(daemon: Daemon, receiver: Receiver) -> int:
    """The one that happened, which was told, a while ago."""
    daemon.settle()
    until(lambda: receiver.got and all_is_told(daemon), "it is told")
    daemon.advance(LATER_MS)
    (incident,) = daemon.api.get("/v1/incidents")
    return int(incident["id"])


def texts(found: list[dict[str, Any]]) -> list[str]:
    return [each["text"] for each in found]


def test_a_loss_that_was_put_back_is_one_notice(daemon: Daemon, workspace: Path, receiver: Receiver) -> None:
    (workspace / "MEMORY.md").write_text("# Nothing\n")
    number = the_incident(daemon, receiver)
    (notice,) = told(daemon, receiver, number)
    assert notice["files"] == ["MEMORY.md"]
    assert (notice["severity"], notice["command"]) == ("alarm", f"conductd undo {number}")


def test_a_repair_that_is_undone_is_told_as_undone_once(daemon: Daemon, workspace: Path, receiver: Receiver) -> None:
    (workspace / "MEMORY.md").write_text("# Nothing\n")
    number = the_incident(daemon, receiver)
    assert daemon.cli("undo", str(number)).exit_code == 0
    until(lambda: len(heard(receiver)) == 2 and all_is_told(daemon), "what became of it")
    daemon.restart()
    first, end = told(daemon, receiver, number)
    assert first["severity"] == "alarm"
    assert end["severity"] == "info"
    assert end["text"] == f"incident {number} is settled: its repair was undone, what was written stands"


def test_what_was_offered_and_is_brought_back_is_told_to_be_settled(
    daemon: Daemon, workspace: Path, receiver: Receiver
) -> None:
    memory = workspace / "MEMORY.md"
    memory.write_text("\n".join(memory.read_text().splitlines()[:20]) + "\n")
    number = the_incident(daemon, receiver)
    assert daemon.cli("restore", "--incident", str(number), "--yes").exit_code == 0
    found = told(daemon, receiver, number)
    assert texts(found)[1:] == [f"incident {number} is settled"]
    assert found[0]["command"] == f"conductd restore --incident {number}"


def test_what_was_accepted_is_told_to_be_accepted(daemon: Daemon, workspace: Path, receiver: Receiver) -> None:
    memory = workspace / "MEMORY.md"
    memory.write_text("\n".join(memory.read_text().splitlines()[:20]) + "\n")
    number = the_incident(daemon, receiver)
    assert daemon.cli("accept", str(number), "--yes").exit_code == 0
    assert texts(told(daemon, receiver, number))[1:] == [f"incident {number} was accepted"]


def test_many_files_lost_together_are_one_notice_and_one_end(
    daemon: Daemon, files: list[Path], receiver: Receiver
) -> None:
    for path in files:
        path.unlink()
    number = the_incident(daemon, receiver)
    assert [each["class"] for each in heard(receiver)] == ["mass_loss"]
    assert daemon.cli("undo", str(number)).exit_code == 0
    found = told(daemon, receiver, number)
    assert [each["severity"] for each in found] == ["alarm", "info"]
    assert f"{COUNT} files were destroyed together" in found[0]["text"]
    assert len(found[0]["files"]) == COUNT
    assert found[1]["text"] == f"incident {number} is settled: its repair was undone, what was written stands"
    assert not [each for each in heard(receiver) if each["incident"] not in (number, heard(receiver)[-1]["incident"])]


def test_many_files_lost_while_the_receiver_is_away_are_one_message_later(
    daemon: Daemon, files: list[Path], receiver: Receiver
) -> None:
    """What became of it meanwhile is told with it, not after it."""
    receiver.answer = 503
    for path in files:
        path.unlink()
    daemon.settle()
    until(lambda: daemon.status()["channels"][0]["error"], "an attempt that fails")
    daemon.advance(LATER_MS)
    (incident,) = daemon.api.get("/v1/incidents")
    assert daemon.cli("undo").exit_code == 0
    receiver.answer, before = 200, len(receiver.got)
    daemon.stop()
    daemon.advance(3_600_000)
    daemon.start()
    until(lambda: all_is_told(daemon), "it is told")
    (body,) = receiver.bodies()[before:]
    assert [each["incident"] for each in body["notices"]] == [incident["id"]]
    assert "undone" in body["body"]

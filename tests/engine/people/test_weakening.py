"""Acts that weaken protection: done for a person at a terminal, only asked for by everybody else."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from engine.conftest import notes
from support.api import ApiError
from support.callers import CONDUCTD, called, copied, in_made_terminal, left_behind, run_detached
from support.daemon import Daemon
from support.terminal import run_in_terminal

REQUESTED = 15


def lose(daemon: Daemon, memory: Path) -> int:
    """Overwrite the file, and let it be put back: the incident's number."""
    memory.write_text("gone\n")
    daemon.settle()
    assert memory.read_text() == notes()
    number: int = daemon.api.get("/v1/incidents")[-1]["id"]
    return number


def requests(daemon: Daemon) -> list[dict[str, object]]:
    answer: list[dict[str, object]] = daemon.api.get("/v1/requests")
    return answer


def states(daemon: Daemon) -> list[str]:
    return [one["state"] for one in daemon.api.get("/v1/incidents")]


Wrap = Callable[[Path, Sequence[str]], list[str]]


@pytest.mark.parametrize(
    "wrap",
    [
        lambda _, command: called("claude", command),
        lambda _, command: called("openclaw-gateway", command),
        lambda tmp, command: copied("codex", tmp, command),
        lambda _, command: called("hermes", in_made_terminal(command)),
    ],
    ids=["claude", "openclaw", "a copied codex", "in a terminal that hermes made"],
)
def test_an_agent_at_a_terminal_only_asks(daemon: Daemon, workspace: Path, tmp_path: Path, wrap: Wrap) -> None:
    memory = workspace / "MEMORY.md"
    number = lose(daemon, memory)
    command = wrap(tmp_path, [*CONDUCTD, "accept", "--yes", str(number)])
    ran = run_in_terminal(command, daemon.environment, workspace)
    assert ran.exit_code == REQUESTED, ran.output
    assert "an agent asks" in ran.output
    assert states(daemon) == ["open"] or states(daemon) == ["resolved"]
    assert memory.read_text() == notes()
    assert [one["act"] for one in requests(daemon)] == ["accept"]


def test_an_agent_that_leaves_its_ancestors_behind_still_holds_the_terminal(daemon: Daemon, workspace: Path) -> None:
    number = lose(daemon, workspace / "MEMORY.md")
    accept = left_behind([*CONDUCTD, "accept", "--yes", str(number)])
    ran = run_detached(called("claude", accept), daemon.environment, workspace)
    assert "an agent asks" in ran.stdout, ran.stdout
    (request,) = requests(daemon)
    assert not any("claude" in name for name in request["caller"]), "its ancestors do not show it"
    assert states(daemon) != ["accepted"]


def test_without_a_terminal_it_is_only_asked_for(daemon: Daemon, workspace: Path) -> None:
    number = lose(daemon, workspace / "MEMORY.md")
    ran = run_detached([*CONDUCTD, "accept", str(number), "--json"], daemon.environment, workspace)
    assert ran.returncode == REQUESTED, ran.stderr
    asked = json.loads(ran.stdout)
    assert asked["request"] == requests(daemon)[0]["id"]
    assert f"conductd confirm {asked['request']}" in asked["text"]


def test_a_request_is_told_once_with_the_command_that_decides_it(daemon: Daemon, workspace: Path) -> None:
    number = lose(daemon, workspace / "MEMORY.md")
    before = len(daemon.events(kind="notice"))
    for _ in range(3):
        daemon.api.post("/v1/accept", {"incident": number})
    (request,) = requests(daemon)
    (told,) = daemon.events(kind="notice")[before:]
    assert told["data"]["command"] == f"conductd confirm {request['id']}"
    assert "MEMORY.md" in told["text"]
    assert "note" not in told["text"]


def test_a_request_says_in_which_workspace(tmp_path: Path) -> None:
    """Two that hold a file of the same name: what is confirmed is known before it is done."""
    spaces = [tmp_path / "one", tmp_path / "two"]
    for each in spaces:
        each.mkdir()
        (each / "MEMORY.md").write_text(notes())
    with Daemon(tmp_path / "d", spaces) as daemon:
        for each in spaces:
            lose(daemon, each / "MEMORY.md")
        for incident in daemon.api.get("/v1/incidents"):
            daemon.api.post("/v1/accept", {"incident": incident["id"]})
        run_in_terminal(called("claude", [*CONDUCTD, "undo"]), daemon.environment, spaces[0])
        asked = {request["root"]: request["act"] for request in requests(daemon)[:2]}
        assert asked == {str(each): "accept" for each in spaces}
        assert [one["root"] for one in requests(daemon)[2:]] == [str(spaces[1])], "an undo, of what came last"
        listed = daemon.cli("requests").output
        assert all(str(each) in listed for each in spaces)
        number = requests(daemon)[0]["id"]
        assert f"in       {requests(daemon)[0]['root']}" in daemon.cli("confirm", str(number), answer="n").output


def test_a_person_confirms_it_and_sees_who_asked(daemon: Daemon, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    number = lose(daemon, memory)
    run_in_terminal(called("claude", [*CONDUCTD, "accept", "-y", str(number)]), daemon.environment, workspace)
    (request,) = requests(daemon)
    declined = daemon.cli("confirm", str(request["id"]), answer="n")
    assert declined.exit_code == 1
    assert "claude" in declined.output
    assert requests(daemon)
    ran = daemon.cli("confirm", str(request["id"]))
    assert ran.exit_code == 0, ran.output
    assert memory.read_text() == "gone\n"
    assert states(daemon) == ["accepted"]
    assert not requests(daemon)
    assert daemon.cli("confirm", str(request["id"])).exit_code == 3
    decided = daemon.events(kind="decision")[-1]["data"]
    assert decided["decision"] == "accept"
    assert not any("claude" in one for one in decided["caller"])
    assert "is accepted" in daemon.events(kind="notice")[-1]["text"]


def test_an_agent_cannot_confirm(daemon: Daemon, workspace: Path) -> None:
    number = lose(daemon, workspace / "MEMORY.md")
    daemon.api.post("/v1/accept", {"incident": number})
    (request,) = requests(daemon)
    command = called("claude", [*CONDUCTD, "confirm", "--yes", str(request["id"])])
    ran = run_in_terminal(command, daemon.environment, workspace)
    assert ran.exit_code == 8
    assert "waits for a person" in ran.output
    with pytest.raises(ApiError, match="waits for a person"):
        daemon.api.post("/v1/confirm", {"request": request["id"]})
    assert requests(daemon) == [request]


def test_what_was_refused_is_not_asked_for_again(daemon: Daemon, workspace: Path) -> None:
    number = lose(daemon, workspace / "MEMORY.md")
    daemon.api.post("/v1/accept", {"incident": number})
    (request,) = requests(daemon)
    assert daemon.cli("refuse", str(request["id"])).exit_code == 0
    assert not requests(daemon)
    with pytest.raises(ApiError, match="refused"):
        daemon.api.post("/v1/accept", {"incident": number})
    assert daemon.cli("accept", "-y", str(number)).exit_code == 0, "a person may change their mind"


def test_only_a_person_refuses_and_an_agent_takes_back_its_own(daemon: Daemon, workspace: Path) -> None:
    number = lose(daemon, workspace / "MEMORY.md")
    daemon.api.post("/v1/accept", {"incident": number})
    (request,) = requests(daemon)
    refuse = [*CONDUCTD, "refuse", str(request["id"])]
    ran = run_in_terminal(called("claude", refuse), daemon.environment, workspace)
    assert ran.exit_code == 8, ran.output
    assert "refused by a person only: an agent asks" in ran.output
    assert run_detached(refuse, daemon.environment, workspace).returncode == 8
    assert requests(daemon) == [request]
    daemon.cli("refuse", str(request["id"]))

    lease = shlex.join([*CONDUCTD, "lease", "MEMORY.md"])
    refuse_it = f"{shlex.join(CONDUCTD)} refuse $({shlex.join(CONDUCTD)} requests --json | grep -o '[0-9]*' | head -1)"
    for _ in range(2):
        ran = run_in_terminal(called("claude", ["bash", "-c", f"{lease}; {refuse_it}"]), daemon.environment, workspace)
        assert ran.exit_code == 0, ran.output
        assert not requests(daemon)
        assert daemon.events(kind="request")[-1]["data"]["state"] == "withdrawn"
    run_in_terminal(called("claude", [*CONDUCTD, "lease", "MEMORY.md"]), daemon.environment, workspace)
    assert len(requests(daemon)) == 1, "what was taken back is asked for again"


def test_a_request_waits_over_a_restart_and_expires(daemon: Daemon, workspace: Path) -> None:
    number = lose(daemon, workspace / "MEMORY.md")
    daemon.api.post("/v1/accept", {"incident": number})
    (request,) = requests(daemon)
    daemon.stop()
    daemon.start()
    assert requests(daemon) == [request]
    daemon.advance(7 * 86_400_000 + 1)
    assert not requests(daemon)
    daemon.wait_until(lambda: daemon.events(kind="request")[-1]["data"]["state"] == "expired", "it has expired")
    assert daemon.cli("confirm", str(request["id"])).exit_code == 3
    daemon.api.post("/v1/accept", {"incident": number})
    assert len(requests(daemon)) == 1


def test_observing_what_is_protected_weakens_it_and_protecting_does_not(daemon: Daemon, workspace: Path) -> None:
    asked = daemon.api.post("/v1/workspaces", {"root": str(workspace), "mode": "observe"})
    assert asked["mode"] == "protect"
    assert asked["request"] == requests(daemon)[0]["id"]
    ran = run_detached([*CONDUCTD, "observe", "."], daemon.environment, workspace)
    assert ran.returncode == REQUESTED
    assert "still protected" in ran.stdout
    assert daemon.cli("confirm", str(asked["request"])).exit_code == 0
    assert [one["mode"] for one in daemon.api.get("/v1/workspaces")] == ["observe"]
    assert daemon.api.post("/v1/workspaces", {"root": str(workspace), "mode": "protect"})["mode"] == "protect"


def test_what_is_not_there_cannot_be_asked_for(daemon: Daemon, workspace: Path) -> None:
    with pytest.raises(ApiError, match="no incident"):
        daemon.api.post("/v1/accept", {"incident": 99})
    with pytest.raises(ApiError, match="no incident"):
        daemon.api.post("/v1/accept", {"path": str(workspace / "MEMORY.md")})
    assert not requests(daemon)


def test_an_undo_that_was_asked_for_is_of_what_was_written_then(daemon: Daemon, workspace: Path) -> None:
    memory, user = workspace / "MEMORY.md", workspace / "USER.md"
    user.write_text(notes(101, 140))
    daemon.settle()
    lose(daemon, memory)
    ran = run_in_terminal(called("claude", [*CONDUCTD, "undo"]), daemon.environment, workspace)
    assert ran.exit_code == REQUESTED, ran.output
    (request,) = requests(daemon)
    assert request["shows"] == ["write MEMORY.md as it was before conductd wrote it"]
    user.write_text("gone, too\n")
    daemon.settle()
    assert user.read_text() == notes(101, 140)
    (request,) = requests(daemon)
    assert "do nothing" in str(request["shows"])
    ran = daemon.cli("confirm", str(request["id"]))
    assert ran.exit_code == 8, ran.output
    assert (memory.read_text(), user.read_text()) == (notes(), notes(101, 140))


@pytest.mark.parametrize("leave", ["( {} & )", "setsid -f {}", "nohup bash -c {!r} & exit 0"])
def test_a_command_that_leaves_its_parents_behind_only_asks(
    daemon: Daemon, workspace: Path, tmp_path: Path, leave: str
) -> None:
    memory = workspace / "MEMORY.md"
    lose(daemon, memory)
    out = tmp_path / "out"
    undo = f"{shlex.join([*CONDUCTD, 'undo'])}"
    script = leave.format(undo if "nohup" in leave else f"{undo} >{out} 2>&1")
    hold = "sleep 0.1" if "nohup" in leave else "sleep 1"
    run_detached(called("claude", ["bash", "-c", f"{script}; {hold}"]), daemon.environment, workspace)
    (request,) = daemon.wait_until(lambda: requests(daemon), "a request")
    assert request["act"] == "undo"
    daemon.settle()
    assert memory.read_text() == notes()


def test_a_script_whose_parents_are_there_undoes(daemon: Daemon, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    lose(daemon, memory)
    ran = run_detached(["sh", "-c", shlex.join([*CONDUCTD, "undo"]) + "; exit $?"], daemon.environment, workspace)
    assert ran.returncode == 0, ran.stderr
    assert memory.read_text() == "gone\n"


def test_what_was_written_since_a_restore_was_asked_for_is_said(daemon: Daemon, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    first = daemon.versions(memory)[-1]["seq"]
    memory.write_text(notes() + "- the first addition, about pepper and saddles\n")
    daemon.settle()
    restore = called("claude", [*CONDUCTD, "restore", f"{memory}@{first}", "--yes"])
    assert run_in_terminal(restore, daemon.environment, workspace).exit_code == REQUESTED
    (request,) = requests(daemon)
    assert "1 entry that stands there now goes" in str(request["shows"])
    memory.write_text(memory.read_text() + "- the second one came after that\n")
    daemon.settle()
    assert run_in_terminal(restore, daemon.environment, workspace).exit_code == REQUESTED
    (request,) = requests(daemon)
    assert "2 entries that stand there now go" in str(request["shows"])
    assert "written again since it was asked for" in str(request["shows"])
    ran = daemon.cli("confirm", str(request["id"]), "--yes")
    assert "2 entries" in ran.output
    daemon.settle()
    assert memory.read_text() == notes()


def test_so_it_is_of_a_restore_to_a_time(daemon: Daemon, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    daemon.pass_time(3_600_000)
    memory.write_text(notes() + "- the first addition, about pepper and saddles\n")
    daemon.settle()
    restore = called("claude", [*CONDUCTD, "restore", "--at", "30 minutes ago", str(workspace), "--yes"])
    assert run_in_terminal(restore, daemon.environment, workspace).exit_code == REQUESTED
    memory.write_text(memory.read_text() + "- the second one came after that\n")
    daemon.settle()
    (request,) = requests(daemon)
    assert "restore 1 file" in str(request["words"])
    assert "2 entries that stand there now go, and it was written again since" in str(request["shows"])


@pytest.mark.parametrize(
    "command",
    [
        ["observe", "."],
        ["lease", "MEMORY.md"],
        ["lease", "MEMORY.md", "--for", "2h"],
        ["role", "x-*.md", "replaceable"],
    ],
)
def test_every_request_shows_what_would_be_done(daemon: Daemon, workspace: Path, command: list[str]) -> None:
    assert run_detached([*CONDUCTD, *command], daemon.environment, workspace).returncode == REQUESTED
    (request,) = requests(daemon)
    assert request["shows"]


def test_what_a_person_did_meanwhile_answers_the_request_for_it(daemon: Daemon, workspace: Path) -> None:
    (workspace / "MEMORY.md").write_text("gone\n")
    daemon.settle()
    (incident,) = daemon.api.get("/v1/incidents")
    daemon.api.post("/v1/accept", {"incident": incident["id"]})
    daemon.api.post("/v1/workspaces", {"root": str(workspace), "mode": "observe"})
    assert [one["act"] for one in requests(daemon)] == ["accept", "observe"]
    daemon.cli("accept", str(incident["id"]))
    assert [one["act"] for one in requests(daemon)] == ["observe"]

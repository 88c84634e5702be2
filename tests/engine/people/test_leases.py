"""Leases: what is written while one stands is recorded and left; what an agent announced is offered back later."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from engine.conftest import notes
from support.api import ApiError
from support.callers import CONDUCTD, called, run_detached
from support.daemon import Daemon
from support.terminal import run_in_terminal

REQUESTED = 15
MINUTE_MS = 60_000


def verdicts(daemon: Daemon) -> list[tuple[str, str, str]]:
    found = daemon.events(kind="change")
    return [(one["event_class"], one["action"], one["data"]["rule"]) for one in found]


def leases(daemon: Daemon) -> list[dict[str, object]]:
    answer: list[dict[str, object]] = daemon.api.get("/v1/leases")
    return answer


def test_what_is_written_under_a_lease_is_recorded_and_left(daemon: Daemon, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    ran = daemon.cli("lease", "MEMORY.md", "--for", "20m")
    assert ran.exit_code == 0, ran.output
    assert "is left alone until" in ran.output
    memory.write_text("gone\n")
    daemon.settle()
    assert memory.read_text() == "gone\n"
    assert verdicts(daemon)[-1] == ("overwrite", "record", "lease")
    assert not daemon.api.get("/v1/incidents")


def test_a_lease_that_ended_before_the_write_does_not_excuse_it(daemon: Daemon, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    daemon.cli("lease", "MEMORY.md")
    daemon.pass_time(10 * MINUTE_MS + 1)
    assert not leases(daemon)
    memory.write_text("gone\n")
    daemon.settle()
    assert memory.read_text() == notes()


def test_the_time_of_the_write_counts_not_that_of_its_judgement(daemon: Daemon, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    daemon.cli("lease", "MEMORY.md")
    memory.write_text("gone\n")
    daemon.sync()
    assert daemon.cli("lease", "MEMORY.md", "--end").exit_code == 0
    assert not leases(daemon)
    daemon.settle()
    assert memory.read_text() == "gone\n"
    memory.write_text(notes())
    daemon.settle()
    memory.write_text("gone again\n")
    daemon.settle()
    assert memory.read_text() == notes()


def test_a_lease_survives_a_restart(daemon: Daemon, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    daemon.cli("lease", "MEMORY.md")
    before = leases(daemon)
    daemon.stop()
    memory.write_text("gone\n")
    daemon.start()
    assert leases(daemon) == before
    daemon.settle()
    assert memory.read_text() == "gone\n"


def test_a_directory_can_be_leased_and_no_more_than_that(daemon: Daemon, workspace: Path) -> None:
    memory, topic = workspace / "MEMORY.md", workspace / "memory" / "tea.md"
    topic.write_text(notes(1, 20))
    daemon.settle()
    daemon.cli("lease", "memory")
    topic.write_text("gone\n")
    memory.write_text("gone\n")
    daemon.settle()
    assert topic.read_text() == "gone\n"
    assert memory.read_text() == notes()


def test_what_an_agent_announced_is_offered_back_when_the_lease_has_ended(daemon: Daemon, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    daemon.cli("lease", "MEMORY.md")
    daemon.api.post("/v1/evidence", {"path": str(memory), "actor": "agent:main", "content": "gone\n"})
    memory.write_text("gone\n")
    daemon.sync()
    daemon.pass_time(5 * MINUTE_MS)
    assert not daemon.api.get("/v1/incidents")
    assert [one["why"] for one in daemon.sync()["pending"]] == ["lease"]
    daemon.pass_time(5 * MINUTE_MS)
    daemon.settle()
    assert memory.read_text() == "gone\n"
    (incident,) = daemon.api.get("/v1/incidents")
    assert (incident["action"], incident["writer"]) == ("propose", "agent:main")
    assert daemon.cli("restore", "-y", "--incident", str(incident["id"])).exit_code == 0
    assert "note 40" in memory.read_text()


def test_files_destroyed_together_under_a_lease_are_not_written_either(daemon: Daemon, workspace: Path) -> None:
    files = [workspace / "memory" / name for name in ("tea.md", "people.md", "harbour.md", "deploy.md")]
    for number, file in enumerate(files):
        file.write_text(notes(100 * number + 100, 100 * number + 120))
    daemon.settle()
    daemon.cli("lease", "memory")
    for file in files:
        daemon.api.post("/v1/evidence", {"path": str(file), "actor": "agent:main"})
        file.unlink()
    daemon.sync()
    daemon.pass_time(9 * MINUTE_MS)
    assert not daemon.api.get("/v1/incidents")
    daemon.pass_time(2 * MINUTE_MS)
    daemon.settle()
    assert not any(file.exists() for file in files)
    found = daemon.api.get("/v1/incidents")
    assert {name for one in found for name in one["files"]} == {f"memory/{file.name}" for file in files}
    assert {one["action"] for one in found} == {"propose"}


def test_what_an_agent_announces_just_after_it_is_not_excused_either(daemon: Daemon, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    daemon.cli("lease", "MEMORY.md")
    memory.write_text("gone\n")
    daemon.pass_time(2_000)
    daemon.api.post("/v1/evidence", {"path": str(memory), "actor": "agent:main", "content": "gone\n"})
    daemon.pass_time(11 * MINUTE_MS)
    assert [one["action"] for one in daemon.api.get("/v1/incidents")] == ["propose"]
    assert memory.read_text() == "gone\n"


def test_a_repair_that_waits_is_not_made_while_a_lease_stands(daemon: Daemon, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    memory.write_text("gone\n")
    daemon.sync()
    daemon.cli("lease", "MEMORY.md")
    daemon.pass_time(9 * MINUTE_MS)
    assert memory.read_text() == "gone\n"
    daemon.pass_time(2 * MINUTE_MS)
    daemon.settle()
    assert memory.read_text() == notes(), "it was destroyed before the lease"


def test_a_long_lease_has_to_be_confirmed(daemon: Daemon, workspace: Path) -> None:
    ran = daemon.cli("lease", "MEMORY.md", "--for", "2h", answer="n")
    assert (ran.exit_code, leases(daemon)) == (1, [])
    assert daemon.cli("lease", "MEMORY.md", "--for", "2h").exit_code == 0
    assert daemon.cli("lease", "memory", "--for", "2h", "--yes").exit_code == 0
    assert len(leases(daemon)) == 2
    assert daemon.cli("lease", "MEMORY.md", "--for", "2 days").exit_code == 2


def test_an_agent_only_asks_for_a_lease(daemon: Daemon, workspace: Path) -> None:
    command = called("openclaw", [*CONDUCTD, "lease", "MEMORY.md", "--for", "1h", "--yes"])
    ran = run_in_terminal(command, daemon.environment, workspace)
    assert ran.exit_code == REQUESTED, ran.output
    assert run_detached([*CONDUCTD, "lease", "MEMORY.md"], daemon.environment, workspace).returncode == REQUESTED
    assert not leases(daemon)
    first, second = daemon.api.get("/v1/requests")
    assert [first["act"], second["act"]] == ["long_lease", "lease"]
    assert daemon.cli("confirm", str(second["id"])).exit_code == 0
    assert [one["path"] for one in leases(daemon)] == ["MEMORY.md"]
    assert "is left alone for 10 min" in daemon.events(kind="notice")[-1]["text"]


def test_a_persons_editor_without_a_terminal_is_granted_a_short_one(daemon: Daemon, workspace: Path) -> None:
    asked = run_detached(called("gedit", [*CONDUCTD, "lease", "MEMORY.md"]), daemon.environment, workspace)
    assert asked.returncode == 0, asked.stdout
    long = run_detached(
        called("gedit", [*CONDUCTD, "lease", "MEMORY.md", "--for", "1h"]), daemon.environment, workspace
    )
    assert long.returncode == REQUESTED
    by_agent = called("gedit", called("claude", [*CONDUCTD, "lease", "MEMORY.md"]))
    assert run_detached(by_agent, daemon.environment, workspace).returncode == REQUESTED


def test_what_is_in_no_workspace_cannot_be_leased(daemon: Daemon, tmp_path: Path) -> None:
    for path in (tmp_path / "other.md", tmp_path):
        assert daemon.cli("lease", str(path)).exit_code == 3
    with pytest.raises(ApiError, match="no lease"):
        daemon.api.post("/v1/leases/end", {"lease": 7})


# --------------------------------------------------------------------------- conductd edit


def edit(daemon: Daemon, script: str, *arguments: str | bytes, **environment: str) -> tuple[int, str]:
    """`conductd edit` with a shell script as the editor; "$@" are the files."""
    program = daemon.directory / "vim"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    command = [*CONDUCTD, "edit", *(os.fsdecode(each) for each in arguments or (b"MEMORY.md",))]
    variables = {**daemon.environment, "EDITOR": str(program), **environment}
    ran = run_in_terminal(command, variables, daemon.workspaces[0])
    return ran.exit_code, ran.output


def test_what_the_editor_writes_is_its_persons(daemon: Daemon, workspace: Path) -> None:
    code, output = edit(daemon, 'echo gone > "$1"')
    assert code == 0, output
    daemon.settle()
    assert (workspace / "MEMORY.md").read_text() == "gone\n"
    assert daemon.versions(workspace / "MEMORY.md")[0]["actor"] == "human:vim"
    assert not leases(daemon)
    assert not daemon.api.get("/v1/incidents")


def test_the_lease_stands_while_the_editor_runs_and_ends_with_it(daemon: Daemon, workspace: Path) -> None:
    command = " ".join([*CONDUCTD, "leases", "--json"])
    code, output = edit(daemon, f"{command}; exit 3")
    assert code == 3
    assert '"holder": "human:vim"' in output
    assert not leases(daemon)


def test_an_editor_that_crashes_leaves_no_lease(daemon: Daemon, workspace: Path) -> None:
    code, _ = edit(daemon, "kill -9 $$")
    assert code == 128 + 9
    assert not leases(daemon)


def test_a_file_to_come_and_names_of_any_bytes_can_be_edited(daemon: Daemon, workspace: Path) -> None:
    names = ["memory/new.md", "memory/a b.md", b"memory/caf\xe9.md"]
    code, output = edit(daemon, 'for f; do echo "- a line" > "$f"; done', *names)
    assert code == 0, output
    daemon.settle()
    for name in names:
        path = os.path.join(os.fsencode(workspace), os.fsencode(name))
        with open(path, "rb") as file:
            assert file.read() == b"- a line\n"
    written = daemon.api.get("/v1/versions", limit=3)
    assert {one["actor"] for one in written} == {"human:vim"}


def test_the_editor_may_have_arguments(daemon: Daemon, workspace: Path) -> None:
    program = daemon.directory / "my editor"
    program.write_text('#!/bin/sh\necho "$1" > "$2"\n')
    program.chmod(0o755)
    code, output = edit(daemon, "exit 9", EDITOR=f"'{program}' --fast", VISUAL="")
    assert code == 0, output
    assert (workspace / "MEMORY.md").read_text() == "--fast\n"


def test_under_an_agent_no_editor_is_opened(daemon: Daemon, workspace: Path) -> None:
    variables = {**daemon.environment, "EDITOR": "touch /dev/null"}
    ran = run_in_terminal(called("claude", [*CONDUCTD, "edit", "MEMORY.md"]), variables, workspace)
    assert ran.exit_code == REQUESTED, ran.output
    assert "nothing is opened" in ran.output
    assert run_detached([*CONDUCTD, "edit", "MEMORY.md"], variables, workspace).returncode == 8


def test_an_editor_in_a_window_of_its_own_is_told_how_to_wait(daemon: Daemon, workspace: Path) -> None:
    program = daemon.directory / "code"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    code, output = edit(daemon, "", EDITOR=str(program))
    assert code == 0
    assert 'EDITOR="code --wait"' in output
    assert [one["holder"] for one in leases(daemon)] == ["human:code"], "the window is still open"
    daemon.cli("lease", "MEMORY.md", "--end")
    code, output = edit(daemon, "", EDITOR=f"{program} --wait")
    assert "came back at once" in output
    assert not leases(daemon)


def test_the_lease_is_renewed_while_the_editor_is_open(tmp_path: Path, workspace: Path) -> None:
    with Daemon(tmp_path / "d", [workspace], fake_clock=False) as daemon:
        wait = f"{sys.executable} -c 'import time; time.sleep(3)'"
        code, output = edit(daemon, f'{wait}; echo gone > "$1"', "--for", "2s", "MEMORY.md")
        assert code == 0, output
        daemon.settle()
        assert daemon.versions(workspace / "MEMORY.md")[0]["actor"] == "human:vim"


def test_nobody_but_a_person_ends_what_a_person_took(daemon: Daemon, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    daemon.cli("lease", "MEMORY.md")
    memory.write_text("half of what I am about to write\n")
    end = [*CONDUCTD, "lease", str(memory), "--end"]
    ran = run_in_terminal(called("claude", end), daemon.environment, workspace)
    assert ran.exit_code == REQUESTED, ran.output
    assert "guarded again" not in ran.output
    assert run_detached(end, daemon.environment, workspace).returncode == REQUESTED
    daemon.settle()
    assert memory.read_text() == "half of what I am about to write\n"
    assert leases(daemon)
    (request,) = daemon.api.get("/v1/requests")
    assert request["act"] == "lease_end"
    assert request["shows"]
    assert daemon.cli("confirm", str(request["id"])).exit_code == 0
    assert not leases(daemon)


@pytest.mark.parametrize(
    ("command", "said", "code"),
    [
        (["lease", "MEMORY.md", "--for", "25h"], "24h is the longest", 2),
        (["role", "", "topic"], "would fit too much, or nothing", 2),
        (["role", "**", "topic"], "would fit too much, or nothing", 2),
        (["replay", "--file", "nope.md"], "nothing was judged of nope.md", 3),
    ],
)
def test_what_cannot_be_is_refused_in_words(daemon: Daemon, command: list[str], said: str, code: int) -> None:
    ran = daemon.cli(*command)
    assert said in ran.output
    assert ran.exit_code == code
